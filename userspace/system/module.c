// SPDX-License-Identifier: GPL-2.0-only
/* The kernel module and its parameters, through sysfs and libkmod. */
#include "system/module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/child.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/switch-plan.h"

#define PARAMETERS	"/sys/module/dm_noclone/parameters/"
#define VERSION		"/sys/module/dm_noclone/version"
/* as libkmod and the kernel have it */
#define MODULE		"dm_noclone"
#define DKMS_TREE	"/var/lib/dkms/" NOCLONE_MODULE_NAME "/"
#define BUILD_ID	"/sys/module/dm_noclone/notes/.note.gnu.build-id"
#define BUILD_ID_MAX	4096

char *module_version(void)
{
	return read_line_of(VERSION);
}

void module_params(struct module_params *m)
{
	_cleanup_free_ char *stock = read_line_of(PARAMETERS "stock");
	_cleanup_free_ char *version = module_version();

	memset(m, 0, sizeof(*m));
	/* while it is being loaded the directory is there, but nothing works yet */
	m->loaded = !access(PARAMETERS "fastpath", F_OK);
	m->interface = version ? strtoul(version, NULL, 10) : 0;
	m->stock = stock && !strcmp(stock, "on");
}

static int module_is_source(const struct dirent *entry)
{
	_cleanup_free_ char *source = xasprintf(DKMS_TREE "%s/source", entry->d_name);

	return *entry->d_name != '.' && !access(source, F_OK);
}

/* Of several versions that dkms has the newest. */
char *module_build_command(const char *release)
{
	struct dirent **list = NULL;
	int nr = scandir(DKMS_TREE, &list, module_is_source, versionsort);
	char *command;

	if (nr > 0)
		command = xasprintf("dkms install --force " NOCLONE_MODULE_NAME "/%s -k %s",
				    list[nr - 1]->d_name, release);
	else
		command = xasprintf("make -C SOURCE KVER=%s install", release);
	while (nr > 0)
		free(list[--nr]);
	free(list);
	return command;
}

