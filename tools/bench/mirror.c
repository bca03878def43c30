/*
 * Grains that have come to rest, with what they push each other, and their mirror images. Impulses are no part of a
 * scene: they are put where the engine looks for those of its last substep.
 */
#include "bench/bench.h"

#include "command.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

/* Shapes of bench_write_bed: the floor, then low and high side of x and of y. */
enum { FLOOR, SIDES };

void bench_free_grains(bench_grains *grains)
{
    free(grains->items);
    free(grains->pairs);
    free(grains->walls);
    *grains = (bench_grains){0};
}

static bool make_room(bench_grains *grains, size_t count, size_t pairs, size_t walls)
{
    *grains = (bench_grains){.items = malloc((count + 1) * sizeof *grains->items),
                             .pairs = malloc((pairs + 1) * sizeof *grains->pairs),
                             .walls = malloc((walls + 1) * sizeof *grains->walls)};
    if (grains->items && grains->pairs && grains->walls)
        return true;
    bench_free_grains(grains);
    return false;
}

/* ---------------------------------------------------------------- from a world */

static bool pushes(const scree_pair_block *block, uint32_t lane)
{
    return block->p[0][lane] != 0.0f || block->p[1][lane] != 0.0f || block->p[2][lane] != 0.0f;
}

static void take_pairs(const scree_pairs *pairs, bench_grains *grains)
{
    for (uint32_t i = 0; i < pairs->count; i++)
        for (uint32_t k = 0; k < SCREE_LANES; k++) {
            const scree_pair_block *block = &pairs->blocks[i];
            if (!pushes(block, k))
                continue;
            bench_push *to = &grains->pairs[grains->pair_count++];
            *to = (bench_push){.a = block->a[k], .b = block->b[k]};
            for (int c = 0; c < 3; c++) {
                to->p[c] = (double)block->p[c][k];
                to->qa[c] = (double)block->qa[c][k];
                to->qb[c] = (double)block->qb[c][k];
            }
        }
}

