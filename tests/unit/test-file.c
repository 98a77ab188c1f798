// SPDX-License-Identifier: GPL-2.0-only
/* noclone-file tables: checks, layout, JSON. */
#include "unit.h"

#include <errno.h>
#include <json-c/json.h>
#include <sys/types.h>

#include "base/util.h"
#include "noclone-refusals.h"
#include "model/file-map.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/plan.h"
#include "model/table-text.h"
#include "model/table.h"
#include "cli/output.h"

#define DEV(major, minor)	((dev_t)((major) << 8 | (minor)))
#define MIB			(1ULL << 20)
#define A_FILE(n)		.id = { true, DEV(8, 1), (n) }, \
				.disk = DEV(8, 1)

static struct file_gap a_gap = { 4096, 8192 };

/* One file of each kind that matters. */
static const struct {
	const char *path;
	struct file_facts facts;
} machine[] = {
	{ "/good", { A_FILE(1), .bytes = MIB, .allocated = 2048, .align = 512,
	  .map = { .known = true, .extents = 1 } } },
	{ "/good-link", { A_FILE(1), .bytes = MIB, .allocated = 2048,
	  .align = 512, .map = { .known = true, .extents = 1 } } },
	{ "/odd", { A_FILE(2), .bytes = MIB + 1000, .allocated = 2056,
	  .align = 512, .map = { .known = true, .extents = 1 } } },
	{ "/4k", { A_FILE(3), .bytes = MIB, .allocated = 2048, .align = 4096,
	  .map = { .known = true, .extents = 1 } } },
	{ "/sparse", { A_FILE(4), .bytes = MIB, .allocated = 2040, .align = 512,
	  .map = { .known = true, .gap = &a_gap, .nr_gaps = 1,
		   .gap_bytes = 4096 } } },
	/* 4 KiB are not allocated, and the file system has or lacks room for them */
	{ "/room", { A_FILE(14), .bytes = MIB, .allocated = 2040, .align = 512,
	  .has_free = true, .free = 4096 } },
	{ "/overcommitted", { A_FILE(15), .bytes = MIB, .allocated = 2040,
	  .align = 512, .has_free = true, .free = 4095 } },
	{ "/all-allocated", { A_FILE(16), .bytes = MIB, .allocated = 2056,
	  .align = 512, .has_free = true } },
	{ "/1k-blocks", { A_FILE(17), .bytes = MIB, .allocated = 2048,
	  .align = 512, .block = 1024, .map = { .known = true } } },
	{ "/page-blocks", { A_FILE(18), .bytes = MIB, .allocated = 2048,
	  .align = 512, .block = 65536, .map = { .known = true } } },
	{ "/reflink", { A_FILE(5), .bytes = MIB, .allocated = 2048,
	  .align = 512, .map = { .known = true, .shared = 4096 } } },
	{ "/compressed", { A_FILE(6), .bytes = MIB, .allocated = 2048,
	  .align = 512, .map = { .known = true, .elsewhere = 4096 } } },
	{ "/unknown", { A_FILE(7), .bytes = MIB, .allocated = 2048,
	  .align = 512 } },
	{ "/tmpfs", { .id = { true, DEV(0, 20), 8 }, .bytes = MIB,
	  .allocated = 2048, .map = { .known = true } } },
	{ "/btrfs", { .id = { true, DEV(0, 21), 9 }, .disk = DEV(8, 2),
	  .bytes = MIB, .allocated = 2048, .align = 4096,
	  .map = { .known = true } } },
	{ "/self", { .id = { true, DEV(253, 0), 2 },
	  .disk = DEV(253, 0), .bytes = MIB, .allocated = 2048,
	  .align = 512 } },
	{ "/above", { .id = { true, DEV(253, 1), 2 },
	  .disk = DEV(253, 1), .bytes = MIB, .allocated = 2048,
	  .align = 512 } },
	{ "/tiny", { A_FILE(10), .bytes = 511, .align = 512 } },
	{ "/dir", { A_FILE(11), .problem = NOCLONE_ERR_PATH_DIRECTORY } },
	{ "/device", { A_FILE(12), .problem = NOCLONE_ERR_PATH_BLOCK } },
	{ "/fifo", { A_FILE(13), .problem = NOCLONE_ERR_PATH_KIND } },
};

