#include "enforce/run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/run/signals.h"

#define CHILD_STACK    (128UL * 1024UL) /* a cage's enter() runs on it, too */
#define SHEPHERD_STACK (64UL * 1024UL)

/* Runs of CDN_REAPER_SELF: two would end each other's children. */
static bool self_is_busy;

/* ----- Limits ------------------------------------------------------------- */

/* A limit can only be lowered, so the hard one we have is the most. */
static void
fill_limit(struct cdn_limit *limit, int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit now = { RLIM_INFINITY, RLIM_INFINITY };

	(void)cdn_raw(SYS_prlimit64, 0, resource, NULL, &now);
	limit->resource = resource;
	limit->values[0] = soft < now.rlim_max ? soft : now.rlim_max;
	limit->values[1] = hard < now.rlim_max ? hard : now.rlim_max;
}

static void
add_limit(struct cdn_launch *launch, int resource, uint64_t soft,
    uint64_t hard)
{
	fill_limit(&launch->limits[launch->limit_count++], resource, soft,
	    hard);
}

/*
 * Memory is what can be written and is not shared: address space alone is
 * cheap, and half of today's runtimes reserve more of it than there is memory.
 */
static void
fill_limits(struct cdn_launch *launch, const struct cdn_run_limits *limits)
{
	unsigned held = launch->tree_limits;
	uint64_t seconds = limits->cpu_ms / 1000 + (limits->cpu_ms % 1000 > 0);

	/*
	 * 0 stops a dump into a file only: a core_pattern that begins with '|'
	 * starts its program, as root and outside of every sandbox, all the
	 * same.  1 stops both: that program is not started for it, and a file
	 * needs a page at least.  Where the hard limit is 0 already it stays.
	 */
	add_limit(launch, RLIMIT_CORE, 1, 1);
	if (limits->cpu_ms > 0) /* SIGXCPU first, SIGKILL a second later */
		add_limit(launch, RLIMIT_CPU, seconds, seconds + 1);
	if (limits->memory_bytes > 0 && (held & CDN_TREE_MEMORY) == 0)
		add_limit(launch, RLIMIT_DATA, limits->memory_bytes,
		    limits->memory_bytes);
	if (limits->processes > 0 && (held & CDN_TREE_PROCESSES) == 0)
		add_limit(launch, RLIMIT_NPROC, limits->processes,
		    limits->processes);
	else if (limits->processes == 0 && limits->bounds.processes > 0)
		add_limit(launch, RLIMIT_NPROC, limits->bounds.processes,
		    limits->bounds.processes);
	if (limits->bounds.signals > 0)
		add_limit(launch, RLIMIT_SIGPENDING, limits->bounds.signals,
		    limits->bounds.signals);
	if (limits->open_files > 0)
		fill_limit(&launch->open_files, RLIMIT_NOFILE,
		    limits->open_files, limits->open_files);
}

/* ----- Preparing ---------------------------------------------------------- */

static int
map_stacks(struct cdn_spawn *spawn)
{
	bool alone = spawn->shepherd.launch.request->reaper == CDN_REAPER_SELF;
	size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = guard + CHILD_STACK + (alone ? 0 : guard + SHEPHERD_STACK);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	spawn->stacks = p;
	spawn->stacks_size = size;
	spawn->shepherd.child_stack = p + guard + CHILD_STACK;
	if (mprotect(p, guard, PROT_NONE) != 0 || (!alone &&
	    mprotect(p + guard + CHILD_STACK, guard, PROT_NONE) != 0))
		return -errno;
	return 0;
}

static int
make_control(struct cdn_spawn *spawn)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	spawn->control_fd = pair[0];
	spawn->their_fd = pair[1];
	spawn->shepherd.control_fd = pair[1];
	return 0;
}

static int
open_self(struct cdn_spawn *spawn, struct cordon_error *err)
{
	if (__atomic_exchange_n(&self_is_busy, true, __ATOMIC_ACQUIRE))
		return cdn_err(err, CORDON_E_INVALID,
		    "another run of this process minds its children itself "
		    "(use a shepherd)");
	spawn->reaper = CDN_REAPER_SELF;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L) != 0)
		return cdn_err_sys(err, errno, "failed to become a subreaper");
	if (!cdn_tree_spare(&spawn->shepherd.tree))
		return cdn_err(err, CORDON_E_INVALID,
		    "more than %d child processes were there before "
		    "(use a shepherd)", CDN_SPARED_MAX);
	return 0;
}

