// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of device-mapper operations, and what is undone when one fails.
 *
 * libdevmapper is replaced by functions that record the calls and
 * fail on demand; "-Wl,--wrap" in the Makefile names them.
 */
#include "unit.h"

#include <errno.h>
#include <sys/sysmacros.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/devmap-log.h"
#include "system/devmap.h"

#define COOKIE	0xd4d1234
/*
 * MINOR: the minor number of the device without a UUID; no device of this machine has this number.
 */
#define MINOR	0xfffff

struct dm_task {
	int type;
	char name[64];
	char uuid[64];
	int minor;
};

static const char * const type_names[] = {
	[DM_DEVICE_CREATE] = "create", [DM_DEVICE_RELOAD] = "load",
	[DM_DEVICE_REMOVE] = "remove", [DM_DEVICE_RESUME] = "resume",
	[DM_DEVICE_INFO] = "info", [DM_DEVICE_CLEAR] = "clear",
};

static struct {
	char log[512];
	int fail_type;		/* the operation that fails, or -1 for none */
	int fail_times;
	int fail_errno;
	bool udev_answers;
	bool cookie_is_gone;	/* another process has released the cookie */
	bool renamed;
	int open_count;
	bool suspended;
	bool suspends_on_failure;
	size_t said;		/* bytes on stderr, in tests that check them */
	size_t said_suspended;	/* bytes on stderr before a suspended device was resumed */
	unsigned int tasks;	/* tasks that are not destroyed yet */
} fake;

static struct devmap_device dev = { .name = "x", .uuid = "NOCLONE-test" };
static struct devmap_device anonymous = { .name = "x", .uuid = "" };

static int setup(void **state __unused)
{
	memset(&fake, 0, sizeof(fake));
	fake.fail_type = -1;
	fake.udev_answers = true;
	devmap_setup(true, 0);
	return 0;
}

static void fail_with(int type, int err)
{
	fake.fail_type = type;
	fake.fail_times = 1;
	fake.fail_errno = err;
}

static void note(const char *what)
{
	if (*fake.log)
		strcat(fake.log, " ");
	strcat(fake.log, what);
}

/* Compare the calls, and check that nothing is left behind. */
static void happened(const char *expected)
{
	assert_string_equal(fake.log, expected);
	assert_int_equal(fake.tasks, 0);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	if (!strcmp(path, "/sys/devices/virtual/misc/device-mapper"))
		return 0;
	return __real_access(path, mode);
}

struct dm_task *__wrap_dm_task_create(int type);
struct dm_task *__wrap_dm_task_create(int type)
{
	struct dm_task *dmt = xzalloc(sizeof(*dmt));

	dmt->type = type;
	fake.tasks++;
	return dmt;
}

void __wrap_dm_task_destroy(struct dm_task *dmt);
void __wrap_dm_task_destroy(struct dm_task *dmt)
{
	fake.tasks--;
	free(dmt);
}

int __wrap_dm_task_set_name(struct dm_task *dmt, const char *name);
int __wrap_dm_task_set_name(struct dm_task *dmt, const char *name)
{
	snprintf(dmt->name, sizeof(dmt->name), "%s", name);
	return 1;
}

int __wrap_dm_task_run(struct dm_task *dmt);
int __wrap_dm_task_run(struct dm_task *dmt)
{
	note(type_names[dmt->type]);
	/* the name may belong to another device by now */
	assert_true(dmt->type == DM_DEVICE_CREATE || !*dmt->name);
	assert_true(*dmt->uuid || dmt->minor == MINOR);
	if (dmt->type == fake.fail_type && fake.fail_times) {
		fake.fail_times--;
		/* do_resume() of the kernel may fail between suspend and swap */
		fake.suspended |= fake.suspends_on_failure;
		return 0;
	}
	if (dmt->type == DM_DEVICE_RESUME) {
		fflush(stderr);
		if (fake.suspended)
			fake.said_suspended = fake.said;
		fake.suspended = false;
	}
	return 1;
}

int __wrap_dm_task_get_errno(struct dm_task *dmt);
int __wrap_dm_task_get_errno(struct dm_task *dmt __unused)
{
	return fake.fail_errno;
}

