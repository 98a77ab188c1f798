// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read and write the file of the policy. While the file is replaced, and even after a crash, a
 * reader sees either the whole old file or the whole new file.
 */
#include "cli/policy-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "system/replace.h"
#include "cli/output.h"

#define POLICY_MAX	(1U << 20)

static const char head[] =
	"# Device-mapper devices that get the fast path, see noclone-policy(5).\n"
	"# The first rule that matches a device decides.\n";

int policy_file_read(struct policy *p)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *text = read_text_file(POLICY_PATH, POLICY_MAX);
	int err = errno;
	struct stat st;

	if (!text && err == ENOENT && lstat(POLICY_PATH, &st))
		return 0;
	if (!text) {
		log_err(POLICY_PATH ": %s", read_text_problem(POLICY_PATH, err));
		return -err;
	}
	policy_parse(p, text, &findings);
	output_log_findings(&findings, POLICY_PATH, FINDING_ERROR);
	return findings.nr ? -EINVAL : 0;
}

char *policy_file_text(const struct policy *p)
{
	_cleanup_free_ char *rules = policy_print(p);

	return xasprintf("%s%s", access(POLICY_PATH, F_OK) ? head : "", rules);
}

int policy_file_write(const struct policy *p)
{
	/*
	 * if the file is a symbolic link, replace the file that the link leads to, and keep the
	 * link
	 */
	_cleanup_free_ char *real = realpath(POLICY_PATH, NULL), *text = policy_file_text(p);
	_cleanup_free_ char *folder = xstrndup(POLICY_PATH, strrchr(POLICY_PATH, '/') - POLICY_PATH);
	int r = mkdir(folder, 0755) && errno != EEXIST ? -errno : 0;

	if (!r)
		r = replace_file(real ? real : POLICY_PATH, text);
	if (r)
		log_err("writing " POLICY_PATH " failed: %s", strerror(-r));
	return r;
}
