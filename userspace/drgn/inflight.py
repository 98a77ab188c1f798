# SPDX-License-Identifier: GPL-2.0-only
"""Print the bios that the fast path of dm-noclone has in flight, the oldest first.

    drgn inflight.py                     look at the running kernel, as root
    drgn -c DUMP inflight.py             look at a dump of a kernel
    drgn -s dm-noclone.ko inflight.py    name a file with debug symbols that drgn does not find

The script needs debug symbols of the kernel and of dm-noclone.

The first table has a line for each bio. Bios that dm core has cloned are not listed. For
noclone-file, LEG is the backing file, or the disk of this file with the engine extent. If
the fast path has made several bios of one bio, the table has a line for each of these bios
that has not ended; but if there are so many that they did not fit into an object of a slab,
the table has no line for them.

The second table has the sum of these bios for each device and leg.

The third table has a line for each device, with the number of bios in flight by the device's
own counters. A bio counts once, even if the fast path has made several bios of it. While I/O
runs, this number may differ from the number of lines of the first table. Bios that were
polled, and that a worker will submit again, are not in the first table. SUSPEND says whether
a suspend waits for the bios of the device:

    -           no suspend waits
    waiting     a suspend waits for these bios in dm core, until they end or a signal comes
    draining    dm-noclone waits for these bios, because the device is being removed, because
                stock=off gives the device back to dm core, or because there was no memory for
                a sentinel; or a signal has ended a wait
    done        the device is suspended, and no bio is in flight
"""
import argparse
from collections import defaultdict

from drgn import FaultError, Object, __version__, cast, get_default_prog
from drgn.helpers.linux.block import disk_name, part_name
from drgn.helpers.linux.cpumask import for_each_possible_cpu
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.percpu import per_cpu, per_cpu_ptr
from drgn.helpers.linux.slab import slab_cache_for_each_allocated_object

prog = get_default_prog()


def find_devices():
    """Yield each device as a struct noclone_dev *; devices with stock targets come last."""
    yield from list_for_each_entry(
        "struct noclone_dev", prog["noclone_devs"].address_of_(), "node")
    for stock in list_for_each_entry(
            "struct noclone_stock", prog["noclone_stocks"].address_of_(), "node"):
        yield stock.nd.address_of_()


def name_of(disk):
    """Return the name of a disk and, with debug symbols of dm-mod, of its mapped device."""
    name = disk_name(disk).decode()
    try:
        md = cast("struct mapped_device *", disk.private_data)
        return f"{name} {cast('struct hash_cell *', md.interface_ptr).name.string_().decode()}"
    except (LookupError, FaultError):
        return name


def free_objects(devices):
    """Yield the addresses of the objects that no bio uses, although the slab counts them."""
    for cpu in for_each_possible_cpu(prog):
        pcpu = per_cpu(prog["noclone_io_pcpu"], cpu)
        for kept in pcpu.task, pcpu.irq:
            io = kept.top
            for _ in range(kept.nr):
                yield io.value_()
                io = io.next
    for nd in devices:
        if nd.counters:
            yield from (nd.reserve.elements[i].value_() for i in range(nd.reserve.curr_nr))


