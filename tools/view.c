/*
 * `scree view`: a recording as one page that a browser opens without a network. The page is the one built from web/;
 * this puts head.json and the frames into it, as base64 in blocks of whole chunks.
 */
#include "command.h"
#include "file.h"
#include "number.h"
#include "page.h"
#include "progress.h"
#include "recording.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT, FROM, TO, EVERY, OPTION_COUNT };

static const scree_option options[OPTION_COUNT] = {
    [OUTPUT] = {"output", 'o', "PAGE.html", "where the page goes"},
    [FROM] = {"from", 0, "T", "leave out the frames before this time, in s"},
    [TO] = {"to", 0, "T", "leave out the frames after this time, in s"},
    [EVERY] = {"every", 0, "N", "only every N-th frame, for a smaller page"},
};

#define MOST_HEAD  ((size_t)1 << 29)
#define BLOCK_SIZE 1500000 /* bytes of frames from which on a block is closed */

typedef struct request {
    const char *record, *output;
    scree_excerpt part;
} request;

typedef struct page {
    scree_output output;
    scree_progress progress;
    uint32_t frames, written; /* written: chunks */
    int reason;               /* errno of the first write that failed */
    uint8_t *block;           /* frames that wait to be written, so that base64 pads once a block */
    size_t size, room;
} page;

/* ---------------------------------------------------------------- what is asked */

static bool parse_option(int option, const char *text, request *asked)
{
    double value;
    bool good = scree_parse_number(text, &value);
    if (option == EVERY)
        good = good && value >= 1.0 && value <= 1e9 && value == floor(value);
    if (!good) {
        scree_complain("scree view: --%s = \"%.64s\"; allowed: %s", options[option].name, text,
                       option == EVERY ? "a whole number from 1" : "a number, in s");
        return false;
    }
    if (option == FROM)
        asked->part.from = value;
    else if (option == TO)
        asked->part.to = value;
    else
        asked->part.every = (uint32_t)value;
    return true;
}

static bool parse_request(const scree_command *command, int argc, char **argv, request *asked)
{
    scree_arguments arguments = {.command = command, .argc = argc, .argv = argv};
    for (;;) {
        int found = scree_arguments_next(&arguments);
        if (found == OUTPUT) {
            asked->output = arguments.value;
        } else if (found >= 0) {
            if (!parse_option(found, arguments.value, asked))
                return false;
        } else if (!scree_arguments_take(&arguments, found, "recording", &asked->record)) {
            return false;
        } else if (found == SCREE_ARGUMENT_END) {
            break;
        }
    }
    if (!asked->output)
        scree_complain("scree view: where to? usage: scree view %s", command->synopsis);
    return asked->output != NULL;
}

/* ---------------------------------------------------------------- writing */

static void put(page *p, const void *bytes, size_t size)
{
    errno = 0;
    if (fwrite(bytes, 1, size, p->output.stream) != size && !p->reason)
        p->reason = errno ? errno : EIO;
}

static void put_text(page *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_part(page *p, int part)
{
    put(p, scree_page[part].bytes, scree_page[part].size);
}

/* A JSON text inside a script: a < could end it, and stands in strings only, where it may be written as its number. */
static void put_head(page *p, const char *text, size_t size)
{
    put_text(p, "<script id=\"scree-head\" type=\"application/json\">");
    for (size_t begin = 0, end; begin < size; begin = end + 1) {
        const char *found = memchr(text + begin, '<', size - begin);
        end = found ? (size_t)(found - text) : size;
        put(p, text + begin, end - begin);
        if (found)
            put_text(p, "\\u003c");
    }
    put_text(p, "</script>\n");
}

static void put_base64(page *p, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * 1024];
    for (size_t at = 0; at < size;) {
        size_t used = 0;
        for (; at < size && used < sizeof text; at += 3, used += 4) {
            size_t left = size - at;
            uint32_t three = (uint32_t)bytes[at] << 16 | (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                             (left > 2 ? bytes[at + 2] : 0);
            text[used] = digits[three >> 18];
            text[used + 1] = digits[three >> 12 & 63];
            text[used + 2] = left > 1 ? digits[three >> 6 & 63] : '=';
            text[used + 3] = left > 2 ? digits[three & 63] : '=';
        }
        put(p, text, used);
    }
}

static void put_block(page *p)
{
    if (p->size == 0)
        return;
    put_text(p, "<script class=\"scree-frames\" type=\"application/octet-stream\">");
    put_base64(p, p->block, p->size);
    put_text(p, "</script>\n");
    p->size = 0;
}

static scree_status check_stream(const page *p, scree_error *error)
{
    return p->reason ? scree_fail(error, SCREE_IO, "%s: cannot be written: %s", p->output.path, strerror(p->reason))
                     : SCREE_OK;
}

static scree_status put_chunk(void *context, const uint8_t *bytes, size_t size, scree_error *error)
{
    page *p = context;
    if (p->size + size > p->room) {
        size_t room = p->size + size + BLOCK_SIZE;
        uint8_t *larger = realloc(p->block, room);
        if (!larger)
            return scree_fail(error, SCREE_MEMORY, "out of memory for a block of frames");
        p->block = larger;
        p->room = room;
    }
    memcpy(p->block + p->size, bytes, size);
    p->size += size;
    if (p->size >= BLOCK_SIZE)
        put_block(p);
    char note[64];
    snprintf(note, sizeof note, "frame %u of %u", p->written, p->frames);
    scree_progress_update(&p->progress, fmin(1.0, p->written++ / (p->frames + 1.0)), note);
    return check_stream(p, error);
}

static scree_status write_page(page *p, scree_recording *recording, const scree_excerpt *part, const char *head,
                               size_t head_size, scree_error *error)
{
    put_part(p, SCREE_PAGE_BEFORE_HEAD);
    put_head(p, head, head_size);
    put_part(p, SCREE_PAGE_BEFORE_FRAMES);
    p->progress = scree_progress_start(p->output.stream != stdout);
    scree_status status = scree_recording_excerpt(recording, part, put_chunk, p, error);
    scree_progress_end(&p->progress);
    put_block(p);
    put_part(p, SCREE_PAGE_AFTER);
    return status != SCREE_OK ? status : check_stream(p, error);
}

/* ---------------------------------------------------------------- the whole */

/* Writing the page over what it is made of is never meant. */
static bool check_target(const request *asked)
{
    static const char *const names[] = {"head.json", "frames.bin"};
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", asked->record, names[i]);
        if (scree_same_file(asked->output, path)) {
            scree_complain("scree view: --output %s is part of the recording; give it another name", asked->output);
            return false;
        }
    }
    return true;
}

