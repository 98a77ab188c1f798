// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the command line to a table that is ready for the kernel: build it,
 * lint it, and ask who uses its devices.  Only load_begin() changes anything.
 */
#include "cli/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/child.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/engine.h"
#include "model/facts.h"
#include "model/path.h"
#include "model/plan-file.h"
#include "model/plan.h"
#include "model/table-parse.h"
#include "system/blockdev.h"
#include "system/guard.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/system-facts.h"
#include "cli/problem-log.h"
#include "cmd/cmd.h"

#define TABLE_FILE_MAX	(16U << 20)

char *load_file(const char *path)
{
	_cleanup_close_ int fd = -1;
	char *text;

	if (!strcmp(path, "-"))
		fd = dup(STDIN_FILENO);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	text = fd < 0 ? NULL : read_stream(fd, TABLE_FILE_MAX);
	if (!text)
		log_err("%s: %s", path, strerror(errno));
	return text;
}

static enum target_kind parse_kind(const char *word)
{
	if (!strcmp(word, "linear") || !strcmp(word, NOCLONE_LINEAR_NAME))
		return TARGET_LINEAR;
	if (!strcmp(word, "striped") || !strcmp(word, NOCLONE_STRIPED_NAME))
		return TARGET_STRIPED;
	if (!strcmp(word, "file") || !strcmp(word, NOCLONE_FILE_NAME))
		return TARGET_FILE;
	return TARGET_OTHER;
}

static bool parse_legs(struct plan_request *req, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		const char *wrong = NULL;
		struct leg_spec *spec;

		GROW(req->legs, req->nr_legs);
		spec = &req->legs[req->nr_legs++];
		/* a name that exists is a name, whatever it looks like */
		if (!access(argv[i], F_OK))
			*spec = (struct leg_spec) { .device = xstrdup(argv[i]) };
		else
			wrong = leg_spec_parse(spec, argv[i]);
		if (wrong) {
			log_err("%s: %s", argv[i], wrong);
			return false;
		}
	}
	return true;
}

/*
 * Who reloads a device on a file means the file, or its size: it would be a
 * surprise to find another engine afterwards.
 */
static void keep_engine(const struct self_device *self, struct file_request *req)
{
	_cleanup_free_ char *name = self->known ? blockdev_mapped_name(self->devno) :
						  NULL;
	_cleanup_table_ struct table live = { 0 };

	if (req->engine_given || !name || live_table(name, &live))
		return;
	if (!plan_file_engine(&live, req))
		log_note("%s has lines with different engines: it is given engine %s, --engine says another",
			 name, engine_name(req->engine));
	else if (req->engine_given)
		log_verbose("%s keeps its engine: %s", name,
			    engine_name(req->engine));
}

static int build_on_file(const struct options *o, const struct self_device *self,
			 int argc, char **argv, struct backing *file, struct table *t,
			 struct problems *problems)
{
	struct file_request req = {
		.path = argc == 1 ? argv[0] : NULL,
		.start = o->file_start,
		.bytes = o->file_sectors << SECTOR_SHIFT,
		.allocate = opt(o, OPT_ALLOCATE),
		.engine = o->engine,
		.engine_given = opt(o, OPT_ENGINE),
		.no_fastpath = opt(o, OPT_NO_FASTPATH),
	};

	if (!req.path) {
		log_err("file needs the path of one file");
		return EXIT_USAGE;
	}
	if (o->chunk) {
		log_err("--chunk is for striped devices");
		return EXIT_USAGE;
	}
	keep_engine(self, &req);
	if (!backing_plan(file, &req, self->known ? self->devno : 0))
		return EXIT_FAILED;
	plan_file(&file->req, &file->source, t, problems);
	return EXIT_OK;
}

static int build_on_devices(const struct options *o, int argc, char **argv,
			    struct table *t, struct problems *problems)
{
	struct plan_request req = {
		.kind = parse_kind(argv[0]),
		.chunk = o->chunk,
		.no_fastpath = opt(o, OPT_NO_FASTPATH),
	};
	int r = EXIT_USAGE;

	if (req.kind == TARGET_OTHER) {
		log_err("\"%s\" is neither linear nor striped nor file",
			argv[0]);
	} else if (o->given & OPT_FILE) {
		log_err("--engine, --start, --size and --allocate are for \"file PATH\"");
	} else if (argc < 2) {
		log_err("%s needs at least one device", argv[0]);
	} else if (req.kind == TARGET_STRIPED && !req.chunk) {
		log_err("striped needs --chunk SIZE, for example --chunk 64K");
	} else if (req.kind == TARGET_LINEAR && req.chunk) {
		log_err("--chunk is for striped devices");
	} else if (parse_legs(&req, argc - 1, argv + 1)) {
		plan_table(&req, &system_facts, t, problems);
		r = EXIT_OK;
	}
	plan_request_free(&req);
	return r;
}

