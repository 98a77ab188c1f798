// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-mapper operations.  A task of libdevmapper is one ioctl.
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
#include "system/devmap.h"

#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"
#include "system/lookup.h"
#include "system/identity.h"

#define UDEV_POLL_MS	10
#define RECORD_MAX	8192
/* as in syslog(3) */
#define LIBDM_WARNING	4
#define CREATING	"creating"

static unsigned int timeout = 30;

static void devmap_task_cleanup(struct dm_task **dmt)
{
	if (*dmt)
		dm_task_destroy(*dmt);
}

#define _cleanup_task_ __attribute__((cleanup(devmap_task_cleanup)))

/* libdm's messages repeat ours with less detail; those for its developers are left out. */
static void __printf(5, 6) devmap_log(int level, const char *file __unused,
				      int line __unused, int dm_errno __unused,
				      const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	if (!log_is_verbose || (level & 7) > LIBDM_WARNING)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	log_verbose("libdm: %s", text);
}

void devmap_setup(bool udev_sync, unsigned int udev_timeout)
{
	timeout = udev_timeout;
	/* two kernel's names must not be one here: see model/name.c */
	dm_set_name_mangling_mode(DM_STRING_MANGLING_NONE);
	dm_log_with_errno_init(devmap_log);
	if (!udev_sync)
		dm_udev_set_sync_support(0);
	else if (!dm_udev_get_sync_support())
		log_verbose("udev is not running: device nodes are made without it");
}

const char *devmap_reason(int r)
{
	switch (-r) {
	case EBUSY:
		return "the device, or one below it, is in use";
	case EEXIST:
		return "a device of that name or UUID exists";
	case ENXIO:
	case ENODEV:
		return "there is no such device";
	case EPERM:
	case EACCES:
		return "only root may do that";
	case ETXTBSY:
		return "a file is open for writing, pinned, or a running program";
	default:
		return strerror(-r);
	}
}

int devmap_permitted(void)
{
	_cleanup_close_ int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	return fd < 0 && (errno == EACCES || errno == EPERM) ? -errno : 0;
}

/* NULL if @name is not one that device-mapper can use. */
static struct dm_task *devmap_task_new(int type, const char *name)
{
	struct dm_task *dmt = dm_task_create(type);

	if (dmt && name && !dm_task_set_name(dmt, name)) {
		dm_task_destroy(dmt);
		return NULL;
	}
	return dmt;
}

static int devmap_errno(struct dm_task *dmt)
{
	int err = dm_task_get_errno(dmt);

	return err ? -err : -EIO;
}

static bool devmap_driver_loaded(void)
{
	return !access("/sys/devices/virtual/misc/device-mapper", F_OK);
}

/*
 * A task that only looks.  Without a driver there is nothing to see, and asking
 * libdm anyway would load it, which a dry run must not do.
 */
static struct dm_task *devmap_query_new(int type, const char *name)
{
	return devmap_driver_loaded() ? devmap_task_new(type, name) : NULL;
}

/* Return: 0, or a negative errno without a message; -ENODEV without a driver. */
static int devmap_query_run(struct dm_task *dmt)
{
	/* libdm makes no task that it cannot run, or for a name that no device can have */
	if (!dmt && devmap_driver_loaded())
		return devmap_permitted() ? -EACCES : -ENXIO;
	if (!dmt)
		return -ENODEV;
	return dm_task_run(dmt) ? 0 : devmap_errno(dmt);
}

int devmap_info(const char *name, struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_INFO, name);
	struct dm_info info;
	int r;

	memset(dev, 0, sizeof(*dev));
	r = devmap_query_run(dmt);
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
	return 0;
}

char *devmap_name_of_uuid(const char *uuid)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_INFO, NULL);
	struct dm_info info;

	if (!dmt || !dm_task_set_uuid(dmt, uuid) || devmap_query_run(dmt) ||
	    !dm_task_get_info(dmt, &info) || !info.exists || !info.live_table)
		return NULL;
	return xstrdup(dm_task_get_name(dmt));
}

bool devmap_is_absent(int r)
{
	return r == -ENXIO || r == -ENODEV;
}

