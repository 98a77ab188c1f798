# SPDX-License-Identifier: GPL-2.0-only
"""Tables of MODE=loads; see publish."""

TITLES = {
    "loads_fio": "fio on a file system, 4 KiB",
    "loads_fsync": "fsync after each write",
    "loads_databases": "Databases, on a logical volume",
    "loads_files": "Many small files, and a compiler",
    "loads_stripes": "Large I/O over chunks",
    "loads_stacks": "Swap, files, a thin volume",
}
SUMMARY = """Of the I/Os that a load sent to a device, the share that took the fast path, rounded
down, and in percent the others by reason, the words of ``dmsetup status``.  What it
means for users is in `Which share of my I/Os takes the fast path?
<../admin-guide/noclone-share.rst>`__.

The disks have a volatile cache, which flushes are for, but for the rows that say
"no-cache".  They are null_blk in a VM and take 20 microseconds for each I/O: what a file
system makes of a load depends a little on that.  What a load has written is synced before
the counters are read, which is a flush or two.  An I/O that dm core cuts into nine pieces
is one ``split`` and eight ``chain``, so that the shares of large I/O are lower than one
would count them.
""".splitlines() + [""]
FAST = ("fast", "reserve", "gathered")
WHY = {
    "flush": "The cache of each leg has to be written out: dm core sends a bio to each.  A flush "
             "with data is counted here, and once more as fast when dm core has sent the flush "
             "and gives the data back.",
    "op": "Discards, mostly: fstrim, or deleting with the mount option discard.",
    "split": "Crosses the end of a segment: dm core cuts it.",
    "chain": "The same of a bio that is in a chain.",
    "polled": "Polled I/O goes to dm core unless the parameter polled is set.",
    "integrity": "Integrity data of the submitter has to be cloned.",
    "crypto": "Inline encryption.",
    "stats": "dmsetup stats is in use on some device.",
    "suspending": "The device was being suspended.",
    "nomem": "Memory was short.",
}
# Fewer flushes than these say nothing about a load.
SOME = 10
FLUSHES = """Bios with ``REQ_PREFLUSH`` that reached the device, and the share of them that carry no
data, counted by the tracepoint ``block_bio_queue``; of loads with ten and more.
""".splitlines() + [""]
COST = """Instructions per write, and above the raw device, on a disk with a cache that completes at
once: alone, with a flush without data after it, and to change the time of a file on xfs and
``fsync()``, which is a write of the log that is a flush as well.
""".splitlines() + [""]
# What users ask first: words, and the row of the tables above.
HEADLINES = (
    ("random reads, ext4", "loads_fio", "ext4 randread direct", "noclone-linear"),
    ("random reads and writes, ext4, page cache", "loads_fio", "ext4 randrw buffered",
     "noclone-linear"),
    ("random reads and writes, xfs, page cache", "loads_fio", "xfs randrw buffered",
     "noclone-linear"),
    ("fsync after each write, ext4", "loads_fsync", "ext4, fsync after each write",
     "noclone-linear"),
    ("the same on a disk without a volatile cache", "loads_fsync",
     "ext4, fsync after each write", "noclone-linear-no-cache"),
    ("fsync after each write, xfs", "loads_fsync", "xfs, fsync after each write",
     "noclone-linear"),
    ("sqlite, rollback journal", "loads_databases", "ext4, sqlite, journal_mode=delete",
     "attached-lv"),
    ("sqlite, WAL", "loads_databases", "ext4, sqlite, journal_mode=wal", "attached-lv"),
    ("PostgreSQL, pgbench", "loads_databases", "ext4, PostgreSQL, pgbench", "attached-lv"),
    ("unpacking a source, xfs, striped", "loads_files", "xfs, unpack 2,600 files",
     "noclone-striped-64k"),
    ("1 MiB direct reads, chunks of 64 KiB", "loads_stripes", "xfs read by 1 MiB, direct",
     "noclone-striped-64k"),
    ("1 MiB direct reads, chunks of 1 MiB", "loads_stripes", "xfs read by 1 MiB, direct",
     "noclone-striped-1024k"),
    ("swap", "loads_stacks", "swap", "noclone-linear"),
)


