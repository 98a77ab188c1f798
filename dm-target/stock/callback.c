// SPDX-License-Identifier: GPL-2.0-only
/*
 * slots.c installs callbacks in dm's types, and these functions do the work of the callbacks.
 *
 * .resume learns a device's table target by target. .presuspend keeps the table: bios in flight
 * reference it, and .presuspend_undo makes it live again, or learns the table again if it was not
 * live. The next .resume forgets the table. Counters and requests by message stay until the device
 * is gone.
 */
#include "callback.h"
#include "learn.h"
#include "stock.h"
#include "../dev.h"
#include "../dev-table.h"
#include "../fastpath-attach.h"
#include "../fastpath-status.h"
#include "../kernel.h"
#include "../message.h"
#include "../sentinel.h"

#include <linux/device-mapper.h>
#include <linux/slab.h>

/*
 * Add a target to the table. noclone_table_append() makes a segment of the target, and notes if a
 * leg is zoned. Return: NOCLONE_ON, or the reason why the table cannot use the fast path.
 */
static enum noclone_state noclone_callback_add(struct noclone_stock *sd,
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

/*
 * Forget the old table, because .resume or .presuspend_undo begins to learn @dm. Context: nd->lock
 */
static void noclone_callback_begin_table(struct noclone_stock *sd,
					 struct dm_table *dm)
{
	noclone_learn_forget(&sd->table, &sd->nd);
	sd->table.dm = dm;
	noclone_stock_set_stage(sd, NOCLONE_STOCK_LEARNING);
	sd->sectors = 0;
	sd->verdict = NOCLONE_ON;
	/* A resume by our own work item must not renew the retries of the work item */
	if (READ_ONCE(sd->attacher) != current)
		noclone_stock_renew_retries(sd);
}

/*
 * Was at least the first target of the table @dm learned, and was the device not suspended since
 * then? Context: nd->lock
 */
static bool noclone_callback_knows_table(const struct noclone_stock *sd,
					 const struct dm_table *dm)
{
	return sd->table.dm == dm && noclone_stock_has_table(sd);
}

/*
 * May .resume have missed qualifying targets before @ti? If the lengths of the earlier targets do
 * not add up to the begin of @ti, .resume was not called for all earlier targets. Either the
 * missing targets have other types, or dm core had already passed them when a message created @sd.
 * If the module has seen a suspend of the device, dm core has called .resume for each qualifying
 * target of each later table, so the missing targets have other types.
 */
static bool noclone_callback_may_have_missed(const struct noclone_stock *sd,
					     const struct dm_target *ti)
{
	return ti->begin != sd->sectors && !sd->was_suspended;
}

static void noclone_callback_learn_locked(struct noclone_stock *sd,
					  struct dm_target *ti)
{
	if (noclone_callback_may_have_missed(sd, ti))
		noclone_stock_set_stage(sd, NOCLONE_STOCK_PARTLY);
	sd->sectors += ti->len;
	if (sd->verdict == NOCLONE_ON)
		sd->verdict = noclone_callback_add(sd, ti);
	if (sd->verdict == NOCLONE_ON && sd->sectors == dm_table_get_size(ti->table))
		noclone_stock_set_stage(sd, NOCLONE_STOCK_COMPLETE);
}

/*
 * Learn a target. Targets of other types do not come here, so the table counts as mixed until the
 * lengths of the learned targets add up to its size. Return: NOCLONE_ON, or the reason against the
 * fast path.
 */
static enum noclone_state noclone_callback_learn_target(struct noclone_stock *sd,
							struct dm_target *ti)
{
	enum noclone_state state;

	mutex_lock(&sd->nd.lock);
	if (!noclone_callback_knows_table(sd, ti->table))
		noclone_callback_begin_table(sd, ti->table);
	noclone_callback_learn_locked(sd, ti);
	state = sd->verdict;
	/* MIXED hides all other verdicts until the last target, except LAYOUT, which stays */
	if (sd->sectors != dm_table_get_size(ti->table) &&
	    state != NOCLONE_OFF_LAYOUT)
		state = NOCLONE_OFF_MIXED;
	if (state != NOCLONE_ON)
		WRITE_ONCE(sd->nd.state, state);
	mutex_unlock(&sd->nd.lock);
	return state;
}

/*
 * Give @sd the memory that the fast path needs. The callbacks of dm core must not wait for memory:
 * the kernel may have to swap pages out to this device. Return: false if there is no memory.
 */
static bool noclone_callback_prepare(struct noclone_stock *sd)
{
	if (noclone_dev_is_ready(&sd->nd))
		return true;
	/*
	 * If a work item holds the lock, it allocates the memory, and then resumes the device again
	 */
	if (!mutex_trylock(&sd->preparing))
		return false;
	/* The memory is the counters for each CPU, and the reserve */
	if (!noclone_dev_is_ready(&sd->nd))
		noclone_dev_alloc(&sd->nd, GFP_NOWAIT | __GFP_NOWARN);
	mutex_unlock(&sd->preparing);
	return noclone_dev_is_ready(&sd->nd);
}

/*
 * Learn a target. After the last target, attach the table if the table can use the fast path. If
 * there is no memory for the device, a work item allocates it, because the work item may wait.
 */
static void noclone_callback_resume_target(struct noclone_stock *sd,
					   struct dm_target *ti)
{
	enum noclone_state state = noclone_callback_learn_target(sd, ti);

	if (state == NOCLONE_ON && noclone_callback_prepare(sd)) {
		noclone_fastpath_attach(&sd->table);
	} else if (state == NOCLONE_ON) {
		WRITE_ONCE(sd->nd.state, NOCLONE_OFF_MEMORY);
		noclone_stock_retry(sd);
	} else if (state == NOCLONE_OFF_MEMORY) {
		noclone_stock_retry_later();
	}
}

/*
 * May the table be attached again without being learned again? The stage is KEPT or COMPLETE only
 * for a table that was complete; it is COMPLETE if .presuspend_undo of another target has attached
 * the table again. Any other table was not attached, has no bios in flight, and can be learned
 * again.
 */
static bool noclone_callback_can_reattach(const struct noclone_stock *sd, struct dm_target *ti)
{
	return sd->table.dm == ti->table &&
	       (sd->stage == NOCLONE_STOCK_KEPT || sd->stage == NOCLONE_STOCK_COMPLETE) &&
	       noclone_dev_is_ready(&sd->nd);
}

/*
 * May the table be learned? A device that is being removed is not attached again, see
 * noclone_fastpath_is_being_removed(). A table that is live must not be learned again, because bios
 * use it. dm core suspends a device before it resumes the device, so no table is live in .resume.
 */
static bool noclone_callback_may_learn(const struct noclone_stock *sd)
{
	return !noclone_fastpath_is_being_removed(sd->nd.disk) &&
	       !WARN_ON_ONCE(rcu_access_pointer(sd->nd.live));
}

/*
 * .resume: dm core calls it for each target of a table that is about to be live, in order. If no
 * message has requested the fast path of a device, the device has no entry.
 */
void noclone_callback_resume(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	if (noclone_callback_may_learn(sd))
		noclone_callback_resume_target(sd, ti);
	noclone_stock_put(sd);
}

static void noclone_callback_attach_again(struct noclone_stock *sd)
{
	noclone_fastpath_attach(&sd->table);
	mutex_lock(&sd->nd.lock);
	noclone_stock_set_stage(sd, rcu_access_pointer(sd->nd.live) ? NOCLONE_STOCK_COMPLETE :
				NOCLONE_STOCK_KEPT);
	mutex_unlock(&sd->nd.lock);
}

/*
 * Learn a table target by target, because dm core undoes a suspend and the table cannot be attached
 * again as it is. Nothing shows a message that dm core is undoing a suspend, so the stage is PARTLY
 * until the last target is learned.
 */
static void noclone_callback_learn_again(struct noclone_stock *sd, struct dm_target *ti)
{
	if (!noclone_callback_may_learn(sd))
		return;
	mutex_lock(&sd->nd.lock);
	if (!noclone_callback_knows_table(sd, ti->table)) {
		noclone_callback_begin_table(sd, ti->table);
		noclone_stock_set_stage(sd, NOCLONE_STOCK_PARTLY);
	}
	mutex_unlock(&sd->nd.lock);
	noclone_callback_resume_target(sd, ti);
}

/*
 * .presuspend_undo: dm core calls it for each target. The table is unchanged since .presuspend,
 * and bios of the fast path may be in flight, so the table becomes live again.
 */
void noclone_callback_presuspend_undo(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	noclone_sentinel_end(&sd->nd);
	if (sd->stage == NOCLONE_STOCK_STALE)
		WRITE_ONCE(sd->nd.state, noclone_stock_idle_state(sd));
	else if (noclone_callback_can_reattach(sd, ti))
		noclone_callback_attach_again(sd);
	else
		noclone_callback_learn_again(sd, ti);
	noclone_stock_put(sd);
}

/*
 * Has the .presuspend of another target detached the device already? A table may have thousands of
 * targets, and the first one acts for all of them, as with noclone_target_is_first(). The first
 * target acts again if a removal follows a suspend that was undone. In the stages KEPT and
 * SUSPENDED, @suspender belongs to the learned table. Context: .presuspend
 */
static bool noclone_callback_is_detached_by_other(struct noclone_stock *sd,
						  const struct dm_target *ti)
{
	enum noclone_stock_stage stage;
	bool detached;

	mutex_lock(&sd->nd.lock);
	stage = READ_ONCE(sd->stage);
	detached = (stage == NOCLONE_STOCK_KEPT || stage == NOCLONE_STOCK_SUSPENDED) &&
		   sd->suspender != ti;
	mutex_unlock(&sd->nd.lock);
	return detached;
}

/* Enter the stage of a suspended device; STALE stays. Context: nd->lock */
static void noclone_callback_set_suspended(struct noclone_stock *sd)
{
	enum noclone_stock_stage stage = READ_ONCE(sd->stage);

	if (stage == NOCLONE_STOCK_COMPLETE)
		noclone_stock_change_stage(sd, stage, NOCLONE_STOCK_KEPT);
	else if (stage != NOCLONE_STOCK_KEPT && stage != NOCLONE_STOCK_STALE)
		noclone_stock_change_stage(sd, stage, NOCLONE_STOCK_SUSPENDED);
}

/*
 * Detach the device, and enter the stage of a suspended device. If the device is not attached and
 * no bios are in flight, noclone_fastpath_presuspend() only sets the state off:suspended.
 */
static void noclone_callback_detach_device(struct noclone_stock *sd, const struct dm_target *ti,
					   noclone_sentinel_submit_fn *submit)
{
	noclone_stock_count_detaching(sd, 1);
	noclone_fastpath_presuspend(&sd->nd, submit);
	/* Bios in flight may reference the table, and .presuspend_undo needs it */
	mutex_lock(&sd->nd.lock);
	sd->was_suspended = true;
	noclone_callback_set_suspended(sd);
	sd->suspender = ti;
	mutex_unlock(&sd->nd.lock);
	noclone_stock_count_detaching(sd, -1);
}

/* .presuspend: dm core calls it for each target, and once more on removal */
void noclone_callback_presuspend(struct dm_target *ti, noclone_sentinel_submit_fn *submit)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);
	bool detaches;

	if (!sd)
		return;
	detaches = !noclone_callback_is_detached_by_other(sd, ti);
	if (detaches)
		noclone_callback_detach_device(sd, ti, submit);
	noclone_stock_put(sd);
	if (detaches)
		noclone_stock_look_later();
}

