// SPDX-License-Identifier: GPL-2.0-only
/* Mapped devices, and what shows through them. */
#include "model/doctor.h"

#include <string.h>

#include "model/lint.h"
#include "model/name.h"
#include "model/remedy.h"
#include "model/status.h"

/* Somebody has switched it off; or it cannot be otherwise. */
static enum finding_level level_of_reason(const char *reason)
{
	static const char *const chosen[] = {
		"parameter", "option", "message", "mixed", "zoned",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(chosen); i++)
		if (!strcmp(reason, chosen[i]))
			return FINDING_NOTE;
	return !strcmp(reason, "layout") || !strcmp(reason, "foreign") ?
	       FINDING_PROBLEM : FINDING_WARNING;
}

/* With stock=off, one line says so for all of them. */
static void judge_unattached(const struct doctor_facts *d, const struct mapped_facts *m,
			     const char *what, struct findings *f)
{
	if (m->rule == POLICY_INCLUDE)
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"on dm core's path, though the policy includes it"),
			    "noclone enable --now --policy");
	else if (d->module.params.stock)
		finding_fix(finding_add(f, FINDING_NOTE, what, "on dm core's path"),
			    "noclone enable --now %s", m->name);
}

static void judge_state(const struct doctor_facts *d, const struct mapped_facts *m,
			const char *what, struct findings *f)
{
	const char *reason = m->state && strchr(m->state, ':') ? strchr(m->state, ':') + 1 : NULL;
	const char *meaning = reason ? status_reason_meaning(reason) : NULL;
	_cleanup_free_ char *remedy = reason ? remedy_of_reason(reason, m->name) : NULL;
	struct finding *finding;

	if (reason) {
		finding = finding_add(f, level_of_reason(reason), what, "fast path off: %s",
				      meaning ? meaning : reason);
		if (remedy)
			finding_fix(finding, "%s", remedy);
	} else if (m->state) {
		finding_add(f, FINDING_OK, what, "fast path on");
	} else if (m->own) {
		finding_add(f, FINDING_NOTE, what, "no state of its fast path can be read: is the module loaded, and as new as this tool?");
	} else {
		judge_unattached(d, m, what, f);
	}
}

static void judge_trouble(const struct mapped_facts *m, const struct trouble *t,
			  struct finding *finding)
{
	/* without a name, the file is gone when the last table that has it is */
	if (t->kind == TROUBLE_DELETED || t->kind == TROUBLE_REPLACED)
		finding_fix(finding, "copy what is on the device first: dd if=/dev/mapper/%s of=NEWFILE bs=1M",
			    m->name);
	else
		finding_fix(finding, "bring it back, or give the device another table: noclone reload %s",
			    m->name);
}

static void judge_troubles(const struct mapped_facts *m, const char *what,
			   struct findings *f)
{
	_cleanup_free_ char *suspend = name_command("suspend", m->name);
	_cleanup_free_ char *resume = name_command("resume", m->name);
	unsigned int i;

	for (i = 0; i < m->troubles.nr; i++)
		judge_trouble(m, &m->troubles.trouble[i],
			      finding_add(f, FINDING_PROBLEM, what, "%s",
					  m->troubles.trouble[i].text));
	if (m->stand_in)
		finding_fix(finding_add(f, FINDING_WARNING, what, "%s", m->stand_in),
			    "unless it is swap, %s && %s", suspend, resume);
}

static void judge_device(const struct doctor_facts *d, const struct mapped_facts *m,
			 struct findings *f)
{
	_cleanup_free_ char *what = xasprintf("device %s", m->name);
	_cleanup_free_ char *resume = name_command("resume", m->name);

	/* while it is suspended, that is why it is off */
	if (m->suspended)
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"it is suspended: I/O waits"),
			    "%s", resume);
	else
		judge_state(d, m, what, f);
	if (m->deferred)
		finding_add(f, FINDING_NOTE, what, "it is removed when its last user closes it");
	if (m->lvm_sees == ANSWER_NO)
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"there is a physical volume on it, where LVM does not look"),
			    d->lvm_devices_file ? "lvmdevices --adddev /dev/mapper/%s" :
			    "accept /dev/mapper/%s in global_filter and filter of /etc/lvm/lvm.conf",
			    m->name);
	judge_troubles(m, what, f);
}

