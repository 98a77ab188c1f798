/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of the policy. */
#ifndef NOCLONE_POLICY_FILE_H
#define NOCLONE_POLICY_FILE_H

#include <stdbool.h>

#include "model/policy.h"

#define POLICY_PATH	"/etc/noclone/policy"

/**
 * struct policy_file - the file while it is read or edited
 * @lock: held against other editors; -1 if it is only read
 */
struct policy_file {
	int lock;
};

/*
 * Read the policy; without a file it is empty.  With @edit, other editors wait until
 * policy_file_close().  Return: 0, or a negative errno after a message, which
 * is also given if a line is no rule.
 */
int policy_file_open(struct policy_file *file, struct policy *p, bool edit);
/* Replace the file in one step: 0, or a negative errno after a message. */
int policy_file_write(const struct policy *p);
void policy_file_close(struct policy_file *file);

#define _cleanup_policy_file_ __attribute__((cleanup(policy_file_close)))

#endif /* NOCLONE_POLICY_FILE_H */
