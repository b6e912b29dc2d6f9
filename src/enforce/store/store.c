#include "enforce/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/store/file.h"

#define MODE_PRIVATE 0600U

/* ----- Single files ------------------------------------------------------- */

static int
read_at(int dirfd, const char *name, const char *shown, size_t max, bool follow,
    struct cdn_buf *ret, struct cordon_error *err)
{
	cdn_cleanup_fd int fd = cdn_file_open(dirfd, name, shown, follow, err);

	if (fd < 0)
		return fd;
	return cdn_file_read(fd, shown, max, ret, err);
}

int
cdn_store_read(const char *file, size_t max, bool follow, struct cdn_buf *ret,
    struct cordon_error *err)
{
	return read_at(AT_FDCWD, file, file, max, follow, ret, err);
}

int
cdn_store_write(const char *file, cdn_str bytes, unsigned mode,
    struct cordon_error *err)
{
	cdn_cleanup_fd int dirfd = -1;
	char dir[CDN_PATH_MAX + 1];
	const char *name;
	int r = cdn_file_split(file, dir, &name, err);

	if (r != 0)
		return r;
	dirfd = cdn_file_open_dir(dir, err);
	if (dirfd < 0)
		return dirfd;
	return cdn_file_replace(dirfd, name, file, bytes, mode, err);
}

typedef int cdn_parse_fn(cdn_str text, const char *source,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

static int
load_with(cdn_parse_fn *parse, int dirfd, const char *name, const char *shown,
    bool follow, struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	struct cdn_buf bytes;
	int r = read_at(dirfd, name, shown, CDN_DOCUMENT_MAX, follow, &bytes,
	    err);

	if (r != 0)
		return r;
	r = parse((cdn_str){ bytes.p, bytes.n }, shown, diags, ret, err);
	cdn_buf_done(&bytes);
	return r;
}

int
cdn_store_load(const char *file, bool follow, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	return load_with(cdn_policy_parse, AT_FDCWD, file, file, follow, diags,
	    ret, err);
}

int
cdn_store_load_part(const char *file, bool follow, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	return load_with(cdn_policy_parse_part, AT_FDCWD, file, file, follow,
	    diags, ret, err);
}

/* ----- Documents of a store ----------------------------------------------- */

#define STEM_TEXT "file stem '%s' does not match metadata.name '%s'"

static int
check_stem(const struct cordon_policy *policy, const char *stem,
    struct cordon_diags *diags, struct cordon_error *err)
{
	if (cdn_str_is(policy->name, stem))
		return 0;
	cdn_diag_add(diags, CORDON_ERROR, "S001", policy->name_pos,
	    "rename the file or the policy", STEM_TEXT, stem, policy->name.p);
	return cdn_err_at(err, CORDON_E_INVALID, policy->name_pos, STEM_TEXT,
	    stem, policy->name.p);
}

/* A document whose name is that of its file. */
static int
load_entry(cdn_parse_fn *parse, int dirfd, const char *name,
    const char *shown, const char *stem, struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	struct cordon_policy *policy;
	int r = load_with(parse, dirfd, name, shown, false, diags, &policy,
	    err);

	if (r != 0)
		return r;
	r = check_stem(policy, stem, diags, err);
	if (r != 0)
		cdn_policy_free(policy);
	else
		*ret = policy;
	return r;
}

static int
both_there(const char *dir, const char *stem, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID,
	    "both '%s.yaml' and '%s.yml' are in '%s': remove one of them", stem,
	    stem, dir);
}

/* dir + "/" + name, for people. */
static const char *
join(struct cdn_arena *arena, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return cdn_arena_printf(arena, "%s%s%s", dir,
	    n > 0 && dir[n - 1] == '/' ? "" : "/", name);
}

/* ----- Listing ------------------------------------------------------------ */

struct entry {
	const char *stem;
	const char *name;  /* in the directory; NULL when it went away */
	const char *shown; /* with the directory in front */
};

struct listing {
	const char *dir;
	struct cdn_arena *arena; /* everything below lies here */
	struct entry *v;
	size_t n, room;
};

