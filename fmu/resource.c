#include "resource.h"

#include "library.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#endif

#define SCENE_FILE    "/scene.bin"
#define SETTLED_FILE  "/settled.bin"
#define LARGEST_SCENE ((long)1 << 30) /* bytes; a scene with large meshes, or a million settled grains, is below */

/* ---------------------------------------------------------------- URI */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Schemes are written in any case. */
static bool has_file_scheme(const char *location)
{
    static const char scheme[] = "file:";
    for (size_t i = 0; i < sizeof scheme - 1; i++)
        if ((location[i] | 0x20) != (scheme[i] | 0x20))
            return false;
    return true;
}

static bool is_drive(const char *path)
{
    char letter = (char)(path[0] | 0x20);
    return letter >= 'a' && letter <= 'z' && path[1] == ':';
}

static bool is_absolute(const char *path)
{
#ifdef _WIN32
    return is_drive(path) || path[0] == '\\' || path[0] == '/';
#else
    return path[0] == '/';
#endif
}

/* What follows the scheme and the host: an encoded absolute path, or NULL. */
static const char *skip_host(const char *after_scheme)
{
    static const char local[] = "localhost/";
    if (after_scheme[0] != '/' || after_scheme[1] != '/')
        return after_scheme;
    const char *host = after_scheme + 2;
    if (strncmp(host, local, sizeof local - 1) == 0)
        return host + sizeof local - 2;
    return host[0] == '/' || is_drive(host) ? host : NULL;
}

static scree_status decode(const char *from, char path[SCREE_PATH_SIZE], scree_error *error)
{
    size_t size = 0;
    for (; *from; from++) {
        int c = (unsigned char)*from;
        if (c == '%') {
            int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);
            c = high < 0 || low < 0 ? 0 : 16 * high + low;
            if (c == 0)
                return scree_fail(error, SCREE_INVALID,
                                  "resourceLocation: a percent sign must be followed by two hexadecimal digits other "
                                  "than 00");
            from += 2;
        }
        if (size + 1 >= SCREE_PATH_SIZE)
            return scree_fail(error, SCREE_INVALID, "resourceLocation: longer than %d bytes", SCREE_PATH_SIZE - 1);
        path[size++] = (char)c;
    }
    path[size] = '\0';
    return SCREE_OK;
}

scree_status scree_resource_path(const char *location, char path[SCREE_PATH_SIZE], scree_error *error)
{
    if (!location || !location[0]) { /* some importers give none, and leave the package as it was unpacked */
        if (scree_library_package(path) && strlen(path) + sizeof "/resources" <= SCREE_PATH_SIZE) {
            strcat(path, "/resources");
            return SCREE_OK;
        }
        return scree_fail(error, SCREE_INVALID,
                          "resourceLocation: missing; this FMU needs the URI of its resources folder, such as "
                          "file:///tmp/fmu/resources, or its shared object beside that folder as in the package");
    }
    if (has_file_scheme(location)) {
        const char *encoded = skip_host(location + strlen("file:"));
        if (!encoded)
            return scree_fail(error, SCREE_INVALID,
                              "resourceLocation \"%.200s\": names another machine; allowed: "
                              "file:///path, file:/path, file://localhost/path",
                              location);
        scree_status status = decode(encoded, path, error);
        if (status != SCREE_OK)
            return status;
#ifdef _WIN32
        if (path[0] == '/' && is_drive(path + 1))
            memmove(path, path + 1, strlen(path));
#endif
    } else {
        if (strlen(location) >= SCREE_PATH_SIZE)
            return scree_fail(error, SCREE_INVALID, "resourceLocation: longer than %d bytes", SCREE_PATH_SIZE - 1);
        strcpy(path, location);
    }
    if (!is_absolute(path))
        return scree_fail(error, SCREE_INVALID,
                          "resourceLocation \"%.200s\": not a file URI with an absolute path, such "
                          "as file:///tmp/fmu/resources",
                          location);
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
        path[end - 1] = '\0';
    return SCREE_OK;
}

/* ---------------------------------------------------------------- files */

/* path: UTF-8, as URIs have it. */
static FILE *open_file(const char *path)
{
#ifdef _WIN32
    wchar_t wide[SCREE_PATH_SIZE + sizeof SETTLED_FILE];
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, (int)(sizeof wide / sizeof wide[0])) == 0) {
        errno = ENOENT;
        return NULL;
    }
    return _wfopen(wide, L"rb");
#else
    return fopen(path, "rb");
#endif
}

static scree_status read_open_file(FILE *file, const char *path, const scree_memory *memory, uint8_t **bytes,
                                   size_t *size, scree_error *error)
{
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (length < 0 || length > LARGEST_SCENE || fseek(file, 0, SEEK_SET) != 0)
        return scree_fail(error, SCREE_IO, "%s: not a regular file of at most %ld bytes", path, LARGEST_SCENE);
    *bytes = memory->allocate(memory->context, (size_t)length + 1);
    if (!*bytes)
        return scree_fail(error, SCREE_MEMORY, "%s: out of memory for %ld bytes", path, length);
    *size = fread(*bytes, 1, (size_t)length, file);
    if (*size == (size_t)length)
        return SCREE_OK;
    memory->release(memory->context, *bytes);
    *bytes = NULL;
    return scree_fail(error, SCREE_IO, "%s: could not be read", path);
}

/* path: of SCREE_PATH_SIZE and the name. A file that must not be there may be missing: *bytes stays NULL. */
static scree_status read_resource(const char *location, const char *name, bool must, char *path,
                                  const scree_memory *memory, uint8_t **bytes, size_t *size, scree_error *error)
{
    scree_status status = scree_resource_path(location, path, error);
    if (status != SCREE_OK)
        return status;
    strcat(path, name);
    FILE *file = open_file(path);
    if (!file && !must && errno == ENOENT)
        return SCREE_OK;
    if (!file)
        return scree_fail(error, SCREE_IO, "%s: %s", path, strerror(errno));
    status = read_open_file(file, path, memory, bytes, size, error);
    fclose(file);
    return status;
}

scree_status scree_resource_settled(const char *location, const scree_memory *memory, uint8_t **bytes, size_t *size,
                                    scree_error *error)
{
    char path[SCREE_PATH_SIZE + sizeof SETTLED_FILE];
    *bytes = NULL;
    *size = 0;
    return read_resource(location, SETTLED_FILE, false, path, memory, bytes, size, error);
}

scree_status scree_resource_scene(const char *location, const scree_memory *memory, scree_scene **scene,
                                  scree_error *error)
{
    char path[SCREE_PATH_SIZE + sizeof SCENE_FILE];
    uint8_t *bytes = NULL;
    size_t size = 0;
    scree_status status = read_resource(location, SCENE_FILE, true, path, memory, &bytes, &size, error);
    if (status != SCREE_OK)
        return status;
    scree_error why = {0};
    status = scree_scene_read(memory, bytes, size, scene, &why);
    memory->release(memory->context, bytes);
    return status == SCREE_OK ? SCREE_OK : scree_fail(error, status, "%s: %s", path, why.text);
}
