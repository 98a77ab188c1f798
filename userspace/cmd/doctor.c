// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone doctor: find out what prevents this machine from using the fast path. Each check adds its
 * findings, with commands that repair the faults, or a line that says that all is well.
 */
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/child.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/policy.h"
#include "model/reason.h"
#include "model/saved.h"
#include "system/boot-line.h"
#include "system/guard.h"
#include "system/layers.h"
#include "system/live.h"
#include "system/signatures.h"
#include "system/module.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define MODULES		"/lib/modules/"
#define POLICY		"policy"
#define POLICY_MAX	(1U << 20)
/*
 * TRIES: for how many inactive saved devices doctor finds out whether "activate" would refuse them.
 * A process reads each leg of such a device, which takes time, and many inactive devices probably
 * have a common reason.
 */
#define TRIES		4

/**
 * struct doctor - the common data of the checks
 * @findings: the findings of all checks
 * @policy: the rules of the policy
 * @decides: an array with an element for each line of the policy: true if this line is the rule
 *	that decides about an existing device
 * @idle: the policy includes devices, but has no effect, because the module is not loaded or its
 *	parameter "stock" is off
 * @fine: the number of devices without a finding
 * @on: the number of these devices that have the fast path
 * @inactive: the number of saved devices that are not active
 */
struct doctor {
	struct findings findings;
	struct policy policy;
	bool *decides;
	bool idle;
	unsigned int fine;
	unsigned int on;
	unsigned int inactive;
};

/*
 * Does the folder belong to an installed kernel? dkms or a package of headers may have left a
 * folder without a kernel.
 */
static int doctor_is_kernel(const struct dirent *entry)
{
	_cleanup_free_ char *kernel = xasprintf(MODULES "%s/kernel", entry->d_name);

	return *entry->d_name != '.' && !access(kernel, F_OK);
}

/* Check the running kernel, and the newest kernel, because the next boot may use the newest one. */
static void doctor_kernels(struct doctor *d)
{
	struct dirent **list = NULL;
	int nr = scandir(MODULES, &list, doctor_is_kernel, versionsort);
	struct utsname system;

	uname(&system);
	d->findings.check = "kernels";
	module_check_kernel(NULL, &d->findings);
	if (nr > 0 && strcmp(list[nr - 1]->d_name, system.release))
		module_check_kernel(list[nr - 1]->d_name, &d->findings);
	while (nr > 0)
		free(list[--nr]);
	free(list);
}

static void doctor_policy_file(struct doctor *d)
{
	_cleanup_free_ char *text = read_text_file(POLICY_PATH, POLICY_MAX);
	_cleanup_findings_ struct findings mistakes = { 0 };
	int err = errno;
	unsigned int i;
	struct stat st;

	if (text)
		policy_parse(&d->policy, text, &mistakes);
	else if (err != ENOENT || !lstat(POLICY_PATH, &st))
		finding_add(&d->findings, FINDING_NOTE, POLICY, "cannot read " POLICY_PATH ": %s",
			    read_text_problem(POLICY_PATH, err));
	else
		finding_add(&d->findings, FINDING_NOTE, POLICY,
			    "no policy is saved: at boot, the devices that other programs make get no fast path\nnoclone enable NAME");
	for (i = 0; i < mistakes.nr; i++)
		finding_add(&d->findings, FINDING_ERROR, POLICY,
			    POLICY_PATH ":%u: %s; until this line is correct, nothing applies the policy\neditor +%u "
			    POLICY_PATH, mistakes.finding[i].line, mistakes.finding[i].text,
			    mistakes.finding[i].line);
	d->decides = xzalloc((d->policy.nr + 1) * sizeof(*d->decides));
}

static void doctor_unit(struct findings *f)
{
	static const char unit[] = "noclone-enable.service";
	char *argv[] = {
		(char *)"systemctl", (char *)"show", (char *)"--property=ActiveState,UnitFileState",
		(char *)unit, NULL
	};
	_cleanup_free_ char *text = child_read(argv, NULL);

	if (text && strstr(text, "ActiveState=failed"))
		finding_add(f, FINDING_ERROR, unit,
			    "it has failed\njournalctl -b -u noclone-enable");
	else if (text && !strstr(text, "UnitFileState=enabled"))
		finding_add(f, FINDING_WARNING, unit,
			    "it is not enabled: nothing applies the policy at boot\nsystemctl unmask noclone-enable && systemctl enable noclone-enable");
}

