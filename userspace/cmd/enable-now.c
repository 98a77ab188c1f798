// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching the fast path of devices.
 *
 * Each step leaves devices as they were or switched, whenever this process dies: a
 * message makes the module suspend and resume a device inside the kernel.
 */
#include "cmd/enable-now.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "system/candidates.h"
#include "system/devmap.h"
#include "system/module.h"

/* How long to wait for the next device to come on */
#define PATIENCE_MS	5000
#define POLL_MS		20
/* Devices come on one after the other: how many of those that are not on are looked at */
#define AHEAD		16
/* From how many devices on progress is shown */
#define MANY		8

static int now_set_params(const struct switch_plan *p)
{
	int r = p->load ? module_load() : 0;

	return r || !p->set_stock ? r : module_set("stock", switch_stock_word(p));
}

/* On a terminal, and only where it takes a moment; erased when it is done. */
static void now_show_progress(const char *what, unsigned int done, unsigned int nr)
{
	if (nr < MANY || !isatty(STDERR_FILENO))
		return;
	if (done < nr)
		fprintf(stderr, "\r%s %u of %u devices", what, done, nr);
	else
		fprintf(stderr, "\r\033[K");
}

static void now_send_messages(struct switch_plan *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		struct candidate *c = &p->device[i];
		const char *message = c->action == SWITCH_ON ?
			NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_ON :
			NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_OFF;
		_cleanup_free_ char *response = NULL;

		now_show_progress("switching", i, p->nr);
		if (c->action == SWITCH_ON || c->action == SWITCH_OFF)
			c->failed = devmap_message(c->name, c->sector, message, &response);
	}
	now_show_progress("switching", i, p->nr);
}

/*
 * How many devices are still on their way; their states are read again, until ahead of
 * them are found not to be on: to ask thousands takes the processor from the module.
 */
static unsigned int now_count_pending(struct switch_plan *p, unsigned int ahead,
				      unsigned int waited_ms)
{
	unsigned int i, pending = 0;

	for (i = 0; i < p->nr; i++) {
		struct candidate *c = &p->device[i];

		if (c->after && !switch_is_pending(c, waited_ms))
			continue;
		if (pending < ahead) {
			free(c->after);
			c->after = candidate_state(c);
		}
		pending += pending >= ahead || switch_is_pending(c, waited_ms);
	}
	return pending;
}

/*
 * The limit begins anew with each device that has come on.  The last look, after which
 * this gives up, is at all of them.
 */
static void now_wait(struct switch_plan *p)
{
	const struct timespec nap = { .tv_nsec = POLL_MS * 1000000L };
	unsigned int pending, least = p->nr + 1, waited_ms = 0;

	for (;;) {
		const bool is_last = waited_ms >= PATIENCE_MS;

		pending = now_count_pending(p, is_last ? p->nr : AHEAD, waited_ms);
		if (!pending || (is_last && pending >= least))
			break;
		now_show_progress("waiting for", p->nr - pending, p->nr);
		waited_ms = pending < least ? 0 : waited_ms + POLL_MS;
		least = MIN(least, pending);
		nanosleep(&nap, NULL);
	}
	now_show_progress("waiting for", p->nr, p->nr);
}

int enable_now(struct switch_plan *p)
{
	int r = now_set_params(p);

	if (r)
		return r;
	now_send_messages(p);
	now_wait(p);
	return 0;
}
