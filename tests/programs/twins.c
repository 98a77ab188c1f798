// SPDX-License-Identifier: GPL-2.0-only
/*
 * twins STOCK NOCLONE SEED COUNT MAX [wait]: the same random I/O, of one sector to MAX bytes
 * at any sector, on two devices of the same table over legs of their own: one after the other
 * by preadv2() and pwritev2(), or several in flight by io_uring. They have to end the same
 * way, and have to read the data that was written. Some of it with RWF_DSYNC, or with
 * RWF_NOWAIT unless it may "wait"; vectors are cut at any sector, and apart from each other or
 * not. Both devices get the same pages, because adjacent memory decides the number of bios.
 *
 * Prints one line about what there was of each kind.
 */
#define _GNU_SOURCE
#include <sys/uio.h>

#include "ring.h"

#define MAX_BATCH	8
#define MAX_VECTORS	64
/* Those behind a gap of up to three sectors take as much more. */
#define GAP_SECTORS	3
#define UNKNOWN		UINT32_MAX

struct io {
	bool write, registered;
	int flags;
	uint64_t sector;
	unsigned int sectors, nr;
	struct iovec vector[MAX_VECTORS];
};

static struct {
	int fd, result[MAX_BATCH];
} device[2];

static struct ring ring;
static struct io io[MAX_BATCH];
/* Buffers, and a copy of what they were after the I/O on the first device */
static char *memory, *stock_memory;
/* What was written last to each sector */
static uint32_t *version;
static bool may_wait;
static uint64_t device_size, max_sectors, buffer_bytes;
static unsigned int written, reads, writes, batches, failed, nowait, again;

static void make_vectors(struct io *p, unsigned int i)
{
	char *at = memory + i * buffer_bytes + random_below(8) * SECTOR;
	uint64_t n;
	unsigned int left = p->sectors, most = random_below(4) ? random_size(p->sectors) : p->sectors;

	for (p->nr = 0; left; p->nr++, left -= n) {
		n = random_below(most) + 1;
		if (n > left || p->nr == MAX_VECTORS - 1 || p->registered)
			n = left;
		p->vector[p->nr] = (struct iovec){ at, n * SECTOR };
		at += (n + random_below(GAP_SECTORS + 1)) * SECTOR;
	}
}

static bool overlaps(unsigned int nr)
{
	const struct io *p = &io[nr], *q;

	for (q = io; q < p; q++)
		if (p->sector < q->sector + q->sectors && q->sector < p->sector + p->sectors)
			return true;
	return false;
}

static void make_io(unsigned int i, bool batch)
{
	struct io *p = &io[i];
	unsigned int kind = random_below(8);

	p->write = random_below(2);
	p->registered = batch && !random_below(3);
	p->flags = kind == 0 && !may_wait ? RWF_NOWAIT : kind == 1 && p->write ? RWF_DSYNC : 0;
	p->sectors = random_size(max_sectors);
	p->sector = random_below(device_size - p->sectors + 1);
	make_vectors(p, i);
}

/* Calls @each for the sectors of an I/O, and stops where it says so. */
static bool for_sectors(const struct io *p, bool (*each)(char *at, uint64_t sector))
{
	uint64_t sector = p->sector;
	unsigned int i;
	size_t at;

	for (i = 0; i < p->nr; i++)
		for (at = 0; at < p->vector[i].iov_len; at += SECTOR)
			if (!each((char *)p->vector[i].iov_base + at, sector++))
				return false;
	return true;
}

static bool fill(char *at, uint64_t sector)
{
	stamp(at, sector, written);
	return true;
}

static bool spoil(char *at, uint64_t sector)
{
	memset(at, 0xee, SECTOR);
	return sector < device_size;
}

static bool copy(char *at, uint64_t sector)
{
	memcpy(stock_memory + (at - memory), at, SECTOR);
	return sector < device_size;
}

static bool check(char *at, uint64_t sector)
{
	const char *stock = stock_memory + (at - memory);

	if (memcmp(stock, at, SECTOR)) {
		printf("sector %lu: version %ld instead of %ld\n", sector,
		       stamp_version(at, sector), stamp_version(stock, sector));
		return false;
	}
	if (version[sector] == UNKNOWN || stamp_version(at, sector) == version[sector])
		return true;
	printf("sector %lu of both: version %ld, not %u\n", sector,
	       stamp_version(at, sector), version[sector]);
	return false;
}

static int run_one(int fd, const struct io *p)
{
	ssize_t n = (p->write ? pwritev2 : preadv2)(fd, p->vector, p->nr, p->sector * SECTOR,
						    p->flags);

	return n < 0 ? -errno : n;
}

