/* SPDX-License-Identifier: GPL-2.0-only */
/* The unit of a saved device, which removes the device in its turn at shutdown. */
#ifndef NOCLONE_SAVED_UNIT_H
#define NOCLONE_SAVED_UNIT_H

/*
 * The device is active, or is removed: so is its unit when this returns, and no event that
 * comes later starts it.  Does nothing without systemd, and in the unit itself.
 *
 * Context: without the lock of the file, for which the unit waits.
 */
void saved_unit_start(const char *name);
void saved_unit_stop(const char *name);

#endif /* NOCLONE_SAVED_UNIT_H */
