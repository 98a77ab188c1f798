// SPDX-License-Identifier: GPL-2.0-only
/* Growing a file below a device that may be writing to it. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/util.h"
#include "system/growth.h"

static uint64_t first_written;
static bool has_fallocate;

ssize_t __real_pwrite(int fd, const void *data, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t at)
{
	first_written = MIN(first_written, (uint64_t)at);
	return __real_pwrite(fd, data, n, at);
}

int __real_fallocate(int fd, int mode, off_t at, off_t n);
int __wrap_fallocate(int fd, int mode, off_t at, off_t n);
int __wrap_fallocate(int fd, int mode, off_t at, off_t n)
{
	if (has_fallocate)
		return __real_fallocate(fd, mode, at, n);
	errno = EOPNOTSUPP;
	return -1;
}

struct scratch {
	char path[32];
	int fd;
	uint64_t block;
};

static int setup(void **state)
{
	struct scratch *s = xzalloc(sizeof(*s));
	struct statvfs fs;

	strcpy(s->path, "/tmp/noclone-growth-XXXXXX");
	s->fd = mkstemp(s->path);
	assert_true(s->fd >= 0);
	assert_int_equal(fstatvfs(s->fd, &fs), 0);
	s->block = fs.f_bsize;
	first_written = UINT64_MAX;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scratch *s = *state;

	close(s->fd);
	unlink(s->path);
	free(s);
	return 0;
}

/* From two blocks and a sector to four blocks, written. */
static void grow(const struct scratch *s)
{
	struct growth g = { .path = s->path, .bytes = 4 * s->block, .written = true };
	_cleanup_free_ char *zeroes = xzalloc(4 * s->block), *data = xzalloc(4 * s->block);
	uint64_t old = 2 * s->block + SECTOR_SIZE;
	struct stat st;

	memset(data, 'x', old);
	assert_int_equal(write(s->fd, data, old), old);
	assert_int_equal(fstat(s->fd, &st), 0);
	g.id = (struct file_id) { true, st.st_dev, st.st_ino };
	assert_int_equal(growth_apply(&g), 0);
	assert_int_equal(pread(s->fd, data, 4 * s->block, 0), 4 * s->block);
	assert_int_equal(data[old - 1], 'x');
	assert_memory_equal(data + old, zeroes, 4 * s->block - old);
	growth_undo(&g);
	assert_int_equal(fstat(s->fd, &st), 0);
	assert_int_equal(st.st_size, old);
}

/* A device may have the rest of that block, and write it directly. */
static void block_of_the_old_end_is_not_written(void **state)
{
	struct scratch *s = *state;

	has_fallocate = true;
	if (fallocate(s->fd, FALLOC_FL_KEEP_SIZE, 0, 1))
		skip();
	grow(s);
	assert_int_equal(first_written, 3 * s->block);
}

static void all_is_written_where_nothing_can_be_reserved(void **state)
{
	const struct scratch *s = *state;

	has_fallocate = false;
	grow(s);
	assert_int_equal(first_written, 2 * s->block + SECTOR_SIZE);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(block_of_the_old_end_is_not_written),
		TEST(all_is_written_where_nothing_can_be_reserved),
	};

	return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
