// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace the block_device_operations of a mapped device by a copy with another submit_bio and
 * poll_bio.
 *
 * Readers load disk->fops without a lock, so the operations that they find must never be freed:
 * there is one static copy for the whole module. One copy is enough, because all bio-based mapped
 * devices share one original, which lies inside dm_mod. A copy that another module has installed
 * does not lie inside dm_mod.
 */
#include "fops.h"
#include "kernel.h"
#include "peek.h"

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>

/*
 * The functions that our copy has in place of dm core's functions: noclone_fastpath_submit_bio()
 * and noclone_polled_poll_bio(). noclone_fops_init() sets them, because this file stands below
 * fastpath.c and polled.c in Kbuild, and cannot use their functions by name.
 */
static noclone_submit_bio_fn *noclone_fops_new_submit_bio __ro_after_init;
static noclone_poll_bio_fn *noclone_fops_new_poll_bio __ro_after_init;

static DEFINE_MUTEX(noclone_fops_lock);

/*
 * Our copy of the operations, and the pointer to dm core's operations. Both are written once, with
 * noclone_fops_lock held. When the module is loaded, noclone_fops_find_tail_call() sets the pointer
 * for a moment.
 */
static struct block_device_operations noclone_fops_ours;
const struct block_device_operations *noclone_fops_dm;

/* True if the last call of our submit_bio, the call of dm core, is a jump. */
static bool noclone_fops_tail_call __ro_after_init;

/*
 * noclone_fops_find_tail_call() puts this function in the place of dm core's submit_bio. The
 * function stores its return address. The address is in our submit_bio if our submit_bio has called
 * the function, and in the caller of our submit_bio if our submit_bio has jumped to the function.
 */
static notrace noinline void noclone_fops_probe_submit_bio(struct bio *bio)
{
	bio->bi_private = __builtin_return_address(0);
}

static const struct block_device_operations noclone_fops_probe = {
	.submit_bio = noclone_fops_probe_submit_bio,
};

/*
 * Find out whether the last call of our submit_bio is a jump. Compilers make the call a jump if
 * they can. Options of the kernel and the ABI may prevent this, and no list of them is complete. So
 * call our submit_bio, with a bio of a disk that has no state of ours. Context: no other code uses
 * noclone_fops_dm yet; our caller is in .init.text.
 */
static void __init noclone_fops_find_tail_call(void)
{
	struct request_queue *q = kzalloc(sizeof(*q), GFP_KERNEL);
	struct block_device *bdev = kzalloc(sizeof(*bdev), GFP_KERNEL);
	struct bio bio = { .bi_bdev = bdev };

	if (q && bdev) {
		bdev->bd_queue = q;
		noclone_fops_dm = &noclone_fops_probe;
		noclone_fops_new_submit_bio(&bio);
		noclone_fops_dm = NULL;
		noclone_fops_tail_call = !within_module_core((unsigned long)bio.bi_private,
							     THIS_MODULE);
	}
	kfree(bdev);
	kfree(q);
}

void __init noclone_fops_init(noclone_submit_bio_fn *submit_bio,
			      noclone_poll_bio_fn *poll_bio)
{
	noclone_fops_new_submit_bio = submit_bio;
	noclone_fops_new_poll_bio = poll_bio;
	if (noclone_kernel_is_allowed())
		noclone_fops_find_tail_call();
}

/*
 * On a kernel where the module cannot know that all tasks have left our submit_bio, keep the module
 * loaded until the next boot. Return: false if the module is already being unloaded.
 *
 * - On a preemptible kernel without CONFIG_TASKS_RCU, synchronize_rcu_tasks() does not wait for a
 *   task that was preempted in our submit_bio, on its way to dm core.
 * - If the last call of our submit_bio is no jump, synchronize_rcu_tasks() does not wait for a task
 *   that sleeps in dm core.
 */
static bool noclone_fops_stay_if_unsafe(void)
{
	const char *why = NULL;

	if (IS_ENABLED(CONFIG_PREEMPTION) && !IS_ENABLED(CONFIG_TASKS_RCU))
		why = "this kernel has no CONFIG_TASKS_RCU";
	else if (!noclone_fops_tail_call)
		why = "the compiler has turned the jump to dm core into a call";
	if (!why)
		return true;
	if (!try_module_get(THIS_MODULE))
		return false;
	DMINFO("%s: this module cannot be unloaded", why);
	return true;
}

