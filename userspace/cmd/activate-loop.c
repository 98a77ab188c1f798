// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone activate and deactivate: the loop over the devices. A saved device may stand on another
 * saved device, so the command first handles only ready devices, until no ready device is left. For
 * activate, a device is ready if its legs and backing files exist; for deactivate, if it is not in
 * use. Then the command tries the remaining devices, so that its messages tell what is wrong with
 * them.
 */
#include "cmd/activate.h"
#include "cmd/cmd.h"
#include "cmd/deactivate.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/devmap.h"
#include "system/saved-file.h"
#include "system/saved-unit.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/partitions.h"

struct activate_run {
	const struct options *o;
	bool activates;
	struct names names;
	struct json_object *devices;
	bool failed;
};

static int activate_collect(struct names *names, const struct options *o, int argc, char **argv)
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
		_cleanup_free_ char *name = select_name(argv[i]);
		const char *wrong = saved_name_problem(name);

		if (wrong) {
			log_err("\"%s\" %s", name, wrong);
			return EXIT_USAGE;
		}
		names_add(names, name);
	}
	return EXIT_OK;
}

/* Add UUID, number, node and partition devices of an active device to the result of the device. */
static void activate_add_active(struct json_object *out, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_partitions_ struct partition_devices parts = { 0 };

	if (devmap_info(name, &dev))
		return;
	output_add_device(out, &dev);
	if (!partitions_find(&dev, &parts) && parts.nr)
		json_object_object_add(out, "partitions", partitions_list(&parts));
}

/*
 * Handle one device, and add its result to the output. saved_unit() starts or stops the unit of the
 * device with systemctl; it does nothing in the unit itself, or without systemd.
 */
static void activate_do(struct activate_run *run, const char *name)
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
	if (state && run->activates && opt(run->o, OPT_JSON))
		activate_add_active(device, name);
	json_object_array_add(run->devices, device);
	if (state && !opt(run->o, OPT_JSON))
		log_print_now("%s: %s\n", name, state);
}

/*
 * Try each device that was not tried before; if @ready_only is true, try only ready devices.
 * Return: true if any device was tried.
 */
static bool activate_round(struct activate_run *run, bool ready_only)
{
	bool (*is_ready)(const char *name) = run->activates ? activate_is_ready :
							      deactivate_is_ready;
	bool any = false;
	unsigned int i;

	for (i = 0; i < run->names.nr && !stop_requested(); i++) {
		char *name = run->names.name[i];

		if (!name || (ready_only && !is_ready(name)))
			continue;
		activate_do(run, name);
		free(name);
		run->names.name[i] = NULL;
		any = true;
	}
	return any;
}

static int activate_all(const struct options *o, int argc, char **argv, bool activates)
{
	struct activate_run run = {
		.o = o, .activates = activates, .devices = json_object_new_array(),
	};
	struct json_object *out = output_new(activates ? "activate" : "deactivate");
	int r = activate_collect(&run.names, o, argc, argv);

	json_object_object_add(out, "devices", run.devices);
	while (!r && activate_round(&run, true))
		;
	if (!r) {
		activate_round(&run, false);
		r = run.failed || stop_requested() ? EXIT_FAILED : EXIT_OK;
		if (opt(o, OPT_DRY_RUN))
			output_add_bool(out, "dry_run", true);
		/*
		 * a dry run has already printed the plan of each device that is not in run.devices
		 */
		if (json_object_array_length(run.devices) || !run.names.nr)
			output_print(o, json_object_get(out));
	}
	json_object_put(out);
	names_free(&run.names);
	return r;
}

int cmd_activate(const struct options *o, int argc, char **argv)
{
	return activate_all(o, argc, argv, true);
}

int cmd_deactivate(const struct options *o, int argc, char **argv)
{
	return activate_all(o, argc, argv, false);
}
