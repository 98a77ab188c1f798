// SPDX-License-Identifier: GPL-2.0-only
/* noclone enable and disable without --now: edit the policy. */
#include "cmd/enable-policy.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/log.h"
#include "base/util.h"
#include "model/switch-plan.h"
#include "system/candidates.h"
#include "system/policy-file.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* A rule for a device that can never follow it would only confuse. */
static int edit_device(struct policy *p, enum policy_kind kind, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_switch_plan_ struct switch_plan plan = { 0 };
	const struct module_params any = { 0 };
	struct candidate *c;
	bool on = kind == POLICY_INCLUDE;
	int r = select_or_pattern(word, on ? "enable" : "disable",
				  on ? "include" : "exclude", &dev);

	if (!r)
		r = candidates_add(&plan, dev.name);
	if (r)
		return r;
	c = plan.device;
	c->named = true;
	c->wish = kind == POLICY_INCLUDE ? WISH_ON : WISH_OFF;
	switch_plan(&plan, &any);
	if (c->action == SWITCH_CANNOT) {
		log_err("%s: %s", c->name, c->why);
		return -EOPNOTSUPP;
	}
	policy_set_device(p, kind, &(struct policy_names) { c->name, c->lv });
	return 0;
}

static int edit(const struct options *o, int argc, char **argv,
		enum policy_kind kind, struct policy *p)
{
	unsigned int at;
	int i, r = 0;

	if (opt(o, OPT_ALL))
		policy_reset(p, kind);
	for (at = 0; at < o->nr_rules; at++)
		policy_set(p, o->rules[at].kind, o->rules[at].pattern);
	for (i = 0; i < argc && !r; i++)
		r = edit_device(p, kind, argv[i]);
	return r;
}

static void print_edits(const struct options *o, const char *command,
			const struct policy *p)
{
	_cleanup_free_ char *text = policy_print(p);
	const char *edits = p->edits.text ? p->edits.text : "";
	struct json_object *out;

	if (!opt(o, OPT_JSON)) {
		fputs(edits, stdout);
		return;
	}
	out = output_new(command);
	output_add_bool(out, "dry_run", opt(o, OPT_DRY_RUN));
	output_add_string(out, "file", POLICY_PATH);
	json_object_object_add(out, "edits", output_lines(edits));
	json_object_object_add(out, "policy", output_lines(text));
	output_print(out);
	json_object_put(out);
}

static void print_what_is_next(const struct options *o, enum policy_kind kind)
{
	log_note("no device is switched yet: %s is applied at boot if noclone-enable.service is enabled; for now: noclone %s",
		 POLICY_PATH, opt(o, OPT_ALL) && kind == POLICY_EXCLUDE ?
		 "disable --now --all" : "enable --now --policy");
}

int enable_policy(const struct options *o, int argc, char **argv,
		  enum policy_kind kind)
{
	_cleanup_policy_file_ struct policy_file file;
	const char *command = kind == POLICY_INCLUDE ? "enable" : "disable";
	_cleanup_policy_ struct policy p = { 0 };

	if (policy_file_open(&file, &p, !opt(o, OPT_DRY_RUN)))
		return EXIT_FAILED;
	if (edit(o, argc, argv, kind, &p))
		return EXIT_FAILED;
	if (opt(o, OPT_DRY_RUN)) {
		print_edits(o, command, &p);
		return EXIT_OK;
	}
	if (!p.edits.len) {
		if (opt(o, OPT_JSON))
			print_edits(o, command, &p);
		else
			printf("%s says so already\n", POLICY_PATH);
		return EXIT_OK;
	}
	if (policy_file_write(&p))
		return EXIT_FAILED;
	print_edits(o, command, &p);
	print_what_is_next(o, kind);
	return EXIT_OK;
}
