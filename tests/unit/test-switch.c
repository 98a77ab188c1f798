// SPDX-License-Identifier: GPL-2.0-only
/* The plan of "noclone enable --now" and "noclone disable --now". */
#include "unit.h"

#include <stdlib.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/switch-plan.h"
#include "model/table-text.h"

#define LINEAR	"0 8 linear 8:0 0\n"
#define STRIPED	"0 16 striped 2 8 8:0 0 8:16 0\n"
#define OURS	"0 8 noclone-linear 8:0 0\n"

#define STOCK(word)	"echo " word " >/sys/module/dm_noclone/parameters/stock\n"

static const struct module_params absent, idle = {
	.loaded = true, .interface = NOCLONE_VERSION_MAJOR,
}, ready = {
	.loaded = true, .interface = NOCLONE_VERSION_MAJOR, .stock = true,
}, other = {
	.loaded = true, .interface = NOCLONE_VERSION_MAJOR + 1, .stock = true,
};

static struct candidate *add(struct switch_plan *p, const char *name,
			     const char *table, const char *state, enum wish wish)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct candidate *c;

	table_parse(&t, table, &findings);
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
}

static bool is_pending(struct candidate *c, const char *state, unsigned int waited_ms)
{
	free(c->after);
	c->after = state ? xstrdup(state) : NULL;
	return switch_is_pending(c, waited_ms);
}

static void one_device(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "a b", LINEAR, NULL, WISH_ON);
	plan_is(&p, &absent, "modprobe dm-noclone\n" STOCK("on")
		"dmsetup --manglename none message 'a b' 0 fastpath on\n");
	plan_is(&p, &idle, STOCK("on")
		"dmsetup --manglename none message 'a b' 0 fastpath on\n");
	plan_is(&p, &ready, "dmsetup --manglename none message 'a b' 0 fastpath on\n");
}

static void one_that_is_on(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "l", LINEAR, "on", WISH_ON);
	plan_is(&p, &ready, "");
	p.device[0].after = xstrdup("on");
	assert_null(switch_why(&p.device[0]));
}

/* Ours understand messages without the parameter. */
static void ours(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "o", OURS, "off:message", WISH_ON);
	plan_is(&p, &idle, "dmsetup message o 0 fastpath on\n");
	p.device[0].wish = WISH_OFF;
	free(p.device[0].state);
	p.device[0].state = xstrdup("on");
	plan_is(&p, &idle, "dmsetup message o 0 fastpath off\n");
}

static void a_group(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	/* nothing is set for devices to come */
	plan_is(&p, &idle, "");
	add(&p, "l", LINEAR, "off:detached", WISH_ON)->named = false;
	add(&p, "s", STRIPED, NULL, WISH_OFF)->named = false;
	add(&p, "o", OURS, "on", WISH_ON)->named = false;
	plan_is(&p, &idle, STOCK("on") "dmsetup message l 0 fastpath on\n");
	assert_int_equal(p.device[1].action, SWITCH_NOTHING);
	assert_int_equal(p.device[2].action, SWITCH_NOTHING);
}

static void off(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "l", LINEAR, "on", WISH_OFF);
	add(&p, "d", LINEAR, "off:detached", WISH_OFF);
	add(&p, "m", LINEAR, "off:message", WISH_OFF);
	add(&p, "s", STRIPED, NULL, WISH_OFF);
	add(&p, "o", OURS, "on", WISH_OFF);
	plan_is(&p, &ready, "dmsetup message l 0 fastpath off\n"
		"dmsetup message d 0 fastpath off\ndmsetup message o 0 fastpath off\n");
	p.all_off = true;
	plan_is(&p, &ready, STOCK("off") "dmsetup message o 0 fastpath off\n");
	assert_int_equal(p.device[0].action, SWITCH_GIVE_BACK);
	assert_int_equal(p.device[3].action, SWITCH_NOTHING);
	assert_null(switch_why(&p.device[0]));
	/* also without a device: the module may be unloaded then */
	p.nr = 0;
	plan_is(&p, &ready, STOCK("off"));
	p.nr = 5;
}

static void off_without_the_module(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { .all_off = true };

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
	cannot("", &idle, "no table");
}

/* It is said once, however many devices there are. */
static void another_interface(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "l", LINEAR, NULL, WISH_OFF);
	switch_plan(&p, &other);
	assert_null(p.objection);
	add(&p, "o", OURS, "off:message", WISH_ON);
	switch_plan(&p, &other);
	assert_non_null(strstr(p.objection, "has interface 2, this tool has 1: install both"));
}

