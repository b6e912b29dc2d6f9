/*
 * walk - resolving a name component by component, without openat2 or /proc.
 *
 *	pending  "l/../x/y"      what is left; links are expanded into it
 *	path     "/w/src"        what was reached: canonical, no links
 *	dirfd    -> /w/src       the deepest directory that is there
 *
 * Every step is taken from the descriptor of the step before and follows no
 * link by itself, so nobody can put another directory under a name that was
 * already passed.  Below the deepest directory there is only text, and ".."
 * takes text away; whoever comes back from there walks on among real things.
 *
 * ".." is asked of the kernel and must lead to the directory we came through.
 * When it does not, something was moved meanwhile, path would be a name that
 * never was, and the walk begins again.
 */
#include "enforce/path/path_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PENDING_MAX	 (4UL * CDN_PATH_MAX) /* bytes left, links expanded */
#define LEVELS_MAX	 (CDN_PATH_MAX / 2)   /* "/a/a/a..." */
#define ATTEMPTS_MAX	 16
#define PROC_MAGIC	 0x00009fa0U
#define PROC_ROOT_INO	 1 /* fixed by the kernel */
#define SECURITYFS_MAGIC 0x73636673U
#define NOSYMFOLLOW	 0x2000 /* ST_NOSYMFOLLOW, since 5.10 */
#define STEP		 (O_PATH | O_NOFOLLOW | O_CLOEXEC)

struct walk {
	int dirfd;
	struct stat dir;  /* of dirfd */
	size_t dir_len;	  /* path[0..dir_len) names it; 0 = "/" */
	unsigned level;	  /* of dirfd, below "/" */
	unsigned textual; /* components of path below dirfd */
	bool has_leaf;	  /* the first of them is there: no directory */
	struct stat leaf; /* then this is its stat */
	size_t leaf_len;  /* and its end in path */
	unsigned links;	  /* followed so far */
	bool moved;	  /* ".." led elsewhere: begin again */
	size_t len;
	char path[CDN_PATH_MAX + 1];   /* no NUL, no "/" at its end */
	uint64_t ids[LEVELS_MAX + 1];  /* who dirfd was, level by level */
	size_t at;		       /* pending[at..) is left */
	char pending[PENDING_MAX + 1]; /* right-aligned, NUL at the end */
};

/* One component, NUL-terminated inside pending. */
struct step {
	const char *name;
	size_t n;
	bool slash; /* something, perhaps only "/", follows */
};

static cdn_str
reached(const struct walk *w)
{
	return (cdn_str){ w->len > 0 ? w->path : "/", w->len > 0 ? w->len : 1 };
}

/* ----- What is left ------------------------------------------------------- */

static bool
prepend(struct walk *w, const char *text, size_t n)
{
	if (n > w->at)
		return false;
	w->at -= n;
	memcpy(w->pending + w->at, text, n);
	return true;
}

static bool
next_step(struct walk *w, struct step *ret)
{
	char *end;

	w->at += strspn(w->pending + w->at, "/");
	if (w->pending[w->at] == '\0')
		return false;
	ret->name = w->pending + w->at;
	ret->n = strcspn(ret->name, "/");
	end = w->pending + w->at + ret->n;
	ret->slash = *end == '/';
	*end = '\0';
	w->at += ret->n + ret->slash;
	return true;
}

/* ----- What was reached --------------------------------------------------- */

static int
append(struct walk *w, const struct step *step, struct cordon_error *err)
{
	if (step->n + 1 > CDN_PATH_MAX - w->len)
		return cdn_path_error(err, ENAMETOOLONG, reached(w));
	w->path[w->len] = '/';
	memcpy(w->path + w->len + 1, step->name, step->n);
	w->len += step->n + 1;
	return 0;
}

static uint64_t
identity(const struct stat *st)
{
	return (uint64_t)st->st_ino ^
	    (uint64_t)st->st_dev * 0x9e3779b97f4a7c15ULL;
}

