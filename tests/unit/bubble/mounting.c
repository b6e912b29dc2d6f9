/*
 * Steps in the namespaces of somebody who waits, as bwrap does; the way to some
 * of them leads back to the host.
 */
#include "enforce/bubble/mounting.h"

#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "enforce/host/child.h"
#include "support/tap.h"
#include "support/tmpdir.h"

#define TEXT_MAX 4200

/* ----- Who we are ------------------------------------------------------- */

static bool
put_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 &&
	    write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool
enter_userns(int more)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "0 %u 1", (unsigned)geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER | more) == 0 &&
	    put_file("/proc/self/setgroups", "deny") &&
	    put_file("/proc/self/uid_map", uids) &&
	    put_file("/proc/self/gid_map", gids);
}

static bool
become(const char *who)
{
	if (who == NULL)
		return true;
	if (strcmp(who, "userns") == 0)
		return enter_userns(0);
	return geteuid() == 0 && setgid(TMP_NOBODY) == 0 &&
	    setuid(TMP_NOBODY) == 0 && prctl(PR_SET_DUMPABLE, 1L) == 0;
}

/* ----- Who waits -------------------------------------------------------- */

static char way[TEXT_MAX]; /* to a directory of the host, from inside */

static bool
make_root(const char *base, const char *host)
{
	return mount("none", "/", NULL, MS_REC | MS_SHARED, NULL) == 0 &&
	    mount("none", base, "tmpfs", 0, NULL) == 0 &&
	    mount("none", base, NULL, MS_PRIVATE, NULL) == 0 &&
	    chdir(base) == 0 && mkdir("oldroot", 0755) == 0 &&
	    mkdir("newroot", 0755) == 0 &&
	    mount("none", "newroot", "tmpfs", 0, NULL) == 0 &&
	    mkdir("newroot/plain", 0755) == 0 &&
	    mount(host, "newroot/plain", NULL, MS_BIND, NULL) == 0 &&
	    symlink(way, "newroot/way") == 0;
}

/* A root that others share cannot be left. */
static bool
change_root(void)
{
	return mount("none", "/", NULL, MS_PRIVATE, NULL) == 0 &&
	    syscall(SYS_pivot_root, ".", "oldroot") == 0 &&
	    chdir("/") == 0;
}

