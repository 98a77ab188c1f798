/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of the policy, see noclone-policy(5). */
#ifndef NOCLONE_POLICY_FILE_H
#define NOCLONE_POLICY_FILE_H

#include "model/policy.h"
#include "system/run-lock.h"

/*
 * It is possible that the folder of the policy does not exist, and any user can lock it. So the
 * lock is in another folder.
 */
#define POLICY_LOCK	RUN_DIR "/policy"

/*
 * Read the policy; if there is no file, the policy is empty. Return: 0, or a negative errno after a
 * message.
 */
int policy_file_read(struct policy *p);
/* Return: the text of the new file, a new string. */
char *policy_file_text(const struct policy *p);
/* Write the policy. Return: 0, or a negative errno after a message. */
int policy_file_write(const struct policy *p);

#endif /* NOCLONE_POLICY_FILE_H */
