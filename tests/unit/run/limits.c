/*
 * Limits of the whole tree, where the machine has a cgroup to divide, and of
 * each process where it has not: both are looked at, whichever it is here.
 */
#include "actor.h"

#include <sys/stat.h>

static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
	CDN_REAPER_SELF };

/* ----- The caller's own group --------------------------------------------- */

/* Its directory, found in another way than the library does; or "". */
static const char *
own_group(void)
{
	static char path[PATH_MAX];
	char mount[PATH_MAX] = "", line[PATH_MAX], type[64], where[256];
	FILE *file = fopen("/proc/self/mounts", "re");

	path[0] = '\0';
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "%*s %255s %63s", where, type) == 2 &&
		    strcmp(type, "cgroup2") == 0)
			snprintf(mount, sizeof(mount), "%s", where);
	if (file != NULL)
		fclose(file);
	file = fopen("/proc/self/cgroup", "re");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "0::", 3) == 0 && mount[0] != '\0')
			snprintf(path, sizeof(path), "%.2000s%.*s", mount,
			    (int)strcspn(line + 3, "\n"), line + 3);
	if (file != NULL)
		fclose(file);
	return path;
}

static bool
can_divide(void)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/cgroup.procs", own_group());
	if (access(path, W_OK) != 0)
		return false;
	snprintf(path, sizeof(path), "%s/test-%d", own_group(), (int)getpid());
	return mkdir(path, 0755) == 0 && rmdir(path) == 0;
}

/* Groups that a process made and that are still there. */
static int
count_groups(pid_t pid)
{
	DIR *dir = opendir(own_group());
	const struct dirent *entry;
	char prefix[32];
	int n = 0;

	snprintf(prefix, sizeof(prefix), "cordon-%d-", (int)pid);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	if (dir != NULL)
		closedir(dir);
	return n;
}

/* ----- What is said ------------------------------------------------------- */

static const struct {
	struct cdn_run_limits limits;
	unsigned held;
	enum cdn_run_scope want;
} scopes[] = {
	{ { 0 }, 0, CDN_SCOPE_PROCESS },
	{ { .open_files = 9 }, 0, CDN_SCOPE_PROCESS },
	{ { .cpu_ms = 9 }, 0, CDN_SCOPE_PROCESS },
	{ { .cpu_ms = 9 }, CDN_TREE_CPU, CDN_SCOPE_TREE },
	{ { .cpu_ms = 9, .open_files = 9 }, CDN_TREE_CPU, CDN_SCOPE_TREE },
	{ { .cpu_ms = 9, .memory_bytes = 9 }, CDN_TREE_CPU,
	    CDN_SCOPE_PROCESS },
	{ { .memory_bytes = 9, .processes = 9 },
	    CDN_TREE_MEMORY | CDN_TREE_PROCESSES, CDN_SCOPE_TREE },
	{ { .processes = 9 }, CDN_TREE_MEMORY, CDN_SCOPE_PROCESS },
};

static void
test_scopes(void)
{
	for (size_t i = 0; i < CDN_LEN(scopes); i++)
		ok_f(cdn_run_limits_scope(&scopes[i].limits, scopes[i].held) ==
		    scopes[i].want, "scope %zu", i);
}

static void
test_probe(bool tree)
{
	struct cdn_run_limits limits = { .open_files = 9 };

	ok(cdn_run_limits_probe(&limits) == 0, "nothing to hold");
	limits.cpu_ms = 1000;
	ok_f(cdn_run_limits_probe(&limits) == (tree ? CDN_TREE_CPU : 0),
	    "processor time is limited for %s here",
	    tree ? "the tree" : "each process");
	ok(count_groups(getpid()) == 0, "and asking leaves nothing behind");
}

/* ----- What is held ------------------------------------------------------- */

/*
 * None of the team uses a second, all of them do.  The first of them only
 * waits: alone it would never be stopped.
 */
static void
test_team(enum cdn_reaper reaper, bool tree)
{
	struct cdn_run_request request = request_of(ACTOR("team", "3"));
	struct cdn_run_result result;

	request.reaper = reaper;
	request.limits.cpu_ms = 600;
	result = must_run(&request);
	if (tree)
		ok_f(result.tree_limits == CDN_TREE_CPU &&
		    result.signal == SIGXCPU && !result.success,
		    "%s: the tree has used its time: signal %d",
		    reaper_names[reaper], result.signal);
	else
		ok_f(result.tree_limits == 0 && result.success,
		    "%s: each has used its time, but the one who waits",
		    reaper_names[reaper]);
	ok_f(no_children() && count_groups(getpid()) == 0,
	    "%s: nobody is left, no group either", reaper_names[reaper]);
	cdn_run_result_done(&result);
}

/* Who has time left is not touched, however often it is looked at. */
static void
test_modest(enum cdn_reaper reaper)
{
	struct cdn_run_request request =
	    request_of(SHELL("sleep 0.5; cat /proc/self/cgroup"));
	struct cdn_run_result result;

	request.reaper = reaper;
	request.limits.cpu_ms = 400;
	request.limits.memory_bytes = 256UL << 20;
	request.limits.processes = 10000;
	result = must_run(&request);
	ok_f(result.success && (result.tree_limits == 0) ==
	    (strstr(text_of(&result.out), "/cordon-") == NULL),
	    "%s: who is modest lives (%x)", reaper_names[reaper],
	    result.tree_limits);
	cdn_run_result_done(&result);
}

