/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a file. */
#ifndef NOCLONE_FILE_USES_H
#define NOCLONE_FILE_USES_H

#include "model/facts.h"
#include "model/uses.h"

/**
 * file_uses_collect - swap, loop devices and noclone-file targets on a file
 * @uses: filled in
 * @facts: the file
 * @self: mapped device whose own use does not count, or 0
 * @shares: nor does that of devices that share the file with one that only reads
 */
void file_uses_collect(struct uses *uses, const struct file_facts *facts,
		       dev_t self, bool shares);
/* Does mapped device @devno, if not 0, pin the file? */
bool file_uses_is_pinned(const struct file_facts *f, dev_t devno);

#endif /* NOCLONE_FILE_USES_H */
