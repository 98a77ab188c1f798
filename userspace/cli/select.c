// SPDX-License-Identifier: GPL-2.0-only
/* Which mapped devices a command works on, and whether it may. */
#include "cli/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/live.h"

#define MAPPER_DIR	"/dev/mapper/"

char *select_name(const char *word)
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

int select_device(const char *word, struct devmap_device *dev)
{
	_cleanup_free_ char *name = select_name(word);
	int r = devmap_info(name, dev);

	if (r == -EACCES || r == -EPERM)
		log_err("%s: not permitted: root is needed", name);
	else if (r)
		log_err("%s: no such device", name);
	return r;
}

static bool is_noclone_device(const struct devmap_device *dev)
{
	_cleanup_table_ struct table t = { 0 };

	return str_starts(dev->uuid, NOCLONE_UUID_PREFIX) ||
	       (!live_table(dev->name, &t) && table_has_noclone(&t));
}

int select_check_owner(const struct options *o, const struct devmap_device *dev)
{
	if (opt(o, OPT_FORCE) || str_starts(dev->uuid, NOCLONE_UUID_PREFIX))
		return 0;
	if (!*dev->uuid && is_noclone_device(dev))
		return 0;
	if (*dev->uuid)
		log_err("%s was not made by noclone (UUID %s): use the tool that made it, or give --force",
			dev->name, dev->uuid);
	else
		log_err("%s has no target of this module: use dmsetup, or give --force",
			dev->name);
	return -EPERM;
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

		r = select_device(argv[i], &dev);
		if (r)
			return r;
		add_name(names, xstrdup(dev.name));
	}
	return 0;
}
