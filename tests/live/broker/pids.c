/*
 * A caller is gone while the broker looks at its call, and another one has its
 * number: that one's memory says something else.  Nothing is done for it, and
 * its own calls get their own answers.
 *
 * In a PID namespace, where the next number can be chosen.  The broker is held
 * at the beginning of the call until the number was given away again; what it
 * would do without asking whether the caller still waits is tried, too.
 */
#include "cage.h"

#include <semaphore.h>
#include <sys/mount.h>

#include "enforce/broker/call.h"
#include "support/engine.h"

/* ----- The call that is held ----------------------------------------------------------- */

static sem_t arrived, may_go, over;
static cdn_handler_fn *remove_with;

static void
wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0)
		;
}

static void
hold(struct cdn_call *call, struct cdn_call_answer *answer)
{
	sem_post(&arrived);
	wait_for(&may_go);
	remove_with(call, answer);
	sem_post(&over);
}

/* What comes of not asking. */
static void
remove_for_anybody(struct cdn_call *call, struct cdn_call_answer *answer)
{
	char path[256] = "";

	(void)!cdn_sys_peek(call->tid, call->notif->data.args[1], path,
	    sizeof(path) - 1);
	answer->error = unlink(path) == 0 ? 0 : errno;
}

/* In place of the one in dispatch.c. */
cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	*ret_name = "held";
	switch (nr) {
	case SYS_execve:
		return cdn_handle_exec;
	case SYS_openat:
		return cdn_handle_open;
	case SYS_unlinkat:
		return hold;
	default:
		return NULL;
	}
}

/* ----- One try ------------------------------------------------------------------------- */

static pid_t
pid_in(const struct cage *cage)
{
	return strncmp(cage->answer, "pid ", 4) == 0 ?
	    (pid_t)strtol(cage->answer + 4, NULL, 10) : -1;
}

static void
choose_next(pid_t pid)
{
	char text[16];
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	int n = snprintf(text, sizeof(text), "%d", (int)pid - 1);

	tmp_need(fd >= 0 && write(fd, text, (size_t)n) == n, "write",
	    "ns_last_pid");
	close(fd);
}

static unsigned long reused, wrong;

static void
try_once(struct cage *cage)
{
	char gone[PATH_MAX], keep[PATH_MAX];
	pid_t first, second;

	snprintf(gone, sizeof(gone), "%s", tmp_path("w/pub/gone"));
	snprintf(keep, sizeof(keep), "%s", tmp_path("w/pub/keep"));
	(void)cage_ask(cage, "reuse-first %s", gone);
	first = pid_in(cage);
	wait_for(&arrived);
	kill(first, SIGKILL);
	choose_next(first);
	(void)cage_ask(cage, "reuse-second %s %s", keep, tmp_path("w/pub/a"));
	second = pid_in(cage);
	reused += first == second && first > 1;
	sem_post(&may_go);
	wait_for(&over);
	(void)cage_ask(cage, "reuse-end");
	wrong += !cage_says(cage, "status 0");
}

static void
check(cdn_handler_fn *handler, unsigned long n, bool holds)
{
	struct cage cage = { 0 };

	remove_with = handler;
	reused = wrong = 0;
	tmp_begin();
	cage_files();
	tmp_file("w/pub/gone", "public\n");
	tmp_file("w/pub/keep", "public\n");
	cage_start(&cage, CAGE_C);
	for (unsigned long i = 0; i < n && tmp_there("w/pub/keep"); i++)
		try_once(&cage);
	ok_f(reused > 0 && (!holds || reused * 10 >= n * 9),
	    "%lu times of %lu the number was given away again", reused, n);
	ok_f(tmp_there("w/pub/keep") == holds && tmp_there("w/pub/gone"),
	    holds ? "and nothing was removed for the one who got it" :
		    "control: who does not ask removes it");
	ok_f(wrong == 0, "%lu of those got an answer that was not theirs",
	    wrong);
	(void)cage_stop(&cage);
	tmp_end();
}

static int
init_main(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("proc", "/proc", "proc", 0, NULL) != 0) {
		printf("Bail out! no /proc: errno %d\n", errno);
		return 1;
	}
	sem_init(&arrived, 0, 0);
	sem_init(&may_go, 0, 0);
	sem_init(&over, 0, 0);
	check(cdn_handle_unlinkat, tries(1000), true);
	check(remove_for_anybody, 10, false);
	return done_testing();
}

/* Numbers of our own, as whoever we are. */
static bool
enter_namespaces(void)
{
	char map[64];
	int fd;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) == 0)
		return true;
	snprintf(map, sizeof(map), "%d %d 1", (int)getuid(), (int)getuid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) != 0)
		return false;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, map, strlen(map)) > 0 && close(fd) == 0;
}

int
main(void)
{
	int status = 1;
	pid_t pid;

	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	if (!enter_namespaces()) {
		skip("no PID namespaces here");
		return done_testing();
	}
	pid = fork();
	if (pid == 0) {
		status = init_main();
		fflush(stdout);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	/* No process can be made here any more, not even to look for leaks. */
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
