// SPDX-License-Identifier: GPL-2.0-only
/* Which mapped devices a command works on, and whether it may. */
#include "cli/select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/live.h"

#define DEV_DIR		"/dev/"
#define MAPPER_DIR	DEV_DIR "mapper/"

char *select_new_name(const char *word)
{
	bool below = str_starts(word, MAPPER_DIR);

	return xstrdup(below ? word + strlen(MAPPER_DIR) : word);
}

/* The name of the mapped device behind a node, or NULL. */
static char *select_name_of_node(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return NULL;
	return blockdev_mapped_name(st.st_rdev);
}

static bool select_is_name(const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !strchr(word, '/') && !devmap_info(word, &dev);
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
	name = select_name_of_node(node);
	if (name)
		return name;
	lv = devmap_name_of_lv(str_starts(word, DEV_DIR) ? word + strlen(DEV_DIR) :
							   word);
	return xstrdup(lv && select_is_name(lv) ? lv : word);
}

int select_device(const char *word, struct devmap_device *dev)
{
	_cleanup_free_ char *name = select_name(word);
	int r = devmap_info(name, dev);

	if (r && !devmap_is_absent(r))
		log_err("%s: %s", name, devmap_reason(r));
	else if (r)
		log_err("%s: no such device; \"noclone status --all\" shows those that there are", name);
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
	return select_unread(name, live_table(name, t));
}

int select_live(const char *name, struct live *live)
{
	return select_unread(name, live_get(name, live));
}

struct group {
	const char *name;
	bool found;
};

static void select_look_for_volume(const char *name, void *data)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *lv = devmap_lv_of_name(name);
	struct group *g = data;
	size_t length = strlen(g->name);

	if (lv && !strncmp(lv, g->name, length) && lv[length] == '/' &&
	    !devmap_info(name, &dev) && origin_is_lvm(dev.uuid))
		g->found = true;
}

/* For all devices that the word is about, if it is not about one: a new string, or NULL. */
static char *select_pattern_of(const char *word)
{
	struct group group = { .name = word };

	if (strpbrk(word, "*?["))
		return xstrdup(word);
	devmap_for_each(select_look_for_volume, &group);
	return group.found ? xasprintf("%s/*", word) : NULL;
}

int select_or_pattern(const char *word, const char *option, struct devmap_device *dev)
{
	_cleanup_free_ char *name = select_name(word), *pattern = NULL, *quoted = NULL;
	int r = devmap_info(name, dev);

	if (!r)
		return 0;
	if (devmap_is_absent(r))
		pattern = select_pattern_of(word);
	if (!pattern)
		return select_device(word, dev);
	quoted = shell_quote(pattern);
	log_err("%s: no such device; for all that match, give --%s %s instead", word, option,
		quoted);
	return r;
}

static bool select_is_noclone_device(const struct devmap_device *dev)
{
	_cleanup_table_ struct table t = { 0 };

	return str_starts(dev->uuid, NOCLONE_UUID_PREFIX) ||
	       (!live_table(dev->name, &t) && table_has_noclone(&t));
}

int select_check_owner(const struct options *o, const struct devmap_device *dev)
{
	if (opt(o, OPT_FORCE) || str_starts(dev->uuid, NOCLONE_UUID_PREFIX))
		return 0;
	if (!*dev->uuid && select_is_noclone_device(dev))
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
	free(names->missing);
	memset(names, 0, sizeof(*names));
}

static void select_add_name(struct names *names, char *name)
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

	if (!devmap_info(name, &dev) && (s->all || select_is_noclone_device(&dev)))
		select_add_name(s->names, xstrdup(name));
}

static int select_all(struct names *names, bool all)
{
	struct selection selection = { names, all };
	int r = devmap_for_each(select_one, &selection);

	/* no driver, no devices: nothing to complain about */
	if (r == -ENODEV)
		return 0;
	if (r)
		log_err("cannot list devices: %s", devmap_reason(r));
	return r;
}

int select_names(struct names *names, int argc, char **argv, bool all)
{
	int i;

	memset(names, 0, sizeof(*names));
	if (!argc)
		return select_all(names, all);
	for (i = 0; i < argc; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };
		_cleanup_free_ char *name = select_name(argv[i]);

		if (!devmap_info(name, &dev)) {
			select_add_name(names, xstrdup(dev.name));
			continue;
		}
		GROW(names->missing, names->nr_missing);
		names->missing[names->nr_missing++] = argv[i];
	}
	return 0;
}

int select_complain(const struct names *names)
{
	unsigned int i;
	int r = 0;

	for (i = 0; i < names->nr_missing; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		/* stdout may be buffered, and what exists comes first */
		fflush(stdout);
		r = select_device(names->missing[i], &dev) ?: r;
	}
	return r;
}
