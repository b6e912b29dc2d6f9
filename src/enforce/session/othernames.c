#include "enforce/session/othernames.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/limits.h"
#include "base/str.h"
#include "enforce/path/names.h"
#include "enforce/sys/sys.h"
#include "engine/decide/floor.h"

/* A name that is denied, and whose it was when it was seen. */
struct denied {
	dev_t dev;
	ino_t ino;
	const char *path;
	bool born_known;
	struct cdn_statx_time born;
};

struct cdn_other_names {
	const struct cordon_session *session;
	pthread_mutex_t mutex; /* for what follows; then it is only read */
	bool scanned;
	bool incomplete;
	struct cdn_arena *arena; /* of the paths */
	struct denied *v;	 /* by dev and ino */
	size_t n, room;
};

struct cdn_other_names *
cdn_other_names_new(const struct cordon_session *session)
{
	struct cdn_other_names *names = calloc(1, sizeof(*names));

	if (names == NULL)
		return NULL;
	names->session = session;
	pthread_mutex_init(&names->mutex, NULL);
	return names;
}

void
cdn_other_names_free(struct cdn_other_names *names)
{
	if (names == NULL)
		return;
	pthread_mutex_destroy(&names->mutex);
	cdn_arena_free(names->arena);
	free(names->v);
	free(names);
}

/* ----- Looking ------------------------------------------------------------------ */

static bool
is_denied(const struct cordon_session *session, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	for (question.op = CORDON_READ; question.op <= CORDON_EXEC;
	    question.op++)
		if (cdn_decide_protects(session->authority, &question,
			&verdict))
			return true;
	return false;
}

static bool
grow(struct cdn_other_names *names)
{
	size_t room = names->room == 0 ? 64 : 2 * names->room;
	struct denied *v;

	if (names->n < names->room)
		return true;
	v = reallocarray(names->v, room, sizeof(*v));
	if (v == NULL)
		return false;
	names->v = v;
	names->room = room;
	return true;
}

static bool
wanted(const struct stat *st, void *arg)
{
	(void)arg;
	return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
}

/* Where all is allowed whatever the name, no name is denied. */
static bool
matters(const char *path, void *arg)
{
	const struct cdn_other_names *names = arg;
	enum cdn_subtree says[CDN_RULE_OPS];

	cdn_decide_subtrees(names->session->authority, CORDON_AS_PROCESS,
	    cdn_str_of(path), says);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (says[op] != CDN_SUBTREE_ALLOW)
			return true;
	return false;
}

static bool
read_birth(const char *path, dev_t dev, ino_t ino, struct cdn_statx *ret)
{
	return cdn_sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW,
	    CDN_STATX_INO | CDN_STATX_BTIME, ret) == 0 &&
	    (ret->mask & CDN_STATX_BTIME) != 0 && ret->ino == ino &&
	    makedev(ret->dev_major, ret->dev_minor) == dev;
}

/* Also those with one link: somebody outside may give them another later. */
static bool
found(const char *path, const struct stat *st, const struct stat *parent,
    void *arg)
{
	struct cdn_other_names *names = arg;
	struct cdn_statx birth = { 0 };
	const char *kept;
	bool born_known;

	(void)parent;
	if (!is_denied(names->session, path))
		return true;
	kept = cdn_arena_dup(names->arena, path, strlen(path));
	if (kept == NULL || !grow(names)) {
		names->incomplete = true;
		return false;
	}
	born_known = read_birth(kept, st->st_dev, st->st_ino, &birth);
	names->v[names->n++] = (struct denied){ st->st_dev, st->st_ino, kept,
		born_known, birth.btime };
	return true;
}

static int
order(const struct denied *a, dev_t dev, ino_t ino)
{
	if (a->dev != dev)
		return a->dev < dev ? -1 : 1;
	return a->ino < ino ? -1 : a->ino > ino;
}

