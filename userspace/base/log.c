// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages, and output that is written to stdout at once, because the command has more steps to do.
 */
#include "base/log.h"

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
 * Print a message. If the reader of the messages has ended, the command must still do all its
 * steps: for example, it must replace the saved file after it has loaded a new table. If SIGPIPE is
 * held back by stop_hold(), the signal stays pending, and the caller finds it with
 * stop_requested().
 */
static void log_write_out(const char *line)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);

	/* if stdout and stderr are the same file, keep the order of what is written to both */
	log_print_flush();
	fputs(line, stderr);
	signal(SIGPIPE, before);
}

int log_print_flush(void)
{
	static int failed;

	if (!failed && (fflush(stdout) || ferror(stdout)))
		failed = errno ? -errno : -EIO;
	return failed;
}

void log_print_now(const char *fmt, ...)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	/*
	 * after a failed write, SIGPIPE stays ignored: stdio keeps the output, and exit() tries to
	 * write it again
	 */
	if (!log_print_flush())
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

/*
 * Is stderr the journal? systemd sets JOURNAL_STREAM to the device number and the inode of the
 * journal's file, but stderr may have been redirected since then.
 */
static bool log_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(fileno(stderr), &st) && st.st_dev == device && st.st_ino == inode;
}

/*
 * @priority: a priority of syslog(3), such as "<4>". The priority is put before the line only if
 *	stderr is the journal, because the journal removes it again.
 */
static void log_say(const char *priority, const char *kind, const char *fmt, va_list ap)
{
	_cleanup_free_ char *raw = xvasprintf(fmt, ap), *text = visible(raw);
	/*
	 * visible() replaces control characters: words of users and names from other programs must
	 * not control the terminal
	 */
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
