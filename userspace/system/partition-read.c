// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the partition table of an image with libblkid.
 *
 * libblkid silently leaves out what it does not accept: a GPT for a longer disk or with another
 * block size, partitions outside the usable sectors of a GPT, and the rest of a damaged list of
 * logical partitions. Either all partitions of an image get devices, or none gets a device. So the
 * functions of this file check whether libblkid has left out a partition.
 *
 * A separate process reads the image, and sends its results as text. The first line has an errno
 * and the facts about the partition table. Each of the following lines has a partition, and the
 * last line has only a dot.
 */
#include "system/partition-read.h"

#include <blkid/blkid.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "system/silence.h"

#define GPT_MAGIC		"EFI PART"
#define GPT_LAST_USABLE		48
#define GPT_ENTRIES		72
#define GPT_NR_ENTRIES		80
#define GPT_ENTRY_SIZE		84
/*
 * GPT_TYPE_SIZE: the number of bytes in the type, with which an entry begins. In an unused entry,
 * all bytes of the type are zero.
 */
#define GPT_TYPE_SIZE		16
#define LARGE_BLOCK		4096
/* Offsets and sizes in a sector with a DOS partition table, and in the entries of this sector. */
#define DOS_ENTRIES		446
#define DOS_ENTRY_SIZE		16
#define DOS_NR_ENTRIES		4
/*
 * DOS_NR_DATA: in the list of logical partitions, only the first two entries of a sector can have a
 * logical partition, because some programs leave other data in the third and fourth entry.
 */
#define DOS_NR_DATA		2
#define DOS_TYPE		4
#define DOS_START		8
#define DOS_SECTORS		12
/* MAX_LOGICAL: a list of logical partitions that has more sectors than this is a circle. */
#define MAX_LOGICAL		1000

/**
 * struct partition_query - a read of the partition table of an image
 * @t: says where the image is; gets the partitions of the image
 * @fd: the descriptor of the file or device that has the image
 * @error: the errno of the last read that failed, or 0
 */
struct partition_query {
	struct partition_table *t;
	int fd;
	int error;
};

/* Functions of the separate process, which reads the image. */

static bool partition_read_bytes(struct partition_query *q, uint64_t offset, void *to, size_t size)
{
	ssize_t n = pread(q->fd, to, size, (q->t->first << SECTOR_SHIFT) + offset);

	if (n < 0)
		q->error = errno;
	return n == (ssize_t)size;
}

/*
 * Read the first sector of the image, in which each kind of partition table begins. If this sector
 * cannot be read, libblkid finds no partition table. But this read has set @q->error, so the user
 * gets an error: otherwise the user might take the image for empty, and overwrite its partition
 * table.
 */
static void partition_read_first(struct partition_query *q)
{
	char sector[SECTOR_SIZE];

	partition_read_bytes(q, 0, sector, sizeof(sector));
}

static uint32_t partition_read_le32(const unsigned char *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return le32toh(n);
}

/*
 * Find the header of a GPT, which is in the second block of the image. A block may have 512 or 4096
 * bytes, so the function looks at both places.
 */
static void partition_read_gpt(struct partition_query *q)
{
	uint32_t block;

	for (block = SECTOR_SIZE; block <= LARGE_BLOCK; block *= LARGE_BLOCK / SECTOR_SIZE) {
		char header[SECTOR_SIZE];
		uint64_t last;

		if (!partition_read_bytes(q, block, header, sizeof(header)) ||
		    memcmp(header, GPT_MAGIC, strlen(GPT_MAGIC)))
			continue;
		memcpy(&last, header + GPT_LAST_USABLE, sizeof(last));
		last = MIN(le64toh(last), (uint64_t)TABLE_MAX_SECTORS / LARGE_BLOCK);
		q->t->gpt_block = block;
		q->t->gpt_end = (last + 1) * (block / SECTOR_SIZE);
	}
}

static uint64_t partition_read_le64(const unsigned char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return le64toh(n);
}

static bool partition_read_has(const struct partition_table *t, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->part[i].nr == nr)
			return true;
	return false;
}

/*
 * Check that all partitions of a GPT were taken. libblkid leaves out partitions outside the usable
 * sectors, and partition_read_take() leaves out partitions without a sector. The header needs no
 * check here, because libblkid has checked the header.
 */
