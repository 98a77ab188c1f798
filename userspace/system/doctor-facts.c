// SPDX-License-Identifier: GPL-2.0-only
/* The module, the kernels, the policy and the devices of this machine. */
#include "system/doctor-facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/child.h"
#include "base/read.h"
#include "base/util.h"
#include "model/key.h"
#include "model/name.h"
#include "model/saved.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/layers.h"
#include "system/live.h"
#include "system/module.h"
#include "system/policy-file.h"
#include "system/saved-file.h"

#define MODULES		"/lib/modules/"
#define MODULE		"/sys/module/dm_noclone/"
#define FILE_MAX	(1U << 20)

static bool facts_line_is(const char *path, char letter)
{
	_cleanup_free_ char *line = read_line_of(path);

	return line && *line == letter;
}

/* "none [integrity] confidentiality" */
static bool facts_signed_only(void)
{
	_cleanup_free_ char *lockdown = read_line_of("/sys/kernel/security/lockdown");

	return facts_line_is("/sys/module/module/parameters/sig_enforce", 'Y') ||
	       (lockdown && !strstr(lockdown, "[none]"));
}

static void facts_of_module(struct doctor_facts *d)
{
	_cleanup_free_ char *stock = module_boot_word("dm_noclone.stock=");

	module_params(&d->params);
	if (d->params.loaded) {
		d->version = module_version();
		d->fastpath_off = facts_line_is(MODULE "parameters/fastpath", 'N');
		d->any_kernel = facts_line_is(MODULE "parameters/any_kernel", 'Y');
	}
	d->denied = module_is_denied();
	d->policy_off = stock && !strcmp(stock, "dm_noclone.stock=off");
	d->signed_only = facts_signed_only();
}

/* Only root sees the keys of the kernel; others are not told that one is missing. */
static bool facts_lacks_key(const struct kernel_facts *k)
{
	char *argv[] = {
		(char *)"openssl", (char *)"x509", (char *)"-inform", (char *)"DER",
		(char *)"-noout", (char *)"-serial", (char *)"-ext", (char *)"subjectKeyIdentifier",
		(char *)"-in", k->certificate, NULL
	};
	_cleanup_close_ int fd = open("/proc/keys", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *keys = geteuid() || fd < 0 ? NULL : read_stream(fd, FILE_MAX);
	_cleanup_free_ char *certificate = keys ? child_read(argv) : NULL;

	return keys && key_is_unknown(keys, &k->file, certificate);
}

static void facts_of_kernel(struct doctor_facts *d, const char *release, bool running)
{
	struct kernel_facts *k = &d->kernel[d->nr_kernels++];

	k->release = xstrdup(release);
	k->what = xasprintf("kernel %s%s", release, running ? " (running)" : "");
	k->running = running;
	k->build = module_build_command(release);
	module_file_look(release, &k->file);
	k->certificate = module_certificate(release);
	k->unknown_key = d->signed_only && k->file.signer && facts_lacks_key(k);
}

/* A folder that dkms or the headers alone have left is no kernel's. */
static int facts_is_kernel(const struct dirent *entry)
{
	_cleanup_free_ char *order = xasprintf(MODULES "%s/modules.order", entry->d_name);
	_cleanup_free_ char *kernel = xasprintf(MODULES "%s/kernel", entry->d_name);

	return *entry->d_name != '.' && (!access(order, F_OK) || !access(kernel, F_OK));
}

static void facts_of_kernels(struct doctor_facts *d)
{
	struct dirent **list = NULL;
	int nr = scandir(MODULES, &list, facts_is_kernel, versionsort);
	struct utsname system;

	uname(&system);
	facts_of_kernel(d, system.release, true);
	d->other_build = d->params.loaded && module_is_another_build(d->kernel[0].file.path);
	if (nr > 0 && strcmp(list[nr - 1]->d_name, system.release))
		facts_of_kernel(d, list[nr - 1]->d_name, false);
	while (nr > 0)
		free(list[--nr]);
	free(list);
}

/* Not policy_file_open(), which logs mistakes: here they are findings. */
static void facts_of_policy(struct doctor_facts *d)
{
	_cleanup_free_ char *text = read_text_file(POLICY_PATH, FILE_MAX);

	d->has_policy = text;
	if (text)
		policy_parse(&d->policy, text, &d->mistakes);
	else if (errno != ENOENT)
		d->policy_unreadable = xstrdup(read_text_problem(errno));
	d->rule = xzalloc((d->policy.nr + 1) * sizeof(*d->rule));
}

/* The value in "KEY=VALUE", a line of its own: a new string. */
static char *facts_value(const char *text, const char *key)
{
	const char *found = strstr(text, key);

	return xstrndup(found ? found + strlen(key) : "",
			found ? strcspn(found + strlen(key), "\n") : 0);
}

static void facts_of_unit(struct doctor_facts *d)
{
	char *argv[] = {
		(char *)"systemctl", (char *)"show",
		(char *)"--property=LoadState,ActiveState,UnitFileState",
		(char *)"noclone-enable.service", NULL
	};
	_cleanup_free_ char *text = child_read(argv), *load = NULL, *active = NULL;

	if (!text)
		return;
	load = facts_value(text, "LoadState=");
	active = facts_value(text, "ActiveState=");
	if (!strcmp(active, "failed"))
		d->unit = xstrdup("failed");
	else if (!strcmp(load, "masked") || !strcmp(load, "not-found"))
		d->unit = xstrdup(load);
	else
		d->unit = facts_value(text, "UnitFileState=");
}

/* Does the policy include the device?  Count for each rule. */
static bool facts_apply_policy(struct doctor_facts *d, const struct devmap_device *dev)
{
	_cleanup_free_ char *lv = origin_is_lvm(dev->uuid) ? devmap_lv_of_name(dev->name) : NULL;
	const struct policy_names names = { dev->name, lv };
	const struct policy_line *rule = layers_rule(dev->devno, &d->policy);
	unsigned int i;

	for (i = 0; rule && i < d->policy.nr; i++) {
		const struct policy one = { .line = &d->policy.line[i], .nr = 1 };

		d->rule[i].matches += !!policy_find(&one, &names);
		d->rule[i].decides += rule == one.line;
	}
	return rule && rule->kind == POLICY_INCLUDE;
}

static char *facts_stand_in(const struct live *live)
{
	char *words = NULL;
	unsigned int i;

	for (i = 0; i < live->raw.nr && !words; i++)
		words = status_stand_in_words(&live->status[i]);
	return words;
}

static void facts_of_device(const char *name, void *data)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live live = { 0 };
	struct doctor_facts *d = data;
	struct mapped_facts *m;
	bool included;

	if (devmap_info(name, &dev) || live_get(name, &live))
		return;
	included = facts_apply_policy(d, &dev);
	if (!table_can_be_fast(&live.table))
		return;
	GROW(d->device, d->nr_devices);
	m = &d->device[d->nr_devices++];
	*m = (struct mapped_facts) {
		.name = xstrdup(name),
		.what = xasprintf("device %s", name),
		.quoted = shell_quote(name),
		.own = table_has_noclone(&live.table),
		.state = live_fastpath(&live),
		.stand_in = facts_stand_in(&live),
		.suspended = dev.suspended,
		.included = included,
	};
	live_below(&live, &m->below);
}

