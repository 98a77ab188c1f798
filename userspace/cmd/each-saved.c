// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands on saved devices.  One may be built on another, so those that are ready
 * are done first, until none is; the others are tried then to say what is wrong.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

struct each_run {
	const struct options *o;
	bool activates;
	struct names names;
	struct json_object *devices;
	bool failed;
};

static int each_collect(struct names *names, const struct options *o, int argc, char **argv)
{
	int i;

	if (!argc == !opt(o, OPT_ALL)) {
		log_err(argc ? "give devices or --all, not both" :
			"which devices? Give their names, or --all");
		return EXIT_USAGE;
	}
	if (!argc)
		return saved_file_names(names) ? EXIT_FAILED : EXIT_OK;
	for (i = 0; i < argc; i++) {
		_cleanup_free_ char *name = select_new_name(argv[i]);
		const char *wrong = saved_name_problem(name);

		if (wrong) {
			log_err("\"%s\" %s", name, wrong);
			return EXIT_USAGE;
		}
		names_add(names, name);
	}
	return EXIT_OK;
}

static void each_do(struct each_run *run, const char *name)
{
	const char *state = run->activates ? activate_device(run->o, name) :
					     deactivate_device(run->o, name);
	struct json_object *device;

	run->failed |= !state;
	if (state && !opt(run->o, OPT_DRY_RUN))
		saved_unit(run->activates ? "start" : "stop", name);
	if (state && !*state)
		return;
	device = json_object_new_object();
	output_add_string(device, "name", name);
	output_add_bool(device, "ok", state);
	output_add_string(device, "state", state);
	json_object_array_add(run->devices, device);
	if (state && !opt(run->o, OPT_JSON)) {
		printf("%s: %s\n", name, state);
		fflush(stdout);
	}
}

static bool each_is_ready(const struct each_run *run, const char *name)
{
	return run->activates ? activate_is_ready(name) : deactivate_is_ready(name);
}

/* Return: whether any device was done. */
static bool each_round(struct each_run *run, bool ready_only)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < run->names.nr && !stop_requested(); i++) {
		char *name = run->names.name[i];

		if (!name || (ready_only && !each_is_ready(run, name)))
			continue;
		each_do(run, name);
		free(name);
		run->names.name[i] = NULL;
		any = true;
	}
	return any;
}

static int each_saved(const struct options *o, int argc, char **argv, bool activates)
{
	struct each_run run = {
		.o = o, .activates = activates, .devices = json_object_new_array(),
	};
	struct json_object *out = output_new(activates ? "activate" : "deactivate");
	int r = each_collect(&run.names, o, argc, argv);

	json_object_object_add(out, "devices", run.devices);
	while (!r && each_round(&run, true))
		;
	if (!r) {
		each_round(&run, false);
		r = run.failed || stop_requested() ? EXIT_FAILED : EXIT_OK;
		if (opt(o, OPT_DRY_RUN))
			output_add_bool(out, "dry_run", true);
		/* of devices that have printed a plan, there is no more to print */
		if (json_object_array_length(run.devices) || !run.names.nr)
			output_print(o, json_object_get(out));
	}
	json_object_put(out);
	names_free(&run.names);
	return r;
}

int cmd_activate(const struct options *o, int argc, char **argv)
{
	return each_saved(o, argc, argv, true);
}

int cmd_deactivate(const struct options *o, int argc, char **argv)
{
	return each_saved(o, argc, argv, false);
}
