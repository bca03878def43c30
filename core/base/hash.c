/*
 * A 128-bit content hash: two lanes of FNV-1a with different primes, mixed at the end of every call. It names content
 * (GUIDs, scene and state identity); it is no defence against someone who wants a collision.
 */
#include "scree.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

void scree_hash_add(scree_hash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t a = hash->a ^ 0xcbf29ce484222325ULL;
    uint64_t b = hash->b ^ 0x9e3779b97f4a7c15ULL;
    for (size_t i = 0; i < size; i++) {
        a = (a ^ at[i]) * 0x00000100000001b3ULL;
        b = (b ^ at[i]) * 0xff51afd7ed558ccdULL;
    }
    hash->a = mix(a ^ (uint64_t)size);
    hash->b = mix(b + a);
}
