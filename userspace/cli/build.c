// SPDX-License-Identifier: GPL-2.0-only
/* Make a table from the command line of "noclone create" or "noclone reload". */
#include "cli/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/file-engine.h"
#include "model/finding.h"
#include "model/plan.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "system/blockdev.h"
#include "system/lookup.h"

static enum target_kind build_parse_kind(const char *word)
{
	static const char *const names[][2] = {
		[TARGET_LINEAR] = { "linear", NOCLONE_LINEAR_NAME },
		[TARGET_STRIPED] = { "striped", NOCLONE_STRIPED_NAME },
		[TARGET_FILE] = { "file", NOCLONE_FILE_NAME },
	};
	enum target_kind kind;

	for (kind = TARGET_LINEAR; kind < ARRAY_SIZE(names); kind++)
		if (!strcmp(word, names[kind][0]) || !strcmp(word, names[kind][1]))
			return kind;
	return TARGET_OTHER;
}

/*
 * Is the word the name of a missing disk that ends with a number, such as "/dev/md/host:0"? For a
 * name in these folders, a number without a unit is a START only if the name before the colon
 * exists.
 */
static bool build_is_missing_disk(const char *word)
{
	const char *colon = strrchr(word, ':');
	_cleanup_free_ char *before = colon ? xstrndup(word, colon - word) : NULL;

	return before && (str_starts(word, "/dev/disk/") || str_starts(word, "/dev/md/")) &&
	       !colon[1 + strspn(colon + 1, "0123456789")] && access(before, F_OK);
}

char *build_legs(struct plan_request *req, int argc, char **argv)
{
	const char *wrong = NULL;
	int i;

	for (i = 0; i < argc && !wrong; i++) {
		struct leg_spec *spec;

		GROW(req->legs, req->nr_legs);
		spec = &req->legs[req->nr_legs++];
		*spec = (struct leg_spec) { 0 };
		/*
		 * if the word is the path of an existing file, the whole word is the name of a
		 * device, even if its end looks like a range
		 */
		if (!access(argv[i], F_OK) || build_is_missing_disk(argv[i]))
			spec->device = xstrdup(argv[i]);
		else
			wrong = plan_parse_leg(spec, argv[i]);
	}
	return wrong ? xasprintf("\"%s\": %s; " LEG_SYNTAX, argv[i - 1], wrong) : NULL;
}

/* Return: the message for a word that is no target; users of losetup give a file at this place. */
static char *build_no_target(const char *word)
{
	struct stat st;

	if (!stat(word, &st) && S_ISREG(st.st_mode))
		return xasprintf("\"%s\" is no target: for a device on this file, give \"file %s\" after the name of the device",
				 word, word);
	return xasprintf("\"%s\" is no target: give linear, striped or file after the name of the device",
			 word);
}

static char *build_devices_usage(const struct build *b, enum target_kind kind)
{
	const struct options *o = b->options;
	struct plan_request unused = { 0 };
	char *wrong;

	if (kind == TARGET_OTHER)
		return build_no_target(b->argv[0]);
	if (o->given & OPT_FILE)
		return xstrdup("--engine, --size, --offset, --size-limit, --partitions and --allocate are for \"file PATH\"");
	if (b->argc < 2)
		return xasprintf("%s needs at least one device: " LEG_SYNTAX,
				 b->argv[0]);
	if (kind == TARGET_STRIPED && !o->chunk && b->seen)
		return xstrdup("striped needs --chunk SIZE, because the place of each sector depends on the chunk: \"noclone export --to noclone\" prints the chunk of the device");
	wrong = build_legs(&unused, b->argc - 1, b->argv + 1);
	plan_request_free(&unused);
	return wrong;
}

char *build_usage(const struct build *b)
{
	const struct options *o = b->options;
	enum target_kind kind;

	if (opt(o, OPT_TABLE))
		return b->argc || o->chunk || o->given & OPT_FILE ?
		       xstrdup("--table cannot be combined with devices, --chunk or the options of \"file PATH\"") :
		       NULL;
	if (!b->argc)
		return xstrdup("no target is given: give linear DEV..., striped --chunk SIZE DEV..., file PATH or --table FILE");
	kind = build_parse_kind(b->argv[0]);
	if (o->chunk && (kind == TARGET_LINEAR || kind == TARGET_FILE))
		return xstrdup("--chunk is for striped devices: leave it out, or use striped");
	if (kind != TARGET_FILE)
		return build_devices_usage(b, kind);
	return b->argc == 2 && *b->argv[1] ? NULL :
	       xstrdup("file needs exactly one path, for example \"file /srv/disk.img\"");
}

