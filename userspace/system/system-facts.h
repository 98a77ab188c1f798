/* SPDX-License-Identifier: GPL-2.0-only */
/* The running system as a source of facts. */
#ifndef NOCLONE_SYSTEM_FACTS_H
#define NOCLONE_SYSTEM_FACTS_H

#include "model/facts.h"

extern const struct facts_source system_facts;

#endif /* NOCLONE_SYSTEM_FACTS_H */
