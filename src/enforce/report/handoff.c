#include "enforce/report/handoff.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/decide/preset.h"
#include "engine/match/matcher.h"

/* The clock of inodes may be behind by a tick. */
#define TICK_NS 10000000

static const char executable[] = "executable";

struct looking {
	struct cdn_gathered *g;
	struct cdn_handoff *found;
	const struct cdn_matcher *matcher;
	const char *root; /* the place */
	int64_t since_ns;
	struct cordon_error *err;
};

/* ----- What is told -------------------------------------------------------- */

static int
build_matcher(struct looking *l)
{
	struct cdn_match_rule *rules;
	struct cdn_handed_entry entry;
	size_t n = 0;

	while (cdn_preset_handed(n, &entry))
		n++;
	rules = cdn_arena_array(l->g->arena, n, sizeof(*rules));
	if (rules == NULL)
		return cdn_err_nomem(l->err);
	for (size_t i = 0; cdn_preset_handed(i, &entry); i++)
		rules[i].pattern = cdn_str_of(entry.pattern);
	return cdn_matcher_build(l->g->arena, rules, n, &l->matcher, l->err);
}

/* NULL: the host would not. */
static const char *
kind_of(const struct looking *l, cdn_str relative, mode_t mode)
{
	int rule = cdn_matcher_check(l->matcher, relative);
	struct cdn_handed_entry entry;

	if (rule != CDN_NO_RULE && cdn_preset_handed((size_t)rule, &entry))
		return entry.what;
	return S_ISREG(mode) && (mode & 0111) != 0 ? executable : NULL;
}

static int
add(struct looking *l, const char *path, const char *what, int64_t changed_ns,
    bool recorded)
{
	struct cdn_handoff *f = l->found;
	struct cdn_handed *v;

	if (f->n >= CDN_REPORT_HANDED_MAX) {
		f->left_out++;
		return 0;
	}
	v = cdn_arena_grow(l->g->arena, f->v, f->n, &f->room, sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(l->err);
	f->v = v;
	v[f->n].path = cdn_arena_dup(l->g->arena, path, strlen(path));
	v[f->n].what = what;
	v[f->n].changed_ns = changed_ns;
	v[f->n].recorded = recorded;
	return v[f->n++].path == NULL ? cdn_err_nomem(l->err) : 0;
}

/* ----- Looking ------------------------------------------------------------- */

static bool
was_written(const struct looking *l, const char *path)
{
	char key[CDN_PATH_MAX + 16];

	snprintf(key, sizeof(key), "modify\n%s", path);
	return cdn_tally_find(&l->g->touched, cdn_str_of(key)) != NULL;
}

static int
look_at_file(struct looking *l, const char *path, const struct stat *st)
{
	int64_t changed = (int64_t)st->st_ctim.tv_sec * 1000000000 +
	    st->st_ctim.tv_nsec;
	const char *what;

	if (changed + TICK_NS < l->since_ns)
		return 0;
	what = kind_of(l, cdn_str_of(path + strlen(l->root) + 1), st->st_mode);
	return what == NULL ? 0 :
	    add(l, path, what, changed, was_written(l, path));
}

static int look_into(struct looking *l, int fd, char path[CDN_PATH_MAX + 1],
    size_t n, unsigned depth);

/* What git stores there is never executed, and it is much. */
static bool
is_storage(const char *path, size_t n)
{
	return cdn_str_ends((cdn_str){ path, n }, CDN_STR("/.git/objects"));
}

static int
look_at(struct looking *l, int dir, const char *name,
    char path[CDN_PATH_MAX + 1], size_t n, unsigned depth)
{
	size_t length = strlen(name);
	struct stat st;
	int fd;

	if (++l->found->looked > CDN_REPORT_LOOKS_MAX ||
	    n + 1 + length > CDN_PATH_MAX) {
		l->found->incomplete = true;
		return 0;
	}
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0; /* it went away */
	path[n] = '/';
	memcpy(path + n + 1, name, length + 1);
	n += 1 + length;
	if (!S_ISDIR(st.st_mode))
		return look_at_file(l, path, &st);
	if (is_storage(path, n))
		return 0;
	if (depth >= CDN_REPORT_DEPTH_MAX) {
		l->found->incomplete = true;
		return 0;
	}
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0) {
		l->found->incomplete = true;
		return 0;
	}
	return look_into(l, fd, path, n, depth + 1);
}

