// SPDX-License-Identifier: GPL-2.0-only
/* The module as it is loaded, what keeps it from being loaded, and its parameters. */
#include "model/doctor.h"

#include <string.h>

#define WHAT	"module"
#define PARAMETERS	"/sys/module/dm_noclone/parameters/"

static void judge_version(const struct doctor_facts *d, struct findings *f)
{
	const struct module_facts *m = &d->module;
	const struct kernel_facts *k = doctor_running(d);
	const char *version = m->version ? m->version : "of unknown version";

	if (m->version && strcmp(m->version, d->tool))
		finding_fix(finding_add(f, FINDING_WARNING, WHAT,
					"dm-noclone %s is loaded, and this tool is %s",
					version, d->tool),
			    "install both in the same version, then modprobe -r dm-noclone, or reboot");
	else if (m->srcversion && k && k->srcversion && strcmp(m->srcversion, k->srcversion))
		finding_fix(finding_add(f, FINDING_NOTE, WHAT,
					"the loaded dm-noclone %s is another build than %s",
					version, k->module),
			    "modprobe -r dm-noclone, and modprobe dm-noclone; or reboot");
	else
		finding_add(f, FINDING_OK, WHAT, "dm-noclone %s is loaded", version);
}

static void judge_params(const struct doctor_facts *d, struct findings *f)
{
	const struct module_params *p = &d->module.params;

	if (d->module.fastpath_off)
		finding_fix(finding_add(f, FINDING_WARNING, WHAT,
					"its parameter fastpath is N: new devices have no fast path"),
			    "echo Y >" PARAMETERS "fastpath");
	if (!p->stock)
		finding_fix(finding_add(f, FINDING_NOTE, WHAT,
					"devices of LVM and other programs are on dm core's path: its parameter stock is off"),
			    "noclone enable --now NAME, or --all");
}

static void judge_line(const struct modprobe_line *line, bool loaded, struct findings *f)
{
	enum finding_level level = loaded ? FINDING_WARNING : FINDING_PROBLEM;

	switch (line->kind) {
	case MODPROBE_DENY:
		finding_fix(finding_add(f, level, WHAT, "%s has %s: the kernel refuses it",
					line->where, line->text),
			    "take that word from the command line, and reboot");
		break;
	case MODPROBE_INSTALL:
		finding_fix(finding_add(f, level, WHAT, "%s runs \"%s\" in place of loading it",
					line->where, line->text),
			    "remove that line");
		break;
	case MODPROBE_BLACKLIST:
		finding_fix(finding_add(f, FINDING_WARNING, WHAT,
					"%s blacklists it: a table that needs it does not load it, noclone does",
					line->where),
			    "remove that line or word");
		break;
	case MODPROBE_STOCK_OFF:
		finding_fix(finding_add(f, FINDING_WARNING, WHAT,
					"%s has %s: nothing applies the policy in this boot",
					line->where, line->text),
			    "noclone enable --now --policy; or reboot without that word");
		break;
	case MODPROBE_OPTIONS:
		break;
	}
}

/* As kstrtobool() of the kernel, with the words that the documentation has. */
static bool is_switch(const char *word)
{
	static const char *const words[] = {
		"on", "off", "1", "0", "Y", "N", "y", "n",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* "stock=on": what is wrong with it, or NULL. */
static const char *option_problem(const char *word)
{
	static const char *const known[] = {
		"fastpath", "stock", "reserved_ios", "polled", "fail_tiers", "any_kernel",
	};
	_cleanup_free_ char *name = xstrndup(word, strcspn(word, "="));
	size_t i;

	if (str_starts(word, "stock=") && !is_switch(word + strlen("stock=")))
		return "it is on or off: the module does not load with that";
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(name, known[i]))
			return NULL;
	return "the module has no such parameter, and ignores it";
}

static void judge_options(const struct modprobe_line *line, struct findings *f)
{
	_cleanup_words_ struct words w;
	unsigned int i;

	words_split(&w, line->text);
	for (i = 0; i < w.nr; i++) {
		const char *wrong = option_problem(w.word[i]);

		if (wrong)
			finding_fix(finding_add(f, str_starts(w.word[i], "stock=") ?
						FINDING_PROBLEM : FINDING_WARNING, WHAT,
						"%s has %s: %s", line->where, w.word[i], wrong),
				    "correct it there");
	}
}

void doctor_judge_module(const struct doctor_facts *d, struct findings *f)
{
	bool loaded = d->module.params.loaded;
	unsigned int i;

	if (!d->driver)
		finding_add(f, FINDING_NOTE, "device-mapper",
			    "the driver is not loaded, so there are no mapped devices yet");
	if (loaded) {
		judge_version(d, f);
		judge_params(d, f);
	} else {
		finding_fix(finding_add(f, FINDING_NOTE, WHAT, "dm-noclone is not loaded"),
			    "noclone enable --now NAME loads it, and so does noclone create");
	}
	for (i = 0; i < d->conf.nr; i++) {
		judge_line(&d->conf.line[i], loaded, f);
		if (d->conf.line[i].kind == MODPROBE_OPTIONS)
			judge_options(&d->conf.line[i], f);
	}
}
