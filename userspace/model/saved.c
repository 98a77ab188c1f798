// SPDX-License-Identifier: GPL-2.0-only
/* Saved devices: reading and printing their files, and what is accepted of a leg. */
#include "model/saved.h"

#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/boot-unit.h"
#include "model/name.h"
#include "model/path.h"
#include "model/table-parse.h"
#include "model/table-print.h"

#define KEYWORD		"noclone:"
/* The first line of a file that was printed, around the name */
#define HEADING		"# The device "
#define HEADING_END	", see noclone-tables(5): noclone activate, also at boot."
/* What partitions and logical volumes are aligned to, in sectors. */
#define ALIGNMENT	2048
/* systemd's 255 without "blockdev@dev-mapper-" and ".target", its longest unit of a device */
#define MAX_ESCAPED	228

static size_t escaped_length(const char *name)
{
	_cleanup_free_ char *escaped = boot_unit_escape(name, false);

	return strlen(escaped);
}

const char *saved_name_problem(const char *name)
{
	if (!*name || strchr(name, '/'))
		return "is not a name of a device";
	/* as a file it would be hidden; "." and ".." are no names at all */
	if (*name == '.')
		return "begins with a dot: such a device cannot be saved";
	if (!name_is_plain(name))
		return "cannot be saved: its name may have letters, digits and #+-.:=@_ only";
	if (escaped_length(name) > MAX_ESCAPED)
		return "cannot be saved: systemd has no units with such long names, and all but letters, digits and _.: counts four times";
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

/* The words behind "# noclone:"; false if the line is another one. */
static bool keyword_words(const char *line, struct words *w)
{
	line += strspn(line, " \t");
	if (*line != '#')
		return false;
	line += strspn(line, "# \t");
	if (!str_starts(line, KEYWORD))
		return false;
	words_split(w, line + strlen(KEYWORD));
	return true;
}

/* Behind a target a keyword would be taken for a comment, and have no effect. */
static bool has_late_keyword(const char *line)
{
	const char *comment = strchr(line, '#');

	return comment && str_starts(comment + strspn(comment, "# \t"), KEYWORD);
}

static bool is_signature(const struct words *w)
{
	return w->nr >= 4 && w->nr <= 5 && !strcmp(w->word[0], "signature");
}

static bool is_outdated(const struct words *w)
{
	return w->nr == 1 && !strcmp(w->word[0], "outdated");
}

static void add_signature(struct saved *s, const char *device, uint64_t start,
			  const char *text)
{
	if (!strcmp(text, SIGNATURE_NONE))
		return;
	GROW(s->signature, s->nr);
	s->signature[s->nr++] = (struct saved_signature) {
		xstrdup(device), start, xstrdup(text)
	};
}

static bool take_signature(struct saved *s, const struct words *w)
{
	const char *id = w->nr == 5 ? w->word[4] : "";
	_cleanup_free_ char *text = xasprintf("%s%s%s", w->word[3], *id ? " " : "", id);
	uint64_t start;

	if (!parse_u64(w->word[2], &start))
		return false;
	add_signature(s, w->word[1], start, text);
	return true;
}

static bool take_keyword(struct saved *s, const struct words *w, unsigned int line)
{
	if (w->nr == 1 && !strcmp(w->word[0], "readonly")) {
		s->readonly = true;
		return true;
	}
	if (is_outdated(w)) {
		s->outdated = line;
		return true;
	}
	if (w->nr == 2 && !strcmp(w->word[0], "uuid")) {
		free(s->uuid);
		/* in old files it may be as it was given, and not as it was made */
		s->uuid = uuid_encode(w->word[1]);
		return true;
	}
	return is_signature(w) && take_signature(s, w);
}

/* Call with each line of a text. */
#define FOR_EACH_LINE(line, at) \
	for (; *(at) && ((line) = xstrndup((at), strcspn((at), "\n"))); \
	     (at) += strcspn((at), "\n"), (at) += *(at) == '\n', free(line))

void saved_parse_keywords(struct saved *s, const char *text,
			  struct problems *problems)
{
	unsigned int nr = 0;
	char *line;

	FOR_EACH_LINE(line, text) {
		_cleanup_words_ struct words w = { 0 };

		nr++;
		if (!keyword_words(line, &w) ? has_late_keyword(line) : !take_keyword(s, &w, nr))
			problem_add(problems, PROBLEM_ERROR, nr,
				    "A comment with \"noclone:\" is \"uuid UUID\", \"readonly\", \"outdated\" or \"signature DEVICE START TYPE [UUID]\", on a line of its own");
	}
}

void saved_parse(struct saved *s, const char *text, struct problems *problems)
{
	unsigned int lines = 0;
	const char *at;

	for (at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		lines++;
	/* as of a file that was copied in part: the rest may be missing */
	if (lines && at[-1] != '\n')
		problem_add(problems, PROBLEM_ERROR, lines,
			    "The last line has no end: is the file complete?");
	table_parse(&s->table, text, problems);
	saved_parse_keywords(s, text, problems);
}

static void print_signatures(struct strbuf *b, const struct saved *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		strbuf_add(b, "# " KEYWORD " signature %s %llu %s\n",
			   s->signature[i].device,
			   (unsigned long long)s->signature[i].start,
			   s->signature[i].text);
}

char *saved_print(const struct saved *s, const char *name)
{
	_cleanup_free_ char *table = table_print(&s->table, false, NULL, NULL);
	struct strbuf b = { 0 };

	strbuf_add(&b, HEADING "%s" HEADING_END "\n", name);
	if (s->uuid && *s->uuid)
		strbuf_add(&b, "# " KEYWORD " uuid %s\n", s->uuid);
	if (s->readonly)
		strbuf_add(&b, "# " KEYWORD " readonly\n");
	strbuf_add(&b, "%s\n", table);
	print_signatures(&b, s);
	return strbuf_take(&b);
}

bool saved_is_readable(const char *text, const char *name)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *again = NULL;

	saved_parse(&s, text, &problems);
	again = saved_print(&s, name);
	return !problems_count(&problems, PROBLEM_ERROR) && !strcmp(again, text);
}

/* Of whatever name: the file may have been copied. */
static bool is_heading(const char *line)
{
	size_t length = strlen(line), end = strlen(HEADING_END);

	return str_starts(line, HEADING) && length > end &&
	       !strcmp(line + length - end, HEADING_END);
}

char *saved_with_comments(const char *text, const char *old)
{
	size_t first = strcspn(text, "\n") + 1;
	struct strbuf b = { 0 };
	char *line;

	strbuf_append(&b, text, first);
	FOR_EACH_LINE(line, old) {
		_cleanup_words_ struct words w = { 0 };

		if (line[strspn(line, " \t")] == '#' && !keyword_words(line, &w) &&
		    !is_heading(line))
			strbuf_add(&b, "%s\n", line);
	}
	strbuf_add(&b, "%s", text + first);
	return strbuf_take(&b);
}

bool saved_is_device(const struct saved *s, const char *uuid)
{
	size_t prefix = strlen(NOCLONE_UUID_PREFIX);
	bool ours = str_starts(uuid, NOCLONE_UUID_PREFIX);

	if (!s->uuid)
		return ours;
	return !strcmp(s->uuid, uuid) || (ours && !strcmp(s->uuid, uuid + prefix));
}

char *saved_with_signatures(const struct saved *s, const char *text)
{
	struct strbuf b = { 0 };
	char *line;

	FOR_EACH_LINE(line, text) {
		_cleanup_words_ struct words w = { 0 };

		if (!keyword_words(line, &w) || (!is_signature(&w) && !is_outdated(&w)))
			strbuf_add(&b, "%s\n", line);
	}
	print_signatures(&b, s);
	return strbuf_take(&b);
}

char *saved_with_outdated(const char *text)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_saved_ struct saved s = { 0 };

	saved_parse_keywords(&s, text, &ignored);
	if (s.outdated)
		return xstrdup(text);
	/* what was written by hand may have no end of its last line */
	return xasprintf("%s%s# " KEYWORD " outdated\n", text,
			 *text && text[strlen(text) - 1] != '\n' ? "\n" : "");
}

