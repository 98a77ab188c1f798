/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The systemd unit of a saved device. This unit removes the device at the right time during a
 * shutdown.
 */
#ifndef NOCLONE_SAVED_UNIT_H
#define NOCLONE_SAVED_UNIT_H

/*
 * Start the unit of a saved device that has become active, or stop the unit of a device that was
 * removed. @verb: "start" or "stop". The function waits for the unit, so that no later event starts
 * the unit. The function does nothing if systemd does not run, or if the unit itself has started
 * the tool.
 *
 * Context: The caller does not hold the lock of the saved file, because the unit needs this lock.
 */
void saved_unit(const char *verb, const char *name);

#endif /* NOCLONE_SAVED_UNIT_H */
