#include "enforce/spaces/spaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "enforce/spaces/holder.h"
#include "enforce/sys/notify.h"
#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

#define STACK_BYTES 65536

/* While it is opened. */
struct opening {
	const struct cdn_spaces_spec *spec;
	struct cdn_spaces *spaces;
	struct cdn_holder_plan plan;
	_Alignas(16) char stack[STACK_BYTES];
};

static const char *const covers[] = { "/tmp", "/dev/shm", NULL };

const char *const *
cdn_spaces_covers(void)
{
	return covers;
}

/* ----- What is mounted ----------------------------------------------------------- */

static int
add_mount(struct opening *opening, const char *from, const char *to,
    struct cordon_error *err)
{
	struct cdn_holder_plan *plan = &opening->plan;

	if (plan->mount_count == CDN_HOLDER_MOUNTS)
		return cdn_err(err, CORDON_E_ENFORCE,
		    "more than %d mounts for a private /tmp (use a workspace "
		    "elsewhere, or '--isolation none')", CDN_HOLDER_MOUNTS);
	plan->mounts[plan->mount_count++] = (struct cdn_holder_mount){ from,
		to, -1 };
	return 0;
}

static bool
is_below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	return strncmp(path, directory, n) == 0 && path[n] == '/';
}

/* Below one that is kept already it is there. */
static bool
is_kept(const struct cdn_holder_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->mount_count; i++) {
		const struct cdn_holder_mount *m = &plan->mounts[i];

		if (m->from != NULL && strcmp(m->from, m->to) == 0 &&
		    (strcmp(path, m->to) == 0 || is_below(path, m->to)))
			return true;
	}
	return false;
}

/* Is anything kept there? */
static bool
is_inhabited(const struct cdn_spaces_spec *spec, const char *cover)
{
	struct stat st;

	for (size_t i = 0; i < spec->kept_count; i++)
		if (is_below(spec->kept[i], cover) &&
		    lstat(spec->kept[i], &st) == 0)
			return true;
	return false;
}

static int
keep(struct opening *opening, const char *cover, struct cordon_error *err)
{
	const struct cdn_spaces_spec *spec = opening->spec;
	int code = 0;

	for (size_t i = 0; code == 0 && i < spec->kept_count; i++) {
		const char *path = spec->kept[i];
		struct stat st;

		if (is_below(path, cover) && !is_kept(&opening->plan, path) &&
		    lstat(path, &st) == 0)
			code = add_mount(opening, path, path, err);
	}
	return code;
}

/*
 * To Landlock what is mounted below a directory is below it, and has its
 * rights: below the run's tmp there may be nothing else.
 */
static int
plan_mounts(struct opening *opening, struct cordon_error *err)
{
	const struct cdn_spaces_spec *spec = opening->spec;
	int code = 0;

	for (size_t i = 0; code == 0 && spec->covered[i] != NULL; i++)
		code = add_mount(opening, spec->tmp[0] == '\0' ||
			    is_inhabited(spec, spec->covered[i]) ? NULL :
								   spec->tmp,
		    spec->covered[i], err);
	for (size_t i = 0; code == 0 && spec->covered[i] != NULL; i++)
		code = keep(opening, spec->covered[i], err);
	return code;
}

/* ----- Their names ---------------------------------------------------------------- */

static int
mount_id(int fd, uint64_t *ret)
{
	struct cdn_statx st;
	int r = cdn_sys_statx(fd, "", AT_EMPTY_PATH, CDN_STATX_MNT_ID, &st);

	if (r < 0)
		return r;
	if ((st.mask & CDN_STATX_MNT_ID) == 0)
		return -ENOSYS;
	*ret = st.mnt_id;
	return 0;
}

static int
name_mount(struct opening *opening, const struct cdn_holder_mount *m,
    struct cordon_error *err)
{
	static const struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };
	struct cdn_spaces *spaces = opening->spaces;
	struct cdn_spaces_mount *mount = &spaces->mounts[spaces->mount_count];
	cdn_cleanup_fd int fd = cdn_sys_openat2(spaces->root_fd, m->to + 1,
	    &how);
	int r = fd < 0 ? fd : mount_id(fd, &mount->id);

	if (r < 0)
		return cdn_err_sys(err, -r, "failed to find '%s' in the "
		    "namespaces of the run", m->to);
	mount->inside = cdn_arena_dup(spaces->arena, m->to, strlen(m->to));
	mount->outside = cdn_arena_dup(spaces->arena, m->from,
	    strlen(m->from));
	if (mount->inside == NULL || mount->outside == NULL)
		return cdn_err_nomem(err);
	spaces->mount_count++;
	return 0;
}

