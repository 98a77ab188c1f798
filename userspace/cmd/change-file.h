/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The saved file of a device that gets a table. These functions change the file together with the
 * device:
 *
 *	change_file_lock()	wait for the lock of the saved file
 *	change_file_read()	read it
 *	change_file_stage()	write the new file beside the old one
 *	...			change the device
 *	change_file_commit()	put the new file in the place of the old one
 *	change_file_end()	always
 *
 * If the file cannot be written, the device stays unchanged. After a power cut, either the old file
 * or the new file exists. For a device that is not saved, these functions only lock its name. In a
 * dry run change_file_stage() checks and does not write. A file that already has the new text is
 * not written.
 */
#ifndef NOCLONE_CHANGE_FILE_H
#define NOCLONE_CHANGE_FILE_H

#include <signal.h>
#include <stdbool.h>

#include "model/saved.h"
#include "model/table.h"
#include "system/devmap.h"
#include "cli/options.h"

/**
 * struct change_file - the change of the saved file
 * @o: the options
 * @dev: the device
 * @live: the live table of the device; empty before the device is created
 * @adds: the command saves the device, which may have no saved file yet
 * @as_is: save the new table even if it has no target of this module
 * @partitions: the numbers of the partitions that get devices, for the file of a new or saved
 *	device, or NULL; other commands keep what the old file says
 * @noscan: rules of udev of other programs leave the device alone, which the file of a new or saved
 *	device says; other commands keep what the old file says
 * @exists: the device has a saved file
 * @left: an interrupted command has left a new file of the device beside the old one
 * @path: the path of the saved file
 * @old: the content of the saved file with this name
 * @damage: why only a part of the saved file could be read, or NULL
 * @text: the text of the new file, set by change_file_stage()
 * @words: the shell command " && ..." that writes the file, set by change_file_stage(); or NULL
 * @staged: a new file exists beside the old one, and signals that would end the tool before it is
 *	committed are blocked
 * @signals: the signal mask before @staged was set
 * @lock: the lock of the saved file, held until change_file_end(); or -1
 */
struct change_file {
	const struct options *o;
	const struct devmap_device *dev;
	const struct table *live;
	bool adds;
	bool as_is;
	char *partitions;
	bool noscan;
	bool exists;
	bool left;
	char *path;
	struct saved old;
	char *damage;
	char *text;
	char *words;
	bool staged;
	sigset_t signals;
	int lock;
};

/*
 * These functions return 0, or a negative errno after a message. After change_file_lock() has
 * waited, the device @name may have changed.
 */
int change_file_lock(struct change_file *f, const char *name);
int change_file_read(struct change_file *f);
/*
 * @new: the new table of the device; its legs and files exist, except in a dry run. @readonly: the
 *	new table makes the device read-only
 */
int change_file_stage(struct change_file *f, const struct table *new, bool readonly);
int change_file_commit(struct change_file *f);
void change_file_end(struct change_file *f);

#endif /* NOCLONE_CHANGE_FILE_H */
