// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-mapper operations. A task of libdevmapper is one ioctl.
 *
 * A device is made in three steps (create, load, resume). The combined operation of libdevmapper is
 * not used, because it does not show which step has failed, and hides the errno. If a step fails
 * and the device does not get its table, the device is removed.
 *
 * A reload loads the table into the inactive slot, and then sends a single ioctl, a resume, in
 * which the kernel suspends the device, swaps the tables and resumes the device. If this process is
 * killed at any point, the old table or the new one runs, and the device is never left suspended.
 */
#include "system/devmap.h"

#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap-log.h"
#include "system/identity.h"
#include "system/sysfs.h"

#define UDEV_POLL_MS	10
#define RECORD_MAX	8192
/* LIBDM_WARNING: the level of a warning, as in syslog(3). */
#define LIBDM_WARNING	4
#define CREATING	"creating"
/* The pause and the number of further tries are the same as in dm_task_retry_remove(). */
#define REMOVE_POLL_MS	200
#define REMOVE_POLLS	25

static unsigned int timeout = 30;

static void devmap_task_cleanup(struct dm_task **dmt)
{
	if (*dmt)
		dm_task_destroy(*dmt);
}

#define _cleanup_task_ __attribute__((cleanup(devmap_task_cleanup)))

/*
 * With -v, log the errors and warnings of libdm. Without -v, log nothing of libdm, because its
 * messages repeat the messages of this tool with less detail.
 */
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
	/* two different names in the kernel must not look the same: see model/name.c */
	dm_set_name_mangling_mode(DM_STRING_MANGLING_NONE);
	dm_log_with_errno_init(devmap_log);
	if (!udev_sync)
		dm_udev_set_sync_support(0);
	else if (!dm_udev_get_sync_support())
		log_verbose("udev is not running: device nodes are made without it");
}

void devmap_release(void)
{
	dm_lib_release();
}

const char *devmap_reason(int r)
{
	switch (-r) {
	case EBUSY:
		return "the device, or a device below it, is in use";
	case EEXIST:
		return "a device of this name or UUID exists already";
	case ENXIO:
	case ENODEV:
		return "there is no such device";
	case EPERM:
	case EACCES:
		return "only root may do that";
	case ETXTBSY:
		return "a backing file is open for writing, is pinned, or is a running program";
	default:
		return strerror(-r);
	}
}

int devmap_permitted(void)
{
	_cleanup_close_ int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	return fd < 0 && (errno == EACCES || errno == EPERM) ? -errno : 0;
}

/* Make a task for a name. Return: NULL if device-mapper cannot use the name. */
static struct dm_task *devmap_task_new(int type, const char *name)
{
	struct dm_task *dmt = dm_task_create(type);

	if (dmt && name && !dm_task_set_name(dmt, name)) {
		dm_task_destroy(dmt);
		return NULL;
	}
	return dmt;
}

/*
 * Make a task for a device by its UUID, or by its number if it has no UUID, because a rename
 * changes neither of them. If @dev has only a name, make the task by this name.
 */
static struct dm_task *devmap_task_on(int type, const struct devmap_device *dev)
{
	struct dm_task *dmt = dev->uuid ? dm_task_create(type) : devmap_task_new(type, dev->name);

