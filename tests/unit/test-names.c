// SPDX-License-Identifier: GPL-2.0-only
/* The names in "bad-names" stay one name wherever they are written. */
#include "unit.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>

#include "noclone-path.h"
#include "base/child.h"
#include "base/util.h"
#include "cli/output.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/policy.h"
#include "model/saved.h"
#include "model/table-text.h"
#include "model/table.h"
#include "cli/status-formats.h"

#define ALNUM	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static char **names;
static unsigned int nr_names;

/* Return: a new string, @line as "printf %b" decodes it. */
static char *names_decode(const char *line)
{
	struct strbuf b = { 0 };
	unsigned int c;

	for (; *line; line++) {
		if (*line != '\\') {
			strbuf_putc(&b, *line, 1);
		} else if (sscanf(line, "\\x%2x", &c) == 1) {
			strbuf_putc(&b, c, 1);
			line += strlen("xNN");
		} else {
			line++;
			strbuf_putc(&b, *line == 'n' ? '\n' : *line == 't' ? '\t' :
				    *line == 'r' ? '\r' : *line, 1);
		}
	}
	return strbuf_take(&b);
}

static int names_read(void **state __unused)
{
	char *text = read_text_file(TOP "/tests/unit/bad-names", 1 << 20), *save = NULL, *line;

	assert_non_null(text);
	for (line = strtok_r(strstr(text, "\n\n"), "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		GROW(names, nr_names);
		names[nr_names++] = names_decode(line);
	}
	free(text);
	assert_true(nr_names >= 100);
	return 0;
}

static int names_drop(void **state __unused)
{
	while (nr_names)
		free(names[--nr_names]);
	free(names);
	return 0;
}

static void a_shell_has_the_same_word(void **state __unused)
{
	struct strbuf script = { 0 };
	_cleanup_free_ char *text = NULL, *out = NULL;
	char *argv[] = { "bash", "-c", NULL, NULL };
	size_t length = 0, at = 0;
	unsigned int i;

	strbuf_add(&script, "printf '%%s\\0'");
	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *quoted = shell_quote(names[i]);

		strbuf_add(&script, " %s", quoted);
	}
	text = argv[2] = strbuf_take(&script);
	out = child_read(argv, &length);
	for (i = 0; i < nr_names; i++) {
		assert_true(at < length);
		assert_string_equal(out + at, names[i]);
		at += strlen(names[i]) + 1;
	}
	assert_int_equal(at, length);
}

/* A shell that reads a printed command gets the same name. */
static void a_command_has_the_same_word(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		const char *dashes = *names[i] == '-' ? "--\n" : "", *dmsetup = name_dmsetup(names[i]);
		_cleanup_free_ char *own = name_noclone("save", names[i]);
		_cleanup_free_ char *setuuid = name_command_setuuid(names[i]);
		_cleanup_free_ char *script = xasprintf("noclone() { printf '%%s\\n' \"$@\"; }; %s", own);
		_cleanup_free_ char *expected = xasprintf("save\n%s%s\n", dashes, names[i]);
		char *argv[] = { "bash", "-c", script, NULL };
		_cleanup_free_ char *out = child_read(argv, NULL);

		assert_string_equal(out, expected);
		assert_true(str_starts(setuuid, dmsetup));
	}
}

static void is_harmless(const char *text)
{
	for (; *text; text++)
		assert_false(iscntrl((unsigned char)*text));
}

static void a_terminal_gets_no_control_character(void **state __unused)
{
	unsigned int i;
	char *c;

	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *shown = visible(names[i]), *quoted = shell_quote(names[i]);
		_cleanup_free_ char *command = name_command("remove", names[i]);
		_cleanup_free_ char *uuid = name_command_setuuid(names[i]);
		_cleanup_free_ char *own = name_noclone("remove", names[i]);
		_cleanup_table_ struct table none = { 0 };
		_cleanup_free_ char *concise = table_concise(&none, names[i], names[i], false);

		is_harmless(quoted);
		is_harmless(command);
		is_harmless(uuid);
		is_harmless(own);
		is_harmless(concise);
		for (c = shown; *c; c++)
			assert_false(iscntrl((unsigned char)*c));
	}
}

/* An accepted name of a device is a valid file name below /etc/noclone, and not an option. */
static void an_accepted_name_is_plain(void **state __unused)
{
	unsigned int i, accepted = 0;

	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *file = xasprintf("%s.table", names[i]);
		_cleanup_free_ char *name = saved_name(file);
		bool saved = !saved_name_problem(names[i]);

		assert_int_equal(saved, !!name);
		if (saved)
			assert_string_equal(name, names[i]);
		if (name_problem(names[i]))
			continue;
		accepted++;
		assert_true(strlen(names[i]) <= 127);
		assert_int_equal(strspn(names[i], ALNUM "#+-.:=@_"), strlen(names[i]));
		assert_int_not_equal(*names[i], '-');
	}
	assert_in_range(accepted, 1, nr_names / 4);
}

static void a_uuid_stays_one_word(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *uuid = xasprintf("NOCLONE-%s", names[i]);

		if (!name_uuid_problem(uuid))
			assert_int_equal(strspn(uuid, ALNUM "#+-.:=@_\\"), strlen(uuid));
	}
}

static void a_mangled_name_comes_back(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *encoded = name_encode(names[i]), *back = name_decode(encoded);

		assert_string_equal(back, names[i]);
	}
}

