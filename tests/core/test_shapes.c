/*
 * Shapes of bodies: where a sphere touches them, against closed forms; their triangles; walls that nothing goes
 * through.
 */
#include "support.h"

#include "base/random.h"
#include "collide/shapes.h"

static const vec3 NONE = {0.0, 0.0, 0.0};

static scree_placed place(scree_shape shape)
{
    return scree_shape_place(&shape, NULL, (scree_pose){.q = {1.0, 0.0, 0.0, 0.0}});
}

/* 1e-13: a handful of roundings of numbers about one. */
static void check(const scree_placed *shape, vec3 x, double r, vec3 last, double overlap, vec3 n)
{
    scree_probe probe = {.x = x, .r = r};
    scree_touch touch = scree_shape_touch(shape, &probe, last);
    assert_near(touch.overlap, overlap, 1e-13);
    assert_near(length(sub(touch.n, n)), 0.0, 1e-13);
}

static void test_sphere_and_capsule(void **state)
{
    (void)state;
    scree_placed sphere = place((scree_shape){.kind = SCREE_SHAPE_SPHERE, .radius = 0.5, .position = {0, 0, 1}});
    check(&sphere, (vec3){0.6, 0, 1.8}, 0.6, NONE, 0.1, (vec3){-0.6, 0, -0.8});
    check(&sphere, (vec3){0, 0, 1}, 0.2, NONE, 0.7, (vec3){1, 0, 0});                /* in the centre: any way out */
    check(&sphere, (vec3){0, 0, 0.9}, 0.2, (vec3){0, 0, -1}, 0.8, (vec3){0, 0, -1}); /* came from above */

    scree_placed capsule = place((scree_shape){.kind = SCREE_SHAPE_CAPSULE, .radius = 0.2, .length = 2});
    check(&capsule, (vec3){0, 0.3, 0.7}, 0.15, NONE, 0.05, (vec3){0, -1, 0});
    check(&capsule, (vec3){0.3, 0, 1.4}, 0.4, NONE, 0.1, (vec3){-0.6, 0, -0.8});         /* round end */
    check(&capsule, (vec3){0, -0.1, 0}, 0.15, (vec3){0, -1, 0}, 0.45, (vec3){0, -1, 0}); /* gone through the axis */
}

static void test_cylinder_and_solid_cone(void **state)
{
    (void)state;
    const double s = sqrt(0.5);
    scree_placed cylinder = place((scree_shape){.kind = SCREE_SHAPE_CYLINDER, .radius = 0.5, .length = 2});
    check(&cylinder, (vec3){0.6, 0.8, 0.3}, 0.6, NONE, 0.1, (vec3){-0.6, -0.8, 0});     /* side */
    check(&cylinder, (vec3){0.1, 0.2, -1.3}, 0.4, NONE, 0.1, (vec3){0, 0, 1});          /* cap */
    check(&cylinder, (vec3){0.8, 0, 1.3}, 0.5, NONE, 0.5 - 0.3 / s, (vec3){-s, 0, -s}); /* rim */
    check(&cylinder, (vec3){0, 0.4, 0}, 0.1, NONE, 0.2, (vec3){0, -1, 0});              /* centre inside */
    check(&cylinder, (vec3){0, 0, 0.95}, 0.1, NONE, 0.15, (vec3){0, 0, -1});            /* on the axis */
    check(&cylinder, (vec3){0, 0.4, 0}, 0.1, (vec3){0, 0, -1}, 1.1, (vec3){0, 0, -1});  /* came in from above */
    check(&cylinder, (vec3){0, 0, 0.5}, 0.1, (vec3){0, -1, 0}, 0.6, (vec3){0, -1, 0});  /* on the axis, from a side */

    /* 45° from radius 1 at z = −0.5 to a point at z = 0.5 */
    scree_shape shape = {.kind = SCREE_SHAPE_CONE, .radius = 1, .radius_top = 0, .length = 1, .solid = 1};
    scree_placed cone = place(shape);
    check(&cone, (vec3){0.5 + 0.3 * s, 0, 0.3 * s}, 0.4, NONE, 0.1, (vec3){-s, 0, -s});  /* flank */
    check(&cone, (vec3){0, 0, 0.7}, 0.4, NONE, 0.2, (vec3){0, 0, -1});                   /* above the point */
    check(&cone, (vec3){0.5 - 0.1 * s, 0, -0.1 * s}, 0.4, NONE, 0.5, (vec3){-s, 0, -s}); /* just inside */
    check(&cone, (vec3){0.2, 0, -0.45}, 0.4, NONE, 0.45, (vec3){0, 0, 1});               /* near the base */
    check(&cone, (vec3){0.2, 0, -0.45}, 0.1, (vec3){-s, 0, -s}, 0.1 + 0.75 * s, (vec3){-s, 0, -s});
}

