// SPDX-License-Identifier: GPL-2.0-only
/* Which files of this project others would run. */
#include "system/doctor-facts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

/* The first of the folders that has it decides: a new string, or NULL. */
static char *find(const char *name, const char *folders)
{
	while (*folders) {
		size_t length = strcspn(folders, ":");
		char *path = xasprintf("%.*s/%s", (int)length, folders, name);
		struct stat st;

		if (!lstat(path, &st))
			return path;
		free(path);
		folders += length + (folders[length] == ':');
	}
	return NULL;
}

/* By a file without content, or a link to /dev/null. */
static bool is_off(const char *path)
{
	struct stat st;

	return stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size;
}

void doctor_gather_hooks(struct doctor_facts *d)
{
	enum hook_id id;

	for (id = 0; id < HOOK_NR; id++) {
		const struct hook *hook = &doctor_hooks[id];
		struct hook_facts *facts = &d->hook[id];

		facts->has_user = !access(hook->user, F_OK);
		facts->path = find(hook->name, hook->folders);
		facts->off = facts->path && is_off(facts->path);
	}
}
