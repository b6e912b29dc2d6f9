#include "enforce/store/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "enforce/store/file.h"
#include "enforce/sys/sys.h"

#define SCHEMA	      1
#define DIGEST_DIGITS 64
#define LOCK_NAME     "trust.lock"
#define LOCK_WAIT_MS  30000

struct trusted {
	const char *dir;
	const char *digest;
};

/* trust.json and the directory it lies in. */
struct book {
	const char *file; /* as given */
	const char *name; /* its last part */
	int dirfd;
	struct cdn_arena *arena;
	struct trusted *v; /* sorted by dir, no dir twice */
	size_t n, room;
};

/* ----- Who may have written it -------------------------------------------- */

static int
check_private(int fd, const char *shown, struct cordon_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return cdn_err_sys(err, errno, "cannot look at '%s'", shown);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' belongs to another user (uid %lu) and is not believed",
		    shown, (unsigned long)st.st_uid);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' can be written by others and is not believed "
		    "(chmod go-w)",
		    shown);
	return 0;
}

/* ----- Reading ------------------------------------------------------------ */

static bool
is_digest(const char *s)
{
	return strlen(s) == DIGEST_DIGITS &&
	    strspn(s, "0123456789abcdef") == DIGEST_DIGITS;
}

static int
damaged(const struct book *book, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID,
	    "'%s' is not a trust file; remove it and trust again", book->file);
}

/* A member that is a string, as text of its own; NULL when it is not. */
static const char *
text_of(const struct book *book, const struct cdn_json *json,
    const struct cdn_json_node *object, const char *key, bool *nomem)
{
	const struct cdn_json_node *node = cdn_json_find(json, object, key);
	const char *text;
	cdn_str s;

	if (node == NULL || node->type != CDN_JSON_STRING)
		return NULL;
	if (!cdn_json_string(json, node, book->arena, &s))
		text = NULL;
	else
		text = cdn_arena_dup(book->arena, s.p, s.n);
	if (text == NULL)
		*nomem = true;
	return text;
}

static int
parse_one(struct book *book, const struct cdn_json *json,
    const struct cdn_json_node *node, struct cordon_error *err)
{
	bool nomem = false;
	struct trusted t = {
		text_of(book, json, node, "dir", &nomem),
		text_of(book, json, node, "sha256", &nomem),
	};

	if (nomem)
		return cdn_err_nomem(err);
	if (node->count != 2 || t.dir == NULL || t.dir[0] != '/' ||
	    t.digest == NULL || !is_digest(t.digest))
		return damaged(book, err);
	book->v = cdn_arena_grow(book->arena, book->v, book->n, &book->room,
	    sizeof(*book->v));
	if (book->v == NULL)
		return cdn_err_nomem(err);
	book->v[book->n++] = t;
	return 0;
}

static int
by_dir(const void *a, const void *b)
{
	const struct trusted *x = a, *y = b;

	return strcmp(x->dir, y->dir);
}

static int
parse_list(struct book *book, const struct cdn_json *json,
    const struct cdn_json_node *list, struct cordon_error *err)
{
	const struct cdn_json_node *node = cdn_json_first(json, list);
	int r = 0;

	if (list->count > CDN_TRUST_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "more than %d entries in '%s'", CDN_TRUST_MAX, book->file);
	for (; r == 0 && node != NULL; node = cdn_json_next(json, node))
		r = parse_one(book, json, node, err);
	if (r != 0)
		return r;
	if (book->n > 1)
		qsort(book->v, book->n, sizeof(*book->v), by_dir);
	for (size_t i = 1; i < book->n; i++)
		if (strcmp(book->v[i - 1].dir, book->v[i].dir) == 0)
			return damaged(book, err);
	return 0;
}

static int
parse_book(struct book *book, cdn_str text, struct cordon_error *err)
{
	struct cdn_json_options options = { .source = book->file };
	const struct cdn_json_node *schema, *list;
	struct cdn_json json;
	int64_t version;
	int r = cdn_json_parse(text, &options, book->arena, &json, err);

	if (r != 0)
		return r;
	schema = cdn_json_find(&json, json.nodes, "schema");
	list = cdn_json_find(&json, json.nodes, "trusted");
	if (schema == NULL || !cdn_json_int(&json, schema, &version))
		return damaged(book, err);
	if (version != SCHEMA)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' has schema %lld, this cordon knows %d", book->file,
		    (long long)version, SCHEMA);
	if (json.nodes->count != 2 || list == NULL ||
	    list->type != CDN_JSON_ARRAY)
		return damaged(book, err);
	return parse_list(book, &json, list, err);
}