static int
by_inode(const void *a, const void *b)
{
	const struct denied *other = b;

	return order(a, other->dev, other->ino);
}

static void
scan(struct cdn_other_names *names)
{
	struct cdn_names search = { .wanted = wanted, .matters = matters,
		.found = found, .arg = names, .left = CDN_OTHER_NAMES_MAX };

	names->arena = cdn_arena_new();
	if (names->arena != NULL)
		cdn_names_scan(&search, names->session->workspace);
	names->incomplete |= names->arena == NULL || search.incomplete;
	if (names->n > 0)
		qsort(names->v, names->n, sizeof(*names->v), by_inode);
	names->scanned = true;
}

void
cdn_other_names_look(void *arg)
{
	struct cdn_other_names *names = arg;

	pthread_mutex_lock(&names->mutex);
	if (!names->scanned)
		scan(names);
	pthread_mutex_unlock(&names->mutex);
}

/* ----- Asking ------------------------------------------------------------------- */

/* The first of them, or where it would be. */
static size_t
lower_bound(const struct cdn_other_names *names, dev_t dev, ino_t ino)
{
	size_t lo = 0, hi = names->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (order(&names->v[middle], dev, ino) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/*
 * Numbers are given away again: was the file of that number born at another
 * time, so that it is another file?  Its denied name says nothing, for the
 * directory may have been moved or closed.  What cannot be told is the same.
 */
static bool
is_reborn(const struct denied *old, cdn_str path)
{
	char text[CDN_PATH_MAX + 1];
	struct cdn_statx now;

	if (path.n > CDN_PATH_MAX)
		return false;
	memcpy(text, path.p, path.n);
	text[path.n] = '\0';
	return read_birth(text, old->dev, old->ino, &now) &&
	    (now.btime.sec != old->born.sec ||
		now.btime.nsec != old->born.nsec) &&
	    old->born_known;
}

static void
deny_unknown(struct cordon_verdict *verdict)
{
	verdict->decision = CORDON_DENY;
	verdict->allowed = false;
	verdict->layer = CORDON_LAYER_FLOOR;
	verdict->matched_rule = "<other names unknown>";
	verdict->source = "<floor>";
	verdict->rule_text = verdict->deny_rule = NULL;
	verdict->line = verdict->column = 0;
}

static bool
is_below(cdn_str path, const struct cdn_floor_row *row)
{
	size_t n = strcspn(row->path, "*");

	return cdn_str_starts(path, (cdn_str){ row->path, n }) &&
	    (row->glob || path.n == n || path.p[n] == '/');
}

bool
cdn_other_names_of_system(const struct cordon_session *session, cdn_str path)
{
	const struct cdn_floor_row *row;

	if (cdn_str_starts(path, cdn_str_of(session->workspace)))
		return false;
	for (size_t i = 0; (row = cdn_floor_exception(i)) != NULL; i++)
		if (is_below(path, row))
			return false;
	for (size_t i = 0; (row = cdn_floor_system(i)) != NULL; i++)
		if (is_below(path, row))
			return true;
	return false;
}

void
cdn_other_names_judge(const struct cdn_question *question, dev_t dev,
    ino_t ino, struct cordon_verdict *verdict, void *arg)
{
	struct cdn_other_names *names = arg;
	struct cdn_question other = *question;
	struct cordon_verdict there;

	if (!verdict->allowed ||
	    cdn_other_names_of_system(names->session, question->path))
		return;
	cdn_other_names_look(names);
	for (size_t i = lower_bound(names, dev, ino); i < names->n &&
	     order(&names->v[i], dev, ino) == 0; i++) {
		other.path = cdn_str_of(names->v[i].path);
		if (!is_reborn(&names->v[i], question->path) &&
		    cdn_decide_protects(names->session->authority, &other,
			&there)) {
			*verdict = there;
			return;
		}
	}
	if (names->incomplete)
		deny_unknown(verdict);
}
