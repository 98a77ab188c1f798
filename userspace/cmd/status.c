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
#include "base/log.h"
#include "base/util.h"
#include "model/below.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/status.h"
#include "model/table.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cli/status-formats.h"
#include "cmd/cmd.h"

#define CLEAR_SCREEN	"\033[H\033[2J\033[3J"

/* Each of these asks for a line for each device. */
#define OPT_TABULAR	(OPT_OUTPUT | OPT_SORT | OPT_NOHEADINGS | OPT_WATCH)

/**
 * struct status_device - one device
 * @dev: its state
 * @live: its table and status
 * @saved: the name under which it is saved, or NULL
 * @differs: that file has another table
 * @findings: what is wrong below it, and with its file
 */
struct status_device {
	struct devmap_device dev;
	struct live live;
	char *saved;
	bool differs;
	struct findings findings;
};

struct status_devices {
	struct status_device *device;
	unsigned int nr;
};

static void status_device_free(struct status_device *d)
{
	devmap_device_free(&d->dev);
	live_free(&d->live);
	findings_free(&d->findings);
	free(d->saved);
}

static void status_devices_free(struct status_devices *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		status_device_free(&all->device[i]);
	free(all->device);
	*all = (struct status_devices) { 0 };
}

#define _cleanup_devices_ __attribute__((cleanup(status_devices_free)))

static bool status_is_stock(const struct target *target, const void *data __unused)
{
	return target->stock;
}

/* Ours, or one that could have the fast path? */
static bool status_is_relevant(const struct status_device *d)
{
	return str_starts(d->dev.uuid, NOCLONE_UUID_PREFIX) ||
	       table_can_be_fast(&d->live.table);
}

/* What is wrong below it and with its file, which has an older name if it was renamed. */
static void status_judge(struct status_device *d)
{
	_cleanup_free_ char *quoted = shell_quote(d->dev.name), *path = NULL, *why = NULL;
	_cleanup_saved_ struct saved s = { 0 };

	live_below(&d->live, &d->findings);
	d->saved = saved_file_of(d->dev.name, d->dev.uuid);
	if (!d->saved)
		return;
	path = saved_path(d->saved);
	why = saved_file_peek(d->saved, &s);
	d->differs = saved_file_compare(&s.table, &d->live.table) == SAVED_DIFFERS;
	d->findings.check = "saved-differs";
	if (d->differs)
		finding_add(&d->findings, FINDING_WARNING, path,
			    "it has another table, which the next boot takes\nnoclone save %s", quoted);
	d->findings.check = "saved-renamed";
	if (strcmp(d->saved, d->dev.name))
		finding_add(&d->findings, FINDING_WARNING, path,
			    "it has the former name of the device\ndmsetup rename %s %s", quoted,
			    d->saved);
}

/* A device that was removed since the list was made is no reason for a message. */
static void status_read(const struct names *names, bool all, struct status_devices *devices)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		struct status_device d = { 0 };

		if (!devmap_info(names->name[i], &d.dev)) {
			live_get(d.dev.name, &d.live);
			if (all || status_is_relevant(&d)) {
				status_judge(&d);
				GROW(devices->device, devices->nr);
				devices->device[devices->nr++] = d;
				continue;
			}
		}
		status_device_free(&d);
	}
}

static char *status_state(const struct live *live)
{
	return live_fastpath(live) ?:
	       xstrdup(!table_has_noclone(&live->table) &&
		       table_any(&live->table, status_is_stock, NULL) ? "stock" : "none");
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
		if (!strcmp(json_object_get_string(json_object_array_get_idx(array, i)), name))
			return;
	json_object_array_add(array, output_string(name));
}

/* Each device or file below a table, once. */
static struct json_object *status_below(const struct table *t)
{
	struct json_object *array = json_object_new_array();
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		const struct target *target = &t->targets[i];
		_cleanup_free_ char *file = target->path ? path_encode(target->path) : NULL;

		if (file)
			status_add_once(array, file);
		for (j = 0; j < target->nr_legs; j++) {
			_cleanup_free_ char *leg = identity_path(target->legs[j].device, NULL);

			status_add_once(array, leg);
		}
	}
	return array;
}

