// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the command line to a table that is ready for the kernel: build it,
 * lint it, and ask who uses its devices.  Nothing in here changes anything.
 */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "device.h"
#include "guard.h"
#include "log.h"
#include "plan.h"

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

static int build_from_words(const struct options *o, int argc, char **argv,
			    struct table *t, struct problems *problems)
{
	struct plan_request req = {
		.chunk = o->chunk,
		.no_fastpath = opt(o, OPT_NO_FASTPATH),
	};
	int r = EXIT_USAGE;

	if (!argc) {
		log_err("what shall it be made of? linear DEV..., striped DEV... or --table FILE");
		return EXIT_USAGE;
	}
	req.kind = parse_kind(argv[0]);
	if (req.kind == TARGET_OTHER) {
		log_err("\"%s\" is neither linear nor striped", argv[0]);
	} else if (argc < 2) {
		log_err("%s needs at least one device", argv[0]);
	} else if (req.kind == TARGET_STRIPED && !req.chunk) {
		log_err("striped needs --chunk SIZE, for example --chunk 64K");
	} else if (req.kind == TARGET_LINEAR && req.chunk) {
		log_err("--chunk is for striped devices");
	} else if (parse_legs(&req, argc - 1, argv + 1)) {
		plan_table(&req, &device_source, t, problems);
		r = EXIT_OK;
	}
	plan_request_free(&req);
	return r;
}

static int build_from_file(const struct options *o, int argc,
			   struct table *t, struct problems *problems)
{
	_cleanup_free_ char *text = NULL;
	unsigned int i;

	if (argc || o->chunk) {
		log_err("--table is given: no devices and no --chunk besides it");
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

/* The kernel lets a writable device stand on a leg that cannot be written. */
static void check_writable(const struct table *t, struct problems *problems)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			_cleanup_facts_ struct device_facts f = { 0 };
			const char *name = t->targets[i].legs[j].device;

			if (device_lookup(name, &f) || !f.readonly)
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

static void move_problems(struct problems *to, const struct problems *from)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++)
		problem_add(to, from->problem[i].severity, from->problem[i].line,
			    "%s", from->problem[i].text);
}

int load_prepare(const struct options *o, const struct lint_self *self,
		 int argc, char **argv, struct table *t,
		 struct problems *problems)
{
	_cleanup_problems_ struct problems checks = { 0 };
	const char *where = o->table ? o->table : "table";
	int r;

	if (opt(o, OPT_TABLE))
		r = build_from_file(o, argc, t, problems);
	else
		r = build_from_words(o, argc, argv, t, problems);
	if (r)
		return r;
	problems_log(problems, where);
	/* what could not be parsed or laid out, no force can load */
	if (problems_count(problems, PROBLEM_ERROR))
		return EXIT_FAILED;

	lint_table(t, &device_source, self, &checks);
	table_rename_devices(t, device_name_path);
	if (!opt(o, OPT_READONLY))
		check_writable(t, &checks);
	guard_table(t, self->known ? self->devno : 0, !opt(o, OPT_DRY_RUN),
		    &checks);
	problems_log(&checks, where);
	move_problems(problems, &checks);
	/* older kernels do not notice, and the first I/O would hang for ever */
	if (lint_is_cycle(t, &device_source, self)) {
		log_err("refused: a device cannot stand on itself");
		return EXIT_FAILED;
	}
	return overruled(o, &checks) ? EXIT_OK : EXIT_FAILED;
}
