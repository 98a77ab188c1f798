/* SPDX-License-Identifier: GPL-2.0-only */
/* The unit of a saved device, which removes the device at the right time at shutdown. */
#ifndef NOCLONE_SAVED_UNIT_H
#define NOCLONE_SAVED_UNIT_H

/*
 * Start or stop the unit of a device that becomes active or is removed. @verb is "start" or "stop".
 * When this function returns, the unit has that state, so no later event starts it. The function
 * does nothing if systemd does not run, or if the unit itself has started the tool.
 *
 * Context: without the lock of the file, for which the unit waits.
 */
void saved_unit(const char *verb, const char *name);

#endif /* NOCLONE_SAVED_UNIT_H */
