/*
 * `scree pack`: scene → FMU. The archive is made in memory, from fixed names in a fixed order with a fixed date, so
 * that the same scene and the same build give the same bytes anywhere; then it is written in one go.
 */
#include "command.h"
#include "file.h"
#include "scene_xml.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { OUTPUT, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [OUTPUT] = {"output", 'o', "X.fmu", "where the FMU goes"},
};

enum { DESCRIPTION, BINARY, SCENE, DOCUMENTATION, LICENSE, ICON, PART_COUNT };

/* A file of the archive. */
typedef struct part {
    char name[SCREE_ID_SIZE + 64];
    char *bytes;
    size_t size;
    bool executable;
} part;

/* ---- parts */

/* Reads a file that was installed with this program, PREFIX/bin/scree → PREFIX/path. */
static int read_installed(part *to, const char *path)
{
    char where[4096];
    ssize_t size = readlink("/proc/self/exe", where, sizeof where - 1);
    where[size > 0 ? size : 0] = '\0';
    for (int i = 0; i < 2; i++) { /* off with /scree, then with /bin */
        char *slash = strrchr(where, '/');
        if (slash)
            *slash = '\0';
    }
    size_t used = strlen(where);
    if ((size_t)snprintf(where + used, sizeof where - used, "/%s", path) >= sizeof where - used) {
        scree_complain("scree pack: the path of this program is too long");
        return SCREE_EXIT_FAILED;
    }
    if (access(where, R_OK) != 0) {
        scree_complain("scree pack: %s is missing; it belongs beside bin/scree: build or install Scree again", where);
        return SCREE_EXIT_FAILED;
    }
    return scree_read_file(where, (size_t)1 << 30, &to->bytes, &to->size) == SCREE_EXIT_OK ? SCREE_EXIT_OK
                                                                                           : SCREE_EXIT_FAILED;
}

static scree_status write_text(part *to, const scree_scene *scene, const scree_model *model, bool description,
                               scree_error *error)
{
    FILE *file = open_memstream(&to->bytes, &to->size);
    if (!file)
        return scree_fail(error, SCREE_MEMORY, "out of memory");
    scree_status status = description ? scree_write_model_description(scene, model, scene->head.name, file, error)
                                      : scree_write_documentation(scene, model, file, error);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        status = status != SCREE_OK ? status : scree_fail(error, SCREE_MEMORY, "out of memory");
    return status;
}

static scree_status write_scene(part *to, const scree_scene *scene, scree_error *error)
{
    uint8_t *bytes;
    scree_status status = scree_scene_write(scene, &bytes, &to->size, error);
    if (status != SCREE_OK)
        return status;
    to->bytes = malloc(to->size); /* a copy, so that all parts are freed alike */
    if (to->bytes)
        memcpy(to->bytes, bytes, to->size);
    scree_bytes_release(NULL, bytes);
    return to->bytes ? SCREE_OK : scree_fail(error, SCREE_MEMORY, "out of memory");
}

/* A scene whose grains find no room would make an FMU that never starts. */
static scree_status try_start(const scree_scene *scene, scree_error *error)
{
    scree_world *world;
    scree_status status = scree_world_create(scene, NULL, NULL, &world, error);
    if (status == SCREE_OK)
        status = scree_world_start(world, 0.0, error);
    scree_world_destroy(world);
    return status;
}

static int make_parts(part parts[PART_COUNT], const scree_scene *scene, const char *path)
{
    scree_error error = {SCREE_OK, ""};
    scree_model *model = NULL;
    scree_status status = try_start(scene, &error);
    if (status == SCREE_OK)
        status = scree_model_create(scene, NULL, &model, &error);
    if (status == SCREE_OK)
        status = write_text(&parts[DESCRIPTION], scene, model, true, &error);
    if (status == SCREE_OK)
        status = write_text(&parts[DOCUMENTATION], scene, model, false, &error);
    if (status == SCREE_OK)
        status = write_scene(&parts[SCENE], scene, &error);
    scree_model_destroy(model);
    if (status != SCREE_OK) {
        scree_complain("%s: %s", path, error.text);
        return scree_exit_code(status);
    }
    int code = read_installed(&parts[BINARY], "lib/scree/linux64/scree.so");
    if (code == SCREE_EXIT_OK)
        code = read_installed(&parts[ICON], "share/scree/icon.png");
    if (code == SCREE_EXIT_OK)
        code = read_installed(&parts[LICENSE], "share/scree/LICENSE");
    return code;
}

static void name_parts(part parts[PART_COUNT], const scree_scene *scene)
{
    snprintf(parts[DESCRIPTION].name, sizeof parts->name, "modelDescription.xml");
    snprintf(parts[BINARY].name, sizeof parts->name, "binaries/linux64/%s.so", scene->head.name);
    snprintf(parts[SCENE].name, sizeof parts->name, "resources/scene.bin");
    snprintf(parts[DOCUMENTATION].name, sizeof parts->name, "documentation/index.html");
    snprintf(parts[LICENSE].name, sizeof parts->name, "documentation/licenses/license.txt");
    snprintf(parts[ICON].name, sizeof parts->name, "model.png");
    parts[BINARY].executable = true;
}

