// SPDX-License-Identifier: GPL-2.0-only
/* The command line: options, the list of commands, completion. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "cli/build.h"
#include "cli/options.h"
#include "cmd/cmd.h"
#include "commands.h"
#include "complete.h"

/* Split the line into argv; getopt needs a writable array that ends with NULL. */
static int parse(struct options *o, const char *line, struct names *w)
{
	names_split(w, line);
	GROW(w->name, w->nr);
	w->name[w->nr] = NULL;
	return options_parse(o, w->nr, w->name);
}

static void options_everywhere(void **state __unused)
{
	_cleanup_names_ struct names w;
	struct options o;
	int first = parse(&o, "noclone -n create a --chunk 64K striped /dev/a "
			  "--uuid=x -t f --udev-timeout 7 /dev/b -fy", &w);

	assert_int_equal(w.nr - first, 5);
	assert_string_equal(w.name[first], "create");
	assert_string_equal(w.name[first + 4], "/dev/b");
	assert_int_equal(o.given, OPT_DRY_RUN | OPT_CHUNK | OPT_UUID | OPT_TABLE |
			 OPT_UDEV_TIMEOUT | OPT_FORCE | OPT_YES);
	assert_int_equal(o.chunk, 128);
	assert_string_equal(o.uuid, "x");
	assert_string_equal(o.table, "f");
	assert_int_equal(o.udev_timeout, 7);
	options_free(&o);
}

static void options_default(void **state __unused)
{
	_cleanup_names_ struct names w;
	struct options o;

	assert_int_equal(parse(&o, "noclone status", &w), 1);
	assert_int_equal(o.given, 0);
	assert_int_equal(o.udev_timeout, 30);
	assert_int_equal(o.run_ms, 2000);
	options_free(&o);
}

static void options_of_a_file(void **state __unused)
{
	_cleanup_names_ struct names w;
	struct options o;
	int first = parse(&o, "noclone create a file /srv/a -e Buffered "
			  "--size 1G --allocate", &w);

	assert_int_equal(w.nr - first, 4);
	assert_int_equal(o.given, OPT_ENGINE | OPT_SIZE | OPT_ALLOCATE);
	assert_int_equal(o.engine, ENGINE_BUFFERED);
	assert_int_equal(o.file_sectors, 2097152);
	options_free(&o);
}

static void seconds_with_fractions(void **state __unused)
{
	static const struct {
		const char *line;
		uint32_t ms;
	} good[] = {
		{ "noclone bench --seconds 1", 1000 },
		{ "noclone bench --seconds 0.1", 100 },
		{ "noclone bench --seconds 2.05", 2050 },
		{ "noclone bench --seconds 3600", 3600000 },
	};
	struct options o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		_cleanup_names_ struct names w;

		assert_true(parse(&o, good[i].line, &w) > 0);
		assert_int_equal(o.run_ms, good[i].ms);
		options_free(&o);
	}
}

static void options_after_double_dash_are_words(void **state __unused)
{
	_cleanup_names_ struct names w;
	struct options o;
	int first = parse(&o, "noclone status a -- --json", &w);

	assert_int_equal(w.nr - first, 3);
	assert_int_equal(o.given, 0);
	options_free(&o);
}

static int run(const char *line)
{
	_cleanup_free_ char **argv = NULL;
	_cleanup_names_ struct names w;

	/* the caller may replace the words */
	names_split(&w, line);
	argv = xzalloc((w.nr + 1) * sizeof(*argv));
	memcpy(argv, w.name, w.nr * sizeof(*argv));
	return command_main(w.nr, argv);
}

