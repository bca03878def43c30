/*
 * The page of `scree view`, built from web/ and compiled in: what stands before the recording's head, what between head
 * and frames, and what after the frames. A build without node and npm has empty parts.
 */
#ifndef SCREE_TOOLS_PAGE_H
#define SCREE_TOOLS_PAGE_H

#include <stddef.h>

enum { SCREE_PAGE_BEFORE_HEAD, SCREE_PAGE_BEFORE_FRAMES, SCREE_PAGE_AFTER, SCREE_PAGE_PARTS };

typedef struct scree_page_part {
    const unsigned char *bytes;
    size_t size;
} scree_page_part;

extern const scree_page_part scree_page[SCREE_PAGE_PARTS];

#endif
