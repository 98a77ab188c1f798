// SPDX-License-Identifier: GPL-2.0-only
/* Mapped devices above and below one another: "holders" and "slaves" in sysfs. */
#include "system/layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "model/name.h"
#include "system/blockdev.h"

#define ORIGIN	"-real"

struct layer {
	dev_t devno;
	char *uuid;
	char *name;
	char *lv;
};

static struct layer layers_get(dev_t devno)
{
	struct layer l = {
		.devno = devno,
		.uuid = blockdev_attribute(devno, "dm/uuid"),
		.name = blockdev_mapped_name(devno),
	};

	if (l.name && l.uuid && origin_is_lvm(l.uuid))
		l.lv = devmap_lv_of_name(l.name);
	return l;
}

static void layers_free_one(struct layer *l)
{
	free(l->uuid);
	free(l->name);
	free(l->lv);
}

#define _cleanup_layer_ __attribute__((cleanup(layers_free_one)))

/* Return: whether to go on from @to. */
typedef bool (*layer_visitor)(const struct layer *from, const struct layer *to, void *data);

static void layers_walk(const struct layer *from, const char *side, layer_visitor visit,
			void *data)
{
	_cleanup_free_ char *path = blockdev_sysfs(from->devno, side);
	_cleanup_dir_ DIR *dir = opendir(path);
	const char *entry;

	while ((entry = read_name(dir))) {
		_cleanup_layer_ struct layer to = layers_get(blockdev_kernel_number(entry));

		if (to.name && to.uuid && visit(from, &to, data))
			layers_walk(&to, side, visit, data);
	}
}

struct layers_below {
	bool all;
	devmap_visitor visit;
	void *data;
};

static bool layers_visit_below(const struct layer *from, const struct layer *to, void *data)
{
	const struct layers_below *b = data;

	if (!b->all && !origin_same_group(from->uuid, to->uuid))
		return false;
	b->visit(to->name, b->data);
	return true;
}

void layers_below(dev_t devno, bool all, devmap_visitor visit, void *data)
{
	_cleanup_layer_ struct layer from = layers_get(devno);
	struct layers_below b = { all, visit, data };

	if (from.uuid)
		layers_walk(&from, "slaves", layers_visit_below, &b);
}

static bool layers_is_origin(const struct layer *l)
{
	size_t length = strlen(l->name), suffix = strlen(ORIGIN);

	return length > suffix && !strcmp(l->name + length - suffix, ORIGIN);
}

/* Only the volume itself is above the layer that is its origin. */
static bool layers_is_part(const struct layer *lower, const struct layer *upper)
{
	return origin_same_group(lower->uuid, upper->uuid) && lower->lv && upper->lv &&
	       (!layers_is_origin(lower) || !strcmp(lower->lv, upper->lv));
}

struct layers_rule {
	const struct policy *policy;
	struct policy_names names;
	const struct policy_line *found;
};

static bool layers_visit_above(const struct layer *from, const struct layer *to, void *data)
{
	struct layers_rule *r = data;

	if (!layers_is_part(from, to))
		return false;
	r->found = policy_find_part(r->policy, &r->names,
				    &(struct policy_names) { to->name, to->lv }, r->found);
	return true;
}

const struct policy_line *layers_rule(dev_t devno, const struct policy *p)
{
	_cleanup_layer_ struct layer own = layers_get(devno);
	struct layers_rule r = { p, { own.name, own.lv }, NULL };

	if (!own.name || !own.uuid)
		return NULL;
	r.found = policy_find(p, &r.names);
	layers_walk(&own, "holders", layers_visit_above, &r);
	return r.found;
}
