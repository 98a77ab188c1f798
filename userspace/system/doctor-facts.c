// SPDX-License-Identifier: GPL-2.0-only
/* The module as it is loaded, what modprobe is told about it, and which modules are taken. */
#include "system/doctor-facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read.h"
#include "base/util.h"
#include "system/module.h"

#define MODULE		"/sys/module/dm_noclone/"
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define FILE_MAX	(1U << 20)

static char *read_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : read_stream(fd, FILE_MAX);
}

static int is_conf(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".conf");
}

/* In an earlier folder, a file of the same name hides that of a later one. */
static bool is_hidden(const char *const *folder, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder[i], name);

		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static void read_modprobe_conf(struct modprobe_conf *c)
{
	static const char *const folder[] = {
		"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d",
		"/usr/lib/modprobe.d",
	};
	unsigned int i;
	int at, nr;

	for (i = 0; i < ARRAY_SIZE(folder); i++) {
		struct dirent **list = NULL;

		nr = scandir(folder[i], &list, is_conf, alphasort);
		for (at = 0; at < nr; free(list[at++])) {
			_cleanup_free_ char *path = xasprintf("%s/%s", folder[i],
							      list[at]->d_name);
			_cleanup_free_ char *text = read_file(path);

			if (text && !is_hidden(folder, i, list[at]->d_name))
				modprobe_conf_parse(c, path, text);
		}
		free(list);
	}
}

static enum answer secure_boot(void)
{
	_cleanup_close_ int fd = open(SECURE_BOOT, O_RDONLY | O_CLOEXEC);
	char value[5];

	if (fd < 0)
		return access("/sys/firmware/efi", F_OK) ? ANSWER_NO : ANSWER_UNKNOWN;
	/* four bytes of attributes, then the variable */
	if (read(fd, value, sizeof(value)) != sizeof(value))
		return ANSWER_UNKNOWN;
	return value[4] ? ANSWER_YES : ANSWER_NO;
}

/* "none [integrity] confidentiality" */
static char *lockdown(void)
{
	_cleanup_free_ char *line = read_line_of("/sys/kernel/security/lockdown");
	char *open_bracket = line ? strchr(line, '[') : NULL;

	return open_bracket ? xstrndup(open_bracket + 1, strcspn(open_bracket + 1, "]")) : NULL;
}

static enum answer yes_or_no(const char *path)
{
	_cleanup_free_ char *line = read_line_of(path);

	return !line ? ANSWER_UNKNOWN : *line == 'Y' ? ANSWER_YES : ANSWER_NO;
}

void doctor_gather_module(struct doctor_facts *d)
{
	_cleanup_free_ char *cmdline = read_line_of("/proc/cmdline");

	module_params(&d->module.params);
	if (d->module.params.loaded) {
		d->module.version = read_line_of(MODULE "version");
		d->module.srcversion = read_line_of(MODULE "srcversion");
		d->module.fastpath_off =
			yes_or_no(MODULE "parameters/fastpath") == ANSWER_NO;
		d->module.any_kernel =
			yes_or_no(MODULE "parameters/any_kernel") == ANSWER_YES;
	}
	read_modprobe_conf(&d->conf);
	if (cmdline)
		modprobe_conf_parse_cmdline(&d->conf, cmdline);
	d->trust.secure_boot = secure_boot();
	d->trust.lockdown = lockdown();
	d->trust.sig_enforce = yes_or_no("/sys/module/module/parameters/sig_enforce");
}

void doctor_gather(struct doctor_facts *d)
{
	d->root = !geteuid();
	d->driver = !access("/sys/module/dm_mod", F_OK);
	doctor_gather_module(d);
	doctor_gather_boot(d);
	doctor_gather_devices(d);
	doctor_gather_saved(d);
	doctor_gather_units(d);
	doctor_gather_hooks(d);
	doctor_gather_kernels(d);
}
