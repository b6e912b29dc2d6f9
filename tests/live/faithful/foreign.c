/*
 * foreign - every call that a broker performs, on what belongs to others.
 *
 *	foreign -s DIRECTORY UID	as root: sets the stage, and tells the
 *					number of the one who minds the socket
 *	foreign [-c] DIRECTORY		a line about each call; -c keeps
 *					capabilities, else there are none
 *
 * Who performs a call for somebody must not have more rights than he.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#define LEN(array) (sizeof(array) / sizeof((array)[0]))
#define ONE	   1001 /* others: nobody has these numbers */
#define TWO	   1002
#define GROUP	   1003 /* of which the caller is a member */

static void
tell(const char *call, const char *path, long r)
{
	printf("%s %s: %s\n", call, path,
	    r >= 0 ? "ok" : strerrorname_np(errno));
}

/* ----- The stage ------------------------------------------------------------------- */

struct thing {
	const char *path; /* '/' at the end: a directory */
	unsigned mode;	  /* with S_IFIFO, S_IFLNK, S_IFSOCK */
	int uid;	  /* -1: the caller's */
	int gid;
};

static const struct thing things[] = {
	{ "own/", 0755, -1, -1 },
	{ "own/file", 0644, -1, -1 },
	{ "own/none", 0, -1, -1 },
	{ "dir/", 0755, ONE, ONE },
	{ "dir/file", 0644, ONE, ONE },
	{ "dir/none", 0, ONE, ONE },
	{ "dir/all", 0666, ONE, ONE },
	{ "dir/program", 0700, ONE, ONE },
	{ "dir/fifo", S_IFIFO | 0600, ONE, ONE },
	{ "dir/link", S_IFLNK, ONE, ONE },
	{ "dir/empty/", 0755, ONE, ONE },
	{ "locked/", 0700, ONE, ONE },
	{ "locked/all", 0666, ONE, ONE },
	{ "all/", 0777, ONE, ONE },
	{ "all/file", 0644, ONE, ONE },
	{ "sticky/", 01777, ONE, ONE },
	{ "sticky/own", 0644, -1, -1 },
	{ "sticky/all", 0666, TWO, TWO },
	{ "sticky/fifo", S_IFIFO | 0666, TWO, TWO },
	{ "sticky/link", S_IFLNK, TWO, TWO },
	{ "sticky/empty/", 0777, TWO, TWO },
	{ "setgid/", 02777, ONE, GROUP },
	{ "others/", 02777, ONE, TWO },
	{ "group/", 0770, ONE, GROUP },
	{ "group/file", 0660, ONE, GROUP },
	{ "group/none", 0606, ONE, GROUP },
	{ "socket", S_IFSOCK | 0600, ONE, ONE },
};

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(3);
}

static void
make_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	check(bind(fd, (void *)&address, sizeof(address)) == 0 &&
		listen(fd, 5) == 0,
	    path);
	/* Stays open in a process of its own, until it is killed. */
	pid = fork();
	if (pid == 0) {
		close_range(0, (unsigned)fd - 1, 0);
		alarm(600);
		for (;;)
			pause();
	}
	printf("%d\n", (int)pid);
	fflush(stdout);
}

static void
make_thing(const struct thing *thing, uid_t caller)
{
	const char *path = thing->path;
	uid_t uid = thing->uid < 0 ? caller : (uid_t)thing->uid;
	gid_t gid = thing->gid < 0 ? caller : (gid_t)thing->gid;
	size_t n = strlen(path);
	int fd;

	if (path[n - 1] == '/') {
		check(mkdir(path, 0700) == 0, path);
	} else if (thing->mode == S_IFLNK) {
		check(symlink("all", path) == 0, path);
	} else if ((thing->mode & S_IFMT) == S_IFIFO) {
		check(mkfifo(path, 0600) == 0, path);
	} else if ((thing->mode & S_IFMT) == S_IFSOCK) {
		make_socket(path);
	} else {
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
		check(fd >= 0 && write(fd, "content\n", 8) == 8, path);
		(void)fsetxattr(fd, "user.a", "first", 5, 0);
		close(fd);
	}
	check(lchown(path, uid, gid) == 0, path);
	if (thing->mode != S_IFLNK)
		check(chmod(path, thing->mode & 07777) == 0, path);
}

