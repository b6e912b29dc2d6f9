#include "enforce/home/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "enforce/home/nest.h"

#define DIGEST_SIZE SHA256_DIGEST_STRING_LENGTH
#define RECORD_MAX  (64UL * 1024UL)

struct sync {
	int homefd;
	const char *record; /* absolute */
	struct cdn_buf old; /* lines: DIGEST SPACE NAME */
	struct cdn_buf now;
};

/* ----- Reading ------------------------------------------------------------------- */

static int
read_open(int fd, bool own, struct cdn_buf *out)
{
	CDN_UNINITIALIZED char chunk[8192];
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) != 0)
		return -errno;
	/* A file of the run with a second name may be another's. */
	if (!S_ISREG(st.st_mode) || (own && st.st_nlink != 1))
		return -EINVAL;
	if ((uint64_t)st.st_size > out->max)
		return -EFBIG;
	while (n > 0) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			cdn_buf_add(out, chunk, (size_t)n);
		if (cdn_buf_failed(out))
			return out->n + sizeof(chunk) > out->max ? -EFBIG :
								   -ENOMEM;
	}
	return n < 0 ? -errno : 0;
}

/* The caller's own file; it may be a symlink of the user's. */
static int
read_real(const char *path, struct cdn_buf *out)
{
	cdn_cleanup_fd int fd = open(path,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : read_open(fd, false, out);
}

/* The run's: nothing on the way is followed. */
static int
read_copy(int homefd, const char *path, struct cdn_buf *out)
{
	cdn_cleanup_fd int fd = cdn_nest_open(homefd, path,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? fd : read_open(fd, true, out);
}

/* ----- The record ----------------------------------------------------------------- */

static cdn_str
text_of(const struct cdn_buf *buf)
{
	return (cdn_str){ buf->p, buf->n };
}

static void
digest_of(cdn_str text, char ret[DIGEST_SIZE])
{
	(void)SHA256Data((const uint8_t *)text.p, text.n, ret);
}

/* Is this the digest that the record has for the name? */
static bool
is_recorded(const struct sync *s, const char *name, const char *digest)
{
	cdn_str rest = text_of(&s->old), line;
	size_t n = DIGEST_SIZE - 1;

	while (cdn_str_next(&rest, '\n', &line))
		if (line.n > n + 1 && memcmp(line.p, digest, n) == 0 &&
		    cdn_str_is(cdn_str_from(line, n + 1), name))
			return true;
	return false;
}

static void
keep_line(struct sync *s, const char *name)
{
	cdn_str rest = text_of(&s->old), line;

	while (cdn_str_next(&rest, '\n', &line))
		if (line.n > DIGEST_SIZE &&
		    cdn_str_is(cdn_str_from(line, DIGEST_SIZE), name)) {
			cdn_buf_add(&s->now, line.p, line.n);
			cdn_buf_putc(&s->now, '\n');
		}
}

static void
put_line(struct sync *s, const char *name, const char *digest)
{
	cdn_buf_printf(&s->now, "%s %s\n", digest, name);
}

/* ----- Into the home --------------------------------------------------------------- */

static int
open_parent(int homefd, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char parent[CDN_PATH_MAX + 1];

	*ret_name = slash == NULL ? path : slash + 1;
	if (slash == NULL)
		return fcntl(homefd, F_DUPFD_CLOEXEC, 3);
	if ((size_t)(slash - path) > CDN_PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(parent, path, (size_t)(slash - path));
	parent[slash - path] = '\0';
	return cdn_nest_make_dir(homefd, parent);
}

/* aside: what the run made of it is kept beside it. */
static int
put_copy(const struct sync *s, const char *path, cdn_str text, bool aside)
{
	const char *name;
	cdn_cleanup_fd int fd = open_parent(s->homefd, path, &name);
	char old[NAME_MAX + 1];

	if (fd < 0)
		return fd;
	if (aside && snprintf(old, sizeof(old), "%s.cordon-old", name) <
	    (int)sizeof(old))
		(void)renameat(fd, name, fd, old);
	return cdn_nest_file(fd, name, text);
}

/* ----- Out of it --------------------------------------------------------------------- */

/* Every member is an object of the type "oauth" or "api". */
static bool
is_typed(cdn_str text)
{
	struct cdn_arena *arena = cdn_arena_new();
	const struct cdn_json_node *node = NULL;
	struct cdn_json json;
	bool good = arena != NULL &&
	    cdn_json_parse(text, NULL, arena, &json, NULL) == 0 &&
	    json.nodes[0].type == CDN_JSON_OBJECT;

	if (good)
		node = cdn_json_first(&json, &json.nodes[0]);
	for (; good && node != NULL; node = cdn_json_next(&json, node)) {
		const struct cdn_json_node *type = cdn_json_find(&json, node,
		    "type");

		good = type != NULL &&
		    (cdn_json_is(&json, type, CDN_STR("oauth")) ||
		    cdn_json_is(&json, type, CDN_STR("api")));
	}
	cdn_arena_free(arena);
	return good;
}

/* Replaced by rename; where the user has a symlink, what it leads to. */
static int
put_real(const char *path, cdn_str text)
{
	char *real = realpath(path, NULL);
	const char *name;
	char *file = real != NULL ? real : strdup(path), *slash;
	cdn_cleanup_fd int fd = -1;
	int r = -ENOMEM;

	slash = file == NULL ? NULL : strrchr(file, '/');
	if (slash != NULL) {
		*slash = '\0';
		name = slash + 1;
		fd = open(file[0] == '\0' ? "/" : file,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = fd < 0 ? -errno : cdn_nest_file(fd, name, text);
	}
	free(file);
	return r;
}

/* ----- One file ------------------------------------------------------------------------ */

struct pair {
	struct cdn_buf real, copy;
	bool has_real, has_copy;
	char real_digest[DIGEST_SIZE], copy_digest[DIGEST_SIZE];
	bool real_is_old, copy_is_old; /* as at the last sync */
};

static int
look_at(const struct sync *s, const struct cdn_home_file *file, struct pair *p)
{
	int r;

	*p = (struct pair){ .has_real = false };
	cdn_buf_init(&p->real, CDN_AGENT_FILE_MAX);
	cdn_buf_init(&p->copy, CDN_AGENT_FILE_MAX);
	r = read_real(file->real, &p->real);
	if (r == -ENOMEM)
		return r;
	p->has_real = r == 0 && p->real.n > 0;
	r = read_copy(s->homefd, file->inside, &p->copy);
	if (r == -ENOMEM)
		return r;
	p->has_copy = r == 0 && p->copy.n > 0;
	digest_of(text_of(&p->real), p->real_digest);
	digest_of(text_of(&p->copy), p->copy_digest);
	p->real_is_old = p->has_real &&
	    is_recorded(s, file->inside, p->real_digest);
	p->copy_is_old = p->has_copy &&
	    is_recorded(s, file->inside, p->copy_digest);
	return 0;
}

/* Only what the run changed, and only where the host did not. */
static bool
is_given_back(const struct cdn_home_file *file, const struct pair *p)
{
	return file->returned && p->has_copy && !p->copy_is_old &&
	    (p->real_is_old || !p->has_real) &&
	    (!file->typed || is_typed(text_of(&p->copy)));
}

static int
sync_one(struct sync *s, const struct cdn_home_file *file, bool only_return)
{
	struct pair p;
	int r = look_at(s, file, &p);

	if (r != 0) {
		keep_line(s, file->inside);
	} else if (is_given_back(file, &p) &&
	    put_real(file->real, text_of(&p.copy)) == 0) {
		put_line(s, file->inside, p.copy_digest);
	} else if (only_return || !p.has_real ||
	    (p.real_is_old && p.has_copy)) {
		keep_line(s, file->inside);
	} else if (put_copy(s, file->inside, text_of(&p.real),
	    p.has_copy && !p.copy_is_old &&
	    strcmp(p.copy_digest, p.real_digest) != 0) == 0) {
		put_line(s, file->inside, p.real_digest);
	}
	cdn_buf_done(&p.real);
	cdn_buf_done(&p.copy);
	return r == -ENOMEM ? r : 0;
}

/* ----- All of them ------------------------------------------------------------------------ */

static int
sync_all(int homefd, const char *record, const struct cdn_home_file *files,
    size_t n, bool only_return)
{
	struct sync s = { .homefd = homefd, .record = record };
	int r = 0;

	if (n == 0)
		return 0;
	cdn_buf_init(&s.old, RECORD_MAX);
	cdn_buf_init(&s.now, RECORD_MAX);
	if (read_real(record, &s.old) != 0)
		cdn_buf_reset(&s.old);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = sync_one(&s, &files[i], only_return);
	if (r == 0 && !cdn_buf_failed(&s.now))
		(void)!put_real(record, text_of(&s.now));
	cdn_buf_done(&s.old);
	cdn_buf_done(&s.now);
	return r;
}

int
cdn_sync_files(int homefd, const char *record,
    const struct cdn_home_file *files, size_t n)
{
	return sync_all(homefd, record, files, n, false);
}

int
cdn_sync_return(int homefd, const char *record,
    const struct cdn_home_file *files, size_t n)
{
	return sync_all(homefd, record, files, n, true);
}
