// SPDX-License-Identifier: GPL-2.0-only
/* The parts of saved devices. They count as used although no device holds them. */
#include "system/parts-saved.h"

#include "base/log.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/parts.h"
#include "system/saved-file.h"

/*
 * Add the parts of a saved device. An inactive device holds no disk, and its legs after the first
 * one may have no signature. Only its saved file then shows that these sectors have data.
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
	 * this function runs again before the table becomes live, and then without these messages
	 */
	said = true;
}
