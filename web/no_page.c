/* In place of the page, when there is no node and npm to build it with. */
#include "page.h"

const scree_page_part scree_page[SCREE_PAGE_PARTS] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
