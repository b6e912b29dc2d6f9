/* What comes back from a run: every kind of end, every kind of failure. */
#include "actor.h"

/* ----- Ends --------------------------------------------------------------- */

static const struct {
	const char *command;
	int exit_code;
	int signal;
	const char *out;
	const char *err;
} ends[] = {
	{ "true", 0, 0, "", "" },
	{ "echo out; echo err >&2; exit 3", 3, 0, "out\n", "err\n" },
	{ "printf 'a\\0b' | wc -c", 0, 0, "3\n", "" },
	{ "exit 255", 255, 0, "", "" },
	{ "kill -TERM $$", 143, SIGTERM, "", "" },
	{ "kill -KILL $$", 137, SIGKILL, "", "" },
	{ "kill -SEGV $$", 139, SIGSEGV, "", "" },
	{ "cat", 0, 0, "", "" },
	{ "sleep 60 & echo done", 0, 0, "done\n", "" },
	{ "exec >&- 2>&-; sleep 0", 0, 0, "", "" },
};

static void
test_ends(enum cdn_reaper reaper)
{
	for (size_t i = 0; i < CDN_LEN(ends); i++) {
		struct cdn_run_request request =
		    request_of(SHELL(ends[i].command));
		struct cdn_run_result result;

		request.reaper = reaper;
		result = must_run(&request);
		ok_f(result.has_exit_code &&
		    result.exit_code == ends[i].exit_code &&
		    result.signal == ends[i].signal &&
		    result.success == (ends[i].exit_code == 0) &&
		    !result.timed_out && !result.output_cut &&
		    is_text(&result.out, ends[i].out) &&
		    is_text(&result.err, ends[i].err) && no_children(),
		    "%s: %s", reaper_names[reaper], ends[i].command);
		cdn_run_result_done(&result);
	}
}

static const struct {
	const char *command;
	const char *out;
	const char *err;
} timeouts[] = {
	{ "echo part; echo e >&2; exec sleep 60", "part\n",
	    "e\n\nprocess timed out" },
	{ "echo part; exec sleep 60", "part\n", "process timed out" },
	{ "trap 'echo bye; exit 0' TERM; echo part; sleep 60 & wait",
	    "part\nbye\n", "process timed out" },
	{ "trap '' TERM; echo part; while :; do sleep 60; done", "part\n",
	    "process timed out" },
	/* The leader goes at once, another of the group says goodbye. */
	{ "(trap 'sleep 0.1; echo bye; exit' TERM; echo part; sleep 60 & wait)"
	  " & wait", "part\nbye\n", "process timed out" },
	{ "echo part; kill -STOP $$", "part\n", "process timed out" },
};

static void
test_timeouts(enum cdn_reaper reaper)
{
	for (size_t i = 0; i < CDN_LEN(timeouts); i++) {
		struct cdn_run_request request =
		    request_of(SHELL(timeouts[i].command));
		struct cdn_run_result result;

		request.reaper = reaper;
		request.wall_ms = 200;
		/* Whoever says goodbye must have the time. */
		request.grace_ms = strstr(timeouts[i].out, "bye") != NULL
		    ? LONG_MS : 100;
		result = must_time_out_saying(&request, "part",
		    timeouts[i].err);
		ok_f(result.timed_out && !result.has_exit_code &&
		    !result.success && result.signal == 0 &&
		    is_text(&result.out, timeouts[i].out) &&
		    is_text(&result.err, timeouts[i].err) &&
		    result.duration_ms >= request.wall_ms && no_children(),
		    "%s: in time: %s", reaper_names[reaper],
		    timeouts[i].command);
		cdn_run_result_done(&result);
	}
}

/* ----- Streams ------------------------------------------------------------ */

#define MANY (8UL * 1024UL * 1024UL)

