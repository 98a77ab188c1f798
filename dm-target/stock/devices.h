/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices with stock targets: one struct noclone_stock each, from the first
 * message "fastpath on" to its end, or to stock=off.
 *
 * Locks, outermost first: md->suspend_lock; nd->lock, which guards the table;
 * noclone_stock_lock in devices.c, which guards the list and the reference counts.
 * .resume takes the last, so do not wait for I/O, memory, a grace period or nd->lock while
 * holding it: these may wait for the table that is resumed. A work item holds @preparing
 * while it waits for memory; .resume only tries it. Waiting for bios takes no lock.
 */
#ifndef DM_NOCLONE_STOCK_DEVICES_H
#define DM_NOCLONE_STOCK_DEVICES_H

#include "../device-state.h"

/* Number of attempts to get memory before the next resume */
#define NOCLONE_STOCK_RETRIES	3

struct noclone_stock {
	struct list_head node;
	unsigned int users;		/* callbacks and work items inside */
	unsigned int detaching;		/* of those, .presuspend */
	struct mutex preparing;		/* memory is waited for */
	struct noclone_dev nd;
	struct noclone_table table;	/* .dm is NULL while there is none */
	bool kept;			/* suspended: @table is for .presuspend_undo only */
	const struct dm_target *suspender;	/* with whose .presuspend that began */
	bool stale;			/* not even for that: a .resume may have been missed */
	bool interrupted;		/* @attach ran during stock=off, which a signal may end */
	bool lacks_memory;		/* when stock=off began */
	sector_t sectors;		/* of targets that were looked at */
	enum noclone_state refused;	/* NOCLONE_ON: all of them are understood */
	bool partly;			/* message in mid-resume: earlier targets may qualify */
	bool was_suspended;		/* so that later tables are seen from the beginning */
	unsigned int retries;		/* left, for want of memory */
	struct work_struct attach;
	struct task_struct *attacher;	/* executes @attach; only compared */
};

/* The state of a device without a live table, of whose table nothing is known */
static inline enum noclone_state noclone_stock_idle_state(const struct noclone_stock *sd)
{
	enum noclone_state requested = READ_ONCE(sd->nd.requested);

	return requested == NOCLONE_ON ? NOCLONE_OFF_DETACHED : requested;
}

/*
 * Context of all: may sleep for noclone_stock_lock, but wait neither for I/O nor for memory.
 * noclone_stock_detach_all() and noclone_stock_free_all() wait for I/O as well.
 */
struct noclone_stock *noclone_stock_get(struct dm_target *ti, bool add);
void noclone_stock_put(struct noclone_stock *sd);

void noclone_stock_count_detaching(struct noclone_stock *sd, int n);
void noclone_stock_queue_attach(struct noclone_stock *sd);
void noclone_stock_retry(struct noclone_stock *sd);
void noclone_stock_retry_later(void);
void noclone_stock_look_later(void);

int noclone_stock_init(void);
void noclone_stock_exit(void);
int noclone_stock_detach_all(bool interruptible, void (*fill)(void));
void noclone_stock_free_all(void);

#endif /* DM_NOCLONE_STOCK_DEVICES_H */
