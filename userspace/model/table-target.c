// SPDX-License-Identifier: GPL-2.0-only
/* A target of a table: its legs, its type, and its text. */
#include "model/table-target.h"

#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/file-engine.h"
#include "model/name.h"

void target_add_leg(struct target *target, const char *device, uint64_t start)
{
	GROW(target->legs, target->nr_legs);
	target->legs[target->nr_legs++] = (struct leg) {
		.device = xstrdup(device), .start = start,
	};
	if (target->kind == TARGET_FILE)
		target->path = target->legs->device;
}

uint64_t target_leg_length(const struct target *target)
{
	return target->nr_legs ? target->length / target->nr_legs : 0;
}

bool target_is_zero(const struct target *target)
{
	return !strcmp(target_stock_type(target), "zero");
}

bool target_is_noclone(const struct target *target)
{
	return target->kind == TARGET_OTHER ? !strcmp(target->type, NOCLONE_ZERO_NAME) :
					      !target->stock;
}

const char *target_stock_type(const struct target *target)
{
	bool same = !target_is_noclone(target) || target->kind == TARGET_FILE;

	return target->type + (same ? 0 : strlen("noclone-"));
}

char *target_params(const struct target *target, bool stock, device_namer namer)
{
	struct strbuf b = { 0 };
	unsigned int i;

	if (!target->understood)
		return xstrdup(target->params);
	if (target->kind == TARGET_STRIPED)
		strbuf_add(&b, "%u %u ", target->nr_legs, target->chunk);
	for (i = 0; i < target->nr_legs; i++) {
		const struct leg *leg = &target->legs[i];
		_cleanup_free_ char *name = target->path ? name_encode_path(leg->device) :
			namer ? namer(leg->device) : xstrdup(leg->device);

		strbuf_add(&b, "%s%s %llu", i ? " " : "", name,
			   (unsigned long long)leg->start);
	}
	/* stock targets have no options */
	if (!stock && (target->engine_given || target->no_fastpath))
		strbuf_add(&b, " %d", 2 * target->engine_given + target->no_fastpath);
	if (!stock && target->engine_given)
		strbuf_add(&b, " " NOCLONE_OPT_ENGINE " %s", engines[target->engine].name);
	if (!stock && target->no_fastpath)
		strbuf_add(&b, " " NOCLONE_OPT_NO_FASTPATH);
	return strbuf_take(&b);
}

char *target_arguments(const struct target *target, bool stock, device_namer namer)
{
	return target->secret ? xstrdup(target->secret) : target_params(target, stock, namer);
}

char *target_line(const struct target *target, bool stock, device_namer namer, bool all)
{
	_cleanup_free_ char *params = all ? target_arguments(target, stock, namer) :
					    target_params(target, stock, namer);

	return xasprintf("%llu %llu %s%s%s", (unsigned long long)target->start,
			 (unsigned long long)target->length,
			 stock ? target_stock_type(target) : target->type,
			 *params ? " " : "", params);
}

char *target_print(const struct target *target, bool stock, device_namer namer)
{
	return target_line(target, stock, namer, false);
}
