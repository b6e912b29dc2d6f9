#include "front/hook/door.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"

/* ----- Saying it -------------------------------------------------------- */

/* All of it, or errno. */
static int
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno != EINTR)
			return errno;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* One line, whatever is in it; the agent shows it to its model. */
CDN_PRINTF(1, 2)
static int
block(const char *fmt, ...)
{
	char line[2048];
	size_t n;
	va_list ap;

	va_start(ap, fmt);
	n = cdn_err_line(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	line[n++] = '\n';
	(void)write_all(STDERR_FILENO, line, n);
	return HOOK_BLOCKED;
}

static int
block_for(const struct cordon_error *err)
{
	if (err->source[0] != '\0' && err->line > 0)
		return block("cordon could not judge this call, so it is "
		    "blocked: %s:%u: %s", err->source, err->line, err->text);
	return block("cordon could not judge this call, so it is blocked: %s",
	    err->text);
}

/* ----- The child -------------------------------------------------------- */

/* Up to its end; an event that is too large is none. */
static int
read_event(struct cdn_buf *ret, struct cordon_error *err)
{
	char part[16384];

	for (;;) {
		ssize_t n = read(STDIN_FILENO, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cdn_err_sys(err, errno,
			    "cannot read the event");
		if (n == 0)
			break;
		if (ret->n + (size_t)n > ret->max)
			return cdn_err(err, CORDON_E_INVALID, "the event has "
			    "more than %zu bytes", ret->max);
		cdn_buf_add(ret, part, (size_t)n);
		if (cdn_buf_failed(ret))
			return cdn_err_nomem(err);
	}
	return ret->n > 0 ? 0 : cdn_err(err, CORDON_E_INVALID,
	    "there is no event on standard input (an agent runs this command; "
	    "'cordon hook install' tells it to)");
}

static int
judge(const struct hook_door *door, const struct cordon_hook_event *event,
    struct cordon_hook_answer *ret, struct cordon_error *err)
{
	struct cordon_session *session = NULL;
	char *workspace = NULL;
	int code = cordon_hook_workspace(event, &workspace, err);

	if (code == 0)
		code = door->session(workspace, door->arg, &session, err);
	if (code == 0)
		code = cordon_hook_judge(session, event, ret, err);
	cordon_session_free(session);
	free(workspace);
	return code;
}

/* The answer is complete before the first byte of it is written. */
static int
give(const struct cordon_hook_answer *answer)
{
	int failed = write_all(STDOUT_FILENO, answer->output,
	    strlen(answer->output));

	if (failed != 0)
		return block("cordon cannot write its answer, so the call is "
		    "blocked: %s", strerrordesc_np(failed));
	return answer->allowed ? HOOK_ALLOWED : block("%s", answer->reason);
}

static int
work(const struct hook_door *door)
{
	struct cordon_hook_event event = { .size = sizeof(event),
		.agent = door->agent, .audit = door->audit };
	struct cordon_hook_answer answer = { 0 };
	struct cordon_error err = { 0 };
	struct cdn_buf text;
	int status;

	cdn_buf_init(&text, CDN_HOOK_EVENT_MAX);
	if (read_event(&text, &err) != 0) {
		cdn_buf_done(&text);
		return block_for(&err);
	}
	event.text = text.p;
	event.len = text.n;
	status = judge(door, &event, &answer, &err) != 0 ? block_for(&err) :
							  give(&answer);
	free(answer.output);
	cdn_buf_done(&text);
	return status;
}

/* ----- The parent ------------------------------------------------------- */

/* What would end a process; none of it may end this one with another status. */
static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT,
	SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM, SIGTERM, SIGSTKFLT,
	SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS };

static void
end_blocked(int signal)
{
	static const char text[] =
	    "cordon was ended before it could answer, so the call is blocked\n";

	(void)signal;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(HOOK_BLOCKED);
}

/*
 * A libc keeps the first real-time signals for itself (musl three, glibc two),
 * and its sigaction() knows nothing of them.  The kernel's own, on x86_64 and
 * aarch64; who handles them never returns, so any restorer will do.
 */
struct kernel_action {
	void (*handler)(int signal);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define FIRST_REAL_TIME 32
#define KERNEL_RESTORER 0x04000000UL

static void
no_return(void)
{
	_exit(HOOK_BLOCKED);
}

static bool
handle_reserved(void (*handler)(int signal))
{
	const struct kernel_action action = { .handler = handler,
		.flags = (unsigned long)SA_ONSTACK | KERNEL_RESTORER,
		.restorer = no_return };

	for (int i = FIRST_REAL_TIME; i < SIGRTMIN; i++)
		if (syscall(SYS_rt_sigaction, i, &action, NULL,
			sizeof(action.mask)) != 0)
			return false;
	return true;
}

/* All of them, also those that a libc leaves out of its own sets. */
static void
block_all(unsigned long *before)
{
	const unsigned long all = ~0UL;

	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, before,
	    sizeof(all));
}

static void
unblock(unsigned long mask)
{
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL,
	    sizeof(mask));
}

