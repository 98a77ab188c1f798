// SPDX-License-Identifier: GPL-2.0-only
/* The policy and the units. */
#include "system/doctor-facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "model/boot-unit.h"
#include "system/policy-file.h"
#include "system/program.h"

#define POLICY_MAX	(1U << 20)

/* Not policy_file_open(), which logs what is wrong: here that is a finding. */
static void read_policy(struct boot_facts *b)
{
	_cleanup_close_ int fd = open(POLICY_PATH, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = fd < 0 ? NULL : read_stream(fd, POLICY_MAX);

	if (!text) {
		if (errno != ENOENT)
			b->unreadable = xstrdup(strerror(errno));
		return;
	}
	b->has_policy = true;
	policy_parse(&b->policy, text, &b->problems);
	b->matched = xzalloc((b->policy.nr + 1) * sizeof(*b->matched));
}

/* "LoadState=loaded" in a line of its own: a new string. */
static char *state_of(const char *text, const char *key)
{
	const char *found = strstr(text, key);

	return found ? xstrndup(found + strlen(key), strcspn(found + strlen(key), "\n")) : NULL;
}

static void add_unit(struct boot_facts *b, char *name)
{
	GROW(b->unit, b->nr_units);
	b->unit[b->nr_units++] = (struct unit_facts) { .name = name };
}

/* Of all units in one call, for there may be thousands; a block of lines each. */
static void ask_systemd(struct boot_facts *b)
{
	char **argv = xzalloc((b->nr_units + 5) * sizeof(*argv));
	_cleanup_free_ char *text = NULL;
	const char *at, *end;
	unsigned int i;

	argv[0] = (char *)"systemctl";
	argv[1] = (char *)"show";
	argv[2] = (char *)"--property=LoadState,ActiveState,UnitFileState";
	argv[3] = (char *)"--";
	for (i = 0; i < b->nr_units; i++)
		argv[4 + i] = b->unit[i].name;
	text = program_output(argv);
	free(argv);
	for (i = 0, at = text; at && i < b->nr_units; i++) {
		_cleanup_free_ char *block = NULL;

		end = strstr(at, "\n\n");
		block = end ? xstrndup(at, end - at) : xstrdup(at);
		b->unit[i].load = state_of(block, "LoadState=");
		b->unit[i].active = state_of(block, "ActiveState=");
		b->unit[i].enabled = state_of(block, "UnitFileState=");
		at = end ? end + 2 : NULL;
	}
}

void doctor_gather_boot(struct doctor_facts *d)
{
	read_policy(&d->boot);
}

void doctor_gather_units(struct doctor_facts *d)
{
	unsigned int i;

	add_unit(&d->boot, xstrdup("noclone-enable.service"));
	for (i = 0; i < d->nr_saved; i++)
		add_unit(&d->boot, boot_unit_service(d->saved[i].name));
	ask_systemd(&d->boot);
}
