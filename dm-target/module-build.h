/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_MODULE_BUILD_H
#define DM_NOCLONE_MODULE_BUILD_H

/* The build word */
extern const char noclone_build[];

#endif /* DM_NOCLONE_MODULE_BUILD_H */
