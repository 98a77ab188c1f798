// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path on dm's own targets "linear" and "striped": find their target types, and fill the
 * callbacks that these types leave empty.
 *
 * Invariant: a callback of a type is dm's own, NULL, or ours. Before the code of this module is
 * freed, our callbacks are removed, and the module waits for all tasks that may have loaded one of
 * them. Locks: noclone_slots_lock guards the types and the parameter. This lock is held while the
 * module waits for bios; the callbacks do not take it. noclone_slots_map_lock guards .map. Callers:
 * module init and exit, the parameter "stock", and dm core, with md->suspend_lock (.message: inside
 * the SRCU section of the live table).
 *
 * Documentation/design/stock.rst, S1 to S5.
 */
#include "slots.h"
#include "callback.h"
#include "stock.h"
#include "../fops.h"
#include "../kernel.h"
#include "../peek.h"
#include "../sentinel.h"

#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/smp.h>

/*
 * The most steps from our newest type to the head of dm's list. Each type that another module has
 * registered after our types is one step
 */
#define NOCLONE_SLOTS_MAX_STEPS	64

struct noclone_slots_type {
	const char *name;
	const char *symbol;
	struct target_type *type;	/* NULL until it is found */
	dm_map_fn map;			/* the .map of dm itself */
};

static struct noclone_slots_type noclone_slots_types[] = {
	{ .name = "linear", .symbol = "linear_target" },
	{ .name = "striped", .symbol = "stripe_target" },
};

/* Guards noclone_slots_types and the three variables below */
static DEFINE_MUTEX(noclone_slots_lock);
static bool noclone_slots_requested;
static bool noclone_slots_ready;
static bool noclone_slots_filled;

/*
 * The number of tasks inside of .resume, .presuspend_undo and .message, and inside of .presuspend
 */
static atomic_t noclone_slots_attaching = ATOMIC_INIT(0);
static atomic_t noclone_slots_detaching = ATOMIC_INIT(0);

/*
 * Leave a callback; this call is the last action of the callback. It does not wake
 * noclone_slots_wait(): on PREEMPT_RT a wake-up may sleep for a lock and return into our code, when
 * the count no longer protects our code.
 */
static void noclone_slots_leave(atomic_t *inside)
{
	/* All effects of the callback come first. Pairs with noclone_slots_wait() */
	smp_mb__before_atomic();
	atomic_dec(inside);
}

/*
 * A grace period of Tasks RCU, for noclone_slots_grace_wait(). The kernel completes @rs.completion
 * when the grace period ends, also if a signal has ended the wait before. The callback is
 * wakeme_after_rcu(), because the kernel begins a grace period for this callback at once. Kernels
 * newer than 6.1 may let any other callback wait for a quarter of a second. Lock:
 * noclone_slots_lock
 */
static struct {
	struct rcu_synchronize rs;
	bool running;		/* call_rcu_tasks() was called, and no call has seen the end */
} noclone_slots_grace = {
	.rs.completion = COMPLETION_INITIALIZER(noclone_slots_grace.rs.completion),
};

/*
 * Wait for a grace period of Tasks RCU that ends in this call, and let a signal end the wait. On a
 * preemptible kernel such a grace period does not end while a kernel thread never sleeps:
 * dm-multipath without a path that works keeps a worker busy until a path comes back. No signal
 * ends a wait in synchronize_rcu_tasks(). Return: 0, or -ERESTARTSYS
 */
static int noclone_slots_grace_wait(void)
{
	struct completion *done = &noclone_slots_grace.rs.completion;

	/*
	 * A grace period that has ended before this call says nothing about the threads that are
	 * busy now. One that has not ended continues, also if an earlier write of the parameter has
	 * begun it: if signals restart a write in short intervals, a new grace period in each call
	 * would never end
	 */
	if (!noclone_slots_grace.running || try_wait_for_completion(done))
		call_rcu_tasks(&noclone_slots_grace.rs.head, wakeme_after_rcu);
	noclone_slots_grace.running = wait_for_completion_interruptible(done);
	return noclone_slots_grace.running ? -ERESTARTSYS : 0;
}