static void facts_compare(struct saved_facts *s, const struct saved *saved)
{
	_cleanup_free_ char *name = saved->uuid ? devmap_name_of_uuid(saved->uuid) : NULL;
	_cleanup_table_ struct table live = { 0 };

	s->original = name ? saved_file_original(name, saved->uuid, s->name) : NULL;
	s->leftover = saved_file_leftover(s->name);
	s->active = name && !live_table(name, &live);
	if (!s->active)
		return;
	s->renamed = strcmp(name, s->name) ? xstrdup(name) : NULL;
	s->stands_in = !table_has_noclone(&live) && table_has_noclone(&saved->table);
	s->differs = saved_file_compare(&saved->table, &live) == SAVED_DIFFERS;
}

static void facts_of_saved(const char *name, void *data)
{
	_cleanup_saved_ struct saved saved = { 0 };
	struct doctor_facts *d = data;
	struct saved_facts *s;

	GROW(d->saved, d->nr_saved);
	s = &d->saved[d->nr_saved++];
	*s = (struct saved_facts) {
		.name = xstrdup(name),
		.what = xasprintf("saved device %s", name),
		.quoted = shell_quote(name),
	};
	s->damage = saved_file_peek(name, &saved);
	s->missing = signatures_missing(&saved.table);
	s->on_file = table_has_file(&saved.table);
	facts_compare(s, &saved);
}

static void facts_of_devices(struct doctor_facts *d)
{
	int r = geteuid() ? -EPERM : devmap_for_each(facts_of_device, d);

	if (!geteuid())
		saved_file_for_each(facts_of_saved, d);
	if (!r || r == -ENODEV)
		return;
	d->devices_error = xstrdup(geteuid() ? "only root may do that" : strerror(-r));
	/* without a look at the devices, no rule is known to match none */
	free(d->rule);
	d->rule = NULL;
}

void doctor_gather(struct doctor_facts *d)
{
	facts_of_module(d);
	facts_of_kernels(d);
	facts_of_policy(d);
	facts_of_unit(d);
	facts_of_devices(d);
}