int
cdn_spawn_open(struct cdn_spawn *spawn, const struct cdn_run_request *request,
    struct cordon_error *err)
{
	struct cdn_launch *launch = &spawn->shepherd.launch;
	int r;

	launch->request = request;
	/* What is caged and has no terminal of its own must not take ours. */
	launch->new_session |= request->entry.enter != NULL &&
	    request->terminal == NULL;
	fill_limits(launch, &request->limits);
	r = map_stacks(spawn);
	if (r < 0)
		return r == -ENOMEM ? cdn_err_nomem(err)
		    : cdn_err_sys(err, -r, "failed to make a stack");
	if (request->reaper == CDN_REAPER_SELF)
		return open_self(spawn, err);
	r = make_control(spawn);
	return r == 0 ? 0 : cdn_err_sys(err, -r, "failed to make a socket");
}

/* ----- Starting ----------------------------------------------------------- */

/* Nothing here may touch errno: the child has the same. */
CDN_BARE static int
clone_self(struct cdn_spawn *spawn)
{
	struct cdn_shepherd *shepherd = &spawn->shepherd;
	int pid;

	shepherd->launch.parent = (pid_t)cdn_raw(SYS_getpid);
	pid = cdn_child_start(&shepherd->launch, shepherd->child_stack,
	    &spawn->keeper_fd);
	if (pid > 0)
		shepherd->tree.leader = pid;
	return pid;
}

/*
 * Its end is told to nobody (no SIGCHLD): a caller that waits for any child
 * of his does not meet it, and one that ignores children does not lose it.
 * Our copy of its socket must go first, or its death would go unnoticed.
 */
CDN_BARE static int
clone_shepherd(struct cdn_spawn *spawn)
{
	char *top = spawn->stacks + spawn->stacks_size;
	char report;
	long n;
	int pid;

	spawn->shepherd.caller = (pid_t)cdn_raw(SYS_getpid);
	pid = cdn_sys_clone(cdn_shepherd_main, top, CLONE_VM | CLONE_PIDFD,
	    &spawn->shepherd, &spawn->keeper_fd);
	(void)cdn_raw(SYS_close, spawn->their_fd);
	spawn->their_fd = -1;
	if (pid < 0)
		return pid;
	do
		n = cdn_raw(SYS_read, spawn->control_fd, &report, 1);
	while (n == -EINTR);
	return n == 1 ? pid : -ESRCH;
}

