// SPDX-License-Identifier: GPL-2.0-only
/* The kernel module and its parameters, through sysfs and modprobe(8). */
#include "system/module.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/child.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"

#define PARAMETERS	"/sys/module/dm_noclone/parameters/"
#define VERSION		"/sys/module/dm_noclone/version"

void module_params(struct module_params *m)
{
	_cleanup_free_ char *stock = read_line_of(PARAMETERS "stock");
	_cleanup_free_ char *version = read_line_of(VERSION);

	memset(m, 0, sizeof(*m));
	/* while it is being loaded the directory is there, but nothing works yet */
	m->loaded = !access(PARAMETERS "fastpath", F_OK);
	m->interface = version ? strtoul(version, NULL, 10) : 0;
	m->stock = stock && !strcmp(stock, "on");
}

#define LOAD_BY_HAND	"modprobe " NOCLONE_MODULE_NAME
#define BLACKLISTED	"blacklist dm_noclone"
#define DKMS_TREE	"/var/lib/dkms/" NOCLONE_MODULE_NAME "/"

/* How the module comes to be there for this kernel; of several sources the newest. */
static char *build_command(const char *kernel)
{
	const char *version;
	char *command;
	glob_t source;

	if (glob(DKMS_TREE "*/source", 0, NULL, &source))
		return xstrdup("run \"make && make install && depmod\" in its source");
	version = source.gl_pathv[source.gl_pathc - 1] + strlen(DKMS_TREE);
	command = xasprintf("\"dkms install " NOCLONE_MODULE_NAME "/%.*s -k %s\" builds it",
			    (int)strcspn(version, "/"), version, kernel);
	globfree(&source);
	return command;
}

static bool is_blacklisted_at_boot(void)
{
	_cleanup_free_ char *line = read_line_of("/proc/cmdline");
	const char *list = line ? strstr(line, "module_blacklist=") : NULL;

	return list && strstr(list, "dm_noclone");
}

static char *not_permitted(const char *kernel)
{
	if (geteuid())
		return xstrdup("loading " NOCLONE_MODULE_NAME " failed: only root may do that");
	if (is_blacklisted_at_boot())
		return xstrdup("the kernel was booted with module_blacklist=dm_noclone: boot it without that");
	return xasprintf("kernel %s is locked down and does not load " NOCLONE_MODULE_NAME ": sign it with a key that the kernel knows, see mokutil(1)",
			 kernel);
}

/* What modprobe's sentence means for the user, and what to do: a new string, or NULL. */
static char *load_problem(const char *said, const char *kernel)
{
	_cleanup_free_ char *build = build_command(kernel);

	if (strstr(said, "not found in"))
		return xasprintf("the module " NOCLONE_MODULE_NAME " is not built for the running kernel %s: %s",
				 kernel, build);
	if (strstr(said, "Key was rejected") || strstr(said, "Required key not available"))
		return xasprintf("kernel %s refuses " NOCLONE_MODULE_NAME ": it is not signed with a key that the kernel knows; enroll that key with mokutil --import, or turn Secure Boot off",
				 kernel);
	if (strstr(said, "Exec format error") || strstr(said, "Unknown symbol"))
		return xasprintf("kernel %s refuses " NOCLONE_MODULE_NAME ": it was built for another kernel; %s",
				 kernel, build);
	if (strstr(said, "Operation not permitted"))
		return not_permitted(kernel);
	return NULL;
}

static int report_load(const struct child_output *output)
{
	size_t length = strcspn(output->err, "\n");
	_cleanup_free_ char *problem = NULL;
	struct utsname kernel;

	uname(&kernel);
	problem = load_problem(output->err, kernel.release);
	if (problem)
		log_err("%s", problem);
	log_err(LOAD_BY_HAND " failed: %.*s", (int)length,
		length ? output->err : "it does not say why");
	return -ENOEXEC;
}

/* modprobe is content, but nothing is loaded: its configuration says so. */
static int report_not_loaded(void)
{
	char *argv[] = { "modprobe", "--showconfig", NULL };
	_cleanup_child_output_ struct child_output output = { 0 };

	stop_hold();
	child_run(argv, &output);
	stop_release();
	if (output.out && (str_starts(output.out, BLACKLISTED) ||
			   strstr(output.out, "\n" BLACKLISTED)))
		log_err(NOCLONE_MODULE_NAME " is not loaded because it is blacklisted: remove \"blacklist\" from /etc/modprobe.d, or load it with \"" LOAD_BY_HAND "\"");
	else
		log_err(LOAD_BY_HAND " has not loaded it: look for an \"install\" line in \"modprobe --showconfig\"");
	return -ENOENT;
}

static int run_modprobe(struct child_output *output)
{
	/* as when the kernel asks for it: a blacklist counts */
	char *argv[] = { "modprobe", "--use-blacklist", NOCLONE_MODULE_NAME, NULL };
	int r;

	stop_hold();
	r = child_run(argv, output);
	stop_release();
	if (r == -EINTR)
		log_err("loading " NOCLONE_MODULE_NAME ": stopped");
	else if (r)
		log_err("loading " NOCLONE_MODULE_NAME " failed: cannot run modprobe: %s",
			strerror(-r));
	return r;
}

/* It may be one that another version of this project has left. */
static int report_interface(const struct module_params *m)
{
	_cleanup_free_ char *objection = module_objection(m);

	if (!objection)
		return 0;
	log_err("%s", objection);
	return -EOPNOTSUPP;
}

int module_load(void)
{
	_cleanup_child_output_ struct child_output output;
	struct module_params m;
	int r = run_modprobe(&output);

	if (r)
		return r;
	if (output.status)
		return report_load(&output);
	module_params(&m);
	return m.loaded ? report_interface(&m) : report_not_loaded();
}

int module_load_for(const struct table *t)
{
	if (!table_has_noclone(t) || !access(PARAMETERS "fastpath", F_OK))
		return 0;
	return module_load();
}

static const char *set_error(int err)
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
			parameter, set_error(err));
	return -err;
}
