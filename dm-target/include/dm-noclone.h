/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The interface between the module dm-noclone and its user-space tool: names, option words,
 * messages and the layout of the status line. This header uses no kernel types, because the tool
 * and the unit tests compile it as well.
 */
#ifndef DM_NOCLONE_UAPI_H
#define DM_NOCLONE_UAPI_H

/*
 * The number of this interface is the major version of the module and of each target. The tool
 * does not switch the fast path of a device if the loaded module has another number.
 */
#define NOCLONE_VERSION_MAJOR	1
#define NOCLONE_VERSION_MINOR	0
#define NOCLONE_VERSION_PATCH	0

/* One module, several targets; each name is also a module alias "dm-NAME". */
#define NOCLONE_MODULE_NAME	"dm-noclone"
/* Each line of the kernel log begins with "device-mapper: noclone: ". */
#define DM_MSG_PREFIX		"noclone"
#define NOCLONE_LINEAR_NAME	"noclone-linear"
#define NOCLONE_STRIPED_NAME	"noclone-striped"
#define NOCLONE_ZERO_NAME	"noclone-zero"
#define NOCLONE_FILE_NAME	"noclone-file"

/* Prefix of the DM UUID of devices that the tool creates */
#define NOCLONE_UUID_PREFIX	"NOCLONE-"

/* Optional table words, in dm's usual "<#opt> word..." group at the end. */
#define NOCLONE_OPT_NO_FASTPATH	"no_fastpath"
/* The next word is an engine of NOCLONE_ENGINES; only noclone-file accepts this option */
#define NOCLONE_OPT_ENGINE	"engine"

/*
 * Parameter "tested" of the module: the build words of builds that have passed the test of a kernel
 * of grade alike, with commas between them. A build word has NOCLONE_BUILD_DIGITS digits; ":polled"
 * follows if polled I/O was part of the test. Reading the parameter gives the build word of
 * the loaded module, if this word is in the list.
 */
#define NOCLONE_BUILD_DIGITS	32
#define NOCLONE_TESTED_POLLED	":polled"

/*
 * Parameter "stock" of the module: "on" lets dm's own targets linear and striped understand the
 * messages below. "off" gives the devices with these targets back to dm core, and forgets
 * which of these devices got a message "fastpath".
 *
 * Messages, "dmsetup message NAME SECTOR WORD...". The targets of this module, and dm's
 * linear and striped with stock=on, understand
 *
 *	fastpath	answer one line: the part of the status line below that begins with
 *			"fastpath", with the counters of the device, whichever of its targets is
 *			asked
 *	fastpath on	use the fast path, now and after each resume
 *	fastpath off	do not use the fast path, now and after each resume
 *
 * A stock device has the fast path only after a message "fastpath on".
 */
#define NOCLONE_MSG_FASTPATH	"fastpath"
#define NOCLONE_MSG_ON		"on"
#define NOCLONE_MSG_OFF		"off"

/*
 * Status line, STATUSTYPE_INFO:
 *
 *	<what the stock target prints> fastpath <state> <#words> [<name> <n>]...
 *
 * where <state> is "on" or "off:<reason>" with a reason of NOCLONE_OFF_REASONS, <#words> is twice
 * the number of counters, and the counters are those of NOCLONE_COUNTERS in this order. Both lists
 * only grow at the end. Counters belong to the mapped device: only the first target of this module
 * in the device prints counters, and <#words> of the others is 0. In the answer to the message
 * "fastpath", a stock device leaves "clones" out, and prints <#words> as 0 if the module has no
 * counters for the device.
 *
 * X(enumerator, word on the status line, meaning)
 */
#define NOCLONE_COUNTERS(X)						\
	X(FAST,		"fast",		"remapped in place")		\
	X(RESERVE,	"reserve",	"remapped in place, with memory from the reserve") \
	X(CLONES,	"clones",	"clones that dm core made, and that this target mapped") \
	X(FLUSH,	"flush",	"given to dm core: carries a flush") \
	X(OP,		"op",		"given to dm core: neither read nor write") \
	X(SPLIT,	"split",						\
	  "given to dm core: crosses a chunk or target border, or is in another module's target") \
	X(CHAIN,	"chain",						\
	  "given to dm core: in a bio chain, and crosses a chunk or target border") \
	X(POLLED,	"polled",	"given to dm core: completion is polled") \
	X(INTEGRITY,	"integrity",	"given to dm core: carries integrity data") \
	X(CRYPTO,	"crypto",	"given to dm core: has an inline encryption context") \
	X(STATS,	"stats",	"given to dm core: dmsetup stats is in use") \
	X(SUSPENDING,	"suspending",	"given to dm core: the device is being suspended") \
	X(NOMEM,	"nomem",	"given to dm core: slab and reserve are exhausted") \
	X(INFLIGHT,	"inflight",	"remapped in place, and not completed yet") \
	X(GATHERED,	"gathered",	"sent to the legs as several bios, without dm core") \
	X(GATHERED_BIOS, "gathered_bios", "bios that were sent to the legs for gathered I/O")