static void
test_streams(enum cdn_reaper reaper)
{
	char *bytes = malloc(MANY);
	struct cdn_run_request request = request_of(SHELL("cat; cat >&2"));
	struct cdn_run_result result;

	tmp_need(bytes != NULL, "malloc", "8 MiB");
	for (size_t i = 0; i < MANY; i++)
		bytes[i] = (char)(i * 2654435761U >> 13);
	request.reaper = reaper;
	request.stdin_mode = CDN_STDIN_BYTES;
	request.stdin_bytes = (cdn_str){ bytes, MANY };
	request.output_max = MANY;
	result = must_run(&request);
	ok_f(result.success && result.out.n == MANY && result.err.n == 0 &&
	    memcmp(result.out.p, bytes, MANY) == 0,
	    "%s: 8 MiB through cat", reaper_names[reaper]);
	cdn_run_result_done(&result);

	request.argv = SHELL("head -c 1 >/dev/null");
	result = must_run(&request);
	ok_f(result.success && result.exit_code == 0,
	    "%s: who reads one byte of 8 MiB", reaper_names[reaper]);
	cdn_run_result_done(&result);

	request.argv = SHELL("exec <&-; echo closed");
	result = must_run(&request);
	ok_f(result.success && is_text(&result.out, "closed\n"),
	    "%s: who closes his stdin", reaper_names[reaper]);
	cdn_run_result_done(&result);
	free(bytes);
}

static const struct {
	const char *command;
	bool cut;
	size_t out, err; /* bytes kept, notes not counted */
} amounts[] = {
	{ "head -c 999 /dev/zero", false, 999, 0 },
	{ "head -c 1000 /dev/zero", false, 1000, 0 },
	{ "head -c 1001 /dev/zero", true, 1000, 0 },
	{ "head -c 1000 /dev/zero; head -c 1000 /dev/zero >&2", false, 1000,
	    1000 },
	{ "exec cat /dev/zero", true, 1000, 0 },
	{ "exec cat /dev/zero >&2", true, 0, 1000 },
	{ "trap '' TERM; cat /dev/zero & wait; sleep 60", true, 1000, 0 },
};

static void
test_amounts(enum cdn_reaper reaper)
{
	static const char marker[] = "\noutput cut after 1000 bytes";

	for (size_t i = 0; i < CDN_LEN(amounts); i++) {
		struct cdn_run_request request =
		    request_of(SHELL(amounts[i].command));
		struct cdn_run_result result;
		const struct cdn_buf *full;
		size_t want;

		request.reaper = reaper;
		request.output_max = 1000;
		result = must_run(&request);
		full = amounts[i].err == 1000 && amounts[i].out == 0
		    ? &result.err : &result.out;
		want = amounts[i].cut ? 1000 + sizeof(marker) - 1 : full->n;
		ok_f(result.output_cut == amounts[i].cut &&
		    result.success == !amounts[i].cut && full->n == want &&
		    (!amounts[i].cut ||
			memcmp(full->p + 1000, marker, sizeof(marker)) == 0) &&
		    (amounts[i].cut || (result.out.n == amounts[i].out &&
			result.err.n == amounts[i].err)) && no_children(),
		    "%s: of at most 1000 bytes: %s", reaper_names[reaper],
		    amounts[i].command);
		cdn_run_result_done(&result);
	}
}

