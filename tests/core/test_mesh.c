/*
 * Triangle meshes: how they are cleaned, and that grains meet them as they meet the shapes that the triangles stand
 * for.
 */
#include "support.h"

#include "base/random.h"
#include "collide/mesh.h"
#include "collide/shapes.h"
#include "scene/mesh.h"
#include "scene_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- surfaces to test with */

static scree_surface make_surface(uint32_t vertices, uint32_t triangles)
{
    scree_surface surface;
    assert_int_equal(scree_surface_create(&surface, vertices, triangles, NULL, NULL), SCREE_OK);
    surface.vertex_count = surface.triangle_count = 0; /* to be filled */
    return surface;
}

static uint32_t put_vertex(scree_surface *to, double x, double y, double z)
{
    vec3_store(to->vertices[to->vertex_count], (vec3){x, y, z});
    return to->vertex_count++;
}

static void put_triangle(scree_surface *to, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    memcpy(to->triangles[to->triangle_count++], corners, sizeof corners);
}

/* Each triangle with vertices of its own, as an STL file has them. */
static scree_surface make_soup(const scree_surface *from)
{
    scree_surface soup = make_surface(3 * from->triangle_count, from->triangle_count);
    for (uint32_t i = 0; i < from->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            const double *v = from->vertices[from->triangles[i][k]];
            put_vertex(&soup, v[0], v[1], v[2]);
        }
        put_triangle(&soup, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return soup;
}

/* A box of n × n squares a side, from `low` to `high`. */
static scree_surface make_box(vec3 low, vec3 high, uint32_t n)
{
    scree_surface box = make_surface(6 * (n + 1) * (n + 1), 12 * n * n);
    vec3 size = sub(high, low);
    for (int face = 0; face < 6; face++) {
        uint32_t first = box.vertex_count;
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t k = 0; k <= n; k++) {
                double s[3], u = (double)i / n, v = (double)k / n;
                s[face % 3] = face < 3 ? 0.0 : 1.0;
                s[(face + 1) % 3] = face < 3 ? v : u;
                s[(face + 2) % 3] = face < 3 ? u : v;
                put_vertex(&box, low.x + s[0] * size.x, low.y + s[1] * size.y, low.z + s[2] * size.z);
            }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                uint32_t a = first + i * (n + 1) + k, b = a + n + 1;
                put_triangle(&box, a, b, b + 1);
                put_triangle(&box, a, b + 1, a + 1);
            }
    }
    return box;
}

/* The square of edge 2 half in the plane z = 0, cut irregularly. */
static scree_surface make_sheet(double half, uint32_t n, uint64_t seed)
{
    scree_surface sheet = make_surface((n + 1) * (n + 1), 2 * n * n);
    scree_random random = scree_random_seeded(seed);
    double cell = 2.0 * half / n;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= n; k++) {
            double dx = i && i < n ? 0.7 * (scree_random_unit(&random) - 0.5) : 0.0;
            double dy = k && k < n ? 0.7 * (scree_random_unit(&random) - 0.5) : 0.0;
            put_vertex(&sheet, -half + (i + dx) * cell, -half + (k + dy) * cell, 0.0);
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = i * (n + 1) + k, b = a + n + 1;
            bool other = scree_random_unit(&random) < 0.5;
            put_triangle(&sheet, a, b, other ? b + 1 : a + 1);
            put_triangle(&sheet, other ? a : b, b + 1, a + 1);
        }
    return sheet;
}

static scree_mesh_report clean(const scree_surface *surface)
{
    scree_memory memory = scree_memory_or_default(NULL);
    scree_scene_mesh mesh;
    scree_error error = {0};
    if (scree_mesh_clean(surface, &memory, &mesh, &error) != SCREE_OK)
        fail_msg("%s", error.text);
    scree_scene_mesh again; /* cleaning what is clean changes nothing */
    assert_int_equal(scree_mesh_clean(&mesh.surface, &memory, &again, &error), SCREE_OK);
    assert_int_equal(again.surface.vertex_count, mesh.surface.vertex_count);
    assert_int_equal(again.surface.triangle_count, mesh.surface.triangle_count);
    assert_memory_equal(again.surface.vertices, mesh.surface.vertices,
                        mesh.surface.vertex_count * sizeof *mesh.surface.vertices);
    assert_memory_equal(again.surface.triangles, mesh.surface.triangles,
                        mesh.surface.triangle_count * sizeof *mesh.surface.triangles);
    assert_int_equal(again.report.degenerate + again.report.doubled + again.report.turned, 0);
    scree_surface_release(&mesh.surface);
    scree_surface_release(&again.surface);
    return mesh.report;
}

