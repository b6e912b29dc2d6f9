/*
 * Policies and workspaces made up at random, each verified by the command as
 * people use it: the kernel must agree with every verdict.
 *
 *	CORDON_COMMAND=... trysys -i IDENTITY policies COUNT
 *
 * COUNT times CORDON_TRIES of them.  A policy that this host cannot hold is not
 * verified, and counted; so is how many there were of each mode.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "support/random.h"
#include "support/tap.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static char stage[64];
static const char *command;

/* ----- Files -------------------------------------------------------------------- */

static void
write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "we");

	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0 ||
	    chmod(path, mode) != 0)
		err(2, "%s", path);
}

static void
make_dir(const char *path)
{
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		err(2, "%s", path);
}

__attribute__((format(printf, 1, 2))) static const char *
at(const char *fmt, ...)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % LEN(paths)];
	size_t n = (size_t)snprintf(path, sizeof(paths[0]), "%s/", stage);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(paths[0]) - n, fmt, ap);
	va_end(ap);
	return path;
}

static int
run(const char *output, char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0600);

		dup2(fd, 1);
		dup2(fd, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(2, "run");
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static void
print_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		printf("#   %s", line);
	if (file != NULL)
		fclose(file);
}

/* ----- Workspaces ----------------------------------------------------------------- */

static const char *const dirs[] = { "a", "a/b", "a/b/c", "b", "b/a", "c",
	"secrets", ".git", ".git/hooks", "a/secrets", ".vscode", "a/.claude",
	"node_modules", "node_modules/.claude", ".vscode/vendor" };
static const char *const files[] = { "x", "y.env", ".env", "z.lock", "run.sh",
	"k.c", ".mcp.json", "config" };

static void
make_workspace(void)
{
	char remove[] = "rm";
	char all[] = "-rf";
	char where[128];
	char *argv[] = { remove, all, where, NULL };

	snprintf(where, sizeof(where), "%s/w", stage);
	if (run("/dev/null", argv) != 0)
		errx(2, "rm");
	make_dir(at("w"));
	for (size_t i = 0; i <= LEN(dirs); i++) {
		const char *dir = i == 0 ? "." : dirs[i - 1];

		/* A parent may be missing then, and so is this one. */
		if (i > 0 && random_below(4) == 0)
			continue;
		if (mkdir(at("w/%s", dir), 0755) != 0 && errno != EEXIST)
			continue;
		for (size_t k = 0; k < LEN(files); k++)
			if (random_below(3) > 0)
				write_file(at("w/%s/%s", dir, files[k]),
				    "#!/bin/true\n",
				    random_below(2) == 0 ? 0755 : 0644);
	}
}

/* ----- Policies ------------------------------------------------------------------- */

enum shape { WHOLE, MODIFY, ANY, SHAPES };

static const char *const whole[] = { "a/**", "b/**", "c/**", "secrets/**",
	".git/hooks/**", "a/b/**" };
static const char *const any[] = { "a/**", "a", "a/b", "a/b/**", "*/x",
	"a/*", "**/*.env", "**/secrets/**", "b/**", "?/x", "a/**/x", "**/b/**",
	"*.lock", "**/*.lock", ".git/hooks/**", "secrets/**", "**/.env",
	"b/a/**", "a*/**", "**/k.*", "c/new", "new/**", "**/run.sh",
	"**/.claude/**", "**/.mcp.json", "**/node_modules/**" };

static const char *
rule(enum shape shape)
{
	return shape == WHOLE ? whole[random_below(LEN(whole))] :
				any[random_below(LEN(any))];
}

static void
put_list(FILE *to, const char *key, enum shape shape, size_t most,
    const char *first, bool negations)
{
	size_t n = random_below(most + 1);

	if (first == NULL && n == 0)
		return;
	fprintf(to, "%s: [", key);
	if (first != NULL)
		fprintf(to, "\"%s\"", first);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%s\"%s%s\"", i == 0 && first == NULL ? "" : ", ",
		    negations && random_below(2) == 0 ? "!" : "", rule(shape));
	fprintf(to, "]\n");
}

