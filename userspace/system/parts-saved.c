// SPDX-License-Identifier: GPL-2.0-only
/* The parts of saved devices. These parts count as used while the saved device is not active. */
#include "system/parts-saved.h"

#include "base/log.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/parts.h"
#include "system/saved-file.h"

/*
 * Add the parts of a saved device. A saved device that is not active does not hold its disks open,
 * and its legs after the first one may have no signature. Only the saved file then shows that the
 * sectors of these legs have data. @said: the warning about a damaged file was already logged
 */
static void parts_add_saved_one(struct parts *parts, const char *name, bool said)
{
	const struct saved_file *file = saved_file_get(name);
	_cleanup_free_ char *path = saved_path(name);
	unsigned int i = parts->nr;

	if (file->damage && !said)
		log_warn("%s is damaged, so noclone may not know all sectors that its device uses: \"noclone check %s\" shows the damage",
			 path, path);
	parts_add_table(parts, name, &file->saved.table);
	for (; file->saved.uuid && i < parts->nr; i++)
		parts->part[i].saved = xstrdup(file->saved.uuid);
}

void parts_add_saved(struct parts *parts)
{
	_cleanup_names_ struct names names = { 0 };
	static bool said;
	unsigned int i;

	saved_file_names(&names);
	for (i = 0; i < names.nr; i++)
		parts_add_saved_one(parts, names.name[i], said);
	/*
	 * the command calls this function again before its table becomes live; the warnings are
	 * logged only once
	 */
	said = true;
}
