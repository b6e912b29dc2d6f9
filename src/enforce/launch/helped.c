/*
 * helped - a sandbox of bwrap, filled for it while it waits.
 *
 * bwrap reads the table of mounts again for every mount it makes, so a dozen
 * take it milliseconds, and a thousand seconds.  It is told the root and /proc;
 * all the rest is put into its namespace from here, each with the same few
 * calls, by a process that enters it (mounting.c), before anything of the run
 * begins.  That process is there before bwrap waits, and waits for it, too.
 */
#include "enforce/launch/process.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/launch/mounting.h"
#include "enforce/sys/process.h"

#define PTY_MAJOR   136 /* of those that have a number in /dev/pts */
#define STACK_BYTES 16384

struct cdn_helper {
	struct cdn_mounting mounting;
	int ready_fd; /* can be written when bwrap waits */
	pid_t parent;
	uint32_t word; /* 0: not yet; 1: what it was told is right */
	int result;
	int pid;
	_Alignas(16) char stack[STACK_BYTES];
};

struct list {
	struct cdn_arena *arena;
	struct cdn_step *v;
	size_t n;
	size_t capacity;
	bool oom;
};

static void
add(struct list *l, const struct cdn_step *step)
{
	struct cdn_step *v = l->oom || step->path == NULL ? NULL :
	    cdn_arena_grow(l->arena, l->v, l->n, &l->capacity, sizeof(*v));

	if (v == NULL) {
		l->oom = true;
		return;
	}
	l->v = v;
	v[l->n++] = *step;
}

/* ----- Mounts as steps --------------------------------------------------- */

static const char *
text_of(unsigned mode)
{
	return mode == 0 ? "0000" : mode == 0111 ? "0111" : "0555";
}

/* Directories on the way to a place in something that is ours alone. */
static void
add_way(struct list *l, const char *outer, const char *path)
{
	size_t start = strcmp(outer, "/") == 0 ? 0 : strlen(outer);

	for (const char *at = strchr(path + start + 1, '/'); at != NULL;
	     at = strchr(at + 1, '/'))
		add(l, &(struct cdn_step){ .kind = CDN_STEP_DIR,
		    .path = cdn_arena_dup(l->arena, path, (size_t)(at - path)),
		    .mode = 0755, .lax = true });
}

static bool
is_inhabited(const struct cdn_bwrap_plan *plan, size_t i)
{
	return i + 1 < plan->count && cdn_plan_below(plan->mounts[i + 1].path,
	    plan->mounts[i].path);
}

static struct cdn_step
empty_step(const struct cdn_bwrap_plan *plan, size_t i, struct cdn_step step)
{
	unsigned mode = plan->mounts[i].mode;

	step.kind = mode == 0 && !is_inhabited(plan, i) ? CDN_STEP_CLOSED :
							  CDN_STEP_TMPFS;
	step.from = text_of(mode);
	step.point = step.point == CDN_POINT_THERE ? CDN_POINT_THERE :
						     CDN_POINT_DIR;
	return step;
}

/* Read-only: that is for its mode and times, not for what it gives and takes. */
static void
add_device(struct list *l, const char *from, const char *path)
{
	add(l, &(struct cdn_step){ .kind = CDN_STEP_BIND, .path = path,
	    .from = from, .point = CDN_POINT_FILE, .device = true,
	    .read_only = true });
}

/*
 * As programs expect it, and as bwrap makes it; over the one of bwrap, in which
 * it has a file open.  console: a terminal that the run has, or NULL; under this
 * name ttyname(3) finds it.
 */
static void
add_dev(struct list *l, const char *console)
{
	static const char *const devices[] = { "/dev/null", "/dev/zero",
		"/dev/full", "/dev/random", "/dev/urandom", "/dev/tty" };
	static const struct cdn_step rest[] = {
		{ CDN_STEP_LINK, "/dev/stdin", "/proc/self/fd/0" },
		{ CDN_STEP_LINK, "/dev/stdout", "/proc/self/fd/1" },
		{ CDN_STEP_LINK, "/dev/stderr", "/proc/self/fd/2" },
		{ CDN_STEP_LINK, "/dev/fd", "/proc/self/fd" },
		{ CDN_STEP_LINK, "/dev/core", "/proc/kcore" },
		{ CDN_STEP_LINK, "/dev/ptmx", "pts/ptmx" },
		{ CDN_STEP_PTYS, "/dev/pts", .point = CDN_POINT_DIR },
		{ CDN_STEP_TMPFS, "/dev/shm", "0755", .point = CDN_POINT_DIR },
	};

	add(l, &(struct cdn_step){ CDN_STEP_TMPFS, "/dev", "0755" });
	for (size_t i = 0; i < CDN_LEN(devices); i++)
		add_device(l, devices[i], devices[i]);
	for (size_t i = 0; i < CDN_LEN(rest); i++)
		add(l, &rest[i]);
	if (console != NULL)
		add_device(l, console, "/dev/console");
}

