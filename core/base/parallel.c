#include "base/parallel.h"

#include "base/machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_THREADS = 256 };

/*
 * A round is one loop. The caller opens it, takes ranges like everyone else, closes it when no range is left, and waits
 * for the workers that are still inside. A worker that comes late finds it closed and is not waited for: on a busy
 * machine, or on one core, the caller does the work alone.
 *
 * gate: number of the round, OPEN, workers inside. Workers look out for a new round for some microseconds, which is
 * longer than the gaps between the loops of a frame, and then sleep.
 */
static const uint64_t OPEN = UINT64_C(1) << 31, INSIDE = (UINT64_C(1) << 31) - 1, ROUND = UINT64_C(1) << 32;
enum { SPINS = 4000 };

struct scree_pool {
    scree_memory memory;
    pthread_t *workers;
    uint32_t worker_count;
    uint32_t spins; /* 0 when there are more threads than cores */

    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint sleepers; /* workers that need the condition to wake */
    atomic_bool quit;
    _Alignas(64) _Atomic uint64_t gate;

    /* the loop of this round */
    _Alignas(64) atomic_uint next_range;
    scree_loop *loop;
    void *context;
    uint32_t items, grain;
};

static uint32_t hardware_threads(void)
{
    uint32_t count = scree_machine_processors();
    return count > MAX_THREADS ? MAX_THREADS : count;
}

uint32_t scree_pool_threads(const scree_pool *pool)
{
    return pool->worker_count + 1;
}

uint32_t scree_pool_ranges(uint32_t items, uint32_t grain)
{
    return items / grain + (items % grain != 0);
}

static void take_ranges(scree_pool *pool)
{
    uint32_t ranges = scree_pool_ranges(pool->items, pool->grain);
    for (;;) {
        uint32_t range = atomic_fetch_add_explicit(&pool->next_range, 1, memory_order_relaxed);
        if (range >= ranges)
            return;
        uint32_t begin = range * pool->grain;
        uint32_t end = pool->items - begin > pool->grain ? begin + pool->grain : pool->items;
        pool->loop(pool->context, range, begin, end);
    }
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Whether there is something else than the round that was seen last. */
static bool has_news(scree_pool *pool, uint64_t seen)
{
    return atomic_load(&pool->gate) / ROUND != seen || atomic_load(&pool->quit);
}

static void wait_for_news(scree_pool *pool, uint64_t seen)
{
    for (uint32_t i = 0; i < pool->spins; i++) {
        if (has_news(pool, seen))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1); /* before the last look: who opens a round looks here after it */
    while (!has_news(pool, seen))
        pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void wake_sleepers(scree_pool *pool)
{
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument)
{
    scree_pool *pool = argument;
    uint64_t seen = 0;
    for (;;) {
        wait_for_news(pool, seen);
        if (atomic_load(&pool->quit))
            return NULL;
        uint64_t gate = atomic_load(&pool->gate);
        seen = gate / ROUND;
        while ((gate & OPEN) && !atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1))
            ;
        if (!(gate & OPEN))
            continue;
        seen = gate / ROUND;
        take_ranges(pool);
        atomic_fetch_sub(&pool->gate, 1);
    }
}

scree_pool *scree_pool_create(const scree_memory *memory, uint32_t threads)
{
    if (threads == 0)
        threads = hardware_threads();
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    scree_pool *pool = scree_allocate(memory, 1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->memory = *memory;
    pool->workers = scree_allocate(memory, threads, sizeof *pool->workers);
    if (!pool->workers) {
        scree_release(memory, pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->spins = threads <= hardware_threads() ? SPINS : 0;
    /* A host that refuses another thread gets the same results with fewer. */
    while (pool->worker_count + 1 < threads &&
           pthread_create(&pool->workers[pool->worker_count], NULL, work, pool) == 0)
        pool->worker_count++;
    return pool;
}

void scree_pool_destroy(scree_pool *pool)
{
    if (!pool)
        return;
    atomic_store(&pool->quit, true);
    wake_sleepers(pool);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    scree_release(&pool->memory, pool->workers);
    scree_memory memory = pool->memory;
    scree_release(&memory, pool);
}

void scree_pool_run(scree_pool *pool, uint32_t items, uint32_t grain, scree_loop *loop, void *context)
{
    if (items == 0)
        return;
    pool->loop = loop;
    pool->context = context;
    pool->items = items;
    pool->grain = grain;
    atomic_store_explicit(&pool->next_range, 0, memory_order_relaxed);
    if (pool->worker_count == 0 || items <= grain) {
        take_ranges(pool);
        return;
    }
    uint64_t round = atomic_load(&pool->gate) / ROUND + 1;
    atomic_store(&pool->gate, round * ROUND | OPEN);
    wake_sleepers(pool);
    take_ranges(pool);
    atomic_fetch_and(&pool->gate, ~OPEN);
    for (uint32_t i = 0; atomic_load(&pool->gate) & INSIDE; i++) {
        if (i < pool->spins)
            pause_briefly();
        else
            sched_yield();
    }
}
