/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What the dm-noclone module and its user-space tool agree on: names, option
 * words, messages and the layout of the status line.  No kernel types here:
 * this header is compiled by both sides and by the unit tests.
 */
#ifndef DM_NOCLONE_UAPI_H
#define DM_NOCLONE_UAPI_H

/*
 * The number of this interface is the major version, of the module and of each target: the
 * tool switches nothing by a module that has another one.
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
/* Followed by one of NOCLONE_ENGINES; noclone-file only */
#define NOCLONE_OPT_ENGINE	"engine"

/*
 * Parameter "stock" of the module: "on" lets dm's own targets linear and striped understand
 * the messages below, "off" gives all their devices back to dm core and forgets the requests
 * for them.
 *
 * Messages, "dmsetup message NAME SECTOR WORD...". The targets of this module, and dm's
 * linear and striped with stock=on, understand
 *
 *	fastpath	answer one line, the status line below from "fastpath" on, with the
 *			counters of the device, whichever of its targets is asked
 *	fastpath on	use the fast path, now and after each resume
 *	fastpath off	do not use it, now and after each resume
 *
 * A stock device has the fast path only if it is asked for by "fastpath on".
 */
#define NOCLONE_MSG_FASTPATH	"fastpath"
#define NOCLONE_MSG_ON		"on"
#define NOCLONE_MSG_OFF		"off"

/*
 * Status line, STATUSTYPE_INFO:
 *
 *	<what the stock target prints> fastpath <state> <#words> [<name> <n>]...
 *
 * where <state> is "on" or "off:<reason>" with a reason of the second list,
 * <#words> is twice the number of counters, and the counters are those of the
 * first list in this order.  Both lists only grow at the end.  Counters belong
 * to the mapped device: the first of its targets that are ours prints them, and
 * <#words> of the others is 0.  In the answer of a stock device "clones" is left out,
 * and <#words> is 0 if nothing is kept for the device.
 *
 * X(enumerator, word on the status line, meaning)
 */
#define NOCLONE_COUNTERS(X)						\
	X(FAST,		"fast",		"remapped in place")		\
	X(RESERVE,	"reserve",	"remapped in place by an object of the reserve") \
	X(CLONES,	"clones",	"clones that dm core made and this target mapped") \
	X(FLUSH,	"flush",	"given to dm core: carries a flush") \
	X(OP,		"op",		"given to dm core: neither read nor write") \
	X(SPLIT,	"split",	"given to dm core: crosses a border, or is not ours") \
	X(CHAIN,	"chain",	"given to dm core: the same, and it is in a bio chain") \
	X(POLLED,	"polled",	"given to dm core: completion is polled") \
	X(INTEGRITY,	"integrity",	"given to dm core: carries integrity data") \
	X(CRYPTO,	"crypto",	"given to dm core: has an inline encryption context") \
	X(STATS,	"stats",	"given to dm core: dmsetup stats is in use") \
	X(SUSPENDING,	"suspending",	"given to dm core: the device is being suspended") \
	X(NOMEM,	"nomem",	"given to dm core: slab and reserve are exhausted") \
	X(INFLIGHT,	"inflight",	"in flight in place, also while the device is suspended") \
	X(GATHERED,	"gathered",	"sent to the legs as bios of its own, without dm core") \
	X(GATHERED_BIOS, "gathered_bios", "how many bios those were")

/* X(enumerator, word after "off:", meaning) */
#define NOCLONE_OFF_REASONS(X)						\
	X(PARAMETER,	"parameter",	"switched off by a module parameter") \
	X(OPTION,	"option",	"a target of the table says no_fastpath") \
	X(MESSAGE,	"message",	"switched off by message")	\
	X(MIXED,	"mixed",	"the table has targets of other modules") \
	X(ZONED,	"zoned",	"the device or a leg is zoned")	\
	X(FOREIGN,	"foreign",	"another module has replaced the device's operations") \
	X(NOSTATS,	"nostats",	"dmsetup stats cannot be detected on this kernel") \
	X(SUSPENDED,	"suspended",	"the device is suspended")	\
	X(UNPINNED,	"unpinned",	"a backing file of the table is not pinned") \
	X(BYSTATS,	"stats",	"dmsetup stats is in use")	\
	X(KERNEL,	"kernel",	"the kernel is not one that was reviewed for the module") \
	X(UNASKED,	"unasked",	"a stock device: no message has asked for the fast path") \
	X(DETACHED,	"detached",	"a stock device: asked for, and not resumed since") \
	X(MEMORY,	"memory",	"a stock device: memory was short when it was resumed") \
	X(LAYOUT,	"layout",	"a stock device: a target does not map as expected") \
	X(STUCK,	"stuck",	"a stock device: no I/O completed when it was asked for")

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
 *	engine <engine> <#words> [<fact> <value>]... <#words> [<name> <n>]...
 *
 * followed by a blank and what the other targets print from "fastpath" on.
 * <#words> is twice the number of pairs that follow.  Facts and counters are those
 * of these lists in this order; both lists only grow at the end.
 *
 * X(enumerator, word, meaning)
 */
#define NOCLONE_FILE_FACTS(X)						\
	X(ALIGN,	"align",	"I/O is aligned to this many bytes") \
	X(MEMALIGN,	"memalign",	"memory of I/O is aligned to this many bytes") \
	X(ALIGN_FROM,	"align_from",	"source of align: statx, disk or none") \
	X(SIZE,		"size",		"sectors of the file")		\
	X(ALLOCATED,	"allocated",	"sectors allocated to the file") \
	X(EXTENTS,	"extents",	"extents on the lower disk; 0: not read") \
	X(REFUSED,	"refused",	"requested engine and why it is not used; else -") \
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
	X(WAITED,	"waited",	"I/Os repeated by a callback when a page was read") \
	X(BLOCKED,	"blocked",	"I/Os given to a worker that may block") \
	X(SHORT,	"short",	"calls that did only a part of the I/O") \
	X(ERRORS,	"errors",	"I/Os that failed")

#endif /* DM_NOCLONE_UAPI_H */
