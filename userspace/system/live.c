// SPDX-License-Identifier: GPL-2.0-only
/* The live table and the status of a mapped device. */
#include "system/live.h"

#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/below.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/lookup.h"
#include "system/module.h"

#define DELETED	" (deleted)"
#define UNASKED	NOCLONE_MSG_FASTPATH " off:unasked "

/*
 * Return: the target of the table that belongs to a status line, or NULL. Another table may have
 * become live between the read of the table and the read of the status.
 */
static struct target *live_target_of(const struct live *live, unsigned int at)
{
	const struct target *raw = &live->raw.targets[at];
	struct target *t;

	if (at >= live->table.nr)
		return NULL;
	t = &live->table.targets[at];
	return t->start == raw->start && t->length == raw->length &&
	       !strcmp(t->type, raw->type) ? t : NULL;
}

static void live_take_status(struct live *live, unsigned int at)
{
	const struct target *raw = &live->raw.targets[at];
	struct target *t = live_target_of(live, at);

	if (!str_starts(raw->type, "noclone-") ||
	    status_parse(&live->status[at], raw->params))
		return;
	if (t)
		t->id = status_file_id(&live->status[at]);
}

/*
 * Is the target a stock target, both in the status and in the table? Another table may have become
 * live between the two reads.
 */
static bool live_is_stock(const struct live *live, unsigned int at)
{
	return live->raw.targets[at].stock && live_target_of(live, at);
}

/*
 * Ask the module about a device with stock targets: send the message "fastpath". dm itself prints
 * the status line of a stock target, so only the answer to the message says whether the fast path
 * is on. While the parameter "stock" of the module is off, no message is sent, because dm core
 * would log an error. If no message has requested the fast path for the device, return NULL, as if
 * there were no module.
 */
static char *live_ask_stock(const struct devmap_device *dev, const struct live *live)
{
	char *answer = NULL;
	unsigned int i;

	for (i = 0; i < live->raw.nr; i++) {
		if (!live_is_stock(live, i))
			continue;
		if (!module_stock_is_on())
			return NULL;
		devmap_ask(dev, live->raw.targets[i].start, NOCLONE_MSG_FASTPATH, &answer);
		break;
	}
	if (answer && str_starts(answer, UNASKED)) {
		free(answer);
		return NULL;
	}
	return answer;
}

static void live_take_stock(struct live *live, const char *answer)
{
	unsigned int i;

	for (i = 0; i < live->raw.nr; i++) {
		_cleanup_free_ char *line = xasprintf("%s %s", live->raw.targets[i].params, answer);

		if (live_is_stock(live, i))
			status_parse(&live->status[i], line);
	}
}

int live_get(const char *name, struct live *live)
{
	return live_get_of(&(struct devmap_device) { .name = (char *)name }, live);
}

int live_get_number(dev_t devno, struct live *live)
{
	return live_get_of(&(struct devmap_device) { .devno = devno, .uuid = (char *)"" }, live);
}

/* Read the status of a device. @err: the result of the read of the table, which came before */
static int live_take(const struct devmap_device *dev, int err, struct live *live)
{
	_cleanup_free_ char *answer = NULL;
	unsigned int i;

	if (!err)
		err = devmap_table_of(dev, DEVMAP_STATUS, &live->raw);
	live->status = xzalloc((live->raw.nr + 1) * sizeof(*live->status));
	for (i = 0; i < live->raw.nr; i++)
		live_take_status(live, i);
	answer = live_ask_stock(dev, live);
	if (answer)
		live_take_stock(live, answer);
	return err;
}

int live_get_of(const struct devmap_device *dev, struct live *live)
{
	return live_take(dev, devmap_table_of(dev, DEVMAP_TABLE, &live->table), live);
}

int live_look(const char *name, struct devmap_device *now, struct live *live)
{
	const struct devmap_device dev = { .name = (char *)name };

	return live_take(now, devmap_look_table(&dev, DEVMAP_TABLE, now, &live->table), live);
}

const struct status *live_status(const struct live *live)
{
	unsigned int i;

	for (i = 0; i < live->raw.nr; i++)
		if (live->status[i].has_fastpath)
			return &live->status[i];
	return NULL;
}

