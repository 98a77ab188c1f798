// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random reads and writes of one or two devices that have the same data, all verified, for the test
 * of a kernel.
 *
 *	load [-n ROUNDS] [-d DEPTH] [-m BYTES] [-f FROM] [-l LENGTH] [-s SEED] [-w PAUSE]
 *	     [-p] DEV [DEV2]
 *	load -c
 *
 * A round submits DEPTH I/Os at once, each in a different part of the range, and waits for all
 * I/Os. The device, the sector and the size of each I/O are random: from 1 sector to -m BYTES, in
 * up to four pieces of memory. A read has to return the data that was written before, through
 * either device. The range begins at the byte -f and has -l bytes. It is written once at the begin.
 * Without -n, the program ends on SIGTERM. -w is a pause between the rounds, in microseconds. With
 * -p the program does polled I/O by io_uring. Without -p it uses AIO, or io_uring if the kernel has no
 * AIO. With -c it does no I/O, and fails if the kernel has neither.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef uint64_t u64;

#define SECTOR		512
#define DEPTH_MAX	64
#define PIECES		4

struct load_io {
	struct iovec piece[PIECES];
	int pieces;
	int device;
	bool is_write;
	bool is_durable;
	u64 at;			/* in bytes from the begin of the range */
	size_t bytes;
	unsigned char *memory;
	long result;
};

static const char *load_name[2];
static int load_fd[2], load_devices;
static unsigned long load_rounds;
static int load_depth = 8;
static size_t load_most = 1 << 20;
static u64 load_from, load_length, load_written, load_random_state = 88172645463325252;
static useconds_t load_pause;
static bool load_is_polled, load_uses_ring, load_only_checks;
static unsigned char *load_expected;	/* the content of the range */
static struct load_io load_io[DEPTH_MAX];
static volatile sig_atomic_t load_is_over;

static void load_end(int signal)
{
	(void)signal;
	load_is_over = 1;
}

static void load_die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(2);
}

static u64 load_random(u64 below)
{
	load_random_state ^= load_random_state << 13;
	load_random_state ^= load_random_state >> 7;
	load_random_state ^= load_random_state << 17;
	return (load_random_state >> 11) % below;
}

/* Fill sectors with the number of the sector and the number of the write. */
static void load_stamp(unsigned char *memory, u64 at, size_t bytes)
{
	u64 *word = (u64 *)memory;
	size_t i;

	load_written++;
	for (i = 0; i < bytes / sizeof(*word); i++)
		word[i] = (load_from + at + i * sizeof(*word)) / SECTOR + (load_written << 32);
}

static u64 load_word(const unsigned char *memory, size_t byte)
{
	u64 word;

	memcpy(&word, memory + byte / sizeof(word) * sizeof(word), sizeof(word));
	return word;
}

static const char *load_kind(const struct load_io *io)
{
	return io->is_write ? "write" : "read";
}

static void load_check_data(const struct load_io *io)
{
	const unsigned char *expected = load_expected + io->at;
	size_t i;

	if (!memcmp(io->memory, expected, io->bytes))
		return;
	for (i = 0; io->memory[i] == expected[i];)
		i++;
	fprintf(stderr, "a read of %zu bytes at byte %llu of %s: expected %#llx in byte %zu, and saw %#llx\n",
		io->bytes, (unsigned long long)(load_from + io->at), load_name[io->device],
		(unsigned long long)load_word(expected, i), i,
		(unsigned long long)load_word(io->memory, i));
	exit(1);
}

static void load_check(const struct load_io *io)
{
	if (io->result != (long)io->bytes) {
		fprintf(stderr, "a %s of %zu bytes at byte %llu of %s: expected success, and saw %s (%ld)\n",
			load_kind(io), io->bytes, (unsigned long long)(load_from + io->at),
			load_name[io->device],
			io->result < 0 ? strerror(-io->result) : "fewer bytes", io->result);
		exit(1);
	}
	if (!io->is_write)
		load_check_data(io);
}

/* Cut the memory into several pieces of whole sectors. */
static void load_cut(struct load_io *io)
{
	size_t done = 0, now;

	io->pieces = 0;
	while (done < io->bytes) {
		now = io->bytes - done;
		if (io->pieces < PIECES - 1 && now > SECTOR)
			now = SECTOR + load_random(now / SECTOR) * SECTOR;
		io->piece[io->pieces++] = (struct iovec){ io->memory + done, now };
		done += now;
	}
}

