/*
 * replace - new contents for a name, in one step.
 *
 *	judge ─► directory ─► nameless file ─► (written) ─► name ─► rename
 *
 * The directory is kept as a descriptor, so the rename happens in the one that
 * was judged; a rename replaces a link, it never goes through one.  A file
 * without a name (O_TMPFILE) is gone by itself when somebody kills us.
 */
#include "enforce/gate/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

#define NEW_MODE 0666 /* less the umask */

static int
fail(const struct cdn_replacement *r, int sys_errno, const char *what,
    struct cordon_refused *refused, struct cordon_error *err)
{
	cdn_gate_refuse(refused, CORDON_REFUSAL_OS);
	return cdn_err_sys(err, sys_errno, "cannot %s '%s'", what,
	    r->real.path);
}

static int
changed(const struct cdn_replacement *r, struct cordon_refused *refused,
    struct cordon_error *err)
{
	cdn_gate_refuse(refused, CORDON_REFUSAL_OS);
	return cdn_err(err, CORDON_E_RESOLVE,
	    "'%s' was changed by somebody else meanwhile (read it again)",
	    r->real.path);
}

static const char *
last_name(const struct cdn_real *real)
{
	return strrchr(real->path, '/') + 1;
}

/* ----- What is there ------------------------------------------------------------- */

