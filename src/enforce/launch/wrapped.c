/*
 * wrapped - a run that bwrap is put in front of.
 *
 *	words, filter ─► bwrap ─► mounts ─► waits ─► command
 *	                            │         ▲
 *	                            └─ looked at, and told to go on
 *
 * It is started with no environment at all and nothing open but what it needs:
 * the words it is told are not in its command line, which everybody may read,
 * because the variables of the run are among them.  It reads one descriptor to
 * its end as the last thing but sealing its mounts; that socket is full, so
 * room in it says that all mounts are there.  We owe it a byte: whoever closes
 * a socket with something unread in it, as we do when we are killed, makes the
 * other side's read fail, and bwrap gives up.  Only when the byte is taken does
 * closing mean the end, and go on.
 */
#include "enforce/launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/backend/filter.h"
#include "enforce/backend/wrapper.h"
#include "enforce/launch/sealing.h"

#define READY_BYTES    4096 /* in the socket; the kernel takes some more */
#define OWN_PROCESSES  2    /* of bwrap's, which count as the run's */
#define STATUS_MAX     4096
#define WORDS_BYTES    (64UL * 1024UL * 1024UL) /* of its words at most */

enum { WORDS, FILTER, STATUS, READY, GIVEN_MAX };

struct cdn_wrapping {
	int given[GIVEN_MAX]; /* to bwrap, under these numbers */
	int status_fd;	      /* what it says */
	int ready_fd;	      /* the full end of the socket */
	int first_fd;	      /* of the first process in the sandbox, or -1 */
	struct cdn_helper *helper; /* who mounts in it, or NULL */
	struct cdn_run_place theirs, ours; /* its ends, for orphans.c */
	int *fds;	      /* of the host's objects, by mount */
	size_t fd_count;
	struct cdn_relay *relay;
	int stdio[3];
	struct cdn_sealing *sealing; /* the process's */
	struct cdn_filter strict; /* for who has something that is not sealed */
};

/* ----- Descriptors ----------------------------------------------------------- */

/* Never one of the first three: they are the run's. */
static int
keep_high(int fd)
{
	int high;

	if (fd < 0 || fd > 2)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int
make_file(const char *name, const void *p, size_t n)
{
	int fd = keep_high(memfd_create(name, MFD_CLOEXEC));

	for (size_t done = 0; fd >= 0 && done < n;) {
		ssize_t r = write(fd, (const char *)p + done, n - done);

		if (r < 0 && errno != EINTR)
			close_fd(&fd);
		else if (r > 0)
			done += (size_t)r;
	}
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0)
		close_fd(&fd);
	return fd;
}

/* Full towards bwrap, and one byte from there. */
static bool
fill_ready(const struct cdn_wrapping *w)
{
	static const char full[READY_BYTES];
	int size = READY_BYTES;

	if (fcntl(w->ready_fd, F_SETFL, O_NONBLOCK) != 0 ||
	    setsockopt(w->ready_fd, SOL_SOCKET, SO_SNDBUF, &size,
		sizeof(size)) != 0 ||
	    write(w->given[READY], full, 1) != 1)
		return false;
	while (write(w->ready_fd, full, sizeof(full)) > 0)
		;
	return errno == EAGAIN;
}

static bool
make_pipes(struct cdn_wrapping *w)
{
	int status[2], ready[2];
	struct stat theirs, ours;

	if (pipe2(status, O_CLOEXEC) != 0)
		return false;
	w->status_fd = keep_high(status[0]);
	w->given[STATUS] = keep_high(status[1]);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ready) != 0)
		return false;
	w->given[READY] = keep_high(ready[0]);
	w->ready_fd = keep_high(ready[1]);
	if (fstat(w->given[READY], &theirs) != 0 ||
	    fstat(w->ready_fd, &ours) != 0)
		return false;
	w->theirs = (struct cdn_run_place){ theirs.st_dev, theirs.st_ino };
	w->ours = (struct cdn_run_place){ ours.st_dev, ours.st_ino };
	return w->status_fd >= 0 && w->given[STATUS] >= 0 &&
	    w->given[READY] >= 0 && w->ready_fd >= 0 && fill_ready(w);
}

