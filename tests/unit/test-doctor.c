// SPDX-License-Identifier: GPL-2.0-only
/* noclone doctor: the finding that each planted fact gives. */
#include "unit.h"

#include "base/util.h"
#include "model/doctor.h"
#include "model/key.h"

#define TOOL	"1.0.0"
#define RELEASE	"6.12.1-amd64"
#define TEXT(s)	((char *)(s))

/* A machine without a fault, and with one device. */
static struct mapped_facts device;
static struct saved_facts saved;
static struct rule_facts rule[2];

static struct kernel_facts good_kernel(const char *release, const char *what)
{
	return (struct kernel_facts) {
		.release = TEXT(release), .what = TEXT(what), .build = TEXT("make it"),
		.file = {
			.path = TEXT("/lib/dm-noclone.ko"), .version = TEXT(TOOL),
			.kernel = TEXT("known"),
		},
		.certificate = TEXT("/mok.der"),
	};
}

static struct doctor_facts good(void)
{
	struct doctor_facts d = {
		.tool = TOOL,
		.params = { .loaded = true, .stock = true },
		.version = TEXT(TOOL),
		.nr_kernels = 2,
		.has_policy = true, .unit = TEXT("enabled"),
		.device = &device, .nr_devices = 1,
		.saved = &saved, .nr_saved = 1,
	};

	d.kernel[0] = good_kernel(RELEASE, "kernel " RELEASE " (running)");
	d.kernel[0].running = true;
	d.kernel[0].file.vermagic = TEXT(RELEASE " SMP");
	d.kernel[1] = good_kernel("6.13", "kernel 6.13");
	device = (struct mapped_facts) {
		.name = TEXT("a"), .what = TEXT("device a"), .quoted = TEXT("a"),
		.state = TEXT("on"), .included = true,
	};
	saved = (struct saved_facts) {
		.name = TEXT("s"), .what = TEXT("saved device s"), .quoted = TEXT("s"),
		.active = true,
	};
	return d;
}

static void with_policy(struct doctor_facts *d, const char *text)
{
	policy_parse(&d->policy, text, &d->mistakes);
	memset(rule, 0, sizeof(rule));
	d->rule = rule;
}

static void free_policy(struct doctor_facts *d)
{
	policy_free(&d->policy);
	findings_free(&d->mistakes);
	d->rule = NULL;
}

/* One finding has that level and says both; with NULL for the text, none is above it. */
static void says(const struct doctor_facts *d, enum finding_level level, const char *text,
		 const char *fix)
{
	_cleanup_findings_ struct findings f = { 0 };
	_cleanup_strbuf_ struct strbuf all = { 0 };
	bool found = !text;
	unsigned int i;

	doctor_judge(d, &f);
	for (i = 0; i < f.nr; i++) {
		_cleanup_free_ char *line = finding_words(&f.finding[i], NULL);

		strbuf_add(&all, "%s\n", line);
		if (!text)
			found &= f.finding[i].level <= level;
		else
			found |= f.finding[i].level == level && strstr(line, text) &&
				 (!fix || (f.finding[i].fix && strstr(f.finding[i].fix, fix)));
	}
	if (!found)
		fail_msg("no %s with \"%s\" and \"%s\" in:\n%s", finding_level_name(level),
			 text ? text : "", fix ? fix : "", all.text);
}

/* How many findings have that in their line. */
static unsigned int count_lines(const struct doctor_facts *d, const char *text)
{
	_cleanup_findings_ struct findings f = { 0 };
	unsigned int i, n = 0;

	doctor_judge(d, &f);
	for (i = 0; i < f.nr; i++) {
		_cleanup_free_ char *line = finding_words(&f.finding[i], NULL);

		n += !!strstr(line, text);
	}
	return n;
}

static void nothing_wrong(void **state __unused)
{
	struct doctor_facts d = good();
	_cleanup_findings_ struct findings f = { 0 };

	doctor_judge(&d, &f);
	assert_int_equal(f.nr, 10);
	assert_int_equal(findings_count(&f, FINDING_OK), 10);
	assert_string_equal(f.finding[7].check, "devices");
	says(&d, FINDING_OK, "1 device: fine, 1 on the fast path", NULL);
}

