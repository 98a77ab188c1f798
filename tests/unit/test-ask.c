// SPDX-License-Identifier: GPL-2.0-only
/* Questions to a process that may never answer. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ASK_SECONDS: a test does not wait for a whole minute, as the tool does. */
#define ASK_SECONDS	3.0
#define ASK_LEAST	1.0
#include "base/ask.c"
#include "base/stop.h"
#include "base/util.h"

static void answer(int out, void *data)
{
	(void)!write(out, data, strlen(data));
}

static void never(int out __unused, void *data __unused)
{
	for (;;)
		pause();
}

static void an_answer_is_taken(void **state __unused)
{
	_cleanup_answer_ struct answer a;

	assert_int_equal(ask(answer, "yes", "it", &a), 0);
	assert_string_equal(a.text, "yes");
	assert_int_equal(a.length, 3);
	assert_int_equal(a.left, 0);
}

/* The answer is longer than the buffer of a pipe. */
static void a_long_answer_is_taken(void **state __unused)
{
	_cleanup_answer_ struct answer a;
	_cleanup_free_ char *text = xzalloc(300001);

	memset(text, 'x', 300000);
	assert_int_equal(ask(answer, text, "it", &a), 0);
	assert_int_equal(a.length, 300000);
}

/* A process that is left behind must hold neither a lock nor a pipe of the caller. */
static void only_the_answer_is_open(int out, void *data __unused)
{
	unsigned int nr = 0;
	int fd;

	for (fd = 0; fd < 256; fd++)
		nr += fd != out && fcntl(fd, F_GETFD) >= 0;
	dprintf(out, "%u", nr);
}

static void files_and_locks_are_not_inherited(void **state __unused)
{
	_cleanup_answer_ struct answer a;
	char path[] = "/tmp/noclone-ask-XXXXXX";
	int fd = mkstemp(path);

	assert_false(flock(fd, LOCK_EX));
	assert_int_equal(ask(only_the_answer_is_open, NULL, "it", &a), 0);
	/* three descriptors are open, each for /dev/null */
	assert_string_equal(a.text, "3");
	close(fd);
	unlink(path);
}

/* A blocked signal ends the wait, and stays pending for the caller. */
static void a_signal_ends_the_wait(void **state __unused)
{
	_cleanup_answer_ struct answer a;

	stop_hold();
	raise(SIGTERM);
	assert_int_equal(ask(never, NULL, "it", &a), -EINTR);
	assert_true(stop_requested());
	stop_release();
	assert_int_not_equal(a.left, 0);
	kill(a.left, SIGKILL);
}

/* A signal may have come long before the answer; the caller continues its change. */
static void a_signal_loses_no_answer(void **state __unused)
{
	_cleanup_answer_ struct answer a;

	stop_hold();
	raise(SIGTERM);
	assert_int_equal(ask(answer, "yes", "it", &a), 0);
	assert_string_equal(a.text, "yes");
	assert_true(stop_requested());
	stop_release();
}

static void slowly(int out, void *data)
{
	usleep(1300000);
	answer(out, data);
}

/*
 * If slow disks answer, the wait for them does not shorten the wait for disks that are asked later.
 */
static void slow_answers_take_no_time_from_others(void **state __unused)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		_cleanup_answer_ struct answer a;

		assert_int_equal(ask(slowly, "yes", "slow", &a), 0);
		assert_string_equal(a.text, "yes");
	}
}

/* A disk that did not answer is not asked again, because a second process would also wait. */
static void silence_is_remembered(void **state __unused)
{
	_cleanup_answer_ struct answer a, again;
	double start;

	assert_int_equal(ask(never, NULL, "silent", &a), -ETIMEDOUT);
	assert_int_not_equal(a.left, 0);
	start = ask_now();
	assert_int_equal(ask(answer, "yes", "silent", &again), -ETIMEDOUT);
	assert_true(ask_now() - start < ASK_LEAST / 2);
	assert_int_equal(again.left, a.left);
	kill(a.left, SIGKILL);
	assert_int_equal(ask(answer, "yes", "it", &again), 0);
}

static void begin_to_answer(int out, void *data)
{
	answer(out, data);
	raise(SIGKILL);
}

/* The rest of the answer would be missing, and the disk would seem to be empty. */
static void a_killed_process_has_not_answered(void **state __unused)
{
	_cleanup_answer_ struct answer a;

	assert_int_equal(ask(begin_to_answer, "y", "killed", &a), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_process_has_not_answered),
		cmocka_unit_test(an_answer_is_taken),
		cmocka_unit_test(a_long_answer_is_taken),
		cmocka_unit_test(files_and_locks_are_not_inherited),
		cmocka_unit_test(a_signal_ends_the_wait),
		cmocka_unit_test(a_signal_loses_no_answer),
		cmocka_unit_test(slow_answers_take_no_time_from_others),
		cmocka_unit_test(silence_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
