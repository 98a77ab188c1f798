/* SPDX-License-Identifier: GPL-2.0-only */
/* The record that the test of a kernel of grade "alike" leaves: Documentation/design/kernel-test.rst */
#ifndef NOCLONE_KERNEL_TEST_H
#define NOCLONE_KERNEL_TEST_H

#include <stdbool.h>

#define KERNEL_TEST_DIR		"/var/lib/noclone/kernel"

/**
 * struct kernel_test_of - the kernel and the build of the module that a test record is looked up
 * for
 * @release: the kernel, as "uname -r" prints it
 * @version: the output of "uname -v" of this kernel; NULL if this kernel does not run
 * @build: the build word of the module
 */
struct kernel_test_of {
	const char *release;
	const char *version;
	const char *build;
};

/**
 * kernel_test_entry - has a build of the module passed the test of a kernel?
 * @of: the kernel and the module
 * @reason: set to a new string that says why the build has not passed; to NULL if no test is
 *	recorded, or if the build has passed
 * @limits: set to true if T8 has passed, that is, if our devices have the queue limits of stock
 *	devices
 *
 * Return: the entry for the parameter "tested" of the module, a new string, or NULL.
 */
char *kernel_test_entry(const struct kernel_test_of *of, char **reason, bool *limits);

#endif /* NOCLONE_KERNEL_TEST_H */
