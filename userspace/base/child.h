/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process, and the signals that end it and its parent. */
#ifndef NOCLONE_CHILD_H
#define NOCLONE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * stop_hold - hold back SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE
 *
 * For code that has something to clean up: it calls stop_requested() between
 * its steps, and stop_release() after the clean-up.  Signals that are ignored
 * stay ignored.
 */
void stop_hold(void);
/* Has one of them arrived since stop_hold()?  Also after stop_release(). */
bool stop_requested(void);
void stop_release(void);

/*
 * Block the same, for steps of which a signal would leave one half.  A message that is read
 * by no process is no reason to end before the last step, see base/log.c.
 */
void signals_block(sigset_t *old);
void signals_unblock(const sigset_t *old);
/* Does one of them wait that asks to end?  For a step that only waits itself. */
bool signals_ask_to_end(void);

/* Standard output with its length, standard error, and the status of waitpid(). */
struct child_output {
	char *out;
	size_t length;
	char *err;
	int status;
};

/* Also for what execv() starts: programs are found in the folders of the system only. */
void child_set_folders(void);

/**
 * child_run - run a program and wait for it
 * @argv: its arguments; the first is looked for in the folders of the system, not in $PATH
 * @through: it changes something, and must not be ended half-way; what is held back stays so
 * @output: filled in, also if the child failed
 *
 * Context: stop_hold().  Without @through, a signal that is held back ends the child.
 * Return: 0 if it has run, -EINTR if it was stopped, or a negative errno.
 */
int child_run(char **argv, bool through, struct child_output *output);
void child_output_free(struct child_output *output);

/*
 * The standard output of a program that only looks: a new string; NULL if it fails.  @length
 * is for one that prints what is no text, else NULL.
 */
char *child_read(char **argv, size_t *length);

#define _cleanup_child_output_ __attribute__((cleanup(child_output_free)))

#endif /* NOCLONE_CHILD_H */
