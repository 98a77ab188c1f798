// SPDX-License-Identifier: GPL-2.0-only
/*
 * The build word: a hash of all other object files of the module, which Kbuild writes to a header.
 * This file has no other code, because its own object file cannot be part of the hash.
 */
#include "module-build.h"
#include "include/dm-noclone.h"

#include <linux/build_bug.h>
#include <linux/module.h>

const char noclone_build[] = NOCLONE_BUILD;
static_assert(sizeof(noclone_build) == NOCLONE_BUILD_DIGITS + 1,
	      "sha256sum has printed no hash for build-word.h");

/* The word for modinfo and for the tool */
MODULE_INFO(build, NOCLONE_BUILD);