static void module_is_missing(void **state __unused)
{
	struct doctor_facts d = good();

	d.kernel[1].file = (struct module_file) { 0 };
	says(&d, FINDING_WARNING, "kernel 6.13: modprobe finds no module", "make it");
	d.kernel[0].file = (struct module_file) { 0 };
	d.params.loaded = false;
	says(&d, FINDING_ERROR, "(running): modprobe finds no module", "make it");
	d = good();
	d.kernel[0].file.vermagic = TEXT(RELEASE "0 SMP");
	says(&d, FINDING_ERROR, "was built for kernel " RELEASE "0", "make it");
	d.kernel[0].file.vermagic = TEXT("6.1");
	says(&d, FINDING_ERROR, "was built for kernel 6.1", "make it");
	d.kernel[0].file.vermagic = TEXT(RELEASE);
	says(&d, FINDING_OK, NULL, NULL);
}

static void module_is_refused(void **state __unused)
{
	struct doctor_facts d = good();

	d.denied = d.kernel[0].file.blacklisted = true;
	d.kernel[0].file.install = TEXT("/bin/false x");
	says(&d, FINDING_WARNING, "module_blacklist=", "reboot");
	d.params.loaded = false;
	says(&d, FINDING_ERROR, "module_blacklist=", "reboot");
	says(&d, FINDING_ERROR, "\"/bin/false x\" runs in place", "grep -r noclone");
	says(&d, FINDING_ERROR, "it is blacklisted", "/proc/cmdline");
	d = good();
	d.signed_only = true;
	d.kernel[1].file.path = TEXT(MODULE_BUILTIN);
	says(&d, FINDING_OK, NULL, NULL);
	d.params.loaded = false;
	says(&d, FINDING_ERROR, "has no signature", "make it");
	d.kernel[0].file.signer = TEXT("DKMS");
	says(&d, FINDING_NOTE, NULL, NULL);
	d.kernel[0].unknown_key = true;
	says(&d, FINDING_ERROR, "signed by \"DKMS\"", "mokutil --import /mok.der");
	/* what follows from that is not said, nor that all is well */
	d.kernel[0].file.kernel = TEXT("BIO_TOMORROW");
	d.kernel[0].file.version = TEXT("0.8.0");
	assert_int_equal(count_lines(&d, "kernel " RELEASE), 1);
	assert_int_equal(count_lines(&d, "module: the kernel loads it"), 0);
	/* the kernel has taken what is loaded, and not yet the file of an upgrade */
	d.params.loaded = true;
	says(&d, FINDING_ERROR, "BIO_TOMORROW", NULL);
	d.other_build = true;
	says(&d, FINDING_ERROR, "signed by \"DKMS\"", "mokutil --import /mok.der");
}

static const char keys[] =
	"0a1b2c3d I------ 1 perm 1f030000 0 0 asymmetri Debian CA: 6ccece7e: X509.rsa 6ccece7e []\n"
	"0a1b2c3e I------ 1 perm 1f030000 0 0 asymmetri DKMS key: 63aa01: X509.rsa 63aa01 []\n"
	"0a1b2c3f I------ 1 perm 1f030000 0 0 keyring   Other key: 1\n";

/* After dkms was installed again: another key of the same name. */
static void keys_of_one_name(void **state __unused)
{
	struct module_file file = { .signer = TEXT("DKMS key"), .sig_key = TEXT("0A:B9:01") };

	assert_false(key_is_unknown(keys, &file, NULL));
	assert_false(key_is_unknown(keys, &file,
				    "serial=AB901\nX509v3 Subject Key Identifier: \n    63:AA:01\n"));
	assert_true(key_is_unknown(keys, &file,
				   "serial=AB901\nX509v3 Subject Key Identifier: \n    63:AA:02\n"));
	assert_false(key_is_unknown(keys, &file,
				    "serial=AB902\nX509v3 Subject Key Identifier: \n    63:AA:02\n"));
	assert_false(key_is_unknown(keys, &file, "serial=AB901\n"));
	file.signer = TEXT("Other key");
	assert_true(key_is_unknown(keys, &file, NULL));
}

