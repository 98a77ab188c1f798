// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vectors of a bio, cut into pieces: each byte of memory comes once, in order, for any vectors.
 */
#include "unit.h"

#include <sys/types.h>

#define PAGE_SHIFT	12
#define PAGES		64
#define VECTORS		24

struct page {
	char unused;
};

#define noclone_compat_nth_page(page, n)	((page) + (n))
#ifndef __always_inline
#define __always_inline inline
#endif
#include "noclone-cursor.h"
#include "base/util.h"

static struct page pages[PAGES];

/* Return: the address of byte @n of the vectors. */
static size_t address(const struct bio_vec *bv, size_t n)
{
	for (; n >= bv->bv_len; bv++)
		n -= bv->bv_len;
	return ((size_t)(bv->bv_page - pages) << PAGE_SHIFT) + bv->bv_offset + n;
}

/* Make vectors; some are longer than a page, and some begin beyond their page. */
static size_t make_vectors(struct bio_vec *bv)
{
	size_t i, sum = 0;

	for (i = 0; i < VECTORS; i++) {
		bv[i].bv_page = &pages[rand() % (PAGES / 2)];
		bv[i].bv_offset = rand() % 3 ? 512 * (rand() % 8) : 512 * (rand() % 24);
		bv[i].bv_len = rand() % 3 ? 4096 : 512 * (1 + rand() % 64);
		sum += bv[i].bv_len;
	}
	return sum;
}

static void check_cut(const struct bio_vec *bv, size_t at, size_t bytes, size_t *end,
		      struct noclone_cursor *c)
{
	struct bio_vec copy[VECTORS + 1];
	struct noclone_cursor same = *c;
	unsigned int i, nr = noclone_cursor_take(c, bytes, copy);
	size_t n = 0, byte;

	assert_int_equal(noclone_cursor_take(&same, bytes, NULL), nr);
	assert_memory_equal(&same, c, sizeof(same));
	for (i = 0; i < nr; i++) {
		assert_true(copy[i].bv_len && copy[i].bv_len <= c->longest);
		assert_true(copy[i].bv_offset < 1 << PAGE_SHIFT);
		for (byte = 0; byte < copy[i].bv_len; byte += 512)
			assert_int_equal(address(&copy[i], byte), address(bv, at + n + byte));
		n += copy[i].bv_len;
	}
	assert_int_equal(n, bytes);
	*end = address(bv, at + bytes - 1) + 1;
	assert_int_equal(c->end % 4096, *end % 4096);
}

static void cuts_hold_each_byte_once(void **state __unused)
{
	struct bio_vec bv[VECTORS + 1] = { };
	unsigned int round;

	srand(1);
	for (round = 0; round < 2000; round++) {
		struct noclone_cursor c = { .bv = bv };
		size_t sum = make_vectors(bv), at = 0, bytes, end;

		/* Begin in the middle of a vector. */
		c.done = at = 512 * (rand() % (bv[0].bv_len / 512));
		for (; at < sum; at += bytes) {
			bytes = 512 * (1 + rand() % 200);
			if (bytes > sum - at)
				bytes = sum - at;
			check_cut(bv, at, bytes, &end, &c);
		}
		assert_ptr_equal(c.bv, bv + VECTORS);
		assert_int_equal(c.done, 0);
	}
}

static void segments_are_no_fewer_than_vectors(void **state __unused)
{
	assert_int_equal(noclone_cursor_segments(4, 65536, UINT32_MAX), 5);
	assert_int_equal(noclone_cursor_segments(4, 65536, 65536), 5);
	assert_int_equal(noclone_cursor_segments(4, 65536, 65535), 9);
	assert_int_equal(noclone_cursor_segments(4, 65536, 4096), 65);
	assert_int_equal(noclone_cursor_segments(1, UINT32_MAX, UINT32_MAX), 2);
	assert_int_equal(noclone_cursor_segments(1, UINT32_MAX, 1U << 31), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_hold_each_byte_once),
		cmocka_unit_test(segments_are_no_fewer_than_vectors),
	};

	return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
