// SPDX-License-Identifier: GPL-2.0-only
/* Read and print the files of saved devices, and decide which signatures a leg may have. */
#include "model/saved.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table-text.h"

#define KEYWORD		"noclone:"
#define DISK_KEYWORD	"noclone-disk:"
/* ALIGNMENT: partitions and logical volumes begin at a multiple of this number of sectors. */
#define ALIGNMENT	2048
/*
 * MAX_ESCAPED: the largest length of an escaped name. The longest name of a unit has
 * "blockdev@dev-mapper-" before the escaped name and ".target" behind it, and systemd permits 255
 * characters.
 */
#define MAX_ESCAPED	228

char *saved_escape(const char *text)
{
	struct strbuf b = { 0 };

	strbuf_append(&b, "", 0);
	for (; *text; text++) {
		unsigned char c = *text;

		/*
		 * a slash becomes "-", as with systemd-escape --path; only paths contain slashes,
		 * and names of devices do not
		 */
		if (c == '/' && (text[1] == '/' || !text[1]))
			continue;
		if (c == '/')
			strbuf_putc(&b, '-', 1);
		else if (c < 0x80 && (isalnum(c) || c == ':' || c == '_' || (c == '.' && b.len)))
			strbuf_putc(&b, c, 1);
		else
			strbuf_add(&b, "\\x%02x", c);
	}
	return strbuf_take(&b);
}

char *saved_unit_name(const char *name)
{
	_cleanup_free_ char *instance = saved_escape(name);

	return xasprintf("noclone-device@%s.service", instance);
}

const char *saved_name_problem(const char *name)
{
	_cleanup_free_ char *escaped = NULL;

	if (!*name || strchr(name, '/'))
		return "is not a name of a device";
	/*
	 * the name of its file would also begin with a dot, so the file would be hidden; "." and
	 * ".." cannot be names of devices
	 */
	if (*name == '.')
		return "begins with a dot: such a device cannot be saved";
	if (!name_is_plain(name))
		return "cannot be saved: its name may have letters, digits and #+-.:=@_ only";
	/* escaping makes a name at most four times as long, so a short name needs no check */
	escaped = strlen(name) > MAX_ESCAPED / 4 ? saved_escape(name) : NULL;
	if (escaped && strlen(escaped) > MAX_ESCAPED)
		return "cannot be saved: its name is too long for a unit of systemd, where each character takes four, except letters, digits, \"_\", \".\" and \":\"";
	return NULL;
}

char *saved_path(const char *name)
{
	return xasprintf(SAVED_DIR "/%s" SAVED_SUFFIX, name);
}

char *saved_name(const char *file)
{
	size_t length = strlen(file), suffix = strlen(SAVED_SUFFIX);
	_cleanup_free_ char *name = NULL;

	if (length <= suffix || strcmp(file + length - suffix, SAVED_SUFFIX))
		return NULL;
	name = xstrndup(file, length - suffix);
	return saved_name_problem(name) ? NULL : xstrdup(name);
}

/* Return: the leg with this number in the order of the table, counted from 0, or NULL. */
static struct leg *saved_leg(const struct saved *s, unsigned int nr)
{
	struct target *t = NULL;
	unsigned int leg;

	do
		t = table_next_leg(&s->table, t, &leg);
	while (t && nr--);
	return t ? &t->legs[leg] : NULL;
}

static void saved_add_signature(struct saved *s, const struct names *w)
{
	struct leg *leg = saved_leg(s, s->nr++);

	if (leg)
		leg->signature = xasprintf("%s%s%s", w->name[1], w->nr > 2 ? " " : "",
					   w->nr > 2 ? w->name[2] : "");
}

static void saved_add_disk(struct saved *s, const struct names *w)
{
	struct leg *leg = saved_leg(s, s->nr_disks++);
	struct strbuf b = { 0 };
	unsigned int i;

	if (!leg)
		return;
	for (i = 0; i < w->nr; i++)
		strbuf_add(&b, "%s%s", i ? " " : "", w->name[i]);
	leg->disk = strbuf_take(&b);
}

