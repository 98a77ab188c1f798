// SPDX-License-Identifier: GPL-2.0-only
/* The kernel module and its parameters, through sysfs and modprobe(8). */
#include "system/module.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "base/child.h"
#include "base/log.h"
#include "base/read.h"
#include "base/util.h"

#define PARAMETERS	"/sys/module/dm_noclone/parameters/"

void module_params(struct module_params *m)
{
	_cleanup_free_ char *stock = read_line_of(PARAMETERS "stock");
	_cleanup_free_ char *automatic = read_line_of(PARAMETERS "stock_auto");

	memset(m, 0, sizeof(*m));
	/* while it is being loaded the directory is there, but nothing works yet */
	m->loaded = !access(PARAMETERS "fastpath", F_OK);
	m->has_stock = stock && stock_parse(stock, &m->stock);
	m->has_auto = automatic;
	m->stock_auto = m->has_stock && (!automatic || *automatic == 'Y');
}

int module_lock(void)
{
	int fd = open(PARAMETERS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

/* What modprobe's sentence means for the user: a few failures are common. */
static const char *load_hint(const char *said)
{
	if (strstr(said, "not found in directory"))
		return "it is not installed for this kernel: build and install it, then run depmod";
	if (strstr(said, "Key was rejected"))
		return "Secure Boot is on, and the kernel does not know the key that signed it";
	if (strstr(said, "Exec format error") || strstr(said, "Unknown symbol"))
		return "it was built for another kernel: build and install it again";
	if (strstr(said, "Operation not permitted"))
		return "root is needed, and a kernel that is neither locked down nor told module_blacklist=dm_noclone";
	return NULL;
}

static int report_load(const struct child_output *output)
{
	size_t length = strcspn(output->err, "\n");
	const char *hint = load_hint(output->err);
	struct utsname kernel;

	uname(&kernel);
	log_err("cannot load " NOCLONE_MODULE_NAME " for kernel %s: %.*s",
		kernel.release, (int)length, length ? output->err : "modprobe failed");
	if (hint)
		log_err("%s", hint);
	return -ENOEXEC;
}

int module_load(void)
{
	char *argv[] = { "modprobe", NOCLONE_MODULE_NAME, NULL };
	_cleanup_child_output_ struct child_output output;
	int r;

	stop_hold();
	r = child_run(argv, &output);
	stop_release();
	if (r) {
		log_err("cannot run modprobe: %s", strerror(-r));
		return r;
	}
	if (output.status)
		return report_load(&output);
	if (!access(PARAMETERS "fastpath", F_OK))
		return 0;
	log_err("modprobe has not loaded " NOCLONE_MODULE_NAME ": see \"modprobe --showconfig\"");
	return -ENOENT;
}

static const char *set_error(int err)
{
	switch (err) {
	case EOPNOTSUPP:
		return "this kernel's targets are not as the module expects them, all devices stay as they are";
	case ENOENT:
		return "the loaded " NOCLONE_MODULE_NAME " is too old for it";
	case EACCES:
	case EPERM:
		return "not permitted: root is needed";
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
