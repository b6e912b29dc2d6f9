/* What the command finds when it begins, and what the caller finds after. */
#include "actor.h"

#include <pthread.h>
#include <sys/stat.h>

#include "enforce/sys/process.h"

static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
	CDN_REAPER_SELF };

/* ----- Descriptors -------------------------------------------------------- */

static bool
sees_only_stdio(enum cdn_reaper reaper, enum cdn_output_mode output,
    enum cdn_stdin_mode input)
{
	struct cdn_run_request request = request_of(ACTOR("fds"));
	struct cdn_run_result result;
	bool good;

	request.reaper = reaper;
	request.output_mode = output;
	request.stdin_mode = input;
	result = must_run(&request);
	good = result.success && is_text(&result.out,
	    output == CDN_OUTPUT_PTY ? "0\r\n1\r\n2\r\n" : "0\n1\n2\n");
	cdn_run_result_done(&result);
	return good;
}

/* The caller has some, also ones that stay open over exec. */
static void
test_descriptors(enum cdn_reaper reaper)
{
	int plain = open("/dev/null", O_RDONLY);
	int high = fcntl(plain, F_DUPFD, 900);

	tmp_need(plain >= 0 && high >= 900, "open", "/dev/null");
	for (int input = CDN_STDIN_INHERIT; input <= CDN_STDIN_BYTES; input++) {
		ok_f(sees_only_stdio(reaper, CDN_OUTPUT_CAPTURE,
		    (enum cdn_stdin_mode)input),
		    "%s: 0, 1, 2 and no other (stdin %d)",
		    reaper_names[reaper], input);
		ok_f(sees_only_stdio(reaper, CDN_OUTPUT_PTY,
		    (enum cdn_stdin_mode)input),
		    "%s: the same in a terminal (stdin %d)",
		    reaper_names[reaper], input);
	}
	close(plain);
	close(high);
}

/* A caller who has closed some of the three. */
static int
with_closed(void *arg)
{
	int closed = *(int *)arg; /* bits */
	bool good = true;

	for (int fd = 0; fd < 3; fd++)
		if ((closed >> fd & 1) != 0)
			close(fd);
	for (size_t i = 0; i < CDN_LEN(reapers); i++)
		for (int input = CDN_STDIN_INHERIT; input <= CDN_STDIN_BYTES;
		    input++)
			good &= sees_only_stdio(reapers[i], CDN_OUTPUT_CAPTURE,
			    (enum cdn_stdin_mode)input) &&
			    sees_only_stdio(reapers[i], CDN_OUTPUT_PTY,
				(enum cdn_stdin_mode)input);
	return good ? 0 : 1;
}

static void
test_closed(void)
{
	for (int closed = 1; closed < 8; closed++)
		ok_f(tmp_child(with_closed, &closed, false) == 0,
		    "the caller has closed %s%s%s", closed & 1 ? "0 " : "",
		    closed & 2 ? "1 " : "", closed & 4 ? "2" : "");
}

/* Passed through: the very same file, close-on-exec or not. */
static int
passes_through(void *arg)
{
	enum cdn_reaper reaper = *(enum cdn_reaper *)arg;
	struct cdn_run_request request =
	    request_of(SHELL("cat; echo err >&2"));
	struct cdn_run_result result;
	char seen[64] = "";
	int in, out;

	tmp_file("in", "from in\n");
	in = open(tmp_path("in"), O_RDONLY | O_CLOEXEC);
	out = open(tmp_path("out"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);
	if (in < 0 || out < 0 || dup3(in, 0, O_CLOEXEC) < 0 ||
	    dup3(out, 1, O_CLOEXEC) < 0 || dup3(out, 2, O_CLOEXEC) < 0)
		return 2;
	request.reaper = reaper;
	request.stdin_mode = CDN_STDIN_INHERIT;
	request.output_mode = CDN_OUTPUT_PASS;
	result = must_run(&request);
	if (!result.success || result.out.n + result.err.n > 0 ||
	    pread(out, seen, sizeof(seen) - 1, 0) < 0)
		return 3;
	cdn_run_result_done(&result);
	return strcmp(seen, "from in\nerr\n") == 0 ? 0 : 4;
}

/* ----- Signals ------------------------------------------------------------ */

static void
do_nothing(int signal)
{
	(void)signal;
}

static const char *
state_line(const struct cdn_run_result *result, const char *key)
{
	static char line[128];
	const char *at = strstr(text_of(&result->out), key);

	snprintf(line, sizeof(line), "%.*s",
	    at == NULL ? 0 : (int)strcspn(at, "\n"), at == NULL ? "" : at);
	return line;
}

static bool
has_line(const struct cdn_run_result *result, const char *line)
{
	const char *at = strstr(text_of(&result->out), line);

	return at != NULL && at[strlen(line)] == '\n';
}

/*
 * Handlers and ignored signals of the caller are gone, his mask is there.  A
 * program may begin with some caught by the runtime of a sanitizer, so the
 * shell looks at another process: itself, through cat.
 */
static void
test_signals(enum cdn_reaper reaper)
{
	struct cdn_run_request request =
	    request_of(SHELL("exec cat /proc/self/status"));
	struct cdn_run_result result;
	sigset_t mask, old;

	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, do_nothing);
	signal(SIGRTMAX, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGRTMIN + 1);
	sigprocmask(SIG_SETMASK, &mask, &old);
	request.reaper = reaper;
	result = must_run(&request);
	ok_f(has_line(&result, "SigBlk:\t0000000400000800"),
	    "%s: the caller's mask: %s", reaper_names[reaper],
	    state_line(&result, "SigBlk"));
	ok_f(has_line(&result, "SigIgn:\t0000000000000000") &&
	    has_line(&result, "SigCgt:\t0000000000000000"),
	    "%s: nothing ignored or caught: %s", reaper_names[reaper],
	    state_line(&result, "SigIgn"));
	cdn_run_result_done(&result);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGRTMAX, SIG_DFL);
}

