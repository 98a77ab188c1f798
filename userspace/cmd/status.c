// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone status: print a line for each device. For devices that the user names, print all details,
 * with the counters of the fast path and, for noclone-file, the counters of the engine.
 *
 * The command reads each device once, and makes a JSON object of the data. It prints this object as
 * JSON, as a row of a report, or as metrics.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/below.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/origin.h"
#include "model/reason.h"
#include "model/status.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "system/sysfs.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cli/status-formats.h"
#include "cmd/cmd.h"

#define CLEAR_SCREEN	"\033[H\033[2J\033[3J"

/*
 * Each of these options requests a report with one line for each device, even for devices that are
 * named.
 */
#define OPT_TABULAR	(OPT_OUTPUT | OPT_SORT | OPT_NOHEADINGS | OPT_WATCH)
/* Each of these options may request more than the usual columns. */
#define OPT_MORE	(OPT_OUTPUT | OPT_SORT | OPT_WATCH | OPT_JSON | OPT_PROMETHEUS)

/**
 * struct status_device - the data from which the row of a device is made; it is the user data of
 *	the JSON object of the row
 * @live: the table and status of the device
 * @findings: the faults below the device, and the problems of its saved file
 */
struct status_device {
	struct live live;
	struct findings findings;
};

/**
 * struct status_round - one look at the devices
 * @o: options
 * @argc: the number of words that name devices
 * @argv: these words
 * @before: the rows of the previous round; NULL in the first round
 * @seconds: the seconds since the previous round, if the command prints rates; otherwise 0
 * @more: more than the usual columns is printed, so a row has all its members. Otherwise a row has
 *	only the members of the usual columns, and only those that are neither unknown nor false: the
 *	rows of thousands of devices stay in memory until they are printed
 */
struct status_round {
	const struct options *o;
	int argc;
	char **argv;
	struct json_object *before;
	double seconds;
	bool more;
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

/*
 * Add the problems of the saved file: it has another table than the device, or it still has the old
 * name of a device that was renamed. Return: true if the file has another table than the device.
 */
static bool status_judge_file(struct status_device *d, const struct devmap_device *dev,
			      const struct saved_file *file)
{
	bool differs = saved_file_compare(&file->saved.table, &d->live.table) == SAVED_DIFFERS;
	bool renamed = strcmp(file->name, dev->name);
	_cleanup_free_ char *save = NULL, *path = NULL, *rename = NULL, *quoted = NULL;

	if (!differs && !renamed)
		return false;
	save = name_noclone("save", dev->name);
	path = saved_path(file->name);
	rename = name_command("rename", dev->name);
	quoted = shell_quote(file->name);
	d->findings.check = "saved-differs";
	if (differs)
		finding_add(&d->findings, FINDING_WARNING, path,
			    "this file has another table than the device, and the next boot uses the table in this file\n%s", save);
	d->findings.check = "saved-renamed";
	if (renamed)
		finding_add(&d->findings, FINDING_WARNING, path,
			    "this file has the former name of the device\n%s %s", rename,
			    quoted);
	return differs;
}

static char *status_state(const struct live *live)
{
	return live_fastpath(live) ?:
	       xstrdup(!table_has_noclone(&live->table) &&
		       table_has_stock(&live->table) ? "stock" : "none");
}

/*
 * Return: why I/O does not take the fast path, a new string, or NULL. If @state is "off:...", this
 * is the meaning of the state, with a remedy; otherwise it is the meaning of @reason. @reason: the
 * most frequent reason of I/O outside the fast path, or NULL
 */
static char *status_why(const char *name, const char *state, const char *reason)
{
	const char *meaning = reason ? status_meaning(STATUS_COUNTER, reason) : NULL;

	if (str_starts(state, "off:"))
		return reason_words(state, name);
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

/* Return: a JSON array of the devices and files below a table, each of them once. */
static struct json_object *status_below(const struct table *t)
{
	struct json_object *array = json_object_new_array_ext(1);
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		_cleanup_free_ char *leg = target->path ? name_encode_path(target->path) :
			identity_path(target->legs[i].device);

		status_add_once(array, leg);
	}
	return array;
}

static void status_add_identity(struct json_object *o, const struct devmap_device *dev,
				const struct table *t, bool more)
{
	_cleanup_free_ char *types = table_types(t);
	_cleanup_free_ char *origin = origin_of_uuid(dev->uuid);

	output_add_string(o, "name", dev->name);
	if (more) {
		output_add_string(o, "uuid", dev->uuid);
		output_add_devno(o, "device", dev->devno);
	}
	output_add_string(o, "type", types);
	if (more)
		output_add_string(o, "made_by", origin);
	output_add_number(o, "sectors", table_sectors(t));
	json_object_object_add(o, "on", status_below(t));
}

/* Add the backing file of the first target that has one. */
static void status_add_file(struct json_object *o, const struct live *live)
{
	const struct table *t = &live->table;
	_cleanup_free_ char *path = NULL;
	unsigned int i = 0;

	/* the table and the status were read one after the other, and may have different targets */
	while (i < t->nr && !t->targets[i].path)
		i++;
	if (i < t->nr)
		path = name_encode_path(t->targets[i].path);
	output_add_string(o, "file", path);
	json_object_object_add(o, "offset", path ?
		json_object_new_uint64(t->targets[i].legs[0].start * SECTOR_SIZE) : NULL);
	output_add_string(o, "engine", path && i < live->raw.nr ? live->status[i].engine : NULL);
}

static void status_add_flag(struct json_object *o, const char *key, bool flag, bool more)
{
	if (flag || more)
		output_add_bool(o, key, flag);
}

static void status_add_word(struct json_object *o, const char *key, const char *word, bool more)
{
	if (word || more)
		output_add_string(o, key, word);
}

static void status_add_state(struct json_object *o, const struct devmap_device *dev,
			     struct status_device *d, bool more)
{
	const struct saved_file *file = saved_file_find(dev->name, dev->uuid);
	const bool differs = file && status_judge_file(d, dev, file);
	_cleanup_free_ char *state = status_state(&d->live);
	_cleanup_free_ char *brief = NULL;