/* ---------------------------------------------------------------- cleaning */

static void test_cleaning_counts(void **state)
{
    (void)state;
    scree_surface box = make_box((vec3){0, 0, 0}, (vec3){1, 2, 3}, 4), soup = make_soup(&box);
    for (uint32_t i = 0; i < soup.vertex_count; i++)
        soup.vertices[i][0] += 1e-7 * (i % 3); /* within the tolerance, 3.7e-6 */
    scree_mesh_report report = clean(&soup);
    assert_int_equal(report.vertices, 98); /* 6 · 25 − 12 · 3 − 2 · 8: edges and corners once */
    assert_int_equal(report.triangles, 192);
    assert_int_equal(report.open_edges + report.tangled_edges + report.twisted_edges + report.turned, 0);
    assert_false(report.inverted);
    assert_near(report.volume, 6.0, 1e-5);
    scree_surface_release(&soup);

    for (uint32_t i = 0; i < box.triangle_count; i += 10) { /* some the wrong way round */
        uint32_t keep = box.triangles[i][0];
        box.triangles[i][0] = box.triangles[i][1];
        box.triangles[i][1] = keep;
    }
    report = clean(&box);
    assert_int_equal(report.turned, 20);
    assert_false(report.inverted);
    assert_near(report.volume, 6.0, 1e-12);
    for (uint32_t i = 0; i < box.triangle_count; i++) {
        uint32_t keep = box.triangles[i][0];
        box.triangles[i][0] = box.triangles[i][1];
        box.triangles[i][1] = keep;
    }
    report = clean(&box); /* now most are the wrong way round: inside out */
    assert_int_equal(report.turned, 20);
    assert_true(report.inverted);
    assert_near(report.volume, 6.0, 1e-12);

    memcpy(box.triangles[7], box.triangles[6], sizeof box.triangles[7]); /* one twice, one missing */
    box.triangles[9][2] = box.triangles[9][1];                           /* and one without area */
    report = clean(&box);
    assert_int_equal(report.doubled, 1);
    assert_int_equal(report.degenerate, 1);
    assert_int_equal(report.open_edges, 6);
    scree_surface_release(&box);
}

static void test_tangled_and_twisted(void **state)
{
    (void)state;
    scree_surface book = make_surface(5, 3); /* three pages on one spine */
    put_vertex(&book, 0, 0, 0);
    put_vertex(&book, 0, 0, 1);
    put_vertex(&book, 1, 0, 0);
    put_vertex(&book, 0, 1, 0);
    put_vertex(&book, -1, 0, 0);
    for (uint32_t k = 0; k < 3; k++)
        put_triangle(&book, 0, 1, 2 + k);
    scree_mesh_report report = clean(&book);
    assert_int_equal(report.tangled_edges, 1);
    assert_int_equal(report.open_edges, 6);
    scree_surface_release(&book);

    enum { N = 24 }; /* a strip with half a turn */
    scree_surface strip = make_surface(2 * N, 2 * N);
    for (uint32_t i = 0; i < N; i++) {
        double a = 2.0 * SCREE_PI * i / N;
        for (int side = -1; side <= 1; side += 2)
            put_vertex(&strip, (1.0 + 0.2 * side * cos(0.5 * a)) * cos(a), (1.0 + 0.2 * side * cos(0.5 * a)) * sin(a),
                       0.2 * side * sin(0.5 * a));
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t a = 2 * i, b = 2 * i + 1, c = i + 1 < N ? a + 2 : 1, d = i + 1 < N ? b + 2 : 0;
        put_triangle(&strip, a, c, d);
        put_triangle(&strip, a, d, b);
    }
    report = clean(&strip);
    assert_int_equal(report.twisted_edges, 1);
    assert_int_equal(report.open_edges, 2 * N);
    scree_surface_release(&strip);
}

