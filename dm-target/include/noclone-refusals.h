/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reasons why a table is refused, as text. The module writes this text to the kernel log; the
 * tool prints it before the tool asks the kernel. The texts are plain strings, no formats: module
 * and tool may append details.
 *
 * The module, the tool and the unit tests compile this file.
 */
#ifndef DM_NOCLONE_REFUSALS_H
#define DM_NOCLONE_REFUSALS_H

#include "dm-noclone.h"

/* All targets */
#define NOCLONE_ERR_START	"Start sector is not a decimal number of sectors"

/* noclone-linear and noclone-striped */
#define NOCLONE_ERR_DEVICE	"Device not found or not usable"
#define NOCLONE_ERR_NR_OPTIONS	"Number of options is neither 0 nor 1"
#define NOCLONE_ERR_FEW_OPTIONS	"Too few option words for the number of options"
#define NOCLONE_ERR_OPTION	"Unknown option: the only one is " NOCLONE_OPT_NO_FASTPATH
#define NOCLONE_ERR_LEFT_OVER	"Words left over after the options"

#define NOCLONE_ERR_LINEAR_ARGS	\
	"Wrong number of arguments: give <device> <start sector>"

#define NOCLONE_ERR_STRIPED_ARGS \
	"Too few arguments: give <stripes> <chunk> [<device> <start>]{stripes}"
#define NOCLONE_ERR_STRIPES	"Number of stripes is not a positive decimal number"
#define NOCLONE_ERR_CHUNK	"Chunk size is not a positive decimal number of sectors"
#define NOCLONE_ERR_FEW_LEGS	\
	"Too few <device> <start sector> pairs for the number of stripes"
#define NOCLONE_ERR_LENGTH	"Target length is not divisible by the number of stripes"
#define NOCLONE_ERR_STRIPE_LENGTH "Stripe length is not divisible by the chunk size"

#define NOCLONE_ERR_ZERO_ARGS	"Words left over: noclone-zero takes no arguments"

/* noclone-file: the words of the table */
#define NOCLONE_ERR_FILE_ARGS	\
	"Wrong number of arguments: give <path> <start sector>"
#define NOCLONE_ERR_FILE_NR_OPTIONS "Number of option words is not between 0 and 3"
#define NOCLONE_ERR_FILE_OPTION_COUNT \
	"Number of option words differs from the number of words that follow"
#define NOCLONE_ERR_FILE_OPTION	"Unknown option: known are engine and no_fastpath"
#define NOCLONE_ERR_NO_ENGINE	"Option engine needs the name of an engine"
#define NOCLONE_ERR_ENGINE	\
	"Unknown engine: known are direct, extent and buffered"
#define NOCLONE_ERR_MIXED_ENGINES \
	"Another target uses this file with another engine: extent cannot be mixed with other engines"

/* noclone-file: the path, and the file or folder that it leads to */
#define NOCLONE_ERR_PATH_ESCAPE	"Path has a % without two hexadecimal digits: write %25 for a %"
#define NOCLONE_ERR_PATH_RELATIVE "Path is not absolute: begin it with a slash"
#define NOCLONE_ERR_PATH_DIRECTORY "Path is a directory: give a regular file"
#define NOCLONE_ERR_PATH_BLOCK	"Path is a block device: use " NOCLONE_LINEAR_NAME
#define NOCLONE_ERR_PATH_KIND	"Path is not a regular file"
#define NOCLONE_ERR_NOT_FOUND	"File not found"

/* noclone-file: the backing file */
#define NOCLONE_ERR_SHORT	\
	"File ends before the end of the target: make the file longer or the target shorter"
#define NOCLONE_ERR_STACKED	\
	"File system is stacked on another file system, as overlayfs is: give the path of the file in the lower file system"
#define NOCLONE_ERR_OWN_FS	"File is on a file system on this very device"
#define NOCLONE_ERR_NO_DIRECT	\
	"File system does not offer direct I/O for this file: use engine buffered"
#define NOCLONE_ERR_ALIGN	\
	"Start sector or length is not a multiple of the block size for direct I/O on the file"
#define NOCLONE_ERR_NO_PIN	\
	"File system does not let files be pinned: engine extent needs ext4 or xfs on one disk"
#define NOCLONE_ERR_SMALL_BLOCKS \
	"File system has blocks smaller than a page: engine extent cannot serve this file system, use engine direct"

#endif /* DM_NOCLONE_REFUSALS_H */
