// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone bench: a script has fio measure the devices.  Here is what it cannot find out: that
 * each is a device of its own that nothing else uses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/users.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define BENCH_SCRIPT	SHARE_DIR "/bench"
#define DEFAULT_CHUNK	128	/* 64K */

/* Data on it does not matter, because nothing is written. */
static char *bench_use(const struct device_facts *f, bool exclusive)
{
	const struct use_query query = {
		.facts = f, .sectors = f->sectors, .exclusive = exclusive,
	};
	_cleanup_uses_ struct uses uses = { 0 };
	char *wrong = NULL;
	unsigned int i;

	device_uses_collect(&uses, &query);
	for (i = 0; i < uses.nr && !wrong; i++) {
		_cleanup_free_ char *text = use_describe(&uses.use[i]);

		if (!uses.use[i].harmless && uses.use[i].kind != USE_SIGNATURE &&
		    uses.use[i].kind != USE_UNREADABLE)
			wrong = xasprintf("is in use: %s", text);
	}
	return wrong;
}

/* @others: the paths of the devices before it.  NULL, or the rest of a sentence. */
static char *bench_wrong(const struct options *o, const char *name,
			 struct device_facts *f, char **others)
{
	int r = blockdev_lookup(name, f);

	if (r)
		return r == -ENOTBLK ? xstrdup("is not a block device") :
				       xasprintf("cannot be found: %s", strerror(-r));
	if (!f->sectors)
		return xstrdup("has no sectors");
	for (; *others; others++) {
		_cleanup_facts_ struct device_facts other = { 0 };

		if (!blockdev_lookup(*others, &other) && device_uses_share(f, other.devno))
			return xasprintf("overlaps %s: give each device once", *others);
	}
	return bench_use(f, !opt(o, OPT_DRY_RUN));
}

/* Replaces the names by paths that fio can open. */
static bool bench_check(const struct options *o, int argc, char **argv, char **paths)
{
	int i;

	for (i = 0; i < argc; i++) {
		_cleanup_facts_ struct device_facts f = { 0 };
		_cleanup_free_ char *wrong = bench_wrong(o, argv[i], &f, paths);

		if (wrong) {
			log_err("%s %s", argv[i], wrong);
			return false;
		}
		paths[i] = xstrdup(f.path);
	}
	return true;
}

/* Returns only if that failed.  The arguments are those that the script says. */
static void bench_exec(const struct options *o, int argc, char **paths)
{
	char *words[argc + 7];

	words[0] = xstrdup(BENCH_SCRIPT);
	words[1] = xasprintf("%d", NOCLONE_JSON_SCHEMA);
	words[2] = xasprintf("%u", o->run_ms);
	words[3] = xasprintf("%u", o->chunk ? (unsigned int)o->chunk : DEFAULT_CHUNK);
	words[4] = xstrdup(opt(o, OPT_DRY_RUN) ? "dry-run" : "");
	words[5] = xstrdup(opt(o, OPT_JSON) ? "json" : "");
	memcpy(&words[6], paths, (argc + 1) * sizeof(*paths));
	child_set_folders();
	execv(BENCH_SCRIPT, words);
	log_err("cannot run %s: %s", BENCH_SCRIPT, strerror(errno));
}

static void bench_free(char ***paths)
{
	char **path;

	for (path = *paths; path && *path; path++)
		free(*path);
	free(*paths);
}

int cmd_bench(const struct options *o, int argc, char **argv)
{
	int r = opt(o, OPT_DRY_RUN) ? 0 : devmap_permitted();
	__attribute__((cleanup(bench_free))) char **paths = NULL;

	if (argc == 1 && opt(o, OPT_CHUNK)) {
		log_err("--chunk is for several devices");
		return EXIT_USAGE;
	}
	paths = xzalloc((argc + 1) * sizeof(*paths));
	if (!bench_check(o, argc, argv, paths))
		return EXIT_FAILED;
	if (r)
		log_err("measuring through mapped devices failed: %s", devmap_reason(r));
	else
		bench_exec(o, argc, paths);
	return EXIT_FAILED;
}
