/*
 * Nobody is left: however they forked, whatever they ignore, whoever ends
 * first.  Each of them holds a lock, which is free only when all are gone.
 *
 *	orphans [WHO]			the test, see runs.h
 *	orphans WHO chain COUNT		one case of it, at COUNT moments,
 *					CORDON_TRIES times as many
 */
#include "actor.h"

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "support/random.h"

static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
	CDN_REAPER_SELF };

static const char *
fresh_lock(void)
{
	const char *file = tmp_path("lock");

	(void)unlink(file);
	return file;
}

/* Of one that ends, another descriptor may be closed before the lock. */
static bool
is_free_soon(const char *file)
{
	for (int i = 0; i < LONG_MS && is_locked(file); i++)
		usleep(1000);
	return !is_locked(file);
}

static struct cdn_run_request
orphan_request(const char *kind, const char *file, const char *end)
{
	static const char *args[7];

	args[0] = SELF_EXE;
	args[1] = "actor";
	args[2] = "orphan";
	args[3] = kind;
	args[4] = file;
	args[5] = end;
	return request_of(vector_of(args));
}

/* ----- Without us --------------------------------------------------------- */

/* All who signed in are killed; fallen to us, they are reaped here. */
static void
clean_up(const char *file)
{
	FILE *list = fopen(file, "re");
	int pid;

	while (list != NULL && fscanf(list, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (list != NULL)
		fclose(list);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* A process of its own, to which orphans fall. */
static int
lives_without_us(void *arg)
{
	const char *file = fresh_lock();
	struct cdn_run_request request = orphan_request(arg, file, "exit");
	posix_spawn_file_actions_t actions;
	int status;
	bool lives;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1L);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, SELF_EXE, &actions, NULL, request.argv,
		request.envp) != 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	posix_spawn_file_actions_destroy(&actions);
	lives = status == 0 && is_locked(file);
	clean_up(file);
	return lives && !is_locked(file) ? 0 : 1;
}

/* ----- With us ------------------------------------------------------------ */

/*
 * We are a subreaper ourselves while this is asked: whoever a shepherd left
 * behind, dead or alive, is our child now.  The kernel knows that for sure, at
 * this very moment; the lock is a second witness.  NULL: nobody is left.
 */
static const char *
who_is_left(const char *file)
{
	if (!no_children())
		return ", but a child is left";
	if (is_locked(file))
		return ", but the lock is held";
	return NULL;
}

/* What is not as it should be after "ready"; an empty text for nothing. */
static const char *
what_is_wrong(const struct cdn_run_result *result, bool timed_out,
    const char *file)
{
	const char *left = who_is_left(file);

	if (left != NULL)
		return left;
	if (access(file, F_OK) != 0)
		return ", but nobody was there";
	if (result->timed_out != timed_out || result->success == timed_out)
		return ", but it ended in another way";
	return is_text(&result->out, "ready\n") ? "" : ", but was not ready";
}

static void
test_kind(enum cdn_reaper reaper, const char *kind)
{
	const char *file = fresh_lock();
	struct cdn_run_request request = orphan_request(kind, file, "exit");
	struct cdn_run_result result;
	const char *wrong;

	request.reaper = reaper;
	result = must_run(&request);
	wrong = what_is_wrong(&result, false, file);
	ok_f(*wrong == '\0', "%s: %s: gone after a clean exit%s",
	    reaper_names[reaper], kind, wrong);
	cdn_run_result_done(&result);

	file = fresh_lock();
	request = orphan_request(kind, file, "pause");
	request.reaper = reaper;
	request.wall_ms = 200;
	request.grace_ms = 50;
	result = must_time_out(&request, "ready");
	wrong = what_is_wrong(&result, true, file);
	ok_f(*wrong == '\0', "%s: %s: gone after a timeout%s",
	    reaper_names[reaper], kind, wrong);
	cdn_run_result_done(&result);
}

static void
test_kinds(enum cdn_reaper reaper)
{
	for (size_t i = 0; i < CDN_LEN(orphan_kinds); i++)
		test_kind(reaper, orphan_kinds[i].name);
}

/* Interrupted at any moment of its making, also while it forks. */
static void
test_chain(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const char *file = fresh_lock();
		struct cdn_run_request request =
		    orphan_request("chain", file, "pause");
		enum cdn_reaper reaper = reapers[i % CDN_LEN(reapers)];
		struct cdn_run_result result;
		const char *left;

		request.reaper = reaper;
		request.wall_ms = 1 + i % 40;
		request.grace_ms = 20;
		result = must_run(&request);
		left = who_is_left(file);
		if (left != NULL || !result.timed_out || i + 1 == count)
			ok_f(left == NULL && result.timed_out,
			    "%s: chain: gone in run %u of %u after %d ms%s",
			    reaper_names[reaper], i + 1, count,
			    (int)request.wall_ms, left == NULL ? "" : left);
		cdn_run_result_done(&result);
	}
}