static int
set_stage(uid_t caller)
{
	umask(0);
	for (size_t i = 0; i < LEN(things); i++)
		make_thing(&things[i], caller);
	return 0;
}

/* ----- Calls on what is there ------------------------------------------------------- */

static void
try_opens(const char *path)
{
	static const struct {
		const char *name;
		int flags;
	} ways[] = {
		{ "read", O_RDONLY },
		{ "write", O_WRONLY },
		{ "change", O_RDWR },
		{ "create", O_WRONLY | O_CREAT },
		{ "create and read", O_RDONLY | O_CREAT },
		{ "append", O_WRONLY | O_APPEND },
		{ "silently", O_RDONLY | O_NOATIME },
		{ "path", O_PATH },
		{ "directory", O_RDONLY | O_DIRECTORY },
		{ "tmpfile", O_TMPFILE | O_RDWR },
		{ "truncate", O_WRONLY | O_TRUNC },
		{ "read and truncate", O_RDONLY | O_TRUNC },
	};

	for (size_t i = 0; i < LEN(ways); i++) {
		int fd = open(path, ways[i].flags | O_NONBLOCK, 0600);

		tell(ways[i].name, path, fd);
		if (fd >= 0)
			close(fd);
	}
}

/* The capability of everything, as a file has it. */
static const unsigned char capability[20] = { 1, 0, 0, 2, 0xff, 0xff, 0xff,
	0xff, 0, 0, 0, 0, 0xff, 1 };

static void
try_attributes(const char *path)
{
	tell("user.b", path, setxattr(path, "user.b", "x", 1, 0));
	tell("trusted.b", path, setxattr(path, "trusted.b", "x", 1, 0));
	tell("security.b", path, setxattr(path, "security.b", "x", 1, 0));
	tell("setcap", path,
	    setxattr(path, "security.capability", capability,
		sizeof(capability), 0));
	tell("remove user.a", path, removexattr(path, "user.a"));
	tell("remove capability", path,
	    removexattr(path, "security.capability"));
	tell("on a link", path, lsetxattr(path, "user.b", "x", 1, 0));
}

static void
try_flags(const char *path)
{
	static const int flags[] = { FS_NODUMP_FL, FS_IMMUTABLE_FL,
		FS_APPEND_FL, FS_NOATIME_FL };
	int fd = open(path, O_RDONLY | O_NONBLOCK), old = 0, new;

	if (fd < 0)
		return;
	(void)ioctl(fd, FS_IOC_GETFLAGS, &old);
	for (size_t i = 0; i < LEN(flags); i++) {
		new = old | flags[i];
		tell("flags", path, ioctl(fd, FS_IOC_SETFLAGS, &new));
		(void)ioctl(fd, FS_IOC_SETFLAGS, &old);
	}
	tell("fchmod", path, fchmod(fd, 0644));
	tell("fchown", path, fchown(fd, TWO, (gid_t)-1));
	tell("futimens", path, futimens(fd, (struct timespec[2]){ { 1, 1 } }));
	tell("fsetxattr", path, fsetxattr(fd, "user.f", "x", 1, 0));
	close(fd);
}

static void
try_changes(const char *path)
{
	static const struct timespec times[2] = { { 100, 0 }, { 200, 0 } };

	tell("utimes", path, utimensat(AT_FDCWD, path, times, 0));
	tell("touch", path, utimensat(AT_FDCWD, path, NULL, 0));
	try_attributes(path);
	try_flags(path);
	tell("chown", path, chown(path, TWO, (gid_t)-1));
	tell("chown to oneself", path, chown(path, geteuid(), (gid_t)-1));
	tell("chgrp", path, chown(path, (uid_t)-1, TWO));
	tell("chgrp to one's own", path, chown(path, (uid_t)-1, GROUP));
	tell("lchown", path, lchown(path, TWO, (gid_t)-1));
	tell("chmod", path, chmod(path, 0644));
	tell("fchmodat2", path,
	    syscall(SYS_fchmodat2, AT_FDCWD, path, 0666, AT_SYMLINK_NOFOLLOW));
	tell("truncate", path, truncate(path, 3));
}

/* ----- Calls that make names -------------------------------------------------------- */