/*
 * The reasons for "off". No other list classifies the reasons: from this list the module and the
 * tool derive how they treat a reason. userspace/model/reason.c has a meaning and a remedy for each
 * reason.
 *
 * X(enumerator, word after "off:", class, enable, doctor)
 *
 * class: the thing that has to change before the device can have the fast path
 *	USER	a user has to ask for it, by the message "fastpath on"
 *	PASSING	the device has to be resumed; the module may do that by itself
 *	TABLE	the device needs another table
 *	KERNEL	the machine needs another kernel
 *	OTHER	another program or module has to give way
 *
 * enable: what "noclone enable" does if a device is in this state after "noclone enable" has sent
 * "fastpath on"
 *	WAITS	it waits, because a device can be in this state for a moment while the module
 *		attaches the fast path
 *	LASTS	it does not wait, and fails
 *	NEVER	it does not wait, and fails if the user has named this device
 *
 * doctor: what "noclone doctor" says about a device in this state
 *	CHOSEN	nothing, because the user or the table has chosen it
 *	WARNS	a warning
 *	GRAVE	an error
 */
#define NOCLONE_OFF_REASONS(X)						\
	X(PARAMETER,	"parameter",	USER,		WAITS,	WARNS)	\
	X(OPTION,	"option",	USER,		LASTS,	CHOSEN)	\
	X(MESSAGE,	"message",	USER,		WAITS,	CHOSEN)	\
	X(MIXED,	"mixed",	TABLE,		WAITS,	CHOSEN)	\
	X(ZONED,	"zoned",	TABLE,		NEVER,	CHOSEN)	\
	X(FOREIGN,	"foreign",	OTHER,		NEVER,	GRAVE)	\
	X(NOSTATS,	"nostats",	KERNEL,		NEVER,	WARNS)	\
	X(SUSPENDED,	"suspended",	PASSING,	WAITS,	WARNS)	\
	X(UNPINNED,	"unpinned",	OTHER,		LASTS,	WARNS)	\
	X(BYSTATS,	"stats",	OTHER,		LASTS,	WARNS)	\
	X(KERNEL,	"kernel",	KERNEL,		NEVER,	WARNS)	\
	X(UNASKED,	"unasked",	USER,		WAITS,	WARNS)	\
	X(DETACHED,	"detached",	PASSING,	WAITS,	WARNS)	\
	X(MEMORY,	"memory",	PASSING,	WAITS,	WARNS)	\
	X(LAYOUT,	"layout",	TABLE,		NEVER,	GRAVE)	\
	X(STUCK,	"stuck",	PASSING,	LASTS,	WARNS)

enum noclone_reason_class {
	NOCLONE_REASON_USER,
	NOCLONE_REASON_PASSING,
	NOCLONE_REASON_TABLE,
	NOCLONE_REASON_KERNEL,
	NOCLONE_REASON_OTHER,
};

/*
 * noclone-file, arguments in a table:
 *
 *	<path> <start sector> [<#words> [engine <engine>] [no_fastpath]]
 *
 * <path> is encoded as in noclone-path.h. The first of these engines is the
 * default.
 *
 * X(enumerator, word, meaning)
 */
#define NOCLONE_ENGINES(X)						\
	X(DIRECT,	"direct",	"asynchronous direct I/O on the file") \
	X(EXTENT,	"extent",	"the file is pinned, I/O goes to its sectors on the disk") \
	X(BUFFERED,	"buffered",	"through the page cache")	\
	X(SYNC,		"sync",		"a blocking call for each I/O; debug builds only") \
	X(NOIO,		"null",		"no I/O at all; debug builds only")

/*
 * Status line of noclone-file, STATUSTYPE_INFO:
 *
 *	engine <engine> <#words> [<attribute> <value>]... <#words> [<name> <n>]...
 *
 * followed by a blank and the part that begins with "fastpath", as for the other targets. <#words>
 * is twice the number of pairs that follow. Attributes and counters are those of the two lists
 * below, in their order; both lists only grow at the end.
 *
 * X(enumerator, word, meaning)
 */
#define NOCLONE_FILE_ATTRIBUTES(X)					\
	X(ALIGN,	"align",	"I/O is aligned to this many bytes") \
	X(MEMALIGN,	"memalign",	"memory buffers of I/O are aligned to this many bytes") \
	X(ALIGN_FROM,	"align_from",	"origin of align: statx, disk or none") \
	X(SIZE,		"size",		"sectors of the file")		\
	X(ALLOCATED,	"allocated",	"sectors allocated to the file") \
	X(EXTENTS,	"extents",	"extents of the file on the disk; 0 if not read") \
	X(REFUSED,	"refused",	"requested engine, and why it is not used; or -") \
	X(DEVICE,	"device",	"device number of the file, as stat(2) gives it") \
	X(INODE,	"inode",	"inode number of the file")	\
	X(LINKS,	"links",	"hard links of the file; 0: it is deleted")

#define NOCLONE_FILE_COUNTERS(X)					\
	X(INFLIGHT,	"inflight",	"I/Os that have begun and not ended") \
	X(READS,	"reads",	"reads begun")			\
	X(WRITES,	"writes",	"writes begun")			\
	X(FLUSHES,	"flushes",	"flushes begun")		\
	X(DISCARDS,	"discards",	"discards begun")		\
	X(ZEROES,	"zeroes",	"write zeroes begun")		\
	X(BATCHES,	"batches",	"times that the worker was woken") \
	X(WAITED,	"waited",	"I/Os that waited until a page was read") \
	X(BLOCKED,	"blocked",	"I/Os given to a worker that may block") \
	X(SHORT,	"short",	"calls that did only a part of the I/O") \
	X(ERRORS,	"errors",	"I/Os that failed")

#endif /* DM_NOCLONE_UAPI_H */