	if (dmt && dev->uuid && !(*dev->uuid ? dm_task_set_uuid(dmt, dev->uuid) :
				  dm_task_set_major_minor(dmt, major(dev->devno),
							  minor(dev->devno), 0))) {
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
	static bool loaded;

	loaded = loaded || !access("/sys/devices/virtual/misc/device-mapper", F_OK);
	return loaded;
}

/*
 * Make a task that only reads. Return: NULL if the driver of device-mapper is not loaded: there is
 * nothing to read then, and libdm would load the driver, which a dry run must not do.
 */
static struct dm_task *devmap_query_on(int type, const struct devmap_device *dev)
{
	return devmap_driver_loaded() ? devmap_task_on(type, dev) : NULL;
}

/*
 * Run a task that only reads. Return: 0, or a negative errno without a message; -ENODEV if the
 * driver is not loaded.
 */
static int devmap_query_run(struct dm_task *dmt)
{
	/* libdm makes no task without permission, and none for a name that no device can have */
	if (!dmt && devmap_driver_loaded())
		return devmap_permitted() ? -EACCES : -ENXIO;
	if (!dmt)
		return -ENODEV;
	return dm_task_run(dmt) ? 0 : devmap_errno(dmt);
}

/* Copy the result of a query to @dev; if @dev is NULL, only check that the device exists. */
static int devmap_take_info(struct dm_task *dmt, struct devmap_device *dev)
{
	struct dm_info info;

	if (!dm_task_get_info(dmt, &info) || !info.exists)
		return -ENXIO;
	if (!dev)
		return 0;
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

int devmap_look(const struct devmap_device *before, struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_query_on(DM_DEVICE_INFO, before);
	int r = devmap_query_run(dmt);

	memset(dev, 0, sizeof(*dev));
	if (!r)
		r = devmap_take_info(dmt, dev);
	if (!r && !*dev->uuid)
		dev->diskseq = blockdev_attribute_now(dev->devno, "diskseq");
	return r;
}

int devmap_info(const char *name, struct devmap_device *dev)
{
	return devmap_look(&(struct devmap_device) { .name = (char *)name }, dev);
}

bool devmap_same(const struct devmap_device *a, const struct devmap_device *b)
{
	const char *one = a->diskseq ? a->diskseq : "", *other = b->diskseq ? b->diskseq : "";

	return a->devno == b->devno && !strcmp(a->name, b->name) && !strcmp(a->uuid, b->uuid) &&
	       !strcmp(one, other);
}

bool devmap_same_loaded(const struct devmap_device *before, const struct devmap_device *loaded)
{
	struct devmap_device now = *loaded;

	if (!before->live_table && !before->diskseq)
		now.diskseq = NULL;
	return devmap_same(before, &now);
}

char *devmap_name_of_uuid(const char *uuid)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	int r = devmap_look(&(struct devmap_device) { .uuid = (char *)uuid }, &now);

	return r || !now.live_table ? NULL : xstrdup(now.name);
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
	_cleanup_task_ struct dm_task *dmt = devmap_driver_loaded() ?
		devmap_task_new(DM_DEVICE_LIST, NULL) : NULL;
	int r = devmap_query_run(dmt);
	struct dm_names *entry;

	if (r)
		return r;
	entry = dm_task_get_names(dmt);
	/* an empty list has one entry, and this entry has no number */
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
	/* a status line has no secret key, so it is stored unchanged */
	target = table_add_target(t, start, length, type);
	target->understood = false;
	free(target->params);
	target->params = xstrdup(params);
}

int devmap_table(const char *name, enum devmap_what what, struct table *t)
{
	return devmap_table_of(&(struct devmap_device) { .name = (char *)name }, what, t);
}

int devmap_look_table(const struct devmap_device *dev, enum devmap_what what,
		      struct devmap_device *now, struct table *t)
{
	_cleanup_task_ struct dm_task *dmt =
		devmap_query_on(what == DEVMAP_STATUS ? DM_DEVICE_STATUS : DM_DEVICE_TABLE, dev);
	char *type, *params;
	uint64_t start, length;
	void *next = NULL;
	int r;

	if (now)
		memset(now, 0, sizeof(*now));
	if (dmt && (!dm_task_no_flush(dmt) || (what == DEVMAP_INACTIVE_TABLE &&
					       !dm_task_query_inactive_table(dmt))))
		return -EINVAL;
	r = devmap_query_run(dmt) ? : devmap_take_info(dmt, now);
	if (r)
		return r;
	do {
		next = dm_get_next_target(dmt, next, &start, &length, &type, &params);
		if (type)
			devmap_add_line(t, what, start, length, type, params);
	} while (next);
	return 0;
}

int devmap_table_of(const struct devmap_device *dev, enum devmap_what what, struct table *t)
{
	return devmap_look_table(dev, what, NULL, t);
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
	free(dev->diskseq);
	memset(dev, 0, sizeof(*dev));
}

/* Functions that change devices. They read the reason of a failed ioctl from the kernel log. */
static int devmap_open_kernel_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		log_verbose("/dev/kmsg: %s", strerror(errno));
	else
		lseek(fd, 0, SEEK_END);
	return fd;
}

/*
 * Log an error. If the kernel log has sentences about this device, log them as well; sentences
 * about other devices are skipped.
 */
