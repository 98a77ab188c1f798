// SPDX-License-Identifier: GPL-2.0-only
/* Two examples for each command. */
#include "examples.h"

#include <stddef.h>
#include <string.h>

#include "base/util.h"

static const struct {
	const char *command;
	struct examples examples;
} list[] = {
	{ "create", { { "noclone create fast striped --chunk 64K /dev/nvme0n1 /dev/nvme1n1",
		      "noclone create image file /srv/disk.img --size 10G --allocate --engine extent" } } },
	{ "reload", { { "noclone reload data linear /dev/nvme0n1 /dev/nvme1n1",
		      "noclone reload image file /srv/disk.img --size 20G" } } },
	{ "remove", { { "noclone remove fast", "noclone remove --forget fast" } } },
	{ "save", { { "noclone save fast", "noclone save -n fast" } } },
	{ "activate", { { "noclone activate fast", "noclone activate --all --strict" } } },
	{ "deactivate", { { "noclone deactivate fast", "noclone deactivate --all" } } },
	{ "resize", { { "noclone resize data +100G --resizefs",
		      "noclone resize data max /dev/nvme2n1" } } },
	{ "enable", { { "noclone enable --now vg0/root",
		      "noclone enable --include 'vg0/*'" } } },
	{ "disable", { { "noclone disable --now vg0/root", "noclone disable --now --all" } } },
	{ "convert", { { "noclone convert data", "noclone convert data --to stock" } } },
	{ "status", { { "noclone status --sort -SHARE", "noclone status --watch=1 -o NAME,IO,SHARE" } } },
	{ "check", { { "noclone check fast.table", "noclone check --json fast.table" } } },
	{ "explain", { { "noclone explain fast", "noclone explain fast.table" } } },
	{ "export", { { "noclone export >stock.tables", "noclone export --to noclone fast >fast.table" } } },
	{ "doctor", { { "noclone doctor", "noclone doctor --quiet || noclone doctor --json" } } },
	{ "bench", { { "noclone bench /dev/nvme0n1",
		     "noclone bench --seconds 5 --json /dev/nvme0n1 >bench.json" } } },
	{ "help", { { "noclone help create", "noclone help --completion=zsh" } } },
	{ "version", { { "noclone version", "noclone version --json" } } },
};

const struct examples *examples_find(const char *command)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (!strcmp(list[i].command, command))
			return &list[i].examples;
	return NULL;
}