/* The kernel wakes nobody for them; so they are waited for by hand. */
static void
test_runners(enum cdn_reaper reaper)
{
	const char *file = fresh_lock();
	struct cdn_run_request request = request_of(ACTOR("bomb", file));
	struct cdn_run_result result;

	request.reaper = reaper;
	result = must_run(&request);
	ok_f(result.success && is_text(&result.out, "ready\n") &&
	    !is_locked(file) && no_children(), "%s: those who run are caught",
	    reaper_names[reaper]);
	cdn_run_result_done(&result);
}

/* Adopted ones that end while the command goes on must not pile up. */
static void
test_zombies(enum cdn_reaper reaper)
{
	struct cdn_run_request request = request_of(SHELL(
	    "for i in 1 2 3 4 5 6 7 8; do (true &); done; "
	    "zombies() { for s in /proc/[0-9]*/status; do "
	    "grep -qs \"^PPid:.$PPID$\" $s && grep -s '^State:.Z' $s; "
	    "done; }; while zombies >&2; do sleep 0.01; done; echo none"));
	struct cdn_run_result result;

	request.reaper = reaper;
	result = must_run(&request);
	ok_f(result.success && is_text(&result.out, "none\n"),
	    "%s: no zombies gather beside the command", reaper_names[reaper]);
	cdn_run_result_done(&result);
}

/* ----- Two runs ----------------------------------------------------------- */

static void
test_two_runs(void)
{
	char first_file[PATH_MAX], second_file[PATH_MAX];
	struct cdn_run_request request;
	struct cdn_run_result result;
	struct cdn_running *first;
	struct cordon_error err;

	snprintf(first_file, sizeof(first_file), "%s", tmp_path("first"));
	snprintf(second_file, sizeof(second_file), "%s", tmp_path("second"));
	request = orphan_request("daemon", first_file, "pause");
	tmp_need(cdn_run_start(&request, &first, &err) == 0, "start", "first");
	while (!is_locked(first_file))
		(void)cdn_run_step(first);
	request = orphan_request("daemon", second_file, "exit");
	result = must_run(&request);
	ok(result.success && !is_locked(second_file) && is_locked(first_file),
	    "one run ends, the other's daemon lives");
	cdn_run_result_done(&result);
	ok(cdn_run_signal(first, SIGTERM, &err) == 0 &&
	    cdn_run_wait(first, &result, &err) == 0 &&
	    result.signal == SIGTERM && !is_locked(first_file) && no_children(),
	    "and ends with its own");
	cdn_run_result_done(&result);
}

/* ----- The caller goes ---------------------------------------------------- */

enum farewell { KILLED, EXITED, EXECUTED, GROUP_KILLED, FORKED };

static const char *const farewells[] = { "is killed", "exits",
	"executes something", "is killed with his group",
	"is killed, a fork of his is not" };

/* Has all that the caller has, until the test is over. */
static void
leave_a_fork(int fd)
{
	struct pollfd end = { .fd = fd };

	if (fork() != 0)
		return;
	while (poll(&end, 1, -1) <= 0)
		;
	_exit(0);
}

_Noreturn static void
call_and_go(struct cdn_run_request *request, enum farewell farewell, int fd)
{
	struct cdn_running *running;
	struct cordon_error err;
	char byte;

	setpgid(0, 0);
	if (cdn_run_start(request, &running, &err) != 0)
		_exit(1);
	close(1);
	if (farewell == FORKED)
		leave_a_fork(fd);
	if (read(fd, &byte, 1) != 1) /* until the orphan is there */
		_exit(1);
	if (farewell == EXITED)
		_exit(0);
	if (farewell == EXECUTED)
		execl("/bin/true", "true", (char *)NULL);
	for (;;)
		pause();
}