	output_add_string(o, "state", state);
	status_add_flag(o, "suspended", dev->suspended, more);
	status_add_flag(o, "readonly", dev->readonly, more);
	status_add_flag(o, "deferred_remove", dev->deferred_remove, more);
	brief = below_brief(&d->findings);
	status_add_word(o, "wrong", *brief ? brief : NULL, more);
	if (!more)
		return;
	output_add_string(o, "saved", file ? file->name : NULL);
	output_add_bool(o, "differs", differs);
	output_add_findings(o, &d->findings, FINDING_OK);
	output_add_number(o, "open_count", MAX(dev->open_count, 0));
}

/*
 * Return: @n, a number of I/Os, as a JSON number; if @seconds is not 0, the number of I/Os per
 * second. Return: NULL if the device has no counters.
 */
static struct json_object *status_count(const struct share *share, uint64_t n, double seconds)
{
	if (!share->counted)
		return NULL;
	return json_object_new_uint64(seconds ? n / seconds + 0.5 : n);
}

/* Return: the status of the device in the previous round, or NULL. */
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

/*
 * Add the share of I/O that takes the fast path. Context: after status_add_state(), which adds the
 * member "state". In the first round in which a device appears, there are no rates of this device.
 */
static void status_add_share(struct json_object *o, const struct status_round *round,
			     const char *name, const struct live *live)
{
	const struct status *before = status_before(round, name);
	const struct status *now = round->seconds && !before ? NULL : live_status(live);
	const struct share share = status_share(&live->table, now, before);
	const char *state = json_object_get_string(json_object_object_get(o, "state"));
	_cleanup_free_ char *why = round->more ? status_why(name, state, share.reason) : NULL;
	uint64_t all = share.fast + share.other;

	if (round->more) {
		json_object_object_add(o, "io", status_count(&share, all, round->seconds));
		json_object_object_add(o, "fast",
				       status_count(&share, share.fast, round->seconds));
	}
	if (all || round->more)
		json_object_object_add(o, "share", all ?
				       json_object_new_double((double)share.fast / all) : NULL);
	status_add_word(o, "reason", share.reason, round->more);
	if (round->more)
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

static void status_add_targets(struct json_object *o, const struct live *live)
{
	struct json_object *targets = json_object_new_array();
	unsigned int i;

	for (i = 0; i < live->raw.nr; i++)
		json_object_array_add(targets, status_target(&live->raw.targets[i],
							     &live->status[i]));
	json_object_object_add(o, "targets", targets);
}

/*
 * Return: the row of a device, or NULL if the device was removed since the list was made, or is not
 * shown.
 */
static struct json_object *status_row(const struct status_round *round, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	struct status_device *d = xzalloc(sizeof(*d));
	struct json_object *o = json_object_new_object();

	json_object_set_userdata(o, d, status_free_device);
	live_look(name, &dev, &d->live);
	if (!dev.name || (!round->argc && !opt(round->o, OPT_ALL) &&
	    !name_uuid_is_noclone(dev.uuid) && !table_can_be_fast(&d->live.table))) {
		json_object_put(o);
		return NULL;
	}
	live_below(&d->live, &d->findings);
	status_add_identity(o, &dev, &d->live.table, round->more);
	if (round->more)
		status_add_file(o, &d->live);
	status_add_state(o, &dev, d, round->more);
	status_add_share(o, round, dev.name, &d->live);
	/*
	 * only JSON and metrics show the single targets of a device; the columns of a report do not
	 */
	if (opt(round->o, OPT_JSON | OPT_PROMETHEUS))
		status_add_targets(o, &d->live);
	/*
	 * keep the live table for a named device, whose targets are printed, and for --watch, which
	 * compares two rounds
	 */
	if (!round->argc && !opt(round->o, OPT_WATCH))
		live_free(&d->live);
	return o;
}

/*
 * Print the first three counters, and those of the remaining counters that are not 0. With
 * --verbose, print all counters.
 */
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

/*
 * Print a target of another module, or a target with an engine and the counters of this engine. A
 * target that has only the fast path is not printed: status_print_device() prints its counters.
 */
static void status_print_target(const struct target *raw, const struct status *s)
{
	_cleanup_free_ char *words = status_engine_words(s), *params = visible(raw->params);

	if (!s->engine && s->has_fastpath)
		return;
	printf("  %s at sector %llu: ", raw->type, (unsigned long long)raw->start);
	if (s->engine)
		printf("%s%s\n", words ?: "engine ", words ? "" : s->engine);
	else
		puts(params);
	status_print_counters(&s->file_counters, STATUS_FILE_COUNTER);
}

/*
 * Print the details of a device. The counters of the fast path are printed once, not for each
 * target, because they belong to the device.
 */
static void status_print_device(const struct status_device *d)
{
	const struct status *fastpath = live_status(&d->live);
	unsigned int i;

	output_print_findings(&d->findings, NULL, FINDING_OK);
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

/*
 * Find the devices to show in this round. The words of the command line are looked up again in each
 * round, because a word may mean another device than in the previous round.
 */
static int status_names(const struct status_round *round, struct names *names)
{
	int i;

	if (!round->argc || !round->before)
		return select_names(names, round->argc, round->argv, true);
	for (i = 0; i < round->argc; i++) {
		_cleanup_free_ char *name = select_name(round->argv[i]);

		if (!select_file(names, round->argv[i]))
			names_add(names, name);
	}
	return 0;
}

/* Read all devices. Return: the rows. @r: set to 0, or to a negative errno after a message */
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

/*
 * Print the rows. @failed: status_collect() has already reported an error, for example a device
 * that does not exist
 */
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
		metrics = status_metrics(rows);
		fputs(metrics, stdout);
	} else if (round->argc && !opt(round->o, OPT_TABULAR)) {
		status_print_each(report, rows);
	} else if (json_object_array_length(rows) || round->argc || failed) {
		report_print(report, rows);
	} else {
		log_note("%s", opt(round->o, OPT_ALL) ? "there are no mapped devices" :
			 "no device has a target of type linear or striped, or a target of dm-noclone; \"noclone status --all\" shows the other devices, and \"noclone help create\" tells how to make a device");
	}
}

/* Print rounds until a signal ends the command, or the output cannot be written. */
static int status_watch(struct status_round *round, const struct report *report)
{
	const struct timespec pause = {
		.tv_sec = round->o->watch_ms / 1000,
		.tv_nsec = round->o->watch_ms % 1000 * 1000000L,
	};
	const bool tty = isatty(STDOUT_FILENO);
	bool had = true;
	double last = 0;

	for (;; nanosleep(&pause, NULL)) {
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
		/*
		 * if there are no devices, a terminal shows this in each round, but a file gets it
		 * only once
		 */
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
		log_err("--json and --prometheus exclude each other, and exclude --watch, --output and --noheadings");
		return EXIT_USAGE;
	}
	r->rates = opt(o, OPT_WATCH);
	r->noheadings = opt(o, OPT_NOHEADINGS);
	return report_select(r, o->output) || report_sort_by(r, o->sort) ? EXIT_USAGE : EXIT_OK;
}

int cmd_status(const struct options *o, int argc, char **argv)
{
	struct status_round round = {
		.o = o, .argc = argc, .argv = argv, .more = argc || opt(o, OPT_MORE),
	};
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
