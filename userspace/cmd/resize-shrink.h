/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone resize: may a device become smaller? */
#ifndef NOCLONE_RESIZE_SHRINK_H
#define NOCLONE_RESIZE_SHRINK_H

#include "model/problems.h"
#include "model/resize.h"
#include "system/devmap.h"
#include "system/filesystem.h"
#include "cli/options.h"

/* Was that asked for?  Return: NULL, or the sentence to refuse it with: a new string. */
char *shrink_usage(const struct options *o, const struct resize_size *size,
		   const char *name, uint64_t old, uint64_t sectors);
/* Errors for everything that is behind the new end. */
void shrink_check(const struct options *o, const struct devmap_device *dev,
		  const struct filesystem *fs, uint64_t old, uint64_t sectors,
		  struct problems *problems);

#endif /* NOCLONE_RESIZE_SHRINK_H */
