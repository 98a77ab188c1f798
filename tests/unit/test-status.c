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
	assert_null(s.health);
	assert_true(s.fast);
	assert_null(s.reason);
	assert_int_equal(s.counters.nr, 13);
	assert_int_equal(status_counter(&s.counters, "fast"), 12);
	assert_int_equal(status_counter(&s.counters, "nomem"), 9);
	assert_int_equal(status_counter(&s.counters, "unheard"), 0);
}

static void status_striped(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "2 8:0 8:16 1 AD fastpath off:option " COUNTERS), 0);
	assert_string_equal(s.health, "AD");
	assert_false(s.fast);
	assert_string_equal(s.reason, "option");
}

static void status_of_a_newer_module(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "fastpath off:moon 4 fast 1 quantum 2 more words"), 0);
	assert_string_equal(s.reason, "moon");
	assert_int_equal(s.counters.nr, 2);
	assert_string_equal(s.counters.value[1].name, "quantum");
	assert_null(status_meaning(STATUS_COUNTER, "quantum"));
}

static void status_no_counters(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "fastpath on 0"), 0);
	assert_int_equal(s.counters.nr, 0);
}

#define FACTS		"20 align 512 memalign 4 align_from statx size 2097152 " \
			"allocated 2097160 extents 0 refused - " \
			"device 259:3 inode 8589934592 links 1"
#define FILE_COUNTERS	"22 inflight 12 reads 5 writes 7 flushes 0 discards 0 zeroes 0 " \
			"batches 9 waited 0 blocked 1 short 0 errors 0"

static void status_file(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_int_equal(status_parse(&s, "engine direct " FACTS " " FILE_COUNTERS), 0);
	assert_string_equal(s.engine, "direct");
	assert_false(s.has_fastpath);
	assert_int_equal(s.facts.nr, 10);
	assert_string_equal(status_fact(&s, "align_from"), "statx");
	assert_null(status_fact(&s, "unheard"));
	assert_int_equal(s.file_counters.nr, 11);
	assert_int_equal(s.counters.nr, 0);
	assert_int_equal(status_counter(&s.file_counters, "inflight"), 12);
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

	assert_int_equal(0, status_parse(&s, "engine extent 6 size 8 allocated 8 extents 1 "
				 "2 inflight 0 fastpath off:option " COUNTERS));
	assert_true(s.has_fastpath);
	assert_string_equal(s.reason, "option");
	assert_int_equal(s.counters.nr, 13);
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
	assert_string_equal(status_meaning(STATUS_COUNTER, word), meaning);
#define CHECK_FILE_COUNTER(enumerator, word, meaning) \
	assert_string_equal(status_meaning(STATUS_FILE_COUNTER, word), meaning);

static void status_meanings(void **state __unused)
{
	NOCLONE_COUNTERS(CHECK_COUNTER)
	NOCLONE_FILE_COUNTERS(CHECK_FILE_COUNTER)
}

/* The reasons of this module, and a reason that a later module may have. */
static void status_refused_in_words(void **state __unused)
{
	static const char * const words[] = {
		"extent:loaded", "extent:locked", "extent:changed",
		"extent:open", "extent:busy", "extent:error",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_non_null(status_meaning(STATUS_REFUSED, words[i]));
	assert_null(status_meaning(STATUS_REFUSED, "extent:moon"));
	assert_null(status_meaning(STATUS_REFUSED, "-"));
}

static void status_stands_in(void **state __unused)
{
	_cleanup_free_ char *words = NULL, *unknown = NULL;
	struct status s;

	assert_int_equal(status_parse(&s, "engine direct 2 refused extent:moon 0"), 0);
	unknown = status_engine_words(&s);
	assert_string_equal(unknown, "engine direct is used instead (extent:moon)");
	status_free(&s);
	assert_int_equal(status_parse(&s, "engine direct 2 refused extent:busy 0"), 0);
	words = status_engine_words(&s);
	assert_string_equal(words, "engine direct is used instead (extent:busy: checking the file took too long "
			    "when the module tried to pin it: suspend and resume the device again)");
	status_free(&s);
	assert_int_equal(status_parse(&s, "engine extent 2 refused - 0"), 0);
	assert_null(status_engine_words(&s));
	status_free(&s);
	assert_int_equal(status_parse(&s, "fastpath on 0"), 0);
	assert_null(status_engine_words(&s));
	status_free(&s);
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
		cmocka_unit_test(status_not_ours),
		cmocka_unit_test(status_meanings),
		cmocka_unit_test(status_refused_in_words),
		cmocka_unit_test(status_stands_in),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
