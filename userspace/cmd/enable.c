// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone enable and disable: switch the fast path of devices whose tables stay unchanged.
 *
 * Both commands edit the policy. With --now they also apply the new policy to the given devices.
 * With --runtime they do not write the policy, and with --policy they do not edit it.
 *
 * A stock device, which has only dm's own targets, gets the fast path by a message. It understands
 * this message only while the parameter "stock" of the module is on. When the parameter is turned
 * off, dm core handles the I/O of all stock devices again, and the module forgets the messages.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/origin.h"
#include "model/policy.h"
#include "model/reason.h"
#include "model/table-target.h"
#include "system/layers.h"
#include "system/live.h"
#include "system/module.h"
#include "system/run-lock.h"
#include "cli/policy-file.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/enable-plan.h"
#include "cmd/enable-print.h"

/* With any of these options, the command switches devices. Otherwise it only writes the policy. */
#define OPT_SWITCHES	(OPT_NOW | OPT_RUNTIME | OPT_POLICY)

static void enable_free_candidate(struct candidate *c)
{
	devmap_device_free(&c->dev);
	free(c->name);
	free(c->lv);
	free(c->other);
	free(c->before);
	free(c->after);
	free(c->why);
}

static void enable_free(struct request *q)
{
	unsigned int i;

	for (i = 0; i < q->nr; i++)
		enable_free_candidate(&q->device[i]);
	free(q->device);
	free(q->edits);
	policy_free(&q->policy);
}

/* First step: find the devices that the command may switch. */

/*
 * Return: the state of a device, a new string, or NULL if the device cannot have a fast path. For a
 * device with stock targets, live_fastpath() returns NULL until a message has requested the fast
 * path: the state is "stock" then.
 */
static char *enable_state(const struct candidate *c, const struct live *live)
{
	char *state = c->other ? NULL : live_fastpath(live);

	return state || c->own || c->other || !live->table.nr ? state : xstrdup("stock");
}

/*
 * Read the state of a device, and find the first target that understands a message. live_get_of()
 * reads the table, and asks the module for the state.
 */
static int enable_look(struct candidate *c, const char *name)
{
	_cleanup_live_ struct live live = { 0 };
	int r = devmap_info(name, &c->dev);
	unsigned int i;

	if (!r)
		r = live_get_of(&c->dev, &live);
	c->name = xstrdup(name);
	c->lv = c->dev.uuid && origin_is_lvm(c->dev.uuid) ? devmap_lv_of_name(name) : NULL;
	c->own = live_status(&live) && table_has_noclone(&live.table);
	for (i = live.table.nr; i--;) {
		const struct target *t = &live.table.targets[i];

		if (c->own ? target_is_noclone(t) : t->stock) {
			c->sector = t->start;
		} else if (!c->own) {
			free(c->other);
			c->other = xstrdup(t->type);
		}
	}
	c->before = enable_state(c, &live);
	return r;
}

static struct candidate *enable_find(const struct request *q, const char *name)
{
	unsigned int i;

	for (i = 0; i < q->nr; i++)
		if (!strcmp(q->device[i].name, name))
			return &q->device[i];
	return NULL;
}

/*
 * Add a device. If @given is false, the device is only added if it can have the fast path.
 *
 * Return: 0 or a negative errno.
 */
static int enable_add(struct request *q, const char *name, bool given)
{
	struct candidate c = { .named = given && !opt(q->o, OPT_POLICY) };
	struct candidate *known = enable_find(q, name);
	int r;

	if (known) {
		known->named |= c.named;
		return 0;
	}
	r = enable_look(&c, name);
	if (r || !(given || c.before)) {
		enable_free_candidate(&c);
		return r;
	}
	GROW(q->device, q->nr);
	q->device[q->nr++] = c;
	return 0;
}

/*
 * Add a part of a volume. Return: false if the part cannot have the fast path, or was removed since
 * it was found.
 */
static bool enable_add_part(struct request *q, const char *name)
{
	enable_add(q, name, false);
	return enable_find(q, name);
}

/*
 * Add a device, and the linear and striped devices below it that belong to the same logical volume.
 */
