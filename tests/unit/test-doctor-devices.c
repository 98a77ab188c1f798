// SPDX-License-Identifier: GPL-2.0-only
/* noclone doctor: devices, and what LVM sees of their legs. */
#include "unit.h"

#include "base/util.h"
#include "model/doctor.h"

static void says(const struct doctor_facts *d, enum finding_level level, const char *text,
		 const char *fix)
{
	_cleanup_findings_ struct findings f = { 0 };
	_cleanup_free_ char *line = NULL;

	doctor_judge_devices(d, &f);
	doctor_judge_layers(d, &f);
	/* a device that is on has a line of its own in front */
	assert_in_range(f.nr, 1, 2);
	line = finding_print(&f.finding[f.nr - 1]);
	if (f.finding[f.nr - 1].level != level || !strstr(line, text) ||
	    !fix != !f.finding[f.nr - 1].fix || (fix && !strstr(line, fix)))
		fail_msg("not \"%s\" and \"%s\": %s", text, fix ? fix : "", line);
}

static void states(void **state __unused)
{
	struct mapped_facts m = { .name = (char *)"vg-lv", .state = (char *)"on" };
	struct doctor_facts d = { .device = &m, .nr_devices = 1 };

	says(&d, FINDING_OK, "device vg-lv: fast path on", NULL);
	m.state = (char *)"off:message";
	says(&d, FINDING_NOTE, "switched off by message", "noclone enable --now vg-lv");
	m.state = (char *)"off:stats";
	says(&d, FINDING_WARNING, "dmsetup stats is in use", "dmsetup stats delete");
	m.state = (char *)"off:layout";
	says(&d, FINDING_PROBLEM, "does not map as expected", "report it");
	m.state = (char *)"off:new-reason";
	says(&d, FINDING_WARNING, "fast path off: new-reason", NULL);
	m.state = NULL;
	m.rule = POLICY_INCLUDE;
	says(&d, FINDING_WARNING, "though the policy includes it", "noclone enable --now --policy");
	m.rule = POLICY_NONE;
	d.module.params.stock = true;
	says(&d, FINDING_NOTE, "on dm core's path", "noclone enable --now vg-lv");
	m.own = true;
	says(&d, FINDING_NOTE, "no state of its fast path", NULL);
	m.suspended = true;
	says(&d, FINDING_WARNING, "suspended", "dmsetup resume vg-lv");
}

static void no_device_to_speak_of(void **state __unused)
{
	struct mapped_facts m = { .name = (char *)"vg-lv" };
	struct doctor_facts d = { .device = &m, .nr_devices = 1 };
	_cleanup_findings_ struct findings f = { 0 };

	doctor_judge_devices(&d, &f);
	assert_int_equal(f.nr, 0);
	d.nr_devices = 0;
	says(&d, FINDING_OK, "no linear or striped", NULL);
	d.devices_error = (char *)"root is needed";
	says(&d, FINDING_NOTE, "root is needed", NULL);
	d.unprobed = 2;
	says(&d, FINDING_NOTE, "2 devices were not read", NULL);
}

static void troubles(void **state __unused)
{
	struct trouble gone = { .kind = TROUBLE_DEVICE, .text = (char *)"8:0 (deleted): gone" };
	struct mapped_facts m = {
		.name = (char *)"t", .state = (char *)"on", .troubles = { &gone, 1 },
	};
	struct doctor_facts d = { .device = &m, .nr_devices = 1 };

	says(&d, FINDING_PROBLEM, "8:0 (deleted)", "noclone reload t");
	m.troubles.nr = 0;
	m.stand_in = (char *)"engine direct stands in";
	says(&d, FINDING_WARNING, "stands in",
	     "unless it is swap, dmsetup suspend t && dmsetup resume t");
	m.stand_in = NULL;
	m.lvm_sees = ANSWER_NO;
	says(&d, FINDING_WARNING, "where LVM does not look", "accept /dev/mapper/t in global_filter");
	d.lvm_devices_file = true;
	says(&d, FINDING_WARNING, "where LVM does not look", "lvmdevices --adddev /dev/mapper/t");
	m.lvm_sees = ANSWER_YES;
	m.deferred = true;
	says(&d, FINDING_NOTE, "removed when its last user", NULL);
}