static void test_shells(void **state)
{
    (void)state;
    const double s = sqrt(0.5);
    /* a hopper: radius 0.5 at z = −0.5, 1.5 at z = 0.5, flank at 45° */
    scree_placed hopper = place((scree_shape){.kind = SCREE_SHAPE_CONE, .radius = 0.5, .radius_top = 1.5, .length = 1});
    vec3 into = {s, 0, -s}; /* from inside into the flank */
    vec3 middle = {1, 0, 0};
    check(&hopper, mul_add(middle, -0.2, into), 0.3, NONE, 0.1, into);
    check(&hopper, mul_add(middle, 0.2, into), 0.3, NONE, 0.1, scale(-1.0, into)); /* from outside */
    check(&hopper, mul_add(middle, 0.2, into), 0.3, into, 0.5, into);              /* from inside, gone through */
    check(&hopper, middle, 0.3, into, 0.3, into);                                  /* on the surface */
    check(&hopper, middle, 0.3, scale(-1.0, into), 0.3, scale(-1.0, into));
    check(&hopper, (vec3){0.5, 0, -0.8}, 0.4, NONE, 0.1, (vec3){0, 0, 1}); /* under the rim */
    check(&hopper, (vec3){0.5, 0, -0.8}, 0.4, into, 0.1, (vec3){0, 0, 1}); /* past the rim is not through */

    scree_placed tube = place((scree_shape){.kind = SCREE_SHAPE_TUBE, .radius = 1, .length = 2});
    check(&tube, (vec3){0, 0.9, 0}, 0.2, NONE, 0.1, (vec3){0, 1, 0});
    check(&tube, (vec3){0, 1.1, 0}, 0.2, NONE, 0.1, (vec3){0, -1, 0});
    check(&tube, (vec3){0, 1.1, 0}, 0.2, (vec3){0, 1, 0}, 0.3, (vec3){0, 1, 0});
    scree_placed bore = place((scree_shape){.kind = SCREE_SHAPE_TUBE, .radius = 1});
    check(&bore, (vec3){0, 3, 77}, 0.2, NONE, 2.2, (vec3){0, 1, 0});

    scree_placed ring = place((scree_shape){.kind = SCREE_SHAPE_DISC, .radius = 1, .hole = 0.5});
    check(&ring, (vec3){0.7, 0, 0.1}, 0.2, NONE, 0.1, (vec3){0, 0, -1});
    check(&ring, (vec3){0.7, 0, -0.1}, 0.2, (vec3){0, 0, -1}, 0.3, (vec3){0, 0, -1});
    check(&ring, (vec3){0.2, 0, 0.4}, 0.6, NONE, 0.1, (vec3){0.6, 0, -0.8}); /* edge of the hole */
    check(&ring, (vec3){0, 0, 0}, 0.4, NONE, -0.1, (vec3){1, 0, 0});         /* in the middle of the hole */
}

static void test_box_remembers_its_side(void **state)
{
    (void)state;
    scree_placed plate = place((scree_shape){.kind = SCREE_SHAPE_BOX, .size = {2, 2, 0.1}});
    vec3 down = {0, 0, -1};
    check(&plate, (vec3){0.5, 0, 0.1}, 0.2, NONE, 0.15, down);
    check(&plate, (vec3){0.5, 0, -0.04}, 0.2, NONE, 0.21, (vec3){0, 0, 1}); /* nearer to the lower face */
    check(&plate, (vec3){0.5, 0, -0.04}, 0.2, down, 0.29, down);            /* but it came from above */
    check(&plate, (vec3){0.5, 0, -0.1}, 0.2, down, 0.35, down);             /* and has gone right through */
}

