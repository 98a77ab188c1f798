// SPDX-License-Identifier: GPL-2.0-only
/* The status line. */
#include "unit.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/status.h"

#define COUNTERS	"26 fast 12 reserve 1 clones 3 flush 0 op 0 split 2 " \
			"chain 0 polled 0 integrity 0 crypto 0 stats 0 suspending 0 nomem 9"

static void status_linear(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "fastpath on " COUNTERS), 0);
	assert_string_equal(s.stock, "");
	assert_null(s.health);
	assert_true(s.fast);
	assert_null(s.reason);
	assert_int_equal(s.nr_counters, 13);
	assert_int_equal(status_counter(&s, "fast"), 12);
	assert_int_equal(status_counter(&s, "nomem"), 9);
	assert_int_equal(status_counter(&s, "unheard"), 0);
}

static void status_striped(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "2 8:0 8:16 1 AD fastpath off:option " COUNTERS), 0);
	assert_string_equal(s.stock, "2 8:0 8:16 1 AD");
	assert_string_equal(s.health, "AD");
	assert_false(s.fast);
	assert_string_equal(s.reason, "option");
}

static void status_of_a_newer_module(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "fastpath off:moon 4 fast 1 quantum 2 more words"), 0);
	assert_string_equal(s.reason, "moon");
	assert_int_equal(s.nr_counters, 2);
	assert_string_equal(s.counters[1].name, "quantum");
	assert_null(status_counter_meaning("quantum"));
	assert_null(status_reason_meaning("moon"));
}

static void status_no_counters(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "fastpath on 0"), 0);
	assert_int_equal(s.nr_counters, 0);
}

#define FACTS		"20 align 512 memalign 4 align_from statx size 2097152 " \
			"allocated 2097160 extents 0 refused - " \
			"device 259:3 inode 8589934592 links 1"
#define FILE_COUNTERS	"22 inflight 12 reads 5 writes 7 flushes 0 discards 0 zeroes 0 " \
			"batches 9 waited 0 blocked 1 short 0 errors 0"

static void status_file(void **state __unused)
{
	_cleanup_status_ struct status s;
	_cleanup_free_ char *words = NULL;

	assert_int_equal(status_parse(&s, "engine direct " FACTS " " FILE_COUNTERS), 0);
	assert_string_equal(s.engine, "direct");
	assert_string_equal(s.stock, "");
	assert_false(s.has_fastpath);
	assert_int_equal(s.nr_facts, 10);
	assert_string_equal(status_fact(&s, "align_from"), "statx");
	assert_null(status_fact(&s, "unheard"));
	assert_int_equal(s.nr_file_counters, 11);
	assert_int_equal(s.nr_counters, 0);
	words = status_file_words(&s);
	assert_string_equal(words, "engine direct; 12 in flight");
}

static void status_says_which_file(void **state __unused)
{
	static const char * const unknown[] = {
		"engine direct 2 align 512 0",
		"engine direct 2 device 8:1 0", "engine direct 2 inode 7 0",
		"engine direct 4 device 8:1x inode 7 0",
		"engine direct 4 device 8 inode 7 0",
		"engine direct 4 device 8:1 inode seven 0",
	};
	struct file_id id;
	struct status s;
	size_t i;

	assert_int_equal(status_parse(&s, "engine direct " FACTS " " FILE_COUNTERS), 0);
	id = status_file_id(&s);
	assert_true(id.known);
	assert_int_equal(id.filesystem, makedev(259, 3));
	assert_int_equal(id.inode, 8589934592);
	status_free(&s);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		assert_int_equal(status_parse(&s, unknown[i]), 0);
		assert_false(status_file_id(&s).known);
		status_free(&s);
	}
}

static void status_file_with_fast_path(void **state __unused)
{
	_cleanup_status_ struct status s;
	_cleanup_free_ char *words = NULL;

	assert_int_equal(0, status_parse(&s, "engine extent 6 size 8 allocated 8 extents 1 "
				 "2 inflight 0 fastpath off:option " COUNTERS));
	assert_true(s.has_fastpath);
	assert_string_equal(s.reason, "option");
	assert_int_equal(s.nr_counters, 13);
	words = status_file_words(&s);
	assert_string_equal(words, "engine extent; 0 in flight");
}

