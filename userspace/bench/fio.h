/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of fio, and its JSON. */
#ifndef NOCLONE_BENCH_FIO_H
#define NOCLONE_BENCH_FIO_H

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, member of the JSON) */
#define NOCLONE_MEASURES(X)						\
	X(IOPS,		"iops")						\
	X(LATENCY,	"latency_us")					\
	X(CPU,		"cpu_s_per_million")				\
	X(SWITCHES,	"switches_per_io")				\
	X(TIME,		"us_per_io")

#define MEASURE_NUMBER(enumerator, name)	MEASURE_##enumerator,
enum measure { NOCLONE_MEASURES(MEASURE_NUMBER) NR_MEASURES };

extern const char * const measure_names[NR_MEASURES];

/**
 * struct workload - what fio does to a device
 * @write: it writes instead of reading
 * @engine: ioengine
 * @iodepth: I/Os in flight, of each job
 * @jobs: how many jobs
 */
struct workload {
	bool write;
	const char *engine;
	unsigned int iodepth;
	unsigned int jobs;
};

/**
 * struct fio_target - where fio runs
 * @filename: device; several are separated by colons
 * @block: bytes of an I/O
 * @run_ms: how long
 */
struct fio_target {
	const char *filename;
	uint32_t block;
	unsigned int run_ms;
};

/**
 * struct fio_result - one run
 * @value: by measure
 */
struct fio_result {
	double value[NR_MEASURES];
};

/* "randread-qd32-jobs8": a new string, unique among the workloads */
char *workload_name(const struct workload *w);
/* "4K random reads, queue depth 32, io_uring, 8 jobs": a new string */
char *workload_title(const struct workload *w, uint32_t block);
/* "at queue depth 32 with 8 jobs": a new string */
char *workload_where(const struct workload *w);

/* Words of a command line, ending with NULL. */
struct command_line {
	char **word;
	unsigned int nr;
};

void command_line_add(struct command_line *c, const char *word);
/* What a shell would take: a new string. */
char *command_line_text(const struct command_line *c);
void command_line_free(struct command_line *c);

void fio_command(struct command_line *c, const struct workload *w,
		 const struct fio_target *target);

/* Append a device to a file name, escaped: fio splits at colons. */
char *fio_filename(char *so_far, const char *path);

/* Does the output of "fio --enghelp" list the engine? */
bool fio_has_engine(const char *enghelp, const char *engine);

/**
 * fio_parse - read the result of a run
 * @text: output of fio; there may be messages before the JSON
 * @write: use the results of writes
 * @result: filled in
 * @version: set to the name and version of fio unless it is set already
 *
 * Return: NULL, or a sentence saying what is wrong.
 */
const char *fio_parse(const char *text, bool write, struct fio_result *result,
		      char **version);

#define _cleanup_command_line_ __attribute__((cleanup(command_line_free)))

#endif /* NOCLONE_BENCH_FIO_H */
