/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages: to stderr only, so that stdout stays machine-readable. */
#ifndef NOCLONE_LOG_H
#define NOCLONE_LOG_H

#include "base/util.h"

/* Is log_verbose() to print? */
extern bool log_is_verbose;

void log_err(const char *fmt, ...) __printf(1, 2);
void log_warn(const char *fmt, ...) __printf(1, 2);
void log_note(const char *fmt, ...) __printf(1, 2);
void log_verbose(const char *fmt, ...) __printf(1, 2);

/* How far a long step is, on a terminal, in percent; the line ends when @done is @all. */
void log_progress(const char *doing, uint64_t done, uint64_t all);

/*
 * Between these two messages are kept: stderr may be a file on the device that is
 * suspended, and writing to it would wait for ever.
 */
void log_hold(void);
void log_release(void);

#endif /* NOCLONE_LOG_H */
