// SPDX-License-Identifier: GPL-2.0-only
/* What to do when the fast path is off. */
#include "model/remedy.h"

#include <string.h>

#include "base/util.h"
#include "model/status.h"

static const struct {
	const char *reason, *remedy;
} remedies[] = {
	{ "parameter", "noclone enable --now; or set the parameter fastpath to Y" },
	{ "option", "noclone reload it without --no-fastpath" },
	{ "message", "noclone enable --now" },
	{ "mixed", "nothing, unless all its targets become linear or striped" },
	{ "zoned", "nothing: zones need dm core" },
	{ "foreign", "unload the other module first" },
	{ "nostats", "nothing on this kernel: dmsetup stats would miss I/O" },
	{ "suspended", "resume it" },
	{ "unpinned", "suspend and resume it, see noclone status" },
	{ "stats", "dmsetup stats delete --allprograms --allregions --alldevices" },
	{ "detached", "noclone enable --now, or suspend and resume it" },
	{ "memory", "it is tried again; or suspend and resume it" },
	{ "layout", "nothing on this kernel; please report it with dmsetup table" },
	{ "multipath", "ask for it by name: noclone enable --now NAME" },
};

const char *remedy_of_reason(const char *reason)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(remedies); i++)
		if (!strcmp(reason, remedies[i].reason))
			return remedies[i].remedy;
	return NULL;
}

char *remedy_words(const char *state)
{
	const char *colon = strchr(state, ':'), *reason = colon ? colon + 1 : state;
	const char *meaning = status_reason_meaning(reason);
	const char *remedy = remedy_of_reason(reason);

	return xasprintf("%s%s%s", meaning ? meaning : reason,
			 remedy ? ": " : "", remedy ? remedy : "");
}
