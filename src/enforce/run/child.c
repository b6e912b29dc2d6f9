/*
 * Between clone and exec.  One function per step, system calls only: memory
 * is the caller's.  Until the mask is restored no signal can arrive, and when
 * it is, no handler of the caller is left to run.
 */
#include "enforce/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "enforce/sys/forgo.h"

CDN_BARE static int
reset_signals(const struct cdn_launch *launch)
{
	if (!launch->cleared)
		cdn_sys_reset_signals(CDN_SIGNALS_ALL);
	return 0;
}

/* Known with the word. */
CDN_BARE static int
heed_ignored(const struct cdn_launch *launch)
{
	if (launch->cleared)
		cdn_sys_reset_signals(launch->ignored);
	return 0;
}

/* From inside a PID namespace of its own there is no parent to be seen. */
CDN_BARE static bool
has_parent(const struct cdn_launch *launch)
{
	return launch->parent_fd >= 0 ? !cdn_sys_has_ended(launch->parent_fd) :
	    cdn_raw(SYS_getppid) == launch->parent;
}

/* The kernel keeps the promise towards the parent *thread* (see run.h). */
CDN_BARE static int
bind_to_parent(const struct cdn_launch *launch)
{
	long r = cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);

	if (r == 0 && !has_parent(launch))
		r = -ESRCH; /* it was too late to ask for that */
	return (int)r;
}

CDN_BARE static int
make_group(const struct cdn_launch *launch)
{
	long r = launch->new_session ? cdn_raw(SYS_setsid)
	    : cdn_raw(SYS_setpgid, 0, 0);

	return r < 0 ? (int)r : 0;
}

/* From the background: allowed, because SIGTTOU is blocked. */
CDN_BARE static int
take_terminal(const struct cdn_launch *launch)
{
	pid_t group;

	if (launch->terminal_fd < 0 || (launch->led && !launch->front))
		return 0;
	group = (pid_t)cdn_raw(SYS_getpid);
	if (launch->new_session)
		return (int)cdn_raw(SYS_ioctl, launch->terminal_fd, TIOCSCTTY,
		    0);
	return (int)cdn_raw(SYS_ioctl, launch->terminal_fd, TIOCSPGRP, &group);
}

