/*
 * What runs in the child, where the cage is around it or, as a control, is not.
 *
 * Nothing that is there is changed by it, also where everything is allowed:
 * files are opened and closed again, attributes that do not exist are removed.
 * Names that are not there are made only inside, and removed by who made them;
 * the outer side looks after what was left.
 */
#include "enforce/verify/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/sys/process.h"

#ifndef SYS_faccessat2
#define SYS_faccessat2 439 /* the same on every architecture */
#endif

#define QUIETLY	     (O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define PATIENCE_SEC 20 /* for one call: a disk that does not answer */

typedef long try_fn(const struct cdn_prober *prober,
    const struct cdn_probe *probe);

CDN_BARE static long
open_and_close(const char *path, int flags, mode_t mode)
{
	long fd = cdn_raw(SYS_openat, AT_FDCWD, path, flags | QUIETLY, mode);

	if (fd < 0)
		return fd;
	(void)cdn_raw(SYS_close, fd);
	return 0;
}

/* ----- What is there -------------------------------------------------------------- */

CDN_BARE static long
try_read(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return open_and_close(probe->path, O_RDONLY, 0);
}

CDN_BARE static long
try_list(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return open_and_close(probe->path, O_RDONLY | O_DIRECTORY, 0);
}

CDN_BARE static long
try_write(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return open_and_close(probe->path, O_WRONLY, 0);
}

CDN_BARE static long
try_xattr(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	static const char name[] = "user.cordon-verify.none";

	(void)prober;
	return cdn_raw(SYS_removexattr, probe->path, name);
}

/* A file without a name, and it will never have one. */
CDN_BARE static long
try_tmpfile(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return open_and_close(probe->path, O_TMPFILE | O_EXCL | O_WRONLY,
	    0600);
}

CDN_BARE static long
try_exec(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	const char *argv[2];
	const char *envp[1];

	argv[0] = probe->path;
	argv[1] = NULL;
	envp[0] = NULL;
	return cdn_raw(SYS_execveat, AT_FDCWD, probe->path, argv, envp,
	    prober->exec_check);
}

/* ----- What is not ---------------------------------------------------------------- */

