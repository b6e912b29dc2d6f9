/*
 * Random worlds on random trees: a plan against asking about every path.
 *
 * The model knows what the kernel does with the regions it is held to, and
 * nothing else: rights of all directories above a path are united.  Whatever
 * that grants must be allowed, unless a region says itself that it gives
 * something away; what the floor closes is never granted; what is allowed
 * where nothing is mixed is granted; with a broker nothing that may be made is
 * out of reach; and a rule the kernel is said to hold needs nobody else.
 */
#include "support/world_chance.h"
#include "tree.h"

#define R (1U << CORDON_READ)
#define M (1U << CORDON_MODIFY)
#define X (1U << CORDON_EXEC)

/* Without what the broker alone gives; a passage lists names, no more. */
static const unsigned model[CDN_REGION_KIND_MAX] = {
	[CDN_REGION_CLOSED] = 0,
	[CDN_REGION_FIXED] = R | X,
	[CDN_REGION_OPEN] = R | M | X,
	[CDN_REGION_MIXED_MODIFY] = R | X,
	[CDN_REGION_MIXED_READ] = 0,
	[CDN_REGION_PASSAGE] = 0,
	[CDN_REGION_DEVICE] = R | M,
};

struct found {
	unsigned rights;
	unsigned native; /* with what the broker has to take back */
	bool mixed;	 /* some region above it is */
	bool given_away; /* some region above it is mixed, but not held so */
	const struct cdn_region *deepest;
};

struct tally {
	unsigned long asked, interesting, wrong;
};

static struct tally sound, guarded, complete, possible, claims;
static unsigned long kinds[CDN_REGION_KIND_MAX];

static bool
is_mixed(enum cdn_region_kind kind)
{
	return kind == CDN_REGION_MIXED_MODIFY || kind == CDN_REGION_MIXED_READ;
}

static struct found
find(const struct cdn_plan *plan, const char *path)
{
	struct found f = { 0 };

	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *r = &plan->regions[i];

		if (!draft_below(path, r->path))
			continue;
		f.rights |= model[r->held];
		f.native |= r->held == CDN_REGION_MIXED_READ ? R | X :
							       model[r->held];
		f.mixed |= is_mixed(r->kind);
		f.given_away |= is_mixed(r->kind) && r->held != r->kind;
		if (f.deepest == NULL ||
		    strlen(r->path) > strlen(f.deepest->path))
			f.deepest = r;
	}
	return f;
}

static void
wrong(struct tally *t, const struct draft *d, const struct tree *tree,
    const struct cdn_plan *plan, const char *what, const char *path,
    enum cordon_op op, bool broker)
{
	char text[16384];

	if (t->wrong++ >= 3)
		return;
	printf("# %s: %s %s, %s broker\n", what, cordon_op_name(op), path,
	    broker ? "with" : "without");
	printf("# regions %s\n# tree", tree_regions(plan, text, sizeof(text)));
	for (size_t i = 0; i < tree->n; i++)
		printf(" %s%s%s", tree->v[i].unreadable ? "#" : "",
		    tree->v[i].path, tree->v[i].directory ? "/" : "");
	printf("\n");
	draft_print(d);
}

/* ----- One path -------------------------------------------------------------- */

static void
shorten(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = '\0';
}

static char *
parent_of(const char *path, char *out, size_t size)
{
	snprintf(out, size, "%s", path);
	shorten(out);
	return out;
}

/* Nothing that lies below a file is there, nor can it be made. */
static bool
can_be(struct tree *t, const char *path)
{
	char at[32];
	const struct tree_node *node;

	snprintf(at, sizeof(at), "%s", path);
	while (strcmp(at, "/") != 0) {
		shorten(at);
		node = tree_find(t, at);
		if (node != NULL && !node->directory)
			return false;
	}
	return true;
}

struct question {
	const struct draft *d;
	const struct world *w;
	struct tree *t;
	const struct cdn_plan *plan;
	bool broker;
};