/*
 * Choose the next I/O in a part of the range. The largest permitted size is halved again and again,
 * each time with a chance of one half, so that small I/Os are frequent.
 */
static void load_choose(struct load_io *io, u64 part, u64 size)
{
	u64 most = load_most;

	io->device = load_random(load_devices);
	io->is_write = load_random(2);
	io->is_durable = io->is_write && !load_random(8);
	while (most > SECTOR && load_random(2))
		most /= 2;
	if (most > size)
		most = size;
	io->bytes = SECTOR + load_random(most / SECTOR) * SECTOR;
	io->at = part + load_random((size - io->bytes) / SECTOR + 1) * SECTOR;
	load_cut(io);
	if (io->is_write) {
		load_stamp(load_expected + io->at, io->at, io->bytes);
		memcpy(io->memory, load_expected + io->at, io->bytes);
	}
}

/* AIO */

static aio_context_t load_aio;

static void load_aio_run(int depth)
{
	static struct iocb cb[DEPTH_MAX];
	static struct io_event event[DEPTH_MAX];
	struct iocb *list[DEPTH_MAX];
	int i, done = 0, n;

	for (i = 0; i < depth; i++) {
		cb[i] = (struct iocb){
			.aio_data = i,
			.aio_fildes = load_fd[load_io[i].device],
			.aio_lio_opcode = load_io[i].is_write ? IOCB_CMD_PWRITEV : IOCB_CMD_PREADV,
			.aio_buf = (uintptr_t)load_io[i].piece,
			.aio_nbytes = load_io[i].pieces,
			.aio_offset = load_from + load_io[i].at,
			.aio_rw_flags = load_io[i].is_durable ? RWF_DSYNC : 0,
		};
		list[i] = &cb[i];
	}
	for (i = 0; i < depth; i += n) {
		n = syscall(SYS_io_submit, load_aio, (long)(depth - i), list + i);
		if (n <= 0)
			load_die("io_submit");
	}
	while (done < depth) {
		n = syscall(SYS_io_getevents, load_aio, 1L, (long)(depth - done), event + done,
			    NULL);
		if (n < 0 && errno != EINTR)
			load_die("io_getevents");
		done += n > 0 ? n : 0;
	}
	for (i = 0; i < depth; i++)
		load_io[event[i].data].result = event[i].res;
}

/* io_uring */

static int load_ring;
static struct io_uring_params load_params;
static unsigned char *load_sq, *load_cq;
static struct io_uring_sqe *load_sqe;

static void *load_map(size_t size, u64 offset)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, load_ring,
			 offset);

	if (map == MAP_FAILED)
		load_die("the memory of io_uring");
	return map;
}

static void load_ring_open(void)
{
	struct io_uring_params *p = &load_params;

	p->flags = load_is_polled ? IORING_SETUP_IOPOLL : 0;
	load_ring = syscall(SYS_io_uring_setup, DEPTH_MAX, p);
	if (load_ring < 0)
		load_die("io_uring");
	load_sq = load_map(p->sq_off.array + p->sq_entries * sizeof(unsigned int),
			   IORING_OFF_SQ_RING);
	load_cq = load_map(p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe),
			   IORING_OFF_CQ_RING);
	load_sqe = load_map(p->sq_entries * sizeof(*load_sqe), IORING_OFF_SQES);
}

static void load_ring_fill(int depth)
{
	struct io_uring_params *p = &load_params;
	unsigned int *tail = (unsigned int *)(load_sq + p->sq_off.tail);
	unsigned int mask = *(unsigned int *)(load_sq + p->sq_off.ring_mask), n = *tail;
	int i;

	for (i = 0; i < depth; i++, n++) {
		load_sqe[i] = (struct io_uring_sqe){
			.opcode = load_io[i].is_write ? IORING_OP_WRITEV : IORING_OP_READV,
			.fd = load_fd[load_io[i].device],
			.addr = (uintptr_t)load_io[i].piece,
			.len = load_io[i].pieces,
			.off = load_from + load_io[i].at,
			.rw_flags = load_io[i].is_durable && !load_is_polled ? RWF_DSYNC : 0,
			.user_data = i,
		};
		((unsigned int *)(load_sq + p->sq_off.array))[n & mask] = i;
	}
	atomic_store_explicit((_Atomic unsigned int *)tail, n, memory_order_release);
}