static bool doctor_has_includes(const struct policy *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (p->line[i].pattern && p->line[i].kind == POLICY_INCLUDE)
			return true;
	return false;
}

static void doctor_force(struct doctor *d)
{
	_cleanup_free_ char *word = boot_line_word("dm_noclone.stock=");
	struct module_params m;

	module_params(&m);
	d->idle = !m.stock && doctor_has_includes(&d->policy);
	if (d->idle)
		finding_add(&d->findings, FINDING_WARNING, POLICY,
			    "it is not in force: %s\nnoclone enable --policy",
			    word && !strcmp(word, "dm_noclone.stock=off") ?
			    "the kernel's command line has dm_noclone.stock=off" :
			    m.loaded ? "the parameter \"stock\" of the module is off" :
			    "dm-noclone is not loaded");
	else if (!m.loaded)
		finding_add(&d->findings, FINDING_NOTE, "module",
			    "dm-noclone is not loaded\nnoclone enable --now NAME");
}

static void doctor_policy(struct doctor *d)
{
	unsigned int before = d->findings.nr;

	d->findings.check = "policy";
	doctor_policy_file(d);
	doctor_force(d);
	if (doctor_has_includes(&d->policy))
		doctor_unit(&d->findings);
	if (d->findings.nr == before)
		finding_add(&d->findings, FINDING_OK, POLICY,
			    "it is in force, and the next boot applies it");
}

/* Is the fast path off for a reason that neither the user nor the table has chosen? */
static bool doctor_is_off(const char *state)
{
	const struct reason *reason = reason_of_state(state);

	return reason && reason->doctor != REASON_CHOSEN;
}

/*
 * Add a finding about a device whose fast path is off, unless the findings already have this reason
 * for another device.
 */
static void doctor_off(struct findings *f, const char *what, const char *state,
		       const char *name)
{
	const struct reason *reason = reason_of_state(state);
	const char *word = state + strlen("off:");
	_cleanup_free_ char *remedy = reason_remedy(word, name), *text = NULL;
	unsigned int i;

	text = xasprintf("fast path off: %s (\"noclone status\" shows all such devices)",
			 reason->meaning ? : word);
	for (i = 0; i < f->nr; i++)
		if (!strcmp(f->finding[i].text, text))
			return;
	finding_add(f, reason->doctor == REASON_GRAVE ? FINDING_ERROR : FINDING_WARNING, what,
		    "%s%s%s", text, remedy ? "\n" : "", remedy ? remedy : "");
}

static void doctor_below(struct findings *f, const char *what, const char *quoted,
			 const struct live *live)
{
	_cleanup_findings_ struct findings below = { 0 };
	unsigned int i;

	live_below(live, &below);
	for (i = 0; i < below.nr; i++) {
		_cleanup_free_ char *words = finding_words(&below.finding[i], NULL);
		const char *check = below.finding[i].check;

		/*
		 * if no path leads to the file any more, its data is lost when the last table with
		 * this file is replaced
		 */
		finding_add(f, FINDING_ERROR, what,
			    !strcmp(check, "file-deleted") || !strcmp(check, "file-replaced") ?
			    "%s\n\"dd if=/dev/mapper/%s of=NEWFILE bs=1M\" copies the data" :
			    "%s\nbring the file back, or run noclone reload %s with another table",
			    words, quoted);
	}
}

/*
 * Check the fast path of a device. @included: the policy includes the device. Return: false if the
 * device has a fault, even if doctor_off() has not added it again.
 */
static bool doctor_fast_path(struct doctor *d, const struct devmap_device *dev,
			     const struct live *live, const char *what, bool included)
{
	_cleanup_free_ char *state = live_fastpath(live), *quoted = shell_quote(dev->name);
	_cleanup_free_ char *resume = name_command("resume", dev->name);
	_cleanup_free_ char *enable = name_noclone("enable --now", dev->name);
	unsigned int before = d->findings.nr;

	if (dev->suspended)
		finding_add(&d->findings, FINDING_WARNING, what,
			    "it is suspended: I/O waits\n%s", resume);
	else if (doctor_is_off(state))
		doctor_off(&d->findings, what, state, dev->name);
	else if (included && !state && !table_has_noclone(&live->table) && !d->idle)
		finding_add(&d->findings, FINDING_WARNING, what,
			    "it does not get the fast path, although the policy includes it\n%s",
			    enable);
	doctor_below(&d->findings, what, quoted, live);
	if (d->findings.nr > before || doctor_is_off(state))
		return false;
	d->on += state && !strcmp(state, "on");
	return true;
}

