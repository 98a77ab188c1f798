// SPDX-License-Identifier: GPL-2.0-only
/*
 * The installed kernels: each may be the next one to boot.  The running one without a
 * usable module is a problem, another one a warning.
 */
#include "model/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_MAJOR	6
#define OLDEST_MINOR	1

static enum finding_level level_of(const struct kernel_facts *k)
{
	return k->running ? FINDING_PROBLEM : FINDING_WARNING;
}

static char *what_of(const struct kernel_facts *k)
{
	return xasprintf("kernel %s%s", k->release, k->running ? " (running)" : "");
}

/* A release that does not begin with two numbers is like any. */
static bool is_too_old(const struct kernel_facts *k)
{
	unsigned int major, minor;

	return sscanf(k->release, "%u.%u", &major, &minor) == 2 &&
	       (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR));
}

/* The module of a kernel that was not read uses no fast path there, unless it is told to. */
static void judge_differs(const struct doctor_facts *d, const struct kernel_facts *k,
			  const char *what, struct findings *f)
{
	if (!k->differs || !strcmp(k->differs, "known"))
		return;
	finding_fix(finding_add(f, d->module.any_kernel ? FINDING_NOTE : level_of(k), what,
				"it is like no kernel that was read for dm-noclone, which shows in %s: without the parameter any_kernel its devices stay on dm core's path",
				k->differs),
		    "a newer dm-noclone may know it; any_kernel=1 is at your own risk, in a line \"options dm_noclone\" in /etc/modprobe.d");
}

/* How it gets a module that is built for it */
static void fix_by_building(const struct doctor_facts *d, const struct kernel_facts *k,
			    struct finding *finding)
{
	if (!k->headers && d->dkms_version)
		finding_fix(finding, "install its headers, on Debian apt-get install linux-headers-%s; then dkms install dm-noclone/%s -k %s",
			    k->release, d->dkms_version, k->release);
	else if (!k->headers)
		finding_fix(finding, "install its headers, on Debian apt-get install linux-headers-%s; then build the module for it",
			    k->release);
	else if (d->dkms_version)
		finding_fix(finding, "dkms install --force dm-noclone/%s -k %s",
			    d->dkms_version, k->release);
	else
		finding_fix(finding, "make KVER=%s install in the source, or install the package dm-noclone-dkms",
			    k->release);
}

static void judge_unbuilt(const struct doctor_facts *d, const struct kernel_facts *k,
			  const char *what, struct findings *f)
{
	struct finding *finding;

	if (k->failed_build && d->dkms_version) {
		finding = finding_add(f, level_of(k), what,
				      "there is no module dm-noclone for it: dkms failed to build it, see %s",
				      k->failed_build);
		finding_fix(finding, "a newer dm-noclone may build for it; dkms install dm-noclone/%s -k %s tries again",
			    d->dkms_version, k->release);
		return;
	}
	finding = finding_add(f, level_of(k), what, "there is no module dm-noclone for it%s%s",
			      k->dkms ? "; dkms says: " : "", k->dkms ? k->dkms : "");
	fix_by_building(d, k, finding);
}

static void judge_missing(const struct doctor_facts *d, const struct kernel_facts *k,
			  const char *what, struct findings *f)
{
	if (is_too_old(k))
		finding_fix(finding_add(f, level_of(k), what,
					"it is older than %u.%u, which the module needs",
					OLDEST_MAJOR, OLDEST_MINOR), "boot a newer kernel");
	else if (k->unindexed)
		finding_fix(finding_add(f, level_of(k), what,
					"modprobe does not find %s", k->unindexed),
			    "depmod %s", k->release);
	else
		judge_unbuilt(d, k, what, f);
}

/* False: what is there cannot be used. */
static bool judge_build(const struct doctor_facts *d, const struct kernel_facts *k,
			const char *what, struct findings *f)
{
	if (k->vermagic && strcmp(k->vermagic, k->release)) {
		fix_by_building(d, k, finding_add(f, level_of(k), what,
			"%s was built for kernel %s", k->module, k->vermagic));
		return false;
	}
	if (k->version && strcmp(k->version, d->tool)) {
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"its module is dm-noclone %s, and this tool is %s",
					k->version, d->tool),
			    "install both in the same version");
		return false;
	}
	return true;
}

static bool is_builtin(const struct kernel_facts *k)
{
	return !strcmp(k->module, "(builtin)");
}

/* Distributions, and its configuration, have it put modules elsewhere. */
static bool is_of_dkms(const struct kernel_facts *k)
{
	return k->of_dkms || strstr(k->module, "/updates/dkms/");
}

static const char *origin_words(const struct kernel_facts *k)
{
	if (is_builtin(k))
		return "built in";
	return is_of_dkms(k) ? "by dkms" : "installed by hand";
}