/* Return: how many I/Os are complete. */
static int load_ring_reap(void)
{
	struct io_uring_params *p = &load_params;
	unsigned int *head = (unsigned int *)(load_cq + p->cq_off.head), n = *head;
	unsigned int mask = *(unsigned int *)(load_cq + p->cq_off.ring_mask);
	const struct io_uring_cqe *cqe = (struct io_uring_cqe *)(load_cq + p->cq_off.cqes);
	int done = 0;

	while (n != atomic_load_explicit((_Atomic unsigned int *)(load_cq + p->cq_off.tail),
					 memory_order_acquire)) {
		load_io[cqe[n & mask].user_data].result = cqe[n & mask].res;
		n++;
		done++;
	}
	atomic_store_explicit((_Atomic unsigned int *)head, n, memory_order_release);
	return done;
}

static void load_ring_run(int depth)
{
	int submitted = 0, done = 0, n;

	load_ring_fill(depth);
	while (done < depth) {
		n = syscall(SYS_io_uring_enter, load_ring, depth - submitted, 1,
			    IORING_ENTER_GETEVENTS, NULL, 0);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			load_die("io_uring_enter");
		submitted += n > 0 ? n : 0;
		done += load_ring_reap();
	}
}

/* Open AIO, or io_uring if the I/O is polled or the kernel has no AIO. */
static void load_engine_open(void)
{
	if (!load_is_polled && !syscall(SYS_io_setup, DEPTH_MAX, &load_aio))
		return;
	load_ring_open();
	load_uses_ring = true;
}

static void load_round(void)
{
	u64 size = load_length / load_depth / 4096 * 4096;
	int i;

	for (i = 0; i < load_depth; i++)
		load_choose(&load_io[i], i * size, size);
	if (load_uses_ring)
		load_ring_run(load_depth);
	else
		load_aio_run(load_depth);
	for (i = 0; i < load_depth; i++)
		load_check(&load_io[i]);
}

static void load_open(int nr, const char *name)
{
	u64 bytes;

	load_name[nr] = name;
	load_fd[nr] = open(name, O_RDWR | O_DIRECT);
	if (load_fd[nr] < 0 || ioctl(load_fd[nr], BLKGETSIZE64, &bytes))
		load_die(name);
	if (!load_length || load_length > bytes - load_from)
		load_length = bytes - load_from;
}

/* Write the whole range, so that its content is known. */
static void load_begin(void)
{
	size_t now;
	u64 at;

	load_expected = aligned_alloc(4096, load_length);
	if (!load_expected)
		load_die("memory");
	for (at = 0; at < load_length; at += now) {
		now = load_length - at < 1 << 20 ? load_length - at : 1 << 20;
		load_stamp(load_expected + at, at, now);
		if (pwrite(load_fd[0], load_expected + at, now, load_from + at) != (long)now)
			load_die("the first pass");
	}
}

static void load_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:d:m:f:l:s:w:pc")) != -1) {
		switch (c) {
		case 'n': load_rounds = atol(optarg); break;
		case 'd': load_depth = atoi(optarg); break;
		case 'm': load_most = atol(optarg); break;
		case 'f': load_from = atol(optarg); break;
		case 'l': load_length = atol(optarg); break;
		case 's': load_random_state += 2654435761 * (u64)atol(optarg); break;
		case 'w': load_pause = atol(optarg); break;
		case 'p': load_is_polled = true; break;
		case 'c': load_only_checks = true; break;
		default: exit(2);
		}
	}
	if (load_depth < 1 || load_depth > DEPTH_MAX || (optind == argc && !load_only_checks)) {
		fprintf(stderr, "load: wrong arguments\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	unsigned long round = 0;
	int i;

	load_options(argc, argv);
	for (i = optind; i < argc && load_devices < 2; i++)
		load_open(load_devices++, argv[i]);
	signal(SIGTERM, load_end);
	load_engine_open();
	if (load_only_checks)
		return 0;
	for (i = 0; i < load_depth; i++) {
		load_io[i].memory = aligned_alloc(4096, load_most + 4096);
		if (!load_io[i].memory)
			load_die("memory");
		/* The memory of some I/Os does not begin at a page */
		load_io[i].memory += i % 2 ? SECTOR * (i % 8) : 0;
	}
	load_begin();
	while (!load_is_over && (!load_rounds || round < load_rounds)) {
		load_round();
		usleep(load_pause);
		round++;
	}
	printf("%lu rounds\n", round);
	return 0;
}