void doctor_judge_devices(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	if (d->devices_error)
		finding_add(f, FINDING_NOTE, "devices", "cannot look at mapped devices: %s",
			    d->devices_error);
	else if (!d->nr_devices)
		finding_add(f, FINDING_OK, "devices",
			    "there are no linear or striped devices, and none of this module");
	for (i = 0; i < d->nr_devices; i++)
		judge_device(d, &d->device[i], f);
}

/* What means something in a regular expression, or ends it, is any character. */
static char *pattern_of(const char *name)
{
	char *pattern = xstrdup(name), *at = pattern;

	while ((at = strpbrk(at, ".+*?()[]{}^$|\\")))
		*at++ = '.';
	return pattern;
}

/* lvm.conf is for the next boots, too, and a kernel name may be another disk's then. */
static void fix_by_pattern(const struct doctor_facts *d, const struct layer_facts *l,
			   struct finding *finding)
{
	_cleanup_free_ char *upper = pattern_of(l->upper), *leg = pattern_of(l->leg_name);
	_cleanup_free_ char *patterns = xasprintf("\"a|^/dev/mapper/%s$|\", \"r|^%s$|\"",
						  upper, leg);
	_cleanup_free_ char *words = d->lvm_filter ?
		xasprintf("in /etc/lvm/lvm.conf, put %s in front of what global_filter has, and take out of it what accepts %s",
			  patterns, l->leg) :
		xasprintf("in /etc/lvm/lvm.conf, global_filter = [ %s ]", patterns);

	finding_fix(finding, "%s; then make the initramfs again, update-initramfs -u -k all or dracut --force --regenerate-all%s",
		    words, lint_is_kernel_name(l->leg_name) ?
		    "; but udev has no name for it that lasts: after a reboot it may be another disk" :
		    "");
}

static void fix_by_filter(const struct doctor_facts *d, const struct layer_facts *l,
			  struct finding *finding)
{
	if (d->lvm_devices_file)
		finding_fix(finding, "lvmdevices --deldev %s && lvmdevices --adddev /dev/mapper/%s",
			    l->leg, l->upper);
	else
		fix_by_pattern(d, l, finding);
}

static const char *volume_words(const struct layer_facts *l)
{
	if (l->lvm_sees == ANSWER_UNKNOWN)
		return "cannot tell whether LVM looks there";
	return l->lvm_sees_upper == ANSWER_NO ? "LVM looks there only, and bypasses the device" :
						"LVM sees it twice";
}

static void judge_volume(const struct doctor_facts *d, const struct layer_facts *l,
			 const char *what, struct findings *f)
{
	if (l->lvm_sees == ANSWER_NO)
		finding_add(f, FINDING_OK, what, "a physical volume that shows on %s as well, where LVM does not look",
			    l->leg);
	else
		fix_by_filter(d, l, finding_add(f, l->lvm_sees == ANSWER_YES ?
			FINDING_PROBLEM : FINDING_WARNING, what,
			"the physical volume shows on %s as well: %s", l->leg, volume_words(l)));
}

static void judge_layer(const struct doctor_facts *d, const struct layer_facts *l,
			struct findings *f)
{
	_cleanup_free_ char *what = xasprintf("device %s", l->upper);

	if (l->path_of)
		finding_fix(finding_add(f, FINDING_PROBLEM, what,
					"%s is a path of the multipath device %s: I/O bypasses it",
					l->leg, l->path_of),
			    "use /dev/mapper/%s in the table", l->path_of);
	else if (l->multipathd)
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"multipathd claims %s, and may take it at the next boot",
					l->leg),
			    "put its WWID into the blacklist of /etc/multipath.conf");
	if (l->type && !strcmp(l->type, "LVM2_member"))
		judge_volume(d, l, what, f);
	else if (l->type)
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"%s on it shows on %s as well: UUID= and LABEL= may mean either",
					l->type, l->leg),
			    "mount it as /dev/mapper/%s", l->upper);
}

void doctor_judge_layers(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	if (d->unprobed)
		finding_add(f, FINDING_NOTE, "duplicates",
			    "%u device%s not read to look for the same UUID twice: gone, suspended, or on multipath",
			    d->unprobed, d->unprobed == 1 ? " was" : "s were");
	for (i = 0; i < d->nr_layers; i++)
		judge_layer(d, &d->layer[i], f);
}
