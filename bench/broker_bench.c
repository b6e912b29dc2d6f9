/*
 * broker_bench - what a call costs that the broker answers, and what work costs
 * that is made of such calls.
 *
 * Calls are timed inside, on one processor, so that nothing is gained by the
 * broker working beside the caller.  Work is timed from outside, on all of
 * them, in memory and on a disk.  Peers take part where they are installed.
 *
 *	CORDON=build/cordon [LANDSTRIP=file] broker_bench [ROUNDS]
 */
#include "base/base.h"
#include "broker_floor.h"
#include "clock.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES 20000
#define CALLS 20000

enum way { PLAIN, MODE_B, MODE_C, LANDSTRIP, WAYS };
static const char *const way_names[WAYS] = { "plain", "cordon, mode B",
	"cordon, mode C", "landstrip" };

extern char **environ;

static char stage[64];
static char self[4096];

/* ----- Inside ------------------------------------------------------------- */

static int
call_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int
call_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int
call_make(const char *path)
{
	char name[256];
	int fd;

	snprintf(name, sizeof(name), "%s.m", path);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 || close(fd) != 0 ? -1 : unlink(name);
}

static int
call_chmod(const char *path)
{
	return chmod(path, 0644);
}

static int
call_mkdir(const char *path)
{
	char name[256];

	snprintf(name, sizeof(name), "%s.d", path);
	return mkdir(name, 0755) == 0 ? rmdir(name) : -1;
}

static int
call_rename(const char *path)
{
	char name[256];

	snprintf(name, sizeof(name), "%s.r", path);
	return rename(path, name) == 0 ? rename(name, path) : -1;
}

/* clang-format off */
static const struct call {
	const char *name, *path;
	int (*fn)(const char *path);
	int count; /* trapped calls in one */
	bool ways[WAYS];
} calls[] = {
	{ "open to read", "top", call_read, 1, { true, false, true, true } },
	{ "open to write, all open", "open/f", call_write, 1,
	    { true, true, false, false } },
	{ "make, unlink: go on", "open/f", call_make, 2,
	    { true, true, false, false } },
	{ "open to write", "top", call_write, 1, { true, true, true, true } },
	{ "chmod", "top", call_chmod, 1, { true, true, true, false } },
	{ "mkdir, rmdir", "top", call_mkdir, 2, { true, true, true, false } },
	{ "rename", "top", call_rename, 2, { true, true, true, false } },
};
/* clang-format on */

/* Microseconds of one trapped call. */
static int
be_inside(const char *which)
{
	const struct call *call = &calls[strtoul(which, NULL, 10)];
	double begun;

	for (int i = 0; i < 200; i++) /* everything is warm */
		if (call->fn(call->path) != 0)
			return 1;
	begun = now_us();
	for (int i = 0; i < CALLS; i++)
		(void)call->fn(call->path);
	printf("%f\n", (now_us() - begun) / CALLS / call->count);
	return 0;
}

/* ----- Starting ----------------------------------------------------------- */

static const char *
find_landstrip(void)
{
	const char *given = getenv("LANDSTRIP");

	return given != NULL && access(given, X_OK) == 0 ? given : NULL;
}

/* The words in front of a command. */
static size_t
put_way(enum way way, const char **argv)
{
	static char policies[WAYS][128];
	size_t n = 0;

	snprintf(policies[way], sizeof(policies[way]), "%s/%s", stage,
	    way == MODE_B ? "b.yaml" : way == MODE_C ? "c.yaml" : "l.json");
	if (way == MODE_B || way == MODE_C) {
		const char *const words[] = { getenv("CORDON"), "run",
			"--quiet", "--policy", policies[way], "--profile",
			"dev", "--" };

		for (; n < CDN_LEN(words); n++)
			argv[n] = words[n];
	} else if (way == LANDSTRIP) {
		const char *const words[] = { find_landstrip(), "run", "-p",
			policies[way], "--" };

		for (; n < CDN_LEN(words); n++)
			argv[n] = words[n];
	}
	return n;
}