/* No file: nothing trusted. */
static int
read_book(struct book *book, struct cordon_error *err)
{
	struct cordon_error own;
	struct cdn_buf text;
	cdn_cleanup_fd int fd = cdn_file_open(book->dirfd, book->name,
	    book->file, false, &own);
	int r;

	if (fd == CORDON_E_NOT_FOUND)
		return 0;
	if (fd < 0)
		return cdn_file_fail(fd, &own, err);
	r = check_private(fd, book->file, err);
	if (r == 0)
		r = cdn_file_read(fd, book->file, CDN_JSON_MAX, &text, err);
	if (r != 0)
		return r;
	r = parse_book(book, (cdn_str){ text.p, text.n }, err);
	cdn_buf_done(&text); /* entries are copies */
	return r;
}

static struct trusted *
find(const struct book *book, const char *dir)
{
	struct trusted key = { dir, NULL };

	if (book->n == 0)
		return NULL;
	return bsearch(&key, book->v, book->n, sizeof(*book->v), by_dir);
}

/* ----- Opening ------------------------------------------------------------ */

static void
close_book(struct book *book)
{
	cdn_cleanup_fd_fn(&book->dirfd);
	cdn_arena_free(book->arena);
}

/* Leaves nothing behind on failure; NOT_FOUND: not even a directory. */
static int
open_book(const char *file, struct book *ret, struct cordon_error *err)
{
	struct book book = { .file = file, .dirfd = -1 };
	char dir[CDN_PATH_MAX + 1];
	int r = cdn_file_split(file, dir, &book.name, err);

	if (r != 0)
		return r;
	book.dirfd = cdn_file_open_dir(dir, err);
	if (book.dirfd < 0)
		return book.dirfd;
	r = check_private(book.dirfd, dir, err);
	if (r == 0) {
		book.arena = cdn_arena_new();
		if (book.arena == NULL)
			r = cdn_err_nomem(err);
	}
	if (r != 0)
		close_book(&book);
	else
		*ret = book;
	return r;
}

/* Keeps errno. */
static bool
is_directory(const char *path)
{
	int error = errno;
	struct stat st;
	bool is = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	errno = error;
	return is;
}

static int
make_directory(const char *file, struct cordon_error *err)
{
	char path[CDN_PATH_MAX + 1];
	const char *name;
	int r = cdn_file_split(file, path, &name, err);

	if (r != 0)
		return r;
	for (char *p = path + 1; p[-1] != '\0'; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) != 0 && !is_directory(path))
			return cdn_err_sys(err, errno,
			    "cannot make directory '%s'", path);
		*p = c;
	}
	return 0;
}

/* ----- Changing ----------------------------------------------------------- */

/* Held until the descriptor is closed; the file stays. */
static int
lock(const struct book *book, struct cordon_error *err)
{
	int fd = openat(book->dirfd, LOCK_NAME,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int error = fd < 0 ? -errno : cdn_sys_lock(fd, LOCK_WAIT_MS);

	if (error == 0)
		return fd;
	cdn_cleanup_fd_fn(&fd);
	return cdn_err_sys(err, -error, "cannot lock '%s' (by %s beside it)",
	    book->file, LOCK_NAME);
}

static int
write_book(const struct book *book, struct cordon_error *err)
{
	struct cdn_json_writer w;
	struct cdn_buf text;
	int r;

	/* Twice: a text that is too long is told from memory that ran out. */
	cdn_buf_init(&text, 2 * CDN_JSON_MAX);
	cdn_json_begin(&w, &text);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, SCHEMA);
	cdn_json_put_key(&w, "trusted");
	cdn_json_open(&w, '[');
	for (size_t i = 0; i < book->n; i++) {
		cdn_json_open(&w, '{');
		cdn_json_put_key(&w, "dir");
		cdn_json_put_cstring(&w, book->v[i].dir);
		cdn_json_put_key(&w, "sha256");
		cdn_json_put_cstring(&w, book->v[i].digest);
		cdn_json_close(&w);
	}
	cdn_json_close(&w);
	cdn_json_close(&w);
	cdn_buf_putc(&text, '\n');
	if (!cdn_json_end(&w) || cdn_buf_failed(&text))
		r = cdn_err_nomem(err);
	else if (text.n > CDN_JSON_MAX)
		r = cdn_err(err, CORDON_E_INVALID,
		    "'%s' would be larger than %lu bytes; revoke something",
		    book->file, CDN_JSON_MAX);
	else
		r = cdn_file_replace(book->dirfd, book->name, book->file,
		    (cdn_str){ text.p, text.n }, 0600, err);
	cdn_buf_done(&text);
	return r;
}