/* Our stderr becomes a file for as long as that. */
static void
test_tee(void)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin",
		"API_TOKEN=very-secret-1", "SHORT_KEY=x",
		"TLS_PEM=-----BEGIN\nabcdefghij\n-----END", "PLAIN=visible",
		NULL };
	struct cdn_run_request request = request_of(SHELL(
	    "printf 'very-'; sleep 0.05; printf 'secret-1 x\\n' >&1; "
	    "echo abcdefghij $PLAIN >&2; "
	    "head -c 20000 /dev/zero | tr '\\0' y >&2; "
	    "printf very-secret-1 >&2; "
	    "head -c 20000 /dev/zero | tr '\\0' y >&2; "
	    /* The two streams meet in one place: not in between of that. */
	    "sleep 0.3; printf 'last very-secret-1'"));
	struct cdn_run_result result;
	int saved = dup(2);
	int file = open(tmp_path("tee"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *seen = calloc(1, 100000);

	tmp_need(saved >= 0 && file >= 0 && seen != NULL, "tee", "file");
	request.envp = vector_of(env);
	request.tee = true;
	dup2(file, 2);
	result = must_run(&request);
	dup2(saved, 2);
	tmp_need(pread(file, seen, 99999, 0) > 0, "read", "tee");
	ok(strstr(text_of(&result.out), "very-secret-1 x\n") != NULL &&
	    strstr(text_of(&result.err), "abcdefghij visible\n") != NULL,
	    "captured as it is");
	ok(strstr(seen, "[REDACTED] x\n") != NULL &&
	    strstr(seen, "[REDACTED] visible\n") != NULL &&
	    strstr(seen, "last [REDACTED]") != NULL &&
	    strstr(seen, "y[REDACTED]y") != NULL &&
	    strstr(seen, "secret-1") == NULL, "shown without the secrets");
	ok_f(strlen(seen) > 40000, "and otherwise whole (%zu bytes)",
	    strlen(seen));
	cdn_run_result_done(&result);
	free(seen);
	close(file);
	close(saved);
}

/* A child, whose stderr is a pipe that is full and never read. */
static int
stderr_is_stuck(void *arg)
{
	struct cdn_run_request request =
	    request_of(SHELL("echo hello; exec sleep 60"));
	struct cdn_run_result result;
	int both[2];

	(void)arg;
	alarm(LONG_MS / 1000);
	if (pipe2(both, O_CLOEXEC | O_NONBLOCK) != 0)
		return 2;
	while (write(both[1], "x", 1) == 1)
		;
	if (fcntl(both[1], F_SETFL, 0) != 0 || dup2(both[1], 2) != 2)
		return 2;
	request.tee = true;
	request.wall_ms = 200;
	request.grace_ms = 50;
	result = must_time_out(&request, "hello");
	return result.timed_out && is_text(&result.out, "hello\n") ? 0 : 1;
}

static const struct {
	const char *bytes;
	const char *text;
} texts[] = {
	{ "", "" },
	{ "plain", "plain" },
	{ "\377\376ok", "\357\277\275\357\277\275ok" },
	{ "\303\244", "\303\244" },
	{ "\303", "\357\277\275" },
	{ "\360\237\220", "\357\277\275\357\277\275\357\277\275" },
	{ "\360\237\220\221!", "\360\237\220\221!" },
	{ "\355\240\200", "\357\277\275\357\277\275\357\277\275" },
};

static void
test_texts(void)
{
	for (size_t i = 0; i < CDN_LEN(texts); i++) {
		struct cdn_buf out;

		cdn_buf_init(&out, 1000);
		cdn_run_text(&out, cdn_str_of(texts[i].bytes));
		ok_f(strcmp(text_of(&out), texts[i].text) == 0,
		    "bytes as text: row %zu", i);
		cdn_buf_done(&out);
	}
}

/* ----- Failures ----------------------------------------------------------- */

static int
refuse(const void *arg, pid_t pid)
{
	(void)pid;
	(void)arg;
	return -EPERM;
}

static const char *const inner_step = "landlock";
static const struct cdn_run_place nowhere;

static const struct {
	const char *name;
	struct cdn_run_request request; /* program NULL: /bin/sh */
	int code;
	const char *text;
} failures[] = {
	{ "missing", { .program = "/no/such/bin" }, CORDON_E_NOT_FOUND,
	    "failed to spawn `/no/such/bin`: No such file or directory" },
	{ "relative", { .program = "bin/sh", .cwd = "/usr/lib" },
	    CORDON_E_NOT_FOUND,
	    "failed to spawn `bin/sh`: No such file or directory" },
	{ "no interpreter", { .program = "./lost" }, CORDON_E_EXEC,
	    "failed to spawn `./lost` (its interpreter is missing): No such "
	    "file or directory" },
	{ "not executable", { .program = "./plain" }, CORDON_E_EXEC,
	    "failed to spawn `./plain` (not executable, or not allowed to be):"
	    " Permission denied" },
	{ "a directory", { .program = "/" }, CORDON_E_EXEC,
	    "failed to spawn `/` (not executable, or not allowed to be): "
	    "Permission denied" },
	{ "no format", { .program = "./strange" }, CORDON_E_EXEC,
	    "failed to spawn `./strange` (neither a program for this system "
	    "nor a '#!' script): Exec format error" },
	{ "no directory", { .cwd = "/no/such/dir" }, CORDON_E_SYSTEM,
	    "failed to spawn `/bin/sh`: cwd: No such file or directory" },
	{ "not a directory", { .cwd = "/bin/sh" }, CORDON_E_SYSTEM,
	    "failed to spawn `/bin/sh`: cwd: Not a directory" },
	{ "another directory", { .cwd = "/usr", .cwd_is = &nowhere },
	    CORDON_E_SYSTEM,
	    "failed to spawn `/bin/sh`: cwd: Stale file handle" },
	{ "a cage that is shut", { .entry = { .enter = refuse } },
	    CORDON_E_SYSTEM,
	    "failed to spawn `/bin/sh`: cage: Operation not permitted" },
	{ "a step of it", { .entry = { .enter = refuse, .step = &inner_step } },
	    CORDON_E_SYSTEM,
	    "failed to spawn `/bin/sh`: landlock: Operation not permitted" },
	{ "no program", { .program = "" }, CORDON_E_INVALID,
	    "run: no program" },
	{ "no such mode", { .output_mode = (enum cdn_output_mode)99 },
	    CORDON_E_INVALID, "run: unknown mode" },
	{ "too long", { .wall_ms = UINT64_MAX }, CORDON_E_INVALID,
	    "run: the time limit is too large" },
	{ "too much", { .output_max = SIZE_MAX }, CORDON_E_INVALID,
	    "run: the output limit is too large" },
	{ "captured in front", { .output_mode = CDN_OUTPUT_CAPTURE,
	    .foreground = true }, CORDON_E_INVALID,
	    "run: captured output is not for the foreground" },
};

static void
test_failures(enum cdn_reaper reaper)
{
	int before = tmp_open_fds();

	for (size_t i = 0; i < CDN_LEN(failures); i++) {
		struct cdn_run_request request = failures[i].request;
		struct cdn_run_result result = { .exit_code = 77 };
		struct cordon_error err = { 0 };
		int r;

		request.argv = SHELL("echo ran >ran");
		if (request.program == NULL)
			request.program = "/bin/sh";
		request.reaper = reaper;
		r = cdn_run(&request, &result, &err);
		ok_f(r == failures[i].code && err.code == r &&
		    strcmp(err.text, failures[i].text) == 0 &&
		    result.exit_code == 77 && no_children() &&
		    !tmp_there("ran") && tmp_open_fds() == before,
		    "%s: %s: %s", reaper_names[reaper], failures[i].name,
		    err.text);
	}
}

/* errno and the error's own pointer may both be unwanted. */
static void
test_quiet(void)
{
	struct cdn_run_request request = request_of(SHELL("true"));
	struct cdn_run_result result;

	request.program = "/no/such/bin";
	ok(cdn_run(&request, &result, NULL) == CORDON_E_NOT_FOUND,
	    "nobody wants to know why");
	request.program = "/bin/sh";
	request.argv = NULL;
	ok(cdn_run(&request, &result, NULL) == CORDON_E_INVALID,
	    "no arguments");
}

/* ----- Asked before ------------------------------------------------------- */

static int
say_no(const struct cdn_run_request *request, void *arg,
    struct cordon_error *err)
{
	(*(int *)arg)++;
	return cdn_err(err, CORDON_E_INVALID, "not '%s'", request->program);
}

static int
say_yes(const struct cdn_run_request *request, void *arg,
    struct cordon_error *err)
{
	(void)request;
	(void)err;
	(*(int *)arg)++;
	return 0;
}

static void
test_validate(void)
{
	struct cdn_run_request request = request_of(SHELL("echo ran >ran"));
	struct cdn_run_result result;
	struct cordon_error err;
	int asked = 0;

	request.validate = say_no;
	request.validate_arg = &asked;
	ok(cdn_run(&request, &result, &err) == CORDON_E_INVALID && asked == 1 &&
	    strcmp(err.text, "not '/bin/sh'") == 0 && !tmp_there("ran"),
	    "refused, so nothing ran");
	request.validate = say_yes;
	result = must_run(&request);
	ok(result.success && asked == 2 && tmp_there("ran"),
	    "allowed, so it ran");
	cdn_run_result_done(&result);
	tmp_need(unlink("ran") == 0, "unlink", "ran");
}

/* ----- In steps ----------------------------------------------------------- */

static void
test_steps(enum cdn_reaper reaper)
{
	struct cdn_run_request request = request_of(SHELL(
	    "trap 'echo got; exit 7' USR1; head -c 300000 /dev/zero; "
	    "echo ready; while :; do sleep 60 & wait; done"));
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;
	fd_set set;
	pid_t pid;
	int r;

	request.reaper = reaper;
	tmp_need(cdn_run_start(&request, &running, &err) == 0, "start", "");
	pid = cdn_run_pid(running);
	ok_f(pid > 0 && kill(pid, 0) == 0 && getpgid(pid) == pid,
	    "%s: it has a number and a group", reaper_names[reaper]);
	ok_f(cdn_run_signal(running, 0, &err) == CORDON_E_INVALID &&
	    cdn_run_signal(running, 65, &err) == CORDON_E_INVALID,
	    "%s: 0 and 65 are no signals", reaper_names[reaper]);
	for (int signalled = 0;; ) {
		FD_ZERO(&set);
		FD_SET(cdn_run_fd(running), &set);
		r = select(cdn_run_fd(running) + 1, &set, NULL, NULL, NULL);
		if (r < 0 && errno == EINTR)
			continue;
		if (r != 1 || cdn_run_step(running))
			break;
		/* The trap is there since before the first byte. */
		if (signalled++ == 0 &&
		    cdn_run_signal(running, SIGUSR1, &err) != 0)
			break;
	}
	ok_f(cdn_run_wait(running, &result, &err) == 0 &&
	    result.exit_code == 7 && result.out.n >= 4 &&
	    strcmp(result.out.p + result.out.n - 4, "got\n") == 0 &&
	    no_children(), "%s: driven by another loop",
	    reaper_names[reaper]);
	cdn_run_result_done(&result);
}

static void
make_files(void)
{
	tmp_file("plain", "echo ran >ran\n");
	tmp_file("lost", "#!/no/such/interpreter\n");
	tmp_mode("lost", 0755);
	tmp_file("strange", "\001\002\003\004");
	tmp_mode("strange", 0755);
	tmp_need(chdir(tmp_root) == 0, "chdir", tmp_root);
}

int
main(int argc, char **argv)
{
	static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
		CDN_REAPER_SELF };

	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	tmp_begin();
	make_files();
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		test_ends(reapers[i]);
		test_timeouts(reapers[i]);
		test_streams(reapers[i]);
		test_amounts(reapers[i]);
		test_failures(reapers[i]);
		test_steps(reapers[i]);
	}
	test_tee();
	ok(tmp_child(stderr_is_stuck, NULL, false) == 0,
	    "nobody who does not read holds it up");
	test_texts();
	test_quiet();
	test_validate();
	tmp_need(chdir("/") == 0, "chdir", "/");
	tmp_end();
	return done_testing();
}