/* Waits; the output, when somebody wants it.  True: it ended well. */
static bool
start(const char *const *argv, char *out, size_t size)
{
	posix_spawn_file_actions_t actions;
	int fds[2], status = -1;
	ssize_t got;
	size_t n = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	if (posix_spawn(&pid, argv[0], &actions, NULL,
		(char *const *)(uintptr_t)argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	while (pid > 0 && n + 1 < size &&
	    (got = read(fds[0], out + n, size - n - 1)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	close(fds[0]);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* ----- Calls -------------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
say(const char *what, enum way way, double *values, size_t n,
    const char *unit, double *plain)
{
	qsort(values, n, sizeof(*values), by_value);
	if (n == 0) {
		printf("  %-24s %-16s does not run here\n", what,
		    way_names[way]);
		return;
	}
	if (way == PLAIN)
		*plain = values[n / 2];
	printf("  %-24s %-16s %10.2f %s  %6.2fx\n", what, way_names[way],
	    values[n / 2], unit, values[n / 2] / *plain);
}

static void
measure_call(size_t which, enum way way, size_t rounds, double *plain)
{
	double *us = calloc(rounds, sizeof(*us));
	const char *argv[16] = { NULL };
	char number[16], out[64];
	size_t at = put_way(way, argv), n = 0;

	snprintf(number, sizeof(number), "%zu", which);
	argv[at] = self;
	argv[at + 1] = "--inside";
	argv[at + 2] = number;
	for (size_t i = 0; i < rounds; i++)
		if (start(argv, out, sizeof(out)))
			us[n++] = strtod(out, NULL);
	say(calls[which].name, way, us, n, "us", plain);
	free(us);
}

static void
on_one_processor(bool one, cpu_set_t *all)
{
	cpu_set_t set;

	if (!one) {
		sched_setaffinity(0, sizeof(*all), all);
		return;
	}
	sched_getaffinity(0, sizeof(*all), all);
	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* What every other figure here contains. */
static void
measure_floor(size_t rounds, bool descriptor)
{
	double *us = calloc(rounds, sizeof(*us));
	size_t n = 0;

	for (size_t i = 0; i < rounds; i++)
		if ((us[n] = broker_floor(descriptor)) >= 0)
			n++;
	qsort(us, n, sizeof(*us), by_value);
	printf("  kernel's own round trip: empty notifier, %-12s",
	    descriptor ? "a descriptor" : "CONTINUE");
	if (n > 0)
		printf(" %10.2f us\n", us[n / 2]);
	else
		printf(" does not run here\n");
	free(us);
}

static void
measure_calls(size_t rounds)
{
	cpu_set_t all;
	double plain = 0;

	on_one_processor(true, &all);
	measure_floor(rounds, false);
	measure_floor(rounds, true);
	for (size_t i = 0; i < CDN_LEN(calls); i++)
		for (enum way way = PLAIN; way < WAYS; way++)
			if (calls[i].ways[way] &&
			    (way != LANDSTRIP || find_landstrip() != NULL))
				measure_call(i, way, rounds, &plain);
	on_one_processor(false, &all);
}

/* ----- Work --------------------------------------------------------------- */

static const struct {
	const char *name, *script;
} jobs[] = {
	{ "unpack", "rm -rf new && mkdir new && tar xf tree.tar -C new" },
	{ "write, all open", "rm -rf open/new && mkdir open/new && i=0 && "
	    "while [ $i -lt 4000 ]; do echo x >open/new/$i; i=$((i + 1)); "
	    "done" },
	{ "find and cat", "find tree -type f -exec cat {} + >/dev/null" },
	{ "cc", "gcc -O1 -c -o out.o big.c" },
};

static void
measure_job(size_t job, enum way way, size_t rounds, double *plain)
{
	double *ms = calloc(rounds, sizeof(*ms));
	const char *argv[16] = { NULL };
	size_t at = put_way(way, argv), n = 0;
	char out[64];

	argv[at] = "/bin/sh";
	argv[at + 1] = "-c";
	argv[at + 2] = jobs[job].script;
	for (size_t i = 0; i < rounds; i++) {
		double begun = now_us();

		if (start(argv, out, sizeof(out)))
			ms[n++] = (now_us() - begun) / 1e3;
	}
	say(jobs[job].name, way, ms, n, "ms", plain);
	free(ms);
}

static void
measure_jobs(size_t rounds)
{
	double plain = 0;

	for (size_t i = 0; i < CDN_LEN(jobs); i++)
		for (enum way way = PLAIN; way < WAYS; way++)
			if (way != LANDSTRIP || find_landstrip() != NULL)
				measure_job(i, way, rounds, &plain);
}

/* ----- The stage ---------------------------------------------------------- */

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) {
		perror(name);
		exit(1);
	}
}

#define POLICY(rule)                                                      \
	"schemaVersion: 2\nkind: Policy\nmetadata: {name: bench}\nspec:\n" \
	"  " rule "\n"                                                    \
	"  fsProfiles: {dev: {read: [\"./**\"], modify: [\"./**\"]}}\n"

static void
make_tree(void)
{
	char name[64];

	mkdir("tree", 0755);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "tree/d%d", i / 200);
		if (i % 200 == 0)
			mkdir(name, 0755);
		snprintf(name, sizeof(name), "tree/d%d/f%d", i / 200, i);
		put(name, "a few bytes of no importance\n");
	}
	if (system("tar cf tree.tar tree") != 0)
		exit(1);
}

static void
make_stage(const char *below)
{
	char text[256];

	snprintf(stage, sizeof(stage), "%s/cordon-broker-XXXXXX", below);
	if (mkdtemp(stage) == NULL || chdir(stage) != 0 ||
	    mkdir("home", 0755) != 0 || mkdir("w", 0755) != 0) {
		perror(stage);
		exit(1);
	}
	snprintf(text, sizeof(text), "%s/home", stage);
	setenv("HOME", text, 1);
	put("b.yaml", POLICY("denyModify: [\"locked/**\"]"));
	put("c.yaml", POLICY("denyRead: [\"**/*.env\"]"));
	snprintf(text, sizeof(text), "{\"filesystem\": {\"allowWrite\": "
	    "[\"%s/w\", \"/tmp\", \"/dev/null\"], \"denyRead\": "
	    "[\"%s/w/secret\"]}}\n", stage, stage);
	put("l.json", text);
	if (chdir("w") != 0 || mkdir("open", 0755) != 0 ||
	    mkdir("locked", 0755) != 0)
		exit(1);
	put("secret", "\n");
	put("top", "\n");
	put("open/f", "\n");
	put("big.c", "#include <stdio.h>\n#include <stdlib.h>\n"
		     "#include <string.h>\nint main(void) { return 0; }\n");
	make_tree();
	/* Inside, only what lies in the workspace can be executed for sure. */
	snprintf(text, sizeof(text), "cp '%s' bench", self);
	if (system(text) != 0)
		exit(1);
	snprintf(self, sizeof(self), "%s/w/bench", stage);
}

static void
measure(const char *below, size_t rounds, bool with_calls)
{
	char command[128], original[sizeof(self)];

	memcpy(original, self, sizeof(self));
	make_stage(below);
	if (with_calls) {
		printf("one call, on one processor, p50 of %zu\n", rounds);
		measure_calls(rounds);
	}
	printf("%d files in %s, p50 of %zu\n", FILES, below, rounds);
	measure_jobs(rounds);
	snprintf(command, sizeof(command), "cd / && rm -rf '%s'", stage);
	memcpy(self, original, sizeof(self));
	if (chdir("/") != 0 || system(command) != 0)
		exit(1);
}

int
main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;

	if (argc > 2 && strcmp(argv[1], "--inside") == 0)
		return be_inside(argv[2]);
	if (getenv("CORDON") == NULL || realpath(argv[0], self) == NULL) {
		fprintf(stderr, "broker_bench: CORDON names no command\n");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	measure("/dev/shm", rounds, true);
	measure("/var/tmp", rounds, false);
	return 0;
}
