// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-fuzz SEED COUNT FILE DEV...: so many random ioctls, messages and parameters on six mapped
 * devices of the targets of this module and of stock ones, over these disks, this file and each
 * other, with tables that are right, nearly right and wrong, while two processes read and
 * write. At the end each device is resumed and removed.
 *
 * Nothing has to succeed. The kernel must not complain, and each ioctl has to come back: a
 * suspend above a suspended device does after a signal, as with stock.
 *
 * Prints how many have succeeded.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "dm.h"

#define DEVICES		6
#define LINES		4
#define WORKERS		2
/* Their nodes are there without udev, too. */
#define MINOR		100
#define pick(array)	(array)[random_below(sizeof(array) / sizeof(*(array)))]

static const char *const garbage[] = {
	"", "-1", "0", "1", "7", "8", "4294967295", "4294967296", "18446744073709551615", "x", "%s%n",
	"no_fastpath", "engine", "direct", "extent", "buffered", "/", "/dev/null", "/dev/dm-0", "1:0",
	"254:0", "999:999", "\\x20", "\xff", "2", "3",
};
static const char *const messages[] = {
	"fastpath on", "fastpath off", "fastpath", "fastpath maybe", "", "@cancel_deferred_remove",
	"@stats_list", "@stats_create - 1024", "@stats_delete 0", "reset", "on",
};
static const char *const parameters[] = {
	"stock", "stock", "polled", "fastpath", "reserved_ios", "fail_tiers",
};
static const char *const values[] = { "on", "off", "on", "Y", "N", "Y", "", "0", "2", "x" };
static const char *const engines[] = { "direct", "extent", "buffered", "sync", "none" };

static char **disk, *file;
static unsigned int nr_disks, calls, good;

/* After dm_begin(). A signal ends what a signal may end. */
static int run(unsigned int nr, unsigned int command, unsigned int flags)
{
	char name[16];
	int r;

	snprintf(name, sizeof(name), "fuzz%u", nr);
	if (command == DM_DEV_CREATE)
		dm_io.head.dev = MINOR + nr;
	alarm(2);
	r = dm_run(name, command, flags);
	alarm(0);
	calls++;
	good += !r;
	return r;
}

static int begin_and_run(unsigned int nr, unsigned int command, unsigned int flags)
{
	dm_begin();
	return run(nr, command, flags);
}

/* A disk, or a device with a lower number: not itself, and no circle */
static void leg(char *text, size_t size, unsigned int nr)
{
	if (nr && !random_below(3))
		snprintf(text, size, "/dev/dm-%lu %lu", MINOR + random_below(nr),
			 random_below(64) * 8);
	else
		snprintf(text, size, "%s %lu", disk[random_below(nr_disks)],
			 random_below(64) * 8);
}

static void striped(char *text, size_t size, unsigned int nr)
{
	unsigned int n = random_below(4) + 1;
	size_t at = snprintf(text, size, "%u %u", n, 8u << random_below(4));

	while (n--) {
		text[at++] = ' ';
		leg(text + at, size - at, nr);
		at += strlen(text + at);
	}
}

/* One word becomes another. */
static void spoil(char *text, size_t size)
{
	char copy[1024], *word, *save = NULL;
	unsigned int bad = random_below(5), i = 0;
	size_t at = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		at += snprintf(text + at, size - at, "%s%s", at ? " " : "",
			       i++ == bad ? pick(garbage) : word);
}

static void line(char *type, char *text, size_t size, unsigned int nr)
{
	static const char *const types[] = {
		"noclone-linear", "noclone-striped", "noclone-file", "noclone-zero", "linear", "striped",
		"error",
	};
	unsigned int kind = random_below(7);

	strcpy(type, types[kind]);
	*text = '\0';
	if (kind == 0 || kind == 4)
		leg(text, size, nr);
	else if (kind == 1 || kind == 5)
		striped(text, size, nr);
	else if (kind == 2)
		snprintf(text, size, "%s %lu 2 engine %s", file, random_below(8) * 8, pick(engines));
	if (kind < 2 && !random_below(6))
		strcat(text, " 1 no_fastpath");
	if (!random_below(6))
		spoil(text, size);
}

static void load(unsigned int nr)
{
	unsigned int lines = random_below(4) ? 1 : random_below(LINES) + 1, i;
	struct dm_target_spec *spec = dm_begin();
	uint64_t at = 0;

	dm_io.head.target_count = lines;
	for (i = 0; i < lines; i++) {
		char *text = (char *)(spec + 1);

		spec->sector_start = at;
		/* a multiple of most stripes */
		spec->length = (random_below(8) + 1) * 1536 * 2;
		line(spec->target_type, text, 1024, nr);
		at += spec->length;
		spec->next = sizeof(*spec) + (strlen(text) + 8) / 8 * 8;
		spec = (void *)((char *)spec + spec->next);
	}
	run(nr, DM_TABLE_LOAD, random_below(8) ? 0 : DM_READONLY_FLAG);
}

