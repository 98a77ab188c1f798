// SPDX-License-Identifier: GPL-2.0-only
/* noclone explain: who uses a device or file. */
#include "cmd/explain-uses.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "cli/output.h"

void explain_print_uses(const struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses->use[i]);

		if (uses->use[i].kind != USE_SIGNATURE)
			printf("    %s\n", text);
	}
	if (!uses->nr)
		puts("    not in use");
}

struct json_object *explain_uses_json(const struct uses *uses)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < uses->nr; i++) {
		struct json_object *o = json_object_new_object();

		output_add_string(o, "kind", use_kind_name(uses->use[i].kind));
		output_add_string(o, "by", uses->use[i].by);
		json_object_array_add(array, o);
	}
	return array;
}
