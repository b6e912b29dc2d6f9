/*
 * Terminals.  A small shell of our own leads a session on a new terminal and
 * runs one job there, which is a run in front; the test sits at the other end
 * and types.
 *
 *	test ──master/slave── shell ──> job: cdn_run(foreground) ──> command
 */
#include "actor.h"

#include <sys/ioctl.h>

static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
	CDN_REAPER_SELF };

#define CTRL_C "\003"
#define CTRL_Z "\032"

/* ----- A new terminal for the command ------------------------------------- */

static const struct {
	const char *name;
	const char *command;
	const char *typed; /* NULL: stdin is /dev/null */
	const char *out;   /* is in it */
} ptys[] = {
	{ "stdout and stderr are one, of the usual size",
	    "test -t 1 && test -t 2 && ! test -t 0 && stty size </dev/tty",
	    NULL, "24 80\r\n" },
	{ "bytes are typed, and end",
	    "stty -echo; test -t 0 && cat; echo err >&2", "two\nlines\n",
	    "two\r\nlines\r\nerr\r\n" },
	{ "without a newline, too", "stty -echo; cat; echo .", "typed",
	    "typed.\r\n" },
	{ "none", "stty -echo; cat; echo .", "", ".\r\n" },
	{ "it is the controlling one", "exec >/dev/tty 2>&1; echo there", NULL,
	    "there\r\n" },
};

static void
test_ptys(enum cdn_reaper reaper)
{
	for (size_t i = 0; i < CDN_LEN(ptys); i++) {
		struct cdn_run_request request =
		    request_of(SHELL(ptys[i].command));
		struct cdn_run_result result;

		request.reaper = reaper;
		request.output_mode = CDN_OUTPUT_PTY;
		if (ptys[i].typed != NULL)
			request.stdin_mode = CDN_STDIN_BYTES;
		request.stdin_bytes = cdn_str_of(ptys[i].typed);
		result = must_run(&request);
		ok_f(result.success && result.err.n == 0 && no_children() &&
		    strstr(text_of(&result.out), ptys[i].out) != NULL,
		    "%s: a new terminal: %s", reaper_names[reaper],
		    ptys[i].name);
		cdn_run_result_done(&result);
	}
}

/* ----- The stage ---------------------------------------------------------- */

struct stage {
	struct cdn_run_request request;
	bool background; /* the job begins there */
	bool piped;	 /* its stdout is not the terminal but our reports */
	bool bare;	 /* the command alone, without us */
	bool alone;	 /* no shell: the job leads the session */
	struct winsize size;

	int master;
	int reports[2]; /* lines from shell and job */
	int orders[2];	/* bytes to the shell */
	pid_t shell;
	pid_t job;
	char screen[8192]; /* all that was shown */
	size_t shown;
	char heard[256];   /* the line reported last */
};

_Noreturn static void
play_job(struct stage *stage)
{
	struct cdn_run_result result;
	struct cordon_error err;

	if (stage->piped)
		dup2(stage->reports[1], 1);
	if (stage->bare) {
		execve(stage->request.program, stage->request.argv,
		    stage->request.envp);
		_exit(1);
	}
	if (cdn_run(&stage->request, &result, &err) != 0)
		dprintf(stage->reports[1], "error %s\n", err.text);
	else
		dprintf(stage->reports[1], "result %d %d\n", result.exit_code,
		    result.signal);
	_exit(0);
}

/* Only the job itself goes to the front: were the shell to put it there, too,
 * that could come after the job has put its command there. */
static void
start_job(struct stage *stage)
{
	stage->job = fork();
	if (stage->job == 0) {
		setpgid(0, 0);
		if (!stage->background)
			tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
		play_job(stage);
	}
	setpgid(stage->job, stage->job);
	dprintf(stage->reports[1], "job %d\n", (int)stage->job);
}

/* As shells do: a job that stopped or ended gives up the terminal. */
static void
wait_job(const struct stage *stage)
{
	int status = 0;

	if (waitpid(stage->job, &status, WUNTRACED) != stage->job)
		dprintf(stage->reports[1], "lost\n");
	else if (WIFSTOPPED(status))
		dprintf(stage->reports[1], "stopped %d\n", WSTOPSIG(status));
	else
		dprintf(stage->reports[1], "ended %d\n", status);
	tcsetpgrp(0, getpgrp());
}

