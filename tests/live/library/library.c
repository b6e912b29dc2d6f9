/*
 * The library starts things: what a program that links it can rely on.
 * Only the public header; the kernel is the real one.
 */
#include <cordon/cordon.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define AT_ONCE 60   /* runs, times CORDON_TRIES */
#define IN_A_ROW 500 /* the same */
#define ROUNDS_OF 1000 /* at once at most */

/* AddressSanitizer keeps what was freed, up to 256 MiB of it. */
#ifdef __SANITIZE_ADDRESS__
#define GROWTH_KIB (320L * 1024L)
#else
#define GROWTH_KIB 4096L
#endif

static char work[4096]; /* the workspace */

static unsigned long
tries(unsigned long n)
{
	const char *more = getenv("CORDON_TRIES");

	return more == NULL ? n : n * strtoul(more, NULL, 10);
}

static struct cordon_session *
open_session(enum cordon_preset preset)
{
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = work, .preset = preset };
	struct cordon_session *session = NULL;
	struct cordon_error err;

	if (cordon_session_new(&options, NULL, &session, &err) != 0) {
		printf("# session: %s\n", err.text);
		exit(1);
	}
	return session;
}

static struct cordon_run_options
shell(const char *const *argv)
{
	return (struct cordon_run_options){
		.size = sizeof(struct cordon_run_options),
		.argv = argv,
		.cwd = work,
		.stdin_mode = CORDON_STDIN_NULL,
		.output = CORDON_OUTPUT_CAPTURE,
	};
}

/* The exit code, or a negative code when nothing was started. */
static int
run(const struct cordon_session *session, const char *script, char **ret_out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct cordon_run_options options = shell(argv);
	struct cordon_run_result result;
	struct cordon_error err;
	int code = cordon_run(session, &options, &result, &err);

	if (code != 0) {
		printf("# %s\n", err.text);
		return code;
	}
	code = result.exit_code;
	if (ret_out != NULL) {
		*ret_out = result.out;
		result.out = NULL;
	}
	cordon_run_result_done(&result);
	return code;
}

