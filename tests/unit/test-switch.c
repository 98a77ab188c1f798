// SPDX-License-Identifier: GPL-2.0-only
/* The plan of "noclone enable --now" and "noclone disable --now". */
#include "unit.h"

#include "dm-noclone.h"
#include "base/util.h"
#include "model/problems.h"
#include "model/remedy.h"
#include "model/status.h"
#include "model/switch-plan.h"
#include "model/table-parse.h"

#define LINEAR	"0 8 linear 8:0 0\n"
#define STRIPED	"0 16 striped 2 8 8:0 0 8:16 0\n"
#define OURS	"0 8 noclone-linear 8:0 0\n"
#define P	"/sys/module/dm_noclone/parameters/"

static const struct module_params absent, idle = {
	.loaded = true, .has_stock = true, .has_auto = true, .stock_auto = true,
}, only_linear = {
	.loaded = true, .has_stock = true, .has_auto = true, .stock_auto = true,
	.stock = STOCK_LINEAR,
}, some = {
	.loaded = true, .has_stock = true, .has_auto = true,
	.stock = STOCK_LINEAR,
}, old = { .loaded = true };

static struct candidate *add(struct switch_plan *p, const char *name,
			     const char *table, const char *state, enum wish wish)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct candidate *c;

	table_parse(&t, table, &problems);
	GROW(p->device, p->nr);
	c = &p->device[p->nr++];
	*c = (struct candidate) {
		.name = xstrdup(name), .state = state ? xstrdup(state) : NULL,
		.named = true, .wish = wish,
	};
	candidate_learn(c, &t);
	return c;
}

static void plan_is(struct switch_plan *p, const struct module_params *m,
		    const char *commands)
{
	_cleanup_free_ char *printed = NULL;

	switch_plan(p, m);
	printed = switch_plan_print(p);
	assert_string_equal(printed, commands);
	assert_int_equal(switch_plan_is_empty(p), !*commands);
}

static void one_device_and_no_module(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "a b", LINEAR, NULL, WISH_ON);
	plan_is(&p, &absent, "modprobe dm-noclone\necho N >" P "stock_auto\n"
		"echo linear >" P "stock\ndmsetup --manglename none message 'a b' 0 fastpath on\n");
}

static void one_device_of_a_new_type(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "s", STRIPED, NULL, WISH_ON);
	plan_is(&p, &idle, "echo N >" P "stock_auto\necho striped >" P "stock\n"
		"dmsetup message s 0 fastpath on\n");
	assert_false(p.spreads);
	plan_is(&p, &some, "echo linear,striped >" P "stock\n"
		"dmsetup message s 0 fastpath on\n");
	assert_false(p.spreads);
	plan_is(&p, &only_linear, "echo linear,striped >" P "stock\n"
		"dmsetup message s 0 fastpath on\n");
	assert_true(p.spreads);
}

static void one_that_is_on(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "l", LINEAR, "on", WISH_ON);
	plan_is(&p, &only_linear, "");
	assert_null(switch_why(&p.device[0], "on"));
}

static void all_devices(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { .all = true, .wish = WISH_ON };

	add(&p, "l", LINEAR, "off:detached", WISH_ON)->named = false;
	add(&p, "o", OURS, "on", WISH_ON)->named = false;
	plan_is(&p, &some, "echo Y >" P "stock_auto\necho linear,striped >" P "stock\n"
		"dmsetup message l 0 fastpath on\n");
	assert_int_equal(p.device[1].action, SWITCH_NOTHING);
	/* also without a device: those to come */
	p.nr = 0;
	plan_is(&p, &idle, "echo linear,striped >" P "stock\n");
	p.nr = 2;
}

static void off(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { .wish = WISH_OFF };

	add(&p, "l", LINEAR, "on", WISH_OFF);
	add(&p, "d", LINEAR, "off:detached", WISH_OFF);
	add(&p, "m", LINEAR, "off:message", WISH_OFF);
	add(&p, "s", STRIPED, NULL, WISH_OFF);
	add(&p, "o", OURS, "on", WISH_OFF);
	plan_is(&p, &only_linear, "dmsetup message l 0 fastpath off\n"
		"dmsetup message d 0 fastpath off\ndmsetup message o 0 fastpath off\n");
	p.all = true;
	plan_is(&p, &only_linear, "echo >" P "stock\n"
		"dmsetup message o 0 fastpath off\n");
	assert_int_equal(p.device[0].action, SWITCH_GIVE_BACK);
	assert_int_equal(p.device[3].action, SWITCH_NOTHING);
	assert_null(switch_why(&p.device[0], NULL));
}

/* With all others to come, what is excluded would come on at its next resume. */
static void excluded_ones_stay_off(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = {
		.all = true, .decides = true, .wish = WISH_ON,
	};

	add(&p, "l", LINEAR, NULL, WISH_ON)->named = false;
	add(&p, "s", STRIPED, NULL, WISH_OFF)->named = false;
	plan_is(&p, &idle, "echo linear,striped >" P "stock\n"
		"dmsetup message l 0 fastpath on\ndmsetup message s 0 fastpath off\n");
	plan_is(&p, &only_linear, "echo linear,striped >" P "stock\n"
		"dmsetup message l 0 fastpath on\ndmsetup message s 0 fastpath off\n");
	/* a narrower policy: those to come are left alone */
	p.all = false;
	plan_is(&p, &only_linear, "echo N >" P "stock_auto\n"
		"dmsetup message l 0 fastpath on\n");
}