static int enable_add_volume(struct request *q, const char *name)
{
	_cleanup_names_ struct names parts = { 0 };
	int r = enable_add(q, name, true);
	const struct candidate *c = enable_find(q, name);
	unsigned int i;
	bool found;

	if (r) {
		log_err("%s: %s", name, devmap_reason(r));
		return r;
	}
	found = c->before;
	layers_below(c->dev.devno, &parts);
	for (i = 0; i < parts.nr; i++)
		found |= enable_add_part(q, parts.name[i]);
	/* look up the volume again, because the new parts may have moved the array in memory */
	c = enable_find(q, name);
	if (found || !q->on || !c->named)
		return 0;
	log_err("%s: its table has a target of type %s, which has no fast path: enable a device below it instead (\"lsblk --inverse\" shows these devices)",
		name, c->other ? c->other : "none");
	return -EOPNOTSUPP;
}

/*
 * Add the devices that the user has named; without names, add all devices that can have the fast
 * path. Return: 0, or a negative errno after a message.
 */
static int enable_add_devices(struct request *q, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	unsigned int i;
	int r;

	if (!argc && !q->switches)
		return 0;
	r = select_names(&names, argc, argv, true);
	for (i = 0; i < names.nr && !r; i++) {
		if (argc)
			r = enable_add_volume(q, names.name[i]);
		else
			enable_add_part(q, names.name[i]);
	}
	return r;
}

/* Second step: decide what happens to each device. */

/*
 * Edit the policy in memory. The first rule that matches a device decides, so a rule for fewer
 * devices has to stand above a rule for more devices.
 */
static void enable_edit(struct request *q)
{
	enum policy_kind kind = q->on ? POLICY_INCLUDE : POLICY_EXCLUDE;
	unsigned int i;

	if (opt(q->o, OPT_ALL))
		policy_reset(&q->policy, kind);
	policy_set(&q->policy, q->o->rules, q->o->nr_rules);
	for (i = q->nr; i--;) {
		const struct candidate *c = &q->device[i];

		if (c->named)
			policy_set_device(&q->policy, kind,
					  &(struct policy_names) { c->name, c->lv });
	}
	q->edits = policy_edits(&q->policy);
}

/*
 * Decide whether the command applies to a device, and whether it turns the fast path on or off. If
 * the user has not named the device, the policy decides. With --include or --exclude, only the
 * rules of these options count.
 */
static void enable_ask(const struct request *q, struct candidate *c)
{
	c->on = q->on;
	c->asked = c->before != NULL;
	if (!c->asked || opt(q->o, OPT_ALL) || c->named)
		return;
	c->rule = layers_rule(c->dev.devno, &q->policy);
	c->asked = c->rule && (c->rule->added || !opt(q->o, OPT_RULES));
	c->on = c->asked && c->rule->kind == POLICY_INCLUDE;
}

static bool enable_needs_message(const struct request *q, const struct candidate *c)
{
	if (!c->asked)
		return false;
	if (c->on)
		return strcmp(c->before, "on");
	return strcmp(c->before, "stock") && strcmp(c->before, "off:message") &&
	       (c->own || !q->clears);
}

/*
 * Plan all changes. module_params() reads sysfs, and module_objection() objects to a module that
 * has another interface number than this tool. Return: 0, or a negative errno after a message.
 */
static int enable_plan(struct request *q)
{
	struct module_params m = { 0 };
	_cleanup_free_ char *objection = NULL;
	bool has_stock = false, on = false;
	unsigned int i;

	if (q->switches)
		module_params(&m);
	q->clears = opt(q->o, OPT_ALL) && !q->on && m.stock;
	for (i = 0; i < q->nr; i++) {
		struct candidate *c = &q->device[i];

		enable_ask(q, c);
		c->sends = enable_needs_message(q, c);
		on |= c->sends && c->on;
		has_stock |= c->asked && c->on && !c->own;
	}
	q->load = has_stock && !m.loaded;
	q->stock = q->clears ? "off" : has_stock && !m.stock ? "on" : NULL;
	objection = on ? module_objection(&m) : NULL;
	if (objection)
		log_err("%s", objection);
	return objection ? -EOPNOTSUPP : 0;
}

/*
 * Third step: switch the devices. Even if this process dies between or during the steps, each
 * device is either unchanged or completely switched, because one message makes the module suspend,
 * switch and resume the device inside the kernel.
 */

/* PATIENCE_MS: the longest wait for the next device to get the fast path. */
#define PATIENCE_MS	5000
#define POLL_MS		20
/* MANY: progress is shown if there are at least this many devices. */
#define MANY		8