static void names_what_is_below(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "x", "0 8 crypt a b c\n", NULL, WISH_ON)->below = xstrdup(" vg0/root");
	plan_is(&p, &absent, "");
	assert_non_null(strstr(p.device->why, "; below it: noclone enable vg0/root"));
}

static void expected(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { .all_off = true };
	static const char *const after[] = { NULL, "off:message", "off:message" };
	unsigned int i;

	add(&p, "l", LINEAR, "on", WISH_OFF);
	add(&p, "o", OURS, "on", WISH_OFF);
	add(&p, "m", OURS, "off:message", WISH_OFF);
	switch_plan(&p, &ready);
	assert_int_equal(p.nr, ARRAY_SIZE(after));
	for (i = 0; i < ARRAY_SIZE(after); i++) {
		_cleanup_free_ char *word = switch_expected(&p.device[i]);

		if (after[i])
			assert_string_equal(word, after[i]);
		else
			assert_null(word);
	}
}

/* An error that was reported is one, whatever the device is like now. */
static void a_refused_message(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	struct candidate *c = add(&p, "l", LINEAR, "on", WISH_OFF);

	c->failed = true;
	c->why = switch_why(c);
	assert_non_null(c->why);
	/* it is off, and has refused the message all the same */
	c->wish = WISH_OFF;
	c->after = xstrdup("off:stats");
	free(c->why);
	c->why = switch_why(c);
	assert_non_null(c->why);
	assert_false(is_pending(c, "off:detached", 0));
}

/* The message goes to a target of ours, which has a fast path whatever is beside it. */
static void beside_others(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "z", "0 8 noclone-zero\n", "off:message", WISH_ON);
	add(&p, "e", "0 8 error\n8 8 linear 8:0 0\n16 8 noclone-linear 8:0 8\n", "off:message",
	    WISH_ON);
	plan_is(&p, &idle, "dmsetup message z 0 fastpath on\ndmsetup message e 16 fastpath on\n");
}

/* noclone-file with the engine extent has a fast path of ours. */
static void extent(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };

	add(&p, "f", "0 8 noclone-file /f 0\n", "off:message", WISH_ON);
	plan_is(&p, &idle, "dmsetup message f 0 fastpath on\n");
}

static void waiting(void **state __unused)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	struct candidate *c = add(&p, "l", LINEAR, "off:detached", WISH_ON);
	_cleanup_free_ char *why = NULL, *suspended = NULL;

	switch_plan(&p, &ready);
	assert_true(is_pending(c, "off:detached", 0));
	assert_true(is_pending(c, "off:suspended", 0));
	assert_true(is_pending(c, "off:mixed", 0));
	assert_false(is_pending(c, "off:layout", 0));
	assert_false(is_pending(c, "off:kernel", 0));
	assert_false(is_pending(c, "on", 0));
	assert_false(is_pending(c, NULL, 0));
	assert_true(is_pending(c, "off:stats", 20));
	assert_false(is_pending(c, "off:stats", 1000));
	why = switch_why(c);
	assert_string_equal(why, "dmsetup stats is in use: dmsetup stats list --allprograms says on which devices, dmsetup stats delete --allprograms --allregions DEVICE ends it");
	c->suspended = true;
	assert_false(is_pending(c, "off:detached", 0));
	suspended = switch_why(c);
	assert_non_null(strstr(suspended, "when it is resumed"));
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

		assert_non_null(status_meaning(STATUS_REASON, reasons[i]));
		assert_non_null(remedy);
		/* a command that can be pasted, also if it is the root file system */
		if (!strcmp(reasons[i], "unasked") || !strcmp(reasons[i], "detached") ||
		    !strcmp(reasons[i], "memory")) {
			assert_null(strstr(remedy, "suspend"));
			assert_non_null(strstr(remedy, "enable --runtime"));
		}
		assert_null(strstr(remedy, "NAME"));
		if (strstr(remedy, "enable --runtime"))
			assert_non_null(strstr(remedy, "noclone enable --runtime vg0-root"));
	}
	assert_null(remedy_of_reason("moon", "vg0-root"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device),
		cmocka_unit_test(one_that_is_on),
		cmocka_unit_test(ours),
		cmocka_unit_test(a_group),
		cmocka_unit_test(off),
		cmocka_unit_test(off_without_the_module),
		cmocka_unit_test(some_cannot),
		cmocka_unit_test(another_interface),
		cmocka_unit_test(names_what_is_below),
		cmocka_unit_test(expected),
		cmocka_unit_test(a_refused_message),
		cmocka_unit_test(beside_others),
		cmocka_unit_test(extent),
		cmocka_unit_test(waiting),
		cmocka_unit_test(every_reason_has_a_remedy),
	};

	return cmocka_run_group_tests_name("switch", tests, NULL, NULL);
}