static void kernels_that_were_not_read(void **state __unused)
{
	struct doctor_facts d = good();

	d.kernel[1].file.kernel = TEXT("BIO_TOMORROW");
	says(&d, FINDING_WARNING, "kernel 6.13: it is like no kernel", "any_kernel=1");
	d.kernel[0].file.kernel = TEXT("BIO_TOMORROW");
	says(&d, FINDING_ERROR, "shows in BIO_TOMORROW", "any_kernel=1");
	d.any_kernel = true;
	says(&d, FINDING_NOTE, NULL, NULL);
}

static void versions(void **state __unused)
{
	struct doctor_facts d = good();

	d.version = TEXT("0.9.0");
	says(&d, FINDING_WARNING, "0.9.0 is loaded, and this tool is 1.0.0", "modprobe -r");
	d.kernel[1].file.version = TEXT("0.8.0");
	says(&d, FINDING_WARNING, "kernel 6.13: /lib/dm-noclone.ko is dm-noclone 0.8.0", "make it");
	d = good();
	d.other_build = true;
	says(&d, FINDING_NOTE, "another build than /lib/dm-noclone.ko", "modprobe dm-noclone");
}

static void policy_is_not_in_force(void **state __unused)
{
	struct doctor_facts d = good();

	d.fastpath_off = true;
	d.params.stock = false;
	device.state = NULL;
	says(&d, FINDING_WARNING, "fastpath is N", "echo Y");
	with_policy(&d, "include a\n");
	says(&d, FINDING_WARNING, "not in force: the parameter stock", "enable --policy");
	says(&d, FINDING_OK, "1 device: fine, 0 on", NULL);
	d.params.loaded = false;
	says(&d, FINDING_WARNING, "not in force: dm-noclone is not loaded", "enable --policy");
	d.policy_off = true;
	says(&d, FINDING_WARNING, "has dm_noclone.stock=off", "enable --policy");
	free_policy(&d);
	says(&d, FINDING_NOTE, "module: dm-noclone is not loaded", "noclone enable --now");
}

static void policy_and_unit(void **state __unused)
{
	struct doctor_facts d = good();

	with_policy(&d, "include a\nincluded b\n");
	says(&d, FINDING_ERROR, "policy:2: ", "editor +2");
	d.unit = TEXT("failed");
	says(&d, FINDING_ERROR, "it has failed", "journalctl");
	d.unit = TEXT("masked");
	says(&d, FINDING_WARNING, "it is masked", "systemctl unmask");
	d.unit = TEXT("disabled");
	says(&d, FINDING_WARNING, "it is disabled", "systemctl enable");
	d.unit = TEXT("not-found");
	says(&d, FINDING_WARNING, "not installed", "noclone-tools");
	free_policy(&d);
	says(&d, FINDING_OK, NULL, NULL);
	d.has_policy = false;
	says(&d, FINDING_NOTE, "policy: there is none", "noclone enable");
	d.policy_unreadable = TEXT("no permission");
	says(&d, FINDING_NOTE, "no permission", NULL);
}

static void rules(void **state __unused)
{
	struct doctor_facts d = good();

	with_policy(&d, "include a\nexclude b\n");
	rule[0] = (struct rule_facts) { 1, 1 };
	says(&d, FINDING_NOTE, "policy:2: \"exclude b\" matches no device", "sed -i 2d");
	rule[1] = (struct rule_facts) { 1, 0 };
	says(&d, FINDING_NOTE, "policy:2: \"exclude b\" decides nothing", "sed -i 2d");
	rule[1].decides = 1;
	says(&d, FINDING_OK, NULL, NULL);
	free_policy(&d);
	with_policy(&d, "include *\n");
	says(&d, FINDING_OK, NULL, NULL);
	rule[0] = (struct rule_facts) { 1, 0 };
	says(&d, FINDING_NOTE, "policy:1: \"include *\" decides nothing", "sed -i 1d");
	d.rule = NULL;
	says(&d, FINDING_OK, NULL, NULL);
	free_policy(&d);
}

