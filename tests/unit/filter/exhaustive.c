/*
 * The filter against tests/truth/filter.truth: every spec, every number, and
 * arguments chosen to lie on both sides of whatever a line asks about.
 *
 *	exhaustive HEADER-x86_64 HEADER-aarch64 syscalls.truth filter.truth
 */
#include "truth.h"

#include <err.h>
#include <linux/audit.h>

#include "support/bpfsim.h"
#include "support/random.h"
#include "support/tap.h"

#define NUMBERS_TRIED 1024
#define TRIES	      160 /* arguments for a call that has conditions */
#define PLAIN_TRIES   2	  /* and for one that has none */

static struct truth truth;
static bool seen[2048]; /* lines of the truth that decided something */

struct filter {
	struct cdn_filter_spec spec;
	struct cdn_filter own;
	struct sock_filter code[CDN_FILTER_MAX];
};

/* ----- All specs ------------------------------------------------------------------ */

#define SPECS (2 * 4 * 3 * 3 * 16 * 4)

static void
make_spec(unsigned i, struct cdn_filter_spec *ret)
{
	*ret = (struct cdn_filter_spec){ 0 };
	ret->arch = i % 2, i /= 2;
	ret->mode = i % 4, i /= 4;
	ret->network = i % 3, i /= 3;
	ret->unix_sockets = i % 3, i /= 3;
	ret->has_broker = i & 1;
	ret->strict = i & 2;
	ret->no_modify = i & 4;
	ret->no_udp = i & 8;
	i /= 16; /* as hosts come: what is older lacks more */
	ret->signals = i == 1 || i == 2;
	ret->devices = i >= 2;
	ret->first = i == 3; /* with mounts */
}

static const char *
describe(const struct cdn_filter_spec *spec)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s mode %c%s net %c unix %c%s%s%s%s%s%s",
	    arch_names[spec->arch], "-ABC"[spec->mode],
	    spec->has_broker ? "" : " alone", "NFL"[spec->network],
	    "JNO"[spec->unix_sockets], spec->strict ? " strict" : "",
	    spec->no_modify ? " no-modify" : "", spec->no_udp ? " no-udp" : "",
	    spec->signals ? " signals" : "", spec->devices ? " devices" : "",
	    spec->first ? " first" : "");
	return text;
}

/* ----- Arguments ------------------------------------------------------------------ */

/* A value that this condition is about, or nearly. */
static uint64_t
interesting(const struct condition *c)
{
	switch (random_below(6)) {
	case 0: return c->value + random_below(3) - 1;
	case 1: return c->value | (random_next() & ~c->mask);
	case 2: return c->mask & random_next();
	case 3: return UINT64_C(1) << random_below(64);
	case 4: return c->value ^ UINT64_C(1) << random_below(64);
	default: return c->value;
	}
}

/* Half of the time with something in the upper half. */
static uint64_t
any_value(const struct line *lines)
{
	const struct line *line = lines;
	uint64_t value, high;
	size_t n = 0;

	for (; line != NULL; line = line->next)
		n++;
	line = lines;
	for (n = n == 0 ? 0 : random_below(n); n > 0; n--)
		line = line->next;
	high = random_below(2) != 0 ? random_next() << 32 : 0;
	if (line == NULL || line->n == 0 || random_below(8) == 0)
		value = random_below(2) != 0 ? random_below(20) : random_next();
	else
		value = interesting(&line->condition[random_below(line->n)]);
	return value ^ high;
}

/* Every condition of one line with the exact value it wants. */
static void
aim(const struct line *lines, struct seccomp_data *data)
{
	size_t n = 0, at;

	for (const struct line *line = lines; line != NULL; line = line->next)
		n++;
	for (at = random_below(n); at > 0; at--)
		lines = lines->next;
	for (size_t i = 0; i < lines->n; i++) {
		const struct condition *c = &lines->condition[i];
		uint64_t old = data->args[c->arg] & ~(c->width & c->mask);

		if (c->any)
			data->args[c->arg] |= c->mask & random_next();
		else if (!c->differs)
			data->args[c->arg] = old | c->value;
	}
}

static void
choose(const struct line *lines, struct seccomp_data *data)
{
	for (int i = 0; i < 6; i++)
		data->args[i] = any_value(lines);
	if (lines != NULL && random_below(2) != 0)
		aim(lines, data);
}

static bool
has_conditions(const struct line *line)
{
	for (; line != NULL; line = line->next)
		if (line->n > 0)
			return true;
	return false;
}

/* ----- Comparing ------------------------------------------------------------------- */

