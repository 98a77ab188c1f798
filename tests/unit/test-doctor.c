// SPDX-License-Identifier: GPL-2.0-only
/* noclone doctor: the finding that each planted fact gives. */
#include "unit.h"

#include "base/util.h"
#include "model/doctor.h"

#define TOOL	"1.0.0"
#define RELEASE	"6.12.1-amd64"

typedef void (*judge)(const struct doctor_facts *d, struct findings *f);

/* A machine without a fault: the module of dkms, loaded, with types enabled. */
static struct kernel_facts good_kernel = {
	.release = (char *)RELEASE, .running = true, .headers = true,
	.module = (char *)"/lib/modules/" RELEASE "/updates/dkms/dm-noclone.ko",
	.version = (char *)TOOL, .srcversion = (char *)"A", .vermagic = (char *)RELEASE,
	.dkms = (char *)"installed",
};

static struct doctor_facts good(void)
{
	return (struct doctor_facts) {
		.tool = TOOL, .root = true, .driver = true,
		.module = {
			.params = { .loaded = true, .interface = NOCLONE_VERSION_MAJOR, .stock = true },
			.version = (char *)TOOL, .srcversion = (char *)"A",
		},
		.trust = { ANSWER_NO, (char *)"none", ANSWER_NO },
		.dkms_version = (char *)TOOL,
		.kernel = &good_kernel, .nr_kernels = 1,
	};
}

/* One of the findings has that level and says both. */
static void says(judge judge, const struct doctor_facts *d, enum finding_level level,
		 const char *text, const char *fix)
{
	_cleanup_findings_ struct findings f = { 0 };
	_cleanup_strbuf_ struct strbuf all = { 0 };
	unsigned int i;

	judge(d, &f);
	for (i = 0; i < f.nr; i++) {
		_cleanup_free_ char *line = finding_print(&f.finding[i]);

		if (f.finding[i].level == level && strstr(line, text) &&
		    (!fix || (f.finding[i].fix && strstr(f.finding[i].fix, fix))))
			return;
		strbuf_add(&all, "%s\n", line);
	}
	fail_msg("no %s with \"%s\" and \"%s\" in:\n%s", finding_level_name(level), text,
		 fix ? fix : "", all.text ? all.text : "");
}

/* Nothing worse than that. */
static void at_worst(judge judge, const struct doctor_facts *d, enum finding_level level)
{
	_cleanup_findings_ struct findings f = { 0 };
	unsigned int i;

	judge(d, &f);
	for (i = 0; i < f.nr; i++)
		if (f.finding[i].level > level) {
			_cleanup_free_ char *line = finding_print(&f.finding[i]);

			fail_msg("not expected: %s", line);
		}
}

static void nothing_wrong(void **state __unused)
{
	struct doctor_facts d = good();

	at_worst(doctor_judge, &d, FINDING_NOTE);
	says(doctor_judge, &d, FINDING_OK, "module: dm-noclone 1.0.0 is loaded", NULL);
	says(doctor_judge, &d, FINDING_OK, "kernel " RELEASE " (running): dm-noclone 1.0.0, by dkms",
	     NULL);
}

static void module_is_wrong(void **state __unused)
{
	struct doctor_facts d = good();

	d.module.version = (char *)"0.9.0";
	says(doctor_judge_module, &d, FINDING_WARNING, "0.9.0 is loaded, and this tool is 1.0.0",
	     "modprobe -r");
	d = good();
	d.module.srcversion = (char *)"B";
	says(doctor_judge_module, &d, FINDING_NOTE, "another build", "modprobe dm-noclone");
	d = good();
	d.module.fastpath_off = true;
	d.module.params.stock = false;
	says(doctor_judge_module, &d, FINDING_WARNING, "fastpath is N", "echo Y");
	says(doctor_judge_module, &d, FINDING_NOTE, "its parameter stock is off", "noclone enable --now");
	d.module.params.loaded = d.driver = false;
	says(doctor_judge_module, &d, FINDING_NOTE, "is not loaded", "noclone enable --now");
	says(doctor_judge_module, &d, FINDING_NOTE, "driver is not loaded", NULL);
}

