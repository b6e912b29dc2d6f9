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
	/* By path; behind them by rule, the last of which is for all others. */
	struct entry v[CDN_REPEATS_MAX + CDN_REPEATS_RULES];
	size_t turn; /* the next to be forgotten */
	bool any;    /* entry was ever used: else none need be looked at */
	unsigned long spent; /* of CDN_DENIALS_MAX */
	unsigned long grouped;
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
	for (size_t i = 0; repeats->any && i < CDN_LEN(repeats->v); i++)
		free(repeats->v[i].last);
	free(repeats);
}

static uint64_t
hash_of(const struct cdn_repeats *r, const struct cdn_access *d)
{
	uint64_t rule = cdn_seen_hash(&r->seen,
	    cdn_str_of(d->verdict.matched_rule),
	    (uint64_t)d->verdict.operation << 32 | (unsigned)d->error);

	/* Without a path there is only the call to tell them apart. */
	return cdn_seen_hash(&r->seen, d->path.n > 0 || d->call == NULL ?
		d->path : cdn_str_of(d->call), rule);
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

static bool
keep(struct entry *e, const struct cdn_access *d)
{
	struct cdn_access *last = e->last;
	char *path;

	if (last == NULL || last->path.n != d->path.n)
		last = realloc(last, sizeof(*last) + d->path.n);
	if (last == NULL)
		return false;
	path = (char *)(last + 1);
	*last = *d;
	if (d->path.n > 0)
		memcpy(path, d->path.p, d->path.n);
	last->path.p = path;
	e->last = last;
	return true;
}

/* One more of it; is it time to tell how many? */
static bool
add(struct entry *e, unsigned long *ret_times)
{
	e->pending++;
	e->total++;
	if (e->total < FIRST_TOLD || (e->total & (e->total - 1)) != 0)
		return false;
	*ret_times = e->pending;
	e->pending = 0;
	return true;
}

/* ----- By rule ------------------------------------------------------------------ */

static struct entry *
group_of(struct cdn_repeats *r, const struct cdn_access *d,
    enum cdn_alike *ret)
{
	struct cordon_verdict v = d->verdict;
	uint64_t hash = cdn_seen_hash(&r->seen,
	    cdn_str_of(v.source == NULL ? "" : v.source),
	    (uint64_t)v.line << 32 | v.column);
	struct entry *e = r->v + CDN_REPEATS_MAX;
	struct entry *others = r->v + CDN_LEN(r->v) - 1;

	hash = cdn_seen_hash(&r->seen, cdn_str_of(v.matched_rule),
	    hash ^ (uint64_t)v.operation << 32 ^ (unsigned)d->error);
	while (e < others && e->hash != 0 && e->hash != hash)
		e++;
	*ret = e < others ? CDN_ALIKE_RULE : CDN_ALIKE_RUN;
	e->hash = hash;
	return e;
}

/* The first of its rule is told, and what cannot be kept. */
static bool
is_group_told(struct cdn_repeats *r, const struct cdn_access *d,
    struct cdn_repeat *ret)
{
	struct entry *e = group_of(r, d, &ret->alike);
	bool first = e->total == 0;
	bool told = add(e, &ret->times);

	r->grouped++;
	if (told || (keep(e, d) && !first))
		return told;
	ret->times = e->pending;
	e->pending = 0;
	return true;
}

/* ----- By path ------------------------------------------------------------------ */

static bool
may_spend(const struct cdn_repeats *r)
{
	return r->spent < CDN_DENIALS_MAX;
}

/* It is told as one of its own. */
static bool
spend(struct cdn_repeats *r, const struct cdn_access *d)
{
	r->spent += 1 + d->path.n / CDN_DENIALS_PATH;
	return true;
}

bool
cdn_repeats_is_told(struct cdn_repeats *repeats,
    const struct cdn_access *denial, struct cdn_repeat *ret)
{
	uint64_t hash = hash_of(repeats, denial);
	struct entry *e = find(repeats, hash);
	bool may = may_spend(repeats);

	*ret = (struct cdn_repeat){ 0, CDN_ALIKE_PATH };
	repeats->any = true;
	if (e == NULL && !may)
		return is_group_told(repeats, denial, ret);
	if (e == NULL && (e = make_room(repeats)) == NULL)
		return spend(repeats, denial);
	e->hash = hash;
	if (may && is_new_asker(e, denial->pid))
		return spend(repeats, denial);
	if (!keep(e, denial))
		return spend(repeats, denial);
	return add(e, &ret->times);
}

static enum cdn_alike
alike_at(size_t i)
{
	return i < CDN_REPEATS_MAX ? CDN_ALIKE_PATH :
	    i < CDN_REPEATS_MAX + CDN_REPEATS_RULES - 1 ? CDN_ALIKE_RULE :
							  CDN_ALIKE_RUN;
}

bool
cdn_repeats_next(struct cdn_repeats *repeats, struct cdn_access *ret,
    struct cdn_repeat *ret_as)
{
	for (size_t i = 0; repeats->any && i < CDN_LEN(repeats->v); i++) {
		struct entry *e = &repeats->v[i];

		if (e->pending == 0)
			continue;
		*ret = *e->last;
		*ret_as = (struct cdn_repeat){ e->pending, alike_at(i) };
		e->pending = 0;
		return true;
	}
	return false;
}

unsigned long
cdn_repeats_grouped(const struct cdn_repeats *repeats)
{
	return repeats == NULL ? 0 : repeats->grouped;
}
