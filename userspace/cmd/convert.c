// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone convert: the same mapping, by dm's targets or by ours.
 *
 * What the kernel has made of the new table is read back and compared with the old
 * one before it runs.  Programs that compare the tables of their devices with what
 * they would load would put theirs back: their devices are for "noclone enable".
 */
#include <errno.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/name.h"
#include "cli/output.h"
#include "cmd/change.h"
#include "cmd/cmd.h"

/* The maker of the device would not know it again; back is always right. */
static char *convert_objection(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *origin = origin_of_uuid(dev->uuid);
	_cleanup_free_ char *enable = name_noclone("enable --now", dev->name);

	if (o->to_stock || !origin || str_starts(dev->uuid, NOCLONE_UUID_PREFIX))
		return NULL;
	return xasprintf("it was made by %s, which knows dm's own targets only, and may load its table again: %s gives it the fast path with the table as it is",
			 origin, enable);
}

int cmd_convert(const struct options *o, const char *word)
{
	_cleanup_change_ struct change c = CHANGE_INIT(o, "convert");
	_cleanup_free_ char *why = NULL;
	int r;

	c.alone = c.same = true;
	r = change_begin(&c, word);
	if (r)
		return r;
	why = exchange_table(&c.live.table, o->to_stock, &c.table);
	if (!why && !exchange_is_needed(&c.live.table, o->to_stock)) {
		log_note("%s has no target to convert", c.dev.name);
		c.as_is = true;
		if (opt(o, OPT_DRY_RUN))
			dry_run(o, c.command, c.dev.name, NULL, &c.table, NULL, ":");
		return change_finish(&c);
	}
	if (!why)
		why = convert_objection(o, &c.dev);
	if (why) {
		log_err("%s: %s", c.dev.name, why);
		return -EOPNOTSUPP;
	}
	return opt(o, OPT_DRY_RUN) ? change_print(&c, "", "") : change_run(&c);
}
