// SPDX-License-Identifier: GPL-2.0-only
/* A device in a line, and the same as metrics. */
#include "unit.h"

#include "base/util.h"
#include "model/metrics.h"
#include "model/overview.h"
#include "model/problems.h"
#include "model/status.h"
#include "model/table-parse.h"

#define LINEAR	"0 8 linear 8:0 0"
#define OURS	"0 8 noclone-linear 8:0 0"

static struct overview overview_of(const char *name, const char *uuid,
				   const char *table, const char *line)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_status_ struct status s = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct overview v;

	table_parse(&t, table, &problems);
	if (line)
		assert_int_equal(status_parse(&s, line), 0);
	overview_fill(&v, name, uuid, &t, line ? &s : NULL);
	return v;
}

static void row_is(const struct overview *v, double seconds, const char *row)
{
	struct strbuf b = { 0 };
	_cleanup_free_ char *text = NULL;
	unsigned int i;

	for (i = 0; i < OVERVIEW_WHY; i++) {
		_cleanup_free_ char *cell = overview_cell(v, i, seconds);

		strbuf_add(&b, "%s%s", i ? " " : "", cell ? cell : "-");
	}
	text = strbuf_take(&b);
	assert_string_equal(text, row);
}

static void stock_device(void **state __unused)
{
	struct overview v = overview_of("vg-a", "LVM-x", LINEAR, NULL);

	row_is(&v, 0, "vg-a linear lvm stock - - - -");
	overview_free(&v);
}

/* Clones of a stock target do not come to the module: the reasons count. */
static void attached_device(void **state __unused)
{
	struct overview v = overview_of("a", "", LINEAR,
		"fastpath on 10 fast 90 reserve 5 clones 0 flush 1 split 4");

	row_is(&v, 0, "a linear - on 100 95 95.0% split");
	overview_free(&v);
}

static void own_device(void **state __unused)
{
	struct overview v = overview_of("a", "NOCLONE-1", OURS,
		"fastpath off:message 6 fast 999999 clones 1 flush 0");
	_cleanup_free_ char *why = overview_cell(&v, OVERVIEW_WHY, 0);

	row_is(&v, 0, "a noclone-linear noclone off:message 1000000 999999 99.9% -");
	assert_string_equal(why, "switched off by message: noclone enable --now a");
	overview_free(&v);
}

/* Its state is that of the fast path; whoever reads "on" shall see that, too. */
static void troubled(void **state __unused)
{
	struct overview v = overview_of("a", "", OURS, "fastpath on 2 fast 0");
	_cleanup_free_ char *cell = NULL, *text = NULL;
	struct overview d;

	v.trouble = xstrdup("/dev/sdb failed");
	overview_since(&d, &v, NULL);
	cell = overview_cell(&d, OVERVIEW_STATE, 1);
	assert_string_equal(cell, "on, /dev/sdb failed");
	text = metrics_print(&v, 1);
	assert_non_null(strstr(text, "\nnoclone_device_troubled{name=\"a\"} 1\n"));
	assert_non_null(strstr(text, "\nnoclone_fastpath_on{name=\"a\"} 1\n"));
	overview_free(&d);
	overview_free(&v);
}

static void idle_and_without_a_fast_path(void **state __unused)
{
	struct overview idle = overview_of("a", "", OURS, "fastpath on 2 fast 0");
	struct overview none = overview_of("f", "", "0 8 noclone-file /f 0", NULL);

	row_is(&idle, 0, "a noclone-linear - on 0 0 - -");
	row_is(&none, 0, "f noclone-file - none - - - -");
	overview_free(&idle);
	overview_free(&none);
}

