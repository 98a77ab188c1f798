// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: does KASAN still see errors in vmalloc memory after other vmalloc memory was purged?
 *
 * The module allocates areas of one page, frees the lowest and the highest of them, and purges. The
 * page behind each remaining area must still be poisoned, because no memory is mapped in it. The
 * module loads only if all these pages are poisoned.
 */
#include <linux/kasan.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#define AREAS	96
#define FREED	(AREAS / 3)

static void *area[AREAS];

static int shadow_compare(const void *a, const void *b)
{
	return *(void **)a < *(void **)b ? -1 : 1;
}

static int shadow_alloc(void)
{
	int i;

	for (i = 0; i < AREAS; i++) {
		area[i] = vmalloc(PAGE_SIZE);
		if (!area[i])
			return -ENOMEM;
	}
	sort(area, AREAS, sizeof(area[0]), shadow_compare, NULL);
	return 0;
}

static void shadow_free(int first, int last)
{
	int i;

	for (i = first; i < last; i++) {
		vfree(area[i]);
		area[i] = NULL;
	}
}

/* shadow_lost() - count the areas in use whose guard page is not poisoned */
static int shadow_lost(void)
{
	int i, lost = 0;

	for (i = FREED; i < AREAS - FREED; i++)
		lost += !*(u8 *)kasan_mem_to_shadow(area[i] + PAGE_SIZE);
	return lost;
}

static int __init shadow_init(void)
{
	int lost, r = shadow_alloc();

	if (!r) {
		shadow_free(0, FREED);
		shadow_free(AREAS - FREED, AREAS);
		vm_unmap_aliases();
		lost = shadow_lost();
		pr_info("%d of %d guard pages are not poisoned\n", lost, AREAS - 2 * FREED);
		r = lost ? -ENODATA : 0;
	}
	shadow_free(0, AREAS);
	return r;
}

static void __exit shadow_exit(void)
{
}

module_init(shadow_init);
module_exit(shadow_exit);
MODULE_DESCRIPTION("KASAN's shadow of vmalloc memory after a purge");
MODULE_LICENSE("GPL");
