/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences of device-mapper in the kernel log. */
#ifndef NOCLONE_DEVMAP_LOG_H
#define NOCLONE_DEVMAP_LOG_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Return: the sentence of device-mapper in a record of /dev/kmsg, a new string, or NULL if the
 * record is not from device-mapper. The string has only the words behind "device-mapper: ", and not
 * the numbers before them or the lines behind them.
 */
char *devmap_kernel_sentence(const char *record);
/*
 * Does a sentence of the kernel log name this device? @devno: the number of the device, or 0 if it
 * is not known
 */
bool devmap_sentence_names(const char *sentence, const char *name, dev_t devno);

#endif /* NOCLONE_DEVMAP_LOG_H */
