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
#include "../fastpath.h"
#include "../fastpath-status.h"
#include "../mapped-device.h"

#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/slab.h>

#define DM_MSG_PREFIX "noclone"

/*
 * Request-based devices are dm-multipath's. It may hold bios back for ever
 * (queue_if_no_path); a stock suspend can be interrupted then, ours cannot. The
 * same goes for what lies on a stock device that lies on it.
 */
static bool noclone_stock_on_multipath(const struct noclone_stock *sd,
				       const struct noclone_target *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		const struct gendisk *leg = t->leg[i].bdev->bd_disk;

		if (leg->major != sd->nd.disk->major)
			continue;
		if (queue_is_mq(leg->queue) ||
		    noclone_stock_disk_is_on_multipath(leg))
			return true;
	}
	return false;
}

/* Return: NOCLONE_ON, or why the fast path cannot be used on the table. */
static enum noclone_state noclone_stock_append(struct noclone_stock *sd,
					       struct noclone_target *t)
{
	if (noclone_stock_on_multipath(sd, t)) {
		WRITE_ONCE(sd->on_multipath, true);
		if (!sd->nd.overridden)
			return NOCLONE_OFF_MULTIPATH;
	}
	return noclone_table_append(&sd->table, t, NULL, 0,
				    GFP_NOWAIT | __GFP_NOWARN) ?
		NOCLONE_OFF_MEMORY : NOCLONE_ON;
}

static enum noclone_state noclone_stock_add(struct noclone_stock *sd,
					    struct dm_target *ti)
{
	struct noclone_target *t = noclone_learn_target(ti);
	enum noclone_state state;

	if (IS_ERR(t))
		return PTR_ERR(t) == -ENOMEM ? NOCLONE_OFF_MEMORY :
			NOCLONE_OFF_LAYOUT;
	state = noclone_stock_append(sd, t);
	if (state != NOCLONE_ON)
		kfree(t);
	return state;
}

/* Return: whether the table is complete and nothing stands against it. */
static bool noclone_stock_learn(struct noclone_stock *sd, struct dm_target *ti)
{
	bool complete;

	mutex_lock(&sd->nd.lock);
	if (sd->table.dm != ti->table) {
		noclone_stock_forget_table(sd);
		sd->table.dm = ti->table;
		sd->refused = NOCLONE_ON;
	}
	if (sd->refused == NOCLONE_ON)
		sd->refused = noclone_stock_add(sd, ti);
	complete = sd->refused == NOCLONE_ON &&
		   sd->table.sectors == dm_table_get_size(ti->table);
	/* Targets of other types do not come here: until the last, it is mixed */
	sd->nd.state = sd->refused == NOCLONE_ON ? NOCLONE_OFF_MIXED :
		sd->refused;
	mutex_unlock(&sd->nd.lock);
	return complete;
}

/* Memory was short even for the device: a work item may wait for it. */
static void noclone_stock_attach_later(struct noclone_stock *sd)
{
	WRITE_ONCE(sd->nd.state, NOCLONE_OFF_MEMORY);
	if (READ_ONCE(sd->nd.requested) == NOCLONE_ON && sd->retries) {
		sd->retries--;
		noclone_stock_queue_attach(sd);
	}
}

static void noclone_stock_attach_device(struct noclone_stock *sd,
					struct dm_target *ti)
{
	if (!noclone_stock_prepare(sd)) {
		noclone_stock_attach_later(sd);
	} else if (noclone_stock_learn(sd, ti)) {
		noclone_fastpath_attach(&sd->table);
		sd->retries = NOCLONE_STOCK_RETRIES;
	} else if (sd->refused == NOCLONE_OFF_MEMORY) {
		noclone_stock_look_later();
	}
}

/*
 * .resume and .presuspend_undo: dm core calls it for each target of a table that
 * is about to be live, in order.
 */
void noclone_stock_attach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, noclone_stock_is_auto());

	if (sd) {
		noclone_stock_attach_device(sd, ti);
		noclone_stock_put(sd);
	} else if (noclone_stock_is_auto()) {
		DMWARN_LIMIT("%s: no memory for the fast path until it is resumed again",
			     dm_table_device_name(ti->table));
	}
}

/* .presuspend: called for each target, and again on removal */
void noclone_stock_detach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd)
		return;
	if (noclone_fastpath_detach_begin(&sd->nd))
		synchronize_rcu();
	noclone_fastpath_detach_end(&sd->nd);
	mutex_lock(&sd->nd.lock);
	noclone_stock_forget_table(sd);
	mutex_unlock(&sd->nd.lock);
	noclone_stock_put(sd);
	noclone_stock_look_later();
}

/* Nothing is gained by resuming a table that was found not to be for us. */
static bool noclone_stock_is_hopeless(const struct noclone_stock *sd,
				      const struct dm_target *ti)
{
	enum noclone_state state = READ_ONCE(sd->nd.state);

	return READ_ONCE(sd->table.dm) == ti->table &&
	       (state == NOCLONE_OFF_MIXED || state == NOCLONE_OFF_LAYOUT ||
		state == NOCLONE_OFF_ZONED);
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
	struct noclone_stock *sd = noclone_stock_get(ti, true);
	int r = -EOPNOTSUPP;

	if (!sd)
		return -ENOMEM;
	if (!on || !noclone_stock_is_hopeless(sd, ti))
		r = noclone_fastpath_switch(&sd->nd, on);
	if (!r && on && !rcu_access_pointer(sd->nd.live)) {
		sd->retries = NOCLONE_STOCK_RETRIES;
		noclone_stock_queue_attach(sd);
	}
	noclone_stock_put(sd);
	return r;
}

/* Asking must not leave anything behind. */
static void noclone_stock_report(struct dm_target *ti, char *result,
				 unsigned int maxlen)
{
	struct noclone_stock *sd = noclone_stock_get(ti, false);

	if (!sd) {
		noclone_status_emit_none(noclone_stock_is_auto() ?
					 NOCLONE_OFF_DETACHED :
					 NOCLONE_OFF_PARAMETER, result, maxlen);
		return;
	}
	noclone_status_emit(&sd->nd, result, maxlen, 0);
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
