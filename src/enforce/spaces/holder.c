/*
 * Behind the clone: system calls only, for other threads of ours may have held
 * any lock.  Memory is a copy.
 */
#include "enforce/spaces/holder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/limits.h"
#include "enforce/sys/forgo.h"
#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

/* Newer than some headers; the same on every architecture. */
#define NR_OPEN_TREE	428
#define NR_MOVE_MOUNT	429
#define TREE_CLONE	1U	/* OPEN_TREE_CLONE */
#define TREE_RECURSIVE	0x8000U /* AT_RECURSIVE */
#define FROM_EMPTY_PATH 0x04U	/* MOVE_MOUNT_F_EMPTY_PATH */
#define TO_EMPTY_PATH	0x40U	/* MOVE_MOUNT_T_EMPTY_PATH */

#define EMPTY_FLAGS    (MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define DIRECTORY_MODE 0755
#define FILE_MODE      0600

/* ----- Steps -------------------------------------------------------------------- */

CDN_BARE static int
put(const char *file, const char *text)
{
	size_t n = 0;
	long r, fd = cdn_raw(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CLOEXEC,
	    0);

	if (fd < 0)
		return (int)fd;
	while (text[n] != '\0')
		n++;
	r = cdn_raw(SYS_write, fd, text, n);
	(void)cdn_raw(SYS_close, fd);
	return r < 0 ? (int)r : 0;
}

/* Everybody keeps his number; others have none here. */
CDN_BARE static int
map_user(struct cdn_holder_plan *plan)
{
	int r = put("/proc/self/setgroups", "deny");

	if (r == 0)
		r = put("/proc/self/uid_map", plan->uid_map);
	return r < 0 ? r : put("/proc/self/gid_map", plan->gid_map);
}

/* Of the pair only ours: its end is what we wait for. */
CDN_BARE static int
let_go(struct cdn_holder_plan *plan)
{
	long r = 0;

	if (plan->control_fd != CDN_HOLDER_CONTROL)
		r = cdn_raw(SYS_dup3, plan->control_fd, CDN_HOLDER_CONTROL,
		    O_CLOEXEC);
	if (r >= 0)
		r = cdn_sys_close_range(CDN_HOLDER_CONTROL + 1, 0);
	return r < 0 ? (int)r : 0;
}

CDN_BARE static int
open_sockets(struct cdn_holder_plan *plan)
{
	long r = plan->network ? cdn_raw(SYS_socket, AF_NETLINK,
	    SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG) : CDN_HOLDER_SOCKETS;

	return r == CDN_HOLDER_SOCKETS ? 0 : r < 0 ? (int)r : -EBADF;
}

/* What the host mounts later is seen, not the other way round. */
CDN_BARE static int
part_mounts(struct cdn_holder_plan *plan)
{
	(void)plan;
	return (int)cdn_raw(SYS_mount, NULL, "/", NULL, MS_REC | MS_SLAVE,
	    NULL);
}

CDN_BARE static int
clone_tree(int at, const char *path, unsigned flags)
{
	return (int)cdn_raw(NR_OPEN_TREE, at, path, TREE_CLONE |
	    TREE_RECURSIVE | (unsigned)O_CLOEXEC | flags);
}

CDN_BARE static int
take_trees(struct cdn_holder_plan *plan)
{
	for (size_t i = 0; i < plan->mount_count; i++) {
		struct cdn_holder_mount *m = &plan->mounts[i];

		m->tree = m->from == NULL ? -1 : clone_tree(AT_FDCWD, m->from,
		    AT_SYMLINK_NOFOLLOW);
		if (m->from != NULL && m->tree < 0)
			return m->tree;
	}
	return 0;
}

CDN_BARE static bool
is_directory(int fd)
{
	return cdn_raw(SYS_faccessat, fd, ".", 0) != -ENOTDIR;
}

/* An empty place.  Nothing is executed there, nor found that was not put. */
CDN_BARE static int
mount_empty(const char *to)
{
	return (int)cdn_raw(SYS_mount, "cordon", to, "tmpfs", EMPTY_FLAGS,
	    "mode=0755,size=1m");
}

/* Errors are those of what is done there next. */
CDN_BARE static void
make_place(const struct cdn_holder_mount *m)
{
	char path[CDN_PATH_MAX + 1];
	size_t n = 0;
	long fd;

	for (; n < CDN_PATH_MAX && m->to[n] != '\0'; n++) {
		if (n > 0 && m->to[n] == '/') {
			path[n] = '\0';
			(void)cdn_raw(SYS_mkdirat, AT_FDCWD, path,
			    DIRECTORY_MODE);
		}
		path[n] = m->to[n];
	}
	if (is_directory(m->tree)) {
		(void)cdn_raw(SYS_mkdirat, AT_FDCWD, m->to, DIRECTORY_MODE);
		return;
	}
	fd = cdn_raw(SYS_openat, AT_FDCWD, m->to, O_CREAT | O_EXCL | O_WRONLY |
	    O_CLOEXEC, FILE_MODE);
	if (fd >= 0)
		(void)cdn_raw(SYS_close, fd);
}

CDN_BARE static int
mount_tree(const struct cdn_holder_mount *m)
{
	const struct cdn_open_how how = { .flags = O_PATH | O_NOFOLLOW,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };
	int place;
	long r;

	make_place(m);
	place = cdn_sys_openat2(AT_FDCWD, m->to, &how);
	if (place < 0)
		return place;
	r = cdn_raw(NR_MOVE_MOUNT, m->tree, "", place, "",
	    FROM_EMPTY_PATH | TO_EMPTY_PATH);
	(void)cdn_raw(SYS_close, place);
	(void)cdn_raw(SYS_close, m->tree);
	return r < 0 ? (int)r : 0;
}

