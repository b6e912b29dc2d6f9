/*
 * The static command has no name service modules; getent has.  It is asked for
 * users that /etc/passwd does not know, such as those of a directory server.
 */
#include "enforce/store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define GETENT	   "/usr/bin/getent" /* never looked up */
#define ANSWER_MAX 4096		     /* bytes of one line of the database */
#define KEY_MAX	   256		     /* bytes of the name of a user */
#define FIELD_HOME 5		     /* name:password:uid:gid:text:home:shell */

/* The pid, or -errno; its answer comes from *ret_fd. */
static int
ask(char *key, int *ret_fd)
{
	char getent[] = "getent", passwd[] = "passwd", end[] = "--";
	char *const argv[] = { getent, passwd, end, key, NULL };
	char *const envp[] = { NULL };
	posix_spawn_file_actions_t actions;
	int fds[2];
	pid_t pid;
	int error;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	error = posix_spawn_file_actions_init(&actions);
	if (error == 0) {
		error = posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
		if (error == 0)
			error = posix_spawn(&pid, GETENT, &actions, NULL, argv,
			    envp);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(fds[1]);
	if (error != 0) {
		close(fds[0]);
		return -error;
	}
	*ret_fd = fds[0];
	return pid;
}

static size_t
read_all(int fd, char *out, size_t size)
{
	size_t n = 0;
	ssize_t r = 1;

	while (r != 0 && n < size) {
		r = read(fd, out + n, size - n);
		if (r < 0 && errno != EINTR)
			break;
		if (r > 0)
			n += (size_t)r;
	}
	return n;
}

/* How it ended; 2 means that nobody knows the user. */
static int
wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* "" when the line has no absolute home. */
static cdn_str
home_in(cdn_str line)
{
	cdn_str field = { NULL, 0 };

	for (int i = 0; i <= FIELD_HOME; i++)
		if (!cdn_str_next(&line, ':', &field))
			return (cdn_str){ "", 0 };
	return field.n > 0 && field.p[0] == '/' ? field : (cdn_str){ "", 0 };
}

int
cdn_database_home(struct cdn_arena *arena, const char *name, uid_t uid,
    const char **ret, struct cordon_error *err)
{
	char key[KEY_MAX], answer[ANSWER_MAX];
	cdn_str home = { "", 0 };
	size_t n;
	int fd = -1, pid, status;

	if (name == NULL)
		snprintf(key, sizeof(key), "%lu", (unsigned long)uid);
	else if (strlen(name) < sizeof(key))
		snprintf(key, sizeof(key), "%s", name);
	else
		return cdn_err(err, CORDON_E_INVALID,
		    "the name of a user is longer than %d bytes", KEY_MAX - 1);
	pid = ask(key, &fd);
	if (pid == -ENOENT) {
		*ret = ""; /* such a system has no other users */
		return 0;
	}
	if (pid < 0)
		return cdn_err_sys(err, -pid, "cannot ask for the home of %s",
		    name != NULL ? name : "this user");
	n = read_all(fd, answer, sizeof(answer));
	close(fd);
	status = wait_for(pid);
	if (status == 0)
		home = home_in((cdn_str){ answer, n });
	else if (status != 2)
		return cdn_err(err, CORDON_E_SYSTEM, "cannot ask for the home "
		    "of %s: getent failed (%d)",
		    name != NULL ? name : "this user", status);
	*ret = cdn_arena_dup(arena, home.p, home.n);
	return *ret == NULL ? cdn_err_nomem(err) : 0;
}
