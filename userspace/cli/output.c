// SPDX-License-Identifier: GPL-2.0-only
/* JSON output, and findings as lines. */
#include "cli/output.h"

#include <ctype.h>
#include <iconv.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/table-text.h"
#include "system/identity.h"

void output_log_findings(const struct findings *f, const char *where, enum finding_level least)
{
	static void (* const log[])(const char *fmt, ...) = {
		log_verbose, log_verbose, log_warn, log_err,
	};
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		_cleanup_free_ char *words = finding_words(&f->finding[i], where);

		if (f->finding[i].level >= least)
			log[f->finding[i].level]("%s", words);
	}
}

void output_print_findings(const struct findings *f, const char *where, enum finding_level least)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		_cleanup_free_ char *raw = finding_words(&f->finding[i], where);
		_cleanup_free_ char *words = visible(raw);

		if (f->finding[i].level >= least)
			printf("%-7s  %s\n", finding_level_name(f->finding[i].level), words);
	}
}

struct json_object *output_new(const char *command)
{
	struct json_object *o = json_object_new_object();

	output_add_number(o, "schema", NOCLONE_JSON_SCHEMA);
	output_add_string(o, "version", TOOL_VERSION);
	output_add_string(o, "command", command);
	return o;
}

/* An array with the objects that output_print() has kept, or NULL */
static struct json_object *said;

bool output_print(const struct options *o, struct json_object *out)
{
	if (!opt(o, OPT_JSON)) {
		json_object_put(out);
		return false;
	}
	if (!said)
		said = json_object_new_array();
	json_object_array_add(said, out);
	return true;
}

void output_add_device(struct json_object *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *path = xasprintf("/dev/mapper/%s", dev->name);

	output_add_string(o, "name", dev->name);
	output_add_string(o, "uuid", dev->uuid);
	output_add_devno(o, "device", dev->devno);
	output_add_string(o, "path", path);
}

struct json_object *output_device(const char *command, const struct devmap_device *dev)
{
	struct json_object *out = output_new(command);

	output_add_bool(out, "dry_run", false);
	output_add_device(out, dev);
	return out;
}

void output_finish(void)
{
	struct json_object *all = said, *o;

	if (!said)
		return;
	o = json_object_array_get_idx(said, 0);
	if (json_object_array_length(said) > 1) {
		o = all = output_new(json_object_get_string(json_object_object_get(o, "command")));
		json_object_object_add(all, "results", said);
	}
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(all);
}

/* Return: how many bytes at the start of @s are ASCII. */
static size_t output_ascii_length(const char *s)
{
	size_t n = 0;

	while (s[n] && isascii((unsigned char)s[n]))
		n++;
	return n;
}

/*
 * Return: how many bytes at the start of @s are valid UTF-8. Most strings consist of ASCII, for
 * which iconv() is not needed.
 */
static size_t output_utf8_length(const char *s)
{
	size_t ascii = output_ascii_length(s);
	size_t left = strlen(s + ascii), room = left * sizeof(wchar_t);
	_cleanup_free_ char *wide = xzalloc(room + 1);
	iconv_t utf8 = left ? iconv_open("WCHAR_T", "UTF-8") : (iconv_t)-1;
	char *in = (char *)s + ascii, *out = wide;

	if (utf8 == (iconv_t)-1)
		return ascii;
	iconv(utf8, &in, &left, &out, &room);
	iconv_close(utf8);
	return in - s;
}

struct json_object *output_string(const char *s)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };
	size_t n;

	if (!s)
		return NULL;
	for (n = output_utf8_length(s); s[n]; n = output_utf8_length(s)) {
		strbuf_append(&b, s, n);
		strbuf_add(&b, "\xef\xbf\xbd");
		s += n + 1;
	}
	strbuf_append(&b, s, n);
	return json_object_new_string(b.text);
}

void output_add_string(struct json_object *o, const char *key, const char *s)
{
	json_object_object_add(o, key, output_string(s));
}

void output_add_number(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_uint64(n));
}

void output_add_devno(struct json_object *o, const char *key, dev_t devno)
{
	_cleanup_free_ char *number = devno ? xasprintf("%u:%u", major(devno), minor(devno)) : NULL;

	output_add_string(o, key, number);
}

void output_add_bool(struct json_object *o, const char *key, bool b)
{
	json_object_object_add(o, key, json_object_new_boolean(b));
}

static struct json_object *output_finding(const struct finding *f)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "level", finding_level_name(f->level));
	output_add_string(o, "check", f->check);
	output_add_string(o, "subject", f->subject);
	output_add_number(o, "line", f->line);
	output_add_string(o, "text", f->text);
	output_add_string(o, "fix", f->fix);
	return o;
}

void output_add_findings(struct json_object *o, const struct findings *f,
			 enum finding_level least)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->finding[i].level >= least)
			json_object_array_add(array, output_finding(&f->finding[i]));
	json_object_object_add(o, "findings", array);
}

void output_add_judgement(struct json_object *o, const struct findings *f,
			  enum finding_level least)
{
	output_add_bool(o, "ok", !findings_count(f, FINDING_ERROR));
	output_add_number(o, "errors", findings_count(f, FINDING_ERROR));
	output_add_number(o, "warnings", findings_count(f, FINDING_WARNING));
	output_add_findings(o, f, least);
}

struct json_object *output_lines(const char *text)
{
	struct json_object *array = json_object_new_array();

	while (*text) {
		size_t len = strcspn(text, "\n");
		_cleanup_free_ char *line = xstrndup(text, len);

		json_object_array_add(array, output_string(line));
		text += len + (text[len] == '\n');
	}
	return array;
}

void output_dry_run_parts(const struct options *o, const char *command, const char *name,
			  const char *uuid, const struct table *t, const struct findings *findings,
			  struct json_object *parts, const char *dmsetup)
{
	_cleanup_free_ char *table = t ? table_print(t, false, identity_loadable) : NULL;
	struct json_object *out;

	if (!opt(o, OPT_JSON)) {
		printf("%s%s%s\n", table ?: "", table ? "\n" : "", dmsetup);
		json_object_put(parts);
		return;
	}
	out = output_new(command);
	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", name);
	if (uuid)
		output_add_string(out, "uuid", uuid);
	if (table)
		json_object_object_add(out, "table", output_lines(table));
	if (findings)
		output_add_findings(out, findings, FINDING_OK);
	if (parts)
		json_object_object_add(out, "partitions", parts);
	output_add_string(out, "dmsetup", dmsetup);
	output_print(o, out);
}

void output_dry_run(const struct options *o, const char *command, const char *name,
		    const char *uuid, const struct table *t,
		    const struct findings *findings, const char *dmsetup)
{
	output_dry_run_parts(o, command, name, uuid, t, findings, NULL, dmsetup);
}