CDN_BARE static int
mount_all(struct cdn_holder_plan *plan)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->mount_count; i++) {
		const struct cdn_holder_mount *m = &plan->mounts[i];

		r = m->from == NULL ? mount_empty(m->to) : mount_tree(m);
	}
	for (size_t i = 0; r == 0 && i < plan->mount_count; i++)
		if (plan->mounts[i].from == NULL)
			r = (int)cdn_raw(SYS_mount, NULL, plan->mounts[i].to,
			    NULL, MS_REMOUNT | MS_BIND | MS_RDONLY |
			    EMPTY_FLAGS, NULL);
	return r;
}

/* ----- Watched places ----------------------------------------------------------- */

CDN_BARE int
cdn_holder_mark(const char *place)
{
	return (int)cdn_raw(SYS_umount2, place, MNT_EXPIRE | UMOUNT_NOFOLLOW);
}

/*
 * Over itself, without what is mounted below it: a mount with others on it is
 * always in use.  Where there are some, the kernel refuses this (they belong to
 * the host's user namespace), and the place is not watched.
 */
CDN_BARE static int
mount_over_itself(const char *place)
{
	const struct cdn_open_how how = { .flags = O_PATH | O_NOFOLLOW,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };
	int at = cdn_sys_openat2(AT_FDCWD, place, &how);
	long r, tree;

	if (at < 0)
		return at;
	tree = r = cdn_raw(NR_OPEN_TREE, at, "", TREE_CLONE | AT_EMPTY_PATH |
	    (unsigned)O_CLOEXEC);
	if (tree >= 0) {
		r = cdn_raw(NR_MOVE_MOUNT, tree, "", at, "",
		    FROM_EMPTY_PATH | TO_EMPTY_PATH);
		(void)cdn_raw(SYS_close, tree);
	}
	(void)cdn_raw(SYS_close, at);
	return r < 0 ? (int)r : 0;
}

/* No rule needs it: a place that cannot be watched is not. */
CDN_BARE static int
watch(struct cdn_holder_plan *plan)
{
	for (size_t i = 0; i < plan->watched_count; i++)
		if (mount_over_itself(plan->watched[i]) == 0 &&
		    cdn_holder_mark(plan->watched[i]) == -EAGAIN)
			plan->marked |= UINT64_C(1) << i;
	return 0;
}

CDN_BARE static int
mount_proc(struct cdn_holder_plan *plan)
{
	(void)plan;
	return (int)cdn_raw(SYS_mount, "proc", "/proc", "proc",
	    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/*
 * The user's quotas of inotify are counted in each user namespace on the way
 * up, and each has limits of its own.  A kernel without these has none to use.
 */
CDN_BARE static int
bound_quotas(struct cdn_holder_plan *plan)
{
	if (plan->instances[0] != '\0')
		(void)put("/proc/sys/user/max_inotify_instances",
		    plan->instances);
	if (plan->watches[0] != '\0')
		(void)put("/proc/sys/user/max_inotify_watches", plan->watches);
	return 0;
}

/* Orphans fall to the first process; it is told of none of them. */
CDN_BARE static int
settle(struct cdn_holder_plan *plan)
{
	struct cdn_sigaction ignored;

	(void)plan;
	ignored.handler = (uintptr_t)SIG_IGN;
	ignored.flags = 0;
	ignored.restorer = 0;
	ignored.mask = 0;
	(void)cdn_sys_sigaction(SIGCHLD, &ignored, NULL);
	(void)cdn_raw(SYS_prctl, PR_SET_NAME, "cordon-spaces");
	(void)cdn_raw(SYS_setsid);
	return (int)cdn_raw(SYS_chdir, "/");
}

CDN_BARE static int
forgo(struct cdn_holder_plan *plan)
{
	int r = cdn_sys_forgo_capabilities();

	(void)plan;
	return r < 0 ? r : (int)cdn_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0,
	    0, 0);
}

static const struct {
	const char *name;
	int (*run)(struct cdn_holder_plan *plan);
} steps[] = {
	{ "the numbers of users", map_user },
	{ "descriptors", let_go },
	{ "sockets", open_sockets },
	{ "mounts apart from the host's", part_mounts },
	{ "what is mounted again", take_trees },
	{ "its own /tmp", mount_all },
	{ "its own /proc", mount_proc },
	{ "what is watched", watch },
	{ "quotas", bound_quotas },
	{ "the first process", settle },
	{ "capabilities", forgo },
};

const char *
cdn_holder_step(uint32_t step)
{
	return step < CDN_LEN(steps) ? steps[step].name : "its first process";
}

/* ----- Life --------------------------------------------------------------------- */

CDN_BARE static void
wait_for_end(void)
{
	char byte;
	long n;

	do
		n = cdn_raw(SYS_read, CDN_HOLDER_CONTROL, &byte, 1);
	while (n > 0 || n == -EINTR);
}

CDN_BARE int
cdn_holder_main(void *arg)
{
	struct cdn_holder_plan *plan = arg;
	struct cdn_holder_report report = { 0, 0, 0 };

	for (uint32_t i = 0; i < CDN_LEN(steps) && report.error == 0; i++) {
		report.step = i;
		report.error = -steps[i].run(plan);
	}
	report.marked = plan->marked;
	(void)cdn_raw(SYS_write, report.step < 1 ? plan->control_fd :
	    CDN_HOLDER_CONTROL, &report, sizeof(report));
	if (report.error == 0)
		wait_for_end();
	return 0;
}
