// SPDX-License-Identifier: GPL-2.0-only
/* Exchanging target types: the table of "noclone convert". */
#include "unit.h"

#include "base/util.h"
#include "model/exchange.h"
#include "model/finding.h"
#include "model/table-text.h"
#include "model/table.h"

#define STOCK	"0 8 linear 8:0 16\n8 16 striped 2 8 8:0 24 8:16 0"
#define OURS	"0 8 noclone-linear 8:0 16\n8 16 noclone-striped 2 8 8:0 24 8:16 0"

static void read_table(struct table *t, const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };

	table_parse(t, text, &findings);
}

static void becomes(const char *before, bool to_stock, const char *after)
{
	_cleanup_table_ struct table t = { 0 }, new = { 0 };
	_cleanup_free_ char *text = NULL;

	read_table(&t, before);
	assert_int_equal(exchange_is_needed(&t, to_stock), !!strcmp(before, after));
	assert_null(exchange_table(&t, to_stock, &new));
	text = table_print(&new, false, NULL);
	assert_string_equal(text, after);
	assert_true(exchange_is_faithful(&t, &new));
}

static void there_and_back(void **state __unused)
{
	becomes(STOCK, false, OURS);
	becomes(OURS, true, STOCK);
	becomes(STOCK, true, STOCK);
	becomes(OURS, false, OURS);
	becomes("0 8 noclone-zero\n8 8 noclone-linear 8:0 8", true, "0 8 zero\n8 8 linear 8:0 8");
	becomes("0 8 zero\n8 8 linear 8:0 8", false,
		"0 8 noclone-zero\n8 8 noclone-linear 8:0 8");
}

static void mixed_tables_become_one(void **state __unused)
{
	becomes("0 8 linear 8:0 0\n8 8 noclone-linear 8:0 8", false,
		"0 8 noclone-linear 8:0 0\n8 8 noclone-linear 8:0 8");
	becomes("0 8 linear 8:0 0\n8 8 noclone-linear 8:0 8", true,
		"0 8 linear 8:0 0\n8 8 linear 8:0 8");
}

static void options_are_dropped_or_kept(void **state __unused)
{
	becomes("0 8 noclone-linear 8:0 0 1 no_fastpath", true, "0 8 linear 8:0 0");
	becomes("0 8 noclone-linear 8:0 0 1 no_fastpath\n8 8 linear 8:0 8", false,
		"0 8 noclone-linear 8:0 0 1 no_fastpath\n8 8 noclone-linear 8:0 8");
}

static void refuses(const char *table, bool to_stock, const char *sentence)
{
	_cleanup_table_ struct table t = { 0 }, new = { 0 };
	_cleanup_free_ char *why = NULL;

	read_table(&t, table);
	why = exchange_table(&t, to_stock, &new);
	assert_non_null(why);
	assert_non_null(strstr(why, sentence));
}

static void some_have_no_equivalent(void **state __unused)
{
	refuses("0 8 crypt a b c", false, "no target of dm-noclone does the same as the target \"crypt\"");
	refuses("0 8 linear 8:0 0\n8 8 error", true, "no target of dm does the same as the target \"error\"");
	refuses("0 8 noclone-file /f 0", true, "noclone-file: losetup(8)");
	refuses("0 8 linear 8:0 0\n8 8 noclone-file /f 0", false, "open the backing file again");
	becomes("0 8 noclone-file /f 0", false, "0 8 noclone-file /f 0");
	refuses("0 8 noclone-linear 8:0 0 1 moon", true, "not understood");
	refuses("", false, "no table");
}

static void unfaithful(const char *a, const char *b)
{
	_cleanup_table_ struct table old = { 0 }, new = { 0 };

	read_table(&old, a);
	read_table(&new, b);
	assert_false(exchange_is_faithful(&old, &new));
}

/* The table that the kernel returns is compared in the same way. */
static void differences_are_noticed(void **state __unused)
{
	unfaithful("0 8 linear 8:0 0", "0 8 noclone-linear 8:0 8");
	unfaithful("0 8 linear 8:0 0", "0 16 noclone-linear 8:0 0");
	unfaithful("0 8 linear 8:0 0", "0 8 noclone-linear 8:16 0");
	unfaithful("0 8 linear 8:0 0", "");
	unfaithful(STOCK, "0 24 noclone-linear 8:0 16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(mixed_tables_become_one),
		cmocka_unit_test(options_are_dropped_or_kept),
		cmocka_unit_test(some_have_no_equivalent),
		cmocka_unit_test(differences_are_noticed),
	};

	return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