static void judge_dkms(const struct doctor_facts *d, const struct kernel_facts *k,
		       const char *what, struct findings *f)
{
	if (!d->dkms_version)
		return;
	if (!k->headers)
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"without headers dkms cannot build the next version for it"),
			    "install them, on Debian apt-get install linux-headers-%s",
			    k->release);
	if (!is_of_dkms(k))
		finding_fix(finding_add(f, FINDING_WARNING, what,
					"%s was installed by hand and hides what dkms builds",
					k->module),
			    "rm %s && depmod %s", k->module, k->release);
}

static void judge_signature(const struct doctor_facts *d, const struct kernel_facts *k,
			    const char *what, struct findings *f)
{
	if (!doctor_wants_signature(&d->trust) || (k->running && d->module.params.loaded))
		return;
	if (!k->signer)
		finding_fix(finding_add(f, level_of(k), what,
					"its module is not signed, and the kernel takes signed ones only"),
			    "let dkms sign it, or sign it with scripts/sign-file of the kernel");
	else if (k->key_known == ANSWER_NO)
		finding_fix(finding_add(f, level_of(k), what,
					"its module is signed by \"%s\", a key that the kernel does not know",
					k->signer),
			    "mokutil --import /var/lib/dkms/mok.pub, and reboot");
}

static void judge_kernel(const struct doctor_facts *d, const struct kernel_facts *k,
			 struct findings *f)
{
	_cleanup_free_ char *what = what_of(k);
	_cleanup_free_ char *signer = !k->signer ? xstrdup("") :
				      xasprintf(", signed by \"%s\"", k->signer);

	if (!k->module) {
		judge_missing(d, k, what, f);
	} else {
		if (judge_build(d, k, what, f))
			finding_add(f, FINDING_OK, what, "dm-noclone %s, %s%s",
				    k->version ? k->version : "of unknown version",
				    origin_words(k), signer);
		judge_differs(d, k, what, f);
		if (!is_builtin(k)) {
			judge_dkms(d, k, what, f);
			judge_signature(d, k, what, f);
		}
	}
}

void doctor_judge_kernels(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	for (i = 0; i < d->nr_kernels; i++)
		judge_kernel(d, &d->kernel[i], f);
}

static const char *boot_words(enum answer secure_boot)
{
	switch (secure_boot) {
	case ANSWER_YES:
		return "Secure Boot is on";
	case ANSWER_NO:
		return "Secure Boot is off";
	default:
		return "cannot tell whether Secure Boot is on";
	}
}

void doctor_judge_trust(const struct doctor_facts *d, struct findings *f)
{
	const struct trust_facts *t = &d->trust;
	const char *boot = boot_words(t->secure_boot);

	if (doctor_wants_signature(t))
		finding_add(f, FINDING_NOTE, "signatures",
			    "%s; the kernel takes signed modules only", boot);
	else if (t->sig_enforce == ANSWER_UNKNOWN)
		finding_add(f, FINDING_NOTE, "signatures",
			    "%s; cannot tell whether the kernel takes signed modules only", boot);
	else
		finding_add(f, FINDING_OK, "signatures",
			    "%s; the kernel takes modules without a signature", boot);
}

/* "dm-noclone/0.1.0, 6.1.0, x86_64: installed"; older: "dm-noclone, 0.1.0, 6.1.0, ..." */
static bool is_line_for(const char *line, const char *release)
{
	_cleanup_free_ char *wanted = xasprintf(", %s,", release);

	return str_starts(line, "dm-noclone") && strstr(line, wanted);
}

char *dkms_state(const char *text, const char *release)
{
	for (; *text; text += strcspn(text, "\n"), text += strspn(text, "\n")) {
		_cleanup_free_ char *line = xstrndup(text, strcspn(text, "\n"));
		const char *colon = strrchr(line, ':');

		if (colon && is_line_for(line, release))
			return xstrndup(colon + 1 + strspn(colon + 1, " "),
					strcspn(colon + 1 + strspn(colon + 1, " "), " ("));
	}
	return NULL;
}

/* "dm-noclone/0.1.0: added", "dm-noclone, 0.1.0, 6.1.0, ...": a new string, or NULL. */
static char *version_of_line(const char *line)
{
	const char *version = str_starts(line, "dm-noclone") ? line + strlen("dm-noclone") : "";

	if (*version != '/' && *version != ',')
		return NULL;
	version += strspn(version, "/, ");
	return xstrndup(version, strcspn(version, ",: \n"));
}

char *dkms_source_version(const char *text, const char *preferred)
{
	char *found = NULL;

	for (; *text; text += strcspn(text, "\n"), text += strspn(text, "\n")) {
		char *version = version_of_line(text);

		if (version && (!found || !strcmp(version, preferred))) {
			free(found);
			found = version;
		} else {
			free(version);
		}
	}
	return found;
}