/* ---- archive */

static bool add_part(zip_t *archive, const part *from)
{
    zip_source_t *source = zip_source_buffer(archive, from->bytes, from->size, 0);
    zip_int64_t index = source ? zip_file_add(archive, from->name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    zip_uint64_t at = (zip_uint64_t)index;
    zip_uint32_t mode = from->executable ? 0100755 : 0100644;
    zip_uint16_t first_day = 1 << 5 | 1; /* 1 January 1980, the beginning of zip's time */
    return zip_set_file_compression(archive, at, ZIP_CM_DEFLATE, 9) == 0 &&
           zip_file_set_dostime(archive, at, 0, first_day, 0) == 0 &&
           zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, mode << 16) == 0;
}

/* Writes the archive into `image`, an empty growing buffer that the caller keeps. */
static bool make_archive(zip_source_t *image, const part parts[PART_COUNT], zip_error_t *error)
{
    zip_t *archive = zip_open_from_source(image, ZIP_TRUNCATE, error);
    if (!archive)
        return false;
    zip_source_keep(image); /* zip_close and zip_discard each release one hold */
    bool good = true;
    for (int i = 0; i < PART_COUNT && good; i++)
        good = add_part(archive, &parts[i]);
    if (good && zip_close(archive) == 0)
        return true;
    zip_error_set(error, zip_error_code_zip(zip_get_error(archive)), zip_error_code_system(zip_get_error(archive)));
    zip_discard(archive);
    return false;
}

static bool copy_image(zip_source_t *image, FILE *file)
{
    char block[65536];
    zip_int64_t got = -1;
    if (zip_source_open(image) != 0)
        return false;
    while ((got = zip_source_read(image, block, sizeof block)) > 0)
        if (fwrite(block, 1, (size_t)got, file) != (size_t)got)
            break; /* found again by ferror */
    zip_source_close(image);
    return got >= 0;
}

static int write_archive(const part parts[PART_COUNT], const char *path)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *image = zip_source_buffer_create(NULL, 0, 0, &error);
    bool good = image && make_archive(image, parts, &error);
    scree_output output;
    if (!good)
        scree_complain("scree pack: the archive cannot be made: %s", zip_error_strerror(&error));
    else if ((good = scree_output_open(&output, path))) {
        if (copy_image(image, output.stream))
            good = scree_output_commit(&output);
        else {
            scree_complain("scree pack: the archive cannot be read back");
            scree_output_discard(&output);
            good = false;
        }
    }
    zip_source_free(image);
    zip_error_fini(&error);
    return good ? SCREE_EXIT_OK : SCREE_EXIT_FAILED;
}

/* ---- command */

static int pack_scene(const scree_command *command, int argc, char **argv)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    const char *path = NULL, *target = NULL;
    for (int found = 0; found != SCREE_ARGUMENT_END;) {
        found = scree_arguments_next(&arguments);
        if (found == OUTPUT)
            target = arguments.value;
        else if (!scree_arguments_take_scene(&arguments, found, &path))
            return SCREE_EXIT_BAD;
    }
    if (!target || !*target) {
        scree_complain("scree pack: where to? usage: scree pack %s", command->synopsis);
        return SCREE_EXIT_BAD;
    }
    if (scree_same_file(path, target)) {
        scree_complain("scree pack: --output %s is also the scene; give it another name", target);
        return SCREE_EXIT_BAD;
    }
    setenv("TZ", "UTC0", 1); /* libzip keeps dates as local time */
    scree_scene *scene;
    int code = scree_load_scene(path, &scene);
    if (code != SCREE_EXIT_OK)
        return code;
    part parts[PART_COUNT] = {{.bytes = NULL}};
    name_parts(parts, scene);
    code = make_parts(parts, scene, path);
    if (code == SCREE_EXIT_OK)
        code = write_archive(parts, target);
    for (int i = 0; i < PART_COUNT; i++)
        free(parts[i].bytes);
    scree_scene_destroy(scene);
    return code;
}

static const char *const examples[] = {"scree pack scene.xml -o scene.fmu",
                                       "an FMU for Dymola, OpenModelica, Simulink, FMPy and others", NULL};

const scree_command scree_command_pack = {
    .name = "pack",
    .synopsis = "SCENE.xml -o X.fmu",
    .summary = "make an FMU (FMI 2.0, co-simulation) of a scene",
    .details = "The FMU holds the scene and the engine and needs libc, libm and threads. Same scene and same build "
               "give the same bytes.",
    .operand = "SCENE.xml",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = pack_scene,
};
