// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone status: a line for each device, or with names all about a device, with the
 * counters of its fast path and, for noclone-file, of its engine.
 *
 * Each device is read once and becomes a JSON object, which is printed as it is, as a
 * row of a report, or as metrics.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/name.h"
#include "model/status.h"
#include "model/table.h"
#include "system/identity.h"
#include "system/saved-file.h"
#include "system/sysfs.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cmd/cmd.h"

#define CLEAR_SCREEN	"\033[H\033[2J\033[3J"

/* Each of these asks for a line for each device. */
#define OPT_TABULAR	(OPT_OUTPUT | OPT_SORT | OPT_NOHEADINGS | OPT_WATCH)

/**
 * struct status_device - what a row is made of; the row has it as its user data
 * @live: the table and status of the device
 * @findings: what is wrong below it, and with its file
 */
struct status_device {
	struct live live;
	struct findings findings;
};

/**
 * struct status_round - one look at the devices
 * @o: options
 * @argc: the words that name devices
 * @argv: the same
 * @before: the rows of the round before; NULL in the first one
 * @seconds: since then, if numbers are to be rates; else 0
 */
struct status_round {
	const struct options *o;
	int argc;
	char **argv;
	struct json_object *before;
	double seconds;
};

static void status_free_device(struct json_object *row __unused, void *data)
{
	struct status_device *d = data;

	live_free(&d->live);
	findings_free(&d->findings);
	free(d);
}

static const struct status_device *status_device(struct json_object *row)
{
	return json_object_get_userdata(row);
}

static bool status_is(struct json_object *string, const char *text)
{
	return string && !strcmp(json_object_get_string(string), text);
}

/* What is wrong with its file, which has an older name if it was renamed.  */
static bool status_judge_file(struct status_device *d, const struct devmap_device *dev,
			      const struct saved_file *file)
{
	_cleanup_free_ char *save = name_noclone("save", dev->name), *path = saved_path(file->name);
	_cleanup_free_ char *rename = name_command("rename", dev->name);
	_cleanup_free_ char *quoted = shell_quote(file->name);
	bool differs = saved_file_compare(&file->saved.table, &d->live.table) == SAVED_DIFFERS;

	d->findings.check = "saved-differs";
	if (differs)
		finding_add(&d->findings, FINDING_WARNING, path,
			    "it has another table, which the next boot takes\n%s", save);
	d->findings.check = "saved-renamed";
	if (strcmp(file->name, dev->name))
		finding_add(&d->findings, FINDING_WARNING, path,
			    "it has the former name of the device\n%s %s", rename,
			    quoted);
	return differs;
}

static char *status_state(const struct live *live)
{
	return live_fastpath(live) ?:
	       xstrdup(!table_has_noclone(&live->table) &&
		       table_has_stock(&live->table) ? "stock" : "none");
}

/* What the state means and what to do, or what the most frequent reason means. */
static char *status_why(const char *name, const char *state, const char *reason)
{
	const char *meaning = reason ? status_meaning(STATUS_COUNTER, reason) : NULL;

	if (str_starts(state, "off:"))
		return remedy_words(state, name);
	return meaning ? xstrdup(meaning) : NULL;
}

static void status_add_once(struct json_object *array, const char *name)
{
	size_t nr = json_object_array_length(array), i;

	for (i = 0; i < nr; i++)
		if (status_is(json_object_array_get_idx(array, i), name))
			return;
	json_object_array_add(array, output_string(name));
}

/* Each device or file below a table, once. */
static struct json_object *status_below(const struct table *t)
{
	struct json_object *array = json_object_new_array();
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		_cleanup_free_ char *leg = target->path ? path_encode(target->path) :
			identity_path(target->legs[i].device);

		status_add_once(array, leg);
	}
	return array;
}

