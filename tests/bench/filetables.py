# SPDX-License-Identifier: GPL-2.0-only
"""Tables of MODE=file; see publish."""
from compare import stock_of
from rows import keys_of

TITLES = {
    "file_ext4": "Files on ext4",
    "file_ext4_1k": "Files on ext4 with blocks of 1 KiB",
    "file_xfs": "Files on xfs",
    "file_sparse": "Sparse files",
    "file_cold": "Cold reads, from disks that take 50 microseconds",
}
FIRST = "randread 4096 psync"
SUMMARY = """Instructions of a 4 KiB read of a file on ext4, one at a time: of the file itself,
through a loop device with direct I/O, and through noclone-file.  In parentheses the
share of what the loop device needs.
""".splitlines() + [""]
INTRO = """Instructions per I/O.  In parentheses the share of what the loop device needs in
the same mode: direct and extent beside ``loop-direct``, buffered and sync beside
``loop-buffered``.  Behind it context switches per I/O, of the whole machine.  For cold
reads time counts as instructions, one nanosecond each: the disk's latency is part of the
figure.  The page cache is dropped before each such run.
""".splitlines() + [""]


def entry(find, result, name, workload, row):
    cell = find(result, name, workload, row)
    if not cell:
        return ""
    words = f"{cell['per_io']:.0f}" + (f" ±{cell['spread']:.0f}" if cell["spread"] else "")
    loop = find(result, name, workload, stock_of(row))
    if loop:
        words += f" ({cell['per_io'] / loop['per_io']:.2f})"
    return f"{words}, {cell['switches_per_io']:.2f}"


def summary(results, find, short, csv_table):
    """The figures that people ask for; find, short, csv_table: of publish."""
    rows = []
    for label, row in (("the file itself", "file"), ("loop device", "loop-direct"),
                       ("noclone-file, direct", "noclone-direct"),
                       ("noclone-file, extent", "noclone-extent"),
                       ("noclone-linear on the disk", "noclone-linear")):
        cells = [entry(find, r, "file_ext4", FIRST, row) for r in results]
        rows.append([label] + [cell.split(", ")[0] for cell in cells])
    return SUMMARY + csv_table(["device"] + [short(r) for r in results], rows)


def tables(results, find, short, csv_table):
    """Lines of rst; find, short, csv_table: of publish."""
    rows = []
    for name, title in TITLES.items():
        for w, r in keys_of(results, name):
            rows.append([title, w, r] + [entry(find, res, name, w, r) for res in results])
            title = ""
    return INTRO + csv_table(["set", "workload", "device"] + [short(r) for r in results], rows)
