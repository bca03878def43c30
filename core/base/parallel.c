#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

struct scree_pool {
    scree_memory memory;
    pthread_t *workers;
    uint32_t worker_count;

    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    uint64_t round;   /* counts loops; a worker that sees a new one joins it */
    uint32_t running; /* workers still in this round */
    bool quit;

    /* the loop of this round */
    scree_loop *loop;
    void *context;
    uint32_t items, grain;
    atomic_uint next_range;
};

static uint32_t hardware_threads(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (uint32_t)count;
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

static void *work(void *argument)
{
    scree_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && pool->round == seen)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        take_ranges(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
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
    pthread_cond_init(&pool->done, NULL);
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
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->done);
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
    pthread_mutex_lock(&pool->lock);
    pool->running = pool->worker_count;
    pool->round++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    take_ranges(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
