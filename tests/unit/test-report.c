// SPDX-License-Identifier: GPL-2.0-only
/* Rows and columns: selected, sorted, printed; and the same devices as metrics. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "cli/report.h"
#include "cli/status-formats.h"

#define FASTPATH	"\"targets\": [{}, {\"fastpath\": {\"on\": true, \"counters\": " \
			"{\"fast\": 3, \"flush\": 1, \"inflight\": 7}}}]"

static const char devices[] = "["
	"{\"name\": \"b\", \"uuid\": \"\", \"type\": \"linear\", \"made_by\": \"lvm\","
	" \"sectors\": 24576, \"state\": \"on\", \"wrong\": \"/dev/sdb failed\","
	" \"findings\": [{\"level\": \"error\"}], \"readonly\": true, \"suspended\": true, \"io\": 4, \"fast\": 3,"
	" \"share\": 0.75, \"reason\": \"flush\", \"on\": [\"/dev/sda\", \"/dev/sdb\"],"
	FASTPATH "},"
	"{\"name\": \"a\\\"\\\\\\n\", \"type\": \"error\", \"made_by\": null, \"sectors\": 3072,"
	" \"state\": \"none\", \"wrong\": null, \"findings\": [], \"io\": null, \"fast\": null,"
	" \"share\": null, \"reason\": null, \"on\": [], \"targets\": [{}]},"
	"{\"name\": \"c\", \"type\": \"linear\", \"made_by\": \"lvm\", \"sectors\": 2147483648,"
	" \"state\": \"stock\", \"findings\": [{\"level\": \"warning\"}], \"io\": 10, \"share\": 0.9999,"
	" \"on\": [], \"targets\": []}"
	"]";

/* Return: the words that a function prints, separated by one blank. */
static char *printed(void (*print)(const struct report *r, struct json_object *rows),
		     const struct report *r, struct json_object *rows)
{
	_cleanup_names_ struct names w = { 0 };
	struct strbuf b = { 0 };
	char text[8192] = { 0 };
	FILE *file = tmpfile();
	int saved = dup(STDOUT_FILENO);
	unsigned int i;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	print(r, rows);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	names_split(&w, text);
	for (i = 0; i < w.nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", w.name[i]);
	return strbuf_take(&b);
}

static void prints(const char *columns, const char *sort, bool rates, const char *expected)
{
	_cleanup_report_ struct report r = status_report();
	struct json_object *rows = json_tokener_parse(devices);
	_cleanup_free_ char *text = NULL;

	assert_non_null(rows);
	r.rates = rates;
	r.noheadings = !rates;
	assert_false(report_select(&r, columns));
	assert_false(report_sort_by(&r, sort));
	report_sort(&r, rows);
	text = printed(report_print, &r, rows);
	assert_string_equal(text, expected);
	json_object_put(rows);
}

static void selects(void **state __unused)
{
	prints("type,Type", NULL, false, "linear linear error error linear linear");
	prints("STATE", NULL, false, "on, suspended, read-only, /dev/sdb failed none stock");
	prints("SHARE,IO", NULL, false, "75.0% 4 - - 99.9% 10");
	prints("ON,UUID", NULL, false, "/dev/sda,/dev/sdb - - - - -");
	prints("IO,FAST,REASON", NULL, true, "IO/S FAST/S REASON 4 3 flush - - - 10 - -");
}

static void sorts(void **state __unused)
{
	prints("SIZE", "size", false, "1.5M 12M 1T");
	prints("SIZE", "-SIZE", false, "1T 12M 1.5M");
	/* an unknown value is sorted as the smallest */
	prints("IO", "-share", false, "10 4 -");
	prints("SIZE", "-TYPE", false, "12M 1T 1.5M");
}

static void usual_columns(void **state __unused)
{
	_cleanup_report_ struct report r = status_report(), rates = status_report();

	assert_false(report_select(&r, "+why"));
	assert_int_equal(r.nr_shown, 8);
	assert_string_equal(r.shown[0]->name, "NAME");
	assert_string_equal(r.shown[7]->name, "WHY");
	rates.rates = true;
	assert_false(report_select(&rates, NULL));
	assert_int_equal(rates.nr_shown, 9);
}

static void mistakes(void **state __unused)
{
	static const char * const lists[] = { "", "NAME,", "NAME,SHAER", "+" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		_cleanup_report_ struct report r = status_report();

		assert_int_equal(report_select(&r, lists[i]), -EINVAL);
	}
}

static void print_first(const struct report *r, struct json_object *rows)
{
	report_print_row(r, json_object_array_get_idx(rows, 0));
}

static void one_row(void **state __unused)
{
	_cleanup_report_ struct report r = status_report();
	struct json_object *rows = json_tokener_parse(devices);
	_cleanup_free_ char *text = printed(print_first, &r, rows);

	assert_string_equal(text, "b: TYPE linear SIZE 12M STATE on, suspended, read-only, "
			    "/dev/sdb failed IO 4 FAST 3 SHARE 75.0% REASON flush "
			    "ON /dev/sda,/dev/sdb RO yes MADE-BY lvm");
	json_object_put(rows);
}

static void metrics(void **state __unused)
{
	struct json_object *rows = json_tokener_parse(devices);
	_cleanup_free_ char *text = status_metrics(rows);

	assert_non_null(strstr(text, "\nnoclone_device_info{name=\"a\\\"\\\\\\n\",type=\"error\","
			       "made_by=\"\",state=\"none\"} 1\n"));
	assert_non_null(strstr(text, "\nnoclone_fastpath_on{name=\"b\"} 1\n"));
	assert_non_null(strstr(text, "\nnoclone_device_troubled{name=\"b\"} 1\n"));
	assert_non_null(strstr(text, "\nnoclone_device_troubled{name=\"c\"} 0\n"));
	assert_non_null(strstr(text, "# TYPE noclone_ios_total counter\n"
			       "noclone_ios_total{name=\"b\",way=\"fast\"} 3\n"
			       "noclone_ios_total{name=\"b\",way=\"other\"} 1\n"));
	assert_non_null(strstr(text, "{name=\"b\",counter=\"flush\"} 1\n"));
	/* inflight is a gauge, and not a reason why I/O is not fast */
	assert_non_null(strstr(text, "# TYPE noclone_inflight gauge\n"
			       "noclone_inflight{name=\"b\"} 7\n"));
	assert_null(strstr(text, "counter=\"inflight\""));
	json_object_put(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selects),
		cmocka_unit_test(sorts),
		cmocka_unit_test(usual_columns),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(one_row),
		cmocka_unit_test(metrics),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
