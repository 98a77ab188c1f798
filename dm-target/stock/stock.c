// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of the callbacks that slots.c installs.
 *
 * A device's table is learned target by target in .resume, and kept after
 * .presuspend: bios in flight reference it, and .presuspend_undo makes it live again. The
 * next .resume forgets it. The rest, counters and requests by message, stays until
 * the device is gone.
 */
#include "stock.h"
#include "devices.h"
#include "learn.h"
#include "../fastpath.h"
#include "../fastpath-status.h"
#include "../kernel.h"
#include "../mapped-device.h"
#include "../message.h"
#include "../sentinel.h"

#include <linux/device-mapper.h>
#include <linux/slab.h>

/* Return: NOCLONE_ON, or the reason why the table cannot use the fast path. */
static enum noclone_state noclone_stock_add(struct noclone_stock *sd,
					    struct dm_target *ti)
{
	struct noclone_target *t = noclone_learn_target(ti);

	if (IS_ERR(t))
		return PTR_ERR(t) == -ENOMEM ? NOCLONE_OFF_MEMORY :
			NOCLONE_OFF_LAYOUT;
	if (noclone_table_append(&sd->table, t, NULL, 0,
				 GFP_NOWAIT | __GFP_NOWARN)) {
		kfree(t);
		return NOCLONE_OFF_MEMORY;
	}
	return sd->table.zoned ? NOCLONE_OFF_ZONED : NOCLONE_ON;
}

/* A table comes up. Context: nd->lock */
static void noclone_stock_begin_table(struct noclone_stock *sd,
				      struct dm_table *dm)
{
	noclone_learn_forget(&sd->table, &sd->nd);
	sd->table.dm = dm;
	sd->kept = false;
	sd->stale = false;
	WRITE_ONCE(sd->partly, false);
	sd->sectors = 0;
	sd->refused = NOCLONE_ON;
	if (sd->attacher != current)
		sd->retries = NOCLONE_STOCK_RETRIES;
}

/*
 * Targets before @ti have not been seen. Either they have other types, or dm core was past
 * them when a message made @sd. The latter is impossible after a suspend.
 */
static bool noclone_stock_may_have_missed(const struct noclone_stock *sd,
					  const struct dm_target *ti)
{
	return ti->begin != sd->sectors && !sd->was_suspended;
}

static void noclone_stock_learn_target(struct noclone_stock *sd,
				       struct dm_target *ti)
{
	if (noclone_stock_may_have_missed(sd, ti))
		WRITE_ONCE(sd->partly, true);
	sd->sectors += ti->len;
	if (sd->refused == NOCLONE_ON)
		sd->refused = noclone_stock_add(sd, ti);
}

/*
 * Targets of other types do not come here: until the lengths add up, the table is
 * mixed. Return: NOCLONE_ON, or the reason against the fast path.
 */
static enum noclone_state noclone_stock_learn(struct noclone_stock *sd,
					      struct dm_target *ti)
{
	enum noclone_state state;

	mutex_lock(&sd->nd.lock);
	if (sd->table.dm != ti->table || sd->kept || sd->stale)
		noclone_stock_begin_table(sd, ti->table);
	noclone_stock_learn_target(sd, ti);
	state = sd->refused;
	if (sd->sectors != dm_table_get_size(ti->table) &&
	    state != NOCLONE_OFF_LAYOUT)
		state = NOCLONE_OFF_MIXED;
	if (state != NOCLONE_ON)
		WRITE_ONCE(sd->nd.state, state);
	mutex_unlock(&sd->nd.lock);
	return state;
}

/*
 * Give @sd the memory that the fast path needs. The callbacks of dm core must not
 * wait for it: memory may be swapped out to the device. Return: false if
 * there is none.
 */
static bool noclone_stock_prepare(struct noclone_stock *sd)
{
	if (noclone_dev_is_ready(&sd->nd))
		return true;
	/* The work item that holds it resumes the device again */
	if (!mutex_trylock(&sd->preparing))
		return false;
	if (!noclone_dev_is_ready(&sd->nd))
		noclone_dev_alloc(&sd->nd, GFP_NOWAIT | __GFP_NOWARN);
	mutex_unlock(&sd->preparing);
	return noclone_dev_is_ready(&sd->nd);
}

/*
 * Attach a table that can use the fast path. Without memory for the device a work
 * item allocates it, which may wait.
 */
static void noclone_stock_attach_device(struct noclone_stock *sd,
					struct dm_target *ti)
{
	enum noclone_state state = noclone_stock_learn(sd, ti);

	if (state == NOCLONE_ON && noclone_stock_prepare(sd)) {
		noclone_fastpath_attach(&sd->table);
	} else if (state == NOCLONE_ON) {
		WRITE_ONCE(sd->nd.state, NOCLONE_OFF_MEMORY);
		noclone_stock_retry(sd);
	} else if (state == NOCLONE_OFF_MEMORY) {
		noclone_stock_retry_later();
	}
}

/*
 * Was the table attached, or could it be? A table that was not has no bios in flight, and can
 * be learned anew.
 */
static bool noclone_stock_is_whole(const struct noclone_stock *sd, struct dm_target *ti)
{
	return sd->table.dm == ti->table && sd->refused == NOCLONE_ON &&
	       sd->sectors == dm_table_get_size(ti->table) && noclone_dev_is_ready(&sd->nd);
}

/*
 * .resume: dm core calls it for each target of a table that is about to be live, in
 * order. A device that no message asked for is not on the list.
 */
void noclone_stock_attach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	/* dm core detaches first; if it ever does not, the table is in use */
	if (!noclone_fastpath_is_going(sd->nd.disk) &&
	    !WARN_ON_ONCE(rcu_access_pointer(sd->nd.live)))
		noclone_stock_attach_device(sd, ti);
	noclone_stock_put(sd);
}