/* The name of a unit has no specifier, no separator and no other folder. */
static void is_unit_name(const char *text)
{
	unsigned int c;

	assert_int_not_equal(*text, '.');
	for (; *text; text++) {
		assert_non_null(strchr(ALNUM ":_.-\\", *text));
		if (*text == '\\')
			assert_int_equal(sscanf(text, "\\x%2x", &c), 1);
	}
}

static void an_instance_is_a_unit_name(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *path = xasprintf("dev/mapper/%s", names[i]);
		_cleanup_free_ char *instance = saved_escape(names[i]);
		_cleanup_free_ char *device = saved_escape(path);

		is_unit_name(instance);
		is_unit_name(device);
	}
}

static void a_path_in_a_table_comes_back(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *path = xasprintf("/srv/%s", names[i]);
		_cleanup_free_ char *word = name_encode_path(path), *text = NULL, *again = NULL;
		_cleanup_findings_ struct findings f = { 0 };
		_cleanup_table_ struct table t = { 0 };

		text = xasprintf("0 8 noclone-file %s 0", word);
		table_parse(&t, text, &f);
		assert_int_equal(f.nr, 0);
		assert_string_equal(t.targets[0].path, path);
		again = table_print(&t, false, NULL);
		assert_string_equal(again, text);
	}
}

/* A line of the concise format is "name,uuid,,rw,table". */
static void a_concise_table_has_five_parts(void **state __unused)
{
	_cleanup_findings_ struct findings f = { 0 };
	_cleanup_table_ struct table t = { 0 };
	unsigned int i;

	table_parse(&t, "0 8 linear 8:0 0", &f);
	for (i = 0; i < nr_names; i++) {
		_cleanup_free_ char *text = table_concise(&t, names[i], names[i], false);
		unsigned int commas = 0;
		const char *c;

		for (c = text; *c; c++) {
			commas += *c == ',';
			assert_int_not_equal(*c, ';');
			c += *c == '\\';
		}
		assert_int_equal(commas, 4);
	}
}

/* A label or UUID of a disk adds neither a target nor a keyword to a saved file. */
static void a_signature_stays_one(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		_cleanup_saved_ struct saved s = { 0 }, again = { 0 };
		_cleanup_findings_ struct findings f = { 0 };
		_cleanup_free_ char *text = NULL, *words = xasprintf("luks %s", names[i]);

		table_parse(&s.table, "0 8 noclone-linear 8:0 0\n", &f);
		s.uuid = xstrdup("NOCLONE-1");
		s.table.targets[0].legs[0].signature = xstrdup(words);
		text = saved_print(&s);
		if (!saved_is_readable(text))
			continue;
		saved_parse(&again, text, &f);
		assert_int_equal(f.nr, 0);
		assert_int_equal(again.table.nr, 1);
		assert_int_equal(again.nr, 1);
		assert_string_equal(again.table.targets[0].legs[0].signature, words);
		assert_false(again.readonly);
	}
}

static void a_rule_is_for_that_device_only(void **state __unused)
{
	const struct policy_names other = { "other", "vg0/other" };
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		const struct policy_names own = { names[i], NULL };
		_cleanup_policy_ struct policy p = { 0 }, again = { 0 };
		_cleanup_findings_ struct findings f = { 0 };
		_cleanup_free_ char *text = NULL;

		policy_set_device(&p, POLICY_INCLUDE, &own);
		text = policy_print(&p);
		policy_parse(&again, text, &f);
		if (strchr(names[i], '/') || !*names[i])
			continue;
		if (f.nr || again.nr != 1 || !policy_find(&again, &own))
			fail_msg("\"%s\" gives \"%s\"", names[i], text);
		assert_null(policy_find(&again, &other));
	}
}

/* The line of a metric has one name="...", followed only by its number. */
static void a_metric_has_one_line(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < nr_names; i++) {
		struct json_object *devices = json_object_new_array(), *d = json_object_new_object();
		_cleanup_free_ char *text = NULL;
		const char *at;

		output_add_string(d, "name", names[i]);
		json_object_object_add(d, "findings", json_object_new_array());
		json_object_object_add(d, "targets", json_object_new_array());
		json_object_array_add(devices, d);
		text = status_metrics(devices);
		json_object_put(devices);
		at = strstr(text, "\nnoclone_fastpath_on{name=\"");
		assert_non_null(at);
		at = strchr(at, '"') + 1;
		for (; *at != '"'; at++)
			at += *at == '\\';
		assert_true(str_starts(at, "\"} 0\n# HELP "));
		assert_null(strstr(text, "\xff"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shell_has_the_same_word),
		cmocka_unit_test(a_command_has_the_same_word),
		cmocka_unit_test(a_terminal_gets_no_control_character),
		cmocka_unit_test(an_accepted_name_is_plain),
		cmocka_unit_test(a_uuid_stays_one_word),
		cmocka_unit_test(a_mangled_name_comes_back),
		cmocka_unit_test(an_instance_is_a_unit_name),
		cmocka_unit_test(a_path_in_a_table_comes_back),
		cmocka_unit_test(a_concise_table_has_five_parts),
		cmocka_unit_test(a_signature_stays_one),
		cmocka_unit_test(a_rule_is_for_that_device_only),
		cmocka_unit_test(a_metric_has_one_line),
	};

	return cmocka_run_group_tests_name("names", tests, names_read, names_drop);
}