static void
put(const char *name, const char *text)
{
	int fd = open(tmp_path(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	tmp_need(fd >= 0 && write(fd, text, strlen(text)) ==
	    (ssize_t)strlen(text), "write", name);
	close(fd);
}

/* ----- One run ------------------------------------------------------------------ */

static void
test_run(void)
{
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	char script[4200];
	char *out = NULL;

	ok(run(session, "echo out; echo inside >made; exit 3", &out) == 3,
	    "the exit code");
	ok(out != NULL && strcmp(out, "out\n") == 0, "what it printed");
	free(out);
	ok(access(tmp_path("w/made"), F_OK) == 0, "what it made");
	put("outside", "mine\n");
	snprintf(script, sizeof(script), "echo x >'%s'", tmp_path("outside"));
	ok(run(session, script, NULL) > 0, "it cannot write outside");
	snprintf(script, sizeof(script), "grep -q mine '%s'",
	    tmp_path("outside"));
	ok(run(session, script, NULL) > 0, "nor read there");
	ok(system(script) == 0, "where all is as it was");
	cordon_session_free(session);
}

static int
refuse(const char *program, const char *const *argv, void *arg,
    struct cordon_error *err)
{
	(void)program;
	(void)argv;
	(void)err;
	*(bool *)arg = true;
	return -1;
}

static int
forget(const char *program, const char *const *argv, void *arg,
    struct cordon_error *err)
{
	(void)program;
	(void)argv;
	(void)err;
	*(bool *)arg = true;
	return 0;
}

static int
let_go(const char *program, const char *const *argv, void *arg,
    struct cordon_error *err)
{
	(void)forget(program, argv, arg, err);
	return CORDON_GO;
}

static void
test_validate(void)
{
	const char *const argv[] = { "sh", "-c", "touch never", NULL };
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	struct cordon_run_options options = shell(argv);
	struct cordon_run_result result;
	struct cordon_error err;
	bool asked = false;

	options.validate = refuse;
	options.validate_arg = &asked;
	ok(cordon_run(session, &options, &result, &err) != 0 && asked,
	    "a caller may refuse");
	ok(access(tmp_path("w/never"), F_OK) != 0, "then nothing is spawned");
	options.validate = forget;
	asked = false;
	ok(cordon_run(session, &options, &result, &err) == CORDON_E_INVALID &&
		asked && access(tmp_path("w/never"), F_OK) != 0,
	    "0 is not a yes");
	options.validate = let_go;
	ok(cordon_run(session, &options, &result, &err) == 0 &&
		access(tmp_path("w/never"), F_OK) == 0, "CORDON_GO is");
	cordon_run_result_done(&result);
	cordon_session_free(session);
}

/* A child of fork() that frees what it inherited takes nothing away. */
static void
test_fork(void)
{
	const char *const argv[] = { "sh", "-c",
		"touch $TMPDIR/kept && echo $TMPDIR", NULL };
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	struct cordon_run_options options = shell(argv);
	struct cordon_run_result result = { 0 };
	char file[PATH_MAX];
	int status = -1;
	pid_t pid;

	options.output = CORDON_OUTPUT_CAPTURE;
	ok(cordon_run(session, &options, &result, NULL) == 0 &&
		result.out_len > 1, "a run has a tmp");
	snprintf(file, sizeof(file), "%.*s/kept", (int)result.out_len - 1,
	    result.out);
	cordon_run_result_done(&result);
	ok(access(file, F_OK) == 0, "control: it stays with the session");
	pid = fork();
	if (pid == 0) {
		cordon_session_free(session);
		_exit(0);
	}
	ok(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 &&
		access(file, F_OK) == 0, "a forked child only forgets it");
	cordon_session_free(session);
	ok(access(file, F_OK) != 0, "its owner removes it");
}

static void
test_steps(void)
{
	const char *const argv[] = { "sh", "-c", "cat; sleep 100", NULL };
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	struct cordon_run_options options = shell(argv);
	struct cordon_process *process = NULL;
	struct cordon_run_result result = { 0 };
	struct cordon_error err;

	options.stdin_mode = CORDON_STDIN_BYTES;
	options.stdin_bytes = "typed";
	options.stdin_len = 5;
	if (!ok(cordon_spawn(session, &options, &process, &err) == 0 &&
	    cordon_process_pid(process) > 0 && cordon_process_fd(process) >= 0,
	    "in steps"))
		return;
	ok(!cordon_process_step(process) &&
	    cordon_process_signal(process, SIGTERM, &err) == 0, "signalled");
	ok(cordon_wait(process, &result, &err) == 0 && result.signal == SIGTERM &&
	    result.exit_code == 128 + SIGTERM && !result.success, "and ended");
	cordon_run_result_done(&result);
	cordon_session_free(session);
}

static void
test_environment(void)
{
	static const char *const env[] = { "ONLY=this" };
	const char *const argv[] = { "/usr/bin/env", NULL };
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	struct cordon_run_options options = shell(argv);
	struct cordon_run_result result = { 0 };
	struct cordon_error err;

	options.environment = CORDON_ENV_EXACT;
	options.env = env;
	options.env_count = 1;
	ok(cordon_run(session, &options, &result, &err) == 0 &&
	    result.out != NULL && strcmp(result.out, "ONLY=this\n") == 0,
	    "exactly these variables");
	cordon_run_result_done(&result);
	options.environment = CORDON_ENV_INHERIT;
	ok(cordon_run(session, &options, &result, &err) == CORDON_E_INVALID,
	    "nothing is inherited into a cage");
	cordon_session_free(session);
}

static void
test_isolation(void)
{
	const char *const argv[] = { "/usr/bin/readlink", "/proc/self/ns/pid",
		NULL };
	const char *const where[] = { "sh", "-c",
		"[ -e here-we-are ] && echo yes", NULL };
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	struct cordon_run_options options = shell(argv);
	struct cordon_run_result result = { 0 };
	struct cordon_error err;
	char host[64] = "";

	/* Of one that is gone the number may be given to the next. */
	tmp_need(readlink(argv[1], host, sizeof(host) - 2) > 0, "readlink",
	    argv[1]);
	strcat(host, "\n");
	options.isolation = CORDON_ISOLATION_NAMESPACES;
	for (int i = 0; i < 2; i++) {
		ok(cordon_run(session, &options, &result, &err) == 0 &&
		    result.success && result.out_len > 0 &&
		    strcmp(host, result.out) != 0, "namespaces of its own");
		cordon_run_result_done(&result);
	}
	tmp_file("w/here-we-are", "");
	options.cwd = "."; /* of ours, not of the root of its mounts */
	options.argv = where;
	ok(cordon_run(session, &options, &result, &err) == 0 &&
	    result.success && strcmp(result.out, "yes\n") == 0,
	    "a relative directory is the caller's");
	cordon_run_result_done(&result);
	options.cwd = NULL;
	options.argv = argv;
	options.isolation = CORDON_ISOLATION_NONE;
	ok(cordon_run(session, &options, &result, &err) == 0 &&
	    result.success && strcmp(host, result.out) == 0,
	    "and without them in the same session");
	cordon_run_result_done(&result);
	cordon_session_free(session);
}

/* ----- Ourselves ------------------------------------------------------------------- */

static char own_audit[4096];

/* The rules of `workspace` need somebody who judges, those of `strict` nobody. */
static int
restricted(enum cordon_preset preset, enum cordon_enforcement enforcement)
{
	struct cordon_session *session = open_session(preset);
	struct cordon_run_options options = { .size = sizeof(options),
		.enforcement = enforcement,
		.audit = own_audit };
	bool writes = preset == CORDON_PRESET_WORKSPACE;
	struct cordon_error err;
	int fd = open(tmp_path("outside"), O_WRONLY);

	if (fd < 0 || close(fd) != 0)
		return 2;
	if (cordon_restrict_self(session, &options, &err) != 0) {
		printf("# %s\n", err.text);
		fflush(stdout);
		return err.code == CORDON_E_ENFORCE ? 7 : 3;
	}
	if (open(tmp_path("outside"), O_WRONLY) >= 0 || errno != EACCES)
		return 4;
	fd = open(tmp_path("w/self"), O_WRONLY | O_CREAT, 0600);
	if ((fd >= 0) != writes)
		return 5;
	return system("exec 2>/dev/null; ! echo x >../outside") == 0 ? 0 : 6;
}

/* What restricted() says, in a process of its own. */
static int
try_restricted(enum cordon_preset preset, enum cordon_enforcement enforcement)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(restricted(preset, enforcement));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Of the events of those that confined themselves. */
static unsigned
kept(const char *text)
{
	FILE *file = fopen(own_audit, "r");
	char *line = NULL;
	size_t room = 0;
	unsigned n = 0;

	while (file != NULL && getline(&line, &room, file) > 0)
		n += strstr(line, text) != NULL;
	free(line);
	if (file != NULL)
		fclose(file);
	return n;
}

static void *
idle(void *arg)
{
	pthread_mutex_lock(arg);
	return NULL;
}

static void
test_restrict(void)
{
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	struct cordon_run_options options = { .size = sizeof(options),
		.enforcement = CORDON_ENFORCEMENT_DEGRADED };
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct cordon_error err;
	pthread_t thread;
	int status;

	put("outside", "mine\n");
	snprintf(own_audit, sizeof(own_audit), "%s",
	    tmp_path("kept/self.jsonl"));
	status = try_restricted(CORDON_PRESET_STRICT,
	    CORDON_ENFORCEMENT_POLICY);
	ok_f(status == 0, "a process confines itself (%d)", status);
	status = try_restricted(CORDON_PRESET_WORKSPACE,
	    CORDON_ENFORCEMENT_POLICY);
	ok_f(status == 7, "not with rules that somebody must judge (%d)",
	    status);
	status = try_restricted(CORDON_PRESET_WORKSPACE,
	    CORDON_ENFORCEMENT_DEGRADED);
	ok_f(status == 0, "unless less is accepted (%d)", status);
	ok(kept("\"kind\":\"run.start\"") == 2 && kept("\"itself\":true") == 2 &&
	    kept("\"argv\":[\"") == 3 && kept("\"kind\":\"run.refused\"") == 1,
	    "each left a line");
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, idle, &lock);
	ok(cordon_restrict_self(session, &options, &err) == CORDON_E_INVALID,
	    "but not one with several threads");
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	cordon_session_free(session);
}

/* ----- The preset protect -------------------------------------------------------------- */

/* runs SCRIPT with $D: the directory whose data is kept. */
static int
guarded(const struct cordon_session *session, const char *script)
{
	static char variable[4200];
	const char *const env[] = { variable };
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct cordon_run_options options = shell(argv);
	struct cordon_run_result result = { 0 };
	struct cordon_error err;
	int code;

	snprintf(variable, sizeof(variable), "D=%s", tmp_path("home/.agent"));
	options.env = env;
	options.env_count = 1;
	if (cordon_run(session, &options, &result, &err) != 0) {
		printf("# %s\n", err.text);
		return -1;
	}
	code = result.exit_code;
	cordon_run_result_done(&result);
	return code;
}

static void
test_protected(void)
{
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };

	tmp_dir("home/.agent");
	tmp_dir("home/.agent/data");
	tmp_dir("home/project");
	put("home/.agent/data/key", "secret\n");
	put("home/notes", "mine\n");
	ok(cordon_protected_command(tmp_path("home/.agent"), &session,
	    &err) == 0, "a protected command");
	if (session == NULL) {
		printf("# %s\n", err.text);
		return;
	}
	ok(guarded(session, "cat ~/notes") == 0, "the home can be read");
	ok(guarded(session, "echo x >~/project/new && cat ~/project/new") == 0,
	    "and written");
	ok(guarded(session, "cat $D/data/key") != 0, "what is kept cannot");
	ok(guarded(session, "echo x >$D/data/key") != 0, "be read or written");
	ok(guarded(session, "mv $D/data $D/other; cat $D/other/key") != 0,
	    "nor moved away");
	ok(guarded(session, "ln $D/data/key ~/project/l; cat ~/project/l") != 0,
	    "nor linked");
	ok(guarded(session, "echo x >$D/config.toml; cat $D/config.toml") != 0,
	    "nor is what is not there yet");
	put("home/.agent/config.toml", "token\n");
	ok(guarded(session, "cat $D/config.toml") != 0,
	    "nor what came later");
	cordon_session_free(session);
}

