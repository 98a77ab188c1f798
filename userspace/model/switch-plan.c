// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching the fast path of devices on and off.
 *
 * The module attaches stock devices of the types in its parameter "stock": all of
 * them with stock_auto, else those that a message has asked for.  So a plan for a few
 * devices turns stock_auto off before it names a type, unless somebody has
 * enabled types already: that was a decision about others.
 */
#include "model/switch-plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/name.h"
#include "model/remedy.h"
#include "model/table-print.h"

#define PARAMETERS	"/sys/module/dm_noclone/parameters/"
/* dm core frees deleted statistics after a grace period of RCU, and they count until then */
#define STATS_PASS_MS	1000

static const struct {
	const char *name;
	unsigned int bit;
} type_names[] = {
	{ "linear", STOCK_LINEAR },
	{ "striped", STOCK_STRIPED },
};

static unsigned int type_bit(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(type_names); i++)
		if (strlen(type_names[i].name) == length &&
		    !strncmp(type_names[i].name, name, length))
			return type_names[i].bit;
	return 0;
}

bool stock_parse(const char *text, unsigned int *types)
{
	size_t length;

	for (*types = 0; *text; text += length + (text[length] == ',')) {
		unsigned int bit;

		length = strcspn(text, ",");
		bit = type_bit(text, length);
		if (!bit)
			return false;
		*types |= bit;
	}
	return true;
}

char *stock_print(unsigned int types)
{
	struct strbuf b = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(type_names); i++)
		if (types & type_names[i].bit)
			strbuf_add(&b, "%s%s", b.len ? "," : "",
				   type_names[i].name);
	return strbuf_take(&b);
}

unsigned int stock_types(const struct table *t)
{
	unsigned int i, types = 0;

	for (i = 0; i < t->nr; i++)
		if (t->targets[i].stock)
			types |= type_bit(t->targets[i].type,
					  strlen(t->targets[i].type));
	return types;
}

void candidate_learn(struct candidate *c, const struct table *t)
{
	unsigned int i;

	c->types = stock_types(t);
	for (i = t->nr; i--;) {
		const struct target *target = &t->targets[i];

		if (target->kind == TARGET_OTHER ||
		    (target->kind == TARGET_FILE && !c->state)) {
			free(c->other);
			c->other = xstrdup(target->type);
			continue;
		}
		c->has_own |= target_is_noclone(target);
		c->sector = target->start;
	}
}

bool candidate_is_suitable(const struct candidate *c)
{
	return !c->other && (c->has_own || c->types) && !(c->has_own && c->types);
}

void candidate_free(struct candidate *c)
{
	free(c->name);
	free(c->lv);
	free(c->other);
	free(c->state);
	free(c->why);
}

static char *objection_to_table(const struct candidate *c)
{
	if (c->other && !strcmp(c->other, NOCLONE_FILE_NAME))
		return xstrdup("no state of its fast path can be read: is the module loaded, and as new as this tool?");
	if (c->other)
		return xasprintf("its table has a target of type %s: only linear and striped devices have a fast path, perhaps one below it",
				 c->other);
	if (c->has_own && c->types)
		return xasprintf("its table mixes targets of dm and of this module: noclone convert %s --to stock",
				 c->name);
	return candidate_is_suitable(c) ? NULL : xstrdup("it has no table");
}

static bool is_state(const struct candidate *c, const char *state)
{
	return c->state && !strcmp(c->state, state);
}

/* Why it cannot be switched on: a new string, or NULL. */
static char *objection(const struct candidate *c, const struct module_params *m)
{
	if (!candidate_is_suitable(c))
		return objection_to_table(c);
	if (c->types && m->loaded && !m->has_stock)
		return xstrdup("the loaded dm-noclone has no fast path for dm's own targets: install a newer one and load it");
	if ((c->multipath || is_state(c, "off:multipath")) && !c->named)
		return xasprintf("a leg is on dm-multipath, which may hold I/O back: ask for it by name, noclone enable --now %s",
				 c->name);
	return NULL;
}

static void plan_on(struct candidate *c, const struct module_params *m)
{
	free(c->why);
	c->why = objection(c, m);
	if (c->why)
		c->action = SWITCH_CANNOT;
	else
		c->action = is_state(c, "on") ? SWITCH_NOTHING : SWITCH_ON;
}

static bool clears(const struct switch_plan *p, const struct module_params *m)
{
	return p->all && p->wish == WISH_OFF && m->stock;
}

/*
 * Off stays off: also a device that would come on later gets the message, because its
 * type is enabled now or will be.  One with another stock type is on dm core's path
 * already, and dm would refuse the message.
 */
static void plan_off(struct candidate *c, const struct switch_plan *p,
		     const struct module_params *m)
{
	bool comes_on = c->types && p->stock_auto && !(c->types & ~p->stock);

	if ((!c->state && !comes_on) || is_state(c, "off:message") ||
	    c->types & ~p->stock)
		c->action = SWITCH_NOTHING;
	else
		c->action = SWITCH_OFF;
	if (c->state && clears(p, m) && !c->has_own)
		c->action = SWITCH_GIVE_BACK;
}

/* Types of the stock devices that are to be on */
static unsigned int types_wanted(const struct switch_plan *p)
{
	unsigned int i, types = 0;

	if (p->all && p->wish == WISH_ON)
		return STOCK_ALL;
	for (i = 0; i < p->nr; i++)
		if (p->device[i].wish == WISH_ON &&
		    p->device[i].action != SWITCH_CANNOT)
			types |= p->device[i].types;
	return types;
}

