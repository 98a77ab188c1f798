// SPDX-License-Identifier: GPL-2.0-only
/* noclone advise: layout, chunk, starts, and what the members differ in. */
#include "unit.h"
#include "devices.h"

#include "base/util.h"
#include "model/advise.h"
#include "model/table-print.h"

#define KIB	(1U << 10)
#define MIB	(1U << 20)

static const struct test_device list[] = {
	{ "/dev/a", MIB_SECTORS(64), 512 },
	{ "/dev/b", MIB_SECTORS(64), 512 },
	{ "/dev/small", MIB_SECTORS(10), 512 },
	{ "/dev/tiny", MIB_SECTORS(1), 512 },
	{ 0 },
};

static const struct facts_source devices = TEST_DEVICES(list);

static void choose(const struct queue_limits *a, const struct queue_limits *b, uint64_t smallest,
		   uint32_t bytes, const char *why)
{
	const struct queue_limits *const list[] = { a, b };
	struct chunk_choice c = chunk_choose(list, b ? 2 : 1, smallest);

	assert_int_equal(c.sectors << SECTOR_SHIFT, bytes);
	assert_non_null(strstr(c.why, why));
}

static void chunks(void **state __unused)
{
	const struct queue_limits none = { 0 };
	const struct queue_limits usual = {
		.physical_block = 4096, .minimum_io = 4096, .max_io = 2 * MIB,
		.discard_granularity = 4096,
	};
	struct queue_limits l = usual;

	choose(&none, NULL, 0, 256 * KIB, "larger than most I/O");
	choose(&usual, &none, 1 << 20, 256 * KIB, "larger than most I/O");
	l.optimal_io = 512 * KIB;
	choose(&usual, &l, 1 << 20, 512 * KIB, "prefers");
	/* not a power of two, and nonsense */
	l.optimal_io = 384 * KIB;
	choose(&l, NULL, 0, 256 * KIB, "larger than most");
	l.optimal_io = 16776704;
	choose(&l, NULL, 0, 256 * KIB, "larger than most");
	l = usual;
	l.max_io = 127 * KIB;
	choose(&l, &usual, 0, 256 * KIB, "larger than most");
	l = usual;
	l.minimum_io = 512 * KIB;
	choose(&l, &usual, 0, 512 * KIB, "prefers");
	l = usual;
	l.discard_granularity = MIB;
	choose(&l, NULL, 0, MIB, "prefers");
	l.discard_granularity = 2 * MIB;
	choose(&l, NULL, 0, 256 * KIB, "larger than most");
	choose(&usual, NULL, 100 * 2, 64 * KIB, "a leg is not larger");
	choose(&usual, NULL, 1, 512, "a leg is not larger");
}

/* A member by name, of the list, with the limits of an ordinary disk. */
static struct member *add(struct members *m, const char *name)
{
	struct member *x;

	GROW(m->member, m->nr);
	x = &m->member[m->nr++];
	*x = (struct member) {
		.spec.device = xstrdup(name),
		.limits = { .physical_block = 4096, .max_io = MIB, .node = -1 },
	};
	assert_int_equal(devices.lookup(&devices, name, &x->facts), 0);
	return x;
}

static struct advice ask(struct members *m, enum target_kind kind, const char *why)
{
	struct advice a = { 0 };

	advise(m, &devices, &a);
	assert_int_equal(a.kind, kind);
	assert_non_null(strstr(a.why, why));
	return a;
}

static void says(const struct advice *a, enum severity severity, const char *text)
{
	unsigned int i;

	for (i = 0; i < a->problems.nr; i++)
		if (a->problems.problem[i].severity == severity &&
		    strstr(a->problems.problem[i].text, text))
			return;
	fail_msg("no %s with \"%s\"", severity_name(severity), text);
}

static void is_table(const struct advice *a, const struct members *m, const char *table,
		     const char *command)
{
	_cleanup_free_ char *line = table_print(&a->table, false, NULL, NULL);
	_cleanup_free_ char *words = advise_command(m, a);

	assert_string_equal(line, table);
	assert_string_equal(words, command);
}

static void striped_over_equals(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 };

	add(&m, "/dev/a");
	add(&m, "/dev/b");
	a = ask(&m, TARGET_STRIPED, "at the same time");
	assert_int_equal(a.problems.nr, 0);
	is_table(&a, &m, "0 258048 noclone-striped 2 512 /dev/a 2048 /dev/b 2048",
		 "noclone create NAME striped --chunk 256K /dev/a:1M /dev/b:1M");
}

static void linear_over_one_or_unequals(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice one = { 0 }, two = { 0 }, seeks = { 0 };

	add(&m, "/dev/a");
	one = ask(&m, TARGET_LINEAR, "one device");
	is_table(&one, &m, "0 129024 noclone-linear /dev/a 2048",
		 "noclone create NAME linear /dev/a:1M");
	add(&m, "/dev/small");
	two = ask(&m, TARGET_LINEAR, "more than a quarter");
	is_table(&two, &m, "0 129024 noclone-linear /dev/a 2048\n"
		 "129024 18432 noclone-linear /dev/small 2048",
		 "noclone create NAME linear /dev/a:1M /dev/small:1M");
	m.member[1].limits.rotational = true;
	seeks = ask(&m, TARGET_LINEAR, "slowest leg");
	says(&seeks, PROBLEM_WARNING, "/dev/small seeks and /dev/a does not");
}

