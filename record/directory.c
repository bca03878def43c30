#ifndef _WIN32
#define _DEFAULT_SOURCE /* flock: of the open file, so that two instances in one process see each other too */
#endif

#include "directory.h"
#include "head.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#include <direct.h>
static int make_directory(const char *path)
{
    return _mkdir(path);
}
static bool lock(int descriptor)
{
    (void)descriptor; /* a second writer is not noticed there */
    return true;
}
#else
#include <sys/file.h>
static int make_directory(const char *path)
{
    return mkdir(path, 0777);
}
static bool lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}
#endif

#ifndef O_BINARY
#define O_BINARY 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

char *scree_record_path(const scree_memory *memory, const char *directory, const char *name)
{
    size_t room = strlen(directory) + strlen(name) + 2;
    char *path = memory->allocate(memory->context, room);
    if (path)
        snprintf(path, room, "%s/%s", directory, name);
    return path;
}

static scree_status out_of_memory(scree_error *error)
{
    return scree_fail(error, SCREE_MEMORY, "out of memory for a recording");
}

/* Whether a file is there and begins with these bytes, or is empty, as a recorder that was stopped leaves it. */
static bool begins_with(const char *path, const char *words)
{
    char bytes[64];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t want = strlen(words), got = fread(bytes, 1, want, file);
    fclose(file);
    return got == 0 || (got == want && memcmp(bytes, words, want) == 0);
}

/* Something in the directory that is not hidden; "" when there is nothing. */
static bool first_name(const char *directory, char *name, size_t room)
{
    DIR *list = opendir(directory);
    if (!list)
        return false;
    name[0] = '\0';
    for (struct dirent *entry; name[0] == '\0' && (entry = readdir(list));)
        if (entry->d_name[0] != '.')
            snprintf(name, room, "%s", entry->d_name);
    closedir(list);
    return true;
}

static scree_status check_content(const char *directory, const char *head, const char *frames, scree_error *error)
{
    char name[256];
    if (!first_name(directory, name, sizeof name))
        return scree_fail(error, SCREE_IO, "%s: cannot be read: %s", directory, strerror(errno));
    bool has_head = access(head, F_OK) == 0, has_frames = access(frames, F_OK) == 0;
    bool is_record = (!has_head || begins_with(head, SCREE_RECORD_BEGIN)) &&
                     (!has_frames || begins_with(frames, "SCRE")) && (has_head || has_frames);
    if (name[0] == '\0' || is_record)
        return SCREE_OK;
    return scree_fail(error, SCREE_INVALID,
                      "%s: holds other things (\"%.80s\"); allowed: a new or an empty directory, or one with a "
                      "recording, which is replaced",
                      directory, name);
}

static scree_status open_frames(const char *path, const char *directory, FILE **frames, scree_error *error)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_BINARY, 0666);
    if (descriptor < 0)
        return scree_fail(error, SCREE_IO, "%s: cannot be written: %s", path, strerror(errno));
    if (!lock(descriptor)) {
        close(descriptor);
        return scree_fail(error, SCREE_IO,
                          "%s: another run is being recorded there; give this one a directory of its own", directory);
    }
    if (ftruncate(descriptor, 0) == 0 && (*frames = fdopen(descriptor, "w+b")))
        return SCREE_OK;
    int reason = errno;
    close(descriptor);
    return scree_fail(error, SCREE_IO, "%s: cannot be written: %s", path, strerror(reason));
}

scree_status scree_record_claim(const scree_memory *memory, const char *directory, FILE **frames, scree_error *error)
{
    struct stat about;
    *frames = NULL;
    if (make_directory(directory) != 0 && errno != EEXIST)
        return scree_fail(error, SCREE_IO, "%s: the directory cannot be made: %s", directory, strerror(errno));
    if (stat(directory, &about) != 0)
        return scree_fail(error, SCREE_IO, "%s: cannot be read: %s", directory, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return scree_fail(error, SCREE_INVALID, "%s: is no directory; allowed: a directory for the recording",
                          directory);
    char *head_path = scree_record_path(memory, directory, "head.json");
    char *frames_path = scree_record_path(memory, directory, "frames.bin");
    scree_status status = SCREE_MEMORY;
    if (!head_path || !frames_path)
        out_of_memory(error);
    else if ((status = check_content(directory, head_path, frames_path, error)) == SCREE_OK)
        status = open_frames(frames_path, directory, frames, error);
    if (head_path)
        memory->release(memory->context, head_path);
    if (frames_path)
        memory->release(memory->context, frames_path);
    return status;
}

static bool write_whole(const char *path, const scree_pack *text)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(text->bytes, 1, text->size, file) == text->size;
    return fclose(file) == 0 && good;
}

scree_status scree_record_put_head(const scree_memory *memory, const char *directory, const scree_pack *text,
                                   scree_error *error)
{
    char *path = scree_record_path(memory, directory, "head.json");
    char *temporary = scree_record_path(memory, directory, ".head.json.tmp");
    scree_status status = SCREE_OK;
    if (!path || !temporary || text->failed) {
        status = out_of_memory(error);
    } else if (!write_whole(temporary, text) || rename(temporary, path) != 0) {
        status = scree_fail(error, SCREE_IO, "%s: cannot be written: %s", path, strerror(errno));
        remove(temporary);
    }
    if (path)
        memory->release(memory->context, path);
    if (temporary)
        memory->release(memory->context, temporary);
    return status;
}

bool scree_record_truncate(FILE *file, uint64_t size)
{
    return fflush(file) == 0 && ftruncate(fileno(file), (off_t)size) == 0 && fseek(file, 0, SEEK_END) == 0;
}
