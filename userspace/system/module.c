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

#include "base/child.h"
#include "base/util.h"
#include "system/sysfs.h"

#define SYS_MODULE	"/sys/module/dm_noclone/"
#define PARAMETERS	SYS_MODULE "parameters/"
/* as libkmod and the kernel have it */
#define MODULE		"dm_noclone"
#define BUILTIN		"(builtin)"
#define SUBJECT		"module"
#define DKMS_TREE	"/var/lib/dkms/"
#define KEYS_MAX	(1U << 20)
#define BUILD_ID	SYS_MODULE "notes/.note.gnu.build-id"
#define BUILD_ID_MAX	4096
#define LOAD_ANEW	"modprobe -r dm-noclone && modprobe dm-noclone; or reboot"
#define SHOW_CONF	"grep -r noclone /etc/modprobe.d /run/modprobe.d /usr/lib/modprobe.d"

char *module_version(void)
{
	return sysfs_line(SYS_MODULE "version");
}

/* While it is being loaded its directory is there, but nothing works yet. */
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
	return xasprintf("the loaded " NOCLONE_MODULE_NAME " has interface %u, this tool has %u: install both in the same version, then modprobe -r " NOCLONE_MODULE_NAME ", or reboot",
			 m->interface, NOCLONE_VERSION_MAJOR);
}

static bool module_line_is(const char *path, char letter)
{
	const char *text = sysfs_text(path);

	return text && *text == letter;
}

char *module_boot_word(const char *prefix)
{
	_cleanup_free_ char *line = read_line_of("/proc/cmdline");
	_cleanup_names_ struct names w;
	unsigned int i;

	names_split(&w, line ? line : "");
	for (i = w.nr; i--;)
		if (str_starts(w.name[i], prefix))
			return xstrdup(w.name[i]);
	return NULL;
}

/**
 * struct module_file - the module that modprobe finds for a kernel
 * @release: of that kernel
 * @running: it is the one that runs
 * @ctx: of libkmod, as the next two
 * @module: NULL in all calls of libkmod is a module that is not there
 * @info: pairs of modinfo(8)
 * @path: the file, BUILTIN, or NULL
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
	/* an error is a finding, or a message that has the reason */
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

/* The command that builds it from the sources of this version: a new string. */
static char *module_build_command(const struct module_file *m)
{
	glob_t found = { 0 };
	char *command;

	/* a package adds its revision to the version */
	if (!glob(DKMS_TREE NOCLONE_MODULE_NAME "/" TOOL_VERSION "*", 0, NULL, &found))
		command = xasprintf("dkms install --force %s -k %s",
				    found.gl_pathv[found.gl_pathc - 1] + strlen(DKMS_TREE),
				    m->release);
	else
		command = xasprintf("make -C SOURCE KVER=%s install", m->release);
	globfree(&found);
	return command;
}

/* Does the kernel load signed modules only?  "none [integrity] confidentiality" */
static bool module_has_to_be_signed(void)
{
	_cleanup_free_ char *lockdown = sysfs_line("/sys/kernel/security/lockdown");

	return module_line_is("/sys/module/module/parameters/sig_enforce", 'Y') ||
	       (lockdown && !strstr(lockdown, "[none]"));
}

/* The certificate that dkms signs with, by its own configuration: a new string. */
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

/* "00:5A:B9", up to the end of the line, as "5ab9": a new string. */
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

/* The hexadecimal number that follows @label in the text of the certificate. */
static char *module_key_number_after(const char *certificate, const char *label)
{
	const char *found = certificate ? strstr(certificate, label) : NULL;

	return module_key_plain_hex(found ? found + strlen(label) : "");
}

/* Is a line of /proc/keys about such an asymmetric key? */
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

/* Only root sees the keys of the kernel; others are not told that one is missing. */
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

/* The program that prints a file of that name as it is without compression. */
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
 * Is another build loaded than the file?  The file has the build id in the same note, to the
 * byte.  srcversion does not tell: it leaves out what comes from headers.
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

/* What is loaded was taken by the kernel, but not yet the file of an upgrade. */
static bool module_is_refused(const struct module_file *m, char *certificate)
{
	return strcmp(m->path, BUILTIN) && module_has_to_be_signed() &&
	       !(m->running && module_is_loaded() && !module_is_another(m)) &&
	       module_lacks_key(m, certificate);
}

/* With CONFIG_MODVERSIONS a kernel also loads a module that was built for another release. */
static bool module_is_for(const struct module_file *m, const char *magic)
{
	return strlen(m->release) == strcspn(magic, " ") && str_starts(magic, m->release);
}

/* What lets the kernel take the file: a new string. Only EFI has a place for a key of the user. */
static char *module_key_remedy(const struct module_file *m, const char *build,
			       const char *certificate)
{
	bool is_signed = module_info(m, "signer");

	if (access("/sys/firmware/efi", F_OK))
		return xstrdup("this machine runs without EFI, so no key can be enrolled: boot without module.sig_enforce=1 and without lockdown=");
	return xasprintf("%s%smokutil --import %s, and reboot", is_signed ? "" : build,
			 is_signed ? "" : ", then ", certificate);
}

/* What the module says of the kernel that it was built for. "known" is the word of older modules. */
static bool module_grade_is_reviewed(const char *grade)
{
	return !strcmp(grade, "reviewed") || !strcmp(grade, "known");
}

