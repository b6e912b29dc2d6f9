#include "enforce/audit/repeats.h"

#include "enforce/audit/seen.h"

#define ASKERS	   8  /* of one denial, that are told of each */
#define FIRST_TOLD 16 /* repetitions; then whenever they have doubled */

struct entry {
	uint64_t hash;	       /* 0: free */
	unsigned long total;   /* repetitions */
	unsigned long pending; /* of them, those not told */
	struct cdn_access *last; /* owned, its path behind it; or NULL */
	pid_t askers[ASKERS];
	unsigned asker_count;
};

struct cdn_repeats {
	struct cdn_seen seen; /* for its key */
	struct entry v[CDN_REPEATS_MAX];
	size_t turn; /* the next to be forgotten */
};

int
cdn_repeats_new(struct cdn_repeats **ret, struct cordon_error *err)
{
	struct cdn_repeats *r = calloc(1, sizeof(*r));
	int code = r == NULL ? cdn_err_nomem(err) :
			       cdn_seen_init(&r->seen, err);

	if (code != 0) {
		free(r);
		return code;
	}
	*ret = r;
	return 0;
}

void
cdn_repeats_free(struct cdn_repeats *repeats)
{
	if (repeats == NULL)
		return;
	for (size_t i = 0; i < CDN_REPEATS_MAX; i++)
		free(repeats->v[i].last);
	free(repeats);
}

static uint64_t
hash_of(const struct cdn_repeats *r, const struct cdn_access *d)
{
	uint64_t rule = cdn_seen_hash(&r->seen,
	    cdn_str_of(d->verdict.matched_rule),
	    (uint64_t)d->verdict.operation << 32 | (unsigned)d->error);

	return cdn_seen_hash(&r->seen, d->path, rule);
}

static struct entry *
find(struct cdn_repeats *r, uint64_t hash)
{
	for (size_t i = 0; i < CDN_REPEATS_MAX; i++)
		if (r->v[i].hash == hash)
			return &r->v[i];
	return NULL;
}

/* One of which all was told is forgotten; NULL: there is none. */
static struct entry *
make_room(struct cdn_repeats *r)
{
	for (size_t i = 0; i < CDN_REPEATS_MAX; i++) {
		struct entry *e = &r->v[r->turn++ % CDN_REPEATS_MAX];

		if (e->pending == 0) {
			free(e->last);
			*e = (struct entry){ .hash = 0 };
			return e;
		}
	}
	return NULL;
}

/* True for the first few. */
static bool
is_new_asker(struct entry *e, pid_t pid)
{
	for (unsigned i = 0; i < e->asker_count; i++)
		if (e->askers[i] == pid)
			return false;
	if (e->asker_count == ASKERS)
		return false;
	e->askers[e->asker_count++] = pid;
	return true;
}

/* All of one entry have the same path. */
static bool
keep(struct entry *e, const struct cdn_access *d)
{
	char *path;

	if (e->last == NULL)
		e->last = malloc(sizeof(*e->last) + d->path.n);
	if (e->last == NULL)
		return false;
	path = (char *)(e->last + 1);
	*e->last = *d;
	memcpy(path, d->path.p, d->path.n);
	e->last->path.p = path;
	return true;
}

bool
cdn_repeats_is_told(struct cdn_repeats *repeats,
    const struct cdn_access *denial, unsigned long *ret_times)
{
	uint64_t hash = hash_of(repeats, denial);
	struct entry *e = find(repeats, hash);

	*ret_times = 0;
	if (e == NULL && (e = make_room(repeats)) == NULL)
		return true;
	e->hash = hash;
	if (is_new_asker(e, denial->pid) || !keep(e, denial))
		return true;
	e->pending++;
	e->total++;
	if (e->total < FIRST_TOLD || (e->total & (e->total - 1)) != 0)
		return false;
	*ret_times = e->pending;
	e->pending = 0;
	return true;
}

bool
cdn_repeats_next(struct cdn_repeats *repeats, struct cdn_access *ret,
    unsigned long *ret_times)
{
	for (size_t i = 0; i < CDN_REPEATS_MAX; i++) {
		struct entry *e = &repeats->v[i];

		if (e->pending == 0)
			continue;
		*ret = *e->last;
		*ret_times = e->pending;
		e->pending = 0;
		return true;
	}
	return false;
}
