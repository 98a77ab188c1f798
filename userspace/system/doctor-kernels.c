// SPDX-License-Identifier: GPL-2.0-only
/* The installed kernels: their modules and headers. */
#include "system/doctor-facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/read.h"
#include "base/util.h"
#include "system/program.h"

#define MODULES	"/lib/modules/"
#define DKMS_TREE	"/var/lib/dkms/dm-noclone/"
#define KEYS_MAX	(1U << 20)

static bool exists(const char *release, const char *name)
{
	_cleanup_free_ char *path = xasprintf(MODULES "%s/%s", release, name);

	return !access(path, F_OK);
}

/* A folder that dkms or the headers alone have left is none. */
static bool is_kernel(const char *release)
{
	return exists(release, "kernel") || exists(release, "modules.order") ||
	       exists(release, "modules.builtin");
}

/* "key:     value" of modinfo: a new string, or NULL. */
static char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; *text; text += strcspn(text, "\n"), text += strspn(text, "\n")) {
		const char *value = text + length + 1;

		if (strncmp(text, key, length) || text[length] != ':')
			continue;
		value += strspn(value, " ");
		return xstrndup(value, strcspn(value, "\n"));
	}
	return NULL;
}

static void ask_modinfo(struct kernel_facts *k)
{
	char *argv[] = { "modinfo", "-k", k->release, "dm_noclone", NULL };
	_cleanup_free_ char *text = program_output(argv);

	if (!text)
		return;
	k->module = value_of(text, "filename");
	k->version = value_of(text, "version");
	k->srcversion = value_of(text, "srcversion");
	k->signer = value_of(text, "signer");
	k->differs = value_of(text, "kernel");
	k->vermagic = value_of(text, "vermagic");
	if (k->vermagic)
		k->vermagic[strcspn(k->vermagic, " ")] = 0;
}

static bool first_line_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	bool has;

	if (!file)
		return false;
	has = getline(&line, &size, file) >= 0 && strstr(line, text);
	fclose(file);
	return has;
}

/*
 * dkms keeps the log of a build that has failed until the next build, which may be for
 * another kernel.  The first line says for which, in 3.0 as in 3.2.
 */
static char *failed_build(const char *release)
{
	_cleanup_free_ char *wanted = xasprintf(" for kernel %s (", release);
	char *found = NULL;
	glob_t logs;
	size_t i;

	if (glob(DKMS_TREE "*/build/make.log", 0, NULL, &logs))
		return NULL;
	for (i = 0; i < logs.gl_pathc && !found; i++)
		if (first_line_has(logs.gl_pathv[i], wanted))
			found = xstrdup(logs.gl_pathv[i]);
	globfree(&logs);
	return found;
}

static bool same_content(const char *a, const char *b)
{
	FILE *first = fopen(a, "re"), *second = fopen(b, "re");
	bool same = first && second;
	int c;

	while (same) {
		c = getc(first);
		same = c == getc(second);
		if (c == EOF)
			break;
	}
	if (first)
		fclose(first);
	if (second)
		fclose(second);
	return same;
}

/* dkms does not say where it has put a module; it keeps what it has put there. */
static bool is_of_dkms(const struct kernel_facts *k)
{
	_cleanup_free_ char *pattern = xasprintf(DKMS_TREE "*/%s/*/module/dm-noclone.ko*",
						 k->release);
	glob_t built;
	bool found = false;
	size_t i;

	if (glob(pattern, 0, NULL, &built))
		return false;
	for (i = 0; i < built.gl_pathc && !found; i++)
		found = same_content(built.gl_pathv[i], k->module);
	globfree(&built);
	return found;
}

/* A file that depmod has not seen, or that is no module */
static char *find_file(const char *release)
{
	static const char *const folder[] = {
		"updates", "updates/dkms", "extra", "kernel/drivers/md",
	};
	static const char *const end[] = { "", ".xz", ".zst", ".gz" };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(folder); i++)
		for (j = 0; j < ARRAY_SIZE(end); j++) {
			_cleanup_free_ char *name = xasprintf("%s/dm-noclone.ko%s",
							      folder[i], end[j]);

			if (exists(release, name))
				return xasprintf(MODULES "%s/%s", release, name);
		}
	return NULL;
}

/* Only root sees the keys of the kernel. */
static enum answer knows_key(const char *signer)
{
	_cleanup_close_ int fd = open("/proc/keys", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *keys = geteuid() || fd < 0 ? NULL : read_stream(fd, KEYS_MAX);
	const char *line;

	if (!keys)
		return ANSWER_UNKNOWN;
	for (line = keys; *line; line += strcspn(line, "\n"), line += strspn(line, "\n")) {
		_cleanup_free_ char *one = xstrndup(line, strcspn(line, "\n"));

		if (strstr(one, " asymmetri") && strstr(one, signer))
			return ANSWER_YES;
	}
	return ANSWER_NO;
}

static void gather_kernel(struct doctor_facts *d, const char *release, const char *running,
			  const char *dkms)
{
	struct kernel_facts *k;

	GROW(d->kernel, d->nr_kernels);
	k = &d->kernel[d->nr_kernels++];
	*k = (struct kernel_facts) {
		.release = xstrdup(release),
		.running = !strcmp(release, running),
		.headers = exists(release, "build/Makefile"),
		.dkms = dkms ? dkms_state(dkms, release) : NULL,
	};
	ask_modinfo(k);
	if (k->module) {
		k->of_dkms = is_of_dkms(k);
	} else {
		k->unindexed = find_file(release);
		k->failed_build = failed_build(release);
	}
	if (k->running && k->signer)
		k->key_known = knows_key(k->signer);
}

void doctor_gather_kernels(struct doctor_facts *d)
{
	char *argv[] = { "dkms", "status", "-m", "dm-noclone", NULL };
	_cleanup_free_ char *dkms = program_output(argv);
	struct dirent **list = NULL;
	int i, nr = scandir(MODULES, &list, NULL, versionsort);
	struct utsname system;

	uname(&system);
	if (dkms)
		d->dkms_version = dkms_source_version(dkms, d->tool);
	for (i = 0; i < nr; free(list[i++]))
		if (*list[i]->d_name != '.' && (is_kernel(list[i]->d_name) ||
						!strcmp(list[i]->d_name, system.release)))
			gather_kernel(d, list[i]->d_name, system.release, dkms);
	free(list);
	if (!doctor_running(d))
		gather_kernel(d, system.release, system.release, dkms);
}
