/*
 * The kernel could not look at the listener, because who asked was interrupted at
 * its lock (SIGSTOP, a debugger): then poll and epoll_wait say "error".  It is no
 * end, and whoever waits goes on waiting.  These moments cannot be made to come,
 * so the test has a poll and an epoll_wait of its own, which say so as often as
 * they are told to.
 */
#include <cordon/cordon.h>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "unit/session/made.h"

#define OFTEN	 5U
#define RUNS_MAX 200U

/* Who waits, by how he does: for a call, for the end alone, at the gate. */
enum { FRONT, LAUNCH, GATE, WAITERS };

static const char *const names[WAITERS] = { "an error in front",
	"an error to who waits for the end", "an error behind" };

static struct {
	unsigned left; /* times that somebody is told so */
	bool back;     /* and who was waited again */
} waiters[WAITERS];

/* True: now. */
static bool
cannot_look(unsigned which)
{
	static __thread bool told[WAITERS];
	unsigned left = __atomic_load_n(&waiters[which].left, __ATOMIC_ACQUIRE);

	if (told[which])
		__atomic_store_n(&waiters[which].back, true, __ATOMIC_RELEASE);
	while (left > 0)
		if (__atomic_compare_exchange_n(&waiters[which].left, &left,
			left - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return told[which] = true;
	return false;
}

/* The broker waits for a listener, and for the end. */
static bool
is_listener(int fd)
{
	char link[64], name[64] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, name, sizeof(name) - 1) > 0 &&
	    strcmp(name, "anon_inode:seccomp notify") == 0;
}

/* By these names the broker calls them. */
int our_poll(struct pollfd *fds, nfds_t n, int timeout) __asm__("poll");
int our_epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
    __asm__("epoll_wait");

int
our_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct timespec for_ms = { timeout / 1000, timeout % 1000 * 1000000L };

	if (n == 2 && timeout < 0 && is_listener(fds[0].fd) &&
	    cannot_look(fds[0].events == 0 ? LAUNCH : FRONT)) {
		fds[0].revents = POLLERR;
		fds[1].revents = 0;
		return 1;
	}
	return (int)syscall(SYS_ppoll, fds, n, timeout < 0 ? NULL : &for_ms,
	    NULL, 0);
}

int
our_epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	if (max == 1 && cannot_look(GATE)) { /* who supervises takes more */
		events[0] = (struct epoll_event){ .events = EPOLLERR };
		return 1;
	}
	return (int)syscall(SYS_epoll_pwait, fd, events, max, timeout, NULL, 0);
}

/* ----- Runs ---------------------------------------------------------------------- */

/*
 * Some at once, so that of those who answer some wait behind; the broker judges
 * each of these calls, and one is refused.
 */
static const char script[] =
    "work() { for i in 1 2 3 4 5 6 7 8 9 10; do"
    " mkdir $1 && rmdir $1 || exit 1; done; };"
    "work a & work b & work c & work d || exit 1; wait;"
    "mkdir .git/hooks/e 2>/dev/null && exit 2; echo all";

/* As it is without anything in its way? */
static bool
is_answered(const struct cordon_session *session)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct cordon_run_options options = { .size = sizeof(options),
		.argv = argv, .cwd = tmp_path("w"),
		.stdin_mode = CORDON_STDIN_NULL,
		.output = CORDON_OUTPUT_CAPTURE, .audit = "" };
	struct cordon_run_result result;
	struct cordon_error err;
	bool good;

	if (cordon_run(session, &options, &result, &err) != 0) {
		printf("# %s\n", err.text);
		return false;
	}
	good = result.success && result.denials == 1 &&
	    strcmp(result.out, "all\n") == 0;
	if (!good)
		printf("# exit %d, %lu denials: %s%s\n", result.exit_code,
		    result.denials, result.out, result.err);
	cordon_run_result_done(&result);
	return good;
}

static void
check(const struct cordon_session *session, unsigned which)
{
	unsigned n = 0;
	bool good;

	do {
		waiters[which].left = OFTEN;
		good = is_answered(session);
	} while (good && !waiters[which].back && ++n < RUNS_MAX);
	ok_f(good, "%s is no end: all are answered", names[which]);
	ok(waiters[which].back, "who was told so waits again");
	waiters[which].left = 0;
}

int
main(void)
{
	struct cordon_session *session;

	alarm(250); /* who is not answered would wait for ever */
	made_begin();
	tmp_dir("w/.git");
	tmp_dir("w/.git/hooks");
	session = made_session((struct cordon_session_options){ 0 });
	ok(is_answered(session), "nobody is told so");
	for (unsigned i = 0; i < WAITERS; i++)
		check(session, i);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