static void queue_one(int fd, unsigned int i)
{
	struct io_uring_sqe *s = ring_queue(&ring);
	const struct io *p = &io[i];

	s->fd = fd;
	s->off = p->sector * SECTOR;
	s->rw_flags = p->flags;
	s->user_data = i;
	if (p->registered) {
		s->opcode = p->write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
		s->addr = (uintptr_t)p->vector[0].iov_base;
		s->len = p->vector[0].iov_len;
	} else {
		s->opcode = p->write ? IORING_OP_WRITEV : IORING_OP_READV;
		s->addr = (uintptr_t)p->vector;
		s->len = p->nr;
	}
}

/* The batch, or one I/O, on one of the devices */
static void run(unsigned int d, bool batch, unsigned int nr)
{
	unsigned int i;
	uint64_t done;
	int result;

	for (i = 0; i < nr; i++)
		if (!io[i].write)
			for_sectors(&io[i], spoil);
	for (i = 0; batch && i < nr; i++)
		queue_one(device[d].fd, i);
	for (i = 0; batch && i < nr; i++) {
		done = ring_wait(&ring, &result);
		device[d].result[done] = result;
	}
	if (!batch)
		device[d].result[0] = run_one(device[d].fd, &io[0]);
	for (i = 0; d == 0 && i < nr; i++)
		if (!io[i].write)
			for_sectors(&io[i], copy);
}

static void remember(const struct io *p, bool ok)
{
	unsigned int i;

	for (i = 0; i < p->sectors; i++)
		version[p->sector + i] = ok ? written : UNKNOWN;
}

/* Return: whether it is the same on both. */
static bool judge(unsigned int i)
{
	const struct io *p = &io[i];
	int stock = device[0].result[i], noclone = device[1].result[i];

	reads += !p->write;
	writes += p->write;
	nowait += p->flags == RWF_NOWAIT;
	again += stock == -EAGAIN;
	failed += stock < 0 && stock != -EAGAIN;
	if (stock != noclone)
		printf("it returns %d instead of %d\n", noclone, stock);
	else if (p->write || stock != (int)p->sectors * SECTOR || for_sectors(p, check))
		return true;
	printf("%s of %u sectors at %lu in %u vectors, flags %x%s, after %u I/Os in %u batches\n",
	       p->write ? "write" : "read", p->sectors, p->sector, p->nr, p->flags,
	       p->registered ? ", registered" : "", reads + writes, batches);
	return false;
}

/* Return: how many I/Os that were, 0 if they were not the same. */
static unsigned int step(void)
{
	bool batch = random_below(3) == 0;
	unsigned int i, nr = 0, tries = batch ? 2 + random_below(MAX_BATCH - 1) : 1;

	written++;
	for (; tries; tries--) {
		make_io(nr, batch);
		if (overlaps(nr))
			continue;
		if (io[nr].write)
			for_sectors(&io[nr], fill);
		nr++;
	}
	run(0, batch, nr);
	run(1, batch, nr);
	batches += batch;
	for (i = 0; i < nr; i++) {
		if (!judge(i))
			return 0;
		if (io[i].write)
			remember(&io[i], device[0].result[i] == (int)io[i].sectors * SECTOR);
	}
	return nr;
}

static void register_buffers(size_t bytes)
{
	struct iovec all = { memory, bytes };

	if (syscall(__NR_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &all, 1))
		die("io_uring_register");
}

int main(int argc, char **argv)
{
	unsigned int nr, left;
	uint64_t i;

	if (argc < 6)
		errx(EXIT_FAILURE, "usage: twins STOCK NOCLONE SEED COUNT MAX [wait]");
	may_wait = argc > 6;
	random_seed(atol(argv[3]));
	max_sectors = atol(argv[5]) / SECTOR;
	buffer_bytes = (max_sectors + 8 + MAX_VECTORS * GAP_SECTORS + 7) / 8 * 8 * SECTOR;
	memory = pages(MAX_BATCH * buffer_bytes);
	stock_memory = pages(MAX_BATCH * buffer_bytes);
	ring_open(&ring, MAX_BATCH);
	register_buffers(MAX_BATCH * buffer_bytes);
	device[0].fd = open_direct(argv[1]);
	device[1].fd = open_direct(argv[2]);
	device_size = device_sectors(device[0].fd);
	if (device_size != device_sectors(device[1].fd))
		errx(EXIT_FAILURE, "the sizes differ");
	if (max_sectors > device_size)
		max_sectors = device_size;
	version = malloc(device_size * sizeof(*version));
	for (i = 0; i < device_size; i++)
		version[i] = UNKNOWN;
	for (left = atoi(argv[4]); left; left -= nr > left ? left : nr) {
		nr = step();
		if (!nr)
			return EXIT_FAILURE;
	}
	printf("%u reads, %u writes, %u batches, %u nowait, %u EAGAIN, %u errors\n",
	       reads, writes, batches, nowait, again, failed);
	return EXIT_SUCCESS;
}
