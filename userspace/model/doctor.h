/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What keeps a machine from using the fast path: facts in, findings out.  The facts
 * come from system/doctor-*.c, or from a unit test.
 */
#ifndef NOCLONE_DOCTOR_H
#define NOCLONE_DOCTOR_H

#include "model/finding.h"
#include "model/lvm-view.h"
#include "model/modprobe-conf.h"
#include "model/policy.h"
#include "model/switch-plan.h"
#include "model/trouble.h"

/**
 * struct module_facts - the module as it is loaded
 * @params: its parameters
 * @version: of the module; NULL if it is not loaded
 * @srcversion: of its source
 * @fastpath_off: the parameter fastpath is N
 * @any_kernel: the parameter any_kernel is Y
 */
struct module_facts {
	struct module_params params;
	char *version;
	char *srcversion;
	bool fastpath_off;
	bool any_kernel;
};

/**
 * struct kernel_facts - an installed kernel
 * @release: as uname -r
 * @running: it is the one that runs
 * @headers: /lib/modules/RELEASE/build exists
 * @module: path of the module that modprobe would load, or NULL
 * @of_dkms: that file is what dkms has built
 * @version: of that module
 * @srcversion: likewise
 * @vermagic: release of the kernel that it was built for
 * @differs: in what that kernel differs from all that were read, or "known"
 * @signer: who signed it, or NULL
 * @key_known: the kernel knows that key; only for the running kernel
 * @unindexed: a file of that name is there, but depmod has not seen it; or NULL
 * @dkms: what dkms says: "installed", "built", "added"; NULL: nothing
 * @failed_build: the log of dkms, if the last build that failed was for it; or NULL
 */
struct kernel_facts {
	char *release;
	bool running;
	bool headers;
	char *module;
	bool of_dkms;
	char *version;
	char *srcversion;
	char *vermagic;
	char *differs;
	char *signer;
	enum answer key_known;
	char *unindexed;
	char *dkms;
	char *failed_build;
};

/**
 * struct trust_facts - which modules the running kernel takes
 * @secure_boot: Secure Boot is on
 * @lockdown: "none", "integrity", "confidentiality"; NULL: not known
 * @sig_enforce: module.sig_enforce is set
 */
struct trust_facts {
	enum answer secure_boot;
	char *lockdown;
	enum answer sig_enforce;
};

/* A unit, by the words of systemctl show; empty where systemd does not answer. */
struct unit_facts {
	char *name;
	char *load, *active, *enabled;
};

/**
 * struct boot_facts - who enables devices at boot
 * @has_policy: there is a policy
 * @policy: its rules
 * @problems: lines that are none
 * @unreadable: why it could not be read, or NULL
 * @matched: for each line of @policy, how many devices it matches
 * @unit: units of this project
 * @nr_units: how many
 */
struct boot_facts {
	bool has_policy;
	struct policy policy;
	struct problems problems;
	char *unreadable;
	unsigned int *matched;
	struct unit_facts *unit;
	unsigned int nr_units;
};

/* What others run for this project, if it is installed. */
enum hook_id {
	HOOK_POLICY_RULE,
	HOOK_DEVICE_RULE,
	HOOK_GENERATOR,
	HOOK_NR
};

/**
 * struct hook - what is known of it
 * @name: name of the file
 * @folders: where it is looked for, separated by colons
 * @user: exists where somebody would run it
 * @without: what happens without it
 */
struct hook {
	const char *name;
	const char *folders;
	const char *user;
	const char *without;
};

extern const struct hook doctor_hooks[HOOK_NR];

/**
 * struct hook_facts - whether it is there
 * @has_user: there is somebody who would run it
 * @path: its file, or NULL
 * @off: that file has no content, which turns it off
 */
struct hook_facts {
	bool has_user;
	char *path;
	bool off;
};

/**
 * struct mapped_facts - a linear or striped device, or one with a target of ours
 * @name: its name
 * @own: a target is one of this module
 * @state: "on", "off:reason"; NULL: dm core's path, the module does not know it
 * @stand_in: another engine runs than the requested one: the words, or NULL
 * @suspended: the device is suspended
 * @deferred: it is removed when it is closed
 * @rule: what the policy says of it
 * @lvm_sees: there is a physical volume on it, and LVM looks at it
 * @troubles: what is wrong below it
 */
