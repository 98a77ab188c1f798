// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for LD_PRELOAD that runs a shell command once, before an ioctl of device-mapper.
 *
 * $BEFORE_IOCTL is the number of the ioctl in <linux/dm-ioctl.h>. With a "+" behind the number,
 * the library waits for an ioctl that names a device by its number. $BEFORE_RUN is the command.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/dm-ioctl.h>
#include <linux/ioctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_before(unsigned long request, const struct dm_ioctl *dmi)
{
	const char *number = getenv("BEFORE_IOCTL"), *command = getenv("BEFORE_RUN");

	if (!number || !command || _IOC_TYPE(request) != DM_IOCTL ||
	    _IOC_NR(request) != strtoul(number, NULL, 10) || (strchr(number, '+') && !dmi->dev))
		return;
	unsetenv("LD_PRELOAD");
	unsetenv("BEFORE_IOCTL");
	if (system(command))
		fprintf(stderr, "before-ioctl: the command failed: %s\n", command);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, void *) =
		(int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	run_before(request, arg);
	return next(fd, request, arg);
}
