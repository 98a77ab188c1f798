// SPDX-License-Identifier: GPL-2.0-only
/* Messages. */
#include "base/log.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum log_level log_level = LOG_LEVEL_NORMAL;

static struct strbuf held;
static bool holding;

/*
 * A reader of the messages that is gone is no reason to end half-way, for example between
 * a new table and its file.  Where SIGPIPE is held back already, a caller asks for it.
 */
static void log_write_out(const char *line)
{
	const struct timespec now = { 0 };
	sigset_t pipe, before;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &before);
	/* keeps the order where both streams go to the same file */
	fflush(stdout);
	fputs(line, stderr);
	if (sigismember(&before, SIGPIPE))
		return;
	sigtimedwait(&pipe, NULL, &now);
	sigprocmask(SIG_SETMASK, &before, NULL);
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

/* systemd says which file the journal reads; stderr may have been redirected since. */
static bool log_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(fileno(stderr), &st) && st.st_dev == device && st.st_ino == inode;
}

/* @priority is that of syslog(3), which the journal takes from in front of a line. */
static void log_say(int priority, const char *kind, const char *fmt, va_list ap)
{
	_cleanup_free_ char *raw = xvasprintf(fmt, ap), *text = visible(raw);
	_cleanup_strbuf_ struct strbuf line = { 0 };
	static int journal = -1;

	if (journal < 0)
		journal = log_is_journal();
	if (journal)
		strbuf_add(&line, "<%d>", priority);
	/* what a user has typed, or another program has named, must not control a terminal */
	strbuf_add(&line, "noclone: %s%s\n", kind, text);
	if (holding)
		strbuf_append(&held, line.text, line.len);
	else
		log_write_out(line.text);
}

#define DEFINE_LOG(name, level, priority, kind)				\
void name(const char *fmt, ...)						\
{									\
	va_list ap;							\
									\
	if (log_level < (level))					\
		return;							\
	va_start(ap, fmt);						\
	log_say(priority, kind, fmt, ap);					\
	va_end(ap);							\
}

DEFINE_LOG(log_err, LOG_LEVEL_NORMAL, 3, "")
DEFINE_LOG(log_warn, LOG_LEVEL_NORMAL, 4, "warning: ")
DEFINE_LOG(log_note, LOG_LEVEL_NORMAL, 5, "note: ")
DEFINE_LOG(log_verbose, LOG_LEVEL_VERBOSE, 6, "")
DEFINE_LOG(log_debug, LOG_LEVEL_DEBUG, 7, "debug: ")