/* 0, -errno, or -EAGAIN: it is not what was resolved. */
static int
look(struct cdn_replacement *r)
{
	struct stat st;

	if (fstatat(r->dir, last_name(&r->real), &st,
		AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT && !r->real.exists ? 0 : -EAGAIN;
	if (!r->real.exists || S_ISLNK(st.st_mode))
		return -EAGAIN;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENODEV;
	r->existed = true;
	r->mode = st.st_mode & 0777U;
	r->changed = st.st_mtim;
	r->real.dev = st.st_dev;
	r->real.ino = st.st_ino;
	r->real.nlink = st.st_nlink;
	return 0;
}

static bool
is_as_seen(const struct cdn_replacement *r)
{
	struct stat st;

	if (fstatat(r->dir, last_name(&r->real), &st,
		AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT && !r->existed;
	return r->existed && st.st_dev == r->real.dev &&
	    st.st_ino == r->real.ino &&
	    st.st_mtim.tv_sec == r->changed.tv_sec &&
	    st.st_mtim.tv_nsec == r->changed.tv_nsec;
}

/* The directory is where it was judged to be. */
static bool
is_in_place(const struct cdn_replacement *r)
{
	size_t len = (size_t)(last_name(&r->real) - r->real.path) - 1;
	struct cdn_real now;

	return cdn_path_of_fd(r->dir, &now, NULL) == 0 &&
	    (len == 0 ? now.len == 1 :
	    now.len == len && memcmp(now.path, r->real.path, len) == 0);
}

/* ----- Beginning ------------------------------------------------------------------- */

static int
judge(const struct cordon_path_policy *policy, const struct cdn_replacement *r,
    struct cordon_refused *refused, struct cordon_error *err)
{
	int code = cdn_gate_judge(policy, CORDON_MODIFY, &r->real, refused,
	    err);

	if (code == 0 && cdn_gate_forbids_part(policy->session, r->dir,
		r->real.path, r->existed))
		code = cdn_gate_refuse_part(r->real.path, refused, err);
	return code;
}

/* 0, a code of cordon.h, or 1: once more. */
static int
find(const struct cordon_path_policy *policy, cdn_str raw,
    struct cdn_replacement *r, struct cordon_refused *refused,
    struct cordon_error *err)
{
	size_t len;
	int code = cdn_gate_enforce(policy, policy->base, CORDON_MODIFY, raw,
	    &r->real, refused, err);

	if (code != 0)
		return code;
	if (r->real.len == 1)
		return fail(r, EISDIR, "write", refused, err);
	len = (size_t)(last_name(&r->real) - r->real.path) - 1;
	if (r->real.existing < len) {
		cdn_gate_refuse(refused, CORDON_REFUSAL_MISSING);
		return cdn_err(err, CORDON_E_NOT_FOUND,
		    "the directory of '%s' does not exist", r->real.path);
	}
	r->dir = cdn_gate_open_parent(r->real.path, len);
	if (r->dir < 0)
		return r->dir == -EAGAIN ? 1 :
		    fail(r, -r->dir, "write", refused, err);
	code = look(r);
	if (code == 0)
		return judge(policy, r, refused, err);
	if (code != -EAGAIN)
		return fail(r, -code, "write", refused, err);
	close(r->dir);
	r->dir = -1;
	return 1;
}

/* No two in one process; others are met by O_EXCL. */
static void
make_name(struct cdn_replacement *r)
{
	static atomic_uint count;

	snprintf(r->temp, sizeof(r->temp), ".cordon-%x-%x.tmp",
	    (unsigned)getpid(), atomic_fetch_add(&count, 1));
}

static int
make_file(struct cdn_replacement *r)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", r->dir);
	r->fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, NEW_MODE);
	r->nameless = r->fd >= 0;
	for (int i = 0; i < CDN_GATE_TRIES && r->fd < 0; i++) {
		make_name(r);
		r->fd = openat(r->dir, r->temp, O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, NEW_MODE);
		if (r->fd < 0) {
			r->temp[0] = '\0';
			if (errno != EEXIST)
				return -errno;
		}
	}
	if (r->fd < 0)
		return -EEXIST;
	return r->existed && fchmod(r->fd, r->mode) != 0 ? -errno : 0;
}

int
cdn_gate_replace_begin(const struct cordon_path_policy *policy, cdn_str raw,
    struct cdn_replacement *ret, struct cordon_refused *refused,
    struct cordon_error *err)
{
	int code = 1;

	*ret = (struct cdn_replacement){ .fd = -1, .dir = -1,
		.session = policy->session };
	for (int i = 0; i < CDN_GATE_TRIES && code == 1; i++)
		code = find(policy, raw, ret, refused, err);
	if (code == 1)
		return changed(ret, refused, err);
	if (code != 0)
		return code;
	code = make_file(ret);
	return code != 0 ? fail(ret, -code, "write", refused, err) : 0;
}

/* ----- The end ------------------------------------------------------------------------ */

static int
give_name(struct cdn_replacement *r)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", r->fd);
	for (int i = 0; i < CDN_GATE_TRIES; i++) {
		make_name(r);
		if (linkat(AT_FDCWD, self, r->dir, r->temp,
			AT_SYMLINK_FOLLOW) == 0) {
			r->nameless = false;
			return 0;
		}
		r->temp[0] = '\0';
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int
cdn_gate_replace_commit(struct cdn_replacement *r,
    struct cordon_refused *refused, struct cordon_error *err)
{
	const char *name = last_name(&r->real);
	int code = r->nameless ? give_name(r) : 0;

	if (code != 0)
		return fail(r, -code, "write", refused, err);
	if (!is_in_place(r) || !is_as_seen(r))
		return changed(r, refused, err);
	if (renameat2(r->dir, r->temp, r->dir, name,
		r->existed ? 0 : RENAME_NOREPLACE) != 0)
		return errno == EEXIST ? changed(r, refused, err) :
		    fail(r, errno, "write", refused, err);
	r->temp[0] = '\0';
	if (r->existed ||
	    !cdn_gate_forbids_part(r->session, r->dir, r->real.path, false))
		return 0;
	(void)unlinkat(r->dir, name, 0);
	return cdn_gate_refuse_part(r->real.path, refused, err);
}

void
cdn_gate_replace_done(struct cdn_replacement *r)
{
	if (r->temp[0] != '\0')
		(void)unlinkat(r->dir, r->temp, 0);
	if (r->fd >= 0)
		close(r->fd);
	if (r->dir >= 0)
		close(r->dir);
	*r = (struct cdn_replacement){ .fd = -1, .dir = -1 };
}