static void
add_mount(struct list *l, const struct cdn_bwrap_plan *plan, size_t i,
    const char *console)
{
	const struct cdn_bwrap_mount *mount = &plan->mounts[i];
	struct cdn_step step = { .kind = CDN_STEP_BIND, .path = mount->path,
		.from = mount->path, .brief = mount->brief,
		.point = mount->within == NULL ? CDN_POINT_THERE :
		    mount->directory	       ? CDN_POINT_DIR :
						 CDN_POINT_FILE };

	switch (mount->kind) {
	case CDN_MOUNT_RO:
		step.read_only = true;
		break;
	case CDN_MOUNT_RW:
		break;
	case CDN_MOUNT_DEVICE:
		step.device = step.read_only = true;
		break;
	case CDN_MOUNT_NOTHING:
		/* As no device can be opened there, it cannot be opened. */
		step.from = "/dev/null";
		step.read_only = true;
		break;
	case CDN_MOUNT_EMPTY:
		step = empty_step(plan, i, step);
		break;
	case CDN_MOUNT_LINK:
		step = (struct cdn_step){ CDN_STEP_LINK, mount->path,
			mount->from };
		break;
	case CDN_MOUNT_DIR:
		step = (struct cdn_step){ CDN_STEP_DIR, mount->path,
			.mode = mount->mode };
		break;
	case CDN_MOUNT_TMP:
		step.kind = mount->from != NULL ? CDN_STEP_BIND :
						  CDN_STEP_TMPFS;
		step.from = mount->from != NULL ? mount->from : "0755";
		step.point = step.point == CDN_POINT_THERE ? CDN_POINT_THERE :
							     CDN_POINT_DIR;
		break;
	case CDN_MOUNT_DEV:
		add_dev(l, console);
		return;
	case CDN_MOUNT_PROC:
	case CDN_MOUNT_KIND_MAX:
		return;
	}
	add(l, &step);
}

/* When all that is mounted into them is there. */
static void
add_seals(struct list *l, const struct cdn_bwrap_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		enum cdn_mount_kind kind = plan->mounts[i].kind;

		if (kind == CDN_MOUNT_EMPTY || kind == CDN_MOUNT_DEV ||
		    kind == CDN_MOUNT_PROC)
			add(l, &(struct cdn_step){ .kind = CDN_STEP_SEAL,
			    .path = plan->mounts[i].path });
	}
}

static void
add_all(struct list *l, const struct cdn_bwrap_plan *plan, const char *cwd,
    const char *console)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct cdn_bwrap_mount *mount = &plan->mounts[i];

		if (cdn_bwrap_is_told(mount))
			continue;
		if (mount->within != NULL)
			add_way(l, mount->within, mount->path);
		add_mount(l, plan, i, console);
	}
	if (!cdn_bwrap_has(plan, cwd)) {
		add_way(l, "/", cwd);
		add(l, &(struct cdn_step){ .kind = CDN_STEP_DIR, .path = cwd,
		    .mode = 0111, .lax = true });
	}
	add_seals(l, plan);
}

/* ----- Outside ----------------------------------------------------------- */

/*
 * The name of the terminal that the process has as its output, if any: by its
 * number, as what is sealed shows none.
 */
static const char *
find_console(struct cdn_arena *arena, pid_t pid)
{
	char link[64], name[64];
	struct stat has, named;

	snprintf(link, sizeof(link), "/proc/%d/fd/1", (int)pid);
	if (stat(link, &has) != 0 || !S_ISCHR(has.st_mode) ||
	    major(has.st_rdev) != PTY_MAJOR)
		return NULL;
	snprintf(name, sizeof(name), "/dev/pts/%u", minor(has.st_rdev));
	return lstat(name, &named) == 0 && S_ISCHR(named.st_mode) &&
		has.st_dev == named.st_dev && has.st_ino == named.st_ino ?
	    cdn_arena_dup(arena, name, strlen(name)) : NULL;
}

/* Older kernels cannot change the flags of a tree before it is mounted. */
bool
cdn_launch_can_help(const struct cordon_plan *plan)
{
	const struct cdn_host *host = &plan->host;

	return host->kernel_major > 5 ||
	    (host->kernel_major == 5 && host->kernel_minor >= 12);
}

