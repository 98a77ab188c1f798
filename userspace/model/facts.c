// SPDX-License-Identifier: GPL-2.0-only
/* What is known about devices and files, and what is found. */
#include "model/facts.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <stdlib.h>
#include <string.h>

void facts_free(struct device_facts *facts)
{
	free(facts->path);
	free(facts->wwid);
	facts->path = facts->wwid = NULL;
}

struct disk_range facts_range(const struct device_facts *f, uint64_t first, uint64_t sectors)
{
	struct disk_range range = { f->disk, f->offset + first, 0 };

	if (__builtin_add_overflow(range.first, sectors, &range.end))
		range.end = UINT64_MAX;
	return range;
}

bool disk_ranges_meet(const struct disk_range *a, const struct disk_range *b)
{
	return a->disk == b->disk && a->first < b->end && b->first < a->end;
}

void file_facts_free(struct file_facts *facts)
{
	free(facts->path);
	free(facts->silence);
	facts->path = facts->silence = NULL;
	file_map_free(&facts->map);
}

char *file_facts_error(const struct file_facts *facts, int r)
{
	return facts->silence ? xasprintf("cannot be read: %s", facts->silence) :
	       xstrdup(strerror(-r));
}

/*
 * Which parts of a file have blocks on the disk.
 *
 * A hole has none.  An unwritten extent has, but they hold whatever a deleted
 * file left there.  The engine extent, which bypasses the file system, can use
 * neither.
 */
#define NOT_IN_PLACE	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | \
			 FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED | \
			 FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_DATA_INLINE | \
			 FIEMAP_EXTENT_DATA_TAIL)

void file_map_gap(struct file_map *map, uint64_t begin, uint64_t end)
{
	if (begin >= end)
		return;
	map->gap_bytes += end - begin;
	if (map->nr_gaps && map->gap[map->nr_gaps - 1].end == begin) {
		map->gap[map->nr_gaps - 1].end = end;
		return;
	}
	GROW(map->gap, map->nr_gaps);
	map->gap[map->nr_gaps++] = (struct file_gap) { begin, end };
}

static void facts_file_map_add_extent(struct file_map *map, const struct fiemap_extent *e,
				      uint64_t begin, uint64_t end)
{
	map->extents++;
	if (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
		file_map_gap(map, begin, end);
	else if (e->fe_flags & NOT_IN_PLACE)
		map->elsewhere += end - begin;
	else if (e->fe_flags & FIEMAP_EXTENT_SHARED)
		map->shared += end - begin;
}

void file_map_extents(struct file_map *map, const struct fiemap_extent *e,
		      unsigned int nr, uint64_t bytes)
{
	uint64_t at = 0, begin, end;
	unsigned int i;

	memset(map, 0, sizeof(*map));
	map->known = true;
	for (i = 0; i < nr; i++) {
		begin = MIN(e[i].fe_logical, bytes);
		end = MIN(e[i].fe_logical + e[i].fe_length, bytes);
		if (begin >= end)
			continue;
		file_map_gap(map, at, begin);
		facts_file_map_add_extent(map, &e[i], begin, end);
		at = end;
	}
	file_map_gap(map, at, bytes);
}

void file_map_free(struct file_map *map)
{
	free(map->gap);
	memset(map, 0, sizeof(*map));
}

const char *facts_error(int r)
{
	/* libblkid looks for UUID= and the like on all disks */
	return r == -ETIMEDOUT ? "a disk does not answer" : strerror(-r);
}

char *facts_suggest_path(const struct facts_source *src, const char *word)
{
	static const char *const folders[] = { "/dev", "/dev/mapper" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(folders) && *word && !strchr("./", *word); i++) {
		char *path = xasprintf("%s/%s", folders[i], word);
		_cleanup_facts_ struct device_facts f = { 0 };

		if (!src->lookup(path, &f))
			return path;
		free(path);
	}
	return NULL;
}

/* What is wrong or worth a word. */

/* Two legs may be on a device that does not exist. */
static void facts_drop_repeated(struct findings *f)
{
	const struct finding *last = &f->finding[f->nr - 1], *other;

	for (other = f->finding; other < last; other++) {
		if (other->line != last->line || strcmp(other->text, last->text))
			continue;
		free(last->text);
		f->nr--;
		return;
	}
}

void finding_add_at(struct findings *f, enum finding_level level, const char *subject,
		    unsigned int line, const char *fmt, ...)
{
	struct finding new = { .level = level, .line = line };
	char *fix = NULL;
	va_list ap;

	if (!f)
		return;
	va_start(ap, fmt);
	new.text = xvasprintf(fmt, ap);
	va_end(ap);
	if (subject)
		fix = strchr(new.text, '\n');
	if (fix)
		*fix++ = 0;
	new.check = f->check;
	new.fix = fix ? xstrdup(fix) : NULL;
	new.subject = subject ? xstrdup(subject) : NULL;
	GROW(f->finding, f->nr);
	f->finding[f->nr++] = new;
	if (!subject)
		facts_drop_repeated(f);
}

unsigned int findings_count(const struct findings *f, enum finding_level level)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->nr; i++)
		n += f->finding[i].level == level;
	return n;
}

const char *finding_level_name(enum finding_level level)
{
	static const char * const names[] = { "ok", "note", "warning", "error" };

	return names[level];
}

char *finding_words(const struct finding *f, const char *where)
{
	const char *subject = f->subject ? f->subject : where;
	struct strbuf b = { 0 };

	if (subject && *subject)
		strbuf_add(&b, "%s:", subject);
	if (f->line && (!subject || *subject))
		strbuf_add(&b, subject ? "%u:" : "part %u:", f->line);
	strbuf_add(&b, "%s%s", b.len ? " " : "", f->text);
	if (f->fix)
		strbuf_add(&b, "; fix: %s", f->fix);
	return strbuf_take(&b);
}

void findings_free(struct findings *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		free(f->finding[i].subject);
		free(f->finding[i].text);
		free(f->finding[i].fix);
	}
	free(f->finding);
	memset(f, 0, sizeof(*f));
}
