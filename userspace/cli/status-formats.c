// SPDX-License-Identifier: GPL-2.0-only
/* Print the devices of noclone status as a report, and for Prometheus. */
#include "cli/status-formats.h"

#include <json-c/json.h>
#include <string.h>

#include "base/util.h"
#include "model/status.h"

static bool formats_is(struct json_object *row, const char *key)
{
	return json_object_get_boolean(json_object_object_get(row, key));
}

static char *formats_state(struct json_object *row)
{
	const char *wrong = json_object_get_string(json_object_object_get(row, "wrong"));

	return xasprintf("%s%s%s%s%s%s",
			 json_object_get_string(json_object_object_get(row, "state")),
			 formats_is(row, "suspended") ? ", suspended" : "",
			 formats_is(row, "readonly") ? ", read-only" : "",
			 formats_is(row, "deferred_remove") ? ", removed when closed" : "",
			 wrong ? ", " : "", wrong ?: "");
}

/* The share is rounded down, so 100% means that all I/O took the fast path. */
static char *formats_share(struct json_object *row)
{
	struct json_object *share = json_object_object_get(row, "share");
	unsigned int permille = json_object_get_double(share) * 1000;

	return share ? xasprintf("%u.%u%%", permille / 10, permille % 10) : NULL;
}

struct report status_report(void)
{
	static const struct report_column columns[] = {
		{ "NAME", "name", REPORT_USUAL, "Name of the device.", NULL },
		{ "TYPE", "type", REPORT_USUAL, "Types of its targets.", NULL },
		{ "SIZE", "sectors", REPORT_USUAL | REPORT_SIZE, "Size of the device.", NULL },
		{ "STATE", "state", REPORT_USUAL,
		  "Fast path: on, off:REASON, stock (the module does not know the device) or none; then failures of disks and files.",
		  formats_state },
		{ "IO", "io", REPORT_RATE, "Number of I/Os.", NULL },
		{ "FAST", "fast", REPORT_RATE, "Number of I/Os that took the fast path.", NULL },
		{ "SHARE", "share", REPORT_USUAL | REPORT_NUMBER,
		  "Share of the I/O that took the fast path, in percent.", formats_share },
		{ "REASON", "reason", REPORT_USUAL,
		  "The most frequent reason why I/O did not take the fast path, as the name of a counter.", NULL },
		{ "ON", "on", REPORT_USUAL | REPORT_WRAPS,
		  "Devices below, or the backing file.", NULL },
		{ "FILE", "file", REPORT_WRAPS, "The backing file of the first target that has a backing file.", NULL },
		{ "OFFSET", "offset", REPORT_NUMBER,
		  "Where the device begins in the backing file, in bytes.", NULL },
		{ "ENGINE", "engine", 0, "How the I/O on the backing file is done.", NULL },
		{ "RO", "readonly", 0, "Whether the device is read-only: yes or no.", NULL },
		{ "MADE-BY", "made_by", 0,
		  "The program that made the device, as its UUID says.", NULL },
		{ "UUID", "uuid", REPORT_WRAPS, "DM UUID.", NULL },
		{ "DEVICE", "device", 0, "Device number, major:minor.", NULL },
		{ "OPEN", "open_count", REPORT_NUMBER,
		  "How many times the device is open.", NULL },
		{ "WHY", "why", REPORT_WRAPS,
		  "What the state or the reason means, and what to do.", NULL },
	};

	return (struct report) { .columns = columns, .nr_columns = ARRAY_SIZE(columns) };
}

/*
 * The functions below print metrics in the text format of Prometheus. All samples of a metric
 * follow each other, behind the HELP line and the TYPE line of the metric. Only the metric
 * noclone_device_info has the state as a label: if a counter had this label, each change of the
 * state would begin a new series of the counter.
 */

static const char *formats_string(struct json_object *o, const char *key)
{
	return json_object_get_string(json_object_object_get(o, key)) ?: "";
}

static int64_t formats_number(struct json_object *o, const char *key)
{
	return json_object_get_int64(json_object_object_get(o, key));
}

static void formats_label(struct strbuf *b, const char *label, const char *value)
{
	strbuf_add(b, "%s=\"", label);
	for (; *value; value++) {
		if (*value == '\n') {
			strbuf_add(b, "\\n");
			continue;
		}
		if (strchr("\"\\", *value))
			strbuf_putc(b, '\\', 1);
		strbuf_putc(b, *value, 1);
	}
	strbuf_putc(b, '"', 1);
}

/*
 * Return: the counters of the fast path, or NULL. The counters belong to the whole device, and are
 * those of its first target that has a fast path.
 */
