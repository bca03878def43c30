#include "collide/contacts.h"

#include <string.h>

void scree_contact_list_free(scree_contact_list *list, const scree_memory *memory)
{
    scree_release(memory, list->items);
    scree_release(memory, list->starts);
    scree_release(memory, list->normals);
    *list = (scree_contact_list){0};
}

/* Sorts the contacts of one particle by b: a few, or thousands when it is a boulder (D. Shell, 1959). */
static void sort_by_b(scree_contact *items, uint32_t count)
{
    static const uint32_t gaps[] = {29524, 9841, 3280, 1093, 364, 121, 40, 13, 4, 1}; /* (3^k − 1) / 2 */
    for (size_t g = 0; count > 1 && g < sizeof gaps / sizeof gaps[0]; g++)
        for (uint32_t i = gaps[g], gap = gaps[g]; i < count; i++) {
            scree_contact item = items[i];
            uint32_t k = i;
            for (; k >= gap && items[k - gap].b > item.b; k -= gap)
                items[k] = items[k - gap];
            items[k] = item;
        }
}

/* Both lists are sorted by b within a particle: a merge carries impulses and normals over. */
static void inherit(scree_contact_list *list, const scree_contact_list *last, uint32_t a)
{
    uint32_t k = last->starts ? last->starts[a] : 0, end = last->starts ? last->starts[a + 1] : 0;
    for (uint32_t i = list->starts[a]; i < list->starts[a + 1]; i++) {
        while (k < end && last->items[k].b < list->items[i].b)
            k++;
        bool known = k < end && last->items[k].b == list->items[i].b;
        if (known)
            list->items[i] = last->items[k];
        list->normals[i] = known ? last->normals[k] : (vec3){0.0, 0.0, 0.0};
    }
}

static bool reserve(scree_contact_list *list, const scree_memory *memory, uint32_t particles, size_t count)
{
    void *items = list->items, *starts = list->starts, *normals = list->normals;
    bool room = scree_reserve(memory, &items, &list->capacity, 0, count, sizeof *list->items);
    list->items = items;
    room =
        room && scree_reserve(memory, &starts, &list->starts_capacity, 0, (size_t)particles + 2, sizeof *list->starts);
    list->starts = starts;
    room = room && scree_reserve(memory, &normals, &list->normals_capacity, 0, count, sizeof *list->normals);
    list->normals = normals;
    return room;
}

bool scree_contact_list_renew(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                              uint32_t particles, const scree_candidate *candidates, size_t count)
{
    if (!reserve(list, memory, particles, count))
        return false;
    list->count = count;

    /* counting sort by a: starts is used shifted by one while the items are dealt out */
    uint32_t *next = list->starts + 1;
    memset(list->starts, 0, ((size_t)particles + 2) * sizeof *list->starts);
    for (size_t i = 0; i < count; i++)
        next[candidates[i].a + 1]++;
    for (uint32_t a = 0; a < particles; a++)
        next[a + 1] += next[a];
    for (size_t i = 0; i < count; i++) {
        scree_contact *item = &list->items[next[candidates[i].a]++];
        *item = (scree_contact){.a = candidates[i].a, .b = candidates[i].b};
    }
    for (uint32_t a = 0; a < particles; a++) {
        uint32_t begin = list->starts[a], size = list->starts[a + 1] - begin;
        sort_by_b(list->items + begin, size);
        inherit(list, last, a);
    }
    return true;
}

bool scree_contact_list_renumber(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                                 const uint32_t *to, uint32_t before, uint32_t after)
{
    if (!reserve(list, memory, after, last->count))
        return false;
    uint32_t *next = list->starts + 1; /* as above */
    memset(list->starts, 0, ((size_t)after + 2) * sizeof *list->starts);
    list->count = 0;
    for (uint32_t i = 0; last->starts && i < last->starts[before]; i++) {
        uint32_t a = to[last->items[i].a];
        if (a == UINT32_MAX)
            continue;
        next[a + 1]++;
        list->count++;
    }
    for (uint32_t a = 0; a < after; a++)
        next[a + 1] += next[a];
    for (uint32_t i = 0; last->starts && i < last->starts[before]; i++) {
        scree_contact item = last->items[i];
        item.a = to[item.a];
        if (item.a == UINT32_MAX)
            continue;
        uint32_t at = next[item.a]++;
        list->items[at] = item;
        list->normals[at] = last->normals[i]; /* the sort below leaves contacts of one particle as they are */
    }
    for (uint32_t a = 0; a < after; a++)
        sort_by_b(list->items + list->starts[a], list->starts[a + 1] - list->starts[a]);
    return true;
}

bool scree_contact_list_extend(scree_contact_list *list, const scree_memory *memory, uint32_t before, uint32_t after)
{
    if (!list->starts)
        return true;
    void *starts = list->starts;
    bool room = scree_reserve(memory, &starts, &list->starts_capacity, (size_t)before + 1, (size_t)after + 2,
                              sizeof *list->starts);
    list->starts = starts;
    for (uint32_t a = before; room && a < after; a++)
        list->starts[a + 1] = list->starts[before];
    return room;
}
