// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the callbacks that slots.c installs do.
 *
 * A device's table is learned target by target in .resume and forgotten in
 * .presuspend, which dm core calls before it touches a table that is live. The
 * rest, counters and what a message requested, stays until the device is gone.
 */
#include "stock.h"
#include "devices.h"
#include "learn.h"
#include "memory.h"
#include "../fastpath.h"
#include "../fastpath-status.h"
#include "../kernel.h"
#include "../mapped-device.h"

#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/slab.h>

#define DM_MSG_PREFIX "noclone"

/*
 * dm-multipath may hold bios back for ever (queue_if_no_path); a stock suspend can be
 * interrupted then, ours cannot. The same goes for what lies on it: partitions have
 * its UUID behind "partN-", deeper stacks are found if their devices are in the list.
 */
static bool noclone_stock_is_multipath(struct gendisk *disk)
{
	struct mapped_device *md = dm_get_md(disk_devt(disk));
	char uuid[DM_UUID_LEN] = "";

	if (!md)
		return false;
	dm_copy_name_and_uuid(md, NULL, uuid);
	dm_put(md);
	return strstr(uuid, "mpath-");
}

/* Called for each leg. Return: not 0 if it is on dm-multipath. */
static int noclone_stock_look_at_leg(struct dm_target *ti, struct dm_dev *dev,
				     sector_t start, sector_t len, void *data)
{
	struct gendisk *leg = dev->bdev->bd_disk;

	if (leg->major != dm_disk(dm_table_get_md(ti->table))->major)
		return 0;
	return queue_is_mq(leg->queue) || noclone_stock_is_multipath(leg) ||
	       noclone_stock_disk_is_on_multipath(leg);
}

/* Return: NOCLONE_ON, or why the fast path cannot be used on the table. */
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
	WRITE_ONCE(sd->partly, false);
	sd->sectors = 0;
	sd->refused = NOCLONE_ON;
	WRITE_ONCE(sd->on_multipath, false);
	if (sd->attacher != current)
		sd->retries = NOCLONE_STOCK_RETRIES;
}

/*
 * Targets before @ti have not been seen. They are not for us, or the callbacks were filled
 * when dm core was beyond them. The latter cannot be if a suspend before this has been seen
 * as well, or if the callbacks were filled some time ago.
 */
static bool noclone_stock_may_have_missed(const struct noclone_stock *sd,
					  const struct dm_target *ti)
{
	return ti->begin != sd->sectors && !READ_ONCE(sd->last) &&
	       noclone_stock_is_new();
}

static void noclone_stock_learn_target(struct noclone_stock *sd,
				       struct dm_target *ti)
{
	if (noclone_stock_may_have_missed(sd, ti))
		WRITE_ONCE(sd->partly, true);
	sd->sectors += ti->len;
	if (ti->type->iterate_devices(ti, noclone_stock_look_at_leg, NULL)) {
		WRITE_ONCE(sd->on_multipath, true);
		/* Memory would be tried again, which suspends the device */
		if (!sd->nd.overridden &&
		    (sd->refused == NOCLONE_ON ||
		     sd->refused == NOCLONE_OFF_MEMORY))
			sd->refused = NOCLONE_OFF_MULTIPATH;
	}
	if (sd->refused == NOCLONE_ON)
		sd->refused = noclone_stock_add(sd, ti);
}

/*
 * Targets of other types do not come here: until the lengths add up, the table is
 * mixed, or there was no memory for a target that came before. Return: what stands
 * against the fast path, or NOCLONE_ON.
 */
static enum noclone_state noclone_stock_learn(struct noclone_stock *sd,
					      struct dm_target *ti)
{
	enum noclone_state state;

	mutex_lock(&sd->nd.lock);
	if (sd->table.dm != ti->table)
		noclone_stock_begin_table(sd, ti->table);
	noclone_stock_learn_target(sd, ti);
	state = sd->refused;
	if (sd->sectors != dm_table_get_size(ti->table) &&
	    state != NOCLONE_OFF_LAYOUT)
		state = noclone_memory_is_partial(sd->nd.disk) ?
			NOCLONE_OFF_DETACHED : NOCLONE_OFF_MIXED;
	if (state != NOCLONE_ON)
		sd->nd.state = state;
	mutex_unlock(&sd->nd.lock);
	return state;
}

/*
 * Only a table that can have it gets here. Without memory for the device a work
 * item asks for it, which may wait.
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
 * Is a table that nothing is known of one that can have the fast path? The other targets
 * of a longer one may be of any type.
 */
static bool noclone_stock_is_simple(struct dm_target *ti)
{
	return ti->len == dm_table_get_size(ti->table) &&
	       !ti->type->iterate_devices(ti, noclone_stock_look_at_leg, NULL);
}