/*
 * Fill our copy from the first device that shows dm core's operations. noclone_peek_is_dm_fops()
 * tells whether operations are dm core's own. The function sets nd->stats_bytes to the variable in
 * which dm core counts the memory of "dmsetup stats". Return: NOCLONE_ON, or the reason why the
 * operations of this device cannot be replaced. Context: nd->lock; takes noclone_fops_lock, may
 * sleep.
 */
enum noclone_state noclone_fops_prepare(struct noclone_dev *nd)
{
	const struct block_device_operations *fops = READ_ONCE(nd->disk->fops);
	const unsigned long *stats = noclone_peek_find_stats(fops);
	enum noclone_state state = NOCLONE_ON;

	mutex_lock(&noclone_fops_lock);
	if (!noclone_fops_dm && noclone_peek_is_dm_fops(fops) && noclone_fops_stay_if_unsafe()) {
		noclone_fops_ours = *fops;
		noclone_fops_ours.submit_bio = noclone_fops_new_submit_bio;
		noclone_fops_ours.poll_bio = noclone_fops_new_poll_bio;
		noclone_fops_dm = fops;
		/*
		 * Between the load of disk->fops and the loads of noclone_fops_dm and other
		 * globals in our submit_bio lies only a branch, no barrier. An interrupt on each
		 * CPU orders all later loads.
		 */
		kick_all_cpus_sync();
	}
	if (fops != noclone_fops_dm && fops != &noclone_fops_ours)
		state = NOCLONE_OFF_FOREIGN;
	mutex_unlock(&noclone_fops_lock);

	/*
	 * Submitters and noclone_status_state() read nd->stats_bytes without a lock. A submitter
	 * may use this pointer even if the device now has operations of another module, for which
	 * no variable is found. So never replace the pointer by NULL.
	 */
	if (stats)
		WRITE_ONCE(nd->stats_bytes, stats);
	if (state == NOCLONE_ON && !stats)
		state = NOCLONE_OFF_NOSTATS;
	return state;
}

/*
 * Keep this module loaded until another module has restored our operations, because the operations
 * of that module may call our submit_bio. For a stock device, unloading waits instead.
 */
static void noclone_fops_set_covered(struct noclone_dev *nd)
{
	if (nd->covered)
		return;
	WRITE_ONCE(nd->covered, true);
	if (!nd->stock)
		__module_get(THIS_MODULE);
}

/*
 * Undo noclone_fops_set_covered(): no operations of another module call our submit_bio any more.
 * Context: as noclone_fops_replace()
 */
void noclone_fops_set_uncovered(struct noclone_dev *nd)
{
	if (!nd->covered)
		return;
	WRITE_ONCE(nd->covered, false);
	if (!nd->stock)
		module_put(THIS_MODULE);
}

/*
 * Does another noclone_dev use our operations on this disk? While another module covered our
 * operations, the device may have got targets of the other kind (ours or dm's own) with another
 * noclone_dev. Attaching stores that noclone_dev in queuedata before it asks for our operations.
 */
static bool noclone_fops_has_other_user(const struct noclone_dev *nd)
{
	const void *data = READ_ONCE(nd->disk->queue->queuedata);

	return data && data != nd;
}

/*
 * Install our operations, or dm core's. Return: false if another module has replaced the
 * operations. Context: noclone_fops_lock
 */
static bool noclone_fops_try_replace(struct noclone_dev *nd, bool on)
{
	const struct block_device_operations *old = READ_ONCE(nd->disk->fops);
	const struct block_device_operations *new = on ? &noclone_fops_ours :
		noclone_fops_dm;

	if (old != &noclone_fops_ours && old != noclone_fops_dm)
		return false;
	if (on || !noclone_fops_has_other_user(nd))
		smp_store_release(&nd->disk->fops, new); /* see noclone_fops_replace() */
	return true;
}

/*
 * Install our operations, or dm core's again. Readers need not be waited for: both submit_bio and
 * both poll_bio work for any bio at any time. The release orders the stores of
 * noclone_fops_prepare() before the store of the pointer, for readers that use the pointer. Return:
 * false if another module has replaced the operations. Context: nd->lock, or the device is detached
 * and no task attaches it; takes noclone_fops_lock.
 */
bool noclone_fops_replace(struct noclone_dev *nd, bool on)
{
	bool replaced;

	mutex_lock(&noclone_fops_lock);
	replaced = noclone_fops_try_replace(nd, on);
	mutex_unlock(&noclone_fops_lock);
	if (replaced)
		noclone_fops_set_uncovered(nd);
	else if (!on)
		noclone_fops_set_covered(nd);
	return replaced;
}
