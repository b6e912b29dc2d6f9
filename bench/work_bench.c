/*
 * work_bench - what the cage costs while people work in it.
 *
 * Each job takes turns with itself: plain, under the bare Landlock launcher,
 * under cordon.  Then what stays resident beside a command that waits.
 *
 *	CORDON=build/cordon BARE=build/bench/bare_landlock work_bench [ROUNDS]
 */
#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES 4000

enum { PLAIN, BARE, CAGED, WAYS };
static const char *const way_names[WAYS] = { "plain", "bare Landlock",
	"cordon" };

static const struct {
	const char *name;
	const char *script;
} jobs[] = {
	{ "git status", "git status --short >/dev/null" },
	{ "find and cat", "find . -name '*.c' -exec cat {} + >/dev/null" },
	{ "cc", "gcc -O1 -c -o out.o big.c" },
	{ "node", "node -e 'for (let i = 0; i < 1e6; i++);'" },
};

static char stage[] = "/tmp/cordon-work-XXXXXX";

extern char **environ;

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static pid_t
begin(const char *const *argv)
{
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL,
		(char *const *)(uintptr_t)argv, environ) != 0)
		exit(1);
	return pid;
}

/* Milliseconds, or a negative number when it failed. */
static double
run(int way, const char *script)
{
	const char *const ways[WAYS][10] = {
		{ "/bin/sh", "-c", script, NULL },
		{ getenv("BARE"), "1", ".", "/bin/sh", "-c", script, NULL },
		{ getenv("CORDON"), "run", "--quiet", "--", "/bin/sh", "-c",
		    script, NULL },
	};
	double begun = now_ms();
	int status = -1;

	if (ways[way][0] == NULL)
		return -1;
	waitpid(begin(ways[way]), &status, 0);
	return status == 0 ? now_ms() - begun : -1;
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f == NULL)
		exit(1);
	fputs(text, f);
	fclose(f);
}

static void
make_stage(void)
{
	char name[64], text[64];

	if (mkdtemp(stage) == NULL || chdir(stage) != 0 ||
	    mkdir("home", 0755) != 0 || mkdir("w", 0755) != 0 ||
	    chdir("w") != 0)
		exit(1);
	snprintf(text, sizeof(text), "%s/home", stage);
	setenv("HOME", text, 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	mkdir("1", 0755);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "d%d", i / 100);
		mkdir(name, 0755);
		snprintf(name, sizeof(name), "d%d/f%d.c", i / 100, i);
		snprintf(text, sizeof(text), "int f%d(void);\n", i);
		put(name, text);
	}
	put("big.c", "#include <stdio.h>\n#include <stdlib.h>\n"
		     "#include <string.h>\nint main(void) { return 0; }\n");
	if (system("git init -q . && git add . && git -c user.name=x "
		   "-c user.email=x@example.org commit -q -m x") != 0)
		fprintf(stderr, "work_bench: there is no git\n");
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
measure(size_t job, size_t rounds)
{
	double plain = 0;

	for (int way = 0; way < WAYS; way++) {
		double *ms = calloc(rounds, sizeof(*ms));
		size_t n = 0;

		for (size_t i = 0; i < rounds; i++) {
			double one = run(way, jobs[job].script);

			if (one >= 0)
				ms[n++] = one;
		}
		qsort(ms, n, sizeof(*ms), by_value);
		if (n > 0 && way == PLAIN)
			plain = ms[n / 2];
		if (n == 0)
			printf("  %-14s %-14s does not run here\n",
			    jobs[job].name, way_names[way]);
		else
			printf("  %-14s %-14s %8.1f ms  %5.2fx\n",
			    jobs[job].name, way_names[way], ms[n / 2],
			    ms[n / 2] / plain);
		free(ms);
	}
}

static long
status_of(pid_t pid, const char *key)
{
	char name[64], line[256];
	long value = -1;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	f = fopen(name, "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtol(line + strlen(key), NULL, 10);
	if (f != NULL)
		fclose(f);
	return value;
}

/* Processes whose parent is pid, that one included. */
static int
family(pid_t pid)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	int n = 1;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		n += entry->d_name[0] > '0' && entry->d_name[0] <= '9' &&
		    status_of((pid_t)strtol(entry->d_name, NULL, 10),
			"PPid:") == pid;
	if (dir != NULL)
		closedir(dir);
	return n;
}

static void
show_resident(void)
{
	const char *const argv[] = { getenv("CORDON"), "run", "--quiet",
		"--", "/bin/sleep", "30", NULL };
	pid_t pid = begin(argv);

	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	printf("  resident beside a command that waits: %ld KiB, %d process\n",
	    status_of(pid, "VmRSS:"), family(pid) - 1);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 9;
	char command[128];

	if (getenv("CORDON") == NULL) {
		fprintf(stderr, "work_bench: CORDON names no command\n");
		return 1;
	}
	make_stage();
	printf("%d files, p50 of %zu\n", FILES, rounds);
	for (size_t i = 0; i < CDN_LEN(jobs); i++)
		measure(i, rounds);
	show_resident();
	snprintf(command, sizeof(command), "cd / && rm -rf %s", stage);
	return system(command) == 0 ? 0 : 1;
}