static void
tell_terminal(const struct stage *stage)
{
	struct termios settings = { 0 };
	int pending = 0;

	tcgetattr(0, &settings);
	ioctl(0, FIONREAD, &pending);
	dprintf(stage->reports[1], "terminal %s %d\n",
	    settings.c_lflag & ECHO ? "echo" : "quiet", pending);
}

_Noreturn static void
play_shell(struct stage *stage)
{
	char order;

	signal(SIGTTOU, SIG_IGN);
	start_job(stage);
	while (read(stage->orders[0], &order, 1) == 1)
		switch (order) {
		case 'w':
			wait_job(stage);
			break;
		case 't':
			tell_terminal(stage);
			break;
		case 'f':
		case 'b':
			if (order == 'f')
				tcsetpgrp(0, stage->job);
			kill(-stage->job, SIGCONT);
			dprintf(stage->reports[1], "on\n");
			break;
		default:
			_exit(1);
		}
	kill(-stage->job, SIGKILL);
	_exit(0);
}

_Noreturn static void
lead_session(struct stage *stage, const char *slave)
{
	int fd;

	setsid();
	fd = open(slave, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) != 0)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	close(fd);
	close(stage->master);
	close(stage->orders[1]);
	close(stage->reports[0]);
	if (stage->alone) {
		dprintf(stage->reports[1], "job %d\n", (int)getpid());
		play_job(stage);
	}
	play_shell(stage);
}

/* ----- The test's end ----------------------------------------------------- */

/* The next line of the reports; "" when nothing more will come. */
static const char *
hear(struct stage *stage)
{
	size_t n = 0;

	alarm(LONG_MS / 1000);
	while (n + 1 < sizeof(stage->heard) &&
	    read(stage->reports[0], &stage->heard[n], 1) == 1 &&
	    stage->heard[n] != '\n')
		n++;
	alarm(0);
	stage->heard[n] = '\0';
	return stage->heard;
}

static bool
hears(struct stage *stage, const char *want)
{
	bool good = strcmp(hear(stage), want) == 0;

	if (!good)
		printf("# heard '%s' instead of '%s'\n", stage->heard, want);
	return good;
}

/* Reads the screen until that is on it, behind what was seen before. */
static bool
sees(struct stage *stage, const char *want)
{
	char *found;
	ssize_t n;

	while ((found = strstr(stage->screen, want)) == NULL) {
		alarm(LONG_MS / 1000);
		n = read(stage->master, stage->screen + stage->shown,
		    sizeof(stage->screen) - 1 - stage->shown);
		alarm(0);
		if (n <= 0) {
			printf("# the screen ends in '%s'\n", stage->screen);
			return false;
		}
		stage->shown += (size_t)n;
		stage->screen[stage->shown] = '\0';
	}
	stage->shown = strlen(found + strlen(want));
	memmove(stage->screen, found + strlen(want), stage->shown + 1);
	return true;
}

static void
type(const struct stage *stage, const char *text)
{
	tmp_need(write(stage->master, text, strlen(text)) ==
	    (ssize_t)strlen(text), "type", text);
}

static void
order(const struct stage *stage, char what)
{
	tmp_need(write(stage->orders[1], &what, 1) == 1, "order", "");
}

/* Who has the terminal, seen from the other end. */
static pid_t
front(const struct stage *stage)
{
	pid_t group = 0;

	ioctl(stage->master, TIOCGPGRP, &group);
	return group;
}

static void
begin(struct stage *stage)
{
	char slave[64];
	int job = 0;

	stage->shown = 0;
	stage->screen[0] = '\0';
	stage->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	tmp_need(stage->master >= 0 && grantpt(stage->master) == 0 &&
	    unlockpt(stage->master) == 0 &&
	    ptsname_r(stage->master, slave, sizeof(slave)) == 0 &&
	    ioctl(stage->master, TIOCSWINSZ, &stage->size) == 0 &&
	    pipe2(stage->reports, O_CLOEXEC) == 0 &&
	    pipe2(stage->orders, O_CLOEXEC) == 0, "stage", "");
	fflush(stdout);
	stage->shell = fork();
	tmp_need(stage->shell >= 0, "fork", "shell");
	if (stage->shell == 0)
		lead_session(stage, slave);
	close(stage->reports[1]);
	close(stage->orders[0]);
	tmp_need(sscanf(hear(stage), "job %d", &job) == 1, "job", "");
	stage->job = job;
}

