/*
 * runs - what the tests of run/ share: who we are, short runs, an actor.
 *
 * Every program of this folder is run as whoever calls it, as nobody and in a
 * user namespace (its first argument: none or "self", "nobody", "userns").  It
 * is also what it starts: with the first argument "actor" it plays a part
 * (actor.h).
 */
#ifndef CDN_TESTS_RUNS_H
#define CDN_TESTS_RUNS_H

#include "enforce/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define SELF_EXE "/proc/self/exe"
#define LONG_MS	 60000 /* nothing here takes that long */

static const char *const reaper_names[] = {
	[CDN_REAPER_SHEPHERD] = "shepherd",
	[CDN_REAPER_SELF] = "self",
};

/* ----- Who we are --------------------------------------------------------- */

static inline bool
put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 &&
	    write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static inline bool
enter_userns(void)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "0 %u 1", (unsigned)geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER) == 0 &&
	    put_file("/proc/self/setgroups", "deny") &&
	    put_file("/proc/self/uid_map", uids) &&
	    put_file("/proc/self/gid_map", gids);
}

/* False: cannot be done here, which was said. */
static inline bool
become(const char *who)
{
	if (who == NULL || strcmp(who, "self") == 0)
		return true;
	if (strcmp(who, "nobody") == 0 && geteuid() == 0) {
		tmp_need(setgid(TMP_NOBODY) == 0 && setuid(TMP_NOBODY) == 0,
		    "become", who);
		/* What setuid made unreadable: /proc/self. */
		prctl(PR_SET_DUMPABLE, 1L);
		return true;
	}
	if (strcmp(who, "userns") == 0 && enter_userns())
		return true;
	skip(strcmp(who, "nobody") == 0 ? "not root, so nobody already"
					: "no user namespaces here");
	return false;
}

/* ----- Short runs --------------------------------------------------------- */

static const char *const runs_env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C",
	"ASAN_OPTIONS=detect_leaks=0", NULL };

/* As execve wants it: it promises in prose what the type does not say. */
static inline char *const *
vector_of(const char *const *list)
{
	union {
		const char *const *in;
		char *const *out;
	} same = { list };

	return same.out;
}

#define SHELL(text)                                                          \
	vector_of((const char *const[]){ "/bin/sh", "-c", (text), NULL })
#define ACTOR(...)                                                           \
	vector_of((const char *const[]){ SELF_EXE, "actor", __VA_ARGS__, NULL })

/* Captured, no stdin; never longer than LONG_MS. */
static inline struct cdn_run_request
request_of(char *const *argv)
{
	return (struct cdn_run_request){ .program = argv[0], .argv = argv,
		.envp = vector_of(runs_env), .stdin_mode = CDN_STDIN_NULL,
		.output_mode = CDN_OUTPUT_CAPTURE, .wall_ms = LONG_MS };
}

/* What must succeed for a test to mean anything. */
static inline struct cdn_run_result
must_run(const struct cdn_run_request *request)
{
	struct cdn_run_result result;
	struct cordon_error err;

	if (cdn_run(request, &result, &err) != 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	return result;
}

static inline const char *
text_of(const struct cdn_buf *buf)
{
	return buf->p == NULL ? "" : buf->p;
}

/*
 * A run that shall end by its deadline, but not before it said one thing on
 * stdout and another on stderr: on a busy machine the deadline is set again,
 * twice as late.
 */
static inline struct cdn_run_result
must_time_out_saying(struct cdn_run_request *request, const char *out,
    const char *err)
{
	struct cdn_run_result result = must_run(request);

	while ((strstr(text_of(&result.out), out) == NULL ||
		   strstr(text_of(&result.err), err) == NULL) &&
	    request->wall_ms < LONG_MS) {
		cdn_run_result_done(&result);
		request->wall_ms *= 2;
		result = must_run(request);
	}
	return result;
}

static inline struct cdn_run_result
must_time_out(struct cdn_run_request *request, const char *word)
{
	return must_time_out_saying(request, word, "");
}

/* Bytes, NUL included: is it exactly that? */
static inline bool
is_text(const struct cdn_buf *buf, const char *want)
{
	return buf->n == strlen(want) && strcmp(text_of(buf), want) == 0;
}

/* No child of any kind is left to this process. */
static inline bool
no_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) !=
	    0 && errno == ECHILD;
}

#endif
