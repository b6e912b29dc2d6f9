#include "enforce/launch/belted.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "enforce/backend/wrapper.h"

/* ----- The profile ----------------------------------------------------------- */

static bool
write_all(int fd, cdn_str text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			text.p += n;
			text.n -= (size_t)n;
		}
	}
	return true;
}

/* path: where it lies; "" if it does not. */
static int
put_profile(const struct cdn_belted *belted, char path[CDN_PATH_MAX + 1],
    struct cordon_error *err)
{
	int n = snprintf(path, CDN_PATH_MAX + 1, "%s/cordon-XXXXXX",
	    belted->tmp);
	bool written;
	int fd;

	if (n < 0 || n > CDN_PATH_MAX) {
		path[0] = '\0';
		return cdn_err(err, CORDON_E_INVALID, "'%s' is too long",
		    belted->tmp);
	}
	fd = mkstemp(path);
	if (fd < 0) {
		path[0] = '\0';
		return cdn_err_sys(err, errno, "no file can be made in '%s'",
		    belted->tmp);
	}
	written = write_all(fd, belted->profile);
	written &= close(fd) == 0;
	return written ? 0 : cdn_err_sys(err, errno, "'%s' cannot be written",
	    path);
}

/* ----- The command ----------------------------------------------------------- */

/* Of its own group, in its directory; signals as a new program expects them. */
static int
prepare(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions,
    const char *cwd)
{
	sigset_t all, none;
	int r;

	sigfillset(&all);
	sigemptyset(&none);
	r = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
	    POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	if (r == 0)
		r = posix_spawnattr_setpgroup(attributes, 0);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attributes, &all);
	if (r == 0)
		r = posix_spawnattr_setsigmask(attributes, &none);
	return r == 0 ? posix_spawn_file_actions_addchdir_np(actions, cwd) : r;
}

/* 0 or errno. */
static int
spawn(const struct cdn_belted *belted, const char *wrapper,
    const char *const *argv, pid_t *ret)
{
	/* It takes strings that it does not change. */
	union {
		const char *const *given;
		char *const *wanted;
	} words = { .given = argv };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r = posix_spawnattr_init(&attributes);

	if (r != 0)
		return r;
	r = posix_spawn_file_actions_init(&actions);
	if (r == 0) {
		r = prepare(&attributes, &actions, belted->cwd);
		if (r == 0)
			r = posix_spawn(ret, wrapper, &actions, &attributes,
			    words.wanted, belted->envp);
		posix_spawn_file_actions_destroy(&actions);
	}
	posix_spawnattr_destroy(&attributes);
	return r;
}

static int
await(pid_t pid, int *ret_status, struct cordon_error *err)
{
	pid_t r;

	do
		r = waitpid(pid, ret_status, 0);
	while (r < 0 && errno == EINTR);
	return r == pid ? 0 : cdn_err_sys(err, errno, "the end of the command "
	    "cannot be seen");
}

static int
run_in(const struct cdn_belted *belted, const char *wrapper, const char *file,
    int *ret_status, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	const char *const *argv = arena == NULL ? NULL :
	    cdn_wrapper_seatbelt(arena, file, true, belted->argv);
	pid_t pid = 0;
	int r = argv == NULL ? ENOMEM : spawn(belted, wrapper, argv, &pid);
	int code = r == 0 ? await(pid, ret_status, err) :
	    r == ENOMEM ? cdn_err_nomem(err) :
	    cdn_err_sys(err, r, "failed to spawn `%s`", wrapper);

	cdn_arena_free(arena);
	return code;
}

int
cdn_belted_run(const struct cdn_belted *belted, int *ret_status,
    struct cordon_error *err)
{
	const char *wanted = belted->wrapper == NULL ? CDN_WRAPPER_SEATBELT :
						       belted->wrapper;
	const char *wrapper = cdn_wrapper_find(&wanted, 1);
	char file[CDN_PATH_MAX + 1];
	int code;

	if (wrapper == NULL)
		return cdn_err(err, CORDON_E_ENFORCE, "OS sandbox required but "
		    "unavailable: '%s' is not there, or somebody else can "
		    "write it", wanted);
	code = put_profile(belted, file, err);
	if (code == 0)
		code = run_in(belted, wrapper, file, ret_status, err);
	if (file[0] != '\0')
		(void)unlink(file);
	return code;
}
