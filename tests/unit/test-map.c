// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare the mapping arithmetic with the definition of a stripe, which uses plain divisions here,
 * for many geometries: chunks and numbers of legs that are powers of two or not, chunks of one
 * sector, offsets beyond 2^32, and the largest possible numbers.
 */
#include "unit.h"

#include "noclone-map.h"
#include "base/util.h"

static const u32 stripe_counts[] = { 1, 2, 3, 4, 5, 7, 8, 16, 255, 65537 };
static const u32 chunks[] = { 1, 2, 3, 7, 8, 48, 128, 1000, 2048, UINT32_MAX };
static const u64 begins[] = { 0, 8, 1000001, 1ULL << 32, (1ULL << 40) + 3 };

typedef void (*geometry_check)(const struct noclone_layout *l, u64 sector);

/* Check sectors around borders of chunks and rows and around 2^32, for each geometry. */
static void for_each_geometry(geometry_check check)
{
	size_t s, c, b;

	for (s = 0; s < ARRAY_SIZE(stripe_counts); s++)
		for (c = 0; c < ARRAY_SIZE(chunks); c++)
			for (b = 0; b < ARRAY_SIZE(begins); b++) {
				u64 row = (u64)stripe_counts[s] * chunks[c];
				u64 at[] = { 0, chunks[c], row, 2 * row,
					     row + chunks[c], 7 * row + 1,
					     1ULL << 32, (1ULL << 44) + 5 };
				struct noclone_layout l;
				size_t i;

				noclone_layout_init(&l, begins[b],
						    stripe_counts[s], chunks[c]);
				for (i = 0; i < ARRAY_SIZE(at); i++) {
					check(&l, begins[b] + at[i]);
					check(&l, begins[b] + at[i] + 1);
					if (at[i])
						check(&l, begins[b] + at[i] - 1);
				}
			}
}

static u64 expected_place(const struct noclone_layout *l, u64 sector, u32 *leg)
{
	u64 offset = sector - l->begin;
	u64 chunk = offset / l->chunk_sectors;

	*leg = chunk % l->stripes;
	return chunk / l->stripes * l->chunk_sectors + offset % l->chunk_sectors;
}

static void check_sector(const struct noclone_layout *l, u64 sector)
{
	u32 leg, expected_leg;
	u64 expected = expected_place(l, sector, &expected_leg);

	assert_int_equal(noclone_map_sector(l, sector, &leg), expected);
	assert_int_equal(leg, expected_leg);
}

static void map_sector_is_the_definition(void **state __unused)
{
	for_each_geometry(check_sector);
}

static void check_left(const struct noclone_layout *l, u64 sector)
{
	u32 left = noclone_chunk_left(l, sector);
	u32 leg, last_leg, next_leg;
	u64 here = noclone_map_sector(l, sector, &leg);

	assert_in_range(left, 1, l->chunk_sectors);
	/* the mapping is contiguous up to the last sector of the chunk, and then jumps */
	assert_int_equal(noclone_map_sector(l, sector + left - 1, &last_leg),
			 here + left - 1);
	assert_int_equal(last_leg, leg);
	noclone_map_sector(l, sector + left, &next_leg);
	assert_int_equal(next_leg, (leg + 1) % l->stripes);
}

static void chunk_left_ends_at_the_border(void **state __unused)
{
	for_each_geometry(check_left);
}

static void map_is_a_bijection(void **state __unused)
{
	static bool used[5][7 * 20];
	struct noclone_layout l;
	u64 sector;
	u32 leg;

	noclone_layout_init(&l, 100, 5, 7);
	for (sector = 100; sector < 100 + 5 * 7 * 20; sector++) {
		u64 place = noclone_map_sector(&l, sector, &leg);

		assert_true(leg < 5 && place < 7 * 20);
		assert_false(used[leg][place]);
		used[leg][place] = true;
	}
}

static void linear_is_an_offset(void **state __unused)
{
	struct noclone_layout l;
	u32 leg = 9;

	noclone_layout_init(&l, 1ULL << 33, 1, 0);
	assert_int_equal(noclone_map_sector(&l, (1ULL << 33) + 77, &leg), 77);
	assert_int_equal(leg, 0);
}

