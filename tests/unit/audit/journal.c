/* What a run was allowed: once each, within bounds, and there to stay. */
#include "enforce/audit/journal.h"

#include <pthread.h>
#include <signal.h>

#include "audits.h"

#define THREADS 8
#define KILLS	20

static char file[PATH_MAX * 2];

static void
add(struct cdn_journal *journal, enum cordon_op op, const char *path,
    int error)
{
	const struct cdn_access access = {
		.verdict = { .decision = CORDON_ALLOW, .allowed = true,
		    .operation = op, .layer = CORDON_LAYER_POLICY,
		    .profile = "dev", .matched_rule = "src/**",
		    .rule_text = "./src/**", .source = "p.yaml", .line = 9,
		    .column = 16 },
		.call = "openat", .pid = 7, .error = error,
		.path = cdn_str_of(path) };

	cdn_journal_add(journal, &access);
}

static struct cdn_journal *
open_journal(struct cdn_sink *sink)
{
	struct cdn_journal_spec spec = { .sink = sink, .run = "r1" };
	struct cdn_journal *journal = NULL;

	tmp_need(cdn_journal_new(&spec, &journal, NULL) == 0, "journal", "");
	return journal;
}

static struct cdn_sink *
open_file(const char *name)
{
	struct cdn_sink *sink = NULL;

	snprintf(file, sizeof(file), "%s", tmp_path(name));
	tmp_need(cdn_audit_open(file, &sink, NULL) == 0, "open", name);
	return sink;
}

/* ----- What is written ---------------------------------------------------- */

static bool
is_text(json_t *line, const char *key, const char *want)
{
	const char *text = json_string_value(json_object_get(line, key));

	return text != NULL && strcmp(text, want) == 0;
}

static void
test_once(void)
{
	struct cdn_sink *sink = open_file("once.jsonl");
	struct cdn_journal *journal = open_journal(sink);
	struct cdn_journal_sum sum;
	json_t *line;

	for (int i = 0; i < 100; i++) {
		add(journal, CORDON_READ, "/w/a", 0);
		add(journal, CORDON_MODIFY, "/w/a", 0);
		add(journal, CORDON_MODIFY, "/w/a", EACCES);
		add(journal, CORDON_MODIFY, "/w/a", ENOENT);
		add(journal, CORDON_READ, "/w/b", 0);
		add(journal, CORDON_EXEC, "/w/b", -1);
	}
	cdn_journal_close(journal, &sum);
	ok(sum.allowed == 600 && sum.unrecorded == 0 && !sum.failed,
	    "all of them are counted");
	ok(judge(file) == 5, "each of them once: by operation, path, and "
			     "whether it went well");
	line = line_json(file, 1);
	ok(is_text(line, "kind", "fs.call.result") &&
	    is_text(line, "profile", "dev") && is_text(line, "op", "read") &&
	    is_text(line, "path", "/w/a") &&
	    is_text(line, "matched_rule", "src/**") &&
	    json_is_true(json_object_get(line, "allowed")),
	    "with the fields of every verdict");
	ok(is_text(line, "call", "openat") && is_text(line, "run", "r1") &&
	    json_integer_value(json_object_get(line, "pid")) == 7 &&
	    json_is_integer(json_object_get(line, "errno")) &&
	    json_integer_value(json_object_get(line, "errno")) == 0,
	    "and what the call was");
	json_decref(line);
	line = line_json(file, 3);
	ok(json_integer_value(json_object_get(line, "errno")) == EACCES,
	    "and what became of it");
	json_decref(line);
	line = line_json(file, 5);
	ok(json_is_null(json_object_get(line, "errno")), "unless nobody knows");
	json_decref(line);
	cdn_audit_close(sink);
}

static void
test_nothing(void)
{
	struct cdn_sink *sink = open_file("nothing.jsonl");
	struct cdn_journal_sum sum = { .allowed = 1 };

	cdn_journal_close(open_journal(sink), &sum);
	ok(sum.allowed == 0 && judge(file) == 0, "nothing was allowed");
	sum.allowed = 1;
	cdn_journal_close(NULL, &sum);
	ok(sum.allowed == 0 && sum.unrecorded == 0, "nobody was there");
	cdn_audit_close(sink);
}

static unsigned long
add_all(struct cdn_journal *journal, enum cordon_op op, const char *where,
    unsigned n)
{
	char path[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%u", where, i);
		add(journal, op, path, 0);
	}
	return n;
}

static long
lines_of(const char *text)
{
	size_t n;
	char *bytes = slurp(file, &n), *at = bytes;
	long count = 0;

	for (; (at = strstr(at, text)) != NULL; at++)
		count++;
	free(bytes);
	return count;
}

static void
test_bounds(void)
{
	struct cdn_sink *sink = open_file("bounds.jsonl");
	struct cdn_journal *journal = open_journal(sink);
	struct cdn_journal_sum sum;
	unsigned long added = 0;

	added += add_all(journal, CORDON_READ, "/r", CDN_JOURNAL_READS + 1000);
	added += add_all(journal, CORDON_MODIFY, "/m",
	    CDN_JOURNAL_MAX - CDN_JOURNAL_READS);
	added += add_all(journal, CORDON_READ, "/more", 10);
	added += add_all(journal, CORDON_MODIFY, "/more", 10);
	cdn_journal_close(journal, &sum);
	ok(judge(file) == CDN_JOURNAL_MAX && lines_of("/more/") == 0,
	    "no more than there may be");
	ok(lines_of("\"op\":\"read\"") == CDN_JOURNAL_READS,
	    "reads leave room for the others");
	ok(sum.allowed == added && sum.unrecorded == 1020,
	    "what there was no room for is counted");
	cdn_audit_close(sink);
}

