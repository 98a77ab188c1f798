// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only user of libdevmapper.
 *
 * A device is made in three steps (create, load, resume) and not by libdm's
 * combined one, because that hides which step failed and with which errno.
 * Whatever the last step was, a device that did not get its table is removed.
 *
 * A reload loads into the inactive slot and then sends a single resume: the
 * kernel suspends, swaps and resumes in that one ioctl, so that killing this
 * process at any point leaves the old table or the new one running, never a
 * suspended device.
 */
#include "system/dm.h"

#include <errno.h>
#include <libdevmapper.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/table-print.h"
#include "system/kmsg.h"

#define UDEV_POLL_MS	10
#define CREATING	"creating"

static struct dm_config config = { true, 30 };

static void task_cleanup(struct dm_task **dmt)
{
	if (*dmt)
		dm_task_destroy(*dmt);
}

#define _cleanup_task_ __attribute__((cleanup(task_cleanup)))

/* libdm's messages repeat ours with less in them: keep them for --debug. */
static void __printf(5, 6) libdm_log(int level __unused,
				     const char *file __unused,
				     int line __unused, int dm_errno __unused,
				     const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	if (log_level < LOG_LEVEL_DEBUG)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	log_debug("libdm: %s", text);
}

void dm_setup(const struct dm_config *c)
{
	config = *c;
	dm_log_with_errno_init(libdm_log);
	if (!config.udev_sync)
		dm_udev_set_sync_support(0);
	else if (!dm_udev_get_sync_support())
		log_verbose("udev is not running: device nodes are made without it");
}

/* A signal between two steps would leave a half-made device behind. */
static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
}

static void unblock_signals(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}

static struct dm_task *new_task(int type, const char *name)
{
	struct dm_task *dmt = dm_task_create(type);

	if (dmt && name && !dm_task_set_name(dmt, name)) {
		dm_task_destroy(dmt);
		return NULL;
	}
	return dmt;
}

static int task_errno(struct dm_task *dmt)
{
	int err = dm_task_get_errno(dmt);

	return err ? -err : -EIO;
}

static bool driver_loaded(void)
{
	return !access("/sys/devices/virtual/misc/device-mapper", F_OK);
}

/*
 * A task that only looks.  Without a driver there is nothing to see, and
 * asking libdm anyway would load it, which a dry run must not do.
 */
static struct dm_task *new_query(int type, const char *name)
{
	return driver_loaded() ? new_task(type, name) : NULL;
}

static int query(struct dm_task *dmt)
{
	if (!dmt)
		return driver_loaded() ? -EINVAL : -ENODEV;
	return dm_task_run(dmt) ? 0 : task_errno(dmt);
}

static const char *explain_errno(int err)
{
	switch (err) {
	case EBUSY:
		return "the device, or one below it, is in use";
	case EEXIST:
		return "a device of that name or UUID exists";
	case ENXIO:
	case ENODEV:
		return "there is no such device";
	case EPERM:
	case EACCES:
		return "not permitted: root is needed";
	case ETXTBSY:
		return "a file is open for writing, pinned, or a running program";
	default:
		return strerror(err);
	}
}

static void report(const char *doing, const char *name, int err,
		   struct kmsg *kmsg)
{
	_cleanup_free_ char *said = kmsg_read(kmsg);
	char *save = NULL, *line;

