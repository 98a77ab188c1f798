// SPDX-License-Identifier: GPL-2.0-only
/* Which mapped devices a command works on, and whether it may. */
#include "cli/select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"
#include "system/lookup.h"
#include "system/saved-file.h"

#define DEV_DIR		"/dev/"
#define MAPPER_DIR	DEV_DIR "mapper/"

char *select_new_name(const char *word)
{
	bool below = str_starts(word, MAPPER_DIR);

	return xstrdup(below ? word + strlen(MAPPER_DIR) : word);
}

static bool select_is_name(const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !strchr(word, '/') && !devmap_info(word, &dev);
}

/* What LVM makes of VG/LV: a new string, NULL if the word is not of that form. */
static char *select_name_of_volume(const char *word)
{
	const char *slash = strchr(word, '/');
	struct strbuf b = { 0 };

	/* "a-b" is not the device a--b, and neither is "a/b/c" a-b-c */
	if (!slash || slash == word || !slash[1] || strchr(slash + 1, '/'))
		return NULL;
	for (; *word; word++)
		strbuf_putc(&b, *word == '/' ? '-' : *word, *word == '-' ? 2 : 1);
	return strbuf_take(&b);
}

/*
 * A name that exists is a name, whatever it looks like, and so is what dmsetup shows of
 * it.  Else the nodes are asked: there are /dev/VG/LV and /dev/dm-N.  LVM's names are
 * put together where there is no node, as without udev.
 */
char *select_name(const char *word)
{
	_cleanup_free_ char *plain = select_new_name(word), *encoded = name_encode(plain);
	_cleanup_free_ char *node = NULL, *lv = NULL;
	char *name;

	if (select_is_name(plain))
		return xstrdup(plain);
	if (!strchr(plain, '/') && select_is_name(encoded))
		return xstrdup(encoded);
	if (str_starts(word, MAPPER_DIR))
		return xstrdup(plain);
	node = *word == '/' ? xstrdup(word) : xasprintf(DEV_DIR "%s", word);
	name = blockdev_mapped_name(blockdev_at(node));
	if (name)
		return name;
	lv = select_name_of_volume(str_starts(word, DEV_DIR) ? word + strlen(DEV_DIR) : word);
	return xstrdup(lv && select_is_name(lv) ? lv : word);
}

int select_device(const char *word, struct devmap_device *dev)
{
	_cleanup_free_ char *name = select_name(word), *activate = name_noclone("activate", name);
	int r = devmap_info(name, dev);

	if (r && !devmap_is_absent(r))
		log_err("%s: %s", name, devmap_reason(r));
	else if (r && saved_file_exists(name))
		log_err("%s is saved, but not active: %s", name, activate);
	else if (r)
		log_err("%s: no such mapped device; %s", shown(name), strpbrk(name, "*?[") ?
			"a pattern is for the --include of enable, as a rule for all that it matches" :
			"\"noclone status --all\" shows those that there are");
	return r;
}

static int select_unread(const char *name, int r)
{
	if (r)
		log_err("%s: cannot read its table: %s", name, devmap_reason(r));
	return r;
}

int select_table(const char *name, struct table *t)
{
	return select_unread(name, devmap_table(name, DEVMAP_TABLE, t));
}

int select_live(const struct devmap_device *dev, struct live *live)
{
	return select_unread(dev->name, live_get_of(dev, live));
}

static bool select_is_noclone_device(const struct devmap_device *dev)
{
	_cleanup_table_ struct table t = { 0 };

	return str_starts(dev->uuid, NOCLONE_UUID_PREFIX) ||
	       (!devmap_table_of(dev, DEVMAP_TABLE, &t) && table_has_noclone(&t));
}

int select_check_owner(const struct options *o, const struct devmap_device *dev)
{
	if (opt(o, OPT_FORCE) || str_starts(dev->uuid, NOCLONE_UUID_PREFIX) ||
	    (!*dev->uuid && select_is_noclone_device(dev)))
		return 0;
	if (*dev->uuid)
		log_err("%s was not made by noclone (UUID %s): use the tool that made it, or give --force",
			dev->name, dev->uuid);
	else
		log_err("%s has no target of this module: use dmsetup, or give --force",
			dev->name);
	return -EPERM;
}

int select_check_alone(const struct devmap_device *dev, const char *force)
{
	const char *verb = dev->suspended ? "resume" : "clear";
	_cleanup_free_ char *command = name_command(verb, dev->name);

	if (dev->suspended)
		log_err("%s: it is suspended; to resume it: %s%s", dev->name, command, force);
	else if (dev->inactive_table)
		log_err("%s: another process has loaded a table: \"%s\" drops that%s", dev->name,
			command, force);
	else
		return 0;
	return -EBUSY;
}

static bool select_is_noclone_name(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !devmap_info(name, &dev) && select_is_noclone_device(&dev);
}

int select_names(struct names *names, int argc, char **argv, bool all)
{
	_cleanup_names_ struct names found = { 0 };
	int i, r = argc ? 0 : devmap_names(&found);
	unsigned int j;

	/* no driver, no devices: nothing to complain about */
	if (r == -ENODEV)
		return 0;
	if (r)
		log_err("cannot list devices: %s", devmap_reason(r));
	for (j = 0; j < found.nr; j++)
		if (all || select_is_noclone_name(found.name[j]))
			names_add(names, found.name[j]);
	for (i = 0; i < argc; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };
		int absent = select_device(argv[i], &dev);

		if (!absent)
			names_add(names, dev.name);
		r = absent ?: r;
	}
	return r;
}
