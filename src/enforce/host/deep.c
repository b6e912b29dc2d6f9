#include "enforce/host/deep.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "enforce/host/child.h"
#include "enforce/sys/landlock.h"
#include "enforce/sys/seccomp.h"

#define NR_LANDLOCK_CREATE  444
#define LANDLOCK_VERSION    1
#define LANDLOCK_LAYERS_MAX 16
#define BWRAP		    "/usr/bin/bwrap"
#define CGROUP2_MAGIC	    0x63677270
#define PID_NS_INITIAL	    4026531836U /* PROC_PID_INIT_INO */

/* ----- seccomp ---------------------------------------------------------- */

/* struct seccomp_notif_addfd */
struct addfd {
	uint64_t id;
	uint32_t flags;
	uint32_t srcfd;
	uint32_t newfd;
	uint32_t newfd_flags;
};

#define ADDFD_SEND 2U	       /* since 5.14 */
#define ADDFD	   0x40182103U /* SECCOMP_IOCTL_NOTIF_ADDFD */

/* No such notification: the kernel has understood the question. */
CDN_BARE static int
try_listener(void *arg)
{
	const struct cdn_bpf allow = { .code = CDN_BPF_RET,
		.k = CDN_SECCOMP_ALLOW };
	struct addfd addfd = { .flags = ADDFD_SEND };
	int fd = cdn_sys_no_new_privs();

	(void)arg;
	if (fd == 0)
		fd = cdn_sys_seccomp(&allow, 1, CDN_SECCOMP_NEW_LISTENER);
	if (fd < 0)
		return fd;
	addfd.srcfd = (uint32_t)fd;
	return cdn_raw(SYS_ioctl, fd, ADDFD, &addfd) == -ENOENT ? 0 : -EINVAL;
}

int
cdn_deep_listener(void)
{
	return cdn_child_try(try_listener, NULL, 0);
}

/* ----- Landlock --------------------------------------------------------- */

/* A child takes all the layers that are left: the others are there already. */
CDN_BARE static int
take_layers(void *arg)
{
	const struct cdn_landlock_ruleset ruleset = { .fs = CDN_LL_EXECUTE };
	int *taken = arg;
	int fd = cdn_sys_no_new_privs();

	if (fd == 0)
		fd = cdn_sys_landlock_create(&ruleset, 1);
	if (fd < 0)
		return fd;
	while (*taken < LANDLOCK_LAYERS_MAX && cdn_sys_landlock_restrict(fd) == 0)
		++*taken;
	return 0;
}

static void
probe_landlock(struct cdn_host *host)
{
	int taken = 0;
	long r = cdn_raw(NR_LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);

	if (r <= 0)
		host->landlock_error = r < 0 ? (int)-r : ENOSYS;
	else if (cdn_child_try(take_layers, &taken, 0) == 0)
		host->landlock_layers = LANDLOCK_LAYERS_MAX - taken;
}

/* ----- User namespaces -------------------------------------------------- */

struct identity {
	char uids[32]; /* "0 1000 1" */
	char gids[32];
};

CDN_BARE static int
put(const char *file, const char *text)
{
	size_t n = 0;
	long r, fd = cdn_raw(SYS_openat, AT_FDCWD, file, O_WRONLY, 0);

	if (fd < 0)
		return (int)fd;
	while (text[n] != '\0')
		n++;
	r = cdn_raw(SYS_write, fd, text, n);
	(void)cdn_raw(SYS_close, fd);
	return r < 0 ? (int)r : 0;
}

/*
 * Being made is not enough: where AppArmor restricts them the namespace is
 * there, but nothing that a sandbox does in it is allowed.
 */
CDN_BARE static int
use_userns(void *arg)
{
	static const char deny[] = "deny", setgroups[] = "/proc/self/setgroups";
	static const char uid_map[] = "/proc/self/uid_map";
	static const char gid_map[] = "/proc/self/gid_map";
	const struct identity *identity = arg;
	int r = put(setgroups, deny);

	if (r == 0)
		r = put(uid_map, identity->uids);
	if (r == 0)
		r = put(gid_map, identity->gids);
	if (r == 0)
		r = (int)cdn_raw(SYS_sethostname, deny, sizeof(deny) - 1);
	return r;
}

/* A single digit; what is not there is 0. */
static int
read_digit(const char *file)
{
	cdn_cleanup_fd int fd = open(file, O_RDONLY | O_CLOEXEC);
	char digit;

	if (fd < 0 || read(fd, &digit, 1) != 1 || digit < '0' || digit > '9')
		return 0;
	return digit - '0';
}

