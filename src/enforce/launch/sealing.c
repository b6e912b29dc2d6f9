/*
 * Mounts take a namespace in which they may be made: that of a process which
 * shares memory and descriptors with the one that waits for it, and is gone
 * before anything is executed.
 */
#include "enforce/launch/sealing.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "enforce/launch/mounting.h"
#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

#define STACK_BYTES 16384
#define DIGITS_MAX  10
#define OPENAT2	    437 /* the same on every architecture */

#define LINK_PREFIX "/proc/self/fd/"

struct stack {
	_Alignas(16) char bytes[STACK_BYTES];
};

struct link {
	char name[sizeof(LINK_PREFIX) + DIGITS_MAX];
};

/* ----- Names --------------------------------------------------------------- */

CDN_BARE static void
name_link(struct link *link, long fd)
{
	static const char prefix[] = LINK_PREFIX;
	char digits[DIGITS_MAX];
	size_t n = 0, at = 0;

	for (; at < sizeof(prefix) - 1; at++)
		link->name[at] = prefix[at];
	do
		digits[n++] = (char)('0' + fd % 10);
	while ((fd /= 10) > 0 && n < DIGITS_MAX);
	while (n > 0)
		link->name[at++] = digits[--n];
	link->name[at] = '\0';
}

CDN_BARE static long
open_named(const struct link *link)
{
	const struct cdn_open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	long n = cdn_raw(SYS_readlinkat, AT_FDCWD, link->name, path,
	    CDN_PATH_MAX);

	if (n < 0)
		return n;
	if (n == CDN_PATH_MAX)
		return -ENAMETOOLONG;
	path[n] = '\0';
	return cdn_raw(OPENAT2, AT_FDCWD, path, &how, sizeof(how));
}

