// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that all targets share: legs, options, messages, events, and the
 * callbacks that do not depend on the layout.
 */
#include "target.h"
#include "dev.h"
#include "device-state.h"
#include "fastpath-attach.h"
#include "fastpath-status.h"
#include "message.h"

#include <linux/module.h>
#include <linux/slab.h>

/* Raise a dm event, for "dmsetup wait" and dmeventd. */
static void noclone_target_event(struct work_struct *work)
{
	struct noclone_target *t = container_of(work, struct noclone_target,
						event);

	dm_table_event(t->ti->table);
}

/* Return: a target with room for @max_legs, or NULL with ti->error set. */
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
	INIT_WORK(&t->event, noclone_target_event);
	return t;
}

/*
 * Open the next leg. @argv has its device and start sector. Return: 0, or a negative errno with
 * ti->error set.
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
			NOCLONE_ERR_DEVICE ": check the name, and that the device is not in use";
		return r;
	}

	leg->bdev = leg->dev->bdev;
	leg->start = start;
	atomic_set(&leg->errors, 0);
	t->nr_legs++;
	return 0;
}

/* Parse the optional arguments. Return: 0, or -EINVAL with ti->error set. */
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

/*
 * Finish a constructor. dm core sends each empty flush, discard, secure erase and write of zeroes
 * once to each leg. Return: 0, or -ENOMEM with ti->error set.
 */
int noclone_target_finish(struct noclone_target *t)
{
	struct dm_target *ti = t->ti;
	int r;

	ti->num_flush_bios = t->nr_legs;
	ti->num_discard_bios = t->nr_legs;
	ti->num_secure_erase_bios = t->nr_legs;
	ti->num_write_zeroes_bios = t->nr_legs;
	/* The flag has an effect only if all targets of a table set it. dm-zero does not set it */
	if (t->nr_legs)
		noclone_compat_flush_bypasses_map(ti);

	r = noclone_dev_add_target(t, NULL, 0);
	if (r)
		ti->error = "Not enough memory for the table";
	return r;
}

/* Free a target in any state of construction, after its legs were put. */
void noclone_target_free(struct noclone_target *t)
{
	flush_work(&t->event);
	noclone_dev_del_target(t);
	kvfree(t);
}

void noclone_target_dtr(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;

	while (t->nr_legs)
		dm_put_device(ti, t->leg[--t->nr_legs].dev);
	noclone_target_free(t);
}

/* dm core calls .presuspend for each target of a table, and sometimes more than once. */
void noclone_target_presuspend(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;

	if (noclone_target_is_first(t))
		noclone_fastpath_presuspend(t->nd, NULL);
}

void noclone_target_resume(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;

	if (noclone_target_is_first(t))
		noclone_fastpath_attach(t->table);
}

int noclone_target_message(struct dm_target *ti, unsigned int argc, char **argv,
			   char *result, unsigned int maxlen)
{
	enum noclone_message message = noclone_message_parse(ti, argc, argv);
	struct noclone_target *t = ti->private;

	switch (message) {
	case NOCLONE_MESSAGE_STATUS:
		noclone_status_emit(t->nd, true, result, maxlen, 0);
		return 1;
	case NOCLONE_MESSAGE_ON:
	case NOCLONE_MESSAGE_OFF:
		noclone_fastpath_switch(t->nd, message == NOCLONE_MESSAGE_ON);
		return 0;
	default:
		return -EINVAL;
	}
}

int noclone_target_iterate_devices(struct dm_target *ti,
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

/* Print the options at the end of STATUSTYPE_TABLE. Return: the new value of @sz. */
size_t noclone_target_emit_options(struct noclone_target *t, char *result,
				   unsigned int maxlen, size_t sz)
{
	if (t->no_fastpath)
		DMEMIT(" 1 " NOCLONE_OPT_NO_FASTPATH);
	return sz;
}
