// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user's devices, and the temporary mapped devices over them.  Both hold the
 * user's devices open, so nothing else can use those exclusively meanwhile.
 */
#include "bench/rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/plan.h"
#include "model/problems.h"
#include "model/table-parse.h"
#include "model/table-print.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/system-facts.h"
#include "cli/dry-run.h"
#include "cli/problem-log.h"
#include "bench/fio.h"

#define SMALLEST_BLOCK	4096
#define DEFAULT_CHUNK	128	/* 64K */

static const char * const row_names[NR_ROWS] = {
	[ROW_RAW] = "raw", [ROW_STOCK] = "stock", [ROW_NOCLONE] = "noclone",
};

static bool may_destroy(const struct options *o, const char *device)
{
	unsigned int i;

	for (i = 0; i < o->nr_destroy; i++)
		if (!strcmp(o->destroy[i], device))
			return true;
	return false;
}

/* Writing takes two options, and the second names each device. */
static int check_writes(const struct options *o, int argc, char **argv)
{
	int i;

	for (i = 0; opt(o, OPT_WRITE) && i < argc; i++)
		if (!may_destroy(o, argv[i])) {
			log_err("%s: --write destroys the data on it: to permit that, add --yes-destroy %s",
				argv[i], argv[i]);
			return -EPERM;
		}
	return 0;
}

static const char *lookup(const char *name, struct device_facts *f)
{
	int r = blockdev_lookup(name, f);

	if (r == -ENOTBLK)
		return "not a block device";
	if (r)
		return strerror(-r);
	return f->sectors ? NULL : "a device without sectors";
}

static const char *why_not_written(const struct device_facts *f)
{
	if (f->readonly)
		return "it is read-only, so --write is not possible";
	if (f->zone_sectors)
		return "a zoned device cannot be written at random";
	return NULL;
}

/* Data on it matters to writes only, and --yes-destroy permits those. */
static int check_free(const struct device_facts *f, const char *name,
		      bool exclusive)
{
	const struct use_query query = {
		.facts = f,
		.sectors = f->sectors,
		.exclusive = exclusive,
	};
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	device_uses_collect(&uses, &query);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses.use[i]);

		if (uses.use[i].harmless || uses.use[i].kind == USE_SIGNATURE ||
		    uses.use[i].kind == USE_UNREADABLE)
			continue;
		log_err("%s is in use: %s", name, text);
		return -EBUSY;
	}
	return 0;
}

static bool overlap(const struct device_facts *a, const struct device_facts *b)
{
	return a->disk == b->disk && a->offset < b->offset + b->sectors &&
	       b->offset < a->offset + a->sectors;
}

/* The newest device against those before it. */
static int check_overlap(const struct bench_rig *rig, const char *name)
{
	unsigned int i;

	for (i = 0; i + 1 < rig->nr; i++)
		if (overlap(&rig->facts[i], &rig->facts[rig->nr - 1])) {
			log_err("%s overlaps %s: give each device once",
				name, rig->facts[i].path);
			return -EINVAL;
		}
	return 0;
}

static int add_device(struct bench_rig *rig, const char *name, bool exclusive)
{
	struct device_facts *f;
	const char *wrong;
	int r;

	GROW(rig->facts, rig->nr);
	f = &rig->facts[rig->nr++];
	wrong = lookup(name, f);
	if (!wrong && rig->write)
		wrong = why_not_written(f);
	if (wrong) {
		log_err("%s: %s", name, wrong);
		return -EINVAL;
	}
	r = check_overlap(rig, name);
	return r ? r : check_free(f, name, exclusive);
}

static void plan(const struct bench_rig *rig, uint32_t chunk, struct table *t,
		 struct problems *problems)
{
	struct plan_request req = { .kind = TARGET_LINEAR };
	unsigned int i;

	if (rig->nr > 1) {
		req.kind = TARGET_STRIPED;
		req.chunk = chunk ? chunk : DEFAULT_CHUNK;
	}
	for (i = 0; i < rig->nr; i++) {
		GROW(req.legs, req.nr_legs);
		req.legs[req.nr_legs++] = (struct leg_spec) {
			.device = xstrdup(rig->facts[i].path),
		};
	}
	plan_table(&req, &system_facts, t, problems);
	plan_request_free(&req);
}

/* The stock table is ours with the names of the stock targets. */
static int lay_out(struct bench_rig *rig, uint32_t chunk)
{
	_cleanup_problems_ struct problems problems = { 0 };
	struct table *ours = &rig->mapped[ROW_NOCLONE].table;
	_cleanup_free_ char *stock = NULL;

	plan(rig, chunk, ours, &problems);
	if (problems_count(&problems, PROBLEM_ERROR)) {
		problems_log(&problems, "bench");
		return -EINVAL;
	}
	stock = table_print(ours, true, identity_loadable, NULL);
	table_parse(&rig->mapped[ROW_STOCK].table, stock, &problems);
	return 0;
}

