/*
 * The linker sends malloc() and its kin of our objects here (--wrap), and what
 * is called __real_malloc() here is the one of libc, or of a sanitizer.  Live
 * blocks are kept by address, so that blocks of other origin, which free()
 * meets as well, do not spoil the count.
 */
#include "support/chaos.h"

#include <errno.h>
#include <stdint.h>

#include <cordon/cordon.h>

#define RUNS_MAX 100000UL /* of one function: beyond, use a smaller input */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
void __wrap_free(void *p);

struct live {
	uintptr_t at; /* 0 = an empty slot */
	unsigned long number;
	size_t size;
};

static struct {
	bool active;
	unsigned long number;	/* of the latest allocation of this run */
	unsigned long fail;	/* the first that fails; 0 = none */
	bool and_after;		/* and all behind it */
	bool failed;		/* it came to that */
	struct live *slots;	/* open addressing, at most half full */
	size_t mask;		/* slots - 1 */
	size_t count;
} chaos;

/* ----- Live blocks ------------------------------------------------------- */

static struct live *
find_slot(uintptr_t at)
{
	size_t i = (at >> 4) * 0x9e3779b1U & chaos.mask;

	while (chaos.slots[i].at != 0 && chaos.slots[i].at != at)
		i = (i + 1) & chaos.mask;
	return &chaos.slots[i];
}

static void
make_table(size_t slots)
{
	chaos.slots = __real_calloc(slots, sizeof(*chaos.slots));
	if (chaos.slots == NULL) {
		fputs("chaos: out of memory, really\n", stderr);
		abort();
	}
	chaos.mask = slots - 1;
	chaos.count = 0;
}

static void
remember(struct live live)
{
	if (2 * chaos.count > chaos.mask) {
		struct live *old = chaos.slots;
		size_t n = chaos.mask + 1;

		make_table(2 * n);
		for (size_t i = 0; i < n; i++)
			if (old[i].at != 0)
				remember(old[i]);
		__real_free(old);
	}
	*find_slot(live.at) = live;
	chaos.count++;
}

/* The slots behind it may have been moved there by this one: put them anew. */
static void
forget(uintptr_t at)
{
	struct live *slot = find_slot(at);

	if (slot->at == 0)
		return; /* not one of ours */
	slot->at = 0;
	chaos.count--;
	for (size_t i = ((size_t)(slot - chaos.slots) + 1) & chaos.mask;
	    chaos.slots[i].at != 0; i = (i + 1) & chaos.mask) {
		struct live moved = chaos.slots[i];

		chaos.slots[i].at = 0;
		*find_slot(moved.at) = moved;
	}
}

/* ----- In place of libc -------------------------------------------------- */

static bool
must_fail(void)
{
	if (!chaos.active)
		return false;
	chaos.number++;
	if (chaos.number != chaos.fail &&
	    !(chaos.and_after && chaos.failed))
		return false;
	chaos.failed = true;
	errno = ENOMEM;
	return true;
}

static void *
keep(void *p, size_t size)
{
	if (chaos.active && p != NULL)
		remember((struct live){ (uintptr_t)p, chaos.number, size });
	return p;
}

void *
__wrap_malloc(size_t size)
{
	return must_fail() ? NULL : keep(__real_malloc(size), size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
	if (must_fail())
		return NULL;
	return keep(__real_calloc(count, size), count * size);
}

void *
__wrap_realloc(void *p, size_t size)
{
	uintptr_t old = (uintptr_t)p;
	void *bigger;

	if (must_fail())
		return NULL;
	bigger = __real_realloc(p, size);
	if (chaos.active && (bigger != NULL || size == 0))
		forget(old);
	return keep(bigger, size);
}

void *
__wrap_reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __wrap_realloc(p, bytes);
}

char *
__wrap_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = __wrap_malloc(len + 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *
__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, strlen(s));
}

void
__wrap_free(void *p)
{
	if (chaos.active && p != NULL)
		forget((uintptr_t)p);
	__real_free(p);
}

/* ----- Running ----------------------------------------------------------- */

/* One run; what is left over afterwards stays in the table. */
static int
run(int (*fn)(void *arg), void *arg, unsigned long fail, bool and_after)
{
	int r;

	__real_free(chaos.slots);
	make_table(1024);
	chaos.number = 0;
	chaos.fail = fail;
	chaos.and_after = and_after;
	chaos.failed = false;
	chaos.active = true;
	r = fn(arg);
	chaos.active = false;
	return r;
}

static const struct live *
first_live(void)
{
	const struct live *first = NULL;

	for (size_t i = 0; i <= chaos.mask; i++)
		if (chaos.slots[i].at != 0 && (first == NULL ||
		    chaos.slots[i].number < first->number))
			first = &chaos.slots[i];
	return first;
}

/* What is wrong with the run just made, which returned r?  "" = nothing. */
static void
judge(int r, unsigned flags, char *out, size_t size)
{
	const struct live *live = first_live();

	out[0] = '\0';
	if (r > 0)
		snprintf(out, size, "what it saw was wrong (%d)", r);
	else if (live != NULL)
		snprintf(out, size, "%zu blocks leaked, the first is "
		    "allocation %lu of %zu bytes", chaos.count, live->number,
		    live->size);
	else if (!chaos.failed && r < 0)
		snprintf(out, size, "returned %s", cordon_code_name(r));
	else if (chaos.failed && r == 0 && (flags & CHAOS_ABSORBS) == 0)
		snprintf(out, size, "it went unnoticed");
	else if (chaos.failed && r < 0 && r != CORDON_E_NOMEM &&
	    (flags & CHAOS_ANY_ERROR) == 0)
		snprintf(out, size, "it was called %s", cordon_code_name(r));
}

static bool
good_run(int r, unsigned flags, struct chaos_report *ret)
{
	char why[128];

	judge(r, flags, why, sizeof(why));
	if (why[0] == '\0')
		return true;
	if (chaos.failed)
		snprintf(ret->problem, sizeof(ret->problem),
		    "allocation %lu%s failed: %s", chaos.fail,
		    chaos.and_after ? " and all behind it" : "", why);
	else
		snprintf(ret->problem, sizeof(ret->problem),
		    "undisturbed: %s", why);
	return false;
}

bool
chaos_try(int (*fn)(void *arg), void *arg, unsigned flags,
    struct chaos_report *ret)
{
	*ret = (struct chaos_report){ 0 };
	run(fn, arg, 0, false); /* fills caches that are kept for good */
	if (!good_run(run(fn, arg, 0, false), flags, ret))
		return false;
	ret->allocations = chaos.number;
	for (unsigned long i = 0; i < RUNS_MAX; i++) {
		int r = run(fn, arg, i / 2 + 1, i % 2 == 1);

		if (!good_run(r, flags, ret))
			return false;
		if (!chaos.failed && ret->allocations > 0)
			return true;
		if (!chaos.failed)
			break;
		ret->absorbed += r == 0;
	}
	snprintf(ret->problem, sizeof(ret->problem), ret->allocations == 0 ?
	    "it allocates nothing" : "too many allocations to fail them all");
	return false;
}
