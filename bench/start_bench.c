/*
 * start_bench - what it costs to start /bin/true, as ratios to plain exec.
 *
 * All rows take turns, so that what else the machine does meets all alike.
 * As whoever runs it, and when that is root as uid 65534 besides.  The real
 * home has 200 entries.  Then where the time goes: start_phases.h.  On a machine
 * with other work to do look at the least time and at the processor's: the mean
 * of what the process used, with the program it started.
 *
 * The backend bwrap stands beside bare bwrap with the same words, as `cordon
 * plan --format argv` prints them.  landstrip has a policy that comes near our
 * default: the workspace may be written, keys may not be read, no network.
 *
 * "the kernel alone" is start_floor.c: the same promises, and nothing that
 * reads, decides or answers.
 *
 *	CORDON=build/cordon BARE=build/bench/bare_landlock
 *	    [FLOOR=build/bench/start_floor] [LANDSTRIP=file] start_bench [ROUNDS]
 */
#include "base/base.h"
#include "clock.h"

#include "start_phases.h"

#include <fcntl.h>
#include <grp.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROWS_MAX     24
#define ARGS_MAX     24
#define WORDS_MAX    10000 /* more than bwrap takes */
#define SLOW_US	     1000000.0 /* what takes longer is tried less often */
#define SLOW_TURNS   20
#define HOME_ENTRIES 200
#define DIRS	     1000

struct row {
	char name[64];
	const char *args[ARGS_MAX];
	const char *const *argv; /* args, or words of somebody else's */
	double *us;
	size_t n;
	double processor; /* all of them together */
};

static char stage[] = "/tmp/cordon-bench-XXXXXX";
static char self[4096];
static struct row rows[ROWS_MAX];
static size_t row_count;

static posix_spawn_file_actions_t to_null;

extern char **environ;

static double
us_of(struct timeval t)
{
	return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

/* The exit status, or -1. */
static int
start(const char *const *argv, double *ret_us, double *processor)
{
	double begun = now_us();
	struct rusage used;
	int status = -1;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], &to_null, NULL,
		(char *const *)(uintptr_t)argv, environ) != 0)
		return -1;
	if (wait4(pid, &status, 0, &used) != pid)
		return -1;
	*ret_us = now_us() - begun;
	*processor += us_of(used.ru_utime) + us_of(used.ru_stime);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f == NULL) {
		perror(name);
		exit(1);
	}
	fputs(text, f);
	fclose(f);
}

/* Rules that name directories which are there: what kernel rules are for. */
static void
put_policy(int rules)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "p%d.yaml", rules);
	f = fopen(name, "w");
	if (f == NULL)
		exit(1);
	fputs("schemaVersion: 2\nkind: Policy\nmetadata: {name: bench}\n"
	      "spec:\n  fsProfiles:\n    dev:\n      read: [\"./**\"]\n"
	      "      modify:\n", f);
	for (int i = 1; i <= rules; i++)
		fprintf(f, "        - \"%d/**\"\n", i);
	fclose(f);
}

static void
make_stage(void)
{
	char name[64];

	mkdir("home", 0755);
	mkdir("w", 0755);
	for (int i = 0; i < HOME_ENTRIES; i++) {
		snprintf(name, sizeof(name), "home/.entry%d", i);
		mkdir(name, 0755);
	}
	mkdir("home/.ssh", 0700);
	put_file("home/.ssh/id_ed25519", "secret\n");
	if (chdir("w") != 0)
		exit(1);
	for (int i = 1; i <= DIRS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		mkdir(name, 0755);
	}
	for (int i = 1; i <= DIRS; i *= 10)
		put_policy(i);
}

/* more: what the name ends with. */
static struct row *
add(const char *name, const char *more)
{
	struct row *row = &rows[row_count++];

	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s%s", name, more);
	return row;
}

static void
set(struct row *row, const char *const *argv)
{
	for (size_t i = 0; i < ARGS_MAX - 1 && argv[i] != NULL; i++)
		row->args[i] = argv[i];
	row->argv = row->args;
}

/* ----- bwrap ---------------------------------------------------------------- */

