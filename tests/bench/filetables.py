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
BESIDES = """Of runs with 128 I/Os in flight: workers of the kernel that took part (more than
one switch per hundred I/Os; not among them is the one thread that buffered and
sync have for writes), growth of the page cache in KiB, and how often a worker was
called per I/O, here and with 32 I/Os in flight by 16.
""".splitlines() + [""]
# Published throughput of loop and of others, as shares of the device or file below.
HISTORY = [
    ("loop, psync 12 jobs, NVMe, 2025", "0.56", ""),
    ("loop, libaio qd16 12 jobs, NVMe, 2025", "0.22", ""),
    ("dm-loop (by bmap), psync 12 jobs, NVMe, 2025", "", "0.85 to 0.94"),
    ("dm-loop (by bmap), libaio qd16 12 jobs, NVMe, 2025", "", "0.95 to 0.97"),
    ("loop with AIO against loop without, psync 4 jobs, SSD, 2015", "1.02 to 1.10", ""),
    ("async buffered reads against threads, qd8, 2020", "", "2.05"),
]


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


def besides_entry(find, result, name, workload, row):
    cell = find(result, name, workload, row)
    if not cell:
        return ""
    words = f"{cell['threads']}, {cell['cached_kib']}"
    batched = find(result, name, workload.replace("qd128", "qd32 by 16"), row)
    if cell["wakeups_per_io"] is not None and batched:
        words += f", {cell['wakeups_per_io']:.2f}, {batched['wakeups_per_io']:.2f}"
    return words


def ratio(find, result, workload, row):
    """Throughput against the file itself."""
    file, cell = (find(result, "file_ext4", workload, r) for r in ("file", row))
    return f"{file['per_io'] / cell['per_io']:.2f}" if file and cell else ""


def history(results, find, short):
    rows = [[name, loop, "", other] for name, loop, other in HISTORY]
    for result in results:
        for workload in ("randread 4096 psync", "randread 4096 libaio qd16 4 jobs"):
            rows.append([f"{short(result)}, instructions, {workload}"] +
                        [ratio(find, result, workload, row) for row in
                         ("loop-direct", "noclone-direct", "noclone-extent")])
    return rows


def others(results, find, short, csv_table):
    """What runs of many I/Os need besides instructions."""
    lines = [[f"{name[5:]} {w}", r] + [besides_entry(find, res, name, w, r) for res in results]
             for name in ("file_ext4", "file_xfs")
             for w, r in keys_of(results, name, f"{name}_others") if "qd128" in w]
    return csv_table(["workload", "device"] + [short(r) for r in results], lines)


def tables(results, find, short, make):
    """Lines of rst; find, short, make: of publish."""
    heading, csv_table = make
    rows = []
    for name, title in TITLES.items():
        for w, r in keys_of(results, name):
            rows.append([title, w, r] + [entry(find, res, name, w, r) for res in results])
            title = ""
    lines = INTRO + csv_table(["set", "workload", "device"] + [short(r) for r in results], rows)
    lines += heading("What else a run needs", "-") + BESIDES
    lines += others(results, find, short, csv_table)
    lines += heading("Beside published figures", "-")
    lines += ["Throughput against the file or device below.", ""]
    return lines + csv_table(["what", "loop", "direct", "extent, or the other"],
                             history(results, find, short))