def reasons(counts):
    """What else than the fast path I/Os took, the most frequent first."""
    found = [(word, counts[word]) for word in WHY if counts.get(word)]
    return sorted(found, key=lambda pair: -pair[1])


def fast(counts):
    return sum(counts.get(word, 0) for word in FAST)


def total(counts):
    return fast(counts) + sum(n for _, n in reasons(counts))


def share(counts):
    """Of the fast path, or None if there was no I/O."""
    every = total(counts)
    return fast(counts) / every if every else None


def percent(part, whole):
    """Rounded down, as the tool does: 100 % is all of them."""
    return f"{1000 * part // whole / 10:.1f} %"


def words(counts):
    """"98.4 %: flush 1.2, op 0.4" """
    every = total(counts)
    if not every:
        return "no I/O"
    rest = ", ".join(f"{word} {max(100 * n / every, 0.1):.1f}" for word, n in reasons(counts))
    return percent(fast(counts), every) + (f": {rest}" if rest else "")


def cells_of(results, name):
    """Workload and row of a set, each once, in their order."""
    return dict.fromkeys((c["workload"], c["row"]) for r in results for c in r["cells"]
                         if c["set"] == name and "counts" in c)


def entry(find, result, name, key):
    cell = find(result, name, *key)
    return words(cell["counts"]) if cell else ""


def print_table(cells):
    """Print the new rows on the terminal."""
    for cell in cells:
        print(f"{cell['workload']:56} {cell['row']:24} {total(cell['counts']):7} I/Os  "
              f"{words(cell['counts'])}")


def headlines(results, find, short, csv_table):
    """The short table, for users."""
    return csv_table(["load"] + [short(r) for r in results], [
        [label] + [entry(find, r, name, key) for r in results]
        for label, name, *key in HEADLINES])


def sums(results):
    """Reason -> I/Os of all loads with it; in how many loads it is more than a hundredth."""
    found = {}
    for cell in (c for r in results for c in r["cells"] if "counts" in c):
        for word, n in reasons(cell["counts"]):
            ios, loads = found.get(word, (0, 0))
            found[word] = (ios + n, loads + (100 * n > total(cell["counts"])))
    return sorted(found.items(), key=lambda item: -item[1][1])


def flushes(find, result, name, key):
    cell = find(result, name, *key)
    if not cell or cell["counts"]["flush"] < SOME:
        return ""
    counts = cell["counts"]
    return f"{counts['flush']}, {percent(counts['empty'], counts['flush'])}"


def flush_table(results, find, short, csv_table):
    rows = [[f"{workload}; {row}"] + [flushes(find, r, name, (workload, row)) for r in results]
            for name in TITLES for workload, row in cells_of(results, name)]
    return csv_table(["load; device"] + [short(r) for r in results],
                     [row for row in rows if any(row[1:])])


def cost_table(results, short, csv_table, cost):
    keys = dict.fromkeys((c["workload"], c["row"]) for r in results for c in r["cells"]
                         if c["set"] == "loads_cost")
    return csv_table(["workload", "device"] + [short(r) for r in results], [
        [w, row] + [cost(r, "loads_cost", w, row) for r in results] for w, row in keys])


def tables(results, find, short, make):
    """Lines of rst; find, short, make (heading, csv_table, entry): of publish."""
    heading, csv_table, cost = make
    lines = list(SUMMARY)
    for name, title in TITLES.items():
        keys = cells_of(results, name)
        lines += heading(title, "-") + csv_table(["load", "device"] + [short(r) for r in results], [
            [*key] + [entry(find, r, name, key) for r in results] for key in keys])
    lines += heading("The reasons", "-") + csv_table(
        ["reason", "I/Os", "loads with more than 1 %", "why"],
        [[word, str(ios), str(loads), WHY[word]] for word, (ios, loads) in sums(results)])
    lines += heading("Flushes without data", "-") + FLUSHES
    lines += flush_table(results, find, short, csv_table)
    lines += heading("What a flush costs", "-") + COST
    return lines + cost_table(results, short, csv_table, cost)
