// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the targets have in common: legs, options, the callbacks that do not
 * care how sectors are laid out.
 */
#include "core.h"

#include <linux/module.h>
#include <linux/slab.h>

static const char * const noclone_counter_word[] = {
#define X(name, word, text) [NOCLONE_##name] = word,
	NOCLONE_COUNTERS(X)
#undef X
};

static const char * const noclone_state_word[] = {
	[NOCLONE_ON] = "on",
#define X(name, word, text) [NOCLONE_OFF_##name] = "off:" word,
	NOCLONE_OFF_REASONS(X)
#undef X
};

/* An event tells whoever waits in "dmsetup wait" to look at the status. */
static void noclone_trigger_event(struct work_struct *work)
{
	struct noclone_target *t = container_of(work, struct noclone_target,
						event);

	dm_table_event(t->ti->table);
}

/**
 * noclone_target_alloc - begin a target
 * @ti: dm's view of it; ti->error is set
 * @max_legs: how many noclone_target_add_leg() will follow at most
 *
 * Return: the target, to be given up by noclone_target_free(), or NULL.
 */
struct noclone_target *noclone_target_alloc(struct dm_target *ti,
					    unsigned int max_legs)
{
	struct noclone_target *t;

	t = kvzalloc(struct_size(t, leg, max_legs), GFP_KERNEL);
	if (!t) {
		ti->error = "Not enough memory for the legs";
		return NULL;
	}

	t->ti = ti;
	INIT_WORK(&t->event, noclone_trigger_event);
	return t;
}

/**
 * noclone_target_add_leg - open the next leg
 * @t: a target that has room for it
 * @argv: device and start sector
 *
 * Return: 0 or a negative errno with ti->error set.
 */
int noclone_target_add_leg(struct noclone_target *t, char **argv)
{
	struct noclone_leg *leg = &t->leg[t->nr_legs];
	struct dm_target *ti = t->ti;
	unsigned long long start;
	int r;

	r = kstrtoull(argv[1], 10, &start);
	if (r || start != (sector_t)start) {
		ti->error = NOCLONE_ERR_START;
		return -EINVAL;
	}

	r = dm_get_device(ti, argv[0], dm_table_get_mode(ti->table), &leg->dev);
	if (r) {
		ti->error =
			NOCLONE_ERR_DEVICE ": check the name and that it is not in use";
		return r;
	}

	leg->bdev = leg->dev->bdev;
	leg->start = start;
	atomic_set(&leg->errors, 0);
	t->nr_legs++;
	return 0;
}

/**
 * noclone_target_options - read the optional group at the end of a line
 * @t: target
 * @as: the words behind the legs, possibly none
 *
 * Return: 0 or -EINVAL with ti->error set.
 */
int noclone_target_options(struct noclone_target *t, struct dm_arg_set *as)
{
	static const struct dm_arg args[] = {
		{0, 1, NOCLONE_ERR_NR_OPTIONS},
	};
	struct dm_target *ti = t->ti;
	unsigned int nr;

	if (!as->argc)
		return 0;
	if (dm_read_arg(args, as, &nr, &ti->error))
		return -EINVAL;
	if (as->argc < nr) {
		ti->error = NOCLONE_ERR_FEW_OPTIONS;
		return -EINVAL;
	}

	while (nr--) {
		if (strcasecmp(dm_shift_arg(as), NOCLONE_OPT_NO_FASTPATH)) {
			ti->error = NOCLONE_ERR_OPTION;
			return -EINVAL;
		}
		t->no_fastpath = true;
	}

	if (as->argc) {
		ti->error = NOCLONE_ERR_LEFT_OVER;
		return -EINVAL;
	}
	return 0;
}

/**
 * noclone_target_finish - last step of a constructor
 * @t: target with layout, legs and options
 *
 * Each leg gets its own empty flush, discard, secure erase and write zeroes.
 *
 * Return: 0 or -ENOMEM with ti->error set.
 */
int noclone_target_finish(struct noclone_target *t)
{
	struct dm_target *ti = t->ti;
	int r;

	ti->num_flush_bios = t->nr_legs;
	ti->num_discard_bios = t->nr_legs;
	ti->num_secure_erase_bios = t->nr_legs;
	ti->num_write_zeroes_bios = t->nr_legs;
	noclone_let_flushes_bypass(ti);

	r = noclone_table_add(t, NULL, 0);
	if (r)
		ti->error = "Not enough memory for the table";
	return r;
}

