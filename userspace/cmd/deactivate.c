// SPDX-License-Identifier: GPL-2.0-only
/* noclone deactivate: remove saved devices that are not in use, and keep their files. */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/child.h"
#include "base/util.h"
#include "model/name.h"
#include "system/signatures.h"
#include "system/saved-file.h"
#include "system/users.h"
#include "cli/select.h"

/* The device of a file, which may have another name by now; an error of devmap_info(). */
static int deactivate_find(const char *name, const struct saved *s, struct devmap_device *dev)
{
	_cleanup_free_ char *active = s->uuid ? devmap_name_of_uuid(s->uuid) : NULL;
	int r = devmap_info(active ? active : name, dev);

	if (!r && strcmp(dev->name, name))
		log_note("%s is active under the name %s", name, dev->name);
	if (r && !devmap_is_absent(r))
		log_err("%s: %s", name, devmap_reason(r));
	return r;
}

/*
 * The device holds its legs, so all data on them was written through it, and their signatures
 * are recorded.  It does not hold the rest of their disks, whose record stays.  What an interrupted
 * command has left is for the user to judge, and would go; what "activate --force" has accepted is
 * so until "save".
 */
static void deactivate_record(const char *file, struct saved *s)
{
	_cleanup_free_ char *left = saved_file_leftover(file, s->uuid), *path = saved_path(file);
	_cleanup_free_ char *text = NULL;
	sigset_t before;
	int r;

	if (left || saved_file_is_forced(file) || saved_file_unwritable(file) ||
	    signatures_record(&s->table, false, false))
		return;
	text = saved_print(s);
	if (saved_file_says(file, text))
		return;
	signals_block(&before);
	r = replace_file(path, text);
	signals_unblock(&before);
	if (r)
		log_warn("%s: what its legs have by now cannot be recorded: %s", file,
			 strerror(-r));
}

/* What would be lost, its table or the data of a file: a new string, or NULL. */
static char *deactivate_loss(const struct devmap_device *dev, const struct saved *s,
			     const char *damage, enum saved_match *match)
{
	_cleanup_free_ char *save = name_noclone("save", dev->name);
	_cleanup_table_ struct table live = { 0 };

	if (damage)
		return xasprintf("its file is damaged (%s), \"%s\" writes it again", damage,
				 save);
	devmap_table_of(dev, DEVMAP_TABLE, &live);
	*match = saved_file_compare(&s->table, &live);
	if (*match == SAVED_DIFFERS)
		return xasprintf("it has another table than the one that is saved, which comes back, \"%s\" keeps its table",
				 save);
	return live_lost_file(dev, true);
}

/*
 * Return: false after a message, if the device has to stay.  What its file says is no reason
 * at shutdown, which gives --force; /etc may be read-only by then.
 */
static bool deactivate_check(const struct options *o, const char *file, struct saved *s,
			     const char *damage, const struct devmap_device *dev)
{
	bool other = s->uuid ? strcmp(s->uuid, dev->uuid) :
			       !str_starts(dev->uuid, NOCLONE_UUID_PREFIX);
	enum saved_match match = SAVED_UNKNOWN;
	_cleanup_free_ char *loss = other ? NULL : deactivate_loss(dev, s, damage, &match);
	const struct target *hidden = table_hidden(&s->table);
	_cleanup_free_ char *remove = name_noclone("remove", dev->name);

	if (hidden)
		log_warn("%s: target \"%s\" is not of this module: its arguments may differ from those in its file",
			 dev->name, hidden->type);

	/* it may have the name that another device had when that was saved */
	if (other)
		log_err("%s stays active: it is not the device that is saved under its name (UUID %s); %s removes it",
			dev->name, *dev->uuid ? dev->uuid : "none", remove);
	else if (loss && opt(o, OPT_FORCE))
		log_warn("%s: %s", dev->name, loss);
	else if (loss)
		log_err("%s stays active: %s; --force deactivates it", dev->name, loss);
	/* also while it is in use: at shutdown LVM, for example, may keep it to the end */
	if (!loss && match == SAVED_SAME && !opt(o, OPT_DRY_RUN))
		deactivate_record(file, s);
	return !other && (!loss || opt(o, OPT_FORCE));
}

static const char *deactivate_remove(const struct options *o, const char *file,
				     const struct devmap_device *dev)
{
	int r = remove_unused(o, "deactivate", dev, NULL);

	/* with udev late, it is gone */
	if (r && r != -ETIMEDOUT)
		return NULL;
	if (opt(o, OPT_DRY_RUN))
		return "";
	saved_file_set_forced(file, false);
	return "deactivated";
}

static const char *deactivate_saved(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_close_ int lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(name);
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *damage = NULL;
	int r;

	if (lock < 0 && !opt(o, OPT_DRY_RUN))
		return NULL;
	damage = saved_file_peek(name, &s);
	r = deactivate_find(name, &s, &dev);
	if (r)
		return devmap_is_absent(r) ? "not active" : NULL;
	if (dev.live_table && !opt(o, OPT_FORCE) &&
	    select_check_alone(&dev, "; --force deactivates it"))
		return NULL;
	return deactivate_check(o, name, &s, damage, &dev) ? deactivate_remove(o, name, &dev) : NULL;
}

/* A device that is not saved leaves no file of a lock behind. */
const char *deactivate_device(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *file = NULL, *hint = NULL;

	if (saved_file_exists(name))
		return deactivate_saved(o, name);
	if (!devmap_info(name, &dev))
		file = saved_file_of(name, dev.uuid);
	hint = file ? name_noclone("deactivate", file) : name_noclone("remove", name);
	if (file)
		log_err("%s is saved under the name %s: %s", name, file, hint);
	else
		log_err("%s is not saved; if it is active, %s removes it", name, hint);
	return NULL;
}

/* Another saved device may use it, which goes first. */
bool deactivate_is_ready(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };

	if (!devmap_info(name, &dev))
		open_uses_lasting(&uses, dev.devno);
	return !uses.nr;
}