/*
 * Wait for the end of a grace period whose wait was ended by a signal, because its callback has its
 * memory in this module. Context: module exit
 */
static void noclone_slots_grace_finish(void)
{
	if (noclone_slots_grace.running)
		wait_for_completion(&noclone_slots_grace.rs.completion);
}

static void noclone_slots_wait(atomic_t *inside)
{
	/* Wait for callers that have loaded the callback and are not counted yet */
	synchronize_rcu_tasks();
	/* The sleep is TASK_IDLE: a stuck leg then counts neither as load nor as a hung task */
	while (atomic_read_acquire(inside))
		schedule_timeout_idle(1);
}

static void noclone_slots_undo(struct dm_target *ti)
{
	atomic_inc(&noclone_slots_attaching);
	noclone_callback_presuspend_undo(ti);
	noclone_slots_leave(&noclone_slots_attaching);
}

static void noclone_slots_resume(struct dm_target *ti)
{
	atomic_inc(&noclone_slots_attaching);
	noclone_callback_resume(ti);
	noclone_slots_leave(&noclone_slots_attaching);
}

static int noclone_slots_message(struct dm_target *ti, unsigned int argc,
				 char **argv, char *result, unsigned int maxlen)
{
	int r;

	atomic_inc(&noclone_slots_attaching);
	r = noclone_callback_message(ti, argc, argv, result, maxlen);
	noclone_slots_leave(&noclone_slots_attaching);
	return r;
}

/*
 * Our .map, which the types have while a sentinel passes through dm core. Our .map keeps the
 * sentinel's clone, and leaves each other bio to dm's own .map, which does not sleep. dm core may
 * load .map several times for one bio, because dm core also compares .map: any mixture of both
 * functions is right.
 */
static DEFINE_MUTEX(noclone_slots_map_lock);
static struct noclone_dev *noclone_slots_sender;

static int noclone_slots_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_dev *nd = READ_ONCE(noclone_slots_sender);

	if (nd && noclone_sentinel_is(nd, bio))
		return noclone_sentinel_keep(nd, bio);
	/*
	 * This is a tail call, as in noclone_fastpath_submit_bio(): dm's .map may sleep on
	 * PREEMPT_RT. The index is 0 for "linear" and 1 for "striped"
	 */
	NOCLONE_MUSTTAIL return noclone_slots_types[ti->type == noclone_slots_types[1].type]
		.map(ti, bio);
}

/*
 * Replace .map of a type. Return: false if .map is not @from, because another module has replaced
 * it.
 */
static bool noclone_slots_swap_map(struct noclone_slots_type *t, dm_map_fn from,
				   dm_map_fn to)
{
	return cmpxchg(&t->type->map, from, to) == from;
}

/*
 * Keep this module loaded: another module has replaced our .map, and may call our .map at any time.
 */
static void noclone_slots_stay(void)
{
	if (try_module_get(THIS_MODULE))
		DMWARN("another module has replaced the function .map of a target type: dm-noclone cannot be unloaded");
}

/*
 * Submit the sentinel of a stock device, unless the sentinel of another device is being submitted,
 * because that submission may wait for memory. Return: false if it was not submitted. Context:
 * .presuspend
 */
static bool noclone_slots_submit(struct noclone_dev *nd, struct bio *bio)
{
	unsigned int i, n = ARRAY_SIZE(noclone_slots_types);
	bool hooked;

	if (!mutex_trylock(&noclone_slots_map_lock))
		return false;
	WRITE_ONCE(noclone_slots_sender, nd);
	for (i = 0; i < n; i++)
		if (!noclone_slots_swap_map(&noclone_slots_types[i],
					    noclone_slots_types[i].map, noclone_slots_map))
			break;
	hooked = i == n;
	if (hooked)
		noclone_fops_dm->submit_bio(bio);
	while (i--)
		if (!noclone_slots_swap_map(&noclone_slots_types[i], noclone_slots_map,
					    noclone_slots_types[i].map))
			noclone_slots_stay();
	WRITE_ONCE(noclone_slots_sender, NULL);
	mutex_unlock(&noclone_slots_map_lock);
	return hooked;
}