static bool saved_take_partitions(struct saved *s, const struct names *w)
{
	struct strbuf b = { 0 };
	unsigned int i;
	uint32_t number;
	bool good = true;

	for (i = 1; i < w->nr; i++) {
		good = good && parse_u32(w->name[i], &number) && number;
		strbuf_add(&b, " %s", w->name[i]);
	}
	if (good)
		s->partitions = strbuf_take(&b);
	free(b.text);
	return good;
}

/* Are these the words "uuid UUID" of a comment, with a UUID that a device may have? */
static bool saved_is_uuid(const struct names *w)
{
	return w->nr == 2 && !strcmp(w->name[0], "uuid") && !name_uuid_problem(w->name[1]);
}

/*
 * Read the words of one comment. Return: false if the words are wrong. A second UUID is wrong,
 * because it belongs to another device.
 */
static bool saved_take(struct saved *s, const struct names *w)
{
	const char *word = w->nr ? w->name[0] : "";

	if (w->nr == 1 && !strcmp(word, "readonly")) {
		s->readonly = true;
	} else if (w->nr > 1 && !strcmp(word, "partitions") && !s->partitions) {
		return saved_take_partitions(s, w);
	} else if (w->nr == 1 && !strcmp(word, "noscan")) {
		s->noscan = true;
	} else if (saved_is_uuid(w) && !s->uuid) {
		s->uuid = xstrdup(w->name[1]);
	} else if ((w->nr == 2 || w->nr == 3) && !strcmp(word, "signature")) {
		saved_add_signature(s, w);
	} else {
		return false;
	}
	return true;
}

/*
 * Return: the UUID in a comment, a new string, or NULL. @words: the text behind "noclone:"; only
 * its first line is read.
 */
static char *saved_uuid_in(const char *words)
{
	_cleanup_free_ char *line = xstrndup(words, strcspn(words, "\n"));
	_cleanup_names_ struct names w = { 0 };

	names_split(&w, line);
	return saved_is_uuid(&w) ? xstrdup(w.name[1]) : NULL;
}

static const char *saved_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return text + (*text == '\n');
}

char *saved_find_uuid(const char *text)
{
	char *uuid = NULL;

	for (; *text && !uuid; text = saved_next_line(text)) {
		const char *comment = text + strspn(text, "# \t");

		if (str_starts(comment, KEYWORD))
			uuid = saved_uuid_in(comment + strlen(KEYWORD));
	}
	return uuid;
}

bool saved_is_file(const char *text)
{
	return strstr(text, "# " KEYWORD);
}

static void saved_parse_keywords(struct saved *s, const char *text,
				 struct findings *findings)
{
	unsigned int nr = 0;

	for (; *text; text = saved_next_line(text)) {
		_cleanup_free_ char *line = xstrndup(text, strcspn(text, "\n"));
		_cleanup_names_ struct names w = { 0 };
		const char *comment = line + strspn(line, "# \t");

		nr++;
		if (str_starts(comment, DISK_KEYWORD)) {
			names_split(&w, comment + strlen(DISK_KEYWORD));
			saved_add_disk(s, &w);
			continue;
		}
		if (!str_starts(comment, KEYWORD))
			continue;
		names_split(&w, comment + strlen(KEYWORD));
		if (!saved_take(s, &w))
			finding_at(findings, FINDING_ERROR, nr,
				   "After \"noclone:\", a comment has to continue with \"uuid UUID\", \"readonly\", \"partitions NUMBER...\", \"noscan\" or \"signature TYPE [UUID]\"");
	}
}

/*
 * Check the paths of legs. A relative path depends on the current folder, and may lead to another
 * disk at boot. Return: the number of legs and backing files.
 */
static unsigned int saved_check_legs(const struct table *t, struct findings *findings)
{
	struct target *target = NULL;
	unsigned int i, nr;

	for (nr = 0; (target = table_next_leg(t, target, &i)); nr++) {
		const char *device = target->legs[i].device;

		if (*device != '/' && !strchr(device, '=') && device[strspn(device, "0123456789:")])
			finding_at(findings, FINDING_ERROR, target->line,
				   "\"%s\" does not begin with /: write it as /dev/NAME", device);
	}
	return nr;
}