/* ----- The rest ----------------------------------------------------------- */

/* A sanitizer in the program itself lowers the soft limit. */
static bool
has_core_of_one(const struct cdn_run_result *result)
{
	return has_line(result, "core 1 1") || has_line(result, "core 0 1");
}

static void
test_state(enum cdn_reaper reaper)
{
	struct cdn_run_request request = request_of(ACTOR("state"));
	struct cdn_run_result result;

	request.reaper = reaper;
	result = must_run(&request);
	ok_f(has_line(&result, "NoNewPrivs:\t1") &&
	    has_core_of_one(&result) && has_line(&result, "leader 1") &&
	    has_line(&result, "session 0"),
	    "%s: no new privileges, no core, a group, no session",
	    reaper_names[reaper]);
	ok_f(has_line(&result, "death 9"), "%s: dies with its parent",
	    reaper_names[reaper]);
	cdn_run_result_done(&result);
	request.output_mode = CDN_OUTPUT_PTY;
	result = must_run(&request);
	ok_f(strstr(text_of(&result.out), "session 1\r\n") != NULL,
	    "%s: in a terminal of its own, a session", reaper_names[reaper]);
	cdn_run_result_done(&result);
}

static void *
run_state(void *arg)
{
	struct cdn_run_request request = request_of(ACTOR("state"));
	struct cdn_run_result *result = arg;

	request.reaper = CDN_REAPER_SELF;
	*result = must_run(&request);
	return NULL;
}

/* The kernel means threads when it says parent. */
static void
test_threads(void)
{
	struct cdn_run_result result;
	pthread_t thread;

	tmp_need(pthread_create(&thread, NULL, run_state, &result) == 0 &&
	    pthread_join(thread, NULL) == 0, "thread", "state");
	ok(has_line(&result, "death 9"),
	    "self, from another thread: dies with it");
	cdn_run_result_done(&result);
}

static const struct {
	const char *command;
	struct cdn_run_limits limits;
	const char *out;
} limits[] = {
	{ "ulimit -n", { .open_files = 17 }, "17\n" },
	{ "ulimit -t", { .cpu_ms = 1 }, "1\n" },
	{ "ulimit -t", { .cpu_ms = 61001 }, "62\n" },
	{ "ulimit -d", { .memory_bytes = 64UL << 20 }, "65536\n" },
	{ "grep -c '^Max processes *12345  *12345 ' /proc/self/limits",
	    { .processes = 12345 }, "1\n" },
	{ "ulimit -c", { 0 }, "0\n" },
};

static void
test_limits(enum cdn_reaper reaper)
{
	for (size_t i = 0; i < CDN_LEN(limits); i++) {
		struct cdn_run_request request =
		    request_of(SHELL(limits[i].command));
		struct cdn_run_result result;

		request.reaper = reaper;
		request.limits = limits[i].limits;
		result = must_run(&request);
		ok_f(is_text(&result.out, limits[i].out), "%s: %s is %.*s",
		    reaper_names[reaper], limits[i].command,
		    (int)strcspn(text_of(&result.out), "\n"),
		    text_of(&result.out));
		cdn_run_result_done(&result);
	}
}