static void noclone_slots_presuspend(struct dm_target *ti)
{
	atomic_inc(&noclone_slots_detaching);
	noclone_callback_presuspend(ti, noclone_slots_submit);
	noclone_slots_leave(&noclone_slots_detaching);
}

/*
 * Return: the target type around @node, a link of dm's list, if it has this name. The functions
 * noclone_peek_read() and noclone_peek_has_text() read memory that may not be what it seems, and
 * return false instead of a fault.
 */
static struct target_type *noclone_slots_type_at(struct list_head *node,
						 const char *name)
{
	struct target_type *tt = list_entry(node, struct target_type, list);
	const char *at;

	return noclone_peek_read(&at, &tt->name, sizeof(at)) &&
	       noclone_peek_has_text(at, name) ? tt : NULL;
}

static struct list_head *noclone_slots_prev(struct list_head *node)
{
	struct list_head *prev;

	return noclone_peek_read(&prev, &node->prev, sizeof(prev)) ? prev : NULL;
}

/*
 * Return: the head of dm's list of types, or NULL. The way from our newest type to the head passes
 * the types that were registered later. See stock.rst, S2.
 */
static struct list_head *noclone_slots_find_head(struct target_type *newest)
{
	struct list_head *node = noclone_slots_prev(&newest->list);
	unsigned int steps;

	for (steps = 0; node && steps < NOCLONE_SLOTS_MAX_STEPS; steps++) {
		if (noclone_peek_is_symbol(node, "_targets"))
			return node;
		node = noclone_slots_prev(node);
	}
	return NULL;
}

/* Return: the list entry of the oldest type, "error", which is behind the head; or NULL. */
static struct list_head *noclone_slots_find_oldest(struct target_type *newest)
{
	struct list_head *head = noclone_slots_find_head(newest);
	struct list_head *oldest = head ? noclone_slots_prev(head) : NULL;

	return oldest && noclone_slots_type_at(oldest, "error") ? oldest : NULL;
}

/* Return: NULL, or the reason why the type cannot be used. */
static const char *
noclone_slots_objection(const struct target_type *tt,
			const struct noclone_slots_type *t)
{
	if (!noclone_peek_is_symbol(tt, t->symbol))
		return "kallsyms does not show the expected symbol at the address of the type";
	if (tt->module && strcmp(tt->module->name, "dm_mod"))
		return "this target type does not belong to dm_mod";
	if (tt->presuspend || tt->presuspend_undo || tt->resume || tt->message)
		return "this target type already has callbacks that this module would add";
	if (!tt->map || !tt->iterate_devices)
		return "this target type lacks callbacks that this module calls";
	return NULL;
}

static void noclone_slots_complain(const struct noclone_slots_type *t,
				   const char *objection)
{
	DMWARN("devices with dm's target type %s get no fast path: %s", t->name, objection);
}

static void noclone_slots_check(struct noclone_slots_type *t,
				struct list_head *node)
{
	struct target_type *tt = noclone_slots_type_at(node, t->name);
	const char *objection = tt ? noclone_slots_objection(tt, t) :
		"this target type is not at the expected place in dm's list of target types";

	if (objection) {
		noclone_slots_complain(t, objection);
	} else {
		t->map = tt->map;
		t->type = tt;
	}
}

/*
 * Find the types of noclone_slots_types in dm's list. dm core has registered them after the type
 * "error", in the order of this array.
 */