static void
check_sound(const struct question *q, const char *path, enum cordon_op op,
    const struct found *f, const struct cordon_verdict *v)
{
	bool granted = (f->rights & (1U << op)) != 0;

	sound.asked++;
	sound.interesting += granted;
	if (granted && !v->allowed &&
	    (q->broker || !f->given_away || q->plan->enforced))
		wrong(&sound, q->d, q->t, q->plan, "granted though denied",
		    path, op, q->broker);
	if (v->allowed || v->layer != CORDON_LAYER_FLOOR ||
	    op != CORDON_READ || !tree_readable(q->t, path))
		return;
	guarded.asked++;
	guarded.interesting += f->mixed;
	if (f->rights != 0)
		wrong(&guarded, q->d, q->t, q->plan, "the floor is given away",
		    path, op, q->broker);
}

/* A directory that was broken up has no rights of its own. */
static bool
is_broken_up(const struct cdn_region *region, const char *path,
    enum cordon_op op)
{
	return region != NULL && strcmp(region->path, path) == 0 &&
	    region->directory && (region->kind == CDN_REGION_PASSAGE ||
		(region->kind == CDN_REGION_FIXED && op == CORDON_MODIFY));
}

static void
check_complete(const struct question *q, const char *path, enum cordon_op op,
    const struct found *f, const struct cordon_verdict *v)
{
	const struct tree_node *node = tree_find(q->t, path);

	if (node == NULL || f->mixed || !v->allowed ||
	    is_broken_up(f->deepest, path, op))
		return;
	complete.asked++;
	complete.interesting += f->deepest != NULL &&
	    strcmp(f->deepest->path, path) != 0;
	if ((f->rights & (1U << op)) == 0)
		wrong(&complete, q->d, q->t, q->plan, "allowed but not granted",
		    path, op, q->broker);
}

/* With a broker: a file made, replaced or removed, natively or by it. */
static void
check_possible(const struct question *q, const char *path,
    const struct cordon_verdict *v)
{
	char dir[32];
	const struct tree_node *node = tree_find(q->t, path), *above;
	struct found f;

	if (!q->broker || !v->allowed || strcmp(path, "/") == 0 ||
	    (node != NULL && node->directory))
		return;
	above = tree_find(q->t, parent_of(path, dir, sizeof(dir)));
	if (above == NULL || !above->directory)
		return;
	f = find(q->plan, dir);
	possible.asked++;
	possible.interesting += node == NULL;
	/* Roots are there before the run, and files among them stay. */
	if (!f.mixed && (f.rights & M) == 0 && f.deepest != NULL)
		wrong(&possible, q->d, q->t, q->plan, "cannot be made", path,
		    CORDON_MODIFY, true);
}

/* Can this rule have a say about the path? */
static bool
speaks_of(const struct cdn_plan_rule *row, const char *path)
{
	cdn_str pattern = row->rule->pattern;
	const char *relative = path + 2;

	if (row->layer == CORDON_LAYER_FLOOR)
		return draft_below(path, pattern.p);
	if (!draft_below(path, "/w"))
		return false;
	relative += relative[0] == '/';
	return naive_glob(pattern.p, pattern.n, 0, relative, strlen(relative));
}

/* What the kernel is said to hold it holds without anybody's help. */
static void
check_claims(const struct question *q, const char *path, enum cordon_op op,
    const struct found *f, const struct cordon_verdict *v)
{
	for (size_t i = 0; i < q->plan->rule_count; i++) {
		const struct cdn_plan_rule *row = &q->plan->rules[i];

		if (row->op != op || row->by != CDN_BY_LANDLOCK ||
		    !speaks_of(row, path))
			continue;
		claims.asked++;
		claims.interesting += f->mixed;
		if ((f->native & (1U << op)) == 0 || v->allowed ||
		    (row->layer == CORDON_LAYER_FLOOR &&
			v->layer != CORDON_LAYER_FLOOR))
			continue;
		printf("# rule %.*s\n", CDN_STR_ARG(row->rule->pattern));
		wrong(&claims, q->d, q->t, q->plan, "said to be the kernel's",
		    path, op, q->broker);
	}
}