static void status_add_identity(struct json_object *o, const struct devmap_device *dev,
				const struct table *t)
{
	_cleanup_free_ char *types = table_types(t);
	_cleanup_free_ char *origin = origin_of_uuid(dev->uuid);

	output_add_string(o, "name", dev->name);
	output_add_string(o, "uuid", dev->uuid);
	output_add_devno(o, "device", dev->devno);
	output_add_string(o, "type", types);
	output_add_string(o, "made_by", origin);
	output_add_number(o, "sectors", table_sectors(t));
	json_object_object_add(o, "on", status_below(t));
}

static void status_add_state(struct json_object *o, const struct devmap_device *dev,
			     struct status_device *d)
{
	const struct saved_file *file = saved_file_find(dev->name, dev->uuid);
	const bool differs = file && status_judge_file(d, dev, file);
	_cleanup_free_ char *state = status_state(&d->live);
	_cleanup_free_ char *brief = NULL;

	output_add_string(o, "state", state);
	output_add_bool(o, "suspended", dev->suspended);
	output_add_bool(o, "readonly", dev->readonly);
	output_add_bool(o, "deferred_remove", dev->deferred_remove);
	brief = below_brief(&d->findings);
	output_add_string(o, "wrong", *brief ? brief : NULL);
	output_add_string(o, "saved", file ? file->name : NULL);
	output_add_bool(o, "differs", differs);
	output_add_findings(o, &d->findings, FINDING_OK);
	output_add_number(o, "open_count", MAX(dev->open_count, 0));
}

/* A number of I/Os; with @seconds not 0, per second. */
static struct json_object *status_count(const struct share *share, uint64_t n, double seconds)
{
	if (!share->counted)
		return NULL;
	return json_object_new_uint64(seconds ? n / seconds + 0.5 : n);
}

/* The counters of the round before, or NULL. */
static const struct status *status_before(const struct status_round *round, const char *name)
{
	size_t nr = round->before ? json_object_array_length(round->before) : 0, i;

	for (i = 0; i < nr; i++) {
		struct json_object *row = json_object_array_get_idx(round->before, i);

		if (status_is(json_object_object_get(row, "name"), name))
			return live_status(&status_device(row)->live);
	}
	return NULL;
}

/* After the state.  A new device has no interval yet that rates could be of. */
static void status_add_share(struct json_object *o, const struct status_round *round,
			     const char *name, const struct live *live)
{
	const struct status *before = status_before(round, name);
	const struct status *now = round->seconds && !before ? NULL : live_status(live);
	const struct share share = share_of(&live->table, now, before);
	const char *state = json_object_get_string(json_object_object_get(o, "state"));
	_cleanup_free_ char *why = status_why(name, state, share.reason);
	uint64_t all = share.fast + share.other;

	json_object_object_add(o, "io", status_count(&share, all, round->seconds));
	json_object_object_add(o, "fast", status_count(&share, share.fast, round->seconds));
	json_object_object_add(o, "share", all ?
			       json_object_new_double((double)share.fast / all) : NULL);
	output_add_string(o, "reason", share.reason);
	output_add_string(o, "why", why);
}

static struct json_object *status_values(const struct status_values *list)
{
	struct json_object *o = json_object_new_object();
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct status_value *v = &list->value[i];

		if (v->is_number)
			output_add_number(o, v->name, v->number);
		else
			output_add_string(o, v->name, v->text);
	}
	return o;
}

static struct json_object *status_fastpath(const struct status *s)
{
	struct json_object *o;

	if (!s->has_fastpath)
		return NULL;
	o = json_object_new_object();
	output_add_bool(o, "on", s->fast);
	output_add_string(o, "reason", s->reason);
	json_object_object_add(o, "counters", status_values(&s->counters));
	return o;
}