static int devmap_compare_names(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

int devmap_names(struct names *names)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_LIST, NULL);
	struct dm_names *entry;
	int r = devmap_query_run(dmt);

	if (r)
		return r;
	entry = dm_task_get_names(dmt);
	/* an empty list is one entry without a number */
	while (entry && entry->dev) {
		names_add(names, entry->name);
		if (!entry->next)
			break;
		entry = (struct dm_names *)((char *)entry + entry->next);
	}
	if (names->nr)
		qsort(names->name, names->nr, sizeof(*names->name), devmap_compare_names);
	return 0;
}

static void devmap_add_line(struct table *t, enum devmap_what what, uint64_t start,
			    uint64_t length, const char *type, const char *params)
{
	struct target *target;

	if (what != DEVMAP_STATUS) {
		table_add(t, 0, start, length, type, params, NULL);
		return;
	}
	/* no status of any target contains a key */
	target = table_add_target(t, start, length, type);
	target->understood = false;
	free(target->params);
	target->params = xstrdup(params);
}

int devmap_table(const char *name, enum devmap_what what, struct table *t)
{
	_cleanup_task_ struct dm_task *dmt =
		devmap_query_new(what == DEVMAP_STATUS ? DM_DEVICE_STATUS : DM_DEVICE_TABLE, name);
	char *type, *params;
	uint64_t start, length;
	struct dm_info info;
	void *next = NULL;
	int r;

	if (dmt && (!dm_task_no_flush(dmt) || (what == DEVMAP_INACTIVE_TABLE &&
					       !dm_task_query_inactive_table(dmt))))
		return -EINVAL;
	r = devmap_query_run(dmt);
	if (r)
		return r;
	if (!dm_task_get_info(dmt, &info) || !info.exists)
		return -ENXIO;
	do {
		next = dm_get_next_target(dmt, next, &start, &length, &type, &params);
		if (type)
			devmap_add_line(t, what, start, length, type, params);
	} while (next);
	return 0;
}

char *devmap_lv_of_name(const char *name)
{
	struct dm_pool *pool = dm_pool_create("name", 256);
	char *vg = NULL, *lv = NULL, *layer = NULL, *text = NULL;

	if (pool && dm_split_lvm_name(pool, name, &vg, &lv, &layer) && *lv)
		text = xasprintf("%s/%s", vg, lv);
	if (pool)
		dm_pool_destroy(pool);
	return text;
}

void devmap_versions(char **library, char **driver)
{
	char text[64];

	*library = xstrdup(dm_get_library_version(text, sizeof(text)) ? text : "unknown");
	*driver = devmap_driver_loaded() && dm_driver_version(text, sizeof(text)) ?
		  xstrdup(text) : NULL;
}

void devmap_device_free(struct devmap_device *dev)
{
	free(dev->name);
	free(dev->uuid);
	memset(dev, 0, sizeof(*dev));
}

/* What changes something: the end of the kernel log is read for what it says of an ioctl. */
static int devmap_open_kernel_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		log_verbose("/dev/kmsg: %s", strerror(errno));
	else
		lseek(fd, 0, SEEK_END);
	return fd;
}

char *devmap_kernel_sentence(const char *record)
{
	const char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text++;
	if (!str_starts(text, "device-mapper: "))
		return NULL;
	text += strlen("device-mapper: ");
	return xstrndup(text, strcspn(text, "\n"));
}

/* Does the sentence have that word, and not only a longer one such as 253:10 for 253:1? */
static bool devmap_has_word(const char *sentence, const char *word)
{
	static const char more[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.+";
	const size_t length = strlen(word);
	const char *at;

	for (at = strstr(sentence, word); at; at = strstr(at + 1, word))
		if ((at == sentence || !strchr(more, at[-1])) &&
		    (!at[length] || !strchr(more, at[length])))
			return true;
	return false;
}

bool devmap_sentence_names(const char *sentence, const char *name, dev_t devno)
{
	_cleanup_free_ char *number = xasprintf("%u:%u", major(devno), minor(devno));

	return (devno && devmap_has_word(sentence, number)) || devmap_has_word(sentence, name);
}

/* Other processes may have had the kernel log something meanwhile, about other devices. */
static void devmap_report(const char *doing, const char *name, int r, int kernel_log)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	char record[RECORD_MAX + 1];
	ssize_t n;

	/* of this one, EBUSY means that the name or UUID exists */
	if (r == -EBUSY && !strcmp(doing, CREATING))
		r = -EEXIST;
	log_err("%s %s failed: %s", doing, name, devmap_reason(r));
	/* EPIPE: the oldest records were overwritten, the next read goes on */
	while ((n = read(kernel_log, record, RECORD_MAX)) > 0 || (n < 0 && errno == EPIPE)) {
		_cleanup_free_ char *sentence = NULL;

		record[n < 0 ? 0 : n] = 0;
		sentence = devmap_kernel_sentence(record);
		/* most failures have no sentence, and need no look */
		if (sentence && !dev.devno)
			devmap_info(name, &dev);
		if (sentence && devmap_sentence_names(sentence, name, dev.devno))
			log_err("kernel: %s", sentence);
	}
}