int __wrap_dm_task_get_info(struct dm_task *dmt, struct dm_info *info);
int __wrap_dm_task_get_info(struct dm_task *dmt, struct dm_info *info)
{
	memset(info, 0, sizeof(*info));
	info->exists = 1;
	info->minor = *dmt->uuid ? 0 : MINOR;
	info->major = *dmt->uuid ? 0 : 254;
	info->open_count = fake.open_count ? fake.open_count-- : 0;
	info->suspended = fake.suspended;
	return 1;
}

int __wrap_dm_task_set_cookie(struct dm_task *dmt, uint32_t *cookie,
			      uint16_t flags);
int __wrap_dm_task_set_cookie(struct dm_task *dmt __unused, uint32_t *cookie,
			      uint16_t flags)
{
	/* udev runs here, so libdm must not change the nodes */
	assert_int_equal(flags, DM_UDEV_DISABLE_LIBRARY_FALLBACK);
	*cookie = COOKIE;
	return 1;
}

int __wrap_dm_udev_wait_immediate(uint32_t cookie, int *ready);
int __wrap_dm_udev_wait_immediate(uint32_t cookie, int *ready)
{
	assert_int_equal(cookie, COOKIE);
	*ready = fake.udev_answers;
	return !fake.cookie_is_gone;
}

const char *__wrap_dm_task_get_name(const struct dm_task *dmt);
const char *__wrap_dm_task_get_name(const struct dm_task *dmt __unused)
{
	return fake.renamed ? "y" : "x";
}

const char *__wrap_dm_task_get_uuid(const struct dm_task *dmt);
const char *__wrap_dm_task_get_uuid(const struct dm_task *dmt)
{
	return dmt->uuid;
}

int __wrap_dm_task_set_uuid(struct dm_task *dmt, const char *uuid);
int __wrap_dm_task_set_uuid(struct dm_task *dmt, const char *uuid)
{
	snprintf(dmt->uuid, sizeof(dmt->uuid), "%s", uuid);
	return 1;
}

int __wrap_dm_task_set_major_minor(struct dm_task *dmt, int major, int minor, int fallback);
int __wrap_dm_task_set_major_minor(struct dm_task *dmt, int major, int minor, int fallback)
{
	assert_int_equal(major, 254);
	assert_int_equal(fallback, 0);
	dmt->minor = minor;
	return 1;
}

int __wrap_dm_task_add_target(struct dm_task *dmt, uint64_t start,
			      uint64_t size, const char *ttype,
			      const char *params);
int __wrap_dm_task_add_target(struct dm_task *dmt __unused, uint64_t start,
			      uint64_t size, const char *ttype,
			      const char *params)
{
	assert_int_equal(start, 0);
	assert_int_equal(size, 8);
	assert_string_equal(ttype, "noclone-linear");
	assert_string_equal(params, "/dev/a 0");
	return 1;
}

/* The other functions succeed and record nothing. */
#define SUCCEEDS(name, ...)						\
	int __wrap_##name(__VA_ARGS__);					\
	int __wrap_##name(__VA_ARGS__)					\
	{								\
		return 1;						\
	}

SUCCEEDS(dm_task_set_ro, struct dm_task *dmt __unused)
SUCCEEDS(dm_task_retry_remove, struct dm_task *dmt __unused)
SUCCEEDS(dm_udev_get_sync_support, void)

void __wrap_dm_task_update_nodes(void);
void __wrap_dm_task_update_nodes(void)
{
}

static struct table a_table(void)
{
	_cleanup_findings_ struct findings findings = { 0 };
	struct table t = { 0 };

	table_parse(&t, "0 8 noclone-linear /dev/a 0", &findings);
	assert_int_equal(findings.nr, 0);
	return t;
}

static int accept_it(void *data __unused)
{
	return 0;
}

static const struct devmap_check fine = { .check_loaded = accept_it };

static int create(void)
{
	_cleanup_table_ struct table t = a_table();
	int lock = -1;

	return devmap_create("x", "NOCLONE-x", &t, false, &fine, &lock);
}

static int reload(void)
{
	_cleanup_table_ struct table t = a_table();

	return devmap_reload(&dev, &t, false, &fine);
}

static void create_takes_three_steps(void **state __unused)
{
	assert_int_equal(create(), 0);
	happened("create load resume");
}

