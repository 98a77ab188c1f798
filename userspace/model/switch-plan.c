// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching the fast path of devices on and off.
 *
 * With its parameter "stock" the module lets stock devices understand messages, and only a
 * message gives one the fast path.  Without, all of them go back to dm core, and what was
 * asked for is forgotten.
 */
#include "model/switch-plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/name.h"
#include "model/status.h"

#define PARAMETERS	"/sys/module/dm_noclone/parameters/"
/* dm core frees deleted statistics after a grace period of RCU, and they count until then */
#define STATS_PASS_MS	1000

char *module_objection(const struct module_params *m)
{
	if (!m->loaded || m->interface == NOCLONE_VERSION_MAJOR)
		return NULL;
	return xasprintf("the loaded " NOCLONE_MODULE_NAME " has interface %u, this tool has %u: install both in the same version, then modprobe -r " NOCLONE_MODULE_NAME ", or reboot",
			 m->interface, NOCLONE_VERSION_MAJOR);
}

void candidate_learn(struct candidate *c, const struct table *t)
{
	uint64_t own = 0;
	unsigned int i;

	for (i = t->nr; i--;) {
		const struct target *target = &t->targets[i];

		if ((target->kind == TARGET_OTHER && !target_is_noclone(target)) ||
		    (target->kind == TARGET_FILE && !c->state)) {
			free(c->other);
			c->other = xstrdup(target->type);
			continue;
		}
		if (target->stock) {
			c->has_stock = true;
			c->sector = target->start;
		} else {
			c->has_own = true;
			own = target->start;
		}
	}
	/* Our targets have the fast path whatever is beside them */
	if (c->has_own) {
		c->has_stock = false;
		c->sector = own;
	}
}

static bool switch_candidate_is_unread(const struct candidate *c)
{
	return c->other && !strcmp(c->other, NOCLONE_FILE_NAME);
}

bool candidate_is_suitable(const struct candidate *c)
{
	return c->has_own ? !switch_candidate_is_unread(c) : c->has_stock && !c->other;
}

void candidate_free(struct candidate *c)
{
	free(c->name);
	free(c->lv);
	free(c->other);
	free(c->state);
	free(c->below);
	free(c->after);
	free(c->why);
}

static char *switch_objection_to_table(const struct candidate *c)
{
	if (switch_candidate_is_unread(c))
		return xstrdup("no state of its fast path can be read: is the module loaded, and as new as this tool?");
	if (c->other && !c->has_own)
		return xasprintf("its table has a target of type %s: only linear and striped devices have a fast path%s%s",
				 c->other, c->below ? "; below it: noclone enable" : "",
				 c->below ? c->below : "");
	return candidate_is_suitable(c) ? NULL : xstrdup("it has no table");
}

static bool switch_is_state(const struct candidate *c, const char *state)
{
	return c->state && !strcmp(c->state, state);
}

static void switch_plan_on(struct candidate *c)
{
	if (!candidate_is_suitable(c)) {
		free(c->why);
		c->why = switch_objection_to_table(c);
		c->action = SWITCH_CANNOT;
		return;
	}
	c->action = switch_is_state(c, "on") ? SWITCH_NOTHING : SWITCH_ON;
}

/* The parameter does for all stock devices what a message does for one. */
static void switch_plan_off(struct candidate *c, bool clears)
{
	if (!c->state || (switch_is_state(c, "off:message") && (c->has_own || !clears)))
		c->action = SWITCH_NOTHING;
	else
		c->action = clears && !c->has_own ? SWITCH_GIVE_BACK : SWITCH_OFF;
}