/* dkms reads its configuration the same way. */
char *module_certificate(const char *release)
{
	static const char script[] =
		"kernelver=$0 mok_certificate=\n"
		"for conf in /etc/dkms/framework.conf /etc/dkms/framework.conf.d/*.conf; do\n"
		"	[[ ! -r $conf ]] || . \"$conf\" >/dev/null\n"
		"done\n"
		"echo \"${mok_certificate:-/var/lib/dkms/mok.pub}\"\n";
	char *argv[] = {
		(char *)"bash", (char *)"-c", (char *)script, (char *)release, NULL
	};
	char *path = child_read(argv);

	if (!path)
		return xstrdup("/var/lib/dkms/mok.pub");
	path[strcspn(path, "\n")] = 0;
	return path;
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

/* The file has the build id in the same note, to the byte. */
bool module_is_another_build(const char *path)
{
	char *argv[] = { (char *)module_unpacker(path ? path : ""), (char *)path, NULL };
	_cleanup_close_ int fd = open(BUILD_ID, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *note = NULL, *module = NULL;
	size_t note_length = 0, length = 0;

	if (!path || fd < 0)
		return false;
	note = read_bytes(fd, BUILD_ID_MAX, &note_length);
	module = child_read_bytes(argv, &length);
	return note && module && !memmem(module, length, note, note_length);
}

char *module_boot_word(const char *prefix)
{
	_cleanup_free_ char *line = read_line_of("/proc/cmdline");
	_cleanup_words_ struct words w;
	char *found = NULL;
	unsigned int i;

	words_split(&w, line ? line : "");
	for (i = 0; i < w.nr; i++)
		if (str_starts(w.word[i], prefix)) {
			free(found);
			found = xstrdup(w.word[i]);
		}
	return found;
}

bool module_is_denied(void)
{
	_cleanup_free_ char *word = module_boot_word("module_blacklist=");

	return word && (strstr(word, MODULE) || strstr(word, NOCLONE_MODULE_NAME));
}

static void module_debug(void *data __unused, int priority __unused, const char *file __unused,
			 int line __unused, const char *function, const char *format,
			 va_list args)
{
	_cleanup_free_ char *text = xvasprintf(format, args);

	log_debug("%s(): %s", function, text);
}

/* What libkmod knows of our module for a kernel, with NULL for the running one. */
struct module_lookup {
	struct kmod_ctx *ctx;
	struct kmod_module *module;
};

static int module_lookup(const char *release, struct module_lookup *lookup)
{
	_cleanup_free_ char *folder = release ? xasprintf("/lib/modules/%s", release) : NULL;

	lookup->module = NULL;
	lookup->ctx = kmod_new(folder, NULL);
	if (!lookup->ctx)
		return -ENOMEM;
	kmod_set_log_fn(lookup->ctx, module_debug, NULL);
	return kmod_module_new_from_name(lookup->ctx, MODULE, &lookup->module);
}

static void module_lookup_free(struct module_lookup *lookup)
{
	kmod_module_unref(lookup->module);
	kmod_unref(lookup->ctx);
}

static bool module_is_builtin(struct kmod_module *module)
{
	return kmod_module_get_initstate(module) == KMOD_MODULE_BUILTIN;
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

static char *module_copy(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static void module_take_info(struct module_file *file, struct kmod_module *module)
{
	const struct {
		const char *key;
		char **value;
	} wanted[] = {
		{ "version", &file->version }, { "vermagic", &file->vermagic },
		{ "signer", &file->signer }, { "sig_key", &file->sig_key },
		{ "kernel", &file->kernel },
	};
	struct kmod_list *info = NULL, *entry;
	size_t i;

	if (kmod_module_get_info(module, &info) < 0)
		return;
	kmod_list_foreach(entry, info)
		for (i = 0; i < ARRAY_SIZE(wanted); i++)
			if (!*wanted[i].value &&
			    !strcmp(kmod_module_info_get_key(entry), wanted[i].key))
				*wanted[i].value = xstrdup(kmod_module_info_get_value(entry));
	kmod_module_info_free_list(info);
}

void module_file_look(const char *release, struct module_file *file)
{
	struct module_lookup lookup;

	memset(file, 0, sizeof(*file));
	if (!module_lookup(release, &lookup)) {
		file->path = module_copy(kmod_module_get_path(lookup.module));
		if (!file->path && module_is_builtin(lookup.module))
			file->path = xstrdup(MODULE_BUILTIN);
		if (file->path)
			module_take_info(file, lookup.module);
		file->install = module_copy(kmod_module_get_install_commands(lookup.module));
		file->blacklisted = module_is_blacklisted(lookup.ctx);
	}
	module_lookup_free(&lookup);
}

static char *module_not_permitted(const char *kernel)
{
	if (geteuid())
		return xstrdup("loading " NOCLONE_MODULE_NAME " failed: only root may do that");
	if (module_is_denied())
		return xstrdup("the kernel was booted with module_blacklist=" MODULE ": boot it without that");
	return xasprintf("kernel %s is locked down and does not load " NOCLONE_MODULE_NAME ": sign it with a key that the kernel knows, see mokutil(1)",
			 kernel);
}

/* The error of an insertion means this for the user: a new string. */
static char *module_load_problem(int err, const char *kernel, const char *options)
{
	_cleanup_free_ char *build = module_build_command(kernel);
	_cleanup_free_ char *certificate = module_certificate(kernel);

	switch (err) {
	case ENOKEY:
	case EKEYREJECTED:
		return xasprintf("kernel %s refuses " NOCLONE_MODULE_NAME ": it is not signed with a key that the kernel knows; run \"mokutil --import %s\" and reboot, or turn Secure Boot off",
				 kernel, certificate);
	case ENOEXEC:
	case ENOENT:
		return xasprintf("kernel %s refuses " NOCLONE_MODULE_NAME ": it was built for another kernel; run \"%s\"",
				 kernel, build);
	case EPERM:
		return module_not_permitted(kernel);
	case EINVAL:
		if (options && *options)
			return xasprintf("kernel %s refuses " NOCLONE_MODULE_NAME " with the options \"%s\" of /etc/modprobe.d or the kernel's command line: the kernel log names the wrong one",
					 kernel, options);
		/* fall through */
	default:
		return xasprintf("loading " NOCLONE_MODULE_NAME " failed: %s; the kernel log may say more",
				 strerror(err));
	}
}

static int module_report(int err, const char *options)
{
	_cleanup_free_ char *problem = NULL;
	struct utsname kernel;

	uname(&kernel);
	problem = module_load_problem(err, kernel.release, options);
	log_err("%s", problem);
	return -ENOEXEC;
}

static int module_report_missing(void)
{
	_cleanup_free_ char *build = NULL;
	struct utsname kernel;

	uname(&kernel);
	build = module_build_command(kernel.release);
	log_err("the module " NOCLONE_MODULE_NAME " is not built for the running kernel %s: run \"%s\"",
		kernel.release, build);
	return -ENOEXEC;
}

static int module_report_install(void)
{
	log_err(NOCLONE_MODULE_NAME " is not loaded, because a command runs in its place: look for an \"install\" line in \"modprobe --showconfig\"");
	return -ENOENT;
}

/* It may be one that another version of this project has left. */
static int module_report_loaded(void)
{
	_cleanup_free_ char *objection = NULL;
	struct module_params m;

	module_params(&m);
	if (!m.loaded)
		return module_report_install();
	objection = module_objection(&m);
	if (!objection)
		return 0;
	log_err("%s", objection);
	return -EOPNOTSUPP;
}

static int module_insert(struct kmod_module *module)
{
	int r;

	if (!kmod_module_get_path(module) && !module_is_builtin(module) &&
	    !kmod_module_get_install_commands(module))
		return module_report_missing();
	/* as when the kernel asks for it: a blacklist counts */
	r = kmod_module_probe_insert_module(module, KMOD_PROBE_APPLY_BLACKLIST, NULL, NULL,
					    NULL, NULL);
	if (r < 0 && kmod_module_get_install_commands(module))
		return module_report_install();
	if (r < 0)
		return module_report(-r, kmod_module_get_options(module));
	if (!r)
		return module_report_loaded();
	log_err(NOCLONE_MODULE_NAME " is not loaded because it is blacklisted: remove \"blacklist\" from /etc/modprobe.d, or load it with \"modprobe " NOCLONE_MODULE_NAME "\"");
	return -ENOENT;
}

int module_load(void)
{
	struct module_lookup lookup;
	int r = module_lookup(NULL, &lookup);

	r = r ? module_report(-r, NULL) : module_insert(lookup.module);
	module_lookup_free(&lookup);
	return r;
}

int module_load_for(const struct table *t)
{
	if (!table_has_noclone(t) || !access(PARAMETERS "fastpath", F_OK))
		return 0;
	return module_load();
}

static const char *module_set_error(int err)
{
	switch (err) {
	case EOPNOTSUPP:
		return "this kernel's targets are not as the module expects them, all devices stay as they are; the kernel log says more";
	case ENOENT:
		return "it has no such parameter";
	case EACCES:
	case EPERM:
		return "only root may do that";
	default:
		return strerror(err);
	}
}

int module_set(const char *parameter, const char *value)
{
	_cleanup_free_ char *path = xasprintf(PARAMETERS "%s", parameter);
	_cleanup_free_ char *line = xasprintf("%s\n", value);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	log_debug("setting the parameter %s to \"%s\"", parameter, value);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		err = errno;
	if (err)
		log_err("setting the parameter %s of " NOCLONE_MODULE_NAME " failed: %s",
			parameter, module_set_error(err));
	return -err;
}
