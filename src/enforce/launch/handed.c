/*
 * handed - the inner half of a run inside of a run.  It is trusted with nothing:
 * see nested.h.
 */
#include "enforce/launch/nested.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "enforce/session/handover.h"
#include "enforce/sys/raw.h"

#define STREAM	3  /* of the stand-in, behind its stdio */
#define STEP_MS 10 /* between two tries to reach somebody */

/* ----- Asking -------------------------------------------------------------------- */

/*
 * Outside of a run of ours the name leads nowhere.  -EAGAIN: there are as many
 * runs as there may be.
 */
static int
try_to_reach(void)
{
	static const struct sockaddr_un address = { .sun_family = AF_UNIX,
		.sun_path = CDN_BROKER_NESTED };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return -ENOENT;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) ==
	    0)
		return fd;
	r = errno == EAGAIN ? -EAGAIN : -ENOENT;
	close(fd);
	return r;
}

/* Others may be about to end. */
static int
reach(void)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	int fd = try_to_reach();

	for (unsigned ms = 0; fd == -EAGAIN && ms < CDN_NESTED_PATIENCE_MS;
	     ms += STEP_MS) {
		(void)nanosleep(&step, NULL);
		fd = try_to_reach();
	}
	return fd;
}

static const char *
working_directory(const struct cordon_process *p)
{
	char path[CDN_PATH_MAX + 1];

	if (p->options->cwd != NULL)
		return realpath(p->options->cwd, path) == NULL ? NULL :
		    cdn_arena_dup(p->arena, path, strlen(path));
	return getcwd(path, sizeof(path)) == NULL ? NULL :
	    cdn_arena_dup(p->arena, path, strlen(path));
}

/* By its own name: the one given may mean another file to the child. */
static const char *
find_stand_in(const struct cordon_process *p)
{
	char path[CDN_PATH_MAX + 1];

	if (p->options->stand_in == NULL ||
	    realpath(p->options->stand_in, path) == NULL)
		return NULL;
	return cdn_arena_dup(p->arena, path, strlen(path));
}

static size_t
count(char *const *list)
{
	size_t n = 0;

	while (list[n] != NULL)
		n++;
	return n;
}

static int
write_request(const struct cordon_process *p, struct cdn_buf *out,
    struct cordon_error *err)
{
	struct cdn_form form = { .out = out };
	struct cdn_nested_wish wish = {
		.argv = p->options->argv,
		.env = (const char *const *)p->request.envp,
		.env_count = count(p->request.envp),
		.program = p->handed_program,
		.cwd = working_directory(p),
		.placed = p->cwd_is != NULL,
		.enforcement = p->terms.enforcement,
		.isolation = p->terms.isolation,
		.trace = p->terms.trace,
	};

	while (wish.argv[wish.argc] != NULL)
		wish.argc++;
	if (p->cwd_is != NULL)
		wish.cwd_is = *p->cwd_is;
	if (wish.cwd == NULL)
		return cdn_err_sys(err, errno, "current directory");
	cdn_session_hand_over(p->session, &form);
	cdn_nested_form(&form, &wish);
	if (cdn_form_is_whole(&form))
		return 0;
	return cdn_err(err, CORDON_E_INVALID, "this run is too large to be "
	    "handed to the one around it (%lu MiB at most)",
	    CDN_NESTED_BYTES / (1024UL * 1024UL));
}

/* What a person should know comes in lines. */
static void
tell(const struct cordon_process *p, char *text)
{
	char *rest = text;
	const char *line;

	while (p->options->notice != NULL &&
	    (line = strsep(&rest, "\n")) != NULL)
		if (line[0] != '\0')
			p->options->notice(line, p->options->notice_arg);
}

static int
ask(struct cordon_process *p, int fd, const struct cdn_buf *request,
    struct cordon_error *err)
{
	struct cdn_nested_head head = { CDN_NESTED_MAGIC,
		(uint32_t)request->n };
	CDN_UNINITIALIZED struct cdn_nested_answer answer;
	int r = cdn_nested_send(fd, &head, sizeof(head));

	if (r == 0)
		r = cdn_nested_send(fd, request->p, request->n);
	if (r == 0)
		r = cdn_nested_hear(fd, &answer);
	if (r != 0)
		return cdn_err(err, CORDON_E_ENFORCE, "this run is inside of "
		    "another one, which did not take it (%s)",
		    strerrordesc_np(-r));
	if (answer.says != CDN_NESTED_ACCEPTED)
		return cdn_err(err, answer.value < 0 ? answer.value :
		    CORDON_E_ENFORCE, "%s", answer.text);
	if (strnlen(answer.text, CDN_NESTED_ID) < CDN_NESTED_ID)
		return cdn_err(err, CORDON_E_ENFORCE, "the run around this one "
		    "does not say which it took");
	memcpy(p->run, answer.text, CDN_NESTED_ID);
	tell(p, answer.text + CDN_NESTED_ID);
	return 0;
}