CDN_BARE static long
create(const char *path)
{
	return open_and_close(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

CDN_BARE static void
take_away(const char *path)
{
	(void)cdn_raw(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* Could it be made here, as far as modes and mounts have a say? */
CDN_BARE static long
could_make(const struct cdn_probe *probe)
{
	return cdn_raw(SYS_faccessat2, AT_FDCWD, probe->parent, W_OK | X_OK,
	    AT_EACCESS);
}

CDN_BARE static bool
is_there(const char *path)
{
	struct stat st;

	return cdn_raw(SYS_newfstatat, AT_FDCWD, path, &st,
		   AT_SYMLINK_NOFOLLOW) == 0;
}

CDN_BARE static long
try_create(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	long r = create(probe->path);

	(void)prober;
	if (r == 0)
		take_away(probe->path);
	return r;
}

CDN_BARE static long
try_mkdir(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	long r = cdn_raw(SYS_mkdirat, AT_FDCWD, probe->path, 0700);

	(void)prober;
	if (r == 0)
		(void)cdn_raw(SYS_unlinkat, AT_FDCWD, probe->path,
		    AT_REMOVEDIR);
	return r;
}

CDN_BARE static long
try_symlink(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	static const char text[] = CDN_PROBER_LINK;
	long r = cdn_raw(SYS_symlinkat, text, AT_FDCWD, probe->path);

	(void)prober;
	if (r == 0)
		take_away(probe->path);
	return r;
}

CDN_BARE static long
try_fifo(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	long r = cdn_raw(SYS_mknodat, AT_FDCWD, probe->path, S_IFIFO | 0600,
	    0);

	(void)prober;
	if (r == 0)
		take_away(probe->path);
	return r;
}

/* Made first, which must work, or there is nothing to try it on. */
CDN_BARE static long
try_on_new(const struct cdn_probe *probe, long (*then)(
    const struct cdn_probe *probe))
{
	long r = create(probe->path);

	if (r < 0)
		return CDN_NOT_MADE;
	r = then(probe);
	take_away(probe->path);
	return r;
}

CDN_BARE static long
then_read(const struct cdn_probe *probe)
{
	return open_and_close(probe->path, O_RDONLY, 0);
}

CDN_BARE static long
try_reread(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return try_on_new(probe, then_read);
}

CDN_BARE static long
then_chmod(const struct cdn_probe *probe)
{
	return cdn_raw(SYS_fchmodat, AT_FDCWD, probe->path, 0640);
}

CDN_BARE static long
try_chmod(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return try_on_new(probe, then_chmod);
}

CDN_BARE static long
then_truncate(const struct cdn_probe *probe)
{
	return cdn_raw(SYS_truncate, probe->path, 0);
}

CDN_BARE static long
try_truncate(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return try_on_new(probe, then_truncate);
}

CDN_BARE static long
then_rename(const struct cdn_probe *probe)
{
	long r = cdn_raw(SYS_renameat2, AT_FDCWD, probe->path, AT_FDCWD,
	    probe->other, 0);

	if (r == 0)
		take_away(probe->other);
	return r;
}

CDN_BARE static long
try_rename(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return try_on_new(probe, then_rename);
}

CDN_BARE static long
then_link(const struct cdn_probe *probe)
{
	long r = cdn_raw(SYS_linkat, AT_FDCWD, probe->path, AT_FDCWD,
	    probe->other, 0);

	if (r == 0)
		take_away(probe->other);
	return r;
}

CDN_BARE static long
try_link(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return try_on_new(probe, then_link);
}

/* ----- Sockets -------------------------------------------------------------------- */

CDN_BARE static long
with_socket(const struct cdn_probe *probe, long call, int type)
{
	long fd = cdn_raw(SYS_socket, probe->address->any.sa_family,
	    type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	long r;

	if (fd < 0)
		return fd;
	r = cdn_raw(call, fd, probe->address, probe->address_size);
	(void)cdn_raw(SYS_close, fd);
	return r == -EINPROGRESS ? 0 : r;
}

CDN_BARE static long
try_bind_unix(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	long r = with_socket(probe, SYS_bind, SOCK_STREAM);

	(void)prober;
	if (r == 0)
		take_away(probe->path);
	return r;
}

CDN_BARE static long
try_connect(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return with_socket(probe, SYS_connect, SOCK_STREAM);
}

CDN_BARE static long
try_connect_udp(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return with_socket(probe, SYS_connect, SOCK_DGRAM);
}

CDN_BARE static long
try_bind(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	(void)prober;
	return with_socket(probe, SYS_bind, SOCK_STREAM);
}

/* ----- Escapes -------------------------------------------------------------------- */

/* Each in a process of its own, with memory of its own: it may end it. */
CDN_BARE static long
try_escape(const struct cdn_prober *prober, const struct cdn_probe *probe)
{
	const int signals = 0x7f;
	int status = 0;
	long r, pid = cdn_raw(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		return CDN_NOT_MADE;
	if (pid == 0) {
		r = cdn_escapes[probe->escape].run(prober);
		(void)cdn_raw(SYS_exit_group, r >= 0 ? 0 : -r);
	}
	do
		r = cdn_raw(SYS_wait4, pid, &status, __WALL, NULL);
	while (r == -EINTR);
	if (r < 0)
		return CDN_NOT_MADE;
	return (status & signals) != 0 ? -(CDN_DIED + (status & signals)) :
					 -(status >> 8 & 0xff);
}

/* ----- All of them ----------------------------------------------------------------- */

static try_fn *const tries[CDN_TRY_MAX] = {
	[CDN_TRY_READ] = try_read,
	[CDN_TRY_LIST] = try_list,
	[CDN_TRY_WRITE] = try_write,
	[CDN_TRY_XATTR] = try_xattr,
	[CDN_TRY_TMPFILE] = try_tmpfile,
	[CDN_TRY_EXEC] = try_exec,
	[CDN_TRY_CREATE] = try_create,
	[CDN_TRY_MKDIR] = try_mkdir,
	[CDN_TRY_SYMLINK] = try_symlink,
	[CDN_TRY_FIFO] = try_fifo,
	[CDN_TRY_BIND_UNIX] = try_bind_unix,
	[CDN_TRY_REREAD] = try_reread,
	[CDN_TRY_CHMOD] = try_chmod,
	[CDN_TRY_TRUNCATE] = try_truncate,
	[CDN_TRY_RENAME] = try_rename,
	[CDN_TRY_LINK] = try_link,
	[CDN_TRY_CONNECT_UNIX] = try_connect,
	[CDN_TRY_CONNECT_TCP] = try_connect,
	[CDN_TRY_CONNECT_UDP] = try_connect_udp,
	[CDN_TRY_BIND_TCP] = try_bind,
	[CDN_TRY_ESCAPE] = try_escape,
};

/* In a mount namespace of its own a name may mean something else. */
CDN_BARE static bool
is_same(struct cdn_probe *probe, bool control)
{
	const char *path = probe->parent != NULL ? probe->parent : probe->path;
	struct stat st;

	if (path[0] != '/')
		return true;
	st.st_dev = st.st_ino = 0; /* and stays so where nothing is */
	(void)cdn_raw(SYS_newfstatat, AT_FDCWD, path, &st, 0);
	if (control) {
		probe->dev = st.st_dev;
		probe->ino = st.st_ino;
	}
	return probe->dev == st.st_dev && probe->ino == st.st_ino;
}

CDN_BARE static long
try_it(const struct cdn_prober *prober, struct cdn_probe *probe)
{
	bool control = prober->turn == CDN_TURN_CONTROL;

	if (probe->how != CDN_TRY_ESCAPE && !is_same(probe, control))
		return CDN_NOT_SAME;
	return cdn_tries[probe->how].makes && control ? could_make(probe) :
	    tries[probe->how](prober, probe);
}

CDN_BARE static void
try_one(const struct cdn_prober *prober, struct cdn_probe *probe)
{
	bool makes = cdn_tries[probe->how].makes;
	bool control = prober->turn == CDN_TURN_CONTROL;
	long r = try_it(prober, probe);

	if (makes && !control && r < 0 && r != -EEXIST &&
	    r != CDN_NOT_SAME && is_there(probe->path)) {
		probe->there = true;
		r = 0;
	}
	if (control)
		probe->control = (int)r;
	else if (prober->turn == CDN_TURN_CAGE)
		probe->result = (int)r;
	else
		probe->alone = (int)r;
}

/* Whoever hangs in a call for too long is ended by its default. */
CDN_BARE static void
wait_no_longer(long seconds)
{
	struct itimerval timer;

	timer.it_interval.tv_sec = timer.it_value.tv_usec = 0;
	timer.it_interval.tv_usec = 0;
	timer.it_value.tv_sec = seconds;
	(void)cdn_raw(SYS_setitimer, 0, &timer, NULL);
}

CDN_BARE void
cdn_prober_run(void *arg)
{
	const struct cdn_prober *prober = arg;

	/* What a program would not have, either; and nobody else's. */
	if (cdn_sys_close_range(3, CDN_CLOSE_RANGE_UNSHARE) != 0)
		return;
	cdn_sys_set_mask(CDN_SIGNALS_ALL & ~CDN_SIGNAL_BIT(SIGALRM), NULL);
	for (size_t i = 0; i < prober->n; i++) {
		struct cdn_probe *probe = &prober->probes[i];

		if (prober->turn == CDN_TURN_ALONE && !probe->native)
			continue;
		wait_no_longer(PATIENCE_SEC);
		try_one(prober, probe);
	}
}

bool
cdn_prober_worked(const struct cdn_probe *probe, int result)
{
	int reached = probe->how == CDN_TRY_ESCAPE ?
	    cdn_escapes[probe->escape].reached :
	    cdn_tries[probe->how].reached;

	return result >= 0 || (reached != 0 && result == -reached);
}
