// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checks of "noclone doctor".  Each adds what is wrong, with the command that repairs
 * it; doctor_judge() adds a line for a check that found nothing.
 */
#include "model/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "model/saved.h"
#include "model/status.h"

#define MODULE		"module"
#define POLICY		"policy"
#define POLICY_PATH	"/etc/noclone/policy"
#define PARAMETERS	"/sys/module/dm_noclone/parameters/"
#define SHOW_CONF	"grep -r noclone /etc/modprobe.d /run/modprobe.d /usr/lib/modprobe.d"
#define LOAD_ANEW	"modprobe -r dm-noclone && modprobe dm-noclone; or reboot"

/* The running kernel has no fast path now, another one after the next boot. */
static enum finding_level doctor_level(const struct kernel_facts *k)
{
	return k->running ? FINDING_ERROR : FINDING_WARNING;
}

/* "6.12.1 SMP preempt mod_unload": the release ends at the first blank. */
static bool doctor_is_for(const struct kernel_facts *k)
{
	size_t length = strlen(k->release);

	return !k->file.vermagic || (str_starts(k->file.vermagic, k->release) &&
				     strchr(" ", k->file.vermagic[length]));
}

static bool doctor_is_missing(const struct kernel_facts *k, struct findings *f)
{
	if (!k->file.path)
		finding_add(f, doctor_level(k), k->what,
			    "modprobe finds no module dm-noclone for it\n%s", k->build);
	else if (!doctor_is_for(k))
		finding_add(f, doctor_level(k), k->what, "%s was built for kernel %.*s\n%s",
			    k->file.path, (int)strcspn(k->file.vermagic, " "), k->file.vermagic,
			    k->build);
	else
		return false;
	return true;
}

/* The kernel took the module that is loaded. */
static bool doctor_is_refused(const struct doctor_facts *d, const struct kernel_facts *k,
			      struct findings *f)
{
	if (!d->signed_only || !strcmp(k->file.path, MODULE_BUILTIN) ||
	    (k->running && d->params.loaded && !d->other_build))
		return false;
	if (!k->file.signer)
		finding_add(f, doctor_level(k), k->what,
			    "the kernel loads signed modules only, and %s has no signature\n%s, with a key that dkms signs with",
			    k->file.path, k->build);
	else if (k->unknown_key)
		finding_add(f, doctor_level(k), k->what,
			    "%s is signed by \"%s\", with a key that the kernel does not know\nmokutil --import %s, and reboot",
			    k->file.path, k->file.signer, k->certificate);
	else
		return false;
	return true;
}

/* The module uses no fast path on a kernel that was not read for it. */
static bool doctor_is_unread(const struct doctor_facts *d, const struct kernel_facts *k,
			     struct findings *f)
{
	if (!k->file.kernel || !strcmp(k->file.kernel, "known"))
		return false;
	finding_add(f, d->any_kernel ? FINDING_NOTE : doctor_level(k), k->what,
		    "it is like no kernel that was read for dm-noclone, which shows in %s: without the parameter any_kernel its devices stay on dm core's path\n"
		    "apt-get install dm-noclone-dkms may bring a newer one; at your own risk, echo options dm_noclone any_kernel=1 >/etc/modprobe.d/dm-noclone.conf",
		    k->file.kernel);
	return true;
}

static bool doctor_is_of_another_version(const struct doctor_facts *d,
					 const struct kernel_facts *k, struct findings *f)
{
	if (!k->file.version || !strcmp(k->file.version, d->tool))
		return false;
	finding_add(f, FINDING_WARNING, k->what, "%s is dm-noclone %s, and this tool is %s\n%s",
		    k->file.path, k->file.version, d->tool, k->build);
	return true;
}

/* One line for each: what is wrong first may be the reason of the rest. */
static void doctor_kernels(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	for (i = 0; i < d->nr_kernels; i++) {
		const struct kernel_facts *k = &d->kernel[i];

		if (!doctor_is_missing(k, f) && !doctor_is_refused(d, k, f) &&
		    !doctor_is_unread(d, k, f) && !doctor_is_of_another_version(d, k, f))
			finding_add(f, FINDING_OK, k->what, "dm-noclone %s is installed for it",
				    d->tool);
	}
}

