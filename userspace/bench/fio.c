// SPDX-License-Identifier: GPL-2.0-only
/* The command line of fio, and its JSON. */
#include "bench/fio.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/util.h"

#define MEASURE_NAME(enumerator, name)	name,

const char * const measure_names[NR_MEASURES] = {
	NOCLONE_MEASURES(MEASURE_NAME)
};

static const char *direction(const struct workload *w)
{
	return w->write ? "randwrite" : "randread";
}

char *workload_name(const struct workload *w)
{
	_cleanup_free_ char *jobs = w->jobs > 1 ?
		xasprintf("-jobs%u", w->jobs) : xstrdup("");

	return xasprintf("%s-%s-qd%u%s", direction(w), w->engine, w->iodepth,
			 jobs);
}

char *workload_title(const struct workload *w, uint32_t block)
{
	_cleanup_free_ char *size = size_format(block >> SECTOR_SHIFT);
	_cleanup_free_ char *jobs = w->jobs > 1 ?
		xasprintf(", %u jobs", w->jobs) : xstrdup("");

	return xasprintf("%s random %s, queue depth %u, %s%s", size,
			 w->write ? "writes" : "reads", w->iodepth, w->engine,
			 jobs);
}

char *workload_where(const struct workload *w)
{
	_cleanup_free_ char *jobs = w->jobs > 1 ?
		xasprintf(" with %u jobs", w->jobs) : xstrdup("");

	return xasprintf("at queue depth %u%s", w->iodepth, jobs);
}

static void add_word(struct command_line *c, char *word)
{
	c->word = xrealloc_array(c->word, (size_t)c->nr + 2, sizeof(*c->word));
	c->word[c->nr++] = word;
	c->word[c->nr] = NULL;
}

void command_line_add(struct command_line *c, const char *word)
{
	add_word(c, xstrdup(word));
}

char *command_line_text(const struct command_line *c)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		_cleanup_free_ char *quoted = shell_quote(c->word[i]);

		strbuf_add(&b, "%s%s", i ? " " : "", quoted);
	}
	return strbuf_take(&b);
}

void command_line_free(struct command_line *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		free(c->word[i]);
	free(c->word);
	memset(c, 0, sizeof(*c));
}

/*
 * Threads, so that killing fio ends all its jobs.  Other blocks in every run, so
 * that none is served from a cache that the previous one filled.
 */
void fio_command(struct command_line *c, const struct workload *w,
		 const struct fio_target *target)
{
	static const char * const always[] = {
		"--output-format=json", "--eta=never", "--name=bench",
		"--thread", "--group_reporting", "--direct=1",
		"--allow_file_create=0", "--randrepeat=0", "--norandommap",
		"--file_service_type=random", "--time_based",
	};
	size_t i;

	command_line_add(c, "fio");
	if (!w->write)
		command_line_add(c, "--readonly");
	for (i = 0; i < ARRAY_SIZE(always); i++)
		command_line_add(c, always[i]);
	add_word(c, xasprintf("--runtime=%ums", target->run_ms));
	add_word(c, xasprintf("--rw=%s", direction(w)));
	add_word(c, xasprintf("--bs=%u", target->block));
	add_word(c, xasprintf("--ioengine=%s", w->engine));
	add_word(c, xasprintf("--iodepth=%u", w->iodepth));
	add_word(c, xasprintf("--numjobs=%u", w->jobs));
	add_word(c, xasprintf("--filename=%s", target->filename));
}

char *fio_filename(char *so_far, const char *path)
{
	struct strbuf b = { 0 };

	if (so_far)
		strbuf_add(&b, "%s:", so_far);
	free(so_far);
	for (; *path; path++) {
		if (*path == ':' || *path == '\\')
			strbuf_putc(&b, '\\', 1);
		strbuf_putc(&b, *path, 1);
	}
	return strbuf_take(&b);
}

bool fio_has_engine(const char *enghelp, const char *engine)
{
	_cleanup_words_ struct words w;
	unsigned int i;

	words_split(&w, enghelp);
	for (i = 0; i < w.nr; i++)
		if (!strcmp(w.word[i], engine))
			return true;
	return false;
}

/* A number somewhere below @o; false if it is not there. */
static bool number_at(struct json_object *o, const char *key, double *value)
{
	struct json_object *member;

	if (!json_object_object_get_ex(o, key, &member) ||
	    !(json_object_is_type(member, json_type_double) ||
	      json_object_is_type(member, json_type_int)))
		return false;
	*value = json_object_get_double(member);
	return true;
}

/* fio gives CPU time in percent of the run time of all jobs. */
static const char *parse_job(struct json_object *job, bool write,
			     struct fio_result *result)
{
	double ios, iops, latency_ns, user, system, job_ms, switches, error;
	struct json_object *side, *latency;

	if (!number_at(job, "error", &error) ||
	    !json_object_object_get_ex(job, write ? "write" : "read", &side) ||
	    !json_object_object_get_ex(side, "lat_ns", &latency) ||
	    !number_at(side, "total_ios", &ios) ||
	    !number_at(side, "iops", &iops) ||
	    !number_at(latency, "mean", &latency_ns) ||
	    !number_at(job, "usr_cpu", &user) ||
	    !number_at(job, "sys_cpu", &system) ||
	    !number_at(job, "job_runtime", &job_ms) ||
	    !number_at(job, "ctx", &switches))
		return "its JSON lacks a number: this version of fio is too old or too new";
	if (error)
		return "it reports an I/O error";
	if (ios < 1 || iops <= 0)
		return "it did no I/O at all: give it more --seconds";

	result->value[MEASURE_IOPS] = iops;
	result->value[MEASURE_LATENCY] = latency_ns / 1e3;
	/* percent of ms are 1e-5 s; per million I/Os that is 10 */
	result->value[MEASURE_CPU] = (user + system) * job_ms * 10 / ios;
	result->value[MEASURE_SWITCHES] = switches / ios;
	result->value[MEASURE_TIME] = 1e6 / iops;
	return NULL;
}

/* Messages may precede the JSON, which begins a line. */
static const char *find_json(const char *text)
{
	const char *at = *text == '{' ? text : strstr(text, "\n{");

	return at && *at == '\n' ? at + 1 : at;
}

const char *fio_parse(const char *text, bool write, struct fio_result *result,
		      char **version)
{
	const char *at = find_json(text), *wrong = "it printed no result";
	struct json_object *root, *jobs, *name;

	root = at ? json_tokener_parse(at) : NULL;
	if (json_object_object_get_ex(root, "jobs", &jobs) &&
	    json_object_is_type(jobs, json_type_array) &&
	    json_object_array_length(jobs) == 1)
		wrong = parse_job(json_object_array_get_idx(jobs, 0), write,
				  result);
	if (!*version && json_object_object_get_ex(root, "fio version", &name))
		*version = xstrdup(json_object_get_string(name));
	json_object_put(root);
	return wrong;
}
