/* SPDX-License-Identifier: GPL-2.0-only */
/* The file system on a mapped device, which fsadm(8) of lvm2 makes larger. */
#ifndef NOCLONE_FSADM_H
#define NOCLONE_FSADM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * fsadm_plan - will fsadm know what to do?  Changes nothing
 * @device: path
 * @sectors: size that the device is to have
 * @mounted: set: if not, fsadm_check() has to come before the growth
 *
 * Return: 0, or a negative errno after a message.
 */
int fsadm_plan(const char *device, uint64_t sectors, bool *mounted);

/*
 * Check a file system that is not mounted; let it fill its device.
 *
 * Context: stop_hold().
 * Return: 0, or a negative errno after a message.
 */
int fsadm_check(const char *device);
int fsadm_resize(const char *device);
/* The same as command lines that fail where these do: new strings. */
char *fsadm_check_words(const char *device);
char *fsadm_resize_words(const char *device);

/* What makes a file system or the like larger, to be typed: a new string, or NULL. */
char *fsadm_advice(const char *type, const char *device);

#endif /* NOCLONE_FSADM_H */