static int lookup(const char *name __unused,
		  struct device_facts *facts __unused)
{
	return -ENOENT;
}

static int lookup_file(const struct facts_source *src __unused,
		       const char *path, bool map, struct file_facts *facts)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machine); i++) {
		if (strcmp(machine[i].path, path))
			continue;
		*facts = machine[i].facts;
		facts->path = xstrdup(path);
		facts->align_from = "statx";
		facts->map.gap = NULL;
		if (!map)
			memset(&facts->map, 0, sizeof(facts->map));
		return 0;
	}
	return -ENOENT;
}

static bool stands_on(dev_t upper,
		      dev_t lower)
{
	return upper == DEV(253, 1) && lower == DEV(253, 0);
}

static const struct facts_source source = {
	.lookup = lookup,
	.lookup_file = lookup_file,
	.stands_on = stands_on,
};
#define SELF	DEV(253, 0)

static bool mentions(const struct findings *p, const char *fragment)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (strstr(p->finding[i].text, fragment))
			return true;
	return false;
}

static void lints_table(const char *text, bool saved, unsigned int errors,
			unsigned int warnings, const char *fragment)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, text, &p);
	t.saved = saved;
	lint_table(&t, &source, SELF, &p);
	if (findings_count(&p, FINDING_ERROR) != errors ||
	    findings_count(&p, FINDING_WARNING) != warnings ||
	    (fragment && !mentions(&p, fragment)))
		fail_msg("%s: %u findings, first \"%s\"", text, p.nr,
			 p.nr ? p.finding[0].text : "");
}

/* Check the number of findings of each level, and a fragment of one finding. */
static void lints(const char *text, unsigned int errors, unsigned int warnings,
		  const char *fragment)
{
	lints_table(text, false, errors, warnings, fragment);
}

static void lint_good_files(void **state __unused)
{
	lints("0 2048 noclone-file /good 0", 0, 0, NULL);
	lints("0 2048 noclone-file /good 0 2 engine extent", 0, 0, NULL);
	lints("0 2048 noclone-file /good 0 3 engine extent no_fastpath", 0, 0, NULL);
	lints("0 2049 noclone-file /odd 0", 0, 0, NULL);
	lints("0 2048 noclone-file /4k 0", 0, 0, NULL);
	lints("0 1 noclone-file /4k 7 2 engine buffered", 0, 0, NULL);
	lints("0 2048 noclone-file /tmpfs 0 2 engine buffered", 0, 0, NULL);
	lints("0 2048 noclone-file /sparse 0", 0, 0, NULL);
	lints("0 8 noclone-file /good 0\n8 8 noclone-file /good 8", 0, 0, NULL);
}

static void lint_file_kinds(void **state __unused)
{
	lints("0 8 noclone-file /nothing 0", 1, 0, "File not found: \"/nothing\"");
	lints("0 8 noclone-file /no%20thing 0", 1, 0, "\"/no%20thing\"");
	lints("0 8 noclone-file /dir 0", 1, 0, "is a directory");
	lints("0 8 noclone-file /device 0", 1, 0, "use noclone-linear");
	lints("0 8 noclone-file /fifo 0", 1, 0, "not a regular file");
}

static void lint_file_sizes(void **state __unused)
{
	lints("0 2049 noclone-file /good 0", 1, 0, "ends before the end of the target");
	lints("0 8 noclone-file /good 2041", 1, 0, "2049 sectors are needed");
	lints("0 8 noclone-file /good 18446744073709551615", 1, 0, "ends before");
	lints("0 1 noclone-file /tiny 0", 1, 0, "the file has 0 sectors: 0");
	lints("0 2049 noclone-file /odd 0 2 engine extent", 1, 0, "whole pages");
}