static void partition_read_check_gpt(struct partition_query *q)
{
	static const char unused[GPT_TYPE_SIZE];
	struct partition_table *t = q->t;
	unsigned char header[SECTOR_SIZE];
	uint32_t i, nr, size;

	if (!partition_read_bytes(q, t->block, header, sizeof(header)))
		return;
	nr = partition_read_le32(header + GPT_NR_ENTRIES);
	size = partition_read_le32(header + GPT_ENTRY_SIZE);
	for (i = 0; i < nr && !t->damaged; i++) {
		uint64_t at = partition_read_le64(header + GPT_ENTRIES) * t->block;
		char type[GPT_TYPE_SIZE];

		if (!partition_read_bytes(q, at + (uint64_t)i * size, type, sizeof(type)))
			return;
		if (memcmp(type, unused, sizeof(type)) && !partition_read_has(t, i + 1))
			t->damaged = i + 1;
	}
}

static bool partition_read_is_link(unsigned char type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

/*
 * Go through the list of logical partitions of an extended partition. Each sector of this list has
 * an entry for a logical partition, and an entry with the place of the next sector of the list.
 * This place is counted from the first sector of the extended partition.
 *
 * Return: the number of logical partitions, or UINT32_MAX if the list is damaged.
 */
static unsigned int partition_read_list(struct partition_query *q, const struct partition *p)
{
	uint64_t at = 0, next;
	unsigned int nr = 0, steps;

	for (steps = 0; steps < MAX_LOGICAL; steps++, at = next) {
		unsigned char sector[SECTOR_SIZE], *entry = sector + DOS_ENTRIES;
		unsigned int i;

		if (at >= p->sectors ||
		    !partition_read_bytes(q, (p->start + at) << SECTOR_SHIFT, sector,
					  sizeof(sector)) ||
		    sector[SECTOR_SIZE - 2] != 0x55 || sector[SECTOR_SIZE - 1] != 0xaa)
			return UINT32_MAX;
		for (i = 0, next = 0; i < DOS_NR_ENTRIES; i++, entry += DOS_ENTRY_SIZE) {
			if (!partition_read_le32(entry + DOS_SECTORS))
				continue;
			if (partition_read_is_link(entry[DOS_TYPE]))
				next = next ? next : partition_read_le32(entry + DOS_START);
			else
				nr += i < DOS_NR_DATA;
		}
		if (!next)
			return nr;
	}
	return UINT32_MAX;
}

/*
 * Check that libblkid has found all logical partitions. All of them are in one extended partition.
 * @logical: the number of logical partitions that libblkid has found
 */
static void partition_read_check(struct partition_query *q, unsigned int logical)
{
	struct partition_table *t = q->t;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->part[i].extended && partition_read_list(q, &t->part[i]) > logical)
			t->damaged = t->part[i].nr;
}

/*
 * Take the partitions that libblkid has found. Only the partition table of the image itself counts,
 * so partitions inside another partition, such as those of a BSD label, are left out.
 */
static void partition_read_take(struct partition_query *q, blkid_partlist list)
{
	struct partition_table *t = q->t;
	blkid_parttable top = blkid_partlist_get_table(list);
	int i, nr = blkid_partlist_numof_partitions(list);
	unsigned int logical = 0;

	/*
	 * libblkid reports "PMBR" if an image has the first sector of a GPT, but not the rest of
	 * the GPT
	 */
	if (top && strcmp(blkid_parttable_get_type(top), "PMBR"))
		t->scheme = xstrdup(blkid_parttable_get_type(top));
	for (i = 0; t->scheme && i < nr; i++) {
		blkid_partition from = blkid_partlist_get_partition(list, i);
		const struct partition p = {
			.nr = blkid_partition_get_partno(from),
			.start = blkid_partition_get_start(from),
			.sectors = blkid_partition_get_size(from),
			.extended = blkid_partition_is_extended(from),
		};

		/*
		 * an entry of a GPT may have an end before its start, which makes the size 0 or
		 * negative
		 */
		if ((int64_t)p.sectors <= 0 ||
		    strcmp(blkid_parttable_get_type(blkid_partition_get_table(from)), t->scheme))
			continue;
		logical += blkid_partition_is_logical(from) != 0;
		partition_add(t, &p);
	}
	partition_read_check(q, logical);
}

/*
 * Has libblkid used the backup of a GPT, which is at the end of the image? The kernel does not use
 * the backup: it may be an older partition table, from a time when the image had the same size as
 * now.
 */
static bool partition_read_is_backup(blkid_probe probe, const struct partition_table *t)
{
	const char *offset;

	if (!t->scheme || strcmp(t->scheme, "gpt"))
		return false;
	blkid_probe_enable_superblocks(probe, 0);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
	return blkid_do_probe(probe) ||
	       blkid_probe_lookup_value(probe, "PTMAGIC_OFFSET", &offset, NULL) ||
	       strtoull(offset, NULL, 10) != t->block;
}