/* One line of words, quoted for a shell, in its own place; how many. */
static size_t
split(char *line, const char **words)
{
	char *from = line, *to = line;
	bool quoted = false;
	size_t n = 0;

	words[n++] = to;
	for (; *from != '\0' && (quoted || *from != '\n'); from++) {
		if (*from == '\'')
			quoted = !quoted;
		else if (!quoted && *from == '\\' && from[1] != '\0')
			*to++ = *++from;
		else if (quoted || *from != ' ')
			*to++ = *from;
		else if (n < WORDS_MAX) {
			*to++ = '\0';
			words[n++] = to;
		}
	}
	*to = '\0';
	words[n] = NULL;
	return n;
}

/* What a plan would have bwrap do; NULL: there is no such plan. */
static const char *const *
words_of(const char *cordon, const char *policy)
{
	const char **words = calloc(WORDS_MAX + 1, sizeof(*words));
	char command[4096 + 256], *line = NULL;
	size_t size = 0;
	FILE *from;

	snprintf(command, sizeof(command), "%s plan --backend bwrap --format "
	    "argv --policy %s --profile dev -- /bin/true 2>/dev/null", cordon,
	    policy);
	from = popen(command, "r");
	if (words == NULL || from == NULL || getline(&line, &size, from) < 2 ||
	    split(line, words) < 2)
		words = NULL;
	if (from != NULL)
		pclose(from);
	return words; /* as long as the bench lives, and the line in it */
}

static void
add_bwrap_rows(const char *cordon, char policies[4][32], char counts[4][8])
{
	for (int i = 0; i < 4; i++) {
		const char *const *words = words_of(cordon, policies[i]);

		set(add("cordon, bwrap, rules: ", counts[i]),
		    (const char *[]){ cordon, "run", "--quiet", "--backend",
			"bwrap", "--policy", policies[i], "--profile", "dev",
			"--", "/bin/true", NULL });
		if (words != NULL)
			add("bare bwrap, the same: ", counts[i])->argv = words;
	}
}

/* ----- landstrip -------------------------------------------------------------- */

/* here: the workspace; the real home and the policy lie beside it. */
static void
add_landstrip_row(const char *here)
{
	static char policy[4096 + 16];
	const char *landstrip = getenv("LANDSTRIP");
	char text[2 * 4096 + 128];

	if (landstrip == NULL || access(landstrip, X_OK) != 0)
		return;
	snprintf(policy, sizeof(policy), "%s/../landstrip.json", here);
	snprintf(text, sizeof(text), "{\"filesystem\":{\"allowWrite\":[\"%s\"],"
	    "\"denyRead\":[\"%s/.ssh\"]}}\n", here, getenv("HOME"));
	put_file(policy, text);
	set(add("landstrip", ""), (const char *[]){ landstrip, "run", "-p",
	    policy, "--", "/bin/true", NULL });
}

