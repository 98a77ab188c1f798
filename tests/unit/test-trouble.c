// SPDX-License-Identifier: GPL-2.0-only
/* What is wrong below a device that goes on running. */
#include "unit.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "model/facts.h"
#include "model/problems.h"
#include "model/status.h"
#include "model/table-text.h"
#include "model/table.h"
#include "model/trouble.h"

/* Two disks, one file; everything else is gone. */
static int lookup(const struct facts_source *src __unused, const char *name,
		  struct device_facts *facts)
{
	if (strcmp(name, "8:0") && strcmp(name, "8:16"))
		return -ENXIO;
	facts->path = xstrdup(strcmp(name, "8:0") ? "/dev/sdb" : "/dev/sda");
	return 0;
}

static int lookup_file(const struct facts_source *src __unused,
		       const char *path, bool map __unused,
		       struct file_facts *facts)
{
	if (!strcmp(path, "/secret"))
		return -EACCES;
	if (strcmp(path, "/a b"))
		return -ENOENT;
	*facts = (struct file_facts) {
		.path = xstrdup(path), .filesystem = makedev(8, 1), .inode = 12,
	};
	return 0;
}

static const struct facts_source source = {
	.lookup = lookup,
	.lookup_file = lookup_file,
};

/* The troubles of a target with a status, in a few words. */
static void finds(const char *line, const char *status, const char *brief,
		  const char *text)
{
	_cleanup_troubles_ struct troubles found = { 0 };
	_cleanup_problems_ struct problems p = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_status_ struct status s = { 0 };
	_cleanup_free_ char *words = NULL;

	table_parse(&t, line, &p);
	assert_int_equal(p.nr, 0);
	assert_int_equal(!status_parse(&s, status), !!*status);
	troubles_find(&found, &t.targets[0], &s, &source);
	words = troubles_brief(&found);
	assert_string_equal(words, brief);
	if (text)
		assert_string_equal(found.trouble[0].text, text);
	else
		assert_int_equal(found.nr, 0);
}

#define STRIPES	"8 16 noclone-striped 2 8 8:0 0 8:16 0"
#define GONE	"0 16 noclone-striped 2 8 8:0 0 8:32 0"
#define S(word)	"2 8:0 8:16 1 " word " fastpath on 0"

static void trouble_with_stripes(void **state __unused)
{
	finds(STRIPES, S("AA"), "", NULL);
	finds(STRIPES, S("AD"), "/dev/sdb failed",
	      "stripe 1 of the target at sector 8, /dev/sdb, has had errors");
	finds(STRIPES, S("DD"), "/dev/sda failed, /dev/sdb failed",
	      "stripe 0 of the target at sector 8, /dev/sda, has had errors");
	finds("0 16 noclone-striped 2 8 8:0 0 8:0 8", S("DD"), "/dev/sda failed",
	      "stripe 0 of the target at sector 0, /dev/sda, has had errors");
	/* a status line of fewer stripes, or of none */
	finds(STRIPES, S("A"), "", NULL);
	finds(STRIPES, "", "", NULL);
}

static void trouble_with_disks(void **state __unused)
{
	finds(GONE, S("AA"), "8:32 (deleted)",
	      "8:32 (deleted): the disk of stripe 1 of the target at sector 0 is gone");
	finds(GONE, S("DD"), "/dev/sda failed, 8:32 (deleted)",
	      "stripe 0 of the target at sector 0, /dev/sda, has had errors");
	finds("0 8 noclone-linear 8:32 0", "fastpath on 0", "8:32 (deleted)",
	      "8:32 (deleted): the disk of the target at sector 0 is gone");
	finds("0 8 noclone-linear 8:0 0", "fastpath on 0", "", NULL);
	finds("0 8 linear 8:32 0", "", "8:32 (deleted)",
	      "8:32 (deleted): the disk of the target at sector 0 is gone");
}

#define F(path)	"0 8 noclone-file " path " 0"
#define R(inode, links)	"engine direct 6 device 8:1 inode " inode	\
			" links " links " 0"

static void trouble_with_files(void **state __unused)
{
	finds(F("/a%20b"), R("12", "1"), "", NULL);
	finds(F("/a%20b"), R("11", "1"), "/a%20b (replaced)",
	      "/a%20b (replaced): it is another file now (inode 12), the device runs on inode 11");
	finds(F("/a%20b"), R("11", "0"), "/a%20b (replaced)",
	      "/a%20b (replaced): it is another file now (inode 12), the device runs on inode 11, "
	      "which no longer has a name");
	finds(F("/gone"), R("12", "0"), "/gone (deleted)",
	      "/gone (deleted): the device runs on inode 12, which no longer has a name");
	finds(F("/gone"), R("12", "1"), "/gone (missing)",
	      "/gone (missing): the device runs on inode 12, which has another name");
}

/* Nothing is said that is not known. */
static void no_trouble_with_the_unknown(void **state __unused)
{
	finds(F("/gone"), "engine direct 2 align 512 0", "", NULL);
	finds(F("/gone"), "", "", NULL);
	finds(F("/secret"), R("12", "1"), "", NULL);
	finds("0 8 error", "", "", NULL);
}

static void trouble_heads(void **state __unused)
{
	struct trouble one = { .name = "/f", .brief = "/f (deleted)" };
	struct troubles t = { &one, 1 };

	assert_string_equal(troubles_head(&t, "/f"), "/f (deleted)");
	assert_string_equal(troubles_head(&t, "/g"), "/g");
}

static void trouble_names_are_distinct(void **state __unused)
{
	enum trouble_kind a, b;

	for (a = TROUBLE_STRIPE; a <= TROUBLE_MISSING; a++)
		for (b = TROUBLE_STRIPE; b < a; b++)
			assert_string_not_equal(trouble_kind_name(a),
						trouble_kind_name(b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trouble_with_stripes),
		cmocka_unit_test(trouble_with_disks),
		cmocka_unit_test(trouble_with_files),
		cmocka_unit_test(no_trouble_with_the_unknown),
		cmocka_unit_test(trouble_heads),
		cmocka_unit_test(trouble_names_are_distinct),
	};

	return cmocka_run_group_tests_name("trouble", tests, NULL, NULL);
}