/* What moved far in a substep is put on the side that it came from. */
static void test_way_through_a_wall(void **state)
{
    (void)state;
    scree_placed plate = place((scree_shape){.kind = SCREE_SHAPE_BOX, .size = {2, 2, 0.1}});
    scree_placed ring = place((scree_shape){.kind = SCREE_SHAPE_DISC, .radius = 1, .hole = 0.5});
    scree_placed tube = place((scree_shape){.kind = SCREE_SHAPE_TUBE, .radius = 1, .length = 2});
    scree_probe fast = {.x = {0.7, 0, -0.5}, .r = 0.1, .way = {0, 0, -1.2}};
    scree_touch touch = scree_shape_touch(&plate, &fast, NONE);
    assert_near(touch.overlap, 0.65, 1e-14);
    assert_near(touch.n.z, -1.0, 0.0);
    touch = scree_shape_touch(&ring, &fast, NONE);
    assert_near(touch.overlap, 0.6, 1e-14);
    assert_near(touch.n.z, -1.0, 0.0);
    fast.x.x = 0.3; /* through the hole */
    assert_true(scree_shape_touch(&ring, &fast, NONE).overlap < 0.0);
    scree_probe out = {.x = {0, 1.5, 0.3}, .r = 0.1, .way = {0, 1.0, 0.2}};
    touch = scree_shape_touch(&tube, &out, NONE);
    assert_near(touch.overlap, 0.6, 1e-14);
    assert_near(touch.n.y, 1.0, 0.0);
    out.way = (vec3){0, 1.0, 3.0}; /* came over the lower rim */
    assert_true(scree_shape_touch(&tube, &out, NONE).overlap < 0.0);
}

/* ---------------------------------------------------------------- triangles */

static vec3 vertex(const scree_surface *surface, uint32_t triangle, int corner)
{
    return vec3_of(surface->vertices[surface->triangles[triangle][corner]]);
}

static double volume_of(const scree_surface *surface)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < surface->triangle_count; i++)
        sum += dot(vertex(surface, i, 0), cross(vertex(surface, i, 1), vertex(surface, i, 2))) / 6.0;
    return sum;
}

/* Every edge of a closed surface is used once in each direction. */
static uint32_t count_open_edges(const scree_surface *surface)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < surface->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t a = surface->triangles[i][k], b = surface->triangles[i][(k + 1) % 3], found = 0;
            for (uint32_t j = 0; j < surface->triangle_count; j++)
                for (int m = 0; m < 3; m++)
                    found += surface->triangles[j][m] == b && surface->triangles[j][(m + 1) % 3] == a;
            open += found != 1;
        }
    return open;
}