#define SAVE	"if the device is active, \"noclone save\" writes the file again"

/*
 * Report unknown target types. Without this report, the number of signatures would be reported as
 * wrong, because the legs of an unknown type cannot be counted.
 */
static void saved_check_types(const struct table *t, struct findings *findings)
{
	unsigned int i;

	lint_table(t, NULL, 0, findings);
	for (i = 0; i < t->nr && !findings_count(findings, FINDING_ERROR); i++)
		if (t->targets[i].secret)
			finding_at(findings, FINDING_ERROR, t->targets[i].line,
				   "unknown target type \"%s\": a saved device may have only targets of dm-noclone, and linear, striped, zero and error; "
				   SAVE, t->targets[i].type);
}

/*
 * Report if @nr, the number of lines "# KEYWORD", differs from @parts, the number of legs and
 * backing files. Return: true if both numbers are equal.
 */
static bool saved_check_number(const char *keyword, unsigned int nr, unsigned int parts,
			       struct findings *findings)
{
	if (nr != parts)
		finding_at(findings, FINDING_ERROR, 0,
			   "The file needs one line \"# %s\" for each leg or backing file of its table, which are %u, but has %u; " SAVE,
			   keyword, parts, nr);
	return nr == parts;
}

/*
 * Check that the text has everything that a saved file needs. If a file was copied only in part, it
 * has fewer signatures than legs, or no line break at its end.
 */
static void saved_check_complete(const struct saved *s, const char *text, unsigned int parts,
				 struct findings *findings)
{
	if (s->nr != parts || (s->nr_disks && s->nr_disks != parts))
		saved_check_types(&s->table, findings);
	if (findings_count(findings, FINDING_ERROR) ||
	    !saved_check_number(KEYWORD " signature", s->nr, parts, findings) ||
	    (s->nr_disks && !saved_check_number(DISK_KEYWORD, s->nr_disks, parts, findings)))
		return;
	if (!s->uuid)
		finding_at(findings, FINDING_ERROR, 0,
			   "The file has no line \"# " KEYWORD " uuid UUID\", which names the device; " SAVE);
	else if (s->partitions && (s->table.nr != 1 || !s->table.targets->path))
		finding_at(findings, FINDING_ERROR, 0,
			   "The line \"# " KEYWORD " partitions NUMBER...\" is only for a table with a single target noclone-file: remove the line, or correct the table");
	else if (text[strlen(text) - 1] != '\n')
		finding_at(findings, FINDING_ERROR, 0,
			   "The last line of the file has no line end: the file was copied only in part; " SAVE);
}

void saved_parse(struct saved *s, const char *text, struct findings *findings)
{
	unsigned int parts;

	table_parse(&s->table, text, findings);
	s->table.saved = true;
	parts = saved_check_legs(&s->table, findings);
	saved_parse_keywords(s, text, findings);
	if (!findings_count(findings, FINDING_ERROR))
		saved_check_complete(s, text, parts, findings);
}

char *saved_print(const struct saved *s)
{
	_cleanup_free_ char *table = table_print_all(&s->table);
	struct strbuf b = { 0 };
	struct target *t = NULL;
	unsigned int leg;

	strbuf_add(&b, "# A saved device: \"noclone activate\" makes it, also at boot; see noclone-tables(5).\n");
	strbuf_add(&b, "# " KEYWORD " uuid %s\n", s->uuid);
	if (s->readonly)
		strbuf_add(&b, "# " KEYWORD " readonly\n");
	if (s->partitions)
		strbuf_add(&b, "# " KEYWORD " partitions%s\n", s->partitions);
	if (s->noscan)
		strbuf_add(&b, "# " KEYWORD " noscan\n");
	strbuf_add(&b, "%s\n", table);
	while ((t = table_next_leg(&s->table, t, &leg)))
		if (t->legs[leg].disk)
			strbuf_add(&b, "# " DISK_KEYWORD " %s\n", t->legs[leg].disk);
	while ((t = table_next_leg(&s->table, t, &leg)))
		strbuf_add(&b, "# " KEYWORD " signature %s\n", t->legs[leg].signature);
	return strbuf_take(&b);
}