static void status_file_words_vary(void **state __unused)
{
	static const char * const lines[][2] = {
		{ "engine direct 4 align 4096 refused extent:loaded 0",
		  "engine direct stands in (extent:loaded: the file is pinned when the table is resumed); "
		  "0 in flight" },
		{ "engine direct 2 refused extent:moon 0",
		  "engine direct stands in (extent:moon); 0 in flight" },
		{ "engine buffered 4 align 512 align_from none 2 inflight 3",
		  "engine buffered; 3 in flight" },
		{ "engine new 2 fastpath 8 2 fastpath 1", "engine new; 0 in flight" },
		{ "engine sync 0 0", "engine sync; 0 in flight" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_status_ struct status s;
		_cleanup_free_ char *words = NULL;

		assert_int_equal(status_parse(&s, lines[i][0]), 0);
		words = status_file_words(&s);
		assert_string_equal(words, lines[i][1]);
	}
}

static void status_not_ours(void **state __unused)
{
	static const char * const lines[] = {
		"", "2 8:0 8:16 1 AA", "fastpath", "fastpath on",
		"fastpath maybe 0", "fastpath off 0", "fastpath off: 0",
		"fastpath on x", "fastpath on 4 fast 1", "fastpath on 3 fast 1 x",
		"fastpath on 2 fast many", "fastpath on 4294967295 fast 1",
		"engine", "engine direct", "engine direct 0", "engine direct x 0",
		"engine direct 1 align 0", "engine direct 2 align 512",
		"engine direct 0 2 reads", "engine direct 0 2 reads x",
		"engine direct 0 0 fastpath", "engine direct 0 0 else",
		"engine direct 4294967294 0", "engine direct 0 4294967294",
	};
	struct status s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(status_parse(&s, lines[i]), -EINVAL);
}

#define CHECK_COUNTER(enumerator, word, meaning) \
	assert_string_equal(status_counter_meaning(word), meaning);
#define CHECK_FILE_COUNTER(enumerator, word, meaning) \
	assert_string_equal(status_file_counter_meaning(word), meaning);
#define CHECK_REASON(enumerator, word, meaning) \
	assert_string_equal(status_reason_meaning(word), meaning);

static void status_meanings(void **state __unused)
{
	NOCLONE_COUNTERS(CHECK_COUNTER)
	NOCLONE_OFF_REASONS(CHECK_REASON)
	NOCLONE_FILE_COUNTERS(CHECK_FILE_COUNTER)
}

/* Those of this module and of the next one. */
static void status_refused_in_words(void **state __unused)
{
	static const char * const words[] = {
		"extent:loaded", "extent:locked", "extent:changed",
		"extent:open", "extent:busy", "extent:error",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_non_null(status_refused_meaning(words[i]));
	assert_null(status_refused_meaning("extent:moon"));
	assert_null(status_refused_meaning("-"));
}

static void status_stands_in(void **state __unused)
{
	_cleanup_free_ char *words = NULL;
	struct status s;

	assert_int_equal(status_parse(&s, "engine direct 2 refused extent:busy 0"), 0);
	words = status_stand_in_words(&s);
	assert_string_equal(words, "engine direct stands in (extent:busy: checking the file took too long "
			    "when it was to be pinned: suspend and resume again)");
	status_free(&s);
	assert_int_equal(status_parse(&s, "engine extent 2 refused - 0"), 0);
	assert_null(status_stand_in_words(&s));
	status_free(&s);
	assert_int_equal(status_parse(&s, "fastpath on 0"), 0);
	assert_null(status_stand_in_words(&s));
	status_free(&s);
}

static void state_is(const char *line, const char *expected)
{
	_cleanup_status_ struct status s;
	_cleanup_free_ char *words = NULL;

	assert_int_equal(status_parse(&s, line), 0);
	words = status_state_words(&s);
	assert_string_equal(words, expected);
}

static void status_state_in_words(void **state __unused)
{
	state_is("fastpath on 0", "fast path on");
	state_is("fastpath off:stats 0",
		 "fast path off: dmsetup stats is in use");
	state_is("fastpath off:moon 0", "fast path off: moon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_linear),
		cmocka_unit_test(status_striped),
		cmocka_unit_test(status_of_a_newer_module),
		cmocka_unit_test(status_no_counters),
		cmocka_unit_test(status_file),
		cmocka_unit_test(status_says_which_file),
		cmocka_unit_test(status_file_with_fast_path),
		cmocka_unit_test(status_file_words_vary),
		cmocka_unit_test(status_not_ours),
		cmocka_unit_test(status_meanings),
		cmocka_unit_test(status_refused_in_words),
		cmocka_unit_test(status_stands_in),
		cmocka_unit_test(status_state_in_words),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