static struct json_object *status_target(const struct target *raw,
					 const struct status *s)
{
	struct json_object *o = json_object_new_object();

	output_add_number(o, "start", raw->start);
	output_add_number(o, "sectors", raw->length);
	output_add_string(o, "type", raw->type);
	output_add_string(o, "params", raw->params);
	if (!s->has_fastpath && !s->engine)
		return o;
	output_add_string(o, "health", s->health);
	json_object_object_add(o, "fastpath", status_fastpath(s));
	if (!s->engine)
		return o;
	output_add_string(o, "engine", s->engine);
	json_object_object_add(o, "facts", status_values(&s->facts));
	json_object_object_add(o, "counters", status_values(&s->file_counters));
	return o;
}

/* NULL if the device was removed since the list was made, or is not to be shown. */
static struct json_object *status_row(const struct status_round *round, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	struct status_device *d = xzalloc(sizeof(*d));
	struct json_object *o = json_object_new_object(), *targets;
	unsigned int i;

	json_object_set_userdata(o, d, status_free_device);
	live_look(name, &dev, &d->live);
	if (!dev.name || (!round->argc && !opt(round->o, OPT_ALL) &&
	    !str_starts(dev.uuid, NOCLONE_UUID_PREFIX) && !table_can_be_fast(&d->live.table))) {
		json_object_put(o);
		return NULL;
	}
	live_below(&d->live, &d->findings);
	status_add_identity(o, &dev, &d->live.table);
	status_add_state(o, &dev, d);
	status_add_share(o, round, dev.name, &d->live);
	targets = json_object_new_array();
	for (i = 0; i < d->live.raw.nr; i++)
		json_object_array_add(targets, status_target(&d->live.raw.targets[i],
							     &d->live.status[i]));
	json_object_object_add(o, "targets", targets);
	return o;
}

/* After the first three, counters that are 0 are noise. */
static void status_print_counters(const struct status_values *list, enum status_list meanings)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct status_value *c = &list->value[i];
		const char *meaning = status_meaning(meanings, c->name);

		if (c->number || i < 3 || log_is_verbose)
			printf("  %12llu %-10s %s\n", (unsigned long long)c->number, c->name,
			       meaning ?: "");
	}
}

/* The counters of an engine are the target's own. */
static void status_print_target(const struct target *raw, const struct status *s)
{
	_cleanup_free_ char *words = status_stand_in_words(s), *params = visible(raw->params);

	if (!s->engine && s->has_fastpath)
		return;
	printf("  %s at sector %llu: ", raw->type, (unsigned long long)raw->start);
	if (s->engine)
		printf("%s%s\n", words ?: "engine ", words ? "" : s->engine);
	else
		puts(params);
	status_print_counters(&s->file_counters, STATUS_FILE_COUNTER);
}

/* The fast path and its counters belong to the device: print them once. */
static void status_print_device(const struct status_device *d)
{
	const struct status *fastpath = live_status(&d->live);
	unsigned int i;

	findings_print(&d->findings, NULL, FINDING_OK);
	for (i = 0; i < d->live.raw.nr; i++)
		status_print_target(&d->live.raw.targets[i], &d->live.status[i]);
	if (fastpath)
		status_print_counters(&fastpath->counters, STATUS_COUNTER);
}

static void status_print_each(const struct report *r, struct json_object *rows)
{
	size_t nr = json_object_array_length(rows), i;

	for (i = 0; i < nr; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (i)
			putchar('\n');
		report_print_row(r, row);
		status_print_device(status_device(row));
	}
}

static double status_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Those that are there.  A word may mean another device than in the round before. */
static int status_names(const struct status_round *round, struct names *names)
{
	int i;

	if (!round->argc || !round->before)
		return select_names(names, round->argc, round->argv, true);
	for (i = 0; i < round->argc; i++) {
		_cleanup_free_ char *name = select_name(round->argv[i]);

		names_add(names, name);
	}
	return 0;
}

/* Return: the rows.  @r: 0, or a negative errno after a message in the first round */
static struct json_object *status_collect(struct status_round *round, int *r)
{
	struct json_object *rows = json_object_new_array(), *row;
	_cleanup_names_ struct names names = { 0 };
	unsigned int i;

