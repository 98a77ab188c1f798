// SPDX-License-Identifier: GPL-2.0-only
/* A measurement as JSON. */
#include "bench/report-json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/read.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/status.h"
#include "system/blockdev.h"
#include "system/identity.h"
#include "cli/output.h"
#include "bench/fio.h"
#include "bench/rig.h"
#include "bench/stats.h"
#include "bench/worth.h"

/* Seven digits are more than a measurement has, and stay readable. */
static struct json_object *number(double value)
{
	_cleanup_free_ char *text = xasprintf("%.7g", value);

	return json_object_new_double_s(value, text);
}

static void add_number(struct json_object *o, const char *key, double value)
{
	json_object_object_add(o, key, number(value));
}

static char *disk_attribute(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *path = blockdev_sysfs(f->disk, name);

	return read_line_of(path);
}

/* The name in brackets in "none [mq-deadline] kyber" */
static char *scheduler_of(const struct device_facts *f)
{
	_cleanup_free_ char *all = disk_attribute(f, "queue/scheduler");
	char *open = all ? strchr(all, '[') : NULL;

	if (!open)
		return all ? xstrdup(all) : NULL;
	return xstrndup(open + 1, strcspn(open + 1, "]"));
}

static struct json_object *device_json(const struct device_facts *f)
{
	struct json_object *o = json_object_new_object();
	_cleanup_identity_ struct identity id = { 0 };
	_cleanup_free_ char *rotational = disk_attribute(f, "queue/rotational");
	_cleanup_free_ char *scheduler = scheduler_of(f);

	identity_lookup(f, &id);
	output_add_string(o, "path", f->path);
	output_add_string(o, "model", id.model);
	output_add_number(o, "sectors", f->sectors);
	output_add_number(o, "logical_block_size", f->logical_block);
	output_add_bool(o, "rotational", rotational && *rotational == '1');
	output_add_string(o, "scheduler", scheduler);
	return o;
}

static struct json_object *figure_json(const struct figure *f)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "median", f->median);
	add_number(o, "spread", f->spread);
	return o;
}

static struct json_object *round_json(const struct fio_result *r)
{
	struct json_object *o = json_object_new_object();
	unsigned int i;

	for (i = 0; i < NR_MEASURES; i++)
		add_number(o, measure_names[i], r->value[i]);
	return o;
}

static struct json_object *row_json(const struct bench *b,
				    unsigned int workload, enum bench_row row)
{
	struct json_object *o = json_object_new_object();
	struct json_object *rounds = json_object_new_array();
	unsigned int i;

	output_add_string(o, "row", row == ROW_RAW ? "raw" :
			  row == ROW_STOCK ? "stock" : "noclone");
	output_add_string(o, "target", rig_target(&b->rig, row));
	for (i = 0; i < NR_MEASURES; i++) {
		struct figure f = bench_figure(b, workload, row, i);

		json_object_object_add(o, measure_names[i], figure_json(&f));
	}
	for (i = 0; i < b->rounds; i++)
		json_object_array_add(rounds,
				      round_json(bench_result(b, workload, row, i)));
	json_object_object_add(o, "rounds", rounds);
	return o;
}

static struct json_object *verdict_json(const struct bench *b,
					unsigned int workload,
					enum measure measure)
{
	struct json_object *o = json_object_new_object();
	struct verdict v = bench_verdict(b, workload, measure);
	_cleanup_free_ char *where = workload_where(&b->workload[workload]);
	_cleanup_free_ char *text = verdict_text(&v, "stock", where);

	output_add_string(o, "difference", verdict_name(v.kind));
	add_number(o, "us", v.difference);
	add_number(o, "spread", v.spread);
	add_number(o, "percent", v.percent);
	output_add_string(o, "text", text);
	return o;
}

static struct json_object *workload_json(const struct bench *b, unsigned int i)
{
	struct json_object *o = json_object_new_object();
	struct json_object *rows = json_object_new_array();
	const struct workload *w = &b->workload[i];
	_cleanup_free_ char *name = workload_name(w);
	_cleanup_free_ char *title = workload_title(w, b->block);
	unsigned int row;

	output_add_string(o, "name", name);
	output_add_string(o, "title", title);
	output_add_bool(o, "write", w->write);
	output_add_string(o, "engine", w->engine);
	output_add_number(o, "iodepth", w->iodepth);
	output_add_number(o, "jobs", w->jobs);
	for (row = 0; row < NR_ROWS; row++)
		json_object_array_add(rows, row_json(b, i, row));
	json_object_object_add(o, "rows", rows);
	json_object_object_add(o, "time", verdict_json(b, i, MEASURE_TIME));
	json_object_object_add(o, "processor", verdict_json(b, i, MEASURE_CPU));
	return o;
}

static struct json_object *fast_path_json(const struct bench *b)
{
	struct json_object *o, *counters;
	const struct status *s = &b->status;
	unsigned int i;

	if (!b->has_status)
		return NULL;
	o = json_object_new_object();
	counters = json_object_new_object();
	output_add_bool(o, "used", bench_was_fast(b));
	output_add_bool(o, "on", s->fast);
	output_add_string(o, "reason", s->reason);
	add_number(o, "share", bench_fast_share(s));
	for (i = 0; i < s->nr_counters; i++)
		output_add_number(counters, s->counters[i].name,
				  s->counters[i].value);
	json_object_object_add(o, "counters", counters);
	return o;
}

static struct json_object *worth_json(const struct bench *b)
{
	struct json_object *o = json_object_new_object();
	struct worth w = worth_of(b);
	_cleanup_free_ char *text = worth_text(b, &w);
	_cleanup_free_ char *load = workload_name(&b->workload[w.workload]);

	output_add_string(o, "answer", worth_name(w.kind));
	output_add_string(o, "workload",
			  w.kind == WORTH_UNKNOWN ? NULL : load);
	output_add_string(o, "text", text);
	return o;
}

static char *now(void)
{
	time_t t = time(NULL);
	char text[32];

	strftime(text, sizeof(text), "%FT%TZ", gmtime(&t));
	return xstrdup(text);
}

/* What is the same for all runs. */
static void add_setting(struct json_object *o, const struct bench *b)
{
	struct json_object *devices = json_object_new_array();
	_cleanup_free_ char *date = now();
	struct utsname machine;
	unsigned int i;

	uname(&machine);
	output_add_string(o, "date", date);
	output_add_string(o, "kernel", machine.release);
	output_add_string(o, "module", b->module_version);
	output_add_string(o, "fio", b->fio_version);
	output_add_number(o, "cpus", b->cpus);
	for (i = 0; i < b->rig.nr; i++)
		json_object_array_add(devices, device_json(&b->rig.facts[i]));
	json_object_object_add(o, "devices", devices);
	json_object_object_add(o, "targets",
			       output_table(&b->rig.mapped[ROW_NOCLONE].table));
	output_add_bool(o, "write", b->rig.write);
	output_add_number(o, "block_size", b->block);
	output_add_number(o, "rounds", b->rounds);
	add_number(o, "seconds", b->run_ms / 1e3);
}

struct json_object *report_json(const struct bench *b)
{
	struct json_object *o = output_new("bench");
	struct json_object *workloads = json_object_new_array();
	unsigned int i;

	add_setting(o, b);
	for (i = 0; i < b->nr_workloads; i++)
		json_object_array_add(workloads, workload_json(b, i));
	json_object_object_add(o, "workloads", workloads);
	json_object_object_add(o, "fastpath", fast_path_json(b));
	json_object_object_add(o, "worth", worth_json(b));
	return o;
}
