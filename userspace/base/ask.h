/* SPDX-License-Identifier: GPL-2.0-only */
/* A question to a process that can be left behind, because the answer may never come. */
#ifndef NOCLONE_ASK_H
#define NOCLONE_ASK_H

#include <stddef.h>
#include <sys/types.h>

/* Writes the answer to @out. */
typedef void (*ask_function)(int out, void *data);

/**
 * struct answer - the result of ask()
 * @text: the bytes that the process has written, with a zero byte behind them
 * @length: their number
 * @left: the process that still waits, or 0
 * @seconds: how long ask() has waited for it
 */
struct answer {
	char *text;
	size_t length;
	pid_t left;
	unsigned int seconds;
};

void answer_free(struct answer *a);

#define _cleanup_answer_ __attribute__((cleanup(answer_free)))

/**
 * ask - call a function in a process of its own
 * @function: reads from a device, a file or a file system that may not answer
 * @data: its argument
 * @what: the device or file, for messages
 * @a: filled in
 *
 * The process has no open file of this one and so no lock. All calls of a command that get no answer
 * wait ASK_SECONDS together, and each of them waits ASK_LEAST at least. @what is not asked again
 * after that: the next call fails at once. SIGINT, SIGTERM and the like end the wait,
 * also if they are blocked. The process then ends when it gets its answer.
 *
 * Return: 0, -ETIMEDOUT, -EINTR after such a signal, or another negative errno.
 */
int ask(ask_function function, void *data, const char *what, struct answer *a);

#endif /* NOCLONE_ASK_H */
