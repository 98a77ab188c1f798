/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that ask this process to end. */
#ifndef NOCLONE_STOP_H
#define NOCLONE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/**
 * stop_hold - hold back SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE
 *
 * A hold must not begin inside another one. Code that has to clean up before the process ends calls
 * stop_requested() between its steps, and stop_release() or stop_deliver() after the clean-up.
 * Signals that are ignored stay ignored.
 */
void stop_hold(void);
/* Has a held signal arrived since stop_hold()? The answer stays valid after stop_release(). */
bool stop_requested(void);
/* End stop_hold(). Held signals that have arrived are dropped: the caller has cleaned up. */
void stop_release(void);
/*
 * End stop_hold(), for a caller that has nothing to clean up: a held signal that has arrived takes
 * effect now. It ends the process or, if it was blocked before stop_hold(), it is pending again.
 */
void stop_deliver(void);
/* Wait at most @seconds seconds for a held signal, or for the end of a child. */
void stop_wait(time_t seconds);
/* Has stop_requested() or stop_wait() found a held signal since stop_hold()? */
bool stop_seen(void);
/* Return: the signals that were blocked before stop_hold(). A child gets this mask. */
const sigset_t *stop_mask(void);

/*
 * Block the signals of stop_hold() during steps that must not be left half done. SIGPIPE is one of
 * these signals: if the reader of the messages has ended, the command must still do all steps, see
 * base/log.c.
 */
void stop_block(sigset_t *old);
void stop_unblock(const sigset_t *old);
/*
 * Is a blocked signal pending that asks the process to end? SIGPIPE does not count. A step that
 * only waits calls this function, and ends its wait if the result is true.
 */
bool stop_is_pending(void);

#endif /* NOCLONE_STOP_H */
