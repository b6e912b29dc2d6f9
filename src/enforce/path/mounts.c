#include "enforce/path/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/sys/mounts.h"

#define ASKED_MAX  256	 /* mounts asked about one by one */
#define ROOM_FIRST 12288 /* bytes of mountinfo; most have fewer */

/* ----- Lines ---------------------------------------------------------------- */

static bool
is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' &&
	    p[2] >= '0' && p[2] <= '7';
}

/* Blanks, tabs, newlines and backslashes are written as \ooo. */
static bool
unescape(struct cdn_arena *arena, cdn_str *name)
{
	char *copy;
	size_t n = 0;

	if (name->n == 0 || memchr(name->p, '\\', name->n) == NULL)
		return true;
	copy = cdn_arena_alloc(arena, name->n + 1);
	if (copy == NULL)
		return false;
	for (size_t i = 0; i < name->n; i++) {
		const char *p = name->p + i;

		if (*p == '\\' && name->n - i > 3 && is_octal(p + 1)) {
			copy[n++] = (char)((p[1] - '0') << 6 |
			    (p[2] - '0') << 3 | (p[3] - '0'));
			i += 3;
		} else {
			copy[n++] = *p;
		}
	}
	*name = (cdn_str){ copy, n };
	return true;
}

/* "254:0" */
static bool
parse_dev(cdn_str text, uint64_t *ret)
{
	uint64_t major, minor;
	cdn_str part;

	if (!cdn_str_next(&text, ':', &part) ||
	    !cdn_str_parse_u64(part, &major) ||
	    !cdn_str_parse_u64(text, &minor) || (major | minor) >> 32 != 0)
		return false;
	*ret = major << 32 | minor;
	return true;
}

/* ID PARENT MAJOR:MINOR ROOT POINT ... */
static bool
parse_line(cdn_str line, struct cdn_mount *ret)
{
	cdn_str id, parent, dev;

	return cdn_str_next(&line, ' ', &id) &&
	    cdn_str_next(&line, ' ', &parent) &&
	    cdn_str_next(&line, ' ', &dev) && parse_dev(dev, &ret->dev) &&
	    cdn_str_next(&line, ' ', &ret->root) && ret->root.n > 0 &&
	    cdn_str_next(&line, ' ', &ret->point) && ret->point.n > 0 &&
	    ret->point.p[0] == '/';
}

