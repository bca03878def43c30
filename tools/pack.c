/*
 * `scree pack`: scene → FMU. All names and their order are fixed, so that the same scene and the same build give the
 * same bytes anywhere.
 */
#include "archive.h"
#include "command.h"
#include "file.h"
#include "scene_xml.h"
#include "settling.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT, SETTLE, SETTLE_LIMIT, SOURCES, DIRECT, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [OUTPUT] = {"output", 'o', "X.fmu", "where the FMU goes"},
    [SETTLE] = {"settle", 0, NULL, "let the grains come to rest and keep that state: the FMU starts from it"},
    [SETTLE_LIMIT] = {"settle-limit", 0, "T", "simulated time after which settling gives up in s (default 60)"},
    [SOURCES] = {"sources", 0, NULL, "with the C sources, for platforms that have no binary in it"},
    [DIRECT] = {"direct-feedthrough", 0, NULL,
                "declare that wrenches depend on twists at once, for masters that solve for interface forces"},
};

/* A package under way. */
typedef struct packing {
    const scree_scene *scene;
    double settle;        /* s, longest time to settle; 0: not at all */
    scree_world *settled; /* at rest; NULL: not settled */
    scree_model *model;
    scree_package package;
    char *manifest;        /* names of the source files, each closed by a zero */
    const char **names;    /* of all of them, closed by NULL; point into the manifest */
    const char **compiled; /* of those that are compiled, likewise */
    scree_parts parts;
} packing;

/* ---- what was built with this program */

/* PREFIX/bin/scree → PREFIX/path. False after a complaint. */
static bool locate_installed(const char *path, char where[4096])
{
    ssize_t size = readlink("/proc/self/exe", where, 4095);
    where[size > 0 ? size : 0] = '\0';
    for (int i = 0; i < 2; i++) { /* off with /scree, then with /bin */
        char *slash = strrchr(where, '/');
        if (slash)
            *slash = '\0';
    }
    size_t used = strlen(where);
    if ((size_t)snprintf(where + used, 4096 - used, "/%s", path) < 4096 - used)
        return true;
    scree_complain("scree pack: the path of this program is too long");
    return false;
}

static int read_installed(char **bytes, size_t *size, const char *path)
{
    char where[4096];
    if (!locate_installed(path, where))
        return SCREE_EXIT_FAILED;
    if (access(where, R_OK) != 0) {
        scree_complain("scree pack: %s is missing; it belongs beside bin/scree: build or install Scree again", where);
        return SCREE_EXIT_FAILED;
    }
    return scree_read_file(where, (size_t)1 << 30, bytes, size) == SCREE_EXIT_OK ? SCREE_EXIT_OK : SCREE_EXIT_FAILED;
}

static int add_installed(packing *to, const char *path, const char *name)
{
    scree_part *part = scree_parts_add(&to->parts, "%s", name);
    return part ? read_installed(&part->bytes, &part->size, path) : SCREE_EXIT_FAILED;
}

/* Whether a file is there that was built from the present sources. */
static bool is_present(const char *path)
{
    char where[4096], sources[4096];
    struct stat binary, list;
    if (!locate_installed(path, where) || !locate_installed("share/scree/sources/files.txt", sources) ||
        stat(where, &binary) != 0 || stat(sources, &list) != 0)
        return false;
    if (binary.st_mtime >= list.st_mtime)
        return true;
    scree_complain("scree pack: note: %s is older than the sources and is left out; build the target win64", where);
    return false;
}

/* The shared object of a platform. Only that of this one must be there. */
static int add_binary(packing *to, const char *platform, const char *ending, bool must)
{
    char path[64], name[192];
    snprintf(path, sizeof path, "lib/scree/%s/scree%s", platform, ending);
    if (!must && !is_present(path))
        return SCREE_EXIT_OK;
    snprintf(name, sizeof name, "binaries/%s/%s%s", platform, to->package.identifier, ending);
    int code = add_installed(to, path, name);
    if (code == SCREE_EXIT_OK)
        to->parts.items[to->parts.count - 1].executable = true;
    return code;
}

/* ---- sources */

static bool is_c_file(const char *name)
{
    size_t size = strlen(name);
    return size > 2 && strcmp(name + size - 2, ".c") == 0;
}

