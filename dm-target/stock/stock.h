/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices with stock targets. Each device has one struct noclone_stock from its first
 * message "fastpath on" until the device is gone, or until stock=off.
 *
 * Locks, outermost first: md->suspend_lock; nd->lock, which guards the table; noclone_stock_lock in
 * stock.c, which guards the list and the reference counts. .resume takes noclone_stock_lock. So
 * do not wait for I/O, memory, a grace period or nd->lock while holding noclone_stock_lock: such a
 * wait may last until the resume has ended. A work item holds @preparing while it waits for memory;
 * .resume only tries to take @preparing. Waiting for bios takes no lock.
 */
#ifndef DM_NOCLONE_STOCK_H
#define DM_NOCLONE_STOCK_H

#include "../device-state.h"

/* Number of attempts to get memory before the next resume */
#define NOCLONE_STOCK_RETRIES	3

/*
 * The stage says how much the module knows about the table of a device. "Stages" in
 * Documentation/design/stock.rst draws the transitions between the stages, and names the callback
 * that makes each transition.
 */
enum noclone_stock_stage {
	NOCLONE_STOCK_NONE,		/* no table is learned */
	NOCLONE_STOCK_LEARNING,		/* not all targets are learned, or one does not qualify */
	NOCLONE_STOCK_PARTLY,		/* LEARNING, but targets that are not learned may qualify */
	NOCLONE_STOCK_COMPLETE,		/* all targets are learned and qualify */
	NOCLONE_STOCK_KEPT,		/* suspended in COMPLETE: for .presuspend_undo */
	NOCLONE_STOCK_SUSPENDED,	/* suspended in a stage other than COMPLETE */
	NOCLONE_STOCK_STALE,		/* .resume may have been missed: @table is for bios only */
};

/*
 * A device with stock targets. Three members say how far the fast path is: @stage, nd.live and
 * nd.state. nd.live is the pointer that submitters read under RCU: it is NULL or &table, and it is
 * &table only in stage COMPLETE, and while a callback enters or leaves this stage. nd.state is the
 * state that users see, and may also be a reason that has nothing to do with the table.
 */
struct noclone_stock {
	struct list_head node;
	struct noclone_dev nd;
	struct noclone_table table;	/* table.dm is NULL while no table is learned */
	/*
	 * Locks: nd->lock to change @stage. The exception is noclone_stock_set_stale(), which only
	 * stores STALE; only a later .resume may replace STALE. Callbacks also hold
	 * md->suspend_lock, and callbacks that attach read @stage without nd->lock. stock=off does
	 * not hold md->suspend_lock, and waits for these callbacks before it changes a stage
	 */
	enum noclone_stock_stage stage;

	/* The progress in stage LEARNING: a length and a reason */
	sector_t sectors;		/* length of the targets that a callback was called for */
	enum noclone_state verdict;	/* NOCLONE_ON, or the reason against the first bad target */

	/* The last suspend */
	const struct dm_target *suspender;	/* the target whose .presuspend has detached */
	/*
	 * The module has seen a suspend of the device, so it sees each later table from the first
	 * target of the table on. This member stays true until the stage is STALE
	 */
	bool was_suspended;

	/* The users of this struct, in each stage; noclone_stock_lock guards both counts */
	unsigned int users;		/* callbacks and work items */
	unsigned int detaching;		/* the .presuspend callbacks among @users */

	/* The work item, which runs concurrently with the callbacks, in any stage */
	struct work_struct attach;
	struct task_struct *attacher;	/* the task that executes @attach; only compared */
	struct mutex preparing;		/* held while @attach waits for memory */
	/* noclone_stock_lock guards this count of the retries that are left when memory is short */
	unsigned int retries;

	/*
	 * These members have what must be restored if a signal ends stock=off: stage STALE does not
	 * show this
	 */
	bool interrupted;		/* @attach ran during stock=off, and has to run again */
	bool lacks_memory;		/* the state was off:memory when stock=off began */
};

/* Return: the state of a device that has no live table, while its table is not known. */
static inline enum noclone_state noclone_stock_idle_state(const struct noclone_stock *sd)
{
	enum noclone_state requested = READ_ONCE(sd->nd.requested);

	return requested == NOCLONE_ON ? NOCLONE_OFF_DETACHED : requested;
}

/*
 * Is the table the reason why the device cannot have the fast path? @state: the state of the
 * device. In stage PARTLY, the table may wrongly seem to have targets of other types.
 */
static inline bool noclone_stock_is_hopeless(const struct noclone_stock *sd,
					     enum noclone_state state)
{
	return noclone_state_is_of_table(state) &&
	       (state != NOCLONE_OFF_MIXED || READ_ONCE(sd->stage) == NOCLONE_STOCK_LEARNING);
}

/*
 * Is the table of the device learned, or being learned, and was the device not suspended since
 * then?
 */
static inline bool noclone_stock_has_table(const struct noclone_stock *sd)
{
	return sd->stage == NOCLONE_STOCK_LEARNING || sd->stage == NOCLONE_STOCK_PARTLY ||
	       sd->stage == NOCLONE_STOCK_COMPLETE;
}

/*
 * Context of all functions below: may sleep for noclone_stock_lock, but wait neither for I/O nor
 * for memory. Only noclone_stock_detach_all() and noclone_stock_free_all() may wait for I/O.
 */
struct noclone_stock *noclone_stock_get(struct dm_target *ti, bool add);
void noclone_stock_put(struct noclone_stock *sd);

void noclone_stock_set_stage(struct noclone_stock *sd, enum noclone_stock_stage stage);
void noclone_stock_change_stage(struct noclone_stock *sd, enum noclone_stock_stage from,
				enum noclone_stock_stage to);
void noclone_stock_renew_retries(struct noclone_stock *sd);
void noclone_stock_count_detaching(struct noclone_stock *sd, int n);
void noclone_stock_queue_attach(struct noclone_stock *sd);
void noclone_stock_retry(struct noclone_stock *sd);
void noclone_stock_retry_later(void);
void noclone_stock_look_later(void);

int noclone_stock_init(void);
void noclone_stock_exit(void);
int noclone_stock_detach_all(bool interruptible, void (*fill)(void));
void noclone_stock_free_all(void);

#endif /* DM_NOCLONE_STOCK_H */