/* Takes fd over, whatever happens. */
static int
stand_on(struct walk *w, int fd, unsigned level, struct cordon_error *err)
{
	if (fd < 0 || fstat(fd, &w->dir) != 0) {
		int error = errno;

		cdn_cleanup_fd_fn(&fd);
		return cdn_path_error(err, error, reached(w));
	}
	cdn_cleanup_fd_fn(&w->dirfd);
	w->dirfd = fd;
	w->level = level;
	w->dir_len = w->len;
	w->textual = 0;
	w->has_leaf = false;
	return 0;
}

static int
stand_on_root(struct walk *w, struct cordon_error *err)
{
	int r;

	w->len = 0;
	r = stand_on(w, open("/", STEP | O_DIRECTORY), 0, err);
	if (r == 0)
		w->ids[0] = identity(&w->dir);
	return r;
}

static void
drop_last(struct walk *w)
{
	w->len = cdn_path_parent(w->path, w->len);
}

static int
go_up(struct walk *w, struct cordon_error *err)
{
	int r;

	if (w->textual > 0) {
		drop_last(w);
		if (--w->textual == 0)
			w->has_leaf = false;
		return 0;
	}
	if (w->level == 0)
		return 0;
	drop_last(w);
	r = stand_on(w, openat(w->dirfd, "..", STEP | O_DIRECTORY),
	    w->level - 1, err);
	if (r == 0 && identity(&w->dir) != w->ids[w->level])
		w->moved = true;
	return r;
}

/* ----- One step down ------------------------------------------------------ */

/*
 * A link that is not just text: the kernel jumps to an object of its own
 * choosing.  In procfs all are of that kind but those in its root (self,
 * thread-self, mounts, net); in securityfs there is apparmor/policy.
 */
static bool
is_magic(const struct walk *w, const struct statfs *fs)
{
	if ((uint32_t)fs->f_type == PROC_MAGIC)
		return w->dir.st_ino != PROC_ROOT_INO;
	return (uint32_t)fs->f_type == SECURITYFS_MAGIC;
}

static int
may_follow(struct walk *w, int fd, const struct step *step,
    struct cordon_error *err)
{
	struct statfs fs;

	if (w->links++ >= CDN_LINKS_MAX)
		return cdn_err(err, CORDON_E_LINKS,
		    "more than %d symbolic links at '%.*s/%s': is it a loop?",
		    CDN_LINKS_MAX, (int)w->len, w->path, step->name);
	if (fstatfs(fd, &fs) != 0)
		return cdn_path_error(err, errno, reached(w));
	if (!is_magic(w, &fs) && ((unsigned long)fs.f_flags & NOSYMFOLLOW) == 0)
		return 0;
	(void)cdn_err(err, CORDON_E_RESOLVE,
	    "'%.*s/%s' is a link that is not followed; "
	    "name its target instead",
	    (int)w->len, w->path, step->name);
	if (err != NULL)
		err->sys_errno = ELOOP;
	return CORDON_E_RESOLVE;
}

static int
follow(struct walk *w, int fd, const struct step *step,
    struct cordon_error *err)
{
	char target[CDN_PATH_MAX + 1];
	ssize_t n;
	int r = may_follow(w, fd, step, err);

	if (r < 0)
		return r;
	n = readlinkat(fd, "", target, sizeof(target));
	if (n <= 0)
		return cdn_path_error(err, n < 0 ? errno : ENOENT, reached(w));
	if ((size_t)n == sizeof(target) ||
	    (step->slash && !prepend(w, "/", 1)) ||
	    !prepend(w, target, (size_t)n))
		return cdn_path_error(err, ENAMETOOLONG, reached(w));
	return target[0] == '/' ? stand_on_root(w, err) : 0;
}

/*
 * With O_DIRECTORY where more follows, as the kernel walks: that is what
 * makes an automounter mount.
 */
static int
open_step(const struct walk *w, const struct step *step)
{
	int fd = -1;

	if (step->slash)
		fd = openat(w->dirfd, step->name, STEP | O_DIRECTORY);
	if (fd < 0 && (!step->slash || errno == ENOTDIR))
		fd = openat(w->dirfd, step->name, STEP);
	return fd;
}

