/*
 * regions - walking real directories as far as an answer is mixed.
 *
 *	walk	nothing above it grants anything: it may be broken up
 *	gain	it lies in a mixed region: whatever below it is better than
 *		that gets a region of its own, and nothing is taken away
 *
 * The kernel's rights are a union over all directories above, so a region may
 * never promise less than one above it grants.  What is left when everything
 * that is there has its own region ("the rest") is judged by asking about a
 * name that nobody has.
 *
 *	the rest is	and its directory becomes
 *	mixed		mixed: floating rules, descending does not help
 *	open		mixed, and gain: names are made here
 *	fixed		fixed, where only modifying differs below; else a
 *			passage, and each entry a region
 *	closed		a passage, and each entry that is not closed a region
 *
 * The last two only where nothing may be made in the directory itself; else it
 * is mixed, and gain.
 */
#include "engine/plan/build.h"

/* Past a bound; never leaves this file. */
#define TOO_MANY 1

/* A place and what is said of it. */
struct spot {
	const char *path;
	uint64_t key; /* of an entry: what its name begins with */
	bool directory;
	enum cdn_subtree says[CDN_RULE_OPS];
	enum cdn_region_kind kind;
};

bool
cdn_region_is_mixed(enum cdn_region_kind kind)
{
	return kind == CDN_REGION_MIXED_MODIFY || kind == CDN_REGION_MIXED_READ;
}

/* ----- Asking ------------------------------------------------------------ */

static enum cdn_region_kind
kind_of(const enum cdn_subtree says[CDN_RULE_OPS])
{
	static const enum cdn_region_kind by_modify[] = {
		[CDN_SUBTREE_MIXED] = CDN_REGION_MIXED_MODIFY,
		[CDN_SUBTREE_ALLOW] = CDN_REGION_OPEN,
		[CDN_SUBTREE_DENY] = CDN_REGION_FIXED,
	};

	if (says[CORDON_READ] == CDN_SUBTREE_DENY)
		return CDN_REGION_CLOSED;
	if (says[CORDON_READ] == CDN_SUBTREE_ALLOW &&
	    says[CORDON_EXEC] == CDN_SUBTREE_ALLOW)
		return by_modify[says[CORDON_MODIFY]];
	return CDN_REGION_MIXED_READ;
}

/* What is in doubt for all below it is not for the path alone. */
static void
ask_alone(const struct cdn_plan_build *b, const char *path,
    enum cdn_subtree says[CDN_RULE_OPS])
{
	bool allowed[CDN_RULE_OPS];

	if (says[CORDON_READ] != CDN_SUBTREE_MIXED &&
	    says[CORDON_MODIFY] != CDN_SUBTREE_MIXED &&
	    says[CORDON_EXEC] != CDN_SUBTREE_MIXED)
		return;
	cdn_decide_ops(b->view, CORDON_AS_PROCESS, cdn_str_of(path), allowed);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (says[op] == CDN_SUBTREE_MIXED)
			says[op] = allowed[op] &&
				says[CORDON_READ] != CDN_SUBTREE_DENY ?
			    CDN_SUBTREE_ALLOW : CDN_SUBTREE_DENY;
}

/* Nothing is known of where it lies. */
static const struct cdn_above unknown = { .says = { CDN_SUBTREE_MIXED,
	CDN_SUBTREE_MIXED, CDN_SUBTREE_MIXED } };

/*
 * above: what is said of a directory above it, as far as it is not mixed.
 * Nothing can lie below what is no directory: where that could be something
 * else than the path itself, the path is asked alone.  Of an entry it seldom is,
 * of a place by itself always.
 */
static struct spot
look_in(const struct cdn_plan_build *b, const char *path, bool directory,
    const struct cdn_above *above)
{
	struct spot spot = { .path = path, .directory = directory,
		.says = { CDN_SUBTREE_MIXED, CDN_SUBTREE_MIXED,
		    CDN_SUBTREE_MIXED } };

	if (directory || above != &unknown)
		cdn_decide_subtrees_in(b->view, CORDON_AS_PROCESS,
		    cdn_str_of(path), above, spot.says);
	if (!directory)
		ask_alone(b, path, spot.says);
	spot.kind = kind_of(spot.says);
	return spot;
}

static struct spot
look(const struct cdn_plan_build *b, const char *path, bool directory)
{
	return look_in(b, path, directory, &unknown);
}

/* What holds for a name that no rule speaks of; its path is not kept. */
static struct spot
look_at_rest(const struct cdn_plan_build *b, const struct spot *dir)
{
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	struct spot spot = { .kind = CDN_REGION_MIXED_READ };

	CDN_UNINITIALIZED struct cdn_above above;

	above.stands = false;
	memcpy(above.says, dir->says, sizeof(above.says));
	if (cdn_plan_join(dir->path, CDN_STR(CDN_PLAN_NO_NAME), path))
		spot = look_in(b, path, true, &above);
	spot.path = dir->path;
	return spot;
}

