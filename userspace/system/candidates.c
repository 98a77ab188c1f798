// SPDX-License-Identifier: GPL-2.0-only
/* The mapped devices of the running system whose fast path may be switched. */
#include "system/candidates.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "model/name.h"
#include "system/devmap.h"
#include "system/live.h"

static int get(struct candidate *c, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live live = { 0 };
	int r = devmap_info(name, &dev);

	if (!r)
		r = live_get(name, &live);
	if (r)
		return r;
	c->name = xstrdup(name);
	if (origin_is_lvm(dev.uuid))
		c->lv = devmap_lv_of_name(name);
	c->suspended = dev.suspended;
	c->state = live_fastpath(&live);
	candidate_learn(c, &live.table);
	return 0;
}

int candidates_add(struct switch_plan *p, const char *name)
{
	struct candidate c = { 0 };
	int r = get(&c, name);

	if (r)
		return r;
	GROW(p->device, p->nr);
	p->device[p->nr++] = c;
	return 0;
}

static void add_suitable(const char *name, void *data)
{
	struct switch_plan *p = data;

	/* it may be gone since the list was made */
	if (!candidates_add(p, name) &&
	    !candidate_is_suitable(&p->device[p->nr - 1]))
		candidate_free(&p->device[--p->nr]);
}

int candidates_add_all(struct switch_plan *p)
{
	int r = devmap_for_each(add_suitable, p);

	/* no driver, no devices: nothing to complain about */
	if (r == -ENODEV)
		return 0;
	if (r)
		log_err("cannot list devices: %s", devmap_reason(r));
	return r;
}

char *candidate_state(const struct candidate *c)
{
	_cleanup_live_ struct live live = { 0 };

	live_get(c->name, &live);
	return live_fastpath(&live);
}