static void doctor_device(struct doctor *d, const char *name)
{
	_cleanup_free_ char *what = xasprintf("device %s", name);
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live live = { 0 };
	const struct policy_line *rule;

	if (live_look(name, &dev, &live))
		return;
	rule = layers_rule(dev.devno, &d->policy);
	if (rule)
		d->decides[rule - d->policy.line] = true;
	if (table_can_be_fast(&live.table))
		d->fine += doctor_fast_path(d, &dev, &live, what,
					    rule && rule->kind == POLICY_INCLUDE);
}

/*
 * Report each rule that decides about none of the existing devices. The rule "*" for all devices is
 * not reported, because it decides about devices that are made later.
 */
static void doctor_rules(struct doctor *d)
{
	unsigned int i;

	d->findings.check = "rules";
	for (i = 0; i < d->policy.nr; i++) {
		const struct policy_line *line = &d->policy.line[i];

		if (line->pattern && !d->decides[i] && strcmp(line->pattern, "*"))
			finding_add(&d->findings, FINDING_NOTE, POLICY,
				    POLICY_PATH ":%u: no device follows the rule \"%s\": no device matches this rule, or rules above this rule match first\nsed -i %ud "
				    POLICY_PATH ", unless you expect such a device later", i + 1, line->text,
				    i + 1);
	}
}

static void doctor_devices(struct doctor *d)
{
	_cleanup_names_ struct names names = { 0 };
	_cleanup_free_ char *what = NULL;
	int r = devmap_names(&names);
	unsigned int i;

	for (i = 0; i < names.nr; i++)
		doctor_device(d, names.name[i]);
	what = xasprintf("%u device%s", d->fine, d->fine == 1 ? "" : "s");
	if (r && r != -ENODEV) {
		finding_add(&d->findings, FINDING_NOTE, "devices", "noclone cannot look at the devices: %s",
			    strerror(-r));
		return;
	}
	if (d->fine)
		finding_add(&d->findings, FINDING_OK, what, "fine, %u on the fast path", d->on);
	doctor_rules(d);
}

/*
 * Compare an active device with its saved file. @name: the name of the device; @file: the name in
 * the saved file, which differs from @name if the device was renamed
 */
static void doctor_compare(struct findings *f, const char *what, const char *name,
			   const char *file, const struct table *saved, const struct table *live)
{
	_cleanup_free_ char *quoted = shell_quote(file), *rename = name_command("rename", name);
	_cleanup_free_ char *deactivate = name_noclone("deactivate", file);
	_cleanup_free_ char *activate = name_noclone("activate", file);
	_cleanup_free_ char *save = name_noclone("save", file);
	/*
	 * a running device cannot replace a loop device by the file of this loop device, so it has
	 * to be activated again
	 */
	_cleanup_free_ char *back = table_has_file(saved) ?
		xasprintf("%s && %s", deactivate, activate) : name_noclone("convert", file);

	if (!table_has_noclone(live) && table_has_noclone(saved))
		finding_add(f, FINDING_WARNING, what,
			    "it runs on dm's own targets, not on the targets in its file\n%s", back);
	else if (strcmp(name, file))
		finding_add(f, FINDING_WARNING, what,
			    "it is active under the name %s\n%s %s", name, rename, quoted);
	else if (saved_file_compare(saved, live) == SAVED_DIFFERS)
		finding_add(f, FINDING_WARNING, what,
			    "its table differs from the table in its file, and the next boot uses the table in its file\n%s",
			    save);
}

/*
 * Return: why "activate" refuses the device, a new string, or NULL. Without root the result is
 * NULL, because only root can read the legs.
 */
static char *doctor_refusal(const char *file)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *damage = saved_file_peek(file, &s);
	const struct guard guard = { .from_saved = true, .readonly = s.readonly };
	unsigned int i;

	if (devmap_permitted())
		return NULL;
	signatures_check(&s.table, false, &findings);
	guard_table(&s.table, &guard, &findings);
	for (i = 0; i < findings.nr; i++)
		if (findings.finding[i].level == FINDING_ERROR)
			return xstrdup(findings.finding[i].text);
	return NULL;
}

