/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the running kernel treat bios in the way that the fast path relies on?
 */
#ifndef DM_NOCLONE_PROBE_H
#define DM_NOCLONE_PROBE_H

int noclone_probe_run(const char **failed);

#endif /* DM_NOCLONE_PROBE_H */