/* With our UUID prefix, so that "noclone remove" takes what a crash leaves. */
static void name_devices(struct bench_rig *rig)
{
	unsigned int i;

	for (i = ROW_STOCK; i < NR_ROWS; i++) {
		struct mapped *m = &rig->mapped[i];

		m->name = xasprintf("noclone-bench-%d-%s", getpid(),
				    row_names[i]);
		m->uuid = xasprintf("%sbench-%d-%s", NOCLONE_UUID_PREFIX,
				    getpid(), row_names[i]);
	}
}

int rig_prepare(struct bench_rig *rig, const struct options *o, int argc,
		char **argv)
{
	int i, r;

	memset(rig, 0, sizeof(*rig));
	rig->write = opt(o, OPT_WRITE);
	r = check_writes(o, argc, argv);
	for (i = 0; !r && i < argc; i++)
		r = add_device(rig, argv[i], !opt(o, OPT_DRY_RUN));
	if (r)
		return r;
	name_devices(rig);
	return lay_out(rig, o->chunk);
}

uint32_t rig_block(const struct bench_rig *rig)
{
	uint32_t block = SMALLEST_BLOCK;
	unsigned int i;

	for (i = 0; i < rig->nr; i++)
		block = MAX(block, rig->facts[i].logical_block);
	return block;
}

const char *rig_target(const struct bench_rig *rig, enum bench_row row)
{
	return row == ROW_RAW ? NULL : rig->mapped[row].table.targets[0].type;
}

const char *rig_title(const struct bench_rig *rig, enum bench_row row)
{
	return row == ROW_RAW ? row_names[row] : rig_target(rig, row);
}

char *rig_dmsetup(const struct bench_rig *rig, enum bench_row row)
{
	const struct mapped *m = &rig->mapped[row];
	_cleanup_free_ char *options = xasprintf("%s --uuid %s",
		rig->write ? "" : " --readonly", m->uuid);

	return dry_run_dmsetup("create", m->name, options, &m->table);
}

char *rig_filename(const struct bench_rig *rig, enum bench_row row)
{
	_cleanup_free_ char *path = NULL;
	char *filename = NULL;
	unsigned int i;

	if (row != ROW_RAW) {
		path = xasprintf("/dev/mapper/%s", rig->mapped[row].name);
		return fio_filename(NULL, path);
	}
	for (i = 0; i < rig->nr; i++)
		filename = fio_filename(filename, rig->facts[i].path);
	return filename;
}

int rig_make(struct bench_rig *rig)
{
	unsigned int i;
	int r = 0;

	for (i = ROW_STOCK; !r && i < NR_ROWS; i++) {
		struct mapped *m = &rig->mapped[i];

		r = devmap_create(m->name, m->uuid, &m->table, !rig->write, NULL, NULL);
		/* with udev late, the device exists nevertheless */
		m->made = !r || r == -ETIMEDOUT;
	}
	return r;
}

int rig_remove(struct bench_rig *rig)
{
	int r = 0;
	unsigned int i;

	for (i = ROW_STOCK; i < NR_ROWS; i++) {
		struct mapped *m = &rig->mapped[i];

		if (m->made && devmap_remove(m->name, true) &&
		    blockdev_mapped_number(m->name)) {
			log_err("%s is left: \"noclone remove %s\"", m->name,
				m->name);
			r = -EBUSY;
		}
		m->made = false;
	}
	return r;
}

static int check_device(const char *path, dev_t devno)
{
	struct stat st;

	if (!stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == devno)
		return 0;
	log_err("%s is no longer the same block device", path);
	return -ENOTBLK;
}

int rig_check(const struct bench_rig *rig, enum bench_row row)
{
	const char *name = rig->mapped[row].name;
	_cleanup_free_ char *path = NULL;
	unsigned int i;
	int r = 0;

	if (row != ROW_RAW) {
		path = xasprintf("/dev/mapper/%s", name);
		return check_device(path, blockdev_mapped_number(name));
	}
	for (i = 0; !r && i < rig->nr; i++)
		r = check_device(rig->facts[i].path, rig->facts[i].devno);
	return r;
}

int rig_status(const struct bench_rig *rig, struct status *s)
{
	_cleanup_devmap_targets_ struct devmap_targets targets = { 0 };
	int r = devmap_status(rig->mapped[ROW_NOCLONE].name, &targets);

	memset(s, 0, sizeof(*s));
	if (r)
		return r;
	return targets.nr ? status_parse(s, targets.target[0].params) : -ENODATA;
}

void rig_free(struct bench_rig *rig)
{
	unsigned int i;

	for (i = 0; i < rig->nr; i++)
		facts_free(&rig->facts[i]);
	free(rig->facts);
	for (i = 0; i < NR_ROWS; i++) {
		free(rig->mapped[i].name);
		free(rig->mapped[i].uuid);
		table_free(&rig->mapped[i].table);
	}
	memset(rig, 0, sizeof(*rig));
}
