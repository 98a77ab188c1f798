/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NOCLONE_DOCTOR_FACTS_H
#define NOCLONE_DOCTOR_FACTS_H

#include "model/doctor.h"

/* What "noclone doctor" judges by; this changes and loads nothing. */
void doctor_gather(struct doctor_facts *d);

#endif /* NOCLONE_DOCTOR_FACTS_H */
