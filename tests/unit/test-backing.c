// SPDX-License-Identifier: GPL-2.0-only
/* Creating, extending and allocating a real file, and undoing this. */
#include "unit.h"
#include "file-system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stop.h"
#include "base/util.h"
#include "model/file-map.h"
#include "model/plan.h"
#include "system/backing.h"
#include "system/file-lookup.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)

static uint64_t first_written;

ssize_t __real_pwrite(int fd, const void *data, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t at)
{
	first_written = MIN(first_written, (uint64_t)at);
	return __real_pwrite(fd, data, n, at);
}

static char dir[] = "/tmp/noclone-unit-XXXXXX";
static char *path;

static int setup(void **state __unused)
{
	if (!path) {
		assert_non_null(mkdtemp(dir));
		/* a name with all characters that need care */
		path = xasprintf("%s/a b\n#%%\\\xa0", dir);
	}
	unlink(path);
	stop_hold();
	return 0;
}

static int teardown(void **state __unused)
{
	stop_release();
	return 0;
}

static int clean_up(void **state __unused)
{
	unlink(path);
	return rmdir(dir);
}

static void write_at(uint64_t at, const char *text)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
}

static void read_at(uint64_t at, const char *expected)
{
	_cleanup_close_ int fd = open(path, O_RDONLY);
	char got[16] = "";

	assert_int_equal(pread(fd, got, strlen(expected), at), strlen(expected));
	assert_string_equal(got, expected);
}

static void set_size(uint64_t bytes)
{
	write_at(0, "begin");
	assert_int_equal(truncate(path, bytes), 0);
}

/* Return: the size of the file, or -1 if it does not exist. */
static int64_t size_now(void)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static uint64_t gaps_now(void)
{
	_cleanup_close_ int fd = open(path, O_RDONLY);
	_cleanup_file_map_ struct file_map map;

	assert_int_equal(file_read_map(fd, size_now(), &map), 0);
	return map.gap_bytes;
}

static struct backing planned(uint64_t bytes, bool allocate)
{
	const struct file_request req = {
		.path = path, .bytes = bytes, .allocate = allocate,
	};
	struct backing b = { .fd = -1 };

	assert_int_equal(backing_plan(&b, &req, 0), 0);
	/* the only pointer into the struct, which this test does not use */
	b.source.data = NULL;
	return b;
}

static void makes_and_removes(void **state __unused)
{
	_cleanup_backing_ struct backing b = planned(MIB, false);

	assert_true(b.needed);
	assert_int_equal(b.action, BACKING_CREATE);
	assert_int_equal(size_now(), -1);
	assert_int_equal(backing_apply(&b), 0);
	assert_int_equal(size_now(), MIB);
	assert_int_equal(gaps_now(), MIB);
	backing_undo(&b);
	assert_int_equal(size_now(), -1);
}

static void makes_written(void **state __unused)
{
	_cleanup_backing_ struct backing b = planned(3 * MIB + 512, true);

	assert_int_equal(backing_apply(&b), 0);
	assert_int_equal(size_now(), 3 * MIB + 512);
	assert_int_equal(gaps_now(), 0);
}

static void keeps_what_is_good(void **state __unused)
{
	struct backing b;

	set_size(MIB);
	b = planned(MIB, false);
	assert_false(b.needed);
	assert_int_equal(backing_apply(&b), 0);
	backing_undo(&b);
	assert_int_equal(size_now(), MIB);
	backing_free(&b);
}

static void grows_and_shrinks_back(void **state __unused)
{
	struct backing b;

	set_size(MIB);
	b = planned(2 * MIB, false);
	assert_int_equal(b.action, BACKING_GROW);
	assert_int_equal(backing_apply(&b), 0);
	assert_int_equal(size_now(), 2 * MIB);
	backing_undo(&b);
	assert_int_equal(size_now(), MIB);
	read_at(0, "begin");
	backing_free(&b);
}

/* A device may write directly to the rest of the block that contains the old end. */
static void writes_only_new_blocks_of_a_running_file(void **state __unused)
{
	struct backing b;

	set_size(2 * MIB);
	write_at(2 * MIB, "x");
	b = planned(4 * MIB, true);
	b.running = true;
	first_written = UINT64_MAX;
	assert_int_equal(backing_apply(&b), 0);
	assert_int_equal(first_written, 2 * MIB + b.facts.block);
	assert_int_equal(size_now(), 4 * MIB);
	read_at(2 * MIB, "x");
	backing_undo(&b);
	assert_int_equal(size_now(), 2 * MIB + 1);
	backing_free(&b);
}

/* The file was replaced after the plan was made. */
static void changes_no_other_file(void **state __unused)
{
	_cleanup_free_ char *old = xasprintf("%s.old", path);
	struct backing b;

	set_size(MIB);
	b = planned(2 * MIB, false);
	assert_int_equal(rename(path, old), 0);
	set_size(MIB);
	assert_int_equal(backing_apply(&b), -ESTALE);
	backing_undo(&b);
	assert_int_equal(size_now(), MIB);
	assert_int_equal(unlink(old), 0);
	backing_free(&b);
}