static void module_is_blocked(void **state __unused)
{
	struct doctor_facts d = good();

	d.module.params.loaded = false;
	modprobe_conf_parse(&d.conf, "/etc/x.conf",
			    "# blacklist dm-noclone\nblacklist other\n\n"
			    "blacklist dm-noclone\ninstall dm_noclone \\\n /bin/false x\n"
			    "options dm-noclone stock=linear fast=1 fastpath=Y stock=on\n"
			    "options dm_noclone_other stock=x\ninstall");
	modprobe_conf_parse_cmdline(&d.conf,
		"quiet module_blacklist=a,dm-noclone modprobe.blacklist=dm_noclone "
		"dm_noclone.stock=crypt dm_noclone.stock=off module_blacklist=dm_nocloned root=/dev/sda");
	assert_int_equal(d.conf.nr, 7);
	says(doctor_judge_module, &d, FINDING_WARNING, "/etc/x.conf:4 blacklists it", "remove");
	says(doctor_judge_module, &d, FINDING_PROBLEM, "/etc/x.conf:6 runs \"/bin/false x\"",
	     "remove");
	says(doctor_judge_module, &d, FINDING_PROBLEM, "/etc/x.conf:7 has stock=linear:",
	     "correct");
	says(doctor_judge_module, &d, FINDING_WARNING, "has fast=1: the module has no such", "correct");
	says(doctor_judge_module, &d, FINDING_PROBLEM, "command line has module_blacklist=a,dm-noclone",
	     "reboot");
	says(doctor_judge_module, &d, FINDING_WARNING, "command line blacklists it", "remove");
	says(doctor_judge_module, &d, FINDING_PROBLEM, "command line has stock=crypt", "correct");
	says(doctor_judge_module, &d, FINDING_WARNING,
	     "command line has dm_noclone.stock=off: nothing applies", "enable --now --policy");
	d.module.params.loaded = true;
	says(doctor_judge_module, &d, FINDING_WARNING, "/etc/x.conf:6 runs", "remove");
	modprobe_conf_free(&d.conf);
}

static void kernels_without_module(void **state __unused)
{
	struct kernel_facts k = { .release = (char *)"6.13.0", .headers = true };
	struct doctor_facts d = good();

	d.kernel = &k;
	says(doctor_judge_kernels, &d, FINDING_WARNING, "kernel 6.13.0: there is no module",
	     "dkms install --force dm-noclone/1.0.0 -k 6.13.0");
	d.dkms_version = NULL;
	says(doctor_judge_kernels, &d, FINDING_WARNING, "there is no module", "make KVER=6.13.0");
	k.headers = false;
	k.running = true;
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "6.13.0 (running): there is no module",
	     "linux-headers-6.13.0");
	d.dkms_version = (char *)TOOL;
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "there is no module",
	     "dkms install dm-noclone/" TOOL " -k 6.13.0");
	k.dkms = (char *)"added";
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "dkms says: added", "headers");
	k.failed_build = (char *)"/var/lib/dkms/dm-noclone/1.0.0/build/make.log";
	says(doctor_judge_kernels, &d, FINDING_PROBLEM,
	     "dkms failed to build it, see /var/lib/dkms/dm-noclone/1.0.0/build/make.log",
	     "dkms install dm-noclone/1.0.0 -k 6.13.0 tries again");
	k.unindexed = (char *)"/lib/modules/6.13.0/extra/dm-noclone.ko";
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "does not find /lib/modules/6.13.0/extra",
	     "depmod 6.13.0");
	k.release = (char *)"5.10.0";
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "older than 6.1", "newer kernel");
}

static void kernels_that_were_not_read(void **state __unused)
{
	struct kernel_facts k = good_kernel;
	struct doctor_facts d = good();

	d.kernel = &k;
	k.differs = (char *)"BIO_TOMORROW";
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "shows in BIO_TOMORROW", "any_kernel=1");
	d.module.any_kernel = true;
	says(doctor_judge_kernels, &d, FINDING_NOTE, "shows in BIO_TOMORROW", "any_kernel=1");
	k.running = false;
	d.module.any_kernel = false;
	says(doctor_judge_kernels, &d, FINDING_WARNING, "shows in BIO_TOMORROW", NULL);
	k.differs = (char *)"known";
	at_worst(doctor_judge_kernels, &d, FINDING_OK);
}

static void kernels_with_another_module(void **state __unused)
{
	struct kernel_facts k = good_kernel;
	struct doctor_facts d = good();

	d.kernel = &k;
	k.vermagic = (char *)"6.12.0-amd64";
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "was built for kernel 6.12.0-amd64",
	     "dkms install");
	k.running = false;
	says(doctor_judge_kernels, &d, FINDING_WARNING, "was built for kernel", "dkms install");
	k = good_kernel;
	k.version = (char *)"0.9.0";
	says(doctor_judge_kernels, &d, FINDING_WARNING, "its module is dm-noclone 0.9.0",
	     "same version");
	k = good_kernel;
	k.headers = false;
	says(doctor_judge_kernels, &d, FINDING_WARNING, "without headers", "linux-headers-" RELEASE);
	k.module = (char *)"/lib/modules/" RELEASE "/updates/dm-noclone.ko";
	says(doctor_judge_kernels, &d, FINDING_WARNING, "by hand and hides what dkms",
	     "rm /lib/modules/" RELEASE "/updates/dm-noclone.ko && depmod " RELEASE);
	says(doctor_judge_kernels, &d, FINDING_OK, "installed by hand", NULL);
}