/* ----- Who does it -------------------------------------------------------- */

/* With what we owe bwrap in his hands he must not be left: see wrapped.c. */
CDN_BARE static long
die_with(pid_t parent)
{
	long r = cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);

	return r < 0 || cdn_raw(SYS_getppid) == parent ? r : -ESRCH;
}

/* Other runs of this process have theirs open, which must end without us. */
CDN_BARE static long
close_but(unsigned a, unsigned b)
{
	unsigned low = a < b ? a : b, high = a < b ? b : a;
	int r = low > 0 ? cdn_sys_close_to(0, low - 1) : 0;

	if (r >= 0 && high > low + 1)
		r = cdn_sys_close_to(low + 1, high - 1);
	return r < 0 ? r : cdn_sys_close_range(high + 1, 0);
}

CDN_BARE static long
await_ready(int fd)
{
	struct pollfd on;
	long r;

	on.fd = fd;
	on.events = POLLOUT;
	on.revents = 0;
	r = cdn_raw(SYS_ppoll, &on, 1, NULL, NULL, 0);
	return r < 0 ? r : on.revents == POLLOUT ? 0 : -EPIPE;
}

/* It comes at once: whoever gives it was woken with us. */
CDN_BARE static void
await_word(const uint32_t *word)
{
	for (unsigned i = 0; i < CDN_SPINS &&
	     __atomic_load_n(word, __ATOMIC_ACQUIRE) == 0; i++)
		cdn_sys_relax();
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
		(void)cdn_raw(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

/* No signal reaches it but one that kills. */
CDN_BARE static int
helper_main(void *arg)
{
	struct cdn_helper *h = arg;
	long r = die_with(h->parent);

	if (r >= 0)
		r = close_but((unsigned)h->ready_fd,
		    (unsigned)h->mounting.pidfd);
	if (r >= 0)
		r = await_ready(h->ready_fd);
	if (r >= 0) {
		await_word(&h->word);
		r = cdn_mounting_main(&h->mounting);
	}
	h->result = (int)r;
	return 0;
}

static int
start(struct cdn_helper *h)
{
	uint64_t mask;

	h->parent = getpid();
	h->result = -ECHILD;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	h->pid = cdn_sys_clone(helper_main, h->stack + STACK_BYTES, CLONE_VM, h,
	    NULL);
	cdn_sys_set_mask(mask, NULL);
	return h->pid;
}

int
cdn_launch_help(struct cordon_process *p, pid_t pid, int ready_fd,
    struct cdn_helper **ret, struct cordon_error *err)
{
	struct list l = { .arena = p->arena };
	struct cdn_helper *h = malloc(sizeof(*h));
	int r;

	add_all(&l, &p->plan->bwrap, p->cwd, find_console(p->arena, pid));
	if (h == NULL || l.oom) {
		free(h);
		return cdn_err_nomem(err);
	}
	memset(h, 0, offsetof(struct cdn_helper, stack));
	h->mounting.steps = l.v;
	h->mounting.count = h->mounting.at = l.n;
	h->mounting.pidfd = (int)cdn_raw(SYS_pidfd_open, pid, 0);
	h->ready_fd = ready_fd;
	r = h->mounting.pidfd < 0 ? h->mounting.pidfd : start(h);
	if (r > 0) {
		*ret = h;
		return 0;
	}
	if (h->mounting.pidfd >= 0)
		close(h->mounting.pidfd);
	free(h);
	return cdn_err_sys(err, -r, "nobody can be started who mounts in the "
	    "sandbox of bwrap");
}

static void
reap(const struct cdn_helper *h)
{
	while (waitpid(h->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

static void
helper_free(struct cdn_helper *h)
{
	close(h->mounting.pidfd);
	free(h);
}

int
cdn_launch_helped(struct cdn_helper *h, struct cordon_error *err)
{
	const struct cdn_mounting *m = &h->mounting;
	int code = 0;

	__atomic_store_n(&h->word, 1, __ATOMIC_RELEASE);
	(void)cdn_raw(SYS_futex, &h->word, FUTEX_WAKE_PRIVATE, 1);
	reap(h);
	if (h->result != 0)
		code = cdn_err_sys(err, -h->result, "'%s' cannot be mounted in "
		    "the sandbox of bwrap (use '--backend native')",
		    m->at < m->count ? m->steps[m->at].path : "/");
	helper_free(h);
	return code;
}

void
cdn_launch_help_not(struct cdn_helper *h)
{
	if (h == NULL)
		return;
	(void)kill(h->pid, SIGKILL);
	reap(h);
	helper_free(h);
}