static int
name_mounts(struct opening *opening, struct cordon_error *err)
{
	struct cdn_spaces *spaces = opening->spaces;
	const struct cdn_holder_plan *plan = &opening->plan;
	int code = 0;

	spaces->mounts = cdn_arena_array(spaces->arena, plan->mount_count + 1,
	    sizeof(*spaces->mounts));
	if (spaces->mounts == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; code == 0 && i < plan->mount_count; i++)
		if (plan->mounts[i].from != NULL)
			code = name_mount(opening, &plan->mounts[i], err);
	return code;
}

static int
copy_watched(struct opening *opening, struct cordon_error *err)
{
	const struct cdn_spaces_spec *spec = opening->spec;
	struct cdn_spaces *spaces = opening->spaces;
	const char **v = cdn_arena_array(spaces->arena,
	    spec->watched_count + 1, sizeof(*v));

	if (v == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < spec->watched_count; i++) {
		v[i] = cdn_arena_dup(spaces->arena, spec->watched[i],
		    strlen(spec->watched[i]));
		if (v[i] == NULL)
			return cdn_err_nomem(err);
	}
	spaces->watched = opening->plan.watched = v;
	spaces->watched_count = opening->plan.watched_count =
	    spec->watched_count;
	return 0;
}

/* Replaces what the path begins with. */
static int
rename_path(const struct cdn_spaces_mount *mount, char *path, size_t n,
    size_t size)
{
	size_t inside = strlen(mount->inside);
	size_t outside = strlen(mount->outside);

	if (strncmp(path, mount->inside, inside) != 0 ||
	    (path[inside] != '\0' && path[inside] != '/'))
		return -EACCES;
	if (n - inside + outside >= size)
		return -ENAMETOOLONG;
	memmove(path + outside, path + inside, n - inside + 1);
	memcpy(path, mount->outside, outside);
	return (int)(n - inside + outside);
}

int
cdn_spaces_translate(const struct cdn_spaces *spaces, int fd, char *path,
    size_t n, size_t size)
{
	uint64_t id = 0;
	int r = mount_id(fd, &id);

	if (r < 0)
		return r;
	for (size_t i = 0; i < spaces->mount_count; i++)
		if (spaces->mounts[i].id == id)
			return rename_path(&spaces->mounts[i], path, n, size);
	return (int)n;
}

/* ----- The holder ---------------------------------------------------------------- */

static int
hear(struct cdn_spaces *spaces, struct cordon_error *err)
{
	struct cdn_holder_report report = { UINT32_MAX, ECHILD, 0 };
	ssize_t n;

	do
		n = recv(spaces->control_fd, &report, sizeof(report), 0);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(report) && report.error == 0) {
		spaces->marked = report.marked;
		return 0;
	}
	return cdn_err_sys(err, report.error, "failed to make namespaces: %s "
	    "(use '--isolation none': no rule needs them)",
	    cdn_holder_step(report.step));
}

static const struct {
	const char *name; /* in /proc/PID/ns */
	int flag;
} kinds[CDN_SPACE_MAX] = {
	[CDN_SPACE_USER] = { "user", CLONE_NEWUSER },
	[CDN_SPACE_PID] = { "pid", CLONE_NEWPID },
	[CDN_SPACE_MOUNT] = { "mnt", CLONE_NEWNS },
	[CDN_SPACE_IPC] = { "ipc", CLONE_NEWIPC },
	[CDN_SPACE_NETWORK] = { "net", CLONE_NEWNET },
};

static bool
is_made(const struct cdn_spaces_spec *spec, int space)
{
	return space != CDN_SPACE_NETWORK || spec->network;
}

/*
 * One by one and not by the holder's pidfd: who enters is confined, and could
 * not look at him.
 */
