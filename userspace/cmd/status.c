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
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/status.h"
#include "model/table-text.h"
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
 */
struct status_device {
	struct devmap_device dev;
	struct live live;
	char *saved;
	bool differs;
};

struct status_devices {
	struct status_device *device;
	unsigned int nr;
};

static void status_device_free(struct status_device *d)
{
	devmap_device_free(&d->dev);
	live_free(&d->live);
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

/* A device that was removed since the list was made is no reason for a message. */
static void status_read(const struct names *names, bool all, struct status_devices *devices)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		struct status_device d = { 0 };

		if (!devmap_info(names->name[i], &d.dev)) {
			live_get(d.dev.name, &d.live);
			if (all || status_is_relevant(&d)) {
				GROW(devices->device, devices->nr);
				devices->device[devices->nr++] = d;
				continue;
			}
		}
		status_device_free(&d);
	}
}

/* By its UUID: a device that was renamed has the file with its older name. */
static void status_take_saved(const char *name, void *data)
{
	struct status_devices *devices = data;
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *why = saved_file_peek(name, &s);
	unsigned int i;

	for (i = 0; s.uuid && i < devices->nr; i++) {
		struct status_device *d = &devices->device[i];

		/* of a copy of its file, its own counts */
		if (strcmp(d->dev.uuid, s.uuid) || (d->saved && strcmp(name, d->dev.name)))
			continue;
		free(d->saved);
		d->saved = xstrdup(name);
		d->differs = saved_file_compare(&s.table, &d->live.table) == SAVED_DIFFERS;
	}
}

static char *status_state(const struct live *live)
{
	char *state = live_fastpath(live);

	if (state)
		return state;
	return xstrdup(!table_has_noclone(&live->table) &&
		       table_any(&live->table, status_is_stock, NULL) ? "stock" : "none");
}

