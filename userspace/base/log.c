// SPDX-License-Identifier: GPL-2.0-only
/* Messages, and what is printed while a command goes on. */
#include "base/util.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
	print_flush();
	fputs(line, stderr);
	signal(SIGPIPE, before);
}

int print_flush(void)
{
	static int failed;

	if (!failed && (fflush(stdout) || ferror(stdout)))
		failed = errno ? -errno : -EIO;
	return failed;
}

void print_now(const char *fmt, ...)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	/* stdio keeps what it could not write, and exit() tries again */
	if (!print_flush())
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
static void log_say(const char *priority, const char *kind, const char *fmt, va_list ap)
{
	_cleanup_free_ char *raw = xvasprintf(fmt, ap), *text = visible(raw);
	/* what a user has typed, or another program has named, must not control a terminal */
	_cleanup_free_ char *line = xasprintf("%snoclone: %s%s\n",
					      log_is_journal() ? priority : "", kind, text);

	if (holding)
		strbuf_add(&held, "%s", line);
	else
		log_write_out(line);
}

#define DEFINE_LOG(name, wanted, priority, kind)			\
void name(const char *fmt, ...)						\
{									\
	va_list ap;							\
									\
	if (!(wanted))							\
		return;							\
	va_start(ap, fmt);						\
	log_say(priority, kind, fmt, ap);				\
	va_end(ap);							\
}

DEFINE_LOG(log_err, true, "<3>", "")
DEFINE_LOG(log_warn, true, "<4>", "warning: ")
DEFINE_LOG(log_note, true, "<5>", "note: ")
DEFINE_LOG(log_verbose, log_is_verbose, "<6>", "")