/* Reads the list of source files. */
static int read_manifest(packing *to)
{
    size_t size, lines = 0, compiled = 0, count = 0;
    int code = read_installed(&to->manifest, &size, "share/scree/sources/files.txt");
    if (code != SCREE_EXIT_OK)
        return code;
    for (size_t i = 0; i < size; i++)
        lines += to->manifest[i] == '\n';
    to->names = calloc(lines + 1, sizeof *to->names);
    to->compiled = calloc(lines + 1, sizeof *to->compiled);
    if (!to->names || !to->compiled) {
        scree_complain("scree pack: out of memory");
        return SCREE_EXIT_FAILED;
    }
    char *rest = NULL;
    for (char *name = strtok_r(to->manifest, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
        to->names[count++] = name;
        if (is_c_file(name))
            to->compiled[compiled++] = name;
    }
    to->package.sources = to->compiled;
    return SCREE_EXIT_OK;
}

static int add_sources(packing *to)
{
    int code = SCREE_EXIT_OK;
    for (const char **name = to->names; *name && code == SCREE_EXIT_OK; name++) {
        char path[256], target[256];
        snprintf(path, sizeof path, "share/scree/sources/%s", *name);
        snprintf(target, sizeof target, "sources/%s", *name);
        code = add_installed(to, path, target);
    }
    return code;
}

/* ---- what is written for this scene */

typedef scree_status writer(const packing *from, FILE *out, scree_error *error);

static scree_status write_description(const packing *from, FILE *out, scree_error *error)
{
    return scree_write_model_description(from->scene, from->model, &from->package, out, error);
}

static scree_status write_documentation(const packing *from, FILE *out, scree_error *error)
{
    return scree_write_documentation(from->scene, from->model, out, error);
}

static scree_status write_terminals(const packing *from, FILE *out, scree_error *error)
{
    return scree_write_terminals(from->scene, from->model, out, error);
}

static scree_status write_build(const packing *from, FILE *out, scree_error *error)
{
    return scree_write_build(&from->package, out, error);
}

static scree_status write_scene(const packing *from, FILE *out, scree_error *error)
{
    uint8_t *bytes;
    size_t size;
    scree_status status = scree_scene_write(from->scene, &bytes, &size, error);
    if (status != SCREE_OK)
        return status;
    bool good = fwrite(bytes, 1, size, out) == size;
    scree_bytes_release(NULL, bytes);
    return good ? SCREE_OK : scree_fail(error, SCREE_MEMORY, "out of memory");
}

static scree_status write_settled(const packing *from, FILE *out, scree_error *error)
{
    size_t size;
    scree_status status = scree_world_save(from->settled, NULL, 0, &size, error);
    uint8_t *bytes = status == SCREE_OK ? malloc(size) : NULL;
    if (status == SCREE_OK && !bytes)
        status = scree_fail(error, SCREE_MEMORY, "out of memory");
    if (status == SCREE_OK)
        status = scree_world_save(from->settled, bytes, size, &size, error);
    if (status == SCREE_OK && fwrite(bytes, 1, size, out) != size)
        status = scree_fail(error, SCREE_MEMORY, "out of memory");
    free(bytes);
    return status;
}

static scree_status add_written(packing *to, const char *name, writer *write, scree_error *error)
{
    scree_part *part = scree_parts_add(&to->parts, "%s", name);
    FILE *file = part ? open_memstream(&part->bytes, &part->size) : NULL;
    if (!file)
        return scree_fail(error, SCREE_MEMORY, "out of memory");
    scree_status status = write(to, file, error);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        status = status != SCREE_OK ? status : scree_fail(error, SCREE_MEMORY, "out of memory");
    return status;
}

/* A scene whose grains find no room would make an FMU that never starts. */
static scree_status try_start(packing *to, scree_error *error)
{
    scree_world *world;
    scree_status status = scree_world_create(to->scene, NULL, NULL, &world, error);
    if (status == SCREE_OK)
        status = scree_world_start(world, 0.0, error);
    if (status == SCREE_OK && to->settle > 0.0) {
        status = scree_settle(world, to->settle, NULL, error);
        to->settled = world;
    } else {
        scree_world_destroy(world);
    }
    return status;
}

static scree_status add_all_written(packing *to, scree_error *error)
{
    static const struct {
        const char *name;
        writer *write;
    } files[] = {
        {"modelDescription.xml", write_description},       {"resources/scene.bin", write_scene},
        {"documentation/index.html", write_documentation}, {"terminalsAndIcons/terminalsAndIcons.xml", write_terminals},
        {"sources/buildDescription.xml", write_build},     {"resources/settled.bin", write_settled},
    };
    scree_status status = try_start(to, error);
    if (status == SCREE_OK)
        status = scree_model_create(to->scene, NULL, &to->model, error);
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == SCREE_OK; i++)
        if ((files[i].write != write_build || to->package.sources) && (files[i].write != write_settled || to->settled))
            status = add_written(to, files[i].name, files[i].write, error);
    return status;
}

