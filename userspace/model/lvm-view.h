/* SPDX-License-Identifier: GPL-2.0-only */
/* Which devices LVM looks at: its devices file, or the filters of lvm.conf. */
#ifndef NOCLONE_LVM_VIEW_H
#define NOCLONE_LVM_VIEW_H

#include <stdbool.h>

/* What could not be looked at is not "no". */
enum answer {
	ANSWER_UNKNOWN,
	ANSWER_NO,
	ANSWER_YES,
};

/**
 * struct lvm_view - what LVM goes by
 * @config: what "lvmconfig --type full" says, lines KEY=VALUE; NULL without LVM
 * @devices_file: text of the devices file; NULL if there is none
 * @devices_file_unreadable: there is one that could not be read
 */
struct lvm_view {
	char *config;
	char *devices_file;
	bool devices_file_unreadable;
};

/* Is a devices file in use?  Then filters do not count. */
bool lvm_uses_devices_file(const struct lvm_view *view);

/* Has somebody set global_filter? */
bool lvm_has_filter(const struct lvm_view *view);

/**
 * lvm_sees - does LVM look at a device?
 * @view: what it goes by
 * @name: all names of the device
 * @nr: how many
 *
 * Without a devices file each name is matched with global_filter and filter; a
 * name that is accepted wins over one that is rejected, as in LVM.
 */
enum answer lvm_sees(const struct lvm_view *view, char *const *name, unsigned int nr);
void lvm_view_free(struct lvm_view *view);

#endif /* NOCLONE_LVM_VIEW_H */
