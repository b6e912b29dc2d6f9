#include "enforce/run/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define PID_LIMIT (4 * 1024 * 1024) /* no process has a greater number */
#define TEND_MAX  64 /* reaped before orders are looked at again */

typedef void visit_fn(struct cdn_tree *tree, pid_t pid, bool alive);

/* ----- Waiting ------------------------------------------------------------ */

/* 0 with *ret zeroed when there is none yet; -ECHILD when there is no such. */
CDN_BARE static int
wait_for(int kind, pid_t pid, int options, siginfo_t *ret)
{
	long r;

	ret->si_pid = 0;
	do
		r = cdn_raw(SYS_waitid, kind, pid, ret, options | __WALL, 0);
	while (r == -EINTR);
	return (int)r;
}

CDN_BARE static bool
has_children(void)
{
	siginfo_t info;

	return wait_for(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT, &info) == 0;
}

CDN_BARE static void
note_leader(struct cdn_tree *tree, const siginfo_t *info)
{
	if (tree->leader_done)
		return;
	tree->code = info->si_code;
	tree->status = info->si_status;
	__atomic_store_n(&tree->leader_done, true, __ATOMIC_RELEASE);
}

CDN_BARE bool
cdn_tree_leader_done(const struct cdn_tree *tree)
{
	return __atomic_load_n(&tree->leader_done, __ATOMIC_ACQUIRE);
}

CDN_BARE static void
was_reaped(struct cdn_tree *tree, const siginfo_t *info)
{
	if (info->si_pid == tree->leader) {
		note_leader(tree, info);
		tree->leader_reaped = true;
	}
	for (unsigned i = 0; i < tree->spared_count; i++)
		if (tree->spared[i] == info->si_pid)
			tree->spared[i] = 0;
}

/* One of those who ended.  1, 0 for nobody yet, -ECHILD for nobody left. */
CDN_BARE static int
reap_one(struct cdn_tree *tree, int options)
{
	siginfo_t info;
	int r = wait_for(P_ALL, 0, WEXITED | options, &info);

	if (r < 0 || info.si_pid == 0)
		return r;
	was_reaped(tree, &info);
	return 1;
}

/* The leader stays a zombie, and keeps its number, until the end. */
CDN_BARE static void
look_at_leader(struct cdn_tree *tree)
{
	siginfo_t info;

	if (!tree->leader_done && tree->leader > 0 && wait_for(P_PID,
		tree->leader, WEXITED | WNOHANG | WNOWAIT, &info) == 0 &&
	    info.si_pid != 0)
		note_leader(tree, &info);
}

CDN_BARE bool
cdn_tree_tend(struct cdn_tree *tree)
{
	const int look = WEXITED | WNOHANG | WNOWAIT;
	siginfo_t info;

	look_at_leader(tree);
	for (unsigned i = 0; i < TEND_MAX; i++) {
		if (wait_for(P_ALL, 0, look, &info) != 0 || info.si_pid == 0 ||
		    info.si_pid == tree->leader)
			return false;
		if (wait_for(P_PID, info.si_pid, WEXITED | WNOHANG, &info) == 0)
			was_reaped(tree, &info);
	}
	return true;
}

CDN_BARE int
cdn_tree_stopped(const struct cdn_tree *tree)
{
	siginfo_t info;

	if (tree->leader_done ||
	    wait_for(P_PID, tree->leader, WSTOPPED | WNOHANG, &info) < 0 ||
	    info.si_pid == 0)
		return 0;
	return info.si_status;
}

/* ----- Walking ------------------------------------------------------------ */

CDN_BARE static bool
is_spared(const struct cdn_tree *tree, pid_t pid)
{
	for (unsigned i = 0; i < tree->spared_count; i++)
		if (tree->spared[i] == pid)
			return true;
	return false;
}

/*
 * The kernel is asked whether it really is a child of ours: /proc may belong
 * to another PID namespace and speak of other processes.
 */
CDN_BARE static void
visit_child(struct cdn_tree *tree, pid_t pid, visit_fn *visit)
{
	siginfo_t info;

	if (is_spared(tree, pid) ||
	    wait_for(P_PID, pid, WEXITED | WNOHANG | WNOWAIT, &info) < 0)
		return;
	visit(tree, pid, info.si_pid == 0);
}

