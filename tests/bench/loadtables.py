# SPDX-License-Identifier: GPL-2.0-only
"""Tables of MODE=loads; see publish."""
from rows import keys_of

TITLES = {
    "loads_fio": "fio on a file system, 4 KiB",
    "loads_fsync": "fsync after each write",
    "loads_databases": "Databases, on a logical volume",
    "loads_files": "Many small files, and a compiler",
    "loads_stripes": "Large I/O over chunks",
    "loads_stacks": "Swap, files, a thin volume",
}
SUMMARY = """The share of the I/Os of each load that took the fast path, rounded down; after the
colon, the percentage of the other I/Os by reason (the counters of ``dmsetup status``).
`Does it help me? <../admin-guide/noclone-gain.rst>`__ says what it means for users.

The disks have a volatile cache, which flushes are for, but for the rows that say
"no-cache".  They are null_blk in a VM and take 20 microseconds for each I/O: what a file
system makes of a load depends a little on that.  What a load has written is synced before
the counters are read, which is a flush or two.  Measured before 2026-11-26, an I/O that dm
core cuts into nine pieces is one ``split`` and eight ``chain``; since then it counts as
``gathered``, which is on the fast path.
""".splitlines() + [""]
FAST = ("fast", "reserve", "gathered")
REASONS = ("flush", "op", "split", "chain", "polled", "integrity", "crypto", "stats", "suspending",
           "nomem")
# Fewer flushes than these say nothing about a load.
SOME = 10
FLUSHES = """Bios with ``REQ_PREFLUSH`` that reached the device, and the share of them that carry no
data, counted by the tracepoint ``block_bio_queue``; of loads with ten and more.
""".splitlines() + [""]
COST = """Instructions per write, and above the raw device, on a disk with a cache that completes at
once: alone, with a flush without data after it, and to change the time of a file on xfs and
``fsync()``, which is a write of the log that is a flush as well.
""".splitlines() + [""]


def reasons(counts):
    """What else than the fast path I/Os took, the most frequent first."""
    found = [(word, counts[word]) for word in REASONS if counts.get(word)]
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


def entry(find, result, name, key):
    cell = find(result, name, *key)
    return words(cell["counts"]) if cell else ""


def print_table(cells):
    """Print the new rows on the terminal."""
    for cell in cells:
        print(f"{cell['workload']:56} {cell['row']:24} {total(cell['counts']):7} I/Os  "
              f"{words(cell['counts'])}")


def flushes(find, result, name, key):
    cell = find(result, name, *key)
    if not cell or cell["counts"]["flush"] < SOME:
        return ""
    counts = cell["counts"]
    return f"{counts['flush']}, {percent(counts['empty'], counts['flush'])}"


def flush_table(results, find, short, csv_table):
    rows = [[f"{workload}; {row}"] + [flushes(find, r, name, (workload, row)) for r in results]
            for name in TITLES for workload, row in keys_of(results, name, "loads_flushes")]
    return csv_table(["load; device"] + [short(r) for r in results],
                     [row for row in rows if any(row[1:])])


def cost_table(results, short, csv_table, cost):
    return csv_table(["workload", "device"] + [short(r) for r in results], [
        [w, row] + [cost(r, "loads_cost", w, row) for r in results]
        for w, row in keys_of(results, "loads_cost")])


def tables(results, find, short, make):
    """Lines of rst; find, short, make (heading, csv_table, entry): of publish."""
    heading, csv_table, cost = make
    rows = []
    for name, title in TITLES.items():
        for key in keys_of(results, name):
            rows.append([title, *key] + [entry(find, r, name, key) for r in results])
            title = ""
    lines = SUMMARY + csv_table(["set", "load", "device"] + [short(r) for r in results], rows)
    lines += heading("Flushes without data", "-") + FLUSHES
    lines += flush_table(results, find, short, csv_table)
    lines += heading("What a flush costs", "-") + COST
    return lines + cost_table(results, short, csv_table, cost)
