// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend and resume a mapped device many times, for the test of a kernel.
 *
 *	cycle NAME ROUNDS LEG TABLE TABLE
 *
 * LEG is the disk below, as /sys/block names it: after each suspend this disk must have no I/O in
 * flight. Each third round loads the other table while the device is suspended. The suspends have
 * all combinations of the flags that leave out the flush and the freeze of a file system. A round
 * ends with a pause of 0 to 7 ms: a suspend that comes at once meets the I/O that the previous one
 * has held back, and a later suspend meets I/O that was submitted to the active device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int cycle_control;
static const char *cycle_name;

static struct {
	struct dm_ioctl head;
	char data[4096];
} cycle_request;

static void cycle_begin(unsigned int flags)
{
	memset(&cycle_request, 0, sizeof(cycle_request));
	cycle_request.head.version[0] = DM_VERSION_MAJOR;
	cycle_request.head.data_size = sizeof(cycle_request);
	cycle_request.head.data_start = sizeof(cycle_request.head);
	cycle_request.head.flags = flags;
	snprintf(cycle_request.head.name, sizeof(cycle_request.head.name), "%s", cycle_name);
}

static void cycle_call(unsigned long command, const char *what, long round)
{
	if (!ioctl(cycle_control, command, &cycle_request))
		return;
	fprintf(stderr, "expected that round %ld %s the device, and saw: %s\n", round, what,
		strerror(errno));
	exit(1);
}

/* Load a table, which has a target in each line. */
static void cycle_load(const char *table, long round)
{
	unsigned long long start, length;
	size_t used = 0, params;
	int at;
	char *line, *text = strdup(table);

	cycle_begin(0);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct dm_target_spec *spec = (void *)(cycle_request.data + used);

		if (sscanf(line, "%llu %llu %15s %n", &start, &length, spec->target_type, &at) < 3)
			exit(2);
		spec->sector_start = start;
		spec->length = length;
		strcpy((char *)(spec + 1), line + at);
		params = strlen(line + at) + 1;
		spec->next = sizeof(*spec) + (params + 7) / 8 * 8;
		used += spec->next;
		cycle_request.head.target_count++;
	}
	cycle_call(DM_TABLE_LOAD, "loads a table of", round);
	free(text);
}

/* Return: how many I/Os are in flight on the disk. */
static long cycle_in_flight(const char *leg)
{
	char path[256], text[64] = "";
	long reads = -1, writes = 0;
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%s/inflight", leg);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0 ||
	    sscanf(text, "%ld %ld", &reads, &writes) != 2)
		exit(2);
	close(fd);
	return reads + writes;
}

/*
 * Check that the disk has no I/O in flight. A disk counts a request as done after its bio, so look
 * again before this is an error.
 */
static void cycle_is_idle(const char *leg, long round)
{
	long n = cycle_in_flight(leg);
	int tries;

	for (tries = 0; n && tries < 3; tries++) {
		usleep(300);
		n = cycle_in_flight(leg);
	}
	if (!n)
		return;
	fprintf(stderr, "expected no I/O on the leg after the suspend of round %ld, and saw %ld in flight\n",
		round, n);
	exit(1);
}

static void cycle_round(char **argv, long round)
{
	cycle_begin(DM_SUSPEND_FLAG | (round & 1 ? DM_NOFLUSH_FLAG : 0) |
		    (round & 2 ? DM_SKIP_LOCKFS_FLAG : 0));
	cycle_call(DM_DEV_SUSPEND, "suspends", round);
	cycle_is_idle(argv[3], round);
	if (round % 3 == 2)
		cycle_load(argv[4 + round % 2], round);
	cycle_begin(0);
	cycle_call(DM_DEV_SUSPEND, "resumes", round);
	/* each combination of the flags meets each of eight pauses */
	usleep(round / 4 % 8 * 1000);
}

int main(int argc, char **argv)
{
	long round, rounds;

	if (argc != 6) {
		fprintf(stderr, "cycle: wrong arguments\n");
		return 2;
	}
	cycle_name = argv[1];
	rounds = atol(argv[2]);
	cycle_control = open("/dev/mapper/control", O_RDWR);
	if (cycle_control < 0) {
		perror("cycle: /dev/mapper/control");
		return 2;
	}
	for (round = 0; round < rounds; round++)
		cycle_round(argv, round);
	return 0;
}