static void
check_path(const struct question *q, const char *path)
{
	struct found f = find(q->plan, path);

	if (!can_be(q->t, path))
		return;
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		struct cordon_verdict v = world_ask(q->w, CORDON_AS_PROCESS,
		    op, path);

		check_sound(q, path, op, &f, &v);
		check_complete(q, path, op, &f, &v);
		check_claims(q, path, op, &f, &v);
		if (op == CORDON_MODIFY)
			check_possible(q, path, &v);
	}
}

/* ----- One world ---------------------------------------------------------------- */

static void
grow(struct tree *t)
{
	tree_make(t, "/w/");
	for (size_t i = 0; i < draft_path_count; i++) {
		const char *path = draft_paths[i];
		char dir[32];
		struct tree_node *node, *above;

		if (strcmp(path, "/") == 0)
			continue;
		above = tree_find(t, parent_of(path, dir, sizeof(dir)));
		if (above == NULL || !above->directory || chance(3) == 0)
			continue;
		node = tree_put(t, path, strlen(path),
		    strcmp(path, "/w") == 0 || chance(4) > 0);
		node->unreadable = chance(8) == 0 && strcmp(path, "/w") != 0;
	}
	t->backwards = chance(2) == 0;
}

/* Places of other runs, and those of this one among them. */
static void
hide(struct world *w)
{
	static const char *const hidden[] = { "/o", "/o/a /p/b", "/w/c",
		"/p/* /o/a/b" };
	static const char *const own[] = { "/o/a/b", "/p/b/c", "/o/c/c",
		"/p/a" };

	if (chance(3) > 0)
		return;
	w->spec.hidden = world_places(w->arena, hidden[chance(4)]);
	w->spec.own = world_places(w->arena, own[chance(4)]);
	if (chance(2) == 0)
		w->spec.runtime_write = w->spec.own;
	need(cdn_authority_build(w->arena, &w->spec, &w->authority, NULL) == 0,
	    "authority");
}

static void
try_one(void)
{
	static struct tree t;
	struct draft d;
	struct world w;

	draft_make(&d);
	draft_build(&d, &w);
	hide(&w);
	grow(&t);
	for (int broker = 0; broker < 2; broker++) {
		struct question q = { &d, &w, &t,
			tree_plan(&t, &w, NULL, broker != 0), broker != 0 };

		for (size_t i = 0; i < draft_path_count; i++)
			check_path(&q, draft_paths[i]);
		for (size_t i = 0; i < q.plan->region_count; i++)
			kinds[q.plan->regions[i].kind]++;
	}
	world_done(&w);
}

static void
judge(const char *what, const struct tally *t)
{
	ok_f(t->wrong == 0, "%s, %lu questions", what, t->asked);
	ok_f(t->interesting > 300, "... %lu of them telling", t->interesting);
}

int
main(void)
{
	unsigned long n = tries(1500);

	draft_begin();
	for (unsigned long i = 0; i < n && sound.wrong + guarded.wrong +
	    complete.wrong + possible.wrong + claims.wrong < 6; i++)
		try_one();
	judge("what is granted is allowed", &sound);
	judge("what the floor closes is never granted", &guarded);
	judge("what is allowed is granted", &complete);
	judge("what may be made can be made", &possible);
	judge("what is said to be the kernel's is", &claims);
	for (int kind = 0; kind < CDN_REGION_DEVICE; kind++)
		ok_f(kinds[kind] > 100, "%lu regions are %s", kinds[kind],
		    cdn_region_kind_name((enum cdn_region_kind)kind));
	return done_testing();
}
