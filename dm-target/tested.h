/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has this build of the module passed the test on the running kernel?
 */
#ifndef DM_NOCLONE_TESTED_H
#define DM_NOCLONE_TESTED_H

#include <linux/types.h>

bool noclone_tested(void);
bool noclone_tested_polled(void);

#endif /* DM_NOCLONE_TESTED_H */
