/*
 * Fewer rules, the same cage: random regions, and what the kernel would make
 * of their rules.
 *
 * The oracle has a rule for every region in each ruleset.  It knows two things
 * of the kernel: rights of all directories above are united, and two layers
 * are an intersection.
 */
#include "enforce/backend/grants.h"

#include "enforce/backend/landlock.h"
#include "support/random.h"
#include "support/tap.h"

#define REGIONS_FEW 24
#define REGIONS_MAX 120 /* in some worlds: enough for a coarse bound */
#define WORLDS	    4000
#define ABI	    7

struct world {
	char paths[REGIONS_MAX][64];
	struct cdn_region regions[REGIONS_MAX];
	struct cdn_plan plan;
};

static unsigned long saved_plan, saved_bound, kept, coarse;

/* ----- The kernel ------------------------------------------------------------ */

static bool
below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strcmp(dir, "/") == 0 || (strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/'));
}

static uint64_t
full(const struct cdn_region *region, bool bound)
{
	uint64_t of_files = CDN_LL_EXECUTE | CDN_LL_WRITE_FILE |
	    CDN_LL_READ_FILE | CDN_LL_TRUNCATE | CDN_LL_IOCTL_DEV;

	return (bound ? cdn_landlock_bound(region->held) :
			cdn_landlock_rights(region->held)) &
	    (region->directory ? UINT64_MAX : of_files);
}

/* grants: NULL = as if each region had its rule. */
static uint64_t
layer(const struct cdn_plan *plan, const struct cdn_grant *grants,
    enum cdn_ruleset_of which, const char *path)
{
	bool bound = which == CDN_RULESET_BOUND;
	uint64_t all = 0;

	for (size_t i = 0; i < plan->region_count; i++)
		if (below(path, plan->regions[i].path))
			all |= grants != NULL ? grants[i].rights[which] :
						full(&plan->regions[i], bound);
	if (bound && below(path, "/dev/pts"))
		all |= cdn_landlock_bound(CDN_REGION_DEVICE);
	if (bound && below(path, "/proc"))
		all |= cdn_landlock_bound(CDN_REGION_FIXED) |
		    CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE;
	return all;
}

/* Kinds of which everything may be read. */
static bool
is_read(const struct cdn_region *region)
{
	return region->held == CDN_REGION_OPEN ||
	    region->held == CDN_REGION_FIXED ||
	    region->held == CDN_REGION_MIXED_MODIFY;
}

/* What the bound may have at most: all that is in a tree of the workspace. */
static uint64_t
most(const struct cdn_plan *plan, const char *path)
{
	uint64_t all = layer(plan, NULL, CDN_RULESET_BOUND, path);

	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *top = &plan->regions[i];
		uint64_t tree = 0;
		size_t n = 0;
		bool read = true;

		if (!below(path, top->path) ||
		    !below(top->path, plan->workspace))
			continue;
		for (size_t k = 0; k < plan->region_count; k++)
			if (below(plan->regions[k].path, top->path)) {
				tree |= full(&plan->regions[k], true);
				read &= is_read(&plan->regions[k]);
				n++;
			}
		if (read && n >= CDN_GRANTS_MANY)
			all |= tree;
	}
	return all;
}

/* ----- Worlds ------------------------------------------------------------------ */

/* The end before a slash, a slash before all others. */
static int
by_path(const void *a, const void *b)
{
	const unsigned char *x = a, *y = b;
	int p, q;

	while (*x != '\0' && *x == *y) {
		x++;
		y++;
	}
	p = *x == '\0' ? 0 : *x == '/' ? 1 : *x + 1;
	q = *y == '\0' ? 0 : *y == '/' ? 1 : *y + 1;
	return p - q;
}

static void
random_path(char out[64])
{
	static const char *const names[] = { "a", "b", "a.b", "dev", "pts",
		"proc", "w" };
	size_t depth = random_below(5);
	size_t n = 0;

	snprintf(out, 64, "%s", depth == 0 ? "/" : "");
	for (size_t i = 0; i < depth; i++)
		n += (size_t)snprintf(out + n, 64 - n, "/%s",
		    names[random_below(CDN_LEN(names))]);
}

static const char *const workspaces[] = { "/", "/a", "/w", "/w/a" };

