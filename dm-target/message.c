// SPDX-License-Identifier: GPL-2.0-only
/* Parse the messages of include/dm-noclone.h, for our targets and for stock ones. */
#include "message.h"
#include "include/dm-noclone.h"

#include <linux/device-mapper.h>
#include <linux/string.h>

/* Is the message ours? The first word decides; the second word may still be wrong. */
bool noclone_message_is_ours(unsigned int argc, char **argv)
{
	return (argc == 1 || argc == 2) && !strcasecmp(argv[0], NOCLONE_MSG_FASTPATH);
}

/* Return: the message, or NOCLONE_MESSAGE_NONE after a sentence in the log if it is wrong. */
enum noclone_message noclone_message_parse(struct dm_target *ti, unsigned int argc,
					   char **argv)
{
	if (noclone_message_is_ours(argc, argv)) {
		if (argc == 1)
			return NOCLONE_MESSAGE_STATUS;
		if (!strcasecmp(argv[1], NOCLONE_MSG_ON))
			return NOCLONE_MESSAGE_ON;
		if (!strcasecmp(argv[1], NOCLONE_MSG_OFF))
			return NOCLONE_MESSAGE_OFF;
	}
	DMWARN("%s: unknown message \"%s%s%s\": use \"fastpath\", \"fastpath on\" or \"fastpath off\"",
	       dm_table_device_name(ti->table), argv[0],
	       argc > 1 ? " " : "", argc > 1 ? argv[1] : "");
	return NOCLONE_MESSAGE_NONE;
}