static void lint_file_alignment(void **state __unused)
{
	lints("0 8 noclone-file /4k 4", 1, 0, "for direct I/O on the file: 4096 bytes");
	lints("0 9 noclone-file /4k 0", 1, 0, "for direct I/O on the file: 4096 bytes");
	lints("0 8 noclone-file /4k 4 2 engine extent", 1, 0, "for direct I/O on the file");
	lints("0 4 noclone-file /good 0\n4 8 noclone-file /4k 0", 1, 0, "for direct I/O on the file");
	lints("0 8 noclone-file /tmpfs 0", 1, 0, "use engine buffered");
}

static void lint_file_extents(void **state __unused)
{
	lints("0 8 noclone-file /sparse 0 2 engine extent", 1, 0, "--allocate");
	lints("0 8 noclone-file /reflink 0 2 engine extent", 1, 0, "--reflink=never");
	lints("0 8 noclone-file /compressed 0 2 engine extent", 1, 0, "compressed");
	lints("0 8 noclone-file /unknown 0 2 engine extent", 0, 1, "does not report extents");
	lints("0 8 noclone-file /btrfs 0 2 engine extent", 1, 0, "ext4 or xfs");
	lints("0 8 noclone-file /reflink 0", 0, 0, NULL);
	lints("0 8 noclone-file /good 0 2 engine null", 1, 0, "debug builds");
	lints("0 8 noclone-file /good 0 2 engine sync", 1, 0, "debug builds only): use engine buffered");
}

static void lint_file_room(void **state __unused)
{
	lints("0 2048 noclone-file /room 0", 0, 0, NULL);
	lints("0 2048 noclone-file /overcommitted 0", 0, 1,
	      "may grow by 4K, and its file system has 3.5K free: writes will fail");
	lints("0 2048 noclone-file /overcommitted 0 2 engine buffered", 0, 1, "may grow");
	lints("0 2048 noclone-file /all-allocated 0", 0, 0, NULL);
}

static void lint_file_blocks(void **state __unused)
{
	lints("0 2048 noclone-file /1k-blocks 0 2 engine extent", 1, 0,
	      "File system has blocks smaller than a page: engine extent cannot serve this file system, use engine direct");
	lints("0 2048 noclone-file /1k-blocks 0", 0, 0, NULL);
	lints("0 2048 noclone-file /page-blocks 0 2 engine extent", 0, 0, NULL);
}

static void lint_files_against_each_other(void **state __unused)
{
	lints("0 8 noclone-file /good 0\n8 8 noclone-file /good-link 7", 1, 0,
	      "used twice (see also line 1)");
	lints("0 8 noclone-file /good 0 2 engine extent\n8 8 noclone-file /good 8",
	      1, 0, "extent cannot be mixed with other engines (see line 1)");
	lints("0 8 noclone-file /good 0\n8 8 noclone-file /4k 0", 0, 0, NULL);
	lints("0 8 noclone-file /good 0\n8 8 noclone-file /good-link 8 2 engine buffered", 1, 0,
	      "engine buffered here and engine direct in line 1 may write to the same page of the file");
	lints_table("0 8 noclone-file /good 0\n8 8 noclone-file /good 8 2 engine buffered", true, 0,
		    1, "give all targets of the file the same engine");
	lints("0 8 noclone-file /good 0\n8 8 noclone-file /tmpfs 0 2 engine buffered", 0, 0, NULL);
}

static bool cycle(const char *text)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, text, &p);
	return lint_table(&t, &source, SELF, &p);
}

