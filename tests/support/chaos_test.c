/* chaos itself: does it see what it is there to see? */
#include "support/chaos.h"

#include <cordon/cordon.h>

static void *kept[4096]; /* leaked for chaos, not for a leak checker */
static size_t kept_count;

static int
careful(void *arg)
{
	char *a = malloc(10);
	char *b = a == NULL ? NULL : strdup("text");
	char *c = b == NULL ? NULL : realloc(b, 1000);
	char *d = c == NULL ? NULL : calloc(3, 7);

	(void)arg;
	free(d);
	free(c != NULL ? c : b);
	free(a);
	return d == NULL ? CORDON_E_NOMEM : 0;
}

static int
leaks_on_error(void *arg)
{
	char *a = malloc(10);
	char *b = malloc(20);

	(void)arg;
	if (b == NULL) {
		kept[kept_count++] = a;
		return CORDON_E_NOMEM;
	}
	free(b);
	free(a);
	return a == NULL ? CORDON_E_NOMEM : 0;
}

static int
leaks_always(void *arg)
{
	(void)arg;
	kept[kept_count++] = malloc(10);
	return kept[kept_count - 1] == NULL ? CORDON_E_NOMEM : 0;
}

static int
leaks_at_realloc(void *arg)
{
	char *a = malloc(10);
	char *b = a == NULL ? NULL : realloc(a, 100);

	(void)arg;
	if (a != NULL && b == NULL)
		kept[kept_count++] = a;
	free(b);
	return b == NULL ? CORDON_E_NOMEM : 0;
}

static int
does_not_care(void *arg)
{
	char *a = malloc(10);

	(void)arg;
	free(a);
	return 0;
}

static int
wrong_code(void *arg)
{
	char *a = malloc(10);

	(void)arg;
	free(a);
	return a == NULL ? CORDON_E_INVALID : 0;
}

/* Tries again once: good enough unless all that follows fails as well. */
static int
tries_twice(void *arg)
{
	char *a = malloc(10);
	char *b = a != NULL ? NULL : malloc(10);
	bool good = a != NULL || b != NULL;

	(void)arg;
	free(a);
	free(b);
	return good ? 0 : CORDON_E_NOMEM;
}

static int
keeps_a_cache(void *arg)
{
	static char *cache;
	char *a = malloc(10);

	(void)arg;
	if (cache == NULL)
		cache = malloc(100);
	free(a);
	return a == NULL || cache == NULL ? CORDON_E_NOMEM : 0;
}

static int
sees_wrong(void *arg)
{
	char *a = malloc(10);

	(void)arg;
	free(a);
	return a == NULL ? 7 : 0;
}

static int
fails_anyway(void *arg)
{
	(void)arg;
	return CORDON_E_NOT_FOUND;
}

static int
takes_nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* Many live blocks, freed in another order than they were taken. */
static int
takes_many(void *arg)
{
	void *blocks[600] = { NULL };
	size_t n = 0;

	(void)arg;
	while (n < 600 && (blocks[n] = malloc(n)) != NULL)
		n++;
	for (size_t i = 0; i < 600; i++)
		free(blocks[i * 7 % 600]);
	return n < 600 ? CORDON_E_NOMEM : 0;
}

/* A block that libc took is given back through our free(). */
static int
frees_what_libc_took(void *arg)
{
	char *cwd = realpath("/", NULL);
	char *a = malloc(10);

	(void)arg;
	free(cwd);
	free(a);
	return a == NULL ? CORDON_E_NOMEM : 0;
}

static const struct {
	const char *name;
	int (*fn)(void *arg);
	unsigned flags;
	const char *want; /* how the problem begins, NULL = none */
} rows[] = {
	{ "careful", careful, 0, NULL },
	{ "takes many", takes_many, 0, NULL },
	{ "frees what libc took", frees_what_libc_took, 0, NULL },
	{ "keeps a cache", keeps_a_cache, 0, NULL },
	{ "leaks on error", leaks_on_error, 0, "allocation 2 failed: 1 blocks "
	    "leaked, the first is allocation 1 of 10 bytes" },
	{ "leaks always", leaks_always, 0, "undisturbed: 1 blocks leaked" },
	{ "leaks at realloc", leaks_at_realloc, 0,
	    "allocation 2 failed: 1 blocks leaked" },
	{ "does not care", does_not_care, 0,
	    "allocation 1 failed: it went unnoticed" },
	{ "may not care", does_not_care, CHAOS_ABSORBS, NULL },
	{ "wrong code", wrong_code, 0,
	    "allocation 1 failed: it was called InvalidInput" },
	{ "any code", wrong_code, CHAOS_ANY_ERROR, NULL },
	{ "tries twice", tries_twice, 0,
	    "allocation 1 failed: it went unnoticed" },
	{ "may try twice", tries_twice, CHAOS_ABSORBS, NULL },
	{ "sees something wrong", sees_wrong, CHAOS_ABSORBS,
	    "allocation 1 failed: what it saw was wrong (7)" },
	{ "fails anyway", fails_anyway, CHAOS_ANY_ERROR,
	    "undisturbed: returned NotFound" },
	{ "takes nothing", takes_nothing, 0, "it allocates nothing" },
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct chaos_report report;
		bool good = chaos_try(rows[i].fn, NULL, rows[i].flags, &report);
		const char *want = rows[i].want == NULL ? "" : rows[i].want;

		ok_f(good == (rows[i].want == NULL) &&
		    strncmp(report.problem, want, strlen(want)) == 0,
		    "%s: %s", rows[i].name, good ? "no problem" :
		    report.problem);
	}
	return done_testing();
}