static struct json_object *formats_counters(struct json_object *device)
{
	struct json_object *targets = json_object_object_get(device, "targets");
	size_t nr = json_object_array_length(targets), i;

	for (i = 0; i < nr; i++) {
		struct json_object *target = json_object_array_get_idx(targets, i);
		struct json_object *fastpath = json_object_object_get(target, "fastpath");

		if (fastpath)
			return json_object_object_get(fastpath, "counters");
	}
	return NULL;
}

/*
 * Does a disk or file below the device have a fault? The findings of a device are those of
 * below_find().
 */
static bool formats_troubled(struct json_object *device)
{
	struct json_object *findings = json_object_object_get(device, "findings");
	size_t nr = json_object_array_length(findings), i;

	for (i = 0; i < nr; i++)
		if (!strcmp(formats_string(json_object_array_get_idx(findings, i), "level"), "error"))
			return true;
	return false;
}

enum { METRIC_INFO, METRIC_ON, METRIC_TROUBLED, METRIC_IOS, METRIC_INFLIGHT, METRIC_COUNTER };

static const struct {
	const char *name, *type, *help;
} metrics[] = {
	[METRIC_INFO] = { "noclone_device_info", "gauge", "The labels tell what the device is; the value is always 1." },
	[METRIC_ON] = { "noclone_fastpath_on", "gauge",
		"Whether the fast path of the device is on." },
	[METRIC_TROUBLED] = { "noclone_device_troubled", "gauge",
		"Whether a disk or file below the device has failed or is gone; noclone status NAME says which." },
	[METRIC_IOS] = { "noclone_ios_total", "counter",
		"I/Os by path: the fast path, or dm core's path." },
	[METRIC_INFLIGHT] = { "noclone_inflight", "gauge",
		"I/Os of the fast path that are not completed yet." },
	[METRIC_COUNTER] = { "noclone_counter_total", "counter",
		"Counters of the device; noclone status --verbose NAME explains them." },
};

/*
 * Add a sample of a metric. The arguments behind @number are pairs of a label and its value, which
 * follow the label "name"; NULL ends the pairs.
 */
static void formats_add(struct strbuf *all, unsigned int metric, struct json_object *device,
			int64_t number, const char *label, ...)
{
	struct strbuf *b = &all[metric];
	va_list ap;

	strbuf_add(b, "%s{", metrics[metric].name);
	formats_label(b, "name", formats_string(device, "name"));
	va_start(ap, label);
	for (; label; label = va_arg(ap, const char *)) {
		strbuf_putc(b, ',', 1);
		formats_label(b, label, va_arg(ap, const char *));
	}
	va_end(ap);
	strbuf_add(b, "} %lld\n", (long long)number);
}

static void formats_add_counters(struct strbuf *all, struct json_object *device)
{
	struct json_object *counters = formats_counters(device);
	int64_t io = formats_number(device, "io"), fast = formats_number(device, "fast");

	if (!counters)
		return;
	formats_add(all, METRIC_IOS, device, fast, "way", "fast", NULL);
	formats_add(all, METRIC_IOS, device, io - fast, "way", "other", NULL);
	formats_add(all, METRIC_INFLIGHT, device, formats_number(counters, "inflight"), NULL);
	json_object_object_foreach(counters, name, value)
		if (status_counter_grows(name))
			formats_add(all, METRIC_COUNTER, device, json_object_get_int64(value),
				    "counter", name, NULL);
}

char *status_metrics(struct json_object *devices)
{
	size_t nr = json_object_array_length(devices), i;
	struct strbuf all[ARRAY_SIZE(metrics)] = { 0 }, b = { 0 };

	for (i = 0; i < nr; i++) {
		struct json_object *device = json_object_array_get_idx(devices, i);
		const char *state = formats_string(device, "state");

		formats_add(all, METRIC_INFO, device, 1, "type", formats_string(device, "type"),
			    "made_by", formats_string(device, "made_by"), "state", state, NULL);
		formats_add(all, METRIC_ON, device, !strcmp(state, "on"), NULL);
		formats_add(all, METRIC_TROUBLED, device, formats_troubled(device), NULL);
		formats_add_counters(all, device);
	}
	for (i = 0; i < ARRAY_SIZE(metrics); i++) {
		_cleanup_free_ char *samples = strbuf_take(&all[i]);

		strbuf_add(&b, "# HELP %s %s\n# TYPE %s %s\n%s", metrics[i].name,
			   metrics[i].help, metrics[i].name, metrics[i].type, samples);
	}
	return strbuf_take(&b);
}