static int
add_text(struct walk *w, const struct step *step, struct cordon_error *err)
{
	int r = append(w, step, err);

	if (r == 0)
		w->textual++;
	return r;
}

static int
add_leaf(struct walk *w, const struct step *step, const struct stat *st,
    struct cordon_error *err)
{
	int r = add_text(w, step, err);

	if (r < 0)
		return r;
	w->has_leaf = true;
	w->leaf = *st;
	w->leaf_len = w->len;
	return 0;
}

static int
add_directory(struct walk *w, int *fd, const struct step *step,
    struct cordon_error *err)
{
	int own, r = append(w, step, err);

	if (r < 0)
		return r;
	own = *fd;
	*fd = -1;
	r = stand_on(w, own, w->level + 1, err);
	if (r == 0)
		w->ids[w->level] = identity(&w->dir);
	return r;
}

static int
go_down(struct walk *w, const struct step *step, struct cordon_error *err)
{
	cdn_cleanup_fd int fd = -1;
	struct stat st;

	if (w->textual > 0)
		return add_text(w, step, err);
	fd = open_step(w, step);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return add_text(w, step, err);
	if (fd < 0 || fstat(fd, &st) != 0) {
		int error = errno;

		(void)append(w, step, NULL); /* say which it was */
		return cdn_path_error(err, error, reached(w));
	}
	if (S_ISLNK(st.st_mode))
		return follow(w, fd, step, err);
	if (S_ISDIR(st.st_mode))
		return add_directory(w, &fd, step, err);
	return add_leaf(w, step, &st, err);
}

/* ----- The whole ---------------------------------------------------------- */

static int
walk_on(struct walk *w, struct cordon_error *err)
{
	struct step step;
	int r = 0;

	while (r == 0 && !w->moved && next_step(w, &step)) {
		if (strcmp(step.name, ".") == 0)
			continue;
		r = strcmp(step.name, "..") == 0 ? go_up(w, err) :
						   go_down(w, &step, err);
	}
	return r;
}

/* base and raw fit: see PENDING_MAX. */
static int
begin(struct walk *w, const char *base, cdn_str raw, struct cordon_error *err)
{
	w->links = 0;
	w->moved = false;
	w->at = PENDING_MAX;
	w->pending[PENDING_MAX] = '\0';
	if (!prepend(w, raw.p, raw.n) ||
	    ((raw.n == 0 || raw.p[0] != '/') &&
		(!prepend(w, "/", 1) || !prepend(w, base, strlen(base)))))
		return cdn_path_error(err, ENAMETOOLONG, raw);
	return stand_on_root(w, err);
}

static void
finish(const struct walk *w, struct cdn_real *ret)
{
	cdn_str path = reached(w);

	*ret = (struct cdn_real){ .len = path.n };
	memcpy(ret->path, path.p, path.n);
	ret->existing = w->dir_len > 0 ? w->dir_len : 1;
	if (w->has_leaf)
		ret->existing = w->leaf_len;
	if (w->textual == 0)
		cdn_path_fill(ret, &w->dir);
	else if (w->textual == 1 && w->has_leaf)
		cdn_path_fill(ret, &w->leaf);
}

int
cdn_path_walk(const char *base, cdn_str raw, struct cdn_real *ret,
    struct cordon_error *err)
{
	/* It is large: begin() sets what is read, the compiler nothing. */
	CDN_UNINITIALIZED struct walk w;
	int r = 0;

	w.dirfd = -1;
	for (int i = 0; i < ATTEMPTS_MAX; i++) {
		r = begin(&w, base, raw, err);
		if (r == 0)
			r = walk_on(&w, err);
		if (r < 0 || !w.moved)
			break;
	}
	if (r == 0 && w.moved)
		r = cdn_path_error(err, EAGAIN, raw);
	if (r == 0)
		finish(&w, ret);
	cdn_cleanup_fd_fn(&w.dirfd);
	return r;
}