/* An inherited one stays open over exec; a closed one becomes /dev/null. */
CDN_BARE static int
keep_stdio(int target)
{
	long fd;

	if (cdn_raw(SYS_fcntl, target, F_SETFD, 0) == 0)
		return 0;
	/* The lowest one that is free, and those below are taken by now. */
	fd = cdn_raw(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
	return fd < 0 ? (int)fd : 0;
}

/* Sources first go where no target lies: they may lie on each other's place. */
CDN_BARE static int
redirect(const struct cdn_launch *launch)
{
	long from[3];
	long r = 0;

	for (int i = 0; i < 3; i++) {
		from[i] = launch->stdio[i];
		if (from[i] >= 0 && from[i] < 3)
			from[i] = cdn_raw(SYS_fcntl, from[i], F_DUPFD_CLOEXEC,
			    3);
		if (launch->stdio[i] >= 0 && from[i] < 0)
			return (int)from[i];
	}
	for (int i = 0; i < 3 && r >= 0; i++)
		r = from[i] >= 0 ? cdn_raw(SYS_dup3, from[i], i, 0)
				 : keep_stdio(i);
	return r < 0 ? (int)r : 0;
}

/* The shepherd is in those of users and processes already. */
CDN_BARE static int
enter_spaces(const struct cdn_launch *launch)
{
	const struct cdn_spaces *spaces = launch->request->spaces;

	return spaces == NULL ? 0 : cdn_spaces_enter(spaces, CDN_SPACE_MOUNT,
	    CDN_SPACE_MAX);
}

CDN_BARE static int
set_stdio(const struct cdn_launch *launch)
{
	return launch->shares ? 0 : redirect(launch);
}

CDN_BARE static int
change_directory(const struct cdn_launch *launch)
{
	const struct cdn_run_place *is = launch->request->cwd_is;
	const char *cwd = launch->request->cwd;
	struct stat st;
	long r = cwd == NULL ? 0 : cdn_raw(SYS_chdir, cwd);

	if (r < 0 || is == NULL)
		return (int)r;
	/* A name can be given to another one at any time; this cannot. */
	r = cdn_raw(SYS_newfstatat, AT_FDCWD, ".", &st, 0);
	if (r < 0)
		return (int)r;
	/* NOLINTNEXTLINE(clang-analyzer-core.*): the kernel wrote it */
	return st.st_dev == is->dev && st.st_ino == is->ino ? 0 : -ESTALE;
}

CDN_BARE static int
join_cgroup(const struct cdn_launch *launch)
{
	static const char self[] = "0";

	if (launch->procs_fd < 0)
		return 0;
	return (int)cdn_raw(SYS_write, launch->procs_fd, self, 1);
}

CDN_BARE static int
set_limit(const struct cdn_limit *limit)
{
	return (int)cdn_raw(SYS_prlimit64, 0, limit->resource, limit->values,
	    NULL);
}

CDN_BARE static int
set_limits(const struct cdn_launch *launch)
{
	for (unsigned i = 0; i < launch->limit_count; i++) {
		int r = set_limit(&launch->limits[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Only now: the sandbox is entered with the caller's file descriptors open, and
 * the listener of its filter gets a number above all of them.
 */
CDN_BARE static int
limit_open_files(const struct cdn_launch *launch)
{
	return launch->open_files.values[1] == 0 ? 0 :
	    set_limit(&launch->open_files);
}

/* Keys and capabilities are the caller's: a caged command has none. */
CDN_BARE static int
forgo_keyring(const struct cdn_launch *launch)
{
	const struct cdn_entry *entry = &launch->request->entry;

	if (entry->enter == NULL ||
	    (entry->keyless != NULL && *entry->keyless))
		return 0;
	return cdn_sys_forgo_keyring();
}

CDN_BARE static int
forgo_capabilities(const struct cdn_launch *launch)
{
	const struct cdn_entry *entry = &launch->request->entry;

	if (entry->enter == NULL)
		return 0;
	return entry->wraps ? cdn_sys_forgo_capabilities_but(CAP_SETFCAP) :
			      cdn_sys_forgo_capabilities();
}

CDN_BARE static int
forgo_privileges(const struct cdn_launch *launch)
{
	(void)launch;
	return (int)cdn_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* At exec, not now: the cage may be entered through some of them. */
CDN_BARE static int
close_descriptors(const struct cdn_launch *launch)
{
	return launch->shares ? 0 :
	    cdn_sys_close_range(3, CDN_CLOSE_RANGE_CLOEXEC);
}

/* Up to here they were the caller's, too; what it opens from now on is not. */
CDN_BARE static int
have_own_descriptors(const struct cdn_launch *launch)
{
	int r = !launch->shares ? 0 : cdn_sys_close_range(3,
	    CDN_CLOSE_RANGE_UNSHARE | CDN_CLOSE_RANGE_CLOEXEC);

	return r < 0 || !launch->shares ? r : redirect(launch);
}

CDN_BARE static int
enter_cage(const struct cdn_launch *launch)
{
	const struct cdn_entry *entry = &launch->request->entry;

	return entry->enter == NULL ? 0 : entry->enter(entry->arg,
	    launch->child);
}

/* Who was to give the word and died takes us along: see bind_to_parent(). */
CDN_BARE static int
await_word(const struct cdn_launch *launch)
{
	uint32_t word;

	for (unsigned i = 0; i < CDN_SPINS && __atomic_load_n(&launch->word,
		__ATOMIC_ACQUIRE) == CDN_WORD_LATER; i++)
		cdn_sys_relax();
	while ((word = __atomic_load_n(&launch->word, __ATOMIC_ACQUIRE)) ==
	    CDN_WORD_LATER)
		(void)cdn_raw(SYS_futex, &launch->word, FUTEX_WAIT_PRIVATE,
		    CDN_WORD_LATER, NULL);
	return word == CDN_WORD_YES ? 0 : -ECANCELED;
}

CDN_BARE static int
restore_mask(const struct cdn_launch *launch)
{
	cdn_sys_set_mask(launch->mask, NULL);
	return 0;
}

CDN_BARE static int
execute(const struct cdn_launch *launch)
{
	const struct cdn_run_request *request = launch->request;

	return (int)cdn_raw(SYS_execve, request->program, request->argv,
	    request->envp);
}

/* The order matters: behind the cage only what every cage must allow. */
static const struct {
	const char *name;
	int (*run)(const struct cdn_launch *launch);
} steps[] = {
	{ "signals", reset_signals },
	{ "parent", bind_to_parent },
	{ "group", make_group },
	{ "terminal", take_terminal },
	{ "stdio", set_stdio },
	{ "namespaces", enter_spaces },
	{ "cwd", change_directory },
	{ "cgroup", join_cgroup },
	{ "limits", set_limits },
	{ "keyring", forgo_keyring },
	{ "capabilities", forgo_capabilities },
	{ "no_new_privs", forgo_privileges },
	{ "descriptors", close_descriptors },
	{ "cage", enter_cage },
	{ "own descriptors", have_own_descriptors },
	{ "open files", limit_open_files },
	{ "word", await_word },
	{ "ignored signals", heed_ignored },
	{ "mask", restore_mask },
	{ NULL, execute },
};

/* An exit status, on failure only. */
CDN_BARE static int
child_main(void *arg)
{
	struct cdn_launch *launch = arg;

	for (unsigned i = 0; i < CDN_LEN(steps); i++) {
		int r = steps[i].run(launch);

		if (r >= 0)
			continue;
		launch->step = i;
		launch->error = -r;
		break;
	}
	return 127;
}

CDN_BARE int
cdn_child_start(struct cdn_launch *launch, void *stack_top, int *pidfd)
{
	int flags = CLONE_VM | CLONE_VFORK | SIGCHLD |
	    (pidfd == NULL ? 0 : CLONE_PIDFD) |
	    (launch->shares ? CLONE_FILES : 0);
	int procs_fd = launch->procs_fd;
	int pid = -ENOSYS;

	if (pidfd == NULL) /* the kernel has one place for both */
		flags |= CLONE_PARENT_SETTID;
	launch->child = 0;
	if (launch->cgroup_fd >= 0 || launch->cleared) {
		if (launch->cgroup_fd >= 0)
			launch->procs_fd = -1;
		pid = cdn_sys_clone_more(launch->cgroup_fd, launch->cleared,
		    child_main, stack_top, flags, launch, pidfd,
		    &launch->child);
		launch->procs_fd = procs_fd;
		launch->cleared &= pid >= 0;
	}
	/* A filter may not know clone3, an old kernel not those flags of it. */
	return pid >= 0 ? pid : cdn_sys_clone(child_main, stack_top, flags,
	    launch, pidfd != NULL ? pidfd : &launch->child);
}

const char *
cdn_child_step(unsigned step)
{
	return step < CDN_LEN(steps) ? steps[step].name : "shepherd";
}
