/*
 * The prober inside of what is tested: the command as people use it.
 */
#include "differential.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const char *cage_command, *cage_plant;
bool cage_is_quiet;

static pid_t child;
static int to_child = -1, from_child = -1;

/* ----- Starting ----------------------------------------------------------- */

/* Words of the command that come after the options of the draft. */
static size_t
add_backend(const char **words, size_t n, enum enforcer by, bool degraded)
{
	words[n++] = "--backend";
	words[n++] = by == BY_SBPL ? "seatbelt" :
	    by == BY_BWRAP	   ? "bwrap" :
				     "native";
	if (by == BY_TRACE)
		words[n++] = "--trace";
	if (by != BY_SBPL) { /* whatever a worker says */
		words[n++] = "--enforcement";
		words[n++] = degraded ? "degraded" : "required";
	}
	return n;
}

static void
become(const char *const *words, int input, int output)
{
	int log = open(at("stderr"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);

	if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(log, 2) < 0 ||
	    chdir(at("w")) != 0)
		_exit(126);
	if (cage_plant != NULL)
		setenv("CORDON_TEST_PLANT", cage_plant, 1);
	execv(words[0], (char *const *)(uintptr_t)words);
	_exit(127);
}

static void
start(const char *const *words)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		err(2, "pipe");
	child = fork();
	if (child == 0)
		become(words, in[0], out[1]);
	if (child < 0)
		err(2, "fork");
	close(in[0]);
	close(out[1]);
	to_child = in[1];
	from_child = out[0];
}

/* ----- Asking ------------------------------------------------------------- */

static bool
give(const void *from, size_t n)
{
	return write(to_child, from, n) == (ssize_t)n;
}

static bool
take(void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r = read(from_child, (char *)to + done, n - done);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		done += (size_t)r;
	}
	return true;
}

bool
cage_open(const struct draft *draft, enum enforcer by, bool degraded)
{
	const char *words[OPTIONS_MAX + 16];
	char prober[128];
	int32_t hello;
	size_t n = 0;

	snprintf(prober, sizeof(prober), "%s/tools/prober", stage);
	if (by != ENFORCERS) {
		words[n++] = cage_command;
		words[n++] = "run";
		words[n++] = "--quiet";
		n += draft_options(draft, words + n);
		n = add_backend(words, n, by, degraded);
		words[n++] = "--";
	}
	words[n++] = prober;
	words[n] = NULL;
	start(words);
	return take(&hello, sizeof(hello));
}

static size_t
put_path(char *out, const struct question *q, const char *path)
{
	const char *text = path[0] == '\0'		      ? "" :
	    q->relative && strncmp(path, "w/", 2) == 0 ? path + 2 :
							      at("%s", path);

	memcpy(out, text, strlen(text) + 1);
	return strlen(text) + 1;
}

bool
cage_ask(struct question **questions, size_t n)
{
	static char text[REQUEST_MAX];
	static int32_t results[QUESTIONS_MAX];
	struct request_head head = { .count = (uint32_t)n };
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		const struct question *q = questions[i];

		if (used + 4UL * PATH_SIZE + 1024 > sizeof(text))
			errx(2, "too many questions at once");
		text[used++] = (char)q->act;
		used += put_path(text + used, q, q->path);
		used += put_path(text + used, q, q->other);
	}
	head.bytes = (uint32_t)used;
	if (!give(&head, sizeof(head)) || !give(text, used) ||
	    !take(results, n * sizeof(results[0])))
		return false;
	for (size_t i = 0; i < n; i++)
		questions[i]->result = results[i];
	return true;
}

static void
print_log(void)
{
	FILE *file = fopen(at("stderr"), "re");
	char line[512];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		printf("# %s", line);
	if (file != NULL)
		fclose(file);
}

static int
end(void)
{
	int status;

	if (to_child >= 0)
		close(to_child);
	close(from_child);
	to_child = from_child = -1;
	if (waitpid(child, &status, 0) != child)
		err(2, "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

bool
cage_close(void)
{
	int status = end();

	if (status != 0 && !cage_is_quiet) {
		printf("# the run ended with %d\n", status);
		print_log();
	}
	return status == 0;
}

/* ----- Seatbelt ----------------------------------------------------------- */

#define SBPL_SIZE (1 << 20)

char *
cage_sbpl(const struct draft *draft)
{
	const char *words[OPTIONS_MAX + 16] = { cage_command, "plan",
		"--format", "sbpl" };
	char *text = malloc(SBPL_SIZE);
	size_t n = 4, used = 0;
	ssize_t r;

	n += draft_options(draft, words + n);
	n = add_backend(words, n, BY_SBPL, false);
	words[n] = NULL;
	if (text == NULL)
		err(2, "memory");
	start(words);
	close(to_child);
	to_child = -1;
	while ((r = read(from_child, text + used, SBPL_SIZE - 1 - used)) > 0)
		used += (size_t)r;
	text[used] = '\0';
	(void)end(); /* 1: no such backend here, to run anything in */
	if (used == 0) {
		print_log();
		errx(2, "no profile");
	}
	return text;
}
