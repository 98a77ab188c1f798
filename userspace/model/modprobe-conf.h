/* SPDX-License-Identifier: GPL-2.0-only */
/* What modprobe.d(5) and the kernel's command line say about our module. */
#ifndef NOCLONE_MODPROBE_CONF_H
#define NOCLONE_MODPROBE_CONF_H

#include <stdbool.h>

enum modprobe_kind {
	MODPROBE_BLACKLIST,	/* not loaded by an alias, which a table uses */
	MODPROBE_INSTALL,	/* a command runs in place of loading it */
	MODPROBE_OPTIONS,
	MODPROBE_DENY,		/* module_blacklist=: the kernel itself refuses it */
	MODPROBE_STOCK_OFF,	/* the word that keeps the policy from being applied */
};

/**
 * struct modprobe_line - a line or word about our module
 * @kind: what it does
 * @where: "/etc/modprobe.d/x.conf:3", or "the kernel's command line"
 * @text: options, or the command
 */
struct modprobe_line {
	enum modprobe_kind kind;
	char *where;
	char *text;
};

struct modprobe_conf {
	struct modprobe_line *line;
	unsigned int nr;
};

/* Add what a file of modprobe.d says. */
void modprobe_conf_parse(struct modprobe_conf *c, const char *path, const char *text);
/* Add what /proc/cmdline says. */
void modprobe_conf_parse_cmdline(struct modprobe_conf *c, const char *text);
/* "dm-noclone" and "dm_noclone" are the same module. */
bool modprobe_is_ours(const char *name);
void modprobe_conf_free(struct modprobe_conf *c);

#endif /* NOCLONE_MODPROBE_CONF_H */
