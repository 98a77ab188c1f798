/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of saved devices. */
#ifndef NOCLONE_SAVED_FILE_H
#define NOCLONE_SAVED_FILE_H

#include <stdbool.h>

#include "model/saved.h"

bool saved_file_exists(const char *name);
/* The file of a device: a new string; NULL with errno set. */
char *saved_file_text(const char *name);
/* The same; NULL after a message. */
char *saved_file_read(const char *name);
/*
 * Others that change the file, or activate or deactivate the device, wait until this file
 * descriptor is closed, but not for ever.  A negative errno after a message.
 */
int saved_file_lock(const char *name);
/*
 * Until the next boot: its legs have other signatures than the file says, and were used
 * nevertheless.
 */
void saved_file_set_forced(const char *name, bool forced);
bool saved_file_is_forced(const char *name);
/* 0 or a negative errno. */
int saved_file_write(const char *name, const char *text);
/* The same beside it, where it is not found any more. */
int saved_file_write_old(const char *name, const char *text);
/* Each of these: 0, or a negative errno after a message. */
int saved_file_remove(const char *name);
/* Call @visit for each device that has a file, sorted by name. */
int saved_file_for_each(void (*visit)(const char *name, void *data), void *data);

#endif /* NOCLONE_SAVED_FILE_H */