static bool
finish(struct stage *stage)
{
	int status = 0;

	close(stage->orders[1]);
	waitpid(stage->shell, &status, 0);
	close(stage->reports[0]);
	close(stage->master);
	return status == 0;
}

static struct stage
stage_of(enum cdn_reaper reaper, char *const *argv)
{
	struct stage stage = { .request = request_of(argv) };

	stage.request.reaper = reaper;
	stage.request.stdin_mode = CDN_STDIN_INHERIT;
	stage.request.output_mode = CDN_OUTPUT_PASS;
	stage.request.foreground = true;
	stage.request.forward_signals = true;
	return stage;
}

/* ----- In front ----------------------------------------------------------- */

static void
test_front(enum cdn_reaper reaper)
{
	struct stage stage = stage_of(reaper, ACTOR("tty"));

	begin(&stage);
	ok_f(sees(&stage, "front\r\n") && front(&stage) == stage.job,
	    "%s: we are in front, and the command of its own terminal",
	    reaper_names[reaper]);
	type(&stage, CTRL_C);
	ok_f(sees(&stage, "int\r\n"), "%s: the key reaches it, not us",
	    reaper_names[reaper]);
	type(&stage, "hello\n");
	order(&stage, 'w');
	ok_f(sees(&stage, "got hello\r\n") && hears(&stage, "result 4 0") &&
	    hears(&stage, "ended 0"), "%s: it reads from the terminal",
	    reaper_names[reaper]);
	ok(finish(&stage), "the stage is empty");

	stage = stage_of(reaper, SHELL("echo front; exec sleep 60"));
	begin(&stage);
	tmp_need(sees(&stage, "front\r\n"), "front", "");
	type(&stage, CTRL_C);
	ok_f(hears(&stage, "result 130 2"), "%s: ended by the key",
	    reaper_names[reaper]);
	finish(&stage);
}

/* ----- Stop and go -------------------------------------------------------- */

static void
test_stop(enum cdn_reaper reaper)
{
	struct stage stage = stage_of(reaper, ACTOR("tty", "noecho"));
	struct termios now = { 0 };

	begin(&stage);
	tmp_need(sees(&stage, "front\r\n"), "front", "");
	type(&stage, CTRL_Z);
	order(&stage, 'w');
	ok_f(hears(&stage, "stopped 20"), "%s: we stop with it",
	    reaper_names[reaper]);
	order(&stage, 't');
	ok_f(hears(&stage, "terminal echo 0"),
	    "%s: the shell has the terminal as it was", reaper_names[reaper]);
	order(&stage, 'f');
	ok_f(hears(&stage, "on") && sees(&stage, "cont\r\n") && front(&stage) == stage.job &&
	    tcgetattr(stage.master, &now) == 0 && (now.c_lflag & ECHO) == 0,
	    "%s: it goes on in front, with its own settings",
	    reaper_names[reaper]);
	type(&stage, "hello\n");
	order(&stage, 'w');
	ok_f(sees(&stage, "got hello\r\n") && hears(&stage, "result 4 0") &&
	    hears(&stage, "ended 0"), "%s: and ends", reaper_names[reaper]);
	order(&stage, 't');
	ok_f(hears(&stage, "terminal echo 0"), "%s: all as it was",
	    reaper_names[reaper]);
	finish(&stage);
}

/* Continued in the background, it asks for the terminal when it needs it. */
static void
test_background(enum cdn_reaper reaper)
{
	struct stage stage = stage_of(reaper, ACTOR("tty"));

	stage.background = true;
	begin(&stage);
	order(&stage, 'w');
	ok_f(sees(&stage, "front\r\n") && hears(&stage, "stopped 21"),
	    "%s: in the background it may not read", reaper_names[reaper]);
	order(&stage, 'b');
	order(&stage, 'w');
	ok_f(hears(&stage, "on") && hears(&stage, "stopped 21"), "%s: nor when it goes on there",
	    reaper_names[reaper]);
	order(&stage, 'f');
	tmp_need(hears(&stage, "on"), "on", "");
	type(&stage, "hello\n");
	ok_f(sees(&stage, "got hello\r\n") && hears(&stage, "result 4 0"),
	    "%s: in front it may", reaper_names[reaper]);
	finish(&stage);
}