def map_sector(table, sector):
    """Return the name of the leg that has a sector of the device, and the sector on this leg.

    The function does the same as noclone_find_span() and noclone_map_sector().
    """
    base, n = 0, table.nr.value_()
    while n > 1:
        if table.spans[base + n // 2].begin <= sector:
            base += n // 2
        n -= n // 2
    layout, leg = table.segments[base].layout, 0
    offset = sector - layout.begin.value_()
    chunk = layout.chunk_sectors.value_()
    if chunk:
        row, leg = divmod(offset // chunk, layout.stripes.value_())
        offset = row * chunk + offset % chunk
    leg = table.segments[base].leg[leg]
    return part_name(leg.bdev).decode(), (leg.start.value_() + offset) % 2**64


def in_use(slab, kind, devices, nd_of):
    """Yield each allocated object of a slab, with the address of its device.

    An object that was allocated just now may not belong to a device yet, and is left out.
    """
    known = {nd.value_() for nd in devices}
    for found in slab_cache_for_each_allocated_object(slab, f"struct noclone_{kind}"):
        try:
            nd = nd_of(found).value_()
        except FaultError:
            continue
        if nd in known:
            yield found, nd


def parts(g):
    """Yield the parts of a gathered bio that have not ended: leg, sector on the leg, bytes."""
    part = cast("struct noclone_part *", g + 1)
    for i in range(g.parts):
        if part[i].sectors:
            bio = part[i].bio
            yield (part_name(bio.bi_bdev).decode(), bio.bi_iter.bi_sector.value_(),
                   part[i].sectors.value_() * 512)


def find_bios(devices):
    """Yield the bios in flight.

    Each one is a tuple: jiffies at its begin, address of the device, operation, sector, bytes, leg,
    sector on the leg.
    """
    free = set(free_objects(devices))
    for io, nd in in_use(prog["noclone_io_slab"], "io", devices, lambda io: io.target.nd):
        at = io.iter
        if io.value_() not in free:
            yield (io.start, nd, io.opf, at.bi_sector.value_(), at.bi_size.value_(),
                   *map_sector(io.target.table, at.bi_sector.value_()))
    for slab in prog["noclone_gather_slab"]:
        for g, nd in in_use(slab, "gather", devices, lambda g: g.target.nd):
            for leg, there, size in parts(g):
                yield (g.start, nd, g.parent.bi_opf, g.parent.bi_iter.bi_sector.value_(), size,
                       leg, there)
    for cmd, nd in in_use(prog["noclone_cmd_slab"], "cmd", devices, lambda cmd: cmd.nd):
        fc, at = cmd.fc, cmd.bio.bi_iter
        yield (cmd.start, nd, cmd.bio.bi_opf, at.bi_sector.value_(), at.bi_size.value_(),
               fc.path.string_().decode(), (at.bi_sector - fc.ti.begin + fc.start).value_())


def milliseconds(now, start):
    """Return the milliseconds since @start, the low half of jiffies at the begin of a bio."""
    clock = prog["clocksource_jiffies"]
    tick = clock.mult.value_() >> clock.shift.value_()
    return (now - start.value_()) % 2**32 * tick // 10**6


def word_of(opf):
    """Return the name of the operation in bi_opf, in most cases "read" or "write"."""
    op = Object(prog, "enum req_op", opf.value_() & 0xff).format_(type_name=False)
    return op.removeprefix("REQ_OP_").lower()


def in_flight(nd):
    """Return the number of bios in flight by the counters of a device."""
    if not nd.counters:
        return 0
    cpus = [per_cpu_ptr(nd.counters, cpu) for cpu in for_each_possible_cpu(prog)]
    return sum(c.begun.value_() - c.done.value_() for c in cpus)


def suspend_of(nd):
    """Return the word for the column SUSPEND; the help text describes the words."""
    if nd.sentinel.clone:
        return "waiting"
    if not nd.draining:
        return "-"
    return "draining" if in_flight(nd) else "done"


def begin():
    """Return a list of all devices, or end the script with a message about what is missing."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    try:
        devices = list(find_devices())
    except LookupError as error:
        raise SystemExit("dm-noclone is not loaded, or drgn does not find its debug symbols, "
                         f"see --help: {error}") from error
    # An older drgn does not know the sheaves of a slab, and counts their free objects as allocated.
    if (getattr(prog["noclone_io_slab"], "cpu_sheaves", None) and
            tuple(map(int, __version__.split(".")[:2])) < (0, 2)):
        raise SystemExit(f"drgn {__version__} cannot read the allocator of this kernel: "
                         "use drgn 0.2.0 or newer")
    return devices


def main():
    """Print the three tables: bios, sums, and devices."""
    devices = begin()
    names = {nd.value_(): name_of(nd.disk) for nd in devices}
    bios = list(find_bios(devices))
    now = prog["jiffies"].value_()
    sums = defaultdict(list)
    line = "{:>9}  {:16}  {:5}  {:>12}  {:>8}  {:>12}  {}"
    print(line.format("AGE ms", "DEVICE", "OP", "SECTOR", "BYTES", "ON THE LEG", "LEG"))
    bios = [(milliseconds(now, start), *rest) for start, *rest in bios]
    for age, nd, opf, sector, size, leg, there in sorted(bios, key=lambda bio: -bio[0]):
        print(line.format(age, names[nd], word_of(opf), sector, size, there, leg))
        sums[nd, leg].append((age, size))
    line = "{:>9}  {:16}  {:>5}  {:>22}  {}"
    print("\n" + line.format("OLDEST ms", "DEVICE", "BIOS", "BYTES", "LEG"))
    for (nd, leg), bios in sums.items():
        print(line.format(bios[0][0], names[nd], len(bios), sum(size for _, size in bios), leg))
    print("\n" + line.format("SUSPEND", "DEVICE", "BIOS", "", "").rstrip())
    for nd in devices:
        print(line.format(suspend_of(nd), names[nd.value_()], in_flight(nd), "", "").rstrip())


main()