static void devmap_report(const char *doing, const char *name, int r, int kernel_log)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	char record[RECORD_MAX + 1];
	ssize_t n;

	/* DM_DEV_CREATE returns EBUSY if the name or UUID exists */
	if (r == -EBUSY && !strcmp(doing, CREATING))
		r = -EEXIST;
	log_err("%s %s failed: %s", doing, name, devmap_reason(r));
	/* EPIPE means that the oldest records were overwritten; the next read continues */
	while ((n = read(kernel_log, record, RECORD_MAX)) > 0 || (n < 0 && errno == EPIPE)) {
		_cleanup_free_ char *sentence = NULL;

		record[n < 0 ? 0 : n] = 0;
		sentence = devmap_kernel_sentence(record);
		/* the number needs an ioctl, so look it up only if the kernel log has a sentence */
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
	r = dm_task_run(dmt) ? 0 : devmap_errno(dmt);
	sysfs_forget();
	if (!r)
		return 0;
	devmap_report(doing, name, r, kernel_log);
	return r;
}

/*
 * Wait until udev has processed the event, but no longer than the timeout: dm_udev_wait() would
 * wait forever if a worker of udev was killed. A signal does not end the wait at once, because the
 * steps after the wait belong to the change; udev gets one more second.
 */
static int devmap_wait_udev(uint32_t cookie, const char *name)
{
	const struct timespec pause = { .tv_nsec = UDEV_POLL_MS * 1000000L };
	uint64_t polls = (uint64_t)timeout * 1000 / UDEV_POLL_MS;
	int ready = !cookie;

	while (!ready) {
		if (stop_is_pending())
			polls = MIN(polls, 1000 / UDEV_POLL_MS);
		/* this call fails if another process has released the cookie */
		if (!dm_udev_wait_immediate(cookie, &ready) || (!ready && !polls--)) {
			log_err("%s: the kernel has made the change, but udev has not confirmed the change; if udev is stuck, release the cookie of this command: dmsetup udevcomplete 0x%x; dmsetup udevreleasecookie 0x%x",
				name, cookie, cookie);
			return DEVMAP_UDEV_LATE;
		}
		if (!ready)
			nanosleep(&pause, NULL);
	}
	return 0;
}

/*
 * Make the device node if udev does not make it. libdm makes nodes itself if udev does not, but in
 * a task by UUID or number libdm does not know the name of the node.
 */
static void devmap_make_node(const char *name)
{
	if (!dm_udev_get_sync_support())
		dm_mknodes(name);
	dm_task_update_nodes();
}

/*
 * Run a task whose uevent makes udev add, rename or remove nodes, and wait for udev. @flags: the
 * flags of libdevmapper for the rules of udev
 */
static int devmap_run_udev(struct dm_task *dmt, const char *doing, const char *name, uint16_t flags)
{
	uint32_t cookie = 0;
	int r, waited;

	/*
	 * if udev runs, only udev makes nodes: a node from libdm would prevent the link that udev
	 * makes
	 */
	if (dm_udev_get_sync_support())
		flags |= DM_UDEV_DISABLE_LIBRARY_FALLBACK;
	if (!dm_task_set_cookie(dmt, &cookie, flags)) {
		log_err("%s %s failed: no cookie for udev can be made; \"dmsetup udevcookies\" shows the cookies in use",
			doing, name);
		return -ENOSPC;
	}
	r = devmap_run(dmt, doing, name);
	waited = devmap_wait_udev(cookie, name);
	devmap_make_node(name);
	return r ? r : waited;
}

static bool devmap_is_open(int fd, dev_t devno)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == devno;
}

/* Read the state of a device again. Return: 0, or a negative errno after a message. */
static int devmap_look_again(const struct devmap_device *dev, struct devmap_device *now)
{
	int r = devmap_look(dev, now);

	if (r) {
		log_err("%s: %s", dev->name, devmap_reason(r));
	} else if (!*dev->uuid && !devmap_same(dev, now)) {
		log_err("%s: another process has renamed or replaced the device meanwhile: try again",
			dev->name);
		r = -EAGAIN;
	}
	return r;
}

/*
 * Keep a device without a UUID open, so that the kernel does not give its number to another device.
 * A device that never had a table has no disk, and cannot be opened. @now: set to the present state
 * of the device; @fd: set to a file descriptor of the device; NULL if this process must not have
 * the device open
 *
 * Return: 0, or a negative errno after a message.
 */
static int devmap_hold(const struct devmap_device *dev, struct devmap_device *now, int *fd)
{
	_cleanup_free_ char *path = xasprintf("/dev/dm-%u", minor(dev->devno));
	_cleanup_free_ char *setuuid = name_command_setuuid(dev->name);
	bool needed = fd && !*dev->uuid;
	int r;

	if (needed)
		*fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	r = devmap_look_again(dev, now);
	if (r || !needed || !now->live_table || devmap_is_open(*fd, dev->devno))
		return r;
	log_err("%s has no UUID, and %s is not its device node, so another process may have exchanged the device: \"%s\" gives the device a UUID", dev->name, path,
		setuuid);
	return -ENODEV;
}