static void doctor_saved_inactive(struct doctor *d, const char *what, const char *file)
{
	const bool tried = d->inactive++ < TRIES;
	_cleanup_free_ char *missing = signatures_missing(&saved_file_get(file)->saved.table);
	_cleanup_free_ char *refusal = tried && !missing ? doctor_refusal(file) : NULL;
	_cleanup_free_ char *activate = name_noclone("activate", file);
	struct findings *f = &d->findings;

	if (missing)
		finding_add(f, FINDING_ERROR, what,
			    "it is not active, and %s does not exist\nattach the missing disk, then %s",
			    missing, activate);
	else if (refusal)
		finding_add(f, FINDING_ERROR, what, "it is not active, and \"noclone activate\" refuses to activate it: %s",
			    refusal);
	else
		finding_add(f, FINDING_WARNING, what, "it is not active\n%s", activate);
}

static void doctor_saved_file(struct doctor *d, const char *what, const struct saved_file *saved)
{
	const struct devmap_device dev = { .uuid = saved->saved.uuid };
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_free_ char *leftover = saved_file_leftover(saved->name, NULL);
	_cleanup_free_ char *quoted = shell_quote(saved->name), *again = NULL;
	_cleanup_table_ struct table live = { 0 };
	bool active = dev.uuid && !devmap_look_table(&dev, DEVMAP_TABLE, &now, &live) &&
		      now.live_table;
	const struct saved_file *original = active ? saved_file_find(now.name, dev.uuid) : NULL;
	struct findings *f = &d->findings;

	again = name_noclone(active ? "save" : "activate", saved->name);
	if (leftover)
		finding_add(f, FINDING_WARNING, what, "an interrupted command has left the file %s\n%s",
			    leftover, again);
	if (original && original != saved)
		finding_add(f, FINDING_ERROR, what,
			    "its file and the file of %s have the same UUID\nrm " SAVED_DIR "/%s"
			    SAVED_SUFFIX ", if %s is the right name of the device",
			    original->name, quoted, original->name);
	else if (active)
		doctor_compare(f, what, now.name, saved->name, &saved->saved.table, &live);
	else if (!saved->damage)
		doctor_saved_inactive(d, what, saved->name);
}

static void doctor_saved_device(struct doctor *d, const char *name)
{
	_cleanup_free_ char *what = xasprintf("saved device %s", name);
	const struct saved_file *saved = saved_file_get(name);

	if (saved->damage) {
		const char *misplaced = saved_file_misplaced(name);
		_cleanup_free_ char *save = name_noclone("save", name);
		/*
		 * if a folder or a link has the name of the file, "save" does not replace it, and
		 * @misplaced has the remedy
		 */
		_cleanup_free_ char *fix = misplaced ? xstrdup(strstr(misplaced, ": ") + 2) :
			xasprintf("%s, while the device is active", save);

		finding_add(&d->findings, FINDING_ERROR, what, "its file is damaged: %s\n%s",
			    saved->damage, fix);
	}
	doctor_saved_file(d, what, saved);
}

static void doctor_saved(struct doctor *d)
{
	_cleanup_names_ struct names names = { 0 };
	struct findings *f = &d->findings;
	unsigned int i, before = f->nr;

	f->check = "saved";
	saved_file_names(&names);
	for (i = 0; i < names.nr; i++)
		doctor_saved_device(d, names.name[i]);
	if (d->inactive > TRIES)
		finding_add(f, FINDING_NOTE, "saved devices",
			    "%u saved devices are not active, and doctor has checked the disks and files of only the first %u of these devices\n\"noclone activate --all --dry-run\" checks all saved devices",
			    d->inactive, TRIES);
	if (f->nr == before)
		finding_add(f, FINDING_OK, "saved devices",
			    "all saved devices are active, and have the tables that are in their files");
}

static void doctor_look(struct doctor *d)
{
	doctor_kernels(d);
	d->findings.check = "module";
	module_check(&d->findings);
	doctor_policy(d);
	d->findings.check = "devices";
	if (geteuid()) {
		finding_add(&d->findings, FINDING_NOTE, "devices",
			    "cannot look at mapped and saved devices: only root may look at them\nsudo noclone doctor");
		return;
	}
	doctor_devices(d);
	doctor_saved(d);
}

int cmd_doctor(const struct options *o, int argc __unused, char **argv __unused)
{
	enum finding_level least = opt(o, OPT_QUIET) ? FINDING_ERROR : FINDING_OK;
	struct json_object *out = output_new("doctor");
	struct doctor d = { 0 };
	int r;

	doctor_look(&d);
	output_add_judgement(out, &d.findings, least);
	if (!output_print(o, out))
		output_print_findings(&d.findings, NULL, least);
	r = findings_count(&d.findings, FINDING_ERROR) ? EXIT_FAILED : EXIT_OK;
	findings_free(&d.findings);
	policy_free(&d.policy);
	free(d.decides);
	return r;
}