/*
 * Is the module still turning on the fast path of the device? The module suspends the device and
 * learns its table, so states such as "suspended" and "mixed" are temporary. A state has
 * REASON_WAITS if NOCLONE_OFF_REASONS in dm-noclone.h has the word WAITS for it.
 */
static bool enable_is_pending(const struct candidate *c)
{
	const struct reason *reason = reason_of_state(c->after);

	return c->sends && c->on && !c->failed && !c->dev.suspended &&
	       reason && reason->enable == REASON_WAITS;
}

static void enable_look_again(struct candidate *c)
{
	_cleanup_live_ struct live live = { 0 };

	live_get_of(&c->dev, &live);
	free(c->after);
	c->after = enable_state(c, &live);
}

/* Send each device its message, with the ioctl that "dmsetup message NAME SECTOR" uses. */
static void enable_send(struct request *q)
{
	unsigned int i;

	for (i = 0; i < q->nr; i++) {
		struct candidate *c = &q->device[i];

		if (c->sends)
			c->failed = devmap_send(&c->dev, c->sector, c->on ?
				NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_ON :
				NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_OFF);
		if (q->nr >= MANY)
			log_progress("switching devices", i + 1, q->nr);
	}
}

/*
 * Wait until the devices have the fast path. The module attaches one device after the other, so the
 * time limit begins again each time a device has got the fast path.
 */
static void enable_wait(struct request *q)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	unsigned int i, waited_ms = 0;

	for (i = 0; i < q->nr; i++) {
		struct candidate *c = &q->device[i];

		if (!c->asked)
			continue;
		for (enable_look_again(c); enable_is_pending(c) && waited_ms < PATIENCE_MS;
		     enable_look_again(c)) {
			nanosleep(&pause, NULL);
			waited_ms += POLL_MS;
		}
		if (c->sends && c->on && c->after && !strcmp(c->after, "on"))
			waited_ms = 0;
		if (q->nr >= MANY)
			log_progress("waiting for devices", i + 1, q->nr);
	}
	for (i = 0; i < q->nr; i++)
		if (enable_is_pending(&q->device[i]))
			enable_look_again(&q->device[i]);
}

/*
 * Return: why the device is not as requested, a new string, or NULL if the device is as requested.
 */
static char *enable_why(const struct candidate *c)
{
	bool on = c->after && !strcmp(c->after, "on");

	if (on == c->on && !c->failed)
		return NULL;
	if (c->on && !on && c->dev.suspended)
		return xstrdup("the device is suspended: it gets the fast path when it is resumed");
	if (c->on && c->after && str_starts(c->after, "off:"))
		return reason_words(c->after, c->name);
	return xstrdup(c->failed ? "the module did not accept the message" :
				   "another program may have replaced its table: try again");
}

static void enable_dry_run(struct request *q)
{
	_cleanup_free_ char *lines = enable_commands(q);
	unsigned int i;

	for (i = 0; i < q->nr; i++) {
		struct candidate *c = &q->device[i];

		if (c->asked)
			c->after = xstrdup(c->sends ? (c->on ? "on" : "off:message") :
					   q->clears && !c->own ? "stock" : c->before);
	}
	if (q->writes && !opt(q->o, OPT_JSON))
		enable_print_policy(q, false);
	if (*q->edits && q->writes && !opt(q->o, OPT_JSON))
		enable_print_write(q);
	if (q->switches && !opt(q->o, OPT_JSON))
		fputs(lines, stdout);
}

static int enable_write(const struct request *q)
{
	int r = *q->edits ? policy_file_write(&q->policy) : 0;

	if (r)
		return r;
	if (!opt(q->o, OPT_JSON))
		enable_print_policy(q, opt(q->o, OPT_QUIET));
	if (*q->edits && !q->switches && !opt(q->o, OPT_QUIET))
		log_note("no device is switched yet: noclone-enable.service applies " POLICY_PATH " at boot, if this service is enabled; to switch the devices now: noclone %s",
			 opt(q->o, OPT_ALL) && !q->on ? "disable --runtime --all" : "enable --policy");
	return 0;
}

/*
 * Switch the devices. module_load() loads the module as modprobe does, and module_set_stock()
 * writes the file of the parameter in sysfs. Return: 0, or a negative errno after a message if a
 * device is not as requested.
 */
