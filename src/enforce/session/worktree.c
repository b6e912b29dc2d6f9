#include "enforce/session/worktree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/path/path.h"
#include "enforce/session/placelist.h"

#define LINE_MAX_BYTES (CDN_PATH_MAX + 16) /* "gitdir: ", a path, a newline */

static const char worktrees[] = "worktrees";

/* One short file as one line, without its end; no link, no FIFO. */
static bool
read_line(const char *file, char out[LINE_MAX_BYTES + 1], struct stat *st)
{
	cdn_cleanup_fd int fd = open(file,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || fstat(fd, st) != 0 || !S_ISREG(st->st_mode))
		return false;
	n = read(fd, out, LINE_MAX_BYTES + 1);
	if (n <= 0 || n > LINE_MAX_BYTES)
		return false;
	while (n > 0 && (out[n - 1] == '\n' || out[n - 1] == '\r'))
		n--;
	out[n] = '\0';
	return n > 0 && strlen(out) == (size_t)n;
}

/* "gitdir: PATH" */
static bool
read_gitfile(const char *top, struct stat *ret_st, char ret[CDN_PATH_MAX + 1])
{
	static const char key[] = "gitdir: ";
	char file[CDN_PATH_MAX + sizeof("/.git")];
	char line[LINE_MAX_BYTES + 1];

	snprintf(file, sizeof(file), "%s/.git", top);
	if (!read_line(file, line, ret_st) ||
	    strncmp(line, key, sizeof(key) - 1) != 0 ||
	    strlen(line + sizeof(key) - 1) > CDN_PATH_MAX)
		return false;
	snprintf(ret, CDN_PATH_MAX + 1, "%s", line + sizeof(key) - 1);
	return true;
}

/* What it names, from the directory of the file. */
static bool
find_gitdir(const char *workspace, struct stat *ret_st, struct cdn_real *ret)
{
	char name[CDN_PATH_MAX + 1];

	return read_gitfile(workspace, ret_st, name) &&
	    cdn_path_resolve(workspace, cdn_str_of(name), ret, NULL) == 0 &&
	    ret->exists && ret->is_directory;
}

/* The length of COMMON in COMMON/worktrees/NAME; 0 when it is not so. */
static size_t
common_length(const struct cdn_real *gitdir)
{
	const char *name = strrchr(gitdir->path, '/');
	size_t n = (size_t)(name - gitdir->path), w = sizeof(worktrees) - 1;

	if (n < w + 2 || memcmp(name - w, worktrees, w) != 0 ||
	    gitdir->path[n - w - 1] != '/')
		return 0;
	return n - w - 1;
}

/* Does the repository say that its worktree is this file? */
static bool
names_back(const struct cdn_real *gitdir, const struct stat *file)
{
	char name[CDN_PATH_MAX + sizeof("/gitdir")];
	char line[LINE_MAX_BYTES + 1];
	struct cdn_real back;
	struct stat st;

	snprintf(name, sizeof(name), "%s/gitdir", gitdir->path);
	return read_line(name, line, &st) &&
	    cdn_path_resolve(gitdir->path, cdn_str_of(line), &back, NULL) ==
		0 && back.exists && back.dev == file->st_dev &&
	    back.ino == file->st_ino;
}

/* Is it there, with that type, and no link? */
static bool
has(const char *dir, size_t n, const char *name, mode_t type)
{
	char path[CDN_PATH_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%.*s/%s", (int)n, dir, name);
	return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == type;
}

/* A repository, and not a directory that is only called as its parts are. */
static bool
is_repository(const struct cdn_real *gitdir, size_t common)
{
	return has(gitdir->path, common, "HEAD", S_IFREG) &&
	    has(gitdir->path, common, "config", S_IFREG) &&
	    has(gitdir->path, common, "objects", S_IFDIR) &&
	    has(gitdir->path, common, "refs", S_IFDIR) &&
	    has(gitdir->path, gitdir->len, "HEAD", S_IFREG) &&
	    has(gitdir->path, gitdir->len, "commondir", S_IFREG);
}

/* Then whoever writes the workspace could have made all of it himself. */
static bool
is_above(const struct cdn_real *gitdir, const char *workspace)
{
	return cdn_placelist_below(workspace, gitdir->path);
}

bool
cdn_gitfile_name(const char *top, char ret[CDN_PATH_MAX + 1])
{
	struct stat st;

	return read_gitfile(top, &st, ret);
}

bool
cdn_gitfile_target(const char *top, struct cdn_real *ret)
{
	struct stat st;

	return find_gitdir(top, &st, ret);
}

bool
cdn_gitdir_common(const char *gitdir, struct cdn_real *ret)
{
	char file[CDN_PATH_MAX + sizeof("/.git/commondir")];
	char line[LINE_MAX_BYTES + 1];
	struct stat st;

	snprintf(file, sizeof(file), "%s/commondir", gitdir);
	return read_line(file, line, &st) &&
	    cdn_path_resolve(gitdir, cdn_str_of(line), ret, NULL) == 0 &&
	    ret->exists && ret->is_directory;
}

int
cdn_worktree_find(struct cdn_arena *arena, const char *workspace,
    struct cdn_worktree *ret, struct cordon_error *err)
{
	struct cdn_worktree found = { 0 };
	struct cdn_real gitdir;
	struct stat file;
	size_t n = 0;

	if (find_gitdir(workspace, &file, &gitdir))
		n = common_length(&gitdir);
	if (n > 0 && !is_above(&gitdir, workspace) &&
	    is_repository(&gitdir, n) && names_back(&gitdir, &file)) {
		found.gitdir = cdn_arena_dup(arena, gitdir.path, gitdir.len);
		found.common = cdn_arena_dup(arena, gitdir.path, n);
		if (found.gitdir == NULL || found.common == NULL)
			return cdn_err_nomem(err);
	}
	*ret = found;
	return 0;
}
