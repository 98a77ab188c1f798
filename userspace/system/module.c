// SPDX-License-Identifier: GPL-2.0-only
/* The kernel module and its parameters, through sysfs and libkmod. */
#include "system/module.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libkmod.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "system/boot-line.h"
#include "system/kernel-test.h"
#include "system/sysfs.h"

#define SYS_MODULE	"/sys/module/dm_noclone/"
#define PARAMETERS	SYS_MODULE "parameters/"
/* MODULE: the name that libkmod and the kernel use. */
#define MODULE		"dm_noclone"
#define BUILTIN		"(builtin)"
#define SUBJECT		"module"
#define DKMS_TREE	"/var/lib/dkms/"
#define KEYS_MAX	(1U << 20)
#define BUILD_ID	SYS_MODULE "notes/.note.gnu.build-id"
#define BUILD_ID_MAX	4096
#define LOAD_ANEW	"modprobe -r dm-noclone && modprobe dm-noclone; or reboot"
#define LIKE_REVIEWED	"its headers are like those of reviewed kernels (grade \"alike\")"
#define NO_RECORD	"no test of this kernel is recorded"
#define ANY_KERNEL	"echo options dm_noclone any_kernel=1 >/etc/modprobe.d/dm-noclone.conf"
#define CONF_FOLDERS	"/etc/modprobe.d /run/modprobe.d /usr/lib/modprobe.d"
#define SHOW_CONF	"grep -r noclone " CONF_FOLDERS
#define ENTRY_LINES	"each line that this command shows: grep -rs %s " CONF_FOLDERS " /proc/cmdline"

char *module_version(void)
{
	return sysfs_line(SYS_MODULE "version");
}

/*
 * Is the module loaded? While the kernel is loading the module, the module's folder in sysfs
 * exists, but the file of the parameter "fastpath" does not exist yet. So this function looks for
 * this file.
 */
static bool module_is_loaded(void)
{
	return !access(PARAMETERS "fastpath", F_OK);
}

bool module_stock_is_on(void)
{
	_cleanup_free_ char *stock = sysfs_line(PARAMETERS "stock");

	return stock && !strcmp(stock, "on");
}

void module_params(struct module_params *m)
{
	_cleanup_free_ char *version = module_version();

	memset(m, 0, sizeof(*m));
	m->loaded = module_is_loaded();
	m->interface = version ? strtoul(version, NULL, 10) : 0;
	m->stock = module_stock_is_on();
}

char *module_objection(const struct module_params *m)
{
	if (!m->loaded || m->interface == NOCLONE_VERSION_MAJOR)
		return NULL;
	return xasprintf("the loaded " NOCLONE_MODULE_NAME " has interface %u, and this tool has interface %u: install the module and the tool in the same version, then run modprobe -r " NOCLONE_MODULE_NAME ", or reboot",
			 m->interface, NOCLONE_VERSION_MAJOR);
}

static bool module_line_is(const char *path, char letter)
{
	const char *text = sysfs_text(path);

	return text && *text == letter;
}

/**
 * struct module_file - the module that modprobe finds for a kernel
 * @release: the release of the kernel
 * @running: @release is the running kernel
 * @ctx: the context of libkmod; the context also owns @module and @info
 * @module: the module, or NULL if modprobe finds none; all functions of libkmod accept NULL
 * @info: the keys and values that modinfo(8) prints
 * @path: the path of the module's file, BUILTIN if the kernel itself contains the module, or NULL
 *	if there is no module
 */
struct module_file {
	char *release;
	bool running;
	struct kmod_ctx *ctx;
	struct kmod_module *module;
	struct kmod_list *info;
	const char *path;
};

static void module_file_open(struct module_file *m, const char *release)
{
	_cleanup_free_ char *folder = NULL;
	struct utsname system;

	uname(&system);
	*m = (struct module_file) { .release = xstrdup(release ? release : system.release) };
	m->running = !strcmp(m->release, system.release);
	folder = xasprintf("/lib/modules/%s", m->release);
	m->ctx = kmod_new(folder, NULL);
	/* libkmod must not log: the tool reports each error, as a finding or in a message */
	kmod_set_log_priority(m->ctx, -1);
	kmod_module_new_from_name(m->ctx, MODULE, &m->module);
	kmod_module_get_info(m->module, &m->info);
	m->path = kmod_module_get_path(m->module);
	if (!m->path && kmod_module_get_initstate(m->module) == KMOD_MODULE_BUILTIN)
		m->path = BUILTIN;
}

