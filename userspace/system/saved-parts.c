// SPDX-License-Identifier: GPL-2.0-only
/*
 * A saved device that is not active holds nothing, and a leg that is not its first one may
 * have no signature either: that its data are there is known by its file only.
 */
#include "system/saved-parts.h"

#include <errno.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/problems.h"
#include "model/saved.h"
#include "system/devmap.h"
#include "system/saved-file.h"

/* Under whatever name: then its holders and its table say what it uses. */
static bool is_active(const char *name, const struct saved *s)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *uuid = NULL;

	if (!s->uuid)
		return !devmap_info(name, &dev) && saved_is_device(s, dev.uuid);
	uuid = xasprintf("%s%s", NOCLONE_UUID_PREFIX, s->uuid);
	return devmap_has_uuid(s->uuid) || devmap_has_uuid(uuid);
}

static void collect(const char *name, void *data)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_free_ char *text = saved_file_text(name), *path = saved_path(name);
	int error = text ? 0 : errno;
	_cleanup_saved_ struct saved s = { 0 };

	if (text)
		saved_parse(&s, text, &problems);
	if (error)
		log_warn("%s: %s: what that device has is not known", path,
			 read_text_problem(error));
	else if (problems_count(&problems, PROBLEM_ERROR))
		log_warn("%s has lines that are not understood, and may have more than is known: noclone check %s",
			 path, path);
	if (text && !is_active(name, &s))
		parts_add_table(data, name, &s.table);
}

void saved_parts_collect(struct parts *parts)
{
	saved_file_for_each(collect, parts);
}