static int
make_filter(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_plan strict = *p->plan->plan;
	struct cdn_filter filter;
	int code = cdn_backend_filter(p->plan->plan, &p->plan->host, &filter,
	    err);

	strict.no_modify = true;
	if (code == 0)
		code = cdn_backend_filter(&strict, &p->plan->host,
		    &p->wrapping->strict, err);
	if (code != 0)
		return code;
	p->wrapping->given[FILTER] = make_file("cordon-filter", filter.code,
	    filter.n * sizeof(filter.code[0]));
	return p->wrapping->given[FILTER] >= 0 ? 0 :
	    cdn_err_sys(err, errno, "failed to keep the filter");
}

/* ----- The command ------------------------------------------------------------ */

static int
make_words(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_wrapping *w = p->wrapping;
	const struct cdn_bwrap_command command = {
		.cwd = p->cwd,
		.envp = p->request.envp,
		.terminal = p->request.foreground ||
		    p->request.output_mode == CDN_OUTPUT_PTY,
		.seccomp_fd = w->given[FILTER],
		.status_fd = w->given[STATUS],
		.ready_fd = w->given[READY],
		.helped = cdn_launch_can_help(p->plan),
	};
	const char *const *words;
	struct cdn_buf text;
	size_t n;
	int code = cdn_bwrap_words(p->arena, &p->plan->bwrap, &command, &words,
	    &n, err);

	if (code != 0)
		return code;
	cdn_buf_init(&text, WORDS_BYTES);
	for (size_t i = 0; i < n; i++)
		cdn_buf_add(&text, words[i], strlen(words[i]) + 1);
	if (!cdn_buf_failed(&text))
		w->given[WORDS] = make_file("cordon-words", text.p, text.n);
	code = cdn_buf_failed(&text) ? cdn_err_nomem(err) :
	    w->given[WORDS] >= 0 ? 0 :
	    cdn_err_sys(err, errno, "failed to keep the words for bwrap");
	cdn_buf_done(&text);
	return code;
}

static int
make_argv(struct cordon_process *p, struct cordon_error *err)
{
	const char *const *argv = p->options->argv;
	const char *head[] = { CDN_WRAPPER_BWRAP, "--args",
		cdn_arena_printf(p->arena, "%d", p->wrapping->given[WORDS]),
		"--", p->request.program };
	union {
		const char **made;
		char *const *wanted;
	} to;
	size_t n = 1;

	while (argv[n] != NULL)
		n++;
	to.made = cdn_arena_array(p->arena, CDN_LEN(head) + n,
	    sizeof(*to.made));
	if (to.made == NULL || head[2] == NULL)
		return cdn_err_nomem(err);
	memcpy(to.made, head, sizeof(head));
	memcpy(to.made + CDN_LEN(head), argv + 1, (n - 1) * sizeof(*argv));
	p->request.argv = to.wanted;
	return 0;
}

/* ----- The way in -------------------------------------------------------------- */

/* No mode, owner or time of anything can be changed. */
CDN_BARE static long
be_strict(const struct cdn_wrapping *w)
{
	size_t size = w->strict.n * sizeof(w->strict.code[0]);
	long r = cdn_raw(SYS_ftruncate, w->given[FILTER], size);

	if (r >= 0)
		r = cdn_raw(SYS_pwrite64, w->given[FILTER], w->strict.code,
		    size, 0);
	return r < 0 ? r : (size_t)r == size ? 0 : -EIO;
}

/* All others close at exec. */
CDN_BARE static int
enter(const void *arg, pid_t pid)
{
	struct cdn_wrapping *w = *(struct cdn_wrapping *const *)arg;
	long r = 0;

	(void)pid;
	for (int i = 0; i < GIVEN_MAX && r >= 0; i++)
		r = cdn_raw(SYS_fcntl, w->given[i], F_SETFD, 0);
	if (r >= 0)
		cdn_sealing_do(w->sealing);
	if (r >= 0 && w->sealing->error != 0)
		r = be_strict(w);
	return (int)r;
}

/* What it is given as input and output, as cdn_relay_open() takes it. */
static void
find_stdio(const struct cordon_process *p, int ret[3])
{
	const struct cordon_run_options *o = p->options;
	bool passes = o->output == CORDON_OUTPUT_PASS;
	const int given[3] = {
		o->stdin_mode != CORDON_STDIN_INHERIT ||
			o->output == CORDON_OUTPUT_PTY ? CDN_RELAY_NONE : -1,
		passes ? -1 : CDN_RELAY_NONE,
		passes ? -1 : CDN_RELAY_NONE,
	};

	for (int i = 0; i < 3; i++)
		ret[i] = p->stdio != NULL && p->stdio[i] >= 0 ? p->stdio[i] :
								given[i];
}