static void doctor_loading(const struct doctor_facts *d, struct findings *f)
{
	const struct module_file *file = &d->kernel[0].file;
	enum finding_level level = d->params.loaded ? FINDING_WARNING : FINDING_ERROR;

	if (d->denied)
		finding_add(f, level, MODULE,
			    "the kernel's command line has it in module_blacklist=: the kernel refuses it\nreboot without that word");
	if (file->install)
		finding_add(f, level, MODULE,
			    "modprobe.d has an install line: \"%s\" runs in place of loading it\n"
			    SHOW_CONF " shows the line to remove", file->install);
	if (file->blacklisted)
		finding_add(f, level, MODULE,
			    "it is blacklisted: only \"modprobe dm-noclone\" loads it\n"
			    SHOW_CONF " /proc/cmdline shows the word to remove");
}

static void doctor_version(const struct doctor_facts *d, struct findings *f)
{
	if (d->version && strcmp(d->version, d->tool))
		finding_add(f, FINDING_WARNING, MODULE,
			    "dm-noclone %s is loaded, and this tool is %s\n" LOAD_ANEW,
			    d->version, d->tool);
	else if (d->other_build)
		finding_add(f, FINDING_NOTE, MODULE,
			    "the loaded dm-noclone is another build than %s\n" LOAD_ANEW,
			    d->kernel[0].file.path);
}

static bool doctor_has_includes(const struct doctor_facts *d)
{
	unsigned int i;

	for (i = 0; i < d->policy.nr; i++)
		if (d->policy.line[i].pattern && d->policy.line[i].kind == POLICY_INCLUDE)
			return true;
	return false;
}

/* Does the policy include devices that the module, as it is, leaves alone? */
static bool doctor_is_idle(const struct doctor_facts *d)
{
	return !d->params.stock && doctor_has_includes(d);
}

static void doctor_force(const struct doctor_facts *d, struct findings *f)
{
	if (d->fastpath_off)
		finding_add(f, FINDING_WARNING, MODULE,
			    "its parameter fastpath is N: new devices have no fast path\necho Y >"
			    PARAMETERS "fastpath");
	if (doctor_is_idle(d))
		finding_add(f, FINDING_WARNING, POLICY, "it is not in force: %s\nnoclone enable --policy",
			    d->policy_off ? "the kernel's command line has dm_noclone.stock=off" :
			    d->params.loaded ? "the parameter stock of the module is off" :
			    "dm-noclone is not loaded");
	else if (!d->params.loaded)
		finding_add(f, FINDING_NOTE, MODULE,
			    "dm-noclone is not loaded\nnoclone enable --now NAME");
}

static void doctor_unit(const char *state, struct findings *f)
{
	static const char unit[] = "noclone-enable.service";

	if (!strcmp(state, "failed"))
		finding_add(f, FINDING_ERROR, unit, "it has failed\njournalctl -b -u noclone-enable");
	else if (!strcmp(state, "not-found"))
		finding_add(f, FINDING_WARNING, unit,
			    "it is not installed: nothing applies the policy at boot\napt-get install --reinstall noclone-tools, or make install");
	else if (strcmp(state, "enabled"))
		finding_add(f, FINDING_WARNING, unit,
			    "it is %s: nothing applies the policy at boot\nsystemctl %s noclone-enable",
			    state, !strcmp(state, "masked") ? "unmask" : "enable");
}