/* A limit that bites, and what it looks like. */
static void
test_cpu(void)
{
	struct cdn_run_request request = request_of(ACTOR("spin"));
	struct cdn_run_result result;

	request.limits.cpu_ms = 500;
	result = must_run(&request);
	ok_f(result.signal == SIGXCPU && result.exit_code == 128 + SIGXCPU,
	    "who spins ends by signal %d", result.signal);
	cdn_run_result_done(&result);
}

static void
test_place(void)
{
	static const char *const one[] = { "A=1", NULL };
	struct cdn_run_request request = request_of(SHELL("pwd; env"));
	struct cdn_run_result result;
	struct cdn_run_place place;
	struct stat st;

	request.program = "/usr/bin/env";
	request.envp = vector_of(one);
	request.argv = vector_of((const char *const[]){ "env", NULL });
	result = must_run(&request);
	ok(is_text(&result.out, "A=1\n"), "the environment is what was given");
	cdn_run_result_done(&result);
	request.envp = NULL;
	result = must_run(&request);
	ok(is_text(&result.out, ""), "or nothing");
	cdn_run_result_done(&result);

	request = request_of(SHELL("pwd; echo $0"));
	request.cwd = "/usr";
	request.program = "../bin/sh";
	result = must_run(&request);
	ok(is_text(&result.out, "/usr\n/bin/sh\n"),
	    "the directory too, and the program is seen from there");
	cdn_run_result_done(&result);
	ok(stat("/usr", &st) == 0, "there is /usr");
	place = (struct cdn_run_place){ st.st_dev, st.st_ino };
	request.cwd_is = &place;
	result = must_run(&request);
	ok(is_text(&result.out, "/usr\n/bin/sh\n"),
	    "or a directory that it must be");
	cdn_run_result_done(&result);
}

/* ----- The cage's part ---------------------------------------------------- */

static struct {
	int calls;
	int error; /* what is still open, and so on */
	pid_t pid;
	int fd;
} entered;

/* In the child: our memory, our descriptors, no signals. */
static int
enter(const void *arg, pid_t pid)
{
	sigset_t blocked;

	entered.calls++;
	entered.pid = getpid();
	if (arg != &entered)
		entered.error = 1;
	else if (fcntl(entered.fd, F_GETFD) != FD_CLOEXEC)
		entered.error = 2;
	else if (getpgrp() != getpid())
		entered.error = 3;
	else if (sigprocmask(SIG_BLOCK, NULL, &blocked) != 0 ||
	    sigismember(&blocked, SIGTERM) != 1)
		entered.error = 4;
	else if (prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 1)
		entered.error = 5;
	else if (open("/no/such/file", O_RDONLY) >= 0 || errno != ENOENT)
		entered.error = 6;
	else if (pid != 0 && pid != getpid())
		entered.error = 7;
	return 0;
}

static void
test_entry(enum cdn_reaper reaper)
{
	struct cdn_run_request request = request_of(SHELL("echo $$"));
	struct cdn_run_result result;

	entered.calls = 0;
	entered.error = 0;
	entered.fd = open("/", O_PATH);
	request.reaper = reaper;
	request.entry.enter = enter;
	request.entry.arg = &entered;
	errno = 7777;
	result = must_run(&request);
	ok_f(entered.calls == 1 && entered.error == 0 && result.success &&
	    entered.pid == (pid_t)strtol(text_of(&result.out), NULL, 10),
	    "%s: the cage is entered once, by the command (%d)",
	    reaper_names[reaper], entered.error);
	cdn_run_result_done(&result);
	close(entered.fd);
}

static int
enter_nothing(const void *arg, pid_t pid)
{
	(void)pid;
	(void)arg;
	return 0;
}

static struct cdn_run_result
run_state_of(enum cdn_reaper reaper, bool caged)
{
	struct cdn_run_request request = request_of(ACTOR("state"));

	request.reaper = reaper;
	request.entry.enter = caged ? enter_nothing : NULL;
	return must_run(&request);
}

static const char *const no_capabilities[] = { "CapInh:\t0000000000000000",
	"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
	"CapAmb:\t0000000000000000" };

