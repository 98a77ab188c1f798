// SPDX-License-Identifier: GPL-2.0-only
/* Each file below tables/: good tables have no findings, and bad tables have findings. */
#include "unit.h"
#include "devices.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/lookup.h"

#define TABLES		TOP "/tables"
#define ON_FILES	TABLES "/file"
#define REJECT		TABLES "/reject"
#define REJECT_AT_LEAST	60

static char *read_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY);
	char *text;

	assert_true(fd >= 0);
	text = read_bytes(fd, 65536, NULL);
	assert_non_null(text);
	return text;
}

/*
 * These are the devices of tables/README.md: four RAM disks of 64 MiB, and two files of 32 MiB. No
 * other device exists, and /dev is a directory everywhere.
 */
static const struct test_device list[] = {
	{ "/dev/ram0", MIB_SECTORS(64), 512 }, { "/dev/ram1", MIB_SECTORS(64), 512 },
	{ "/dev/ram2", MIB_SECTORS(64), 512 }, { "/dev/ram3", MIB_SECTORS(64), 512 },
	{ "/mnt/noclone.img", MIB_SECTORS(32), 512 }, { "/mnt/no clone #1.img", MIB_SECTORS(32), 512 },
	{ 0 },
};

static int lookup_file(const struct facts_source *src, const char *path, bool map,
		       struct file_facts *facts)
{
	return test_lookup_file(src, path, map, facts) ?
	       system_facts.lookup_file(&system_facts, path, map, facts) : 0;
}

static void check(const char *text, struct table *t, struct findings *findings)
{
	struct facts_source devices = TEST_SOURCE;

	test_devices = list;
	devices.lookup_file = lookup_file;
	table_parse(t, text, findings);
	lint_table(t, &devices, 0, findings);
}

typedef void (*file_check)(const char *name, const char *text);

static unsigned int for_each_table(const char *path, file_check check_file)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *file = NULL, *text = NULL;
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".table"))
			continue;
		file = xasprintf("%s/%s", path, entry->d_name);
		text = read_file(file);
		check_file(entry->d_name, text);
		n++;
	}
	closedir(dir);
	return n;
}

static void check_good(const char *name, const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table t = { 0 };
	unsigned int i;

	check(text, &t, &findings);
	for (i = 0; i < findings.nr; i++)
		if (findings.finding[i].level != FINDING_NOTE)
			fail_msg("%s: %s", name, findings.finding[i].text);
	for (i = 0; i < t.nr; i++)
		assert_true(t.targets[i].understood);
}

/* Return: the value of a line "# key: value", which must be line @nr. */
static char *header(const char *text, unsigned int nr, const char *key)
{
	_cleanup_free_ char *start = xasprintf("# %s: ", key);

	while (--nr) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	assert_true(str_starts(text, start));
	text += strlen(start);
	return xstrndup(text, strcspn(text, "\n"));
}

/*
 * The device in the fragment may be a real one that this machine lacks, so the reason "Block device
 * required" behind it is not compared.
 */
static void check_bad(const char *name, const char *text)
{
	_cleanup_free_ char *expect = header(text, 1, "expect");
	_cleanup_free_ char *fragment = header(text, 2, "check");
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table t = { 0 };
	char *reason = strstr(fragment, ": Block device required");
	unsigned int i;

	assert_true(*expect);
	if (reason)
		*reason = 0;
	check(text, &t, &findings);
	for (i = 0; i < findings.nr; i++)
		if (findings.finding[i].level == FINDING_ERROR &&
		    strstr(findings.finding[i].text, fragment))
			return;
	fail_msg("%s: nothing says \"%s\"", name, fragment);
}

static void good_tables_are_clean(void **state __unused)
{
	assert_true(for_each_table(TABLES, check_good) >= 9);
	assert_true(for_each_table(ON_FILES, check_good) >= 6);
}

static void bad_tables_are_refused(void **state __unused)
{
	assert_true(for_each_table(REJECT, check_bad) >= REJECT_AT_LEAST);
}

static void check_round_trip(const char *name __unused, const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table first = { 0 }, second = { 0 };
	_cleanup_free_ char *printed = NULL, *again = NULL;

	table_parse(&first, text, &findings);
	printed = table_print(&first, false, NULL);
	table_parse(&second, printed, &findings);
	again = table_print(&second, false, NULL);
	assert_string_equal(printed, again);
	assert_true(table_same_mapping(&first, &second));
}

static void good_tables_round_trip(void **state __unused)
{
	assert_true(for_each_table(TABLES, check_round_trip) >= 9);
	assert_true(for_each_table(ON_FILES, check_round_trip) >= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_tables_are_clean),
		cmocka_unit_test(bad_tables_are_refused),
		cmocka_unit_test(good_tables_round_trip),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
