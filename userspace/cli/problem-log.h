/* SPDX-License-Identifier: GPL-2.0-only */
/* Problems as messages. */
#ifndef NOCLONE_PROBLEM_LOG_H
#define NOCLONE_PROBLEM_LOG_H

#include "model/problems.h"

/* Log all of them; notes with --verbose only. */
void problems_log(const struct problems *p, const char *where);
void problems_log_errors(const struct problems *p, const char *where);

#endif /* NOCLONE_PROBLEM_LOG_H */
