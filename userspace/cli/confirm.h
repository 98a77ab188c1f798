/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the user. */
#ifndef NOCLONE_CONFIRM_H
#define NOCLONE_CONFIRM_H

#include "base/util.h"
#include "cli/options.h"

/* Does the user agree?  Without --yes and without a terminal: no. */
bool confirm(const struct options *o, const char *fmt, ...) __printf(2, 3);

#endif /* NOCLONE_CONFIRM_H */
