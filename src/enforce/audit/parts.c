#include "enforce/audit/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/audit/place.h"

/* ----- Finding them ------------------------------------------------------- */

/* "audit.jsonl.48211", with these two given -> 48211; 0 when it is no part. */
static uint64_t
part_number(const char *name, cdn_str base)
{
	cdn_str rest = cdn_str_of(name);
	uint64_t number;

	if (rest.n <= base.n + 1 || !cdn_str_starts(rest, base) ||
	    rest.p[base.n] != '.')
		return 0;
	rest = cdn_str_from(rest, base.n + 1);
	return cdn_line_take_number(&rest, &number) && rest.n == 0 ? number : 0;
}

static int
by_first(const void *a, const void *b)
{
	const struct cdn_part *one = a, *other = b;

	return one->first < other->first ? -1 : one->first > other->first;
}

struct finding {
	struct cdn_arena *arena;
	const char *file;
	cdn_str base;
	struct cdn_parts parts;
	size_t room;
};

static int
add(struct finding *f, uint64_t first, struct cordon_error *err)
{
	struct cdn_part *v;

	if (f->parts.n >= CDN_AUDIT_PARTS_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "audit file '%s' has more than %d parts (move the oldest "
		    "away)", f->file, CDN_AUDIT_PARTS_MAX);
	v = cdn_arena_grow(f->arena, f->parts.v, f->parts.n, &f->room,
	    sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(err);
	f->parts.v = v;
	v[f->parts.n].name = cdn_arena_printf(f->arena, "%s.%llu", f->file,
	    (unsigned long long)first);
	v[f->parts.n].first = first;
	return v[f->parts.n++].name == NULL ? cdn_err_nomem(err) : 0;
}

static int
read_names(struct finding *f, DIR *dir, struct cordon_error *err)
{
	const struct dirent *entry;
	int r = 0;

	while (r == 0 && (entry = readdir(dir)) != NULL) {
		uint64_t first = part_number(entry->d_name, f->base);

		if (first > 0)
			r = add(f, first, err);
	}
	return r;
}

int
cdn_parts_find(struct cdn_arena *arena, const char *file,
    struct cdn_parts *ret, struct cordon_error *err)
{
	const char *slash = strrchr(file, '/');
	struct finding f = { .arena = arena, .file = file,
		.base = cdn_str_of(slash == NULL ? file : slash + 1) };
	const char *name = slash == NULL ? "." : slash == file ? "/" :
	    cdn_arena_dup(arena, file, (size_t)(slash - file));
	DIR *dir = name == NULL ? NULL : opendir(name);
	int r;

	if (name == NULL)
		return cdn_err_nomem(err);
	if (dir == NULL && errno != ENOENT && errno != EACCES)
		return cdn_err_sys(err, errno, "cannot list '%s'", name);
	r = dir == NULL ? 0 : read_names(&f, dir, err);
	if (dir != NULL)
		closedir(dir);
	if (r != 0)
		return r;
	if (f.parts.n > 1)
		qsort(f.parts.v, f.parts.n, sizeof(*f.parts.v), by_first);
	*ret = f.parts;
	return 0;
}

int
cdn_part_open(const char *name, struct cordon_error *err)
{
	struct stat st;
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return cdn_err(err, CORDON_E_NOT_FOUND,
		    "there is no audit file '%s'", name);
	if (fd < 0)
		return cdn_err_sys(err, errno, "cannot open audit file '%s'",
		    name);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return cdn_err(err, CORDON_E_INVALID,
	    "audit file '%s' is not a regular file", name);
}

/* ----- Putting the file away ---------------------------------------------- */

bool
cdn_chain_is_current(const struct cdn_chain *chain)
{
	struct stat ours, there;

	return fstat(chain->fd, &ours) == 0 &&
	    lstat(chain->file, &there) == 0 && ours.st_dev == there.st_dev &&
	    ours.st_ino == there.st_ino;
}

/* With a head that knows lines the file must be there, or be made by us. */
/* Beside the writers' lock, which is on the head. */
static bool
lock_use(int fd, short kind)
{
	struct flock use = { .l_type = kind, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &use) == 0;
}

void
cdn_chain_use(int fd)
{
	(void)lock_use(fd, F_RDLCK);
}

int
cdn_chain_reopen(struct cdn_chain *chain, struct cordon_error *err)
{
	struct stat st;
	int fd;

	if (lstat(chain->file, &st) != 0 && errno == ENOENT)
		return cdn_err(err, CORDON_E_INVALID,
		    "audit file '%s' was removed while it was in use; "
		    "start again to make a new one", chain->file);
	fd = cdn_place_open(chain->file, O_APPEND, err);
	if (fd < 0)
		return fd;
	close(chain->fd);
	chain->fd = fd;
	cdn_chain_use(fd);
	return 0;
}

/* The number of the first line, by what stands there. */
static bool
read_first(int fd, uint64_t *ret)
{
	char text[256];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	struct cdn_link link;

	if (n <= 0 || !cdn_line_link((cdn_str){ text, (size_t)n }, &link))
		return false;
	*ret = link.seq;
	return true;
}

static int
put_away(struct cdn_chain *chain, struct cordon_error *err)
{
	char name[CDN_PATH_MAX + 32];
	uint64_t first;
	int fd;

	if (!read_first(chain->fd, &first))
		return cdn_err(err, CORDON_E_INVALID,
		    "audit file '%s' does not begin with an event; move it and "
		    "its .head away", chain->file);
	snprintf(name, sizeof(name), "%s.%llu", chain->file,
	    (unsigned long long)first);
	if (renameat2(AT_FDCWD, chain->file, AT_FDCWD, name,
		RENAME_NOREPLACE) != 0) {
		if (errno == EACCES)
			return 0; /* confined, as who judges is: others may */
		chain->known = false;
		return cdn_err_sys(err, errno,
		    "cannot put the full audit file '%s' away as '%s'",
		    chain->file, name);
	}
	chain->known = false;
	fd = cdn_place_open(chain->file, O_APPEND, err);
	if (fd < 0)
		return fd;
	close(chain->fd);
	chain->fd = fd;
	chain->size = 0;
	chain->known = true;
	return 0;
}

int
cdn_chain_rotate(struct cdn_chain *chain, struct cordon_error *err)
{
	int code;

	if (!lock_use(chain->fd, F_WRLCK))
		return 0;
	code = put_away(chain, err);
	cdn_chain_use(chain->fd);
	return code;
}

/* ----- What came before --------------------------------------------------- */

static bool
last_of(int fd, char *space, struct cdn_link *ret)
{
	struct stat st;
	off_t n, at;
	const char *start;
	cdn_str line;

	if (fstat(fd, &st) != 0 || st.st_size < 2)
		return false;
	n = st.st_size < CDN_AUDIT_LINE_MAX ? st.st_size : CDN_AUDIT_LINE_MAX;
	at = st.st_size - n;
	if (pread(fd, space, (size_t)n, at) != n || space[n - 1] != '\n')
		return false;
	start = memrchr(space, '\n', (size_t)n - 1);
	if (start == NULL && at > 0)
		return false;
	line.p = start == NULL ? space : start + 1;
	line.n = (size_t)(space + n - 1 - line.p);
	if (!cdn_line_link(line, ret))
		return false;
	cdn_link_hash(line, ret->hash);
	return true;
}

bool
cdn_chain_before(const struct cdn_chain *chain, struct cdn_link *ret)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_parts parts = { 0 };
	bool good = false;
	int fd = -1;

	if (arena != NULL &&
	    cdn_parts_find(arena, chain->file, &parts, NULL) == 0 &&
	    parts.n > 0)
		fd = cdn_part_open(parts.v[parts.n - 1].name, NULL);
	if (fd >= 0) {
		good = last_of(fd, chain->space, ret);
		close(fd);
	}
	cdn_arena_free(arena);
	return good;
}
