/*
 * Somebody swaps a file, and its directory, for a link that leaves, all the
 * time.  Whatever comes of an open: nothing outside is read, made or changed.
 * CORDON_TRIES times 3000 opens.
 */
#include "enforce/gate/gate.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "support/random.h"
#include "support/tap.h"
#include "unit/session/made.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static struct cordon_path_policy *policy;

static const struct {
	const char *raw;
	int flags;
} opens[] = {
	{ "f", O_RDONLY },
	{ "f", O_RDWR | O_TRUNC },
	{ "f", O_WRONLY | O_CREAT | O_APPEND },
	{ "d/f", O_RDONLY },
	{ "d/f", O_RDWR | O_CREAT },
	{ "d/new", O_RDWR | O_CREAT },
	{ "d/new", O_WRONLY | O_CREAT | O_EXCL },
	{ "d/../d/./f", O_RDONLY },
};

/* Never returns.  The first exchange is made before anybody looks. */
static void
swap_forever(int ready)
{
	int dir = open(tmp_path("w"), O_PATH | O_CLOEXEC);
	bool told = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		renameat2(dir, "f", dir, "f.link", RENAME_EXCHANGE);
		renameat2(dir, "d", dir, "d.link", RENAME_EXCHANGE);
		unlinkat(dir, "d/new", 0);
		unlinkat(dir, "d.link/new", 0);
		if (!told && write(ready, "x", 1) == 1)
			told = true;
	}
}

static pid_t
start_swapper(void)
{
	int fds[2];
	char byte;
	pid_t pid;

	tmp_need(pipe(fds) == 0, "pipe", "");
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		swap_forever(fds[1]);
	}
	close(fds[1]);
	tmp_need(pid > 0 && read(fds[0], &byte, 1) == 1, "fork", "");
	close(fds[0]);
	return pid;
}

/* True when it leaked. */
static bool
try_open(const char *raw, int flags)
{
	char text[8] = "";
	bool leaked = false;
	int fd;

	if (cordon_path_open(policy, raw, strlen(raw), flags, 0600, &fd, NULL,
		NULL) != 0)
		return false;
	if ((flags & O_ACCMODE) != O_WRONLY &&
	    pread(fd, text, sizeof(text) - 1, 0) > 0)
		leaked = strstr(text, "SECRET") != NULL;
	if ((flags & O_ACCMODE) != O_RDONLY)
		leaked |= write(fd, "mine", 4) < 0;
	close(fd);
	return leaked;
}

static bool
is_untouched(void)
{
	char text[16] = "";
	int fd = open(tmp_path("out/f"), O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text));

	close(fd);
	return n == 6 && memcmp(text, "SECRET", 6) == 0;
}

int
main(void)
{
	struct cordon_session *session;
	unsigned long leaks = 0, tries = 3000 * random_tries();
	pid_t swapper;

	made_begin();
	tmp_dir("out");
	tmp_dir("w/d");
	tmp_file("out/f", "SECRET");
	tmp_file("w/f", "inside");
	tmp_file("w/d/f", "inside");
	tmp_link("../out/f", "w/f.link");
	tmp_link("../out", "w/d.link");
	session = made_session((struct cordon_session_options){ 0 });
	tmp_need(cordon_path_policy_new(session, NULL, 0, &policy, NULL) == 0,
	    "policy", "");
	for (size_t i = 0; i < CDN_LEN(opens); i++) {
		int fd = -1;

		unlink(tmp_path("w/d/new"));
		ok_f(cordon_path_open(policy, opens[i].raw,
			strlen(opens[i].raw), opens[i].flags, 0600, &fd, NULL,
			NULL) == 0, "'%s' opens when nobody is in the way",
		    opens[i].raw);
		close(fd);
	}
	swapper = start_swapper();
	for (unsigned long i = 0; i < tries; i++)
		leaks += try_open(opens[i % CDN_LEN(opens)].raw,
		    opens[i % CDN_LEN(opens)].flags);
	kill(swapper, SIGKILL);
	waitpid(swapper, NULL, 0);
	ok_f(leaks == 0, "%lu opens, %lu leaks", tries, leaks);
	ok(is_untouched(), "what is outside is as it was");
	ok(access(tmp_path("out/new"), F_OK) != 0, "nothing new is outside");
	cordon_path_policy_free(policy);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
