// SPDX-License-Identifier: GPL-2.0-only
/* Printing tables, also as their stock equivalents. */
#include "model/table-print.h"

#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"

/* With @stock without the options, which no stock target has. */
static char *print_file_params(const struct target *t, bool stock)
{
	_cleanup_free_ char *path = path_encode(t->path);
	struct strbuf b = { 0 };

	strbuf_add(&b, "%s %llu", path, (unsigned long long)t->file_start);
	if (!stock && (t->engine_given || t->no_fastpath))
		strbuf_add(&b, " %d", 2 * t->engine_given + t->no_fastpath);
	if (!stock && t->engine_given)
		strbuf_add(&b, " " NOCLONE_OPT_ENGINE " %s",
			   engine_name(t->engine));
	if (!stock && t->no_fastpath)
		strbuf_add(&b, " " NOCLONE_OPT_NO_FASTPATH);
	return strbuf_take(&b);
}

char *target_params(const struct target *target, bool stock,
		    device_namer namer, void *ctx)
{
	struct strbuf b = { 0 };
	unsigned int i;

	if (!target->understood)
		return xstrdup(target->params);
	if (target->kind == TARGET_FILE)
		return print_file_params(target, stock);

	if (target->kind == TARGET_STRIPED)
		strbuf_add(&b, "%u %u ", target->nr_legs, target->chunk);
	for (i = 0; i < target->nr_legs; i++) {
		const struct leg *leg = &target->legs[i];
		_cleanup_free_ char *name = namer ? namer(leg->device, ctx) :
						    xstrdup(leg->device);

		strbuf_add(&b, "%s%s %llu", i ? " " : "", name,
			   (unsigned long long)leg->start);
	}
	if (target->no_fastpath && !stock)
		strbuf_add(&b, " 1 " NOCLONE_OPT_NO_FASTPATH);
	return strbuf_take(&b);
}

char *target_print(const struct target *target, bool stock,
		   device_namer namer, void *ctx)
{
	_cleanup_free_ char *params = target_params(target, stock, namer, ctx);

	return xasprintf("%llu %llu %s%s%s", (unsigned long long)target->start,
			 (unsigned long long)target->length,
			 stock ? target_stock_type(target) : target->type,
			 *params ? " " : "", params);
}

char *table_print(const struct table *t, bool stock,
		  device_namer namer, void *ctx)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *line = target_print(&t->targets[i], stock,
							 namer, ctx);

		strbuf_add(&b, "%s%s", i ? "\n" : "", line);
	}
	return strbuf_take(&b);
}

char *table_types(const struct table *t)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!i || strcmp(t->targets[i].type, t->targets[i - 1].type))
			strbuf_add(&b, "%s%s", i ? "," : "", t->targets[i].type);
	return strbuf_take(&b);
}

/* Comma, semicolon and backslash separate things in the concise format. */
static void print_add_escaped(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr(",;\\", *s))
			strbuf_putc(b, '\\', 1);
		strbuf_putc(b, *s == '\n' ? ',' : *s, 1);
	}
}

char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly)
{
	_cleanup_free_ char *lines = table_print(stock, true, NULL, NULL);
	struct strbuf b = { 0 };

	print_add_escaped(&b, name);
	strbuf_add(&b, ",");
	print_add_escaped(&b, uuid);
	strbuf_add(&b, ",,%s,", readonly ? "ro" : "rw");
	print_add_escaped(&b, lines);
	return strbuf_take(&b);
}
