// SPDX-License-Identifier: GPL-2.0-only
/* Tests of functions that read files: if a file is not text, they refuse it at once. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

static char path[] = "/tmp/noclone-read.XXXXXX";

static int make_file(void **state __unused)
{
	int fd = mkstemp(path);

	return fd < 0 || close(fd);
}

static int remove_file(void **state __unused)
{
	return unlink(path);
}

static void write_bytes(const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void refused(int err, const char *why)
{
	_cleanup_free_ char *text = read_text_file(path, 100);

	assert_null(text);
	assert_int_equal(errno, err);
	assert_non_null(strstr(read_text_problem(path, err), why));
}

static void text_is_read(void **state __unused)
{
	_cleanup_free_ char *text = NULL;

	write_bytes("a\nb", 3);
	text = read_text_file(path, 100);
	assert_string_equal(text, "a\nb");
}

static void has_text(const char *bytes, const char *expected)
{
	_cleanup_free_ char *text = NULL;

	write_bytes(bytes, strlen(bytes));
	text = read_text_file(path, 100);
	assert_string_equal(text, expected);
}

/* An editor may have written the mark at the start. At any other place it is a character. */
static void a_byte_order_mark_is_no_text(void **state __unused)
{
	has_text("\xef\xbb\xbf# noclone: readonly\n", "# noclone: readonly\n");
	has_text("\xef\xbb\xbf", "");
	has_text("a\xef\xbb\xbf", "a\xef\xbb\xbf");
	has_text("\xef\xbb", "\xef\xbb");
}

static void a_zero_byte_does_not_end_it(void **state __unused)
{
	write_bytes("a\n\0b\n", 5);
	refused(EILSEQ, "zero byte");
	write_bytes("a\n\0", 3);
	refused(EILSEQ, "zero byte");
}

static void a_long_file_is_refused(void **state __unused)
{
	char bytes[101] = "";

	memset(bytes, 'a', sizeof(bytes));
	write_bytes(bytes, sizeof(bytes));
	refused(EFBIG, "large");
}

/* The FIFO has no writer, and opening it must not wait for one. */
static void a_fifo_is_refused(void **state __unused)
{
	alarm(10);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(ENOSTR, "not a regular file");
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_read),
		cmocka_unit_test(a_byte_order_mark_is_no_text),
		cmocka_unit_test(a_zero_byte_does_not_end_it),
		cmocka_unit_test(a_long_file_is_refused),
		cmocka_unit_test(a_fifo_is_refused),
	};

	return cmocka_run_group_tests_name("read", tests, make_file, remove_file);
}
