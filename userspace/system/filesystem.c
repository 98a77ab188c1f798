// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file system on a device, and resizing it with its own programs, in the way of
 * lvm2's fsadm: ext2 to ext4 with resize2fs, offline after a forced check; xfs with
 * xfs_growfs, which needs it mounted.  All that can be known to fail is found before
 * anything is changed.
 */
#include "system/filesystem.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"

#define SBIN_PATH	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static char *value_of(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) ? NULL : xstrdup(value);
}

/* Up to its last block, with metadata; older versions of libblkid do not say it. */
static uint64_t size_of(blkid_probe probe)
{
	_cleanup_free_ char *blocks = value_of(probe, "FSLASTBLOCK");
	_cleanup_free_ char *block = value_of(probe, "FSBLOCKSIZE");
	uint64_t number, bytes, size;

	if (!blocks || !block || !parse_u64(blocks, &number) ||
	    !parse_u64(block, &bytes) || __builtin_mul_overflow(number, bytes, &size))
		return 0;
	return (size + SECTOR_SIZE - 1) >> SECTOR_SHIFT;
}

static int run_probe(blkid_probe probe, int fd, struct filesystem *fs)
{
	int flags = BLKID_SUBLKS_TYPE;

#ifdef BLKID_SUBLKS_FSINFO
	flags |= BLKID_SUBLKS_FSINFO;
#endif
	if (blkid_probe_set_device(probe, fd, 0, 0))
		return -EIO;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, flags);
	blkid_probe_enable_partitions(probe, 1);
	switch (blkid_do_safeprobe(probe)) {
	case 0:
		fs->type = value_of(probe, "TYPE");
		fs->sectors = fs->type ? size_of(probe) : 0;
		if (!fs->type)
			fs->type = value_of(probe, "PTTYPE");
		return 0;
	case 1:
		return 0;
	case -2:
		fs->type = xstrdup("several conflicting signatures");
		return 0;
	default:
		return -EIO;
	}
}

static char *mount_point(dev_t devno)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = table ? mnt_table_find_devno(table, devno, MNT_ITER_FORWARD) :
				       NULL;
	char *where = fs ? xstrdup(mnt_fs_get_target(fs)) : NULL;

	mnt_unref_table(table);
	return where;
}

int filesystem_probe(const char *device, dev_t devno, struct filesystem *fs)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	blkid_probe probe;
	int r;

	memset(fs, 0, sizeof(*fs));
	fs->device = xstrdup(device);
	if (fd < 0)
		return -errno;
	probe = blkid_new_probe();
	r = probe ? run_probe(probe, fd, fs) : -ENOMEM;
	blkid_free_probe(probe);
	fs->mounted = mount_point(devno);
	return r;
}

static bool is_ext(const struct filesystem *fs)
{
	return fs->type && str_starts(fs->type, "ext");
}

static bool is_xfs(const struct filesystem *fs)
{
	return fs->type && !strcmp(fs->type, "xfs");
}

/* Also where $PATH has no sbin: a new string, or NULL. */
static char *find_program(const char *program)
{
	_cleanup_free_ char *path = xstrdup(SBIN_PATH);
	char *save = NULL, *dir;

	for (dir = strtok_r(path, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *file = xasprintf("%s/%s", dir, program);

		if (!access(file, X_OK))
			return file;
		free(file);
	}
	return NULL;
}

static bool is_installed(const char *program)
{
	_cleanup_free_ char *path = find_program(program);

	return path;
}

static void set_words(struct filesystem_step *step, int max_status,
		      const char *const *words)
{
	unsigned int i;

	step->max_status = max_status;
	for (i = 0; words[i]; i++)
		step->argv[i] = xstrdup(words[i]);
}

#define STEP(step, max_status, ...) \
	set_words(step, max_status, (const char *const []) { __VA_ARGS__, NULL })

/* Larger: after the device; smaller: before it. */
static void plan_ext(const struct filesystem *fs, bool smaller, uint64_t sectors,
		     struct filesystem_plan *plan)
{
	_cleanup_free_ char *size = xasprintf("%llus", (unsigned long long)sectors);

	/* 1: errors have been corrected */
	if (!fs->mounted)
		STEP(&plan->before[plan->nr_before++], 1, "e2fsck", "-f", "-p", fs->device);
	if (smaller)
		STEP(&plan->before[plan->nr_before++], 0, "resize2fs", fs->device, size);
	else
		STEP(&plan->after[plan->nr_after++], 0, "resize2fs", fs->device);
}

/* The first program of a plan that is missing, or NULL. */
static const char *missing_program(const struct filesystem_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr_before; i++)
		if (!is_installed(plan->before[i].argv[0]))
			return plan->before[i].argv[0];
	for (i = 0; i < plan->nr_after; i++)
		if (!is_installed(plan->after[i].argv[0]))
			return plan->after[i].argv[0];
	return NULL;
}

