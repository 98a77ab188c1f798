/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of others, and their output. */
#ifndef NOCLONE_PROGRAM_H
#define NOCLONE_PROGRAM_H

#include "base/child.h"

/*
 * The standard output of a program that only looks: a new string; NULL if it is not
 * there or fails.  Also those in the folders for root are found.
 */
char *program_output(char **argv);
/*
 * Run a program, likewise: 0 if it has run, -EINTR if it was stopped, or a negative errno.
 * @through: it changes something, and must not be ended half-way
 *
 * Context: stop_hold().
 */
int program_run(char **argv, bool through, struct child_output *output);

#endif /* NOCLONE_PROGRAM_H */