static int devmap_run(struct dm_task *dmt, const char *doing, const char *name)
{
	_cleanup_close_ int kernel_log = devmap_open_kernel_log();
	int r;

	log_verbose("%s %s", doing, name);
	if (dm_task_run(dmt))
		return 0;
	r = devmap_errno(dmt);
	devmap_report(doing, name, r, kernel_log);
	return r;
}

/*
 * Wait until udev has processed the event, with a limit: a killed udev worker
 * never answers, and dm_udev_wait() would wait for ever.  Signals are blocked,
 * as what comes next belongs to the change; after one, udev has a second.
 */
static int devmap_wait_udev(uint32_t cookie, const char *name)
{
	const struct timespec nap = { .tv_nsec = UDEV_POLL_MS * 1000000L };
	uint64_t polls = (uint64_t)timeout * 1000 / UDEV_POLL_MS;
	int ready = !cookie;

	while (!ready) {
		if (signals_ask_to_end())
			polls = MIN(polls, 1000 / UDEV_POLL_MS);
		/* fails if another process has released the cookie */
		if (!dm_udev_wait_immediate(cookie, &ready) || (!ready && !polls--)) {
			log_err("%s: done in the kernel, but udev has not confirmed that; if it is stuck, release its cookie: dmsetup udevcomplete 0x%x; dmsetup udevreleasecookie 0x%x",
				name, cookie, cookie);
			return -ETIMEDOUT;
		}
		if (!ready)
			nanosleep(&nap, NULL);
	}
	return 0;
}

/* The same for a task whose uevent makes udev add, rename or remove nodes. */
static int devmap_run_udev(struct dm_task *dmt, const char *doing, const char *name)
{
	uint32_t cookie = 0;
	uint16_t flags = 0;
	int r, waited;

	/*
	 * With udev, leave the nodes to it: one that libdm has made is in the
	 * way of the link that udev makes later.
	 */
	if (dm_udev_get_sync_support())
		flags = DM_UDEV_DISABLE_LIBRARY_FALLBACK;
	if (!dm_task_set_cookie(dmt, &cookie, flags)) {
		log_err("%s %s failed: no udev cookie (see dmsetup udevcookies)",
			doing, name);
		return -ENOSPC;
	}
	r = devmap_run(dmt, doing, name);
	waited = devmap_wait_udev(cookie, name);
	dm_task_update_nodes();
	return r ? r : waited;
}

int devmap_message(const char *name, uint64_t sector, const char *message, char **answer)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_new(DM_DEVICE_TARGET_MSG, name);
	const char *text;
	int r;

	if (answer)
		*answer = NULL;
	if (dmt && (!dm_task_set_sector(dmt, sector) || !dm_task_set_message(dmt, message)))
		return -EINVAL;
	if (dmt && !answer)
		return devmap_run(dmt, "sending a message to", name);
	r = devmap_query_run(dmt);
	text = r ? NULL : dm_task_get_message_response(dmt);
	if (text && answer)
		*answer = xstrdup(text);
	return r;
}

static bool devmap_add_targets(struct dm_task *dmt, const struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		const struct target *target = &t->targets[i];
		_cleanup_free_ char *params = target_arguments(target, false,
							       identity_loadable);

		if (!dm_task_add_target(dmt, target->start, target->length,
					target->type, params))
			return false;
	}
	return true;
}

static int devmap_load(const char *name, const struct table *t, bool readonly,
		       const struct devmap_check *check)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_RELOAD, name);
	int r;

	if (!dmt || (readonly && !dm_task_set_ro(dmt)) || !devmap_add_targets(dmt, t))
		return -ENOMEM;
	r = devmap_run(dmt, "loading the table of", name);
	return r ? r : check->loaded(name, check->data);
}

