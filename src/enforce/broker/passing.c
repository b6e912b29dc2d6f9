/*
 * Names that go on by themselves, told by the text of their paths.
 *
 * Most of what is made and removed in a run's own home and tmp goes on anyway,
 * and to open and look at its directory first would cost more than the call.  So
 * nothing is opened here that is kept: a path that leads through no link, to a
 * place in a native region where the policy allows it, goes on.  Whatever else
 * it is, is not known here, and whoever asked looks for himself.
 *
 * That is sound although he may change the path, the directory or where he
 * stands now, or has done so meanwhile, and whoever has his number by now: the
 * kernel checks the directory it really uses against Landlock, which holds the
 * rights to make, remove and move only in open regions.  A wrong guess would be
 * an EACCES of the kernel's, and who is gone does not go on.
 *
 * Only the kernel knows where he stands, and who works where nothing goes on
 * would pay for that each time: after one relative path in vain the next ones
 * are not tried.
 */
#include "enforce/broker/names.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/broker/inside.h"
#include "enforce/sys/sys.h"

#define IN_VAIN 16

/* ----- Is it worth a try? --------------------------------------------------------- */

static bool
is_worth(const struct cdn_call *call, const char *path)
{
	/* With mounts of its own, paths are not what we would see. */
	if (call->broker->spec.trace || call->broker->spec.spaces != NULL)
		return false;
	if (path[0] == '/')
		return true;
	if (call->kept->in_vain > 0) {
		call->kept->in_vain--;
		return false;
	}
	call->kept->in_vain = IN_VAIN;
	return true;
}

static bool
was_worth(const struct cdn_call *call)
{
	call->kept->in_vain = 0;
	return true;
}

/* ----- Where it is ---------------------------------------------------------------- */

/* Where he stands, or a descriptor of his, as text; false: unknown. */
static bool
read_base(const struct cdn_call *call, int dirfd, struct cdn_spot *ret)
{
	char link[CDN_BASE_LINK];
	ssize_t n;

	cdn_call_base_link(call, dirfd, link);
	n = readlink(link, ret->path, sizeof(ret->path));
	if (n <= 0 || (size_t)n >= sizeof(ret->path) || ret->path[0] != '/')
		return false;
	ret->base = n == 1 ? 0 : (size_t)n;
	return !cdn_str_ends((cdn_str){ ret->path, ret->base },
	    CDN_STR(CDN_DELETED));
}

/* A name behind what is there; false: one that does not just go down. */
static bool
put_name(struct cdn_spot *spot, cdn_str name)
{
	if (name.n == 0 || cdn_str_eq(name, CDN_STR(".")))
		return true;
	if (cdn_str_eq(name, CDN_STR("..")) ||
	    name.n + 1 >= sizeof(spot->path) - spot->n)
		return false;
	spot->in = spot->n;
	spot->path[spot->n] = '/';
	memcpy(spot->path + spot->n + 1, name.p, name.n);
	spot->n += name.n + 1;
	return true;
}

/* Behind ret->base; false: it ends in no plain name. */
static bool
put_path(struct cdn_spot *ret, const char *path)
{
	cdn_str rest = cdn_str_of(path), name = { 0 };

	ret->n = ret->in = ret->base;
	while (cdn_str_next(&rest, '/', &name))
		if (!put_name(ret, name))
			return false;
	ret->path[ret->n] = '\0';
	return name.n > 0 && !cdn_str_eq(name, CDN_STR("."));
}

static bool
find_spot(const struct cdn_call *call, int dirfd, const char *path,
    struct cdn_spot *ret)
{
	ret->base = 0;
	return (path[0] == '/' || read_base(call, dirfd, ret)) &&
	    put_path(ret, path);
}

/* Does the text of its directory lead there through no link? */
static bool
is_straight(const struct cdn_call *call, struct cdn_spot *spot)
{
	struct cdn_open_how how = { .flags = O_PATH | O_DIRECTORY,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };
	int fd;

	if (spot->in == spot->base && spot->base > 0)
		return true; /* he stands there */
	spot->path[spot->in] = '\0';
	fd = cdn_sys_openat2(call->broker->root_fd,
	    spot->in == 0 ? "/" : spot->path, &how);
	spot->path[spot->in] = '/';
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* What has, or perhaps has, other names is not for here. */
static bool
is_plain(const struct cdn_spot *spot, bool link)
{
	struct stat st;

	if (lstat(spot->path, &st) != 0)
		return errno == ENOENT;
	return (!S_ISREG(st.st_mode) || st.st_nlink == 1) &&
	    (link || !S_ISLNK(st.st_mode));
}

/* ----- May it go on? -------------------------------------------------------------- */

bool
cdn_passes_made(const struct cdn_call *call, int dirfd, const char *path,
    bool reads)
{
	CDN_UNINITIALIZED struct cdn_spot spot;

	return is_worth(call, path) && find_spot(call, dirfd, path, &spot) &&
	    cdn_call_passes(call, &spot, reads) && is_straight(call, &spot) &&
	    was_worth(call);
}

bool
cdn_passes_linked(const struct cdn_call *call, int dirfd, const char *path)
{
	CDN_UNINITIALIZED struct cdn_spot spot;

	return is_worth(call, path) && find_spot(call, dirfd, path, &spot) &&
	    cdn_call_passes_pair(call, CDN_SYMLINK, &spot, &spot) &&
	    is_straight(call, &spot) && was_worth(call);
}

bool
cdn_passes_removed(const struct cdn_call *call, int dirfd, const char *path)
{
	CDN_UNINITIALIZED struct cdn_spot spot;

	return is_worth(call, path) && find_spot(call, dirfd, path, &spot) &&
	    cdn_call_passes(call, &spot, false) && is_straight(call, &spot) &&
	    is_plain(&spot, true) && was_worth(call);
}

/* The second of two paths: he stands where he stood for the first. */
static bool
find_second(const struct cdn_call *call, const int dirfds[2],
    char *const paths[2], const struct cdn_spot *first, struct cdn_spot *ret)
{
	if (paths[0][0] == '/' || paths[1][0] == '/' || dirfds[0] != dirfds[1])
		return find_spot(call, dirfds[1], paths[1], ret);
	ret->base = first->base;
	memcpy(ret->path, first->path, first->base);
	return put_path(ret, paths[1]);
}

static bool
is_same_directory(const struct cdn_spot *a, const struct cdn_spot *b)
{
	return a->in == b->in && memcmp(a->path, b->path, a->in) == 0;
}

/* Judged as a directory, whatever it is; a link would be another question. */
bool
cdn_passes_renamed(const struct cdn_call *call, const int dirfds[2],
    char *const paths[2])
{
	CDN_UNINITIALIZED struct cdn_spot from, to;

	return is_worth(call, paths[0]) &&
	    find_spot(call, dirfds[0], paths[0], &from) &&
	    find_second(call, dirfds, paths, &from, &to) &&
	    cdn_call_passes_pair(call, CDN_RENAME_DIR, &from, &to) &&
	    is_straight(call, &from) &&
	    (is_same_directory(&from, &to) || is_straight(call, &to)) &&
	    is_plain(&from, false) && is_plain(&to, true) && was_worth(call);
}
