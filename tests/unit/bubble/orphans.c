/*
 * Who holds one end of a pair of sockets, and only that, is ended; nobody else.
 */
#include "enforce/bubble/orphans.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

/* Without one of the ends, or both; asleep. */
static pid_t
child(int close_one, int close_other)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (close_one >= 0)
		close(close_one);
	if (close_other >= 0)
		close(close_other);
	for (;;)
		pause();
}

static struct cdn_run_place
place(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ?
	    (struct cdn_run_place){ st.st_dev, st.st_ino } :
	    (struct cdn_run_place){ 0, 0 };
}

/* It closes its ends by itself, some time after it was made. */
static bool
has_closed(pid_t pid, int fd)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, fd);
	for (int i = 0; i < 60000 && stat(name, &st) == 0; i++)
		(void)poll(NULL, 0, 1);
	return stat(name, &st) != 0;
}

/* A zombie is gone; who lives is ended here. */
static bool
was_ended(pid_t pid)
{
	int status = 0;
	pid_t got = waitpid(pid, &status, WNOHANG);

	if (got == pid)
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return false;
}

int
main(void)
{
	struct cdn_run_place theirs, ours;
	pid_t orphan, second, fork_of_ours, stranger;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return 1;
	theirs = place(pair[0]);
	ours = place(pair[1]);
	orphan = child(pair[1], -1);
	second = child(pair[1], -1);
	fork_of_ours = child(-1, -1);
	stranger = child(pair[0], pair[1]);
	ok(has_closed(orphan, pair[1]) && has_closed(second, pair[1]) &&
	    has_closed(stranger, pair[0]), "all have what they should");
	cdn_orphans_end(&theirs, &ours);
	ok(was_ended(orphan), "who has the one end alone is ended");
	ok(was_ended(second), "all of them are");
	ok(!was_ended(fork_of_ours), "not who has both, as we do");
	ok(!was_ended(stranger), "nor who has none");
	cdn_orphans_end(&theirs, &ours);
	ok(true, "nobody is left, and nothing happens");
	close(pair[0]);
	close(pair[1]);
	return done_testing();
}