static void message(unsigned int nr)
{
	struct dm_target_msg *msg = dm_begin();

	msg->sector = random_below(4) ? 0 : random_below(4096);
	strcpy(msg->message, random_below(8) ? pick(messages) : pick(garbage));
	run(nr, DM_TARGET_MSG, 0);
}

static void parameter(void)
{
	char path[128];
	const char *value = pick(values);
	int fd;

	snprintf(path, sizeof(path), "/sys/module/dm_noclone/parameters/%s", pick(parameters));
	fd = open(path, O_WRONLY);
	alarm(2);
	if (fd >= 0)
		good += write(fd, value, strlen(value)) >= 0;
	alarm(0);
	close(fd);
	calls++;
}

static void step(unsigned int nr)
{
	static const unsigned int ways[] = {
		0, 0, DM_SKIP_LOCKFS_FLAG, DM_NOFLUSH_FLAG, DM_SKIP_LOCKFS_FLAG | DM_NOFLUSH_FLAG,
	};

	switch (random_below(12)) {
	case 0:
		begin_and_run(nr, DM_DEV_CREATE, DM_PERSISTENT_DEV_FLAG);
		break;
	case 1:
		if (!random_below(4))
			begin_and_run(nr, DM_DEV_REMOVE, random_below(3) ? 0 : DM_DEFERRED_REMOVE);
		break;
	case 2 ... 4:
		load(nr);
		break;
	case 5:
		begin_and_run(nr, DM_DEV_SUSPEND, DM_SUSPEND_FLAG | pick(ways));
		break;
	case 6 ... 7:
		begin_and_run(nr, DM_DEV_SUSPEND, 0);
		break;
	case 8:
		begin_and_run(nr, random_below(4) ? DM_TABLE_STATUS : DM_TABLE_CLEAR,
		    random_below(2) ? DM_NOFLUSH_FLAG : DM_NOFLUSH_FLAG | DM_STATUS_TABLE_FLAG);
		break;
	case 9 ... 10:
		message(nr);
		break;
	default:
		parameter();
	}
}

/* Reads and writes of any size, on devices that come and go. */
static void work(uint64_t seed)
{
	char path[64], *data = pages(1 << 20);

	random_seed(seed);
	for (;;) {
		uint64_t bytes = random_size(2047) * SECTOR, at = random_below(24576) * SECTOR;
		int fd;

		snprintf(path, sizeof(path), "/dev/dm-%lu", MINOR + random_below(DEVICES));
		fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC | (random_below(4) ? 0 : O_DSYNC));
		if (fd < 0 || (random_below(2) ? pread : (ssize_t (*)(int, void *, size_t, off_t))pwrite)
		    (fd, data, bytes, at) < 0)
			usleep(1000);
		close(fd);
	}
}

/* The device runs, with the table that it has, or without any data. */
static void wake(unsigned int nr)
{
	struct dm_target_spec *spec;

	begin_and_run(nr, DM_TABLE_CLEAR, 0);
	if (!begin_and_run(nr, DM_DEV_SUSPEND, 0))
		return;
	spec = dm_begin();
	dm_io.head.target_count = 1;
	spec->length = 8;
	strcpy(spec->target_type, "error");
	run(nr, DM_TABLE_LOAD, 0);
	begin_and_run(nr, DM_DEV_SUSPEND, 0);
}

static void ignore(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = ignore };
	pid_t worker[WORKERS];
	unsigned int left, i;

	if (argc < 5)
		errx(EXIT_FAILURE, "usage: dm-fuzz SEED COUNT FILE DEV...");
	file = argv[3];
	disk = argv + 4;
	nr_disks = argc - 4;
	dm_open();
	/* without SA_RESTART */
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < WORKERS; i++) {
		worker[i] = fork();
		if (!worker[i])
			work(atol(argv[1]) * WORKERS + i);
	}
	random_seed(atol(argv[1]));
	for (i = 0; i < DEVICES; i++)
		begin_and_run(i, DM_DEV_CREATE, DM_PERSISTENT_DEV_FLAG);
	for (left = atol(argv[2]); left; left--)
		step(random_below(DEVICES));
	printf("%u calls, %u have succeeded\n", calls, good);
	for (i = 0; i < DEVICES; i++)
		wake(i);
	for (i = 0; i < WORKERS; i++) {
		kill(worker[i], SIGKILL);
		waitpid(worker[i], NULL, 0);
	}
	for (i = DEVICES; i--;) {
		int r = begin_and_run(i, DM_DEV_REMOVE, 0);

		if (r && r != -ENXIO)
			errx(EXIT_FAILURE, "fuzz%u cannot be removed: %s", i, strerror(-r));
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
