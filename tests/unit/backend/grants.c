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

#define REGIONS_MAX 24
#define WORLDS	    4000
#define ABI	    7

struct world {
	char paths[REGIONS_MAX][64];
	struct cdn_region regions[REGIONS_MAX];
	struct cdn_plan plan;
};

static unsigned long saved_plan, saved_bound, kept;

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

	if (depth == 0)
		snprintf(out, 64, "/");
	for (size_t i = 0; i < depth; i++)
		n += (size_t)snprintf(out + n, 64 - n, "/%s",
		    names[random_below(CDN_LEN(names))]);
}

/* Parents first, each once; files have nothing in them. */
static void
make_world(struct world *w)
{
	size_t wanted = 1 + random_below(REGIONS_MAX), n = 0;
	/* Few kinds in most worlds: whole trees that are bounded. */
	size_t kinds = random_below(3) == 0 ? CDN_REGION_KIND_MAX : 3;

	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < wanted; i++)
		random_path(w->paths[i]);
	qsort(w->paths, wanted, sizeof(w->paths[0]), by_path);
	for (size_t i = 0; i < wanted; i++) {
		bool last = i + 1 == wanted ||
		    !below(w->paths[i + 1], w->paths[i]);
		enum cdn_region_kind kind =
		    (enum cdn_region_kind)random_below(kinds);

		if (i + 1 < wanted &&
		    strcmp(w->paths[i], w->paths[i + 1]) == 0)
			continue;
		w->regions[n++] = (struct cdn_region){ .path = w->paths[i],
			.kind = kind, .held = kind,
			.directory = !last || random_below(3) > 0 };
	}
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

	return layer(plan, both, CDN_RULESET_BOUND, path) == bound &&
	    (layer(plan, both, CDN_RULESET_PLAN, path) & bound) ==
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
	ok_f(saved_plan > 0 && saved_bound > 0 && kept > 0, "which "
	    "was worth it: %lu and %lu rules less, %lu kept", saved_plan,
	    saved_bound, kept);
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
	struct cdn_plan plan = { .regions = regions };
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

int
main(void)
{
	random_start();
	test_worlds();
	for (size_t i = 0; i < CDN_LEN(knowns); i++)
		test_known(&knowns[i]);
	return done_testing();
}
