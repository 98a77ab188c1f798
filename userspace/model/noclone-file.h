/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of the target noclone-file. */
#ifndef NOCLONE_NOCLONE_FILE_ARGS_H
#define NOCLONE_NOCLONE_FILE_ARGS_H

#include "model/table-args.h"

/* Return: false if one of them is wrong; then a problem was added. */
bool noclone_file_parse(struct args *a);

#endif /* NOCLONE_NOCLONE_FILE_ARGS_H */