static bool
open_spaces(const struct cdn_spaces_spec *spec, struct cdn_spaces *spaces,
    pid_t pid)
{
	char path[64];

	for (int i = 0; i < CDN_SPACE_MAX; i++) {
		if (!is_made(spec, i))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid,
		    kinds[i].name);
		spaces->fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (spaces->fds[i] < 0)
			return false;
	}
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	spaces->root_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return spaces->root_fd >= 0;
}

static int
look_inside(const struct cdn_spaces_spec *spec, struct cdn_spaces *spaces,
    pid_t pid, struct cordon_error *err)
{
	if (!open_spaces(spec, spaces, pid))
		return cdn_err_sys(err, errno,
		    "failed to look into the namespaces of the run");
	if (!spec->network)
		return 0;
	spaces->sockets_fd = cdn_sys_pidfd_getfd(spaces->pidfd,
	    CDN_HOLDER_SOCKETS);
	return spaces->sockets_fd >= 0 ? 0 :
	    cdn_err_sys(err, -spaces->sockets_fd,
		"failed to see the sockets of the run");
}

/* No signal reaches it on the way: handlers are still ours. */
static int
clone_holder(struct opening *opening, int their_fd)
{
	struct cdn_spaces *spaces = opening->spaces;
	int flags = CLONE_PIDFD, pid;
	uint64_t mask;

	for (int i = 0; i < CDN_SPACE_MAX; i++)
		if (is_made(opening->spec, i))
			flags |= kinds[i].flag;
	opening->plan.control_fd = their_fd;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	pid = cdn_sys_clone(cdn_holder_main, opening->stack + STACK_BYTES,
	    flags, &opening->plan, &spaces->pidfd);
	cdn_sys_set_mask(mask, NULL);
	return pid;
}

static int
start(struct opening *opening, struct cordon_error *err)
{
	struct cdn_spaces *spaces = opening->spaces;
	int pair[2], pid, code;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return cdn_err_sys(err, errno, "failed to make a socket");
	spaces->control_fd = pair[0];
	pid = clone_holder(opening, pair[1]);
	close(pair[1]);
	if (pid < 0)
		return cdn_err_sys(err, -pid, "failed to make namespaces (use "
		    "'--isolation none': no rule needs them)");
	code = hear(spaces, err);
	if (code == 0)
		code = look_inside(opening->spec, spaces, pid, err);
	return code != 0 ? code : name_mounts(opening, err);
}

/* ----- Quotas -------------------------------------------------------------------- */

