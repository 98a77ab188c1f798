// SPDX-License-Identifier: GPL-2.0-only
/*
 * crash-replay LOG LINES SEED CUTS FRESH MAPPED CHUNK JOURNAL START...: write the log of
 * dm-log-writes once more, into memory, and cut it behind each of its entries: what a
 * stripe on legs at these sectors has to have then, by the journal at that sector and the
 * LINES of crash-write, is there. At CUTS random ones, and at the end, what is in memory is
 * copied to the disk FRESH, and all of it is read from MAPPED, which has those legs there.
 */
#define _GNU_SOURCE
#include "crash.h"
#include "log-writes.h"

/* Of a sector of the stripe: the least version that may be there, and the last discard */
struct sector {
	uint32_t confirmed, discarded;
};

struct line {
	char kind;
	uint64_t version, sector, sectors;
};

#define READ_SECTORS	2048

static int log_fd, fresh_fd, mapped_fd;
static struct line *line, *of_version;
static uint64_t nr_lines, next_line, last_version, nr_entry, checked;
static struct sector *sector_of;
static char *disk, *buffer;
static uint64_t disk_size, size, chunk, journal, leg_size;
static unsigned int nr_legs;
static uint64_t start[64];

static struct line *grown(struct line *old, uint64_t nr)
{
	struct line *new = reallocarray(old, nr, sizeof(*new));

	if (!new)
		die("no memory");
	return new;
}

static void read_lines(const char *path)
{
	FILE *f = fopen(path, "r");
	struct line l;

	if (!f)
		die("%s", path);
	while (fscanf(f, LINE, &l.kind, &l.version, &l.sector, &l.sectors) == 4) {
		line = grown(line, nr_lines + 1);
		line[nr_lines++] = l;
		if (l.kind == CONFIRM)
			continue;
		of_version = grown(of_version, l.version + 1);
		of_version[l.version] = l;
	}
	if (!feof(f) || !nr_lines)
		errx(EXIT_FAILURE, "%s: no lines", path);
	fclose(f);
}

static void check(const char *where, const void *data, uint64_t sector)
{
	const struct sector *s = &sector_of[sector];
	int64_t version = stamp_version(data, sector);

	checked++;
	if (version >= s->confirmed && version <= (int64_t)last_version)
		return;
	if (version == 0 && s->discarded > s->confirmed)
		return;
	errx(EXIT_FAILURE, "%s, cut behind entry %lu: version %ld of sector %lu, and %u was confirmed",
	     where, nr_entry, version, sector, s->confirmed);
}

static char *on_disk(uint64_t sector)
{
	uint64_t nr = sector / chunk;

	return disk + (start[nr % nr_legs] + nr / nr_legs * chunk + sector % chunk) * SECTOR;
}

/* What the disk has there is a sector of the stripe, of the journal, or of no interest. */
static void check_on_disk(uint64_t sector)
{
	unsigned int leg;
	uint64_t at;

	for (leg = 0; leg < nr_legs; leg++) {
		at = sector - start[leg];
		if (sector < start[leg] || at >= leg_size)
			continue;
		check("log", disk + sector * SECTOR,
		      (at / chunk * nr_legs + leg) * chunk + at % chunk);
	}
}

static void apply_line(const struct line *l)
{
	const struct line *of = l->kind == CONFIRM ? &of_version[l->version] : l;
	uint64_t i;

	if (l->kind != CONFIRM)
		last_version = l->version;
	for (i = of->sector; i < of->sector + of->sectors; i++) {
		if (l->kind == DISCARD)
			sector_of[i].discarded = l->version;
		if (l->kind != CONFIRM || of->kind != WRITE || l->version < sector_of[i].confirmed)
			continue;
		sector_of[i].confirmed = l->version;
		check("log", on_disk(i), i);
	}
}

/* What was confirmed by then, and submitted before the next record was */
static void apply_lines(void)
{
	int64_t record = stamp_version(disk + journal * SECTOR, 0);

	if (record < 0)
		errx(EXIT_FAILURE, "entry %lu: the journal is broken", nr_entry);
	while (next_line < nr_lines && (line[next_line].kind != CONFIRM ||
					line[next_line].sector <= (uint64_t)record))
		apply_line(&line[next_line++]);
}

static void check_mapped(void)
{
	uint64_t at, i, n;

	if (pwrite(fresh_fd, disk, disk_size * SECTOR, 0) != (ssize_t)disk_size * SECTOR)
		die("writing the disk");
	for (at = 0; at < size; at += n) {
		n = size - at < READ_SECTORS ? size - at : READ_SECTORS;
		if (pread(mapped_fd, buffer, n * SECTOR, at * SECTOR) != (ssize_t)n * SECTOR)
			die("reading the stripe");
		for (i = 0; i < n; i++)
			check("disk", buffer + i * SECTOR, at + i);
	}
}

/* Return: where the next one is. */
static uint64_t replay(uint64_t at)
{
	struct log_entry e;
	uint64_t i;

	at = log_replay(log_fd, at, disk, disk_size, &e);
	nr_entry++;
	apply_lines();
	for (i = 0; i < le64toh(e.nr_sectors); i++)
		check_on_disk(le64toh(e.sector) + i);
	return at;
}

static uint64_t open_all(char **argv)
{
	uint64_t entries = log_open(argv[1], &log_fd);

	read_lines(argv[2]);
	fresh_fd = open_direct(argv[5]);
	mapped_fd = open_direct(argv[6]);
	disk_size = device_sectors(fresh_fd);
	size = device_sectors(mapped_fd);
	disk = pages(disk_size * SECTOR);
	buffer = pages(READ_SECTORS * SECTOR);
	sector_of = calloc(size, sizeof(*sector_of));
	return entries;
}

int main(int argc, char **argv)
{
	uint64_t entries, cuts, n = 0, at = 1;

	if (argc < 10 || argc > 9 + 64)
		errx(EXIT_FAILURE,
		     "usage: crash-replay LOG LINES SEED CUTS FRESH MAPPED CHUNK JOURNAL START...");
	random_seed(atol(argv[3]));
	cuts = atol(argv[4]);
	chunk = atol(argv[7]);
	journal = atol(argv[8]);
	for (; argv[9 + nr_legs]; nr_legs++)
		start[nr_legs] = atol(argv[9 + nr_legs]);
	entries = open_all(argv);
	leg_size = size / nr_legs;
	while (nr_entry < entries) {
		at = replay(at);
		if (nr_entry == entries || random_below(entries) < cuts) {
			check_mapped();
			n++;
		}
	}
	if (next_line < nr_lines && line[next_line].kind == CONFIRM)
		errx(EXIT_FAILURE, "record %lu is not in the log", line[next_line].sector);
	printf("%lu entries, %lu records, %lu cuts on a disk, %lu sectors checked\n", entries,
	       (uint64_t)stamp_version(disk + journal * SECTOR, 0), n, checked);
	return EXIT_SUCCESS;
}