static struct dm_task *devmap_message_new(const struct devmap_device *dev, uint64_t sector,
					  const char *message)
{
	struct dm_task *dmt = devmap_query_on(DM_DEVICE_TARGET_MSG, dev);

	if (dmt && dm_task_set_sector(dmt, sector) && dm_task_set_message(dmt, message))
		return dmt;
	if (dmt)
		dm_task_destroy(dmt);
	return NULL;
}

int devmap_send(const struct devmap_device *dev, uint64_t sector, const char *message)
{
	_cleanup_task_ struct dm_task *dmt = devmap_message_new(dev, sector, message);
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_close_ int fd = -1;
	int r = devmap_hold(dev, &now, &fd);

	if (r)
		return r;
	return dmt ? devmap_run(dmt, "sending a message to", dev->name) : -ENOMEM;
}

int devmap_ask(const struct devmap_device *dev, uint64_t sector, const char *message,
	       char **answer)
{
	_cleanup_task_ struct dm_task *dmt = devmap_message_new(dev, sector, message);
	int r = devmap_query_run(dmt);
	const char *text = r ? NULL : dm_task_get_message_response(dmt);

	*answer = text ? xstrdup(text) : NULL;
	return r;
}

/* identity_loadable() replaces the name of a leg by major:minor if dm would misread the name. */
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

/* DM_DEVICE_RELOAD is the word of libdevmapper for the ioctl DM_TABLE_LOAD. */
static int devmap_load(const struct devmap_device *dev, const struct table *t, bool readonly,
		       const struct devmap_check *check)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_on(DM_DEVICE_RELOAD, dev);
	int r;

	if (!dmt || (readonly && !dm_task_set_ro(dmt)) || !devmap_add_targets(dmt, t))
		return -ENOMEM;
	r = devmap_run(dmt, "loading the table of", dev->name);
	return r ? r : check->check_loaded(check->data);
}

static int devmap_create_empty(const struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_CREATE, dev->name);

	if (!dmt || !dm_task_set_uuid(dmt, dev->uuid))
		return -EINVAL;
	return devmap_run(dmt, CREATING, dev->name);
}

/*
 * Remove an incomplete device. The task has no cookie, because all cookies may be in use, and
 * because udev does not know the device yet.
 */
static int devmap_remove_incomplete(const struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_on(DM_DEVICE_REMOVE, dev);
	int r;

	if (!dmt || !dm_task_retry_remove(dmt))
		return -ENOMEM;
	r = devmap_run(dmt, "removing", dev->name);
	devmap_make_node(dev->name);
	return r;
}

static void devmap_clear(const struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_on(DM_DEVICE_CLEAR, dev);

	if (dmt)
		devmap_run(dmt, "clearing the inactive table of", dev->name);
}

static int devmap_resume(const struct devmap_device *dev, const char *doing, uint16_t flags)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_on(DM_DEVICE_RESUME, dev);

	return dmt ? devmap_run_udev(dmt, doing, dev->name, flags) : -ENOMEM;
}

/*
 * FLAGS_NOSCAN: the first flag tells the udev rules of other programs to ignore the device. Only
 * the first event of the device has these flags. The udev rules of this tool remember the second
 * flag, and set the first flag again at each later event.
 */
#define FLAGS_NOSCAN	(DM_UDEV_DISABLE_OTHER_RULES_FLAG | DM_SUBSYSTEM_UDEV_FLAG0)

int devmap_create(const char *name, const char *uuid, const struct table *t,
		  bool readonly, const struct devmap_check *check, int *lock)
{
	const struct devmap_device dev = { .name = (char *)name, .uuid = (char *)uuid };
	sigset_t old;
	int r;

	stop_block(&old);
	r = devmap_create_empty(&dev);
	if (!r) {
		r = devmap_load(&dev, t, readonly, check);
		if (!r) {
			cleanup_close(lock);
			*lock = -1;
			r = devmap_resume(&dev, "resuming", check->noscan ? FLAGS_NOSCAN : 0);
		}
		/* if udev is late, the device is complete */
		if (!devmap_is_done(r) && !devmap_remove_incomplete(&dev))
			log_verbose("%s: the incomplete device was removed", name);
	}
	stop_unblock(&old);
	return r;
}