/* A share of what the user may have, as text; "": that is not known. */
static void
read_share(const char *name, char to[16])
{
	char path[64], text[24];
	cdn_cleanup_fd int fd = -1;
	long most;
	ssize_t n;

	to[0] = '\0';
	snprintf(path, sizeof(path), "/proc/sys/fs/inotify/max_user_%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return;
	text[n] = '\0';
	most = strtol(text, NULL, 10);
	if (most >= CDN_RUN_QUOTA_SHARE && most <= INT32_MAX)
		snprintf(to, 16, "%ld", most / CDN_RUN_QUOTA_SHARE);
}

/* ----- Life ---------------------------------------------------------------------- */

static struct cdn_spaces *
spaces_new(void)
{
	struct cdn_spaces *spaces = calloc(1, sizeof(*spaces));

	if (spaces == NULL)
		return NULL;
	spaces->pidfd = spaces->root_fd = -1;
	spaces->sockets_fd = spaces->control_fd = -1;
	for (int i = 0; i < CDN_SPACE_MAX; i++)
		spaces->fds[i] = -1;
	spaces->arena = cdn_arena_new();
	if (spaces->arena != NULL)
		return spaces;
	free(spaces);
	return NULL;
}

int
cdn_spaces_open(const struct cdn_spaces_spec *spec, struct cdn_spaces **ret,
    struct cordon_error *err)
{
	struct opening *opening = calloc(1, sizeof(*opening));
	int code = opening == NULL ? cdn_err_nomem(err) : 0;

	if (code == 0) {
		opening->spec = spec;
		opening->spaces = spaces_new();
		if (opening->spaces == NULL)
			code = cdn_err_nomem(err);
	}
	if (code == 0) {
		snprintf(opening->plan.uid_map, sizeof(opening->plan.uid_map),
		    "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
		snprintf(opening->plan.gid_map, sizeof(opening->plan.gid_map),
		    "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
		opening->plan.network = spec->network;
		read_share("instances", opening->plan.instances);
		read_share("watches", opening->plan.watches);
		code = plan_mounts(opening, err);
	}
	if (code == 0)
		code = copy_watched(opening, err);
	if (code == 0)
		code = start(opening, err);
	if (code == 0)
		*ret = opening->spaces;
	else if (opening != NULL)
		cdn_spaces_close(opening->spaces);
	free(opening);
	return code;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

CDN_BARE int
cdn_spaces_enter(const struct cdn_spaces *spaces, enum cdn_space from,
    enum cdn_space to)
{
	long r = 0;

	for (int i = (int)from; r >= 0 && i < (int)to; i++)
		if (spaces->fds[i] >= 0)
			r = cdn_raw(SYS_setns, spaces->fds[i], 0);
	return (int)r;
}

/* He ends when all the others have; who asks again gets no answer. */
void
cdn_spaces_kill(const struct cdn_spaces *spaces)
{
	(void)cdn_raw(SYS_pidfd_send_signal, spaces->pidfd, SIGKILL, NULL, 0);
}

void
cdn_spaces_end(const struct cdn_spaces *spaces)
{
	siginfo_t info;

	cdn_spaces_kill(spaces);
	while (waitid(P_PIDFD, (id_t)spaces->pidfd, &info, WEXITED | __WALL) !=
		0 && errno == EINTR)
		;
}

/* ----- What was looked up --------------------------------------------------------- */

struct look {
	const struct cdn_spaces *spaces;
	struct cdn_spaces_look seen;
	int error;
	_Alignas(16) char stack[STACK_BYTES / 4];
};

/*
 * In a process of its own: only its owner, and only a process without threads,
 * has capabilities in the run's user namespace.  Its memory is ours.
 */
CDN_BARE static int
look_at_marks(void *arg)
{
	struct look *look = arg;
	const struct cdn_spaces *spaces = look->spaces;
	long r = cdn_raw(SYS_setns, spaces->fds[CDN_SPACE_USER], 0);

	if (r >= 0)
		r = cdn_raw(SYS_setns, spaces->fds[CDN_SPACE_MOUNT], 0);
	look->error = (int)r;
	for (size_t i = 0; r >= 0 && i < spaces->watched_count; i++) {
		uint64_t bit = UINT64_C(1) << i;
		int mark;

		if ((spaces->marked & bit) == 0)
			continue;
		mark = cdn_holder_mark(spaces->watched[i]);
		if (mark == -EAGAIN || mark == -EBUSY)
			look->seen.found |= bit;
		if (mark == 0 || (look->seen.found & bit) != 0)
			look->seen.known |= bit;
	}
	return 0;
}

int
cdn_spaces_look_back(const struct cdn_spaces *spaces,
    struct cdn_spaces_look *ret)
{
	CDN_UNINITIALIZED struct look look;
	uint64_t mask;
	siginfo_t info;
	int pid, pidfd = -1;

	memset(ret, 0, sizeof(*ret));
	if (spaces->marked == 0)
		return 0;
	look.spaces = spaces;
	memset(&look.seen, 0, sizeof(look.seen));
	look.error = -ECHILD;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	pid = cdn_sys_clone(look_at_marks, look.stack + sizeof(look.stack),
	    CLONE_VM | CLONE_VFORK | CLONE_PIDFD, &look, &pidfd);
	cdn_sys_set_mask(mask, NULL);
	if (pid < 0)
		return pid;
	while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) != 0 &&
	    errno == EINTR)
		;
	close(pidfd);
	*ret = look.seen;
	return look.error;
}

void
cdn_spaces_close(struct cdn_spaces *spaces)
{
	if (spaces == NULL)
		return;
	close_fd(spaces->control_fd);
	if (spaces->pidfd >= 0)
		cdn_spaces_end(spaces);
	close_fd(spaces->pidfd);
	for (int i = 0; i < CDN_SPACE_MAX; i++)
		close_fd(spaces->fds[i]);
	close_fd(spaces->root_fd);
	close_fd(spaces->sockets_fd);
	cdn_arena_free(spaces->arena);
	free(spaces);
}