static void
wait_inside(const char *base, const char *host, int ready)
{
	char said = enter_userns(CLONE_NEWNS) && make_root(base, host) &&
		change_root() ? 'y' : 'n';

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(ready, &said, 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

static pid_t
start_waiter(void)
{
	char base[TEXT_MAX], host[TEXT_MAX], said = 'n';
	int ready[2];
	pid_t pid;

	snprintf(base, sizeof(base), "%s", tmp_path("base"));
	snprintf(host, sizeof(host), "%s", tmp_path("host"));
	snprintf(way, sizeof(way), "/oldroot%.4000s", host);
	tmp_need(pipe(ready) == 0, "pipe", "");
	pid = fork();
	tmp_need(pid >= 0, "fork", "");
	if (pid == 0)
		wait_inside(base, host, ready[1]);
	close(ready[1]);
	tmp_need(read(ready[0], &said, 1) == 1 && said == 'y',
	    "make a sandbox", base);
	close(ready[0]);
	return pid;
}

/* ----- Looking ---------------------------------------------------------- */

/* Is any of its mounts one that follows, or is followed by, others? */
static bool
has_peers(pid_t pid)
{
	char line[TEXT_MAX];
	bool found = false;
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/mountinfo", (int)pid);
	f = fopen(line, "r");
	tmp_need(f != NULL, "open", line);
	while (fgets(line, sizeof(line), f) != NULL)
		found |= strstr(line, " shared:") != NULL ||
		    strstr(line, " master:") != NULL;
	fclose(f);
	return found;
}

static bool
is_inside(pid_t pid, const char *path, mode_t mode)
{
	char file[TEXT_MAX];
	struct stat st;

	snprintf(file, sizeof(file), "/proc/%d/root/newroot%s", (int)pid, path);
	return lstat(file, &st) == 0 && st.st_mode == mode;
}

static int
go(pid_t pid, const struct cdn_step *steps, size_t n)
{
	struct cdn_mounting m = { .steps = steps, .count = n,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0) };
	int r;

	tmp_need(m.pidfd >= 0, "pidfd_open", "");
	r = cdn_child_try(cdn_mounting_main, &m, 0);
	close(m.pidfd);
	return r;
}

/* ----- Tests ------------------------------------------------------------ */

static void
test_own(pid_t pid)
{
	static const struct cdn_step steps[] = {
		{ CDN_STEP_DIR, "/own", .mode = 0755 },
		{ CDN_STEP_DIR, "/own", .mode = 0700, .lax = true },
		{ CDN_STEP_DIR, "/own/made", .mode = 0711 },
		{ CDN_STEP_LINK, "/own/link", "made" },
		{ CDN_STEP_TMPFS, "/own/point", "0711", .point = CDN_POINT_DIR },
		{ CDN_STEP_BIND, "/own/file", "/dev/null", .device = true,
		    .point = CDN_POINT_FILE },
		{ CDN_STEP_CLOSED, "/own/one", .point = CDN_POINT_DIR },
		{ CDN_STEP_CLOSED, "/own/two", .point = CDN_POINT_DIR },
		{ CDN_STEP_CLOSED, "/own/made" },
		{ CDN_STEP_SEAL, "/own/point" },
	};
	int r;

	ok(has_peers(pid), "before, mounts of the host would come in");
	r = go(pid, steps, CDN_LEN(steps));
	ok_f(r == 0, "in the sandbox all of it is made (%s)", strerror(-r));
	ok(!has_peers(pid), "then none does");
	ok(is_inside(pid, "/own", S_IFDIR | 0755), "what is there stays");
	ok(is_inside(pid, "/own/link", S_IFLNK | 0777), "a link");
	ok(is_inside(pid, "/own/point", S_IFDIR | 0711), "a directory");
	ok(is_inside(pid, "/own/one", S_IFDIR), "one that is closed");
	ok(is_inside(pid, "/own/two", S_IFDIR), "and another");
	ok(is_inside(pid, "/own/made", S_IFDIR), "and one over a directory");
}

/* Where something was mounted meanwhile, names are made in that. */
static void
test_covered(pid_t pid)
{
	static const struct cdn_step steps[] = {
		{ CDN_STEP_DIR, "/c", .mode = 0755 },
		{ CDN_STEP_DIR, "/c/d", .mode = 0755 },
		{ CDN_STEP_LINK, "/c/d/under", "x" },
		{ CDN_STEP_TMPFS, "/c/d", "0755" },
		{ CDN_STEP_LINK, "/c/d/over", "x" },
		{ CDN_STEP_LINK, "/c/d/more", "x" },
		{ CDN_STEP_TMPFS, "/c", "0755" },
		{ CDN_STEP_DIR, "/c/d", .mode = 0700 },
		{ CDN_STEP_LINK, "/c/d/top", "x" },
		{ CDN_STEP_LINK, "/cd", "x" },
		{ CDN_STEP_BIND, "/c/null", "/dev/null", .device = true,
		    .point = CDN_POINT_FILE },
		{ CDN_STEP_LINK, "/c/link", "x" },
	};
	int r = go(pid, steps, CDN_LEN(steps));

	ok_f(r == 0, "names and mounts over them (%s)", strerror(-r));
	ok(is_inside(pid, "/c/d", S_IFDIR | 0700) &&
	    is_inside(pid, "/c/d/top", S_IFLNK | 0777) &&
	    is_inside(pid, "/c/link", S_IFLNK | 0777) &&
	    is_inside(pid, "/cd", S_IFLNK | 0777),
	    "a name is made in what is mounted last");
	ok(!is_inside(pid, "/c/d/over", S_IFLNK | 0777) &&
	    !is_inside(pid, "/c/d/under", S_IFLNK | 0777),
	    "and others are covered");
}

static void
test_elsewhere(pid_t pid, const char *dir, int want)
{
	char path[64];
	const struct cdn_step steps[] = {
		{ CDN_STEP_DIR, path, .mode = 0755 },
		{ CDN_STEP_DIR, path, .mode = 0755, .lax = true },
		{ CDN_STEP_LINK, path, "x" },
		{ CDN_STEP_TMPFS, path, "0755", .point = CDN_POINT_DIR },
		{ CDN_STEP_BIND, path, "/dev/null", .point = CDN_POINT_FILE },
	};

	snprintf(path, sizeof(path), "%s/made", dir);
	for (size_t i = 0; i < CDN_LEN(steps); i++) {
		int r = go(pid, &steps[i], 1);

		ok_f(r == want, "step %zu by way of %s is refused (%s)", i, dir,
		    strerror(-r));
		ok(!tmp_there("host/made"), "and nothing is made on the host");
		tmp_clear(tmp_path("host/made"));
	}
}

int
main(int argc, char *argv[])
{
	struct statfs system;
	pid_t pid;

	if (!become(argc > 1 ? argv[1] : NULL)) {
		skip("cannot become somebody else here");
		return done_testing();
	}
	tmp_begin();
	tmp_dir("base");
	tmp_dir("host");
	pid = start_waiter();
	test_own(pid);
	test_covered(pid);
	test_elsewhere(pid, "/way", -ELOOP);
	/* A file system of the same kind as the sandbox's cannot be told. */
	if (statfs(tmp_path("host"), &system) == 0 &&
	    (unsigned long)system.f_type != TMPFS_MAGIC)
		test_elsewhere(pid, "/plain", -ESTALE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tmp_end();
	return done_testing();
}