static void create_that_exists_removes_nothing(void **state __unused)
{
	fail_with(DM_DEVICE_CREATE, EBUSY);
	assert_int_equal(create(), -EBUSY);
	happened("create");
}

static void create_with_a_bad_table_is_removed(void **state __unused)
{
	fail_with(DM_DEVICE_RELOAD, EINVAL);
	assert_int_equal(create(), -EINVAL);
	happened("create load remove");
}

static void create_that_cannot_resume_is_removed(void **state __unused)
{
	fail_with(DM_DEVICE_RESUME, EINVAL);
	assert_int_equal(create(), -EINVAL);
	happened("create load resume remove");
}

static void create_with_slow_udev_stays(void **state __unused)
{
	fake.udev_answers = false;
	assert_int_equal(create(), DEVMAP_UDEV_LATE);
	happened("create load resume");
}

/* For example, "dmsetup udevcomplete_all" releases the cookie; the change of the kernel stays. */
static void a_cookie_that_is_gone_undoes_nothing(void **state __unused)
{
	fake.cookie_is_gone = true;
	assert_int_equal(create(), DEVMAP_UDEV_LATE);
	assert_int_equal(reload(), DEVMAP_UDEV_LATE);
	happened("create load resume info load resume");
}

static int refuse(void *data __unused)
{
	return -EILSEQ;
}

/* The table that the kernel has loaded is checked before it becomes live. */
static void reload_that_fails_its_check_clears(void **state __unused)
{
	const struct devmap_check check = { .check_loaded = refuse };
	_cleanup_table_ struct table t = a_table();

	assert_int_equal(devmap_reload(&dev, &t, false, &check), -EILSEQ);
	happened("info load clear");
}

static void create_that_fails_its_check_removes(void **state __unused)
{
	const struct devmap_check check = { .check_loaded = refuse };
	_cleanup_table_ struct table t = a_table();
	int lock = -1;

	assert_int_equal(devmap_create("x", "NOCLONE-x", &t, false, &check, &lock), -EILSEQ);
	happened("create load remove");
}

static void reload_is_one_switch(void **state __unused)
{
	assert_int_equal(reload(), 0);
	happened("info load resume");
}

static void reload_with_a_bad_table_clears(void **state __unused)
{
	fail_with(DM_DEVICE_RELOAD, EINVAL);
	assert_int_equal(reload(), -EINVAL);
	happened("info load clear");
}

static void reload_that_cannot_switch_resumes_the_old_table(void **state __unused)
{
	fail_with(DM_DEVICE_RESUME, EINVAL);
	fake.suspends_on_failure = true;
	assert_int_equal(reload(), -EINVAL);
	happened("info load resume clear info resume");
	assert_false(fake.suspended);
}

/* stderr may be a file on the suspended device. */
static void reload_says_nothing_while_suspended(void **state __unused)
{
	FILE *real = stderr;
	char *text = NULL;

	stderr = open_memstream(&text, &fake.said);
	fail_with(DM_DEVICE_RESUME, EINVAL);
	fake.suspends_on_failure = true;
	assert_int_equal(reload(), -EINVAL);
	fclose(stderr);
	stderr = real;
	assert_int_equal(fake.said_suspended, 0);
	assert_ptr_equal(strstr(text, "noclone: switching the table of x failed: Invalid argument\n"),
			 text);
	assert_non_null(strstr(text, "\nnoclone: x keeps running with its old table\n"));
	free(text);
}

static void reload_refused_before_the_suspend_resumes_nothing(void **state __unused)
{
	fail_with(DM_DEVICE_RESUME, EINVAL);
	assert_int_equal(reload(), -EINVAL);
	happened("info load resume clear info");
}

static void reload_of_a_device_that_is_gone(void **state __unused)
{
	fail_with(DM_DEVICE_INFO, ENXIO);
	assert_int_equal(reload(), -ENXIO);
	happened("info");
}

static void remove_is_one_step(void **state __unused)
{
	assert_int_equal(devmap_remove(&dev), 0);
	happened("remove");
}

/* If udev is late, the leftover of a killed command is removed nevertheless. */
static void a_leftover_is_removed_without_udev(void **state __unused)
{
	struct devmap_device left = dev;

	fake.udev_answers = false;
	assert_true(devmap_remove_unfinished(&left));
	happened("remove");
	fail_with(DM_DEVICE_REMOVE, EBUSY);
	assert_false(devmap_remove_unfinished(&left));
	happened("remove remove");
	left.live_table = true;
	assert_false(devmap_remove_unfinished(&left));
	happened("remove remove");
}

