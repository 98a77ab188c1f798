// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that need facts about devices: alignment, overlaps, self-reference.
 * The files in tables/reject have the plain mistakes, see test-tables.c.
 */
#include "unit.h"

#include <errno.h>
#include <sys/types.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/table-text.h"
#include "model/table.h"

/* makedev() is not a constant expression */
#define DEV(major, minor)	((dev_t)((major) << 8 | (minor)))

/* The machine has a disk with two partitions, a 4Kn disk, a zoned disk, and a stack. */
static const struct {
	const char *name;
	struct device_facts facts;
} machine[] = {
	{ "/dev/disk", { .devno = DEV(8, 0), .disk = DEV(8, 0),
	  .sectors = 10000, .logical_block = 512, .physical_block = 4096 } },
	{ "/dev/part1", { .devno = DEV(8, 1), .disk = DEV(8, 0),
	  .offset = 2000, .sectors = 4000, .logical_block = 512,
	  .physical_block = 512 } },
	{ "/dev/part2", { .devno = DEV(8, 2), .disk = DEV(8, 0),
	  .offset = 6000, .sectors = 4000, .logical_block = 512,
	  .physical_block = 512 } },
	{ "/dev/path-a", { .devno = DEV(65, 0), .disk = DEV(65, 0), .wwid = (char *)"naa.5",
	  .sectors = 10000, .logical_block = 512, .physical_block = 512 } },
	{ "/dev/path-b", { .devno = DEV(65, 16), .disk = DEV(65, 16), .wwid = (char *)"naa.5",
	  .sectors = 10000, .logical_block = 512, .physical_block = 512 } },
	{ "/dev/other", { .devno = DEV(65, 32), .disk = DEV(65, 32), .wwid = (char *)"naa.6",
	  .sectors = 10000, .logical_block = 512, .physical_block = 512 } },
	{ "/dev/4kn", { .devno = DEV(8, 16), .disk = DEV(8, 16),
	  .sectors = 8000, .logical_block = 4096, .physical_block = 4096 } },
	{ "/dev/zoned", { .devno = DEV(8, 32), .disk = DEV(8, 32),
	  .sectors = 8192, .logical_block = 512, .physical_block = 512,
	  .zone_sectors = 1024 } },
	{ "/dev/self", { .devno = DEV(253, 0), .disk = DEV(253, 0),
	  .sectors = 8192, .logical_block = 512, .physical_block = 512 } },
	{ "/dev/above", { .devno = DEV(253, 1), .disk = DEV(253, 1),
	  .sectors = 8192, .logical_block = 512, .physical_block = 512 } },
};

static int lookup(const char *name,
		  struct device_facts *facts)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machine); i++) {
		if (strcmp(machine[i].name, name))
			continue;
		*facts = machine[i].facts;
		facts->path = xstrdup(name);
		facts->wwid = facts->wwid ? xstrdup(facts->wwid) : NULL;
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
	.stands_on = stands_on,
};
#define SELF	DEV(253, 0)

/* Check the number of findings of each level, and a fragment of one finding. */
static void lints(const char *text, unsigned int errors, unsigned int warnings,
		  const char *fragment)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };
	bool found = !fragment;
	unsigned int i;

	table_parse(&t, text, &p);
	lint_table(&t, &source, SELF, &p);
	lint_types(&t, FINDING_WARNING, &p);
	for (i = 0; i < p.nr; i++)
		if (fragment && strstr(p.finding[i].text, fragment))
			found = true;
	if (!found)
		for (i = 0; i < p.nr; i++)
			print_message("# %s\n", p.finding[i].text);
	assert_true(found);
	assert_int_equal(findings_count(&p, FINDING_ERROR), errors);
	assert_int_equal(findings_count(&p, FINDING_WARNING), warnings);
}

static void lint_good(void **state __unused)
{
	lints("0 10000 noclone-linear /dev/disk 0", 0, 0, NULL);
	lints("0 8000 noclone-linear /dev/4kn 0", 0, 0, NULL);
	lints("0 2048 noclone-linear /dev/zoned 1024", 0, 0, NULL);
}

static void lint_alignment(void **state __unused)
{
	lints("0 8 noclone-linear /dev/4kn 4", 1, 0, "logical blocks of 4096 bytes");
	lints("0 9 noclone-linear /dev/4kn 0", 1, 0, "logical blocks of 4096 bytes");
	lints("0 7 noclone-linear /dev/disk 0\n7 8 noclone-linear /dev/4kn 0",
	      1, 0, "logical blocks of 4096 bytes");
	lints("0 16 noclone-striped 1 4 /dev/4kn 0", 1, 0, "logical block");
	lints("0 16 noclone-linear /dev/disk 1", 0, 1, "physical block");
}

static void lint_zones(void **state __unused)
{
	lints("0 1024 noclone-linear /dev/zoned 8", 1, 0, "has zones of 1024 sectors");
	lints("0 512 noclone-linear /dev/zoned 0", 1, 0, "has zones of 1024 sectors");
}