static void doctor_policy(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	if (d->policy_unreadable)
		finding_add(f, FINDING_NOTE, POLICY, "cannot read " POLICY_PATH ": %s",
			    d->policy_unreadable);
	else if (!d->has_policy)
		finding_add(f, FINDING_NOTE, POLICY,
			    "there is none: at boot, no device of other programs gets the fast path\nnoclone enable NAME");
	for (i = 0; i < d->mistakes.nr; i++)
		finding_add(f, FINDING_ERROR, POLICY,
			    POLICY_PATH ":%u: %s; until that is correct, nothing applies the policy\neditor +%u " POLICY_PATH,
			    d->mistakes.finding[i].line, d->mistakes.finding[i].text,
			    d->mistakes.finding[i].line);
	if (d->unit && doctor_has_includes(d))
		doctor_unit(d->unit, f);
}

/* A rule for all devices is correct where there is none yet. */
static bool doctor_is_wanting(const struct doctor_facts *d, unsigned int line)
{
	const char *pattern = d->policy.line[line].pattern;

	return pattern && !d->rule[line].decides &&
	       (d->rule[line].matches || strcmp(pattern, "*"));
}

static void doctor_rules(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	for (i = 0; d->rule && i < d->policy.nr; i++)
		if (doctor_is_wanting(d, i))
			finding_add(f, FINDING_NOTE, POLICY,
				    POLICY_PATH ":%u: \"%s\" %s\nsed -i %ud " POLICY_PATH ", unless the device comes later",
				    i + 1, d->policy.line[i].text, d->rule[i].matches ?
				    "decides nothing: rules above it match the same devices" :
				    "matches no device", i + 1);
}

/* Why the fast path of a device is off, unless the user or its table has chosen that. */
static const char *doctor_reason(const struct mapped_facts *m)
{
	static const char *const chosen[] = { "option", "message", "mixed", "zoned" };
	size_t i;

	if (!m->state || !str_starts(m->state, "off:"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(chosen); i++)
		if (!strcmp(m->state + strlen("off:"), chosen[i]))
			return NULL;
	return m->state + strlen("off:");
}

/* These reasons hold for all devices: one line says it. */
static bool doctor_is_common(const char *reason)
{
	return !strcmp(reason, "stats") || !strcmp(reason, "kernel") ||
	       !strcmp(reason, "parameter");
}

static unsigned int doctor_count_state(const struct mapped_facts *m, unsigned int nr,
				       const char *state)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += m[i].state && !m[i].suspended && !strcmp(m[i].state, state);
	return n;
}

static void doctor_off(const struct doctor_facts *d, unsigned int at, const char *reason,
		       struct findings *f)
{
	const struct mapped_facts *m = &d->device[at];
	_cleanup_free_ char *remedy = remedy_of_reason(reason, m->name), *more = NULL;
	const char *meaning = status_reason_meaning(reason);
	bool grave = !strcmp(reason, "layout") || !strcmp(reason, "foreign");

	if (doctor_is_common(reason)) {
		if (doctor_count_state(d->device, at, m->state))
			return;
		more = xasprintf(", as that of %u more", doctor_count_state(m + 1,
				 d->nr_devices - at - 1, m->state));
	}
	finding_add(f, grave ? FINDING_ERROR : FINDING_WARNING, m->what,
		    "fast path off: %s%s%s%s", meaning ? meaning : reason, more ? more : "",
		    remedy ? "\n" : "", remedy ? remedy : "");
}

/* If the policy is not in force, doctor_force() says it for all devices. */
static bool doctor_is_left_out(const struct doctor_facts *d, const struct mapped_facts *m)
{
	return m->included && !m->state && !m->own && !doctor_is_idle(d);
}

/* Is all well with it? */
static bool doctor_device(const struct doctor_facts *d, unsigned int at, struct findings *f)
{
	const struct mapped_facts *m = &d->device[at];
	const char *reason = doctor_reason(m);

	if (m->suspended)
		finding_add(f, FINDING_WARNING, m->what, "it is suspended: I/O waits\ndmsetup resume %s",
			    m->quoted);
	else if (reason)
		doctor_off(d, at, reason, f);
	else if (doctor_is_left_out(d, m))
		finding_add(f, FINDING_WARNING, m->what,
			    "on dm core's path, though the policy includes it\nnoclone enable --now %s",
			    m->quoted);
	else
		return !m->below.nr && !m->stand_in;
	return false;
}