static void noclone_slots_find(struct target_type *newest)
{
	struct list_head *node = noclone_slots_find_oldest(newest);
	unsigned int i;

	/* See noclone_slots_wait() */
	if (IS_ENABLED(CONFIG_PREEMPTION) && !IS_ENABLED(CONFIG_TASKS_RCU)) {
		DMWARN("devices with dm's own targets get no fast path: this kernel has no CONFIG_TASKS_RCU");
		return;
	}
	if (!node) {
		DMWARN("devices with dm's own targets get no fast path: dm's list of target types is not as expected");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(noclone_slots_types); i++) {
		node = noclone_slots_prev(node);
		if (!node)
			return;
		noclone_slots_check(&noclone_slots_types[i], node);
	}
}

/*
 * Fill .presuspend first: a device that attaches must be able to detach. On a kernel that was not
 * reviewed, no device is attached. Only .message is filled there, and its answer names this reason.
 */
static void noclone_slots_fill_callbacks(struct noclone_slots_type *t)
{
	if (noclone_kernel_is_allowed()) {
		WRITE_ONCE(t->type->presuspend, noclone_slots_presuspend);
		/* A CPU that sees the callbacks below also sees .presuspend */
		smp_wmb();
		WRITE_ONCE(t->type->presuspend_undo, noclone_slots_undo);
		WRITE_ONCE(t->type->resume, noclone_slots_resume);
	}
}

/*
 * Fill .message last: the other callbacks do nothing before the first message, and both types need
 * them when a message comes.
 */
static void noclone_slots_fill_message(struct noclone_slots_type *t)
{
	smp_wmb(); /* a CPU that sees .message also sees the other callbacks */
	WRITE_ONCE(t->type->message, noclone_slots_message);
}

static void noclone_slots_clear_attach(struct noclone_slots_type *t)
{
	WRITE_ONCE(t->type->message, NULL);
	if (!noclone_kernel_is_allowed())
		return;
	WRITE_ONCE(t->type->resume, NULL);
	WRITE_ONCE(t->type->presuspend_undo, NULL);
}

static void noclone_slots_clear_detach(struct noclone_slots_type *t)
{
	if (noclone_kernel_is_allowed())
		WRITE_ONCE(t->type->presuspend, NULL);
}

static void noclone_slots_each(void (*f)(struct noclone_slots_type *t))
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(noclone_slots_types); i++)
		f(&noclone_slots_types[i]);
}

static void noclone_slots_fill(void)
{
	noclone_slots_each(noclone_slots_fill_callbacks);
	noclone_slots_each(noclone_slots_fill_message);
}

/*
 * Detach all devices and remove all callbacks. Return: 0; or, if @interruptible, -ERESTARTSYS after
 * a signal: the parameter then stays on, the callbacks are back in their places, and devices can be
 * attached again. The error -ERESTARTSYS lets the kernel restart the write of the parameter after a
 * signal handler with SA_RESTART, or after the freezer has thawed the task; with other handlers the
 * write fails with EINTR.
 */
static int noclone_slots_clear(bool interruptible)
{
	int r = 0;

	if (!noclone_slots_filled)
		return 0;
	/*
	 * No signal ends noclone_slots_wait(): first wait, in a way that a signal can end, for a
	 * grace period, to find out that grace periods end at all
	 */
	if (interruptible && IS_ENABLED(CONFIG_TASKS_RCU))
		r = noclone_slots_grace_wait();
	if (r)
		return r;
	noclone_slots_each(noclone_slots_clear_attach);
	noclone_slots_wait(&noclone_slots_attaching);
	r = noclone_stock_detach_all(interruptible, noclone_slots_fill);
	if (r)
		return r;
	noclone_slots_each(noclone_slots_clear_detach);
	noclone_slots_filled = false;
	noclone_slots_wait(&noclone_slots_detaching);
	noclone_stock_free_all();
	return 0;
}

/*
 * Can the callbacks of the type be filled? They can if the type was found, and if its callbacks are
 * still empty and writable. If they are not, the kernel log says why.
 */