/* What the caller has is what an uncaged one has, and a caged one has not. */
static void
test_privileges(enum cdn_reaper reaper)
{
	struct cdn_run_result plain = run_state_of(reaper, false);
	struct cdn_run_result caged = run_state_of(reaper, true);
	bool none = true;

	for (size_t i = 0; i < CDN_LEN(no_capabilities); i++)
		none &= has_line(&caged, no_capabilities[i]);
	ok_f(none, "%s: caged: no capabilities", reaper_names[reaper]);
	ok_f(has_line(&caged, "NoNewPrivs:\t1") &&
	    has_core_of_one(&caged) && has_line(&caged, "death 9"),
	    "%s: caged: and all that every command has",
	    reaper_names[reaper]);
	if (geteuid() == 0) {
		ok_f(!has_line(&plain, no_capabilities[1]) &&
		    !has_line(&plain, no_capabilities[2]),
		    "%s: not caged: root's %s", reaper_names[reaper],
		    state_line(&plain, "CapEff"));
		ok_f(has_line(&caged, "CapBnd:\t0000000000000000"),
		    "%s: caged: nor a bounding set", reaper_names[reaper]);
	}
	cdn_run_result_done(&plain);
	cdn_run_result_done(&caged);
}

/* In a child: the keyring it joins is never given back. */
static int
keyrings_differ(void *arg)
{
	enum cdn_reaper reaper = *(enum cdn_reaper *)arg;
	const int join = 1; /* KEYCTL_JOIN_SESSION_KEYRING */
	struct cdn_run_result plain, caged;
	char own[32];

	if (syscall(SYS_keyctl, join, 0, 0, 0, 0) < 0)
		return 50;
	snprintf(own, sizeof(own), "keyring %ld", session_keyring());
	plain = run_state_of(reaper, false);
	caged = run_state_of(reaper, true);
	if (!has_line(&plain, own))
		return 1;
	return has_line(&caged, own) || strstr(text_of(&caged.out),
	    "\nkeyring -") != NULL ? 2 : 0;
}

static void
test_keyring(enum cdn_reaper reaper)
{
	int r = tmp_child(keyrings_differ, &reaper, false);

	if (r == 50)
		skip("no keys here");
	else
		ok_f(r == 0, "%s: caged: a session keyring of its own (%d)",
		    reaper_names[reaper], r);
}

/* ----- The caller, afterwards --------------------------------------------- */

struct caller {
	struct cdn_sigaction actions[CDN_SIGNAL_LAST + 1];
	uint64_t mask;
	int reaper;
	int fds;
};

static struct caller
look_at_caller(void)
{
	struct caller caller;

	memset(&caller, 0, sizeof(caller));
	for (int i = 1; i <= CDN_SIGNAL_LAST; i++)
		(void)cdn_sys_sigaction(i, NULL, &caller.actions[i]);
	prctl(PR_GET_CHILD_SUBREAPER, &caller.reaper);
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &caller.mask);
	cdn_sys_set_mask(caller.mask, NULL);
	caller.fds = tmp_open_fds();
	return caller;
}

static void
test_caller(const char *name, struct cdn_run_request request)
{
	struct caller before, after;
	struct cdn_run_result result;

	before = look_at_caller();
	result = must_run(&request);
	after = look_at_caller();
	ok_f(memcmp(&before, &after, sizeof(before)) == 0,
	    "the caller is as before: %s", name);
	cdn_run_result_done(&result);
}

static void
test_callers(void)
{
	struct cdn_run_request request = request_of(SHELL("true"));

	signal(SIGINT, do_nothing);
	signal(SIGUSR1, SIG_IGN);
	test_caller("captured", request);
	request.forward_signals = true;
	test_caller("signals forwarded", request);
	request.output_mode = CDN_OUTPUT_PTY;
	request.foreground = true;
	test_caller("a terminal that follows ours", request);
	request.output_mode = CDN_OUTPUT_PASS;
	test_caller("in front", request);
	request = request_of(SHELL("sleep 60"));
	request.wall_ms = 50;
	test_caller("timed out", request);
	signal(SIGINT, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	request = request_of(SHELL("true"));
	request.reaper = CDN_REAPER_SELF;
	prctl(PR_SET_CHILD_SUBREAPER, 1L); /* the mark it leaves */
	test_caller("minding his children himself", request);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	tmp_begin();
	test_callers(); /* first: self leaves a mark */
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		enum cdn_reaper reaper = reapers[i];

		test_descriptors(reaper);
		ok_f(tmp_child(passes_through, &reaper, false) == 0,
		    "%s: passed through", reaper_names[reaper]);
		test_signals(reaper);
		test_state(reaper);
		test_limits(reaper);
		test_entry(reaper);
		test_privileges(reaper);
		test_keyring(reaper);
	}
	test_closed();
	test_threads();
	test_cpu();
	test_place();
	tmp_end();
	return done_testing();
}
