#include "enforce/run/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CGROUP2_MAGIC 0x63677270
#define PREFIX	      "cordon-"
#define NAMES_MAX     16   /* tries to find a name */
#define FILE_MAX      4096 /* of a file that is read whole */
#define CLOSE_MS      20000 /* for the killed to be gone */
#define CLOSE_TRIES   200
#define DEPTH_MAX     8 /* of groups in groups that are removed */

/* ----- Files -------------------------------------------------------------- */

/* Its beginning, as text; false when it cannot be read. */
static bool
read_text(int dir, const char *name, char *ret, size_t size)
{
	cdn_cleanup_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (n < 0)
		return false;
	ret[n] = '\0';
	return true;
}

/* The kernel takes a value as a whole or not at all. */
static bool
write_text(int dir, const char *name, const char *text)
{
	cdn_cleanup_fd int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	return fd >= 0 && write(fd, text, n) == (ssize_t)n;
}

static bool
write_number(int dir, const char *name, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return write_text(dir, name, text);
}

/* The number after "key " at the beginning of a line. */
static bool
find_number(const char *text, const char *key, uint64_t *ret)
{
	size_t n = strlen(key);

	while (text != NULL && *text != '\0') {
		if (strncmp(text, key, n) == 0 && text[n] == ' ') {
			*ret = strtoull(text + n + 1, NULL, 10);
			return true;
		}
		text = strchr(text, '\n');
		text = text == NULL ? NULL : text + 1;
	}
	return false;
}

/* ----- Our own group ------------------------------------------------------ */

/* Where cgroup v2 is on its own, and where it is beside the first version. */
static const char *const mounts[] = { "/sys/fs/cgroup",
	"/sys/fs/cgroup/unified" };

/* "0::/a/b" in /proc/self/cgroup: its path without the first slash. */
static bool
own_path(char *ret, size_t size)
{
	char text[FILE_MAX];
	char *at, *end;

	if (!read_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)))
		return false;
	at = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
	if (at == NULL)
		return false;
	at = strchr(at, '/') + 1;
	end = strchr(at, '\n');
	if (end == NULL || (size_t)(end - at) + 3 > size)
		return false;
	*end = '\0';
	/* Outside of what this namespace shows, it is not for us. */
	if (strncmp(at, "..", 2) == 0 || strstr(at, "/..") != NULL)
		return false;
	snprintf(ret, size, "./%s", at);
	return true;
}

static int
open_below_mount(const char *mount, const char *path)
{
	cdn_cleanup_fd int fd = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) != 0 || fs.f_type != CGROUP2_MAGIC)
		return -1;
	return openat(fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Are we in there?  The mount may show another part of the hierarchy than the
 * path is meant for, and a group elsewhere would lift the limits we are under.
 */
static bool
has_us(int dir)
{
	FILE *list;
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	bool found = false;
	char line[32];

	list = fd < 0 ? NULL : fdopen(fd, "r");
	if (list == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && fgets(line, sizeof(line), list) != NULL)
		found = strtol(line, NULL, 10) == getpid();
	fclose(list);
	return found;
}

/* We may make groups in it, and move processes there. */
static bool
may_divide(int dir)
{
	return faccessat(dir, ".", W_OK, AT_EACCESS) == 0 &&
	    faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) == 0;
}

/* Our own group; ret_mount and path are where it was found. */
static int
open_own(const char **ret_mount, char *path, size_t size)
{
	if (!own_path(path, size))
		return -1;
	for (size_t i = 0; i < CDN_LEN(mounts); i++) {
		int fd = open_below_mount(mounts[i], path);

		if (fd < 0)
			continue;
		if (has_us(fd)) {
			*ret_mount = mounts[i];
			return fd;
		}
		close(fd);
	}
	return -1;
}

/* The first of all: the only one that has processes and limits its children. */
static bool
is_first(int dir)
{
	return faccessat(dir, "cgroup.type", F_OK, AT_EACCESS) != 0 &&
	    errno == ENOENT;
}

/* ----- The group above ours ------------------------------------------------ */

/* What a group would take with it if we left it. */
static const char *const limit_files[] = { "cpu.max", "cpuset.cpus",
	"cpuset.mems", "io.max", "memory.high", "memory.max",
	"memory.swap.high", "memory.swap.max", "pids.max" };

