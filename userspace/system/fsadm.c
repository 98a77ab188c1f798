// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file system on a mapped device, which fsadm(8) of lvm2 makes larger: ext2 to ext4,
 * xfs, and what is in LUKS.  It is used as lvextend uses it: what is not mounted is checked
 * before the device grows, as resize2fs wants it.
 */
#include "system/fsadm.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"

/* Exit status of "fsadm check": there is nothing to do, the file system is mounted. */
#define FSADM_MOUNTED	3
#define FSADM_LINES	5

/* The reason of a failure mostly is in the first lines. */
static void fsadm_log(const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	unsigned int left = FSADM_LINES;
	char *save = NULL, *line;

	for (line = strtok_r(copy, "\r\n", &save); line && left--;
	     line = strtok_r(NULL, "\r\n", &save))
		log_err("  %s", line);
}

/* Return: 0, FSADM_MOUNTED, or a negative errno after a message. */
static int fsadm_run(bool changes, const char *verb, const char *device, const char *size)
{
	const char *argv[] = {
		"fsadm", changes ? verb : "--dry-run", changes ? device : verb,
		changes ? NULL : device, size, NULL,
	};
	_cleanup_child_output_ struct child_output output = { 0 };
	int r;

	if (changes)
		log_verbose("running fsadm %s %s", verb, device);
	r = child_run((char **)argv, changes, &output);
	if (r == -ENOENT)
		log_err("--resizefs needs fsadm: install lvm2, or leave --resizefs out");
	else if (r)
		log_err("fsadm %s %s: %s", verb, device, strerror(-r));
	if (r || !output.status)
		return r;
	if (WIFEXITED(output.status) && WEXITSTATUS(output.status) == FSADM_MOUNTED)
		return FSADM_MOUNTED;
	log_err("fsadm %s %s failed:", verb, device);
	fsadm_log(*output.err ? output.err : output.out);
	return -EIO;
}

/* A check does not look at what is mounted, and fsadm cannot rehearse on what is not. */
int fsadm_plan(const char *device, uint64_t sectors, bool *mounted)
{
	_cleanup_free_ char *size = xasprintf("%llub",
					      (unsigned long long)sectors << SECTOR_SHIFT);
	int r;

	stop_hold();
	r = fsadm_run(false, "check", device, NULL);
	*mounted = r == FSADM_MOUNTED;
	if (*mounted)
		r = fsadm_run(false, "resize", device, size);
	stop_release();
	return r;
}

int fsadm_check(const char *device)
{
	int r = fsadm_run(true, "check", device, NULL);

	/* mounted since the plan: it grows nevertheless */
	return r == FSADM_MOUNTED ? 0 : r;
}

int fsadm_resize(const char *device)
{
	return fsadm_run(true, "resize", device, NULL);
}

char *fsadm_check_words(const char *device)
{
	_cleanup_free_ char *quoted = shell_quote(device);

	return xasprintf("fsadm check %s || [ $? -eq %d ]", quoted, FSADM_MOUNTED);
}

char *fsadm_resize_words(const char *device)
{
	_cleanup_free_ char *quoted = shell_quote(device);

	return xasprintf("fsadm resize %s", quoted);
}

char *fsadm_advice(const char *type, const char *device)
{
	/* after a blank comes the device */
	static const char *const known[][2] = {
		{ "ext", "fsadm resize " },
		{ "xfs", "fsadm resize " },
		{ "crypto_LUKS", "fsadm resize " },
		{ "LVM2_member", "pvresize " },
		{ "btrfs", "btrfs filesystem resize max MOUNTPOINT" },
		{ "f2fs", "resize.f2fs " },
		{ "swap", "swapoff, mkswap and swapon" },
		{ "dos", "growpart or parted, for its partitions" },
		{ "gpt", "growpart or parted, for its partitions" },
	};
	_cleanup_free_ char *quoted = shell_quote(device);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const char *command = known[i][1];

		if (str_starts(type, known[i][0]))
			return xasprintf("%s%s", command,
					 command[strlen(command) - 1] == ' ' ? quoted : "");
	}
	return NULL;
}