static void multipath_that_the_module_found(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	struct candidate *c = add(&p, "l", LINEAR, "off:multipath", WISH_ON);

	plan_is(&p, &only_linear, "dmsetup message l 0 fastpath on\n");
	c->named = false;
	plan_is(&p, &only_linear, "");
	assert_int_equal(c->action, SWITCH_CANNOT);
	assert_true(switch_is_hopeless(c, c->state));
}

static void off_without_the_module(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { .all = true, .wish = WISH_OFF };

	add(&p, "l", LINEAR, NULL, WISH_OFF);
	plan_is(&p, &absent, "");
}

static void cannot(const char *table, const struct module_params *m,
		   const char *sentence)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "x", table, NULL, WISH_ON);
	plan_is(&p, m, "");
	assert_int_equal(p.device[0].action, SWITCH_CANNOT);
	assert_non_null(strstr(p.device[0].why, sentence));
}

static void some_cannot(void **state __unused)
{
	cannot("0 8 crypt a b c\n", &absent, "a target of type crypt");
	cannot(LINEAR "8 8 error\n", &absent, "a target of type error");
	cannot("0 8 noclone-file /f 0\n", &idle, "no state of its fast path");
	cannot("0 8 linear 8:0 0\n8 8 noclone-linear 8:0 8\n", &idle, "noclone convert x");
	cannot("", &idle, "no table");
	cannot(LINEAR, &old, "install a newer one");
}

static void multipath_by_name_only(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	struct candidate *c = add(&p, "l", LINEAR, NULL, WISH_ON);

	c->multipath = true;
	switch_plan(&p, &some);
	assert_int_equal(c->action, SWITCH_ON);
	c->named = false;
	switch_plan(&p, &some);
	assert_int_equal(c->action, SWITCH_CANNOT);
}

/* noclone-file with the engine extent has a fast path of ours. */
static void extent(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "f", "0 8 noclone-file /f 0\n", "off:message", WISH_ON);
	plan_is(&p, &old, "dmsetup message f 0 fastpath on\n");
}

static void waiting(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	struct candidate *c = add(&p, "l", LINEAR, "off:multipath", WISH_ON);
	_cleanup_free_ char *why = NULL, *suspended = NULL;

	switch_plan(&p, &some);
	assert_true(switch_is_pending(c, "off:multipath", 0));
	assert_true(switch_is_pending(c, "off:suspended", 0));
	assert_true(switch_is_pending(c, "off:mixed", 0));
	assert_false(switch_is_pending(c, "off:layout", 0));
	assert_false(switch_is_pending(c, "off:kernel", 0));
	assert_false(switch_is_pending(c, "on", 0));
	assert_false(switch_is_pending(c, NULL, 0));
	assert_true(switch_is_pending(c, "off:stats", 20));
	assert_false(switch_is_pending(c, "off:stats", 1000));
	why = switch_why(c, "off:stats");
	assert_string_equal(why, "dmsetup stats is in use: dmsetup stats list --allprograms says on which devices, dmsetup stats delete --allprograms --allregions DEVICE ends it");
	c->suspended = true;
	assert_false(switch_is_pending(c, "off:detached", 0));
	suspended = switch_why(c, "off:detached");
	assert_non_null(strstr(suspended, "when it is resumed"));
}

static void types(void **state __unused)
{
	_cleanup_free_ char *all = stock_print(STOCK_ALL), *none = stock_print(0);
	unsigned int bits;

	assert_string_equal(all, "linear,striped");
	assert_string_equal(none, "");
	assert_true(stock_parse("", &bits) && !bits);
	assert_true(stock_parse("striped,linear", &bits) && bits == STOCK_ALL);
	assert_false(stock_parse("linear,mirror", &bits));
}

static void every_reason_has_a_remedy(void **state __unused)
{
#define WORD(enumerator, word, meaning)	word,
	static const char * const reasons[] = {
		NOCLONE_OFF_REASONS(WORD)
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		_cleanup_free_ char *remedy = remedy_of_reason(reasons[i], "vg0-root");

		assert_non_null(status_reason_meaning(reasons[i]));
		assert_non_null(remedy);
		/* a command that can be pasted, also if it is the root file system */
		if (!strcmp(reasons[i], "unasked") || !strcmp(reasons[i], "detached") ||
		    !strcmp(reasons[i], "memory")) {
			assert_null(strstr(remedy, "suspend"));
			assert_non_null(strstr(remedy, "enable --now"));
		}
		assert_null(strstr(remedy, "NAME"));
		if (strstr(remedy, "enable --now"))
			assert_non_null(strstr(remedy, "noclone enable --now vg0-root"));
	}
	assert_null(remedy_of_reason("moon", "vg0-root"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_and_no_module),
		cmocka_unit_test(one_device_of_a_new_type),
		cmocka_unit_test(one_that_is_on),
		cmocka_unit_test(all_devices),
		cmocka_unit_test(off),
		cmocka_unit_test(excluded_ones_stay_off),
		cmocka_unit_test(multipath_that_the_module_found),
		cmocka_unit_test(off_without_the_module),
		cmocka_unit_test(some_cannot),
		cmocka_unit_test(multipath_by_name_only),
		cmocka_unit_test(extent),
		cmocka_unit_test(waiting),
		cmocka_unit_test(types),
		cmocka_unit_test(every_reason_has_a_remedy),
	};

	return cmocka_run_group_tests_name("switch", tests, NULL, NULL);
}
