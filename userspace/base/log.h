/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages go only to stderr, so that programs can read stdout. */
#ifndef NOCLONE_LOG_H
#define NOCLONE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* Does log_verbose() print its messages? */
extern bool log_is_verbose;

void log_err(const char *fmt, ...) __printf(1, 2);
void log_warn(const char *fmt, ...) __printf(1, 2);
void log_note(const char *fmt, ...) __printf(1, 2);

/*
 * log_print_now() prints the result of a step to standard output, while the command has more steps
 * to do. If the reader of standard output has ended, or if a disk is full, the command still does
 * the other steps. log_print_flush() writes all of this output. Return: 0, or the first error of
 * standard output.
 */
void log_print_now(const char *fmt, ...) __printf(1, 2);
int log_print_flush(void);
void log_verbose(const char *fmt, ...) __printf(1, 2);
/*
 * Print the progress of a long step in percent, if stderr is a terminal. The line ends when @done
 * is equal to @all.
 */
void log_progress(const char *doing, uint64_t done, uint64_t all);
/*
 * log_hold() keeps all messages in memory until log_release() prints them. Between the two calls,
 * the device that is being changed is suspended. stderr may be a file on this device, and a write
 * to this file would wait forever.
 */
void log_hold(void);
void log_release(void);

#endif /* NOCLONE_LOG_H */
