// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user's devices, and the temporary mapped devices over them.  Both mapped
 * devices stand on all of the same sectors, so nobody else can take those while
 * they exist.
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
#include "system/system-facts.h"
#include "cli/common.h"
#include "cli/problem-log.h"
#include "bench/fio.h"
#include "cmd/cmd.h"

#define SMALLEST_BLOCK	4096
#define DEFAULT_CHUNK	128	/* 64K */

static const char * const row_names[NR_ROWS] = {
	[ROW_RAW] = "raw", [ROW_STOCK] = "stock", [ROW_NOCLONE] = "noclone",
};

static bool has_leave(const struct options *o, const char *device)
{
	unsigned int i;

	for (i = 0; i < o->nr_destroy; i++)
		if (!strcmp(o->destroy[i], device))
			return true;
	return false;
}

/* Writing takes two options, and the second names each device. */
static bool may_write(const struct options *o, int argc, char **argv)
{
	int i;

	for (i = 0; opt(o, OPT_WRITE) && i < argc; i++)
		if (!has_leave(o, argv[i])) {
			log_err("%s: --write destroys what is on it: if that is meant, add --yes-destroy %s",
				argv[i], argv[i]);
			return false;
		}
	return true;
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
		return "it is read-only, and --write wants to write";
	if (f->zone_sectors)
		return "a zoned device cannot be written at random";
	return NULL;
}

/* Data on it is a reason only to those who write, and they have been asked. */
static bool is_free(const struct device_facts *f, const char *name,
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

		if (uses.use[i].harmless || uses.use[i].kind == USE_SIGNATURE)
			continue;
		log_err("%s is in use: %s", name, text);
		return false;
	}
	return true;
}

static bool overlap(const struct device_facts *a, const struct device_facts *b)
{
	return a->disk == b->disk && a->offset < b->offset + b->sectors &&
	       b->offset < a->offset + a->sectors;
}

/* The newest device against those before it. */
static bool is_another(const struct bench_rig *rig, const char *name)
{
	unsigned int i;

	for (i = 0; i + 1 < rig->nr; i++)
		if (overlap(&rig->facts[i], &rig->facts[rig->nr - 1])) {
			log_err("%s has sectors of %s: give each device once",
				name, rig->facts[i].path);
			return false;
		}
	return true;
}

static bool add_device(struct bench_rig *rig, const char *name, bool exclusive)
{
	struct device_facts *f;
	const char *wrong;

	GROW(rig->facts, rig->nr);
	f = &rig->facts[rig->nr++];
	wrong = lookup(name, f);
	if (!wrong && rig->write)
		wrong = why_not_written(f);
	if (wrong) {
		log_err("%s: %s", name, wrong);
		return false;
	}
	return is_another(rig, name) && is_free(f, name, exclusive);
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

/* The stock table is ours with other words. */
static bool lay_out(struct bench_rig *rig, uint32_t chunk)
{
	_cleanup_problems_ struct problems problems = { 0 };
	struct table *ours = &rig->mapped[ROW_NOCLONE].table;
	_cleanup_free_ char *stock = NULL;

	plan(rig, chunk, ours, &problems);
	if (problems_count(&problems, PROBLEM_ERROR)) {
		problems_log(&problems, "bench");
		return false;
	}
	stock = table_print(ours, true, NULL, NULL);
	table_parse(&rig->mapped[ROW_STOCK].table, stock, &problems);
	return true;
}

/* NOCLONE- is put in front so that "noclone remove" takes what a crash leaves. */
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
	int i;

	memset(rig, 0, sizeof(*rig));
	rig->write = opt(o, OPT_WRITE);
	if (argc == 1 && opt(o, OPT_CHUNK)) {
		log_err("--chunk is for several devices");
		return EXIT_USAGE;
	}
	if (!may_write(o, argc, argv))
		return EXIT_FAILED;
	for (i = 0; i < argc; i++)
		if (!add_device(rig, argv[i], !opt(o, OPT_DRY_RUN)))
			return EXIT_FAILED;
	name_devices(rig);
	return lay_out(rig, o->chunk) ? EXIT_OK : EXIT_FAILED;
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

	return dmsetup_with_table("create", m->name, options, &m->table);
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

		r = devmap_create(m->name, m->uuid, &m->table, !rig->write);
		/* late is not gone: see devmap_create() */
		m->made = !r || r == -ETIMEDOUT;
	}
	return r;
}

bool rig_remove(struct bench_rig *rig)
{
	bool gone = true;
	unsigned int i;

	for (i = ROW_STOCK; i < NR_ROWS; i++) {
		struct mapped *m = &rig->mapped[i];

		if (m->made && devmap_remove(m->name, true, false) &&
		    blockdev_mapped_number(m->name)) {
			log_err("%s is left: \"noclone remove %s\"", m->name,
				m->name);
			gone = false;
		}
		m->made = false;
	}
	return gone;
}

static bool is_device(const char *path, dev_t devno)
{
	struct stat st;

	if (!stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == devno)
		return true;
	log_err("%s is not the block device any more that it was", path);
	return false;
}

bool rig_is_sound(const struct bench_rig *rig, enum bench_row row)
{
	_cleanup_free_ char *path = NULL;
	unsigned int i;

	if (row != ROW_RAW) {
		path = xasprintf("/dev/mapper/%s", rig->mapped[row].name);
		return is_device(path, blockdev_mapped_number(rig->mapped[row].name));
	}
	for (i = 0; i < rig->nr; i++)
		if (!is_device(rig->facts[i].path, rig->facts[i].devno))
			return false;
	return true;
}

bool rig_status(const struct bench_rig *rig, struct status *s)
{
	_cleanup_devmap_targets_ struct devmap_targets targets = { 0 };

	memset(s, 0, sizeof(*s));
	return !devmap_status(rig->mapped[ROW_NOCLONE].name, &targets) &&
	       targets.nr && status_parse(s, targets.target[0].params);
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