static void devices(void **state __unused)
{
	struct doctor_facts d = good();

	device.state = TEXT("off:message");
	says(&d, FINDING_OK, "1 device: fine, 0 on", NULL);
	device.state = TEXT("off:layout");
	says(&d, FINDING_ERROR, "does not map as expected", "report it");
	device.state = TEXT("off:new-reason");
	says(&d, FINDING_WARNING, "device a: fast path off: new-reason", NULL);
	device.state = NULL;
	says(&d, FINDING_WARNING, "though the policy includes it", "noclone enable --now a");
	device.included = false;
	says(&d, FINDING_OK, NULL, NULL);
	device.suspended = true;
	says(&d, FINDING_WARNING, "suspended", "dmsetup resume a");
	d.devices_error = TEXT("only root may do that");
	d.nr_devices = d.nr_saved = 0;
	says(&d, FINDING_NOTE, "only root may do that", "sudo noclone doctor");
}

/* What holds for all of them is one line. */
static void common_reason(void **state __unused)
{
	struct doctor_facts d = good();
	struct mapped_facts many[3];
	_cleanup_findings_ struct findings f = { 0 };

	device.state = TEXT("off:stats");
	many[0] = device;
	many[1] = device;
	many[2] = device;
	many[1].suspended = true;
	d.device = many;
	d.nr_devices = 3;
	says(&d, FINDING_WARNING, "device a: fast path off: ", "dmsetup stats delete");
	says(&d, FINDING_WARNING, ", as that of 1 more", NULL);
	doctor_judge(&d, &f);
	assert_int_equal(findings_count(&f, FINDING_WARNING), 2);
}

static void legs(void **state __unused)
{
	struct finding gone = {
		.check = "device-deleted", .subject = TEXT("8:0"), .text = TEXT("gone"),
	};
	struct doctor_facts d = good();

	device.below = (struct findings) { .finding = &gone, .nr = 1 };
	says(&d, FINDING_ERROR, "8:0: gone", "noclone reload a");
	gone.check = "file-replaced";
	says(&d, FINDING_ERROR, "8:0: gone", "dd if=/dev/mapper/a");
	device.below.nr = 0;
	device.stand_in = TEXT("engine direct stands in");
	says(&d, FINDING_WARNING, "stands in", "dmsetup suspend a && dmsetup resume a");
}

static void saved_devices(void **state __unused)
{
	struct doctor_facts d = good();

	saved.differs = true;
	says(&d, FINDING_WARNING, "it differs from its file", "noclone save s");
	saved.stands_in = true;
	says(&d, FINDING_WARNING, "dm's own targets", "noclone convert s");
	saved.on_file = true;
	says(&d, FINDING_WARNING, "dm's own targets", "noclone deactivate s");
	saved.active = false;
	says(&d, FINDING_WARNING, "it is not active", "noclone activate s");
	saved.missing = TEXT("/dev/sdb");
	says(&d, FINDING_ERROR, "/dev/sdb does not exist", "attach that disk");
	saved.damage = TEXT("line 3: nonsense");
	says(&d, FINDING_ERROR, "its file is damaged: line 3: nonsense", "noclone save s");
	saved.leftover = TEXT("/etc/noclone/s.table.new");
	says(&d, FINDING_WARNING, "has left /etc/noclone/s.table.new", "noclone activate s");
	saved.damage = NULL;
	saved.original = TEXT("a");
	says(&d, FINDING_ERROR, "has the UUID of a", "rm /etc/noclone/s.table, if");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_wrong),
		cmocka_unit_test(module_is_missing),
		cmocka_unit_test(module_is_refused),
		cmocka_unit_test(keys_of_one_name),
		cmocka_unit_test(kernels_that_were_not_read),
		cmocka_unit_test(versions),
		cmocka_unit_test(policy_is_not_in_force),
		cmocka_unit_test(policy_and_unit),
		cmocka_unit_test(rules),
		cmocka_unit_test(devices),
		cmocka_unit_test(common_reason),
		cmocka_unit_test(legs),
		cmocka_unit_test(saved_devices),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
