// SPDX-License-Identifier: GPL-2.0-only
/* noclone remove, rename, suspend, resume, message */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/read.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"
#include "model/uses.h"
#include "system/devmap.h"
#include "system/live.h"
#include "system/open-uses.h"
#include "system/saved-file.h"
#include "cli/dry-run.h"
#include "cli/options.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/save.h"

/* Change a device, or with --dry-run print the dmsetup command line. */
typedef int (*device_action)(const struct options *o,
			     const struct devmap_device *dev);

static int for_each_device(const struct options *o, int argc, char **argv,
			   device_action action)
{
	int i, failed = 0;

	for (i = 0; i < argc; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		if (select_device(argv[i], &dev) || select_check_owner(o, &dev) ||
		    action(o, &dev))
			failed++;
	}
	return failed ? EXIT_FAILED : EXIT_OK;
}

/* In a dry run, print the dmsetup command line; true: nothing else to do. */
static bool only_print(const struct options *o, const char *command,
		       const struct devmap_device *dev, const char *words)
{
	_cleanup_free_ char *quoted = shell_quote(dev->name);
	_cleanup_free_ char *line = xasprintf("%s %s %s%s", name_dmsetup(dev->name),
					      command, quoted, words);

	if (opt(o, OPT_DRY_RUN))
		dry_run(o, command, dev->name, NULL, NULL, NULL, line);
	return opt(o, OPT_DRY_RUN);
}

/* The kernel knows that it is open, but not for whom. */
static void report_users(const struct devmap_device *dev)
{
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	open_uses_collect(&uses, dev->devno);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *who = use_describe(&uses.use[i]);
		_cleanup_free_ char *remedy = use_remedy(&uses.use[i]);

		log_err("%s is %s: %s%s", dev->name, who, remedy,
			uses.use[i].kind == USE_PROCESS ? ", or wait for it with --retry" : "");
	}
	if (!uses.nr)
		log_err("%s: nobody has it open any more, or it is out of sight: try --retry; --deferred removes it when it is closed",
			dev->name);
}

/* A device may have the name that another one had when that was saved. */
static int check_forget(const struct devmap_device *dev)
{
	_cleanup_free_ char *path = saved_path(dev->name);

	if (!save_is_of_other(dev))
		return 0;
	log_err("%s is about another device than the one that is called %s now: noclone remove %s removes this one and keeps the file",
		path, dev->name, dev->name);
	return -EEXIST;
}

/* What remains of a saved device that is removed. */
static int forget(const struct options *o, const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	if (opt(o, OPT_FORGET))
		return saved_file_remove(name);
	log_note("%s stays saved in %s and comes back at boot: noclone remove --forget %s ends that",
		 name, path, name);
	return 0;
}

static int remove_one(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = saved_path(dev->name), *quoted = shell_quote(path);
	bool file = opt(o, OPT_FORGET) && saved_file_exists(dev->name);
	bool saved = saved_file_exists(dev->name) && !save_is_of_other(dev);
	_cleanup_free_ char *words = xasprintf("%s%s%s%s%s",
		opt(o, OPT_RETRY) ? " --retry" : "",
		opt(o, OPT_DEFERRED) ? " --deferred" : "",
		opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : "",
		file ? " && rm " : "", file ? quoted : "");
	_cleanup_close_ int lock = -1;
	int r = file ? check_forget(dev) : 0;

	if (r || only_print(o, "remove", dev, words))
		return r;
	lock = file ? saved_file_lock(dev->name) : -1;
	if (file && lock < 0)
		return lock;
	r = devmap_remove(dev->name, opt(o, OPT_RETRY), opt(o, OPT_DEFERRED));
	if (r == -EBUSY)
		report_users(dev);
	/* with udev late, the device is gone */
	if ((r && r != -ETIMEDOUT) || !saved)
		return r;
	return forget(o, dev->name) ? : r;
}

static bool is_absent(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return saved_file_exists(name) && devmap_is_absent(devmap_info(name, &dev));
}

/* A saved device that is not active: only its file is there to be removed. */
static int forget_absent(const struct options *o, const char *name)
{
	_cleanup_free_ char *path = saved_path(name), *quoted = shell_quote(path);
	_cleanup_free_ char *line = xasprintf("rm %s", quoted);
	_cleanup_close_ int lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(name);

	if (!opt(o, OPT_DRY_RUN))
		return lock < 0 || saved_file_remove(name) ? EXIT_FAILED : EXIT_OK;
	dry_run(o, "remove", name, NULL, NULL, NULL, line);
	return EXIT_OK;
}

