// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read signatures. A separate process reads, and sends fields with a zero byte at the end of each
 * field: first an errno, and then the type, the UUID, the label and the byte offset of each
 * signature.
 */
#include "system/content.h"

#include <blkid/blkid.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "model/saved.h"
#include "system/silence.h"

/*
 * DISKETTE_SECTORS: libblkid does not look for LVM or RAID on devices up to the size of a diskette.
 */
#define DISKETTE_SECTORS	2880
#define FIELDS			4

/**
 * struct content_query - one read
 * @path: a device node, or a backing file
 * @first: the first sector
 * @sectors: the number of sectors; 0 means that one byte is read, only to find out whether the
 *	device or file answers
 * @all: look for all signatures; otherwise look for one signature
 * @file: @path is a backing file
 * @backup: look only for a GPT; the backup of a GPT at the end of the device is enough
 */
struct content_query {
	const char *path;
	uint64_t first;
	uint64_t sectors;
	bool all;
	bool file;
	bool backup;
};

void content_free(struct content *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		free(c->signature[i].type);
		free(c->signature[i].id);
		free(c->signature[i].label);
	}
	free(c->signature);
	free(c->problem);
	memset(c, 0, sizeof(*c));
}

char *content_signature_words(const struct signature *s)
{
	char *text = xasprintf("%s %s", s->type, s->id ? s->id : ""), *c;

	for (c = text; *c; c++)
		if (isspace((unsigned char)*c))
			*c = '_';
	text[strlen(s->type)] = s->id ? ' ' : 0;
	return text;
}

/* Functions of the separate process, which reads the device or file. */

static void content_add(struct strbuf *b, const char *field)
{
	strbuf_append(b, field ? field : "", (field ? strlen(field) : 0) + 1);
}

static const char *content_value(blkid_probe p, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(p, name, &value, NULL) || !*value ? NULL : value;
}

static void content_add_signature(struct strbuf *b, blkid_probe p)
{
	const char *type = content_value(p, "TYPE"), *table = content_value(p, "PTTYPE");
	const char *offset = content_value(p, "SBMAGIC_OFFSET");

	if (!type && !table)
		return;
	if (!offset)
		offset = content_value(p, "PTMAGIC_OFFSET");
	content_add(b, type ? type : table);
	content_add(b, content_value(p, type ? "UUID" : "PTUUID"));
	content_add(b, content_value(p, "LABEL"));
	content_add(b, offset);
}

static bool content_set_probe(blkid_probe p, int fd, const struct content_query *q)
{
	if (!p || blkid_probe_set_device(p, fd, q->first << SECTOR_SHIFT, q->sectors << SECTOR_SHIFT))
		return false;
	blkid_probe_enable_superblocks(p, !q->backup);
	blkid_probe_set_superblocks_flags(p, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID | BLKID_SUBLKS_MAGIC);
	blkid_probe_enable_partitions(p, 1);
	blkid_probe_set_partitions_flags(p, BLKID_PARTS_MAGIC |
					 (q->backup ? BLKID_PARTS_FORCE_GPT : 0));
	return true;
}

/*
 * Look for signatures. If signatures contradict each other, none of them is certain, and the type
 * "ambiguous" is sent instead.
 */
static int content_probe(int fd, const struct content_query *q, struct strbuf *b)
{
	blkid_probe p = blkid_new_probe();
	int found = -1;

	if (content_set_probe(p, fd, q))
		do {
			found = q->all ? blkid_do_probe(p) : blkid_do_safeprobe(p);
			if (!found)
				content_add_signature(b, p);
		} while (!found && q->all);
	if (found == -2) {
		content_add(b, "ambiguous");
		strbuf_append(b, "\0\0", FIELDS - 1);
	}
	blkid_free_probe(p);
	if (found != -1)
		return 0;
	return (uint64_t)lseek(fd, 0, SEEK_END) >> SECTOR_SHIFT < q->first + q->sectors ?
	       ENOSPC : EIO;
}

/* Read one byte, which shows whether the device or file answers. */
static int content_touch(int fd)
{
	char byte;

	return pread(fd, &byte, 1, 0) < 0 ? errno : 0;
}

/*
 * If the requested sectors go beyond the end of the file, cut them at the end, because libblkid
 * does not read beyond the end. A table may have more sectors than the file has now. Return: false
 * if no sectors are left.
 */
