#include "try.h"

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void
write_filter(const struct cdn_filter *filter, char path[64])
{
	size_t size;
	int fd;

	path[0] = '\0';
	if (filter == NULL)
		return;
	size = filter->n * sizeof(filter->code[0]);
	snprintf(path, 64, "/tmp/cordon-filter-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0 || write(fd, filter->code, size) != (ssize_t)size)
		err(1, "%s", path);
	close(fd);
}

/* The command line of trysys; argv has room for 16. */
static void
command_line(const char **argv, const char *identity, const char *path,
    const struct cdn_filter *filter, const char *script)
{
	const char *trysys = getenv("CORDON_TRYSYS");

	*argv++ = trysys != NULL ? trysys : "trysys";
	*argv++ = "-i";
	*argv++ = identity;
	if (path[0] != '\0') {
		*argv++ = "-f";
		*argv++ = path;
	}
	if (filter != NULL && cdn_filter_traps(filter))
		*argv++ = "-l";
	if (script != NULL) {
		*argv++ = "/bin/sh";
		*argv++ = "-c";
		*argv++ = script;
	}
	*argv = NULL;
}

static pid_t
spawn(const char **argv, int in, int out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	r = posix_spawnp(&pid, argv[0], &actions, NULL,
	    (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (r != 0)
		errx(1, "%s: %s", argv[0], strerror(r));
	return pid;
}

bool
try_start(struct try *ret, const char *identity,
    const struct cdn_filter *filter)
{
	const char *argv[16];
	int in[2], out[2];

	write_filter(filter, ret->path);
	command_line(argv, identity, ret->path, filter, NULL);
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		err(1, "pipe");
	ret->pid = spawn(argv, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	ret->to = fdopen(in[1], "w");
	ret->from = fdopen(out[0], "r");
	signal(SIGPIPE, SIG_IGN);
	return ret->to != NULL && ret->from != NULL;
}

struct try_result
try_ask(struct try *try, const char *request)
{
	static const char *const words[] = { "value", "errno", "signal",
		"trapped" };
	struct try_result result = { .kind = TRY_BROKEN };
	char word[16];

	fprintf(try->to, "%s\n", request);
	fflush(try->to);
	if (fgets(result.text, sizeof(result.text), try->from) == NULL) {
		snprintf(result.text, sizeof(result.text), "trysys is gone");
		return result;
	}
	result.text[strcspn(result.text, "\n")] = '\0';
	if (sscanf(result.text, "%15s %ld", word, &result.n) == 2)
		for (unsigned i = 0; i < 4; i++)
			if (strcmp(word, words[i]) == 0)
				result.kind = (enum try_kind)i;
	return result;
}

static int
finish(pid_t pid, const char *path)
{
	int status = 0;

	waitpid(pid, &status, 0);
	if (path[0] != '\0')
		unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
}

void
try_stop(struct try *try)
{
	fclose(try->to);
	fclose(try->from);
	(void)finish(try->pid, try->path);
}

int
try_script(const char *identity, const struct cdn_filter *filter,
    const char *script, char *out, size_t size)
{
	const char *argv[16];
	char path[64];
	size_t n = 0;
	int ends[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	write_filter(filter, path);
	command_line(argv, identity, path, filter, script);
	if (null < 0 || pipe2(ends, O_CLOEXEC) < 0)
		err(1, "pipe");
	pid = spawn(argv, null, ends[1]);
	close(ends[1]);
	close(null);
	while (n + 1 < size) {
		ssize_t got = read(ends[0], out + n, size - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	out[n] = '\0';
	close(ends[0]);
	return finish(pid, path);
}

const char *
try_obstacle(const char *identity)
{
	static char why[128];
	char out[64];

	if (try_script(identity, NULL, "echo here", out, sizeof(out)) == 0)
		return NULL;
	snprintf(why, sizeof(why), "cannot be %s here (uid %u)", identity,
	    (unsigned)geteuid());
	return why;
}