/* Count the sectors of a range on each leg one by one. */
static void check_range(u32 stripes, u32 chunk, u64 first, u64 sectors)
{
	struct noclone_layout l;
	u32 leg, at;
	u64 i, place, count, lowest, start;

	noclone_layout_init(&l, 1000, stripes, chunk);
	for (leg = 0; leg < stripes; leg++) {
		count = 0;
		lowest = UINT64_MAX;
		for (i = 0; i < sectors; i++) {
			place = noclone_map_sector(&l, 1000 + first + i, &at);
			if (at != leg)
				continue;
			count++;
			lowest = MIN(lowest, place);
		}
		assert_int_equal(noclone_map_range(&l, 1000 + first, sectors,
						   leg, &start), count);
		if (count)
			assert_int_equal(start, lowest);
	}
}

static void ranges_cover_what_they_cover(void **state __unused)
{
	static const u32 geometry[][2] = {
		{ 1, 5 }, { 2, 8 }, { 3, 1 }, { 3, 7 }, { 4, 16 }, { 5, 3 },
	};
	size_t g;
	u64 first, sectors;

	for (g = 0; g < ARRAY_SIZE(geometry); g++)
		for (first = 0; first < 40; first += 3)
			for (sectors = 1; sectors < 120; sectors += 7)
				check_range(geometry[g][0], geometry[g][1],
					    first, sectors);
}

/*
 * Each piece is as long as its chunk and the limit allow, and begins at the end of the previous
 * piece.
 */
static void check_pieces(const struct noclone_layout *l, u64 sector)
{
	static const u32 lengths[] = { 1, 9, 300 }, limits[] = { 1, 8, 2560 };
	struct noclone_pieces p;
	size_t n, m;

	for (n = 0; n < ARRAY_SIZE(lengths); n++)
		for (m = 0; m < ARRAY_SIZE(limits); m++) {
			u64 at = sector, end = sector + lengths[n];

			noclone_pieces_first(&p, l, sector, lengths[n], limits[m]);
			for (; p.sectors; noclone_pieces_next(&p)) {
				u32 leg, longest = noclone_chunk_left(l, at);

				longest = longest < limits[m] ? longest : limits[m];
				assert_int_equal(p.row + p.in_chunk,
						 noclone_map_sector(l, at, &leg));
				assert_int_equal(p.leg, leg);
				assert_int_equal(p.sectors, end - at < longest ? end - at : longest);
				at += p.sectors;
			}
			assert_int_equal(at, end);
		}
}

static void pieces_are_what_dm_core_cuts(void **state __unused)
{
	for_each_geometry(check_pieces);
}

static u32 count_pieces(struct noclone_pieces p)
{
	u32 n = 0;

	for (; p.sectors; noclone_pieces_next(&p))
		n++;
	return n;
}

/* The remaining pieces are the first ones, at least one, and at most as many as requested. */
static void check_cut(const struct noclone_pieces *all, u32 nr, u32 chunk)
{
	struct noclone_pieces p = *all, cut = *all;
	u32 left = noclone_pieces_cut(&cut, nr), each = (chunk - 1) / all->max + 1, i;

	assert_int_equal(left, count_pieces(cut));
	assert_in_range(left, 1, nr);
	/* the first chunk may have fewer pieces than others; another chunk would be too much */
	if (cut.left < all->left && each <= nr)
		assert_in_range(left + 2 * each, nr + 1, UINT32_MAX);
	for (i = 0; i < left; i++) {
		assert_int_equal(cut.row + cut.in_chunk, p.row + p.in_chunk);
		assert_int_equal(cut.leg, p.leg);
		assert_int_equal(cut.sectors, p.sectors);
		noclone_pieces_next(&cut);
		noclone_pieces_next(&p);
	}
	assert_int_equal(cut.left, 0);
}

