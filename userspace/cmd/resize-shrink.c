// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone resize: may a device become smaller?  What is behind its new end is out of
 * reach then, for a file system as for devices that are built on it.
 */
#include "cmd/resize-shrink.h"

#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"

char *shrink_usage(const struct options *o, const struct resize_size *size,
		   const char *name, uint64_t old, uint64_t sectors)
{
	_cleanup_free_ char *has = size_format(old), *gets = size_format(sectors);

	if (sectors >= old || size->how == RESIZE_LESS || opt(o, OPT_SHRINK))
		return NULL;
	return xasprintf("%s has %s, and %s is less: --shrink makes it smaller", name, has,
			 gets);
}

static void check_filesystem(const struct filesystem *fs, uint64_t sectors,
			     struct problems *problems)
{
	_cleanup_free_ char *has = size_format(fs->sectors);
	_cleanup_free_ char *gets = size_format(sectors);
	_cleanup_free_ char *size = fs->sectors ? xasprintf(" of %s", has) :
						  xstrdup(", whose size is not known");

	if (fs->type && (!fs->sectors || fs->sectors > sectors))
		problem_add(problems, PROBLEM_ERROR, 0,
			    "%s holds %s%s: it has to be made smaller than %s first%s",
			    fs->device, fs->type, size, gets,
			    str_starts(fs->type, "ext") ? ", with --resizefs" : "");
}

static void check_above(const struct devmap_device *dev, uint64_t old, uint64_t sectors,
			struct problems *problems)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query behind = {
		.facts = &f, .first = sectors, .sectors = old - sectors,
	};
	unsigned int i;

	if (blockdev_lookup_number(dev->devno, &f))
		return;
	device_uses_collect_live(&uses, &behind);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *who = use_describe(&uses.use[i]);

		if (!uses.use[i].harmless && uses.use[i].kind != USE_MOUNT)
			problem_add(problems, PROBLEM_ERROR, 0,
				    "%s is %s, which uses what is behind the new end",
				    dev->name, who);
	}
}

void shrink_check(const struct options *o, const struct devmap_device *dev,
		  const struct filesystem *fs, uint64_t old, uint64_t sectors,
		  struct problems *problems)
{
	if (!opt(o, OPT_RESIZEFS))
		check_filesystem(fs, sectors, problems);
	check_above(dev, old, sectors, problems);
}
