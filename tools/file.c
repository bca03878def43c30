#define _XOPEN_SOURCE 700 /* realpath */

#include "file.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading */

static int read_stream(FILE *file, const char *path, size_t most, char **bytes, size_t *size)
{
    size_t capacity = 0, used = 0;
    char *buffer = NULL;
    for (;;) {
        if (used + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            char *larger = realloc(buffer, capacity);
            if (!larger) {
                free(buffer);
                scree_complain("scree: %s: out of memory", path);
                return SCREE_EXIT_FAILED;
            }
            buffer = larger;
        }
        size_t got = fread(buffer + used, 1, capacity - used - 1, file);
        used += got;
        if (used > most) {
            free(buffer);
            scree_complain("%s: the file is too large; allowed: up to %zu MiB", path, most / (1024 * 1024));
            return SCREE_EXIT_BAD;
        }
        if (got == 0)
            break;
    }
    if (ferror(file)) {
        free(buffer);
        scree_complain("%s: cannot be read: %s", path, strerror(errno));
        return SCREE_EXIT_BAD;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return SCREE_EXIT_OK;
}

int scree_read_file(const char *path, size_t most, char **bytes, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about) != 0) {
        scree_complain("%s: cannot be read: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return SCREE_EXIT_BAD;
    }
    int code;
    if (S_ISDIR(about.st_mode)) {
        scree_complain("%s: is a directory; allowed: a file", path);
        code = SCREE_EXIT_BAD;
    } else {
        code = read_stream(file, path, most, bytes, size);
    }
    fclose(file);
    return code;
}

/* ---- writing */

/* Opens a new file beside target, with the permissions that a plain fopen would give. */
static FILE *open_beside(const char *target, char **temporary)
{
    size_t room = strlen(target) + 48;
    *temporary = malloc(room);
    if (!*temporary)
        return NULL;
    for (int i = 0; i < 100; i++) {
        snprintf(*temporary, room, "%s.%ld-%d.tmp", target, (long)getpid(), i);
        int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            return fdopen(descriptor, "wb");
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

bool scree_output_open(scree_output *output, const char *path)
{
    *output = (scree_output){.path = path};
    if (strcmp(path, "-") == 0) {
        output->path = "standard output";
        output->stream = stdout;
        return true;
    }
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode)) {
        scree_complain("%s: cannot be written: is a directory", path);
        return false;
    }
    if (exists && !S_ISREG(about.st_mode)) {
        output->stream = fopen(path, "wb");
    } else {
        output->target = exists ? realpath(path, NULL) : strdup(path); /* a link stays, its target is replaced */
        if (output->target)
            output->stream = open_beside(output->target, &output->temporary);
    }
    if (output->stream)
        return true;
    scree_complain("%s: cannot be written: %s", path, strerror(errno));
    free(output->target);
    free(output->temporary);
    return false;
}

static void forget(scree_output *output)
{
    free(output->target);
    free(output->temporary);
    *output = (scree_output){.stream = NULL};
}

/* Flushes and closes; false when anything written so far did not arrive. */
static bool close_stream(scree_output *output)
{
    bool good = !ferror(output->stream);
    if (fflush(output->stream) != 0)
        good = false;
    if (output->stream != stdout) {
        int reason = errno;
        if (fclose(output->stream) != 0)
            good = false;
        else
            errno = reason;
    }
    return good;
}

bool scree_output_commit(scree_output *output)
{
    bool good = close_stream(output); /* errno: of the write that failed, now or last */
    if (good && output->target)
        good = rename(output->temporary, output->target) == 0;
    if (!good) {
        scree_complain("%s: cannot be written: %s", output->path, errno ? strerror(errno) : "a write failed");
        if (output->temporary)
            unlink(output->temporary);
    }
    forget(output);
    return good;
}

void scree_output_discard(scree_output *output)
{
    if (!output->stream)
        return;
    close_stream(output);
    if (output->temporary)
        unlink(output->temporary);
    forget(output);
}

char *scree_output_keep_partial(scree_output *output)
{
    if (!output->target) {
        scree_output_discard(output);
        return NULL;
    }
    size_t room = strlen(output->target) + sizeof ".partial";
    char *name = malloc(room);
    bool good = close_stream(output) && name;
    if (good) {
        snprintf(name, room, "%s.partial", output->target);
        good = rename(output->temporary, name) == 0;
    }
    if (!good) {
        unlink(output->temporary);
        free(name);
        name = NULL;
    }
    forget(output);
    return name;
}

bool scree_same_file(const char *a, const char *b)
{
    struct stat about_a, about_b;
    return stat(a, &about_a) == 0 && stat(b, &about_b) == 0 && S_ISREG(about_a.st_mode) &&
           about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
}