static void module_file_close(struct module_file *m)
{
	kmod_module_info_free_list(m->info);
	kmod_module_unref(m->module);
	kmod_unref(m->ctx);
	free(m->release);
}

#define _cleanup_module_file_ __attribute__((cleanup(module_file_close)))

static const char *module_info(const struct module_file *m, const char *key)
{
	struct kmod_list *entry;

	kmod_list_foreach(entry, m->info)
		if (!strcmp(kmod_module_info_get_key(entry), key))
			return kmod_module_info_get_value(entry);
	return NULL;
}

/* Return: the command that builds the module from the sources of this version, a new string. */
static char *module_build_command(const struct module_file *m)
{
	glob_t found = { 0 };
	char *command;

	/* the version in the name of the folder may end with the revision of a package */
	if (!glob(DKMS_TREE NOCLONE_MODULE_NAME "/" TOOL_VERSION "*", 0, NULL, &found))
		command = xasprintf("dkms install --force %s -k %s",
				    found.gl_pathv[found.gl_pathc - 1] + strlen(DKMS_TREE),
				    m->release);
	else
		command = xasprintf("make -C SOURCE KVER=%s install", m->release);
	globfree(&found);
	return command;
}

/*
 * Does the kernel load only signed modules? The file "lockdown" has a line such as "none
 * [integrity] confidentiality", with the present mode in brackets.
 */
static bool module_has_to_be_signed(void)
{
	_cleanup_free_ char *lockdown = sysfs_line("/sys/kernel/security/lockdown");

	return module_line_is("/sys/module/module/parameters/sig_enforce", 'Y') ||
	       (lockdown && !strstr(lockdown, "[none]"));
}

/*
 * Return: the path of the certificate that belongs to the signing key of dkms, a new string. The
 * script reads the configuration of dkms.
 */
static char *module_certificate(const struct module_file *m)
{
	static const char script[] =
		"kernelver=$0 mok_certificate=\n"
		"for conf in /etc/dkms/framework.conf /etc/dkms/framework.conf.d/*.conf; do\n"
		"	[[ ! -r $conf ]] || . \"$conf\" >/dev/null\n"
		"done\n"
		"echo -n \"${mok_certificate:-" DKMS_TREE "mok.pub}\"\n";
	char *argv[] = {
		(char *)"bash", (char *)"-c", (char *)script, m->release, NULL
	};
	char *path = child_read(argv, NULL);

	return path ? path : xstrdup(DKMS_TREE "mok.pub");
}

/*
 * Convert a hexadecimal number such as "00:5A:B9" to the form "5ab9". The number ends at the end of
 * its line. Return: a new string.
 */
static char *module_key_plain_hex(const char *text)
{
	_cleanup_strbuf_ struct strbuf b = { 0 };

	for (; *text && *text != '\n'; text++) {
		char digit = tolower(*text);

		if (isxdigit(digit) && (b.len || digit != '0'))
			strbuf_append(&b, &digit, 1);
	}
	return b.len ? strbuf_take(&b) : xstrdup("");
}

/*
 * Return: the hexadecimal number behind @label in the text of the certificate, a new string in the
 * form "5ab9". The string is empty if @label is missing.
 */
static char *module_key_number_after(const char *certificate, const char *label)
{
	const char *found = certificate ? strstr(certificate, label) : NULL;

	return module_key_plain_hex(found ? found + strlen(label) : "");
}

/* Does @keys, the text of /proc/keys, have a line about an asymmetric key that contains @words? */
static bool module_key_is_listed(const char *keys, const char *words)
{
	const char *at = keys;

	while ((at = strstr(at, words))) {
		const char *line = at;

		while (line > keys && line[-1] != '\n')
			line--;
		if (memmem(line, at - line, " asymmetri", strlen(" asymmetri")))
			return true;
		at++;
	}
	return false;
}

bool module_key_is_unknown(const char *keys, const char *signer, const char *sig_key,
			   const char *certificate)
{
	_cleanup_free_ char *serial = module_key_number_after(certificate, "serial=");
	_cleanup_free_ char *id = module_key_number_after(certificate, "Subject Key Identifier: \n");
	_cleanup_free_ char *signed_by = module_key_plain_hex(sig_key ? sig_key : "");

	if (!module_key_is_listed(keys, signer))
		return true;
	return *serial && !strcmp(serial, signed_by) && *id && !module_key_is_listed(keys, id);
}