static void layers(void **state __unused)
{
	struct mapped_facts m = { .name = (char *)"t", .state = (char *)"on" };
	struct layer_facts l = {
		.upper = (char *)"t", .leg = (char *)"/dev/sdb", .type = (char *)"LVM2_member",
		.leg_name = (char *)"/dev/disk/by-id/wwn-0x5+1",
		.lvm_sees = ANSWER_YES,
	};
	struct doctor_facts d = {
		.device = &m, .nr_devices = 1, .layer = &l, .nr_layers = 1,
	};

	says(&d, FINDING_PROBLEM, "shows on /dev/sdb as well: LVM sees it twice",
	     "global_filter = [ \"a|^/dev/mapper/t$|\", \"r|^/dev/disk/by-id/wwn-0x5.1$|\" ]; then make the initramfs");
	d.lvm_filter = true;
	says(&d, FINDING_PROBLEM, "LVM sees it twice",
	     "in front of what global_filter has, and take out of it what accepts /dev/sdb;");
	l.leg_name = l.leg;
	says(&d, FINDING_PROBLEM, "LVM sees it twice", "after a reboot it may be another disk");
	l.lvm_sees_upper = ANSWER_NO;
	says(&d, FINDING_PROBLEM, "LVM looks there only, and bypasses the device", "global_filter");
	l.lvm_sees_upper = ANSWER_YES;
	d.lvm_devices_file = true;
	says(&d, FINDING_PROBLEM, "sees it twice", "lvmdevices --deldev /dev/sdb");
	l.lvm_sees = ANSWER_UNKNOWN;
	says(&d, FINDING_WARNING, "cannot tell", "lvmdevices");
	l.lvm_sees = ANSWER_NO;
	says(&d, FINDING_OK, "where LVM does not look", NULL);
	l.type = (char *)"ext4";
	says(&d, FINDING_WARNING, "ext4 on it shows on /dev/sdb", "mount it as /dev/mapper/t");
	l.type = NULL;
	l.multipathd = true;
	says(&d, FINDING_WARNING, "multipathd claims /dev/sdb", "multipath.conf");
	l.path_of = (char *)"mpatha";
	says(&d, FINDING_PROBLEM, "path of the multipath device mpatha", "/dev/mapper/mpatha");
}

static void sees(const char *config, const char *file, const char *words, enum answer expected)
{
	const struct lvm_view view = { (char *)config, (char *)file, false };
	_cleanup_words_ struct words names;

	words_split(&names, words);
	assert_int_equal(lvm_sees(&view, names.word, names.nr), expected);
}

static void lvm_filters(void **state __unused)
{
	static const char reject[] = "devices {\n\tglobal_filter=[\"a|^/dev/mapper/|\",\"r|.*|\"]\n}\n";
	static const char both[] = "\tfilter=[\"r|/dev/sd[bc]|\"]\n\tglobal_filter=[\"a|.*|\"]\n";

	sees(NULL, NULL, "/dev/sdb", ANSWER_UNKNOWN);
	sees("devices {\n}\n", NULL, "/dev/sdb", ANSWER_YES);
	sees(reject, NULL, "/dev/sdb", ANSWER_NO);
	sees(reject, NULL, "/dev/mapper/t", ANSWER_YES);
	/* one name that is accepted is enough */
	sees(reject, NULL, "/dev/dm-0 /dev/mapper/t", ANSWER_YES);
	sees(both, NULL, "/dev/sdb", ANSWER_NO);
	sees(both, NULL, "/dev/sdd", ANSWER_YES);
	sees("\tfilter=[\"r|(|\",\"r\"]\n", NULL, "/dev/sdb", ANSWER_YES);
	/* each name of a device is held against the patterns */
	sees("\tglobal_filter=[\"r|^/dev/disk/by-id/x$|\"]\n", NULL, "/dev/sdb /dev/disk/by-id/x",
	     ANSWER_NO);
	assert_true(lvm_has_filter(&(struct lvm_view) { .config = (char *)both }));
	assert_false(lvm_has_filter(&(struct lvm_view) { .config = (char *)"\tfilter=[]\n" }));
	assert_false(lvm_has_filter(&(struct lvm_view) { 0 }));
}