static bool noclone_slots_can_fill(const struct noclone_slots_type *t)
{
	const char *objection;

	if (!t->type)
		return false;
	objection = noclone_slots_objection(t->type, t);
	/* The callbacks of a type may lie in two pages of memory: test both */
	if (!objection && (!noclone_compat_can_write(&t->type->map) ||
			   !noclone_compat_can_write(&t->type->message)))
		objection = "this kernel does not allow writes to the target type";
	if (objection)
		noclone_slots_complain(t, objection);
	return !objection;
}

/* Fill the callbacks of both types. Return: false if one of the types cannot be used. */
static bool noclone_slots_fill_all(void)
{
	unsigned int i;

	if (noclone_slots_filled)
		return true;
	for (i = 0; i < ARRAY_SIZE(noclone_slots_types); i++)
		if (!noclone_slots_can_fill(&noclone_slots_types[i]))
			return false;
	noclone_slots_fill();
	noclone_slots_filled = true;
	return true;
}

static int noclone_slots_apply(bool requested)
{
	int r = 0;

	if (!requested)
		r = noclone_slots_clear(true);
	else if (!noclone_slots_fill_all())
		r = -EOPNOTSUPP;
	if (!r)
		WRITE_ONCE(noclone_slots_requested, requested);
	return r;
}

/* Set the parameter "stock". While the module is being loaded, noclone_slots_init() applies it. */
static int noclone_slots_set(const char *value, const struct kernel_param *kp)
{
	bool requested;
	int r;

	if (kstrtobool(value, &requested)) {
		DMERR("parameter stock: \"%.*s\" is neither on nor off",
		      (int)strcspn(value, "\n"), value);
		return -EINVAL;
	}
	/*
	 * stock=off may block on a stuck leg: drop the parameter lock, so that readers need not
	 * wait
	 */
	kernel_param_unlock(kp->mod);
	r = mutex_lock_interruptible(&noclone_slots_lock) ? -ERESTARTSYS : 0;
	if (!r) {
		if (noclone_slots_ready)
			r = noclone_slots_apply(requested);
		else
			WRITE_ONCE(noclone_slots_requested, requested);
		mutex_unlock(&noclone_slots_lock);
	}
	kernel_param_lock(kp->mod);
	return r;
}

static int noclone_slots_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n",
			  READ_ONCE(noclone_slots_requested) ? "on" : "off");
}

static const struct kernel_param_ops noclone_slots_ops = {
	.set = noclone_slots_set,
	.get = noclone_slots_get,
};
module_param_cb(stock, &noclone_slots_ops, NULL, 0644);
MODULE_PARM_DESC(stock, "Give stock linear and striped devices the fast path that the message \"fastpath on\" asks for (default off)");

/*
 * Find dm's types and apply the parameter. @newest: the last of our types that was registered. If
 * dm's types cannot be used, the function does not fail, because our own targets work.
 */
void noclone_slots_init(struct target_type *newest)
{
	mutex_lock(&noclone_slots_lock);
	noclone_slots_find(newest);
	/*
	 * dm core loads a callback, and the callback loads the state that was prepared above. Only
	 * a branch lies between the two loads, and no barrier: see noclone_fops_prepare().
	 */
	kick_all_cpus_sync();
	noclone_slots_ready = true;
	if (noclone_slots_apply(noclone_slots_requested)) {
		DMERR("parameter stock: \"on\" is not possible on this kernel, all devices stay unchanged");
		WRITE_ONCE(noclone_slots_requested, false);
	}
	mutex_unlock(&noclone_slots_lock);
}

void noclone_slots_exit(void)
{
	/* The holder of the lock may be a writer of the parameter, which waits for a long time */
	while (!mutex_trylock(&noclone_slots_lock))
		schedule_timeout_idle(HZ / 10);
	noclone_slots_clear(false);
	noclone_slots_grace_finish();
	noclone_slots_ready = false;
	mutex_unlock(&noclone_slots_lock);
}