static bool content_cut(int fd, struct content_query *q)
{
	struct stat st;
	uint64_t end;

	if (!q->file || !q->sectors)
		return true;
	end = fstat(fd, &st) ? 0 : (uint64_t)st.st_size >> SECTOR_SHIFT;
	end = MIN(end, q->first + q->sectors);
	q->sectors = end - MIN(end, q->first);
	return q->sectors;
}

/*
 * Check that the path leads to a regular file. If a device node or a FIFO has replaced the backing
 * file, it must not be opened.
 */
static int content_check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	return S_ISREG(st.st_mode) ? 0 : EINVAL;
}

/*
 * Look for signatures. Writes through a mapped device bypass the page cache of the leg, so this
 * cache may have old data, and is dropped before and after the read.
 */
static int content_look(struct content_query *q, struct strbuf *b)
{
	_cleanup_close_ int fd = -1;
	int r = q->file ? content_check_file(q->path) : 0;

	if (r)
		return r;
	fd = open(q->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (content_cut(fd, q))
		r = q->sectors ? content_probe(fd, q, b) : content_touch(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return r;
}

/*
 * Read the device or file, and send the answer. content_look() closes the device before the answer
 * is sent, because the close may also wait for the device.
 */
static void content_answer(int out, void *data)
{
	struct strbuf b = { 0 };
	int error = content_look(data, &b);

	dprintf(out, "%d", error);
	if (write(out, "", 1) == 1 && b.len && write(out, b.text, b.len) < 0)
		_exit(1);
}

/* Functions of the command, which takes the answer from the separate process. */

static char *content_take_field(const char **at, const char *end)
{
	const char *field = *at;

	*at = MIN(field + strlen(field) + 1, end);
	return *field ? xstrdup(field) : NULL;
}

/* Parse the answer. If the answer is empty, the separate process was killed. */
static int content_take(const struct answer *a, struct content *c)
{
	const char *at = a->text, *end = a->text + a->length;
	_cleanup_free_ char *error = content_take_field(&at, end);

	while (at < end) {
		struct signature s = { .type = content_take_field(&at, end) };
		_cleanup_free_ char *offset = NULL;

		s.id = content_take_field(&at, end);
		s.label = content_take_field(&at, end);
		offset = content_take_field(&at, end);
		s.sector = offset ? strtoull(offset, NULL, 10) >> SECTOR_SHIFT : UINT64_MAX;
		GROW(c->signature, c->nr);
		c->signature[c->nr++] = s;
	}
	return error ? -atoi(error) : -EIO;
}

static int content_do(const struct content_query *q, struct content *c)
{
	_cleanup_answer_ struct answer a = { 0 };
	struct content_query copy = *q;
	int r;

	memset(c, 0, sizeof(*c));
	r = silence_ask(content_answer, &copy, q->path, q->file, &a, &c->problem);
	if (r)
		return r;
	r = content_take(&a, c);
	if (r)
		c->problem = xstrdup(strerror(-r));
	return r;
}

int content_read(const char *path, uint64_t first, uint64_t sectors, struct content *c)
{
	return content_do(&(struct content_query) { .path = path, .first = first, .sectors = sectors }, c);
}

int content_read_part(const struct device_facts *f, uint64_t first, uint64_t sectors,
		      struct content *c)
{
	uint64_t room = f->sectors - MIN(first, f->sectors);

	return content_read(f->path, first, MIN(MAX(sectors, DISKETTE_SECTORS + 1ULL), room), c);
}

int content_read_file(const char *path, uint64_t first, uint64_t sectors, struct content *c)
{
	return content_do(&(struct content_query) { .path = path, .first = first, .sectors = sectors, .file = true }, c);
}

int content_read_all(const struct device_facts *f, struct content *c)
{
	return content_do(&(struct content_query) {
		.path = f->path, .sectors = f->sectors, .all = true,
	}, c);
}

int content_read_gpt_backup(const struct device_facts *f, struct content *c)
{
	return content_do(&(struct content_query) {
		.path = f->path, .sectors = f->sectors, .backup = true,
	}, c);
}

static char *content_silence_of(const char *path, bool file)
{
	_cleanup_content_ struct content c = { 0 };
	int r = content_do(&(struct content_query) { .path = path, .file = file }, &c);

	return r == -EBUSY || r == -ETIMEDOUT || r == -EINTR ? xstrdup(c.problem) : NULL;
}

char *content_silence(const char *path)
{
	return content_silence_of(path, false);
}

char *content_file_silence(const char *path)
{
	return content_silence_of(path, true);
}
