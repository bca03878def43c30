#include "bits.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 };

/* ---------------------------------------------------------------- memory */

static void *allocate_plain(void *context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

static void release_plain(void *context, void *block)
{
    (void)context;
    free(block);
}

scree_memory scree_record_memory(const scree_memory *memory)
{
    return memory ? *memory : (scree_memory){.allocate = allocate_plain, .release = release_plain};
}

bool scree_record_reserve(const scree_memory *memory, void **items, size_t *capacity, size_t need, size_t size,
                          bool keep)
{
    if (need <= *capacity)
        return true;
    size_t room = *capacity + *capacity / 2 > need ? *capacity + *capacity / 2 : need;
    void *larger = room <= SIZE_MAX / size ? memory->allocate(memory->context, room * size) : NULL;
    if (!larger)
        return false;
    if (*items) {
        if (keep)
            memcpy(larger, *items, *capacity * size);
        memory->release(memory->context, *items);
    }
    *items = larger;
    *capacity = room;
    return true;
}

/* ---------------------------------------------------------------- bytes */

static uint8_t *extend(scree_pack *pack, size_t size)
{
    void *bytes = pack->bytes;
    if (pack->failed || !scree_record_reserve(&pack->memory, &bytes, &pack->capacity, pack->size + size, 1, true)) {
        pack->failed = true;
        return NULL;
    }
    pack->bytes = bytes;
    pack->size += size;
    return pack->bytes + pack->size - size;
}

static void store_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

void scree_pack_u32(scree_pack *pack, uint32_t value)
{
    uint8_t *to = extend(pack, 4);
    if (to)
        store_u32(to, value);
}

void scree_pack_put_u32(scree_pack *pack, size_t at, uint32_t value)
{
    if (!pack->failed)
        store_u32(pack->bytes + at, value);
}

void scree_pack_f64(scree_pack *pack, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    scree_pack_u32(pack, (uint32_t)bits);
    scree_pack_u32(pack, (uint32_t)(bits >> 32));
}

void scree_pack_text(scree_pack *pack, const char *text, size_t size)
{
    uint8_t *to = extend(pack, size);
    if (to)
        memcpy(to, text, size);
}

void scree_pack_release(scree_pack *pack)
{
    if (pack->bytes)
        pack->memory.release(pack->memory.context, pack->bytes);
    *pack = (scree_pack){.memory = pack->memory};
}

enum { CHUNK_HEAD = 8 };

void scree_pack_begin_chunk(scree_pack *pack, const char tag[4])
{
    pack->size = 0;
    pack->failed = false;
    scree_pack_text(pack, tag, 4);
    scree_pack_u32(pack, 0);
}

void scree_pack_end_chunk(scree_pack *pack)
{
    if (pack->size - CHUNK_HEAD > UINT32_MAX)
        pack->failed = true;
    scree_pack_put_u32(pack, 4, (uint32_t)(pack->size - CHUNK_HEAD));
    if (!pack->failed)
        scree_pack_u32(pack, scree_crc32(0, pack->bytes, pack->size));
}

/* ---------------------------------------------------------------- bits */

static void put_bits(scree_pack *pack, uint32_t value, uint32_t count)
{
    pack->open |= (uint64_t)value << pack->filled;
    pack->filled += count;
    if (pack->filled >= 32) {
        scree_pack_u32(pack, (uint32_t)pack->open);
        pack->open >>= 32;
        pack->filled -= 32;
    }
}

void scree_pack_close_bits(scree_pack *pack)
{
    if (pack->filled)
        scree_pack_u32(pack, (uint32_t)pack->open);
    pack->open = 0;
    pack->filled = 0;
}

static uint32_t width_of(uint32_t value)
{
    uint32_t width = 0;
    while (value) {
        width++;
        value >>= 1;
    }
    return width;
}

void scree_pack_column(scree_pack *pack, const int32_t *numbers, size_t count)
{
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        size_t end = begin + BLOCK < count ? begin + BLOCK : count;
        int32_t least = numbers[begin], most = least;
        for (size_t i = begin + 1; i < end; i++) {
            least = numbers[i] < least ? numbers[i] : least;
            most = numbers[i] > most ? numbers[i] : most;
        }
        put_bits(pack, least != 0 || most != 0, 1);
        if (least == 0 && most == 0)
            continue;
        uint32_t zigzag = least < 0 ? ~((uint32_t)least << 1) : (uint32_t)least << 1;
        uint32_t width = width_of((uint32_t)most - (uint32_t)least), base_width = width_of(zigzag);
        put_bits(pack, width, 6);
        put_bits(pack, base_width, 6);
        put_bits(pack, zigzag, base_width);
        for (size_t i = begin; i < end && width; i++)
            put_bits(pack, (uint32_t)numbers[i] - (uint32_t)least, width);
    }
}

/* ---------------------------------------------------------------- reading */

uint32_t scree_unpack_u32(scree_unpack *unpack)
{
    if (unpack->failed || unpack->size - unpack->at < 4) {
        unpack->failed = true;
        return 0;
    }
    const uint8_t *from = unpack->bytes + unpack->at;
    unpack->at += 4;
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

double scree_unpack_f64(scree_unpack *unpack)
{
    uint64_t low = scree_unpack_u32(unpack), bits = low | (uint64_t)scree_unpack_u32(unpack) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t take_bits(scree_unpack *unpack, uint32_t count)
{
    if (unpack->filled < count) {
        unpack->open |= (uint64_t)scree_unpack_u32(unpack) << unpack->filled;
        unpack->filled += 32;
    }
    uint32_t value = (uint32_t)(unpack->open & (((uint64_t)1 << count) - 1));
    unpack->open >>= count;
    unpack->filled -= count;
    return value;
}

void scree_unpack_column(scree_unpack *unpack, int32_t *numbers, size_t count)
{
    for (size_t begin = 0; begin < count && !unpack->failed; begin += BLOCK) {
        size_t end = begin + BLOCK < count ? begin + BLOCK : count;
        uint32_t width = 0, base = 0;
        if (take_bits(unpack, 1)) {
            width = take_bits(unpack, 6);
            uint32_t base_width = take_bits(unpack, 6);
            if (width > 32 || base_width > 32) {
                unpack->failed = true;
                return;
            }
            uint32_t zigzag = take_bits(unpack, base_width);
            base = zigzag >> 1 ^ (0u - (zigzag & 1));
        }
        for (size_t i = begin; i < end; i++)
            numbers[i] = (int32_t)(base + (width ? take_bits(unpack, width) : 0));
    }
}

/* ---------------------------------------------------------------- checksum */

/* Four bits at a time: 16 entries, fast enough beside the simulation and small enough to check by eye. */
uint32_t scree_crc32(uint32_t before, const void *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *at = bytes;
    uint32_t crc = ~before;
    for (size_t i = 0; i < size; i++) {
        crc = crc >> 4 ^ table[(crc ^ at[i]) & 15];
        crc = crc >> 4 ^ table[(crc ^ (uint32_t)at[i] >> 4) & 15];
    }
    return ~crc;
}
