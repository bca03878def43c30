#include "base/bytes.h"

#include <string.h>

void scree_write_bytes(scree_writer *writer, const void *bytes, size_t size)
{
    if (writer->failed || size == 0)
        return;
    void *block = writer->bytes;
    if (!scree_reserve(&writer->memory, &block, &writer->capacity, writer->size, writer->size + size, 1)) {
        writer->failed = true;
        return;
    }
    writer->bytes = block;
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
}

void scree_write_u32(scree_writer *writer, uint32_t value)
{
    uint8_t out[4];
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
    scree_write_bytes(writer, out, sizeof out);
}

void scree_write_u64(scree_writer *writer, uint64_t value)
{
    uint8_t out[8];
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(value >> (8 * i));
    scree_write_bytes(writer, out, sizeof out);
}

void scree_write_f64(scree_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    scree_write_u64(writer, bits);
}

void scree_write_string(scree_writer *writer, const char *text)
{
    size_t size = strlen(text);
    scree_write_u32(writer, (uint32_t)size);
    scree_write_bytes(writer, text, size);
}

static const uint8_t *take(scree_reader *reader, size_t size)
{
    if (reader->failed || reader->size - reader->at < size) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *at = reader->bytes + reader->at;
    reader->at += size;
    return at;
}

uint32_t scree_read_u32(scree_reader *reader)
{
    const uint8_t *at = take(reader, 4);
    uint32_t value = 0;
    for (int i = 0; at && i < 4; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

uint64_t scree_read_u64(scree_reader *reader)
{
    const uint8_t *at = take(reader, 8);
    uint64_t value = 0;
    for (int i = 0; at && i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

double scree_read_f64(scree_reader *reader)
{
    uint64_t bits = scree_read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void scree_read_string(scree_reader *reader, char *text, size_t room)
{
    text[0] = '\0';
    uint32_t size = scree_read_u32(reader);
    if (reader->failed || size >= room) {
        reader->failed = true;
        return;
    }
    const uint8_t *at = take(reader, size);
    if (!at)
        return;
    if (memchr(at, 0, size)) {
        reader->failed = true;
        return;
    }
    memcpy(text, at, size);
    text[size] = '\0';
}