static void put3(double to[3], vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void take_walls(const scree_contact_list *walls, bench_grains *grains)
{
    for (size_t i = 0; i < walls->count; i++) {
        const scree_contact *from = &walls->items[i];
        bench_push *to = &grains->walls[grains->wall_count++];
        *to = (bench_push){.a = from->a, .b = from->b, .pn = from->pn};
        put3(to->p, from->pt);
        put3(to->qa, from->pr);
        put3(to->normal, walls->normals[i]);
    }
}

bool bench_take_grains(const bench_world *world, bench_grains *grains)
{
    const scree_world *from = world->world;
    const scree_particles *particles = &from->particles;
    if (!make_room(grains, particles->count, (size_t)from->pairs.count * SCREE_LANES, from->walls.count))
        return false;
    grains->count = particles->count;
    grains->substep = from->substep;
    for (uint32_t i = 0; i < grains->count; i++) {
        grains->items[i].diameter = 2.0 * particles->place[i].r;
        put3(grains->items[i].position, particles->place[i].x);
    }
    take_pairs(&from->pairs, grains);
    take_walls(&from->walls, grains);
    return true;
}

/* ---------------------------------------------------------------- mirror images */

/* One image: where it is among nx by ny, and which axes are turned round. */
typedef struct image {
    uint32_t at[2], of[2];
    double sign[3]; /* of a vector's components; an axial one has those of the product too */
    double turned;  /* product of the signs */
    uint32_t first; /* grain */
} image;

static image image_of(uint32_t k, uint32_t nx, uint32_t ny, uint32_t grains)
{
    image to = {.at = {k % nx, k / nx}, .of = {nx, ny}, .sign = {1.0, 1.0, 1.0}, .first = k * grains};
    for (int c = 0; c < 2; c++)
        to.sign[c] = to.at[c] % 2 ? -1.0 : 1.0;
    to.turned = to.sign[0] * to.sign[1];
    return to;
}

static bench_push turn(const image *to, bench_push push)
{
    for (int c = 0; c < 3; c++) {
        push.p[c] *= to->sign[c];
        push.normal[c] *= to->sign[c];
        push.qa[c] *= to->turned * to->sign[c];
        push.qb[c] *= to->turned * to->sign[c];
    }
    push.a += to->first;
    return push;
}

/* What leans on a side leans on the side of the whole, or on its own image behind it; of two images the first tells. */
static void mirror_wall(const image *to, const bench_push *from, uint32_t tile, bench_grains *grains)
{
    bench_push push = turn(to, *from);
    uint32_t shape = from->b / SCREE_SLOTS;
    if (shape >= SIDES) {
        uint32_t c = (shape - SIDES) / 2, high = ((shape - SIDES) + to->at[c]) % 2;
        uint32_t behind = tile * (c == 0 ? 1 : to->of[0]);
        bool last = to->at[c] == (high ? to->of[c] - 1 : 0);
        if (!last && high) {
            bench_push pair = {.a = push.a, .b = push.a + behind};
            pair.p[c] = push.pn;
            grains->pairs[grains->pair_count++] = pair;
        }
        if (!last)
            return;
        push.b = (SIDES + 2 * c + high) * SCREE_SLOTS + from->b % SCREE_SLOTS;
    }
    grains->walls[grains->wall_count++] = push;
}

bool bench_mirror(const bench_grains *tile, const bench_bed *bed, uint32_t nx, uint32_t ny, bench_grains *grains)
{
    size_t images = (size_t)nx * ny;
    if (!make_room(grains, images * tile->count, images * ((size_t)tile->pair_count + tile->wall_count),
                   images * tile->wall_count))
        return false;
    grains->substep = tile->substep;
    for (uint32_t k = 0; k < nx * ny; k++) {
        image to = image_of(k, nx, ny, tile->count);
        for (uint32_t i = 0; i < tile->count; i++) {
            bench_grain grain = tile->items[i];
            for (int c = 0; c < 2; c++) {
                double inside = to.at[c] % 2 ? bed->size[c] - grain.position[c] : grain.position[c];
                grain.position[c] = to.at[c] * bed->size[c] + inside;
            }
            grains->items[grains->count++] = grain;
        }
        for (uint32_t i = 0; i < tile->pair_count; i++) {
            bench_push pair = turn(&to, tile->pairs[i]);
            pair.b += to.first;
            grains->pairs[grains->pair_count++] = pair;
        }
        for (uint32_t i = 0; i < tile->wall_count; i++)
            mirror_wall(&to, &tile->walls[i], tile->count, grains);
    }
    return true;
}

/* ---------------------------------------------------------------- into a world */

static bool lean_pairs(scree_world *world, const bench_grains *grains)
{
    scree_pairs *pairs = &world->pairs;
    uint32_t blocks = (grains->pair_count + SCREE_LANES - 1) / SCREE_LANES;
    void *items = pairs->blocks;
    if (!scree_replace(&world->memory, &items, &pairs->blocks_capacity, blocks, sizeof *pairs->blocks))
        return false;
    pairs->blocks = items;
    pairs->count = blocks;
    pairs->valid = false; /* no list to solve, only what is remembered */
    memset(pairs->blocks, 0, blocks * sizeof *pairs->blocks);
    for (uint32_t i = 0; i < grains->pair_count; i++) {
        const bench_push *from = &grains->pairs[i];
        scree_pair_block *to = &pairs->blocks[i / SCREE_LANES];
        uint32_t lane = i % SCREE_LANES;
        to->a[lane] = from->a;
        to->b[lane] = from->b;
        for (int c = 0; c < 3; c++) {
            to->p[c][lane] = (float)from->p[c];
            to->qa[c][lane] = (float)from->qa[c];
            to->qb[c][lane] = (float)from->qb[c];
        }
    }
    return true;
}

static vec3 get3(const double v[3])
{
    return (vec3){v[0], v[1], v[2]};
}

static bool lean_walls(scree_world *world, const bench_grains *grains)
{
    scree_contact_list *walls = &world->walls, none = {0};
    scree_candidate *found = malloc((grains->wall_count + 1) * sizeof *found);
    for (uint32_t i = 0; found && i < grains->wall_count; i++)
        found[i] = (scree_candidate){grains->walls[i].a, grains->walls[i].b};
    bool room =
        found && scree_contact_list_renew(walls, &none, &world->memory, grains->count, found, grains->wall_count);
    for (uint32_t i = 0; room && i < grains->wall_count; i++) {
        const bench_push *from = &grains->walls[i];
        uint32_t k = walls->starts[from->a];
        while (walls->items[k].b != from->b)
            k++;
        walls->items[k].pn = from->pn;
        walls->items[k].pt = get3(from->p);
        walls->items[k].pr = get3(from->qa);
        walls->normals[k] = get3(from->normal);
    }
    free(found);
    return room;
}

static bool lean(bench_world *world, const bench_grains *grains)
{
    world->world->substep = grains->substep;
    return lean_pairs(world->world, grains) && lean_walls(world->world, grains);
}

bool bench_open_leaning(bench *bench, bench_writer *writer, const bench_grains *grains, bench_world *world)
{
    bench_write_grains(writer, grains, "grain");
    if (!bench_open(bench, writer, world))
        return false;
    if (lean(world, grains))
        return true;
    scree_complain("scree bench: %s: out of memory", bench->name);
    bench_close(world);
    return false;
}
