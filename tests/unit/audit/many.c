/* Many writers of one file, and writers that are killed in the middle. */
#include "audits.h"

#include <pthread.h>
#include <signal.h>

#define WRITERS 8
#define LINES	200
#define KILLS	50

static char file[PATH_MAX * 2];

/* Half of them open the file anew for each event. */
static int
write_many(unsigned writer)
{
	struct cordon_error err = { 0 };
	struct cdn_sink *sink = NULL;
	char text[64];

	if (writer % 2 == 0 && cdn_audit_open(file, &sink, &err) != 0)
		return 1;
	for (unsigned i = 0; i < LINES; i++) {
		snprintf(text, sizeof(text), "%u/%u", writer, i);
		if ((sink != NULL ? write_text(sink, text, &err) :
			 write_once(file, text, &err)) != 0) {
			fprintf(stderr, "# %s\n", err.text);
			return 1;
		}
	}
	cdn_audit_close(sink);
	return 0;
}

/* Each writer's lines are there, all, and in its own order. */
static bool
all_there(unsigned writers)
{
	unsigned next[WRITERS] = { 0 }, writer, number;
	size_t n;
	char *bytes = slurp(file, &n), *at = bytes;
	bool good = true;

	while ((at = strstr(at, "\"path\":\"")) != NULL) {
		at += strlen("\"path\":\"");
		good = good && sscanf(at, "%u/%u", &writer, &number) == 2 &&
		    writer < WRITERS && number == next[writer]++;
	}
	for (unsigned i = 0; i < writers; i++)
		good = good && next[i] == LINES;
	free(bytes);
	return good;
}

static void
test_processes(void)
{
	pid_t pids[WRITERS];
	int status, failed = 0;

	snprintf(file, sizeof(file), "%s", tmp_path("p/processes.jsonl"));
	for (unsigned i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		tmp_need(pids[i] >= 0, "fork", "writer");
		if (pids[i] == 0)
			_exit(write_many(i));
	}
	for (unsigned i = 0; i < WRITERS; i++)
		if (waitpid(pids[i], &status, 0) != pids[i] || status != 0)
			failed++;
	ok(failed == 0, "8 processes wrote");
	ok(judge(file) == WRITERS * LINES, "one chain of all their lines");
	ok(all_there(WRITERS), "nothing lost, nothing out of order");
}

struct shared {
	struct cdn_sink *sink;
	unsigned writer;
	int failures;
};

static void *
write_shared(void *arg)
{
	struct shared *s = arg;
	char text[64];

	for (unsigned i = 0; i < LINES; i++) {
		snprintf(text, sizeof(text), "%u/%u", s->writer, i);
		if (write_text(s->sink, text, NULL) != 0)
			s->failures++;
	}
	return NULL;
}

static void
test_threads(void)
{
	struct shared shared[WRITERS];
	pthread_t threads[WRITERS];
	struct cdn_sink *sink;
	int failures = 0;

	snprintf(file, sizeof(file), "%s", tmp_path("t/threads.jsonl"));
	if (!ok(cdn_audit_open(file, &sink, NULL) == 0, "open"))
		return;
	for (unsigned i = 0; i < WRITERS; i++) {
		shared[i] = (struct shared){ sink, i, 0 };
		tmp_need(pthread_create(&threads[i], NULL, write_shared,
			     &shared[i]) == 0, "thread", "");
	}
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		failures += shared[i].failures;
	}
	cdn_audit_close(sink);
	ok(failures == 0, "8 threads wrote to one sink");
	ok(judge(file) == WRITERS * LINES, "one chain of all their lines");
	ok(all_there(WRITERS), "nothing lost, nothing out of order");
}

/* ----- Killed ------------------------------------------------------------- */

/* Long lines, so that a write takes time and may end half-way. */
static void
write_until_killed(void)
{
	static char text[40000];
	struct cdn_sink *sink;

	memset(text, 'x', sizeof(text) - 1);
	if (cdn_audit_open(file, &sink, NULL) != 0)
		_exit(1);
	for (unsigned i = 0; i < 1000000; i++)
		if (write_text(sink, i % 10 == 0 ? text : "short", NULL) != 0)
			_exit(1);
	_exit(2);
}

static void
test_kills(void)
{
	unsigned killed = 0, went_on = 0;
	long lines = 0, before;

	srandom(20261116);
	snprintf(file, sizeof(file), "%s", tmp_path("kills.jsonl"));
	for (unsigned i = 0; i < KILLS; i++) {
		int status = 0;
		pid_t pid = fork();
		struct cordon_error err = { 0 };

		tmp_need(pid >= 0, "fork", "writer");
		if (pid == 0)
			write_until_killed();
		usleep((useconds_t)(random() % 3000));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		killed += WIFSIGNALED(status);
		if (write_once(file, "after", &err) == 0)
			went_on++;
		else
			printf("# %s\n", err.text);
		before = lines;
		lines = i % 10 == 9 ? judge(file) : before + 1;
		if (lines <= before)
			break;
	}
	ok(killed == KILLS, "50 writers were killed");
	ok(went_on == KILLS, "the next one could always go on");
	ok(judge(file) >= KILLS, "the chain holds over all of it");
}

int
main(void)
{
	tmp_begin();
	test_processes();
	test_threads();
	test_kills();
	tmp_end();
	return done_testing();
}
