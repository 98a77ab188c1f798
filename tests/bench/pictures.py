# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of pages in Documentation as SVG; see publish.

A picture is boxes and arrows between them. A box is at x, y, and has a width, a kind (fast, other
or text, which has no frame) and lines; an arrow has the names of two boxes and a label.
"""
import html

from plots import svg, text

STYLE = (".fast,.other{fill:none;stroke:#888}.fast{stroke:#2f8fcf;stroke-width:2.5}"
         ".arrow{stroke:#888;marker-end:url(#head)}.head{fill:#888}")
HEAD = ('<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path class="head" d="M0,0L8,4L0,8z"/></marker></defs>')
LINE, PAD = 17, 12

BIO = {
    "submitter": (250, 10, 300, "other", ["submitter: file system, database, VM", "submit_bio()"]),
    "entry": (220, 90, 360, "other", ["submit_bio of /dev/mapper/NAME, in dm-noclone",
                                      "plain read or write, and the fast path is on?"]),
    "remap": (20, 180, 340, "fast",
              ["save bi_bdev, bi_iter, bi_end_io", "the same bio: new device, new sector"]),
    "clone": (440, 180, 340, "other",
              ["dm core allocates a clone", "the target's .map remaps the clone"]),
    "leg": (250, 270, 300, "other", ["submit_bio_noacct()", "the leg: /dev/nvme0n1"]),
    "restore": (20, 360, 340, "fast", ["restore the bio, count it", "its own bi_end_io"]),
    "endio": (440, 360, 340, "other", ["clone_endio(): free the clone", "bio_endio() of the bio"]),
    "done": (250, 450, 300, "other", ["submitter: the bio is unchanged"]),
}
BIO_ARROWS = [("submitter", "entry", ""), ("entry", "remap", "yes"), ("entry", "clone", "no"),
              ("remap", "leg", ""), ("clone", "leg", ""), ("leg", "restore", ""),
              ("leg", "endio", ""), ("restore", "done", ""), ("endio", "done", "")]

BOOT = {
    "lvm": (20, 10, 360, "text", ["devices of LVM and others"]),
    "own": (420, 10, 360, "text", ["devices with a table of this module"]),
    "enable": (20, 50, 360, "other", ["noclone enable NAME"]),
    "save": (420, 50, 360, "other", ["noclone create --persist, noclone save NAME"]),
    "policy": (20, 120, 360, "other", ["/etc/noclone/policy"]),
    "table": (420, 120, 360, "other", ["/etc/noclone/NAME.table"]),
    "units": (20, 190, 360, "other",
              ["noclone-enable.service, after basic.target",
               "noclone-enable@dm-N.service, for new devices"]),
    "unit": (420, 190, 360, "other",
             ["noclone-device@NAME.service,", "when the legs exist, before the mount"]),
    "attached": (20, 280, 360, "fast",
                 ["linear, striped stay in the table", "message \"fastpath on\": attached"]),
    "active": (420, 280, 360, "fast", ["noclone-linear, -striped, -zero, -file", "in the table"]),
    "off": (20, 370, 360, "text",
            ["dm_noclone.stock=off: nothing is attached", "module missing: nothing changes"]),
    "missing": (420, 370, 360, "text",
                ["module missing: dm's own targets,", "and a loop device for a file"]),
    "now": (20, 420, 760, "text",
            ["--now acts at once as well; --runtime acts at once and writes no file"]),
}
BOOT_ARROWS = [("enable", "policy", ""), ("policy", "units", "at boot"), ("units", "attached", ""),
               ("save", "table", ""), ("table", "unit", "at boot"), ("unit", "active", "")]

STACK = {
    "fs": (20, 10, 230, "other", ["file system on vg0/root"]),
    "root": (20, 80, 230, "fast", ["vg0-root: linear"]),
    "fs2": (285, 10, 230, "other", ["file system on vg0/thin"]),
    "thin": (285, 80, 230, "other", ["vg0-thin: thin"]),
    "tdata": (285, 150, 230, "fast", ["vg0-pool_tdata, _tmeta: linear"]),
    "pv0": (150, 240, 240, "other", ["physical volume: /dev/nvme0n1p3"]),
    "fs3": (550, 10, 230, "other", ["file system on vg1/data"]),
    "data": (550, 80, 230, "fast", ["vg1-data: linear"]),
    "pv1": (550, 150, 230, "fast", ["physical volume:", "/dev/mapper/pv: noclone-striped"]),
    "legs": (550, 240, 230, "other", ["/dev/nvme1n1, /dev/nvme2n1"]),
    "words": (20, 290, 760, "text",
              ["framed in blue: the fast path. LVM's tables are unchanged"]),
}
STACK_ARROWS = [("fs", "root", ""), ("root", "pv0", ""), ("fs2", "thin", ""), ("thin", "tdata", ""),
                ("tdata", "pv0", ""), ("fs3", "data", ""), ("data", "pv1", ""), ("pv1", "legs", "")]


def box(place):
    x, y, width, kind, lines = place
    high = LINE * len(lines) + PAD
    frame = [] if kind == "text" else [
        f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{high}" rx="4"/>']
    return frame + [text(x + width / 2, y + LINE * (i + 1) + 2, html.escape(line))
                    for i, line in enumerate(lines)]


def arrow(begin, end, label):
    """From the lower edge of a box to the upper edge of another."""
    x1, y1 = begin[0] + begin[2] / 2, begin[1] + LINE * len(begin[4]) + PAD
    x2, y2 = end[0] + end[2] / 2, end[1] - 2
    lines = [f'<line class="arrow" x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>']
    side = -28 if x2 < x1 else 28
    return lines + ([text((x1 + x2) / 2 + side, (y1 + y2) / 2 + 4, label)] if label else [])


def picture(boxes, arrows):
    body = [f"<style>{STYLE}</style>", HEAD]
    for place in boxes.values():
        body += box(place)
    for begin, end, label in arrows:
        body += arrow(boxes[begin], boxes[end], label)
    low = max(y + LINE * len(lines) + PAD for _, y, _, _, lines in boxes.values())
    return svg(800, low + 10, body)


def pictures():
    """File name -> content."""
    return {"picture-bio.svg": picture(BIO, BIO_ARROWS),
            "picture-boot.svg": picture(BOOT, BOOT_ARROWS),
            "picture-stack.svg": picture(STACK, STACK_ARROWS)}
