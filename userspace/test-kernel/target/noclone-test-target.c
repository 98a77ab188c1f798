// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target that sends each I/O to three devices and compares how their bios come back, for the test
 * of a kernel.
 *
 *	0 SECTORS noclone-test STOCK FAST DISK
 *
 * STOCK and FAST are mapped devices with the same table: STOCK without the fast path, and FAST with
 * it. Each byte of a bio has to come back from FAST as it was sent, or as it comes back from STOCK.
 * DISK is a disk of the kind that STOCK and FAST are on: the bytes that it changes in a bio have no
 * meaning after the completion, unless they belong to a member of test_target_members[].
 *
 * Each I/O becomes two bios, one for each half; a disk may merge these bios. The flags of the bios
 * change from I/O to I/O. In each fourth I/O one half is chained to the other.
 *
 * The status is "BIOS same", or "BIOS differs MEMBER BYTE STOCK FAST": the first byte that differs,
 * as it came back from STOCK and from FAST.
 */
#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

enum { STOCK, DISK, FAST, DEVICES };	/* the order of sending; the result is that of FAST */

#define HALVES	2

struct test_target_half {
	struct bio bio;
	u8 sent[sizeof(struct bio)];
	u8 seen[DEVICES][sizeof(struct bio)];
	bool changed[DEVICES][sizeof(struct bio)];
};

struct test_target {
	struct dm_dev *dev[DEVICES];
	spinlock_t lock;		/* guards @bios */
	struct bio_list bios;
	struct workqueue_struct *wq;
	struct work_struct work;
	/* The worker uses the members below, and the status reads them */
	struct test_target_half half[HALVES];
	struct completion done;
	atomic_t pending;
	int device;			/* the device that has the bios */
	unsigned long ios;
	unsigned long nr;		/* bios that were compared */
	bool scratch[sizeof(struct bio) / 4 + 1];	/* DISK changes a byte of these four */
	bool differs[sizeof(struct bio)];
	u8 first[DEVICES][sizeof(struct bio)];	/* values of a byte when it first differed */
};

#define MEMBER(m) { #m, offsetof(struct bio, m), sizeof_field(struct bio, m) }

/* The members of a bio that its submitter may read after the completion */
static const struct {
	const char *name;
	size_t offset;
	size_t size;
} test_target_members[] = {
	MEMBER(bi_next), MEMBER(bi_bdev), MEMBER(bi_opf), MEMBER(bi_flags), MEMBER(bi_status),
	MEMBER(__bi_remaining), MEMBER(bi_iter), MEMBER(bi_cookie), MEMBER(bi_end_io),
	MEMBER(bi_private),
};

/* Return: the name of the member that the byte belongs to, or NULL. */
static const char *test_target_member(size_t byte)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(test_target_members); i++)
		if (byte - test_target_members[i].offset < test_target_members[i].size)
			return test_target_members[i].name;
	return NULL;
}

static void test_target_look(struct test_target_half *h, int device)
{
	size_t i;

	memcpy(h->seen[device], &h->bio, sizeof(h->bio));
	for (i = 0; i < sizeof(h->bio); i++)
		h->changed[device][i] = h->seen[device][i] != h->sent[i];
}

static void test_target_end_io(struct bio *bio)
{
	struct test_target *t = bio->bi_private;

	test_target_look(container_of(bio, struct test_target_half, bio), t->device);
	if (atomic_dec_and_test(&t->pending))
		complete(&t->done);
}

/*
 * Set the flags of the next I/O. bi_opf gets some flags of requests, which change from I/O to I/O.
 * In every second I/O, bi_flags gets all flags that the kernel does not define, and BIO_QUIET,
 * which a disk sets after an error.
 */
static void test_target_flag(struct test_target *t, struct bio *bio)
{
	static const blk_opf_t opf[] = {
		0, REQ_SYNC, REQ_META | REQ_PRIO, REQ_IDLE, REQ_NOMERGE, REQ_FUA,
		REQ_SYNC | REQ_FUA,
	};

	bio->bi_opf |= opf[t->ios % ARRAY_SIZE(opf)];
	if (bio_op(bio) == REQ_OP_READ)
		bio->bi_opf &= ~REQ_FUA;
	if (t->ios & 1)
		bio->bi_flags |= (u16)(~0U << BIO_FLAG_LAST) | BIT(BIO_QUIET);
}

/* Make the bios for @device. Return: the number of bios. */
static int test_target_make(struct test_target *t, struct bio *io, int device)
{
	unsigned int left = bio_sectors(io), done = 0, now;
	struct test_target_half *h = t->half;

	for (; left; h++, done += now, left -= now) {
		now = h == t->half && left > 1 ? left / 2 : left;
		bio_init_clone(t->dev[device]->bdev, &h->bio, io, GFP_NOIO);
		bio_trim(&h->bio, done, now);
		test_target_flag(t, &h->bio);
		h->bio.bi_private = t;
		h->bio.bi_end_io = test_target_end_io;
	}
	return h - t->half;
}

/* Send the bios to @device, and wait for them. */
static void test_target_send(struct test_target *t, struct bio *io, int device)
{
	int i, nr = test_target_make(t, io, device);
	bool chained = nr == HALVES && t->ios % 4 == 3;
	struct blk_plug plug;

	if (chained) {
		/* Take a second reference, because the end of the chain drops one */
		bio_get(&t->half[1].bio);
		t->half[1].bio.bi_private = NULL;
		t->half[1].bio.bi_end_io = NULL;
		bio_chain(&t->half[1].bio, &t->half[0].bio);
	}
	t->device = device;
	atomic_set(&t->pending, chained ? 1 : nr);
	reinit_completion(&t->done);
	blk_start_plug(&plug);
	for (i = 0; i < nr; i++) {
		memcpy(t->half[i].sent, &t->half[i].bio, sizeof(struct bio));
		submit_bio_noacct(&t->half[i].bio);
	}
	blk_finish_plug(&plug);
	wait_for_completion_io(&t->done);
	if (chained)
		test_target_look(&t->half[1], device);
	for (i = 0; i < nr; i++) {
		if (t->half[i].bio.bi_status)
			io->bi_status = t->half[i].bio.bi_status;
		bio_uninit(&t->half[i].bio);
	}
}