static int suspend_one(const struct options *o, const struct devmap_device *dev)
{
	const struct devmap_suspend_how how = {
		.noflush = opt(o, OPT_NOFLUSH),
		.nolockfs = opt(o, OPT_NOLOCKFS),
	};
	_cleanup_free_ char *words = xasprintf("%s%s",
		how.noflush ? " --noflush" : "",
		how.nolockfs ? " --nolockfs" : "");

	if (only_print(o, "suspend", dev, words))
		return 0;
	return devmap_suspend(dev->name, &how);
}

static int resume_one(const struct options *o, const struct devmap_device *dev)
{
	int r;

	if (only_print(o, "resume", dev,
		       opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : ""))
		return 0;
	r = devmap_resume(dev->name);
	if (!r)
		live_warn_stand_in(dev->name);
	return r;
}

int cmd_remove(const struct options *o, int argc, char **argv)
{
	int i, r = EXIT_OK;

	for (i = 0; i < argc; i++) {
		_cleanup_free_ char *name = select_new_name(argv[i]);

		if (opt(o, OPT_FORGET) && is_absent(name))
			r |= forget_absent(o, name);
		else
			r |= for_each_device(o, 1, argv + i, remove_one);
	}
	return r;
}

int cmd_suspend(const struct options *o, int argc, char **argv)
{
	return for_each_device(o, argc, argv, suspend_one);
}

int cmd_resume(const struct options *o, int argc, char **argv)
{
	return for_each_device(o, argc, argv, resume_one);
}

/* At the next boot its file would be about another device. */
static bool check_saved_name(const struct options *o, const struct devmap_device *dev,
			     const char *new_name)
{
	_cleanup_free_ char *path = saved_path(new_name);

	/* its own name is taken, as the kernel says */
	if (opt(o, OPT_FORCE) || !strcmp(new_name, dev->name) ||
	    !saved_file_exists(new_name) || save_is_twin(new_name, dev))
		return true;
	log_err("%s is about another device, which is called %s: noclone remove --forget %s gives that up, --force renames %s nevertheless",
		path, new_name, new_name, dev->name);
	return false;
}

int cmd_rename(const struct options *o, int argc __unused, char **argv)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *new_name = select_new_name(argv[1]);
	const char *wrong = name_problem(new_name);
	_cleanup_free_ char *words = NULL, *quoted = shell_quote(new_name);

	if (wrong) {
		log_err("\"%s\" %s", new_name, wrong);
		return EXIT_USAGE;
	}
	if (select_device(argv[0], &dev) || select_check_owner(o, &dev) ||
	    !check_saved_name(o, &dev, new_name))
		return EXIT_FAILED;
	words = xasprintf(" %s", quoted);
	if (only_print(o, "rename", &dev, words))
		return EXIT_OK;
	if (devmap_rename(dev.name, new_name))
		return EXIT_FAILED;
	if (saved_file_exists(dev.name) && !save_is_of_other(&dev))
		log_note("%s stays saved under its old name: noclone remove --forget %s, and noclone save %s",
			 dev.name, dev.name, new_name);
	return EXIT_OK;
}

static char *join_words(int argc, char **argv)
{
	struct strbuf b = { 0 };
	int i;

	for (i = 0; i < argc; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", argv[i]);
	return strbuf_take(&b);
}

/* Targets of other modules have messages that nobody knows here. */
static void message_hint(const char *name, const char *message)
{
	static const char *const known[] = {
		NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_ON,
		NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_OFF,
	};
	struct nearest n = { .word = message };
	_cleanup_table_ struct table live = { 0 };
	unsigned int i;

	if (live_table(name, &live) || !table_has_noclone(&live))
		return;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		nearest_try(&n, known[i]);
	log_err("targets of this module know \"%s\" and \"%s\"%s%s%s", known[0], known[1],
		n.best ? "; did you mean \"" : "", n.best ? n.best : "",
		n.best ? "\"?" : "");
}

int cmd_message(const struct options *o, int argc, char **argv)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *message = NULL, *words = NULL, *response = NULL;
	uint64_t sector = 0;
	bool has_sector = parse_u64(argv[1], &sector);
	int r;

	if (has_sector && argc < 3) {
		log_err("a message needs words, for example: message NAME fastpath off");
		return EXIT_USAGE;
	}
	if (select_device(argv[0], &dev) || select_check_owner(o, &dev))
		return EXIT_FAILED;
	message = join_words(argc - 1 - has_sector, argv + 1 + has_sector);
	words = xasprintf(" %llu %s", (unsigned long long)sector, message);
	if (only_print(o, "message", &dev, words))
		return EXIT_OK;
	r = devmap_message(dev.name, sector, message, &response);
	if (r == -EINVAL)
		message_hint(dev.name, message);
	if (r)
		return EXIT_FAILED;
	if (response && *response)
		puts(response);
	return EXIT_OK;
}
