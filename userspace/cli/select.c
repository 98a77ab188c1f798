// SPDX-License-Identifier: GPL-2.0-only
/* Find the mapped devices that a command works on, and check that the command may change them. */
#include "cli/select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/live.h"
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

/*
 * Return: the name that LVM gives to the device of a word VG/LV, a new string; NULL if the word
 * does not have this form.
 */
static char *select_name_of_volume(const char *word)
{
	const char *slash = strchr(word, '/');
	struct strbuf b = { 0 };

	/*
	 * a word without a slash, or with two slashes, is refused: "a-b" is not the device a--b,
	 * and "a/b/c" is not the device a-b-c
	 */
	if (!slash || slash == word || !slash[1] || strchr(slash + 1, '/'))
		return NULL;
	for (; *word; word++)
		strbuf_putc(&b, *word == '/' ? '-' : *word, *word == '-' ? 2 : 1);
	return strbuf_take(&b);
}

/*
 * If @word is the name of an existing device, in the form of the kernel or in the form that dmsetup
 * shows, the function returns the name of this device, even if the word looks like dm-N. For any
 * other word, it looks for the nodes /dev/VG/LV and /dev/dm-N. If there is no such node, for
 * example without udev, it makes the name from VG/LV as LVM does.
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

/* Print why there is no device: @word is the word of the user, and @name is the name in this word. */
static void select_say_absent(const char *word, const char *name)
{
	_cleanup_free_ char *quoted = shell_quote(word);
	struct stat st;

	if (strpbrk(name, "*?["))
		log_err("%s: no such mapped device; only \"enable --include\" takes a pattern: it makes a rule for all devices that match the pattern",
			shown(name));
	else if (!stat(word, &st) && S_ISREG(st.st_mode))
		log_err("%s: no such mapped device; it is a file: \"noclone status %s\" prints the devices on this file",
			shown(name), quoted);
	else
		log_err("%s: no such mapped device; \"noclone status --all\" lists all devices",
			shown(name));
}

int select_device(const char *word, struct devmap_device *dev)
{
	_cleanup_free_ char *name = select_name(word), *activate = name_noclone("activate", name);
	int r = devmap_info(name, dev);

	if (r && !devmap_is_absent(r))
		log_err("%s: %s", name, devmap_reason(r));
	else if (r && saved_file_exists(name))
		log_err("%s is saved, but not active: \"%s\" activates the device", name, activate);
	else if (r)
		select_say_absent(word, name);
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

	return name_uuid_is_noclone(dev->uuid) ||
	       (!devmap_table_of(dev, DEVMAP_TABLE, &t) && table_has_noclone(&t));
}

int select_check_owner(const struct options *o, const struct devmap_device *dev)
{
	if (opt(o, OPT_FORCE) || name_uuid_is_noclone(dev->uuid) ||
	    (!*dev->uuid && select_is_noclone_device(dev)))
		return 0;
	if (*dev->uuid)
		log_err("%s was not made by noclone (its UUID is %s): use the tool that made this device, or give --force",
			dev->name, dev->uuid);
	else
		log_err("%s has no target of dm-noclone: use dmsetup, or give --force",
			dev->name);
	return -EPERM;
}

int select_check_alone(const struct devmap_device *dev, const char *force)
{
	const char *verb = dev->suspended ? "resume" : "clear";
	_cleanup_free_ char *command = name_command(verb, dev->name);

	if (dev->suspended)
		log_err("%s: it is suspended; \"%s\" resumes it%s", dev->name, command, force);
	else if (dev->inactive_table)
		log_err("%s: another process has loaded a second table: \"%s\" drops this table%s", dev->name,
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

/*
 * Return: the backing file of a target, or of the loop device that is a leg. If the module was
 * missing when the device was activated, the device has a loop device in place of the file.
 */
static struct file_id select_file_of(const struct target *target, unsigned int leg)
{
	_cleanup_free_ char *file = target->path ? NULL :
		blockdev_attribute(blockdev_number(target->legs[leg].device), "loop/backing_file");

	return file ? file_id_of(file) : target->id;
}

static bool select_has_file(const struct live *live, const struct file_id *id)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(&live->table, target, &i))) {
		const struct file_id file = select_file_of(target, i);

		if (file_id_same(&file, id))
			return true;
	}
	return false;
}

bool select_file(struct names *names, const char *word)
{
	_cleanup_names_ struct names found = { 0 };
	_cleanup_free_ char *plain = select_new_name(word);
	struct file_id id;
	struct stat st;
	unsigned int i;
	int r;

	if (select_is_name(plain) || stat(word, &st) || !S_ISREG(st.st_mode))
		return false;
	r = devmap_names(&found);
	/*
	 * without the driver of device-mapper there are no devices; after another error, the caller
	 * calls select_device(), which prints the error
	 */
	if (r && r != -ENODEV)
		return false;
	id = file_id_of(word);
	for (i = 0; i < found.nr; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };
		_cleanup_live_ struct live live = { 0 };

		if (!live_look(found.name[i], &dev, &live) && select_has_file(&live, &id))
			names_add(names, dev.name);
	}
	return true;
}

/*
 * Add the devices that one word of the command line gives to @names. Return: 0, or a negative errno
 * after a message.
 */
static int select_word(struct names *names, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	unsigned int nr = names->nr;
	int r;

	if (select_file(names, word)) {
		if (names->nr > nr)
			return 0;
		log_err("%s: no mapped device uses this file", shown(word));
		return -ENXIO;
	}
	r = select_device(word, &dev);
	if (!r)
		names_add(names, dev.name);
	return r;
}

int select_names(struct names *names, int argc, char **argv, bool all)
{
	_cleanup_names_ struct names found = { 0 };
	int i, r = argc ? 0 : devmap_names(&found);
	unsigned int j;

	/* without the driver of device-mapper there are no devices, and this is no error */
	if (r == -ENODEV)
		return 0;
	if (r)
		log_err("cannot list devices: %s", devmap_reason(r));
	for (j = 0; j < found.nr; j++)
		if (all || select_is_noclone_name(found.name[j]))
			names_add(names, found.name[j]);
	for (i = 0; i < argc; i++)
		r = select_word(names, argv[i]) ? : r;
	return r;
}