/* There is no memory to know of the device. */
static void noclone_stock_attach_unknown(struct dm_target *ti)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(ti->table));
	const char *when = "is not tried again until it is resumed";

	if (ti->begin + ti->len < dm_table_get_size(ti->table))
		noclone_memory_set_partial(disk);
	if (noclone_stock_is_simple(ti) && noclone_memory_miss(disk)) {
		noclone_stock_retry_later();
		when = "is tried again soon";
	}
	DMWARN_LIMIT("%s: no memory for the fast path: it %s",
		     dm_table_device_name(ti->table), when);
}

/*
 * .resume and .presuspend_undo: dm core calls it for each target of a table that
 * is about to be live, in order.
 */
void noclone_stock_attach(struct dm_target *ti)
{
	struct noclone_stock *sd;

	if (noclone_fastpath_is_going(dm_disk(dm_table_get_md(ti->table))))
		return;
	sd = noclone_stock_get(ti, noclone_stock_is_auto());
	if (sd) {
		/* dm core detaches first. If ever not, the table is in use */
		if (!WARN_ON_ONCE(rcu_access_pointer(sd->nd.live)))
			noclone_stock_attach_device(sd, ti);
		noclone_stock_put(sd);
	} else if (noclone_stock_is_auto()) {
		noclone_stock_attach_unknown(ti);
	}
}

/* .presuspend: called for each target, and again on removal */
void noclone_stock_detach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get_suspended(ti);

	if (!sd)
		return;
	/* Before the state says so, for noclone_stock_notice_resume() */
	WRITE_ONCE(sd->last, ti->table);
	noclone_fastpath_detach(&sd->nd);
	mutex_lock(&sd->nd.lock);
	noclone_learn_forget(&sd->table, &sd->nd);
	mutex_unlock(&sd->nd.lock);
	noclone_stock_put(sd);
	noclone_stock_look_later();
}

/*
 * A device that was suspended has been resumed with targets of a type that was not
 * enabled, so that nobody was told. Context: .message
 */
static void noclone_stock_notice_resume(struct noclone_stock *sd,
					struct dm_target *ti)
{
	if (READ_ONCE(sd->last) != ti->table && !dm_suspended(ti))
		cmpxchg(&sd->nd.state, NOCLONE_OFF_SUSPENDED,
			NOCLONE_OFF_DETACHED);
}

/*
 * Nothing is gained by resuming a table that was found not to be for us. While it is
 * resumed, and not all of its targets have been seen, it looks like that, too.
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

/* Return: whether @word is "on"; -EINVAL if it is not "off" either. */
static int noclone_stock_parse(const char *word)
{
	if (!strcasecmp(word, NOCLONE_MSG_ON))
		return 1;
	return strcasecmp(word, NOCLONE_MSG_OFF) ? -EINVAL : 0;
}

static int noclone_stock_switch(struct dm_target *ti, bool on)
{
	struct noclone_stock *sd;
	int r = 0;

	if (!noclone_kernel_is_allowed())
		return on ? -EOPNOTSUPP : 0;
	sd = noclone_stock_get(ti, true);
	if (!sd)
		return -ENOMEM;
	noclone_stock_notice_resume(sd, ti);
	if (on && noclone_stock_is_hopeless(sd, ti)) {
		r = -EOPNOTSUPP;
	} else {
		noclone_fastpath_switch(&sd->nd, on);
		if (on)
			noclone_stock_queue_attach(sd);
	}
	noclone_stock_put(sd);
	/* It may be suspended, and removed without a callback */
	noclone_stock_look_later();
	return r;
}

/* Of a device that is not on the list */
static enum noclone_state noclone_stock_why_unknown(struct dm_target *ti)
{
	if (!noclone_kernel_is_allowed())
		return NOCLONE_OFF_KERNEL;
	if (!noclone_stock_is_auto())
		return NOCLONE_OFF_PARAMETER;
	return noclone_memory_is_missed(dm_disk(dm_table_get_md(ti->table))) ?
		NOCLONE_OFF_MEMORY : NOCLONE_OFF_DETACHED;
}

/* Asking must not leave anything behind. */
static void noclone_stock_report(struct dm_target *ti, char *result,
				 unsigned int maxlen)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd) {
		noclone_status_emit_none(noclone_stock_why_unknown(ti), result,
					 maxlen);
		return;
	}
	noclone_stock_notice_resume(sd, ti);
	noclone_status_emit(&sd->nd, true, result, maxlen, 0);
	noclone_stock_put(sd);
}

/*
 * dmsetup message NAME 0 fastpath [on|off]; everything else as without us. Nothing
 * waits here: it is inside the SRCU section that a suspend waits for.
 */
int noclone_stock_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen)
{
	int on;

	if (!argc || argc > 2 || strcasecmp(argv[0], NOCLONE_MSG_FASTPATH)) {
		/* In dm core's words */
		pr_err(DM_NAME ": ioctl: Target type does not support messages\n");
		return -EINVAL;
	}
	if (argc == 1) {
		noclone_stock_report(ti, result, maxlen);
		return 1;
	}
	on = noclone_stock_parse(argv[1]);
	return on < 0 ? on : noclone_stock_switch(ti, on);
}