static void check_counts(const struct noclone_layout *l, u64 sector)
{
	static const u32 lengths[] = { 1, 9, 300, 5000 }, limits[] = { 1, 8, 255, 2560 };
	static const u32 most[] = { 1, 2, 7, 53 };
	struct noclone_pieces p;
	size_t n, m, i;

	for (n = 0; n < ARRAY_SIZE(lengths); n++)
		for (m = 0; m < ARRAY_SIZE(limits); m++) {
			noclone_pieces_first(&p, l, sector, lengths[n], limits[m]);
			assert_int_equal(noclone_pieces_count(&p), count_pieces(p));
			for (i = 0; l->chunk_sectors && i < ARRAY_SIZE(most); i++)
				check_cut(&p, most[i], l->chunk_sectors);
		}
}

static void pieces_are_counted_and_cut(void **state __unused)
{
	for_each_geometry(check_counts);
}

/* Nothing overflows: the largest chunk, the longest bio, the smallest limit. */
static void pieces_of_the_longest_bio(void **state __unused)
{
	struct noclone_pieces p;
	struct noclone_layout l;

	noclone_layout_init(&l, 0, 2, UINT32_MAX);
	noclone_pieces_first(&p, &l, UINT32_MAX - 8ull, (1u << 23) - 1, 1);
	assert_int_equal(noclone_pieces_count(&p), (1u << 23) - 1);
	assert_int_equal(noclone_pieces_cut(&p, 53), 8);
	noclone_pieces_first(&p, &l, 5, (1u << 23) - 1, UINT32_MAX);
	assert_int_equal(noclone_pieces_cut(&p, 2048), 1);
	assert_int_equal(p.left, (1u << 23) - 1);
}

static void a_target_without_chunks_is_one_piece(void **state __unused)
{
	struct noclone_pieces p;
	struct noclone_layout l;

	noclone_layout_init(&l, 100, 1, 0);
	noclone_pieces_first(&p, &l, 107, 5000, 8);
	assert_int_equal(p.row + p.in_chunk, 7);
	assert_int_equal(p.sectors, 5000);
	assert_int_equal(noclone_pieces_count(&p), 1);
	noclone_pieces_next(&p);
	assert_int_equal(p.sectors, 0);
}

static void spans_are_found(void **state __unused)
{
	static const struct noclone_span spans[] = {
		{ 0, 8 }, { 8, 9 }, { 9, 1000 }, { 1000, 1ULL << 40 },
		{ 1ULL << 40, (1ULL << 40) + 1 },
	};
	u32 nr, i;

	for (nr = 1; nr <= ARRAY_SIZE(spans); nr++) {
		for (i = 0; i < nr; i++) {
			assert_int_equal(noclone_find_span(spans, nr, spans[i].begin), i);
			assert_int_equal(noclone_find_span(spans, nr, spans[i].end - 1), i);
		}
		assert_int_equal(noclone_find_span(spans, nr, spans[nr - 1].end), nr);
		assert_int_equal(noclone_find_span(spans, nr, UINT64_MAX), nr);
	}
}

static void shifts(void **state __unused)
{
	assert_int_equal(noclone_shift_of(0), NOCLONE_NO_SHIFT);
	assert_int_equal(noclone_shift_of(1), 0);
	assert_int_equal(noclone_shift_of(3), NOCLONE_NO_SHIFT);
	assert_int_equal(noclone_shift_of(1U << 31), 31);
	assert_int_equal(noclone_shift_of(UINT32_MAX), NOCLONE_NO_SHIFT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_sector_is_the_definition),
		cmocka_unit_test(chunk_left_ends_at_the_border),
		cmocka_unit_test(map_is_a_bijection),
		cmocka_unit_test(linear_is_an_offset),
		cmocka_unit_test(ranges_cover_what_they_cover),
		cmocka_unit_test(pieces_are_what_dm_core_cuts),
		cmocka_unit_test(pieces_are_counted_and_cut),
		cmocka_unit_test(pieces_of_the_longest_bio),
		cmocka_unit_test(a_target_without_chunks_is_one_piece),
		cmocka_unit_test(spans_are_found),
		cmocka_unit_test(shifts),
	};

	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