/*
 * On a stack of its own, so that a full one is no way around it.  Those that
 * somebody blocked are let in again: they would come at no good time.
 */
static bool
catch_all(void)
{
	static char stack[16384];
	const stack_t alternative = { .ss_sp = stack,
		.ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = end_blocked,
		.sa_flags = SA_ONSTACK };
	sigset_t none;

	if (sigaltstack(&alternative, NULL) != 0)
		return false;
	for (size_t i = 0; i < CDN_LEN(fatal); i++)
		if (sigaction(fatal[i], &action, NULL) != 0)
			return false;
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		if (sigaction(i, &action, NULL) != 0)
			return false;
	if (!handle_reserved(end_blocked))
		return false;
	action = (struct sigaction){ .sa_handler = SIG_DFL };
	sigemptyset(&none);
	sigaddset(&none, SIGCHLD);
	return sigaction(SIGCHLD, &action, NULL) == 0 &&
	    pthread_sigmask(SIG_SETMASK, &none, NULL) == 0;
}

/* It may die of what the parent survives, and leaves nothing behind. */
static void
become_child(pid_t parent)
{
	const struct rlimit no_core = { 0, 0 };

	for (size_t i = 0; i < CDN_LEN(fatal); i++)
		signal(fatal[i], SIG_DFL);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		signal(i, SIG_DFL);
	(void)handle_reserved(SIG_DFL);
	unblock(0);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(block("cordon lost its parent, so the call is blocked"));
}

/* Milliseconds on a clock that nobody sets. */
static int64_t
now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The child's status; false when it took too long, or is not there. */
static bool
await(pid_t child, int *ret)
{
	int64_t end = now_ms() + CDN_HOOK_WAIT_MS;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		int64_t left = end - now_ms();
		pid_t found = waitpid(child, ret, WNOHANG);
		struct timespec wait;

		if (found == child)
			return true;
		if (found < 0 || left <= 0)
			return false;
		wait = (struct timespec){ .tv_sec = left / 1000,
			.tv_nsec = left % 1000 * 1000000 };
		(void)sigtimedwait(&set, NULL, &wait);
	}
}

static int
supervise(pid_t child)
{
	int status = 0;

	if (!await(child, &status)) {
		(void)kill(child, SIGKILL);
		return block("cordon did not come to an answer within %d "
		    "seconds, so the call is blocked",
		    CDN_HOOK_WAIT_MS / 1000);
	}
	if (WIFSIGNALED(status))
		return block("cordon was ended by signal %d before it could "
		    "answer, so the call is blocked", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == HOOK_ALLOWED)
		return HOOK_ALLOWED;
	if (WIFEXITED(status) && WEXITSTATUS(status) == HOOK_BLOCKED)
		return HOOK_BLOCKED; /* and has said why */
	return block("cordon ended with %d, so the call is blocked",
	    WEXITSTATUS(status));
}

int
hook_answer(const struct hook_door *door)
{
	pid_t parent = getpid(), child;
	unsigned long before = 0;

	if (!catch_all())
		return block("cordon cannot watch over itself, so the call is "
		    "blocked: %s", strerrordesc_np(errno));
	/* Until the child is one, nothing may end it as if it were the parent. */
	block_all(&before);
	child = fork();
	if (child != 0)
		unblock(before);
	if (child < 0)
		return block("cordon cannot start, so the call is blocked: %s",
		    strerrordesc_np(errno));
	if (child == 0) {
		become_child(parent);
		_exit(work(door));
	}
	return supervise(child);
}
