// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the output of "dmsetup status" and "dmsetup table".
 */
#include "status-line.h"
#include "engine.h"
#include "file-state.h"
#include "../boundary.h"
#include "../include/noclone-path.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>

enum noclone_status_attribute {
#define X(name, word, text) NOCLONE_ATTRIBUTE_##name,
	NOCLONE_FILE_ATTRIBUTES(X)
#undef X
	NOCLONE_NR_ATTRIBUTES
};

static const char * const noclone_status_attribute_word[] = {
#define X(name, word, text) [NOCLONE_ATTRIBUTE_##name] = word,
	NOCLONE_FILE_ATTRIBUTES(X)
#undef X
};

static const char * const noclone_status_counter_word[] = {
#define X(name, word, text) [NOCLONE_FILE_##name] = word,
	NOCLONE_FILE_COUNTERS(X)
#undef X
};

/*
 * Return: the sectors that are allocated to the file. On xfs i_blocks is not always up to date, so
 * the file system is asked. On other file systems i_blocks is used, because the file system might
 * ask a server.
 */
static unsigned long long noclone_status_allocated(struct noclone_file_c *fc)
{
	const struct inode *inode = file_inode(fc->file);
	struct kstat st = { };

	if (inode->i_sb->s_magic != XFS_SUPER_MAGIC)
		return inode->i_blocks;
	vfs_getattr(&fc->file->f_path, &st, STATX_BLOCKS, AT_STATX_DONT_SYNC);
	return st.blocks;
}

static unsigned long noclone_status_counter(const struct noclone_file_c *fc,
					    enum noclone_file_counter which)
{
	unsigned long sum = 0, ended = 0;
	int cpu;

	/* Ended commands are counted first, because a command begins before it ends */
	if (which == NOCLONE_FILE_INFLIGHT)
		for_each_possible_cpu(cpu)
			ended += READ_ONCE(per_cpu_ptr(fc->counters, cpu)->ended);
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(fc->counters, cpu)->n[which]);
	/* There is no barrier, so this CPU may see the end of a command without its begin */
	return sum > ended ? sum - ended : 0;
}

static size_t noclone_status_emit_attribute(struct noclone_file_c *fc,
					    enum noclone_status_attribute attribute, char *result,
					    unsigned int maxlen, size_t sz)
{
	const struct inode *inode = file_inode(fc->file);
	const char *refused;

	DMEMIT(" %s ", noclone_status_attribute_word[attribute]);
	switch (attribute) {
	case NOCLONE_ATTRIBUTE_ALIGN:
		DMEMIT("%u", fc->align);
		break;
	case NOCLONE_ATTRIBUTE_MEMALIGN:
		DMEMIT("%u", fc->memalign);
		break;
	case NOCLONE_ATTRIBUTE_ALIGN_FROM:
		DMEMIT("%s", fc->align_from);
		break;
	case NOCLONE_ATTRIBUTE_SIZE:
		DMEMIT("%llu", (unsigned long long)i_size_read(inode) >> SECTOR_SHIFT);
		break;
	case NOCLONE_ATTRIBUTE_ALLOCATED:
		DMEMIT("%llu", noclone_status_allocated(fc));
		break;
	case NOCLONE_ATTRIBUTE_EXTENTS:
		DMEMIT("%u", fc->extents);
		break;
	case NOCLONE_ATTRIBUTE_REFUSED:
		refused = READ_ONCE(fc->refused);
		DMEMIT("%s", refused ? refused : "-");
		break;
	case NOCLONE_ATTRIBUTE_DEVICE:
		DMEMIT("%u:%u", MAJOR(fc->st_dev), MINOR(fc->st_dev));
		break;
	case NOCLONE_ATTRIBUTE_INODE:
		DMEMIT("%llu", fc->st_ino);
		break;
	case NOCLONE_ATTRIBUTE_LINKS:
		DMEMIT("%u", inode->i_nlink);
		break;
	case NOCLONE_NR_ATTRIBUTES:
		break;
	}
	return sz;
}

static void noclone_status_info(struct noclone_file_c *fc, char *result,
				unsigned int maxlen)
{
	unsigned int i;
	size_t sz = 0;

	/*
	 * Each status line is an opportunity to look for verity: see
	 * noclone_extent_deny_if_verity()
	 */
	if (unlikely(IS_VERITY(file_inode(fc->file))))
		noclone_work_queue(&fc->follow_up);
	DMEMIT("engine %s %u", noclone_engine_word[READ_ONCE(fc->engine)->id],
	       2 * NOCLONE_NR_ATTRIBUTES);
	for (i = 0; i < NOCLONE_NR_ATTRIBUTES; i++)
		sz = noclone_status_emit_attribute(fc, i, result, maxlen, sz);
	DMEMIT(" %u", 2 * NOCLONE_FILE_NR_COUNTERS);
	for (i = 0; i < NOCLONE_FILE_NR_COUNTERS; i++)
		DMEMIT(" %s %lu", noclone_status_counter_word[i],
		       noclone_status_counter(fc, i));
	DMEMIT(" ");
	noclone_status_emit(fc->target->nd, noclone_target_is_first(fc->target),
			    result, maxlen, sz);
}

static size_t noclone_status_emit_path(const struct noclone_file_c *fc, char *result,
				       unsigned int maxlen, size_t sz)
{
	char to[NOCLONE_PATH_GROWTH];
	const char *from;

	for (from = fc->path; *from; from++)
		DMEMIT("%.*s", noclone_path_encode(*from, to), to);
	return sz;
}

static void noclone_status_table(struct noclone_file_c *fc, char *result,
				 unsigned int maxlen)
{
	bool given = fc->requested->id;
	size_t sz = noclone_status_emit_path(fc, result, maxlen, 0);

	DMEMIT(" %llu", (unsigned long long)fc->start);
	if (given || fc->no_fastpath)
		DMEMIT(" %u", 2 * given + fc->no_fastpath);
	if (given)
		DMEMIT(" " NOCLONE_OPT_ENGINE " %s", noclone_engine_word[fc->requested->id]);
	if (fc->no_fastpath)
		DMEMIT(" " NOCLONE_OPT_NO_FASTPATH);
}

static void noclone_status_ima(struct noclone_file_c *fc, char *result,
			       unsigned int maxlen)
{
	size_t sz = 0;

	DMEMIT_TARGET_NAME_VERSION(fc->ti->type);
	DMEMIT(",path=");
	sz = noclone_status_emit_path(fc, result, maxlen, sz);
	DMEMIT(",start=%llu,engine=%s;", (unsigned long long)fc->start,
	       noclone_engine_word[fc->requested->id]);
}

/*
 * INFO: see include/dm-noclone.h
 * TABLE: the constructor's arguments
 */
void noclone_status_line(struct dm_target *ti, status_type_t type,
			 unsigned int status_flags, char *result,
			 unsigned int maxlen)
{
	const struct noclone_target *t = ti->private;
	struct noclone_file_c *fc = t->fc;

	switch (type) {
	case STATUSTYPE_INFO:
		noclone_status_info(fc, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		noclone_status_table(fc, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		noclone_status_ima(fc, result, maxlen);
		break;
	}
}