/* ----- Several threads ---------------------------------------------------- */

static void *
add_shared(void *arg)
{
	for (int i = 0; i < 20; i++)
		add_all(arg, CORDON_MODIFY, "/t", 200);
	return NULL;
}

static void
test_threads(void)
{
	struct cdn_sink *sink = open_file("threads.jsonl");
	struct cdn_journal *journal = open_journal(sink);
	struct cdn_journal_sum sum;
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		tmp_need(pthread_create(&threads[i], NULL, add_shared,
			     journal) == 0, "thread", "");
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cdn_journal_close(journal, &sum);
	ok(judge(file) == 200 && sum.allowed == THREADS * 20 * 200 &&
	    sum.unrecorded == 0, "8 threads, each access once");
	cdn_audit_close(sink);
}

/* ----- A file that is held, or a disk that is full ------------------------ */

static unsigned tries;
static int result;

static int
refuse(struct cdn_sink *sink, const struct cdn_event *event,
    struct cordon_error *err)
{
	(void)sink;
	(void)event;
	tries++; /* one at a time, as the journal has it */
	return cdn_err_sys(err, result, "no");
}

static const struct cdn_sink_ops refuse_ops = { .write = refuse };
static struct cdn_sink refusing = { &refuse_ops };
static unsigned failures;

static void
count_failure(const struct cordon_error *why, void *arg)
{
	(void)arg;
	__atomic_fetch_add(&failures, why->sys_errno == result,
	    __ATOMIC_RELAXED);
}

static void *
add_refused(void *arg)
{
	add_all(arg, CORDON_MODIFY, "/refused", 20);
	return NULL;
}

static void
try_refusing(int error, unsigned want, const char *what)
{
	struct cdn_journal_spec spec = { .sink = &refusing, .run = "r1",
		.failed = count_failure };
	struct cdn_journal *journal = NULL;
	struct cdn_journal_sum sum;
	pthread_t threads[THREADS];

	result = error;
	tries = failures = 0;
	tmp_need(cdn_journal_new(&spec, &journal, NULL) == 0, "journal", "");
	for (unsigned i = 0; i < THREADS; i++)
		tmp_need(pthread_create(&threads[i], NULL, add_refused,
			     journal) == 0, "thread", "");
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cdn_journal_close(journal, &sum);
	ok_f(sum.failed && sum.error.sys_errno == error &&
	    strncmp(sum.error.text, "no", 2) == 0 && sum.unrecorded == 20 &&
	    failures == 20 && tries == want, "%s (%u tries)", what, tries);
}

static void
test_refused(void)
{
	try_refusing(ENOSPC, 20, "a full disk is told, and tried again");
	try_refusing(ETIMEDOUT, 1, "a file that was held is waited for once");
}

/* ----- Killed ------------------------------------------------------------- */

/* Tells of each access when it was added. */
static void
add_until_killed(int round, int told)
{
	struct cdn_journal *journal = open_journal(open_file("kills.jsonl"));
	char path[64];

	for (int i = 0; i < CDN_JOURNAL_MAX; i++) {
		snprintf(path, sizeof(path), "/%d/%d.", round, i);
		add(journal, CORDON_MODIFY, path, 0);
		if (write(told, &i, sizeof(i)) != (ssize_t)sizeof(i))
			_exit(1);
	}
	pause();
	_exit(2);
}

/* How many it told of; it was killed behind the n-th of them. */
static int
kill_behind(int round, int n)
{
	int told[2], i = -1, last = -1;
	pid_t pid;

	tmp_need(pipe(told) == 0, "pipe", "");
	pid = fork();
	tmp_need(pid >= 0, "fork", "");
	if (pid == 0)
		add_until_killed(round, told[1]);
	close(told[1]);
	while (read(told[0], &i, sizeof(i)) == (ssize_t)sizeof(i)) {
		last = i;
		if (last == n)
			kill(pid, SIGKILL);
	}
	close(told[0]);
	waitpid(pid, NULL, 0);
	return last + 1;
}

static void
test_kills(void)
{
	int missing = 0, sum = 0;

	srandom(20261116);
	snprintf(file, sizeof(file), "%s", tmp_path("kills.jsonl"));
	for (int round = 0; round < KILLS; round++) {
		int n = kill_behind(round, (int)(random() % 200));
		char path[64];

		snprintf(path, sizeof(path), "\"path\":\"/%d/", round);
		/* The one that it was about to tell of may be there, too. */
		missing += lines_of(path) < n;
		sum += n;
		tmp_need(write_once(file, "after", NULL) == 0, "after", "");
	}
	ok_f(missing == 0 && sum >= KILLS, "%d times killed: all %d that were "
	    "added are there", KILLS, sum);
	ok(judge(file) >= sum + KILLS, "in a chain that holds");
}

int
main(void)
{
	tmp_begin();
	test_once();
	test_nothing();
	test_bounds();
	test_threads();
	test_refused();
	test_kills();
	tmp_end();
	return done_testing();
}
