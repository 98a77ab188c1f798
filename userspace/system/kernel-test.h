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
 * kernel_test_entry - has a build of the module passed the test of a kernel?
 * @of: the kernel and the module
 * @reason: set to a new string that says why the build has not passed; set to NULL if no test is
 *	recorded, or if the build has passed
 * @limits: if the build has passed: set to true if T8 has passed as well, and to false otherwise;
 *	T8 tests whether the devices of the module have the same queue limits as stock devices
 *
 * Return: the entry for the parameter "tested" of the module, a new string, or NULL.
 */
char *kernel_test_entry(const struct kernel_test_of *of, char **reason, bool *limits);

#endif /* NOCLONE_KERNEL_TEST_H */
