// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exchange target types. Apart from the options at their end, linear and striped targets have the
 * same arguments in dm and in this module, so the exchange keeps the mapping. Nevertheless
 * exchange_table() compares the mapping of the new table with the mapping of the old table.
 */
#include "model/exchange.h"

#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

static bool exchange_has_equivalent(const struct target *t)
{
	return t->kind == TARGET_LINEAR || t->kind == TARGET_STRIPED || target_is_zero(t);
}

bool exchange_is_needed(const struct table *t, bool to_stock)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (exchange_has_equivalent(&t->targets[i]) &&
		    target_is_noclone(&t->targets[i]) == to_stock)
			return true;
	return false;
}

/* Return: why this target prevents an exchange, a new string, or NULL. */
static char *exchange_objection(const struct target *t, bool to_stock, bool needed)
{
	if (target_is_zero(t))
		return NULL;
	if (t->kind == TARGET_OTHER)
		return xasprintf("no target of %s does the same as the target \"%s\"", to_stock ? "dm" : "dm-noclone", t->type);
	if (t->kind == TARGET_FILE && to_stock)
		return xstrdup("no target of dm does the same as noclone-file: losetup(8) makes a loop device with the same bytes");
	if (t->kind == TARGET_FILE && needed)
		return xstrdup("the new table would open the backing file again, and the path may lead to another file now: use \"noclone reload\", which checks the file");
	if (!t->understood)
		return xasprintf("the arguments of a target are not understood: %s %s",
				 t->type, t->params);
	return NULL;
}

static void exchange_add(struct table *new, const struct target *t, bool to_stock)
{
	_cleanup_free_ char *params = target_arguments(t, to_stock, NULL);
	_cleanup_free_ char *type = exchange_has_equivalent(t) ?
		xasprintf("%s%s", to_stock ? "" : "noclone-", target_stock_type(t)) : xstrdup(t->type);

	table_add(new, 0, t->start, t->length, type, params, NULL);
}

void exchange_add_stock(struct table *new, const struct target *t, const char *loop)
{
	_cleanup_free_ char *params = NULL;

	if (t->kind != TARGET_FILE) {
		exchange_add(new, t, true);
		return;
	}
	params = xasprintf("%s 0", loop);
	table_add(new, 0, t->start, t->length, "linear", params, NULL);
}

char *exchange_table(const struct table *t, bool to_stock, struct table *new)
{
	char *why = t->nr ? NULL : xstrdup("it has no table");
	bool needed = exchange_is_needed(t, to_stock);
	unsigned int i;

	for (i = 0; i < t->nr && !why; i++) {
		why = exchange_objection(&t->targets[i], to_stock, needed);
		if (!why)
			exchange_add(new, &t->targets[i], to_stock);
	}
	if (!why && !exchange_is_faithful(t, new))
		why = xstrdup("the new table would map sectors to other places: please report this");
	return why;
}

bool exchange_is_faithful(const struct table *old, const struct table *new)
{
	return old->nr == new->nr && table_sectors(old) == table_sectors(new) &&
	       table_same_mapping(old, new);
}
