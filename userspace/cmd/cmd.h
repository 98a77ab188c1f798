/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of the commands. Only cmd/ and the files that call it, such as commands.c, use exit
 * codes.
 */
#ifndef NOCLONE_CMD_H
#define NOCLONE_CMD_H

#include "cli/options.h"

#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

int cmd_create(const struct options *o, int argc, char **argv);
int cmd_reload(const struct options *o, int argc, char **argv);
int cmd_remove(const struct options *o, const char *word);
int cmd_save(const struct options *o, const char *word);
int cmd_activate(const struct options *o, int argc, char **argv);
int cmd_deactivate(const struct options *o, int argc, char **argv);
int cmd_resize(const struct options *o, int argc, char **argv);
int cmd_enable(const struct options *o, int argc, char **argv);
int cmd_disable(const struct options *o, int argc, char **argv);
int cmd_convert(const struct options *o, const char *word);
int cmd_status(const struct options *o, int argc, char **argv);
int cmd_check(const struct options *o, int argc, char **argv);
int cmd_explain(const struct options *o, int argc, char **argv);
int cmd_export(const struct options *o, int argc, char **argv);
int cmd_doctor(const struct options *o, int argc, char **argv);
int cmd_bench(const struct options *o, int argc, char **argv);

#endif /* NOCLONE_CMD_H */
