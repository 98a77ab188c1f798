// SPDX-License-Identifier: GPL-2.0-only
/* noclone: create, change, check and explain no-clone device-mapper devices. */
#include <locale.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "cli/output.h"
#include "cmd/cmd.h"
#include "commands.h"
#include "complete.h"

int main(int argc, char **argv)
{
	int r = open_standard_files(), lost;

	if (r) {
		log_err("cannot open /dev/null in place of a closed standard input, output or error: %s",
			strerror(-r));
		return EXIT_FAILED;
	}
	/*
	 * a process inherits an ignored SIGCHLD from its parent, and then loses the exit status of
	 * its children
	 */
	signal(SIGCHLD, SIG_DFL);
	/* columns are aligned by the width of characters, which depends on the locale */
	setlocale(LC_CTYPE, "");
	/*
	 * "noclone __complete" is not in the list of commands, because the words after it are
	 * another command line of noclone, whose options must not be parsed here.
	 */
	if (argc > 1 && !strcmp(argv[1], "__complete"))
		r = complete_main(argc, argv);
	else
		r = command_main(argc, argv);
	output_finish();

	/* writing to standard output may have failed, for example because of a full disk */
	lost = log_print_flush();
	if (lost)
		log_err("cannot write standard output: %s", strerror(-lost));
	return lost ? EXIT_FAILED : r;
}
