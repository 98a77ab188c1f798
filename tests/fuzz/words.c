// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz words of users and of the kernel: sizes, legs, names, paths, status lines. */
#include "fuzz.h"

#include "noclone-path.h"
#include "base/util.h"
#include "model/saved.h"
#include "model/name.h"
#include "model/origin.h"
#include "model/plan.h"
#include "model/resize.h"
#include "model/status.h"

static void words_size(const char *word)
{
	_cleanup_free_ char *text = NULL;
	struct resize_size size;
	uint64_t sectors, again;

	assert(resize_parse(&size, word) || size.sectors || size.how == RESIZE_MAX);
	if (size_parse(word, &sectors))
		return;
	free(size_format_short(sectors));
	text = size_format(sectors);
	assert(!size_parse(text, &again) && sectors == again);
}

static void words_leg(const char *word)
{
	_cleanup_free_ char *device = NULL;
	struct leg_spec spec;
	const char *wrong = plan_parse_leg(&spec, word);

	device = spec.device;
	assert(str_starts(word, device) && (wrong || *device));
	assert(!word[strlen(device)] || word[strlen(device)] == ':');
}

static void words_name(const char *word)
{
	_cleanup_free_ char *encoded = name_encode(word), *decoded = name_decode(encoded);
	_cleanup_free_ char *path = name_encode_path(word), *file = saved_path(word);
	_cleanup_free_ char *saved = saved_name(file + strlen(SAVED_DIR "/"));

	assert(!strcmp(word, decoded));
	assert(name_problem(word) || !strcmp(word, encoded));
	assert(saved ? !strcmp(word, saved) : !!saved_name_problem(word));
	assert(noclone_path_decode(path) && !strcmp(path, word));
	free(origin_of_uuid(word));
	free(saved_escape(word));
}

static void words_status(const char *line)
{
	_cleanup_status_ struct status s = { 0 };

	if (status_parse(&s, line))
		return;
	status_file_id(&s);
	free(status_engine_words(&s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *line = fuzz_text(data, size), *word = fuzz_text(data, MIN(size, 64U));

	words_size(word);
	words_leg(word);
	words_name(word);
	words_status(line);
	return 0;
}