static void expect(const scree_surface *surface, const char *line, const char *words)
{
    scree_error error = {0};
    scree_scene *scene;
    const char *lines[] = {"scene name=t gravity=0,0,0",
                           "material id=m density=1 youngs=1e6",
                           "pair a=m b=m friction=0",
                           "body id=b material=m",
                           line,
                           NULL};
    scree_status status = scree_scene_from_lines_and_meshes(lines, surface, NULL, &scene, &error);
    if (words && (status != SCREE_INVALID || !strstr(error.text, words)))
        fail_msg("%d: %s, not %s", status, error.text, words);
    if (!words && status != SCREE_OK)
        fail_msg("%s", error.text);
    scree_scene_destroy(scene);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    scree_surface box = make_box((vec3){0, 0, 0}, (vec3){1, 1, 1}, 1);
    expect(&box, "mesh file=box solid=true", NULL);
    expect(NULL, "mesh file=box", "has no triangles");
    box.triangle_count--;
    expect(&box, "mesh file=box solid=true", "3 open edges");
    expect(&box, "mesh file=box", NULL);
    box.triangles[3][1] = 24;
    expect(&box, "mesh file=box", "triangle 3 refers to vertex 24 of 24");
    box.triangles[3][1] = 0;
    box.vertices[5][2] = NAN;
    expect(&box, "mesh file=box", "vertex 5");
    box.vertices[5][2] = HUGE_VAL;
    expect(&box, "mesh file=box", "vertex 5");
    memset(box.vertices, 0, box.vertex_count * sizeof *box.vertices);
    expect(&box, "mesh file=box", "none of its 11 triangles has an area");
    box.triangle_count = 0;
    expect(&box, "mesh file=box", "has no triangles");
    scree_surface_release(&box);
}