/* ----- What is left behind ------------------------------------------------ */

static void
test_removed(enum cdn_reaper reaper)
{
	struct cdn_run_request request = request_of(ACTOR("pause"));
	struct cdn_run_result result;
	struct cordon_error err;

	request.reaper = reaper;
	request.limits.cpu_ms = 60000;
	request.wall_ms = 100;
	request.grace_ms = 20;
	result = must_run(&request);
	ok_f(result.timed_out && count_groups(getpid()) == 0,
	    "%s: removed after a timeout", reaper_names[reaper]);
	cdn_run_result_done(&result);
	request.program = "/no/such/program";
	ok_f(cdn_run(&request, &result, &err) == CORDON_E_NOT_FOUND &&
	    count_groups(getpid()) == 0, "%s: removed when nothing starts",
	    reaper_names[reaper]);
}

/* Root's command, not caged, divides the group it is in. */
static void
test_divided(void)
{
	char command[PATH_MAX + 256];
	struct cdn_run_request request;
	struct cdn_run_result result;

	snprintf(command, sizeof(command), "set -e; "
	    "g=%s$(sed -n 's/^0:://p' /proc/self/cgroup); "
	    "mkdir $g/a $g/a/b; echo $$ >$g/a/b/cgroup.procs; "
	    "sed -n 's|^0::.*/cordon-[0-9-]*||p' /proc/self/cgroup",
	    own_group());
	request = request_of(SHELL(command));
	request.limits.cpu_ms = 60000;
	result = must_run(&request);
	ok_f(is_text(&result.out, "/a/b\n") && count_groups(getpid()) == 0,
	    "removed with the groups in it: %s%s", text_of(&result.out),
	    text_of(&result.err));
	cdn_run_result_done(&result);
}

/* Starts a run whose daemon outlives him, says so, and waits to be killed. */
_Noreturn static void
be_killed(const char *file, int fd)
{
	struct cdn_run_request request =
	    request_of(ACTOR("orphan", "daemon", file, "pause"));
	struct cdn_running *running;
	struct cordon_error err;

	request.reaper = CDN_REAPER_SELF;
	request.limits.cpu_ms = 60000;
	if (cdn_run_start(&request, &running, &err) != 0)
		_exit(1);
	while (!is_locked(file))
		(void)cdn_run_step(running);
	if (write(fd, "!", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* The next run of anybody removes it, with whoever is in there. */
static void
test_stale(void)
{
	struct cdn_run_limits limits = { .cpu_ms = 1000 };
	const char *file = tmp_path("lock");
	int ends[2], status;
	char byte;
	pid_t pid;

	tmp_need(pipe2(ends, O_CLOEXEC) == 0, "pipe", "");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		be_killed(file, ends[1]);
	close(ends[1]);
	tmp_need(read(ends[0], &byte, 1) == 1, "start", "a run");
	ok(cdn_run_limits_probe(&limits) == CDN_TREE_CPU &&
	    count_groups(pid) == 1 && is_locked(file),
	    "the group of a living caller stays");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* Another test may be at it just now, and keep us from doing it. */
	for (int i = 0; i < 60000 && count_groups(pid) > 0; i++) {
		(void)cdn_run_limits_probe(&limits);
		usleep(1000);
	}
	ok(count_groups(pid) == 0 && !is_locked(file),
	    "that of one who was killed is removed, with a daemon in it");
	close(ends[0]);
}

/* What a shepherd that was killed left behind is still in the group. */
static void
test_shepherd_goes(void)
{
	const char *file = tmp_path("lock2");
	struct cdn_run_request request =
	    request_of(ACTOR("orphan", "daemon", file, "pause"));
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;
	char path[64];
	FILE *stat;
	int shepherd = 0;

	request.limits.cpu_ms = 60000;
	tmp_need(cdn_run_start(&request, &running, &err) == 0, "start", "");
	while (!is_locked(file))
		(void)cdn_run_step(running);
	snprintf(path, sizeof(path), "/proc/%d/stat",
	    (int)cdn_run_pid(running));
	stat = fopen(path, "re");
	tmp_need(stat != NULL && fscanf(stat, "%*d (%*[^)]) %*c %d",
	    &shepherd) == 1 && kill(shepherd, SIGKILL) == 0, "kill", path);
	fclose(stat);
	ok(cdn_run_wait(running, &result, &err) == CORDON_E_SYSTEM &&
	    !is_locked(file) && count_groups(getpid()) == 0,
	    "the shepherd is killed: the daemon is gone all the same");
}

int
main(int argc, char **argv)
{
	bool tree;

	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	tmp_begin();
	tree = can_divide();
	test_scopes();
	test_probe(tree);
	if (tree) {
		test_stale();
		test_shepherd_goes();
		test_divided();
	}
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		test_modest(reapers[i]);
		test_team(reapers[i], tree);
		test_removed(reapers[i]);
	}
	tmp_end();
	return done_testing();
}
