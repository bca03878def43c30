#include "collide/contacts.h"

#include <string.h>

void scree_contact_list_free(scree_contact_list *list, const scree_memory *memory)
{
    scree_release(memory, list->items);
    scree_release(memory, list->starts);
    *list = (scree_contact_list){0};
}

/* Sorts a few contacts of one particle by b. */
static void sort_by_b(scree_contact *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        scree_contact item = items[i];
        uint32_t k = i;
        for (; k > 0 && items[k - 1].b > item.b; k--)
            items[k] = items[k - 1];
        items[k] = item;
    }
}

/* Both ranges are sorted by b: a merge carries the impulses over. */
static void inherit(scree_contact *items, uint32_t count, const scree_contact *last, uint32_t last_count)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (k < last_count && last[k].b < items[i].b)
            k++;
        if (k < last_count && last[k].b == items[i].b)
            items[i] = last[k];
    }
}

bool scree_contact_list_renew(scree_contact_list *list, const scree_contact_list *last, const scree_memory *memory,
                              uint32_t particles, const scree_candidate *candidates, size_t count)
{
    void *items = list->items, *starts = list->starts;
    bool room = scree_reserve(memory, &items, &list->capacity, 0, count, sizeof *list->items);
    list->items = items;
    room =
        room && scree_reserve(memory, &starts, &list->starts_capacity, 0, (size_t)particles + 2, sizeof *list->starts);
    list->starts = starts;
    if (!room)
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
        if (last->starts)
            inherit(list->items + begin, size, last->items + last->starts[a], last->starts[a + 1] - last->starts[a]);
    }
    return true;
}
