// SPDX-License-Identifier: GPL-2.0-only
/* noclone version */
#include <json-c/json.h>
#include <stdio.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "system/devmap.h"
#include "system/module.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

int cmd_version(const struct options *o, int argc __unused, char **argv __unused)
{
	_cleanup_free_ char *library = NULL, *driver = NULL, *module = module_version();
	struct json_object *out = output_new("version");

	devmap_versions(&library, &driver);
	output_add_string(out, "libdevmapper", library);
	output_add_string(out, "driver", driver);
	output_add_string(out, "module", module);
	if (!output_print(o, out))
		printf("noclone " TOOL_VERSION "\nlibdevmapper %s\ndevice-mapper driver %s\nmodule "
		       NOCLONE_MODULE_NAME " %s\n", library, driver ? driver : "not loaded",
		       module ? module : "not loaded");
	return EXIT_OK;
}
