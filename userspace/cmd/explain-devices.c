// SPDX-License-Identifier: GPL-2.0-only
/* noclone explain: the devices under a table. */
#include "cmd/explain-devices.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/identity.h"
#include "cli/output.h"
#include "cmd/explain-uses.h"

/* Each device is explained once, however many legs it has. */
struct seen {
	dev_t *devno;
	unsigned int nr;
};

static bool explain_seen_before(struct seen *s, dev_t devno)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->devno[i] == devno)
			return true;
	GROW(s->devno, s->nr);
	s->devno[s->nr++] = devno;
	return false;
}

static void explain_print_device(const char *name, const char *head,
				 const struct device_facts *f,
				 const struct identity *id,
				 const struct uses *uses)
{
	_cleanup_free_ char *size = size_format_short(f->sectors);

	printf("  %s: %s, %u:%u, blocks of %u bytes%s%s%s%s\n", head, size,
	       major(f->devno), minor(f->devno), f->logical_block,
	       f->readonly ? ", read-only" : "",
	       id->model ? ", " : "", id->model ? id->model : "",
	       f->zone_sectors ? ", zoned" : "");
	if (id->wwn)
		printf("    serial %s\n", id->wwn);
	if (id->persistent && strcmp(id->persistent, name))
		printf("    persistent name %s\n", id->persistent);
	if (id->type)
		printf("    signature %s%s%s\n", id->type,
		       id->label ? ", label " : "", id->label ? id->label : "");
	explain_print_uses(uses);
}

static struct json_object *explain_device_json(const char *name,
					       const struct device_facts *f,
					       const struct identity *id,
					       const struct uses *uses)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "device", name);
	output_add_string(o, "path", f->path);
	output_add_number(o, "major", major(f->devno));
	output_add_number(o, "minor", minor(f->devno));
	output_add_number(o, "sectors", f->sectors);
	output_add_number(o, "logical_block_size", f->logical_block);
	output_add_number(o, "physical_block_size", f->physical_block);
	output_add_bool(o, "readonly", f->readonly);
	output_add_string(o, "model", id->model);
	output_add_string(o, "serial", id->wwn);
	output_add_string(o, "persistent_name", id->persistent);
	output_add_string(o, "type", id->type);
	output_add_string(o, "label", id->label);
	json_object_object_add(o, "uses", explain_uses_json(uses));
	return o;
}

static void explain_device(const char *name, const struct troubles *troubles,
			   struct seen *seen, struct json_object *array,
			   bool json)
{
	_cleanup_identity_ struct identity id = { 0 };
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };

	if (blockdev_lookup(name, &f)) {
		if (!json)
			printf("  %s: not found\n",
			       troubles_head(troubles, name));
		return;
	}
	if (explain_seen_before(seen, f.devno))
		return;
	query.sectors = f.sectors;
	identity_lookup(&f, &id);
	device_uses_collect(&uses, &query);
	if (json)
		json_object_array_add(array, explain_device_json(name, &f, &id, &uses));
	else
		explain_print_device(name, troubles_head(troubles, name), &f, &id,
				     &uses);
}

void explain_devices(const struct table *t, const struct troubles *troubles,
		     struct json_object *array, bool json)
{
	struct seen seen = { 0 };
	unsigned int i, j;
	bool any = false;

	for (i = 0; i < t->nr; i++)
		any |= !t->targets[i].path;
	if (!json && any)
		puts("\nDevices:");
	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++)
			explain_device(t->targets[i].legs[j].device, troubles,
				       &seen, array, json);
	free(seen.devno);
}
