// SPDX-License-Identifier: GPL-2.0-only
/*
 * stop_hold() blocks the signals, and sigtimedwait() fetches them. A handler would have to set a
 * flag, and a signal between the test of the flag and the start of the wait for the child would not
 * end this wait.
 */
#include "base/stop.h"

#include <time.h>

#include "base/util.h"

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

static sigset_t held, before;
/* the last held signal that stop_fetch_signal() has fetched since stop_hold(), or 0 */
static int stopped;

static bool stop_is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

void stop_hold(void)
{
	size_t i;

	stopped = 0;
	sigemptyset(&held);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		if (!stop_is_ignored(stop_signals[i]))
			sigaddset(&held, stop_signals[i]);
	sigaddset(&held, SIGCHLD);
	sigprocmask(SIG_BLOCK, &held, &before);
}

/* Wait for one of the held signals. Return: true if a signal has arrived. */
static bool stop_fetch_signal(time_t seconds)
{
	const struct timespec patience = { .tv_sec = seconds };
	int number = sigtimedwait(&held, NULL, &patience);

	if (number > 0 && number != SIGCHLD)
		stopped = number;
	return number > 0;
}

void stop_wait(time_t seconds)
{
	stop_fetch_signal(seconds);
}

bool stop_seen(void)
{
	return stopped;
}

const sigset_t *stop_mask(void)
{
	return &before;
}

bool stop_requested(void)
{
	while (stop_fetch_signal(0))
		;
	return stopped;
}

void stop_release(void)
{
	/*
	 * fetch the pending signals: otherwise they would end the process now, after its clean-up
	 */
	stop_requested();
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void stop_deliver(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (stopped)
		raise(stopped);
}

void stop_block(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaddset(&set, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

void stop_unblock(const sigset_t *old)
{
	/* discard a pending SIGPIPE: ignore the signal for a moment */
	if (!sigismember(old, SIGPIPE))
		signal(SIGPIPE, signal(SIGPIPE, SIG_IGN));
	sigprocmask(SIG_SETMASK, old, NULL);
}

bool stop_is_pending(void)
{
	sigset_t waiting;
	size_t i;

	sigpending(&waiting);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		if (stop_signals[i] != SIGPIPE && sigismember(&waiting, stop_signals[i]) &&
		    !stop_is_ignored(stop_signals[i]))
			return true;
	return false;
}
