// SPDX-License-Identifier: GPL-2.0-only
/* The devices of noclone status, as a report and for Prometheus. */
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

/* Rounded down: 100% means that there was no other I/O. */
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
		  "Fast path: on, off:REASON, stock (unknown to the module) or none; then what is wrong.",
		  formats_state },
		{ "IO", "io", REPORT_RATE, "Number of I/Os.", NULL },
		{ "FAST", "fast", REPORT_RATE, "Number of I/Os that took the fast path.", NULL },
		{ "SHARE", "share", REPORT_USUAL | REPORT_NUMBER,
		  "Share of the I/O that took the fast path, in percent.", formats_share },
		{ "REASON", "reason", REPORT_USUAL,
		  "The counter that has most of the other I/O.", NULL },
		{ "ON", "on", REPORT_USUAL | REPORT_WRAPS,
		  "Devices below, or the backing file.", NULL },
		{ "MADE-BY", "made_by", 0,
		  "The program that made the device, as its UUID says.", NULL },
		{ "UUID", "uuid", REPORT_WRAPS, "DM UUID.", NULL },
		{ "DEVICE", "device", 0, "Device number, major:minor.", NULL },
		{ "OPEN", "open_count", REPORT_NUMBER,
		  "How many times the device is open.", NULL },
		{ "TABLES", "tables", 0, "Tables that are loaded: live, inactive.", NULL },
		{ "EVENTS", "event_nr", REPORT_NUMBER, "Number of events of the device.", NULL },
		{ "WHY", "why", REPORT_WRAPS,
		  "What the state or the reason means, and what to do.", NULL },
	};

	return (struct report) { .columns = columns, .nr_columns = ARRAY_SIZE(columns) };
}

/*
 * Metrics in the text format of Prometheus: all lines of a metric are together, after
 * its HELP and TYPE.  The state is a label of the info metric only, so that a change
 * of state does not begin new series of the counters.
 */

static const char *formats_string(struct json_object *o, const char *key)
{
	return json_object_get_string(json_object_object_get(o, key)) ?: "";
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

/* A line of a device; without a second label, @value is NULL. */
static void formats_line(struct strbuf *b, const char *metric, struct json_object *device,
			 const char *label, const char *value, int64_t number)
{
	strbuf_add(b, "%s{", metric);
	formats_label(b, "name", formats_string(device, "name"));
	if (value) {
		strbuf_putc(b, ',', 1);
		formats_label(b, label, value);
	}
	strbuf_add(b, "} %lld\n", (long long)number);
}

/* The counters of the fast path, which are the same for all targets, or NULL. */
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

static void formats_info(struct strbuf *b, const char *metric, struct json_object *device)
{
	static const char *const labels[] = { "name", "type", "made_by", "state" };
	unsigned int i;

	strbuf_add(b, "%s{", metric);
	for (i = 0; i < ARRAY_SIZE(labels); i++) {
		strbuf_add(b, "%s", i ? "," : "");
		formats_label(b, labels[i], formats_string(device, labels[i]));
	}
	strbuf_add(b, "} 1\n");
}

static void formats_on(struct strbuf *b, const char *metric, struct json_object *device)
{
	formats_line(b, metric, device, NULL, NULL,
		     !strcmp(formats_string(device, "state"), "on"));
}

static void formats_troubled(struct strbuf *b, const char *metric, struct json_object *device)
{
	formats_line(b, metric, device, NULL, NULL,
		     !!json_object_array_length(json_object_object_get(device, "findings")));
}

static void formats_ways(struct strbuf *b, const char *metric, struct json_object *device)
{
	int64_t all = json_object_get_int64(json_object_object_get(device, "io"));
	int64_t fast = json_object_get_int64(json_object_object_get(device, "fast"));

	if (!formats_counters(device))
		return;
	formats_line(b, metric, device, "way", "fast", fast);
	formats_line(b, metric, device, "way", "other", all - fast);
}

static void formats_inflight(struct strbuf *b, const char *metric, struct json_object *device)
{
	struct json_object *counters = formats_counters(device);

	if (counters)
		formats_line(b, metric, device, NULL, NULL, json_object_get_int64(
			     json_object_object_get(counters, "inflight")));
}

static void formats_each(struct strbuf *b, const char *metric, struct json_object *device)
{
	struct json_object *counters = formats_counters(device);

	if (!counters)
		return;
	json_object_object_foreach(counters, name, value)
		if (status_counter_grows(name))
			formats_line(b, metric, device, "counter", name,
				     json_object_get_int64(value));
}

char *metrics_print(struct json_object *devices)
{
	static const struct {
		const char *metric, *type, *help;
		void (*add)(struct strbuf *b, const char *metric, struct json_object *device);
	} metrics[] = {
		{ "noclone_device_info", "gauge",
		  "What the device is; always 1.", formats_info },
		{ "noclone_fastpath_on", "gauge",
		  "Whether the fast path of the device is on.", formats_on },
		{ "noclone_device_troubled", "gauge",
		  "Whether a disk or file below the device has failed or is gone; noclone status NAME says which.", formats_troubled },
		{ "noclone_ios_total", "counter",
		  "I/Os by way: the fast path, or dm core's.", formats_ways },
		{ "noclone_inflight", "gauge",
		  "I/Os of the fast path that are not completed yet.", formats_inflight },
		{ "noclone_counter_total", "counter",
		  "Counters of the device; noclone status --verbose NAME explains them.", formats_each },
	};
	size_t nr = json_object_array_length(devices), i, j;
	struct strbuf b = { 0 };

	for (i = 0; i < ARRAY_SIZE(metrics); i++) {
		strbuf_add(&b, "# HELP %s %s\n# TYPE %s %s\n", metrics[i].metric,
			   metrics[i].help, metrics[i].metric, metrics[i].type);
		for (j = 0; j < nr; j++)
			metrics[i].add(&b, metrics[i].metric,
				       json_object_array_get_idx(devices, j));
	}
	return strbuf_take(&b);
}