static void doctor_devices(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i, fine = 0, on = 0;
	_cleanup_free_ char *what = NULL;

	if (d->devices_error)
		finding_add(f, FINDING_NOTE, "devices",
			    "cannot look at mapped and saved devices: %s\nsudo noclone doctor",
			    d->devices_error);
	for (i = 0; i < d->nr_devices; i++) {
		if (!doctor_device(d, i, f))
			continue;
		fine++;
		on += d->device[i].state && !strcmp(d->device[i].state, "on");
	}
	what = xasprintf("%u device%s", fine, fine == 1 ? "" : "s");
	if (fine)
		finding_add(f, FINDING_OK, what, "fine, %u on the fast path", on);
}

static void doctor_below(const struct mapped_facts *m, const struct finding *below,
			 struct findings *f)
{
	/* without a name, the file is gone when the last table that has it is */
	bool copy = !strcmp(below->check, "file-deleted") ||
		    !strcmp(below->check, "file-replaced");
	_cleanup_free_ char *words = finding_words(below, NULL);

	finding_add(f, FINDING_ERROR, m->what, copy ?
		    "%s\ndd if=/dev/mapper/%s of=NEWFILE bs=1M copies the data" :
		    "%s\nbring it back, or noclone reload %s with another table",
		    words, m->quoted);
}

static void doctor_legs(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i, j;

	for (i = 0; i < d->nr_devices; i++) {
		const struct mapped_facts *m = &d->device[i];

		for (j = 0; j < m->below.nr; j++)
			doctor_below(m, &m->below.finding[j], f);
		if (m->stand_in)
			finding_add(f, FINDING_WARNING, m->what,
				    "%s\ndmsetup suspend %s && dmsetup resume %s, unless it is swap",
				    m->stand_in, m->quoted, m->quoted);
	}
}

static void doctor_saved_device(const struct saved_facts *s, struct findings *f)
{
	if (s->original)
		finding_add(f, FINDING_ERROR, s->what,
			    "its file has the UUID of %s, which is saved in a file of its own\nrm " SAVED_DIR "/%s" SAVED_SUFFIX
			    ", if that is the copy", s->original, s->quoted);
	else if (!s->active && s->missing)
		finding_add(f, FINDING_ERROR, s->what,
			    "it is not active, and %s does not exist\nattach that disk, then noclone activate %s",
			    s->missing, s->quoted);
	else if (!s->active)
		finding_add(f, FINDING_WARNING, s->what, "it is not active\nnoclone activate %s",
			    s->quoted);
	else if (s->stands_in && s->on_file)
		/* a loop device cannot be exchanged for its file while the device runs */
		finding_add(f, FINDING_WARNING, s->what,
			    "it runs on dm's own targets, as without the module\nnoclone deactivate %s && noclone activate %s",
			    s->quoted, s->quoted);
	else if (s->stands_in)
		finding_add(f, FINDING_WARNING, s->what,
			    "it runs on dm's own targets, as without the module\nnoclone convert %s",
			    s->quoted);
	else if (s->renamed)
		finding_add(f, FINDING_WARNING, s->what,
			    "it is active under the name %s\nnoclone save %s", s->renamed,
			    s->renamed);
	else if (s->differs)
		finding_add(f, FINDING_WARNING, s->what,
			    "it differs from its file, which the next boot takes\nnoclone save %s",
			    s->quoted);
}

static void doctor_saved(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	for (i = 0; i < d->nr_saved; i++) {
		const struct saved_facts *s = &d->saved[i];

		if (s->damage)
			finding_add(f, FINDING_ERROR, s->what,
				    "its file is damaged: %s\nnoclone save %s, while the device runs",
				    s->damage, s->quoted);
		if (s->leftover)
			finding_add(f, FINDING_WARNING, s->what,
				    "an interrupted command has left %s\n%s%s", s->leftover,
				    s->active ? "noclone save " : "noclone activate ", s->quoted);
		if (s->active || !s->damage)
			doctor_saved_device(s, f);
	}
}

