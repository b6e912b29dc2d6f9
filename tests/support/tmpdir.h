/*
 * tmpdir - a fresh directory for a test that needs real files.
 *
 *	tmp_begin();			made with mkdtemp, its real path in tmp_root
 *	tmp_dir("ws/sub");		names are relative to it
 *	tmp_file("ws/sub/a", "text");
 *	tmp_link("../ws", "sub/l");	as in symlink(2): target, name
 *	tmp_end();			removes everything, leaves nothing behind
 *
 * tmp_path() gives the absolute name in one of a few static buffers.  A
 * fixture that cannot be made ends the test: nothing after it would mean what
 * it says.
 */
#ifndef CDN_TESTS_TMPDIR_H
#define CDN_TESTS_TMPDIR_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char tmp_root[PATH_MAX];

static inline void
tmp_need(bool good, const char *what, const char *name)
{
	if (good)
		return;
	printf("Bail out! fixture: %s '%s': %s\n", what, name, strerror(errno));
	exit(1);
}

static inline const char *
tmp_path(const char *name)
{
	static char paths[8][PATH_MAX * 2];
	static unsigned turn;
	char *path = paths[turn++ % 8];

	snprintf(path, sizeof(paths[0]), "%s%s%s", tmp_root,
	    name[0] != '\0' ? "/" : "", name);
	return path;
}

/* below: the directory to make it in; NULL for $TMPDIR or /tmp. */
static inline void
tmp_begin_below(const char *below)
{
	char made[PATH_MAX];

	if (below == NULL)
		below = getenv("TMPDIR");
	if (below == NULL || below[0] != '/')
		below = "/tmp";
	snprintf(made, sizeof(made), "%s/cordon-test-XXXXXX", below);
	tmp_need(mkdtemp(made) != NULL, "mkdtemp", made);
	tmp_need(realpath(made, tmp_root) != NULL, "realpath", made);
	/* Reachable for a child that gives up root. */
	tmp_need(chmod(tmp_root, 0755) == 0, "chmod", tmp_root);
}

static inline void
tmp_begin(void)
{
	tmp_begin_below(NULL);
}

static inline int
tmp_open_up(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)at;
	if (kind == FTW_D || kind == FTW_DNR)
		(void)chmod(path, 0700);
	return 0;
}

static inline int
tmp_remove_one(const char *path, const struct stat *st, int kind,
    struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	(void)remove(path);
	return 0;
}

static inline void
tmp_clear(const char *path)
{
	nftw(path, tmp_open_up, 16, FTW_PHYS);
	nftw(path, tmp_remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

static inline void
tmp_end(void)
{
	tmp_clear(tmp_root);
	tmp_need(access(tmp_root, F_OK) != 0, "still there", tmp_root);
}

static inline void
tmp_dir(const char *name)
{
	tmp_need(mkdir(tmp_path(name), 0755) == 0, "mkdir", name);
}

static inline void
tmp_file(const char *name, const char *text)
{
	int fd = open(tmp_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0644);
	size_t n = strlen(text);

	tmp_need(fd >= 0 && write(fd, text, n) == (ssize_t)n, "write", name);
	close(fd);
}

static inline void
tmp_link(const char *target, const char *name)
{
	tmp_need(symlink(target, tmp_path(name)) == 0, "symlink", name);
}

static inline void
tmp_hardlink(const char *from, const char *name)
{
	tmp_need(link(tmp_path(from), tmp_path(name)) == 0, "link", name);
}

static inline void
tmp_mode(const char *name, unsigned mode)
{
	tmp_need(chmod(tmp_path(name), mode) == 0, "chmod", name);
}

/* Anything of that name, links not followed? */
static inline bool
tmp_there(const char *name)
{
	struct stat st;

	return lstat(tmp_path(name), &st) == 0;
}

/* Open descriptors of this process, to see that none is left behind. */
static inline int
tmp_open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			n++;
	return n;
}

/*
 * Runs body in a child and returns its result, 0 to 99; -1 when it died.
 * as_nobody: without root's powers (permissions mean nothing to root).
 */
#define TMP_NOBODY 65534

static inline int
tmp_child(int (*body)(void *arg), void *arg, bool as_nobody)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	tmp_need(pid >= 0, "fork", "child");
	if (pid == 0) {
		if (as_nobody && geteuid() == 0 &&
		    (setgid(TMP_NOBODY) != 0 || setuid(TMP_NOBODY) != 0))
			_exit(100);
		_exit(body(arg));
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) >= 100)
		return -1;
	return WEXITSTATUS(status);
}

#endif
