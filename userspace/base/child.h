/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process. */
#ifndef NOCLONE_CHILD_H
#define NOCLONE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/* The standard output and its length, the standard error, and the status of waitpid(). */
struct child_output {
	char *out;
	size_t length;
	char *err;
	int status;
};

/*
 * Make this process, and the programs that it starts, find programs only in the folders of the
 * system.
 */
void child_set_folders(void);

/**
 * child_run - run a program and wait for it
 * @argv: the words of the command; the program is in a folder of the system, not in $PATH
 * @through: the program changes something and must run to its end; held signals stay pending
 * @output: filled in, also if the program failed
 *
 * Context: stop_hold(). Without @through, a held signal ends the program. Return: 0 if the program
 * has run, -EINTR if a signal has stopped it, or a negative errno.
 */
int child_run(char **argv, bool through, struct child_output *output);
void child_output_free(struct child_output *output);

/*
 * Run a program that only reads. Return: its standard output, a new string, or NULL if it fails.
 * Output that is not text needs @length; otherwise @length is NULL.
 */
char *child_read(char **argv, size_t *length);

#define _cleanup_child_output_ __attribute__((cleanup(child_output_free)))

#endif /* NOCLONE_CHILD_H */
