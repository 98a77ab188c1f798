/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts that "noclone doctor" goes by; nothing is changed or loaded for them. */
#ifndef NOCLONE_DOCTOR_FACTS_H
#define NOCLONE_DOCTOR_FACTS_H

#include "model/doctor.h"

void doctor_gather(struct doctor_facts *d);
/* Their parts; the kernels need the policy, saved devices the others, units these. */
void doctor_gather_module(struct doctor_facts *d);
void doctor_gather_kernels(struct doctor_facts *d);
void doctor_gather_boot(struct doctor_facts *d);
void doctor_gather_units(struct doctor_facts *d);
void doctor_gather_hooks(struct doctor_facts *d);
void doctor_gather_devices(struct doctor_facts *d);
void doctor_gather_saved(struct doctor_facts *d);

#endif /* NOCLONE_DOCTOR_FACTS_H */
