/*
 * From a path to the directory that holds its last name, and the name.
 */
#include "enforce/broker/names.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * "a/b/c/": "a/b/." and "c/".  The length of the name, without its slash.  The
 * dot asks whether one may search there, which is the first thing to be asked.
 */
static size_t
split(const char *path, char directory[CDN_PATH_MAX + 1],
    struct cdn_named *ret)
{
	size_t end = strlen(path), begin;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && path[begin - 1] != '/';)
		begin--;
	ret->slash = path[end] == '/';
	if (end == 0)
		directory[begin++] = '/';
	else
		memcpy(directory, path, begin);
	memcpy(directory + begin, ".", 2);
	begin = end == 0 ? 0 : begin;
	/* One that is too long stays so: whoever looks for it is told. */
	if (end - begin > CDN_NAME_BYTES)
		end = begin + CDN_NAME_BYTES + 1;
	memcpy(ret->name, path + begin, end - begin);
	ret->name[end - begin] = '\0';
	return end - begin;
}

static int
compose(struct cdn_named *named)
{
	const char *in = named->in.path;
	int n = snprintf(named->at.path, sizeof(named->at.path), "%s/%s",
	    in[1] == '\0' ? "" : in, named->name);

	if (n < 0 || (size_t)n >= sizeof(named->at.path))
		return -ENAMETOOLONG;
	if (named->normal && named->slash)
		named->at.path[n - 1] = '\0';
	return 0;
}

static void
set_name(struct cdn_named *named, size_t n)
{
	named->normal = n > 0 && strcmp(named->name, ".") != 0 &&
	    strcmp(named->name, "..") != 0;
	if (named->slash)
		memcpy(named->name + n, "/", 2);
}

/*
 * A name alone lies where he stands.  Whether one may search there is the first
 * thing to be asked, by the dot; nearly always everybody may.
 */
static int
find_here(struct cdn_call *call, int dirfd, struct cdn_object *ret)
{
	const mode_t search = S_IXUSR | S_IXGRP | S_IXOTH;
	int r = cdn_object_of_fd(call, dirfd, ret);

	if (r < 0 || (ret->mode & search) == search)
		return r;
	cdn_object_done(ret);
	return cdn_object_find(call, dirfd, ".", 0, ret);
}

int
cdn_named_find(struct cdn_call *call, int dirfd, const char *path,
    struct cdn_named *ret)
{
	char directory[CDN_PATH_MAX + 1];
	size_t n;
	int r;

	if (path[0] == '\0')
		return -ENOENT;
	n = split(path, directory, ret);
	r = strcmp(directory, ".") == 0 ?
	    find_here(call, dirfd, &ret->in) :
	    cdn_object_find(call, dirfd, directory, 0, &ret->in);
	if (r < 0)
		return r;
	r = S_ISDIR(ret->in.mode) ? 0 : -ENOTDIR;
	if (r == 0) {
		set_name(ret, n);
		r = compose(ret);
	}
	ret->at.fd = -1;
	ret->at.parent = ret->in.fd; /* not its own */
	ret->at.name[0] = '\0';
	ret->at.on_proc = ret->in.on_proc;
	ret->at.may_fold = true; /* it is not known */
	ret->at.unnamed = false;
	if (r < 0)
		cdn_object_done(&ret->in);
	return r;
}

void
cdn_named_done(struct cdn_named *named)
{
	cdn_object_done(&named->in);
}

int
cdn_named_look(struct cdn_named *named)
{
	char name[sizeof(named->name)];
	size_t n = strlen(named->name) - named->slash;
	struct stat st;

	memset(&st, 0, sizeof(st));
	memcpy(name, named->name, n);
	name[n] = '\0';
	/* With the slash it would be what a link leads to. */
	if (named->normal && fstatat(named->in.fd, name, &st,
		AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT)
		return -errno;
	named->at.mode = st.st_mode;
	named->at.dev = st.st_dev;
	named->at.rdev = st.st_rdev;
	named->at.ino = st.st_ino;
	named->at.nlink = st.st_nlink;
	return 0;
}

int
cdn_named_check_new(const struct cdn_named *named, bool directory)
{
	if (!named->normal || named->at.mode != 0)
		return -EEXIST;
	return named->slash && !directory ? -ENOENT : 0;
}

int
cdn_named_moved(const struct cdn_call *call, struct cdn_named *named)
{
	char path[CDN_PATH_MAX + 1];
	int n = cdn_object_told(call, named->in.fd, path);

	if (n < 0)
		return n;
	if (strcmp(path, named->in.path) == 0)
		return 0;
	memcpy(named->in.path, path, (size_t)n + 1);
	n = compose(named);
	return n < 0 ? n : 1;
}

bool
cdn_named_is_native(const struct cdn_call *call,
    const struct cdn_named *named)
{
	return cdn_call_is_native(call, &named->in) &&
	    cdn_call_is_native(call, &named->at);
}

void
cdn_named_answer(struct cdn_call_answer *answer, int result)
{
	if (result < 0) {
		cdn_answer_error(answer, result);
		return;
	}
	answer->kind = result == CDN_NAMED_CONTINUE ? CDN_ANSWER_CONTINUE :
	    CDN_ANSWER_VALUE;
	answer->value = 0;
}
