// SPDX-License-Identifier: GPL-2.0-only
/* noclone advise: which table suits some devices; nothing is made, nothing written. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/advise.h"
#include "model/lint.h"
#include "model/table-print.h"
#include "system/blockdev.h"
#include "system/guard.h"
#include "system/identity.h"
#include "system/measure.h"
#include "system/queue-limits.h"
#include "system/system-facts.h"
#include "cli/build.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/problem-log.h"
#include "cmd/cmd.h"

static int parse_words(struct members *m, int argc, char **argv)
{
	_cleanup_free_ char *wrong = build_legs_usage(argc, argv);
	int i;

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	for (i = 0; i < argc; i++) {
		GROW(m->member, m->nr);
		m->member[m->nr] = (struct member) { .limits.node = -1 };
		build_parse_leg(&m->member[m->nr++].spec, argv[i]);
	}
	return EXIT_OK;
}

static bool look_up(struct members *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		struct member *x = &m->member[i];
		int r = blockdev_lookup(x->spec.device, &x->facts);

		if (r) {
			log_err("%s: %s", x->spec.device,
				r == -ENOTBLK ? "not a block device" : strerror(-r));
			return false;
		}
		queue_limits_lookup(&x->facts, &x->limits);
		x->model = identity_model(&x->facts);
	}
	return true;
}

static bool measure(const struct options *o, struct members *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		struct member *x = &m->member[i];
		uint64_t room = x->facts.sectors - MIN(x->spec.start, x->facts.sectors);
		uint64_t length = x->spec.length ? MIN(x->spec.length, room) : room;

		if (measure_reads(x->facts.path, x->spec.start, length, o->run_ms, &x->measured))
			return false;
	}
	return true;
}

static void check_readable(const struct members *m, struct advice *a)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		if (access(m->member[i].facts.path, R_OK))
			problem_add(&a->problems, PROBLEM_NOTE, 0,
				    "%s: cannot be read without root, so there may be data on it",
				    m->member[i].spec.device);
}

/* As for create: nothing may use these sectors. */
static void check(const struct members *m, struct advice *a)
{
	const struct self_device self = { 0 };
	unsigned int i;

	/* it comes from no file */
	for (i = 0; i < a->table.nr; i++)
		a->table.targets[i].line = 0;
	lint_table(&a->table, &system_facts, &self, &a->problems);
	guard_table(&a->table, &(struct guard) { .saved = true }, &a->problems);
	check_readable(m, a);
}

static void print_device(const struct member *m)
{
	_cleanup_free_ char *size = size_format_short(m->facts.sectors);

	printf("  %s: %s, physical blocks of %u bytes, up to %uK at once", m->spec.device,
	       size, m->limits.physical_block, m->limits.max_io >> 10);
	if (m->model)
		printf(", %s", m->model);
	printf(", %s", m->limits.rotational ? "rotational" : "not rotational");
	if (m->limits.node >= 0)
		printf(", NUMA node %d", m->limits.node);
	if (m->measured.latency_ns)
		printf(", a read of 4K takes %.4g us, in sequence %llu MB/s",
		       m->measured.latency_ns / 1000.0,
		       (unsigned long long)m->measured.bytes_s / 1000000);
	puts("");
}

static void print_words(const struct members *m, const struct advice *a)
{
	_cleanup_free_ char *table = table_print(&a->table, false, identity_loadable, NULL);
	_cleanup_free_ char *command = advise_command(m, a);
	_cleanup_free_ char *fastpath = advise_fastpath_words(a);
	_cleanup_free_ char *chunk = size_format(a->chunk);
	unsigned int i;

	puts("devices:");
	for (i = 0; i < m->nr; i++)
		print_device(&m->member[i]);
	printf("layout: %s, because %s\n", a->kind == TARGET_STRIPED ? "striped" : "linear",
	       a->why);
	if (a->chunk)
		printf("chunk: %s, %s\n", chunk, a->why_chunk);
	for (i = 0; i < a->problems.nr; i++)
		printf("%s: %s\n", severity_name(a->problems.problem[i].severity),
		       a->problems.problem[i].text);
	printf("fast path: %s\n", fastpath);
	printf("table:\n%s\ncommand:\n%s\n", table, command);
}