/* The end of the pipe is the end of all who have it as stdout. */
static bool
gone_with_caller(struct cdn_run_request *request, enum farewell farewell)
{
	char seen[16] = "";
	int out[2], go[2];
	int status;
	pid_t pid;

	tmp_need(pipe(out) == 0 && pipe(go) == 0, "pipe", "");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		close(go[1]);
		request->output_mode = CDN_OUTPUT_PASS;
		call_and_go(request, farewell, go[0]);
	}
	close(out[1]);
	close(go[0]);
	tmp_need(read(out[0], seen, sizeof(seen) - 1) > 0, "read", "");
	tmp_need(write(go[1], "!", 1) == 1, "write", "");
	if (farewell == KILLED || farewell == FORKED)
		kill(pid, SIGKILL);
	if (farewell == GROUP_KILLED)
		kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	alarm(LONG_MS / 1000); /* would end the test, and fail it */
	status = (int)read(out[0], &status, 1);
	alarm(0);
	close(out[0]);
	close(go[1]);
	return status == 0 && strcmp(seen, "ready\n") == 0;
}

static void
test_caller_goes(void)
{
	for (size_t i = 0; i < CDN_LEN(orphan_kinds); i++)
		for (int how = KILLED; how <= FORKED; how++) {
			const char *kind = orphan_kinds[i].name;
			const char *file = fresh_lock();
			struct cdn_run_request request =
			    orphan_request(kind, file, "pause");

			ok_f(gone_with_caller(&request, (enum farewell)how) &&
			    is_free_soon(file) && access(file, F_OK) == 0,
			    "the caller %s: %s is gone", farewells[how], kind);
		}
	for (int how = KILLED; how <= GROUP_KILLED; how++) {
		struct cdn_run_request request = request_of(ACTOR("pause"));

		if (how == EXECUTED)
			continue; /* he is still its parent */
		request.reaper = CDN_REAPER_SELF;
		ok_f(gone_with_caller(&request, (enum farewell)how),
		    "the caller %s: so is, without a shepherd, the command",
		    farewells[how]);
	}
}

/* ----- The shepherd goes -------------------------------------------------- */

static pid_t
parent_of(pid_t pid)
{
	char path[64];
	FILE *file;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file != NULL) {
		if (fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1)
			parent = 0;
		fclose(file);
	}
	return parent;
}

/* The descriptors of a process, or -1. */
static int
count_fds(pid_t pid)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (dir == NULL)
		return -1;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

/* It keeps no pipe from ending, no directory from being unmounted. */
static void
test_shepherd(void)
{
	struct cdn_run_request request = request_of(ACTOR("pause"));
	char link[64], where[64] = "";
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;
	pid_t shepherd;

	tmp_need(chdir(tmp_root) == 0, "chdir", tmp_root);
	tmp_need(cdn_run_start(&request, &running, &err) == 0, "start", "");
	shepherd = parent_of(cdn_run_pid(running));
	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)shepherd);
	ok_f(count_fds(shepherd) == 2 &&
	    readlink(link, where, sizeof(where) - 1) == 1 && where[0] == '/',
	    "the shepherd has two descriptors, and stands in %s", where);
	ok(getpgid(shepherd) == shepherd && getsid(shepherd) == getsid(0),
	    "a group of its own in our session");
	tmp_need(cdn_run_signal(running, SIGTERM, &err) == 0 &&
	    cdn_run_wait(running, &result, &err) == 0, "end", "");
	cdn_run_result_done(&result);
	tmp_need(chdir("/") == 0, "chdir", "/");
}

static void
test_shepherd_goes(void)
{
	struct cdn_run_request request = request_of(ACTOR("pause"));
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;
	pid_t pid, shepherd;

	tmp_need(cdn_run_start(&request, &running, &err) == 0, "start", "");
	pid = cdn_run_pid(running);
	shepherd = parent_of(pid);
	tmp_need(parent_of(shepherd) == getpid() &&
	    kill(shepherd, SIGKILL) == 0, "kill", "the shepherd");
	ok_f(cdn_run_wait(running, &result, &err) == CORDON_E_SYSTEM &&
	    strncmp(err.text, "the shepherd of `", 17) == 0 && no_children(),
	    "%s", err.text);
}

/* ----- Strange places ----------------------------------------------------- */