/* What a check has to have looked at, so that it can say that all is well. */
enum check_needs {
	NEEDS_NOTHING,
	NEEDS_MODULE,
	NEEDS_LOADED,
	NEEDS_DEVICES,
};

/**
 * struct check - one of the questions that doctor asks
 * @name: in JSON
 * @judge: adds what is wrong
 * @needs: for the line of a check that found nothing:
 * @what: its subject; NULL: @judge adds that line itself
 * @fine: the rest of that line
 */
static const struct check {
	const char *name;
	void (*judge)(const struct doctor_facts *d, struct findings *f);
	enum check_needs needs;
	const char *what;
	const char *fine;
} checks[] = {
	{ "kernels", doctor_kernels, NEEDS_NOTHING, NULL, NULL },
	{ "loading", doctor_loading, NEEDS_MODULE, MODULE,
	  "modprobe.d and the kernel's command line allow it" },
	{ "version", doctor_version, NEEDS_LOADED, MODULE, "the loaded one is the installed one" },
	{ "in-force", doctor_force, NEEDS_MODULE, MODULE, "its parameters allow the fast path" },
	{ "policy", doctor_policy, NEEDS_NOTHING, POLICY, "the next boot applies it" },
	{ "rules", doctor_rules, NEEDS_DEVICES, POLICY, "each rule decides about a device" },
	{ "devices", doctor_devices, NEEDS_DEVICES, NULL, NULL },
	{ "legs", doctor_legs, NEEDS_DEVICES, "legs",
	  "none has failed, and no backing file is gone" },
	{ "saved", doctor_saved, NEEDS_DEVICES, "saved devices",
	  "all are active, and as their files say" },
};

static bool doctor_has_looked(const struct doctor_facts *d, enum check_needs needs)
{
	switch (needs) {
	case NEEDS_MODULE:
		return d->params.loaded || d->kernel[0].file.path;
	case NEEDS_LOADED:
		return d->params.loaded;
	case NEEDS_DEVICES:
		return !d->devices_error;
	default:
		return true;
	}
}

void doctor_judge(const struct doctor_facts *d, struct findings *f)
{
	const struct check *check;
	unsigned int before;

	for (check = checks; check < checks + ARRAY_SIZE(checks); check++) {
		before = f->nr;
		f->check = check->name;
		check->judge(d, f);
		if (f->nr == before && check->what && doctor_has_looked(d, check->needs))
			finding_add(f, FINDING_OK, check->what, "%s", check->fine);
	}
}

static void doctor_kernel_free(struct kernel_facts *k)
{
	free(k->release);
	free(k->what);
	free(k->file.path);
	free(k->file.version);
	free(k->file.vermagic);
	free(k->file.signer);
	free(k->file.sig_key);
	free(k->file.kernel);
	free(k->file.install);
	free(k->certificate);
	free(k->build);
}

static void doctor_mapped_free(struct mapped_facts *m)
{
	free(m->name);
	free(m->what);
	free(m->quoted);
	free(m->state);
	free(m->stand_in);
	findings_free(&m->below);
}

static void doctor_saved_free(struct saved_facts *s)
{
	free(s->name);
	free(s->what);
	free(s->quoted);
	free(s->missing);
	free(s->original);
	free(s->leftover);
	free(s->renamed);
	free(s->damage);
}

void doctor_facts_free(struct doctor_facts *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_kernels; i++)
		doctor_kernel_free(&d->kernel[i]);
	for (i = 0; i < d->nr_devices; i++)
		doctor_mapped_free(&d->device[i]);
	for (i = 0; i < d->nr_saved; i++)
		doctor_saved_free(&d->saved[i]);
	free(d->device);
	free(d->saved);
	free(d->version);
	free(d->policy_unreadable);
	free(d->rule);
	free(d->unit);
	free(d->devices_error);
	policy_free(&d->policy);
	findings_free(&d->mistakes);
	memset(d, 0, sizeof(*d));
}