bool saved_has_stand_in(const struct table *saved, const struct table *live,
			bool (*is_loop_on)(const char *device, const char *path))
{
	const struct target *t;
	const char *path;
	unsigned int i;

	if (!table_has_file(saved) || saved->nr != live->nr)
		return false;
	for (i = 0; i < saved->nr; i++) {
		t = &live->targets[i];
		path = saved->targets[i].path;
		if (path && (t->nr_legs != 1 || !is_loop_on(t->legs[0].device, path)))
			return false;
	}
	return true;
}

unsigned int saved_parts(const struct target *t)
{
	return t->path ? 1 : t->nr_legs;
}

static char *part_name(const struct target *t, unsigned int part)
{
	return t->path ? path_encode(t->path) : xstrdup(t->legs[part].device);
}

static uint64_t part_start(const struct target *t, unsigned int part)
{
	return t->path ? t->file_start : t->legs[part].start;
}

void saved_add_signature(struct saved *s, const struct target *t, unsigned int part,
			 const char *text)
{
	_cleanup_free_ char *name = part_name(t, part);

	add_signature(s, name, part_start(t, part), text);
}

static const char *recorded(const struct saved *s, const char *name, uint64_t start)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->signature[i].start == start && !strcmp(s->signature[i].device, name))
			return s->signature[i].text;
	return SIGNATURE_NONE;
}

/* Another version of libblkid may have another word for the same file system. */
static bool is_same(const char *a, const char *b)
{
	const char *id = strchr(a, ' '), *other = strchr(b, ' ');

	return !strcmp(a, b) || (id && other && !strcmp(id, other));
}

char *saved_refusal(const struct saved *s, const struct target *t, unsigned int part,
		    const char *found)
{
	_cleanup_free_ char *name = part_name(t, part);
	const char *expected = recorded(s, name, part_start(t, part));
	bool first = !t->start && !part;

	if (is_same(found, expected) ||
	    (first && !strcmp(expected, SIGNATURE_NONE)))
		return NULL;
	return xasprintf("%s has the signature \"%s\", but \"%s\" was saved: is it another %s, or has something else written to it?",
			 name, found, expected, t->path ? "file" : "disk");
}

bool saved_may_be_data(const struct target *t, unsigned int part, const char *first)
{
	static const char * const divided[] = { "LVM2_member", "gpt", "dos" };
	uint64_t start = t->start + (uint64_t)part * t->chunk;
	size_t length = strcspn(first, " ");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(divided); i++)
		if (strlen(divided[i]) == length && str_starts(first, divided[i]))
			return start && !(start % ALIGNMENT);
	return false;
}

bool saved_may_be_copy(const struct saved *s, const struct target *t, unsigned int part,
		       const char *found, const char *first)
{
	_cleanup_free_ char *name = part_name(t, part);

	return strcmp(found, SIGNATURE_NONE) && !strcmp(found, first) &&
	       !strcmp(recorded(s, name, part_start(t, part)), SIGNATURE_NONE);
}

void saved_free(struct saved *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		free(s->signature[i].device);
		free(s->signature[i].text);
	}
	free(s->signature);
	free(s->uuid);
	table_free(&s->table);
	memset(s, 0, sizeof(*s));
}