/* What the state means and what to do, or what the most frequent reason means. */
static char *status_why(const char *name, const char *state, const char *reason)
{
	const char *meaning = reason ? status_counter_meaning(reason) : NULL;

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

static struct json_object *status_tables(const struct devmap_device *dev)
{
	struct json_object *array = json_object_new_array();

	if (dev->live_table)
		json_object_array_add(array, json_object_new_string("live"));
	if (dev->inactive_table)
		json_object_array_add(array, json_object_new_string("inactive"));
	return array;
}

static void status_add_identity(struct json_object *o, const struct status_device *d)
{
	_cleanup_free_ char *number = xasprintf("%u:%u", major(d->dev.devno),
						minor(d->dev.devno));
	_cleanup_free_ char *types = table_types(&d->live.table);
	_cleanup_free_ char *origin = origin_of_uuid(d->dev.uuid);

	output_add_string(o, "name", d->dev.name);
	output_add_string(o, "uuid", d->dev.uuid);
	output_add_string(o, "device", number);
	output_add_string(o, "type", types);
	output_add_string(o, "made_by", origin);
	output_add_number(o, "sectors", table_sectors(&d->live.table));
	json_object_object_add(o, "on", status_below(&d->live.table));
}

/* What is wrong below the device, and with its file. */
static char *status_wrong(const struct status_device *d, const struct findings *below)
{
	const char *other = d->saved && strcmp(d->saved, d->dev.name) ? d->saved : "";
	_cleanup_free_ char *brief = below_brief(below);
	struct strbuf b = { 0 };

	strbuf_add(&b, "%s", brief);
	if (d->differs)
		strbuf_add(&b, "%sdiffers", b.len ? ", " : "");
	if (*other)
		strbuf_add(&b, "%ssaved as %s", b.len ? ", " : "", other);
	return strbuf_take(&b);
}

static void status_add_state(struct json_object *o, const struct status_device *d)
{
	_cleanup_findings_ struct findings below = { 0 };
	_cleanup_free_ char *state = status_state(&d->live), *brief = NULL;

	live_below(&d->live, &below);
	brief = status_wrong(d, &below);
	output_add_string(o, "state", state);
	output_add_bool(o, "suspended", d->dev.suspended);
	output_add_bool(o, "readonly", d->dev.readonly);
	output_add_bool(o, "deferred_remove", d->dev.deferred_remove);
	output_add_string(o, "wrong", *brief ? brief : NULL);
	output_add_string(o, "saved", d->saved);
	output_add_bool(o, "differs", d->differs);
	output_add_findings(o, &below, FINDING_OK);
	output_add_number(o, "open_count", MAX(d->dev.open_count, 0));
	output_add_number(o, "event_nr", d->dev.event_nr);
	json_object_object_add(o, "tables", status_tables(&d->dev));
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

static struct json_object *status_counters(const struct counter *c, unsigned int nr)
{
	struct json_object *o = json_object_new_object();
	unsigned int i;

	for (i = 0; i < nr; i++)
		output_add_number(o, c[i].name, c[i].value);
	return o;
}

static struct json_object *status_facts(const struct status *s)
{
	struct json_object *o = json_object_new_object();
	uint64_t number;
	unsigned int i;

	for (i = 0; i < s->nr_facts; i++) {
		const struct fact *f = &s->facts[i];

		if (parse_u64(f->value, &number))
			output_add_number(o, f->name, number);
		else
			output_add_string(o, f->name, f->value);
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
	json_object_object_add(o, "counters", status_counters(s->counters, s->nr_counters));
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
	if (!s->stock)
		return o;
	output_add_string(o, "health", s->health);
	json_object_object_add(o, "fastpath", status_fastpath(s));
	if (!s->engine)
		return o;
	output_add_string(o, "engine", s->engine);
	json_object_object_add(o, "facts", status_facts(s));
	json_object_object_add(o, "counters",
			       status_counters(s->file_counters, s->nr_file_counters));
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
static void status_print_counters(const struct counter *counters, unsigned int nr,
				  const char *(*meaning_of)(const char *name))
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct counter *c = &counters[i];
		const char *meaning = meaning_of(c->name);

		if (c->value || i < 3 || log_level > LOG_LEVEL_NORMAL)
			printf("  %12llu %-10s %s\n", (unsigned long long)c->value, c->name,
			       meaning ?: "");
	}
}

/* The engine's counters are the target's own. */
static void status_print_file(const struct devmap_target *raw, const struct status *s)
{
	_cleanup_free_ char *words = status_file_words(s);

	if (raw->start)
		printf("  at sector %llu: ", (unsigned long long)raw->start);
	else
		printf("  ");
	puts(words);
	status_print_counters(s->file_counters, s->nr_file_counters,
			      status_file_counter_meaning);
}

static void status_print_saved(const struct status_device *d)
{
	_cleanup_free_ char *path = d->saved ? saved_path(d->saved) : NULL;
	_cleanup_free_ char *quoted = shell_quote(d->dev.name);

	if (d->differs)
		printf("  %s has another table, which the next boot takes: noclone save %s\n",
		       path, quoted);
	if (d->saved && strcmp(d->saved, d->dev.name))
		printf("  It is saved under the name %s: noclone save %s\n", d->saved, quoted);
}

/* The fast path and its counters belong to the device: print them once. */
static void status_print_device(const struct status_device *d)
{
	const struct live *live = &d->live;
	const struct status *fastpath = live_status(live);
	_cleanup_free_ char *words = fastpath ? status_state_words(fastpath) : NULL;
	_cleanup_findings_ struct findings below = { 0 };
	unsigned int i;

	live_below(live, &below);
	findings_print(&below, NULL, FINDING_OK);
	status_print_saved(d);
	for (i = 0; i < live->raw.nr; i++) {
		const struct devmap_target *raw = &live->raw.target[i];

		if (live->status[i].engine)
			status_print_file(raw, &live->status[i]);
		else if (!live->status[i].stock)
			printf("  %s at sector %llu: %s\n", raw->type,
			       (unsigned long long)raw->start, raw->params);
	}
	if (!fastpath)
		return;
	printf("  %s\n", words);
	status_print_counters(fastpath->counters, fastpath->nr_counters, status_counter_meaning);
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

static void status_print_round(const struct report *r, struct json_object *rows, bool first)
{
	report_sort(r, rows);
	if (isatty(STDOUT_FILENO))
		fputs(CLEAR_SCREEN, stdout);
	else if (!first && !r->noheadings)
		putchar('\n');
	report_print(r, rows);
	json_object_put(rows);
}

/*
 * The devices as they are now; @names are those named on the command line, once they are
 * known.  Return: 0, or a negative errno after a message, if there is one that does not exist.
 */
static int status_collect(const struct options *o, int argc, char **argv,
			  struct names *names, struct status_devices *devices)
{
	int r = 0;

	if (!argc || !names->nr) {
		names_free(names);
		r = select_names(names, argc, argv, true);
	}
	status_read(names, argc || opt(o, OPT_ALL), devices);
	saved_file_for_each(status_take_saved, devices);
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
	double at, last = status_now() - o->watch_ms / 1000.0;
	bool first = true;

	for (; !fflush(stdout); first = false) {
		struct status_devices now = { 0 };

		if (!first)
			nanosleep(&nap, NULL);
		at = status_now();
		if (status_collect(o, argc, argv, &names, &now) && !names.nr)
			break;
		status_print_round(r, status_rows(&now, &old, at - last), first);
		status_devices_free(&old);
		old = now;
		last = at;
	}
	return EXIT_FAILED;
}

/* A number that is no device: an interval with a blank before it. */
static bool status_is_interval(const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !word[strspn(word, "0123456789.")] && devmap_info(word, &dev);
}

/* Return: an exit code, after a message if the command line is wrong. */
static int status_usage(const struct options *o, int argc, char **argv, struct report *r)
{
	_cleanup_free_ char *output = NULL, *sort = NULL;

	if (opt(o, OPT_JSON | OPT_PROMETHEUS) &&
	    opt(o, OPT_OUTPUT | OPT_NOHEADINGS | OPT_WATCH)) {
		log_err("--json and --prometheus have all columns, and do not repeat");
		return EXIT_USAGE;
	}
	if (opt(o, OPT_JSON) && opt(o, OPT_PROMETHEUS)) {
		log_err("--json and --prometheus are two formats: leave one out");
		return EXIT_USAGE;
	}
	if (opt(o, OPT_WATCH) && argc && status_is_interval(argv[0])) {
		log_err("seconds are one word with --watch, as in --watch=1");
		return EXIT_USAGE;
	}
	r->rates = opt(o, OPT_WATCH);
	r->noheadings = opt(o, OPT_NOHEADINGS);
	output = report_select(r, o->output);
	sort = report_sort_by(r, o->sort);
	if (output)
		log_err("--output %s: %s", *o->output ? o->output : "\"\"", output);
	if (sort)
		log_err("--sort %s: %s", *o->sort ? o->sort : "\"\"", sort);
	return output || sort ? EXIT_USAGE : EXIT_OK;
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
	r = status_usage(o, argc, argv, &report);
	if (r)
		return r;
	if (opt(o, OPT_WATCH))
		return status_watch(o, argc, argv, &report);
	r = status_collect(o, argc, argv, &names, &devices) ? EXIT_FAILED : EXIT_OK;
	if (!r || names.nr)
		status_print(o, argc, &report, &devices);
	return r;
}
