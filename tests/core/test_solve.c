/*
 * The solver's parts: impacts, adhesion, orders, early stop, residual, adaption.
 */
#include "support.h"

#include "solve/pair_kernels.h"
#include "world.h"

#include <math.h>
#include <string.h>

static const double G = 9.81;

#define MATERIAL "material id=g density=2500 youngs=1e7 poisson=0.3"

static void test_bounce_keeps_newtons_law(void **state)
{
    (void)state;
    const char *pairs[] = {"pair a=g b=g friction=0.4 restitution=0.18", "pair a=g b=g friction=0.4 restitution=0.8",
                           "pair a=g b=g friction=0.4 restitution=1"};
    const double e[] = {0.18, 0.8, 1.0};
    for (int i = 0; i < 3; i++) {
        scree_scene *scene =
            make_scene("scene name=t gravity=0,0,-9.81", MATERIAL, pairs[i], "body id=floor material=g",
                       "plane normal=0,0,1", "grain material=g diameter=0.02 position=0,0,0.21", NULL);
        scree_world *world = make_world(scene);
        double top = 0.0;
        int hits = 0;
        for (int n = 0; n < 400 && hits < 2; n++) {
            run(world, 0.005, 1);
            scree_info info;
            scree_world_get_info(world, &info);
            hits += (int)info.impacts;
            if (hits == 1)
                top = fmax(top, world->particles.place[0].x.z);
        }
        /* drop height 0.2 m; the moment of contact is exact to first order in the substep: error g h² and half a
         * frame's sampling of the top, g (2.5 ms)²/2 */
        assert_near(top - 0.01, 0.2 * e[i] * e[i], 0.002 * 0.2 * e[i] * e[i] + 5e-5);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

/* Upside down: a grain hangs from the ceiling as long as its weight is below the adhesion. */
static void test_adhesion_holds_up_to_its_force(void **state)
{
    (void)state;
    for (int falls = 0; falls < 2; falls++) {
        scree_scene *scene = make_scene("scene name=t gravity=0,0,0", MATERIAL,
                                        "pair a=g b=g friction=0.4 adhesion=0.2", "body id=ceiling material=g",
                                        "plane normal=0,0,-1", "grain material=g diameter=0.02 position=0,0,-0.0099833",
                                        "port id=ceiling body=ceiling mode=wrench", NULL);
        scree_world *world = make_world(scene);
        double mass = 1.0 / world->particles.twist[0].inv_mass, pull = falls ? 0.25 : 0.15;
        set_value(world, SCREE_ELEMENT_SCENE, 0, "gravity", 2, -pull / mass);
        assert_int_equal(scree_world_start(world, 0.0, NULL), SCREE_OK);
        run(world, 0.005, 400);
        scree_wrench wrench;
        assert_int_equal(scree_world_get_wrench(world, 0, &wrench), SCREE_OK);
        if (falls) {
            assert_true(world->particles.place[0].x.z < -1.0);
            assert_near(wrench.force[2], 0.0, 0.0);
        } else {
            assert_near(wrench.force[2], -pull, 1e-9 * pull);
            double overlap = 0.01 + world->particles.place[0].x.z;
            double k = 4.0 / 3.0 * 0.5 * 1e7 / 0.91 * sqrt(0.01);
            assert_near(k * pow(overlap, 1.5), 0.05, 1e-6); /* the spring takes what adhesion has over the weight */
        }
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

#define BED(solver)                                                                                                    \
    "scene name=t gravity=0,0,-9.81", solver, MATERIAL, "pair a=g b=g friction=0.5 rolling=0.1 twist=0.2",             \
        "body id=floor material=g", "plane normal=0,0,1", "body id=silo material=g", "tube radius=0.05",               \
        "fill id=bed material=g min=-0.034,-0.034,0 max=0.034,0.034,0.3 count=150", "size diameter=0.014",             \
        "size diameter=0.009 diameterMax=0.011", "port id=floor body=floor mode=wrench",                               \
        "port id=silo body=silo mode=wrench"

static scree_info settled(scree_scene *scene, int frames, scree_world **world)
{
    scree_info info;
    *world = make_world(scene);
    run(*world, 0.005, frames);
    scree_world_get_info(*world, &info);
    return info;
}

static void test_residual_falls_with_sweeps(void **state)
{
    (void)state;
    const char *const solvers[] = {"solver substeps=1 sweeps=5", "solver substeps=1 sweeps=50",
                                   "solver substeps=1 sweeps=2000"};
    double last = INFINITY;
    for (int i = 0; i < 3; i++) {
        scree_scene *scene = make_scene(BED(solvers[i]), NULL);
        scree_world *world;
        scree_info info = settled(scene, 200, &world);
        assert_true(info.residual < 0.5 * last);
        assert_true(info.residual_momentum < 1e-6); /* velocities are made of impulses: rounding of floats only */
        last = info.residual;
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    assert_true(last < 1e-4);
}

/* With enough sweeps the order does not matter: same floor force, same height. */
static void test_orders_agree(void **state)
{
    (void)state;
    const char *const solvers[] = {"solver sweeps=20 order=index", "solver sweeps=20 order=reverse",
                                   "solver sweeps=20 order=symmetric", "solver sweeps=20 order=random seed=5"};
    for (int i = 0; i < 4; i++) {
        scree_scene *scene = make_scene(BED(solvers[i]), NULL);
        scree_world *world;
        scree_info info = settled(scene, 300, &world);
        scree_wrench floor, silo;
        assert_int_equal(scree_world_get_wrench(world, 0, &floor), SCREE_OK);
        assert_int_equal(scree_world_get_wrench(world, 1, &silo), SCREE_OK);
        assert_near(-floor.force[2] - silo.force[2], info.mass * G, 1e-3 * info.mass * G); /* at rest */
        /* packings differ from order to order, as they do from seed to seed, by a tenth of a grain in height */
        assert_near(info.center[2], 0.0225, 0.0012);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

/* Symmetric turns within a substep: with one sweep in each it is the index order, to the last bit. Turning from substep
 * to substep instead, a bed under its own weight sinks into itself. */
static void test_symmetric_order_turns_within_a_substep(void **state)
{
    (void)state;
    const char *const solvers[] = {"solver order=index", "solver order=symmetric"};
    double height[2];
    for (int i = 0; i < 2; i++) {
        scree_scene *scene = make_scene(BED(solvers[i]), NULL);
        scree_world *world;
        height[i] = settled(scene, 100, &world).center[2];
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    assert_true(height[0] == height[1]);
}

static void test_early_stop_saves_sweeps(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("solver substeps=2 sweeps=500 residual=1e-3"), NULL);
    scree_world *world;
    scree_info info = settled(scene, 300, &world);
    assert_true(info.sweeps >= 1.0 && info.sweeps < 250.0);
    assert_true(info.residual < 0.05);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void test_substeps_adapt_to_the_tolerance(void **state)
{
    (void)state;
    const char *const solvers[] = {"solver substeps=1 tolerance=1e-2", "solver substeps=1 tolerance=1e-4",
                                   "solver substeps=1 tolerance=1e-9 maxSubsteps=7"};
    uint32_t used[3];
    double error[3];
    for (int i = 0; i < 3; i++) {
        scree_scene *scene = make_scene(BED(solvers[i]), NULL);
        scree_world *world;
        double sum = 0.0, substeps = 0.0;
        settled(scene, 20, &world);
        for (int n = 0; n < 100; n++) {
            scree_info info;
            run(world, 0.005, 1);
            scree_world_get_info(world, &info);
            sum += info.overlap_error / 100.0;
            substeps += info.substeps;
        }
        used[i] = (uint32_t)(substeps / 100.0 + 0.5);
        error[i] = sum;
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    assert_true(used[1] > used[0]);
    assert_true(used[2] <= 7);
    assert_true(error[0] < 1e-2);
    assert_true(error[1] < error[0]);
}

/* The forces of the single contacts add up to the wrench on the body; with one substep per step the wrench is theirs.
 */
static void test_contacts_add_up_to_the_wrench(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(BED("solver substeps=1 sweeps=50 impactSpeed=0.2"), NULL);
    scree_world *world;
    settled(scene, 400, &world);
    vec3 sum = {0.0, 0.0, 0.0};
    uint32_t closed = 0;
    for (uint32_t i = 0; i < scree_world_contact_count(world); i++) {
        scree_touching touching;
        if (!scree_world_get_contact(world, i, &touching))
            continue;
        closed++;
        if (touching.body == 1) {
            sum = add(sum, vec3_of(touching.force));
            double out = hypot(touching.point[0], touching.point[1]);
            assert_near(out, 0.05 + touching.overlap, 1e-5); /* the grain has moved on by one integration since */
        }
    }
    scree_info info;
    scree_wrench wrench;
    scree_world_get_info(world, &info);
    assert_int_equal(scree_world_get_wrench(world, 1, &wrench), SCREE_OK);
    assert_int_equal(closed, info.contacts);
    assert_int_equal(info.impacts, 0);
    assert_near(length(sub(sum, vec3_of(wrench.force))), 0.0, 1e-9 * length(sum));
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Viscosity gives a pair its damping: Paper I eq. 11. */
static void test_damping_from_viscosity(void **state)
{
    (void)state;
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", "material id=v density=2500 youngs=1e7 poisson=0.3 viscosity=1e6",
                   "pair a=v b=v friction=0.4", "body id=floor material=v", "plane normal=0,0,1",
                   "grain material=v diameter=0.02 position=0,0,0.0099", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 1);
    double c = 4.0 * 0.91 * 0.4 * 1e6 / (15.0 * 1e7 * 0.09);
    assert_near(world->rows.wall_rows[0].tau, c / 1.25, 1e-15);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Overlap after a frame, over the sum of radii, of two stiff grains on each other of which the upper one has been
 * lifted by `gap` of it and comes back with 0.5 m/s, ten times as far in a substep as the gap of 0.25 %. Four sweeps,
 * so that the contact with the floor doesn't give way (METHOD §7). */
static double overlap_after_lift(double gap)
{
    scree_scene *scene = make_scene("scene name=t gravity=0,0,-9.81", "solver frame=0.005 substeps=10 sweeps=4",
                                    "material id=g density=2500 youngs=1e9 poisson=0.3", "pair a=g b=g friction=0.4",
                                    "body id=floor material=g", "plane normal=0,0,1",
                                    "grain material=g diameter=0.01 position=0,0,0.005",
                                    "grain material=g diameter=0.01 position=0,0,0.015", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 200);
    uint32_t upper = world->particles.place[1].x.z > world->particles.place[0].x.z ? 1 : 0;
    world->particles.place[upper].x.z += gap * 0.01;
    world->particles.twist[upper].v.z = -0.5;
    run(world, 0.005, 1);
    scree_info info;
    scree_world_get_info(world, &info);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
    return info.max_overlap;
}

/* METHOD §4: a pair that has pushed stays a contact up to a gap of 1 %. It closes the gap and no more, where a new one
 * is in by (v h − gap) before it resists: 2.5 % − gap of the sum of radii. */
static void test_pairs_that_pushed_are_held(void **state)
{
    (void)state;
    assert_true(overlap_after_lift(0.0025) < 0.002);
    assert_true(overlap_after_lift(0.0125) > 0.008);
}

/* Overlap of a lone grain of glass at rest on the floor, in m. */
static double overlap_on_the_floor(const char *solver)
{
    scree_scene *scene =
        make_scene("scene name=t gravity=0,0,-9.81", solver, "material id=g density=2500 youngs=41e9 poisson=0.3",
                   "pair a=g b=g friction=0.4", "body id=floor material=g", "plane normal=0,0,1",
                   "grain material=g diameter=0.01 position=0,0,0.00499", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 200);
    double overlap = 0.005 - world->particles.place[0].x.z;
    scree_world_destroy(world);
    scree_scene_destroy(scene);
    return overlap;
}

/* METHOD §7: a contact that the sweeps can't follow has s = e per sweep, m g = m δ/h² on the floor; one that they can
 * follow has its law. */
static void test_stiff_contacts_give_way(void **state)
{
    (void)state;
    double h = 0.0005, weight = 2500.0 * 3.14159265358979323846 / 6.0 * 1e-6 * G;
    double k = 4.0 / 3.0 * 41e9 / (2.0 * 0.91) * sqrt(0.005);
    assert_near(overlap_on_the_floor("solver substeps=10"), G * h * h, 1e-6 * G * h * h);
    assert_near(overlap_on_the_floor("solver substeps=10 sweeps=4"), G * h * h / 4.0, 1e-6 * G * h * h);
    /* 2.5 µs: s = 0.3; rest is approached over n_s substeps, of which there are 40 000 */
    assert_near(overlap_on_the_floor("solver substeps=2000"), pow(weight / k, 2.0 / 3.0),
                1e-3 * pow(weight / k, 2.0 / 3.0));
}

/* A bed of glass beads, 5 × 5 × 20 d, comes to rest at the default settings, and the floor bears its weight. */
static void test_a_stiff_bed_comes_to_rest(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,-9.81", "material id=g density=2500 youngs=41e9 poisson=0.3",
        "pair a=g b=g friction=0.5 rolling=0.1 restitution=0.2", "body id=floor material=g", "plane normal=0,0,1",
        "body id=sides material=g", "plane normal=1,0,0", "plane normal=-1,0,0 position=0.06,0,0", "plane normal=0,1,0",
        "plane normal=0,-1,0 position=0,0.06,0", "port id=floor body=floor mode=wrench",
        "port id=sides body=sides mode=wrench", "fill id=f material=g count=500 min=0,0,0 max=0.06,0.06,2",
        "size diameter=0.01 diameterMax=0.013", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 300);
    scree_info info;
    for (int i = 0; i < 20; i++) {
        run(world, 0.005, 1);
        scree_wrench floor, sides;
        scree_world_get_info(world, &info);
        assert_int_equal(scree_world_get_wrench(world, 0, &floor), SCREE_OK);
        assert_int_equal(scree_world_get_wrench(world, 1, &sides), SCREE_OK);
        double borne = -(floor.force[2] + sides.force[2]) / (info.mass * G);
        assert_near(borne, 1.0, 0.1); /* contacts as stiff as glass: off by half of it in the mean */
    }
    assert_true(info.residual < 0.2);      /* contacts as stiff as glass: 0.7 */
    assert_true(info.mean_overlap < 0.01); /* 10 layers in the mean bear 1.2 g h² each: 0.3 %, chains more */
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* Every width of the kernels gives the same bits: several materials, adhesion, twist, impacts, each order. */
static void test_kernels_agree_to_the_bit(void **state)
{
    (void)state;
    if (!scree_kernels_get(1))
        skip();
    const char *const solvers[] = {"solver threads=1", "solver threads=1 substeps=3 sweeps=2 order=random",
                                   "solver threads=1 substeps=1 sweeps=5 order=symmetric rollRadius=radius",
                                   "solver threads=1 warmStart=model order=reverse"};
    for (int i = 0; i < 4; i++) {
        scree_scene *scene = make_scene(
            "scene name=t gravity=0,0,-9.81", solvers[i], MATERIAL, "material id=s density=4000 youngs=3e7 poisson=0.2",
            "pair a=g b=g friction=0.5 rolling=0.1 twist=0.2",
            "pair a=g b=s friction=0.3 adhesion=0.01 restitution=0.3",
            "pair a=s b=s friction=0.4 law=linear stiffness=2e4 damping=1e-3", "body id=floor material=g",
            "plane normal=0,0,1", "tube radius=0.05", "fill id=bed material=g min=-0.034,-0.034,0 max=0.034,0.034,0.1",
            "size diameter=0.014", "size diameter=0.009 diameterMax=0.011",
            "fill id=top material=s min=-0.034,-0.034,0.1 max=0.034,0.034,0.2", "size diameter=0.012", NULL);
        scree_hash first;
        for (uint32_t k = 0; scree_kernels_get(k); k++) {
            scree_world *world = make_world(scene);
            world->kernels = scree_kernels_get(k);
            run(world, 0.005, 60);
            scree_hash hash = scree_world_hash(world);
            first = k == 0 ? hash : first;
            assert_memory_equal(&hash, &first, sizeof hash);
            assert_true(world->contacts > 100);
            scree_world_destroy(world);
        }
        scree_scene_destroy(scene);
    }
}

static const scree_kernels *plain_kernels; /* of the wrappers below */

static void find_all_lively(scree_pace *pace, uint32_t begin, uint32_t end)
{
    pace->some = SCREE_LIVELY_IN_TILE | SCREE_LIVELY;
    memset(pace->lively + begin, pace->some, end - begin);
}

static void watch_all(const scree_twist *twist, uint32_t begin, uint32_t end, scree_pace *pace)
{
    plain_kernels->watch(twist, begin, end, pace);
    find_all_lively(pace, begin, end);
}

static void move_all(scree_place *place, const scree_twist *twist, double h, uint32_t begin, uint32_t end,
                     scree_pace *pace)
{
    plain_kernels->move(place, twist, h, begin, end, pace);
    find_all_lively(pace, begin, end);
}

/* Pairs of calm grains are passed over in the search for impacts: that misses none. Grains of a column slide along
 * together, and others fall on them; several tiles. */
static void test_calm_grains_have_no_impacts(void **state)
{
    (void)state;
    plain_kernels = scree_kernels_get(0);
    scree_kernels all = *plain_kernels;
    all.watch = watch_all;
    all.move = move_all;
    const scree_kernels *kernels[] = {plain_kernels, &all};
    scree_scene *scene = make_scene(
        "scene name=t gravity=2,0,-9.81", "solver threads=1", MATERIAL, "pair a=g b=g friction=0.5 restitution=0.6",
        "body id=floor material=g", "plane normal=0,0,1", "fill id=bed material=g min=0,0,0 max=0.2,0.2,0.08",
        "size diameter=0.009 diameterMax=0.01", "fill id=rain material=g min=0,0,0.2 max=0.2,0.2,0.23",
        "size diameter=0.009 diameterMax=0.01", NULL);
    scree_hash hash[2];
    uint32_t impacts[2] = {0, 0}, calm = 0;
    for (int k = 0; k < 2; k++) {
        scree_world *world = make_world(scene);
        world->kernels = kernels[k];
        assert_true(world->particles.count > 2 * SCREE_TILE);
        for (int i = 0; i < 60; i++) {
            run(world, 0.005, 1);
            impacts[k] += world->impacts;
            for (uint32_t j = 0; k == 0 && j < world->particles.count; j++)
                calm += world->pair_job.lively[j] == 0;
        }
        hash[k] = scree_world_hash(world);
        scree_world_destroy(world);
    }
    assert_true(impacts[0] > 1000 && calm > 1000); /* there is something to find and something to pass over */
    assert_int_equal(impacts[0], impacts[1]);
    assert_memory_equal(&hash[0], &hash[1], sizeof hash[0]);
    scree_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce_keeps_newtons_law),
        cmocka_unit_test(test_adhesion_holds_up_to_its_force),
        cmocka_unit_test(test_residual_falls_with_sweeps),
        cmocka_unit_test(test_orders_agree),
        cmocka_unit_test(test_symmetric_order_turns_within_a_substep),
        cmocka_unit_test(test_early_stop_saves_sweeps),
        cmocka_unit_test(test_substeps_adapt_to_the_tolerance),
        cmocka_unit_test(test_contacts_add_up_to_the_wrench),
        cmocka_unit_test(test_damping_from_viscosity),
        cmocka_unit_test(test_pairs_that_pushed_are_held),
        cmocka_unit_test(test_stiff_contacts_give_way),
        cmocka_unit_test(test_a_stiff_bed_comes_to_rest),
        cmocka_unit_test(test_kernels_agree_to_the_bit),
        cmocka_unit_test(test_calm_grains_have_no_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