/* A file can be pinned if no process has it open for writing. */
static bool no_process_writes(void)
{
	_cleanup_close_ int fd = open(path, O_RDONLY);
	bool granted = !fcntl(fd, F_SETLEASE, F_RDLCK);

	fcntl(fd, F_SETLEASE, F_UNLCK);
	return granted;
}

static void lets_go_before_the_kernel_looks(void **state __unused)
{
	struct backing b;

	set_size(MIB);
	if (!no_process_writes())
		skip();
	b = planned(2 * MIB, true);
	assert_int_equal(backing_apply(&b), 0);
	assert_true(no_process_writes());
	/* the undo still finds the file */
	backing_undo(&b);
	assert_int_equal(size_now(), MIB);
	backing_free(&b);
}

static void fills_holes_around_data(void **state __unused)
{
	struct backing b;

	set_size(3 * MIB);
	write_at(MIB + 5000, "middle");
	write_at(3 * MIB - 3, "end");
	b = planned(0, true);
	assert_int_equal(backing_apply(&b), 0);
	assert_int_equal(gaps_now(), 0);
	assert_int_equal(size_now(), 3 * MIB);
	read_at(0, "begin");
	read_at(MIB + 5000, "middle");
	read_at(3 * MIB - 3, "end");
	/* the file was not changed, so nothing is undone */
	backing_undo(&b);
	assert_int_equal(size_now(), 3 * MIB);
	backing_free(&b);
}

static void fills_unwritten_extents(void **state __unused)
{
	struct backing b;
	int fd;

	write_at(0, "begin");
	fd = open(path, O_RDWR);
	if (fallocate(fd, 0, 0, MIB)) {
		close(fd);
		skip();
	}
	close(fd);
	b = planned(2 * MIB, true);
	assert_int_equal(backing_apply(&b), 0);
	assert_int_equal(gaps_now(), 0);
	read_at(0, "begin");
	backing_free(&b);
}

static void stops_and_removes(void **state __unused)
{
	_cleanup_backing_ struct backing b = planned(MIB, true);

	raise(SIGTERM);
	assert_int_equal(backing_apply(&b), -EINTR);
	backing_undo(&b);
	assert_int_equal(size_now(), -1);
}

/* A process with the file open may write to the blocks that are to become zero. */
static void fills_nothing_that_is_open(void **state __unused)
{
	struct backing b;
	int fd;

	set_size(MIB);
	fd = open(path, O_RDWR);
	if (fcntl(fd, F_SETLEASE, F_WRLCK)) {
		close(fd);
		skip();
	}
	fcntl(fd, F_SETLEASE, F_UNLCK);
	b = planned(0, true);
	assert_int_equal(backing_apply(&b), -EBUSY);
	assert_int_not_equal(gaps_now(), 0);
	close(fd);
	backing_free(&b);
}

/* An NFS server may refuse the lease of a file that no process has open. */
static void fills_without_a_lease_of_the_server(void **state __unused)
{
	struct backing b;
	int fd;

	set_size(MIB);
	fd = open(path, O_RDWR);
	b = planned(0, true);
	file_system = NFS_SUPER_MAGIC;
	assert_int_equal(backing_apply(&b), 0);
	file_system = 0;
	assert_int_equal(gaps_now(), 0);
	close(fd);
	backing_free(&b);
}

static void removes_no_file_of_others(void **state __unused)
{
	_cleanup_backing_ struct backing b = planned(MIB, false);

	assert_int_equal(backing_apply(&b), 0);
	unlink(path);
	set_size(4 * KIB);
	backing_undo(&b);
	assert_int_equal(size_now(), 4 * KIB);
}

static void follows_no_link_to_nothing(void **state __unused)
{
	const struct file_request req = { .path = path, .bytes = MIB };
	struct backing b = { .fd = -1 };

	assert_int_equal(symlink("nothing", path), 0);
	assert_int_equal(backing_plan(&b, &req, 0), -ENOENT);
	assert_int_equal(size_now(), -1);
	backing_free(&b);
}

static void a_missing_file_is_looked_up_whole(void **state __unused)
{
	_cleanup_free_ char *there = file_real_path(dir);
	_cleanup_free_ char *missing = file_real_path(path);

	assert_string_equal(there, dir);
	assert_string_equal(missing, path);
	assert_null(file_real_path("/no/such/directory/file"));
	free(missing);
	missing = file_real_path("/noclone-no-such-file");
	assert_string_equal(missing, "/noclone-no-such-file");
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(makes_and_removes),
		TEST(makes_written),
		TEST(keeps_what_is_good),
		TEST(grows_and_shrinks_back),
		TEST(writes_only_new_blocks_of_a_running_file),
		TEST(changes_no_other_file),
		TEST(lets_go_before_the_kernel_looks),
		TEST(fills_holes_around_data),
		TEST(fills_unwritten_extents),
		TEST(stops_and_removes),
		TEST(fills_nothing_that_is_open),
		TEST(fills_without_a_lease_of_the_server),
		TEST(removes_no_file_of_others),
		TEST(follows_no_link_to_nothing),
		TEST(a_missing_file_is_looked_up_whole),
	};

	return cmocka_run_group_tests_name("backing", tests, NULL, clean_up);
}