	/* of a create, the kernel means that the name or UUID is taken */
	if (err == EBUSY && !strcmp(doing, CREATING))
		err = EEXIST;
	log_err("%s %s failed: %s", doing, name, explain_errno(err));
	for (line = said ? strtok_r(said, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		/* this one only repeats that the target was refused */
		if (strcmp(line, "ioctl: error adding target to table"))
			log_err("kernel: %s", line);
}

/* An ioctl that changes something: says what failed. */
static int run(struct dm_task *dmt, const char *doing, const char *name)
{
	struct kmsg kmsg;
	int r = 0;

	kmsg_mark(&kmsg);
	log_debug("%s %s", doing, name);
	if (!dm_task_run(dmt)) {
		r = task_errno(dmt);
		report(doing, name, -r, &kmsg);
	}
	kmsg_close(&kmsg);
	return r;
}

/*
 * Wait until udev has processed the event, but not for ever: a killed udev
 * worker never answers, and dm_udev_wait() would then wait with it.
 */
static int wait_udev(uint32_t cookie, const char *name)
{
	const struct timespec nap = { .tv_nsec = UDEV_POLL_MS * 1000000L };
	uint64_t polls = (uint64_t)config.udev_timeout * 1000 / UDEV_POLL_MS;
	int ready = 0;

	if (!cookie)
		return 0;
	for (;;) {
		if (!dm_udev_wait_immediate(cookie, &ready))
			return -EIO;
		if (ready)
			return 0;
		if (!polls--)
			break;
		nanosleep(&nap, NULL);
	}

	log_err("%s: done in the kernel, but udev has not confirmed within %u seconds",
		name, config.udev_timeout);
	log_err("if udev is stuck, release its cookie: dmsetup udevcomplete 0x%x; dmsetup udevreleasecookie 0x%x",
		cookie, cookie);
	return -ETIMEDOUT;
}

/* Run a task whose uevent makes udev add, rename or remove nodes. */
static int run_with_udev(struct dm_task *dmt, const char *doing,
			 const char *name)
{
	uint32_t cookie = 0;
	uint16_t flags = 0;
	int r, waited;

	/*
	 * Where udev runs and is waited for, nodes are its business: a node of
	 * libdm's making stands in the way of the link that udev makes later.
	 */
	if (dm_udev_get_sync_support())
		flags = DM_UDEV_DISABLE_LIBRARY_FALLBACK;
	if (!dm_task_set_cookie(dmt, &cookie, flags)) {
		log_err("%s %s failed: no udev cookie (see dmsetup udevcookies)",
			doing, name);
		return -ENOSPC;
	}
	r = run(dmt, doing, name);
	waited = wait_udev(cookie, name);
	dm_task_update_nodes();
	return r ? r : waited;
}

int dm_get(const char *name, struct dm_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = new_query(DM_DEVICE_INFO, name);
	struct dm_info info;
	int r;

	memset(dev, 0, sizeof(*dev));
	r = query(dmt);
	if (r)
		return r;
	if (!dm_task_get_info(dmt, &info) || !info.exists)
		return -ENXIO;

	dev->name = xstrdup(dm_task_get_name(dmt));
	dev->uuid = xstrdup(dm_task_get_uuid(dmt));
	dev->devno = makedev(info.major, info.minor);
	dev->suspended = info.suspended;
	dev->live_table = info.live_table;
	dev->inactive_table = info.inactive_table;
	dev->readonly = info.read_only;
	dev->deferred_remove = info.deferred_remove;
	dev->open_count = info.open_count;
	dev->event_nr = info.event_nr;
	dev->target_count = info.target_count;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

int dm_names(char ***names, unsigned int *nr)
{
	_cleanup_task_ struct dm_task *dmt = new_query(DM_DEVICE_LIST, NULL);
	struct dm_names *entry;
	int r;

	*names = NULL;
	*nr = 0;
	r = query(dmt);
	if (r)
		return r;
	entry = dm_task_get_names(dmt);
	/* an empty list is one entry without a number */
	while (entry && entry->dev) {
		GROW(*names, *nr);
		(*names)[(*nr)++] = xstrdup(entry->name);
		if (!entry->next)
			break;
		entry = (struct dm_names *)((char *)entry + entry->next);
	}
	if (*nr)
		qsort(*names, *nr, sizeof(**names), compare_names);
	return 0;
}

static int get_lines(int type, const char *name, struct dm_lines *lines)
{
	_cleanup_task_ struct dm_task *dmt = new_query(type, name);
	char *target_type, *params;
	uint64_t start, length;
	struct dm_info info;
	void *next = NULL;
	int r;

	memset(lines, 0, sizeof(*lines));
	if (dmt && !dm_task_no_flush(dmt))
		return -EINVAL;
	r = query(dmt);
	if (r)
		return r;
	if (!dm_task_get_info(dmt, &info) || !info.exists)
		return -ENXIO;
	do {
		next = dm_get_next_target(dmt, next, &start, &length,
					  &target_type, &params);
		if (!target_type)
			break;
		GROW(lines->line, lines->nr);
		lines->line[lines->nr++] = (struct dm_line) {
			start, length, xstrdup(target_type), xstrdup(params)
		};
	} while (next);
	return 0;
}

int dm_get_table(const char *name, struct dm_lines *lines)
{
	return get_lines(DM_DEVICE_TABLE, name, lines);
}

int dm_get_status(const char *name, struct dm_lines *lines)
{
	return get_lines(DM_DEVICE_STATUS, name, lines);
}

int dm_versions(char **library, char **driver)
{
	char text[64];

	*library = xstrdup(dm_get_library_version(text, sizeof(text)) ?
			   text : "unknown");
	*driver = NULL;
	if (!driver_loaded() || !dm_driver_version(text, sizeof(text)))
		return -ENODEV;
	*driver = xstrdup(text);
	return 0;
}

int dm_target_versions(struct dm_target_version **versions, unsigned int *nr)
{
	_cleanup_task_ struct dm_task *dmt = new_query(DM_DEVICE_LIST_VERSIONS,
						       NULL);
	struct dm_versions *v;
	int r;

	*versions = NULL;
	*nr = 0;
	r = query(dmt);
	if (r)
		return r;
	for (v = dm_task_get_versions(dmt); v;
	     v = (struct dm_versions *)((char *)v + v->next)) {
		GROW(*versions, *nr);
		(*versions)[*nr].name = xstrdup(v->name);
		memcpy((*versions)[(*nr)++].version, v->version,
		       sizeof(v->version));
		if (!v->next)
			break;
	}
	return 0;
}

static bool add_targets(struct dm_task *dmt, const struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		const struct target *target = &t->targets[i];
		_cleanup_free_ char *params = target_params(target, false,
							    NULL, NULL);

		if (!dm_task_add_target(dmt, target->start, target->length,
					target->type, params))
			return false;
	}
	return true;
}

static int load(const char *name, const struct table *t, bool readonly)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_RELOAD, name);