static bool
program_exists(const struct cdn_run_request *request)
{
	cdn_cleanup_fd int cwd = request->cwd == NULL ? -1
	    : open(request->cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return faccessat(cwd < 0 ? AT_FDCWD : cwd, request->program, F_OK,
	    AT_EACCESS) == 0;
}

static const struct {
	int error;
	const char *hint;
} exec_hints[] = {
	{ ENOENT, " (its interpreter is missing)" },
	{ EACCES, " (not executable, or not allowed to be)" },
	{ ENOEXEC, " (neither a program for this system nor a '#!' script)" },
	{ E2BIG, " (arguments and environment are too long)" },
};

static int
exec_error(const struct cdn_run_request *request, int error,
    struct cordon_error *err)
{
	bool missing = error == ENOENT && !program_exists(request);
	const char *hint = "";

	for (size_t i = 0; i < CDN_LEN(exec_hints) && !missing; i++)
		if (exec_hints[i].error == error)
			hint = exec_hints[i].hint;
	cdn_err_sys(err, error, "failed to spawn `%s`%s", request->program,
	    hint);
	return cdn_err_recode(err, missing ? CORDON_E_NOT_FOUND :
	    error == E2BIG ? CORDON_E_SYSTEM : CORDON_E_EXEC);
}

/* r is what clone or the shepherd said when the child itself did not fail. */
static int
start_error(const struct cdn_launch *launch, int r, struct cordon_error *err)
{
	const struct cdn_run_request *request = launch->request;
	const char *step = cdn_child_step(launch->step);

	if (launch->error == 0)
		return cdn_err_sys(err, -r, "failed to spawn `%s`",
		    request->program);
	if (step == NULL)
		return exec_error(request, launch->error, err);
	if (strcmp(step, "cage") == 0 && request->entry.step != NULL &&
	    *request->entry.step != NULL)
		step = *request->entry.step;
	return cdn_err_sys(err, launch->error, "failed to spawn `%s`: %s",
	    request->program, step);
}

/* A start: what is made, and what is done meanwhile. */
struct start {
	struct cdn_spawn *spawn;
	struct cordon_error *err;
	int code; /* of the caller's ready(), or the request's meanwhile() */
};

/*
 * It may take long, when another one holds the record: who wants to end us then
 * can, and a child that waits for the word goes along.
 */
static void
do_meanwhile(struct start *start)
{
	const struct cdn_launch *launch = &start->spawn->shepherd.launch;
	const struct cdn_run_request *request = launch->request;

	if (request->meanwhile == NULL)
		return;
	cdn_signals_early(true);
	cdn_sys_set_mask(launch->mask, NULL);
	start->code = request->meanwhile(request->meanwhile_arg, start->err);
	cdn_sys_set_mask(CDN_SIGNALS_ALL, NULL);
	cdn_signals_early(false);
}

/* The child waits for the word, or not yet. */
static void
beside(void *arg)
{
	struct start *start = arg;
	struct cdn_spawn *spawn = start->spawn;
	uint32_t *word = &spawn->shepherd.launch.word;

	spawn->shepherd.launch.ignored = cdn_sys_ignored(); /* until now */
	start->code = spawn->ready(spawn->ready_arg, start->err);
	if (start->code == 0)
		do_meanwhile(start);
	__atomic_store_n(word, start->code == 0 ? CDN_WORD_YES : CDN_WORD_NO,
	    __ATOMIC_RELEASE);
	(void)cdn_raw(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

/* On the thread that becomes the parent; the mask is the caller's. */
static int
make(void *arg)
{
	struct cdn_spawn *spawn = ((struct start *)arg)->spawn;

	return spawn->reaper == CDN_REAPER_SELF ? clone_self(spawn)
	    : clone_shepherd(spawn);
}

/*
 * Who makes the child, or waits for the one who does, then has what it opened
 * without being woken for it.  A shepherd has descriptors of its own; and for
 * stdio that is closed /dev/null is opened, which a cage may not allow.
 */
static bool
may_share(const struct cdn_spawn *spawn)
{
	const struct cdn_launch *launch = &spawn->shepherd.launch;

	for (int i = 0; i < 3; i++)
		if (launch->stdio[i] < 0 && fcntl(i, F_GETFD) < 0)
			return false;
	return spawn->reaper == CDN_REAPER_SELF;
}

/* Is that done when the program has begun, which waits? */
static bool
is_beside_program(const struct start *start)
{
	const struct cdn_launch *launch = &start->spawn->shepherd.launch;

	return launch->request->waits && launch->terminal_fd < 0 &&
	    cdn_signals_are_for_one();
}

static int
make_all(struct start *start, bool later)
{
	const struct cdn_launch *launch = &start->spawn->shepherd.launch;
	const struct cdn_run_request *request = launch->request;
	bool beside_program = is_beside_program(start);
	int r = -ECANCELED;

	if (!later && !beside_program)
		do_meanwhile(start);
	if (start->code == 0)
		r = request->via == NULL ? make(start) : request->via(
		    request->via_arg, make, later ? beside : NULL, start);
	if (beside_program && r > 0 && launch->error == 0)
		do_meanwhile(start);
	return r;
}

/*
 * Beside the child only where it dies with the thread that makes it, which
 * dies with us: nobody waits for a word of the dead.  Nor where it takes the
 * terminal, whose keys would be for nobody.
 */
static int
start_all(struct start *start)
{
	struct cdn_launch *launch = &start->spawn->shepherd.launch;
	const struct cdn_run_request *request = launch->request;
	bool later = request->meanwhile != NULL && request->via != NULL &&
	    start->spawn->reaper == CDN_REAPER_SELF && launch->terminal_fd < 0;
	int r;

	launch->word = later ? CDN_WORD_LATER : CDN_WORD_YES;
	/* Nobody else changes what is ignored meanwhile: we are alone. */
	launch->cleared = later;
	if (!later)
		start->code = start->spawn->ready(start->spawn->ready_arg,
		    start->err);
	if (start->code != 0)
		return -ECANCELED;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &launch->mask);
	r = make_all(start, later);
	cdn_sys_set_mask(launch->mask, NULL);
	return r;
}

/* SELF: who ran on it has executed something, or is gone. */
static void
unmap_stacks(struct cdn_spawn *spawn)
{
	if (spawn->stacks != NULL)
		munmap(spawn->stacks, spawn->stacks_size);
	spawn->stacks = NULL;
}

int
cdn_spawn_start(struct cdn_spawn *spawn, struct cordon_error *err)
{
	struct cdn_launch *launch = &spawn->shepherd.launch;
	struct start all = { .spawn = spawn, .err = err };
	int saved = errno;
	int r;

	if (launch->request->entry.shares != NULL)
		*launch->request->entry.shares = launch->shares =
		    may_share(spawn);
	r = start_all(&all);
	errno = saved;
	spawn->running = spawn->keeper_fd >= 0;
	if (spawn->reaper == CDN_REAPER_SELF)
		unmap_stacks(spawn); /* better now than at the end */
	if (r > 0 && launch->error == 0 && all.code == 0)
		return 0;
	cdn_spawn_order(spawn, CDN_ORDER_KILL, SIGKILL);
	(void)cdn_spawn_over(spawn);
	return all.code != 0 ? all.code : start_error(launch, r, err);
}

/* ----- Orders and the end ------------------------------------------------- */

/* Others' children are ours, too: whoever has some ends them as they should. */
static void
end_self(struct cdn_spawn *spawn)
{
	const struct cdn_run_request *request =
	    spawn->shepherd.launch.request;

	if (!spawn->running)
		return;
	if (request->leaving != NULL) {
		(void)cdn_tree_signal(&spawn->shepherd.tree, SIGKILL);
		request->leaving(request->woken_arg);
	}
	cdn_tree_end(&spawn->shepherd.tree);
	spawn->running = false;
}

int
cdn_spawn_order(struct cdn_spawn *spawn, enum cdn_order_kind kind, int signal)
{
	struct cdn_order order = { (uint8_t)kind, (uint8_t)signal };

	if (!spawn->running)
		return -ESRCH;
	if (spawn->reaper == CDN_REAPER_SELF) {
		if (!cdn_shepherd_obey(&spawn->shepherd, &order))
			end_self(spawn);
		return 0;
	}
	if (send(spawn->control_fd, &order, sizeof(order), MSG_NOSIGNAL) >= 0)
		return 0;
	return errno == EPIPE || errno == ECONNRESET ? -ESRCH : -errno;
}

bool
cdn_spawn_over(struct cdn_spawn *spawn)
{
	struct cdn_shepherd *shepherd = &spawn->shepherd;
	siginfo_t info;

	if (!spawn->running)
		return true;
	if (spawn->reaper == CDN_REAPER_SHEPHERD) {
		while (waitid(P_PIDFD, (id_t)spawn->keeper_fd, &info,
			   WEXITED | __WALL) != 0 && errno == EINTR)
			;
		/* Whom the shepherd cannot see goes with the first of them. */
		if (shepherd->launch.request->spaces != NULL)
			cdn_spaces_end(shepherd->launch.request->spaces);
		spawn->running = false;
		return true;
	}
	(void)cdn_tree_tend(&shepherd->tree);
	if (!cdn_shepherd_is_over(shepherd))
		return false;
	end_self(spawn);
	return true;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
cdn_spawn_close(struct cdn_spawn *spawn)
{
	if (spawn->reaper == CDN_REAPER_SELF)
		end_self(spawn);
	close_fd(&spawn->control_fd); /* which ends it all */
	close_fd(&spawn->their_fd);
	(void)cdn_spawn_over(spawn);
	close_fd(&spawn->keeper_fd);
	unmap_stacks(spawn);
	if (spawn->reaper == CDN_REAPER_SELF)
		__atomic_store_n(&self_is_busy, false, __ATOMIC_RELEASE);
}
