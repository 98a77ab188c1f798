// SPDX-License-Identifier: GPL-2.0-only
/* What keeps a machine from using the fast path. */
#include "model/doctor.h"

#include <stdlib.h>
#include <string.h>

bool doctor_wants_signature(const struct trust_facts *t)
{
	return t->sig_enforce == ANSWER_YES ||
	       (t->lockdown && strcmp(t->lockdown, "none"));
}

const struct kernel_facts *doctor_running(const struct doctor_facts *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_kernels; i++)
		if (d->kernel[i].running)
			return &d->kernel[i];
	return NULL;
}

void doctor_judge(const struct doctor_facts *d, struct findings *f)
{
	doctor_judge_module(d, f);
	doctor_judge_trust(d, f);
	doctor_judge_kernels(d, f);
	doctor_judge_boot(d, f);
	doctor_judge_hooks(d, f);
	doctor_judge_devices(d, f);
	doctor_judge_layers(d, f);
	doctor_judge_saved(d, f);
}

static void kernel_free(struct kernel_facts *k)
{
	free(k->release);
	free(k->module);
	free(k->version);
	free(k->srcversion);
	free(k->vermagic);
	free(k->differs);
	free(k->signer);
	free(k->unindexed);
	free(k->dkms);
	free(k->failed_build);
}

static void boot_free(struct boot_facts *b)
{
	unsigned int i;

	for (i = 0; i < b->nr_units; i++) {
		free(b->unit[i].name);
		free(b->unit[i].load);
		free(b->unit[i].active);
		free(b->unit[i].enabled);
	}
	free(b->unit);
	free(b->matched);
	free(b->unreadable);
	problems_free(&b->problems);
	policy_free(&b->policy);
}

static void mapped_free(struct mapped_facts *m)
{
	free(m->name);
	free(m->state);
	free(m->stand_in);
	troubles_free(&m->troubles);
}

static void saved_facts_free(struct saved_facts *s)
{
	free(s->name);
	free(s->unreadable);
	free(s->missing);
	problems_free(&s->problems);
}

static void layer_free(struct layer_facts *l)
{
	free(l->upper);
	free(l->leg);
	free(l->leg_name);
	free(l->type);
	free(l->path_of);
}

void doctor_facts_free(struct doctor_facts *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_kernels; i++)
		kernel_free(&d->kernel[i]);
	for (i = 0; i < d->nr_devices; i++)
		mapped_free(&d->device[i]);
	for (i = 0; i < d->nr_layers; i++)
		layer_free(&d->layer[i]);
	for (i = 0; i < d->nr_saved; i++)
		saved_facts_free(&d->saved[i]);
	for (i = 0; i < HOOK_NR; i++)
		free(d->hook[i].path);
	free(d->saved);
	free(d->kernel);
	free(d->device);
	free(d->layer);
	free(d->module.version);
	free(d->module.srcversion);
	free(d->trust.lockdown);
	free(d->dkms_version);
	free(d->devices_error);
	modprobe_conf_free(&d->conf);
	boot_free(&d->boot);
	memset(d, 0, sizeof(*d));
}