/* Bytes of the name without ".yaml" or ".yml"; 0 when it has neither. */
static size_t
stem_length(const char *name)
{
	cdn_str s = cdn_str_of(name);

	if (s.p[0] == '.')
		return 0; /* hidden: a temporary file, an editor's lock */
	if (cdn_str_ends(s, CDN_STR(".yaml")))
		return s.n - 5;
	if (cdn_str_ends(s, CDN_STR(".yml")))
		return s.n - 4;
	return 0;
}

static int
add_entry(struct listing *l, const char *name, size_t stem_len,
    struct cordon_error *err)
{
	struct entry *entry;

	if (l->n == CDN_STORE_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "more than %d policies in '%s'", CDN_STORE_MAX, l->dir);
	l->v = cdn_arena_grow(l->arena, l->v, l->n, &l->room, sizeof(*l->v));
	if (l->v == NULL)
		return cdn_err_nomem(err);
	entry = &l->v[l->n++];
	entry->stem = cdn_arena_dup(l->arena, name, stem_len);
	entry->name = cdn_arena_dup(l->arena, name, strlen(name));
	entry->shown = join(l->arena, l->dir, name);
	if (entry->stem == NULL || entry->name == NULL || entry->shown == NULL)
		return cdn_err_nomem(err);
	return 0;
}

static int
consider(struct listing *l, int dirfd, const char *name,
    struct cordon_error *err)
{
	size_t stem_len = stem_length(name);
	struct stat st;

	if (stem_len == 0)
		return 0;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT)
			return 0;
		return cdn_err_sys(err, errno, "cannot look at '%s' in '%s'",
		    name, l->dir);
	}
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return 0;
	return add_entry(l, name, stem_len, err); /* a link: refused later */
}

static int
read_names(struct listing *l, DIR *stream, struct cordon_error *err)
{
	const struct dirent *entry;
	int r = 0;

	while (r == 0) {
		errno = 0;
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own */
		entry = readdir(stream);
		if (entry == NULL && errno != 0)
			return cdn_err_sys(err, errno,
			    "cannot read directory '%s'", l->dir);
		if (entry == NULL)
			return 0;
		r = consider(l, dirfd(stream), entry->d_name, err);
	}
	return r;
}

/* By bytes, whatever the locale; ".yaml" before ".yml". */
static int
by_stem(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->stem, y->stem);

	return order != 0 ? order : strcmp(x->name, y->name);
}

static int
check_entry(struct listing *l, size_t i, int dirfd, struct cordon_diags *diags,
    struct cordon_error *err)
{
	const struct entry *e = &l->v[i];
	struct cordon_policy *policy;
	int r = cdn_name_check(cdn_str_of(e->stem), err);

	if (r != 0)
		return cdn_err_context(err, r, "'%s'", e->shown);
	if (i > 0 && strcmp(l->v[i - 1].stem, e->stem) == 0)
		return both_there(l->dir, e->stem, err);
	/* One of the user may be merged over the one of the host. */
	r = load_entry(cdn_policy_parse_part, dirfd, e->name, e->shown,
	    e->stem, diags, &policy, err);
	if (r == 0)
		cdn_policy_free(policy);
	return r;
}

/*
 * Every document is looked at, so that all findings are there at once; the
 * error is the first in the order of the names.
 */
static int
check_entries(struct listing *l, int dirfd, struct cordon_diags *diags,
    struct cordon_error *err)
{
	struct cordon_error own;
	int first = 0;

	for (size_t i = 0; i < l->n; i++) {
		int r = check_entry(l, i, dirfd, diags, &own);

		if (r == CORDON_E_NOT_FOUND) {
			l->v[i].name = NULL;
			continue;
		}
		if (r < 0 && first == 0)
			first = cdn_file_fail(r, &own, err);
		if (r < 0 && r != CORDON_E_INVALID)
			break;
	}
	return first;
}

static int
make_listing(struct listing *l, DIR *stream, struct cordon_diags *diags,
    struct cordon_error *err)
{
	int r = read_names(l, stream, err);

	if (r != 0)
		return r;
	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), by_stem);
	return check_entries(l, dirfd(stream), diags, err);
}