/* The shell's: what a sanitizer puts into the actor needs /proc itself. */
static int
gone_without_proc(void *arg)
{
	const char *file = fresh_lock();
	char command[2 * PATH_MAX];
	struct cdn_run_request request;
	struct cdn_run_result result;

	(void)arg;
	snprintf(command, sizeof(command), "setsid flock '%s' sleep 60 & "
	    "while flock -n '%s' true; do :; done", file, file);
	request = request_of(SHELL(command));
	result = must_run(&request);
	return result.success && access(file, F_OK) == 0 && !is_locked(file) &&
	    no_children() ? 0 : 1;
}

static int
in_mount_namespace(void *arg)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", "/proc", "tmpfs", 0, NULL) != 0)
		return 50;
	return gone_without_proc(arg);
}

/* Numbers in /proc then are those of the outer one. */
static int
in_pid_namespace(void *arg)
{
	if (unshare(CLONE_NEWPID) != 0)
		return 50;
	return tmp_child(gone_without_proc, arg, false);
}

/* The shepherd is the first process in there, and cannot see its parent. */
static int
begins_pid_namespace(void *arg)
{
	return unshare(CLONE_NEWPID) != 0 ? 50 : gone_without_proc(arg);
}

static void
test_places(void)
{
	static const struct {
		const char *name;
		int (*body)(void *arg);
	} places[] = {
		{ "without /proc", in_mount_namespace },
		{ "with another's /proc", in_pid_namespace },
		{ "first in a PID namespace", begins_pid_namespace },
	};

	for (size_t i = 0; i < CDN_LEN(places) && geteuid() == 0; i++) {
		int r = tmp_child(places[i].body, NULL, false);

		if (r == 50)
			skip("no such namespaces here");
		else
			ok_f(r == 0, "%s: gone all the same", places[i].name);
	}
}

/* ----- Somebody who cannot be killed -------------------------------------- */

/*
 * Root starts it and is root no longer: an error, not a hang.  The kernel does
 * not kill it either when its parent is gone: it asks for the same right.
 */
static int
cannot_be_killed(void *arg)
{
	pid_t *victim = arg;

	struct cdn_run_request request = request_of(ACTOR("pause"));
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;

	request.reaper = CDN_REAPER_SELF;
	request.wall_ms = 50;
	request.grace_ms = 50;
	if (cdn_run_start(&request, &running, &err) != 0)
		return 50;
	*victim = cdn_run_pid(running);
	if (setresuid(TMP_NOBODY, TMP_NOBODY, TMP_NOBODY) != 0)
		return 50;
	if (cdn_run_wait(running, &result, &err) != CORDON_E_SYSTEM ||
	    err.sys_errno != EPERM ||
	    strncmp(err.text, "failed to end process ", 22) != 0)
		return 1;
	return 0;
}

static void
test_unkillable(void)
{
	pid_t *victim = mmap(NULL, sizeof(*victim), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	if (geteuid() != 0 || victim == MAP_FAILED)
		return;
	ok(tmp_child(cannot_be_killed, victim, false) == 0,
	    "who cannot be killed is told of");
	/* It fell to us: test_all() made us a subreaper. */
	if (*victim > 0 && kill(*victim, SIGKILL) == 0)
		waitpid(*victim, &status, 0);
	munmap(victim, sizeof(*victim));
}

static void
test_without_us(void)
{
	for (size_t i = 0; i < CDN_LEN(orphan_kinds); i++) {
		char kind[16];

		snprintf(kind, sizeof(kind), "%s", orphan_kinds[i].name);
		ok_f(tmp_child(lives_without_us, kind, false) == 0,
		    "without us: %s lives on", kind);
	}
}

static void
test_all(void)
{
	test_without_us();
	test_two_runs();
	test_shepherd();
	test_shepherd_goes();
	test_caller_goes();
	prctl(PR_SET_CHILD_SUBREAPER, 1L);
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		test_kinds(reapers[i]);
		test_runners(reapers[i]);
		test_zombies(reapers[i]);
	}
	test_places();
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	tmp_begin();
	if (argc > 3) {
		prctl(PR_SET_CHILD_SUBREAPER, 1L);
		test_chain((unsigned)(strtoul(argv[3], NULL, 10) *
		    random_tries()));
	} else {
		test_all();
	}
	if (argc == 1)
		test_unkillable();
	tmp_end();
	return done_testing();
}
