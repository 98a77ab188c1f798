/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_MESSAGE_H
#define DM_NOCLONE_MESSAGE_H

#include <linux/types.h>

struct dm_target;

enum noclone_message {
	NOCLONE_MESSAGE_NONE,
	NOCLONE_MESSAGE_STATUS,
	NOCLONE_MESSAGE_ON,
	NOCLONE_MESSAGE_OFF,
};

bool noclone_message_is_ours(unsigned int argc, char **argv);
enum noclone_message noclone_message_parse(struct dm_target *ti, unsigned int argc,
					   char **argv);

#endif /* DM_NOCLONE_MESSAGE_H */