struct mapped_facts {
	char *name;
	bool own;
	char *state;
	char *stand_in;
	bool suspended;
	bool deferred;
	enum policy_kind rule;
	enum answer lvm_sees;
	struct troubles troubles;
};

/**
 * struct saved_facts - a device that comes back at boot
 * @name: its name
 * @unreadable: why its file could not be read, or NULL
 * @problems: what is wrong in the file
 * @missing: a leg or file that is not there, or NULL
 * @active: there is a device of that name
 * @stands_in: it has none of this module's targets
 * @on_file: its file has a backing file, for which a loop device stands in
 */
struct saved_facts {
	char *name;
	char *unreadable;
	struct problems problems;
	char *missing;
	bool active;
	bool stands_in;
	bool on_file;
};

/**
 * struct layer_facts - a leg below a mapped device
 * @upper: name of the mapped device
 * @leg: path of the leg
 * @leg_name: its name that survives a reboot; the path if there is none
 * @type: "LVM2_member", "ext4", ... if both have the same signature and UUID; or NULL
 * @lvm_sees: LVM looks at the leg
 * @lvm_sees_upper: LVM looks at the mapped device
 * @path_of: name of the dm-multipath device that the leg is a path of, or NULL
 * @multipathd: udev says that multipathd claims the leg
 */
struct layer_facts {
	char *upper;
	char *leg;
	char *leg_name;
	char *type;
	enum answer lvm_sees;
	enum answer lvm_sees_upper;
	char *path_of;
	bool multipathd;
};

/**
 * struct doctor_facts - all of it
 * @tool: version of this tool
 * @root: the tool runs as root
 * @driver: device-mapper is there
 * @dkms_version: version of the source that dkms has, or NULL
 * @devices_error: why devices could not be looked at, or NULL
 * @unprobed: devices that could not be read, or that may hold a read back
 * @lvm_devices_file: LVM goes by its devices file
 * @lvm_filter: lvm.conf has a global_filter
 */
struct doctor_facts {
	const char *tool;
	bool root;
	bool driver;
	struct module_facts module;
	struct modprobe_conf conf;
	struct trust_facts trust;
	char *dkms_version;
	struct kernel_facts *kernel;
	unsigned int nr_kernels;
	struct boot_facts boot;
	struct hook_facts hook[HOOK_NR];
	char *devices_error;
	struct mapped_facts *device;
	unsigned int nr_devices;
	struct saved_facts *saved;
	unsigned int nr_saved;
	struct layer_facts *layer;
	unsigned int nr_layers;
	unsigned int unprobed;
	bool lvm_devices_file;
	bool lvm_filter;
};

/* All findings, in the order in which they are best fixed. */
void doctor_judge(const struct doctor_facts *d, struct findings *f);
/* Their parts */
void doctor_judge_module(const struct doctor_facts *d, struct findings *f);
void doctor_judge_trust(const struct doctor_facts *d, struct findings *f);
void doctor_judge_kernels(const struct doctor_facts *d, struct findings *f);
void doctor_judge_hooks(const struct doctor_facts *d, struct findings *f);
void doctor_judge_boot(const struct doctor_facts *d, struct findings *f);
void doctor_judge_devices(const struct doctor_facts *d, struct findings *f);
void doctor_judge_saved(const struct doctor_facts *d, struct findings *f);
void doctor_judge_layers(const struct doctor_facts *d, struct findings *f);

/* How many rules the policy has. */
unsigned int doctor_count_rules(const struct doctor_facts *d);
/* Does the running kernel take signed modules only? */
bool doctor_wants_signature(const struct trust_facts *t);
const struct kernel_facts *doctor_running(const struct doctor_facts *d);

/* The state of @release in what "dkms status" prints: a new string, or NULL. */
char *dkms_state(const char *text, const char *release);
/* The version of the source that dkms has, @preferred if that is one of them: a new string, or NULL. */
char *dkms_source_version(const char *text, const char *preferred);

void doctor_facts_free(struct doctor_facts *d);

#define _cleanup_doctor_facts_ __attribute__((cleanup(doctor_facts_free)))

#endif /* NOCLONE_DOCTOR_H */