static void lint_file_on_itself(void **state __unused)
{
	lints("0 8 noclone-file /self 0", 1, 0, "on this very device");
	lints("0 8 noclone-file /above 0", 1, 0, "on this very device");
	assert_true(cycle("0 8 noclone-file /self 0"));
	assert_true(cycle("0 8 noclone-file /good 0\n8 8 noclone-file /above 0"));
	assert_false(cycle("0 8 noclone-file /good 0"));
	assert_false(cycle("0 8 noclone-file /tmpfs 0"));
	assert_false(cycle("0 8 noclone-file /nothing 0"));
}

/* Plan a table and compare it; the first problem contains the fragment. */
static void plans(const struct file_request *req, const char *expected,
		  const char *fragment)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *printed = NULL;

	assert_int_equal(source.lookup_file(&source, req->path, false, &f), 0);
	plan_file(req, &f, &t, &p);
	printed = table_print(&t, false, NULL);
	assert_string_equal(printed, expected);
	assert_int_equal(p.nr, !!fragment);
	if (fragment)
		assert_non_null(strstr(p.finding[0].text, fragment));
}

#define PLAN(expected, fragment, ...)					\
	plans(&(struct file_request) { __VA_ARGS__ }, expected, fragment)

static void plan_whole_file(void **state __unused)
{
	PLAN("0 2048 noclone-file /good 0", NULL, .path = "/good");
	PLAN("0 2048 noclone-file /good 0 2 engine direct", NULL,
	     .path = "/good", .engine_given = true);
	PLAN("0 2048 noclone-file /good 0 3 engine extent no_fastpath", NULL,
	     .path = "/good", .engine = ENGINE_EXTENT, .engine_given = true,
	     .no_fastpath = true);
}

static void plan_rounds_down(void **state __unused)
{
	PLAN("0 2049 noclone-file /odd 0", "the last 488 bytes of the file stay unused",
	     .path = "/odd");
	PLAN("0 2048 noclone-file /odd 0 2 engine extent",
	     "the last 1000 bytes of the file stay unused", .path = "/odd",
	     .engine = ENGINE_EXTENT, .engine_given = true);
}

static void plan_part_of_file(void **state __unused)
{
	PLAN("0 2040 noclone-file /good 8", NULL, .path = "/good", .offset = 8);
	PLAN("0 16 noclone-file /good 8", NULL, .path = "/good", .offset = 8, .limit = 16);
	PLAN("0 2040 noclone-file /good 8", NULL, .path = "/good", .offset = 8, .limit = 4096);
	PLAN("0 16 noclone-file /odd 0", NULL, .path = "/odd", .limit = 16);
	PLAN("", "--offset is too large", .path = "/good", .offset = 2048);
}

static void plan_refuses_files(void **state __unused)
{
	PLAN("", "no sectors are left", .path = "/tiny");
}

static void json_has_nothing_but_utf8(void **state __unused)
{
	static const char * const texts[][2] = {
		{ "", "" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "\xe9t\xe9", "\xef\xbf\xbdt\xef\xbf\xbd" },
		{ "/srv/\xc3", "/srv/\xef\xbf\xbd" },
		{ "\xc3\xa9\xff\xfe.", "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd." },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct json_object *o = output_string(texts[i][0]);

		assert_string_equal(json_object_get_string(o), texts[i][1]);
		json_object_put(o);
	}
	assert_null(output_string(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lint_good_files),
		cmocka_unit_test(lint_file_kinds),
		cmocka_unit_test(lint_file_sizes),
		cmocka_unit_test(lint_file_alignment),
		cmocka_unit_test(lint_file_extents),
		cmocka_unit_test(lint_file_room),
		cmocka_unit_test(lint_file_blocks),
		cmocka_unit_test(lint_files_against_each_other),
		cmocka_unit_test(lint_file_on_itself),
		cmocka_unit_test(plan_whole_file),
		cmocka_unit_test(plan_rounds_down),
		cmocka_unit_test(plan_part_of_file),
		cmocka_unit_test(plan_refuses_files),
		cmocka_unit_test(json_has_nothing_but_utf8),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