static void lvm_devices_file(void **state __unused)
{
	static const char use[] = "\tuse_devicesfile=1\n\tglobal_filter=[\"r|.*|\"]\n";
	static const char file[] = "# IDNAME=/dev/sdc\nVERSION=1\n"
		"IDTYPE=sys_wwid IDNAME=naa.5 DEVNAME=/dev/sdb PVID=x\n"
		"IDTYPE=devname IDNAME=/dev/sdd DEVNAME=/dev/sdd\n";
	const struct lvm_view unreadable = { (char *)use, NULL, true };

	sees(use, file, "/dev/sdb", ANSWER_YES);
	sees(use, file, "/dev/disk/by-id/x /dev/sdd", ANSWER_YES);
	sees(use, file, "/dev/sdc", ANSWER_NO);
	/* no file: filters count */
	sees(use, NULL, "/dev/sdb", ANSWER_NO);
	sees("\tuse_devicesfile=0\n", file, "/dev/sdc", ANSWER_YES);
	assert_true(lvm_uses_devices_file(&unreadable));
	assert_int_equal(lvm_sees(&unreadable, NULL, 0), ANSWER_UNKNOWN);
}

/* The last line of what is said of a saved device */
static void says_saved(const struct saved_facts *s, enum finding_level level, const char *text,
		       const char *fix)
{
	const struct doctor_facts d = { .saved = (struct saved_facts *)s, .nr_saved = 1 };
	_cleanup_findings_ struct findings f = { 0 };

	doctor_judge_saved(&d, &f);
	assert_true(f.nr);
	assert_int_equal(f.finding[f.nr - 1].level, level);
	assert_non_null(strstr(f.finding[f.nr - 1].text, text));
	assert_int_equal(!f.finding[f.nr - 1].fix, !fix);
	if (fix)
		assert_non_null(strstr(f.finding[f.nr - 1].fix, fix));
}

static void saved_devices(void **state __unused)
{
	struct saved_facts s = { .name = (char *)"t", .active = true };
	const struct doctor_facts d = { .saved = &s, .nr_saved = 1 };
	_cleanup_findings_ struct findings f = { 0 };

	says_saved(&s, FINDING_OK, "it is active", NULL);
	s.stands_in = true;
	says_saved(&s, FINDING_WARNING, "dm's own targets", "noclone convert t");
	s.on_file = true;
	says_saved(&s, FINDING_WARNING, "dm's own targets", "noclone deactivate t");
	s.active = false;
	says_saved(&s, FINDING_WARNING, "it is not active", "noclone activate t");
	s.missing = (char *)"/dev/sdb";
	says_saved(&s, FINDING_PROBLEM, "/dev/sdb is not there", "attach that disk");
	problem_add(&s.problems, PROBLEM_ERROR, 3, "nonsense");
	doctor_judge_saved(&d, &f);
	assert_int_equal(f.finding[0].level, FINDING_PROBLEM);
	assert_string_equal(f.finding[0].text, "/etc/noclone/t.table:3: nonsense");
	problems_free(&s.problems);
	s.unreadable = (char *)"no permission";
	says_saved(&s, FINDING_NOTE, "no permission", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(no_device_to_speak_of),
		cmocka_unit_test(troubles),
		cmocka_unit_test(layers),
		cmocka_unit_test(saved_devices),
		cmocka_unit_test(lvm_filters),
		cmocka_unit_test(lvm_devices_file),
	};

	return cmocka_run_group_tests_name("doctor-devices", tests, NULL, NULL);
}
