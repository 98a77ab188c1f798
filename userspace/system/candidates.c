// SPDX-License-Identifier: GPL-2.0-only
/* The mapped devices of the running system whose fast path may be switched. */
#include "system/candidates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/name.h"
#include "system/devmap.h"
#include "system/layers.h"
#include "system/live.h"

static int candidates_get(struct candidate *c, const char *name)
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
	c->devno = dev.devno;
	c->suspended = dev.suspended;
	c->state = live_fastpath(&live);
	candidate_learn(c, &live.table);
	return 0;
}

static int candidates_add_one(struct switch_plan *p, const char *name)
{
	struct candidate c = { 0 };
	int r = candidates_get(&c, name);

	if (r)
		return r;
	GROW(p->device, p->nr);
	p->device[p->nr++] = c;
	return 0;
}

static void candidates_add_suitable(const char *name, void *data)
{
	struct switch_plan *p = data;

	/* it may be gone since it was found */
	if (!candidates_add_one(p, name) &&
	    !candidate_is_suitable(&p->device[p->nr - 1]))
		candidate_free(&p->device[--p->nr]);
}

/* Where it is in the plan; behind the last one if it is not. */
static unsigned int candidates_find(const struct switch_plan *p, const char *name)
{
	unsigned int at = 0;

	while (at < p->nr && strcmp(p->device[at].name, name))
		at++;
	return at;
}

struct parts {
	struct switch_plan *plan;
	bool any;
};

static void candidates_add_part(const char *name, void *data)
{
	struct parts *parts = data;
	struct switch_plan *p = parts->plan;

	if (candidates_find(p, name) == p->nr)
		candidates_add_suitable(name, p);
	parts->any |= candidates_find(p, name) < p->nr;
}

/* As a word of the command that the user may have meant. */
static void candidates_name(const char *name, void *data)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	_cleanup_free_ char *word = NULL;

	candidates_add_suitable(name, &p);
	if (!p.nr)
		return;
	word = shell_quote(p.device->lv ? p.device->lv : name);
	strbuf_add(data, " %s", word);
}

int candidates_add(struct switch_plan *p, const char *name)
{
	unsigned int at = candidates_find(p, name);
	struct parts parts = { p, false };
	struct strbuf below = { 0 };
	struct candidate *c;
	int r = at < p->nr ? 0 : candidates_add_one(p, name);

	if (r) {
		log_err("%s: %s", name, devmap_reason(r));
		return r;
	}
	layers_below(p->device[at].devno, false, candidates_add_part, &parts);
	c = &p->device[at];
	c->named = true;
	c->has_parts = parts.any;
	if (parts.any || candidate_is_suitable(c))
		return 0;
	layers_below(c->devno, true, candidates_name, &below);
	free(c->below);
	c->below = below.text;
	return 0;
}

int candidates_add_all(struct switch_plan *p)
{
	int r = devmap_for_each(candidates_add_suitable, p);

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
