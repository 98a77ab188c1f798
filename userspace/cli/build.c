// SPDX-License-Identifier: GPL-2.0-only
/* From the words of create and reload to a table. */
#include "cli/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/plan.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/live.h"

static enum target_kind build_parse_kind(const char *word)
{
	if (!strcmp(word, "linear") || !strcmp(word, NOCLONE_LINEAR_NAME))
		return TARGET_LINEAR;
	if (!strcmp(word, "striped") || !strcmp(word, NOCLONE_STRIPED_NAME))
		return TARGET_STRIPED;
	if (!strcmp(word, "file") || !strcmp(word, NOCLONE_FILE_NAME))
		return TARGET_FILE;
	return TARGET_OTHER;
}

#define LEG_SYNTAX	"expected DEV[:START[+LEN]], for example /dev/sda:1M+10G"

/*
 * Take a word DEV[:START[+LEN]] apart: NULL, or what is wrong with it.  A name that
 * exists is a name, whatever it looks like.
 */
static const char *build_parse_leg(struct leg_spec *spec, const char *word)
{
	if (access(word, F_OK))
		return leg_spec_parse(spec, word);
	*spec = (struct leg_spec) { .device = xstrdup(word) };
	return NULL;
}

/* Is a device followed by something that is not a range: /dev/sda:1M-2M? */
static bool build_has_bad_range(const char *device)
{
	_cleanup_free_ char *name = xstrndup(device, strcspn(device, ":"));

	return *name == '/' && strcmp(name, device) && access(device, F_OK) &&
	       !access(name, F_OK);
}

/* A size that a user gives as a word of its own belongs to the word before it. */
static bool build_is_size(const char *word)
{
	uint64_t sectors;

	return access(word, F_OK) && !size_parse(word + (*word == '+'), &sectors);
}

static char *build_legs_usage(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		struct leg_spec spec;
		const char *wrong = build_parse_leg(&spec, argv[i]);

		if (!wrong && build_has_bad_range(spec.device))
			wrong = "not a range of a device";
		else if (!wrong && build_is_size(argv[i]))
			wrong = "a size, and not a device";
		free(spec.device);
		if (wrong)
			return xasprintf("\"%s\": %s; " LEG_SYNTAX, argv[i], wrong);
	}
	return NULL;
}

static char *build_devices_usage(const struct build *b, enum target_kind kind)
{
	const struct options *o = b->options;

	if (kind == TARGET_OTHER)
		return xasprintf("\"%s\" is no target: expected linear, striped or file, after the name of the device",
				 b->argv[0]);
	if (o->given & OPT_FILE)
		return xasprintf("--engine, --size and --allocate are for \"file PATH\"%s",
				 opt(o, OPT_SIZE) ?
				 "; a part of a device is DEV:START+LEN, as in /dev/sda:1M+10G" : "");
	if (b->argc < 2)
		return xasprintf("%s needs at least one device: " LEG_SYNTAX,
				 b->argv[0]);
	if (kind == TARGET_STRIPED && !o->chunk && !b->choose_chunk)
		return xstrdup("striped needs --chunk SIZE: where a sector is depends on it, and noclone export --to noclone prints that of the device");
	if (kind == TARGET_LINEAR && o->chunk)
		return xstrdup("--chunk is for striped devices: leave it out, or use striped");
	return build_legs_usage(b->argc - 1, b->argv + 1);
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
		return xstrdup("no target given: expected linear DEV..., striped --chunk SIZE DEV..., file PATH or --table FILE");
	kind = build_parse_kind(b->argv[0]);
	if (kind != TARGET_FILE)
		return build_devices_usage(b, kind);
	if (b->argc != 2 || !*b->argv[1])
		return xstrdup("file needs exactly one path, for example file /srv/disk.img");
	return o->chunk ? xstrdup("--chunk is for striped devices: leave it out, or use striped") : NULL;
}

/*
 * A reload without --engine is about the file or its size: it must not change
 * the engine as a side effect.
 */
static void build_keep_engine(dev_t self, struct file_request *req)
{
	_cleanup_free_ char *name = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_table_ struct table live = { 0 };
	unsigned int i = 0;

	if (req->engine_given || !name || live_table(name, &live))
		return;
	while (i < live.nr && !(live.targets[i].understood && live.targets[i].path))
		i++;
	if (i == live.nr)
		return;
	req->engine = live.targets[i].engine;
	req->engine_given = live.targets[i].engine_given;
	log_verbose("%s keeps the engine of its first target: %s", name, engine_name(req->engine));
}

static int build_noclone_file(const struct build *b, struct backing *backing,
			      struct table *t, struct findings *findings)
{
	const struct options *o = b->options;
	struct file_request req = {
		.path = b->argv[1],
		.bytes = o->file_sectors << SECTOR_SHIFT,
		.allocate = opt(o, OPT_ALLOCATE),
		.engine = o->engine,
		.engine_given = opt(o, OPT_ENGINE),
		.no_fastpath = opt(o, OPT_NO_FASTPATH),
	};
	int r;

	build_keep_engine(b->self, &req);
	r = backing_plan(backing, &req, b->self);
	if (!r)
		plan_file(&backing->req, &backing->facts, t, findings);
	return r;
}

static void build_devices(const struct build *b, struct table *t,
			  struct findings *findings)
{
	struct plan_request req = {
		.kind = build_parse_kind(b->argv[0]),
		.chunk = b->options->chunk,
		.no_fastpath = opt(b->options, OPT_NO_FASTPATH),
	};
	_cleanup_free_ char *size = NULL;
	int i;

	for (i = 1; i < b->argc; i++) {
		GROW(req.legs, req.nr_legs);
		build_parse_leg(&req.legs[req.nr_legs++], b->argv[i]);
	}
	plan_table(&req, &system_facts, t, findings);
	size = size_format(req.chunk);
	if (req.why)
		log_note("chunk of %s: %s; --chunk sets another one", size, req.why);
	plan_request_free(&req);
}

static int build_from_table(const struct options *o, struct table *t,
			    struct findings *findings)
{
	_cleanup_free_ char *text = NULL;
	unsigned int i;
	int r = input_read(o->table, &text);

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

/* Files that the command line names. */
#define INPUT_MAX	(16U << 20)

int input_read(const char *path, char **text)
{
	_cleanup_close_ int fd = -1;
	int r;

	if (!strcmp(path, "-"))
		fd = dup(STDIN_FILENO);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	*text = fd < 0 ? NULL : read_bytes(fd, INPUT_MAX, NULL);
	if (*text)
		return 0;
	r = -errno;
	log_err("%s: %s", path, strerror(-r));
	return r;
}
