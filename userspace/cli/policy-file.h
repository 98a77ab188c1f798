/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of the policy, see noclone-policy(5). */
#ifndef NOCLONE_POLICY_FILE_H
#define NOCLONE_POLICY_FILE_H

#include "model/policy.h"
#include "system/run-lock.h"

/*
 * POLICY_LOCK: the lock of the policy. It is not in the folder of the policy, because this folder
 * may not exist, and any user can lock the folder.
 */
#define POLICY_LOCK	RUN_DIR "/policy"

/*
 * Read the policy from its file; if the file does not exist, the policy is empty. Return: 0, or a
 * negative errno after a message.
 */
int policy_file_read(struct policy *p);
/*
 * Return: the text of the policy for its file, a new string. If the file does not exist yet, the
 * text begins with comments that explain the file.
 */
char *policy_file_text(const struct policy *p);
/* Write the policy to its file. Return: 0, or a negative errno after a message. */
int policy_file_write(const struct policy *p);

#endif /* NOCLONE_POLICY_FILE_H */
