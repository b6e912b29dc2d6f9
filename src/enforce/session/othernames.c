#include "enforce/session/othernames.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

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

/* A name of a file with several, as it was seen. */
struct sighting {
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
	struct timespec changed;
	uint64_t name; /* of the name and the directory it is in */
};

/*
 * Files of which every name was seen.
 *
 * Threat:    a name in a directory that cannot be listed is denied, and the run
 *	      moves another one about so that it is counted twice instead.
 * Invariant: as many names were seen as the file has, and none of them was made
 *	      or moved during the count.
 * Held by:   the time of the file's last change, which every link, rename and
 *	      removal sets: it lies before the count.  A name in a directory that
 *	      is moved counts once: by the directory's number.
 */
struct accounts {
	struct sighting *v;
	size_t n, room;
	time_t began;
	bool failed; /* out of memory */
};

struct cdn_other_names {
	const struct cordon_session *session;
	pthread_mutex_t mutex; /* for what follows; then it is only read */
	bool scanned;
	bool incomplete;
	struct cdn_arena *arena; /* of the paths */
	struct denied *v;	 /* by dev and ino */
	size_t n, room;
	const char *unknown; /* what a refusal names, where not all was seen */
	struct sighting *accounted; /* by dev and ino, each file once */
	size_t accounted_n;
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
	free(names->accounted);
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

/* A name must not write lines of its own. */
static void
unreadable(const char *path, void *arg)
{
	struct cdn_other_names *names = arg;
	char *text;

	if (names->unknown != NULL)
		return;
	text = cdn_arena_printf(names->arena,
	    "<other names unknown: chmod u+rx '%s'>", path);
	names->unknown = text;
	for (; text != NULL && *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

/* ----- Counting ----------------------------------------------------------------- */

/* FNV-1a.  Two that are the same count once, so that more is refused. */
static uint64_t
hash_name(const char *path, const struct stat *parent)
{
	const char *name = strrchr(path, '/');
	uint64_t hash = 14695981039346656037U ^ parent->st_ino;

	for (name = name == NULL ? path : name; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211U;
	return hash;
}

static bool
count_name(const char *path, const struct stat *st, const struct stat *parent,
    void *arg)
{
	struct accounts *all = arg;

	if (st->st_nlink < 2 || st->st_ctim.tv_sec >= all->began)
		return true;
	if (all->n >= all->room) {
		size_t room = all->room == 0 ? 256 : 2 * all->room;
		struct sighting *v = reallocarray(all->v, room, sizeof(*v));

		if (v == NULL) {
			all->failed = true;
			return false;
		}
		all->v = v;
		all->room = room;
	}
	all->v[all->n++] = (struct sighting){ st->st_dev, st->st_ino,
		st->st_nlink, st->st_ctim, hash_name(path, parent) };
	return true;
}

static int
by_file(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;
	int file = by_file(a, b);

	return file != 0 ? file : x->name < y->name ? -1 : x->name > y->name;
}

/* n sightings of one file, by name: are these all the names it has? */
static bool
is_whole(const struct sighting *v, size_t n)
{
	size_t distinct = 1;

	for (size_t i = 1; i < n; i++) {
		if (v[i].nlink != v[0].nlink ||
		    v[i].changed.tv_sec != v[0].changed.tv_sec ||
		    v[i].changed.tv_nsec != v[0].changed.tv_nsec)
			return false;
		distinct += v[i].name != v[i - 1].name;
	}
	return distinct == v[0].nlink;
}

/* Sorted by file, the whole ones to the front. */
static size_t
keep_whole(struct sighting *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && by_file(&v[i], &v[next]) == 0;)
			next++;
		if (is_whole(&v[i], next - i))
			v[kept++] = v[i];
	}
	return kept;
}

/* All of the workspace: a name where all is allowed is one, too. */
static void
count_all(struct cdn_other_names *names)
{
	struct accounts all = { 0 };
	struct cdn_names search = { .wanted = wanted, .found = count_name,
		.arg = &all, .left = CDN_OTHER_NAMES_MAX };
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now) != 0)
		return;
	all.began = now.tv_sec - 1; /* times of files are coarser */
	cdn_names_scan(&search, names->session->workspace);
	if (all.failed || all.n == 0) {
		free(all.v);
		return;
	}
	qsort(all.v, all.n, sizeof(*all.v), by_name);
	names->accounted = all.v;
	names->accounted_n = keep_whole(all.v, all.n);
}

static bool
is_accounted(const struct cdn_other_names *names, dev_t dev, ino_t ino)
{
	const struct sighting key = { .dev = dev, .ino = ino };

	return names->accounted_n > 0 && bsearch(&key, names->accounted,
	    names->accounted_n, sizeof(key), by_file) != NULL;
}

/* ----- Both --------------------------------------------------------------------- */

static void
scan(struct cdn_other_names *names)
{
	struct cdn_names search = { .wanted = wanted, .matters = matters,
		.found = found, .unreadable = unreadable, .arg = names,
		.left = CDN_OTHER_NAMES_MAX };

	names->arena = cdn_arena_new();
	if (names->arena != NULL)
		cdn_names_scan(&search, names->session->workspace);
	names->incomplete |= names->arena == NULL || search.incomplete;
	if (names->n > 0)
		qsort(names->v, names->n, sizeof(*names->v), by_inode);
	if (names->incomplete)
		count_all(names);
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
deny_unknown(const struct cdn_other_names *names,
    struct cordon_verdict *verdict)
{
	verdict->decision = CORDON_DENY;
	verdict->allowed = false;
	verdict->layer = CORDON_LAYER_FLOOR;
	verdict->matched_rule = names->unknown != NULL ? names->unknown :
							 "<other names unknown>";
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
	if (names->incomplete && !is_accounted(names, dev, ino))
		deny_unknown(names, verdict);
}