	if (!dmt || (readonly && !dm_task_set_ro(dmt)) || !add_targets(dmt, t))
		return -ENOMEM;
	return run(dmt, "loading the table of", name);
}

static int create_empty(const char *name, const char *uuid)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_CREATE, name);

	if (!dmt || !dm_task_set_uuid(dmt, uuid))
		return -EINVAL;
	return run(dmt, CREATING, name);
}

static int clear(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_CLEAR, name);

	return dmt ? run(dmt, "clearing the inactive table of", name) : -ENOMEM;
}

int dm_resume(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_RESUME, name);

	return dmt ? run_with_udev(dmt, "resuming", name) : -ENOMEM;
}

int dm_create(const char *name, const char *uuid, const struct table *t,
	      bool readonly)
{
	sigset_t old;
	int r;

	block_signals(&old);
	r = create_empty(name, uuid);
	if (!r) {
		r = load(name, t, readonly);
		if (!r)
			r = dm_resume(name);
		/* udev being late does not make the device half-made */
		if (r && r != -ETIMEDOUT && !dm_remove(name, true, false))
			log_verbose("%s: the half-made device is removed", name);
	}
	unblock_signals(&old);
	return r;
}

/* One ioctl suspends, swaps the tables and resumes. */
static int swap_tables(const char *name, const struct dm_suspend_how *how)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_RESUME, name);

	if (!dmt || (how->noflush && !dm_task_no_flush(dmt)) ||
	    (how->nolockfs && !dm_task_skip_lockfs(dmt)))
		return -ENOMEM;
	return run_with_udev(dmt, "switching the table of", name);
}

/*
 * After a failed switch the device may be suspended, with the old table still
 * in place and the new one either gone or back in the inactive slot.
 */
static void roll_back(const char *name, bool was_suspended)
{
	_cleanup_dm_device_ struct dm_device dev = { 0 };

	clear(name);
	if (!dm_get(name, &dev) && dev.suspended && !was_suspended &&
	    dm_resume(name))
		log_err("%s stays suspended: try \"dmsetup resume %s\"", name,
			name);
	else
		log_err("%s runs on with its old table", name);
}

int dm_reload(const char *name, const struct table *t, bool readonly,
	      const struct dm_suspend_how *how)
{
	_cleanup_dm_device_ struct dm_device before = { 0 };
	sigset_t old;
	int r;

	r = dm_get(name, &before);
	if (r) {
		log_err("%s: %s", name, explain_errno(-r));
		return r;
	}

	block_signals(&old);
	r = load(name, t, readonly);
	if (r) {
		/* a failed load keeps what an earlier load had put there */
		clear(name);
		log_err("%s runs on with its old table", name);
	} else {
		r = swap_tables(name, how);
		if (r && r != -ETIMEDOUT)
			roll_back(name, before.suspended);
	}
	unblock_signals(&old);
	return r;
}

int dm_remove(const char *name, bool retry, bool deferred)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_REMOVE, name);

	if (!dmt || (retry && !dm_task_retry_remove(dmt)) ||
	    (deferred && !dm_task_deferred_remove(dmt)))
		return -ENOMEM;
	return run_with_udev(dmt, "removing", name);
}

int dm_rename(const char *name, const char *new_name)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_RENAME, name);

	if (!dmt || !dm_task_set_newname(dmt, new_name)) {
		log_err("\"%s\" is not a name device-mapper can use", new_name);
		return -EINVAL;
	}
	return run_with_udev(dmt, "renaming", name);
}

int dm_suspend(const char *name, const struct dm_suspend_how *how)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_SUSPEND, name);

	if (!dmt || (how->noflush && !dm_task_no_flush(dmt)) ||
	    (how->nolockfs && !dm_task_skip_lockfs(dmt)))
		return -ENOMEM;
	return run(dmt, "suspending", name);
}

int dm_message(const char *name, uint64_t sector, const char *message,
	       char **response)
{
	_cleanup_task_ struct dm_task *dmt = new_task(DM_DEVICE_TARGET_MSG,
						      name);
	const char *answer;
	int r;

	*response = NULL;
	if (!dmt || !dm_task_set_sector(dmt, sector) ||
	    !dm_task_set_message(dmt, message))
		return -ENOMEM;
	r = run(dmt, "sending a message to", name);
	answer = r ? NULL : dm_task_get_message_response(dmt);
	if (answer)
		*response = xstrdup(answer);
	return r;
}

void dm_device_free(struct dm_device *dev)
{
	free(dev->name);
	free(dev->uuid);
	memset(dev, 0, sizeof(*dev));
}

void dm_lines_free(struct dm_lines *lines)
{
	unsigned int i;

	for (i = 0; i < lines->nr; i++) {
		free(lines->line[i].type);
		free(lines->line[i].params);
	}
	free(lines->line);
	memset(lines, 0, sizeof(*lines));
}
