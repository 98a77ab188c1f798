/* SPDX-License-Identifier: GPL-2.0-only */
/* The running system as a source of facts. */
#ifndef NOCLONE_LOOKUP_H
#define NOCLONE_LOOKUP_H

#include "model/facts.h"

extern const struct facts_source system_facts;

#endif /* NOCLONE_LOOKUP_H */