static void status_add_identity(struct json_object *o, const struct status_device *d)
{
	_cleanup_free_ char *types = table_types(&d->live.table);
	_cleanup_free_ char *origin = origin_of_uuid(d->dev.uuid);

	output_add_string(o, "name", d->dev.name);
	output_add_string(o, "uuid", d->dev.uuid);
	output_add_devno(o, "device", d->dev.devno);
	output_add_string(o, "type", types);
	output_add_string(o, "made_by", origin);
	output_add_number(o, "sectors", table_sectors(&d->live.table));
	json_object_object_add(o, "on", status_below(&d->live.table));
}

static void status_add_state(struct json_object *o, const struct status_device *d)
{
	_cleanup_free_ char *state = status_state(&d->live);
	_cleanup_free_ char *brief = below_brief(&d->findings);

	output_add_string(o, "state", state);
	output_add_bool(o, "suspended", d->dev.suspended);
	output_add_bool(o, "readonly", d->dev.readonly);
	output_add_bool(o, "deferred_remove", d->dev.deferred_remove);
	output_add_string(o, "wrong", *brief ? brief : NULL);
	output_add_string(o, "saved", d->saved);
	output_add_bool(o, "differs", d->differs);
	output_add_findings(o, &d->findings, FINDING_OK);
	output_add_number(o, "open_count", MAX(d->dev.open_count, 0));
}

/* A number of I/Os; with @seconds not 0, per second. */
static struct json_object *status_count(const struct share *share, uint64_t n, double seconds)
{
	if (!share->counted)
		return NULL;
	return json_object_new_uint64(seconds ? n / seconds + 0.5 : n);
}

/*
 * After the state.  With @seconds not 0, what has happened since @before, which is NULL for
 * a new device: it has no interval yet.
 */
static void status_add_share(struct json_object *o, const struct status_device *d,
			     const struct status_device *before, double seconds)
{
	const struct status *now = seconds && !before ? NULL : live_status(&d->live);
	const struct share share = share_of(&d->live.table, now,
					    before ? live_status(&before->live) : NULL);
	const char *state = json_object_get_string(json_object_object_get(o, "state"));
	_cleanup_free_ char *why = status_why(d->dev.name, state, share.reason);
	uint64_t all = share.fast + share.other;

	json_object_object_add(o, "io", status_count(&share, all, seconds));
	json_object_object_add(o, "fast", status_count(&share, share.fast, seconds));
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

static struct json_object *status_target(const struct devmap_target *raw,
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

static const struct status_device *status_find(const struct status_devices *all,
					       const char *name)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		if (!strcmp(all->device[i].dev.name, name))
			return &all->device[i];
	return NULL;
}

static struct json_object *status_rows(const struct status_devices *all,
				       const struct status_devices *before, double seconds)
{
	struct json_object *rows = json_object_new_array();
	unsigned int i, j;

	for (i = 0; i < all->nr; i++) {
		const struct status_device *d = &all->device[i];
		struct json_object *o = json_object_new_object();
		struct json_object *targets = json_object_new_array();

		status_add_identity(o, d);
		status_add_state(o, d);
		status_add_share(o, d, before ? status_find(before, d->dev.name) : NULL, seconds);
		for (j = 0; j < d->live.raw.nr; j++)
			json_object_array_add(targets, status_target(&d->live.raw.target[j],
								     &d->live.status[j]));
		json_object_object_add(o, "targets", targets);
		json_object_array_add(rows, o);
	}
	return rows;
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
static void status_print_target(const struct devmap_target *raw, const struct status *s)
{
	_cleanup_free_ char *words = status_stand_in_words(s);

	if (!s->engine && s->has_fastpath)
		return;
	printf("  %s at sector %llu: ", raw->type, (unsigned long long)raw->start);
	if (s->engine)
		printf("%s%s\n", words ?: "engine ", words ? "" : s->engine);
	else
		puts(raw->params);
	status_print_counters(&s->file_counters, STATUS_FILE_COUNTER);
}

/* The fast path and its counters belong to the device: print them once. */
static void status_print_device(const struct status_device *d)
{
	const struct status *fastpath = live_status(&d->live);
	unsigned int i;

	findings_print(&d->findings, NULL, FINDING_OK);
	for (i = 0; i < d->live.raw.nr; i++)
		status_print_target(&d->live.raw.target[i], &d->live.status[i]);
	if (fastpath)
		status_print_counters(&fastpath->counters, STATUS_COUNTER);
}

static void status_print_each(const struct status_devices *all, const struct report *r,
			      struct json_object *rows)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++) {
		if (i)
			putchar('\n');
		report_print_row(r, json_object_array_get_idx(rows, i));
		status_print_device(&all->device[i]);
	}
}