static int enable_switch(struct request *q)
{
	unsigned int i;
	int r = q->load ? module_load() : 0, failed = 0;

	if (!r && q->stock)
		r = module_set_stock(q->stock);
	if (!r) {
		enable_send(q);
		enable_wait(q);
	}
	for (i = 0; i < q->nr; i++) {
		struct candidate *c = &q->device[i];

		if (r && c->before)
			c->after = xstrdup(c->before);
		if (r || !c->asked)
			continue;
		c->why = enable_why(c);
		failed |= enable_print_device(q, c);
	}
	return failed ? -EIO : r;
}

static int enable_run(struct request *q, int argc, char **argv)
{
	const bool dry_run = opt(q->o, OPT_DRY_RUN);
	_cleanup_close_ int lock = -1;
	int r = 0;

	if (q->writes && !dry_run)
		lock = r = run_lock(POLICY_LOCK, POLICY_PATH);
	if (r < 0)
		return r;
	/*
	 * with "--all --runtime", the policy is not used, so the command works even if the policy
	 * cannot be read
	 */
	r = q->writes || !opt(q->o, OPT_ALL) ? policy_file_read(&q->policy) : 0;
	r = r ?: enable_add_devices(q, argc, argv);
	if (r)
		return r;
	enable_edit(q);
	r = enable_plan(q);
	if (!r && q->writes && !dry_run)
		r = enable_write(q);
	if (r)
		return r;
	/*
	 * release the lock of the policy: switching may take long, and other commands may edit the
	 * policy meanwhile
	 */
	cleanup_close(&lock);
	lock = -1;
	if (dry_run)
		enable_dry_run(q);
	else if (q->switches)
		r = enable_switch(q);
	/* print the result even if devices could not be switched, because the policy was written */
	if (opt(q->o, OPT_JSON))
		enable_print_json(q);
	return r;
}

/* Return: what is wrong with the command line, or NULL. */
static const char *enable_usage(const struct options *o, int argc)
{
	if (opt(o, OPT_ALL) && (argc || opt(o, OPT_POLICY | OPT_RULES)))
		return "--all replaces all rules of the policy by one rule for all devices: give --all without devices, --policy, --include and --exclude";
	if (opt(o, OPT_POLICY) && opt(o, OPT_RULES))
		return "--policy applies the rules and cannot change them: give --include and --exclude with --now instead of --policy";
	if (opt(o, OPT_RUNTIME) && opt(o, OPT_NOW | OPT_POLICY))
		return "--runtime acts until the next boot only: give --runtime without --now and --policy";
	if (!argc && !opt(o, OPT_ALL | OPT_POLICY | OPT_RULES))
		return "which devices? Give their names, or --all";
	return NULL;
}

/* Return: a pattern or device that the command line both includes and excludes, or NULL. */
static const char *enable_contradiction(const struct options *o, int argc, char **argv, bool on)
{
	unsigned int i, j;

	for (i = 0; i < o->nr_rules; i++) {
		const struct policy_rule *rule = &o->rules[i];

		for (j = 0; j < i; j++)
			if (o->rules[j].kind != rule->kind &&
			    !strcmp(o->rules[j].pattern, rule->pattern))
				return rule->pattern;
		for (j = 0; j < (unsigned int)argc; j++)
			if (rule->kind != (on ? POLICY_INCLUDE : POLICY_EXCLUDE) &&
			    !strcmp(argv[j], rule->pattern))
				return rule->pattern;
	}
	return NULL;
}

static int enable(const struct options *o, int argc, char **argv, bool on)
{
	const char *both = enable_contradiction(o, argc, argv, on);
	const char *wrong = enable_usage(o, argc);
	struct request q = {
		.o = o, .on = on, .switches = opt(o, OPT_SWITCHES),
		.writes = !opt(o, OPT_RUNTIME | OPT_POLICY),
	};
	int r;

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	if (both) {
		log_err("%s is both included and excluded: give only one of the two rules", both);
		return EXIT_USAGE;
	}
	r = enable_run(&q, argc, argv);
	enable_free(&q);
	return r ? EXIT_FAILED : EXIT_OK;
}

int cmd_enable(const struct options *o, int argc, char **argv)
{
	return enable(o, argc, argv, true);
}

int cmd_disable(const struct options *o, int argc, char **argv)
{
	return enable(o, argc, argv, false);
}
