# SPDX-License-Identifier: GPL-2.0-only
#
# dm-noclone: device-mapper linear and striped targets that do not clone.
#
# Build for the running kernel:
#   make                  the module and the tool
#   make modules          the module: dm-target/dm-noclone.ko
#   make tool             the tool: build/userspace/noclone
#   make install          both, with man pages, completion and udev rules
#   make uninstall
#   make deb              Debian packages of both, in build/deb; debian/control says what it
#                         needs, "apt-get build-dep ." installs that
#   make clean            what the above built, and build/ with its downloads
#
# Test, on any Debian 12; all that is downloaded and built stays under build/.  In less
# than a minute, by any user:
#   make style            shellcheck, checkpatch, and the rules of tests/style
#   make check-unit       unit tests, with the compiler and libraries of this machine
#   make fuzz             fuzzers of the tool's parsers and plans; needs clang, see tests/fuzz
#   make style ALL=1      also gcc -fanalyzer, clang --analyze, cppcheck, coccinelle: minutes
# As root, who also gets installed what is missing:
#   make demo             boot a stock kernel, make a device, use it, measure it
#   make check            of each part what tests/harness/plan says: at most 55 minutes
#   make check-all        all that there is, on all kernels: many hours
#   make check-vm         the suite in a VM of each stock kernel
#   make check-machine    Debian with systemd, root and swap on LVM, enabled while in use
#   make check-packages   make deb, and what dpkg and dkms make of it
#   make check-uml        the suite in a kernel with KASAN, lockdep and kmemleak
#   make check-suites     tests of lvm2, cryptsetup, mdadm, with and without the fast path
#   make check-here       tests of the suite on the kernel of this machine, in a VM with its files
#   make check-meta       tests of the test harness itself
#   make upstream         the patches for dm core of Documentation/upstream: applied, built, tested,
#                         and what each saves
#   make next             what a reader of Debian's newest kernel has to look at
#   make bench MODE=insn  instructions per I/O on the stock kernels: raw, stock, ours
#   make bench MODE=file  the same of files, loop devices and noclone-file
#   make bench MODE=volumes  the same of what LVM and others make, without and with the fast path
#   make bench MODE=loads  which share of the I/O of file systems and databases is fast
#   make bench MODE=native  nanoseconds per I/O in User-mode Linux
#   make bench MODE=smp   the same on two processors: what scales, and who waits for whom
#   make help             this text
#
# Variables:
#   KERNEL="6.12"         only these kernels
#   SETS="psync stack"    only these sets of measurements of make bench, not published
#   T="stack/ *flush"     only tests whose AREA/NAME contains or matches one
#   SECONDS=30            how long make fuzz runs
#   NEXT=7.3 SINCE=7.2    another kernel for make next, and the one beside it
#   RELEASE=6.1.0-50-amd64  another installed kernel for make check-here; tests/here/run has METAL=
#   KVER=6.1.0-50-amd64   build the module for another installed kernel
#   V=1                   show the commands
#   DESTDIR=, prefix=/usr/local

SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
KVER ?= $(shell uname -r)
prefix ?= /usr/local
export KERNEL T V MODE SETS TORTURE NEXT SINCE FAULT RELEASE METAL

all: modules tool

modules:
	$(MAKE) -C dm-target KVER=$(KVER) modules

tool:
	$(MAKE) -C userspace prefix=$(prefix)

install: all
	$(MAKE) -C dm-target KVER=$(KVER) $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
	$(MAKE) -C userspace prefix=$(prefix) DESTDIR=$(DESTDIR) install

uninstall:
	rm -f $(DESTDIR)/lib/modules/$(KVER)/updates/dm-noclone.ko*
	$(if $(DESTDIR),,depmod $(KVER))
	$(MAKE) -C userspace prefix=$(prefix) DESTDIR=$(DESTDIR) uninstall

# In a copy, because dpkg-buildpackage writes into the tree and next to it.
deb:
	rm -rf build/deb
	mkdir -p build/deb/source
	tar -c --exclude=./build --exclude=./.git . | tar -x -C build/deb/source
	$(MAKE) -C build/deb/source clean
	cd build/deb/source && dpkg-buildpackage --build=binary --no-sign
	rm -rf build/deb/source

check:
	@tests/harness/run

check-all:
	@ALL=1 tests/harness/run

next:
	@tests/harness/next

upstream:
	@tests/upstream/run

check-unit:
	@tests/harness/unit

fuzz:
	@$(MAKE) -C tests/fuzz check

check-vm:
	@tests/harness/run build vm

check-here:
	@tests/here/run

check-machine:
	@KERNEL="$${KERNEL:-6.1 6.12}" tests/harness/run build machine

check-packages:
	@KERNEL="$${KERNEL:-6.12}" tests/harness/run packages

check-uml:
	@KERNEL="$${KERNEL:-7.2}" tests/harness/run build uml

check-suites:
	@KERNEL="$${KERNEL:-6.12 7.2}" tests/harness/run build suites

check-meta:
	@KERNEL="$${KERNEL:-7.2}" tests/harness/run build meta

style:
	@tests/style/run
	@tests/style/counts

demo:
	@tests/demo/run

bench:
	@tests/bench/run

clean:
	rm -rf build
	find dm-target \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name Module.symvers -o -name modules.order \
		-o -name build-word.h \) -delete

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

.PHONY: all modules tool install uninstall deb check check-all check-unit fuzz check-vm \
	check-machine check-packages check-uml check-suites check-meta style demo bench next upstream clean help