static double status_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Return: 0, or a negative errno after a message, if there is one that does not exist. */
static int status_collect(const struct options *o, int argc, char **argv,
			  struct names *names, struct status_devices *devices)
{
	int r = 0;

	if (!argc || !names->nr) {
		names_free(names);
		r = select_names(names, argc, argv, true);
	}
	status_read(names, argc || opt(o, OPT_ALL), devices);
	return r;
}

/* Until a signal ends it, or the output cannot be written. */
static int status_watch(const struct options *o, int argc, char **argv, const struct report *r)
{
	const struct timespec nap = {
		.tv_sec = o->watch_ms / 1000,
		.tv_nsec = o->watch_ms % 1000 * 1000000L,
	};
	_cleanup_devices_ struct status_devices old = { 0 };
	_cleanup_names_ struct names names = { 0 };
	double at, last = 0;

	for (; !fflush(stdout); nanosleep(&nap, NULL)) {
		struct status_devices now = { 0 };
		struct json_object *rows;

		at = status_now();
		if (status_collect(o, argc, argv, &names, &now) && !names.nr)
			break;
		rows = status_rows(&now, &old, at - last);
		report_sort(r, rows);
		fputs(isatty(STDOUT_FILENO) ? CLEAR_SCREEN : last && !r->noheadings ? "\n" : "",
		      stdout);
		report_print(r, rows);
		json_object_put(rows);
		status_devices_free(&old);
		old = now;
		last = at;
	}
	return EXIT_FAILED;
}

/* Return: an exit code, after a message if the command line is wrong. */
static int status_usage(const struct options *o, struct report *r)
{
	if ((opt(o, OPT_JSON | OPT_PROMETHEUS) &&
	     opt(o, OPT_OUTPUT | OPT_NOHEADINGS | OPT_WATCH)) ||
	    (opt(o, OPT_JSON) && opt(o, OPT_PROMETHEUS))) {
		log_err("--json and --prometheus are two formats with all columns, which do not repeat");
		return EXIT_USAGE;
	}
	r->rates = opt(o, OPT_WATCH);
	r->noheadings = opt(o, OPT_NOHEADINGS);
	return report_select(r, o->output) || report_sort_by(r, o->sort) ? EXIT_USAGE : EXIT_OK;
}

static void status_print_json(struct json_object *rows)
{
	struct json_object *out = output_new("status");

	json_object_object_add(out, "devices", json_object_get(rows));
	output_print(out);
	json_object_put(out);
}

static void status_print(const struct options *o, bool named, const struct report *r,
			 const struct status_devices *devices)
{
	struct json_object *rows = status_rows(devices, NULL, 0);
	_cleanup_free_ char *metrics = NULL;

	report_sort(r, rows);
	if (opt(o, OPT_JSON)) {
		status_print_json(rows);
	} else if (opt(o, OPT_PROMETHEUS)) {
		metrics = metrics_print(rows);
		fputs(metrics, stdout);
	} else if (named && !opt(o, OPT_TABULAR)) {
		status_print_each(devices, r, rows);
	} else if (devices->nr || named) {
		report_print(r, rows);
	} else {
		log_note("%s", opt(o, OPT_ALL) ? "there are no mapped devices" :
			 "no device has a linear or striped target, or one of this module; \"noclone status --all\" shows the others, \"noclone help create\" how to make one");
	}
	json_object_put(rows);
}

int cmd_status(const struct options *o, int argc, char **argv)
{
	_cleanup_devices_ struct status_devices devices = { 0 };
	_cleanup_report_ struct report report = status_report();
	_cleanup_names_ struct names names = { 0 };
	int r;

	if (o->output && !strcmp(o->output, "help")) {
		report_help(&report);
		return EXIT_OK;
	}
	r = status_usage(o, &report);
	if (r)
		return r;
	if (opt(o, OPT_WATCH))
		return status_watch(o, argc, argv, &report);
	r = status_collect(o, argc, argv, &names, &devices) ? EXIT_FAILED : EXIT_OK;
	if (!r || names.nr)
		status_print(o, argc, &report, &devices);
	return r;
}