static void lint_overlap_of_legs(void **state __unused)
{
	lints("0 2048 noclone-linear /dev/disk 0\n"
	      "2048 2048 noclone-linear /dev/disk 2048", 0, 0, NULL);
	lints("0 2048 noclone-linear /dev/disk 0\n"
	      "2048 2048 noclone-linear /dev/disk 2040", 1, 0, "overlap on the same disk");
	lints("0 2048 noclone-linear /dev/disk 0\n"
	      "2048 2048 noclone-linear /dev/disk 0", 1, 0, "overlap on the same disk");
	/* each problem is reported once, even if several targets have the same sectors */
	lints("0 8 noclone-linear /dev/disk 0\n8 8 noclone-linear /dev/disk 0\n"
	      "16 8 noclone-linear /dev/disk 0", 2, 0, "(see also line 1)");
	/* two paths of a LUN that multipathd does not manage */
	lints("0 2048 noclone-striped 2 8 /dev/path-a 0 /dev/path-b 0", 1, 0,
	      "/dev/path-a and /dev/path-b are two paths of one disk (naa.5)");
	lints("0 2048 noclone-striped 2 8 /dev/path-a 0 /dev/path-b 2048", 0, 0, NULL);
	lints("0 2048 noclone-striped 2 8 /dev/path-a 0 /dev/other 0", 0, 0, NULL);
	lints("0 2048 noclone-striped 2 8 /dev/path-a 0 /dev/part1 0", 0, 0, NULL);
	/* a partition and the disk around it */
	lints("0 2048 noclone-linear /dev/part1 0\n"
	      "2048 2048 noclone-linear /dev/disk 2000", 1, 0, "/dev/part1 and /dev/disk overlap");
	lints("0 2048 noclone-linear /dev/part1 0\n"
	      "2048 2000 noclone-linear /dev/disk 0", 0, 0, NULL);
}

static void lint_stripes_on_one_disk(void **state __unused)
{
	lints("0 4096 noclone-striped 2 128 /dev/part1 0 /dev/part2 0", 0, 0,
	      NULL);
	lints("0 4096 noclone-striped 2 128 /dev/part1 0 /dev/part1 0", 1, 0,
	      "overlap on the same disk");
}

static void lint_self_reference(void **state __unused)
{
	lints("0 8 noclone-linear /dev/self 0", 1, 0, "is the device that gets this table, or is built on this device");
	lints("0 8 noclone-linear /dev/above 0", 1, 0, "is the device that gets this table, or is built on this device");
}

static bool cycle(const char *text, dev_t whose)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, text, &p);
	return lint_table(&t, &source, whose, &p);
}

static void lint_cycles(void **state __unused)
{
	assert_true(cycle("0 8 noclone-linear /dev/self 0", SELF));
	assert_true(cycle("0 256 noclone-striped 2 128 /dev/disk 0 /dev/above 0", SELF));
	assert_false(cycle("0 8 noclone-linear /dev/disk 0", SELF));
	assert_false(cycle("0 8 noclone-linear /dev/nothing 0", SELF));
	assert_false(cycle("0 8 noclone-linear /dev/self 0", 0));
}

static void lint_sizes(void **state __unused)
{
	lints("0 4001 noclone-linear /dev/part1 0", 1, 0, "needs 4001 sectors");
	lints("0 8 noclone-linear /dev/part1 4000", 1, 0, "needs 4008 sectors");
	lints("0 8 noclone-linear /dev/part1 18446744073709551615", 1, 0, "too small for the target");
	lints("0 8 noclone-linear /dev/nothing 0", 1, 0, "Device not found");
}

static void lint_foreign_targets(void **state __unused)
{
	lints("0 8 noclone-linear /dev/disk 0\n8 8 zero\n16 8 error", 0, 0, NULL);
	lints("0 8 noclone-linear /dev/disk 0\n8 8 delay /dev/disk 8 0", 0, 1,
	      "checks neither its arguments");
	lints("0 8 inlinecrypt aes-xts-plain64 key 0 /dev/disk 0", 0, 1, "are in use");
	lints("0 8 Noclone-linear /dev/disk 0", 1, 0, "unknown target type");
	lints("0 8 noclone-zero", 0, 0, NULL);
	lints("0 8 noclone-zero 1", 1, 0, "takes no arguments");
	lints("0 8 linear /dev/disk 0", 0, 0, NULL);
	lints("0 8 noclone-linear UUID=abc 0", 1, 0, "Device not found");
}

static int lookup_any(const char *name, struct device_facts *facts)
{
	*facts = (struct device_facts) { 0 };
	return strcmp(name, "/dev/gone") ? 0 : -ENOENT;
}

static void lints_name(const char *name, unsigned int warnings)
{
	static const struct facts_source any = { .lookup = lookup_any };
	_cleanup_free_ char *text = xasprintf("0 8 noclone-linear %s 0", name);
	_cleanup_findings_ struct findings parsed = { 0 }, findings = { 0 };
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, text, &parsed);
	lint_names(&t, &any, &findings);
	assert_int_equal(findings_count(&findings, FINDING_WARNING), warnings);
}

static void lint_names_that_change(void **state __unused)
{
	lints_name("8:16", 1);
	lints_name("/dev/sdb", 1);
	lints_name("/dev/ram0", 1);
	lints_name("/dev/md0", 1);
	lints_name("/dev/md/data", 0);
	lints_name("/dev/pmem0", 1);
	lints_name("/dev/disk/by-id/wwn-1", 0);
	lints_name("/dev/mapper/sdb", 0);
	lints_name("UUID=1", 0);
	lints_name("/dev/gone", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lint_good),
		cmocka_unit_test(lint_alignment),
		cmocka_unit_test(lint_zones),
		cmocka_unit_test(lint_overlap_of_legs),
		cmocka_unit_test(lint_stripes_on_one_disk),
		cmocka_unit_test(lint_self_reference),
		cmocka_unit_test(lint_cycles),
		cmocka_unit_test(lint_sizes),
		cmocka_unit_test(lint_foreign_targets),
		cmocka_unit_test(lint_names_that_change),
	};

	return cmocka_run_group_tests_name("lint", tests, NULL, NULL);
}
