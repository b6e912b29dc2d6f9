/*
 * match_bench - what one question costs, beside other engines in the same run.
 *
 *	match_bench [SECONDS PER FIGURE]
 *
 * Rules are what people write: directories, one directory of each package,
 * endings, names anywhere, single files; every fifth is a denial.  "complex"
 * has 5 % of `*x*`, `?` and wildcard directories among them.  Paths are 57
 * bytes long; one half is matched by some rule, the other by none, and both
 * share their beginnings with the rules.  All engines must agree on all paths
 * before anything is timed; then they take turns, and the best turn counts.
 */
#include "engine/match/matcher.h"

#ifdef HAVE_PEERS
#include "match_peers.h"
#endif

#define PATH_BYTES 57
#define PATHS	   1024
#define RULES_MOST 10000
#define ENGINES	   8
#define TURNS	   40
#define SLOW	   0.05 /* seconds: an engine that needs more has few turns */

/* ----- Random words ------------------------------------------------------ */

static uint64_t seed = 1;

static uint32_t
below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % n;
}

static const char *const tops[] = { "src", "lib", "docs", "tests", "tools",
	"scripts", "examples", "packages", "apps", "services" };
static const char *const subs[] = { "dist", "build", "src", "test", "config",
	"assets", "generated", "coverage", "public", "migrations" };
static const char *const anywhere[] = { "node_modules", ".git", "__pycache__",
	"target", ".venv", "secrets", ".terraform", "vendor", ".idea", "tmp" };
static const char *const endings[] = { "env", "pem", "key", "md", "json",
	"lock", "log", "sqlite", "yaml", "toml", "ts", "rs", "py", "css" };
static const char *const stems[] = { "web", "core", "auth", "user", "cart",
	"mail", "pay", "search", "graph", "queue", "cache", "image", "report",
	"admin", "mobile", "billing" };

#define PICK(list) ((list)[below((uint32_t)CDN_LEN(list))])

/* A name of which there are `many`. */
static const char *
word(uint32_t many)
{
	static char text[8][32];
	static unsigned turn;
	char *out = text[turn++ % 8];
	uint32_t number = below(many);

	snprintf(out, sizeof(text[0]), "%s-%s%u", stems[number % 16],
	    stems[number / 16 % 16], number / 256);
	return out;
}

/* ----- Rules ------------------------------------------------------------- */

struct rules {
	char text[RULES_MOST][96];
	struct cdn_match_rule list[RULES_MOST];
	const char *globs[RULES_MOST];
	size_t n;
};

static void
simple_rule(char *out, size_t size, uint32_t many)
{
	switch (below(20)) {
	case 0: case 1: case 2:
		snprintf(out, size, "%s/%s/**", PICK(tops), word(many));
		break;
	case 3: case 4: case 5: case 6: case 7:
		snprintf(out, size, "packages/%s/%s/**", word(many),
		    PICK(subs));
		break;
	case 8: case 9:
		if (many < 64)
			snprintf(out, size, "**/*.%s", PICK(endings));
		else
			snprintf(out, size, "**/*.%s.%s", word(many / 8),
			    PICK(endings));
		break;
	case 10:
		if (many < 64)
			snprintf(out, size, "**/%s/**", PICK(anywhere));
		else
			snprintf(out, size, "**/%s/**", word(many / 8));
		break;
	case 11: case 12: case 13:
		snprintf(out, size, "%s/%s/*.%s", PICK(tops), word(many),
		    PICK(endings));
		break;
	default:
		snprintf(out, size, "%s/%s/%s/%s.%s", PICK(tops), word(many),
		    PICK(subs), word(many), PICK(endings));
	}
}

static void
complex_rule(char *out, size_t size, uint32_t many)
{
	switch (below(5)) {
	case 0:
		snprintf(out, size, "**/*%s*", word(many));
		break;
	case 1:
		snprintf(out, size, "**/%s_?*.py", word(many));
		break;
	case 2:
		snprintf(out, size, "*/%s/*.%s", word(many), PICK(endings));
		break;
	case 3:
		snprintf(out, size, "%s/**/%s/**", PICK(tops), word(many));
		break;
	default:
		snprintf(out, size, "%s/*/%s/%s.?%s", PICK(tops), PICK(subs),
		    word(many), PICK(endings));
	}
}

static void
make_rules(struct rules *rules, size_t n, bool complex)
{
	static const char *const first[] = { "src/**", "docs/*.md",
		"**/*.env", "**/node_modules/**", "package.json",
		"packages/web-core0/dist/**", "**/.git/**", "tests/**" };
	uint32_t many = (uint32_t)n;

	seed = 88172645463325252U + n;
	rules->n = n;
	for (size_t i = 0; i < n; i++) {
		char *text = rules->text[i];
		size_t size = sizeof(rules->text[i]);

		if (i < CDN_LEN(first))
			snprintf(text, size, "%s", first[i]);
		else if (complex && (i % 20 == 9))
			complex_rule(text, size, many);
		else
			simple_rule(text, size, many);
		rules->list[i] = (struct cdn_match_rule){ cdn_str_of(text), 0,
			i % 5 == 4 };
		rules->globs[i] = text;
	}
}

