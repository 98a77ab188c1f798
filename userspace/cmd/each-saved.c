// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands on saved devices.  One may be built on another, so those that are ready
 * are done first, until none is; the others are tried then to say what is wrong.
 */
#include "cmd/each-saved.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

struct run {
	const struct each_saved *e;
	const struct options *o;
	struct json_object *devices;
	struct names names;
	bool *done;
	bool failed;
	bool printed;	/* a plan */
};

static void add_name(const char *name, void *data)
{
	struct names *names = data;

	GROW(names->name, names->nr);
	names->name[names->nr++] = xstrdup(name);
}

static int collect(struct names *names, const struct options *o, int argc, char **argv)
{
	int i;

	if (opt(o, OPT_ALL))
		return saved_file_for_each(add_name, names) ? EXIT_FAILED : EXIT_OK;
	for (i = 0; i < argc; i++) {
		_cleanup_free_ char *name = select_new_name(argv[i]);
		const char *wrong = saved_name_problem(name);

		if (wrong) {
			log_err("\"%s\" %s", name, wrong);
			return EXIT_USAGE;
		}
		add_name(name, names);
	}
	return EXIT_OK;
}

static void report(struct run *run, const char *name, const char *state)
{
	struct json_object *o;

	if (state && !strcmp(state, EACH_SAVED_PLAN)) {
		run->printed = true;
		return;
	}
	if (!opt(run->o, OPT_JSON)) {
		if (state)
			printf("%s: %s\n", name, state);
		fflush(stdout);
		return;
	}
	o = json_object_new_object();
	output_add_string(o, "name", name);
	output_add_bool(o, "ok", state);
	output_add_string(o, "state", state);
	json_object_array_add(run->devices, o);
}

static void do_one(struct run *run, unsigned int i)
{
	const char *name = run->names.name[i];
	const char *state = run->e->run(run->o, name);

	run->done[i] = true;
	run->failed |= !state;
	report(run, name, state);
}

/* Return: whether any device was done. */
static bool do_ready(struct run *run)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < run->names.nr && !stop_requested(); i++)
		if (!run->done[i] && run->e->ready(run->names.name[i])) {
			do_one(run, i);
			any = true;
		}
	return any;
}

static void do_all(struct run *run)
{
	unsigned int i;

	run->done = xzalloc(run->names.nr + 1);
	while (do_ready(run))
		;
	for (i = 0; i < run->names.nr && !stop_requested(); i++)
		if (!run->done[i])
			do_one(run, i);
	run->failed |= stop_requested();
	free(run->done);
}

int each_saved(const struct each_saved *e, const struct options *o, int argc,
	       char **argv)
{
	struct json_object *out;
	struct run run = { .e = e, .o = o };
	int r;

	if (!argc == !opt(o, OPT_ALL)) {
		log_err(argc ? "give devices or --all, not both" :
			"which devices? Give their names, or --all");
		return EXIT_USAGE;
	}
	r = collect(&run.names, o, argc, argv);
	if (!r) {
		out = output_new(e->command);
		run.devices = json_object_new_array();
		json_object_object_add(out, "devices", run.devices);
		do_all(&run);
		if (opt(o, OPT_DRY_RUN))
			output_add_bool(out, "dry_run", true);
		if (opt(o, OPT_JSON) &&
		    (!run.printed || json_object_array_length(run.devices)))
			output_print(out);
		json_object_put(out);
		r = run.failed ? EXIT_FAILED : EXIT_OK;
	}
	names_free(&run.names);
	return r;
}