/*
 * @sectors: the number of sectors that the file or device has behind the start of the image. It may
 *	be smaller than the number of sectors of a planned device.
 */
static int partition_read_probe(struct partition_query *q, uint64_t sectors)
{
	struct partition_table *t = q->t;
	blkid_probe probe = blkid_new_probe();
	blkid_partlist list = NULL;
	int r = 0;

	if (!probe || blkid_probe_set_device(probe, q->fd, t->first << SECTOR_SHIFT,
					     MIN(sectors, t->sectors) << SECTOR_SHIFT) ||
	    blkid_probe_set_sectorsize(probe, t->block))
		r = EIO;
	else
		list = blkid_probe_get_partitions(probe);
	if (list)
		partition_read_take(q, list);
	if (partition_read_is_backup(probe, t)) {
		free(t->scheme);
		t->scheme = NULL;
		t->gpt_block = t->gpt_block ? t->gpt_block : t->block;
	} else if (t->scheme && !strcmp(t->scheme, "gpt")) {
		partition_read_check_gpt(q);
	}
	blkid_free_probe(probe);
	return r;
}

/* Open the file or device. A file of another kind, such as a FIFO, must not be opened. */
static int partition_read_open(struct partition_query *q)
{
	struct stat st;

	if (stat(q->t->path, &st))
		return errno;
	if (q->t->device ? !S_ISBLK(st.st_mode) : !S_ISREG(st.st_mode))
		return EINVAL;
	q->fd = open(q->t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return q->fd < 0 ? errno : 0;
}

/*
 * Read the partition table. A mapped device may have written to its backing file without the page
 * cache of the file, so the cache of a file is dropped before and after the read. The cache of a
 * device stays, because it has the data that were written to the device.
 */
static int partition_read_look(struct partition_query *q)
{
	int r = partition_read_open(q);
	uint64_t sectors;

	if (r)
		return r;
	sectors = (uint64_t)lseek(q->fd, 0, SEEK_END) >> SECTOR_SHIFT;
	if (!q->t->device)
		posix_fadvise(q->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (sectors > q->t->first) {
		partition_read_first(q);
		partition_read_gpt(q);
		r = partition_read_probe(q, sectors - q->t->first) ? : q->error;
	}
	if (!q->t->device)
		posix_fadvise(q->fd, 0, 0, POSIX_FADV_DONTNEED);
	close(q->fd);
	return r;
}

static void partition_read_answer(int out, void *data)
{
	struct partition_query q = { .t = data, .fd = -1 };
	const struct partition_table *t = q.t;
	int error = partition_read_look(&q);
	unsigned int i;

	dprintf(out, "%d %u %llu %u %s\n", error, t->gpt_block, (unsigned long long)t->gpt_end,
		t->damaged, t->scheme ? t->scheme : "-");
	for (i = 0; i < t->nr; i++)
		dprintf(out, "%u %llu %llu %d\n", t->part[i].nr,
			(unsigned long long)t->part[i].start,
			(unsigned long long)t->part[i].sectors, t->part[i].extended);
	dprintf(out, ".\n");
}

/* Functions of the command, which takes the answer from the separate process. */

static bool partition_read_line(const char *line, struct partition_table *t)
{
	unsigned long long start, sectors;
	struct partition p = { 0 };
	int extended;

	if (sscanf(line, "%u %llu %llu %d", &p.nr, &start, &sectors, &extended) != 4)
		return false;
	p.start = start;
	p.sectors = sectors;
	p.extended = extended;
	partition_add(t, &p);
	return true;
}

/*
 * Parse the answer. If the line with the dot is missing, the separate process was killed before its
 * end.
 */
static int partition_read_answered(char *text, struct partition_table *t)
{
	char *rest = NULL, *line = strtok_r(text, "\n", &rest);
	unsigned long long gpt_end;
	char scheme[32];
	int error;

	if (!line || sscanf(line, "%d %u %llu %u %31s", &error, &t->gpt_block, &gpt_end, &t->damaged,
			    scheme) != 5)
		return -EIO;
	t->gpt_end = gpt_end;
	t->scheme = strcmp(scheme, "-") ? xstrdup(scheme) : NULL;
	do
		line = strtok_r(NULL, "\n", &rest);
	while (line && partition_read_line(line, t));
	return !line || strcmp(line, ".") ? -EIO : -error;
}

int partition_read(struct partition_table *t, char **why)
{
	_cleanup_answer_ struct answer a = { 0 };
	int r = silence_ask(partition_read_answer, t, t->path, !t->device, &a, why);

	if (r)
		return r;
	r = partition_read_answered(a.text, t);
	if (r)
		*why = xstrdup(strerror(-r));
	return r;
}