static bool check_part(const scree_recording *recording, const request *asked, uint32_t *frames)
{
    uint32_t all = scree_recording_frames(recording);
    *frames = scree_recording_count(recording, &asked->part);
    if (*frames > 0)
        return true;
    if (all == 0)
        scree_complain("%s: a recording without frames; there is nothing to view", asked->record);
    else
        scree_complain("%s: no frames from %g to %g s; the recording goes from %g to %g s", asked->record,
                       asked->part.from, asked->part.to, scree_recording_time(recording, 0),
                       scree_recording_time(recording, all - 1));
    return false;
}

static int make_page(scree_recording *recording, const request *asked)
{
    page p = {.block = NULL};
    char path[4096], *head;
    size_t head_size;
    if (!check_part(recording, asked, &p.frames) || !check_target(asked))
        return SCREE_EXIT_BAD;
    snprintf(path, sizeof path, "%s/head.json", asked->record);
    int code = scree_read_file(path, MOST_HEAD, &head, &head_size);
    if (code != SCREE_EXIT_OK)
        return code;
    if (scree_output_open(&p.output, asked->output)) {
        scree_error error = {SCREE_OK, ""};
        scree_status status = write_page(&p, recording, &asked->part, head, head_size, &error);
        if (status == SCREE_OK) {
            code = scree_output_commit(&p.output) ? SCREE_EXIT_OK : SCREE_EXIT_FAILED;
        } else {
            scree_complain("scree view: %s", error.text);
            scree_output_discard(&p.output);
            code = scree_exit_code(status);
        }
    } else {
        code = SCREE_EXIT_FAILED;
    }
    free(p.block);
    free(head);
    return code;
}

static int view(const scree_command *command, int argc, char **argv)
{
    request asked = {.part = {.from = -INFINITY, .to = INFINITY, .every = 1}};
    scree_recording *recording;
    scree_error error;
    if (!parse_request(command, argc, argv, &asked))
        return SCREE_EXIT_BAD;
    if (scree_page[SCREE_PAGE_BEFORE_HEAD].size == 0) {
        scree_complain("scree view: this program was built without the page; install node and npm and build it again");
        return SCREE_EXIT_FAILED;
    }
    scree_status status = scree_recording_open(asked.record, NULL, &recording, &error);
    if (status != SCREE_OK) {
        scree_complain("scree view: %s", error.text);
        return scree_exit_code(status);
    }
    int code = make_page(recording, &asked);
    scree_recording_close(recording);
    return code;
}

static const char *const examples[] = {"scree view out/run -o out/page.html", "then open out/page.html in a browser",
                                       NULL};

const scree_command scree_command_view = {
    .name = "view",
    .synopsis = "RECORD -o PAGE.html [OPTION]…",
    .summary = "make a page that replays a recording in a browser, without a network",
    .details = "RECORD is a directory that `scree run --record` or an FMU has made.",
    .operand = "RECORD",
    .options = options,
    .option_count = OPTION_COUNT,
    .examples = examples,
    .run = view,
};