/* Fedora's dkms and SUSE's, for example; and a kernel that was built with it. */
static void modules_elsewhere(void **state __unused)
{
	struct kernel_facts k = good_kernel;
	struct doctor_facts d = good();

	d.kernel = &k;
	k.module = (char *)"/lib/modules/" RELEASE "/extra/dm-noclone.ko.xz";
	k.of_dkms = true;
	at_worst(doctor_judge_kernels, &d, FINDING_OK);
	says(doctor_judge_kernels, &d, FINDING_OK, "by dkms", NULL);
	k.of_dkms = false;
	says(doctor_judge_kernels, &d, FINDING_WARNING, "installed by hand", "rm /lib");
	k.module = (char *)"(builtin)";
	k.running = k.headers = false;
	d.trust.sig_enforce = ANSWER_YES;
	at_worst(doctor_judge_kernels, &d, FINDING_OK);
	says(doctor_judge_kernels, &d, FINDING_OK, "built in", NULL);
}

static void signatures(void **state __unused)
{
	struct kernel_facts k = good_kernel;
	struct doctor_facts d = good();

	d.kernel = &k;
	says(doctor_judge_trust, &d, FINDING_OK, "off; the kernel takes modules without", NULL);
	d.trust = (struct trust_facts) { ANSWER_YES, (char *)"integrity", ANSWER_NO };
	says(doctor_judge_trust, &d, FINDING_NOTE, "on; the kernel takes signed modules only", NULL);
	/* the kernel has taken it already */
	at_worst(doctor_judge_kernels, &d, FINDING_OK);
	d.module.params.loaded = false;
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "is not signed", "sign");
	k.signer = (char *)"DKMS";
	k.key_known = ANSWER_NO;
	says(doctor_judge_kernels, &d, FINDING_PROBLEM, "signed by \"DKMS\"", "mokutil --import");
	k.key_known = ANSWER_UNKNOWN;
	at_worst(doctor_judge_kernels, &d, FINDING_OK);
	says(doctor_judge_kernels, &d, FINDING_OK, ", by dkms, signed by \"DKMS\"", NULL);
	d.trust = (struct trust_facts) { ANSWER_UNKNOWN, NULL, ANSWER_UNKNOWN };
	says(doctor_judge_trust, &d, FINDING_NOTE, "cannot tell whether Secure Boot", NULL);
	d.trust.sig_enforce = ANSWER_YES;
	says(doctor_judge_trust, &d, FINDING_NOTE, "signed modules only", NULL);
}

static void dkms_lines(void **state __unused)
{
	static const char text[] =
		"dm-noclone/1.0.0, 6.12.1-amd64, x86_64: installed (original_module exists)\n"
		"dm-noclone/1.0.0, 6.12.1, x86_64: built\nother/2, 6.13.0, x86_64: installed\n";
	_cleanup_free_ char *a = dkms_state(text, RELEASE), *b = dkms_state(text, "6.12.1");
	_cleanup_free_ char *version = dkms_source_version(text, TOOL);
	_cleanup_free_ char *old = dkms_source_version("dm-noclone, 0.9, 6.1, x86_64: added", TOOL);
	_cleanup_free_ char *two = dkms_source_version("dm-noclone/0.9, 6.1, x86_64: installed\n"
		"dm-noclone/1.0.0, 6.1, x86_64: built\ndm-noclone/1.1, 6.1, x86_64: built\n", TOOL);
	_cleanup_free_ char *bare = dkms_source_version("dm-noclone/0.8: added\n", TOOL);

	assert_string_equal(a, "installed");
	assert_string_equal(b, "built");
	assert_null(dkms_state(text, "6.13.0"));
	assert_string_equal(version, "1.0.0");
	assert_string_equal(old, "0.9");
	assert_string_equal(bare, "0.8");
	assert_null(dkms_source_version("", TOOL));
	assert_string_equal(two, "1.0.0");
}

static void policy(void **state __unused)
{
	unsigned int matched[] = { 1, 0 };
	struct doctor_facts d = good();

	says(doctor_judge_boot, &d, FINDING_NOTE, "there is none", "noclone enable");
	d.boot.has_policy = true;
	d.boot.matched = matched;
	policy_parse(&d.boot.policy, "include a\nexclude b\n", &d.boot.problems);
	says(doctor_judge_boot, &d, FINDING_OK, "2 rules", NULL);
	says(doctor_judge_boot, &d, FINDING_NOTE, "policy:2: \"exclude b\" matches no device", "name");
	d.boot.matched = NULL;
	at_worst(doctor_judge_boot, &d, FINDING_OK);
	policy_free(&d.boot.policy);
	policy_parse(&d.boot.policy, "include a\nincluded b\n", &d.boot.problems);
	says(doctor_judge_boot, &d, FINDING_PROBLEM, "policy:2: ", "correct");
	problems_free(&d.boot.problems);
	policy_free(&d.boot.policy);
	d.boot.unreadable = (char *)"no permission";
	says(doctor_judge_boot, &d, FINDING_NOTE, "no permission", NULL);
}