/* Parents first, each once; files have nothing in them. */
static void
make_world(struct world *w)
{
	bool many = random_below(40) == 0;
	size_t wanted = many ? REGIONS_MAX : 1 + random_below(REGIONS_FEW);
	/* Few kinds in most worlds: whole trees that are bounded. */
	size_t kinds = random_below(3) == 0 ? CDN_REGION_KIND_MAX : 3;
	size_t least = many && random_below(3) > 0 ? CDN_REGION_FIXED : 0;
	size_t n = 0;

	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < wanted; i++)
		random_path(w->paths[i]);
	qsort(w->paths, wanted, sizeof(w->paths[0]), by_path);
	for (size_t i = 0; i < wanted; i++) {
		bool last = i + 1 == wanted ||
		    !below(w->paths[i + 1], w->paths[i]);
		enum cdn_region_kind kind =
		    (enum cdn_region_kind)(least + random_below(kinds - least));

		if (i + 1 < wanted &&
		    strcmp(w->paths[i], w->paths[i + 1]) == 0)
			continue;
		w->regions[n++] = (struct cdn_region){ .path = w->paths[i],
			.kind = kind, .held = kind,
			.directory = !last || random_below(3) > 0 };
	}
	w->plan.workspace = workspaces[random_below(CDN_LEN(workspaces))];
	w->plan.regions = w->regions;
	w->plan.region_count = n;
}

/* ----- Comparing --------------------------------------------------------------- */

static bool
same_at(const struct cdn_plan *plan, const struct cdn_grant *both,
    const struct cdn_grant *alone, const char *path)
{
	uint64_t bound = layer(plan, NULL, CDN_RULESET_BOUND, path);
	uint64_t own = layer(plan, NULL, CDN_RULESET_PLAN, path);

	uint64_t has = layer(plan, both, CDN_RULESET_BOUND, path);

	coarse += has != bound;
	return (has & bound) == bound && (has & ~most(plan, path)) == 0 &&
	    (layer(plan, both, CDN_RULESET_PLAN, path) & has) ==
	    (own & bound) &&
	    layer(plan, alone, CDN_RULESET_PLAN, path) == own;
}

static void
count(const struct cdn_plan *plan, const struct cdn_grant *grants)
{
	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *r = &plan->regions[i];

		saved_plan += full(r, false) != 0 &&
		    grants[i].rights[CDN_RULESET_PLAN] == 0;
		saved_bound += full(r, true) != 0 &&
		    grants[i].rights[CDN_RULESET_BOUND] == 0;
		kept += grants[i].rights[CDN_RULESET_PLAN] != 0;
	}
}

/* At each region, in it, and where the bound has something of its own. */
static bool
is_same(const struct cdn_plan *plan)
{
	static const char *const others[] = { "/", "/dev", "/dev/pts",
		"/dev/pts/0", "/proc", "/proc/1", "/nowhere" };
	const uint64_t all = cdn_landlock_handled(ABI, true).fs;
	struct cdn_grant both[REGIONS_MAX] = { 0 }, alone[REGIONS_MAX] = { 0 };
	bool same = true;

	cdn_grants_find(plan, (const uint64_t[]){ all, all }, both);
	cdn_grants_find(plan, (const uint64_t[]){ all, 0 }, alone);
	count(plan, both);
	for (size_t i = 0; i < plan->region_count; i++) {
		char inside[128];

		snprintf(inside, sizeof(inside), "%s/x",
		    plan->regions[i].path);
		same &= same_at(plan, both, alone, plan->regions[i].path) &&
		    same_at(plan, both, alone, inside);
	}
	for (size_t i = 0; i < CDN_LEN(others); i++)
		same &= same_at(plan, both, alone, others[i]);
	return same;
}

static void
test_worlds(void)
{
	size_t worlds = WORLDS * random_tries();
	unsigned long wrong = 0;
	struct world w;

	for (size_t i = 0; i < worlds; i++) {
		make_world(&w);
		wrong += !is_same(&w.plan);
	}
	ok_f(wrong == 0, "%zu worlds: the same rights everywhere (%lu wrong)",
	    worlds, wrong);
	ok_f(saved_plan > 0 && saved_bound > 0 && kept > 0 && coarse > 0,
	    "which was worth it: %lu and %lu rules less, %lu kept, the bound "
	    "coarser at %lu places", saved_plan, saved_bound, kept, coarse);
}

/* ----- Known trees --------------------------------------------------------------- */

struct known {
	const char *what;
	size_t rules; /* of the plan's ruleset, with a bound */
	struct cdn_region regions[5];
};