static char *plan_objection(const struct filesystem *fs, bool smaller)
{
	if (!fs->type)
		return xasprintf("%s holds no file system that is known: leave --resizefs out",
				 fs->device);
	if (!is_ext(fs) && !is_xfs(fs))
		return xasprintf("%s holds %s, and --resizefs knows ext2, ext3, ext4 and xfs: leave it out, and use that one's own program",
				 fs->device, fs->type);
	if (is_xfs(fs) && smaller)
		return xasprintf("%s holds xfs, which cannot be made smaller", fs->device);
	if (is_xfs(fs) && !fs->mounted)
		return xasprintf("%s holds xfs, which grows while it is mounted: mount it first",
				 fs->device);
	if (is_ext(fs) && fs->mounted && smaller)
		return xasprintf("%s is made smaller while it is not mounted: umount %s first",
				 fs->type, fs->mounted);
	return NULL;
}

char *filesystem_plan(const struct filesystem *fs, uint64_t old, uint64_t sectors,
		      struct filesystem_plan *plan)
{
	bool smaller = sectors < old;
	char *why = plan_objection(fs, smaller);
	const char *missing;

	memset(plan, 0, sizeof(*plan));
	if (why)
		return why;
	if (is_ext(fs))
		plan_ext(fs, smaller, sectors, plan);
	else
		STEP(&plan->after[plan->nr_after++], 0, "xfs_growfs", fs->mounted);
	missing = missing_program(plan);
	return missing ? xasprintf("--resizefs needs %s: install %s, or leave --resizefs out",
				   missing, is_ext(fs) ? "e2fsprogs" : "xfsprogs") : NULL;
}

char *filesystem_advice(const struct filesystem *fs)
{
	static const struct {
		const char *type, *advice;
	} others[] = {
		{ "LVM2_member", "pvresize" },
		{ "crypto_LUKS", "cryptsetup resize, for the device above" },
		{ "swap", "swapoff, mkswap and swapon" },
		{ "dos", "growpart or parted, for its partitions" },
		{ "gpt", "growpart or parted, for its partitions" },
		{ "btrfs", "btrfs filesystem resize max, while it is mounted" },
	};
	unsigned int i;

	if (!fs->type)
		return NULL;
	if (is_ext(fs))
		return xasprintf("ext on it keeps its size: \"resize2fs %s\" makes it larger, and so does --resizefs",
				 fs->device);
	if (is_xfs(fs))
		return xasprintf("xfs on it keeps its size: xfs_growfs makes it larger while it is mounted, and so does --resizefs");
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].type, fs->type))
			return xasprintf("%s on it keeps its size: %s", fs->type,
					 others[i].advice);
	return xasprintf("%s on it keeps its size", fs->type);
}

char *filesystem_step_words(const struct filesystem_step *step)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; step->argv[i]; i++) {
		_cleanup_free_ char *quoted = shell_quote(step->argv[i]);

		strbuf_add(&b, "%s%s", i ? " " : "", quoted);
	}
	return strbuf_take(&b);
}

/* What a program says of a failure is mostly in its first lines. */
static void log_output(const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	unsigned int left = 5;
	char *save = NULL, *line;

	for (line = strtok_r(copy, "\r\n", &save); line && left--;
	     line = strtok_r(NULL, "\r\n", &save))
		log_err("  %s", line);
}

static int run_step(const struct filesystem_step *step)
{
	_cleanup_child_output_ struct child_output output = { 0 };
	_cleanup_free_ char *words = filesystem_step_words(step);
	_cleanup_free_ char *program = find_program(step->argv[0]);
	char *argv[FILESYSTEM_MAX_WORDS + 1];
	int r;

	log_verbose("running %s", words);
	memcpy(argv, step->argv, sizeof(argv));
	if (program)
		argv[0] = program;
	r = child_run_through(argv, &output);
	if (r) {
		log_err("cannot run %s: %s", words, strerror(-r));
		return r;
	}
	if (WIFEXITED(output.status) && WEXITSTATUS(output.status) <= step->max_status)
		return 0;
	log_err("%s failed:", words);
	log_output(*output.err ? output.err : output.out);
	return -EIO;
}

int filesystem_run(const struct filesystem_step *step, unsigned int nr)
{
	unsigned int i;
	int r = 0;

	for (i = 0; i < nr && !r; i++)
		r = run_step(&step[i]);
	return r;
}

static void free_steps(struct filesystem_step *step)
{
	unsigned int i, j;

	for (i = 0; i < FILESYSTEM_MAX_STEPS; i++)
		for (j = 0; j < FILESYSTEM_MAX_WORDS; j++)
			free(step[i].argv[j]);
}

void filesystem_plan_free(struct filesystem_plan *plan)
{
	free_steps(plan->before);
	free_steps(plan->after);
	memset(plan, 0, sizeof(*plan));
}

void filesystem_free(struct filesystem *fs)
{
	free(fs->device);
	free(fs->type);
	free(fs->mounted);
	memset(fs, 0, sizeof(*fs));
}
