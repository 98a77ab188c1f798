// SPDX-License-Identifier: GPL-2.0-only
/* Facts about files, which another process collects. */
#include "unit.h"
#include "file-system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "model/file-map.h"
#include "system/file-lookup.h"
#include "system/uses.h"

static char file[] = "/tmp/noclone-lookup.XXXXXX";

static int make_file(void **state __unused)
{
	int fd = mkstemp(file);

	return fd < 0 || close(fd);
}

static int remove_file(void **state __unused)
{
	return unlink(file);
}

/* The answer of the other process begins with a byte that is no part of the facts. */
static void path_is_that_of_the_file(void **state __unused)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *real = realpath(file, NULL);

	assert_int_equal(file_lookup(file, false, &f), 0);
	assert_string_equal(f.path, real);
}

static void a_file_that_does_not_exist(void **state __unused)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };

	assert_int_equal(file_lookup("/tmp/noclone/no/file", false, &f), -ENOENT);
	assert_null(f.path);
}

/* Each call of lseek() with this whence fails. */
static int bad_whence = -1;

off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	if (whence != bad_whence)
		return __real_lseek(fd, offset, whence);
	errno = EIO;
	return -1;
}

/* Read the map of a file with one page of data at its end. A memfd has no FIEMAP. */
static int read_map(struct file_map *map)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);

	assert_int_equal(pwrite(fd, "x", 1, 65536), 1);
	return file_read_map(fd, 65537, map);
}

static void holes_are_found_without_fiemap(void **state __unused)
{
	_cleanup_file_map_ struct file_map map = { 0 };

	assert_int_equal(read_map(&map), 0);
	assert_true(map.known);
	assert_int_equal(map.nr_gaps, 1);
	assert_int_equal(map.gap_bytes, 65536);
}

static void a_map_after_an_error_is_not_known(void **state __unused)
{
	static const int whence[] = { SEEK_DATA, SEEK_HOLE };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(whence); i++) {
		_cleanup_file_map_ struct file_map map = { 0 };

		bad_whence = whence[i];
		assert_int_equal(read_map(&map), -EIO);
		bad_whence = -1;
		assert_false(map.known);
		assert_int_equal(map.nr_gaps, 0);
	}
}

/* Open the file for writing, in this process only, and find its writers. */
static void find_writers(struct uses *uses)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	int fd = open(file, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(file_lookup(file, false, &f), 0);
	uses_find_writers(uses, &f, false);
	close(fd);
}

/* The kernel refuses a lease of a file that is open for writing, and knows it by its path. */
static void only_the_lease_shows_this_process(void **state __unused)
{
	_cleanup_uses_ struct uses uses = { 0 };

	find_writers(&uses);
	assert_int_equal(uses.nr, 1);
	assert_non_null(strstr(uses.use[0].by, "/proc does not show"));
}

/* An NFS or SMB server may refuse a lease although the file has no writer. */
static void a_server_that_refuses_the_lease_shows_nothing(void **state __unused)
{
	static const uint32_t types[] = {
		NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		_cleanup_uses_ struct uses uses = { 0 };

		file_system = types[i];
		find_writers(&uses);
		file_system = 0;
		assert_int_equal(uses.nr, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_is_that_of_the_file),
		cmocka_unit_test(a_file_that_does_not_exist),
		cmocka_unit_test(holes_are_found_without_fiemap),
		cmocka_unit_test(a_map_after_an_error_is_not_known),
		cmocka_unit_test(only_the_lease_shows_this_process),
		cmocka_unit_test(a_server_that_refuses_the_lease_shows_nothing),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
