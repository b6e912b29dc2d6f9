/*
 * Mounts take a namespace in which they may be made: that of a process which
 * shares memory and descriptors with us, or with the child that waits for it,
 * and is gone before anything of the run begins.  To make such a namespace, and
 * to take one away, costs as much as all the rest; so that is done beside the
 * making of a plan, where it can be.
 */
#include "enforce/bubble/sealing.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "enforce/bubble/mounting.h"
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

/* The same device, sealed; another descriptor.  *ret_tree: its mount. */
CDN_BARE static long
seal_device(long fd, long *ret_tree)
{
	long flags = cdn_raw(SYS_fcntl, fd, F_GETFL);
	long tree = flags < 0 ? flags : seal(fd);
	long sealed = tree < 0 ? tree : open_again(tree, flags);

	*ret_tree = tree;
	if (sealed < 0 || (is_same(fd, sealed) && is_same_terminal(fd, sealed)))
		return sealed;
	(void)cdn_raw(SYS_close, sealed);
	return -ESTALE;
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
CDN_BARE static long
find_like_it(const struct cdn_sealing *s, int i)
{
	const struct cdn_given *given = s->given;

	for (int j = 0; j < i; j++)
		if (given[j].sealed >= 0 && given[j].dev == given[i].dev &&
		    given[j].ino == given[i].ino &&
		    cdn_raw(SYS_fcntl, given[j].sealed, F_GETFL) ==
			cdn_raw(SYS_fcntl, given[i].from, F_GETFL))
			return given[j].sealed;
	return -1;
}

/*
 * In namespaces of its own.  To take a mount away waits for all processors, so
 * that comes last.
 */
CDN_BARE static int
seal_all(void *arg)
{
	struct cdn_sealing *s = arg;
	long trees[3], r;

	if (cdn_sys_die_with(s->parent) < 0)
		return 0;
	if (s->program_error != 0) {
		r = replace_program(s->program_fd);
		s->program_error = r < 0 ? (int)-r : 0;
	}
	for (int i = 0; i < 3; i++) {
		struct cdn_given *given = &s->given[i];

		trees[i] = -1;
		if (given->error == 0)
			continue;
		r = find_like_it(s, i);
		if (r < 0)
			r = seal_device(given->from, &trees[i]);
		given->sealed = r < 0 ? -1 : (int)r;
		given->error = r < 0 ? (int)-r : 0;
	}
	__atomic_store_n(&s->is_done, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 3; i++)
		if (trees[i] >= 0)
			(void)cdn_raw(SYS_close, trees[i]);
	return 0;
}

/* ----- Who runs it --------------------------------------------------------- */

/* What has no name outside can be changed by nobody else's harm. */
CDN_BARE static void
look(struct cdn_given *given, int fd)
{
	struct stat st;
	long r = cdn_raw(SYS_fstat, fd, &st);

	given->from = fd;
	given->sealed = -1;
	/* NOLINTBEGIN(clang-analyzer-core.*): the kernel wrote it */
	given->error = r < 0 || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ?
	    0 : EPERM;
	given->dev = st.st_dev;
	given->ino = st.st_ino;
	given->is_own = (long)st.st_uid == cdn_raw(SYS_geteuid);
	/* NOLINTEND(clang-analyzer-core.*) */
}

/* Is there anything left to be done? */
CDN_BARE static bool
look_at_rest(struct cdn_sealing *s)
{
	bool any = s->program_error != 0;

	for (int i = 0; i < 3; i++) {
		if (!s->given[i].is_taken)
			look(&s->given[i], i);
		any |= s->given[i].error != 0;
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

CDN_BARE static void
seal_rest(struct cdn_sealing *s)
{
	CDN_UNINITIALIZED struct stack stack;
	int pid;

	s->parent = (pid_t)cdn_raw(SYS_getpid);
	pid = cdn_sys_clone(seal_all, stack.bytes + STACK_BYTES, CLONE_VM |
	    CLONE_FILES | CLONE_NEWUSER | CLONE_NEWNS, s, NULL);
	if (pid < 0 && s->program_error != 0)
		s->program_error = -pid;
	if (pid >= 0)
		cdn_sys_reap(pid);
	for (int i = 0; i < 3; i++) {
		struct cdn_given *given = &s->given[i];
		long r = given->is_taken || given->sealed < 0 ? 0 :
		    cdn_raw(SYS_dup3, given->sealed, i, 0);

		if (r < 0)
			given->error = (int)-r;
	}
}

CDN_BARE void
cdn_sealing_do(struct cdn_sealing *s)
{
	s->error = 0;
	if (!s->is_open)
		return;
	if (look_at_rest(s))
		seal_rest(s);
	if (s->is_own)
		s->error = s->program_error;
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

	*s = (struct cdn_sealing){ .is_open = true };
	for (int i = 0; i < 3; i++)
		s->given[i].sealed = s->given[i].ours = -1;
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
	s->program_error = s->program_fd < 0 ? 0 : EPERM;
}

/* ----- Beside us ------------------------------------------------------------ */

/* Handlers of ours must not run in it: no signal reaches it. */
static int
clone_quietly(struct cdn_sealing *s)
{
	uint64_t mask;
	int pid;

	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	pid = cdn_sys_clone(seal_all, (char *)s->stack + STACK_BYTES,
	    CLONE_VM | CLONE_FILES | CLONE_NEWUSER | CLONE_NEWNS, s, NULL);
	cdn_sys_set_mask(mask, NULL);
	return pid;
}

/* Files become pipes before they are given. */
static bool
is_device(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode);
}

/* Or what is opened meanwhile would look like one of them. */
static bool
has_standard(void)
{
	for (int i = 0; i < 3; i++)
		if (fcntl(i, F_GETFD) < 0)
			return false;
	return true;
}

void
cdn_sealing_begin(struct cdn_sealing *s, const int fds[3])
{
	int saved = errno;

	s->stack = s->is_open && has_standard() ? malloc(STACK_BYTES) : NULL;
	if (s->stack == NULL)
		return;
	for (int i = 0; i < 3; i++)
		if (is_device(fds[i]))
			look(&s->given[i], fds[i]);
	s->parent = getpid();
	s->pid = clone_quietly(s);
	if (s->pid < 0)
		s->pid = 0;
	errno = saved;
}

static void
reap(struct cdn_sealing *s)
{
	if (s->pid > 0)
		cdn_sys_reap(s->pid);
	s->pid = 0;
	free(s->stack);
	s->stack = NULL;
}

static bool
is_done(const struct cdn_sealing *s)
{
	return __atomic_load_n(&s->is_done, __ATOMIC_ACQUIRE) != 0;
}

/*
 * Who is done still takes mounts and namespaces away: nobody waits for that.
 * Who was killed before is never done.
 */
void
cdn_sealing_await(struct cdn_sealing *s)
{
	if (s->stack == NULL || s->is_settled)
		return;
	for (unsigned i = 0; i < CDN_SPINS && s->pid > 0 && !is_done(s); i++)
		cdn_sys_relax();
	if (!is_done(s))
		reap(s);
	for (int i = 0; i < 3; i++)
		s->given[i].ours = s->given[i].sealed;
	s->is_settled = true;
}

/* As it was then, or another one has that number by now. */
int
cdn_sealing_take(struct cdn_sealing *s, int which, int fd)
{
	struct cdn_given *given = &s->given[which];

	if (given->sealed < 0 || !is_same(given->sealed, fd) ||
	    !is_same_terminal(given->sealed, fd))
		return fd;
	given->is_taken = true;
	return given->sealed;
}

void
cdn_sealing_close(struct cdn_sealing *s)
{
	if (!s->is_open)
		return;
	cdn_sealing_await(s);
	reap(s);
	for (int i = 0; i < 3; i++) {
		int fd = s->given[i].ours;
		bool again = (i > 0 && fd == s->given[0].ours) ||
		    (i > 1 && fd == s->given[1].ours);

		if (fd >= 0 && !again)
			close(fd);
	}
	if (s->program_fd >= 0)
		close(s->program_fd);
	*s = (struct cdn_sealing){ .program_fd = -1 };
}