/* A device without a UUID may be replaced before its removal, so the check comes last. */
static void remove_without_uuid_looks_first(void **state __unused)
{
	anonymous.devno = makedev(254, MINOR);
	assert_int_equal(devmap_remove(&anonymous), 0);
	happened("info remove");
	fake.open_count = 1;
	assert_int_equal(devmap_remove(&anonymous), 0);
	happened("info remove info info remove");
}

static void remove_without_uuid_takes_no_other(void **state __unused)
{
	anonymous.devno = makedev(254, MINOR);
	fake.renamed = true;
	assert_int_equal(devmap_remove(&anonymous), -EAGAIN);
	happened("info");
}

static void errno_is_never_lost(void **state __unused)
{
	/* libdm sometimes fails without an errno, which is also a failure */
	fail_with(DM_DEVICE_REMOVE, 0);
	assert_int_equal(devmap_remove(&dev), -EIO);
	happened("remove");
}

static void kernel_says(const char *record, const char *expected)
{
	_cleanup_free_ char *got = devmap_kernel_sentence(record);

	if (!expected)
		assert_null(got);
	else
		assert_string_equal(got, expected);
}

static void sentences_of_the_kernel_log(void **state __unused)
{
	kernel_says("3,1,2,-;device-mapper: table: 253:0: noclone-linear: Gap in table (-EINVAL)\n",
		    "table: 253:0: noclone-linear: Gap in table (-EINVAL)");
	kernel_says("3,1,2,-;device-mapper: ioctl: x\n SUBSYSTEM=block\n DEVICE=b1:0\n",
		    "ioctl: x");
	kernel_says("4,1,2,-;device-mapper: " DM_MSG_PREFIX ": something\n",
		    DM_MSG_PREFIX ": something");
	kernel_says("4,1,2,-;dm-noclone: something\n", NULL);
	kernel_says("6,1,2,-;about device-mapper: no\n", NULL);
	kernel_says("no semicolon", NULL);
	kernel_says("", NULL);
}

static void sentences_about_this_device(void **state __unused)
{
	const dev_t devno = makedev(253, 1);

	assert_true(devmap_sentence_names("table: 253:1: linear: Gap (-EINVAL)", "data", devno));
	assert_true(devmap_sentence_names("ioctl: device data: no", "data", 0));
	assert_true(devmap_sentence_names("data", "data", devno));
	assert_false(devmap_sentence_names("table: 253:10: linear: Gap", "data", devno));
	assert_false(devmap_sentence_names("table: 1253:1: linear: Gap", "data", devno));
	assert_false(devmap_sentence_names("table: 0:0: linear: Gap", "data", 0));
	assert_false(devmap_sentence_names("ioctl: device data2 or old-data", "data", devno));
	assert_true(devmap_sentence_names("ioctl: data2, data", "data", devno));
	assert_false(devmap_sentence_names("ioctl: error adding target to table", "data", devno));
}

#define TEST(f)	cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_takes_three_steps),
		TEST(create_that_exists_removes_nothing),
		TEST(create_with_a_bad_table_is_removed),
		TEST(create_that_cannot_resume_is_removed),
		TEST(create_with_slow_udev_stays),
		TEST(a_cookie_that_is_gone_undoes_nothing),
		TEST(create_that_fails_its_check_removes),
		TEST(reload_that_fails_its_check_clears),
		TEST(reload_is_one_switch),
		TEST(reload_with_a_bad_table_clears),
		TEST(reload_that_cannot_switch_resumes_the_old_table),
		TEST(reload_says_nothing_while_suspended),
		TEST(reload_refused_before_the_suspend_resumes_nothing),
		TEST(reload_of_a_device_that_is_gone),
		TEST(remove_is_one_step),
		TEST(a_leftover_is_removed_without_udev),
		TEST(remove_without_uuid_looks_first),
		TEST(remove_without_uuid_takes_no_other),
		TEST(errno_is_never_lost),
		TEST(sentences_of_the_kernel_log),
		TEST(sentences_about_this_device),
	};

	return cmocka_run_group_tests_name("devmap", tests, NULL, NULL);
}
