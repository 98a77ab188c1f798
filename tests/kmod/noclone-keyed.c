// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: the target "keyed" has a table with the format of dm-inlinecrypt, which contains the
 * key, but does not encrypt. User-mode Linux and kernels before 7.2 lack dm-inlinecrypt.
 *
 *	0 SECTORS keyed CIPHER KEY IV-OFFSET DEVICE START
 */
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/slab.h>

enum { CIPHER, KEY, IV_OFFSET, DEVICE, START, NR_ARGS };

struct keyed {
	struct dm_dev *dev;
	sector_t start;
	char *word[NR_ARGS];
};

static void keyed_dtr(struct dm_target *ti)
{
	struct keyed *k = ti->private;
	int i;

	for (i = 0; i < NR_ARGS; i++)
		kfree(k->word[i]);
	if (k->dev)
		dm_put_device(ti, k->dev);
	kfree(k);
}

static int keyed_fill(struct dm_target *ti, char **argv)
{
	struct keyed *k = ti->private;
	u64 start;
	int i;

	for (i = 0; i < NR_ARGS; i++) {
		k->word[i] = kstrdup(argv[i], GFP_KERNEL);
		if (!k->word[i])
			return -ENOMEM;
	}
	if (kstrtou64(argv[START], 10, &start))
		return -EINVAL;
	k->start = start;
	return dm_get_device(ti, argv[DEVICE], dm_table_get_mode(ti->table), &k->dev);
}

static int keyed_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	int r;

	if (argc != NR_ARGS)
		return -EINVAL;
	ti->private = kzalloc(sizeof(struct keyed), GFP_KERNEL);
	if (!ti->private)
		return -ENOMEM;
	r = keyed_fill(ti, argv);
	if (r)
		keyed_dtr(ti);
	return r;
}

static int keyed_map(struct dm_target *ti, struct bio *bio)
{
	struct keyed *k = ti->private;

	bio_set_dev(bio, k->dev->bdev);
	bio->bi_iter.bi_sector = k->start + dm_target_offset(ti, bio->bi_iter.bi_sector);
	return DM_MAPIO_REMAPPED;
}

static void keyed_status(struct dm_target *ti, status_type_t type, unsigned int flags,
			 char *result, unsigned int maxlen)
{
	struct keyed *k = ti->private;
	int sz = 0;

	if (type == STATUSTYPE_TABLE)
		DMEMIT("%s %s %s %s %llu", k->word[CIPHER], k->word[KEY], k->word[IV_OFFSET],
		       k->dev->name, (u64)k->start);
	else
		*result = 0;
}

static struct target_type keyed_target = {
	.name = "keyed",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = keyed_ctr,
	.dtr = keyed_dtr,
	.map = keyed_map,
	.status = keyed_status,
};

static int __init keyed_init(void)
{
	return dm_register_target(&keyed_target);
}

static void __exit keyed_exit(void)
{
	dm_unregister_target(&keyed_target);
}

module_init(keyed_init);
module_exit(keyed_exit);

MODULE_DESCRIPTION("A target whose table contains a key; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
