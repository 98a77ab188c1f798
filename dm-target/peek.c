// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts that dm core does not export: which operations are its own, and whether
 * "dmsetup stats" is in use.
 *
 * Invariant: nothing is written, and structures that no public header declares are read with
 * copy_from_kernel_nofault(). A missing or unexpected fact leaves the fast path off.
 * Locks: none. dm_mod stays loaded, because this module uses its symbols.
 *
 * Documentation/design/stock.rst, S14 to S16.
 */
#include "peek.h"

#include <linux/blkdev.h>
#include <linux/kallsyms.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/uaccess.h>

/*
 * dm core does not export the functions that count for "dmsetup stats". But dm core counts the
 * memory of a region before the region is live, in the variable of this parameter: see
 * drivers/md/dm-stats.c.
 */
#define NOCLONE_PEEK_STATS	"stats_current_allocated_bytes"
#define NOCLONE_PEEK_MAX_PARAMS	64

bool noclone_peek_read(void *to, const void *from, size_t bytes)
{
	return !copy_from_kernel_nofault(to, from, bytes);
}

/*
 * Is the string @text at @at? Bytes behind the first difference are not read: they may be beyond
 * the end of a shorter string.
 */
bool noclone_peek_has_text(const char *at, const char *text)
{
	char found;

	do {
		if (!noclone_peek_read(&found, at++, sizeof(found)) ||
		    found != *text)
			return false;
	} while (*text++);
	return true;
}

/* Does kallsyms know @name at exactly this address? */
bool noclone_peek_is_symbol(const void *address, const char *name)
{
	static const char begin[] = "+0x0/";
	char symbol[KSYM_SYMBOL_LEN];
	size_t length = strlen(name);

	sprint_symbol(symbol, (unsigned long)address);
	return !strncmp(symbol, name, length) &&
	       !strncmp(symbol + length, begin, strlen(begin));
}

bool noclone_peek_is_dm_fops(const struct block_device_operations *fops)
{
	if (fops->owner)
		return !strcmp(fops->owner->name, "dm_mod") &&
		       within_module((unsigned long)fops, fops->owner);
	return noclone_peek_is_symbol(fops, "dm_blk_dops");
}

#ifdef CONFIG_SYSFS
/* These two structures are copies from kernel/params.c */
struct noclone_peek_param {
	struct module_attribute mattr;
	const struct kernel_param *param;
};

struct noclone_peek_params {
	unsigned int num;
	struct attribute_group grp;
};

/* Return: the variable behind @attr if it is the counter of statistics, or NULL. */
static const unsigned long *noclone_peek_stats_of(struct attribute *attr)
{
	struct noclone_peek_param param;
	struct kernel_param kp;

	if (!noclone_peek_read(&param, attr, sizeof(param)) ||
	    !noclone_peek_has_text(param.mattr.attr.name, NOCLONE_PEEK_STATS) ||
	    !noclone_peek_read(&kp, param.param, sizeof(kp)) ||
	    !noclone_peek_has_text(kp.name, "dm_mod." NOCLONE_PEEK_STATS) ||
	    kp.ops != &param_ops_ulong)
		return NULL;
	return kp.arg;
}

static const unsigned long *
noclone_peek_search_params(const struct module_kobject *mk)
{
	struct noclone_peek_params params;
	const unsigned long *stats = NULL;
	struct attribute *attr;
	unsigned int i;

	if (!noclone_peek_read(&params, mk->mp, sizeof(params)))
		return NULL;
	for (i = 0; !stats && i < NOCLONE_PEEK_MAX_PARAMS; i++) {
		if (!noclone_peek_read(&attr, &params.grp.attrs[i], sizeof(attr)) ||
		    !attr)
			break;
		stats = noclone_peek_stats_of(attr);
	}
	return stats;
}

static const unsigned long *noclone_peek_find_stats_built_in(void)
{
	const unsigned long *stats;
	struct kobject *dm_mod;

	/* The kset of our own kobject is /sys/module */
	dm_mod = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, "dm_mod");
	if (!dm_mod)
		return NULL;
	stats = noclone_peek_search_params(container_of(dm_mod, struct module_kobject,
							kobj));
	kobject_put(dm_mod);
	return stats;
}
#else
static const unsigned long *noclone_peek_find_stats_built_in(void)
{
	return NULL;
}
#endif

/*
 * Find the counter of dm's statistics. @fops: dm core's own operations, or a copy that names the
 * same owner. Return: a variable that is not 0 while a region of "dmsetup stats" exists, or NULL.
 */
const unsigned long *
noclone_peek_find_stats(const struct block_device_operations *fops)
{
#ifdef CONFIG_MODULES
	const struct module *dm_mod = fops->owner;
	unsigned int i;

	for (i = 0; dm_mod && i < dm_mod->num_kp; i++)
		if (!strcmp(dm_mod->kp[i].name, NOCLONE_PEEK_STATS))
			return dm_mod->kp[i].arg;
#endif
	return fops->owner ? NULL : noclone_peek_find_stats_built_in();
}
