// SPDX-License-Identifier: GPL-2.0-only
/* What several commands share. */
#include "cli/common.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/table-print.h"
#include "system/blockdev.h"
#include "system/live.h"
#include "cli/output.h"

#define MAPPER_DIR	"/dev/mapper/"

char *mapped_name(const char *word)
{
	struct stat st;
	char *name;

	if (str_starts(word, MAPPER_DIR))
		return xstrdup(word + strlen(MAPPER_DIR));
	if (*word == '/' && !stat(word, &st) && S_ISBLK(st.st_mode)) {
		name = blockdev_mapped_name(st.st_rdev);
		if (name)
			return name;
	}
	return xstrdup(word);
}

int get_device(const char *word, struct devmap_device *dev)
{
	_cleanup_free_ char *name = mapped_name(word);
	int r = devmap_info(name, dev);

	if (r == -EACCES || r == -EPERM)
		log_err("%s: not permitted: root is needed", name);
	else if (r)
		log_err("%s: no such device", name);
	return r;
}

bool is_noclone_device(const struct devmap_device *dev)
{
	_cleanup_table_ struct table t = { 0 };

	return str_starts(dev->uuid, NOCLONE_UUID_PREFIX) ||
	       (!live_table(dev->name, &t) && table_has_noclone(&t));
}

bool may_touch(const struct options *o, const struct devmap_device *dev)
{
	if (opt(o, OPT_FORCE) || str_starts(dev->uuid, NOCLONE_UUID_PREFIX))
		return true;
	if (!*dev->uuid && is_noclone_device(dev))
		return true;
	if (*dev->uuid)
		log_err("%s was not made by noclone (UUID %s): leave it to its owner, or give --force",
			dev->name, dev->uuid);
	else
		log_err("%s has no target of this module: use dmsetup, or give --force",
			dev->name);
	return false;
}

bool confirm(const struct options *o, const char *fmt, ...)
{
	_cleanup_free_ char *question = NULL;
	char answer[16];
	va_list ap;

	va_start(ap, fmt);
	question = xvasprintf(fmt, ap);
	va_end(ap);
	if (opt(o, OPT_YES))
		return true;
	if (!isatty(STDIN_FILENO)) {
		log_err("%s: give --yes if that is meant", question);
		return false;
	}
	fprintf(stderr, "%s. Go on? [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

void names_free(struct names *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++)
		free(names->name[i]);
	free(names->name);
	memset(names, 0, sizeof(*names));
}

static void add_name(struct names *names, char *name)
{
	GROW(names->name, names->nr);
	names->name[names->nr++] = name;
}

struct selection {
	struct names *names;
	bool all;
};

static void select_one(const char *name, void *data)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	const struct selection *s = data;

	if (!devmap_info(name, &dev) && (s->all || is_noclone_device(&dev)))
		add_name(s->names, xstrdup(name));
}

static int select_all(struct names *names, bool all)
{
	struct selection selection = { names, all };
	int r = devmap_for_each(select_one, &selection);

	/* no driver, no devices: nothing to complain about */
	if (r == -ENODEV)
		return 0;
	if (r)
		log_err("cannot list devices: %s", strerror(-r));
	return r;
}

int select_names(struct names *names, int argc, char **argv, bool all)
{
	int i, r;

	memset(names, 0, sizeof(*names));
	if (!argc)
		return select_all(names, all);
	for (i = 0; i < argc; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		r = get_device(argv[i], &dev);
		if (r)
			return r;
		add_name(names, xstrdup(dev.name));
	}
	return 0;
}

char *dmsetup_with_table(const char *verb, const char *name,
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
							 NULL, NULL);
		_cleanup_free_ char *quoted = shell_quote(line);

		if (t->nr > 1)
			strbuf_add(&b, " %s", quoted);
		else
			strbuf_add(&b, "dmsetup %s %s%s --table %s", verb,
				   quoted_name, options, quoted);
	}
	if (t->nr > 1)
		strbuf_add(&b, " | dmsetup %s %s%s", verb, quoted_name, options);
	return strbuf_take(&b);
}

static void dry_run_json(const char *command, const char *name,
			 const char *uuid, const char *table,
			 const struct problems *problems, const char *dmsetup)
{
	struct json_object *out = output_new(command);

	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", name);
	if (uuid)
		output_add_string(out, "uuid", uuid);
	if (table)
		json_object_object_add(out, "table", output_lines(table));
	if (problems)
		json_object_object_add(out, "problems",
				       output_problems(problems));
	output_add_string(out, "dmsetup", dmsetup);
	output_print(out);
	json_object_put(out);
}

void dry_run(const struct options *o, const char *command, const char *name,
	     const char *uuid, const struct table *t,
	     const struct problems *problems, const char *dmsetup)
{
	_cleanup_free_ char *table = t ? table_print(t, false, NULL, NULL) :
					 NULL;

	if (opt(o, OPT_JSON)) {
		dry_run_json(command, name, uuid, table, problems, dmsetup);
		return;
	}
	if (table)
		puts(table);
	puts(dmsetup);
}