static const char *
in(const char *directory, const char *name)
{
	static char paths[4][256];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", directory, name);
	return paths[turn];
}

static void
try_bind(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	tell("bind", path, bind(fd, (void *)&address, sizeof(address)));
	close(fd);
}

/* What came to be, as others see it. */
static void
tell_made(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		printf("made %s: %o %d:%d\n", path, st.st_mode, (int)st.st_uid,
		    (int)st.st_gid);
	(void)(S_ISDIR(st.st_mode) ? rmdir(path) : unlink(path));
}

static void
try_names(const char *directory)
{
	const char *n = in(directory, "new");
	int fd = open(n, O_CREAT | O_RDWR, 0666);

	tell("open", n, fd);
	if (fd >= 0)
		close(fd);
	tell_made(n);
	tell("mkdir", n, mkdir(n, 0777));
	tell_made(n);
	tell("mkfifo", n, mkfifo(n, 0666));
	tell_made(n);
	tell("mknod", n, mknod(n, S_IFREG | 0666, 0));
	tell_made(n);
	tell("symlink", n, symlink("text", n));
	tell_made(n);
	tell("link", n, link("own/file", n));
	tell("unlink", n, unlink(n));
	tell("rename", n, rename("own/file", n));
	tell("and back", n, rename(n, "own/file"));
	try_bind(n);
	tell_made(n);
	tell("rmdir", directory, rmdir(in(directory, "empty")));
	tell("chmod", directory, chmod(directory, 0755));
}

static void
try_moves(const char *path)
{
	tell("link", path, link(path, "own/new"));
	(void)unlink("own/new");
	tell("linkat", path,
	    linkat(AT_FDCWD, path, AT_FDCWD, "own/new", AT_SYMLINK_FOLLOW));
	(void)unlink("own/new");
	tell("exchange", path,
	    renameat2(AT_FDCWD, path, AT_FDCWD, "own/file", RENAME_EXCHANGE));
	tell("rename", path, rename(path, "own/new"));
	(void)rename("own/new", path);
	tell("rename over", path, rename("sticky/own", path));
	tell("unlink", path, unlink(path));
}

static void
try_devices(void)
{
	tell("mknod", "a disk",
	    mknod("own/disk", S_IFBLK | 0600, makedev(8, 0)));
	tell("mknod", "memory",
	    mknod("own/memory", S_IFCHR | 0600, makedev(1, 1)));
}

static void
try_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	tell("connect", path, connect(fd, (void *)&address, sizeof(address)));
	close(fd);
}

/* ----- All of them ------------------------------------------------------------------ */

static void
try_all(void)
{
	static const char *const directories[] = { "own", "dir", "locked",
		"all", "sticky", "setgid", "others", "group" };
	char path[64];

	for (size_t i = 0; i < LEN(things); i++) {
		snprintf(path, sizeof(path), "%s", things[i].path);
		path[strcspn(path, "/") + 1 == strlen(path) ? strlen(path) - 1 :
							      strlen(path)] =
		    '\0';
		try_opens(path);
	}
	try_devices();
	try_socket("socket");
	for (size_t i = 0; i < LEN(directories); i++)
		try_names(directories[i]);
	for (size_t i = 0; i < LEN(things); i++)
		if (things[i].path[strlen(things[i].path) - 1] != '/')
			try_changes(things[i].path);
	for (size_t i = 0; i < LEN(things); i++)
		if (things[i].path[strlen(things[i].path) - 1] != '/' &&
		    strncmp(things[i].path, "own", 3) != 0)
			try_moves(things[i].path);
}

static void
forgo_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2];

	memset(none, 0, sizeof(none));
	check(syscall(SYS_capset, &head, none) == 0, "capset");
}

int
main(int argc, char **argv)
{
	bool keep = argc == 3 && strcmp(argv[1], "-c") == 0;

	if (argc == 4 && strcmp(argv[1], "-s") == 0 && chdir(argv[2]) == 0)
		return set_stage((uid_t)strtoul(argv[3], NULL, 10));
	if (argc != (keep ? 3 : 2) || chdir(argv[keep ? 2 : 1]) != 0)
		return 2;
	if (!keep)
		forgo_capabilities();
	umask(0);
	try_all();
	return 0;
}