static struct json_object *device_json(const struct member *m)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "device", m->spec.device);
	output_add_string(o, "path", m->facts.path);
	output_add_string(o, "model", m->model);
	output_add_number(o, "start", m->spec.start);
	output_add_number(o, "sectors", m->facts.sectors);
	output_add_bool(o, "rotational", m->limits.rotational);
	output_add_number(o, "physical_block_size", m->limits.physical_block);
	output_add_number(o, "minimum_io_size", m->limits.minimum_io);
	output_add_number(o, "optimal_io_size", m->limits.optimal_io);
	output_add_number(o, "max_io_size", m->limits.max_io);
	output_add_number(o, "discard_granularity", m->limits.discard_granularity);
	json_object_object_add(o, "numa_node", m->limits.node < 0 ? NULL :
			       json_object_new_int(m->limits.node));
	json_object_object_add(o, "latency_us", m->measured.latency_ns ?
			       json_object_new_double(m->measured.latency_ns / 1000.0) : NULL);
	json_object_object_add(o, "bytes_per_second", m->measured.bytes_s ?
			       json_object_new_uint64(m->measured.bytes_s) : NULL);
	return o;
}

static struct json_object *fastpath_json(const struct advice *a)
{
	_cleanup_free_ char *words = advise_fastpath_words(a);
	struct json_object *o = json_object_new_object();

	output_add_number(o, "saved_ns", ADVISE_SAVED_NS);
	output_add_number(o, "io_ns", a->latency_ns);
	output_add_bool(o, "measured", a->latency_is_measured);
	json_object_object_add(o, "share", json_object_new_double(advise_share(a)));
	output_add_string(o, "text", words);
	return o;
}

static void print_json(const struct members *m, const struct advice *a)
{
	_cleanup_free_ char *table = table_print(&a->table, false, identity_loadable, NULL);
	_cleanup_free_ char *command = advise_command(m, a);
	struct json_object *out = output_new("advise");
	struct json_object *devices = json_object_new_array();
	bool good = !problems_count(&a->problems, PROBLEM_ERROR);
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		json_object_array_add(devices, device_json(&m->member[i]));
	json_object_object_add(out, "devices", devices);
	output_add_bool(out, "ok", good);
	output_add_string(out, "layout", a->kind == TARGET_STRIPED ? "striped" : "linear");
	output_add_string(out, "why", a->why);
	json_object_object_add(out, "chunk", a->chunk ? json_object_new_int(a->chunk) : NULL);
	output_add_string(out, "why_chunk", a->why_chunk);
	json_object_object_add(out, "problems", output_problems(&a->problems));
	json_object_object_add(out, "fastpath", fastpath_json(a));
	json_object_object_add(out, "table", output_lines(table));
	output_add_string(out, "create", good ? command : NULL);
	output_print(out);
	json_object_put(out);
}

int cmd_advise(const struct options *o, int argc, char **argv)
{
	_cleanup_members_ struct members m = { 0 };
	_cleanup_advice_ struct advice a = { 0 };
	int r = parse_words(&m, argc, argv);

	if (r)
		return r;
	if (opt(o, OPT_SECONDS) && !opt(o, OPT_MEASURE)) {
		log_err("--seconds is for --measure");
		return EXIT_USAGE;
	}
	if (!look_up(&m) || (opt(o, OPT_MEASURE) && !measure(o, &m)))
		return EXIT_FAILED;
	advise(&m, &system_facts, &a);
	check(&m, &a);
	if (opt(o, OPT_JSON))
		print_json(&m, &a);
	else if (!problems_count(&a.problems, PROBLEM_ERROR))
		print_words(&m, &a);
	else
		problems_log_errors(&a.problems, "refused");
	return problems_count(&a.problems, PROBLEM_ERROR) ? EXIT_FAILED : EXIT_OK;
}