static void usage_errors(void **state __unused)
{
	static const char * const lines[] = {
		"noclone", "noclone nonsense", "noclone version extra",
		"noclone create", "noclone rename one", "noclone message a",
		"noclone check", "noclone help list extra", "noclone --nonsense",
		"noclone status --force", "noclone remove a --chunk 64K",
		"noclone create a --chunk 64", "noclone create a --chunk 0",
		"noclone create a --udev-timeout x", "noclone create a",
		"noclone create a mirrored /dev/null", "noclone create a linear",
		"noclone doctor a", "noclone doctor --dry-run",
		"noclone create a linear --chunk 64K /dev/null",
		"noclone create a/b linear /dev/null",
		"noclone create a --table /dev/null linear /dev/null",
		"noclone help nonsense",
		"noclone bench",
		"noclone bench --seconds 0.09 /dev/null",
		"noclone bench --seconds 3600.1 /dev/null",
		"noclone bench --seconds 4294967296 /dev/null",
		"noclone bench --seconds 1.2.3 /dev/null",
		"noclone bench --seconds 1e2 /dev/null",
		"noclone bench --seconds nan /dev/null",
		"noclone bench --seconds 1s /dev/null",
		"noclone bench --chunk 64K /dev/null",
		"noclone status --seconds 3",
		"noclone create a file", "noclone create a file /a /b",
		"noclone create a file /a --chunk 64K",
		"noclone create a file /a --engine mmap",
		"noclone create a file /a --size 64",
		"noclone create a file /a --size 0",
		"noclone create a file /a --size 9007199254740992K",
		"noclone create a linear /dev/null --allocate",
		"noclone create a --table /dev/null --size 1G",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		if (run(lines[i]) != EXIT_USAGE)
			fail_msg("\"%s\" is no usage error", lines[i]);
}

static void failures(void **state __unused)
{
	assert_int_equal(run("noclone create noclone-unit-test linear /dev/null"),
			 EXIT_FAILED);
	assert_int_equal(run("noclone create noclone-unit-test file /dev/null"),
			 EXIT_FAILED);
	assert_int_equal(run("noclone create noclone-unit-test file /no/such/file"),
			 EXIT_FAILED);
	assert_int_equal(run("noclone create noclone-unit-test file /"),
			 EXIT_FAILED);
	assert_int_equal(run("noclone create noclone-unit-test --table /no/such/file"),
			 EXIT_FAILED);
	/* none of these commands has left a lock */
	assert_int_equal(access("/run/noclone/noclone-unit-test.lock", F_OK), -1);
	assert_int_equal(run("noclone explain /no/such/file"), EXIT_FAILED);
	assert_int_equal(run("noclone check /no/such/file"), EXIT_FAILED);
	assert_int_equal(run("noclone bench /dev/null"), EXIT_FAILED);
	assert_int_equal(run("noclone bench /no/such/file"), EXIT_FAILED);
	assert_int_equal(run("noclone check " TOP "/tables/reject/gap.table"),
			 EXIT_FAILED);
}

static void commands_are_complete(void **state __unused)
{
	const struct command *c, *other;

	for (c = commands; c->name; c++) {
		assert_true(c->run || c->each);
		assert_non_null(c->kinds);
		assert_true(*c->summary);
		assert_true(c->max == ANY_NUMBER || c->max >= c->min);
		assert_ptr_equal(command_find(c->name), c);
		for (other = commands; other != c; other++)
			assert_string_not_equal(other->name, c->name);
	}
	assert_null(command_find("nonsense"));
}

static void option_names_and_letters_are_unique(void **state __unused)
{
	unsigned int i, j;

	for (i = 0; i < OPT_NR; i++)
		for (j = 0; j < i; j++) {
			assert_string_not_equal(option_infos[i].name,
						option_infos[j].name);
			if (option_infos[i].letter)
				assert_int_not_equal(option_infos[i].letter,
						     option_infos[j].letter);
		}
}

/* Each option belongs to at least one command; otherwise no command would accept it. */
static void options_are_used(void **state __unused)
{
	const struct command *c;
	option_bits used = 0;

	for (c = commands; c->name; c++)
		used |= c->options;
	assert_int_equal(used, (1ULL << OPT_NR) - 1);
}

/* The candidates for the last word of the line, which begins after the last blank. */
static char *candidates(const char *line)
{
	_cleanup_names_ struct names w;

	names_split(&w, line);
	GROW(w.name, w.nr);
	w.name[w.nr] = "";
	return complete_word(w.nr - (line[strlen(line) - 1] != ' '), w.name);
}

static void completion_proposes(void **state __unused)
{
	static const struct {
		const char *line, *candidates;
	} lines[] = {
		{ "noclone create x ", "linear\nstriped\nfile\n" },
		{ "noclone create new", "" },
		{ "noclone create x linear ", "\tfiles\n" },
		{ "noclone create x linear --chunk 64K /dev/a ", "\tfiles\n" },
		{ "noclone create --chunk 64K x ", "linear\nstriped\nfile\n" },
		{ "noclone create --chunk=64K x ", "linear\nstriped\nfile\n" },
		{ "noclone create x file /a -e ", "direct\nextent\nbuffered\n" },
		{ "noclone convert x --to s", "noclone\nstock\n" },
		{ "noclone convert x --to=s", "--to=noclone\n--to=stock\n" },
		{ "noclone create --table ", "\tfiles\n" },
		{ "noclone create --size ", "" },
		{ "noclone create --readonly=", "" },
		{ "noclone help create x", "" },
		{ "noclone version -",
		  "--json\tprint JSON\n"
		  "--verbose\tprint more messages, also those of libdevmapper\n"
		  "--help\tprint help for the command\n--version\tprint the version\n" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *got = candidates(lines[i].line);

		if (strcmp(got, lines[i].candidates))
			fail_msg("%s: %s", lines[i].line, got);
	}
}

static void completion_keeps_the_columns_before(void **state __unused)
{
	_cleanup_free_ char *list = candidates("noclone status --output=+NAME,S");
	_cleanup_free_ char *verbs = candidates("noclone "), *help = candidates("noclone help c");

	assert_non_null(strstr(list, "\n--output=+NAME,SHARE\t"));
	assert_non_null(strstr(verbs, "create\tcreate a mapped device\n"));
	assert_string_equal(verbs, help);
}

static void input_has_no_byte_order_mark(void **state __unused)
{
	char path[] = "/tmp/noclone-input.XXXXXX";
	_cleanup_free_ char *text = NULL;
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	assert_true(fputs("\xef\xbb\xbf" "0 8 zero\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(build_read_input(path, &text), 0);
	assert_string_equal(text, "0 8 zero\n");
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_everywhere),
		cmocka_unit_test(options_default),
		cmocka_unit_test(options_of_a_file),
		cmocka_unit_test(seconds_with_fractions),
		cmocka_unit_test(options_after_double_dash_are_words),
		cmocka_unit_test(usage_errors),
		cmocka_unit_test(failures),
		cmocka_unit_test(commands_are_complete),
		cmocka_unit_test(option_names_and_letters_are_unique),
		cmocka_unit_test(options_are_used),
		cmocka_unit_test(completion_proposes),
		cmocka_unit_test(completion_keeps_the_columns_before),
		cmocka_unit_test(input_has_no_byte_order_mark),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