/*
 * Compare one byte. The byte is right if it is as it was sent, or as it came back from STOCK. A
 * byte that belongs to no member of the list is also right if DISK changes any byte of the same
 * aligned four.
 */
static void test_target_compare(struct test_target *t, const struct test_target_half *h, size_t i)
{
	if (h->changed[DISK][i] && !test_target_member(i))
		t->scratch[i / 4] = true;
	if (!h->changed[FAST][i] || h->seen[STOCK][i] == h->seen[FAST][i])
		return;
	if (!t->differs[i]) {
		t->first[STOCK][i] = h->seen[STOCK][i];
		t->first[FAST][i] = h->seen[FAST][i];
	}
	t->differs[i] = true;
}

static void test_target_do(struct test_target *t, struct bio *io)
{
	int halves = bio_sectors(io) > 1 ? HALVES : 1, i;
	size_t byte;

	for (i = 0; i < DEVICES; i++)
		test_target_send(t, io, i);
	for (i = 0; i < halves; i++)
		for (byte = 0; byte < sizeof(struct bio); byte++)
			test_target_compare(t, &t->half[i], byte);
	t->ios++;
	WRITE_ONCE(t->nr, t->nr + halves);
	bio_endio(io);
}

static void test_target_work(struct work_struct *work)
{
	struct test_target *t = container_of(work, struct test_target, work);
	struct bio *io;

	for (;;) {
		spin_lock_irq(&t->lock);
		io = bio_list_pop(&t->bios);
		spin_unlock_irq(&t->lock);
		if (!io)
			return;
		test_target_do(t, io);
	}
}

static int test_target_map(struct dm_target *ti, struct bio *io)
{
	struct test_target *t = ti->private;
	unsigned long flags;

	if (!bio_sectors(io))
		return DM_MAPIO_KILL;
	spin_lock_irqsave(&t->lock, flags);
	bio_list_add(&t->bios, io);
	spin_unlock_irqrestore(&t->lock, flags);
	queue_work(t->wq, &t->work);
	return DM_MAPIO_SUBMITTED;
}

static void test_target_dtr(struct dm_target *ti)
{
	struct test_target *t = ti->private;
	int i;

	if (t->wq)
		destroy_workqueue(t->wq);
	for (i = 0; i < DEVICES; i++)
		if (t->dev[i])
			dm_put_device(ti, t->dev[i]);
	kvfree(t);
}

static int test_target_open(struct dm_target *ti, char **argv)
{
	static const int order[DEVICES] = { STOCK, FAST, DISK };
	struct test_target *t = ti->private;
	int i, r;

	for (i = 0; i < DEVICES; i++) {
		r = dm_get_device(ti, argv[i], dm_table_get_mode(ti->table), &t->dev[order[i]]);
		if (r)
			return r;
	}
	t->wq = alloc_workqueue("noclone_test", WQ_UNBOUND, 1);
	return t->wq ? 0 : -ENOMEM;
}

static int test_target_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct test_target *t;
	int r;

	if (argc != DEVICES) {
		ti->error = "the arguments are STOCK FAST DISK";
		return -EINVAL;
	}
	t = kvzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	spin_lock_init(&t->lock);
	bio_list_init(&t->bios);
	init_completion(&t->done);
	INIT_WORK(&t->work, test_target_work);
	ti->private = t;
	r = test_target_open(ti, argv);
	if (r)
		test_target_dtr(ti);
	return r;
}

/* Return: the first byte that differs, although it has a meaning; or the size of a bio. */
static size_t test_target_first(const struct test_target *t)
{
	size_t i;

	for (i = 0; i < sizeof(struct bio); i++)
		if (t->differs[i] && (test_target_member(i) || !t->scratch[i / 4]))
			break;
	return i;
}

static void test_target_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			       char *result, unsigned int maxlen)
{
	struct test_target *t = ti->private;
	size_t byte = test_target_first(t);
	int sz = 0;

	if (type == STATUSTYPE_TABLE)
		DMEMIT("%s %s %s", t->dev[STOCK]->name, t->dev[FAST]->name, t->dev[DISK]->name);
	else if (type != STATUSTYPE_INFO)
		*result = 0;
	else if (byte == sizeof(struct bio))
		DMEMIT("%lu same", READ_ONCE(t->nr));
	else
		DMEMIT("%lu differs %s %zu %#x %#x", READ_ONCE(t->nr),
		       test_target_member(byte) ?: "other", byte, t->first[STOCK][byte],
		       t->first[FAST][byte]);
}

static struct target_type test_target_type = {
	.name = "noclone-test",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = test_target_ctr,
	.dtr = test_target_dtr,
	.map = test_target_map,
	.status = test_target_status,
};

static int __init test_target_init(void)
{
	return dm_register_target(&test_target_type);
}

static void __exit test_target_exit(void)
{
	dm_unregister_target(&test_target_type);
}

module_init(test_target_init);
module_exit(test_target_exit);

MODULE_DESCRIPTION("Compares how bios come back; for the test of a kernel by dm-noclone");
MODULE_LICENSE("GPL");