static void parts_of_a_disk(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 }, paths = { 0 };

	add(&m, "/dev/a");
	add(&m, "/dev/b");
	m.member[0].facts.wwid = xstrdup("naa.5");
	m.member[1].facts.wwid = xstrdup("naa.5");
	paths = ask(&m, TARGET_LINEAR, "same disk");
	free(m.member[1].facts.wwid);
	m.member[1].facts.wwid = NULL;
	m.member[1].facts.disk = m.member[0].facts.disk;
	a = ask(&m, TARGET_LINEAR, "same disk");
}

static void given_starts_are_kept(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 };

	add(&m, "/dev/a")->spec.start = 9;
	add(&m, "/dev/b")->spec.length = 1 << 15;
	a = ask(&m, TARGET_LINEAR, "more than a quarter");
	says(&a, PROBLEM_WARNING, "/dev/a: start 9s is not where a physical block of 4096");
	is_table(&a, &m, "0 131063 noclone-linear /dev/a 9\n"
		 "131063 32768 noclone-linear /dev/b 0",
		 "noclone create NAME linear /dev/a:9s /dev/b:0+16M");
}

static void starts_are_aligned(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 }, b = { 0 };

	add(&m, "/dev/a")->limits.alignment_offset = 3584;
	add(&m, "/dev/tiny");
	a = ask(&m, TARGET_LINEAR, "quarter");
	assert_int_equal(a.problems.nr, 0);
	assert_int_equal(m.member[0].spec.start, 2048 + 7);
	/* too small to leave anything out */
	assert_int_equal(m.member[1].spec.start, 0);
	m.member[0].limits.alignment_offset = -1;
	m.member[1].limits.optimal_io = 64 * KIB;
	m.member[1].spec.start = 8;
	b = ask(&m, TARGET_LINEAR, "quarter");
	says(&b, PROBLEM_WARNING, "/dev/a is misaligned");
	says(&b, PROBLEM_NOTE, "/dev/tiny: start 8s is not a multiple of its optimal I/O");
}

static void members_differ(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 }, b = { 0 };

	add(&m, "/dev/a")->limits.node = 0;
	add(&m, "/dev/b")->limits.node = 1;
	m.member[0].model = xstrdup("Quick");
	m.member[1].model = xstrdup("Slow");
	m.member[1].limits.discard_granularity = 4 * MIB;
	m.member[1].limits.optimal_io = 24 * KIB;
	a = ask(&m, TARGET_STRIPED, "");
	says(&a, PROBLEM_NOTE, "/dev/a is on NUMA node 0 and /dev/b on node 1");
	says(&a, PROBLEM_NOTE, "/dev/a is a Quick and /dev/b a Slow: if one is slower, --measure");
	says(&a, PROBLEM_NOTE, "/dev/b discards in units of 4194304 bytes");
	says(&a, PROBLEM_NOTE, "/dev/b: its optimal I/O of 24576 bytes does not divide the chunk");
	m.member[0].measured = (struct measured) { 10000, 3000000000 };
	m.member[1].measured = (struct measured) { 20000, 1000000000 };
	b = ask(&m, TARGET_STRIPED, "");
	says(&b, PROBLEM_WARNING, "/dev/b reads 1000 MB/s and /dev/a 3000 MB/s: striped over both");
}

static void refused(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 };

	add(&m, "/dev/a")->limits.zoned = true;
	add(&m, "/dev/b")->limits.dax = true;
	a = ask(&m, TARGET_STRIPED, "");
	assert_int_equal(problems_count(&a.problems, PROBLEM_ERROR), 2);
	says(&a, PROBLEM_ERROR, "/dev/a: a zoned device");
	says(&a, PROBLEM_ERROR, "/dev/b: a DAX device");
	assert_int_equal(a.table.nr, 0);
}

static void words(struct members *m, const char *expected)
{
	_cleanup_advice_ struct advice a = { 0 };
	_cleanup_free_ char *text = NULL;

	a = ask(m, TARGET_LINEAR, "");
	text = advise_fastpath_words(&a);
	if (!strstr(text, expected))
		fail_msg("no \"%s\" in %s", expected, text);
}

static void fastpath_matters(void **state __unused)
{
	_cleanup_members_ struct members m = { 0 };
	struct member *x = add(&m, "/dev/a");

	words(&m, "a read takes 80 us here (a guess, --measure measures it), so it is 0.16 %: that does not matter here");
	x->limits.rotational = true;
	words(&m, "5000 us");
	x->measured.latency_ns = 100000;
	words(&m, "a read takes 100 us here (measured), so it is 0.13 %: that does not matter here");
	x->measured.latency_ns = 9874;
	words(&m, "1.3 %: that matters only where one processor does hundreds of thousands");
	x->measured.latency_ns = 1000;
	words(&m, "11 %: that will show");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks),
		cmocka_unit_test(striped_over_equals),
		cmocka_unit_test(linear_over_one_or_unequals),
		cmocka_unit_test(parts_of_a_disk),
		cmocka_unit_test(given_starts_are_kept),
		cmocka_unit_test(starts_are_aligned),
		cmocka_unit_test(members_differ),
		cmocka_unit_test(refused),
		cmocka_unit_test(fastpath_matters),
	};

	return cmocka_run_group_tests_name("advise", tests, NULL, NULL);
}
