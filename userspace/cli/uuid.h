/* SPDX-License-Identifier: GPL-2.0-only */
/* The DM UUID of a new device. */
#ifndef NOCLONE_UUID_H
#define NOCLONE_UUID_H

/*
 * @requested with the prefix of our devices, or a random one if that is NULL: a new
 * string, or NULL after a message.
 */
char *uuid_make(const char *requested);

#endif /* NOCLONE_UUID_H */