/* The kernel was not reviewed. @grade: "alike", or the name of what differs */
static void module_add_grade(const char *grade, enum finding_level level, const char *subject,
			     struct findings *f)
{
	_cleanup_free_ char *reason = !strcmp(grade, "alike") ?
		xstrdup("it was not reviewed for dm-noclone, and its headers are like those of kernels that were (grade alike)") :
		xasprintf("it is like no kernel that was reviewed for dm-noclone, which shows in %s",
			  grade);

	if (module_line_is(PARAMETERS "any_kernel", 'Y'))
		level = FINDING_NOTE;
	finding_add(f, level, subject,
		    "%s: without the parameter any_kernel its devices stay on dm core's path\n"
		    "apt-get install dm-noclone-dkms may bring a newer one; at your own risk, echo options dm_noclone any_kernel=1 >/etc/modprobe.d/dm-noclone.conf",
		    reason);
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
		finding_add(f, level, subject, "modprobe finds no module dm-noclone for it\n%s",
			    build);
	else if (module_is_refused(m, certificate))
		finding_add(f, level, subject,
			    "the kernel loads signed modules only, and does not know the key of %s\n%s",
			    m->path, remedy);
	else if (magic && !module_is_for(m, magic))
		finding_add(f, level, subject,
			    "%s was built for Linux %.*s: the devices of the module stay on dm core's path\n%s",
			    m->path, (int)strcspn(magic, " "), magic, build);
	else if (kernel && !module_grade_is_reviewed(kernel))
		module_add_grade(kernel, level, subject, f);
	else if (version && strcmp(version, TOOL_VERSION))
		finding_add(f, FINDING_WARNING, subject,
			    "%s is dm-noclone %s, and this tool is " TOOL_VERSION "\n%s", m->path,
			    version, build);
	else
		finding_add(f, FINDING_OK, subject,
			    "dm-noclone " TOOL_VERSION " is installed for it");
}

void module_check_kernel(const char *release, struct findings *f)
{
	_cleanup_module_file_ struct module_file m;
	_cleanup_free_ char *subject = NULL;

	module_file_open(&m, release);
	subject = xasprintf("kernel %s%s", m.release, m.running ? " (running)" : "");
	/* the running kernel has no fast path now, another one after the next boot */
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
	_cleanup_free_ char *denied = module_boot_word("module_blacklist=");
	const char *install = kmod_module_get_install_commands(m->module);

	if (denied && (strstr(denied, MODULE) || strstr(denied, NOCLONE_MODULE_NAME)))
		finding_add(f, level, SUBJECT,
			    "the kernel's command line has it in module_blacklist=: the kernel refuses it\nreboot without that word");
	if (install)
		finding_add(f, level, SUBJECT,
			    "modprobe.d has an install line: \"%s\" runs in place of loading it\n"
			    SHOW_CONF " shows the line to remove", install);
	if (module_is_blacklisted(m->ctx))
		finding_add(f, level, SUBJECT,
			    "it is blacklisted: only \"modprobe dm-noclone\" loads it\n"
			    SHOW_CONF " /proc/cmdline shows the word to remove");
}

static void module_check_loaded(const struct module_file *m, struct findings *f)
{
	_cleanup_free_ char *version = module_version();

	if (version && strcmp(version, TOOL_VERSION))
		finding_add(f, FINDING_WARNING, SUBJECT,
			    "dm-noclone %s is loaded, and this tool is " TOOL_VERSION "\n" LOAD_ANEW,
			    version);
	else if (module_is_another(m))
		finding_add(f, FINDING_NOTE, SUBJECT,
			    "the loaded dm-noclone is another build than %s\n" LOAD_ANEW, m->path);
	if (module_line_is(PARAMETERS "fastpath", 'N'))
		finding_add(f, FINDING_WARNING, SUBJECT,
			    "its parameter fastpath is N: new devices have no fast path\necho Y >"
			    PARAMETERS "fastpath");
}

void module_check(struct findings *f)
{
	_cleanup_module_file_ struct module_file m;
	unsigned int before = f->nr;

	module_file_open(&m, NULL);
	module_check_loading(&m, f);
	module_check_loaded(&m, f);
	if (f->nr == before && (module_is_loaded() || m.path))
		finding_add(f, FINDING_OK, SUBJECT,
			    "its parameters, modprobe.d and the kernel's command line allow it");
}

/* What "noclone doctor" says of it; else the error of libkmod, which is that of the kernel. */
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
	return -ENOEXEC;
}

int module_load(void)
{
	_cleanup_module_file_ struct module_file m;
	_cleanup_free_ char *objection = NULL;
	struct module_params params;
	int r;

	module_file_open(&m, NULL);
	/* as when the kernel asks for it: a blacklist counts */
	r = kmod_module_probe_insert_module(m.module, KMOD_PROBE_APPLY_BLACKLIST, NULL, NULL,
					    NULL, NULL);
	sysfs_forget();
	module_params(&params);
	if (r || !params.loaded)
		return module_report(r);
	/* it may be one that another version of this project has left */
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

	log_verbose("setting the parameter stock to \"%s\"", value);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		err = errno;
	sysfs_forget();
	if (err)
		log_err("setting the parameter stock of " NOCLONE_MODULE_NAME " failed: %s",
			err != EOPNOTSUPP ? strerror(err) :
			"this kernel's targets are not as the module expects them, all devices stay as they are; the kernel log says more");
	return -err;
}