static const char *const networks[] = { "none", "loopback", "full",
	"[\"127.0.0.1\", \"10.1.2.3:80\"]", "[\"[::1]:9\"]" };

static void
put_profile(FILE *to, enum shape shape)
{
	static const char *const rest[] = { "./**", NULL, "**" };

	fprintf(to, "  fsProfiles:\n    dev:\n");
	/* What may be modified must be readable. */
	put_list(to, "      read", shape == ANY ? ANY : WHOLE,
	    shape == ANY ? 3 : 0, "./**", true);
	put_list(to, "      modify", shape, shape == WHOLE ? 2 : 3,
	    rest[random_below(2)], shape != WHOLE);
	if (shape == ANY && random_below(3) == 0)
		put_list(to, "      exec", ANY, 2, "**", true);
	if (random_below(5) == 0)
		fprintf(to, "      host: {read: [\"%s/in\"], modify: "
			"[\"%s/out\"]}\n", stage, stage);
	fprintf(to, "      network: %s\n",
	    networks[random_below(LEN(networks))]);
}

static void
write_policy(enum shape shape)
{
	FILE *to = fopen(at("policy.yaml"), "we");

	if (to == NULL)
		err(2, "policy");
	fprintf(to, "schemaVersion: 2\nkind: Policy\n"
		"metadata: {name: chance}\nspec:\n");
	/* With the defaults no directory is modified as a whole (mode A). */
	if (shape == WHOLE || random_below(3) == 0)
		fprintf(to, "  unprotect: [\"**\"]\n");
	else if (random_below(3) == 0)
		put_list(to, "  unprotect", ANY, 2, ".vscode/**", false);
	if (shape == ANY)
		put_list(to, "  denyRead", ANY, 2, NULL, false);
	if (shape != WHOLE)
		put_list(to, "  denyModify", ANY, 2, NULL, false);
	if (shape == ANY && random_below(4) == 0)
		put_list(to, "  denyExec", ANY, 1, NULL, false);
	put_profile(to, shape);
	if (fclose(to) != 0)
		err(2, "policy");
}

/* A profile may not have what is denied for all: such a one is drawn again. */
static void
make_policy(enum shape shape)
{
	char cordon[512], group[] = "policy", word[] = "validate";
	char policy[128], output[128];
	char *argv[] = { cordon, group, word, policy, NULL };

	snprintf(cordon, sizeof(cordon), "%s", command);
	snprintf(policy, sizeof(policy), "%s/policy.yaml", stage);
	snprintf(output, sizeof(output), "%s/output", stage);
	for (int i = 0; i < 50; i++) {
		write_policy(shape);
		if (run(output, argv) == 0)
			return;
	}
	print_file(policy);
	print_file(output);
	errx(2, "no valid policy");
}

/* ----- One of them ----------------------------------------------------------------- */

struct tally {
	unsigned long tried, refused, wrong, modes[4];
};

static char
mode_of(const char *output)
{
	static const char key[] = "\"mode\":\"";
	FILE *file = fopen(output, "re");
	char text[4096];
	const char *found = NULL;

	if (file != NULL && fgets(text, sizeof(text), file) != NULL)
		found = strstr(text, key);
	if (file != NULL)
		fclose(file);
	return found == NULL ? '?' : found[sizeof(key) - 1];
}

static void
count_mode(struct tally *tally, char mode)
{
	static const char modes[] = "ABCn";
	const char *found = strchr(modes, mode);

	if (found != NULL && *found != '\0')
		tally->modes[found - modes]++;
}

