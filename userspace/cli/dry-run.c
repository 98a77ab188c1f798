// SPDX-License-Identifier: GPL-2.0-only
/* What a command would do: its table and the dmsetup command line. */
#include "cli/dry-run.h"

#include <json-c/json.h>
#include <stdio.h>

#include "base/util.h"
#include "model/name.h"
#include "model/table-text.h"
#include "system/identity.h"
#include "cli/output.h"

char *dry_run_dmsetup(const char *verb, const char *name,
		      const char *options, const struct table *t)
{
	_cleanup_free_ char *quoted_name = shell_quote(name);
	struct strbuf b = { 0 };
	unsigned int i;

	/* --table takes one line only, so longer tables go through a pipe */
	if (t->nr > 1)
		strbuf_add(&b, "printf '%%s\\n'");
	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *line = target_print(&t->targets[i], false,
							 identity_loadable, NULL);
		_cleanup_free_ char *quoted = shell_quote(line);

		if (t->nr > 1)
			strbuf_add(&b, " %s", quoted);
		else
			strbuf_add(&b, "%s %s %s%s --table %s", name_dmsetup(name),
				   verb, quoted_name, options, quoted);
	}
	if (t->nr > 1)
		strbuf_add(&b, " | %s %s %s%s", name_dmsetup(name), verb, quoted_name,
			   options);
	return strbuf_take(&b);
}

char *dry_run_reload(const struct options *o, const char *name, bool readonly,
		     const struct table *t)
{
	_cleanup_free_ char *resume = name_command("resume", name);
	_cleanup_free_ char *load = dry_run_dmsetup("reload", name,
						    readonly ? " --readonly" : "", t);

	return xasprintf("%s && %s%s", load, resume,
			 opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : "");
}

static void dry_run_json(const char *command, const char *name,
			 const char *uuid, const char *table,
			 const struct findings *findings, const char *dmsetup)
{
	struct json_object *out = output_new(command);

	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", name);
	if (uuid)
		output_add_string(out, "uuid", uuid);
	if (table)
		json_object_object_add(out, "table", output_lines(table));
	if (findings)
		output_add_findings(out, findings, FINDING_OK);
	output_add_string(out, "dmsetup", dmsetup);
	output_print(out);
	json_object_put(out);
}

void dry_run(const struct options *o, const char *command, const char *name,
	     const char *uuid, const struct table *t,
	     const struct findings *findings, const char *dmsetup)
{
	_cleanup_free_ char *table = t ? table_print(t, false, identity_loadable, NULL) :
					 NULL;

	if (opt(o, OPT_JSON)) {
		dry_run_json(command, name, uuid, table, findings, dmsetup);
		return;
	}
	if (table)
		puts(table);
	puts(dmsetup);
}