static bool
guards_something(const struct cdn_plan_build *b, const char *dir)
{
	for (size_t i = 0; i < b->guarded_count; i++)
		if (cdn_plan_at_or_below(b->guarded[i], dir))
			return true;
	return false;
}

/* ----- Adding ------------------------------------------------------------ */

static int
add(struct cdn_plan_build *b, const struct spot *spot,
    enum cdn_region_kind held)
{
	struct cdn_region *v;

	if (b->region_count >= CDN_PLAN_REGIONS_MAX)
		return TOO_MANY;
	v = b->region_count < b->region_capacity ? b->regions :
	    cdn_arena_grow(b->arena, b->regions, b->region_count,
		&b->region_capacity, sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(b->err);
	b->regions = v;
	v += b->region_count++;
	*v = (struct cdn_region){ .path = spot->path, .kind = spot->kind,
		.held = held, .directory = spot->directory };
	memcpy(v->says, spot->says, sizeof(v->says));
	return 0;
}

/* As a whole, judged by the broker or, without one, given away. */
static int
add_whole(struct cdn_plan_build *b, const struct spot *spot)
{
	if (b->broker || !cdn_region_is_mixed(spot->kind))
		return add(b, spot, spot->kind);
	return add(b, spot, spot->says[CORDON_MODIFY] == CDN_SUBTREE_DENY ?
		CDN_REGION_FIXED : CDN_REGION_OPEN);
}

/* A directory whose entries have regions of their own. */
static int
add_passage(struct cdn_plan_build *b, const struct spot *dir)
{
	struct spot passage = *dir;

	passage.kind = CDN_REGION_PASSAGE;
	return add(b, &passage, CDN_REGION_PASSAGE);
}

/* ----- Listing ----------------------------------------------------------- */

struct listing {
	struct cdn_plan_build *b;
	const struct spot *dir;
	struct cdn_above above; /* what is said of dir */
	enum cdn_region_kind unless; /* needs no region; KIND_MAX: all do */
	bool directories_only;
	struct spot *v;
	size_t n;
	size_t capacity;
};

static int
keep(struct listing *l, const struct spot *spot)
{
	struct spot *v = l->n < l->capacity ? l->v : cdn_arena_grow(
	    l->b->arena, l->v, l->n, &l->capacity, sizeof(*v));
	const char *path = cdn_arena_dup(l->b->arena, spot->path,
	    strlen(spot->path));

	if (v == NULL || path == NULL)
		return cdn_err_nomem(l->b->err);
	l->v = v;
	v[l->n] = *spot;
	v[l->n++].path = path;
	return 0;
}

/* The first bytes of a name, so that keys have the order of names. */
static uint64_t
key_of(const char *name)
{
	uint64_t key = 0;

	for (size_t i = 0; i < sizeof(key); i++)
		key = key << 8 | (*name == '\0' ? 0 : (unsigned char)*name++);
	return key;
}

static int
on_entry(const char *name, bool is_directory, void *arg)
{
	struct listing *l = arg;
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	struct spot spot;

	if (++l->b->entries > CDN_PLAN_ENTRIES_MAX)
		return TOO_MANY;
	if ((l->directories_only && !is_directory) ||
	    !cdn_plan_join(l->dir->path, cdn_str_of(name), path))
		return 0;
	spot = look_in(l->b, path, is_directory, &l->above);
	spot.key = key_of(name);
	return spot.kind == l->unless ? 0 : keep(l, &spot);
}

/* Entries of one directory: most are told apart by their keys. */
static int
spot_cmp(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Sorted: directories have no order, and a plan has. */
static int
list(struct listing *l)
{
	const struct cdn_plan_reader *reader = l->b->in->reader;
	int code = TOO_MANY;

	cdn_decide_above(l->b->view, CORDON_AS_PROCESS,
	    cdn_str_of(l->dir->path), l->dir->says, &l->above);
	if (l->b->depth < CDN_PLAN_DEPTH_MAX)
		code = reader->list(reader->arg, l->dir->path, on_entry, l,
		    l->b->err);
	if (code == 0 && l->n > 0)
		qsort(l->v, l->n, sizeof(*l->v), spot_cmp);
	return code;
}

/* Not enough room, or no right to look: the directory stays as it was. */
static bool
is_bound(int code)
{
	return code != 0 && code != CORDON_E_NOMEM;
}

/* ----- Below a mixed region ---------------------------------------------- */

static int gain(struct cdn_plan_build *b, const struct spot *dir,
    enum cdn_region_kind above);

/*
 * Closed ones get none: below mixed-read the kernel lets them be read, and the
 * broker alone refuses.
 */
static int
gain_one(struct cdn_plan_build *b, const struct spot *spot,
    enum cdn_region_kind above)
{
	int code = 0;

	if (spot->kind == CDN_REGION_CLOSED)
		return 0;
	if (spot->kind != above)
		code = add(b, spot, spot->kind);
	if (code != 0 || !spot->directory || !cdn_region_is_mixed(spot->kind) ||
	    cdn_region_is_mixed(look_at_rest(b, spot).kind))
		return code;
	return gain(b, spot, spot->kind);
}

/* Only directories: what is written to a file is often a new file. */
static int
gain(struct cdn_plan_build *b, const struct spot *dir,
    enum cdn_region_kind above)
{
	struct listing l = { .b = b, .dir = dir, .unless = CDN_REGION_CLOSED,
		.directories_only = true };
	size_t mark = b->region_count;
	int code = list(&l);

	b->depth++;
	for (size_t i = 0; i < l.n && code == 0; i++)
		code = gain_one(b, &l.v[i], above);
	b->depth--;
	if (!is_bound(code))
		return code;
	b->region_count = mark;
	return 0;
}

/* ----- Breaking up ------------------------------------------------------- */

static int walk(struct cdn_plan_build *b, const struct spot *spot);

static int
walk_entries(struct cdn_plan_build *b, const struct listing *l)
{
	int code = 0;

	b->depth++;
	for (size_t i = 0; i < l->n && code == 0; i++)
		code = walk(b, &l->v[i]);
	b->depth--;
	return code;
}

/* Mixed as a whole, and better where that is possible. */
static int
stay(struct cdn_plan_build *b, const struct spot *dir, bool descending_helps)
{
	int code = add_whole(b, dir);

	if (code != 0 || !b->broker || !descending_helps)
		return code;
	return gain(b, dir, dir->kind);
}

/* Past a bound it stays mixed, but what the floor closes is not given away. */
static int
undo(struct cdn_plan_build *b, const struct spot *dir, size_t mark)
{
	b->region_count = mark;
	if (!guards_something(b, dir->path))
		return add_whole(b, dir);
	b->too_large = true;
	return add(b, dir, CDN_REGION_CLOSED);
}

/* Nobody judges, and it must not be given away: every entry by itself. */
static int
break_up_forced(struct cdn_plan_build *b, const struct spot *dir)
{
	struct listing l = { .b = b, .dir = dir,
		.unless = CDN_REGION_KIND_MAX };
	size_t mark = b->region_count;
	int code = list(&l);

	if (code == 0)
		code = add(b, dir, CDN_REGION_PASSAGE);
	if (code == 0)
		code = walk_entries(b, &l);
	if (code == 0)
		b->no_new_names |=
		    dir->says[CORDON_MODIFY] != CDN_SUBTREE_DENY;
	return is_bound(code) ? undo(b, dir, mark) : code;
}

/* Has the directory been found to have it?  Many names of rules are there. */
static bool
is_listed(const char *path, const void *arg)
{
	const struct listing *l = arg;
	struct spot wanted = { .path = path,
		.key = key_of(strrchr(path, '/') + 1) };

	return l->n > 0 && bsearch(&wanted, l->v, l->n, sizeof(*l->v),
	    spot_cmp) != NULL;
}

/*
 * A file that may be modified may also be removed and made again, and for that
 * the kernel asks for a right on its directory.
 */
static bool
replaces_files(const struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!l->v[i].directory &&
		    l->v[i].says[CORDON_MODIFY] != CDN_SUBTREE_DENY)
			return true;
	return false;
}

/* Of what is there each entry has its own, the rest is fixed or closed. */
static int
break_up(struct cdn_plan_build *b, const struct spot *dir,
    const struct spot *rest)
{
	bool only_modify = dir->kind == CDN_REGION_MIXED_MODIFY;
	struct listing l = { .b = b, .dir = dir,
		.unless = only_modify || rest->kind == CDN_REGION_CLOSED ?
		    rest->kind : CDN_REGION_KIND_MAX };
	size_t mark = b->region_count;
	int code = list(&l);

	if (code == 0 && (cdn_plan_may_appear(b, dir->path, is_listed, &l) ||
	    replaces_files(&l))) {
		if (b->broker)
			return stay(b, dir, true);
		b->no_new_names = true;
	}
	if (code == 0)
		code = only_modify ? add(b, rest, CDN_REGION_FIXED) :
				     add_passage(b, dir);
	if (code == 0)
		code = walk_entries(b, &l);
	return is_bound(code) ? undo(b, dir, mark) : code;
}

static int
walk_mixed(struct cdn_plan_build *b, const struct spot *dir)
{
	struct spot rest = look_at_rest(b, dir);
	bool open = rest.kind == CDN_REGION_OPEN;

	if (!open && !cdn_region_is_mixed(rest.kind))
		return break_up(b, dir, &rest);
	return guards_something(b, dir->path) ? break_up_forced(b, dir) :
						stay(b, dir, open);
}

static int
walk(struct cdn_plan_build *b, const struct spot *spot)
{
	if (spot->directory && cdn_region_is_mixed(spot->kind))
		return walk_mixed(b, spot);
	return add_whole(b, spot);
}

/* ----- Roots ------------------------------------------------------------- */

/* While the list is made it has no order. */
static const struct cdn_region *
region_around(const struct cdn_plan_build *b, const char *path)
{
	const struct cdn_region *best = NULL;
	size_t best_n = 0;

	for (size_t i = 0; i < b->region_count; i++) {
		const struct cdn_region *region = &b->regions[i];
		size_t n;

		/* most are told apart by the first byte behind the slash */
		if (region->path[1] != path[1] && region->path[1] != '\0')
			continue;
		if (!cdn_plan_at_or_below(path, region->path))
			continue;
		n = strlen(region->path);
		if (n > best_n) {
			best = region;
			best_n = n;
		}
	}
	return best;
}

/*
 * Does a region say all there is to say of a root in it?  Not when it is mixed,
 * and not when the root has still to be made in what was broken up.
 */
static bool
covers(const struct cdn_region *region, const char *path)
{
	if (strcmp(region->path, path) == 0)
		return true;
	if (region->held == CDN_REGION_CLOSED)
		return region->kind == CDN_REGION_CLOSED;
	return region->held != CDN_REGION_PASSAGE &&
	    !cdn_region_is_mixed(region->held);
}

static int
add_root(struct cdn_plan_build *b, const struct cdn_plan_root *root)
{
	const struct cdn_region *above = region_around(b, root->path);
	struct spot spot;

	if (above != NULL && covers(above, root->path))
		return 0;
	spot = look(b, root->path, root->directory);
	if (above != NULL && cdn_region_is_mixed(above->held))
		return gain_one(b, &spot, above->kind);
	return walk(b, &spot);
}

/*
 * Only itself: a device, a file, or a directory to be passed.  Where something
 * around it is granted already, a passage would promise too much.
 */
static int
add_alone(struct cdn_plan_build *b, const struct cdn_plan_root *root)
{
	const struct cdn_region *above = region_around(b, root->path);
	struct spot spot = look(b, root->path, false);

	spot.directory = root->directory;
	if (!root->directory && cdn_plan_below(root->path, "/dev") &&
	    spot.says[CORDON_READ] == CDN_SUBTREE_ALLOW &&
	    spot.says[CORDON_MODIFY] == CDN_SUBTREE_ALLOW) {
		spot.kind = CDN_REGION_DEVICE;
		return add_whole(b, &spot);
	}
	if (above != NULL && covers(above, root->path))
		return 0;
	if (above != NULL && cdn_region_is_mixed(above->held))
		return root->directory ? 0 : gain_one(b, &spot, above->kind);
	if (!root->directory)
		return add_whole(b, &spot);
	return spot.kind == CDN_REGION_CLOSED ? 0 : add_passage(b, &spot);
}

/* A device stays one, whatever else gave it a region. */
static int
region_cmp(const void *a, const void *b)
{
	const struct cdn_region *x = a, *y = b;
	int by_path = cdn_plan_path_cmp(x->path, y->path);

	return by_path != 0 ? by_path :
	    (int)(y->kind == CDN_REGION_DEVICE) -
		(int)(x->kind == CDN_REGION_DEVICE);
}

static void
put_in_order(struct cdn_plan_build *b)
{
	size_t n = 0;

	if (b->region_count > 0)
		qsort(b->regions, b->region_count, sizeof(*b->regions),
		    region_cmp);
	for (size_t i = 0; i < b->region_count; i++)
		if (n == 0 ||
		    strcmp(b->regions[n - 1].path, b->regions[i].path) != 0)
			b->regions[n++] = b->regions[i];
	b->region_count = n;
}

/*
 * In the order of their paths, and so each after what lies around it: the list
 * that comes of it has next to nothing left to be sorted.
 */
int
cdn_plan_find_regions(struct cdn_plan_build *b)
{
	int code = 0;

	for (size_t i = 0; i < b->root_count && code == 0; i++)
		code = b->roots[i].alone ? add_alone(b, &b->roots[i]) :
					   add_root(b, &b->roots[i]);
	if (code > 0)
		return cdn_err(b->err, CORDON_E_INVALID, "more than %d roots "
		    "and devices (declare a directory above them)",
		    CDN_PLAN_REGIONS_MAX);
	put_in_order(b);
	return code;
}