/* The same object, whatever it is called by now. */
CDN_BARE static bool
is_same(long a, long b)
{
	struct stat x, y;

	x.st_dev = y.st_dev = 0;
	x.st_ino = y.st_ino = 0;
	return cdn_raw(SYS_fstat, a, &x) == 0 &&
	    cdn_raw(SYS_fstat, b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino;
}

/* A mount of what the descriptor is of. */
CDN_BARE static long
seal(long fd)
{
	struct link link;
	long named, tree;

	name_link(&link, fd);
	named = open_named(&link);
	if (named < 0)
		return named;
	tree = is_same(fd, named) ? cdn_mounting_sealed(named) : -ESTALE;
	(void)cdn_raw(SYS_close, named);
	return tree;
}

/* ----- Descriptors --------------------------------------------------------- */

/* /dev/tty and /dev/ptmx are another terminal for everybody. */
CDN_BARE static bool
is_same_terminal(long a, long b)
{
	unsigned x = 0, y = 0;

	return cdn_raw(SYS_ioctl, a, TIOCGDEV, &x) ==
	    cdn_raw(SYS_ioctl, b, TIOCGDEV, &y) && x == y;
}

/* As the one before it was: not to be waited for, nor taken as our own. */
CDN_BARE static long
open_again(long tree, long flags)
{
	struct link link;
	long fd, r;

	name_link(&link, tree);
	fd = cdn_raw(SYS_openat, AT_FDCWD, link.name, (flags & O_ACCMODE) |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	r = fd < 0 ? fd : cdn_raw(SYS_fcntl, fd, F_SETFL,
	    flags & (O_APPEND | O_NONBLOCK));
	if (fd >= 0 && r < 0)
		(void)cdn_raw(SYS_close, fd);
	return r < 0 ? r : fd;
}

CDN_BARE static long
replace_device(long fd)
{
	long flags = cdn_raw(SYS_fcntl, fd, F_GETFL);
	long tree = flags < 0 ? flags : seal(fd);
	long sealed = tree < 0 ? tree : open_again(tree, flags);
	long r = sealed;

	if (r >= 0)
		r = is_same(fd, sealed) && is_same_terminal(fd, sealed) ?
		    cdn_raw(SYS_dup3, sealed, fd, 0) : -ESTALE;
	if (sealed >= 0)
		(void)cdn_raw(SYS_close, sealed);
	if (tree >= 0)
		(void)cdn_raw(SYS_close, tree);
	return r;
}

CDN_BARE static long
replace_program(long fd)
{
	long tree = fd < 0 ? 0 : seal(fd);
	long r = fd < 0 || tree < 0 ? tree : cdn_raw(SYS_dup3, tree, fd,
	    O_CLOEXEC);

	if (fd >= 0 && tree >= 0)
		(void)cdn_raw(SYS_close, tree);
	return r;
}

/* Input and output are mostly one terminal: one open file, too. */
CDN_BARE static bool
is_like_before(const struct cdn_sealing *s, int i)
{
	const struct cdn_given *given = s->given;

	for (int j = 0; j < i; j++)
		if (given[j].error == 0 && given[j].dev == given[i].dev &&
		    given[j].ino == given[i].ino &&
		    cdn_raw(SYS_fcntl, j, F_GETFL) ==
			cdn_raw(SYS_fcntl, i, F_GETFL))
			return cdn_raw(SYS_dup3, j, i, 0) >= 0;
	return false;
}

/* In namespaces of its own. */
CDN_BARE static int
seal_all(void *arg)
{
	struct cdn_sealing *s = arg;
	long r = replace_program(s->program_fd);

	s->error = r < 0 && s->is_own ? (int)-r : 0;
	for (int i = 0; i < 3; i++) {
		if (s->given[i].error == 0)
			continue;
		r = is_like_before(s, i) ? 0 : replace_device(i);
		s->given[i].error = r < 0 ? (int)-r : 0;
	}
	return 0;
}

/* ----- Who runs it --------------------------------------------------------- */

/* What has no name outside can be changed by nobody else's harm. */
CDN_BARE static bool
look(struct cdn_sealing *s)
{
	bool any = s->program_fd >= 0;
	struct stat st;

	for (int i = 0; i < 3; i++) {
		struct cdn_given *given = &s->given[i];
		long r = cdn_raw(SYS_fstat, i, &st);

		/* NOLINTBEGIN(clang-analyzer-core.*): the kernel wrote it */
		given->error = r < 0 || S_ISFIFO(st.st_mode) ||
		    S_ISSOCK(st.st_mode) ? 0 : EPERM;
		given->dev = st.st_dev;
		given->ino = st.st_ino;
		given->is_own = (long)st.st_uid == cdn_raw(SYS_geteuid);
		/* NOLINTEND(clang-analyzer-core.*) */
		any |= given->error != 0;
	}
	return any;
}

/* The terminal of another user, which is given as it is. */
CDN_BARE static bool
is_harmless(const struct cdn_sealing *s, int i)
{
	struct link link;

	name_link(&link, i);
	return !s->given[i].is_own && cdn_raw(SYS_faccessat, AT_FDCWD,
	    link.name, W_OK) == -EACCES;
}

CDN_BARE void
cdn_sealing_do(struct cdn_sealing *s)
{
	CDN_UNINITIALIZED struct stack stack;
	int pid;

	s->error = 0;
	if (!s->is_open || !look(s))
		return;
	s->error = ECHILD;
	pid = cdn_sys_clone(seal_all, stack.bytes + STACK_BYTES, CLONE_VM |
	    CLONE_VFORK | CLONE_FILES | CLONE_NEWUSER | CLONE_NEWNS, s, NULL);
	if (pid < 0)
		s->error = s->is_own ? -pid : 0;
	else
		while (cdn_raw(SYS_wait4, pid, NULL, __WALL, NULL) == -EINTR)
			;
	for (int i = 0; i < 3; i++)
		if (s->given[i].error != 0 && s->error == 0 &&
		    !is_harmless(s, i))
			s->error = s->given[i].error;
	if (s->is_lost)
		s->error = ENOEXEC;
}

/* ----- Before -------------------------------------------------------------- */

static bool
begins_as_script(int fd)
{
	char head[2];

	return pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head, "#!", sizeof(head)) == 0;
}

/* What somebody's script in its place executes is not sealed. */
void
cdn_sealing_open(struct cdn_sealing *s, const char *program)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	struct stat st;

	s->is_open = true;
	s->program_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		close(fd);
	fd = s->program_fd;
	s->is_own = fd < 0 || fstat(fd, &st) != 0 || st.st_uid == geteuid();
	s->is_lost = s->is_own && (fd < 0 || begins_as_script(fd));
	if (fd >= 0 && begins_as_script(fd)) {
		close(fd);
		s->program_fd = -1;
	}
}
