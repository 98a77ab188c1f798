/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of noclone status, which completion offers as well. */
#ifndef NOCLONE_STATUS_COLUMNS_H
#define NOCLONE_STATUS_COLUMNS_H

#include "cli/report.h"

/* All columns, none of them selected. */
struct report status_report(void);

#endif /* NOCLONE_STATUS_COLUMNS_H */
