// SPDX-License-Identifier: GPL-2.0-only
/* noclone status with a line for each device. */
#include "cmd/status-all.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/util.h"
#include "model/metrics.h"
#include "system/devmap.h"
#include "cli/columns.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define CLEAR_SCREEN	"\033[H\033[2J\033[3J"

struct overviews {
	struct overview *v;
	unsigned int nr;
};

static void overviews_free(struct overviews *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		overview_free(&all->v[i]);
	free(all->v);
	*all = (struct overviews) { 0 };
}

#define _cleanup_overviews_ __attribute__((cleanup(overviews_free)))

void status_overview(const char *name, struct live *live, struct overview *v)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	struct status *status = NULL;
	unsigned int i;

	/* without a device, for which it is too late, the UUID is empty */
	if (devmap_info(name, &dev))
		dev.uuid = xstrdup("");
	for (i = 0; i < live->raw.nr && !status; i++)
		if (live->status[i].has_fastpath)
			status = &live->status[i];
	overview_fill(v, name, dev.uuid, &live->table, status);
}

static void add_overview(const char *name, void *data)
{
	_cleanup_troubles_ struct troubles troubles = { 0 };
	_cleanup_live_ struct live live = { 0 };
	struct overviews *all = data;
	struct overview *v;

	if (live_get(name, &live) || !overview_is_for(&live.table))
		return;
	/* before the overview takes the status away */
	live_troubles(&live, &troubles);
	GROW(all->v, all->nr);
	v = &all->v[all->nr++];
	status_overview(name, &live, v);
	if (troubles.nr)
		v->trouble = troubles_brief(&troubles);
}

static int collect(const struct names *names, struct overviews *all)
{
	unsigned int i;
	int r = 0;

	if (!names->nr)
		r = devmap_for_each(add_overview, all);
	for (i = 0; i < names->nr; i++)
		add_overview(names->name[i], all);
	/* no driver, no devices: nothing to complain about */
	if (!r || r == -ENODEV)
		return 0;
	log_err("cannot list devices: %s", devmap_reason(r));
	return r;
}

static void print_row(struct columns *out, const struct overview_selection *s,
		      const struct overview *v, double seconds)
{
	char *cell[OVERVIEW_MAX_COLUMNS];
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		cell[i] = overview_cell(v, s->column[i], seconds);
	columns_add(out, cell);
	for (i = 0; i < s->nr; i++)
		free(cell[i]);
}

static void print_rows(const struct options *o, const struct overview_selection *s,
		       const struct overviews *all, double seconds)
{
	struct column column[OVERVIEW_MAX_COLUMNS];
	struct columns *out;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		column[i] = (struct column) {
			.heading = overview_heading(s->column[i], seconds),
			.right = overview_columns[s->column[i]].right,
			.wraps = s->column[i] == OVERVIEW_WHY,
		};
	out = columns_new(column, s->nr, !opt(o, OPT_NOHEADINGS));
	for (i = 0; i < all->nr; i++)
		print_row(out, s, &all->v[i], seconds);
	columns_print(out);
}

static const struct overview *find(const struct overviews *all, const char *name)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		if (!strcmp(all->v[i].name, name))
			return &all->v[i];
	return NULL;
}

/* Counts of the interval; a new device has no interval yet. */
static void since(struct overviews *rates, const struct overviews *all,
		  const struct overviews *old)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++) {
		GROW(rates->v, rates->nr);
		overview_since(&rates->v[rates->nr++], &all->v[i],
			       find(old, all->v[i].name));
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void print_round(const struct options *o, const struct overview_selection *s,
			const struct overviews *rates, double seconds, bool first)
{
	if (isatty(STDOUT_FILENO))
		fputs(CLEAR_SCREEN, stdout);
	else if (!first && !opt(o, OPT_NOHEADINGS))
		putchar('\n');
	print_rows(o, s, rates, seconds);
}

/* Until a signal ends it, or the output cannot be written. */
static int watch(const struct options *o, const struct names *names,
		 const struct overview_selection *s)
{
	const struct timespec nap = {
		.tv_sec = o->watch_ms / 1000,
		.tv_nsec = o->watch_ms % 1000 * 1000000L,
	};
	_cleanup_overviews_ struct overviews old = { 0 };
	double at, last = now() - o->watch_ms / 1000.0;
	bool first = true;

	for (; !fflush(stdout); first = false) {
		_cleanup_overviews_ struct overviews rates = { 0 };
		struct overviews all = { 0 };

		if (!first)
			nanosleep(&nap, NULL);
		at = now();
		if (collect(names, &all))
			break;
		since(&rates, &all, &old);
		overviews_free(&old);
		old = all;
		print_round(o, s, &rates, at - last, first);
		last = at;
	}
	return EXIT_FAILED;
}

void status_overview_json(struct json_object *o, const struct overview *v)
{
	double share = overview_share(v);

	output_add_string(o, "type", v->type);
	output_add_string(o, "made_by", v->origin);
	output_add_string(o, "state", v->state);
	json_object_object_add(o, "share", share < 0 ? NULL :
			       json_object_new_double(share));
	output_add_string(o, "reason", overview_reason(v));
}

/* "; did you mean ...?" for the first of the columns that is close to a known one. */
static char *column_hint(const char *list)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *save = NULL, *word;
	unsigned int i;

	for (word = strtok_r(copy, "+,", &save); word;
	     word = strtok_r(NULL, "+,", &save)) {
		struct nearest n = { .word = word };

		for (i = 0; i < OVERVIEW_NR; i++)
			nearest_try(&n, overview_columns[i].heading);
		if (n.best && n.distance)
			return nearest_hint(n.best);
	}
	return nearest_hint(NULL);
}

int status_all(const struct options *o, const struct names *names)
{
	_cleanup_overviews_ struct overviews all = { 0 };
	_cleanup_free_ char *metrics = NULL, *hint = NULL;
	struct overview_selection selection;
	const char *wrong = overview_select(&selection, o->output,
					    opt(o, OPT_WATCH));

	if (wrong) {
		hint = column_hint(o->output);
		log_err("--output %s: %s%s", *o->output ? o->output : "\"\"", wrong, hint);
		return EXIT_USAGE;
	}
	if (opt(o, OPT_WATCH))
		return watch(o, names, &selection);
	if (collect(names, &all))
		return EXIT_FAILED;
	if (opt(o, OPT_PROMETHEUS)) {
		metrics = metrics_print(all.v, all.nr);
		fputs(metrics, stdout);
	} else if (!all.nr && !names->nr) {
		log_note("there is no linear or striped device, and none with a target of this module");
	} else {
		print_rows(o, &selection, &all, 0);
	}
	return EXIT_OK;
}