void switch_plan(struct switch_plan *p, const struct module_params *m)
{
	bool needs_stock = false, needs_module = false, clears = p->all_off && m->stock;
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		struct candidate *c = &p->device[i];

		if (c->wish == WISH_ON)
			switch_plan_on(c);
		if (c->wish == WISH_OFF)
			switch_plan_off(c, clears);
		needs_module |= c->action == SWITCH_ON;
		needs_stock |= c->wish == WISH_ON && c->has_stock && !c->why;
	}
	free(p->objection);
	p->objection = needs_module ? module_objection(m) : NULL;
	p->load = needs_stock && !m->loaded;
	p->stock = needs_stock;
	p->set_stock = clears || (needs_stock && !m->stock);
}

const char *switch_stock_word(const struct switch_plan *p)
{
	return p->stock ? "on" : "off";
}

static void switch_add_message(struct strbuf *b, const struct candidate *c)
{
	_cleanup_free_ char *quoted = shell_quote(c->name);

	if (c->action == SWITCH_ON || c->action == SWITCH_OFF)
		strbuf_add(b, "%s message %s %llu fastpath %s\n", name_dmsetup(c->name),
			   quoted, (unsigned long long)c->sector,
			   c->action == SWITCH_ON ? "on" : "off");
}

/* In the order in which it is done. */
char *switch_plan_print(const struct switch_plan *p)
{
	struct strbuf b = { 0 };
	unsigned int i;

	if (p->load)
		strbuf_add(&b, "modprobe " NOCLONE_MODULE_NAME "\n");
	if (p->set_stock)
		strbuf_add(&b, "echo %s >" PARAMETERS "stock\n", switch_stock_word(p));
	for (i = 0; i < p->nr; i++)
		switch_add_message(&b, &p->device[i]);
	return strbuf_take(&b);
}

char *switch_expected(const struct candidate *c)
{
	if (c->action == SWITCH_ON)
		return xstrdup("on");
	if (c->action == SWITCH_OFF)
		return xstrdup("off:message");
	return c->action == SWITCH_GIVE_BACK || !c->state ? NULL : xstrdup(c->state);
}

void switch_plan_free(struct switch_plan *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		candidate_free(&p->device[i]);
	free(p->device);
	free(p->objection);
	memset(p, 0, sizeof(*p));
}

/*
 * While the module attaches a device, it suspends it and learns its table, so states
 * such as "suspended" and "mixed" pass.  These do not:
 */
bool switch_is_pending(const struct candidate *c, unsigned int waited_ms)
{
	static const char * const lasting[] = {
		"on", "off:option", "off:zoned", "off:foreign", "off:nostats",
		"off:unpinned", "off:layout", "off:kernel", "off:stuck",
	};
	const char *state = c->after;
	size_t i;

	if (c->action != SWITCH_ON || c->failed || c->suspended || !state)
		return false;
	if (!strcmp(state, "off:stats"))
		return waited_ms < STATS_PASS_MS;
	for (i = 0; i < ARRAY_SIZE(lasting); i++)
		if (!strcmp(state, lasting[i]))
			return false;
	return true;
}

bool switch_is_hopeless(const struct candidate *c)
{
	static const char * const never[] = {
		"off:zoned", "off:foreign", "off:nostats", "off:layout", "off:kernel",
	};
	size_t i;

	for (i = 0; c->after && i < ARRAY_SIZE(never); i++)
		if (!strcmp(c->after, never[i]))
			return true;
	return c->action == SWITCH_CANNOT;
}

bool switch_says_why(const struct candidate *c)
{
	return c->wish == WISH_ON && c->after && str_starts(c->after, "off:");
}

char *switch_why(const struct candidate *c)
{
	bool on = c->after && !strcmp(c->after, "on");

	if (c->failed && !switch_says_why(c))
		return xstrdup("the module did not take the message");
	if (c->wish == WISH_NONE || on == (c->wish == WISH_ON))
		return NULL;
	if (c->wish == WISH_OFF)
		return xstrdup("the fast path is still on");
	if (c->suspended)
		return xstrdup("the device is suspended: it comes on when it is resumed");
	return c->after ? remedy_words(c->after, c->name) :
		xstrdup("another program has replaced its table: try again");
}
