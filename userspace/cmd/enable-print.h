/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that print what noclone enable and disable do. */
#ifndef NOCLONE_ENABLE_PRINT_H
#define NOCLONE_ENABLE_PRINT_H

#include <stdbool.h>

#include "cmd/enable-plan.h"

/* Return: the shell commands that do what the command line requests, in order, a new string. */
char *enable_commands(const struct request *q);
void enable_print_json(const struct request *q);
/*
 * Print a line about a device if its state has changed, if the device is not as requested, or if
 * the user has named it. If a part of a named volume follows a rule of the policy that contradicts
 * the command, print a note.
 *
 * Return: true if the device has failed, that is, if it is not as requested. A device that can
 * never have the fast path has only failed if the user has named it.
 */
bool enable_print_device(const struct request *q, const struct candidate *c);
/*
 * Print the changed rules of the policy. @removed_only: print only removed rules, because the user
 * may have written them by hand
 */
void enable_print_policy(const struct request *q, bool removed_only);
/* Print a shell command that writes the policy. */
void enable_print_write(const struct request *q);

#endif /* NOCLONE_ENABLE_PRINT_H */
