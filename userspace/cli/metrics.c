// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics in the text format of Prometheus: all lines of a metric are together, after
 * its HELP and TYPE.  The state is a label of the info metric only, so that a change
 * of state does not begin new series of the counters.
 */
#include "cli/metrics.h"

#include <json-c/json.h>
#include <string.h>

#include "base/util.h"
#include "model/status.h"

static const char *metrics_string(struct json_object *o, const char *key)
{
	return json_object_get_string(json_object_object_get(o, key)) ?: "";
}

static void metrics_label(struct strbuf *b, const char *label, const char *value)
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

/* A line of a device; @label may be NULL. */
static void metrics_line(struct strbuf *b, const char *metric, struct json_object *device,
			 const char *label, const char *value, int64_t number)
{
	strbuf_add(b, "%s{", metric);
	metrics_label(b, "name", metrics_string(device, "name"));
	if (label) {
		strbuf_putc(b, ',', 1);
		metrics_label(b, label, value);
	}
	strbuf_add(b, "} %lld\n", (long long)number);
}

/* The counters of the fast path, which are the same for all targets, or NULL. */
static struct json_object *metrics_counters(struct json_object *device)
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

static void metrics_info(struct strbuf *b, const char *metric, struct json_object *device)
{
	static const char *const labels[] = { "name", "type", "made_by", "state" };
	unsigned int i;

	strbuf_add(b, "%s{", metric);
	for (i = 0; i < ARRAY_SIZE(labels); i++) {
		strbuf_add(b, "%s", i ? "," : "");
		metrics_label(b, labels[i], metrics_string(device, labels[i]));
	}
	strbuf_add(b, "} 1\n");
}

static void metrics_on(struct strbuf *b, const char *metric, struct json_object *device)
{
	metrics_line(b, metric, device, NULL, NULL,
		     !strcmp(metrics_string(device, "state"), "on"));
}

static void metrics_troubled(struct strbuf *b, const char *metric, struct json_object *device)
{
	metrics_line(b, metric, device, NULL, NULL,
		     !!json_object_array_length(json_object_object_get(device, "findings")));
}

static void metrics_ways(struct strbuf *b, const char *metric, struct json_object *device)
{
	int64_t all = json_object_get_int64(json_object_object_get(device, "io"));
	int64_t fast = json_object_get_int64(json_object_object_get(device, "fast"));

	if (!metrics_counters(device))
		return;
	metrics_line(b, metric, device, "way", "fast", fast);
	metrics_line(b, metric, device, "way", "other", all - fast);
}

static void metrics_inflight(struct strbuf *b, const char *metric, struct json_object *device)
{
	struct json_object *counters = metrics_counters(device);

	if (counters)
		metrics_line(b, metric, device, NULL, NULL, json_object_get_int64(
			     json_object_object_get(counters, "inflight")));
}

static void metrics_each(struct strbuf *b, const char *metric, struct json_object *device)
{
	struct json_object *counters = metrics_counters(device);

	if (!counters)
		return;
	json_object_object_foreach(counters, name, value)
		if (status_counter_grows(name))
			metrics_line(b, metric, device, "counter", name,
				     json_object_get_int64(value));
}

char *metrics_print(struct json_object *devices)
{
	static const struct {
		const char *metric, *type, *help;
		void (*add)(struct strbuf *b, const char *metric, struct json_object *device);
	} metrics[] = {
		{ "noclone_device_info", "gauge",
		  "What the device is; always 1.", metrics_info },
		{ "noclone_fastpath_on", "gauge",
		  "Whether the fast path of the device is on.", metrics_on },
		{ "noclone_device_troubled", "gauge",
		  "Whether a disk or file below the device has failed or is gone; noclone status NAME says which.", metrics_troubled },
		{ "noclone_ios_total", "counter",
		  "I/Os by way: the fast path, or dm core's.", metrics_ways },
		{ "noclone_inflight", "gauge",
		  "I/Os of the fast path that are not completed yet.", metrics_inflight },
		{ "noclone_counter_total", "counter",
		  "Counters of the device; noclone status --verbose NAME explains them.", metrics_each },
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
