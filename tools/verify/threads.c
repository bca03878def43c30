/*
 * The same bits for any number of threads and for two runs: a bed that a driven plate is pushed through, in each order
 * of the sweeps. 6000 grains and some 20 000 contacts: enough that the engine shares its work among eight threads.
 */
#include "verify/bed.h"

#include <stdio.h>

enum { STEPS = 20, GRAINS = 6000 };

static bool run_once(scree_verify *verify, const char *order, unsigned threads, scree_hash *hash)
{
    scree_bed bed = {0};
    scree_scene *scene;
    bed_add(&bed, "scene name=threads gravity=0,0,-9.81");
    bed_add(&bed, "solver order=%s threads=%u substeps=2 sweeps=2", order, threads);
    bed_add(&bed, "material id=rock density=2500 youngs=1e7");
    bed_add(&bed, "pair a=rock b=rock friction=0.5 rolling=0.1 twist=0.1 restitution=0.2");
    bed_add(&bed, "body id=floor material=rock");
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "plane normal=1,0,0 position=-0.2,0,0");
    bed_add(&bed, "plane normal=-1,0,0 position=0.2,0,0");
    bed_add(&bed, "plane normal=0,1,0 position=0,-0.2,0");
    bed_add(&bed, "plane normal=0,-1,0 position=0,0.2,0");
    bed_add(&bed, "body id=plate material=rock kind=driven position=-0.15,0,0.15");
    bed_add(&bed, "box size=0.02,0.2,0.3");
    bed_add(&bed, "port id=plate body=plate");
    bed_add(&bed, "fill id=bed material=rock count=%d min=-0.13,-0.2,0 max=0.2,0.2,1", GRAINS);
    bed_add(&bed, "size diameter=0.018 diameterMax=0.02");
    scree_world *world = bed_world(verify, &bed, &scene);
    bool good = world != NULL;
    for (int i = 0; good && i < STEPS; i++) {
        const double dt = 0.005, speed = 0.3;
        scree_motion motion = {.position = {-0.15 + speed * dt * i, 0.0, 0.15},
                               .orientation = {1.0, 0.0, 0.0, 0.0},
                               .velocity = {speed, 0.0, 0.0}};
        good = scree_world_set_motion(world, 0, &motion, NULL) == SCREE_OK && verify_steps(verify, world, dt, 1);
    }
    if (good)
        *hash = scree_world_hash(world);
    verify_free(world, scene);
    return good;
}

static void run(scree_verify *verify)
{
    static const char *const orders[] = {"index", "reverse", "symmetric", "random"};
    static const unsigned threads[] = {1, 1, 2, 3, 8}; /* the first twice: two runs */
    scree_hash of_order[4];
    for (int i = 0; i < 4; i++) {
        int different = 0;
        for (int k = 0; k < 5; k++) {
            scree_hash hash = {0};
            if (!run_once(verify, orders[i], threads[k], &hash))
                return;
            if (k == 0)
                of_order[i] = hash;
            different += hash.a != of_order[i].a || hash.b != of_order[i].b;
        }
        char quantity[80];
        snprintf(quantity, sizeof quantity, "%s order: states that differ, threads 1, 1, 2, 3, 8", orders[i]);
        verify_near(verify, quantity, "", different, 0.0, 0.0, "determinism");
    }
    /* the hash would also agree if it saw nothing: other orders must give other states */
    int same = 0;
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < i; k++)
            same += of_order[i].a == of_order[k].a && of_order[i].b == of_order[k].b;
    verify_near(verify, "pairs of orders that end in one state", "", same, 0.0, 0.0, "the hash tells states apart");
}

const scree_verify_case scree_verify_threads = {
    .name = "threads",
    .summary = "the same bits for any number of threads and for two runs",
    .run = run,
};