static void set_auto(struct switch_plan *p, const struct module_params *m, bool on)
{
	p->set_auto = (!m->loaded || m->has_auto) && (!m->loaded || m->stock_auto != on);
	p->stock_auto = on;
}

static void plan_params(struct switch_plan *p, const struct module_params *m)
{
	unsigned int wanted = types_wanted(p);

	p->set_auto = false;
	p->stock_auto = m->loaded && m->has_stock && m->stock_auto;
	p->spreads = false;
	p->load = wanted && !m->loaded;
	p->stock = clears(p, m) ? 0 : m->stock | wanted;
	p->set_stock = p->stock != m->stock;
	if (!wanted)
		return;
	if (p->all || p->decides || !m->stock)
		set_auto(p, m, p->all);
	/* an older module attaches them all */
	p->spreads = p->set_stock && !p->all && m->loaded &&
		     (!m->has_auto || (m->stock && p->stock_auto));
}

void switch_plan(struct switch_plan *p, const struct module_params *m)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (p->device[i].wish == WISH_ON)
			plan_on(&p->device[i], m);
	plan_params(p, m);
	for (i = 0; i < p->nr; i++)
		if (p->device[i].wish == WISH_OFF)
			plan_off(&p->device[i], p, m);
}

static unsigned int count(const struct switch_plan *p, enum switch_action action)
{
	unsigned int i, n = 0;

	for (i = 0; i < p->nr; i++)
		n += p->device[i].action == action;
	return n;
}

bool switch_plan_is_empty(const struct switch_plan *p)
{
	return !p->load && !p->set_auto && !p->set_stock &&
	       !count(p, SWITCH_ON) && !count(p, SWITCH_OFF);
}

static void add_message(struct strbuf *b, const struct candidate *c)
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
	_cleanup_free_ char *stock = stock_print(p->stock);
	struct strbuf b = { 0 };
	unsigned int i;

	if (p->load)
		strbuf_add(&b, "modprobe " NOCLONE_MODULE_NAME "\n");
	if (p->set_auto)
		strbuf_add(&b, "echo %c >" PARAMETERS "stock_auto\n",
			   p->stock_auto ? 'Y' : 'N');
	if (p->set_stock)
		strbuf_add(&b, "echo %s%s>" PARAMETERS "stock\n", stock,
			   *stock ? " " : "");
	for (i = 0; i < p->nr; i++)
		add_message(&b, &p->device[i]);
	return strbuf_take(&b);
}

/* @before and @after the number */
static void add_count(struct strbuf *b, const struct switch_plan *p,
		      enum switch_action action, const char *before,
		      const char *after)
{
	unsigned int n = count(p, action);

	if (n)
		strbuf_add(b, "%s%s%u %s", b->len ? ", " : "", before, n, after);
}

char *switch_plan_words(const struct switch_plan *p)
{
	_cleanup_free_ char *stock = stock_print(p->stock);
	struct strbuf b = { 0 };

	if (p->load)
		strbuf_add(&b, "load " NOCLONE_MODULE_NAME);
	if (p->set_stock)
		strbuf_add(&b, "%sset its parameter stock to \"%s\"",
			   b.len ? ", " : "", stock);
	add_count(&b, p, SWITCH_ON, "switch ", "on");
	add_count(&b, p, SWITCH_OFF, "switch ", "off");
	add_count(&b, p, SWITCH_GIVE_BACK, "give ", "back to dm core");
	add_count(&b, p, SWITCH_NOTHING, "leave ", "as is");
	add_count(&b, p, SWITCH_CANNOT, "", "cannot have it");
	return strbuf_take(&b);
}

void switch_plan_free(struct switch_plan *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		candidate_free(&p->device[i]);
	free(p->device);
	memset(p, 0, sizeof(*p));
}

/*
 * While the module attaches a device, it suspends it and learns its table, so states
 * such as "suspended" and "mixed" pass.  These do not:
 */
bool switch_is_pending(const struct candidate *c, const char *state, unsigned int waited_ms)
{
	static const char * const lasting[] = {
		"on", "off:option", "off:zoned", "off:foreign", "off:nostats",
		"off:unpinned", "off:layout", "off:kernel",
	};
	size_t i;

	if (c->action != SWITCH_ON || c->suspended || !state)
		return false;
	if (!strcmp(state, "off:stats"))
		return waited_ms < STATS_PASS_MS;
	for (i = 0; i < ARRAY_SIZE(lasting); i++)
		if (!strcmp(state, lasting[i]))
			return false;
	return true;
}

bool switch_is_hopeless(const struct candidate *c, const char *state)
{
	static const char * const never[] = {
		"off:zoned", "off:foreign", "off:nostats", "off:layout", "off:kernel",
	};
	size_t i;

	for (i = 0; state && i < ARRAY_SIZE(never); i++)
		if (!strcmp(state, never[i]))
			return true;
	return c->action == SWITCH_CANNOT;
}

char *switch_why(const struct candidate *c, const char *state)
{
	bool on = state && !strcmp(state, "on");

	if (c->why)
		return xstrdup(c->why);
	if (c->wish == WISH_NONE || on == (c->wish == WISH_ON))
		return NULL;
	if (c->wish == WISH_OFF)
		return xstrdup("the fast path is still on");
	if (c->suspended)
		return xstrdup("the device is suspended: it comes on when it is resumed");
	return state ? remedy_words(state, c->name) :
		       xstrdup("the module does not know the device: see the kernel log");
}