int
cdn_launch_reach_outer(struct cordon_process *p, struct cordon_error *err)
{
	p->stand_in = find_stand_in(p);
	p->handed_fd = p->stand_in == NULL ? -1 : reach();
	if (p->handed_fd != -EAGAIN)
		return 0;
	return cdn_err(err, CORDON_E_ENFORCE, "%d runs are inside of the one "
	    "around this already, which is all it takes (wait for one of them)",
	    CDN_NESTED_MAX);
}

/* The record is kept by whoever runs it; a second one would know nothing. */
static int
check_audit(const struct cordon_run_options *options, struct cordon_error *err)
{
	if (options->audit == NULL || options->audit[0] == '\0')
		return 0;
	return cdn_err(err, CORDON_E_INVALID, "the run around this one keeps "
	    "the record of it, and '%s' would stay empty (leave out --audit)",
	    options->audit);
}

int
cdn_launch_hand_over(struct cordon_process *p, const char *path,
    struct cordon_error *err)
{
	struct cdn_buf request;
	int code = check_audit(p->options, err);

	if (code == 0)
		code = cdn_launch_program(p->session, p->options, path,
		    p->arena, &p->handed_program, err);
	if (code != 0)
		return code;
	cdn_buf_init(&request, CDN_NESTED_BYTES);
	code = write_request(p, &request, err);
	if (code == 0)
		code = ask(p, p->handed_fd, &request, err);
	cdn_buf_done(&request);
	return code;
}

/* ----- The stand-in -------------------------------------------------------------- */

/* The stream is the only descriptor that it has besides its stdio. */
CDN_BARE static int
keep_stream(const void *arg, pid_t pid)
{
	const struct cordon_process *p = arg;
	long r;

	(void)pid;
	if (p->handed_fd == STREAM)
		r = cdn_raw(SYS_fcntl, STREAM, F_SETFD, 0);
	else
		r = cdn_raw(SYS_dup3, p->handed_fd, STREAM, 0);
	return r < 0 ? (int)r : 0;
}

/* Limits of the command are for it, and time and output for both. */
void
cdn_launch_stand_in(struct cordon_process *p)
{
	static char name[] = "cordon", word[] = CORDON_STAND_IN;
	static char *const argv[] = { name, word, NULL };
	struct cdn_run_request *r = &p->request;

	r->program = p->stand_in;
	r->argv = argv;
	r->limits = (struct cdn_run_limits){ .bounds = r->limits.bounds };
	r->entry = (struct cdn_entry){ .enter = keep_stream, .arg = p };
}

static int
give_stdio(void)
{
	static const int stdio[3] = { 0, 1, 2 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(stdio))] = {
		0 };
	unsigned char byte = CDN_NESTED_GO;
	struct iovec from = { &byte, 1 };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(stdio));
	memcpy(CMSG_DATA(c), stdio, sizeof(stdio));
	return sendmsg(STREAM, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* All that can be caught and mean something to another process. */
static int
catch_signals(void)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGCHLD);
	sigdelset(&set, SIGPIPE);
	sigdelset(&set, SIGTTOU);
	sigdelset(&set, SIGTTIN);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void
pass_signal(int fd)
{
	struct signalfd_siginfo info;
	unsigned char signal;

	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	signal = (unsigned char)info.ssi_signo;
	if (signal == SIGTSTP) /* nobody beside it would let it go on */
		signal = SIGSTOP;
	(void)!cdn_nested_send(STREAM, &signal, 1);
	if (signal == SIGSTOP)
		(void)kill(getpid(), SIGSTOP);
}

static bool
is_told(int signals)
{
	struct pollfd on[2] = { { STREAM, POLLIN, 0 },
		{ signals, POLLIN, 0 } };

	if (poll(on, CDN_LEN(on), -1) < 0)
		return errno != EINTR;
	if (on[1].revents != 0)
		pass_signal(signals);
	return on[0].revents != 0;
}

/* As the command ended, so that who started us sees that. */
static void
die_of(int signal)
{
	sigset_t set;

	(void)sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL },
	    NULL);
	(void)kill(getpid(), signal);
	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int
cdn_launch_stand_in_main(struct cordon_error *err)
{
	CDN_UNINITIALIZED struct cdn_nested_answer answer;
	int signals = catch_signals();
	int r = signals < 0 ? -errno : give_stdio();

	if (r < 0)
		return cdn_err_sys(err, -r, "the run around this one");
	while (!is_told(signals))
		;
	r = cdn_nested_hear(STREAM, &answer);
	if (r < 0)
		return cdn_err(err, CORDON_E_SYSTEM,
		    "the run around this one is gone");
	if (answer.says == CDN_NESTED_EXITED)
		return answer.value & 0xff;
	if (answer.says == CDN_NESTED_KILLED)
		die_of(answer.value);
	return cdn_err(err, answer.value < 0 ? answer.value : CORDON_E_SYSTEM,
	    "%s", answer.text);
}
