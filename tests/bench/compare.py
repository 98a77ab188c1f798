# SPDX-License-Identifier: GPL-2.0-only
"""What a cell is compared with, and how; for report, publish and filetables."""


def stock_of(row):
    """The row that one of ours is compared with, or None."""
    if row in ("noclone-direct", "noclone-extent"):
        return "loop-direct"
    if row in ("noclone-buffered", "noclone-sync"):
        return "loop-buffered"
    kind, _, what = row.partition("-")
    return f"stock-{what}" if kind in ("noclone", "attached") else None


def closed(raw, stock, ours):
    """Share of what stock adds to raw that ours does not add, or None."""
    if not raw or not stock or stock["per_io"] <= raw["per_io"]:
        return None
    return 1 - (ours["per_io"] - raw["per_io"]) / (stock["per_io"] - raw["per_io"])


def gain(stock, ours):
    """What ours saves of stock, or None if that is not above the noise of both."""
    saved = stock["per_io"] - ours["per_io"]
    return None if abs(saved) <= 2 * (ours["spread"] + stock["spread"]) else saved
