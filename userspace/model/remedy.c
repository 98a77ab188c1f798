// SPDX-License-Identifier: GPL-2.0-only
/* What to do when the fast path is off. */
#include "model/remedy.h"

#include <string.h>

#include "base/util.h"
#include "model/name.h"
#include "model/status.h"

/* NAME becomes the name of the device, DMSETUP the dmsetup that takes it. */
static const struct {
	const char *reason, *remedy;
} remedies[] = {
	{ "parameter", "noclone enable --now NAME; or set the parameter fastpath to Y" },
	{ "option", "noclone reload it without --no-fastpath" },
	{ "message", "noclone enable --now NAME" },
	{ "mixed", "nothing, unless all its targets become linear or striped" },
	{ "zoned", "nothing: zones need dm core" },
	{ "foreign", "unload the other module first" },
	{ "nostats", "nothing on this kernel: dmsetup stats would miss I/O" },
	{ "suspended", "DMSETUP resume NAME" },
	/* such a device is not the root, but what runs these may have been swapped out to it */
	{ "unpinned", "noclone status NAME says why; unless it is swap, DMSETUP suspend NAME && DMSETUP resume NAME tries again" },
	{ "kernel", "noclone doctor says more; a newer dm-noclone may know this kernel" },
	/* those of one device keep all others from the fast path, too */
	{ "stats", "dmsetup stats list --allprograms says on which devices, dmsetup stats delete --allprograms --allregions DEVICE ends it" },
	/* the module suspends and resumes in one go, so that it may be the root */
	{ "unasked", "noclone enable --now NAME" },
	{ "detached", "noclone enable --now NAME" },
	{ "memory", "it is tried again a few times; noclone enable --now NAME begins anew" },
	{ "stuck", "noclone enable --now NAME, when its legs complete I/O again" },
	{ "layout", "nothing on this kernel; please report it with dmsetup table" },
};

static char *remedy_replace(const char *text, const char *word, const char *by)
{
	struct strbuf b = { 0 };
	const char *at;

	for (; (at = strstr(text, word)); text = at + strlen(word)) {
		strbuf_append(&b, text, at - text);
		strbuf_add(&b, "%s", by);
	}
	strbuf_add(&b, "%s", text);
	return strbuf_take(&b);
}

/* The name comes last: it may have DMSETUP in it. */
static char *remedy_with_name(const char *remedy, const char *name)
{
	_cleanup_free_ char *dmsetup = remedy_replace(remedy, "DMSETUP", name_dmsetup(name));
	_cleanup_free_ char *quoted = shell_quote(name);

	return remedy_replace(dmsetup, "NAME", quoted);
}

char *remedy_of_reason(const char *reason, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(remedies); i++)
		if (!strcmp(reason, remedies[i].reason))
			return remedy_with_name(remedies[i].remedy, name);
	return NULL;
}

char *remedy_words(const char *state, const char *name)
{
	const char *colon = strchr(state, ':'), *reason = colon ? colon + 1 : state;
	const char *meaning = status_reason_meaning(reason);
	_cleanup_free_ char *remedy = remedy_of_reason(reason, name);

	return xasprintf("%s%s%s", meaning ? meaning : reason,
			 remedy ? ": " : "", remedy ? remedy : "");
}
