// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone convert: exchange dm's own targets for targets of this module, or the reverse, and keep
 * the mapping.
 *
 * Before the new table becomes live, the tool reads back the table that the kernel has loaded, and
 * compares its mapping with the mapping of the old table. Some programs compare the table of a
 * device with the table that they would load. If the tables differ, such a program loads its own
 * table again. The devices of such programs need "noclone enable" instead.
 */
#include <errno.h>

#include "base/log.h"
#include "base/util.h"
#include "model/exchange.h"
#include "model/name.h"
#include "model/origin.h"
#include "cli/output.h"
#include "cmd/change.h"
#include "cmd/cmd.h"

/*
 * Return: why the table of another program's device is not converted, a new string, or NULL. This
 * program would not recognise the targets of this module. Converting back to dm's own targets is
 * always allowed.
 */
static char *convert_objection(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *origin = origin_of_uuid(dev->uuid);
	_cleanup_free_ char *enable = name_noclone("enable --now", dev->name);

	if (o->to_stock || !origin || name_uuid_is_noclone(dev->uuid))
		return NULL;
	return xasprintf("%s has made the device, and may replace the new table by a table with dm's own targets: \"%s\" gives the device the fast path, and its table stays unchanged",
			 origin, enable);
}

static const struct change_needs convert_needs = {
	.command = "convert", .alone = true, .same_mapping = true,
};

int cmd_convert(const struct options *o, const char *word)
{
	_cleanup_change_ struct change c = CHANGE_INIT(c, o, &convert_needs);
	_cleanup_free_ char *why = NULL;
	int r;

	r = change_begin(&c, word);
	if (r)
		return r;
	why = exchange_table(&c.live.table, o->to_stock, &c.table);
	if (!why && !exchange_is_needed(&c.live.table, o->to_stock)) {
		log_note("%s has no target to convert", c.dev.name);
		c.file.as_is = true;
		if (opt(o, OPT_DRY_RUN))
			output_dry_run(o, c.needs->command, c.dev.name, NULL, &c.table, NULL, ":");
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