static void
add_rows(const char *cordon, const char *bare)
{
	static char policies[4][32], counts[4][8], here[4096];
	int n = 1;

	if (getcwd(here, sizeof(here)) == NULL)
		exit(1);
	row_count = 0;
	set(add("plain exec", ""), (const char *[]){ "/bin/true", NULL });
	for (int i = 0; i < 4; i++, n *= 10) {
		snprintf(counts[i], sizeof(counts[i]), "%d", n);
		snprintf(policies[i], sizeof(policies[i]), "p%d.yaml", n);
	}
	for (int i = 0; i < 4 && bare != NULL; i++) {
		set(add("bare Landlock, rules: ", counts[i]),
		    (const char *[]){ bare, counts[i], here, "/bin/true",
			NULL });
	}
	if (getenv("FLOOR") != NULL)
		set(add("the kernel alone", ""), (const char *[]){
		    getenv("FLOOR"), here, "/bin/true", NULL });
	set(add("cordon run", ""), (const char *[]){ cordon, "run", "--quiet",
		"--", "/bin/true", NULL });
	set(add("cordon --version", ""), (const char *[]){ cordon, "--version",
		NULL });
	for (int i = 0; i < 4; i++) {
		set(add("cordon run, rules: ", counts[i]),
		    (const char *[]){ cordon, "run", "--quiet", "--policy",
			policies[i], "--profile", "dev", "--", "/bin/true",
			NULL });
	}
	add_landstrip_row(here);
	if (access("/usr/bin/bwrap", X_OK) != 0)
		return;
	set(add("bwrap", ""), (const char *[]){ "/usr/bin/bwrap",
	    "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib",
	    "/lib", "--symlink", "usr/lib64", "/lib64",
	    "--symlink", "usr/bin", "/bin", "--unshare-all",
	    "--die-with-parent", "--", "/bin/true", NULL });
	add_bwrap_rows(cordon, policies, counts);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorted, and there is one. */
static void
print_row(const struct row *row, const struct row *plain)
{
	double middle_us = row->us[row->n / 2];
	double plain_us = plain->us[plain->n / 2];

	printf("  %-28s %8.0f us %6.2fx   least %8.0f us %6.2fx   "
	       "processor %8.0f us\n", row->name, middle_us,
	    middle_us / plain_us, row->us[0], row->us[0] / plain->us[0],
	    row->processor / (double)row->n);
}

static bool
is_slow(const struct row *row)
{
	return row->n > 0 && row->us[0] > SLOW_US;
}

static void
measure(size_t rounds)
{
	for (size_t i = 0; i < row_count; i++) {
		rows[i].us = calloc(rounds, sizeof(double));
		rows[i].n = 0;
		rows[i].processor = 0;
	}
	for (size_t k = 0; k < rounds; k++)
		for (size_t i = 0; i < row_count; i++) {
			double us = 0;

			if (is_slow(&rows[i]) && k % SLOW_TURNS != 0)
				continue;
			if (start(rows[i].argv, &us, &rows[i].processor) == 0)
				rows[i].us[rows[i].n++] = us;
		}
	for (size_t i = 0; i < row_count; i++) {
		qsort(rows[i].us, rows[i].n, sizeof(double), by_value);
		if (rows[i].n == 0 || rows[0].n == 0)
			printf("  %-28s does not start here\n", rows[i].name);
		else
			print_row(&rows[i], &rows[0]);
	}
	for (size_t i = 0; i < row_count; i++)
		free(rows[i].us);
}

static void
bench_as(uid_t uid, const char *cordon, const char *bare, size_t rounds)
{
	char home[64], command[128];

	snprintf(stage + strlen(stage) - 6, 7, "XXXXXX");
	if (mkdtemp(stage) == NULL || chmod(stage, 0755) != 0)
		exit(1);
	if (uid != getuid() && (chown(stage, uid, uid) != 0 ||
		setgroups(0, NULL) != 0 || setgid(uid) != 0 ||
		setuid(uid) != 0))
		exit(1);
	if (chdir(stage) != 0)
		exit(1);
	make_stage();
	snprintf(home, sizeof(home), "%s/home", stage);
	setenv("HOME", home, 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	add_rows(cordon, bare);
	printf("as uid %u, p50 of %zu\n", (unsigned)uid, rounds);
	measure(rounds);
	phases_print(self, NULL, rounds);
	phases_print(self, "p1000.yaml", rounds / 4 + 1);
	fflush(stdout);
	if (chdir("/") != 0)
		exit(1);
	snprintf(command, sizeof(command), "rm -rf %s", stage);
	exit(system(command) == 0 ? 0 : 1);
}

int
main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	const char *cordon = getenv("CORDON");
	const char *bare = getenv("BARE");
	uid_t uids[] = { getuid(), 65534 };

	if (argc > 1 && strcmp(argv[1], PHASES_WORD) == 0)
		return phases_main(argc, argv);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	if (cordon == NULL) {
		fprintf(stderr, "start_bench: CORDON names no command\n");
		return 1;
	}
	posix_spawn_file_actions_init(&to_null);
	posix_spawn_file_actions_addopen(&to_null, 1, "/dev/null", O_WRONLY, 0);
	for (size_t i = 0; i < (getuid() == 0 ? 2 : 1); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			bench_as(uids[i], cordon, bare, rounds);
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
			return 1;
	}
	return 0;
}
