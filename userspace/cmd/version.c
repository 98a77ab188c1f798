// SPDX-License-Identifier: GPL-2.0-only
/* noclone version */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cmd/cmd.h"

/* Versions of this module's targets, if it is loaded. */
static struct json_object *version_target_versions(void)
{
	struct json_object *out = json_object_new_object();
	struct devmap_version *v;
	unsigned int i, nr;

	if (devmap_target_versions(&v, &nr))
		return out;
	for (i = 0; i < nr; i++) {
		_cleanup_free_ char *text = xasprintf("%u.%u.%u", v[i].number[0],
						      v[i].number[1],
						      v[i].number[2]);

		if (str_starts(v[i].name, "noclone-"))
			json_object_object_add(out, v[i].name,
					       json_object_new_string(text));
		free(v[i].name);
	}
	free(v);
	return out;
}

int cmd_version(const struct options *o, int argc __unused, char **argv __unused)
{
	_cleanup_free_ char *library = NULL, *driver = NULL;
	struct json_object *out = output_new("version");
	struct json_object *targets;

	devmap_versions(&library, &driver);
	targets = version_target_versions();
	json_object_object_add(out, "libdevmapper", output_string(library));
	json_object_object_add(out, "driver", output_string(driver));
	json_object_object_add(out, "targets", json_object_get(targets));
	if (opt(o, OPT_JSON)) {
		output_print(out);
	} else {
		puts("noclone " TOOL_VERSION);
		printf("libdevmapper %s\ndevice-mapper driver %s\n", library,
		       driver ? driver : "not loaded");
		json_object_object_foreach(targets, name, version)
			printf("target %s %s\n", name,
			       json_object_get_string(version));
		if (!json_object_object_length(targets))
			puts("module " NOCLONE_MODULE_NAME " is not loaded");
	}
	json_object_put(targets);
	json_object_put(out);
	return EXIT_OK;
}