/* ----- Many ------------------------------------------------------------------------------ */

static unsigned
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static long
resident_kib(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
		pages = -1;
	if (f != NULL)
		fclose(f);
	return pages * 4;
}

/* Starts n, then waits for all; how many ended as they should. */
static unsigned long
at_once(const struct cordon_session *session, unsigned long n)
{
	const char *const argv[] = { "sh", "-c", "read x; exit 7", NULL };
	struct cordon_run_options options = shell(argv);
	struct cordon_process **all = calloc(n, sizeof(struct cordon_process *));
	unsigned long good = 0;

	for (unsigned long i = 0; i < n; i++) {
		struct cordon_error err;

		if (cordon_spawn(session, &options, &all[i], &err) != 0)
			printf("# %lu: %s\n", i, err.text);
	}
	for (unsigned long i = 0; i < n; i++) {
		struct cordon_run_result result;
		struct cordon_error err;

		if (all[i] == NULL)
			continue;
		if (cordon_wait(all[i], &result, &err) != 0) {
			printf("# %lu: %s\n", i, err.text);
			continue;
		}
		good += result.exit_code == 7;
		cordon_run_result_done(&result);
	}
	free(all);
	return good;
}

static void
raise_limits(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void
test_many(void)
{
	struct cordon_session *session = open_session(CORDON_PRESET_WORKSPACE);
	unsigned long n = tries(AT_ONCE), row = tries(IN_A_ROW), good = 0;
	unsigned descriptors;
	long before, after;

	raise_limits();
	ok(run(session, "exit 0", NULL) == 0, "one, so that all is made");
	descriptors = open_descriptors();
	for (unsigned long left = n; left > 0;) {
		unsigned long some = left < ROUNDS_OF ? left : ROUNDS_OF;

		good += at_once(session, some);
		left -= some;
	}
	ok_f(good == n, "%lu runs at once, %lu at a time", n,
	    n < ROUNDS_OF ? n : (unsigned long)ROUNDS_OF);
	good = 0;
	before = resident_kib();
	for (unsigned long i = 0; i < row; i++)
		good += run(session, "exit 0", NULL) == 0;
	after = resident_kib();
	ok_f(good == row, "%lu in a row", row);
	/* Threads that answered calls may be about to close theirs. */
	for (int i = 0; i < 6000 && open_descriptors() > descriptors; i++)
		usleep(10000);
	ok_f(open_descriptors() == descriptors, "no descriptor is left over");
	ok_f(after < before + GROWTH_KIB, "no memory (%ld KiB more)",
	    after - before);
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no zombie");
	cordon_session_free(session);
}

/* ----- Without a boundary --------------------------------------------------------- */

static bool
audit_tells(const char *word)
{
	char command[8192];

	snprintf(command, sizeof(command),
	    "grep '\"sandbox.fallback\"' '%s' 2>/dev/null | grep -q '%s'",
	    tmp_path("home/.local/state/cordon/audit.jsonl"), word);
	return system(command) == 0;
}

/* Never by accident, never unseen; and the floor holds for tools. */
static void
test_unguarded(void)
{
	struct cordon_session *session = NULL;
	struct cordon_path_policy *paths = NULL;
	struct cordon_refused refused = { 0 };
	struct cordon_error err;
	char script[4200];
	const char *key;

	ok(cordon_unguarded(work, NULL, &session, &err) == CORDON_E_INVALID &&
	    cordon_unguarded(work, "", &session, &err) == CORDON_E_INVALID,
	    "unguarded: not without a reason");
	ok(!audit_tells("maintenance"), "nothing was told yet");
	if (!ok(cordon_unguarded(work, "maintenance", &session, &err) == 0,
		"unguarded"))
		return;
	ok(audit_tells("maintenance"), "the audit has the reason");
	snprintf(script, sizeof(script), "echo x >'%s'", tmp_path("free"));
	ok(run(session, script, NULL) == 0 && tmp_there("free"),
	    "there is no cage");
	ok(audit_tells("asked for"), "and each run says so");
	ok(cordon_path_policy_new(session, NULL, 0, &paths, &err) == 0,
	    "for tools");
	key = tmp_path("home/.ssh/id");
	ok(cordon_path_is_allowed(paths, CORDON_MODIFY, tmp_path("free"),
	    strlen(tmp_path("free"))), "everything is open");
	ok(cordon_path_enforce(paths, CORDON_READ, key, strlen(key), script,
	    sizeof(script), &refused, &err) == CORDON_E_DENIED &&
	    refused.code == CORDON_REFUSAL_SECRET, "but the floor");
	cordon_path_policy_free(paths);
	cordon_session_free(session);
	session = NULL;
	put("file", "");
	setenv("XDG_STATE_HOME", tmp_path("file"), 1);
	ok(cordon_unguarded(work, "maintenance", &session, &err) != 0 &&
	    session == NULL, "not where nothing can tell of it");
	unsetenv("XDG_STATE_HOME");
}

int
main(void)
{
	tmp_begin();
	tmp_dir("w");
	tmp_dir("home");
	setenv("HOME", tmp_path("home"), 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	snprintf(work, sizeof(work), "%s", tmp_path("w"));
	if (chdir(work) != 0)
		return 1;
	test_run();
	test_validate();
	test_fork();
	test_steps();
	test_environment();
	test_isolation();
	test_restrict();
	test_protected();
	test_unguarded();
	test_many();
	if (chdir("/") != 0)
		return 1;
	tmp_end();
	return done_testing();
}