	sysfs_forget();
	saved_file_forget(NULL);
	*r = status_names(round, &names);
	for (i = 0; i < names.nr; i++) {
		row = status_row(round, names.name[i]);
		if (row)
			json_object_array_add(rows, row);
	}
	return rows;
}

/* What does not exist has been reported. */
static void status_print(const struct status_round *round, const struct report *report,
			 struct json_object *rows, bool failed)
{
	struct json_object *out = output_new("status");
	_cleanup_free_ char *metrics = NULL;

	report_sort(report, rows);
	json_object_object_add(out, "devices", json_object_get(rows));
	if (output_print(round->o, out)) {
		return;
	} else if (opt(round->o, OPT_PROMETHEUS)) {
		metrics = metrics_print(rows);
		fputs(metrics, stdout);
	} else if (round->argc && !opt(round->o, OPT_TABULAR)) {
		status_print_each(report, rows);
	} else if (json_object_array_length(rows) || round->argc || failed) {
		report_print(report, rows);
	} else {
		log_note("%s", opt(round->o, OPT_ALL) ? "there are no mapped devices" :
			 "no device has a linear or striped target, or one of this module; \"noclone status --all\" shows the others, \"noclone help create\" how to make one");
	}
}

/* Until a signal ends it, or the output cannot be written. */
static int status_watch(struct status_round *round, const struct report *report)
{
	const struct timespec nap = {
		.tv_sec = round->o->watch_ms / 1000,
		.tv_nsec = round->o->watch_ms % 1000 * 1000000L,
	};
	const bool tty = isatty(STDOUT_FILENO);
	bool had = true;
	double last = 0;

	for (;; nanosleep(&nap, NULL)) {
		struct json_object *rows;
		double at = status_now();
		bool any;
		int r;

		round->seconds = at - last;
		rows = status_collect(round, &r);
		json_object_put(round->before);
		round->before = rows;
		any = json_object_array_length(rows);
		if (r && !any)
			break;
		/* that there are no devices is not repeated in a file */
		if (any || tty || had) {
			fputs(tty ? CLEAR_SCREEN : last && !report->noheadings ? "\n" : "", stdout);
			status_print(round, report, rows, false);
		}
		if (fflush(stdout))
			break;
		last = at;
		had = any;
	}
	json_object_put(round->before);
	return EXIT_FAILED;
}

/* Return: an exit code, after a message if the command line is wrong. */
static int status_usage(const struct options *o, struct report *r)
{
	if ((opt(o, OPT_JSON | OPT_PROMETHEUS) &&
	     opt(o, OPT_OUTPUT | OPT_NOHEADINGS | OPT_WATCH)) ||
	    (opt(o, OPT_JSON) && opt(o, OPT_PROMETHEUS))) {
		log_err("--json and --prometheus print all columns once: give one of them, without --watch, --output and --noheadings");
		return EXIT_USAGE;
	}
	r->rates = opt(o, OPT_WATCH);
	r->noheadings = opt(o, OPT_NOHEADINGS);
	return report_select(r, o->output) || report_sort_by(r, o->sort) ? EXIT_USAGE : EXIT_OK;
}

int cmd_status(const struct options *o, int argc, char **argv)
{
	struct status_round round = { .o = o, .argc = argc, .argv = argv };
	_cleanup_report_ struct report report = status_report();
	struct json_object *rows;
	int r;

	if (o->output && !strcmp(o->output, "help")) {
		report_help(&report);
		return EXIT_OK;
	}
	r = status_usage(o, &report);
	if (r)
		return r;
	if (opt(o, OPT_WATCH))
		return status_watch(&round, &report);
	rows = status_collect(&round, &r);
	status_print(&round, &report, rows, r);
	json_object_put(rows);
	return r ? EXIT_FAILED : EXIT_OK;
}