/*
 * Swap the tables with one ioctl, which suspends the device, swaps the tables and resumes the
 * device. On Linux 6.1, this ioctl also resets the readahead. Since 6.12, a new table only
 * increases the readahead, and keeps a larger value that the user has set.
 */
static int devmap_swap_tables(const struct devmap_device *dev)
{
	uint64_t kib = blockdev_readahead(dev->devno);
	int r = devmap_resume(dev, "switching the table of", 0);

	if (kib > blockdev_readahead(dev->devno))
		blockdev_set_readahead(dev->devno, kib);
	return r;
}

/*
 * Undo a failed switch. The device may be suspended, with its old table still live. The new table
 * was dropped, or is in the inactive slot again.
 */
static void devmap_roll_back(const struct devmap_device *dev, bool was_suspended)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_free_ char *command = name_command("resume", dev->name);
	int r = 0;

	devmap_clear(dev);
	if (!devmap_look(dev, &now) && now.suspended && !was_suspended)
		r = devmap_resume(dev, "resuming", 0);
	/* the device also runs if only udev has not answered */
	if (!devmap_is_done(r))
		log_err("%s stays suspended; to resume it: %s", dev->name, command);
	else
		log_err("%s keeps running with its old table", dev->name);
}

/* Load a table, and make it the live table. Return: the same as devmap_reload(). */
static int devmap_switch(const struct devmap_device *dev, const struct table *t, bool readonly,
			 const struct devmap_check *check)
{
	int r = devmap_load(dev, t, readonly, check);

	if (r) {
		/* clear the new table or, after a failed load, the table of an earlier load */
		devmap_clear(dev);
		log_err("%s keeps running with its old table", dev->name);
		return r;
	}
	/* if the swap fails, the device may be suspended until devmap_roll_back() resumes it */
	log_hold();
	r = devmap_swap_tables(dev);
	if (!devmap_is_done(r))
		devmap_roll_back(dev, dev->suspended);
	log_release();
	return r;
}

int devmap_reload(const struct devmap_device *dev, const struct table *t, bool readonly,
		  const struct devmap_check *check)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_close_ int fd = -1;
	/* the module refuses some files while the device is open */
	int r = devmap_hold(dev, &now, table_has_file(t) ? NULL : &fd);
	sigset_t old;

	if (r)
		return r;
	if (check->alone && (now.inactive_table || now.suspended)) {
		log_err("%s: another process is changing the device: try again", dev->name);
		return -EBUSY;
	}
	stop_block(&old);
	r = devmap_switch(&now, t, readonly, check);
	stop_unblock(&old);
	return r;
}

int devmap_wait_closed(const struct devmap_device *dev, int most)
{
	const struct timespec pause = { .tv_nsec = REMOVE_POLL_MS * 1000000L };
	unsigned int polls = REMOVE_POLLS;
	bool open;
	int r;

	do {
		_cleanup_devmap_device_ struct devmap_device now = { 0 };

		r = devmap_look_again(dev, &now);
		open = !r && now.open_count > most;
	} while (open && polls-- && !nanosleep(&pause, NULL));
	return open ? -EBUSY : r;
}

int devmap_remove(const struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_on(DM_DEVICE_REMOVE, dev);
	/* without a UUID, a second try could remove another device: wait before the first try */
	int r = *dev->uuid ? 0 : devmap_wait_closed(dev, 0);

	if (r && r != -EBUSY)
		return r;
	/* libdm retries only by UUID: the number may belong to another device at the next try */
	if (!dmt || (*dev->uuid && !dm_task_retry_remove(dmt)))
		return -ENOMEM;
	return devmap_run_udev(dmt, "removing", dev->name, 0);
}

int devmap_remove_existing(const struct devmap_device *dev)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	return devmap_is_absent(devmap_look(dev, &now)) ? 0 : devmap_remove(dev);
}

int devmap_remove_when_unused(const struct devmap_device *dev)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_on(DM_DEVICE_REMOVE, dev);
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	int r = *dev->uuid ? 0 : devmap_look_again(dev, &now);

	if (r)
		return r;
	if (!dmt || !dm_task_deferred_remove(dmt))
		return -ENOMEM;
	return devmap_run_udev(dmt, "removing", dev->name, 0);
}

bool devmap_remove_unfinished(const struct devmap_device *dev)
{
	int r = dev->live_table || dev->open_count ? -EBUSY : devmap_remove(dev);

	/* if udev is late, the device is removed nevertheless */
	if (!devmap_is_done(r))
		return false;
	log_warn("%s: an interrupted command had left this device without a table; the device is removed", dev->name);
	return true;
}
