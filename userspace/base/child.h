/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process. */
#ifndef NOCLONE_CHILD_H
#define NOCLONE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The result of a child process: its standard output @out with @length bytes, its standard error
 * @err, and its @status from waitpid().
 */
struct child_output {
	char *out;
	size_t length;
	char *err;
	int status;
};

/*
 * Set $PATH to the folders of the system, so that this process, and the programs that it starts,
 * find no programs in other folders.
 */
void child_set_folders(void);

/**
 * child_run - run a program and wait for it
 * @argv: the words of the command; the program is looked up in the folders of the system, not in
 *	the $PATH of the user
 * @through: true if the program changes something and must run to its end; signals that are held
 *	back then stay pending
 * @output: filled in, even if the program has failed
 *
 * Context: The caller has called stop_hold(), or stop_block() if @through is true. If @through is
 * false, a held signal ends the program.
 *
 * Return: 0 if the program has run, even if it has failed; -EINTR if a signal has stopped the
 * program; or another negative errno.
 */
int child_run(char **argv, bool through, struct child_output *output);
void child_output_free(struct child_output *output);

/*
 * Run a program that only reads. Return: its standard output, a new string, or NULL if the program
 * fails. @length is set to the number of bytes of the output; it may be NULL if the output is text.
 */
char *child_read(char **argv, size_t *length);

#define _cleanup_child_output_ __attribute__((cleanup(child_output_free)))

#endif /* NOCLONE_CHILD_H */