static unsigned
compare(const struct filter *filter, const struct seccomp_data *data,
    uint32_t want, int by)
{
	uint32_t got = bpfsim_run(filter->code, filter->own.n, data, NULL);

	seen[by] = true;
	if (got == want)
		return 0;
	printf("# %s: call %d (%#llx, %#llx, %#llx, %#llx, %#llx): %s, but "
	    "line %d says %s\n", describe(&filter->spec), data->nr,
	    data->args[0], data->args[1], data->args[2], data->args[3],
	    data->args[4], truth_word(got), by, truth_word(want));
	return 1;
}

static unsigned
try_number(const struct filter *filter, int nr)
{
	struct seccomp_data data = { .nr = nr };
	const struct line *lines = truth.calls[filter->spec.arch][nr];
	int tries = has_conditions(lines) ? TRIES : PLAIN_TRIES;
	unsigned wrong = 0;

	data.arch = filter->spec.arch == CDN_FILTER_X86_64 ?
	    AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
	for (int i = 0; i < tries && wrong == 0; i++) {
		uint32_t want;
		int by;

		choose(lines, &data);
		want = truth_answer(&truth, &filter->spec, &data, &by);
		wrong += compare(filter, &data, want, by);
	}
	return wrong;
}

/* Numbers with bits where no number has any, and what the filter must do. */
static unsigned
try_odd_numbers(const struct filter *filter)
{
	bool x86 = filter->spec.arch == CDN_FILTER_X86_64;
	uint32_t kill = SECCOMP_RET_KILL_PROCESS;
	uint32_t unknown = SECCOMP_RET_ERRNO | 38;
	uint32_t own = x86 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
	const struct {
		uint32_t arch, nr, want;
	} odd[] = {
		{ AUDIT_ARCH_I386, 1, kill }, { AUDIT_ARCH_ARM, 1, kill },
		{ x86 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64, 1, kill },
		{ own ^ 1U, 0, kill }, { 0, 0, kill },
		{ own, 0xffffffffU, unknown }, { own, 0x80000000U, unknown },
		{ own, 0x20000000U, unknown }, { own, 470, unknown },
		{ own, 0x40000000U, x86 ? kill : unknown },
		{ own, 0xc0000001U, x86 ? kill : unknown },
		{ own, 0xfffffffeU, x86 ? kill : unknown },
	};
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct seccomp_data data = { .nr = (int)odd[i].nr,
			.arch = odd[i].arch };

		wrong += compare(filter, &data, odd[i].want, 0);
	}
	for (int nr = 0; nr < NUMBERS_TRIED; nr++) {
		struct seccomp_data data = { .nr = nr | 0x40000000,
			.arch = own };

		wrong += compare(filter, &data, x86 ? kill : unknown, 0);
		data = (struct seccomp_data){ .nr = nr, .arch = own ^ 0x80000000U };
		wrong += compare(filter, &data, kill, 0);
	}
	return wrong;
}

static bool
try_spec(unsigned i)
{
	static struct filter filter;
	unsigned wrong = 0;

	make_spec(i, &filter.spec);
	if (cdn_filter_build(&filter.spec, &filter.own, NULL) < 0)
		return false;
	_Static_assert(sizeof(filter.code) == sizeof(filter.own.code),
	    "ours has the size of the kernel's");
	memcpy(filter.code, filter.own.code, sizeof(filter.code));
	for (int nr = 0; nr < NUMBERS_TRIED; nr++)
		wrong += try_number(&filter, nr);
	wrong += try_odd_numbers(&filter);
	if (wrong > 0)
		ok_f(false, "%s is as the truth says", describe(&filter.spec));
	return true;
}

int
main(int argc, char **argv)
{
	static struct numbers numbers[ARCHES];
	size_t idle = 0, built = 0;

	if (argc != 5)
		errx(1, "usage: exhaustive HEADERS... syscalls.truth filter.truth");
	if (strcmp(argv[1], "-") == 0 || strcmp(argv[2], "-") == 0) {
		skip("the headers lack the numbers of an architecture");
		return done_testing();
	}
	numbers_read_header(&numbers[X86_64], argv[1]);
	numbers_read_header(&numbers[AARCH64], argv[2]);
	(void)numbers_add_newer(numbers, argv[3]);
	truth_read(&truth, argv[4], numbers);
	random_start();
	for (unsigned i = 0; i < SPECS; i++)
		built += try_spec(i);
	ok_f(built > 0 && tap_failures == 0,
	    "all %zu filters answer as the truth says", built);
	for (int arch = 0; arch < ARCHES; arch++)
		for (int nr = 0; nr < TRUTH_CALLS_MAX; nr++)
			for (const struct line *line = truth.calls[arch][nr];
			    line != NULL; line = line->next)
				if (!seen[line->number]) {
					idle++;
					printf("# line %d never decided\n",
					    line->number);
				}
	ok(idle == 0, "every line of the truth decided at least once");
	return done_testing();
}
