// SPDX-License-Identifier: GPL-2.0-only
/* Asking the user. */
#include "cli/confirm.h"

#include <stdio.h>
#include <unistd.h>

#include "base/log.h"

bool confirm(const struct options *o, const char *fmt, ...)
{
	_cleanup_free_ char *question = NULL;
	char answer[16];
	va_list ap;

	va_start(ap, fmt);
	question = xvasprintf(fmt, ap);
	va_end(ap);
	if (opt(o, OPT_YES))
		return true;
	if (!isatty(STDIN_FILENO)) {
		log_err("%s: --yes confirms that", question);
		return false;
	}
	fprintf(stderr, "%s. Continue? [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}