#define DIR_OF(path_, kind_) \
	{ .path = path_, .held = CDN_REGION_##kind_, .directory = true }

static const struct known knowns[] = {
	{ "what was broken up gets one rule", 1,
	    { DIR_OF("/etc", PASSAGE), DIR_OF("/etc/a", FIXED),
		DIR_OF("/etc/b", FIXED) } },
	{ "directories that are open in one that is fixed", 1,
	    { DIR_OF("/w", FIXED), DIR_OF("/w/1", OPEN),
		DIR_OF("/w/2", OPEN) } },
	{ "names alike lie side by side", 2,
	    { DIR_OF("/w", FIXED), DIR_OF("/w.b", OPEN) } },
	{ "where somebody judges each has its own", 3,
	    { DIR_OF("/w", MIXED_MODIFY), DIR_OF("/w/1", OPEN),
		DIR_OF("/w/2", OPEN) } },
	{ "also below such a one", 2,
	    { DIR_OF("/w", MIXED_MODIFY), DIR_OF("/w/1", FIXED),
		DIR_OF("/w/1/a", OPEN) } },
	{ "nothing is given around terminals", 2,
	    { DIR_OF("/dev", FIXED), DIR_OF("/dev/shm", OPEN) } },
	{ "nor below them", 2,
	    { DIR_OF("/dev/pts/a", FIXED), DIR_OF("/dev/pts/a/b", OPEN) } },
	{ "nor at the root", 2,
	    { DIR_OF("/", FIXED), DIR_OF("/w", OPEN) } },
};

static void
test_known(const struct known *k)
{
	const uint64_t all = cdn_landlock_handled(ABI, true).fs;
	struct cdn_grant grants[CDN_LEN(k->regions)] = { 0 };
	struct cdn_region regions[CDN_LEN(k->regions)];
	struct cdn_plan plan = { .regions = regions, .workspace = "/w" };
	size_t rules = 0;

	memcpy(regions, k->regions, sizeof(regions));
	while (plan.region_count < CDN_LEN(regions) &&
	    regions[plan.region_count].path != NULL)
		plan.region_count++;
	cdn_grants_find(&plan, (const uint64_t[]){ all, all }, grants);
	for (size_t i = 0; i < plan.region_count; i++)
		rules += grants[i].rights[CDN_RULESET_PLAN] != 0;
	ok_f(rules == k->rules && is_same(&plan), "%s: %zu rules", k->what,
	    rules);
}

/* ----- Many regions ------------------------------------------------------------ */

struct lots {
	const char *what, *workspace;
	enum cdn_region_kind first, rest;
	size_t n; /* regions in /w, which is one more */
	bool coarse;
};

static const struct lots lots[] = {
	{ "many open directories in a fixed workspace", "/w",
	    CDN_REGION_FIXED, CDN_REGION_OPEN, CDN_GRANTS_MANY, true },
	{ "also where somebody judges some of them", "/",
	    CDN_REGION_MIXED_MODIFY, CDN_REGION_FIXED, CDN_GRANTS_MANY, true },
	{ "not when they are few", "/w", CDN_REGION_FIXED, CDN_REGION_OPEN,
	    CDN_GRANTS_MANY - 2, false },
	{ "not outside of the workspace", "/v", CDN_REGION_FIXED,
	    CDN_REGION_OPEN, CDN_GRANTS_MANY, false },
	{ "nor around it", "/w/1", CDN_REGION_FIXED, CDN_REGION_OPEN,
	    CDN_GRANTS_MANY, false },
	{ "not where something may not be read", "/w", CDN_REGION_PASSAGE,
	    CDN_REGION_OPEN, CDN_GRANTS_MANY, false },
	{ "nor where one of them may not", "/w", CDN_REGION_FIXED,
	    CDN_REGION_CLOSED, CDN_GRANTS_MANY, false },
};

/* In what is fixed there is a place that may not be modified: /w/x. */
static void
test_lots(const struct lots *l)
{
	const uint64_t all = cdn_landlock_handled(ABI, true).fs;
	struct cdn_grant grants[REGIONS_MAX] = { 0 };
	struct cdn_region regions[REGIONS_MAX];
	char paths[REGIONS_MAX][64];
	struct cdn_plan plan = { .regions = regions,
		.workspace = l->workspace, .region_count = l->n + 1 };
	size_t rules = 0;

	for (size_t i = 0; i <= l->n; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/w/%03zu", i);
		regions[i] = (struct cdn_region){ .path = paths[i],
			.held = l->rest, .directory = true };
	}
	snprintf(paths[0], sizeof(paths[0]), "/w");
	regions[0].held = l->first;
	regions[1].held = CDN_REGION_OPEN;
	cdn_grants_find(&plan, (const uint64_t[]){ all, all }, grants);
	for (size_t i = 0; i < plan.region_count; i++)
		rules += grants[i].rights[CDN_RULESET_BOUND] != 0;
	ok_f((rules == 1) == l->coarse && is_same(&plan),
	    "%s: the bound has %zu rules", l->what, rules);
	ok_f((layer(&plan, grants, CDN_RULESET_PLAN, "/w/x") &
	    layer(&plan, grants, CDN_RULESET_BOUND, "/w/x") &
	    CDN_LL_WRITE_FILE) == 0, "and the run writes nothing more");
	ok((layer(&plan, grants, CDN_RULESET_BOUND, "/v/x") |
	    layer(&plan, grants, CDN_RULESET_BOUND, "/")) == 0,
	    "nor does the bound outside of it");
}

int
main(void)
{
	random_start();
	test_worlds();
	for (size_t i = 0; i < CDN_LEN(knowns); i++)
		test_known(&knowns[i]);
	for (size_t i = 0; i < CDN_LEN(lots); i++)
		test_lots(&lots[i]);
	return done_testing();
}
