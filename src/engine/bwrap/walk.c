/*
 * walk - mounts for a region that is mixed.
 *
 * A directory is mounted as what holds for a name in it that nobody has (its
 * "base"); whatever is there and differs is mounted over it.
 *
 *	base		and what differs
 *	open		is made read-only, or masked
 *	fixed		becomes writable, or is masked
 *	closed		is mounted into an empty directory
 *
 * Then it is asked what could come: names that rules mention and that are not
 * there, and what lies below a name that nobody has.  What would be let through
 * then is a loss, what would be refused is not.
 */
#include "engine/bwrap/build.h"

#include "engine/plan/mention.h"

/* Past a bound; never leaves this file. */
#define TOO_MANY 1

/* Up to here what is next to a closed file is mounted one by one. */
#define BESIDE_MAX 64

struct spot {
	const char *path;
	bool directory;
	enum cdn_subtree says[CDN_RULE_OPS];
};

/* ----- Asking ------------------------------------------------------------ */

static enum cdn_subtree
ask(const struct cdn_bwrap_build *b, enum cordon_op op, const char *path)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = op, .path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	cdn_decide(b->mounted, &question, &verdict);
	return verdict.allowed ? CDN_SUBTREE_ALLOW : CDN_SUBTREE_DENY;
}

/* Of a directory: and everything that could lie below it. */
static struct spot
look(const struct cdn_bwrap_build *b, const char *path, bool directory)
{
	struct spot spot = { .path = path, .directory = directory };

	if (directory)
		cdn_decide_subtrees(b->mounted, CORDON_AS_PROCESS,
		    cdn_str_of(path), spot.says);
	for (enum cordon_op op = CORDON_READ; !directory && op <= CORDON_EXEC;
	     op++)
		spot.says[op] = ask(b, op, path);
	return spot;
}

static bool
is_mixed(const struct spot *spot)
{
	return spot->says[CORDON_READ] == CDN_SUBTREE_MIXED ||
	    (spot->says[CORDON_READ] == CDN_SUBTREE_ALLOW &&
		spot->says[CORDON_MODIFY] == CDN_SUBTREE_MIXED);
}

/* What is mixed counts as denied. */
static enum cdn_bwrap_state
state_of(const enum cdn_subtree says[CDN_RULE_OPS])
{
	if (says[CORDON_READ] != CDN_SUBTREE_ALLOW)
		return CDN_BWRAP_CLOSED;
	return says[CORDON_MODIFY] == CDN_SUBTREE_ALLOW ? CDN_BWRAP_OPEN :
							  CDN_BWRAP_FIXED;
}

/* ----- What could come --------------------------------------------------- */

struct listing {
	struct cdn_bwrap_build *b;
	const char *dir;
	struct spot *v; /* by path */
	size_t n;
	size_t capacity;
	bool hides; /* a file that is closed */
};

struct coming {
	struct cdn_bwrap_build *b;
	const struct listing *there;
	enum cdn_bwrap_state base;
	bool unnamed;
};

