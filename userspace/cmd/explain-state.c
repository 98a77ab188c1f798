// SPDX-License-Identifier: GPL-2.0-only
/* noclone explain: the state of a running device. */
#include "cmd/explain-state.h"

#include <json-c/json.h>
#include <stdio.h>

#include "base/util.h"
#include "model/name.h"
#include "model/status.h"
#include "system/devmap.h"
#include "system/live.h"
#include "cli/output.h"

/* The fast path belongs to the device: all of its targets report the same. */
static void explain_print_fastpath(const struct live *r)
{
	unsigned int i;

	for (i = 0; i < r->raw.nr; i++) {
		_cleanup_free_ char *words = NULL;

		if (!r->status[i].has_fastpath)
			continue;
		words = status_state_words(&r->status[i]);
		printf(", %s", words);
		return;
	}
}

static void explain_print_running(const struct live *r, const struct devmap_device *dev,
				  const struct troubles *troubles)
{
	_cleanup_free_ char *resume = name_command("resume", dev->name);
	unsigned int i;

	printf("\nState: %s", dev->suspended ? "suspended" : "active");
	explain_print_fastpath(r);
	putchar('\n');
	if (dev->suspended)
		printf("  I/O waits; to resume the device: %s\n", resume);
	for (i = 0; i < r->raw.nr; i++) {
		const struct status *s = &r->status[i];
		_cleanup_free_ char *words = s->engine ? status_file_words(s) :
							 NULL;

		if (words)
			printf("  %s\n", words);
	}
	for (i = 0; i < troubles->nr; i++)
		printf("  %s\n", troubles->trouble[i].text);
}

void explain_state(const char *name, struct troubles *troubles,
		   struct json_object *out, bool json)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live r = { 0 };
	_cleanup_free_ char *fast = NULL;

	if (devmap_info(name, &dev) || live_get(name, &r))
		return;
	live_troubles(&r, troubles);
	if (!json) {
		explain_print_running(&r, &dev, troubles);
		return;
	}
	fast = live_fastpath(&r);
	output_add_string(out, "fastpath", fast);
	output_add_bool(out, "suspended", dev.suspended);
	json_object_object_add(out, "troubles", output_troubles(troubles));
}
