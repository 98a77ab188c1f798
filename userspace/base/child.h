/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process, and the signals that end it and its parent. */
#ifndef NOCLONE_CHILD_H
#define NOCLONE_CHILD_H

#include <stdbool.h>

/**
 * stop_hold - from now on, SIGINT and its kin wait until somebody asks
 *
 * Whoever has something to clean up holds them, asks stop_wanted() between its
 * steps, cleans up and releases them.  Signals that are ignored stay ignored.
 */
void stop_hold(void);
/* Has such a signal come?  Once it has, the answer stays. */
bool stop_wanted(void);
void stop_release(void);

/**
 * struct child_output - what a child left
 * @out: its standard output
 * @err: its standard error
 * @status: as of waitpid()
 */
struct child_output {
	char *out;
	char *err;
	int status;
};

/**
 * child_run - run a program and wait for it
 * @argv: its words; the first is looked for in $PATH
 * @output: filled in, also if the child failed
 *
 * Context: stop_hold().  A signal that wants a stop ends the child first.
 * Return: 0 if it has run, -EINTR if it was stopped, or a negative errno.
 */
int child_run(char **argv, struct child_output *output);
void child_output_free(struct child_output *output);

#define _cleanup_child_output_ __attribute__((cleanup(child_output_free)))

#endif /* NOCLONE_CHILD_H */
