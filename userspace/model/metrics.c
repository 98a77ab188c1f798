// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics in the text format of Prometheus: all lines of a metric are together, after
 * its HELP and TYPE.  The state is a label of the info metric only, so that a change
 * of state does not begin new series of the counters.
 */
#include "model/metrics.h"

#include <string.h>

static void add_head(struct strbuf *b, const char *metric, const char *type,
		     const char *help)
{
	strbuf_add(b, "# HELP %s %s\n# TYPE %s %s\n", metric, help, metric, type);
}

static void add_label(struct strbuf *b, const char *label, const char *value)
{
	strbuf_add(b, "%s=\"", label);
	for (; value && *value; value++) {
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

static void add_count(struct strbuf *b, const char *metric, const char *name,
		      const char *label, const char *value, uint64_t n)
{
	strbuf_add(b, "%s{", metric);
	add_label(b, "name", name);
	strbuf_putc(b, ',', 1);
	add_label(b, label, value);
	strbuf_add(b, "} %llu\n", (unsigned long long)n);
}

static void add_info(struct strbuf *b, const struct overview *v)
{
	strbuf_add(b, "noclone_device_info{");
	add_label(b, "name", v->name);
	strbuf_putc(b, ',', 1);
	add_label(b, "type", v->type);
	strbuf_putc(b, ',', 1);
	add_label(b, "made_by", v->origin);
	strbuf_putc(b, ',', 1);
	add_label(b, "state", v->state);
	strbuf_add(b, "} 1\n");
}

static void add_on(struct strbuf *b, const struct overview *v)
{
	strbuf_add(b, "noclone_fastpath_on{");
	add_label(b, "name", v->name);
	strbuf_add(b, "} %d\n", !strcmp(v->state, "on"));
}

static void add_troubled(struct strbuf *b, const struct overview *v)
{
	strbuf_add(b, "noclone_device_troubled{");
	add_label(b, "name", v->name);
	strbuf_add(b, "} %d\n", !!v->trouble);
}

static void add_ways(struct strbuf *b, const struct overview *v)
{
	if (!v->counted)
		return;
	add_count(b, "noclone_ios_total", v->name, "way", "fast", v->fast);
	add_count(b, "noclone_ios_total", v->name, "way", "other", v->other);
}

static void add_counters(struct strbuf *b, const struct overview *v)
{
	unsigned int i;

	for (i = 0; i < v->status.nr_counters; i++)
		if (status_counter_grows(v->status.counters[i].name))
			add_count(b, "noclone_counter_total", v->name, "counter",
				  v->status.counters[i].name, v->status.counters[i].value);
}

static void add_inflight(struct strbuf *b, const struct overview *v)
{
	if (!v->counted)
		return;
	strbuf_add(b, "noclone_inflight{");
	add_label(b, "name", v->name);
	strbuf_add(b, "} %llu\n",
		   (unsigned long long)status_counter(&v->status, "inflight"));
}

char *metrics_print(const struct overview *v, unsigned int nr)
{
	static const struct {
		const char *metric, *type, *help;
		void (*add)(struct strbuf *b, const struct overview *v);
	} metrics[] = {
		{ "noclone_device_info", "gauge",
		  "What the device is; always 1.", add_info },
		{ "noclone_fastpath_on", "gauge",
		  "Whether the fast path of the device is on.", add_on },
		{ "noclone_device_troubled", "gauge",
		  "Whether a disk or file below the device has failed or is gone; noclone status NAME says which.", add_troubled },
		{ "noclone_ios_total", "counter",
		  "I/Os by way: the fast path, or dm core's.", add_ways },
		{ "noclone_inflight", "gauge",
		  "I/Os of the fast path that are not completed yet.", add_inflight },
		{ "noclone_counter_total", "counter",
		  "Counters of the device; noclone status --verbose NAME explains them.", add_counters },
	};
	struct strbuf b = { 0 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(metrics); i++) {
		add_head(&b, metrics[i].metric, metrics[i].type, metrics[i].help);
		for (j = 0; j < nr; j++)
			metrics[i].add(&b, &v[j]);
	}
	return strbuf_take(&b);
}