static void test_triangles(void **state)
{
    (void)state;
    const double pi = SCREE_PI;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,0", "material id=m density=1 youngs=1e6", "pair a=m b=m friction=0",
        "body id=b material=m", "box size=1,2,3 position=1,0,0 rotation=0.3,0.2,0.1", "sphere radius=1 position=0,2,0",
        "cylinder radius=1 length=2 rotation=1,0,0", "capsule radius=1 length=2",
        "cone radius=1 radiusTop=0 length=3 solid=true", "cone radius=0.5 radiusTop=1 length=3 solid=true",
        "tube radius=1 length=2", "cone radius=0 radiusTop=1 length=1", "disc radius=1", "disc radius=1 hole=0.5",
        "plane normal=0,1,1 position=0,0,1", "tube radius=1", NULL);
    const double volumes[] = {6.0, 4.0 / 3.0 * pi, 2.0 * pi, (4.0 / 3.0 + 2.0) * pi, pi, 1.75 * pi};
    /* with nothing else to go by, what has no end is drawn 2 m wide or long */
    const double areas[] = {4 * pi, pi * sqrt(2.0), pi, 0.75 * pi, 4.0, 4 * pi};
    scree_error error = {0};
    for (uint32_t i = 0; i < scene->shape_count; i++) {
        scree_surface surface;
        assert_int_equal(scree_scene_shape_surface(scene, i, 64, NULL, &surface, &error), SCREE_OK);
        scree_placed placed = scree_shape_place(&scene->shapes[i], NULL, (scree_pose){.q = {1.0, 0.0, 0.0, 0.0}});
        double area = 0.0;
        for (uint32_t k = 0; k < surface.triangle_count; k++) {
            vec3 a = vertex(&surface, k, 0), b = vertex(&surface, k, 1), c = vertex(&surface, k, 2);
            area += 0.5 * length(cross(sub(b, a), sub(c, a)));
            assert_near(scree_shape_distance(&placed, a), 0.0, 1e-9); /* 1e-9: see scree_shape_distance */
            /* between the vertices it leaves the surface by the arc's height over its chord, 1 − cos(pi/64), twice for
             * a sphere, at most */
            vec3 centre = scale(1.0 / 3.0, add(a, add(b, c)));
            assert_near(scree_shape_distance(&placed, centre), 0.0, 2.5 * (1.0 - cos(pi / 64.0)));
        }
        if (i < 6) { /* 64 chords hold 0.16 % less than a circle, twice that where the profile is round as well */
            assert_near(volume_of(&surface) / volumes[i], 1.0, 0.005);
            assert_int_equal(count_open_edges(&surface), 0);
        } else {
            assert_near(area / areas[i - 6], 1.0, 0.004);
        }
        scree_surface_release(&surface);
    }
    scree_surface surface;
    assert_int_equal(scree_scene_shape_surface(scene, 99, 64, NULL, &surface, &error), SCREE_INVALID);
    assert_int_equal(scree_scene_shape_surface(scene, 0, 2, NULL, &surface, &error), SCREE_INVALID);
    scree_scene_destroy(scene);
}

/* The search relies on it: a distance changes no faster than the point moves, and bounds hold the shape. */
static void test_distances_are_short(void **state)
{
    (void)state;
    const scree_shape shapes[] = {
        {.kind = SCREE_SHAPE_BOX, .size = {1, 2, 0.5}, .rotation = {0.5, 0, 0.2}},
        {.kind = SCREE_SHAPE_SPHERE, .radius = 0.7},
        {.kind = SCREE_SHAPE_CYLINDER, .radius = 0.7, .length = 1, .rotation = {1, 0, 0}},
        {.kind = SCREE_SHAPE_CAPSULE, .radius = 0.3, .length = 1, .rotation = {0, 1, 0}},
        {.kind = SCREE_SHAPE_CONE, .radius = 0.3, .radius_top = 0.8, .length = 1},
        {.kind = SCREE_SHAPE_CONE, .radius = 0.3, .radius_top = 0, .length = 1, .solid = 1},
        {.kind = SCREE_SHAPE_DISC, .radius = 0.8, .hole = 0.2, .rotation = {0, 0.7, 0}},
        {.kind = SCREE_SHAPE_TUBE, .radius = 0.5, .length = 1},
    };
    scree_random random = scree_random_seeded(3);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        scree_placed placed = place(shapes[i]);
        scree_bounds box = scree_shape_bounds(&placed);
        for (int k = 0; k < 2000; k++) {
            vec3 x = {3 * scree_random_unit(&random) - 1.5, 3 * scree_random_unit(&random) - 1.5,
                      3 * scree_random_unit(&random) - 1.5};
            vec3 step = {0.2 * scree_random_unit(&random) - 0.1, 0.2 * scree_random_unit(&random) - 0.1,
                         0.2 * scree_random_unit(&random) - 0.1};
            double here = scree_shape_distance(&placed, x), there = scree_shape_distance(&placed, add(x, step));
            assert_true(fabs(here - there) <= length(step) + 1e-12);
            vec3 clamped = {fmin(fmax(x.x, box.low.x), box.high.x), fmin(fmax(x.y, box.low.y), box.high.y),
                            fmin(fmax(x.z, box.low.z), box.high.z)};
            assert_true(here <= 0.0 ||
                        here >= length(sub(x, clamped)) - 1e-12); /* no point outside the box is nearer than the box */
        }
    }
}

/* ---------------------------------------------------------------- in a world */

/* 10 mm grains at 5 m/s against walls without thickness, in frames of 5 ms with ten substeps and with one: half
 * and five times their radius in a substep. */
