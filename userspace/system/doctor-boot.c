// SPDX-License-Identifier: GPL-2.0-only
/* The policy and the units. */
#include "system/doctor-facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
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

static void ask_systemd(struct boot_facts *b, const char *name)
{
	char *argv[] = {
		"systemctl", "show", "--property=LoadState,ActiveState,UnitFileState",
		(char *)name, NULL
	};
	_cleanup_free_ char *text = program_output(argv);
	struct unit_facts *u;

	GROW(b->unit, b->nr_units);
	u = &b->unit[b->nr_units++];
	*u = (struct unit_facts) { .name = xstrdup(name) };
	if (!text)
		return;
	u->load = state_of(text, "LoadState=");
	u->active = state_of(text, "ActiveState=");
	u->enabled = state_of(text, "UnitFileState=");
}

void doctor_gather_boot(struct doctor_facts *d)
{
	read_policy(&d->boot);
	ask_systemd(&d->boot, "noclone-enable.service");
}
