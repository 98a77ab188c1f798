/* SPDX-License-Identifier: GPL-2.0-only */
/* The version of the tool: that of the module it was built with. */
#ifndef NOCLONE_VERSION_H
#define NOCLONE_VERSION_H

#include "dm-noclone.h"

#define VERSION_TEXT_(x)	#x
#define VERSION_TEXT(x)		VERSION_TEXT_(x)
#define TOOL_VERSION		VERSION_TEXT(NOCLONE_VERSION_MAJOR) "." \
				VERSION_TEXT(NOCLONE_VERSION_MINOR) "." \
				VERSION_TEXT(NOCLONE_VERSION_PATCH)

#endif /* NOCLONE_VERSION_H */