/**
 * noclone_target_free - undo noclone_target_alloc()
 * @t: target in any state of construction, whose legs are gone
 */
void noclone_target_free(struct noclone_target *t)
{
	flush_work(&t->event);
	noclone_table_del(t);
	kvfree(t);
}

/**
 * noclone_dtr - destructor; takes targets in any state of construction
 * @ti: dm's view of the target
 */
void noclone_dtr(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;

	while (t->nr_legs)
		dm_put_device(ti, t->leg[--t->nr_legs].dev);
	noclone_target_free(t);
}

/**
 * noclone_presuspend - leave the fast path before anything else happens
 * @ti: one of our lines; each of them may be called, and more than once
 */
void noclone_presuspend(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;

	noclone_fastpath_detach(t->nd);
}

/**
 * noclone_resume - take the fast path if the table allows
 * @ti: one of our lines; each of them is called
 */
void noclone_resume(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;

	noclone_fastpath_attach(t->table);
}

/**
 * noclone_target_message - dmsetup message NAME 0 fastpath on|off
 * @t: any line of the device
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, -EINVAL for anything else, -EINTR.
 */
int noclone_target_message(struct noclone_target *t, unsigned int argc,
			   char **argv)
{
	if (argc == 2 && !strcasecmp(argv[0], NOCLONE_MSG_FASTPATH)) {
		if (!strcasecmp(argv[1], NOCLONE_MSG_ON))
			return noclone_fastpath_switch(t->nd, true);
		if (!strcasecmp(argv[1], NOCLONE_MSG_OFF))
			return noclone_fastpath_switch(t->nd, false);
	}

	DMWARN("%s: unknown message \"%s%s%s\": use \"fastpath on\" or \"fastpath off\"",
	       dm_table_device_name(t->ti->table), argv[0],
	       argc > 1 ? " " : "", argc > 1 ? argv[1] : "");
	return -EINVAL;
}

/* See struct target_type. */
int noclone_message(struct dm_target *ti, unsigned int argc, char **argv,
		    char *result, unsigned int maxlen)
{
	return noclone_target_message(ti->private, argc, argv);
}

/**
 * noclone_iterate_devices - show dm core each leg and how much of it is used
 * @ti: target
 * @fn: dm core's function
 * @data: for @fn
 */
int noclone_iterate_devices(struct dm_target *ti,
			    iterate_devices_callout_fn fn, void *data)
{
	struct noclone_target *t = ti->private;
	sector_t width = div_u64(ti->len, t->layout.stripes);
	unsigned int i;
	int r = 0;

	for (i = 0; i < t->nr_legs && !r; i++)
		r = fn(ti, t->leg[i].dev, t->leg[i].start, width, data);
	return r;
}

static unsigned long noclone_counter_sum(const struct noclone_dev *nd,
					 enum noclone_counter which)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(nd->counters, cpu)->n[which];
	return sum;
}

/* What the next bio will meet: statistics come and go without telling us. */
static enum noclone_state noclone_state_now(const struct noclone_dev *nd)
{
	enum noclone_state state = READ_ONCE(nd->state);

	if (state == NOCLONE_ON && READ_ONCE(*nd->stats_bytes))
		return NOCLONE_OFF_BYSTATS;
	return state;
}

/**
 * noclone_emit_state - the end of a status line; see include/dm-noclone.h
 * @t: target
 * @result: the line
 * @maxlen: room for the line, in bytes
 * @sz: what is filled already, in bytes
 *
 * Return: the new @sz.
 */
size_t noclone_emit_state(struct noclone_target *t, char *result,
			  unsigned int maxlen, size_t sz)
{
	const struct noclone_dev *nd = t->nd;
	unsigned int i;

	DMEMIT("fastpath %s %u", noclone_state_word[noclone_state_now(nd)],
	       2 * NOCLONE_NR_COUNTERS);
	for (i = 0; i < NOCLONE_NR_COUNTERS; i++)
		DMEMIT(" %s %lu", noclone_counter_word[i],
		       noclone_counter_sum(nd, i));
	return sz;
}

/**
 * noclone_emit_options - the end of a table line
 * @t: target
 * @result: the line
 * @maxlen: room for the line, in bytes
 * @sz: what is filled already, in bytes
 *
 * Return: the new @sz.
 */
size_t noclone_emit_options(struct noclone_target *t, char *result,
			    unsigned int maxlen, size_t sz)
{
	if (t->no_fastpath)
		DMEMIT(" 1 " NOCLONE_OPT_NO_FASTPATH);
	return sz;
}
