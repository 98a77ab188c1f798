/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of the target noclone-file. */
#ifndef NOCLONE_FILE_TARGET_H
#define NOCLONE_FILE_TARGET_H

#include "model/table-args.h"

/* Return: false if one of them is wrong; then a problem was added. */
bool file_target_parse(struct args *a);

#endif /* NOCLONE_FILE_TARGET_H */