static int make_package(packing *to, const char *path, bool sources)
{
    scree_error error = {SCREE_OK, ""};
    int code = sources ? read_manifest(to) : SCREE_EXIT_OK;
    if (code != SCREE_EXIT_OK)
        return code;
    scree_status status = add_all_written(to, &error);
    if (status != SCREE_OK) {
        scree_complain("%s: %s", path, error.text);
        return scree_exit_code(status);
    }
    code = add_binary(to, "linux64", ".so", true);
    if (code == SCREE_EXIT_OK)
        code = add_binary(to, "win64", ".dll", false);
    if (code == SCREE_EXIT_OK && sources)
        code = add_sources(to);
    if (code == SCREE_EXIT_OK)
        code = add_installed(to, "share/scree/LICENSE", "documentation/licenses/license.txt");
    if (code == SCREE_EXIT_OK)
        code = add_installed(to, "share/scree/icon.png", "model.png");
    return code == SCREE_EXIT_OK ? add_installed(to, "share/scree/icon.png", "terminalsAndIcons/icon.png") : code;
}

/* ---- command */

static int pack_scene(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *path = NULL, *target = NULL, *limit = NULL;
    double settle;
    bool asked[OPTION_COUNT] = {false};
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        found = scree_arguments_next(&arguments);
        if (found == OUTPUT)
            target = arguments.value;
        else if (found == SETTLE_LIMIT)
            limit = arguments.value;
        else if (found >= 0)
            asked[found] = true;
        else if (!scree_arguments_take_scene(&arguments, found, &path))
            return SCREE_EXIT_BAD;
    }
    if (!scree_parse_settle_limit("pack", limit, asked[SETTLE], &settle))
        return SCREE_EXIT_BAD;
    if (!target || !*target) {
        scree_complain("scree pack: where to? usage: scree pack %s", command->synopsis);
        return SCREE_EXIT_BAD;
    }
    if (scree_same_file(path, target)) {
        scree_complain("scree pack: --output %s is also the scene; give it another name", target);
        return SCREE_EXIT_BAD;
    }
    scree_scene *scene;
    int code = scree_load_scene(path, &scene);
    if (code != SCREE_EXIT_OK)
        return code;
    packing to = {.scene = scene,
                  .settle = asked[SETTLE] ? settle : 0.0,
                  .package = {.identifier = scene->head.name, .direct = asked[DIRECT]}};
    code = make_package(&to, path, asked[SOURCES]);
    if (code == SCREE_EXIT_OK)
        code = scree_parts_write(&to.parts, target);
    scree_parts_free(&to.parts);
    scree_world_destroy(to.settled);
    scree_model_destroy(to.model);
    free(to.manifest);
    free(to.names);
    free(to.compiled);
    scree_scene_destroy(scene);
    return code;
}

static const char *const examples[] = {
    "scree pack scene.xml -o scene.fmu", "an FMU for Dymola, OpenModelica, Simulink, FMPy and others",
    "scree pack scene.xml -o scene.fmu --settle", "one whose bed is at rest when it starts", NULL};

const scree_command scree_command_pack = {
    .name = "pack",
    .synopsis = "SCENE.xml -o X.fmu [OPTION]…",
    .summary = "make an FMU (FMI 2.0, co-simulation) of a scene",
    .details = "The FMU holds the scene and the engine and needs libc, libm and threads. Same scene and same build "
               "give the same bytes.",
    .operand = "SCENE.xml",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = pack_scene,
};
