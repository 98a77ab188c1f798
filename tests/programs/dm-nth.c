// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-nth NAME SECTORS TARGET PARAMETERS [OTHER-PARAMETERS]: each ioctl in the life of a mapped
 * device with one target, again and again while the first allocation in it fails, the second,
 * and so on, until there are no more. It succeeds or says that there is no memory, and then
 * the same succeeds with memory. With other parameters, every second table has them.
 * dm-nth MODULE.ko: the same for loading and unloading that module.
 *
 * Prints how many allocations each had.
 */
#define _GNU_SOURCE
#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "nth.h"

enum action { CREATE, LOAD, SUSPEND, RESUME, OFF, ON, REMOVE, INSERT, DELETE };

static const char *const words[] = {
	"create", "load", "suspend", "resume", "off", "on", "remove", "insmod", "rmmod",
};

static const char *name, *target;
static const char *parameters[2];
static uint64_t sectors;
static unsigned int tables;
static int module;

/* Ioctls of device-mapper without libdevmapper */
static int dm_control;

static union {
	struct dm_ioctl head;
	char bytes[16384];
} dm_io;

static void dm_open(void)
{
	dm_control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (dm_control < 0)
		die("/dev/mapper/control");
}

/* Forget the last one. Return: where what follows the head begins, such as a target. */
static void *dm_begin(void)
{
	memset(&dm_io, 0, sizeof(dm_io));
	return dm_io.bytes + sizeof(dm_io.head);
}

/* Return: 0 or a negative errno. */
static int dm_run(const char *name, unsigned int command, unsigned int flags)
{
	dm_io.head.version[0] = DM_VERSION_MAJOR;
	dm_io.head.data_size = sizeof(dm_io);
	dm_io.head.data_start = sizeof(dm_io.head);
	dm_io.head.flags = flags;
	strncpy(dm_io.head.name, name, sizeof(dm_io.head.name) - 1);
	return ioctl(dm_control, command, &dm_io) ? -errno : 0;
}

static int load(void)
{
	struct dm_target_spec *spec = dm_begin();

	dm_io.head.target_count = 1;
	spec->length = sectors;
	strcpy(spec->target_type, target);
	strcpy((char *)(spec + 1), parameters[tables++ % 2]);
	return dm_run(name, DM_TABLE_LOAD, 0);
}

static int message(const char *text)
{
	struct dm_target_msg *msg = dm_begin();

	strcpy(msg->message, text);
	return dm_run(name, DM_TARGET_MSG, 0);
}

static int act(enum action a)
{
	dm_begin();
	switch (a) {
	case CREATE:
		return dm_run(name, DM_DEV_CREATE, 0);
	case LOAD:
		return load();
	case SUSPEND:
		return dm_run(name, DM_DEV_SUSPEND, DM_SUSPEND_FLAG);
	case RESUME:
		return dm_run(name, DM_DEV_SUSPEND, 0);
	case OFF:
		return message("fastpath off");
	case ON:
		return message("fastpath on");
	case REMOVE:
		return dm_run(name, DM_DEV_REMOVE, 0);
	case INSERT:
		return syscall(__NR_finit_module, module, "", 0) ? -errno : 0;
	default:
		return syscall(__NR_delete_module, "dm_noclone", O_NONBLOCK) ? -errno : 0;
	}
}

/* With memory; what is so already is no error. */
static void must(enum action a, int allowed)
{
	int r = act(a);

	if (r && r != allowed)
		errx(EXIT_FAILURE, "%s with memory: %s", words[a], strerror(-r));
}

/* The device is there, runs and has its fast path, whatever was before; or the module is there. */
static void be_there(void)
{
	if (module) {
		must(INSERT, -EEXIST);
		return;
	}
	must(CREATE, -EBUSY);
	must(LOAD, 0);
	must(SUSPEND, -EINVAL);
	must(RESUME, 0);
	must(ON, 0);
}

/* As little as @a needs: that is done for each allocation. */
static void prepare(enum action a)
{
	switch (a) {
	case CREATE:
		must(REMOVE, -ENXIO);
		return;
	case LOAD:
		return;
	case RESUME:
	case REMOVE:
		must(CREATE, -EBUSY);
		must(LOAD, 0);
		must(a == REMOVE ? RESUME : SUSPEND, -EINVAL);
		return;
	default:
		be_there();
		if (a == INSERT)
			must(DELETE, 0);
		else if (a == ON)
			must(OFF, 0);
	}
}

static void each_allocation(enum action a)
{
	unsigned int n = 0;
	bool failed;
	int r;

	do {
		prepare(a);
		fail_nth(++n);
		r = act(a);
		failed = has_failed();
		/* dm core calls that no such device, and the kernel's swap code an invalid file. */
		if (r && (!failed || (r != -ENOMEM && (a != CREATE || r != -ENXIO) &&
				      (a != LOAD || r != -EINVAL))))
			errx(EXIT_FAILURE, "%s without allocation %u: %s", words[a], n, strerror(-r));
	} while (failed);
	be_there();
	printf("%s %u ", words[a], n - 1);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	enum action a, from = argc == 2 ? INSERT : CREATE, to = argc == 2 ? DELETE : REMOVE;

	if (argc == 2) {
		module = open(argv[1], O_RDONLY | O_CLOEXEC);
		if (module < 0)
			die("%s", argv[1]);
	} else if (argc < 5) {
		errx(EXIT_FAILURE, "usage: dm-nth NAME SECTORS TARGET PARAMETERS [OTHERS] | MODULE.ko");
	} else {
		name = argv[1];
		sectors = atol(argv[2]);
		target = argv[3];
		parameters[0] = argv[4];
		parameters[1] = argv[argc - 1];
		dm_open();
	}
	nth_open();
	for (a = from; a <= to; a++)
		each_allocation(a);
	return EXIT_SUCCESS;
}