/* "123 456 ", read to its end before anybody is reaped: nothing is skipped. */
CDN_BARE static void
visit_list(struct cdn_tree *tree, int fd, visit_fn *visit)
{
	pid_t pid = 0;
	long n;

	while ((n = cdn_raw(SYS_read, fd, tree->scratch,
		    sizeof(tree->scratch))) > 0)
		for (long i = 0; i < n; i++) {
			char c = tree->scratch[i];

			if (c >= '0' && c <= '9') {
				pid = pid * 10 + (c - '0');
				continue;
			}
			if (pid > 0)
				visit_child(tree, pid, visit);
			pid = 0;
		}
}

/* Makes "task/children" of the name of a directory; false: it is no number. */
CDN_BARE static bool
children_name(const char *task, char *ret, size_t size)
{
	static const char tail[] = "/children";
	size_t n = 0;

	/* NOLINTNEXTLINE(clang-analyzer-core.*): the kernel wrote it */
	for (; task[n] >= '0' && task[n] <= '9'; n++) {
		if (n + sizeof(tail) >= size)
			return false;
		ret[n] = task[n];
	}
	if (n == 0 || task[n] != '\0')
		return false;
	for (size_t i = 0; i < sizeof(tail); i++)
		ret[n + i] = tail[i];
	return true;
}