/* Closes fd. */
static int
look_into(struct looking *l, int fd, char path[CDN_PATH_MAX + 1], size_t n,
    unsigned depth)
{
	const struct dirent *entry;
	DIR *dir = fdopendir(fd);
	int code = 0;

	if (dir == NULL) {
		close(fd);
		return cdn_err_nomem(l->err);
	}
	while (code == 0 && l->found->looked <= CDN_REPORT_LOOKS_MAX &&
	    (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			code = look_at(l, dirfd(dir), entry->d_name, path, n,
			    depth);
	closedir(dir);
	return code;
}

static int
look_at_place(struct looking *l, size_t i)
{
	char path[CDN_PATH_MAX + 1];
	size_t n = strlen(l->found->places[i]);
	int fd = n > CDN_PATH_MAX ? -1 : open(l->found->places[i],
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		l->found->gone[i] = true;
		return 0;
	}
	memcpy(path, l->found->places[i], n + 1);
	if (n == 1)
		n = 0; /* "/" */
	l->root = n == 0 ? "" : l->found->places[i];
	l->since_ns = l->found->since_ns[i];
	return look_into(l, fd, path, n, 0);
}

/* ----- Places -------------------------------------------------------------- */

static bool
is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/' || n == 1);
}

/* One that lies in another is looked at with that. */
static void
add_place(struct cdn_handoff *f, const char *path, int64_t since_ns)
{
	if (path[0] != '/' || since_ns <= 0)
		return;
	for (size_t i = 0; i < f->place_count; i++)
		if (is_below(path, f->places[i])) {
			if (since_ns < f->since_ns[i])
				f->since_ns[i] = since_ns;
			return;
		}
	if (f->place_count >= CDN_REPORT_PLACES_MAX) {
		f->incomplete = true;
		return;
	}
	f->places[f->place_count] = path;
	f->since_ns[f->place_count++] = since_ns;
}

/* `--write` of the command line, as the start of the run has them. */
static int
add_grants(struct looking *l, const struct cdn_gathered_run *run)
{
	const struct cdn_json_node *node;
	struct cdn_json json;
	cdn_str value;

	if (run->grants[0] != '[' || cdn_json_parse(cdn_str_of(run->grants),
		NULL, l->g->arena, &json, NULL) != 0)
		return 0;
	for (node = cdn_json_first(&json, json.nodes); node != NULL;
	     node = cdn_json_next(&json, node)) {
		const struct cdn_json_node *option = cdn_json_find(&json, node,
		    "option");
		const struct cdn_json_node *given = cdn_json_find(&json, node,
		    "value");
		const char *path;

		if (option == NULL || given == NULL ||
		    !cdn_json_is(&json, option, CDN_STR("--write")) ||
		    !cdn_json_string(&json, given, l->g->arena, &value))
			continue;
		path = cdn_arena_dup(l->g->arena, value.p, value.n);
		if (path == NULL)
			return cdn_err_nomem(l->err);
		add_place(l->found, path, run->start_ns);
	}
	return 0;
}

static int
find_places(struct looking *l)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < l->g->runs.n; i++) {
		const struct cdn_gathered_run *run = l->g->runs.v[i]->more;

		add_place(l->found, run->told.workspace, run->start_ns);
		code = add_grants(l, run);
	}
	return code;
}

/* ----- What events say ----------------------------------------------------- */

/* Rules speak of what lies in a place; elsewhere of the whole path. */
static const char *
root_of(const struct cdn_handoff *f, const char *path)
{
	for (size_t i = 0; i < f->place_count; i++)
		if (is_below(path, f->places[i]) && f->places[i][1] != '\0')
			return f->places[i];
	return "";
}

/* A directory that was moved brought along files that nobody changed. */
static int
look_at_moved(struct looking *l, const char *name)
{
	char path[CDN_PATH_MAX + 1];
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		l->found->incomplete = true;
		return 0;
	}
	snprintf(path, sizeof(path), "%s", name);
	return look_into(l, fd, path, strlen(path), 0);
}

static int
look_at_event(struct looking *l, const struct cdn_gathered_count *event)
{
	struct stat st;

	if (event->path[0] != '/' || strlen(event->path) > CDN_PATH_MAX ||
	    l->found->looked > CDN_REPORT_LOOKS_MAX ||
	    fstatat(AT_FDCWD, event->path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	l->root = root_of(l->found, event->path);
	l->since_ns = 0;
	if (!S_ISDIR(st.st_mode))
		return look_at_file(l, event->path, &st);
	return event->moved ? look_at_moved(l, event->path) : 0;
}

/* What is gone needs nobody's look. */
static int
look_at_left(struct looking *l, const struct cdn_gathered_left *left)
{
	struct stat st;

	if (left->path[0] != '/' || strlen(left->path) > CDN_PATH_MAX ||
	    fstatat(AT_FDCWD, left->path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	return add(l, left->path, left->what,
	    (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec, true);
}

/* ----- All of it ----------------------------------------------------------- */

static int
by_kind(const void *a, const void *b)
{
	const struct cdn_handed *one = a, *other = b;
	int r = strcmp(one->what, other->what);

	return r != 0 ? r : strcmp(one->path, other->path);
}

/* A file that two places hold is one. */
static void
sort(struct cdn_handoff *f)
{
	size_t n = 0;

	if (f->n > 1)
		qsort(f->v, f->n, sizeof(*f->v), by_kind);
	for (size_t i = 0; i < f->n; i++)
		if (n == 0 || strcmp(f->v[n - 1].path, f->v[i].path) != 0)
			f->v[n++] = f->v[i];
	f->n = n;
}

int
cdn_handoff_find(struct cdn_gathered *g, struct cdn_handoff *ret,
    struct cordon_error *err)
{
	struct looking l = { .g = g, .found = ret, .err = err };
	int code;

	*ret = (struct cdn_handoff){ 0 };
	code = build_matcher(&l);
	if (code == 0)
		code = find_places(&l);
	for (size_t i = 0; code == 0 && i < ret->place_count; i++)
		code = look_at_place(&l, i);
	for (size_t i = 0; code == 0 && i < g->touched.n; i++)
		code = look_at_event(&l, g->touched.v[i]->more);
	for (size_t i = 0; code == 0 && i < g->left_count; i++)
		code = look_at_left(&l, &g->left[i]);
	if (code == 0)
		sort(ret);
	return code;
}