static int
add_line(struct cdn_arena *arena, cdn_str line, struct cdn_mounts *mounts,
    size_t *room, struct cordon_error *err)
{
	struct cdn_mount *v;

	if (mounts->n >= CDN_MOUNTS_MAX)
		return cdn_err(err, CORDON_E_INVALID, "more than %d mounts",
		    CDN_MOUNTS_MAX);
	v = cdn_arena_grow(arena, mounts->v, mounts->n, room, sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(err);
	mounts->v = v;
	if (!parse_line(line, &v[mounts->n]))
		return cdn_err(err, CORDON_E_INVALID,
		    "mountinfo: cannot understand '%.*s'", CDN_STR_ARG(line));
	if (!unescape(arena, &v[mounts->n].root) ||
	    !unescape(arena, &v[mounts->n].point))
		return cdn_err_nomem(err);
	mounts->n++;
	return 0;
}

static int
compare_devs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Is a file system mounted twice?  Sorts them. */
static bool
is_shared(uint64_t *devs, size_t n)
{
	if (n > 0)
		qsort(devs, n, sizeof(*devs), compare_devs);
	for (size_t i = 1; i < n; i++)
		if (devs[i] == devs[i - 1])
			return true;
	return false;
}

static int
drop_unless_shared(struct cdn_arena *arena, struct cdn_mounts *mounts,
    struct cordon_error *err)
{
	uint64_t *devs = cdn_arena_array(arena, mounts->n, sizeof(*devs));

	if (devs == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < mounts->n; i++)
		devs[i] = mounts->v[i].dev;
	if (!is_shared(devs, mounts->n))
		mounts->n = 0;
	return 0;
}

int
cdn_mounts_parse(struct cdn_arena *arena, cdn_str text,
    struct cdn_mounts *ret, struct cordon_error *err)
{
	struct cdn_mounts mounts = { 0 };
	size_t room = 0;
	cdn_str line;
	int code = 0;

	while (code == 0 && cdn_str_next(&text, '\n', &line))
		if (line.n > 0)
			code = add_line(arena, line, &mounts, &room, err);
	if (code == 0)
		code = drop_unless_shared(arena, &mounts, err);
	if (code == 0)
		*ret = mounts;
	return code;
}

/* ----- The file ------------------------------------------------------------- */

/* All of it; 0 or an errno, EFBIG when that is too much. */
static int
read_all(int fd, struct cdn_buf *buf)
{
	CDN_UNINITIALIZED char room[ROOM_FIRST];
	ssize_t n;

	while ((n = read(fd, room, sizeof(room))) > 0) {
		if ((size_t)n > buf->max - buf->n)
			return EFBIG;
		cdn_buf_add(buf, room, (size_t)n);
		if (cdn_buf_failed(buf))
			return ENOMEM;
	}
	return n < 0 ? errno : 0;
}

static int
parse_copy(struct cdn_arena *arena, cdn_str text, struct cdn_mounts *ret,
    struct cordon_error *err)
{
	cdn_str copy;

	if (!cdn_arena_str(arena, text, &copy))
		return cdn_err_nomem(err);
	return cdn_mounts_parse(arena, copy, ret, err);
}

/*
 * Usually nothing is, and a kernel that can tell the devices alone tells so
 * much sooner than the file can be printed.  False: yes, or it cannot.
 */
static bool
none_is_shared(void)
{
	CDN_UNINITIALIZED uint64_t ids[ASKED_MAX];
	long n = cdn_sys_listmount(ids, ASKED_MAX);

	if (n <= 0 || n >= ASKED_MAX)
		return false;
	for (long i = 0; i < n; i++)
		if (cdn_sys_mount_dev(ids[i], &ids[i]) < 0)
			return false;
	return !is_shared(ids, (size_t)n);
}

int
cdn_mounts_read(struct cdn_arena *arena, struct cdn_mounts *ret,
    struct cordon_error *err)
{
	static const char file[] = "/proc/thread-self/mountinfo";
	cdn_cleanup_fd int fd = -1;
	struct cdn_buf buf;
	int code, error;

	if (none_is_shared()) {
		*ret = (struct cdn_mounts){ 0 };
		return 0;
	}
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return cdn_err(err, CORDON_E_NOT_FOUND,
		    "there is no '%s'", file);
	cdn_buf_init(&buf, CDN_MOUNTINFO_MAX);
	error = fd < 0 ? errno : read_all(fd, &buf);
	if (error == 0)
		code = parse_copy(arena, (cdn_str){ buf.p, buf.n }, ret, err);
	else if (error == ENOMEM)
		code = cdn_err_nomem(err);
	else
		code = cdn_err_sys(err, error, "cannot read '%s'", file);
	cdn_buf_done(&buf);
	return code;
}

/* ----- Aliases --------------------------------------------------------------- */

/* Of a path that is dir or lies below it: what follows, with its slash. */
static bool
rest_below(cdn_str path, cdn_str dir, cdn_str *ret)
{
	if (dir.n == 1)
		dir.n = 0; /* "/": every path begins with it */
	if (!cdn_str_starts(path, dir))
		return false;
	*ret = cdn_str_from(path, dir.n);
	if (ret->n == 1 && dir.n == 0)
		ret->n = 0; /* "/" itself */
	return ret->n == 0 || ret->p[0] == '/';
}

/* The mount that shows the path: the deepest, and of those the last. */
static const struct cdn_mount *
holder(const struct cdn_mounts *mounts, cdn_str path, cdn_str *ret_rest)
{
	const struct cdn_mount *best = NULL;
	cdn_str rest;

	for (size_t i = 0; i < mounts->n; i++) {
		const struct cdn_mount *m = &mounts->v[i];

		if ((best == NULL || m->point.n >= best->point.n) &&
		    rest_below(path, m->point, &rest)) {
			best = m;
			*ret_rest = rest;
		}
	}
	return best;
}

static const char *
join(struct cdn_arena *arena, cdn_str dir, cdn_str rest)
{
	if (dir.n == 1 && rest.n > 0)
		dir.n = 0;
	return cdn_arena_join(arena, dir, rest);
}

/* Where m shows (something of) `inner`, a path of its file system; NULL: not. */
static int
alias_in(struct cdn_arena *arena, const struct cdn_mounts *mounts,
    const struct cdn_mount *m, cdn_str inner, const char **ret)
{
	const char *name;
	cdn_str rest;

	*ret = NULL;
	if (!rest_below(inner, m->root, &rest)) {
		if (!rest_below(m->root, inner, &rest))
			return 0;
		rest = CDN_STR("");
	}
	name = join(arena, m->point, rest);
	if (name == NULL)
		return CORDON_E_NOMEM;
	if (holder(mounts, cdn_str_of(name), &rest) == m)
		*ret = name;
	return 0;
}

int
cdn_mounts_aliases(struct cdn_arena *arena, const struct cdn_mounts *mounts,
    const char *path, cdn_alias_fn *alias, void *arg, struct cordon_error *err)
{
	cdn_str rest;
	const struct cdn_mount *own = holder(mounts, cdn_str_of(path), &rest);
	const char *inner = NULL;

	for (size_t i = 0; own != NULL && i < mounts->n; i++) {
		const struct cdn_mount *m = &mounts->v[i];
		const char *name;

		if (m == own || m->dev != own->dev)
			continue;
		if (inner == NULL)
			inner = join(arena, own->root, rest);
		if (inner == NULL || alias_in(arena, mounts, m,
			cdn_str_of(inner), &name) != 0)
			return cdn_err_nomem(err);
		if (name != NULL)
			alias(name, arg);
	}
	return 0;
}
