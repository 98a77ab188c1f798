/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What keeps a machine from using the fast path: facts in, findings out.  The facts
 * come from system/doctor-facts.c, or from a unit test.
 */
#ifndef NOCLONE_DOCTOR_H
#define NOCLONE_DOCTOR_H

#include <stdbool.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/policy.h"

/**
 * struct module_params - what is to know of the loaded module
 * @loaded: the module is loaded; else the rest is empty
 * @interface: the number of dm-noclone.h that it was built with
 * @stock: its parameter: stock devices understand messages
 */
struct module_params {
	bool loaded;
	unsigned int interface;
	bool stock;
};

/**
 * struct module_file - the module that modprobe finds for a kernel
 * @path: its file, MODULE_BUILTIN, or NULL; the strings below may be NULL as well
 * @version: of the module
 * @vermagic: begins with the release that it was built for
 * @signer: the name in its signature
 * @sig_key: the serial number of the certificate of the key, in hexadecimal
 * @kernel: how that kernel differs from all that were read for the module, or "known"
 * @install: the command that modprobe.d(5) runs in place of loading it
 * @blacklisted: modprobe.d or the kernel's command line says so
 */
struct module_file {
	char *path;
	char *version;
	char *vermagic;
	char *signer;
	char *sig_key;
	char *kernel;
	char *install;
	bool blacklisted;
};

#define MODULE_BUILTIN	"(builtin)"

/**
 * struct kernel_facts - the running kernel, or the newest one that is installed
 * @release: as uname -r
 * @what: subject of its findings
 * @running: it is the one that runs
 * @file: the module that modprobe would load
 * @unknown_key: the running kernel does not know the key that signed that file
 * @certificate: the file to enroll, so that it knows it
 * @build: the command that builds and installs the module for it
 */
struct kernel_facts {
	char *release;
	char *what;
	bool running;
	struct module_file file;
	bool unknown_key;
	char *certificate;
	char *build;
};

/**
 * struct rule_facts - what a line of the policy does
 * @matches: how many devices it matches
 * @decides: of how many it is the first to match
 */
struct rule_facts {
	unsigned int matches;
	unsigned int decides;
};

/**
 * struct mapped_facts - a linear or striped device, or one with a target of ours
 * @name: its name
 * @what: subject of its findings
 * @quoted: the name as a shell takes it
 * @own: a target is one of this module
 * @state: "on", "off:reason"; NULL: dm core's path, the module does not know it
 * @stand_in: another engine runs than the requested one: the words, or NULL
 * @suspended: the device is suspended
 * @included: the policy includes it
 * @below: what is wrong below it
 */
struct mapped_facts {
	char *name;
	char *what;
	char *quoted;
	bool own;
	char *state;
	char *stand_in;
	bool suspended;
	bool included;
	struct findings below;
};

/**
 * struct saved_facts - a device that comes back at boot
 * @name: its name
 * @what: subject of its findings
 * @quoted: the name as a shell takes it
 * @damage: why its file cannot be used, or NULL
 * @missing: a leg or file that does not exist, or NULL
 * @original: it is a copy of that file, whose device is active, or NULL
 * @leftover: a file that an interrupted command has left, or NULL
 * @active: there is a device with its UUID
 * @renamed: another name under which it is active, or NULL
 * @stands_in: it has none of this module's targets, its file has
 * @on_file: its file has a backing file, for which a loop device stands in
 * @differs: the device has another table than its file
 */
struct saved_facts {
	char *name;
	char *what;
	char *quoted;
	char *damage;
	char *missing;
	char *original;
	char *leftover;
	char *renamed;
	bool active;
	bool stands_in;
	bool on_file;
	bool differs;
};

/**
 * struct doctor_facts - all of it
 * @tool: version of this tool
 * @params: of the loaded module; @version likewise, or NULL
 * @other_build: the loaded module is another build than the one that modprobe would load
 * @fastpath_off: its parameter fastpath is N
 * @any_kernel: its parameter any_kernel is Y
 * @denied: module_blacklist= of the kernel's command line names the module
 * @policy_off: the command line has dm_noclone.stock=off
 * @signed_only: the kernel loads signed modules only
 * @kernel: the running kernel, and the newest one if that is another
 * @policy_unreadable: why the policy could not be read, or NULL
 * @has_policy: there is a file of rules, @policy with the mistakes @mistakes
 * @rule: for each line of @policy; NULL if the devices were not looked at
 * @unit: the unit that applies it: "enabled", "disabled", "masked", "failed", "not-found";
 *	NULL: systemd did not answer
 * @devices_error: why the devices could not be looked at, or NULL
 */
struct doctor_facts {
	const char *tool;
	struct module_params params;
	char *version;
	bool other_build;
	bool fastpath_off;
	bool any_kernel;
	bool denied;
	bool policy_off;
	bool signed_only;
	struct kernel_facts kernel[2];
	unsigned int nr_kernels;
	char *policy_unreadable;
	bool has_policy;
	struct policy policy;
	struct findings mistakes;
	struct rule_facts *rule;
	char *unit;
	char *devices_error;
	struct mapped_facts *device;
	unsigned int nr_devices;
	struct saved_facts *saved;
	unsigned int nr_saved;
};

/* All checks, in the order in which their findings are best fixed. */
void doctor_judge(const struct doctor_facts *d, struct findings *f);
void doctor_facts_free(struct doctor_facts *d);

#define _cleanup_doctor_facts_ __attribute__((cleanup(doctor_facts_free)))

#endif /* NOCLONE_DOCTOR_H */