/*
 * Can the device get the fast path only with another table, so that it would be useless to suspend
 * and resume the device? During a resume that has not reached all targets, a table may wrongly seem
 * unable to use the fast path. nd->lock keeps .resume from its next target, so a resume does not
 * end between these tests.
 */
static bool noclone_callback_needs_other_table(struct noclone_stock *sd, struct dm_target *ti)
{
	bool needs;

	mutex_lock(&sd->nd.lock);
	needs = sd->table.dm == ti->table && !dm_suspended(ti) && !READ_ONCE(sd->attacher) &&
		noclone_stock_is_hopeless(sd, READ_ONCE(sd->nd.state));
	mutex_unlock(&sd->nd.lock);
	return needs;
}

/*
 * Execute "fastpath on". For a device that is not attached, noclone_fastpath_switch() only stores
 * that the fast path is requested, and the work item of noclone_stock_queue_attach() attaches the
 * device. Return: 0; -EOPNOTSUPP if the kernel or the table does not allow the fast path; -ENOMEM.
 */
static int noclone_callback_switch_on(struct dm_target *ti)
{
	struct noclone_stock *sd;
	int r = 0;

	if (!noclone_kernel_is_allowed())
		return -EOPNOTSUPP;
	sd = noclone_stock_get(ti, true);
	if (!sd)
		return -ENOMEM;
	if (noclone_callback_needs_other_table(sd, ti)) {
		r = -EOPNOTSUPP;
	} else {
		/*
		 * The program that has sent the message reads the state to see the result. It must
		 * not see off:stuck of an earlier attempt: replace this state
		 */
		cmpxchg(&sd->nd.state, NOCLONE_OFF_STUCK, NOCLONE_OFF_DETACHED);
		noclone_fastpath_switch(&sd->nd, true);
		noclone_stock_queue_attach(sd);
	}
	noclone_stock_put(sd);
	/*
	 * A suspended device may be removed without a callback, so look for devices that are gone
	 */
	noclone_stock_look_later();
	return r;
}