static void units(void **state __unused)
{
	struct unit_facts u = { .name = (char *)"x.service" };
	struct doctor_facts d = good();

	d.boot.unit = &u;
	d.boot.nr_units = 1;
	d.boot.has_policy = true;
	policy_parse(&d.boot.policy, "include a\n", &d.boot.problems);
	says(doctor_judge_boot, &d, FINDING_NOTE, "systemd does not answer", NULL);
	u = (struct unit_facts) { u.name, (char *)"loaded", (char *)"inactive", (char *)"enabled" };
	says(doctor_judge_boot, &d, FINDING_OK, "the unit is enabled", NULL);
	u.enabled = (char *)"disabled";
	says(doctor_judge_boot, &d, FINDING_WARNING, "disabled", "systemctl enable x.service");
	u.load = (char *)"masked";
	says(doctor_judge_boot, &d, FINDING_WARNING, "masked", "systemctl unmask x.service");
	u.load = (char *)"not-found";
	says(doctor_judge_boot, &d, FINDING_WARNING, "not installed", "noclone-tools");
	u.active = (char *)"failed";
	says(doctor_judge_boot, &d, FINDING_PROBLEM, "has failed", "journalctl -u x.service");
	policy_free(&d.boot.policy);
	u.active = (char *)"inactive";
	says(doctor_judge_boot, &d, FINDING_NOTE, "not installed", NULL);
}

static void units_of_devices(void **state __unused)
{
	struct unit_facts u = { .name = (char *)"noclone-device@a\\x2db.service" };
	struct doctor_facts d = good();

	d.boot.unit = &u;
	d.boot.nr_units = 1;
	at_worst(doctor_judge_boot, &d, FINDING_NOTE);
	u.load = (char *)"loaded";
	u.active = (char *)"active";
	u.enabled = (char *)"static";
	at_worst(doctor_judge_boot, &d, FINDING_NOTE);
	u.active = (char *)"failed";
	says(doctor_judge_boot, &d, FINDING_PROBLEM, "has failed",
	     "journalctl -u 'noclone-device@a\\x2db.service'");
	u.active = (char *)"inactive";
	u.load = (char *)"masked";
	says(doctor_judge_boot, &d, FINDING_NOTE, "masked", "systemctl unmask 'noclone-device@");
	u.load = (char *)"not-found";
	says(doctor_judge_boot, &d, FINDING_WARNING, "not installed", "noclone-tools");
}

static void hooks(void **state __unused)
{
	struct doctor_facts d = good();
	enum hook_id id;

	/* nobody needs them */
	for (id = 0; id < HOOK_NR; id++)
		d.hook[id].has_user = true;
	at_worst(doctor_judge_hooks, &d, FINDING_OK);
	d.nr_saved = 1;
	says(doctor_judge_hooks, &d, FINDING_WARNING, "noclone-generator is not installed",
	     "noclone-tools");
	d.nr_saved = 0;
	policy_parse(&d.boot.policy, "include a\n", &d.boot.problems);
	d.boot.has_policy = true;
	says(doctor_judge_hooks, &d, FINDING_WARNING, "policy.rules is not installed", "install");
	d.hook[HOOK_POLICY_RULE].path = (char *)"/etc/x.rules";
	at_worst(doctor_judge_hooks, &d, FINDING_OK);
	says(doctor_judge_hooks, &d, FINDING_OK, "/etc/x.rules is installed", NULL);
	d.hook[HOOK_POLICY_RULE].off = true;
	says(doctor_judge_hooks, &d, FINDING_NOTE, "/etc/x.rules turns it off", "rm /etc/x.rules");
	policy_free(&d.boot.policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_wrong),
		cmocka_unit_test(module_is_wrong),
		cmocka_unit_test(module_is_blocked),
		cmocka_unit_test(kernels_without_module),
		cmocka_unit_test(kernels_that_were_not_read),
		cmocka_unit_test(kernels_with_another_module),
		cmocka_unit_test(modules_elsewhere),
		cmocka_unit_test(signatures),
		cmocka_unit_test(dkms_lines),
		cmocka_unit_test(policy),
		cmocka_unit_test(units),
		cmocka_unit_test(units_of_devices),
		cmocka_unit_test(hooks),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
