/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to devices and files that may not answer. A separate process asks, and the command can
 * leave this process behind if no answer comes.
 */
#ifndef NOCLONE_ASK_H
#define NOCLONE_ASK_H

#include <stddef.h>
#include <sys/types.h>

/* A function that writes its answer to @out. */
typedef void (*ask_function)(int out, void *data);

/**
 * struct answer - the result of ask()
 * @text: the bytes that the process has written, and a zero byte
 * @length: the number of bytes in @text, without the zero byte
 * @left: the ID of the process that still waits for its answer, or 0 if no process was left behind
 * @seconds: the most seconds that ask() waits for this answer
 */
struct answer {
	char *text;
	size_t length;
	pid_t left;
	unsigned int seconds;
};

void ask_free_answer(struct answer *a);

#define _cleanup_answer_ __attribute__((cleanup(ask_free_answer)))

/**
 * ask - call a function in a separate process
 * @function: reads from a device, a file or a file system that may not answer
 * @data: the argument of @function
 * @what: the name of the device or file, for messages
 * @a: set to the answer
 *
 * The process inherits no open file, and therefore holds no lock. A command waits ASK_SECONDS in
 * total for all questions that get no answer, but at least ASK_LEAST for each question. A device or
 * file that has not answered is not asked again: the next call with the same @what fails at once.
 * SIGINT, SIGTERM and similar signals end the wait, even if they are blocked. After a timeout or a
 * signal, the process is left behind. The process ends when the device or file answers.
 *
 * Return: 0, -ETIMEDOUT if no answer has come in time, -EINTR if a signal has ended the wait, -EIO
 * if the process was killed, or another negative errno.
 */
int ask(ask_function function, void *data, const char *what, struct answer *a);

#endif /* NOCLONE_ASK_H */