/* The descriptor that is meant, or one below 0. */
static int
own_fd(const int stdio[3], int i)
{
	return stdio[i] == -1 ? i : stdio[i];
}

/* One that will be refused is not opened: some do something then. */
int
cdn_launch_seal(struct cordon_process *p, struct cordon_error *err)
{
	int stdio[3], fds[3];

	p->sealing = cdn_arena_alloc(p->arena, sizeof(*p->sealing));
	if (p->sealing == NULL)
		return cdn_err_nomem(err);
	find_stdio(p, stdio);
	for (int i = 0; i < 3; i++) {
		int fd = own_fd(stdio, i);

		fds[i] = cdn_relay_gives_device(fd) ? fd : -1;
	}
	cdn_sealing_open(p->sealing, CDN_WRAPPER_BWRAP);
	cdn_sealing_begin(p->sealing, fds);
	return 0;
}

/* By its descriptor, where that is a sealed one by then. */
static int
choose_program(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_sealing *s = p->sealing;

	p->request.program = CDN_WRAPPER_BWRAP;
	if (!cdn_launch_can_help(p->plan))
		cdn_sealing_close(s);
	if (s->program_fd < 0)
		return 0;
	p->request.program = cdn_arena_printf(p->arena, "/proc/self/fd/%d",
	    s->program_fd);
	return p->request.program == NULL ? cdn_err_nomem(err) : 0;
}

static int
make_relay(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_wrapping *w = p->wrapping;
	int stdio[3];

	find_stdio(p, stdio);
	return cdn_relay_open(stdio, &w->relay, w->stdio, err);
}

/* What is a pipe by now was no device. */
static void
take_sealed(struct cordon_process *p)
{
	struct cdn_wrapping *w = p->wrapping;
	int stdio[3];

	find_stdio(p, stdio);
	cdn_sealing_await(w->sealing);
	for (int i = 0; i < 3; i++) {
		int fd = own_fd(stdio, i);
		int sealed = fd < 0 ? fd : cdn_sealing_take(w->sealing, i, fd);

		if (sealed != fd)
			w->stdio[i] = sealed;
	}
}

static void
fill_request(struct cordon_process *p)
{
	static char *const nothing[] = { NULL };
	struct cdn_run_request *r = &p->request;

	r->envp = nothing;
	r->cwd = "/";
	r->cwd_is = NULL; /* asked of the sandbox: cdn_mounted_is_in() */
	r->stdio = p->wrapping->stdio;
	/*
	 * bwrap's child waits for its parent before it asks to die with it:
	 * were we killed meanwhile, it would wait for ever.
	 */
	r->reaper = CDN_REAPER_SHEPHERD;
	if (r->limits.processes > 0)
		r->limits.processes += OWN_PROCESSES;
	r->entry = (struct cdn_entry){ .enter = enter, .arg = &p->wrapping,
		.wraps = true };
}

static struct cdn_wrapping *
wrapping_new(size_t mounts)
{
	struct cdn_wrapping *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->status_fd = w->ready_fd = w->first_fd = -1;
	for (int i = 0; i < GIVEN_MAX; i++)
		w->given[i] = -1;
	w->fds = calloc(mounts + 1, sizeof(*w->fds));
	if (w->fds == NULL) {
		free(w);
		return NULL;
	}
	w->fd_count = mounts;
	for (size_t i = 0; i < mounts; i++)
		w->fds[i] = -1;
	return w;
}

int
cdn_launch_wrap(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_wrapping *w = wrapping_new(p->plan->bwrap.count);
	int code;

	if (w == NULL)
		return cdn_err_nomem(err);
	p->wrapping = w;
	w->sealing = p->sealing;
	if (!make_pipes(w))
		return cdn_err_sys(err, errno, "failed to make a pipe");
	code = cdn_launch_cwd(p, err);
	if (code == 0)
		code = make_filter(p, err);
	if (code == 0)
		code = make_words(p, err);
	if (code == 0)
		code = make_argv(p, err);
	if (code == 0)
		code = make_relay(p, err);
	if (code == 0)
		code = cdn_mounted_open(&p->plan->bwrap,
		    cdn_launch_can_help(p->plan), w->fds, err);
	if (code == 0)
		code = choose_program(p, err);
	if (code == 0)
		fill_request(p);
	return code;
}

