/*
 * A command behind sandbox-exec: what that is given, and what is left of it.
 * There is a script in its place that writes everything down.
 */
#include "enforce/launch/belted.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define PROFILE "(version 1)\n(deny default) ; \"a b\"\n"

static const char stand_in[] =
    "#!/bin/sh\n"
    "PATH=/usr/bin:/bin\n"
    "for word; do printf '%s\\n' \"$word\"; done >words\n"
    "cat \"$2\" >profile\n"
    "stat -c %a \"$2\" >mode\n"
    "tr '\\0' '\\n' </proc/$$/environ >environment\n"
    "[ \"$(ps -o pgid= -p $$ | tr -d ' ')\" = $$ ] && echo leads >group\n"
    "shift 3\n"
    "exec \"$@\"\n";

static const char *dir, *wrapper;

static char *
text_of(const char *name)
{
	static char text[8192];
	ssize_t n = -1;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "w/%s", name);
	fd = open(tmp_path(path), O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void
put_wrapper(mode_t mode)
{
	int fd = open(wrapper, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t n = (ssize_t)sizeof(stand_in) - 1;

	tmp_need(fd >= 0 && write(fd, stand_in, (size_t)n) == n &&
		fchmod(fd, mode) == 0 && close(fd) == 0, "stand-in", wrapper);
}

static int
run(const char *const *argv, int *status, struct cordon_error *err)
{
	static char path[] = "PATH=/bin", set[] = "GIVEN=a b";
	char *const envp[] = { path, set, NULL };
	const struct cdn_belted belted = { .wrapper = wrapper,
		.profile = CDN_STR(PROFILE), .tmp = dir, .argv = argv,
		.envp = envp, .cwd = tmp_path("w") };

	*status = -1;
	return cdn_belted_run(&belted, status, err);
}

static void
starts(void)
{
	const char *const argv[] = { "/bin/sh", "-c", "pwd >where; exit 7", NULL };
	struct cordon_error err = { 0 };
	char where[PATH_MAX], *words, *end;
	int status;

	ok_f(run(argv, &status, &err) == 0, "it runs (%s)", err.text);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "its exit code");
	snprintf(where, sizeof(where), "%s\n", tmp_path("w"));
	ok(strcmp(text_of("where"), where) == 0, "its directory");
	ok(strcmp(text_of("profile"), PROFILE) == 0, "the profile is a file");
	ok(strcmp(text_of("mode"), "600\n") == 0, "of ours alone");
	ok(strcmp(text_of("group"), "leads\n") == 0, "it leads a group");
	ok(strcmp(text_of("environment"), "PATH=/bin\nGIVEN=a b\n") == 0,
	    "nothing is added to its variables");
	words = text_of("words");
	ok(strncmp(words, "-f\n/", 4) == 0, "the file is named");
	end = strchr(words + 3, '\n');
	tmp_need(end != NULL, "words", words);
	ok(strcmp(end, "\n--\n/bin/sh\n-c\npwd >where; exit 7\n") == 0,
	    "then the command, word by word");
	*end = '\0';
	ok(access(words + 3, F_OK) != 0, "afterwards it is gone");
}

static void
signalled(void)
{
	const char *const argv[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
	struct cordon_error err = { 0 };
	int status;

	ok(run(argv, &status, &err) == 0 && WIFSIGNALED(status) &&
		WTERMSIG(status) == 9, "a signal that ended it");
}

/* The file that others can write, and the one that is not there. */
static void
refuses(void)
{
	const char *const argv[] = { "/usr/bin/touch", "ran", NULL };
	struct cordon_error err = { 0 };
	int status;

	put_wrapper(0777);
	ok(run(argv, &status, &err) == CORDON_E_ENFORCE,
	    "one that everybody can write is not used");
	ok(strstr(err.text, wrapper) != NULL, "and named");
	unlink(wrapper);
	ok(run(argv, &status, &err) == CORDON_E_ENFORCE,
	    "nor one that is not there");
	ok(text_of("ran")[0] == '\0' && status == -1, "nothing ran");
	put_wrapper(0700);
	ok(run(argv, &status, &err) == 0 && status == 0, "control: it does");
}

static void
is_somewhere_else(void)
{
	const char *const argv[] = { "/bin/true", NULL };
	const struct cdn_belted belted = { .profile = CDN_STR(PROFILE),
		.tmp = dir, .argv = argv, .cwd = "/" };
	struct cordon_error err = { 0 };
	int status = -1;

	if (access("/usr/bin/sandbox-exec", X_OK) == 0)
		return;
	ok(cdn_belted_run(&belted, &status, &err) == CORDON_E_ENFORCE &&
		strstr(err.text, "'/usr/bin/sandbox-exec'") != NULL,
	    "without sandbox-exec it is refused, and the place named");
}

int
main(void)
{
	static char at[PATH_MAX];

	tmp_begin();
	tmp_dir("w");
	dir = tmp_root;
	snprintf(at, sizeof(at), "%s", tmp_path("sandbox-exec"));
	wrapper = at;
	put_wrapper(0700);
	starts();
	signalled();
	refuses();
	is_somewhere_else();
	tmp_end();
	return done_testing();
}
