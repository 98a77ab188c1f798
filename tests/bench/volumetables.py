# SPDX-License-Identifier: GPL-2.0-only
"""Tables of MODE=volumes; see publish."""
from compare import stock_of
from rows import keys_of

SUMMARY = """Instructions of a 4 KiB read through what LVM and others stack, with dm's own targets
as they are and with the fast path on each linear and striped device of the stack.
""".splitlines() + [""]
INTRO = """Instructions per I/O: stock, attached, and what that saves.  In parentheses, where the
device on top is one that was attached, the share of its I/O that took the fast path.
""".splitlines() + [""]
ATTACHED = """One device, above the raw device below it, and in percent how much of what stock adds
is not added.
""".splitlines() + [""]
PRESENCE = """Reads of one sector from devices that do not use the fast path, and in percent the
difference to the same device without the module.  ``flakey`` stands for all other targets.
""".splitlines() + [""]


def saved(find, result, name, workload, what):
    """The cell of a stack under a workload."""
    stock, attached = (find(result, name, workload, f"{kind}-{what}")
                       for kind in ("stock", "attached"))
    if not stock or not attached:
        return ""
    less = stock["per_io"] - attached["per_io"]
    words = f"{stock['per_io']:.0f}, {attached['per_io']:.0f}, {less:+.0f}"
    if attached["fast_share"] is not None:
        words += f" ({100 * attached['fast_share']:.0f} %)"
    return words


def stacks(results, find, short, csv_table):
    keys = dict.fromkeys((c["workload"], c["row"].partition("-")[2]) for r in results
                         for c in r["cells"] if c["set"] == "volumes" and stock_of(c["row"]))
    return csv_table(["stack"] + [short(r) for r in results], [
        [what.replace("-", " ")] + [saved(find, r, "volumes", workload, what) for r in results]
        for workload, what in keys])


def besides(find, result, when, row):
    """The cell of a device that does not use the fast path."""
    cell = find(result, "presence", when, row)
    stock = find(result, "presence", "module not loaded", row.removeprefix("noclone-"))
    if not cell or not stock:
        return ""
    percent = 100 * (cell["per_io"] / stock["per_io"] - 1)
    return f"{cell['per_io']:.0f}" + (f" ({percent:+.1f} %)" if cell is not stock else "")


def presence(results, find, short, csv_table):
    return csv_table(["when", "device"] + [short(r) for r in results], [
        [when, row] + [besides(find, r, when, row) for r in results]
        for when, row in keys_of(results, "presence")])


def tables(results, find, short, make):
    """Lines of rst; find, short, make (heading, csv_table, entry): of publish."""
    heading, csv_table, entry = make
    lines = SUMMARY + INTRO + stacks(results, find, short, csv_table)
    attached = keys_of(results, "attached")
    if attached:
        lines += heading("One device", "-") + ATTACHED
        lines += csv_table(["workload", "device"] + [short(r) for r in results], [
            [w, row] + [entry(r, "attached", w, row) for r in results] for w, row in attached])
    if not any(c["set"] == "presence" for r in results for c in r["cells"]):
        return lines
    lines += heading("The cost of being there", "-") + PRESENCE
    return lines + presence(results, find, short, csv_table)