/* ----- Going on ----------------------------------------------------------------- */

/*
 * It said something, or all mounts are there; or it ended, or takes too long.
 * When it fails it may leave a child behind that has all its descriptors: the
 * end of the run counts.
 */
static int
await(const struct cordon_process *p, int fd, short events,
    struct cordon_error *err)
{
	struct pollfd on[] = {
		{ .fd = fd, .events = events },
		{ .fd = cdn_run_fd(p->running), .events = POLLIN },
	};
	bool over = false;
	int r;

	do {
		r = poll(on, CDN_LEN(on), CDN_BWRAP_START_MS);
		if (r > 0 && on[0].revents == events)
			return 0;
		if (r > 0 && on[1].revents != 0)
			over = cdn_run_step(p->running);
	} while (!over && (r > 0 || (r < 0 && errno == EINTR)) &&
	    (on[0].revents & (POLLERR | POLLHUP)) == 0);
	return cdn_err(err, CORDON_E_ENFORCE, "OS sandbox required but "
	    "unavailable: '" CDN_WRAPPER_BWRAP "' %s",
	    r == 0 ? "does not go on" : "could not make a sandbox");
}

/* {"child-pid": 12, ...}: the first process of the sandbox, as we see it. */
static pid_t
find_pid(const char *text)
{
	static const char key[] = "\"child-pid\": ";
	const char *at = strstr(text, key);
	long pid = at == NULL ? 0 : strtol(at + strlen(key), NULL, 10);

	return pid > 0 && pid < INT32_MAX ? (pid_t)pid : 0;
}

/* A line that it writes piece by piece. */
static int
read_pid(const struct cordon_process *p, pid_t *ret, struct cordon_error *err)
{
	int fd = p->wrapping->status_fd;
	char text[STATUS_MAX];
	bool is_whole = false;
	size_t n = 0;

	while (!is_whole && n < sizeof(text) - 1) {
		int code = await(p, fd, POLLIN, err);
		ssize_t r = code != 0 ? 0 :
		    read(fd, text + n, sizeof(text) - 1 - n);

		if (code != 0)
			return code;
		if (r <= 0)
			break;
		is_whole = memchr(text + n, '\n', (size_t)r) != NULL;
		n += (size_t)r;
	}
	text[n] = '\0';
	*ret = find_pid(text);
	return *ret != 0 ? 0 : cdn_err(err, CORDON_E_ENFORCE, "'"
	    CDN_WRAPPER_BWRAP "' does not say which process it made (use "
	    "'--backend native')");
}

static int
let_go(struct cdn_wrapping *w, struct cordon_error *err)
{
	char owed;

	if (read(w->ready_fd, &owed, 1) != 1)
		return cdn_err_sys(err, errno, "bwrap cannot be told to go on");
	close_fd(&w->ready_fd);
	return 0;
}

static void
tell_strict(const struct cordon_process *p)
{
	const struct cdn_wrapping *w = p->wrapping;
	struct cordon_error why = { 0 };

	if (w->sealing->error == 0 || p->options->notice == NULL)
		return;
	(void)!cdn_err_sys(&why, w->sealing->error, "modes, owners and times "
	    "cannot be changed in this run: what it is given of the host's "
	    "devices could not be made read-only");
	p->options->notice(why.text, p->options->notice_arg);
}

/* It is at work still, and will wait for us. */
static int
meet_first(struct cordon_process *p, pid_t *ret, struct cordon_error *err)
{
	struct cdn_wrapping *w = p->wrapping;
	int code = read_pid(p, ret, err);

	if (code != 0)
		return code;
	w->first_fd = (int)cdn_raw(SYS_pidfd_open, *ret, 0);
	if (w->first_fd < 0)
		return cdn_err_sys(err, -w->first_fd, "the process that '"
		    CDN_WRAPPER_BWRAP "' made is gone");
	return !cdn_launch_can_help(p->plan) ? 0 :
	    cdn_launch_help(p, *ret, w->ready_fd, &w->helper, err);
}

