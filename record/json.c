#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16 };

typedef struct parser {
    scree_json *nodes;
    size_t used, room;
    char *begin, *at; /* the text, closed by a zero; strings are unescaped where they stand */
    const char *wrong;
} parser;

static bool fail(parser *p, const char *wrong)
{
    if (!p->wrong)
        p->wrong = wrong;
    return false;
}

static void skip_space(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool take_hex(const char *from, unsigned *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *found = from[i] ? strchr(digits, from[i]) : NULL;
        if (!found)
            return false;
        *value = *value << 4 | ((unsigned)(found - digits) & 15);
    }
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else { /* one half of a surrogate pair comes out as it is: our own writer has no need of them */
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

/* at stands behind the opening quote. */
static const char *take_string(parser *p)
{
    char *begin = p->at, *to = begin;
    while (*p->at && *p->at != '"') {
        if (*p->at != '\\') {
            *to++ = *p->at++;
            continue;
        }
        static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
        char letter = p->at[1];
        const char *found = letter ? strchr(names, letter) : NULL;
        unsigned code;
        if (found) {
            *to++ = values[found - names];
            p->at += 2;
        } else if (letter == 'u' && take_hex(p->at + 2, &code) && code != 0) {
            to = put_utf8(to, code);
            p->at += 6;
        } else {
            fail(p, "a backslash that means nothing");
            return NULL;
        }
    }
    if (!*p->at) {
        fail(p, "a string without its end");
        return NULL;
    }
    p->at++;
    *to = '\0'; /* at or before the closing quote */
    return begin;
}

static bool take_value(parser *p, scree_json *node, int depth);

static bool take_children(parser *p, scree_json *node, char close, int depth)
{
    scree_json **link = &node->first;
    for (p->at++, skip_space(p); *p->at != close; skip_space(p)) {
        if (node->count > 0) {
            if (*p->at != ',')
                return fail(p, "a comma or the end of a list is missing");
            p->at++;
            skip_space(p);
        }
        if (p->used >= p->room)
            return fail(p, "more values than separators");
        scree_json *child = &p->nodes[p->used++];
        if (node->kind == SCREE_JSON_OBJECT) {
            if (*p->at != '"')
                return fail(p, "the name of a member is missing");
            p->at++;
            child->name = take_string(p);
            skip_space(p);
            if (!child->name || *p->at != ':')
                return fail(p, "a colon is missing");
            p->at++;
        }
        if (!take_value(p, child, depth + 1))
            return false;
        *link = child;
        link = &child->next;
        node->count++;
    }
    p->at++;
    return true;
}

static bool take_word(parser *p, scree_json *node)
{
    static const struct {
        const char *word;
        scree_json_kind kind;
        double number;
    } words[] = {{"null", SCREE_JSON_NULL, 0.0}, {"true", SCREE_JSON_BOOLEAN, 1.0}, {"false", SCREE_JSON_BOOLEAN, 0.0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(p->at, words[i].word, strlen(words[i].word)) == 0) {
            node->kind = words[i].kind;
            node->number = words[i].number;
            p->at += strlen(words[i].word);
            return true;
        }
    return fail(p, "not a value");
}

static bool take_value(parser *p, scree_json *node, int depth)
{
    skip_space(p);
    if (depth > MOST_DEPTH)
        return fail(p, "lists in lists too deep");
    if (*p->at == '{' || *p->at == '[') {
        node->kind = *p->at == '{' ? SCREE_JSON_OBJECT : SCREE_JSON_LIST;
        return take_children(p, node, *p->at == '{' ? '}' : ']', depth);
    }
    if (*p->at == '"') {
        p->at++;
        node->kind = SCREE_JSON_STRING;
        node->text = take_string(p);
        return node->text != NULL;
    }
    if (*p->at == '-' || (*p->at >= '0' && *p->at <= '9')) {
        char *end;
        node->kind = SCREE_JSON_NUMBER;
        node->number = strtod(p->at, &end);
        p->at = end;
        return true;
    }
    return take_word(p, node);
}

/* Every value but the root is the first of its list or follows a comma. */
static size_t count_nodes(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == ',' || *text == '[' || *text == '{';
    return count;
}

scree_status scree_json_parse(const char *text, size_t size, const scree_memory *memory, scree_json_tree *tree,
                              scree_error *error)
{
    *tree = (scree_json_tree){.memory = *memory};
    tree->text = memory->allocate(memory->context, size + 1);
    if (tree->text) {
        memcpy(tree->text, text, size);
        tree->text[size] = '\0';
    }
    parser p = {.begin = tree->text, .at = tree->text, .room = tree->text ? count_nodes(tree->text) : 0, .used = 1};
    if (tree->text)
        p.nodes = tree->nodes = memory->allocate(memory->context, p.room * sizeof *p.nodes);
    if (!p.nodes) {
        scree_json_release(tree);
        return scree_fail(error, SCREE_MEMORY, "out of memory for %zu bytes of JSON", size);
    }
    if (take_value(&p, p.nodes, 0)) {
        skip_space(&p);
        if (*p.at == '\0' && p.at == tree->text + size)
            return SCREE_OK;
        fail(&p, "more after the end");
    }
    size_t line = 1, column = 1, end = (size_t)(p.at - p.begin);
    for (size_t i = 0; i < size && i < end; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    scree_json_release(tree);
    return scree_fail(error, SCREE_FORMAT, "%zu:%zu: not JSON: %s", line, column, p.wrong);
}

void scree_json_release(scree_json_tree *tree)
{
    if (tree->text)
        tree->memory.release(tree->memory.context, tree->text);
    if (tree->nodes)
        tree->memory.release(tree->memory.context, tree->nodes);
    tree->text = NULL;
    tree->nodes = NULL;
}

const scree_json *scree_json_get(const scree_json *object, const char *name, scree_json_kind kind)
{
    if (!object || object->kind != SCREE_JSON_OBJECT)
        return NULL;
    for (const scree_json *member = object->first; member; member = member->next)
        if (strcmp(member->name, name) == 0)
            return member->kind == kind ? member : NULL;
    return NULL;
}

double scree_json_number(const scree_json *object, const char *name, double otherwise)
{
    const scree_json *member = scree_json_get(object, name, SCREE_JSON_NUMBER);
    return member ? member->number : otherwise;
}

const char *scree_json_text(const scree_json *object, const char *name, const char *otherwise)
{
    const scree_json *member = scree_json_get(object, name, SCREE_JSON_STRING);
    return member ? member->text : otherwise;
}
