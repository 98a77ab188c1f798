// SPDX-License-Identifier: GPL-2.0-only
/*
 * crash-write DEV JOURNAL SEED COUNT MAX >LINES: COUNT random writes and discards of one
 * sector to MAX bytes, several in flight, with RWF_DSYNC or an fsync() later. What has been
 * confirmed by either gets a record in JOURNAL, a device on the same disk, at once. See
 * crash.h for the lines.
 */
#define _GNU_SOURCE
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "crash.h"
#include "ring.h"

#define MAX_BATCH	8

struct io {
	bool sync, done;
	uint64_t sector, sectors, version;
};

static struct ring ring;
static struct io io[MAX_BATCH];
static int fd, journal_fd;
static uint64_t device_size, max_sectors, last_version, record;
static char *buffers, *journal;
/* Versions that the next fsync() confirms */
static uint64_t *unconfirmed;
static unsigned int nr_unconfirmed;
/*
 * What was written since the last fsync(): dm-log-writes has it in its log after that, and
 * would have it behind a write with RWF_DSYNC of the same sector.
 */
static bool *dirty;

static bool is_dirty(const struct io *p)
{
	uint64_t i;

	for (i = 0; i < p->sectors; i++)
		if (dirty[p->sector + i])
			return true;
	return false;
}

static void set_dirty(const struct io *p)
{
	memset(dirty + p->sector, true, p->sectors);
	unconfirmed[nr_unconfirmed++] = p->version;
}

static void confirm(uint64_t version)
{
	printf(LINE, CONFIRM, version, record, 0ul);
}

static void end_record(void)
{
	struct iovec vector = { journal, SECTOR };

	stamp(journal, 0, record);
	if (pwritev2(journal_fd, &vector, 1, 0, RWF_DSYNC) != SECTOR)
		die("journal");
}

static void sync_all(void)
{
	if (fsync(fd))
		die("fsync");
	record++;
	while (nr_unconfirmed)
		confirm(unconfirmed[--nr_unconfirmed]);
	end_record();
	memset(dirty, false, device_size);
}

static bool overlaps(const struct io *p)
{
	const struct io *q;

	for (q = io; q < p; q++)
		if (p->sector < q->sector + q->sectors && q->sector < p->sector + p->sectors)
			return true;
	return false;
}

static void choose(struct io *p)
{
	p->sectors = random_size(max_sectors);
	p->sector = random_below(device_size - p->sectors + 1);
	p->version = ++last_version;
}

static void queue_write(unsigned int i)
{
	struct io_uring_sqe *s = ring_queue(&ring);
	struct io *p = &io[i];
	char *buffer = buffers + i * max_sectors * SECTOR;
	uint64_t k;

	p->sync = random_below(3) == 0 && !is_dirty(p);
	for (k = 0; k < p->sectors; k++)
		stamp(buffer + k * SECTOR, p->sector + k, p->version);
	printf(LINE, WRITE, p->version, p->sector, p->sectors);
	s->opcode = IORING_OP_WRITE;
	s->fd = fd;
	s->off = p->sector * SECTOR;
	s->addr = (uintptr_t)buffer;
	s->len = p->sectors * SECTOR;
	s->rw_flags = p->sync ? RWF_DSYNC : 0;
	s->user_data = i;
}

static void write_batch(void)
{
	unsigned int tries = random_below(MAX_BATCH) + 1, nr = 0;
	struct io *p;
	int result;

	for (; tries; tries--) {
		choose(&io[nr]);
		if (!overlaps(&io[nr]))
			queue_write(nr++);
	}
	for (; nr; nr--) {
		p = &io[ring_wait(&ring, &result)];
		if (result != (int)p->sectors * SECTOR)
			errx(EXIT_FAILURE, "a write of %lu sectors at %lu returns %d",
			     p->sectors, p->sector, result);
		if (!p->sync) {
			set_dirty(p);
			continue;
		}
		record++;
		confirm(p->version);
		end_record();
	}
}

static void discard(void)
{
	struct io *p = &io[0];
	uint64_t range[2];

	choose(p);
	printf(LINE, DISCARD, p->version, p->sector, p->sectors);
	range[0] = p->sector * SECTOR;
	range[1] = p->sectors * SECTOR;
	if (ioctl(fd, BLKDISCARD, range))
		die("BLKDISCARD");
	set_dirty(p);
}

int main(int argc, char **argv)
{
	uint64_t count;

	if (argc != 6)
		errx(EXIT_FAILURE, "usage: crash-write DEV JOURNAL SEED COUNT MAX");
	fd = open_direct(argv[1]);
	journal_fd = open_direct(argv[2]);
	random_seed(atol(argv[3]));
	count = atol(argv[4]);
	max_sectors = atol(argv[5]) / SECTOR;
	device_size = device_sectors(fd);
	ring_open(&ring, MAX_BATCH);
	buffers = pages(MAX_BATCH * max_sectors * SECTOR);
	journal = pages(SECTOR);
	dirty = calloc(device_size, sizeof(*dirty));
	unconfirmed = calloc(count + MAX_BATCH, sizeof(*unconfirmed));
	while (last_version < count) {
		if (random_below(8))
			write_batch();
		else
			discard();
		if (random_below(3) == 0)
			sync_all();
	}
	/* The lines are on their way to a file that is not cut. */
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
