/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The saved file of a device that gets a new table. These functions change the file together with
 * the device:
 *
 *	change_file_lock()	wait for the lock of the saved file
 *	change_file_read()	read the saved file
 *	change_file_stage()	write the new file beside the old one
 *	...			change the device
 *	change_file_commit()	put the new file in the place of the old one
 *	change_file_end()	in any case: remove a new file that is not committed, and unlock
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
 * @partitions: for a command with @adds: the numbers of the partitions that get devices, which the
 *	new file lists, or NULL. The new file of any other command lists the same partitions as the
 *	old file
 * @noscan: for a command with @adds: the new file says that the udev rules of other programs ignore
 *	the device. The new file of any other command says the same as the old file
 * @exists: the saved file with the name of the device exists and belongs to the device
 * @left: an interrupted command has left a new file of the device beside the old one
 * @path: the path of the saved file
 * @old: the content of the saved file at @path
 * @damage: why only a part of the saved file could be read, or NULL
 * @text: the text of the new file, set by change_file_stage()
 * @words: the shell command " && noclone save NAME" for a dry run, set by change_file_stage(); NULL
 *	if the file stays unchanged
 * @staged: the new file exists beside the old one, and is not committed yet. Signals that would end
 *	the tool are blocked meanwhile
 * @signals: the signal mask from before the signals were blocked for @staged
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
 * These functions return 0, or a negative errno after a message. While change_file_lock() waits for
 * the lock, another process may change the device @name.
 */
int change_file_lock(struct change_file *f, const char *name);
int change_file_read(struct change_file *f);
/*
 * @new: the new table of the device; the legs and files of this table exist, except in a dry run.
 * @readonly: the new table makes the device read-only
 */
int change_file_stage(struct change_file *f, const struct table *new, bool readonly);
int change_file_commit(struct change_file *f);
void change_file_end(struct change_file *f);

#endif /* NOCLONE_CHANGE_FILE_H */