/* "max", nothing, or no such controller. */
static bool
is_unlimited(int dir, const char *name)
{
	char text[FILE_MAX];

	if (!read_text(dir, name, text, sizeof(text)))
		return errno == ENOENT;
	return text[0] == '\0' || text[0] == '\n' ||
	    strncmp(text, "max", 3) == 0;
}

/*
 * Who has processes cannot limit his children (and asking for it with a
 * controller for threads would make his group one of threads): that is what
 * every group but the first is in which somebody runs cordon.  A group beside
 * ours is as good where the one above is ours to divide, as in the session of a
 * user, and where ours limits nobody.
 */
static int
open_above(int own, const char *mount, char *path)
{
	char *last = strrchr(path, '/'); /* of "./a/b"; "./" is the first */
	int fd;

	if (last == NULL || last[1] == '\0')
		return -1;
	for (size_t i = 0; i < CDN_LEN(limit_files); i++)
		if (!is_unlimited(own, limit_files[i]))
			return -1;
	last[last == path + 1] = '\0'; /* "./a" becomes "./" */
	fd = open_below_mount(mount, path);
	if (fd >= 0 && may_divide(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Where the run's group is to be made; -1 when nowhere. */
static int
open_parent(const struct cdn_run_limits *limits)
{
	char path[FILE_MAX];
	const char *mount = NULL;
	int own = open_own(&mount, path, sizeof(path));
	int above = -1;

	if (own < 0)
		return -1;
	if (!is_first(own) &&
	    (limits->memory_bytes > 0 || limits->processes > 0))
		above = open_above(own, mount, path);
	if (above < 0 && may_divide(own))
		return own;
	close(own);
	return above;
}

/* ----- Removing ----------------------------------------------------------- */

static void
kill_members(int dir)
{
	(void)write_text(dir, "cgroup.kill", "1"); /* since 5.14 */
}

/* The kernel reports a change of "populated" as an exceptional event. */
static void
wait_until_empty(int dir)
{
	cdn_cleanup_fd int fd = openat(dir, "cgroup.events",
	    O_RDONLY | O_CLOEXEC);
	struct pollfd events = { .fd = fd, .events = POLLPRI };
	char text[FILE_MAX];
	uint64_t populated = 0;

	for (int i = 0; fd >= 0 && i < CLOSE_TRIES; i++) {
		ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

		text[n < 0 ? 0 : n] = '\0';
		if (!find_number(text, "populated", &populated) ||
		    populated == 0)
			return;
		(void)poll(&events, 1, CLOSE_MS / CLOSE_TRIES);
	}
}

typedef void visit_fn(int parent, const char *name, unsigned depth);

static void
visit_groups(int parent, unsigned depth, visit_fn *visit)
{
	int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			visit(parent, entry->d_name, depth);
	closedir(dir);
}

static int
open_group(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
}

/* The command may have divided its own. */
static void
remove_below(int parent, const char *name, unsigned depth)
{
	cdn_cleanup_fd int dir = open_group(parent, name);

	if (dir < 0)
		return;
	if (depth < DEPTH_MAX)
		visit_groups(dir, depth + 1, remove_below);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Most often it is empty.  dir: itself, open. */
static void
remove_group(int parent, int dir, const char *name)
{
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno != EBUSY)
		return;
	kill_members(dir);
	wait_until_empty(dir);
	remove_below(parent, name, 0);
}

/* ----- Those of others who were killed ------------------------------------ */

/* Locked, or the lock is somebody else's; -1 then. */
static int
open_locked(int parent, const char *name)
{
	int fd = open_group(parent, name);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
remove_stale(int parent, const char *name, unsigned depth)
{
	cdn_cleanup_fd int dir = -1;

	(void)depth;
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return;
	dir = open_locked(parent, name);
	if (dir >= 0)
		remove_group(parent, dir, name);
}

/* ----- The run's own ------------------------------------------------------ */

/* Between making and locking it somebody may take it for a stale one. */
static bool
make_group(struct cdn_cgroup *cgroup)
{
	static unsigned counter;

	for (int i = 0; i < NAMES_MAX; i++) {
		snprintf(cgroup->name, sizeof(cgroup->name), PREFIX "%d-%u",
		    (int)getpid(),
		    __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED));
		if (mkdirat(cgroup->parent_fd, cgroup->name, 0755) != 0) {
			if (errno == EEXIST)
				continue;
			return false;
		}
		cgroup->dir_fd = open_locked(cgroup->parent_fd, cgroup->name);
		if (cgroup->dir_fd < 0) {
			(void)unlinkat(cgroup->parent_fd, cgroup->name,
			    AT_REMOVEDIR);
			continue;
		}
		cgroup->procs_fd = openat(cgroup->dir_fd, "cgroup.procs",
		    O_WRONLY | O_CLOEXEC);
		if (cgroup->procs_fd >= 0)
			return true;
		close(cgroup->dir_fd);
		cgroup->dir_fd = -1;
	}
	return false;
}

/*
 * The file is there when the controller is on for the parent's children.  Only
 * in the first group of all it is turned on, which by itself limits nobody, and
 * stays so.
 */
static bool
can_limit(const struct cdn_cgroup *cgroup, const char *controller,
    const char *file)
{
	if (write_text(cgroup->dir_fd, file, "max"))
		return true;
	return is_first(cgroup->parent_fd) &&
	    write_text(cgroup->parent_fd, "cgroup.subtree_control",
	    controller) && write_text(cgroup->dir_fd, file, "max");
}

/*
 * Over the limit all of them end, not the one that happened to ask.  Therefore
 * it is set when they have memory of their own: until exec the child has the
 * caller's, and who kills for memory kills all who share it.
 */
static void
set_memory(struct cdn_cgroup *cgroup)
{
	if (!can_limit(cgroup, "+memory", "memory.max"))
		return;
	(void)write_text(cgroup->dir_fd, "memory.swap.max", "0");
	(void)write_text(cgroup->dir_fd, "memory.oom.group", "1");
	cgroup->held |= CDN_TREE_MEMORY;
}

static void
set_limits(struct cdn_cgroup *cgroup, const struct cdn_run_limits *limits)
{
	char text[FILE_MAX];
	uint64_t used;

	if (limits->memory_bytes > 0)
		set_memory(cgroup);
	if (limits->processes > 0 && can_limit(cgroup, "+pids", "pids.max") &&
	    write_number(cgroup->dir_fd, "pids.max", limits->processes))
		cgroup->held |= CDN_TREE_PROCESSES;
	/* Counted in every group; no controller is needed. */
	if (limits->cpu_ms > 0 && read_text(cgroup->dir_fd, "cpu.stat", text,
	    sizeof(text)) && find_number(text, "usage_usec", &used))
		cgroup->held |= CDN_TREE_CPU;
}

void
cdn_cgroup_open(struct cdn_cgroup *cgroup, const struct cdn_run_limits *limits)
{
	*cgroup = (struct cdn_cgroup)CDN_CGROUP_NONE;
	if (limits->cpu_ms == 0 && limits->memory_bytes == 0 &&
	    limits->processes == 0)
		return;
	cgroup->parent_fd = open_parent(limits);
	if (cgroup->parent_fd < 0)
		return;
	visit_groups(cgroup->parent_fd, 0, remove_stale);
	if (make_group(cgroup))
		set_limits(cgroup, limits);
	if (cgroup->held == 0)
		cdn_cgroup_close(cgroup);
}

bool
cdn_cgroup_started(const struct cdn_cgroup *cgroup,
    const struct cdn_run_limits *limits)
{
	return (cgroup->held & CDN_TREE_MEMORY) == 0 || write_number(
	    cgroup->dir_fd, "memory.max", limits->memory_bytes);
}

uint64_t
cdn_cgroup_cpu_us(const struct cdn_cgroup *cgroup)
{
	char text[FILE_MAX];
	uint64_t used = 0;

	if (cgroup->dir_fd >= 0 && read_text(cgroup->dir_fd, "cpu.stat", text,
	    sizeof(text)))
		(void)find_number(text, "usage_usec", &used);
	return used;
}

/* ----- The end ------------------------------------------------------------ */

void
cdn_cgroup_kill(const struct cdn_cgroup *cgroup)
{
	if (cgroup->dir_fd >= 0)
		kill_members(cgroup->dir_fd);
}

void
cdn_cgroup_close(struct cdn_cgroup *cgroup)
{
	if (cgroup->dir_fd >= 0)
		remove_group(cgroup->parent_fd, cgroup->dir_fd, cgroup->name);
	if (cgroup->procs_fd >= 0)
		close(cgroup->procs_fd);
	if (cgroup->dir_fd >= 0)
		close(cgroup->dir_fd);
	if (cgroup->parent_fd >= 0)
		close(cgroup->parent_fd);
	*cgroup = (struct cdn_cgroup)CDN_CGROUP_NONE;
}
