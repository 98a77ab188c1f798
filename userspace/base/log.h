/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages. They go only to stderr, so that programs can read stdout. */
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
 * log_print_now() prints to standard output what a command has done while the command has more to
 * do. A reader that has ended, or a full disk, does not end the command half-way. log_print_flush()
 * writes all of this output. Return: 0, or the first error of standard output.
 */
void log_print_now(const char *fmt, ...) __printf(1, 2);
int log_print_flush(void);
void log_verbose(const char *fmt, ...) __printf(1, 2);
/* Print the progress of a long step in percent, on a terminal. The line ends when @done is @all. */
void log_progress(const char *doing, uint64_t done, uint64_t all);
/*
 * log_hold() keeps all messages until log_release(). Meanwhile a device is suspended, and stderr
 * may be a file on that device: writing to it would wait forever.
 */
void log_hold(void);
void log_release(void);

#endif /* NOCLONE_LOG_H */
