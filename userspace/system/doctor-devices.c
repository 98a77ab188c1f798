// SPDX-License-Identifier: GPL-2.0-only
/* The mapped devices, and what shows through those of this module. */
#include "system/doctor-facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "model/origin.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/program.h"

#define DEVICES_FILE_MAX	(1U << 20)

struct look {
	struct doctor_facts *d;
	struct lvm_view lvm;
};

static void read_lvm(struct lvm_view *view)
{
	char *argv[] = { "lvmconfig", "--type", "full", "devices", NULL };
	const char *folder = getenv("LVM_SYSTEM_DIR");
	_cleanup_free_ char *path = xasprintf("%s/devices/system.devices",
					      folder ? folder : "/etc/lvm");
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	view->devices_file_unreadable = fd < 0 && errno != ENOENT;
	view->devices_file = fd < 0 ? NULL : read_stream(fd, DEVICES_FILE_MAX);
	view->config = program_output(argv);
}

static enum policy_kind apply_policy(struct boot_facts *b, const char *name, const char *lv)
{
	const struct policy_names names = { name, lv };
	const struct policy_line *rule = policy_find(&b->policy, &names);
	unsigned int i;

	for (i = 0; i < b->policy.nr; i++) {
		const struct policy one = { .line = &b->policy.line[i], .nr = 1 };

		b->matched[i] += !!policy_find(&one, &names);
	}
	return rule ? rule->kind : POLICY_NONE;
}

/* Name of the dm-multipath device that holds @devno: a new string, or NULL. */
static char *multipath_above(dev_t devno)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, "holders");
	DIR *dir = opendir(path);
	struct dirent *entry;
	char *found = NULL;

	while (dir && !found && (entry = readdir(dir))) {
		_cleanup_free_ char *attribute = xasprintf("holders/%s/dm/uuid", entry->d_name);
		_cleanup_free_ char *uuid = blockdev_attribute(devno, attribute);

		if (!uuid || !str_starts(uuid, "mpath-"))
			continue;
		free(attribute);
		attribute = xasprintf("holders/%s/dm/name", entry->d_name);
		found = blockdev_attribute(devno, attribute);
	}
	if (dir)
		closedir(dir);
	return found;
}

static enum answer ask_lvm(const struct look *look, const struct device_facts *f)
{
	unsigned int i, nr;
	char **name = identity_names(f, &nr);
	enum answer answer = lvm_sees(&look->lvm, name, nr);

	for (i = 0; i < nr; i++)
		free(name[i]);
	free(name);
	return answer;
}

/* The type if both have the same signature, and that has a UUID: a new string, or NULL. */
static char *same_type(const char *above, const char *below)
{
	size_t type = strcspn(above, " ");

	return below && above[type] && !strcmp(above, below) ? xstrndup(above, type) : NULL;
}

static void look_at_leg(struct look *look, const struct mapped_facts *upper,
			const char *above, const char *leg)
{
	_cleanup_free_ char *below = NULL, *claimed = NULL;
	_cleanup_facts_ struct device_facts f = { 0 };
	struct layer_facts layer = { 0 };

	if (blockdev_lookup(leg, &f))
		return;
	below = identity_signature(f.path, 0, f.sectors);
	look->d->unprobed += !below;
	layer.type = same_type(above, below);
	claimed = identity_property(f.devno, "DM_MULTIPATH_DEVICE_PATH");
	layer.multipathd = claimed && !strcmp(claimed, "1");
	layer.path_of = multipath_above(f.devno);
	if (!layer.type && !layer.multipathd && !layer.path_of)
		return;
	layer.upper = xstrdup(upper->name);
	layer.lvm_sees_upper = upper->lvm_sees;
	layer.leg = xstrdup(f.path);
	layer.leg_name = identity_persistent(leg, NULL);
	layer.lvm_sees = ask_lvm(look, &f);
	GROW(look->d->layer, look->d->nr_layers);
	look->d->layer[look->d->nr_layers++] = layer;
}

/* A read waits for the resume of a device below, or for a path of multipath: perhaps for ever. */
static bool holds_io_back(dev_t devno)
{
	_cleanup_free_ char *suspended = blockdev_attribute(devno, "dm/suspended");
	_cleanup_free_ char *uuid = blockdev_attribute(devno, "dm/uuid");

	return (suspended && *suspended == '1') || (uuid && origin_is_multipath(uuid));
}

static enum answer ask_lvm_about(const struct look *look, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	return blockdev_lookup_number(devno, &f) ? ANSWER_UNKNOWN : ask_lvm(look, &f);
}

static void look_at_legs(struct look *look, struct mapped_facts *m, const struct table *t,
			 dev_t devno)
{
	_cleanup_free_ char *path = xasprintf("/dev/mapper/%s", m->name), *above = NULL;
	unsigned int i, j;

	if (blockdev_any_below(devno, holds_io_back)) {
		look->d->unprobed++;
		return;
	}
	above = identity_signature(path, 0, table_sectors(t));
	if (!above)
		return;
	if (str_starts(above, "LVM2_member "))
		m->lvm_sees = ask_lvm_about(look, devno);
	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++)
			look_at_leg(look, m, above, t->targets[i].legs[j].device);
}

static char *stand_in_of(const struct live *live)
{
	char *words = NULL;
	unsigned int i;

	for (i = 0; i < live->raw.nr && !words; i++)
		words = status_stand_in_words(&live->status[i]);
	return words;
}

static void look_at_device(const char *name, void *data)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live live = { 0 };
	_cleanup_free_ char *lv = NULL;
	struct look *look = data;
	enum policy_kind rule;
	struct mapped_facts *m;

	if (devmap_info(name, &dev) || live_get(name, &live))
		return;
	lv = origin_is_lvm(dev.uuid) ? devmap_lv_of_name(name) : NULL;
	rule = apply_policy(&look->d->boot, name, lv);
	if (!table_can_be_fast(&live.table))
		return;
	GROW(look->d->device, look->d->nr_devices);
	m = &look->d->device[look->d->nr_devices++];
	*m = (struct mapped_facts) {
		.name = xstrdup(name),
		.own = table_has_noclone(&live.table),
		.state = live_fastpath(&live),
		.stand_in = stand_in_of(&live),
		.suspended = dev.suspended,
		.deferred = dev.deferred_remove,
		.rule = rule,
	};
	live_troubles(&live, &m->troubles);
	if (m->own)
		look_at_legs(look, m, &live.table, dev.devno);
}

/* Without a look at the devices, nobody knows which rules match none. */
static void forget_matches(struct boot_facts *b)
{
	free(b->matched);
	b->matched = NULL;
}

void doctor_gather_devices(struct doctor_facts *d)
{
	struct look look = { .d = d };
	int r = -EPERM;

	if (d->root) {
		read_lvm(&look.lvm);
		r = devmap_for_each(look_at_device, &look);
	}
	d->lvm_devices_file = lvm_uses_devices_file(&look.lvm);
	d->lvm_filter = lvm_has_filter(&look.lvm);
	lvm_view_free(&look.lvm);
	if (!r || r == -ENODEV)
		return;
	d->devices_error = xstrdup(d->root ? strerror(-r) : "root is needed");
	forget_matches(&d->boot);
}