static int
insert(struct book *book, const char *dir, const char *digest,
    struct cordon_error *err)
{
	struct trusted *old = find(book, dir);

	if (old != NULL) {
		old->digest = digest;
		return 0;
	}
	if (book->n == CDN_TRUST_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "more than %d entries in '%s'; revoke something",
		    CDN_TRUST_MAX, book->file);
	book->v = cdn_arena_grow(book->arena, book->v, book->n, &book->room,
	    sizeof(*book->v));
	if (book->v == NULL)
		return cdn_err_nomem(err);
	book->v[book->n++] = (struct trusted){ dir, digest };
	qsort(book->v, book->n, sizeof(*book->v), by_dir);
	return 0;
}

static int
not_trusted(const char *dir, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_NOT_FOUND,
	    "'%s' is not trusted (see `cordon trust --list`)", dir);
}

static int
take_out(struct book *book, const char *dir, struct cordon_error *err)
{
	struct trusted *old = find(book, dir);
	size_t i;

	if (old == NULL)
		return not_trusted(dir, err);
	i = (size_t)(old - book->v);
	memmove(old, old + 1, (book->n - i - 1) * sizeof(*old));
	book->n--;
	return 0;
}

/* digest NULL: take dir out. */
static int
change(struct book *book, const char *dir, const char *digest,
    struct cordon_error *err)
{
	cdn_cleanup_fd int held = lock(book, err);
	int r;

	if (held < 0)
		return held;
	r = read_book(book, err);
	if (r == 0)
		r = digest != NULL ? insert(book, dir, digest, err) :
				     take_out(book, dir, err);
	if (r == 0)
		r = write_book(book, err);
	return r;
}

static int
check_arguments(const char *dir, const char *digest, struct cordon_error *err)
{
	cdn_str s = cdn_str_of(dir);

	if (dir[0] != '/' || s.n > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is not an absolute path", dir);
	if (cdn_utf8_bad(s) < s.n)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is not UTF-8 and cannot be trusted; rename it", dir);
	if (!is_digest(digest))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is not a SHA-256 of 64 hex digits", digest);
	return 0;
}

int
cdn_trust_add(const char *file, const char *dir, const char *digest,
    struct cordon_error *err)
{
	struct book book;
	int r = check_arguments(dir, digest, err);

	if (r == 0)
		r = make_directory(file, err);
	if (r == 0)
		r = open_book(file, &book, err);
	if (r != 0)
		return r;
	r = change(&book, dir, digest, err);
	close_book(&book);
	return r;
}

int
cdn_trust_revoke(const char *file, const char *dir, struct cordon_error *err)
{
	struct cordon_error own;
	struct book book;
	int r = open_book(file, &book, &own);

	if (r == CORDON_E_NOT_FOUND)
		return not_trusted(dir, err);
	if (r != 0)
		return cdn_file_fail(r, &own, err);
	r = change(&book, dir, NULL, err);
	close_book(&book);
	return r;
}

/* ----- Asking ------------------------------------------------------------- */

int
cdn_trust_check(const char *file, const char *dir, const char *digest,
    bool *ret, struct cordon_error *err)
{
	const struct trusted *found;
	struct cordon_error own;
	struct book book;
	int r = open_book(file, &book, &own);

	if (r == CORDON_E_NOT_FOUND) {
		*ret = false;
		return 0;
	}
	if (r != 0)
		return cdn_file_fail(r, &own, err);
	r = read_book(&book, err);
	if (r == 0) {
		found = find(&book, dir);
		*ret = found != NULL && strcmp(found->digest, digest) == 0;
	}
	close_book(&book);
	return r;
}

int
cdn_trust_list(const char *file, cdn_trust_entry_fn *entry, void *arg,
    struct cordon_error *err)
{
	struct cordon_error own;
	struct book book;
	int r = open_book(file, &book, &own);

	if (r == CORDON_E_NOT_FOUND)
		return 0;
	if (r != 0)
		return cdn_file_fail(r, &own, err);
	r = read_book(&book, err);
	for (size_t i = 0; r == 0 && i < book.n; i++)
		entry(book.v[i].dir, book.v[i].digest, arg);
	close_book(&book);
	return r;
}
