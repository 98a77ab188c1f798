// SPDX-License-Identifier: GPL-2.0-only
/* Faults below a device that continues to run. */
#include "unit.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "model/below.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/table-text.h"
#include "model/table.h"

/* Two disks and one file exist, and no other leg. */
static int lookup(const char *name,
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
		.path = xstrdup(path), .id = { true, makedev(8, 1), 12 },
	};
	return 0;
}

static const struct facts_source source = {
	.lookup = lookup,
	.lookup_file = lookup_file,
};

/* Check the short and the long text about the fault below a target with this status. */
static void finds(const char *line, const char *status, const char *brief,
		  const char *text)
{
	_cleanup_findings_ struct findings found = { 0 };
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_status_ struct status s = { 0 };
	_cleanup_free_ char *words = NULL, *first = NULL;

	table_parse(&t, line, &p);
	assert_int_equal(p.nr, 0);
	assert_int_equal(!status_parse(&s, status), !!*status);
	below_find(&found, &t.targets[0], &s, &source);
	words = below_brief(&found);
	assert_string_equal(words, brief);
	assert_int_equal(!text, !found.nr);
	if (!text)
		return;
	first = finding_words(&found.finding[0], NULL);
	assert_string_equal(first, text);
}

#define STRIPES	"8 16 noclone-striped 2 8 8:0 0 8:16 0"
#define GONE	"0 16 noclone-striped 2 8 8:0 0 8:32 0"
#define S(word)	"2 8:0 8:16 1 " word " fastpath on 0"

static void below_with_stripes(void **state __unused)
{
	finds(STRIPES, S("AA"), "", NULL);
	finds(STRIPES, S("AD"), "/dev/sdb (failed)",
	      "/dev/sdb: stripe 1 of the target at sector 8 has had errors");
	finds(STRIPES, S("DD"), "/dev/sda (failed), /dev/sdb (failed)",
	      "/dev/sda: stripe 0 of the target at sector 8 has had errors");
	finds("0 16 noclone-striped 2 8 8:0 0 8:0 8", S("DD"), "/dev/sda (failed)",
	      "/dev/sda: stripe 0 of the target at sector 0 has had errors");
	/* a status line with fewer stripes, or without any */
	finds(STRIPES, S("A"), "", NULL);
	finds(STRIPES, "", "", NULL);
}

static void below_with_disks(void **state __unused)
{
	finds(GONE, S("AA"), "8:32 (deleted)",
	      "8:32: the disk of stripe 1 of the target at sector 0 is gone");
	finds(GONE, S("DD"), "/dev/sda (failed), 8:32 (deleted)",
	      "/dev/sda: stripe 0 of the target at sector 0 has had errors");
	finds("0 8 noclone-linear 8:32 0", "fastpath on 0", "8:32 (deleted)",
	      "8:32: the disk of the target at sector 0 is gone");
	finds("0 8 noclone-linear 8:0 0", "fastpath on 0", "", NULL);
	finds("0 8 linear 8:32 0", "", "8:32 (deleted)",
	      "8:32: the disk of the target at sector 0 is gone");
}

#define F(path)	"0 8 noclone-file " path " 0"
#define R(inode, links)	"engine direct 6 device 8:1 inode " inode	\
			" links " links " 0"

static void below_with_files(void **state __unused)
{
	finds(F("/a%20b"), R("12", "1"), "", NULL);
	finds(F("/a%20b"), R("11", "1"), "/a%20b (replaced)",
	      "/a%20b: another file has this path now (inode 12), and the device uses the file with inode 11");
	finds(F("/a%20b"), R("11", "0"), "/a%20b (replaced)",
	      "/a%20b: another file has this path now (inode 12), and the device uses the file with inode 11, "
	      "which is deleted");
	finds(F("/gone"), R("12", "0"), "/gone (deleted)",
	      "/gone: the device uses the file with inode 12, which is deleted");
	finds(F("/gone"), R("12", "1"), "/gone (missing)",
	      "/gone: the device uses the file with inode 12, which has another name now");
}

#define L(size)	"engine direct 8 size " size " device 8:1 inode 12 links 1 0"

static void below_with_short_files(void **state __unused)
{
	finds("0 8 noclone-file /a%20b 8", L("16"), "", NULL);
	finds("8 8 noclone-file /a%20b 8", L("15"), "/a%20b (short)",
	      "/a%20b: the file has 15s, and the target at sector 8 needs 8K: the data behind the end of the file is lost");
	finds("0 8 noclone-file /gone 0", L("0"), "/gone (missing)",
	      "/gone: the device uses the file with inode 12, which has another name now");
}

/* There is no text about unknown facts. */
static void no_below_with_the_unknown(void **state __unused)
{
	finds(F("/gone"), "engine direct 2 align 512 0", "", NULL);
	finds(F("/gone"), "", "", NULL);
	finds(F("/secret"), R("12", "1"), "", NULL);
	finds("0 8 error", "", "", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(below_with_stripes),
		cmocka_unit_test(below_with_disks),
		cmocka_unit_test(below_with_files),
		cmocka_unit_test(below_with_short_files),
		cmocka_unit_test(no_below_with_the_unknown),
	};

	return cmocka_run_group_tests_name("below", tests, NULL, NULL);
}
