/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_DAX_H
#define DM_NOCLONE_DAX_H

#include <linux/dax.h>
#include <linux/device-mapper.h>

/* Callbacks of struct target_type */
#if IS_ENABLED(CONFIG_FS_DAX)
long noclone_dax_direct_access(struct dm_target *ti, pgoff_t pgoff,
			       long nr_pages, enum dax_access_mode mode,
			       void **kaddr, noclone_dax_pfn_t *pfn);
int noclone_dax_zero_page_range(struct dm_target *ti, pgoff_t pgoff,
				size_t nr_pages);
size_t noclone_dax_recovery_write(struct dm_target *ti, pgoff_t pgoff,
				  void *addr, size_t bytes, struct iov_iter *i);
#else
#define noclone_dax_direct_access NULL
#define noclone_dax_zero_page_range NULL
#define noclone_dax_recovery_write NULL
#endif

#endif /* DM_NOCLONE_DAX_H */
