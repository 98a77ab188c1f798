/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cppcheck includes this file before everything else, because it reads no kernel header. The file
 * has macros without which cppcheck cannot parse the module.
 */
#define NOCLONE_MUSTTAIL
#define __stringify(x) #x
#define list_for_each_entry(pos, head, member) \
	for ((pos) = (void *)(head)->next; (pos); (pos) = (void *)(pos)->member.next)
#define list_for_each_entry_safe(pos, n, head, member) \
	for ((pos) = (void *)(head)->next, (n) = (void *)(pos)->member.next; (pos); (pos) = (n))
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 2; (cpu)++)
