/* A log that is too large for one file. */
#include "audits.h"

#include <signal.h>

#include "enforce/audit/log.h"
#include "enforce/sys/landlock.h"
#include "enforce/sys/seccomp.h"

#define PART 2000 /* bytes: a handful of lines */

static char file[PATH_MAX * 2];

static struct cdn_sink *
open_small(void)
{
	struct cdn_sink *sink = NULL;

	tmp_need(cdn_audit_open(file, &sink, NULL) == 0, "open", file);
	cdn_audit_part_size(sink, PART);
	return sink;
}

static void
begin(const char *name, unsigned n)
{
	struct cdn_sink *sink;

	snprintf(file, sizeof(file), "%s", tmp_path(name));
	sink = open_small();
	for (unsigned i = 0; i < n; i++)
		tmp_need(write_text(sink, "line", NULL) == 0, "write", name);
	cdn_audit_close(sink);
}

/* Reads it with our reader and judges with jansson and libmd. */
static long
judge_log(size_t *ret_files)
{
	char prev[SHA256_DIGEST_STRING_LENGTH];
	struct cdn_log_line line;
	const char *last = "";
	struct cdn_log *log;
	long count = 0;
	int r;

	memset(prev, '0', 64);
	prev[64] = '\0';
	*ret_files = 0;
	tmp_need(cdn_log_open(file, &log, NULL) == 0, "read", file);
	while ((r = cdn_log_next(log, &line, NULL)) == 1) {
		if (line.too_long || !judge_line(line.text.p, line.text.n,
			count + 1, prev)) {
			cdn_log_free(log);
			return -1;
		}
		SHA256Data((const uint8_t *)line.text.p, line.text.n, prev);
		*ret_files += strcmp(last, line.file) != 0;
		last = line.file;
		count++;
	}
	r |= cdn_log_unfinished(log) > 0;
	cdn_log_free(log);
	return r == 0 ? count : -1;
}

static void
test_rotation(void)
{
	struct cordon_error err = { 0 };
	struct stat st;
	size_t files, n;
	char *text;
	bool small = true;

	begin("rotate.jsonl", 60);
	ok(judge_log(&files) == 60 && files > 5, "one chain through all parts");
	ok(tmp_there("rotate.jsonl.1"), "the first part begins with line 1");
	for (unsigned i = 1; i <= 60; i++) {
		char name[PATH_MAX * 3];

		snprintf(name, sizeof(name), "%s.%u", file, i);
		if (stat(name, &st) != 0)
			continue;
		text = slurp(name, &n);
		small = small && n <= PART &&
		    strtoul(strstr(text, "\"seq\":") + 6, NULL, 10) == i &&
		    (st.st_mode & 07777) == 0600;
		free(text);
	}
	ok(small, "parts are named by their first line, and none is too large");
	ok(write_once(file, "x", &err) == 0 && judge_log(&files) == 61,
	    "a new writer goes on");
}

/* Who has it open may be unable to open another one. */
static void
test_two_writers(void)
{
	struct cdn_sink *one, *other;
	size_t files;
	bool good = true;

	snprintf(file, sizeof(file), "%s", tmp_path("two.jsonl"));
	one = open_small();
	other = open_small();
	for (unsigned i = 0; i < 50; i++)
		good = good && write_text(one, "one", NULL) == 0 &&
		    write_text(i % 9 == 0 ? other : one, "x", NULL) == 0;
	ok(good && judge_log(&files) == 100 && files == 1,
	    "while two use it nobody puts it away");
	cdn_audit_close(other);
	for (unsigned i = 0; i < 50; i++)
		good = good && write_text(one, "one", NULL) == 0;
	ok(good && judge_log(&files) == 150 && files > 3, "one alone does");
	cdn_audit_close(one);
}

/* As the broker's threads are: what is open can be written, and that is all. */
static int
write_confined(void)
{
	const struct cdn_landlock_ruleset all = { .fs = CDN_LL_MAKE_REG |
		CDN_LL_REMOVE_FILE | CDN_LL_READ_FILE | CDN_LL_WRITE_FILE };
	struct cdn_sink *sink = open_small();
	int ruleset = cdn_sys_landlock_create(&all, 1), r = 0;

	if (ruleset < 0 || cdn_sys_no_new_privs() != 0 ||
	    cdn_sys_landlock_restrict(ruleset) != 0)
		return 2;
	for (unsigned i = 0; r == 0 && i < 50; i++)
		r = write_text(sink, "x", NULL);
	return r != 0;
}

static void
test_confined(void)
{
	size_t files;
	int status = -1;
	pid_t pid;

	snprintf(file, sizeof(file), "%s", tmp_path("confined.jsonl"));
	pid = fork();
	if (pid == 0)
		_exit(write_confined());
	tmp_need(pid > 0 && waitpid(pid, &status, 0) == pid, "fork", "writer");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
		skip("no Landlock");
		return;
	}
	ok(status == 0 && judge_log(&files) == 50 && files == 1,
	    "who cannot put it away goes on");
	ok(write_once(file, "x", NULL) == 0, "so does the next one");
}

/* What is left when the writer dies between the two steps. */
static void
test_killed_between(void)
{
	char part[PATH_MAX * 3];
	struct cordon_error err = { 0 };
	size_t files;

	begin("between.jsonl", 3);
	snprintf(part, sizeof(part), "%s.1", file);
	tmp_need(rename(file, part) == 0, "rename", part);
	ok(write_once(file, "x", &err) == 0 && judge_log(&files) == 4 &&
	    files == 2, "put away, and no new file yet");
	begin("gone.jsonl", 3);
	snprintf(part, sizeof(part), "%s.1", file);
	tmp_need(rename(file, part) == 0 && truncate(part, 50) == 0, "cut",
	    part);
	ok(write_once(file, "x", &err) == CORDON_E_INVALID &&
	    strstr(err.text, "shorter than its head") != NULL,
	    "a part that does not end as the head says is no such case");
}

