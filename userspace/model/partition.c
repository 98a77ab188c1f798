// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decide whether all partitions of an image can get devices, and make the names and tables of these
 * devices.
 */
#include "model/partition.h"

#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/table-target.h"

void partition_add(struct partition_table *t, const struct partition *p)
{
	GROW(t->part, t->nr);
	t->part[t->nr++] = *p;
}

void partition_table_free(struct partition_table *t)
{
	free(t->path);
	free(t->scheme);
	free(t->part);
	memset(t, 0, sizeof(*t));
}

bool partition_same(const struct partition_table *a, const struct partition_table *b)
{
	unsigned int i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++) {
		const struct partition *p = &a->part[i], *q = &b->part[i];

		if (p->nr != q->nr || p->start != q->start || p->sectors != q->sectors ||
		    p->extended != q->extended)
			return false;
	}
	return true;
}

static unsigned long long partition_bytes(uint64_t sectors)
{
	return (unsigned long long)sectors << SECTOR_SHIFT;
}

/* Return: why libblkid has found no valid partition table, a new string. */
static char *partition_explain_none(const struct partition_table *t)
{
	if (!t->gpt_block)
		return xstrdup("it has no partition table: write a partition table with sfdisk first, or create the device without --partitions");
	if (t->gpt_block > t->block)
		return xasprintf("its GPT counts blocks of %u bytes, but the device has blocks of %u bytes, so no program would find its partitions: use \"losetup --sector-size %u --partscan\"",
				 t->gpt_block, t->block, t->gpt_block);
	if (t->gpt_block < t->block)
		return xasprintf("its GPT counts blocks of %u bytes, but the device has blocks of %u bytes, so no program would find its partitions: give --engine buffered",
				 t->gpt_block, t->block);
	if (t->gpt_end > t->sectors)
		return xasprintf("its GPT needs at least %llu bytes, but the device has only %llu: the image was cut, or copied only in part",
				 partition_bytes(t->gpt_end), partition_bytes(t->sectors));
	return xstrdup("its GPT is damaged: \"sfdisk --verify\" shows what is wrong");
}

/*
 * Find a partition that ends behind the end of the device of the image. Return: a sentence about
 * the partition, a new string, or NULL.
 */
static char *partition_find_behind(const struct partition_table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		const struct partition *p = &t->part[i];
		if (p->start > t->sectors || p->sectors > t->sectors - p->start)
			return xasprintf("partition %u needs %llu bytes from byte %llu, but the device has only %llu: the image was cut, or copied only in part",
					 p->nr, partition_bytes(p->sectors),
					 partition_bytes(p->start), partition_bytes(t->sectors));
	}
	return NULL;
}

/*
 * Find two partitions that have a sector in common. Return: a sentence about them, a new string, or
 * NULL.
 */
static char *partition_find_overlap(const struct partition_table *t)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++)
		for (j = 0; j < i; j++) {
			const struct partition *p = &t->part[i], *q = &t->part[j];

			if (!p->extended && !q->extended && p->start < q->start + q->sectors &&
			    q->start < p->start + p->sectors)
				return xasprintf("partitions %u and %u overlap: give --readonly, or correct the partition table with sfdisk",
						 q->nr, p->nr);
		}
	return NULL;
}

static bool partition_has_any(const struct partition_table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!t->part[i].extended)
			return true;
	return false;
}

/* Does the image have neither partitions nor a damaged partition table that may describe some? */
static bool partition_is_none(const struct partition_table *t)
{
	return t->scheme ? !t->damaged && !partition_has_any(t) : !t->gpt_block;
}

char *partition_objection(const struct partition_table *t)
{
	if (t->optional && partition_is_none(t))
		return NULL;
	if (!t->scheme)
		return partition_explain_none(t);
	/* only a GPT shows the size of the blocks in which the partition table counts */
	if (strcmp(t->scheme, "gpt") && t->block != SECTOR_SIZE)
		return xasprintf("its partition table (%s) does not tell the size of its blocks, and the device has blocks of %u bytes: give --engine buffered for blocks of %u bytes",
				 t->scheme, t->block, SECTOR_SIZE);
	if (t->damaged && !strcmp(t->scheme, "gpt"))
		return xasprintf("partition %u has no sectors, or has sectors outside of those that its GPT allows for partitions: correct or delete this partition with sfdisk",
				 t->damaged);
	if (t->damaged)
		return xasprintf("the logical partitions of the extended partition %u have a damaged list (\"sfdisk --verify\" shows the damage), or are not in the order of their sectors (\"sfdisk --reorder\" corrects the order)",
				 t->damaged);
	if (!partition_has_any(t))
		return xasprintf("its partition table (%s) has no partition: add a partition with sfdisk first, or create the device without --partitions",
				 t->scheme);
	return partition_find_behind(t) ? : t->readonly ? NULL : partition_find_overlap(t);
}

char *partition_numbers(const struct partition_table *t)
{
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_append(&b, "", 0);
	for (i = 0; i < t->nr; i++)
		if (!t->part[i].extended)
			strbuf_add(&b, " %u", t->part[i].nr);
	return strbuf_take(&b);
}

char *partition_prefix(const char *disk)
{
	return xasprintf("%s-part", disk);
}

char *partition_name(const char *disk, unsigned int nr)
{
	_cleanup_free_ char *prefix = partition_prefix(disk);

	return xasprintf("%s%u", prefix, nr);
}

bool partition_has_name(const char *disk, const char *numbers, const char *name)
{
	_cleanup_free_ char *prefix = partition_prefix(disk);
	_cleanup_names_ struct names words = { 0 };
	unsigned int i;

	if (!str_starts(name, prefix))
		return false;
	names_split(&words, numbers);
	for (i = 0; i < words.nr; i++)
		if (!strcmp(words.name[i], name + strlen(prefix)))
			return true;
	return false;
}

char *partition_uuid(const char *disk, unsigned int nr)
{
	return xasprintf("part%u-%s", nr, disk);
}

void partition_add_target(struct table *t, const struct partition *p, const char *device,
			  const struct table *on)
{
	struct target *target = table_add_target(t, 0, p->sectors, table_has_noclone(on) ?
						 NOCLONE_LINEAR_NAME : "linear");

	target_add_leg(target, device, p->start);
	target->no_fastpath = on->nr && on->targets[0].no_fastpath;
}
