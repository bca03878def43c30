#include "mesh.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { DEEPEST = 64 };

static const long long MOST_BYTES = 1LL << 30;
static const uint32_t MOST_TRIANGLES = 10000000;

static bool is_known(const char *path)
{
    static const char *const endings[] = {".stl", ".obj", ".ply", ".gltf", ".glb"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static scree_status check_file(const char *path, scree_error *error)
{
    struct stat info;
    if (!is_known(path))
        return scree_fail(error, SCREE_INVALID, "mesh: %s has no known ending; allowed: .stl, .obj, .ply, .gltf, .glb",
                          path);
    if (stat(path, &info) != 0)
        return scree_fail(error, SCREE_INVALID, "mesh: can't read %s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return scree_fail(error, SCREE_INVALID, "mesh: %s is no regular file", path);
    if (info.st_size > MOST_BYTES)
        return scree_fail(error, SCREE_INVALID, "mesh: %s is larger than 1 GiB", path);
    return SCREE_OK;
}

/* ---------------------------------------------------------------- the parts of a file */

/* First pass: counts alone; second pass: writes. */
typedef struct gatherer {
    const struct aiScene *scene;
    scree_surface *to;
    size_t vertices, triangles;
    bool writes;
} gatherer;

static void put_mesh(gatherer *g, const struct aiMesh *mesh, const struct aiMatrix4x4 *at)
{
    uint32_t first = (uint32_t)g->vertices;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        if (mesh->mFaces[i].mNumIndices != 3)
            continue; /* points and lines */
        for (unsigned k = 0; k < 3 && g->writes; k++)
            g->to->triangles[g->triangles][k] = first + mesh->mFaces[i].mIndices[k];
        g->triangles++;
    }
    for (unsigned i = 0; i < mesh->mNumVertices && g->writes; i++) {
        double x = (double)mesh->mVertices[i].x, y = (double)mesh->mVertices[i].y, z = (double)mesh->mVertices[i].z;
        double *v = g->to->vertices[g->vertices + i];
        v[0] = (double)at->a1 * x + (double)at->a2 * y + (double)at->a3 * z + (double)at->a4;
        v[1] = (double)at->b1 * x + (double)at->b2 * y + (double)at->b3 * z + (double)at->b4;
        v[2] = (double)at->c1 * x + (double)at->c2 * y + (double)at->c3 * z + (double)at->c4;
    }
    g->vertices += mesh->mNumVertices;
}

static void walk(gatherer *g, const struct aiNode *node, struct aiMatrix4x4 at, int depth)
{
    aiMultiplyMatrix4(&at, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        put_mesh(g, g->scene->mMeshes[node->mMeshes[i]], &at);
    for (unsigned i = 0; i < node->mNumChildren && depth < DEEPEST; i++)
        walk(g, node->mChildren[i], at, depth + 1);
}

static scree_status gather(const struct aiScene *scene, const char *path, scree_surface *surface, scree_error *error)
{
    struct aiMatrix4x4 still;
    aiIdentityMatrix4(&still);
    gatherer g = {.scene = scene, .to = surface};
    walk(&g, scene->mRootNode, still, 0);
    if (g.triangles == 0)
        return scree_fail(error, SCREE_INVALID, "mesh: %s has no triangles", path);
    if (g.triangles > MOST_TRIANGLES || g.vertices > 3u * MOST_TRIANGLES)
        return scree_fail(error, SCREE_INVALID, "mesh: %s has %zu triangles; at most %u are allowed", path, g.triangles,
                          (unsigned)MOST_TRIANGLES);
    scree_status status = scree_surface_create(surface, (uint32_t)g.vertices, (uint32_t)g.triangles, NULL, error);
    if (status != SCREE_OK)
        return status;
    g = (gatherer){.scene = scene, .to = surface, .writes = true};
    walk(&g, scene->mRootNode, still, 0);
    return SCREE_OK;
}

scree_status scree_mesh_import(const char *path, scree_surface *surface, scree_error *error)
{
    *surface = (scree_surface){0};
    scree_status status = check_file(path, error);
    if (status != SCREE_OK)
        return status;
    const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate | aiProcess_ValidateDataStructure);
    if (!scene || !scene->mRootNode)
        status = scree_fail(error, SCREE_INVALID, "mesh: %s is not what its ending says: %.300s", path,
                            scene ? "it holds nothing" : aiGetErrorString());
    else
        status = gather(scene, path, surface, error);
    aiReleaseImport(scene);
    return status;
}

/* ---------------------------------------------------------------- what to tell */

static void add(char *text, size_t room, uint32_t count, const char *what)
{
    size_t used = strlen(text);
    if (count)
        snprintf(text + used, room - used, "%s%u %s", used ? ", " : "", (unsigned)count, what);
}

bool scree_mesh_remark(const scree_mesh_report *report, bool solid, char *text, size_t room)
{
    text[0] = '\0';
    add(text, room, report->degenerate, "triangles without area dropped");
    add(text, room, report->doubled, "doubled triangles dropped");
    add(text, room, solid ? report->turned : 0, "triangles turned to the winding of their neighbours");
    add(text, room, solid && report->inverted ? report->triangles : 0, "triangles turned, as it was inside out");
    if (solid)
        return text[0] != '\0';
    add(text, room, report->open_edges, "open edges: a shell that grains touch from both sides");
    return text[0] != '\0';
}
