/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the record of the test that a kernel of grade "alike" needs.
 * Documentation/design/kernel-test.rst describes the test and the record.
 */
#ifndef NOCLONE_KERNEL_TEST_H
#define NOCLONE_KERNEL_TEST_H

#include <stdbool.h>

#define KERNEL_TEST_DIR		"/var/lib/noclone/kernel"

/**
 * struct kernel_test_of - the kernel and the build of the module whose test record is needed
 * @release: the release of the kernel, as "uname -r" prints it
 * @version: the version of this kernel, as "uname -v" prints it; NULL if another kernel runs
 * @build: the build word of the module, as "modinfo -F build" prints it
 */
struct kernel_test_of {
	const char *release;
	const char *version;
	const char *build;
};

/**
 * struct kernel_test_result - what the record says about a build of the module
 * @denied: this user may not read the record
 * @failed: a test that the fast path needs has failed
 * @entry: the entry for the parameter "tested" of the module; NULL if the record does not allow the
 *	fast path
 * @reason: why the record does not allow the fast path; NULL if it does, or if no record exists
 * @polled: why the record does not allow polled I/O on the fast path (T7); NULL if it does
 * @limits: why the queue limits may differ from those of stock devices (T8); NULL if they do not
 */
struct kernel_test_result {
	bool denied;
	bool failed;
	char *entry;
	char *reason;
	char *polled;
	char *limits;
};

/* Read the record of the kernel. */
void kernel_test_read(const struct kernel_test_of *of, struct kernel_test_result *r);
void kernel_test_free(struct kernel_test_result *r);

#define _cleanup_kernel_test_ __attribute__((cleanup(kernel_test_free)))

/**
 * enum kernel_test_allowed - the I/O that the parameter "tested" allows on the fast path
 * @KERNEL_TEST_NONE: no I/O
 * @KERNEL_TEST_FAST: all I/O except polled I/O
 * @KERNEL_TEST_POLLED: all I/O
 */
enum kernel_test_allowed {
	KERNEL_TEST_NONE,
	KERNEL_TEST_FAST,
	KERNEL_TEST_POLLED,
};

/*
 * Read options of the module as the module reads them: all words "tested=LIST" together, without
 * the entries of other builds and without entries that are not build words. @options: words with
 * blanks between them, as modprobe.d has them
 */
enum kernel_test_allowed kernel_test_allowed(const char *options, const char *build);

#endif /* NOCLONE_KERNEL_TEST_H */
