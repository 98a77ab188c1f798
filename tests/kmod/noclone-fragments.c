// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: no two neighbouring pages are free, until rmmod. Half of the free memory is held, and
 * cannot be moved.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>

#define LARGEST_ORDER	9
/* Without reclaim: only what is free */
#define FRAGMENTS_GFP	(__GFP_NOWARN | __GFP_NOMEMALLOC)

/* Held pages; each begins with the next one */
static struct page *held;

static void fragments_hold(struct page *page)
{
	*(struct page **)page_address(page) = held;
	held = page;
}

/* Hold every second page, and free the others. */
static void fragments_make(struct page *page, unsigned int order)
{
	unsigned int i;

	split_page(page, order);
	for (i = 0; i < 1U << order; i += 2) {
		fragments_hold(page + i);
		__free_page(page + i + 1);
	}
}

static int __init fragments_init(void)
{
	unsigned int order;
	struct page *page;

	for (order = LARGEST_ORDER; order; order--) {
		while ((page = alloc_pages(FRAGMENTS_GFP, order))) {
			fragments_make(page, order);
			cond_resched();
		}
	}
	return 0;
}

static void __exit fragments_exit(void)
{
	struct page *page;

	while ((page = held)) {
		held = *(struct page **)page_address(page);
		__free_page(page);
	}
}

module_init(fragments_init);
module_exit(fragments_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Fragments free memory, for tests of dm-noclone");
