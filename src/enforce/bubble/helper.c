/*
 * The process that mounts.  It shares our memory, and nothing else: everything
 * it does is written down before it begins (steps.h).
 */
#include "enforce/bubble/helper.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "enforce/bubble/mounting.h"
#include "enforce/bubble/steps.h"
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
cdn_helper_is_possible(const struct cdn_host *host)
{
	return host->kernel_major > 5 ||
	    (host->kernel_major == 5 && host->kernel_minor >= 12);
}

/* ----- Who does it -------------------------------------------------------- */

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

/*
 * No signal reaches it but one that kills.  With what we owe bwrap in his hands
 * he must not be left: see talk.h.
 */
CDN_BARE static int
helper_main(void *arg)
{
	struct cdn_helper *h = arg;
	long r = cdn_sys_die_with(h->parent);

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

static struct cdn_helper *
helper_new(const struct cdn_step *steps, size_t count, pid_t pid, int ready_fd)
{
	struct cdn_helper *h = malloc(sizeof(*h));

	if (h == NULL)
		return NULL;
	memset(h, 0, offsetof(struct cdn_helper, stack));
	h->mounting.steps = steps;
	h->mounting.count = h->mounting.at = count;
	h->mounting.pidfd = (int)cdn_raw(SYS_pidfd_open, pid, 0);
	h->ready_fd = ready_fd;
	return h;
}

static void
helper_free(struct cdn_helper *h)
{
	if (h->mounting.pidfd >= 0)
		close(h->mounting.pidfd);
	free(h);
}

int
cdn_helper_start(struct cdn_arena *arena, const struct cdn_bwrap_plan *plan,
    const char *cwd, pid_t pid, int ready_fd, struct cdn_helper **ret,
    struct cordon_error *err)
{
	const struct cdn_step *steps;
	struct cdn_helper *h;
	size_t count;
	int r = cdn_steps_make(arena, plan, cwd, find_console(arena, pid),
	    &steps, &count, err);

	if (r != 0)
		return r;
	h = helper_new(steps, count, pid, ready_fd);
	if (h == NULL)
		return cdn_err_nomem(err);
	r = h->mounting.pidfd < 0 ? h->mounting.pidfd : start(h);
	if (r > 0) {
		*ret = h;
		return 0;
	}
	helper_free(h);
	return cdn_err_sys(err, -r, "nobody can be started who mounts in the "
	    "sandbox of bwrap");
}

int
cdn_helper_finish(struct cdn_helper *h, struct cordon_error *err)
{
	const struct cdn_mounting *m = &h->mounting;
	int code = 0;

	__atomic_store_n(&h->word, 1, __ATOMIC_RELEASE);
	(void)cdn_raw(SYS_futex, &h->word, FUTEX_WAKE_PRIVATE, 1);
	cdn_sys_reap(h->pid);
	if (h->result != 0)
		code = cdn_err_sys(err, -h->result, "'%s' cannot be mounted in "
		    "the sandbox of bwrap (use '--backend native')",
		    m->at < m->count ? m->steps[m->at].path : "/");
	helper_free(h);
	return code;
}

void
cdn_helper_stop(struct cdn_helper *h)
{
	if (h == NULL)
		return;
	(void)kill(h->pid, SIGKILL);
	cdn_sys_reap(h->pid);
	helper_free(h);
}