struct entry {
	uint64_t ino;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

CDN_BARE static void
visit_task(struct cdn_tree *tree, int dir, const char *task, visit_fn *visit)
{
	char name[32];
	long fd;

	if (!children_name(task, name, sizeof(name)))
		return;
	fd = cdn_raw(SYS_openat, dir, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	visit_list(tree, (int)fd, visit);
	(void)cdn_raw(SYS_close, fd);
}

/* Children belong to the thread that made them: each has a list of its own. */
CDN_BARE static void
visit_all(struct cdn_tree *tree, visit_fn *visit)
{
	_Alignas(struct entry) char names[1024];
	long dir = cdn_raw(SYS_openat, AT_FDCWD, "/proc/self/task",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long n;

	if (dir < 0)
		return;
	while ((n = cdn_raw(SYS_getdents64, dir, names, sizeof(names))) > 0)
		for (long at = 0; at < n;) {
			const struct entry *entry = (const void *)(names + at);

			visit_task(tree, (int)dir, entry->name, visit);
			/* NOLINTNEXTLINE(clang-analyzer-core.*): likewise */
			at += entry->size;
		}
	(void)cdn_raw(SYS_close, dir);
}

/* Without a /proc to believe: every number there is.  About a second. */
CDN_BARE static void
visit_numbers(struct cdn_tree *tree, visit_fn *visit)
{
	for (pid_t pid = 1; pid <= PID_LIMIT; pid++)
		visit_child(tree, pid, visit);
}

/* ----- Who was there before ----------------------------------------------- */

CDN_BARE static void
spare(struct cdn_tree *tree, pid_t pid, bool alive)
{
	(void)alive;
	if (tree->spared_count < CDN_SPARED_MAX)
		tree->spared[tree->spared_count] = pid;
	tree->spared_count++;
}

CDN_BARE bool
cdn_tree_spare(struct cdn_tree *tree)
{
	bool fits;

	tree->spared_count = 0;
	if (has_children())
		visit_all(tree, spare);
	fits = tree->spared_count <= CDN_SPARED_MAX;
	if (!fits)
		tree->spared_count = CDN_SPARED_MAX;
	return fits;
}

/* ----- Signals ------------------------------------------------------------ */

/* A child of the namespace's first process, with its group if it leads one. */
CDN_BARE static void
signal_wrapped(pid_t pid, int signal)
{
	(void)cdn_raw(SYS_kill, pid, signal);
	if (cdn_raw(SYS_getpgid, pid) == pid)
		(void)cdn_raw(SYS_kill, -pid, signal);
}

/* "123 456 "; what does not fit has parents that do. */
CDN_BARE static int
signal_all_wrapped(const struct cdn_tree *tree, int signal)
{
	char list[1024];
	pid_t pid = 0;
	long n, fd = cdn_raw(SYS_openat, AT_FDCWD, tree->wrapped,
	    O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return (int)fd;
	n = cdn_raw(SYS_read, fd, list, sizeof(list));
	(void)cdn_raw(SYS_close, fd);
	for (long i = 0; i < n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.*): the kernel wrote it */
		if (list[i] >= '0' && list[i] <= '9') {
			pid = pid * 10 + (list[i] - '0');
			continue;
		}
		if (pid > 0)
			signal_wrapped(pid, signal);
		pid = 0;
	}
	return n < 0 ? (int)n : 0;
}

CDN_BARE int
cdn_tree_signal(const struct cdn_tree *tree, int signal)
{
	long r;

	if (tree->leader_reaped || tree->leader <= 0)
		return -ESRCH;
	if (__atomic_load_n(&tree->wrapped[0], __ATOMIC_ACQUIRE) != '\0' &&
	    signal != SIGKILL) {
		int wrapped = signal_all_wrapped(tree, signal);

		/* The wrapper ends by itself, but goes on when it is told. */
		if (wrapped == 0 && signal != SIGCONT)
			return 0;
	}
	r = cdn_raw(SYS_kill, -tree->leader, signal);
	/* It may have joined another group of its session. */
	if (cdn_raw(SYS_getpgid, tree->leader) != tree->leader)
		r = cdn_raw(SYS_kill, tree->leader, signal);
	return (int)r;
}

CDN_BARE static void
look_for_member(struct cdn_tree *tree, pid_t pid, bool alive)
{
	if (alive && cdn_raw(SYS_getpgid, pid) == tree->leader)
		tree->member = true;
}

CDN_BARE bool
cdn_tree_has_member(struct cdn_tree *tree)
{
	tree->member = false;
	visit_all(tree, look_for_member);
	return tree->member;
}

/*
 * The group goes along in one step where the child leads one: a tree that makes
 * sessions and forks is not faster than that.
 */
CDN_BARE static void
kill_child(struct cdn_tree *tree, pid_t pid, bool alive)
{
	(void)alive; /* a zombie waits to be reaped: it counts */
	if (cdn_raw(SYS_getpgid, pid) == pid)
		(void)cdn_raw(SYS_kill, -pid, SIGKILL);
	if (cdn_raw(SYS_kill, pid, SIGKILL) == 0)
		tree->signalled++;
	else
		tree->left = pid;
}

CDN_BARE static void
kill_children(struct cdn_tree *tree)
{
	tree->signalled = 0;
	tree->left = 0;
	visit_all(tree, kill_child);
	if (tree->signalled == 0 && tree->left == 0 && tree->spared_count == 0)
		visit_numbers(tree, kill_child);
}

CDN_BARE void
cdn_tree_reap(struct cdn_tree *tree)
{
	while (reap_one(tree, 0) > 0)
		;
}

/*
 * Why nobody is left when the kernel says ECHILD: by induction over those who
 * ever belonged to the tree, each of whom has, as long as he is not reaped, an
 * ancestor among our children, or is one.
 *
 *   - He begins inside the fork of a member, who cannot end meanwhile: as the
 *     child of the member, or (CLONE_PARENT) of the member's own parent.
 *   - When a member ends, the kernel gives its children to the nearest living
 *     subreaper above, in the same hold of its lock that makes a zombie of the
 *     member: no moment shows the one and not the other.  The nearest is us or
 *     (a member asked for it) another member; the first process of a PID
 *     namespace that a member made takes its own with it when it ends.
 *   - Nobody but us reaps our children.  A zombie is a child until then.
 *
 * waitid() looks at all children in one hold of that lock, so its ECHILD is a
 * statement about one moment, after which no member can begin.  Where we look
 * for children to kill does not matter for that: who was missed is still a
 * child, there is no ECHILD, and we look again.  So each round kills at least
 * one, and waits for one to end.
 *
 * A caller who minds his children himself may have others, which are spared,
 * and never gets there.  He ends by having found none twice: what a thread of
 * his leaves behind by ending goes to the first of them, whose list may have
 * been looked at already, but not the second time.
 */
CDN_BARE void
cdn_tree_end(struct cdn_tree *tree)
{
	unsigned nobody = 0;
	int r;

	(void)cdn_tree_signal(tree, SIGKILL);
	while (nobody < 2) {
		do
			r = reap_one(tree, WNOHANG);
		while (r > 0);
		if (r < 0)
			return;
		kill_children(tree);
		nobody = tree->signalled == 0 ? nobody + 1 : 0;
		if (nobody == 0)
			(void)reap_one(tree, 0);
	}
	/* Somebody is there, not spared, and was not found: never seen. */
	if (tree->left == 0 && tree->spared_count == 0)
		tree->left = tree->leader;
}