static int devmap_create_empty(const char *name, const char *uuid)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_CREATE, name);

	if (!dmt || !dm_task_set_uuid(dmt, uuid))
		return -EINVAL;
	return devmap_run(dmt, CREATING, name);
}

/* Without a cookie, as there may be none left; udev knows nothing of the device yet. */
static int devmap_remove_incomplete(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_REMOVE, name);
	int r;

	if (!dmt || !dm_task_retry_remove(dmt))
		return -ENOMEM;
	r = devmap_run(dmt, "removing", name);
	/* now: its name may be that of another process's device in a moment */
	dm_task_update_nodes();
	return r;
}

static void devmap_clear(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_CLEAR, name);

	if (dmt)
		devmap_run(dmt, "clearing the inactive table of", name);
}

static int devmap_resume(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_RESUME, name);

	return dmt ? devmap_run_udev(dmt, "resuming", name) : -ENOMEM;
}

int devmap_create(const char *name, const char *uuid, const struct table *t,
		  bool readonly, const struct devmap_check *check, int *lock)
{
	sigset_t old;
	int r;

	signals_block(&old);
	r = devmap_create_empty(name, uuid);
	if (!r) {
		r = devmap_load(name, t, readonly, check);
		if (!r) {
			cleanup_close(lock);
			*lock = -1;
			r = devmap_resume(name);
		}
		/* with udev late, the device is complete */
		if (r && r != -ETIMEDOUT && !devmap_remove_incomplete(name))
			log_verbose("%s: the incomplete device was removed", name);
	}
	signals_unblock(&old);
	return r;
}

/*
 * One ioctl suspends, swaps the tables and resumes.  Linux 6.1 sets the readahead anew then;
 * since 6.12 it becomes larger with the new table, not smaller than the user has set it.
 */
static int devmap_swap_tables(const char *name, dev_t devno)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_RESUME, name);
	_cleanup_free_ char *kib = blockdev_attribute(devno, "queue/read_ahead_kb");
	uint32_t sectors = kib ? strtoul(kib, NULL, 10) << (10 - SECTOR_SHIFT) : 0;

	if (!dmt || !dm_task_set_read_ahead(dmt, sectors, DM_READ_AHEAD_MINIMUM_FLAG))
		return -ENOMEM;
	return devmap_run_udev(dmt, "switching the table of", name);
}

/*
 * After a failed switch the device may be suspended, with the old table still
 * in place and the new one either gone or back in the inactive slot.
 */
static void devmap_roll_back(const char *name, bool was_suspended)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *command = name_command("resume", name);
	int r = 0;

	devmap_clear(name);
	if (!devmap_info(name, &dev) && dev.suspended && !was_suspended)
		r = devmap_resume(name);
	/* without a word from udev it runs all the same */
	if (r && r != -ETIMEDOUT)
		log_err("%s stays suspended; to resume it: %s", name, command);
	else
		log_err("%s keeps running with its old table", name);
}

int devmap_reload(const char *name, const struct table *t, bool readonly,
		  const struct devmap_check *check)
{
	_cleanup_devmap_device_ struct devmap_device before = { 0 };
	sigset_t old;
	int r;

	r = devmap_info(name, &before);
	if (r) {
		log_err("%s: %s", name, devmap_reason(r));
		return r;
	}
	if (check->alone && (before.inactive_table || before.suspended)) {
		log_err("%s: another process is changing it: try again", name);
		return -EBUSY;
	}

	signals_block(&old);
	r = devmap_load(name, t, readonly, check);
	if (r) {
		/* a failed load keeps the inactive table of an earlier one */
		devmap_clear(name);
		log_err("%s keeps running with its old table", name);
	} else {
		/* when it fails, the device may be suspended until it is rolled back */
		log_hold();
		r = devmap_swap_tables(name, before.devno);
		if (r && r != -ETIMEDOUT)
			devmap_roll_back(name, before.suspended);
		log_release();
	}
	signals_unblock(&old);
	return r;
}

int devmap_remove(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_REMOVE, name);

	if (!dmt || !dm_task_retry_remove(dmt))
		return -ENOMEM;
	return devmap_run_udev(dmt, "removing", name);
}

bool devmap_remove_unfinished(const struct devmap_device *dev)
{
	if (dev->live_table || dev->open_count || devmap_remove(dev->name))
		return false;
	log_warn("%s: removed what an interrupted command had left", dev->name);
	return true;
}