/* ----- Paths ------------------------------------------------------------- */

struct paths {
	char text[PATHS][PATH_BYTES + 1];
};

/* Puts words where the stars are, and fills up to 57 bytes. */
static bool
instantiate(const char *glob, char *out)
{
	char text[256];
	size_t n = 0, stretch = 0;

	for (; *glob != '\0' && n < 200; glob++) {
		if (strncmp(glob, "**", 2) == 0) {
			n += (size_t)snprintf(text + n, 64, "%s/%s", PICK(subs),
			    word(256));
			stretch = n;
			glob++;
		} else if (*glob == '*') {
			n += (size_t)snprintf(text + n, 64, "%s", word(256));
			stretch = n;
		} else {
			text[n++] = *glob == '?' ? 'x' : *glob;
		}
	}
	if (n > PATH_BYTES || (stretch == 0 && n != PATH_BYTES))
		return false;
	memcpy(out, text, stretch);
	for (size_t i = 0; i < PATH_BYTES - n; i++)
		out[stretch + i] = i % 9 == 3 ? '/' : (char)('a' + below(26));
	if (out[stretch + PATH_BYTES - n - 1] == '/')
		out[stretch + PATH_BYTES - n - 1] = 'x';
	memcpy(out + stretch + PATH_BYTES - n, text + stretch, n - stretch);
	out[PATH_BYTES] = '\0';
	return strstr(out, "//") == NULL && out[PATH_BYTES - 1] != '/';
}

/* Changes one letter of one name. */
static void
spoil(char *path)
{
	size_t at = below(PATH_BYTES);

	if (path[at] != '/')
		path[at] = 'Q';
}

static void
make_paths(struct paths *paths, const struct rules *rules,
    const struct cdn_matcher *matcher)
{
	size_t count[2] = { 0, 0 }, at = 0;

	while (at < PATHS) {
		char *path = paths->text[at];
		bool hit;

		if (!instantiate(rules->globs[below((uint32_t)rules->n)], path))
			continue;
		for (unsigned i = below(4) * 4; i > 0; i--)
			spoil(path);
		hit = cdn_matcher_check(matcher,
		    (cdn_str){ path, PATH_BYTES }) != CDN_NO_RULE;
		if (count[hit] < PATHS / 2) {
			count[hit]++;
			at++;
		}
	}
}

/* ----- Timing ------------------------------------------------------------ */

static double wanted = 0.5; /* seconds per figure */
static volatile int sink;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Additions that wait for each other take one cycle each. */
static double
gigahertz(void)
{
	const long steps = 200000;
	double best = 1e9;

	for (int turn = 0; turn < 10 * TURNS; turn++) {
		double from = now();
		unsigned long x = 0;

		for (long i = 0; i < steps; i++) {
			x += (unsigned long)i;
			__asm__ volatile("" : "+r"(x));
		}
		if (now() - from < best)
			best = now() - from;
	}
	return (double)steps / best / 1e9;
}

/* Something that can be asked about all paths. */
struct engine {
	const char *name; /* NULL: it did not take the rules */
	int (*check)(const struct engine *engine, const char *path);
	const struct cdn_matcher *matcher;
#ifdef HAVE_PEERS
	const struct peer *peer;
#endif
	void *self;
	double best; /* seconds for one path */
	double used; /* seconds in all */
};

/*
 * One turn: all paths, again and again until the time is up.  The best time
 * for all of them counts, because a busy machine makes the others longer.
 */
static void
take_turn(struct engine *engine, const struct paths *paths)
{
	double begin = now(), from = begin, to;

	if (engine->used > 3 * SLOW && engine->best * PATHS > SLOW)
		return;
	do {
		int sum = 0;

		for (size_t i = 0; i < PATHS; i++)
			sum += engine->check(engine, paths->text[i]);
		sink = sum;
		to = now();
		if (engine->best == 0 || (to - from) / PATHS < engine->best)
			engine->best = (to - from) / PATHS;
		from = to;
	} while (to - begin < wanted / TURNS);
	engine->used += to - begin;
}

/* ----- Engines ----------------------------------------------------------- */

static int
check_cordon(const struct engine *engine, const char *path)
{
	return cdn_matcher_check(engine->matcher,
	    (cdn_str){ path, PATH_BYTES });
}

#ifdef HAVE_PEERS
static int
check_peer(const struct engine *engine, const char *path)
{
	return engine->peer->check(engine->self, path, PATH_BYTES);
}
#endif

/* Ours first; returns how many. */
static size_t
make_engines(struct engine *engines, const struct cdn_matcher *matcher,
    const struct rules *rules)
{
	size_t n = 0;

	engines[n++] = (struct engine){ .name = "cordon",
		.check = check_cordon, .matcher = matcher };
#ifdef HAVE_PEERS
	for (const struct peer *peer = match_peers; peer->name != NULL;
	     peer++) {
		void *self = peer->build(rules->globs, rules->n);

		engines[n++] = (struct engine){
			.name = self == NULL ? NULL : peer->name,
			.check = check_peer, .peer = peer, .self = self };
	}
#else
	(void)rules;
#endif
	return n;
}

