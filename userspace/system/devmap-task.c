// SPDX-License-Identifier: GPL-2.0-only
/*
 * One libdevmapper task, which is one ioctl, and what surrounds it: waiting for
 * udev, and saying why it failed.
 */
#include "system/devmap-task.h"

#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"

#define UDEV_POLL_MS	10

static struct devmap_config config = { true, 30 };

void devmap_task_cleanup(struct dm_task **dmt)
{
	if (*dmt)
		dm_task_destroy(*dmt);
}

/* libdm's messages repeat ours with less detail: keep them for --debug. */
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

void devmap_setup(const struct devmap_config *c)
{
	config = *c;
	/* two kernel's names must not be one here: see model/name.c */
	dm_set_name_mangling_mode(DM_STRING_MANGLING_NONE);
	dm_log_with_errno_init(libdm_log);
	if (!config.udev_sync)
		dm_udev_set_sync_support(0);
	else if (!dm_udev_get_sync_support())
		log_verbose("udev is not running: device nodes are made without it");
}

struct dm_task *devmap_task_new(int type, const char *name)
{
	struct dm_task *dmt = dm_task_create(type);

	if (dmt && name && !dm_task_set_name(dmt, name)) {
		dm_task_destroy(dmt);
		return NULL;
	}
	return dmt;
}

static int devmap_task_errno(struct dm_task *dmt)
{
	int err = dm_task_get_errno(dmt);

	return err ? -err : -EIO;
}

bool devmap_driver_loaded(void)
{
	return !access("/sys/devices/virtual/misc/device-mapper", F_OK);
}

const char *devmap_strerror(int err)
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
		return "only root may do that";
	case ETXTBSY:
		return "a file is open for writing, pinned, or a running program";
	default:
		return strerror(err);
	}
}

static void devmap_report(const char *doing, const char *name, int err,
			  struct kmsg *kmsg)
{
	_cleanup_free_ char *said = kmsg_read(kmsg);
	char *save = NULL, *line;

	/* of this one, EBUSY means that the name or UUID exists */
	if (err == EBUSY && !strcmp(doing, DEVMAP_CREATING))
		err = EEXIST;
	log_err("%s %s failed: %s", doing, name, devmap_strerror(err));
	for (line = said ? strtok_r(said, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		/* only repeats that the target was refused */
		if (strcmp(line, "ioctl: error adding target to table"))
			log_err("kernel: %s", line);
}

int devmap_task_run(struct dm_task *dmt, const char *doing, const char *name)
{
	struct kmsg kmsg;
	int r = 0;

	kmsg_mark(&kmsg);
	log_debug("%s %s", doing, name);
	if (!dm_task_run(dmt)) {
		r = devmap_task_errno(dmt);
		devmap_report(doing, name, -r, &kmsg);
	}
	kmsg_close(&kmsg);
	return r;
}

/*
 * Wait until udev has processed the event, with a limit: a killed udev worker
 * never answers, and dm_udev_wait() would wait for ever.
 */
static int devmap_wait_udev(uint32_t cookie, const char *name)
{
	const struct timespec nap = { .tv_nsec = UDEV_POLL_MS * 1000000L };
	uint64_t polls = (uint64_t)config.udev_timeout * 1000 / UDEV_POLL_MS;
	int ready = 0;

	if (!cookie)
		return 0;
	for (;;) {
		if (!dm_udev_wait_immediate(cookie, &ready)) {
			log_err("%s: done in the kernel, but another process has released the udev cookie: udev may still be at work",
				name);
			return -ETIMEDOUT;
		}
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

int devmap_task_run_udev(struct dm_task *dmt, const char *doing,
			 const char *name)
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
	r = devmap_task_run(dmt, doing, name);
	waited = devmap_wait_udev(cookie, name);
	dm_task_update_nodes();
	return r ? r : waited;
}

struct dm_task *devmap_query_new(int type, const char *name)
{
	return devmap_driver_loaded() ? devmap_task_new(type, name) : NULL;
}

const char *devmap_reason(int r)
{
	return devmap_strerror(-r);
}

int devmap_permitted(void)
{
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC), err = errno;

	if (fd >= 0)
		close(fd);
	return fd < 0 && (err == EACCES || err == EPERM) ? -err : 0;
}

int devmap_query_run(struct dm_task *dmt)
{
	/* libdm makes no task that it cannot run, or for a name that no device can have */
	if (!dmt && devmap_driver_loaded())
		return devmap_permitted() ? -EACCES : -ENXIO;
	if (!dmt)
		return -ENODEV;
	return dm_task_run(dmt) ? 0 : devmap_task_errno(dmt);
}

/* Reading the kernel log around an ioctl. */
#define RECORD_MAX	8192

void kmsg_mark(struct kmsg *k)
{
	k->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (k->fd < 0)
		log_debug("/dev/kmsg: %s", strerror(errno));
	else
		lseek(k->fd, 0, SEEK_END);
}

char *kmsg_sentence(const char *record)
{
	const char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text++;
	if (str_starts(text, "device-mapper: "))
		text += strlen("device-mapper: ");
	else if (!str_starts(text, "dm-noclone"))
		return NULL;
	return xstrndup(text, strcspn(text, "\n"));
}

char *kmsg_read(struct kmsg *k)
{
	struct strbuf b = { 0 };
	char record[RECORD_MAX + 1];
	ssize_t n;

	/* EPIPE: the oldest records were overwritten, the next read goes on */
	while (k->fd >= 0 &&
	       ((n = read(k->fd, record, RECORD_MAX)) > 0 ||
		(n < 0 && errno == EPIPE))) {
		_cleanup_free_ char *sentence = NULL;

		if (n < 0)
			continue;
		record[n] = 0;
		sentence = kmsg_sentence(record);
		if (sentence)
			strbuf_add(&b, "%s%s", b.len ? "\n" : "", sentence);
	}
	return b.text;
}

void kmsg_close(struct kmsg *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}