static void test_nothing_goes_through_thin_walls(void **state)
{
    (void)state;
    const char *const solvers[] = {"solver", "solver substeps=1 sweeps=20"};
    for (int i = 0; i < 2; i++) {
        scree_scene *scene = make_scene(
            "scene name=t gravity=0,0,-9.81", solvers[i], "material id=g density=2500 youngs=1e7",
            "material id=w density=7800 youngs=2e11", "pair a=g b=g friction=0.3", "pair a=g b=w friction=0.3",
            "body id=can material=w", "disc radius=0.1", "tube radius=0.1 length=0.2 position=0,0,0.1",
            "disc radius=0.1 position=0,0,0.2", "body id=flap material=w", "box size=0.002,0.06,0.06 position=0,0,0.1",
            "grain material=g diameter=0.01 position=-0.05,0,0.1 velocity=5,0.3,0.1",
            "grain material=g diameter=0.01 position=0.05,0,0.1 velocity=-5,0.2,0.1",
            "grain material=g diameter=0.01 position=0.05,0.02,0.15 velocity=0,0,5",
            "grain material=g diameter=0.01 position=0.05,-0.02,0.15 velocity=0,0.2,-5",
            "grain material=g diameter=0.01 position=0,0.06,0.15 velocity=0,5,0",
            "fill id=f material=g count=60 min=-0.06,-0.06,0.01 max=0.06,-0.01,0.05", "size diameter=0.01", NULL);
        scree_world *world = make_world(scene);
        for (int k = 0; k < 60; k++) {
            run(world, 0.005, 1);
            scree_info info;
            scree_world_get_info(world, &info);
            for (uint32_t p = 0; p < info.particles; p++) {
                scree_particle grain = scree_world_get_particle(world, p);
                double out = sqrt(grain.position[0] * grain.position[0] + grain.position[1] * grain.position[1]);
                bool settled = i == 0 || k >= 8; /* with one substep the fast ones are beyond the wall for a frame */
                if (settled) {
                    assert_true(out < 0.1);
                    assert_true(grain.position[2] > 0.0 && grain.position[2] < 0.2);
                }
                if (p < 2 && k > 2 && k < 6) /* stopped by the flap */
                    assert_true(p == 0 ? grain.position[0] < 0.0 : grain.position[0] > 0.0);
            }
        }
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

/* Dynamic bodies of every solid shape come to rest on a floor, at the height that their shape says. */
static void test_bodies_lie_on_a_floor(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,-9.81", "material id=w density=7800 youngs=1e8 poisson=0.3",
        "pair a=w b=w friction=0.5 damping=0.01", "body id=floor material=w", "plane normal=0,0,1",
        "body id=ball material=w kind=dynamic mass=1 inertia=0.004,0.004,0.004 position=0,0,0.12", "sphere radius=0.1",
        "body id=upper material=w kind=dynamic mass=1 inertia=0.004,0.004,0.004 position=0,0,0.35", "sphere radius=0.1",
        "body id=guide material=w", "tube radius=0.102 length=1 position=0,0,0.5",
        "body id=lying material=w kind=dynamic mass=1 inertia=0.01,0.01,0.005 position=1,0,0.12 rotation=1.5707963,0,0",
        "capsule radius=0.1 length=0.3",
        "body id=standing material=w kind=dynamic mass=1 inertia=0.01,0.01,0.005 position=2,0,0.17",
        "cylinder radius=0.1 length=0.3",
        "body id=hat material=w kind=dynamic mass=1 inertia=0.01,0.01,0.005 position=3,0,0.17",
        "cone radius=0.2 radiusTop=0 length=0.3 solid=true", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 200);
    const double heights[] = {0.0, 0.1, 0.3, 0.0, 0.1, 0.15, 0.15};
    for (uint32_t i = 1; i < scene->body_count; i++) {
        double x[3], q[4];
        scree_world_get_pose(world, i, x, q);
        assert_near(x[2], heights[i], 1e-3); /* m: 10 N compress a contact of this material by less */
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* The bumps of a rough tube have the volume that their number and form say, and depend on the seed alone. */
static void test_bumps(void **state)
{
    (void)state;
    scree_scene *scene = make_scene(
        "scene name=t gravity=0,0,0", "material id=m density=1 youngs=1e6", "pair a=m b=m friction=0",
        "body id=b material=m", "tube radius=1 length=3 bumps=20 bumpHeight=0.05 bumpWidth=0.05 seed=1",
        "tube radius=1 length=3 bumps=20 bumpHeight=0.05 bumpWidth=0.05 seed=1",
        "tube radius=1 length=3 bumps=20 bumpHeight=0.05 bumpHeightMin=0.03 bumpWidth=0.06 bumpWidthMin=0.04 seed=2",
        NULL);
    scree_surface surfaces[3];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(scree_scene_shape_surface(scene, i, 64, NULL, &surfaces[i], NULL), SCREE_OK);
        double sum = 0.0, highest = 0.0, lowest = 1.0;
        for (uint32_t k = 0; k < surfaces[i].vertex_count; k++) {
            const double *v = surfaces[i].vertices[k];
            double height = 1.0 - hypot(v[0], v[1]);
            sum += height / surfaces[i].vertex_count;
            highest = fmax(highest, height);
            lowest = fmin(lowest, height);
        }
        /* the integral of a bump is h π w²/(4 ln 2); 377 of them, of which 2 % hang over the ends, and in the third
         * case ⟨h⟩ ⟨w²⟩ = 0.04 · 2.533e-3 with 15 % and 22 % of scatter */
        double form = SCREE_PI / (4.0 * log(2.0)), mean = 20 * form * (i < 2 ? 0.05 * 0.05 * 0.05 : 0.04 * 2.533e-3);
        assert_near(sum / mean, 1.0, 0.05);
        assert_true(lowest >= -1e-12 && highest > 0.045 && highest < 0.25);
    }
    assert_memory_equal(surfaces[0].vertices, surfaces[1].vertices,
                        surfaces[0].vertex_count * sizeof *surfaces[0].vertices);
    assert_int_not_equal(surfaces[0].vertex_count, surfaces[2].vertex_count);
    for (int i = 0; i < 3; i++)
        scree_surface_release(&surfaces[i]);
    scree_scene_destroy(scene);
}

/* Grains without friction: a smooth drum slips under them, a rough one lifts them. */
static void test_rough_drum_lifts(void **state)
{
    (void)state;
    double torques[2];
    for (int i = 0; i < 2; i++) {
        scree_scene *scene = make_scene(
            "scene name=t gravity=0,-9.81,0", "material id=g density=2500 youngs=1e7", "pair a=g b=g friction=0",
            "body id=drum material=g kind=driven angularVelocity=0,0,-2",
            i ? "tube radius=0.1 length=0.05 bumps=2000 bumpHeight=0.006 bumpWidth=0.012"
              : "tube radius=0.1 length=0.05",
            "body id=ends material=g", "plane normal=0,0,1 position=0,0,-0.024",
            "plane normal=0,0,-1 position=0,0,0.024", "port id=drum body=drum mode=surface",
            "fill id=f material=g count=80 min=-0.05,-0.06,-0.024 max=0.05,0.06,0.024", "size diameter=0.012", NULL);
        scree_world *world = make_world(scene);
        run(world, 0.005, 60);
        torques[i] = 0.0;
        for (int k = 0; k < 100; k++) {
            run(world, 0.005, 1);
            scree_surface_load load;
            assert_int_equal(scree_world_get_surface_load(world, 0, &load), SCREE_OK);
            torques[i] -= load.torque / 100;
        }
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    assert_near(torques[0], 0.0, 1e-9);
    assert_true(torques[1] > 0.002); /* N m; 80 grains weigh 1.8 N, at 1 mm beside the middle */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_and_capsule),
        cmocka_unit_test(test_cylinder_and_solid_cone),
        cmocka_unit_test(test_shells),
        cmocka_unit_test(test_box_remembers_its_side),
        cmocka_unit_test(test_way_through_a_wall),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_distances_are_short),
        cmocka_unit_test(test_nothing_goes_through_thin_walls),
        cmocka_unit_test(test_bodies_lie_on_a_floor),
        cmocka_unit_test(test_bumps),
        cmocka_unit_test(test_rough_drum_lifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
