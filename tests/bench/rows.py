# SPDX-License-Identifier: GPL-2.0-only
"""Which rows the pages of Documentation/bench show; the JSON has all, and so have the pages
of "publish --all".

A set that is not named here is shown whole.
"""
import re

ALL = False     # set by publish

LINEAR = "raw|(stock|noclone|core)-linear"
FILE = "file|loop-(direct|buffered)|noclone-(direct|extent|buffered)"
# Set -> patterns of workloads, each with one of rows.
SHOWN = {
    "psync": {"randread 512 psync": ".*", "randread 512 psync, in a cgroup": LINEAR},
    "jobs12": {".*": LINEAR},
    "async": {"randread 4096 io_uring qd32": LINEAR},
    "size16k": {".* io_uring qd74": LINEAR},
    "fsync": {".*": ".*-striped-4"},
    "stack": {},
    "segments": {".*": ".*-(1|10000)"},
    "stripes": {".*": ".*-(1|64|3-odd)"},
    "null_blk": {".* 512 .*": ".*"},
    "polled": {".*qd1": ".*"},
    "batch": {".* 512 .*": ".*"},
    "file_ext4": {"rand(read|write) 4096 psync": FILE + "|noclone-linear",
                  "randread 4096 (libaio qd16 4 jobs|io_uring qd32 by 16)": FILE},
    "file_ext4_1k": {"randwrite 4096 psync": ".*"},
    "file_xfs": {"randread 4096 psync": "file|loop-direct|noclone-(direct|extent)"},
    "file_sparse": {"xfs .* qd16": FILE},
    "file_cold": {"ext4 .* qd(8|32)": FILE},
    "attached": {},
    "presence": {"loaded.*": ".*"},
    "loads_fio": {"ext4 randread direct|xfs randrw buffered": ".*"},
    "loads_fsync": {".*": "noclone-linear", "ext4, fsync.*": ".*"},
    "loads_files": {"xfs, (unpack|rename|compile|delete|fstrim).*": ".*", "ext4, (unpack|compile).*": ".*"},
    "loads_stripes": {".*read .* direct": ".*"},
    "loads_flushes": {".*": "noclone-linear|attached-lv"},
}


def shown(name, workload, row):
    return ALL or name not in SHOWN or any(
        re.fullmatch(what, workload) and re.fullmatch(rows, row)
        for what, rows in SHOWN[name].items())


def keys_of(results, name, shown_as=None):
    """Workload and row of the shown cells of a set, each once, in their order."""
    return dict.fromkeys((c["workload"], c["row"]) for r in results for c in r["cells"]
                         if c["set"] == name and shown(shown_as or name, c["workload"], c["row"]))