/* NULL on failure: then *code is set. */
static DIR *
open_listing(struct listing *l, int *code, struct cordon_error *err)
{
	DIR *stream = NULL;
	int fd = cdn_file_open_dir(l->dir, err);

	if (fd < 0) {
		*code = fd;
		return NULL;
	}
	l->arena = cdn_arena_new();
	if (l->arena != NULL)
		stream = fdopendir(fd);
	if (stream != NULL)
		return stream;
	close(fd);
	cdn_arena_free(l->arena);
	*code = cdn_err_nomem(err);
	return NULL;
}

int
cdn_store_list(const char *dir, cdn_store_entry_fn *entry, void *arg,
    struct cordon_diags *diags, struct cordon_error *err)
{
	struct listing l = { .dir = dir };
	struct cordon_error own;
	int r = 0;
	DIR *stream = open_listing(&l, &r, &own);

	if (stream == NULL && r == CORDON_E_NOT_FOUND)
		return 0; /* no directory, no policies */
	if (stream == NULL)
		return cdn_file_fail(r, &own, err);
	r = make_listing(&l, stream, diags, err);
	for (size_t i = 0; r == 0 && i < l.n; i++)
		if (l.v[i].name != NULL)
			entry(l.v[i].stem, l.v[i].shown, arg);
	closedir(stream);
	cdn_arena_free(l.arena);
	return r;
}

/* ----- One by its name ---------------------------------------------------- */

/* The names a policy may have on disk; made after the name was checked. */
struct files {
	char yaml[CDN_NAME_MAX + sizeof(".yaml")];
	char yml[CDN_NAME_MAX + sizeof(".yml")];
	char shown[CDN_PATH_MAX + CDN_NAME_MAX + 16];
};

static void
show(struct files *f, const char *dir, const char *file)
{
	size_t n = strlen(dir);

	snprintf(f->shown, sizeof(f->shown), "%s%s%s", dir,
	    n > 0 && dir[n - 1] == '/' ? "" : "/", file);
}

static int
make_files(struct files *f, const char *dir, const char *name,
    struct cordon_error *err)
{
	int r = cdn_name_check(cdn_str_of(name), err);

	if (r != 0)
		return r;
	if (strlen(dir) > CDN_PATH_MAX)
		return cdn_err_sys(err, ENAMETOOLONG, "'%s'", dir);
	snprintf(f->yaml, sizeof(f->yaml), "%s.yaml", name);
	snprintf(f->yml, sizeof(f->yml), "%s.yml", name);
	show(f, dir, f->yaml);
	return 0;
}

static bool
is_there(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int
cdn_store_get(const char *dir, const char *name, bool part,
    struct cordon_diags *diags, struct cordon_policy **ret, struct cordon_error *err)
{
	cdn_cleanup_fd int dirfd = -1;
	const char *file;
	struct files f;
	int r = make_files(&f, dir, name, err);

	if (r != 0)
		return r;
	dirfd = cdn_file_open_dir(dir, err);
	if (dirfd < 0)
		return dirfd;
	file = f.yaml;
	if (is_there(dirfd, f.yml)) {
		if (is_there(dirfd, f.yaml))
			return both_there(dir, name, err);
		file = f.yml;
		show(&f, dir, file);
	}
	return load_entry(part ? cdn_policy_parse_part : cdn_policy_parse,
	    dirfd, file, f.shown, name, diags, ret, err);
}

int
cdn_store_put(const char *dir, const char *name, cdn_str text,
    struct cordon_diags *diags, struct cordon_error *err)
{
	cdn_cleanup_fd int dirfd = -1;
	struct cordon_policy *policy;
	struct files f;
	int r = make_files(&f, dir, name, err);

	if (r != 0)
		return r;
	r = cdn_policy_parse(text, f.shown, diags, &policy, err);
	if (r != 0)
		return r;
	r = check_stem(policy, name, diags, err);
	cdn_policy_free(policy);
	if (r != 0)
		return r;
	dirfd = cdn_file_open_dir(dir, err);
	if (dirfd < 0)
		return dirfd;
	if (is_there(dirfd, f.yml))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is in '%s' already: rename it to '%s' first", f.yml,
		    dir, f.yaml);
	return cdn_file_replace(dirfd, f.yaml, f.shown, text, MODE_PRIVATE,
	    err);
}
