// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meanings of the reasons for "off", and a remedy for each reason. The classes of the reasons
 * are in dm-noclone.h, which the module also includes.
 */
#include "model/reason.h"

#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/name.h"

/*
 * The meaning and the remedy of each enumerator of NOCLONE_OFF_REASONS. In a remedy "@" becomes the
 * name of the device, and "#" becomes the dmsetup command that accepts this name.
 */
#define TEXT_PARAMETER	"switched off by a module parameter", \
	"noclone enable --runtime @; or set the parameter \"fastpath\" to Y"
#define TEXT_OPTION	"a target of the table has the option no_fastpath", \
	"use noclone reload without --no-fastpath"
#define TEXT_MESSAGE	"switched off by message", \
	"noclone enable --runtime @"
#define TEXT_MIXED	"the table has targets of other modules", \
	"no remedy with this table: all targets have to be linear or striped, or targets of dm-noclone"
#define TEXT_ZONED	"the device or a leg is zoned", \
	"no remedy, because zones need dm core"
#define TEXT_FOREIGN	"another module has replaced the device's operations", \
	"unload the other module first"
#define TEXT_NOSTATS	"dmsetup stats cannot be detected on this kernel", \
	"no remedy on this kernel: with the fast path on, dmsetup stats would miss I/O"
#define TEXT_SUSPENDED	"the device is suspended", \
	"# resume @"
/*
 * A device on a backing file never has the root file system, but the device may be swap. The
 * programs of this remedy may then be swapped out to the device, and cannot run while the device is
 * suspended.
 */
#define TEXT_UNPINNED	"a backing file of the table is not pinned", \
	"\"noclone status @\" says why; unless the device is swap, \"# suspend @ && # resume @\" tries again"
/* dmsetup stats for one device turns off the fast path of all devices */
#define TEXT_BYSTATS	"dmsetup stats is in use", \
	"\"dmsetup stats list --allprograms\" shows the devices with statistics, and \"dmsetup stats delete --allprograms --allregions DEVICE\" ends the statistics of a device"
#define TEXT_KERNEL	"this kernel was not reviewed for the module", \
	"\"noclone doctor\" says more; the fast path may work on this kernel after a successful test by noclone-test-kernel, or with a newer dm-noclone"
/*
 * With "noclone enable", the module suspends and resumes the device in one system call, so the
 * device may have the root file system
 */
#define TEXT_UNASKED	"a stock device: no message has asked for the fast path", \
	"noclone enable --runtime @"
#define TEXT_DETACHED	"a stock device: the device has not been resumed since a message asked for the fast path", \
	"noclone enable --runtime @"
#define TEXT_MEMORY	"a stock device: memory was short when it was resumed", \
	"the module tries again a few times; \"noclone enable --runtime @\" starts these tries anew"
#define TEXT_LAYOUT	"a stock device: a target does not map as expected", \
	"no remedy on this kernel; please report this fault with the output of dmsetup table"
#define TEXT_STUCK	"a stock device: its I/O did not complete when a message asked for the fast path", \
	"when the legs of the device complete I/O again, run \"noclone enable --runtime @\""

static const struct reason reasons[] = {
#define X(name, word, class, enable, doctor) \
	{ word, REASON_##enable, REASON_##doctor, TEXT_##name },
	NOCLONE_OFF_REASONS(X)
#undef X
};

static const struct reason *reason_find(const char *word)
{
	static const struct reason unknown = { .enable = REASON_WAITS, .doctor = REASON_WARNS };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(reasons[i].word, word))
			return &reasons[i];
	return &unknown;
}

const struct reason *reason_of_state(const char *state)
{
	return state && str_starts(state, "off:") ? reason_find(state + strlen("off:")) : NULL;
}

const char *reason_meaning(const char *word)
{
	return reason_find(word)->meaning;
}

static char *reason_remedy_with_name(const char *remedy, const char *name)
{
	_cleanup_free_ char *quoted = shell_quote(name);
	struct strbuf b = { 0 };

	for (; *remedy; remedy++) {
		if (*remedy == '@')
			strbuf_add(&b, "%s", quoted);
		else if (*remedy == '#')
			strbuf_add(&b, "%s", name_dmsetup(name));
		else
			strbuf_putc(&b, *remedy, 1);
	}
	return strbuf_take(&b);
}

char *reason_remedy(const char *word, const char *name)
{
	const char *remedy = reason_find(word)->remedy;

	return remedy ? reason_remedy_with_name(remedy, name) : NULL;
}

char *reason_words(const char *state, const char *name)
{
	const char *colon = strchr(state, ':'), *word = colon ? colon + 1 : state;
	const char *meaning = reason_meaning(word);
	_cleanup_free_ char *remedy = reason_remedy(word, name);

	return xasprintf("%s%s%s", meaning ? meaning : word,
			 remedy ? ": " : "", remedy ? remedy : "");
}
