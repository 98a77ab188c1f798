# SPDX-License-Identifier: GPL-2.0-only
"""What a cell is compared with, and how a result is written; for report, publish and
filetables."""
import json


def stock_of(row):
    """The row that one of ours is compared with, or None."""
    if row in ("noclone-direct", "noclone-extent"):
        return "loop-direct"
    if row in ("noclone-buffered", "noclone-sync"):
        return "loop-buffered"
    kind, _, what = row.partition("-")
    return f"stock-{what}" if kind in ("noclone", "attached", "core", "limit") else None


def verdict(raw, stock, ours):
    """What ours saves, in words that the noise allows: of the whole, or of what stock adds."""
    saved = stock["per_io"] - ours["per_io"]
    if abs(saved) <= 2 * (ours["spread"] + stock["spread"]):
        return "as stock"
    if raw and ours["per_io"] < raw["per_io"]:
        return "below raw"
    if raw and raw["per_io"] < stock["per_io"]:
        return f"{100 * saved / (stock['per_io'] - raw['per_io']):.0f} %"
    return f"{100 * saved / stock['per_io']:+.1f} % saved"


def lines_of(result):
    """JSON with a line for each cell: short to read, and to compare."""
    head = json.dumps({k: v for k, v in result.items() if k != "cells"})
    cells = ",\n".join(" " + json.dumps(c) for c in result["cells"])
    return f'{head[:-1]}, "cells": [\n{cells}\n]}}\n'
