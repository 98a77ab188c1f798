// SPDX-License-Identifier: GPL-2.0-only
/* Messages. */
#include "base/log.h"

#include <stdio.h>

enum log_level log_level = LOG_LEVEL_NORMAL;

static void say(const char *kind, const char *fmt, va_list ap)
{
	/* keeps the order where both streams go to the same file */
	fflush(stdout);
	fprintf(stderr, "noclone: %s", kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

#define DEFINE_LOG(name, level, kind)					\
void name(const char *fmt, ...)						\
{									\
	va_list ap;							\
									\
	if (log_level < (level))					\
		return;							\
	va_start(ap, fmt);						\
	say(kind, fmt, ap);						\
	va_end(ap);							\
}

DEFINE_LOG(log_err, LOG_LEVEL_NORMAL, "")
DEFINE_LOG(log_warn, LOG_LEVEL_NORMAL, "warning: ")
DEFINE_LOG(log_note, LOG_LEVEL_NORMAL, "note: ")
DEFINE_LOG(log_verbose, LOG_LEVEL_VERBOSE, "")
DEFINE_LOG(log_debug, LOG_LEVEL_DEBUG, "debug: ")