static void
free_engines(struct engine *engines, size_t n)
{
#ifdef HAVE_PEERS
	for (size_t i = 1; i < n; i++)
		if (engines[i].name != NULL)
			engines[i].peer->free(engines[i].self);
#else
	(void)engines;
	(void)n;
#endif
}

static void
must_agree(const struct engine *engines, size_t n, const struct paths *paths)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; engines[i].name != NULL && j < PATHS; j++) {
			const char *path = paths->text[j];
			int ours = engines[0].check(&engines[0], path);
			int theirs = engines[i].check(&engines[i], path);

			if (ours == theirs)
				continue;
			printf("\n%s says %d, cordon %d: %s\n",
			    engines[i].name, theirs, ours, path);
			exit(1);
		}
}

/* ----- Walking ----------------------------------------------------------- */

#define FILES 64

/* A directory three levels down and its files: as a walk meets them. */
static double
walk(const struct cdn_matcher *matcher)
{
	static char text[FILES][96];
	cdn_str dir = CDN_STR("packages/web-core0/src"), path[FILES];
	double best = 1e9;

	for (size_t i = 0; i < FILES; i++) {
		snprintf(text[i], sizeof(text[i]), "%s/%s.%s", dir.p,
		    word(256), PICK(endings));
		path[i] = cdn_str_of(text[i]);
	}
	for (int turn = 0; turn < 10 * TURNS; turn++) {
		double from = now(), each;
		size_t done = 0;
		int sum = 0;

		for (; done < 10000; done += FILES) {
			struct cdn_cursor at;

			cdn_cursor_root(matcher, &at);
			cdn_cursor_enter(matcher, &at, (cdn_str){ dir.p, 8 },
			    0, &at);
			cdn_cursor_enter(matcher, &at, (cdn_str){ dir.p, 18 },
			    9, &at);
			cdn_cursor_enter(matcher, &at, dir, 19, &at);
			for (size_t i = 0; i < FILES; i++)
				sum += cdn_cursor_check(matcher, &at, path[i],
				    dir.n + 1);
		}
		sink = sum;
		each = (now() - from) / (double)done;
		if (each < best)
			best = each;
	}
	return best;
}

/* ----- Table ------------------------------------------------------------- */

static void
print_head(void)
{
	printf("%-8s %5s %7s %7s", "rules", "n", "cordon", "@3GHz");
#ifdef HAVE_PEERS
	for (const struct peer *peer = match_peers; peer->name != NULL; peer++)
		printf(" %9s %7s", peer->name, "ratio");
#endif
	printf(" %7s %7s %8s\n", "walk", "@3GHz", "build ms");
}

static void
print_row(const struct engine *engines, size_t n, double at_3ghz, double walked,
    double built)
{
	printf(" %7.1f %7.1f", engines[0].best * 1e9,
	    engines[0].best * 1e9 * at_3ghz);
	for (size_t i = 1; i < n; i++)
		if (engines[i].name == NULL)
			printf(" %9s %7s", "refuses", "-");
		else
			printf(" %9.0f %6.1fx", engines[i].best * 1e9,
			    engines[i].best / engines[0].best);
	printf(" %7.1f %7.1f %8.2f\n", walked * 1e9, walked * 1e9 * at_3ghz,
	    built * 1e3);
	fflush(stdout);
}

static void
run(size_t count, bool complex, double at_3ghz)
{
	static struct rules rules;
	static struct paths paths;
	const struct cdn_matcher *matcher = NULL;
	struct cdn_arena *arena = cdn_arena_new();
	struct engine engines[ENGINES];
	double from, built;
	size_t n;

	make_rules(&rules, count, complex);
	from = now();
	if (arena == NULL || cdn_matcher_build(arena, rules.list, count,
		&matcher, NULL) < 0) {
		fprintf(stderr, "match_bench: cannot build %zu rules\n", count);
		exit(1);
	}
	built = now() - from;
	make_paths(&paths, &rules, matcher);
	n = make_engines(engines, matcher, &rules);
	must_agree(engines, n, &paths);
	for (int turn = 0; turn < TURNS; turn++)
		for (size_t i = 0; i < n; i++)
			if (engines[i].name != NULL)
				take_turn(&engines[i], &paths);
	printf("%-8s %5zu", complex ? "complex" : "simple", count);
	print_row(engines, n, at_3ghz, walk(matcher), built);
	free_engines(engines, n);
	cdn_arena_free(arena);
}

int
main(int argc, char **argv)
{
	static const size_t sizes[] = { 10, 100, 1000, 10000 };
	double ghz = gigahertz();

	if (argc > 1)
		wanted = strtod(argv[1], NULL);
	printf("ns per question, ns per file walked; this core runs at %.2f"
	    " GHz\n", ghz);
	print_head();
	for (int complex = 0; complex < 2; complex++)
		for (size_t i = 0; i < CDN_LEN(sizes); i++)
			run(sizes[i], complex != 0, ghz / 3);
	return 0;
}
