/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of io_uring as the programs of the tests need. */
#ifndef RING_H
#define RING_H

#include <linux/io_uring.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sectors.h"

struct ring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned int queued;
};

static inline char *ring_map(const struct ring *r, size_t bytes, off_t what)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, r->fd, what);

	if (p == MAP_FAILED)
		die("mmap of a ring");
	return p;
}

static inline void ring_open(struct ring *r, unsigned int entries)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	r->queued = 0;
	r->fd = syscall(__NR_io_uring_setup, entries, &p);
	if (r->fd < 0)
		die("io_uring_setup");
	sq = ring_map(r, p.sq_off.array + p.sq_entries * sizeof(*r->sq_array),
		      IORING_OFF_SQ_RING);
	cq = ring_map(r, p.cq_off.cqes + p.cq_entries * sizeof(*r->cqe),
		      IORING_OFF_CQ_RING);
	r->sqe = (void *)ring_map(r, p.sq_entries * sizeof(*r->sqe),
				  IORING_OFF_SQES);
	r->sq_tail = (void *)(sq + p.sq_off.tail);
	r->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	r->sq_array = (void *)(sq + p.sq_off.array);
	r->cq_head = (void *)(cq + p.cq_off.head);
	r->cq_tail = (void *)(cq + p.cq_off.tail);
	r->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	r->cqe = (void *)(cq + p.cq_off.cqes);
}

/* One more, to be filled in. No more of them than there are entries. */
static inline struct io_uring_sqe *ring_queue(struct ring *r)
{
	unsigned int tail = *r->sq_tail, i = tail & *r->sq_mask;

	memset(&r->sqe[i], 0, sizeof(*r->sqe));
	r->sq_array[i] = i;
	__atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
	r->queued++;
	return &r->sqe[i];
}

/* Submit what is queued, in one go, and wait until one has ended. Return: its user_data. */
static inline uint64_t ring_wait(struct ring *r, int *result)
{
	unsigned int head = *r->cq_head;
	const struct io_uring_cqe *done = &r->cqe[head & *r->cq_mask];
	uint64_t user_data;
	long n;

	while (r->queued || head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE)) {
		n = syscall(__NR_io_uring_enter, r->fd, r->queued, 1,
			    IORING_ENTER_GETEVENTS, NULL, 0);
		if (n < 0 && errno != EINTR)
			die("io_uring_enter");
		if (n > 0)
			r->queued -= n;
	}
	user_data = done->user_data;
	*result = done->res;
	__atomic_store_n(r->cq_head, head + 1, __ATOMIC_RELEASE);
	return user_data;
}

#endif