/*
 * Does the kernel lack the key that has signed the module? For a module without a signature, the
 * function returns true. Only root can see the keys of the kernel, so for other users the function
 * returns false for each signed module.
 */
static bool module_lacks_key(const struct module_file *m, char *certificate)
{
	char *argv[] = {
		(char *)"openssl", (char *)"x509", (char *)"-inform", (char *)"DER",
		(char *)"-noout", (char *)"-serial", (char *)"-ext", (char *)"subjectKeyIdentifier",
		(char *)"-in", certificate, NULL
	};
	_cleanup_close_ int fd = open("/proc/keys", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *keys = geteuid() || fd < 0 ? NULL : read_bytes(fd, KEYS_MAX, NULL);
	const char *signer = module_info(m, "signer");
	_cleanup_free_ char *text = signer && keys ? child_read(argv, NULL) : NULL;

	return !signer ||
	       (keys && module_key_is_unknown(keys, signer, module_info(m, "sig_key"), text));
}

/* Return: the program that prints the content of the module's file @path without compression. */
static const char *module_unpacker(const char *path)
{
	static const char *const programs[][2] = {
		{ ".ko.xz", "xzcat" }, { ".ko.zst", "zstdcat" }, { ".ko.gz", "zcat" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		if (strstr(path, programs[i][0]))
			return programs[i][1];
	return "cat";
}

/*
 * Is the loaded module from another build than the file? The function looks for the build id of the
 * loaded module in the file. A comparison of srcversion is not enough, because srcversion does not
 * depend on headers.
 */
static bool module_is_another(const struct module_file *m)
{
	_cleanup_close_ int fd = open(BUILD_ID, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *note = NULL, *file = NULL;
	char *argv[] = { NULL, (char *)m->path, NULL };
	size_t note_length = 0, length = 0;

	if (fd < 0 || !m->running || !m->path || !strcmp(m->path, BUILTIN))
		return false;
	argv[0] = (char *)module_unpacker(m->path);
	note = read_bytes(fd, BUILD_ID_MAX, &note_length);
	file = child_read(argv, &length);
	return note && file && !memmem(file, length, note, note_length);
}

/*
 * Would the kernel refuse the file because of its signature? The kernel has accepted the loaded
 * module, so a file of the same build is not refused. But an upgrade may have replaced the file
 * after the module was loaded.
 */
static bool module_is_refused(const struct module_file *m, char *certificate)
{
	return strcmp(m->path, BUILTIN) && module_has_to_be_signed() &&
	       !(m->running && module_is_loaded() && !module_is_another(m)) &&
	       module_lacks_key(m, certificate);
}

/*
 * Was the module built for this kernel? With CONFIG_MODVERSIONS, a kernel also loads modules that
 * were built for other kernels. @magic: the vermagic of the module
 */
static bool module_is_for(const struct module_file *m, const char *magic)
{
	return strlen(m->release) == strcspn(magic, " ") && str_starts(magic, m->release);
}

/*
 * Return: in words, how the user makes the kernel accept the file, a new string. A key of the user
 * can only be stored in the EFI firmware. Without EFI, the user has to switch off the check of
 * signatures.
 */
static char *module_key_remedy(const struct module_file *m, const char *build,
			       const char *certificate)
{
	bool is_signed = module_info(m, "signer");

	if (access("/sys/firmware/efi", F_OK))
		return xstrdup("this machine runs without EFI, so no key can be enrolled: boot without module.sig_enforce=1 and without lockdown=");
	return xasprintf("%s%smokutil --import %s, and reboot", is_signed ? "" : build,
			 is_signed ? "" : ", then ", certificate);
}

/*
 * Does the grade that the module's file reports mean a reviewed kernel? Older modules report
 * "known" instead of "reviewed".
 */
static bool module_grade_is_reviewed(const char *grade)
{
	return !strcmp(grade, "reviewed") || !strcmp(grade, "known");
}

/**
 * struct module_alike - a kernel of grade "alike", which has headers like those of reviewed kernels
 * @m: the module for this kernel
 * @build: the build word of the module
 * @subject: the subject of the finding
 * @level: the level of a finding that says that no device gets the fast path
 * @test: the record of the kernel's test
 * @listed: the I/O that modprobe.d and the kernel's command line allow
 * @boot: the I/O that the kernel's command line alone allows
 * @allowed: the I/O that the loaded module allows; if no module is loaded, @listed
 */
struct module_alike {
	const struct module_file *m;
	const char *build;
	const char *subject;
	enum finding_level level;
	struct kernel_test_result test;
	enum kernel_test_allowed listed;
	enum kernel_test_allowed boot;
	enum kernel_test_allowed allowed;
};

/* Return: the end of a sentence about the queue limits, a new string. */
static char *module_limits(const struct module_alike *a)
{
	return !a->test.limits ? xstrdup("") :
	       xasprintf("; queue limits may differ from those of stock devices, because %s",
			 a->test.limits);
}

/*
 * Return: how a change of the entries takes effect. A change of the kernel's command line takes
 * effect only at the next boot.
 */
static const char *module_entry_effect(const struct module_alike *a)
{
	return a->boot ? " (the line of /proc/cmdline is in the configuration of the boot loader), then reboot" :
	       ", then " LOAD_ANEW;
}

/*
 * Return: how the user makes modprobe.d and the loaded module allow exactly the I/O that the record
 * allows, a new string. The module obeys the entry that allows the most, so another entry ":polled"
 * has to be removed.
 */
static char *module_entry_fix(const struct module_alike *a)
{
	if (a->test.polled && a->listed == KERNEL_TEST_POLLED)
		return xasprintf("replace \"%s" NOCLONE_TESTED_POLLED "\" by \"%s\" in " ENTRY_LINES "%s",
				 a->build, a->build, a->build, module_entry_effect(a));
	if (a->listed == (a->test.polled ? KERNEL_TEST_FAST : KERNEL_TEST_POLLED))
		return xstrdup(LOAD_ANEW);
	return xasprintf("echo options dm-noclone tested=%s >/etc/modprobe.d/dm-noclone-%s.conf, then " LOAD_ANEW,
			 a->test.entry, a->m->release);
}

/*
 * Report a kernel whose record allows the fast path, although the entry of the parameter "tested"
 * is missing or wrong. @consequence: the effect of the missing or wrong entry, as a part of a
 * sentence
 */
static void module_add_entry(const struct module_alike *a, enum finding_level level,
			     const char *consequence, struct findings *f)
{
	_cleanup_free_ char *limits = module_limits(a), *fix = module_entry_fix(a);

	finding_add(f, level, a->subject,
		    LIKE_REVIEWED ", and dm-noclone has passed the test of this kernel, but %s%s\n%s",
		    consequence, limits, fix);
}

/*
 * Report a kernel for which the parameter "tested" has the build word of the module, although the
 * record does not allow the fast path.
 */
static void module_add_unrecorded(const struct module_alike *a, struct findings *f)
{
	_cleanup_free_ char *test = xasprintf("\"noclone-test-kernel --release %s\" tests this kernel; to switch the fast path off: ",
					      a->m->release);
	_cleanup_free_ char *remove = xasprintf("remove \"%s%s\" from " ENTRY_LINES "%s", a->build,
						a->listed == KERNEL_TEST_POLLED ?
						NOCLONE_TESTED_POLLED : "", a->build,
						module_entry_effect(a));

	finding_add(f, FINDING_WARNING, a->subject,
		    LIKE_REVIEWED ", and %s says that dm-noclone has passed the test of this kernel, but %s\n"
		    "%s%s", a->listed ? "the parameter \"tested\"" : "the loaded module",
		    a->test.reason ?: NO_RECORD, a->test.failed ? "" : test, a->listed ? remove : LOAD_ANEW);
}

/*
 * Report a kernel on which the module allows exactly the I/O on the fast path that the record
 * allows.
 */
static void module_add_known(const struct module_alike *a, struct findings *f)
{
	_cleanup_free_ char *limits = module_limits(a);

	finding_add(f, *limits ? FINDING_NOTE : FINDING_OK, a->subject,
		    LIKE_REVIEWED ", and %s says that dm-noclone has passed the test of this kernel%s",
		    a->boot == a->listed ? "the kernel's command line" : "modprobe.d", limits);
}

/* Report a kernel of grade "alike" on which the module allows the fast path. */
static void module_check_allowed(const struct module_alike *a, struct findings *f)
{
	_cleanup_free_ char *polled = NULL;

	if (!a->test.entry) {
		module_add_unrecorded(a, f);
	} else if (a->test.polled &&
		   (a->allowed == KERNEL_TEST_POLLED || a->listed == KERNEL_TEST_POLLED)) {
		polled = xasprintf("the parameter \"tested\" allows polled I/O on the fast path as well, and %s",
				   a->test.polled);
		module_add_entry(a, FINDING_WARNING, polled, f);
	} else if (!a->listed) {
		module_add_entry(a, FINDING_WARNING,
				 "no device gets the fast path after the next boot, because modprobe.d does not name the tested build",
				 f);
	} else if (a->allowed == KERNEL_TEST_FAST && !a->test.polled) {
		module_add_entry(a, FINDING_NOTE, a->listed == KERNEL_TEST_POLLED ?
				 "polled I/O goes to dm core, because the loaded module does not know yet that it was tested as well" :
				 "polled I/O goes to dm core until the parameter \"tested\" says that it was tested as well",
				 f);
	} else {
		module_add_known(a, f);
	}
}

/* Report a kernel of grade "alike" on which the module does not allow the fast path. */
static void module_check_refused(const struct module_alike *a, struct findings *f)
{
	if (a->test.entry)
		module_add_entry(a, a->level, a->listed ?
				 "the loaded module does not know this result yet" :
				 "no device gets the fast path until the parameter \"tested\" names the tested build",
				 f);
	else
		finding_add(f, a->level, a->subject,
			    "this kernel was not reviewed for dm-noclone, " LIKE_REVIEWED ", and %s: no device gets the fast path\n"
			    "\"noclone-test-kernel%s%s\" tests this kernel in a virtual machine; to allow the fast path at your own risk: " ANY_KERNEL,
			    a->test.reason ?: NO_RECORD, a->m->running ? "" : " --release ",
			    a->m->running ? "" : a->m->release);
}

static void module_check_alike(const struct module_file *m, enum finding_level level,
			       const char *subject, struct findings *f)
{
	const char *build = module_info(m, "build") ?: "no build";
	const char *options = kmod_module_get_options(m->module) ?: "";
	_cleanup_free_ char *loaded = m->running ? sysfs_line(PARAMETERS "tested") : NULL;
	_cleanup_free_ char *option = xasprintf("tested=%s", loaded ? loaded : "");
	_cleanup_free_ char *boot = boot_line_options();
	struct kernel_test_of of = { .release = m->release, .build = build };
	struct module_alike a = {
		.m = m, .build = build, .subject = subject, .level = level
	};
	struct utsname system;

	uname(&system);
	if (m->running)
		of.version = system.version;
	kernel_test_read(&of, &a.test);
	a.listed = kernel_test_allowed(options, build);
	a.boot = kernel_test_allowed(boot, build);
	a.allowed = loaded ? kernel_test_allowed(option, build) : a.listed;
	if (a.test.denied)
		finding_add(f, FINDING_NOTE, subject, "cannot read %s\nsudo noclone doctor", a.test.reason);
	else if (a.allowed)
		module_check_allowed(&a, f);
	else
		module_check_refused(&a, f);
	kernel_test_free(&a.test);
}

/*
 * Does the parameter any_kernel allow the fast path on a kernel that was not reviewed? Another
 * kernel than the running one loads the module with the options of modprobe.d.
 */
static bool module_any_kernel(const struct module_file *m)
{
	const char *options = kmod_module_get_options(m->module) ?: "", *value;
	_cleanup_names_ struct names words = { 0 };
	bool any = false;
	unsigned int i;

	if (m->running && module_is_loaded())
		return module_line_is(PARAMETERS "any_kernel", 'Y');
	names_split(&words, options);
	for (i = 0; i < words.nr; i++) {
		if (!strcmp(words.name[i], "any_kernel"))
			any = true;
		if (!str_starts(words.name[i], "any_kernel="))
			continue;
		value = words.name[i] + strlen("any_kernel=");
		any = strspn(value, "1yYtT") || !strncasecmp(value, "on", 2);
	}
	return any;
}

/*
 * Report a kernel that was not reviewed. @grade: "alike", or the name of the difference from all
 * reviewed kernels
 */
static void module_check_grade(const struct module_file *m, const char *grade,
			       enum finding_level level, const char *subject, struct findings *f)
{
	bool alike = !strcmp(grade, "alike");

	if (module_any_kernel(m))
		finding_add(f, FINDING_NOTE, subject,
			    "this kernel %s%s: the parameter any_kernel allows the fast path at your own risk",
			    alike ? "was not reviewed for dm-noclone, " LIKE_REVIEWED :
			    "differs from all kernels that were reviewed for dm-noclone, difference: ",
			    alike ? "" : grade);
	else if (alike)
		module_check_alike(m, level, subject, f);
	else
		finding_add(f, level, subject,
			    "this kernel differs from all kernels that were reviewed for dm-noclone (difference: \"%s\"): no device gets the fast path, unless the parameter any_kernel is set\n"
			    "\"apt-get install dm-noclone-dkms\" may bring a newer module; to allow the fast path at your own risk: " ANY_KERNEL,
			    grade);
}

/*
 * Is the module a file in which libkmod has found no information? A module that is built into the
 * kernel has no "vermagic" either, but it is no file.
 */
static bool module_is_damaged(const struct module_file *m)
{
	return strcmp(m->path, BUILTIN) && !module_info(m, "vermagic");
}

/* Report a file in which libkmod has found no information. */
static void module_add_damaged(const struct module_file *m, enum finding_level level,
			       const char *subject, const char *build, struct findings *f)
{
	if (access(m->path, R_OK) && errno == EACCES)
		finding_add(f, FINDING_NOTE, subject, "cannot read %s: %s\nsudo noclone doctor",
			    m->path, strerror(EACCES));
	else
		finding_add(f, level, subject,
			    "the file %s is missing, or is no kernel module\n%s", m->path, build);
}

static void module_check_file(const struct module_file *m, enum finding_level level,
			      const char *subject, struct findings *f)
{
	_cleanup_free_ char *build = module_build_command(m);
	const char *version = module_info(m, "version"), *kernel = module_info(m, "kernel");
	_cleanup_free_ char *certificate = module_certificate(m);
	_cleanup_free_ char *remedy = module_key_remedy(m, build, certificate);
	const char *magic = module_info(m, "vermagic");

	if (!m->path)
		finding_add(f, level, subject, "modprobe finds no module dm-noclone for this kernel\n%s",
			    build);
	else if (module_is_damaged(m))
		module_add_damaged(m, level, subject, build, f);
	else if (module_is_refused(m, certificate))
		finding_add(f, level, subject,
			    "the kernel loads signed modules only, and does not know the key of %s\n%s",
			    m->path, remedy);
	else if (magic && !module_is_for(m, magic))
		finding_add(f, level, subject,
			    "%s was built for Linux %.*s: no device gets the fast path\n%s",
			    m->path, (int)strcspn(magic, " "), magic, build);
	else if (kernel && !module_grade_is_reviewed(kernel))
		module_check_grade(m, kernel, level, subject, f);
	else if (version && strcmp(version, TOOL_VERSION))
		finding_add(f, FINDING_WARNING, subject,
			    "%s has version %s, and this tool has version " TOOL_VERSION "\n%s", m->path,
			    version, build);
	else
		finding_add(f, FINDING_OK, subject,
			    "dm-noclone " TOOL_VERSION " is installed for this kernel");
}

void module_check_kernel(const char *release, struct findings *f)
{
	_cleanup_module_file_ struct module_file m = { 0 };
	_cleanup_free_ char *subject = NULL;

	module_file_open(&m, release);
	subject = xasprintf("kernel %s%s", m.release, m.running ? " (running)" : "");
	/*
	 * a fault is an error for the running kernel, and a warning for another kernel, because
	 * that kernel matters only after the next boot
	 */
	module_check_file(&m, m.running ? FINDING_ERROR : FINDING_WARNING, subject, f);
}

static bool module_is_blacklisted(struct kmod_ctx *ctx)
{
	struct kmod_config_iter *entry = kmod_config_get_blacklists(ctx);
	bool found = false;

	while (entry && !found && kmod_config_iter_next(entry))
		found = !strcmp(kmod_config_iter_get_key(entry), MODULE);
	kmod_config_iter_free_iter(entry);
	return found;
}

static void module_check_loading(const struct module_file *m, struct findings *f)
{
	enum finding_level level = module_is_loaded() ? FINDING_WARNING : FINDING_ERROR;
	_cleanup_free_ char *denied = boot_line_word("module_blacklist=");
	const char *install = kmod_module_get_install_commands(m->module);

	if (denied && (strstr(denied, MODULE) || strstr(denied, NOCLONE_MODULE_NAME)))
		finding_add(f, level, SUBJECT,
			    "the kernel's command line names the module after \"module_blacklist=\", so the kernel refuses to load the module\nreboot without this word on the kernel's command line");
	if (install)
		finding_add(f, level, SUBJECT,
			    "modprobe.d has an \"install\" line: modprobe runs \"%s\" and does not load the module\n"
			    "remove the line that this command shows: " SHOW_CONF, install);
	if (module_is_blacklisted(m->ctx))
		finding_add(f, level, SUBJECT,
			    "the module is blacklisted: only \"modprobe dm-noclone\" loads the module\n"
			    "remove the line or word that this command shows: " SHOW_CONF " /proc/cmdline");
}

static void module_check_loaded(const struct module_file *m, struct findings *f)
{
	_cleanup_free_ char *version = module_version();

	if (version && strcmp(version, TOOL_VERSION))
		finding_add(f, FINDING_WARNING, SUBJECT,
			    "the loaded dm-noclone has version %s, and this tool has version " TOOL_VERSION "\n" LOAD_ANEW,
			    version);
	else if (module_is_another(m))
		finding_add(f, FINDING_NOTE, SUBJECT,
			    "the loaded dm-noclone is not the build in %s\n" LOAD_ANEW, m->path);
	if (module_line_is(PARAMETERS "fastpath", 'N'))
		finding_add(f, FINDING_WARNING, SUBJECT,
			    "its parameter \"fastpath\" is N: new devices have no fast path\necho Y >"
			    PARAMETERS "fastpath");
}

void module_check(struct findings *f)
{
	_cleanup_module_file_ struct module_file m = { 0 };
	unsigned int before = f->nr;

	module_file_open(&m, NULL);
	module_check_loading(&m, f);
	module_check_loaded(&m, f);
	if (f->nr == before && (module_is_loaded() || m.path))
		finding_add(f, FINDING_OK, SUBJECT,
			    "its parameters, modprobe.d and the kernel's command line prevent neither loading the module nor the fast path");
}

/*
 * Log the errors that "noclone doctor" would report, and then that the module is not loaded. @r:
 * the result of libkmod; a negative value is the errno with which the kernel has refused the module.
 * Return: -EINTR if a signal has ended the load, otherwise -ENOEXEC
 */
static int module_report(int r)
{
	_cleanup_findings_ struct findings f = { 0 };
	unsigned int i;

	module_check_kernel(NULL, &f);
	module_check(&f);
	for (i = 0; i < f.nr; i++) {
		_cleanup_free_ char *words = finding_words(&f.finding[i], NULL);

		if (f.finding[i].level == FINDING_ERROR)
			log_err("%s", words);
	}
	if (r < 0)
		log_err("loading " NOCLONE_MODULE_NAME " failed: %s; the kernel log may say more",
			strerror(-r));
	else
		log_err(NOCLONE_MODULE_NAME " is not loaded");
	return r == -EINTR ? r : -ENOEXEC;
}

int module_load(void)
{
	_cleanup_module_file_ struct module_file m = { 0 };
	_cleanup_free_ char *objection = NULL;
	struct module_params params;
	int r;

	module_file_open(&m, NULL);
	/*
	 * obey "blacklist" lines of modprobe.d, as modprobe does when the kernel requests the
	 * module
	 */
	r = kmod_module_probe_insert_module(m.module, KMOD_PROBE_APPLY_BLACKLIST, NULL, NULL,
					    NULL, NULL);
	sysfs_forget();
	module_params(&params);
	if (r || !params.loaded)
		return module_report(r);
	/* the loaded module may belong to another version of this project */
	objection = module_objection(&params);
	if (objection)
		log_err("%s", objection);
	return objection ? -EOPNOTSUPP : 0;
}

int module_load_for(const struct table *t)
{
	return !table_has_noclone(t) || module_is_loaded() ? 0 : module_load();
}

int module_set_stock(const char *value)
{
	_cleanup_close_ int fd = open(PARAMETERS "stock", O_WRONLY | O_CLOEXEC);
	_cleanup_free_ char *line = xasprintf("%s\n", value);
	int err = 0;

	log_verbose("setting the parameter \"stock\" to \"%s\"", value);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		err = errno;
	sysfs_forget();
	if (err)
		log_err("setting the parameter \"stock\" of " NOCLONE_MODULE_NAME " failed: %s",
			err != EOPNOTSUPP ? strerror(err) :
			"the targets linear and striped of this kernel differ from what the module expects; all devices stay unchanged, and the kernel log says more");
	return -err;
}