static void
test_in_the_way(void)
{
	char part[PATH_MAX * 3];
	struct cordon_error err = { 0 };
	struct cdn_sink *sink;
	size_t files, n;
	char *text;
	int r = 0;

	begin("way.jsonl", 1);
	snprintf(part, sizeof(part), "%s.1", file);
	spill(part, "mine\n", 5);
	sink = open_small();
	for (unsigned i = 0; r == 0 && i < 50; i++)
		r = write_text(sink, "x", &err);
	ok_f(r != 0 && err.sys_errno == EEXIST, "never over a file: %s",
	    err.text);
	text = slurp(part, &n);
	ok(strcmp(text, "mine\n") == 0, "which stays as it was");
	free(text);
	tmp_need(unlink(part) == 0, "unlink", part);
	ok(write_text(sink, "x", &err) == 0 && judge_log(&files) > 1 &&
	    files == 2, "and when it is away it goes on");
	cdn_audit_close(sink);
}

static void
test_follow(void)
{
	struct cdn_log_line line;
	struct cdn_sink *sink;
	struct cdn_log *log;
	unsigned seen = 0;
	bool good = true;

	begin("follow.jsonl", 1);
	tmp_need(cdn_log_open(file, &log, NULL) == 0, "read", file);
	sink = open_small();
	for (unsigned i = 1; i <= 80; i++) {
		if (i % 13 == 0 || i == 80)
			while (cdn_log_next(log, &line, NULL) == 1) {
				struct cdn_link link;

				good = good && cdn_line_link(line.text, &link) &&
				    link.seq == ++seen;
			}
		good = good && write_text(sink, "x", NULL) == 0;
	}
	ok(good && seen == 80, "a reader follows through parts, no line twice");
	cdn_audit_close(sink);
	cdn_log_free(log);
}

#define KILLS 40
#ifdef __SANITIZE_ADDRESS__ /* a thousand of those need too much memory */
#define RUNS 100
#else
#define RUNS 1000
#endif

static void
write_until_killed(void)
{
	static char text[1500];
	struct cdn_sink *sink = open_small();

	memset(text, 'x', sizeof(text) - 1);
	for (unsigned i = 0; i < 100000; i++)
		if (write_text(sink, i % 2 == 0 ? text : "s", NULL) != 0)
			_exit(1);
	_exit(2);
}

static void
test_kills(void)
{
	unsigned went_on = 0;
	size_t files;

	srandom(20261116);
	snprintf(file, sizeof(file), "%s", tmp_path("kills/log.jsonl"));
	for (unsigned i = 0; i < KILLS; i++) {
		struct cordon_error err = { 0 };
		pid_t pid = fork();

		tmp_need(pid >= 0, "fork", "writer");
		if (pid == 0)
			write_until_killed();
		usleep((useconds_t)(random() % 2000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (write_once(file, "after", &err) == 0)
			went_on++;
		else
			printf("# %s\n", err.text);
	}
	ok(went_on == KILLS, "after every kill the next writer goes on");
	ok(judge_log(&files) > KILLS, "one chain over all of it");
}

/* All at once, each as a run does: opened, begun, ended. */
static void
test_runs(void)
{
	static unsigned char seen[RUNS];
	struct cdn_log_line line;
	struct cdn_log *log;
	int gate[2], status, failed = 0;
	size_t files;
	unsigned lost = 0;

	snprintf(file, sizeof(file), "%s", tmp_path("runs/log.jsonl"));
	tmp_need(pipe(gate) == 0, "pipe", "gate");
	for (unsigned i = 0; i < RUNS; i++) {
		pid_t pid = fork();

		tmp_need(pid >= 0, "fork", "run");
		if (pid == 0) {
			struct cdn_sink *sink = NULL;
			char text[16];
			char byte;

			close(gate[1]);
			(void)!read(gate[0], &byte, 1);
			snprintf(text, sizeof(text), "run %u.", i);
			if (cdn_audit_open(file, &sink, NULL) != 0)
				_exit(1);
			cdn_audit_part_size(sink, 100 * PART);
			_exit(write_text(sink, text, NULL) != 0 ||
			    write_text(sink, text, NULL) != 0);
		}
	}
	close(gate[0]);
	close(gate[1]);
	while (wait(&status) > 0)
		failed += status != 0;
	ok_f(failed == 0, "%d runs at once (%d failed)", RUNS, failed);
	ok(judge_log(&files) == 2 * RUNS, "one chain of them");
	tmp_need(cdn_log_open(file, &log, NULL) == 0, "read", file);
	while (cdn_log_next(log, &line, NULL) == 1) {
		const char *at = memmem(line.text.p, line.text.n, "run ", 4);

		if (at != NULL)
			seen[strtoul(at + 4, NULL, 10) % RUNS]++;
	}
	cdn_log_free(log);
	for (unsigned i = 0; i < RUNS; i++)
		lost += seen[i] != 2;
	ok(lost == 0, "and nothing of any is lost");
}

int
main(void)
{
	tmp_begin();
	test_rotation();
	test_two_writers();
	test_confined();
	test_killed_between();
	test_in_the_way();
	test_follow();
	test_kills();
	test_runs();
	tmp_end();
	return done_testing();
}