static void rates(void **state __unused)
{
	struct overview old = overview_of("a", "", LINEAR,
		"fastpath on 6 fast 100 flush 50 split 1");
	struct overview v = overview_of("a", "", LINEAR,
		"fastpath on 6 fast 400 flush 50 split 101");
	struct overview d, new;

	overview_since(&d, &v, &old);
	row_is(&d, 2, "a linear - on 200 150 75.0% split");
	overview_since(&new, &v, NULL);
	row_is(&new, 2, "a linear - on - - - -");
	overview_free(&d);
	/* another device of that name */
	overview_since(&d, &old, &v);
	row_is(&d, 1, "a linear - on 151 100 66.2% flush");
	overview_free(&d);
	overview_free(&new);
	overview_free(&old);
	overview_free(&v);
}

static void which_devices(void **state __unused)
{
	static const struct {
		const char *table;
		bool is_for;
	} tables[] = {
		{ LINEAR, true }, { OURS, true }, { "0 8 error", false },
		{ "0 8 error\n8 8 linear 8:0 0", true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		_cleanup_problems_ struct problems problems = { 0 };
		_cleanup_table_ struct table t = { 0 };

		table_parse(&t, tables[i].table, &problems);
		assert_int_equal(overview_is_for(&t), tables[i].is_for);
	}
}

static void columns_are(const char *list, bool with_rates, const char *headings)
{
	struct overview_selection s;
	struct strbuf b = { 0 };
	_cleanup_free_ char *text = NULL;
	unsigned int i;

	assert_null(overview_select(&s, list, with_rates));
	for (i = 0; i < s.nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "",
			   overview_heading(s.column[i], with_rates));
	text = strbuf_take(&b);
	assert_string_equal(text, headings);
}

static void columns(void **state __unused)
{
	struct overview_selection s;
	struct strbuf many = { 0 };
	unsigned int i;

	columns_are(NULL, false, "NAME TYPE MADE-BY STATE SHARE REASON");
	columns_are(NULL, true, "NAME TYPE MADE-BY STATE IO/S FAST/S SHARE REASON");
	columns_are("share,Name,share", false, "SHARE NAME SHARE");
	columns_are("+why", false, "NAME TYPE MADE-BY STATE SHARE REASON WHY");
	assert_non_null(overview_select(&s, "", false));
	assert_non_null(overview_select(&s, "NAME,", false));
	assert_non_null(overview_select(&s, "NAM", false));
	for (i = 0; i < OVERVIEW_MAX_COLUMNS; i++)
		strbuf_add(&many, "NAME,");
	strbuf_add(&many, "NAME");
	assert_string_equal(overview_select(&s, many.text, false), "too many columns");
	free(many.text);
}

static void metrics(void **state __unused)
{
	struct overview v = overview_of("a\"\\\n", "LVM-x", LINEAR,
					"fastpath on 6 fast 3 flush 1 inflight 7");
	_cleanup_free_ char *text = metrics_print(&v, 1);

	assert_non_null(strstr(text, "\nnoclone_device_info{name=\"a\\\"\\\\\\n\","
			       "type=\"linear\",made_by=\"lvm\",state=\"on\"} 1\n"));
	assert_non_null(strstr(text, "# TYPE noclone_ios_total counter\n"
			       "noclone_ios_total{name=\"a\\\"\\\\\\n\",way=\"fast\"} 3\n"));
	assert_non_null(strstr(text, ",counter=\"flush\"} 1\n"));
	/* no counter, and no reason why I/O is not fast */
	assert_non_null(strstr(text, "# TYPE noclone_inflight gauge\n"
			       "noclone_inflight{name=\"a\\\"\\\\\\n\"} 7\n"));
	assert_null(strstr(text, "counter=\"inflight\""));
	assert_string_equal(overview_reason(&v), "flush");
	assert_non_null(strstr(text, "\nnoclone_device_troubled{name=\"a\\\"\\\\\\n\"} 0\n"));
	overview_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stock_device),
		cmocka_unit_test(attached_device),
		cmocka_unit_test(own_device),
		cmocka_unit_test(troubled),
		cmocka_unit_test(idle_and_without_a_fast_path),
		cmocka_unit_test(rates),
		cmocka_unit_test(which_devices),
		cmocka_unit_test(columns),
		cmocka_unit_test(metrics),
	};

	return cmocka_run_group_tests_name("overview", tests, NULL, NULL);
}
