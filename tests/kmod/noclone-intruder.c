// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: change one of dm's own target types, until rmmod, so that it differs from what
 * dm-noclone expects.
 *
 *	insmod noclone-intruder.ko type=linear way=presuspend
 *
 * intruder_change() has the values of "way". While the module is loaded, no device of this type may
 * be created, loaded or removed; existing devices may be used, suspended and resumed.
 *
 * With way=wait, the next resume of a device waits in its first target, while all callbacks are
 * empty, until "N" is written to the parameter "waiting". With way=undo, a suspend that is undone
 * waits in the same way after the callback .presuspend_undo of its first target. rmmod ends such a
 * wait.
 */
#include <linux/atomic.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *type = "linear";
module_param(type, charp, 0);
MODULE_PARM_DESC(type, "Target type: linear or striped");

static char *way = "presuspend";
module_param(way, charp, 0);
MODULE_PARM_DESC(way, "What is changed: presuspend, name, owner, callback, wait, undo, start, width, legs or readonly");

static bool waiting;
module_param(waiting, bool, 0600);
MODULE_PARM_DESC(waiting, "A resume or an undone suspend waits");

static bool intruder_is(const char *name)
{
	return !strcmp(way, name);
}

static struct target_type *victim;
static struct target_type before;	/* @victim before the change */
static atomic_t intruder_inside = ATOMIC_INIT(0);	/* calls of callbacks that may sleep */

static void intruder_presuspend(struct dm_target *ti)
{
}

static void intruder_wait(void)
{
	WRITE_ONCE(waiting, true);
	while (READ_ONCE(waiting))
		schedule_timeout_idle(1);
}

static void intruder_resume(struct dm_target *ti)
{
	atomic_inc(&intruder_inside);
	WRITE_ONCE(victim->resume, NULL);
	intruder_wait();
	atomic_dec(&intruder_inside);
}

static void intruder_undo(struct dm_target *ti)
{
	atomic_inc(&intruder_inside);
	before.presuspend_undo(ti);
	if (!ti->begin)
		intruder_wait();
	atomic_dec(&intruder_inside);
}

/*
 * End the waits, and return after all tasks have left this code. Context: @victim no longer has the
 * callbacks of this module
 */
static void intruder_empty(void)
{
	/* Wait for tasks that have loaded a callback and are not counted yet */
	synchronize_rcu_tasks();
	while (atomic_read(&intruder_inside)) {
		WRITE_ONCE(waiting, false);
		schedule_timeout_idle(1);
	}
	/* Wait for tasks that are no longer counted and have not returned yet */
	synchronize_rcu_tasks();
}

/* intruder_question: the function that the caller of iterate_devices passes, and its data. */
struct intruder_question {
	iterate_devices_callout_fn fn;
	void *data;
};

static int intruder_lie(struct dm_target *ti, struct dm_dev *dev,
			sector_t start, sector_t len, void *data)
{
	struct intruder_question *q = data;
	int r = q->fn(ti, dev, start + 8 * intruder_is("start"),
		      len - 8 * intruder_is("width"), q->data);

	return r ?: intruder_is("legs") ? q->fn(ti, dev, start, len, q->data) : 0;
}

static int intruder_iterate(struct dm_target *ti, iterate_devices_callout_fn fn,
			    void *data)
{
	struct intruder_question q = { .fn = fn, .data = data };

	return before.iterate_devices(ti, intruder_lie, &q);
}

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
static void intruder_flush(void *unused)
{
	asm volatile("invlpg (%0)" : : "r" (&victim->presuspend) : "memory");
}

/* Make the page of @victim read-only, as if it were const, or writable again. */
static int intruder_protect(bool readonly)
{
	unsigned int level;
	pte_t *pte = lookup_address((unsigned long)&victim->presuspend, &level);

	if (!pte || level != PG_LEVEL_4K)
		return -EOPNOTSUPP;
	set_pte(pte, __pte(readonly ? pte_val(*pte) & ~_PAGE_RW : pte_val(*pte) | _PAGE_RW));
	on_each_cpu(intruder_flush, NULL, 1);
	return 0;
}
#else
static int intruder_protect(bool readonly)
{
	return -EOPNOTSUPP;
}
#endif

static int intruder_change(void)
{
	before = *victim;
	/* dm must not be used at all, because other data of dm may be in the same page. */
	if (intruder_is("readonly"))
		return intruder_protect(true);
	if (intruder_is("start") || intruder_is("width") || intruder_is("legs"))
		victim->iterate_devices = intruder_iterate;
	else if (intruder_is("presuspend"))
		victim->presuspend = intruder_presuspend;
	else if (intruder_is("name"))
		victim->name = "intruder";
	else if (intruder_is("owner"))
		victim->module = THIS_MODULE;
	else if (intruder_is("wait"))
		victim->resume = intruder_resume;
	else if (intruder_is("undo") && before.presuspend_undo)
		victim->presuspend_undo = intruder_undo;
	else if (intruder_is("callback"))
		victim->iterate_devices = NULL;
	else
		return -EINVAL;
	return 0;
}

/* This type gives access to dm's list of types: older types follow newer ones, up to "error". */
static struct target_type intruder_target = {
	.name = "noclone-intruder",
	.module = THIS_MODULE,
};

static int __init intruder_init(void)
{
	int r = dm_register_target(&intruder_target);

	if (r)
		return r;
	victim = &intruder_target;
	while (strcmp(victim->name, type) && strcmp(victim->name, "error"))
		victim = list_next_entry(victim, list);
	dm_unregister_target(&intruder_target);
	return strcmp(victim->name, type) ? -EINVAL : intruder_change();
}

static void __exit intruder_exit(void)
{
	if (intruder_is("readonly"))
		intruder_protect(false);
	victim->name = before.name;
	victim->module = before.module;
	victim->iterate_devices = before.iterate_devices;
	if (victim->presuspend == intruder_presuspend)
		victim->presuspend = before.presuspend;
	if (victim->resume == intruder_resume)
		victim->resume = before.resume;
	if (victim->presuspend_undo == intruder_undo)
		victim->presuspend_undo = before.presuspend_undo;
	intruder_empty();
}

module_init(intruder_init);
module_exit(intruder_exit);

MODULE_DESCRIPTION("Changes a target type of dm; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