bool saved_is_readable(const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *again = NULL;

	saved_parse(&s, text, &findings);
	if (findings_count(&findings, FINDING_ERROR))
		return false;
	again = saved_print(&s);
	return !strcmp(again, text);
}

/*
 * Are both signatures the same? Two versions of libblkid may have different words for the type of a
 * file system, so equal UUIDs are enough.
 */
static bool saved_is_same(const char *a, const char *b)
{
	const char *id = strchr(a, ' '), *other = strchr(b, ' ');

	return !strcmp(a, b) || (id && other && !strcmp(id, other));
}

/*
 * May a signature on @leg be a part of the data of the mapped device? @first says whether the
 * device has a partition table or is a physical volume of LVM. If the device is divided in this
 * way, a partition or logical volume may begin at the first sector that the device has on @leg, and
 * then the signature of its file system is on @leg.
 */
static bool saved_may_be_data(const struct target *t, unsigned int leg, const char *first)
{
	static const char * const divided[] = { "LVM2_member", "gpt", "dos" };
	uint64_t start = t->start + (uint64_t)leg * t->chunk;
	size_t length = strcspn(first, " ");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(divided); i++)
		if (strlen(divided[i]) == length && str_starts(first, divided[i]))
			return start && !(start % ALIGNMENT);
	return false;
}

/*
 * May @found be a copy of @first, on a leg that had no signature when the device was saved? xfs
 * writes a superblock at the start of each allocation group, and an allocation group may start at
 * the first sector of a leg.
 */
static bool saved_may_be_copy(const char *expected, const char *found, const char *first)
{
	return !strcmp(expected, SIGNATURE_NONE) && strcmp(found, SIGNATURE_NONE) &&
	       !strcmp(found, first);
}

char *saved_refusal(const struct target *t, unsigned int leg, bool is_first,
		    const char *found, const char *first, enum finding_level *level)
{
	_cleanup_free_ char *name = t->path ? name_encode_path(t->path) :
					      xstrdup(t->legs[leg].device);
	const char *saved = t->legs[leg].signature;

	if (saved_is_same(found, saved) || (is_first && !strcmp(saved, SIGNATURE_NONE)))
		return NULL;
	*level = first && (saved_may_be_copy(saved, found, first) ||
			   saved_may_be_data(t, leg, first)) ? FINDING_WARNING : FINDING_ERROR;
	return xasprintf("%s has the signature \"%s\", but the signature \"%s\" was saved: this may be another %s, or another program may have written to it",
			 name, found, saved, t->path ? "file" : "disk");
}

char *saved_disk_word(const char *signature)
{
	char *word = xstrdup(signature), *blank = strchr(word, ' ');

	if (blank)
		*blank = '=';
	return word;
}

bool saved_disk_is_known(const char *record)
{
	return record && strcmp(record, SIGNATURE_UNREAD);
}

static const char *saved_disk_of(const struct table *t, const char *device)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i)))
		if (!target->path && !strcmp(target->legs[i].device, device))
			return target->legs[i].disk;
	return NULL;
}

void saved_keep_disks(const struct table *old, struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		struct leg *leg = &target->legs[i];
		const char *disk = target->path ? NULL : saved_disk_of(old, leg->device);

		if (!disk)
			continue;
		free(leg->disk);
		leg->disk = xstrdup(disk);
	}
}

bool saved_disk_has(const char *record, const char *signature)
{
	_cleanup_names_ struct names words = { 0 };
	bool found = false;
	unsigned int i;

	if (record)
		names_split(&words, record);
	for (i = 0; i < words.nr && !found; i++) {
		char *id = strchr(words.name[i], '=');

		if (id)
			*id = ' ';
		found = saved_is_same(words.name[i], signature);
	}
	return found;
}

void saved_free(struct saved *s)
{
	free(s->uuid);
	free(s->partitions);
	table_free(&s->table);
	memset(s, 0, sizeof(*s));
}
