# SPDX-License-Identifier: GPL-2.0-only
"""The page of make bench MODE=smp: I/Os per second on two processors."""

INTRO = """User-mode Linux with two processors, thousand I/Os per second, median of nine rounds
and its median absolute deviation.  Growth is the figure of several jobs divided by that of
one; the columns with an x are the row's figure divided by that of the other row.  Sections
that disable interrupts are system calls of the host there, so what a row costs says little,
and how it grows says more.
""".splitlines() + [""]
TITLES = {
    "smp_remap": "Linear on a RAM disk",
    "smp_files": "A file on ext4 on a RAM disk",
}


def kiops(cell):
    """With the spread of the time per I/O, which is small against it."""
    value = 1e6 / cell["per_io"]
    return f"{value:.0f} ±{value * cell['spread'] / cell['per_io']:.0f}"


def jobs_of(workload):
    """("randread 4096 ...", 4)"""
    what, jobs = workload.rsplit(", ", 1)
    return what, int(jobs.split()[0])


def row_of(cells, against):
    """A line of the table: few jobs, many jobs, growth, and against loop or stock."""
    few, many = cells
    line = [few["row"], kiops(few), kiops(many), f"{few['per_io'] / many['per_io']:.2f}"]
    if against:
        line += [f"{a['per_io'] / c['per_io']:.2f}" for a, c in zip(against, cells)]
    return line


def table_of(result, name, csv_table):
    """One table for each load of a set."""
    lines = []
    loads = {}
    for cell in (c for c in result["cells"] if c["set"] == name):
        what, _ = jobs_of(cell["workload"])
        loads.setdefault(what, {}).setdefault(cell["row"], []).append(cell)
    for what, rows in loads.items():
        base = "loop-direct" if "loop-direct" in rows else "stock-linear"
        counts = [jobs_of(c["workload"])[1] for c in rows[base]]
        header = [what] + [f"{n} job{'s' if n > 1 else ''}" for n in counts] + ["growth"]
        header += [f"x {base}, {n}" for n in counts]
        lines += csv_table(header, [row_of(cells, rows[base]) for cells in rows.values()])
    return lines


def tables(result, heading, csv_table):
    """All tables of a result."""
    lines = INTRO
    for name, title in TITLES.items():
        lines = lines + heading(title, "-") + table_of(result, name, csv_table)
    return lines
