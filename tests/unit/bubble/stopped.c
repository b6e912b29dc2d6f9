/*
 * Who works for us and is stopped: nobody waits for him for ever, and he does
 * not outlive us.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/bubble/sealing.h"
#include "enforce/sys/process.h"
#include "support/tap.h"

#define PROGRAM	  "/bin/sh"
#define TRIES_MAX 20000 /* until one is stopped where it should be */

static bool
has_child(void)
{
	return waitpid(-1, NULL, __WALL | WNOHANG) >= 0 || errno != ECHILD;
}

/* CLD_STOPPED, or how it ended; nothing of it is taken. */
static int
state(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT |
	    __WALL) == 0 ? info.si_code : 0;
}

/* ----- By themselves -------------------------------------------------------- */

static void
test_reap(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			raise(SIGSTOP);
		_exit(7);
	}
	ok(state(pid) == CLD_STOPPED, "control: it is stopped");
	cdn_sys_reap(pid);
	ok(!has_child(), "it is continued, each time, and reaped");
}

/* One who makes another one, which is stopped then; the number of that. */
static pid_t
make_two(int (*make)(int arg), int arg, pid_t *ret_parent)
{
	int said[2] = { 0 }, says[2];

	if (pipe(says) != 0)
		return 0;
	*ret_parent = fork();
	if (*ret_parent == 0) {
		said[0] = make(arg);
		said[1] = said[0] > 0 ? state(said[0]) : 0;
		(void)!write(says[1], said, sizeof(said));
		for (;;)
			pause();
	}
	close(says[1]);
	(void)!read(says[0], said, sizeof(said));
	close(says[0]);
	return said[1] == CLD_STOPPED ? said[0] : 0;
}

/* Both are gone then.  Did the second die with the first? */
static bool
dies_with(pid_t parent, pid_t pid)
{
	bool dies;

	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	dies = pid > 0 && state(pid) == CLD_KILLED;
	if (pid > 0)
		kill(pid, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	return dies;
}

static int
stop_child(int asks)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	if (asks == 0 || cdn_sys_die_with(parent) == 0)
		raise(SIGSTOP);
	_exit(1);
}

static void
test_die_with(bool asks)
{
	pid_t parent, pid = make_two(stop_child, asks, &parent);

	ok(pid > 0, "one that is stopped");
	ok(dies_with(parent, pid) == asks, asks ?
	    "who asked for it dies with its parent" :
	    "control: who did not stays");
}

static void
test_too_late(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(cdn_sys_die_with(getpid()) == -ESRCH ? 0 : 1);
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	    "who has another parent by then is told");
}

/* ----- Who seals ------------------------------------------------------------ */

static const int none[3] = { -1, -1, -1 };

static void
test_sealing(void)
{
	struct cdn_sealing s;
	bool is_stopped = false;

	for (int i = 0; i < TRIES_MAX && !is_stopped; i++) {
		cdn_sealing_open(&s, PROGRAM);
		cdn_sealing_begin(&s, none);
		is_stopped = s.pid > 0 && kill(s.pid, SIGSTOP) == 0 &&
		    state(s.pid) == CLD_STOPPED;
		cdn_sealing_await(&s);
		if (is_stopped)
			ok(s.program_error == 0,
			    "who seals and is stopped goes on");
		cdn_sealing_close(&s);
	}
	ok(is_stopped, "one was stopped");
	ok(!has_child(), "and nothing is left");
}

/* After a while of that length it may have asked already. */
static int
stop_sealer(int length)
{
	static struct cdn_sealing s;

	cdn_sealing_open(&s, PROGRAM);
	cdn_sealing_begin(&s, none);
	for (int i = 0; i < length; i++)
		cdn_sys_relax();
	return s.pid > 0 && kill(s.pid, SIGSTOP) == 0 ? s.pid : 0;
}

static void
test_sealing_left(void)
{
	bool dies = false;
	pid_t parent;

	for (int i = 0; i < TRIES_MAX && !dies; i++) {
		pid_t pid = make_two(stop_sealer, i % 1000 * 10, &parent);

		dies = dies_with(parent, pid);
	}
	ok(dies, "who seals and is stopped dies with us");
}

/* Where somebody guards user namespaces nobody does. */
static bool
can_seal(void)
{
	struct cdn_sealing s;
	bool can;

	cdn_sealing_open(&s, PROGRAM);
	cdn_sealing_begin(&s, none);
	cdn_sealing_await(&s);
	can = s.program_error == 0;
	cdn_sealing_close(&s);
	return can;
}

int
main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1L);
	test_reap();
	test_die_with(false);
	test_die_with(true);
	test_too_late();
	if (can_seal()) {
		test_sealing();
		test_sealing_left();
	} else {
		skip("no mount can be made here");
	}
	return done_testing();
}
