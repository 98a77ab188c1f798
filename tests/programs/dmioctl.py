# SPDX-License-Identifier: GPL-2.0-only
"""Ioctls of device-mapper without libdevmapper; see linux/dm-ioctl.h."""
import fcntl
import os
import struct

CREATE, REMOVE, SUSPEND, LOAD, CLEAR, STATUS, MESSAGE = 3, 4, 6, 9, 10, 12, 14
READONLY, SUSPENDED, PERSISTENT, TABLE, LOCKFS, NOFLUSH, DEFERRED = (
    1 << 0, 1 << 1, 1 << 3, 1 << 4, 1 << 10, 1 << 11, 1 << 17)
control = os.open("/dev/mapper/control", os.O_RDWR)


def call(name, command, flags=0, data=b"", targets=0, minor=0):
    """Return: a function without arguments that does the ioctl, and nothing else."""
    head = struct.pack("=3I7IQ128s136x", 4, 0, 0, 16384, 312, targets, 0, flags, 0, 0, minor,
                       name.encode())
    buffer = bytearray((head + data).ljust(16384, b"\0"))
    request = 3 << 30 | 312 << 16 | 0xfd << 8 | command
    return lambda: fcntl.ioctl(control, request, buffer)


def target(start, length, kind, parameters):
    """Return: the data of one target, for LOAD."""
    text = parameters.encode("latin-1")
    text = text.ljust((len(text) + 8) // 8 * 8, b"\0")
    return struct.pack("=QQiI16s", start, length, 0, 40 + len(text), kind.encode()) + text


def message(sector, text):
    """Return: the data for MESSAGE."""
    return struct.pack("=Q", sector) + text.encode("latin-1")