char *live_fastpath(const struct live *live)
{
	const struct status *s = live_status(live);

	if (!s)
		return NULL;
	return s->fast ? xstrdup("on") : xasprintf("off:%s", s->reason);
}

void live_warn_engine(const char *name)
{
	_cleanup_live_ struct live live = { 0 };
	unsigned int i;

	live_get(name, &live);
	for (i = 0; i < live.raw.nr; i++) {
		_cleanup_free_ char *words = status_engine_words(&live.status[i]);

		if (words)
			log_warn("%s: %s", name, words);
	}
}

void live_below(const struct live *live, struct findings *findings)
{
	struct facts_source source = system_facts;
	unsigned int i;

	/* sizes and limits are not needed here */
	source.lookup = blockdev_locate;
	for (i = 0; i < live->raw.nr; i++) {
		const struct target *t = live_target_of(live, i);

		if (t)
			below_find(findings, t, &live->status[i], &source);
	}
}

char *live_short_file(const struct live *live, const struct file_id *id)
{
	unsigned int i;

	for (i = 0; i < live->raw.nr; i++) {
		const struct target *t = live_target_of(live, i);
		_cleanup_free_ char *words = t ? below_short_file(t, &live->status[i]) : NULL;
		_cleanup_free_ char *quoted = words ? shell_quote(t->path) : NULL;
		_cleanup_free_ char *name = words ? name_encode_path(t->path) : NULL;

		if (words && (!id || file_id_same(&t->id, id)))
			return xasprintf("%s: %s; if zeroes may replace the lost data, \"truncate --size %llu %s\" makes the file long enough",
					 name, words, (unsigned long long)
					 (t->legs->start + t->length) << SECTOR_SHIFT, quoted);
	}
	return NULL;
}

/*
 * Is the leg a loop device whose backing file is deleted? A device that runs without the module has
 * a loop device as its leg. This loop device stays attached until its last close, even if the file
 * is deleted. Return: a sentence about the deleted file, or NULL.
 */
static char *live_loop_words(const char *leg)
{
	_cleanup_free_ char *clears = NULL, *file = NULL;
	_cleanup_facts_ struct device_facts f = { 0 };
	const char *suffix;

	if (blockdev_locate(leg, &f))
		return NULL;
	clears = blockdev_attribute(f.devno, "loop/autoclear");
	file = blockdev_attribute(f.devno, "loop/backing_file");
	suffix = file && strlen(file) > strlen(DELETED) ? file + strlen(file) - strlen(DELETED) : NULL;
	return suffix && clears && *clears == '1' && !strcmp(suffix, DELETED) ?
	       xasprintf("the backing file of %s is %s", f.path, file) : NULL;
}

static char *live_lost_loop(const struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		char *words = target->path ? NULL : live_loop_words(target->legs[i].device);

		if (words)
			return words;
	}
	return NULL;
}

char *live_lost_file(const struct devmap_device *dev, bool renamed)
{
	_cleanup_free_ char *node = xasprintf("/dev/mapper/%s", dev->name), *lost = NULL;
	_cleanup_free_ char *quoted = shell_quote(node);
	_cleanup_findings_ struct findings below = { 0 };
	_cleanup_live_ struct live live = { 0 };
	unsigned int i;

	live_get_of(dev, &live);
	live_below(&live, &below);
	for (i = 0; i < below.nr && !lost; i++) {
		const struct finding *f = &below.finding[i];

		if (!strcmp(f->check, "file-deleted") || !strcmp(f->check, "file-replaced") ||
		    (renamed && !strcmp(f->check, "file-missing")))
			lost = finding_words(f, NULL);
	}
	lost = lost ? : live_lost_loop(&live.table);
	return lost ? xasprintf("%s: \"dd if=%s of=NEWFILE bs=1M\" copies the data", lost, quoted) :
		      NULL;
}

void live_free(struct live *live)
{
	unsigned int i;

	for (i = 0; i < live->raw.nr; i++)
		status_free(&live->status[i]);
	free(live->status);
	table_free(&live->raw);
	table_free(&live->table);
	*live = (struct live) { 0 };
}
