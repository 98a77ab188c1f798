// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of the policy.  It is replaced by renaming a complete new one over it, so
 * a reader, also after a crash, sees the old policy or the new one.
 */
#include "system/policy-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "system/replace-file.h"

#define POLICY_DIR	"/etc/noclone"
#define POLICY_MAX	(1U << 20)
/* files of saved devices end with .lock or .forced */
#define LOCK		RUN_DIR "/policy"

static const char head[] =
	"# Device-mapper devices that get the fast path, see noclone-policy(5).\n"
	"# The first rule that matches a device decides.\n";

static int policy_file_read(struct policy *p)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *text = read_text_file(POLICY_PATH, POLICY_MAX);
	int err = errno;
	unsigned int i;

	if (!text && err == ENOENT)
		return 0;
	if (!text) {
		log_err(POLICY_PATH ": %s", read_text_problem(err));
		return -err;
	}
	policy_parse(p, text, &findings);
	for (i = 0; i < findings.nr; i++) {
		_cleanup_free_ char *words = finding_words(&findings.finding[i], POLICY_PATH);

		log_err("%s", words);
	}
	return findings.nr ? -EINVAL : 0;
}

/* Not in the policy's own folder, which may not be there, and which any user can lock. */
static int policy_file_lock(struct policy_file *file)
{
	file->lock = run_lock(LOCK, POLICY_PATH);
	return file->lock < 0 ? file->lock : 0;
}

int policy_file_open(struct policy_file *file, struct policy *p, bool edit)
{
	int r;

	file->lock = -1;
	r = edit ? policy_file_lock(file) : 0;
	return r ? r : policy_file_read(p);
}

int policy_file_write(const struct policy *p)
{
	/* the file may be behind a link, which was made on purpose */
	_cleanup_free_ char *real = realpath(POLICY_PATH, NULL);
	_cleanup_free_ char *rules = policy_print(p);
	_cleanup_free_ char *text = xasprintf("%s%s", real ? "" : head, rules);
	int r = mkdir(POLICY_DIR, 0755) && errno != EEXIST ? -errno : 0;

	if (!r)
		r = replace_file(real ? real : POLICY_PATH, text);
	if (r)
		log_err("writing " POLICY_PATH " failed: %s", strerror(-r));
	return r;
}

void policy_file_close(struct policy_file *file)
{
	cleanup_close(&file->lock);
	file->lock = -1;
}
