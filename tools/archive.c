#include "archive.h"

#include "command.h"
#include "file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

scree_part *scree_parts_add(scree_parts *parts, const char *name, ...)
{
    if (parts->count == parts->capacity) {
        size_t capacity = parts->capacity ? 2 * parts->capacity : 16;
        scree_part *larger = realloc(parts->items, capacity * sizeof *larger);
        if (!larger) {
            scree_complain("scree pack: out of memory");
            return NULL;
        }
        parts->items = larger;
        parts->capacity = capacity;
    }
    scree_part *part = &parts->items[parts->count++];
    *part = (scree_part){.bytes = NULL};
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(part->name, sizeof part->name, name, arguments);
    va_end(arguments);
    return part;
}

void scree_parts_free(scree_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->items[i].bytes);
    free(parts->items);
    *parts = (scree_parts){.items = NULL};
}

static bool add_part(zip_t *archive, const scree_part *from)
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
static bool make_archive(zip_source_t *image, const scree_parts *parts, zip_error_t *error)
{
    zip_t *archive = zip_open_from_source(image, ZIP_TRUNCATE, error);
    if (!archive)
        return false;
    zip_source_keep(image); /* zip_close and zip_discard each release one hold */
    bool good = true;
    for (size_t i = 0; i < parts->count && good; i++)
        good = add_part(archive, &parts->items[i]);
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

int scree_parts_write(const scree_parts *parts, const char *path)
{
    zip_error_t error;
    setenv("TZ", "UTC0", 1); /* libzip keeps dates as local time */
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