static int
spot_cmp(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* Something that is not there, mounted as the base of its directory. */
static void
compare(const struct coming *c, const enum cdn_subtree says[CDN_RULE_OPS])
{
	struct cdn_bwrap_build *b = c->b;
	bool sees = c->base != CDN_BWRAP_CLOSED;
	const bool lost[CDN_RULE_OPS] = {
		[CORDON_READ] = sees && says[CORDON_READ] != CDN_SUBTREE_ALLOW,
		[CORDON_MODIFY] = c->base == CDN_BWRAP_OPEN &&
		    says[CORDON_MODIFY] != CDN_SUBTREE_ALLOW,
	};

	for (int op = 0; op < CDN_RULE_OPS; op++) {
		b->later[op] |= lost[op];
		b->unnamed[op] |= lost[op] && c->unnamed;
	}
	b->exec |= sees && says[CORDON_READ] != CDN_SUBTREE_DENY &&
	    says[CORDON_EXEC] != says[CORDON_READ];
	b->new_names |= (!sees && says[CORDON_READ] != CDN_SUBTREE_DENY) ||
	    (c->base != CDN_BWRAP_OPEN &&
		says[CORDON_MODIFY] != CDN_SUBTREE_DENY);
}

/* A symbolic link is not there either: nothing can be mounted on it. */
static bool
on_mention(const char *path, void *arg)
{
	const struct coming *c = arg;
	struct spot spot = { .path = path };

	if (path == NULL) {
		c->b->later[CORDON_READ] = c->b->later[CORDON_MODIFY] = true;
	} else if (c->there->n == 0 || bsearch(&spot, c->there->v,
		    c->there->n, sizeof(spot), spot_cmp) == NULL) {
		spot = look(c->b, path, true);
		compare(c, spot.says);
	}
	return false;
}

static void
look_ahead(struct cdn_bwrap_build *b, const struct listing *l,
    const struct spot *rest, enum cdn_bwrap_state base)
{
	const struct cdn_plan_mentions in = { .authority = b->in->authority,
		.spec = b->in->spec, .denials = true };
	struct coming coming = { b, l, base, true };

	compare(&coming, rest->says);
	coming.unnamed = false;
	(void)cdn_plan_mentioned(&in, l->dir, on_mention, &coming);
}

/* ----- Mounting ---------------------------------------------------------- */

static int
put(struct cdn_bwrap_build *b, const struct spot *spot,
    enum cdn_bwrap_state state, enum cdn_bwrap_state above)
{
	static const enum cdn_mount_kind kinds[] = {
		[CDN_BWRAP_CLOSED] = CDN_MOUNT_NOTHING,
		[CDN_BWRAP_FIXED] = CDN_MOUNT_RO,
		[CDN_BWRAP_OPEN] = CDN_MOUNT_RW,
	};
	struct cdn_bwrap_mount mount = { .path = spot->path, .kind = kinds[state],
		.directory = spot->directory };

	if (state == CDN_BWRAP_CLOSED && spot->directory)
		mount.kind = CDN_MOUNT_EMPTY;
	mount.pinned = state == CDN_BWRAP_OPEN && state == above;
	/* Who renames over a file takes the mount away that lies on it. */
	b->replaced |= !spot->directory && state < above;
	return cdn_bwrap_add(b, &mount);
}

/* One answer for it and all below. */
static int
put_whole(struct cdn_bwrap_build *b, const struct spot *spot,
    enum cdn_bwrap_state above)
{
	enum cdn_bwrap_state state = state_of(spot->says);

	b->exec |= state != CDN_BWRAP_CLOSED &&
	    spot->says[CORDON_EXEC] != CDN_SUBTREE_ALLOW;
	return state == above ? 0 : put(b, spot, state, above);
}

/* Past a bound: nothing of it is given away. */
static int
put_too_large(struct cdn_bwrap_build *b, const struct spot *spot,
    enum cdn_bwrap_state above)
{
	b->too_large = true;
	return put_whole(b, spot, above);
}

/* An empty directory for what is let through; listed only if that is. */
static int
put_empty(struct cdn_bwrap_build *b, const char *dir)
{
	return cdn_bwrap_add(b, &(struct cdn_bwrap_mount){ .path = dir,
	    .kind = CDN_MOUNT_EMPTY, .directory = true,
	    .mode = cdn_bwrap_may_list(b, dir) ? 0555 : 0111 });
}

/* ----- Listing ----------------------------------------------------------- */

static int
on_entry(const char *name, bool is_directory, void *arg)
{
	struct listing *l = arg;
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	struct spot *v;

	if (++l->b->entries > CDN_PLAN_ENTRIES_MAX)
		return TOO_MANY;
	if (!cdn_plan_join(l->dir, cdn_str_of(name), path))
		return TOO_MANY;
	v = cdn_arena_grow(l->b->arena, l->v, l->n, &l->capacity, sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(l->b->err);
	l->v = v;
	v += l->n++;
	*v = look(l->b, path, is_directory);
	v->path = cdn_arena_dup(l->b->arena, path, strlen(path));
	l->hides |= !is_directory && state_of(v->says) == CDN_BWRAP_CLOSED;
	return v->path == NULL ? cdn_err_nomem(l->b->err) : 0;
}

static int
list(struct listing *l)
{
	const struct cdn_plan_reader *reader = l->b->in->reader;
	int code = TOO_MANY;

	if (l->b->depth < CDN_PLAN_DEPTH_MAX)
		code = reader->list(reader->arg, l->dir, on_entry, l,
		    l->b->err);
	if (code == 0 && l->n > 0)
		qsort(l->v, l->n, sizeof(*l->v), spot_cmp);
	return code;
}

/* ----- Walking ----------------------------------------------------------- */

static int walk(struct cdn_bwrap_build *b, const struct spot *spot,
    enum cdn_bwrap_state above);

/*
 * What a directory is mounted as.  One that may not be listed is empty, with
 * what is let through mounted into it; so is one with a closed file, which
 * nobody can rename anything over then, if not too much is mounted for that.
 */
static enum cdn_bwrap_state
base_of(const struct cdn_bwrap_build *b, const struct listing *l)
{
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	enum cdn_bwrap_state base = CDN_BWRAP_CLOSED;

	if (ask(b, CORDON_READ, l->dir) == CDN_SUBTREE_ALLOW &&
	    cdn_plan_join(l->dir, CDN_STR(CDN_PLAN_NO_NAME), path))
		base = state_of(look(b, path, false).says);
	if (base == CDN_BWRAP_FIXED && l->hides && l->n <= BESIDE_MAX)
		base = CDN_BWRAP_CLOSED;
	return base;
}

static struct spot
rest_of(const struct cdn_bwrap_build *b, const char *dir)
{
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	struct spot rest = { .says = { CDN_SUBTREE_MIXED, CDN_SUBTREE_MIXED,
		CDN_SUBTREE_MIXED } };

	if (cdn_plan_join(dir, CDN_STR(CDN_PLAN_NO_NAME), path))
		rest = look(b, path, true);
	return rest;
}

static int
walk_entries(struct cdn_bwrap_build *b, const struct listing *l,
    enum cdn_bwrap_state base)
{
	int code = 0;

	b->depth++;
	for (size_t i = 0; i < l->n && code == 0; i++)
		code = walk(b, &l->v[i], base);
	b->depth--;
	return code;
}

/*
 * It is mounted as what lies in it.  Where that may be changed and it may not
 * be itself, it stays where it is, but its mode and times can be changed.
 */
static int
put_base(struct cdn_bwrap_build *b, const struct spot *dir,
    enum cdn_bwrap_state base, enum cdn_bwrap_state above)
{
	bool may = ask(b, CORDON_MODIFY, dir->path) == CDN_SUBTREE_ALLOW;

	if (base == CDN_BWRAP_OPEN && !may)
		b->itself = b->later[CORDON_MODIFY] =
		    b->unnamed[CORDON_MODIFY] = true;
	b->new_names |= base != CDN_BWRAP_OPEN && may;
	if (base == CDN_BWRAP_CLOSED)
		return put_empty(b, dir->path);
	return base == above && (may || base != CDN_BWRAP_OPEN) ? 0 :
	    put(b, dir, base, above);
}

static int
walk_mixed(struct cdn_bwrap_build *b, const struct spot *dir,
    enum cdn_bwrap_state above)
{
	struct listing l = { .b = b, .dir = dir->path };
	struct spot rest = rest_of(b, dir->path);
	enum cdn_bwrap_state base;
	size_t mark = b->count;
	int code = list(&l);

	base = base_of(b, &l);
	if (code == 0)
		code = put_base(b, dir, base, above);
	if (code == 0)
		code = walk_entries(b, &l, base);
	if (code == 0)
		look_ahead(b, &l, &rest, base);
	if (code == 0 || code == CORDON_E_NOMEM)
		return code;
	b->count = mark;
	return put_too_large(b, dir, above);
}

static int
walk(struct cdn_bwrap_build *b, const struct spot *spot,
    enum cdn_bwrap_state above)
{
	if (b->count >= CDN_BWRAP_MOUNTS_MAX)
		return TOO_MANY;
	return spot->directory && is_mixed(spot) ? walk_mixed(b, spot, above) :
						   put_whole(b, spot, above);
}

int
cdn_bwrap_walk(struct cdn_bwrap_build *b, const char *path, bool directory,
    enum cdn_bwrap_state above)
{
	struct spot spot = look(b, path, directory);
	int code = walk(b, &spot, above);

	return code > 0 ? put_too_large(b, &spot, above) : code;
}