static int build_from_words(const struct options *o,
			    const struct self_device *self, int argc, char **argv,
			    struct backing *file, struct table *t,
			    struct problems *problems)
{
	if (!argc) {
		log_err("what shall it be made of? linear DEV..., striped DEV..., file PATH or --table FILE");
		return EXIT_USAGE;
	}
	if (parse_kind(argv[0]) == TARGET_FILE)
		return build_on_file(o, self, argc - 1, argv + 1, file, t,
				     problems);
	return build_on_devices(o, argc, argv, t, problems);
}

static int build_from_file(const struct options *o, int argc,
			   struct table *t, struct problems *problems)
{
	_cleanup_free_ char *text = NULL;
	unsigned int i;

	if (argc || o->chunk || o->given & OPT_FILE) {
		log_err("--table is given: no devices, no --chunk and no options of a file besides it");
		return EXIT_USAGE;
	}
	text = load_file(o->table);
	if (!text)
		return EXIT_FAILED;
	table_parse(t, text, problems);
	for (i = 0; opt(o, OPT_NO_FASTPATH) && i < t->nr; i++)
		if (target_is_noclone(&t->targets[i]))
			t->targets[i].no_fastpath = true;
	return EXIT_OK;
}

static void check_file_writable(const struct target *t,
				const struct facts_source *src,
				struct problems *problems)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(t->path);
	const char *wrong = NULL;

	if (src->lookup_file(src, t->path, false, &f))
		return;
	if (f.immutable)
		wrong = "File is immutable: chattr -i, or use --readonly";
	else if (f.append_only)
		wrong = "File is append-only: chattr -a, or use --readonly";
	else if (f.readonly)
		wrong = "File cannot be opened for writing: use --readonly";
	if (wrong)
		problem_add(problems, PROBLEM_ERROR, t->line, "%s: %s", name,
			    wrong);
}

/* The kernel lets a writable device stand on a leg that cannot be written. */
static void check_writable(const struct table *t,
			   const struct facts_source *src,
			   struct problems *problems)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			check_file_writable(&t->targets[i], src, problems);
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			_cleanup_facts_ struct device_facts f = { 0 };
			const char *name = t->targets[i].legs[j].device;

			if (blockdev_lookup(name, &f) || !f.readonly)
				continue;
			problem_add(problems, PROBLEM_ERROR, t->targets[i].line,
				    "%s is read-only: use --readonly", name);
		}
	}
}

/* Errors that --force may overrule: the kernel still has its say. */
static bool overruled(const struct options *o, const struct problems *problems)
{
	if (!problems_count(problems, PROBLEM_ERROR))
		return true;
	if (opt(o, OPT_FORCE))
		log_warn("--force: going on; the kernel may still refuse");
	else
		log_err("refused; --force goes on if the kernel lets it");
	return opt(o, OPT_FORCE);
}

const struct facts_source *load_source(const struct backing *file)
{
	return file->path ? &file->source : &system_facts;
}

int load_prepare(const struct options *o, const struct self_device *self,
		 int argc, char **argv, struct backing *file, struct table *t,
		 struct problems *problems)
{
	_cleanup_problems_ struct problems checks = { 0 };
	const char *where = o->table ? o->table : "table";
	const struct facts_source *src;
	int r;

	if (opt(o, OPT_TABLE))
		r = build_from_file(o, argc, t, problems);
	else
		r = build_from_words(o, self, argc, argv, file, t, problems);
	if (r)
		return r;
	problems_log(problems, where);
	/* what could not be parsed or laid out, no force can load */
	if (problems_count(problems, PROBLEM_ERROR))
		return EXIT_FAILED;

	src = load_source(file);
	lint_table(t, src, self, &checks);
	table_rename_devices(t, identity_path);
	if (!opt(o, OPT_READONLY))
		check_writable(t, src, &checks);
	guard_table(t, self->known ? self->devno : 0, !opt(o, OPT_DRY_RUN),
		    &checks);
	problems_log(&checks, where);
	problems_move(problems, &checks);
	/* older kernels do not notice, and the first I/O would hang for ever */
	if (lint_is_cycle(t, src, self)) {
		log_err("refused: a device cannot stand on itself");
		return EXIT_FAILED;
	}
	return overruled(o, problems) ? EXIT_OK : EXIT_FAILED;
}

int load_begin(const struct options *o, const struct self_device *self,
	       const struct table *t, struct backing *file)
{
	_cleanup_problems_ struct problems checks = { 0 };

	if (!file->wanted)
		return EXIT_OK;
	stop_hold();
	if (backing_apply(file))
		return EXIT_FAILED;
	/*
	 * What had been told about the file was a plan; this is what it is.
	 * Warnings of the plan need no repetition.
	 */
	lint_table(t, &system_facts, self, &checks);
	problems_log_errors(&checks, "table");
	return overruled(o, &checks) ? EXIT_OK : EXIT_FAILED;
}

void load_end(struct backing *file, bool good)
{
	if (!file->wanted)
		return;
	if (!good)
		backing_undo(file);
	stop_release();
}