static void noclone_stock_attach_again(struct noclone_stock *sd)
{
	noclone_fastpath_attach(&sd->table);
	mutex_lock(&sd->nd.lock);
	sd->kept = !rcu_access_pointer(sd->nd.live);
	mutex_unlock(&sd->nd.lock);
}

/*
 * .presuspend_undo: dm core calls it for each target. The table is unchanged since
 * .presuspend, and bios of the fast path may be in flight: it becomes live again.
 */
void noclone_stock_reattach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	noclone_sentinel_end(&sd->nd);
	if (sd->stale)
		WRITE_ONCE(sd->nd.state, noclone_stock_idle_state(sd));
	else if (noclone_stock_is_whole(sd, ti))
		noclone_stock_attach_again(sd);
	else
		noclone_stock_attach(ti);
	noclone_stock_put(sd);
}

/*
 * A table may have thousands of targets: the first one acts for all of them, as with
 * noclone_target_is_first(). It acts again if a removal follows a suspend that was undone. While
 * @kept is set and @stale is not, the table is the one that @suspender belongs to. Context:
 * .presuspend
 */
static bool noclone_stock_is_detached_by_other(struct noclone_stock *sd,
					       const struct dm_target *ti)
{
	bool detached;

	mutex_lock(&sd->nd.lock);
	detached = sd->kept && !sd->stale && sd->suspender != ti;
	mutex_unlock(&sd->nd.lock);
	return detached;
}

static void noclone_stock_detach_device(struct noclone_stock *sd, const struct dm_target *ti,
					noclone_sentinel_submit_fn *submit)
{
	noclone_stock_count_detaching(sd, 1);
	noclone_fastpath_presuspend(&sd->nd, submit);
	/* Bios in flight may reference the table, and .presuspend_undo needs it */
	mutex_lock(&sd->nd.lock);
	sd->was_suspended = true;
	sd->kept = true;
	sd->suspender = ti;
	mutex_unlock(&sd->nd.lock);
	noclone_stock_count_detaching(sd, -1);
}

/* .presuspend: dm core calls it for each target, and again on removal */
void noclone_stock_detach(struct dm_target *ti, noclone_sentinel_submit_fn *submit)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);
	bool detaches;

	if (!sd)
		return;
	detaches = !noclone_stock_is_detached_by_other(sd, ti);
	if (detaches)
		noclone_stock_detach_device(sd, ti, submit);
	noclone_stock_put(sd);
	if (detaches)
		noclone_stock_look_later();
}

/*
 * Resuming a table that cannot use the fast path would gain nothing. During a resume that has
 * not seen all targets, a table may look like one that cannot.
 */
static bool noclone_stock_is_hopeless(const struct noclone_stock *sd,
				      struct dm_target *ti)
{
	enum noclone_state state = READ_ONCE(sd->nd.state);

	return READ_ONCE(sd->table.dm) == ti->table &&
	       !dm_suspended(ti) && !READ_ONCE(sd->attacher) &&
	       ((state == NOCLONE_OFF_MIXED && !READ_ONCE(sd->partly)) ||
		state == NOCLONE_OFF_LAYOUT || state == NOCLONE_OFF_ZONED);
}

static int noclone_stock_switch_on(struct dm_target *ti)
{
	struct noclone_stock *sd;
	int r = 0;

	if (!noclone_kernel_is_allowed())
		return -EOPNOTSUPP;
	sd = noclone_stock_get(ti, true);
	if (!sd)
		return -ENOMEM;
	if (noclone_stock_is_hopeless(sd, ti)) {
		r = -EOPNOTSUPP;
	} else {
		/* A reader may wait for the outcome */
		cmpxchg(&sd->nd.state, NOCLONE_OFF_STUCK, NOCLONE_OFF_DETACHED);
		noclone_fastpath_switch(&sd->nd, true);
		noclone_stock_queue_attach(sd);
	}
	noclone_stock_put(sd);
	/* A suspended device may be removed without a callback */
	noclone_stock_look_later();
	return r;
}

static void noclone_stock_switch_off(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	noclone_fastpath_switch(&sd->nd, false);
	noclone_stock_put(sd);
}

/* A question must not create state. */
static void noclone_stock_report(struct dm_target *ti, char *result,
				 unsigned int maxlen)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd) {
		noclone_status_emit_none(noclone_kernel_is_allowed() ?
					 NOCLONE_OFF_UNASKED : NOCLONE_OFF_KERNEL,
					 result, maxlen);
		return;
	}
	noclone_status_emit(&sd->nd, true, result, maxlen, 0);
	noclone_stock_put(sd);
}

/*
 * Messages that are not ours get the answer that dm core gives without us. Context: inside
 * the SRCU section that a suspend waits for: may sleep for nd->lock and noclone_stock_lock, whose
 * holders wait for no I/O, but not for I/O or memory.
 */
int noclone_stock_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen)
{
	if (!noclone_message_is_ours(argc, argv)) {
		/* dm core's own words */
		pr_err(DM_NAME ": ioctl: Target type does not support messages\n");
		return -EINVAL;
	}
	if (noclone_table_is_known(ti->table)) {
		DMWARN("%s: the message has to go to a sector of a noclone target of this table",
		       dm_table_device_name(ti->table));
		return -EINVAL;
	}
	switch (noclone_message_parse(ti, argc, argv)) {
	case NOCLONE_MESSAGE_STATUS:
		noclone_stock_report(ti, result, maxlen);
		return 1;
	case NOCLONE_MESSAGE_ON:
		return noclone_stock_switch_on(ti);
	case NOCLONE_MESSAGE_OFF:
		noclone_stock_switch_off(ti);
		return 0;
	default:
		return -EINVAL;
	}
}