/* Nobody could let us go on: so we do not stop. */
static void
test_alone(enum cdn_reaper reaper)
{
	struct stage stage = stage_of(reaper, ACTOR("tty"));

	stage.alone = true;
	begin(&stage);
	tmp_need(sees(&stage, "front\r\n"), "front", "");
	type(&stage, CTRL_Z);
	ok_f(sees(&stage, "cont\r\n"), "%s: without a shell it goes on at once",
	    reaper_names[reaper]);
	type(&stage, "hello\n");
	ok_f(sees(&stage, "got hello\r\n") && hears(&stage, "result 4 0"),
	    "%s: and ends", reaper_names[reaper]);
	finish(&stage);
}

/* ----- In a pipeline ------------------------------------------------------ */

static void
test_pipeline(enum cdn_reaper reaper)
{
	struct stage stage = stage_of(reaper, ACTOR("tty"));

	stage.piped = true;
	begin(&stage);
	ok_f(hears(&stage, "front"), "%s: in a pipeline",
	    reaper_names[reaper]);
	type(&stage, "hello\n");
	ok_f(hears(&stage, "cont") && hears(&stage, "got hello") &&
	    hears(&stage, "result 4 0"),
	    "%s: it gets the terminal when it asks", reaper_names[reaper]);
	finish(&stage);

	stage = stage_of(reaper, ACTOR("pause"));
	stage.piped = true;
	begin(&stage);
	ok_f(hears(&stage, "ready") && front(&stage) == stage.job,
	    "%s: but not before", reaper_names[reaper]);
	type(&stage, CTRL_Z);
	order(&stage, 'w');
	ok_f(hears(&stage, "stopped 20"), "%s: the key stops us both",
	    reaper_names[reaper]);
	order(&stage, 'f');
	tmp_need(hears(&stage, "on"), "on", "");
	type(&stage, CTRL_C);
	ok_f(hears(&stage, "result 130 2"), "%s: the other one ends us",
	    reaper_names[reaper]);
	finish(&stage);
}

/* ----- Stray input -------------------------------------------------------- */

static void
test_stray(void)
{
	struct stage stage;

	for (int bare = 0; bare < 2; bare++) {
		stage = stage_of(CDN_REAPER_SHEPHERD, ACTOR("tty"));
		stage.bare = bare == 1;
		begin(&stage);
		tmp_need(sees(&stage, "front\r\n"), "front", "");
		type(&stage, "hello\nrm -rf x\n");
		if (bare == 0)
			tmp_need(hears(&stage, "result 4 0"), "result", "");
		order(&stage, 'w');
		tmp_need(strncmp(hear(&stage), "ended", 5) == 0, "end", "");
		order(&stage, 't');
		if (bare == 1)
			ok(hears(&stage, "terminal echo 9"),
			    "without us, what is typed ahead is left");
		else
			ok(hears(&stage, "terminal echo 0"),
			    "with us, nothing is left for the shell");
		finish(&stage);
	}
}

/* ----- A window that changes ---------------------------------------------- */

/* Two translations of newline follow each other: only the words matter. */
static void
test_window(void)
{
	static const struct winsize second = { .ws_row = 44, .ws_col = 122 };
	struct stage stage = stage_of(CDN_REAPER_SHEPHERD, SHELL(
	    "exec </dev/tty; trap 'stty size; exit' WINCH; stty size; "
	    "while :; do sleep 0.02; done"));

	stage.request.output_mode = CDN_OUTPUT_PTY;
	stage.request.tee = true;
	stage.size = (struct winsize){ .ws_row = 33, .ws_col = 111 };
	begin(&stage);
	ok(sees(&stage, "33 111"), "the new terminal is as large as the old");
	tmp_need(ioctl(stage.master, TIOCSWINSZ, &second) == 0, "size", "");
	ok(sees(&stage, "44 122") && hears(&stage, "result 0 0"),
	    "and follows it");
	finish(&stage);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		test_ptys(reapers[i]);
		test_front(reapers[i]);
		test_stop(reapers[i]);
		test_background(reapers[i]);
		test_alone(reapers[i]);
		test_pipeline(reapers[i]);
	}
	test_stray();
	test_window();
	return done_testing();
}