/*
 * If "noclone reload" is called without --engine, keep the engine of the live table. The user wants
 * to change the file or its size, and must not get another engine as a side effect.
 */
static void build_keep_engine(const struct table *seen, struct file_request *req)
{
	unsigned int i = 0;

	if (req->engine_given || !seen)
		return;
	while (i < seen->nr && !(seen->targets[i].understood && seen->targets[i].path))
		i++;
	if (i == seen->nr)
		return;
	req->engine = seen->targets[i].engine;
	req->engine_given = seen->targets[i].engine_given;
	log_verbose("engine %s stays", engines[req->engine].name);
}

static int build_noclone_file(const struct build *b, struct backing *backing,
			      struct table *t, struct findings *findings)
{
	const struct options *o = b->options;
	struct file_request req = {
		.path = b->argv[1],
		.bytes = o->file_sectors << SECTOR_SHIFT,
		.offset = o->offset,
		.limit = o->limit,
		.allocate = opt(o, OPT_ALLOCATE),
		.engine = o->engine,
		.engine_given = opt(o, OPT_ENGINE),
		.no_fastpath = opt(o, OPT_NO_FASTPATH),
	};
	int r;

	build_keep_engine(b->seen, &req);
	r = backing_plan(backing, &req, b->self);
	if (!r)
		plan_file(&backing->req, &backing->facts, t, findings);
	return r;
}

/*
 * Make the table of a linear or striped device. system_facts asks the running system, in most cases
 * sysfs, for the size, the blocks and the limits of each leg.
 */
static void build_devices(const struct build *b, struct table *t,
			  struct findings *findings)
{
	struct plan_request req = {
		.kind = build_parse_kind(b->argv[0]),
		.chunk = b->options->chunk,
		.no_fastpath = opt(b->options, OPT_NO_FASTPATH),
	};
	_cleanup_free_ char *size = NULL;

	/* build_usage() has accepted these words, so the result is NULL */
	free(build_legs(&req, b->argc - 1, b->argv + 1));
	plan_table(&req, &system_facts, t, findings);
	size = size_format(req.chunk);
	if (req.why)
		log_note("the chunk is %s: %s; --chunk sets another size", size, req.why);
	plan_request_free(&req);
}

static int build_from_table(const struct options *o, struct table *t,
			    struct findings *findings)
{
	_cleanup_free_ char *text = NULL;
	unsigned int i;
	int r = build_read_input(o->table, &text);

	if (r)
		return r;
	table_parse(t, text, findings);
	for (i = 0; opt(o, OPT_NO_FASTPATH) && i < t->nr; i++)
		if (target_is_noclone(&t->targets[i]))
			t->targets[i].no_fastpath = true;
	return 0;
}

int build_table(const struct build *b, struct backing *backing,
		struct table *t, struct findings *findings)
{
	if (opt(b->options, OPT_TABLE))
		return build_from_table(b->options, t, findings);
	if (build_parse_kind(b->argv[0]) == TARGET_FILE)
		return build_noclone_file(b, backing, t, findings);
	build_devices(b, t, findings);
	return 0;
}

/* INPUT_MAX: the largest number of bytes that are read from a file or from standard input. */
#define INPUT_MAX	(16U << 20)

int build_read_input(const char *path, char **text)
{
	_cleanup_close_ int fd = -1;
	size_t length;
	int r;

	if (!strcmp(path, "-"))
		fd = dup(STDIN_FILENO);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	*text = fd < 0 ? NULL : read_bytes(fd, INPUT_MAX, &length);
	if (*text && strlen(*text) == length) {
		read_drop_mark(*text);
		return 0;
	}
	r = *text ? -EILSEQ : -errno;
	log_err("%s: %s", shown(path), !blockdev_at(path) ? read_text_problem(path, -r) :
		"it is a block device, not a file with a table");
	return r;
}