/* It waits. */
static int
look_and_help(struct cordon_process *p, pid_t pid, struct cordon_error *err)
{
	struct cdn_wrapping *w = p->wrapping;
	struct cdn_helper *helper = w->helper;
	int code = cdn_mounted_check(&p->plan->bwrap, helper != NULL, w->fds,
	    pid, err);

	if (code == 0 && helper != NULL) {
		w->helper = NULL;
		code = cdn_launch_helped(helper, err);
	}
	if (code == 0 && p->cwd_is != NULL)
		code = cdn_mounted_is_in(p->cwd, p->cwd_is, pid, err);
	return code;
}

static int
go_on(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_wrapping *w = p->wrapping;
	pid_t pid;
	int code;

	for (int i = 0; i < GIVEN_MAX; i++)
		close_fd(&w->given[i]);
	tell_strict(p);
	cdn_sealing_close(w->sealing);
	code = cdn_relay_started(w->relay, err);
	if (code == 0)
		code = meet_first(p, &pid, err);
	if (code == 0)
		code = await(p, w->ready_fd, POLLOUT, err);
	if (code == 0)
		code = look_and_help(p, pid, err);
	if (code != 0)
		return code;
	cdn_run_wraps(p->running, pid);
	return let_go(w, err);
}

int
cdn_launch_start_wrapped(struct cordon_process *p, struct cordon_error *err)
{
	take_sealed(p);
	return cdn_run_start(&p->request, &p->running, err);
}

/* The shepherd does it, unless it was killed, too. */
void
cdn_launch_wrap_failed(const struct cordon_process *p)
{
	cdn_launch_end_orphans(&p->wrapping->theirs, &p->wrapping->ours);
}

/* Who is not told to go on never began. */
int
cdn_launch_unwrap(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_run_result result;
	int code = go_on(p, err);

	if (code == 0)
		return 0;
	cdn_launch_help_not(p->wrapping->helper);
	p->wrapping->helper = NULL;
	(void)!cdn_run_signal(p->running, SIGKILL, NULL);
	cdn_launch_wrap_failed(p);
	if (cdn_run_wait(p->running, &result, NULL) == 0)
		cdn_run_result_done(&result);
	p->running = NULL;
	return code;
}

/* ----- The end ------------------------------------------------------------------- */

/*
 * All in the sandbox end with it.  The shepherd has seen to that; but when it
 * was killed itself, who asked too late to die with his parent is still there.
 */
static void
end_first(const struct cdn_wrapping *w)
{
	struct pollfd gone = { .fd = w->first_fd, .events = POLLIN };

	if (w->first_fd < 0 || poll(&gone, 1, 0) != 0)
		return;
	(void)cdn_raw(SYS_pidfd_send_signal, w->first_fd, SIGKILL, NULL, 0);
	while (poll(&gone, 1, -1) < 0 && errno == EINTR)
		;
}

/* It says how the command ended, if there was one. */
static bool
was_started(int fd)
{
	char text[STATUS_MAX];
	size_t n = 0;
	ssize_t r;

	while (n < sizeof(text) - 1 &&
	    ((r = read(fd, text + n, sizeof(text) - 1 - n)) > 0 ||
		(r < 0 && errno == EINTR)))
		n += r > 0 ? (size_t)r : 0;
	text[n] = '\0';
	return strstr(text, "\"exit-code\"") != NULL;
}

int
cdn_launch_wrapped(struct cordon_process *p,
    const struct cdn_run_result *result, struct cordon_error *err)
{
	struct cdn_wrapping *w = p->wrapping;
	int code;

	end_first(w);
	code = cdn_relay_close(w->relay, err);
	w->relay = NULL;
	if (code != 0 || result->success || result->timed_out ||
	    result->signal != 0 || was_started(w->status_fd))
		return code;
	return cdn_err(err, CORDON_E_EXEC, "failed to spawn `%s`: bwrap says "
	    "why", p->options->argv[0]);
}

void
cdn_launch_unseal(struct cordon_process *p)
{
	if (p->sealing != NULL)
		cdn_sealing_close(p->sealing);
}

void
cdn_launch_wrapping_free(struct cdn_wrapping *w)
{
	if (w == NULL)
		return;
	end_first(w);
	for (int i = 0; i < GIVEN_MAX; i++)
		close_fd(&w->given[i]);
	close_fd(&w->status_fd);
	close_fd(&w->ready_fd);
	close_fd(&w->first_fd);
	for (size_t i = 0; i < w->fd_count; i++)
		close_fd(&w->fds[i]);
	free(w->fds);
	(void)!cdn_relay_close(w->relay, NULL);
	free(w);
}