static void test_binary_form(void **state)
{
    (void)state;
    scree_surface sheet = make_sheet(1.0, 5, 1);
    scree_scene *scene = make_scene_with(&sheet, "scene name=t gravity=0,0,0", "material id=m density=1 youngs=1e6",
                                         "pair a=m b=m friction=0", "body id=b material=m", "box size=1,1,1",
                                         "mesh file=sheet.stl scale=0.5", NULL);
    uint8_t *bytes, *again;
    size_t size, again_size;
    scree_error error = {0};
    assert_int_equal(scree_scene_write(scene, &bytes, &size, &error), SCREE_OK);
    scree_scene *copy;
    assert_int_equal(scree_scene_read(NULL, bytes, size, &copy, &error), SCREE_OK);
    assert_int_equal(copy->mesh_count, 1);
    assert_int_equal(copy->meshes[0].surface.triangle_count, 50);
    assert_int_equal(scree_scene_write(copy, &again, &again_size, &error), SCREE_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    scree_bytes_release(NULL, again);
    /* cut off anywhere, or with any byte changed, it is refused: the checksum; with a good checksum see the fuzz test
     */
    for (size_t cut = 0; cut < size; cut += 97) {
        scree_scene *none;
        assert_int_not_equal(scree_scene_read(NULL, bytes, cut, &none, &error), SCREE_OK);
    }
    scree_bytes_release(NULL, bytes);
    scree_scene_destroy(copy);
    scree_scene_destroy(scene);
    scree_surface_release(&sheet);
}

/* ---------------------------------------------------------------- questions to a mesh */

static scree_mesh *make_mesh(const scree_surface *surface, bool solid)
{
    scree_memory memory = scree_memory_or_default(NULL);
    scree_scene_mesh cleaned;
    assert_int_equal(scree_mesh_clean(surface, &memory, &cleaned, NULL), SCREE_OK);
    scree_mesh *mesh = scree_mesh_create(&cleaned.surface, solid, &memory);
    assert_non_null(mesh);
    scree_surface_release(&cleaned.surface);
    return mesh;
}

/* Outside a solid box of triangles the nearest minimum is where the box primitive says. */
static void test_box_of_triangles(void **state)
{
    (void)state;
    scree_surface surface = make_box((vec3){-0.5, -1, -1.5}, (vec3){0.5, 1, 1.5}, 7);
    scree_mesh *mesh = make_mesh(&surface, true);
    scree_shape shape = {.kind = SCREE_SHAPE_BOX, .size = {1, 2, 3}};
    scree_placed box = scree_shape_place(&shape, NULL, (scree_pose){.q = {1, 0, 0, 0}});
    scree_random random = scree_random_seeded(5);
    for (int i = 0; i < 3000; i++) {
        vec3 x = {3 * scree_random_unit(&random) - 1.5, 4 * scree_random_unit(&random) - 2,
                  5 * scree_random_unit(&random) - 2.5};
        if (i % 3 == 0) /* over the lines of the tessellation, and over corners and edges */
            x = (vec3){round(14 * x.x) / 14, round(7 * x.y) / 7, round(14.0 / 3.0 * x.z) * 3.0 / 14.0};
        scree_probe probe = {.x = x, .r = 0.4};
        scree_touch touch = scree_shape_touch(&box, &probe, (vec3){0, 0, 0});
        scree_mesh_point points[8];
        uint32_t count = scree_mesh_minima(mesh, x, 0.4, NULL, 8, points);
        double distance = scree_shape_distance(&box, x);
        assert_near(scree_mesh_distance(mesh, x), distance, 1e-12);
        if (distance > 0.4 + 1e-12)
            assert_int_equal(count, 0);
        if (distance < 1e-6 || distance > 0.4 - 1e-12)
            continue;
        assert_int_equal(count, 1);
        assert_near(points[0].distance, 0.4 - touch.overlap, 1e-12);
        assert_near(length(sub(points[0].n, touch.n)), 0.0, 1e-9);
        assert_false(points[0].behind);
        assert_true(scree_mesh_within(mesh, x, distance + 1e-9) && !scree_mesh_within(mesh, x, distance - 1e-9));
    }
    scree_mesh_point points[8];
    assert_int_equal(scree_mesh_minima(mesh, (vec3){0.49, 0.1, 0.2}, 0.1, NULL, 8, points), 1); /* inside */
    assert_true(points[0].behind);
    assert_near(points[0].n.x, 1.0, 1e-12);
    scree_mesh_destroy(mesh);
    scree_surface_release(&surface);
}

static void test_ways_through_a_mesh(void **state)
{
    (void)state;
    scree_surface surface = make_sheet(1.0, 9, 4);
    scree_mesh *mesh = make_mesh(&surface, false);
    scree_random random = scree_random_seeded(6);
    for (int i = 0; i < 2000; i++) {
        vec3 a = {3 * scree_random_unit(&random) - 1.5, 3 * scree_random_unit(&random) - 1.5,
                  2 * scree_random_unit(&random) - 1};
        vec3 b = {3 * scree_random_unit(&random) - 1.5, 3 * scree_random_unit(&random) - 1.5,
                  2 * scree_random_unit(&random) - 1};
        if (i % 4 == 0) { /* straight down through a vertex: nothing slips between triangles */
            const double *v = surface.vertices[(uint32_t)i % surface.vertex_count];
            a = (vec3){v[0], v[1], 0.5};
            b = (vec3){v[0], v[1], -0.5};
        }
        double s = a.z / (a.z - b.z);
        vec3 at = mul_add(a, s, sub(b, a));
        bool expected = a.z * b.z < 0.0 && fabs(at.x) <= 1.0 + 1e-10 && fabs(at.y) <= 1.0 + 1e-10;
        assert_int_equal(scree_mesh_crossing(mesh, a, b) != UINT32_MAX, expected);
    }
    scree_mesh_destroy(mesh);
    scree_surface_release(&surface);
}

/* ---------------------------------------------------------------- grains */

#define GRAINS                                                                                                         \
    "material id=g density=2500 youngs=1e7", "material id=w density=7800 youngs=2e11",                                 \
        "pair a=g b=g friction=0.4 rolling=0.02", "pair a=g b=w friction=0.4 rolling=0.02 restitution=0.3"

/* The largest distance between what grain 0 does in two worlds over n steps. */
static double compare_paths(const scree_scene *one, const scree_scene *other, double dt, int n, double *far)
{
    scree_world *a = make_world(one), *b = make_world(other);
    double most = 0.0;
    vec3 start = vec3_of(scree_world_get_particle(a, 0).position);
    for (int i = 0; i < n; i++) {
        run(a, dt, 1);
        run(b, dt, 1);
        vec3 x = vec3_of(scree_world_get_particle(a, 0).position), y = vec3_of(scree_world_get_particle(b, 0).position);
        most = fmax(most, length(sub(x, y)));
        *far = length(sub(x, start));
    }
    scree_world_destroy(a);
    scree_world_destroy(b);
    return most;
}

/* A grain slides, rolls and bounces on triangles as on a plane. 1e-6 m is asked for; rounding alone leaves far less. */
static void test_tessellated_plane(void **state)
{
    (void)state;
    const char *const grains[] = {
        "grain material=g diameter=0.01 position=-0.2,0.03,0.005 velocity=1.5,0.1,0", /* slides, rolls */
        "grain material=g diameter=0.01 position=-0.2,0.03,0.005 velocity=1,0.2,0 angularVelocity=-40,200,90", /* rolls
                                                                                                                */
        "grain material=g diameter=0.01 position=-0.2,-0.1,0.03 velocity=1,0.3,-1 angularVelocity=0,-300,0", /* bounces
                                                                                                              */
    };
    const char *const poses[] = {"", " rotation=0.3,-0.2,0.1 position=0.01,0.02,-0.005"};
    for (int p = 0; p < 2; p++)
        for (int g = 0; g < 3; g++) {
            scree_surface sheet = make_sheet(0.5, 120, 7); /* cells of 8 mm under grains of 10 mm */
            char body[128];
            snprintf(body, sizeof body, "body id=b material=w%s", poses[p]);
            scree_scene *flat =
                make_scene("scene name=t gravity=0,0,-9.81", GRAINS, body, "plane normal=0,0,1", grains[g], NULL);
            scree_scene *cut = make_scene_with(&sheet, "scene name=t gravity=0,0,-9.81", GRAINS, body,
                                               "mesh file=sheet", grains[g], NULL);
            double far, most = compare_paths(flat, cut, 0.005, 60, &far);
            assert_true(far > 0.1);
            assert_near(most, 0.0, 1e-9);
            scree_scene_destroy(flat);
            scree_scene_destroy(cut);
            scree_surface_release(&sheet);
        }
}

/* Over the edge of a table and down its side, as over the edge of a box. */
static void test_convex_edge(void **state)
{
    (void)state;
    scree_surface table = make_box((vec3){-0.1, -0.1, -0.2}, (vec3){0.1, 0.1, 0}, 11);
    const char *grain = "grain material=g diameter=0.03 position=0.05,0.01,0.015 velocity=0.4,0.02,0";
    scree_scene *box = make_scene("scene name=t gravity=0,0,-9.81", GRAINS, "body id=b material=w",
                                  "box size=0.2,0.2,0.2 position=0,0,-0.1", grain, NULL);
    scree_scene *cut = make_scene_with(&table, "scene name=t gravity=0,0,-9.81", GRAINS, "body id=b material=w",
                                       "mesh file=table solid=true", grain, NULL);
    double far, most = compare_paths(box, cut, 0.005, 100, &far);
    assert_true(far > 0.15); /* it has gone over the edge and fallen */
    assert_near(most, 0.0, 1e-9);
    scree_scene_destroy(box);
    scree_scene_destroy(cut);
    scree_surface_release(&table);
}

/* An open box of triangles: a grain in its corner touches the floor and two walls, and stays. */
static void test_concave_corner(void **state)
{
    (void)state;
    scree_surface inside = make_box((vec3){0, 0, 0}, (vec3){0.2, 0.2, 0.2}, 9), sheet = make_surface(1000, 2000);
    for (uint32_t i = 0; i < inside.vertex_count; i++)
        put_vertex(&sheet, inside.vertices[i][0], inside.vertices[i][1], inside.vertices[i][2]);
    for (uint32_t i = 0; i < inside.triangle_count; i++) { /* without its lid */
        const uint32_t *t = inside.triangles[i];
        if (inside.vertices[t[0]][2] + inside.vertices[t[1]][2] + inside.vertices[t[2]][2] < 0.59)
            put_triangle(&sheet, t[0], t[1], t[2]);
    }
    scree_scene *scene = make_scene_with(&sheet, "scene name=t gravity=-3,-3,-9", GRAINS, "body id=b material=w",
                                         "mesh file=tray", "port id=tray body=b mode=wrench",
                                         "grain material=g diameter=0.02 position=0.03,0.04,0.05", NULL);
    scree_world *world = make_world(scene);
    run(world, 0.005, 200);
    uint32_t closed = 0;
    vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < scree_world_contact_count(world); i++) {
        scree_touching touching;
        if (!scree_world_get_contact(world, i, &touching))
            continue;
        closed++;
        sum = add(sum, vec3_of(touching.normal));
    }
    assert_int_equal(closed, 3);
    assert_near(length(sub(sum, (vec3){-1, -1, -1})), 0.0, 1e-9);
    scree_particle grain = scree_world_get_particle(world, 0);
    scree_wrench wrench;
    scree_world_get_wrench(world, 0, &wrench);
    for (int k = 0; k < 3; k++) {
        assert_near(grain.position[k], 0.01, 2e-5); /* m: it overlaps by (F/k_n)^(2/3) = 9 um */
        assert_near(grain.velocity[k], 0.0, 1e-6);
        assert_near(wrench.force[k] / grain.mass, k < 2 ? -3 : -9, 1e-3);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
    scree_surface_release(&inside);
    scree_surface_release(&sheet);
}

/* A sheet without thickness between two beds, with fast grains from both sides: nothing comes through. */
static void test_thin_sheet_holds(void **state)
{
    (void)state;
    const char *const solvers[] = {"solver", "solver substeps=1 sweeps=20", "solver threads=2"};
    scree_surface sheet = make_sheet(0.1, 17, 3);
    scree_hash hashes[3];
    for (int i = 0; i < 3; i++) {
        scree_scene *scene = make_scene_with(
            &sheet, "scene name=t gravity=0,0,-9.81", solvers[i], GRAINS, "body id=b material=w", "mesh file=sheet",
            "plane normal=1,0,0 position=-0.1,0,0", "plane normal=-1,0,0 position=0.1,0,0",
            "plane normal=0,1,0 position=0,-0.1,0", "plane normal=0,-1,0 position=0,0.1,0",
            "plane normal=0,0,1 position=0,0,-0.03", "grain material=g diameter=0.01 position=0,0,0.2 velocity=0,0,-5",
            "grain material=g diameter=0.01 position=0.02,0.01,-0.02 velocity=0.1,0,5",
            "fill id=up material=g count=400 min=-0.1,-0.1,0 max=0.1,0.1,0.1", "size diameter=0.01",
            "fill id=down material=g count=200 min=-0.1,-0.1,-0.03 max=0.1,0.1,-0.006", "size diameter=0.01", NULL);
        scree_world *world = make_world(scene);
        for (int k = 0; k < 60; k++) {
            run(world, 0.005, 1);
            scree_info info;
            scree_world_get_info(world, &info);
            for (uint32_t p = 0; p < info.particles && (i != 1 || k > 20); p++) { /* as in test_shapes */
                bool above = p == 0 || scree_world_get_particle(world, p).fill == 0;
                double z = scree_world_get_particle(world, p).position[2];
                if (above != (z > 0.0))
                    fail_msg("solver %d, step %d: grain %u is at %g", i, k, p, z);
            }
        }
        hashes[i] = scree_world_hash(world);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    assert_memory_equal(&hashes[0], &hashes[2], sizeof hashes[0]);
    scree_surface_release(&sheet);
}

/* What contacts with a mesh remember is part of a snapshot: from it, the world goes on bit for bit. */
static void test_snapshot_with_a_mesh(void **state)
{
    (void)state;
    scree_surface inside = make_box((vec3){-0.05, -0.05, 0}, (vec3){0.05, 0.05, 0.2}, 5);
    scree_scene *scene = make_scene_with(&inside, "scene name=t gravity=0,0,-9.81", GRAINS,
                                         "body id=b material=w kind=driven", "mesh file=box", "port id=b body=b",
                                         "fill id=f material=g count=120 min=-0.05,-0.05,0 max=0.05,0.05,0.2",
                                         "size diameter=0.01 diameterMax=0.02", NULL);
    scree_world *world = make_world(scene), *other = make_world(scene);
    scree_motion motion = *scree_world_get_motion(world, 0);
    motion.velocity[0] = 0.3;
    motion.angular_velocity[1] = 2.0;
    assert_int_equal(scree_world_set_motion(world, 0, &motion, NULL), SCREE_OK);
    run(world, 0.005, 30);
    size_t size;
    assert_int_equal(scree_world_save(world, NULL, 0, &size, NULL), SCREE_OK);
    uint8_t *bytes = malloc(size);
    assert_int_equal(scree_world_save(world, bytes, size, &size, NULL), SCREE_OK);
    run(world, 0.005, 30);
    assert_int_equal(scree_world_load(other, bytes, size, NULL), SCREE_OK);
    run(other, 0.005, 30);
    scree_hash a = scree_world_hash(world), b = scree_world_hash(other);
    assert_memory_equal(&a, &b, sizeof a);
    free(bytes);
    scree_world_destroy(world);
    scree_world_destroy(other);
    scree_scene_destroy(scene);
    scree_surface_release(&inside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cleaning_counts),      cmocka_unit_test(test_tangled_and_twisted),
        cmocka_unit_test(test_bad_meshes),           cmocka_unit_test(test_binary_form),
        cmocka_unit_test(test_box_of_triangles),     cmocka_unit_test(test_ways_through_a_mesh),
        cmocka_unit_test(test_tessellated_plane),    cmocka_unit_test(test_convex_edge),
        cmocka_unit_test(test_concave_corner),       cmocka_unit_test(test_thin_sheet_holds),
        cmocka_unit_test(test_snapshot_with_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
