// SPDX-License-Identifier: GPL-2.0-only
/* Messages. */
#include "base/log.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

bool log_is_verbose;

static struct strbuf held;
static bool holding;

/*
 * A reader of the messages that is gone is no reason to end half-way, for example between
 * a new table and its file.  Where SIGPIPE is held back, it waits, and a caller asks for it.
 */
static void log_write_out(const char *line)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);

	/* keeps the order where both streams go to the same file */
	fflush(stdout);
	fputs(line, stderr);
	signal(SIGPIPE, before);
}

void log_progress(const char *doing, uint64_t done, uint64_t all)
{
	static unsigned int shown;
	unsigned int percent = all ? done * 100 / all : 100;

	if (!isatty(STDERR_FILENO) || (percent == shown && done < all))
		return;
	shown = percent;
	fprintf(stderr, "\r%s: %3u %%%s", doing, percent, done < all ? "" : "\n");
}

void log_hold(void)
{
	holding = true;
}

void log_release(void)
{
	_cleanup_free_ char *lines = strbuf_take(&held);

	holding = false;
	log_write_out(lines);
}

static void log_say(const char *kind, const char *fmt, va_list ap)
{
	_cleanup_free_ char *raw = xvasprintf(fmt, ap), *text = visible(raw);
	/* what a user has typed, or another program has named, must not control a terminal */
	_cleanup_free_ char *line = xasprintf("noclone: %s%s\n", kind, text);

	if (holding)
		strbuf_add(&held, "%s", line);
	else
		log_write_out(line);
}

#define DEFINE_LOG(name, wanted, kind)					\
void name(const char *fmt, ...)						\
{									\
	va_list ap;							\
									\
	if (!(wanted))							\
		return;							\
	va_start(ap, fmt);						\
	log_say(kind, fmt, ap);						\
	va_end(ap);							\
}

DEFINE_LOG(log_err, true, "")
DEFINE_LOG(log_warn, true, "warning: ")
DEFINE_LOG(log_note, true, "note: ")
DEFINE_LOG(log_verbose, log_is_verbose, "")