void
cdn_deep_userns(struct cdn_host *host)
{
	struct identity identity;
	int r;

	snprintf(identity.uids, sizeof(identity.uids), "0 %u 1\n",
	    (unsigned)geteuid());
	snprintf(identity.gids, sizeof(identity.gids), "0 %u 1\n",
	    (unsigned)getegid());
	r = cdn_child_try(use_userns, &identity, CLONE_NEWUSER | CLONE_NEWUTS);
	host->userns = r == 0;
	host->userns_error = -r;
	host->userns_restricted = read_digit("/proc/sys/kernel/"
	    "apparmor_restrict_unprivileged_userns") != 0;
}

/* ----- cgroups ---------------------------------------------------------- */

static bool
is_cgroup2(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && (unsigned long)fs.f_type ==
	    CGROUP2_MAGIC;
}

/* Our own cgroup below the place where version 2 is mounted; "0::/a/b". */
static bool
own_cgroup(char *ret, size_t size)
{
	cdn_cleanup_fd int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	const char *mount = is_cgroup2("/sys/fs/cgroup") ? "/sys/fs/cgroup"
	    : is_cgroup2("/sys/fs/cgroup/unified") ? "/sys/fs/cgroup/unified"
	    : NULL;
	char text[CDN_PATH_MAX + 1];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	cdn_str rest = { text, n < 0 ? 0 : (size_t)n }, line;

	if (mount == NULL || n <= 0)
		return false;
	while (cdn_str_next(&rest, '\n', &line)) {
		int used;

		if (!cdn_str_starts(line, CDN_STR("0::/")))
			continue;
		line = cdn_str_from(line, 3);
		used = snprintf(ret, size, "%s%.*s", mount, CDN_STR_ARG(line));
		return used > 0 && (size_t)used < size;
	}
	return false;
}

CDN_BARE static int
enter_cgroup(void *arg)
{
	static const char self[] = "0";

	return put(arg, self);
}

/* Made, entered by a child, and removed: that is what a run would do. */
static bool
probe_cgroup(void)
{
	char own[CDN_PATH_MAX + 1], made[CDN_PATH_MAX + 64];
	char procs[CDN_PATH_MAX + 96];
	bool good;

	if (!own_cgroup(own, sizeof(own)))
		return false;
	snprintf(made, sizeof(made), "%s/cordon-probe-%d-%d", own,
	    (int)getpid(), (int)gettid());
	if (mkdir(made, 0700) != 0)
		return false;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", made);
	good = cdn_child_try(enter_cgroup, procs, 0) == 0;
	return rmdir(made) == 0 && good;
}

/* ----- bwrap ------------------------------------------------------------ */

enum cdn_bwrap
cdn_deep_bwrap(const char *file)
{
	char name[] = "bwrap", all[] = "--unshare-all", bind[] = "--ro-bind";
	char root[] = "/", dev[] = "--dev", dev_dir[] = "/dev";
	char proc[] = "--proc", proc_dir[] = "/proc", end[] = "--";
	char version[] = "--version", user[] = "--unshare-user";
	char no_more[] = "--disable-userns", drop[] = "--cap-drop";
	char every[] = "ALL";
	char self[CDN_PATH_MAX + 1];
	char *argv[] = { name, all, user, no_more, drop, every, bind, root,
		root, dev, dev_dir, proc, proc_dir, end, self, version, NULL };
	struct stat st;

	snprintf(self, sizeof(self), "%s", file);
	if (lstat(file, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return CDN_BWRAP_MISSING;
	if (stat(file, &st) != 0 || !S_ISREG(st.st_mode) ||
	    access(file, X_OK) != 0)
		return CDN_BWRAP_BROKEN;
	return cdn_child_runs(file, argv, CDN_BWRAP_WAIT_MS) ?
	    CDN_BWRAP_USABLE : CDN_BWRAP_BROKEN;
}

/* ----- All of it -------------------------------------------------------- */

/* Files that container engines leave, or a process tree that is not the first. */
static bool
probe_container(void)
{
	struct stat st;

	return access("/.dockerenv", F_OK) == 0 ||
	    access("/run/.containerenv", F_OK) == 0 ||
	    (stat("/proc/self/ns/pid", &st) == 0 &&
		st.st_ino != PID_NS_INITIAL);
}

void
cdn_deep_probe(struct cdn_host *host)
{
	host->notify_taken = cdn_deep_listener() == -EBUSY;
	probe_landlock(host);
	cdn_deep_userns(host);
	host->cgroup_delegated = probe_cgroup();
	host->bwrap = cdn_deep_bwrap(BWRAP);
	host->container = probe_container();
}