static void
verify(struct tally *tally, unsigned long number)
{
	static const char *const presets[] = { "workspace", "strict",
		"workspace", "protect" };
	char preset[16], policy[128], seed[32], output[128], cordon[512];
	char word[8] = "verify", json[] = "--json", profile[] = "--profile",
	     dev[] = "dev", named[] = "--policy", set[] = "--preset",
	     begin[] = "--seed", trace[] = "--trace";
	char *argv[] = { cordon, word, json, named, policy, profile, dev, set,
		preset, NULL, NULL, NULL, NULL };
	int status;

	snprintf(cordon, sizeof(cordon), "%s", command);
	snprintf(preset, sizeof(preset), "%s",
	    presets[random_below(LEN(presets))]);
	snprintf(policy, sizeof(policy), "%s/policy.yaml", stage);
	snprintf(output, sizeof(output), "%s/output", stage);
	snprintf(seed, sizeof(seed), "%lu", number);
	snprintf(word, sizeof(word), "plan");
	tally->tried++;
	status = run(output, argv);
	if (status == 0)
		count_mode(tally, mode_of(output));
	if (status == 1) {
		tally->refused++;
		return;
	}
	snprintf(word, sizeof(word), "verify");
	argv[9] = begin;
	argv[10] = seed;
	if (random_below(8) == 0)
		argv[11] = trace;
	status = run(output, argv);
	if (status == 0)
		return;
	tally->wrong++;
	printf("# exit status %d, preset %s\n", status, preset);
	print_file(policy);
	print_file(output);
}

/* Nothing of it is left. */
static bool
is_clean(void)
{
	char find[] = "find", name[] = "-name", like[] = "*cordon-verify*";
	char where[80], output[128];
	char *argv[] = { find, where, name, like, NULL };
	struct stat st;

	snprintf(where, sizeof(where), "%s", stage);
	snprintf(output, sizeof(output), "%s/found", stage);
	return run(output, argv) == 0 && stat(output, &st) == 0 &&
	    st.st_size == 0;
}

static void
make_stage(void)
{
	snprintf(stage, sizeof(stage), "/tmp/cordon-policies-XXXXXX");
	if (mkdtemp(stage) == NULL)
		err(2, "mkdtemp");
	make_dir(at("home"));
	make_dir(at("home/.ssh"));
	write_file(at("home/.ssh/id"), "key", 0600);
	make_dir(at("in"));
	make_dir(at("out"));
	write_file(at("in/file"), "", 0644);
	write_file(at("out/file"), "", 0644);
	setenv("HOME", at("home"), 1);
	setenv("XDG_STATE_HOME", at("state"), 1);
	unsetenv("XDG_CONFIG_HOME");
}

#define ENOUGH 50 /* policies, to meet every mode */

int
main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
	struct tally tally = { 0 };
	char remove[] = "rm", all[] = "-rf";
	char *clean[] = { remove, all, stage, NULL };

	command = getenv("CORDON_COMMAND");
	if (command == NULL)
		errx(2, "CORDON_COMMAND is not set");
	umask(022);
	setenv("CORDON_SEED", "20261116", 0); /* the same, unless told */
	random_start();
	make_stage();
	count *= random_tries();
	for (unsigned long i = 0; i < count; i++) {
		make_workspace();
		make_policy((enum shape)(i % SHAPES));
		if (chdir(at("w")) != 0)
			err(2, "w");
		verify(&tally, i);
		if (chdir("/") != 0)
			err(2, "/");
	}
	ok_f(tally.wrong == 0, "%lu policies: the kernel agrees", tally.tried);
	ok_f(tally.refused * 2 < tally.tried, "of which %lu cannot be held here",
	    tally.refused);
	/* A few may well all be of one kind. */
	ok_f(count < ENOUGH || (tally.modes[0] > 0 && tally.modes[1] > 0 &&
	    tally.modes[2] > 0),
	    "mode A: %lu, B: %lu, C: %lu", tally.modes[0], tally.modes[1],
	    tally.modes[2]);
	ok(is_clean(), "nothing of it is left in the workspace");
	(void)run("/dev/null", clean);
	return done_testing();
}