static void noclone_callback_switch_off(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	noclone_fastpath_switch(&sd->nd, false);
	noclone_stock_put(sd);
}

/* Answer the message "fastpath". The message "fastpath" must not create an entry. */
static void noclone_callback_report(struct dm_target *ti, char *result,
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
 * .message: for a message that is not ours, do what dm core does without this module. Context:
 * inside the SRCU section that a suspend waits for. This function may sleep for nd->lock and
 * noclone_stock_lock, because their holders do not wait for I/O. The function itself must wait
 * neither for I/O nor for memory.
 */
int noclone_callback_message(struct dm_target *ti, unsigned int argc, char **argv,
			     char *result, unsigned int maxlen)
{
	if (!noclone_message_is_ours(argc, argv)) {
		/* dm core logs these words for a type without .message */
		pr_err(DM_NAME ": ioctl: Target type does not support messages\n");
		return -EINVAL;
	}
	/* If the table also has targets of ours, the device has another noclone_dev */
	if (noclone_dev_knows_table(ti->table)) {
		DMWARN("%s: the message has to go to a sector of a noclone target of this table",
		       dm_table_device_name(ti->table));
		return -EINVAL;
	}
	switch (noclone_message_parse(ti, argc, argv)) {
	case NOCLONE_MESSAGE_STATUS:
		noclone_callback_report(ti, result, maxlen);
		return 1;
	case NOCLONE_MESSAGE_ON:
		return noclone_callback_switch_on(ti);
	case NOCLONE_MESSAGE_OFF:
		noclone_callback_switch_off(ti);
		return 0;
	default:
		return -EINVAL;
	}
}
