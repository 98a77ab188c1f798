// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz tables: a table is read, printed and read again, and its target types are exchanged and
 * exchanged back.
 */
#include "fuzz.h"

#include "devices.h"
#include "model/exchange.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/move.h"
#include "model/picture.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

/*
 * Compare two tables member by member, because the functions of model/ compare only printed tables.
 */
static void table_is_same(const struct table *old, const struct table *new)
{
	unsigned int i, j;

	assert(old->nr == new->nr && !move_describe(old, new));
	for (i = 0; i < old->nr; i++) {
		const struct target *a = &old->targets[i], *b = &new->targets[i];

		assert(a->start == b->start && a->length == b->length && a->kind == b->kind);
		assert(a->chunk == b->chunk && a->nr_legs == b->nr_legs);
		assert(!a->path == !b->path && (!a->path || !strcmp(a->path, b->path)));
		assert(a->engine == b->engine);
		for (j = 0; j < a->nr_legs; j++)
			assert(!strcmp(a->legs[j].device, b->legs[j].device) &&
			       a->legs[j].start == b->legs[j].start);
	}
}

static void table_reads_what_it_prints(const struct table *t)
{
	_cleanup_free_ char *text = table_print_all(t), *again = NULL;
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table read = { 0 };

	table_parse(&read, text, &findings);
	assert(!findings_count(&findings, FINDING_ERROR));
	again = table_print_all(&read);
	assert(!strcmp(text, again));
	table_is_same(t, &read);
}

/* A table with noclone-file cannot be converted, because dm has no equivalent target. */
static void table_comes_back(const struct table *t, bool to_stock)
{
	_cleanup_table_ struct table there = { 0 }, back = { 0 };
	_cleanup_free_ char *why = exchange_table(t, to_stock, &there), *why_back = NULL;

	assert(!why || !strstr(why, "please report"));
	if (why || table_has_file(t))
		return;
	table_is_same(t, &there);
	assert(!exchange_is_needed(&there, to_stock));
	why_back = exchange_table(&there, !to_stock, &back);
	assert(!why_back);
	table_is_same(t, &back);
}

#define DEVICE_SECTORS	MIB_SECTORS(64)

static bool table_is_inside(uint64_t start, uint64_t length)
{
	return start <= DEVICE_SECTORS && length <= DEVICE_SECTORS - start;
}

/* A table that passes the checks has no gap, and stays within its devices. */
static void table_stays_inside(const struct table *t)
{
	static const struct test_device list[] = {
		{ "/dev/ram0", DEVICE_SECTORS, 512 }, { "/dev/ram1", DEVICE_SECTORS, 4096 },
		{ "/mnt/noclone.img", DEVICE_SECTORS, 512 }, { 0 },
	};
	const struct facts_source src = TEST_SOURCE;
	_cleanup_findings_ struct findings findings = { 0 };
	unsigned int i, j;
	uint64_t at = 0;

	test_devices = list;
	lint_table(t, &src, 0, &findings);
	lint_names(t, &src, &findings);
	for (i = 0; i < t->nr && !findings_count(&findings, FINDING_ERROR); i++) {
		const struct target *target = &t->targets[i];
		uint64_t length = target_leg_length(target);

		assert(target->start == at);
		at += target->length;
		for (j = 0; j < target->nr_legs; j++)
			assert(table_is_inside(target->legs[j].start, length));
	}
}

static void table_show(const struct table *t)
{
	_cleanup_findings_ struct findings findings = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		free(picture_words(&t->targets[i]));
		free(picture_draw(&t->targets[i]));
	}
	lint_table(t, NULL, 0, &findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *text = fuzz_text(data, size);
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, text, &findings);
	table_show(&t);
	if (findings_count(&findings, FINDING_ERROR))
		return 0;
	table_stays_inside(&t);
	table_reads_what_it_prints(&t);
	table_comes_back(&t, true);
	table_comes_back(&t, false);
	return 0;
}
