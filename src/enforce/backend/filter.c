/*
 * The assembler.  It writes the program from its end to its beginning: a jump
 * in BPF only goes forward, so whatever an instruction jumps to has a place
 * already when the instruction is written, and nothing is patched afterwards.
 * A place is counted from the end.
 */
#include "enforce/backend/filter.h"

#include "enforce/backend/filter_kinds.h"

/* Of 255 that a conditional jump can skip.  A test makes it smaller. */
#ifndef CDN_FILTER_FAR
#define CDN_FILTER_FAR 250
#endif

#define NOWHERE UINT16_MAX

/*
 * Loading costs the kernel about 0.2 us for each instruction, and 5 ns for each
 * step that each of its 470 numbers takes (it tries them all).  So a branch of
 * the tree ends where a rule with this many exceptions is left, and those are
 * compared one after the other.
 */
#define LEAF 3

struct assembler {
	const struct cdn_filter_spec *spec;
	unsigned facts;
	bool full;
	uint16_t n;
	struct cdn_bpf *code; /* CDN_FILTER_MAX; the last instruction first */
	uint16_t near[CDN_FILTER_MAX]; /* a younger copy of what stands there */
	uint16_t at[CDN_KIND_MAX];     /* of the kinds; NOWHERE: not yet */
};

/* Numbers that lead to the same place, up to the first of the next run. */
struct run {
	uint16_t first;
	uint16_t place;
};

/* runs[lo] to runs[hi - 1]: they go to rule but for single numbers. */
struct leaf {
	uint16_t lo, hi;
	uint16_t rule;
};

/* ----- Instructions ---------------------------------------------------------- */

static uint16_t
put(struct assembler *as, struct cdn_bpf instruction)
{
	if (as->n == CDN_FILTER_MAX) {
		as->full = true;
		return 0;
	}
	as->code[as->n] = instruction;
	as->near[as->n] = as->n;
	return as->n++;
}

static uint16_t
put_plain(struct assembler *as, unsigned code, uint32_t k)
{
	return put(as, (struct cdn_bpf){ .code = (uint16_t)code, .k = k });
}

/* The place, or if it is too far for a conditional jump, a way to it. */
static uint16_t
bring_near(struct assembler *as, uint16_t place)
{
	uint16_t *near = &as->near[place];

	if (as->n - *near <= CDN_FILTER_FAR)
		return *near;
	if (as->code[place].code == CDN_BPF_RET)
		*near = put(as, as->code[place]);
	else
		*near = put_plain(as, CDN_BPF_JUMP, as->n - place - 1U);
	return *near;
}

static uint16_t
put_branch(struct assembler *as, unsigned code, uint32_t k, uint16_t yes,
    uint16_t no)
{
	struct cdn_bpf branch = { .code = (uint16_t)code, .k = k };

	if (yes == no)
		return yes;
	yes = bring_near(as, yes);
	no = bring_near(as, no);
	branch.jt = (uint8_t)(as->n - yes - 1);
	branch.jf = (uint8_t)(as->n - no - 1);
	return put(as, branch);
}

static uint16_t
put_answer(struct assembler *as, uint32_t answer)
{
	for (uint16_t i = 0; i < as->n; i++)
		if (as->code[i].code == CDN_BPF_RET && as->code[i].k == answer)
			return i;
	return put_plain(as, CDN_BPF_RET, answer);
}

/* ----- Tests of arguments ------------------------------------------------------ */

static uint16_t place_of(struct assembler *as, enum cdn_kind kind);

static bool
applies(const struct assembler *as, const struct cdn_filter_test *test)
{
	return (test->facts & as->facts) == test->facts;
}

/* What has to be in the accumulator for the test. */
static bool
same_operand(const struct cdn_filter_test *a, const struct cdn_filter_test *b)
{
	uint32_t mask_a = a->op == CDN_TEST_IS ? a->mask : UINT32_MAX;
	uint32_t mask_b = b->op == CDN_TEST_IS ? b->mask : UINT32_MAX;

	return a->arg == b->arg && a->high == b->high && mask_a == mask_b;
}

/* Both architectures have the lower half first. */
static uint16_t
put_load(struct assembler *as, const struct cdn_filter_test *test)
{
	size_t offset = offsetof(struct cdn_seccomp_data, args) +
	    test->arg * sizeof(uint64_t) + (test->high ? 4 : 0);

	if (test->op == CDN_TEST_IS && test->mask != UINT32_MAX)
		(void)put_plain(as, CDN_BPF_AND, test->mask);
	return put_plain(as, CDN_BPF_LOAD, (uint32_t)offset);
}

static uint16_t
put_test(struct assembler *as, const struct cdn_filter_test *test,
    const struct cdn_filter_test *before, uint16_t otherwise)
{
	uint16_t yes = place_of(as, test->then);
	uint16_t branch;

	if (test->op == CDN_TEST_IS)
		branch = put_branch(as, CDN_BPF_JEQ, test->value, yes,
		    otherwise);
	else
		branch = put_branch(as, CDN_BPF_JSET, test->mask, yes,
		    otherwise);
	if (before != NULL && same_operand(before, test))
		return branch;
	return put_load(as, test);
}

/*
 * The tests of one kind, last to first.  Those at the end that change nothing
 * are left out; if that is all of them, the kind is the same as another one.
 */
static uint16_t
put_tests(struct assembler *as, const struct cdn_filter_test *tests)
{
	uint16_t rest, place;
	size_t n = 0;

	while (tests[n].op != CDN_TEST_ELSE)
		n++;
	place = rest = place_of(as, tests[n].then);
	for (size_t i = n; i-- > 0;) {
		size_t before = i;

		if (!applies(as, &tests[i]) ||
		    (place == rest && place_of(as, tests[i].then) == rest))
			continue;
		while (before > 0 && !applies(as, &tests[before - 1]))
			before--;
		place = put_test(as, &tests[i],
		    before > 0 ? &tests[before - 1] : NULL, place);
	}
	return place;
}

static uint16_t
place_of(struct assembler *as, enum cdn_kind kind)
{
	const struct cdn_filter_test *tests;

	if (as->at[kind] != NOWHERE)
		return as->at[kind];
	tests = cdn_kind_tests(kind);
	as->at[kind] = tests != NULL ? put_tests(as, tests) :
	    put_answer(as, cdn_kind_answer(kind, as->spec));
	return as->at[kind];
}

/* ----- The tree of numbers ----------------------------------------------------- */

/* Numbers past the last known one.  -1 is what a tracer writes to skip a call. */
static uint16_t
put_beyond(struct assembler *as)
{
	uint16_t unknown = place_of(as, CDN_KIND_UNKNOWN);
	uint16_t kill = put_answer(as, CDN_SECCOMP_KILL);
	uint16_t x32;

	if (as->spec->arch != CDN_FILTER_X86_64)
		return unknown;
	x32 = put_branch(as, CDN_BPF_JSET, CDN_X32_BIT, kill, unknown);
	return put_branch(as, CDN_BPF_JEQ, UINT32_MAX, unknown, x32);
}

/* With one more at the end, which begins where numbers end. */
static uint16_t
find_runs(struct assembler *as, struct run runs[CDN_CALLS_MAX + 2])
{
	uint8_t kinds[CDN_CALLS_MAX];
	uint16_t n = 0;

	cdn_filter_calls(as->spec->arch, kinds);
	for (uint16_t nr = 0; nr < CDN_CALLS_MAX; nr++) {
		uint16_t place = place_of(as, kinds[nr]);

		if (n == 0 || runs[n - 1].place != place)
			runs[n++] = (struct run){ nr, place };
	}
	runs[n++] = (struct run){ CDN_CALLS_MAX, put_beyond(as) };
	runs[n] = (struct run){ UINT16_MAX, 0 };
	return n;
}

/* How far does the rule reach from run lo on?  *saved: runs less exceptions. */
static uint16_t
reach(const struct run *runs, uint16_t n, uint16_t lo, uint16_t rule,
    size_t *saved)
{
	uint16_t hi = lo;
	size_t exceptions = 0;

	for (; hi < n; hi++)
		if (runs[hi].place == rule)
			continue;
		else if (runs[hi + 1].first - runs[hi].first > 1 ||
		    exceptions++ == LEAF)
			break;
	*saved = (size_t)hi - lo - (exceptions > LEAF ? LEAF : exceptions);
	return hi;
}

/* From run lo on, by the rule of the first run or that of the second. */
static struct leaf
find_leaf(const struct run *runs, uint16_t n, uint16_t lo)
{
	struct leaf leaf = { .lo = lo, .rule = runs[lo].place };
	size_t saved, more;
	uint16_t hi;

	leaf.hi = reach(runs, n, lo, leaf.rule, &saved);
	if (lo + 1 == n)
		return leaf;
	hi = reach(runs, n, lo, runs[lo + 1].place, &more);
	if (more > saved) {
		leaf.hi = hi;
		leaf.rule = runs[lo + 1].place;
	}
	return leaf;
}

/* Left to right, each as long as it can be: within 5 % of the best. */
static size_t
find_leaves(const struct run *runs, uint16_t n, struct leaf *leaves)
{
	size_t n_leaves = 0;
	uint16_t lo = 0;

	do {
		leaves[n_leaves] = find_leaf(runs, n, lo);
		lo = leaves[n_leaves++].hi;
	} while (lo < n);
	return n_leaves;
}

static uint16_t
put_leaf(struct assembler *as, const struct run *runs, struct leaf leaf)
{
	uint16_t place = leaf.rule;

	for (size_t i = leaf.hi; i-- > leaf.lo;)
		if (runs[i].place != leaf.rule)
			place = put_branch(as, CDN_BPF_JEQ, runs[i].first,
			    runs[i].place, place);
	return place;
}

/* The number is in the accumulator.  n is at least 1. */
static uint16_t
put_tree(struct assembler *as, const struct run *runs,
    const struct leaf *leaves, size_t n)
{
	size_t half = n / 2;
	uint16_t above, below;

	if (n == 1)
		return put_leaf(as, runs, leaves[0]);
	above = put_tree(as, runs, leaves + half, n - half);
	below = put_tree(as, runs, leaves, half);
	return put_branch(as, CDN_BPF_JGE, runs[leaves[half].lo].first, above,
	    below);
}

/* ----- The whole ---------------------------------------------------------------- */

static void
assemble(struct assembler *as)
{
	static const uint32_t audit_arch[CDN_FILTER_ARCH_MAX] = {
		[CDN_FILTER_X86_64] = CDN_AUDIT_ARCH_X86_64,
		[CDN_FILTER_AARCH64] = CDN_AUDIT_ARCH_AARCH64,
	};
	CDN_UNINITIALIZED struct run runs[CDN_CALLS_MAX + 2];
	CDN_UNINITIALIZED struct leaf leaves[CDN_CALLS_MAX + 1];
	uint16_t n = find_runs(as, runs);
	uint16_t kill = put_answer(as, CDN_SECCOMP_KILL);
	uint16_t tree = put_tree(as, runs, leaves,
	    find_leaves(runs, n, leaves));

	if (tree + 1 != as->n)
		cdn_bug("the tree is not the last thing written");
	(void)put_plain(as, CDN_BPF_LOAD,
	    offsetof(struct cdn_seccomp_data, nr));
	(void)put_branch(as, CDN_BPF_JEQ, audit_arch[as->spec->arch],
	    (uint16_t)(as->n - 1), kill);
	(void)put_plain(as, CDN_BPF_LOAD,
	    offsetof(struct cdn_seccomp_data, arch));
}

static int
check_spec(const struct cdn_filter_spec *spec, struct cordon_error *err)
{
	if ((unsigned)spec->arch >= CDN_FILTER_ARCH_MAX ||
	    (unsigned)spec->mode >= CDN_MODE_MAX ||
	    (unsigned)spec->network >= CDN_FILTER_NET_MAX ||
	    (unsigned)spec->unix_sockets >= CDN_FILTER_UNIX_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "no such architecture, mode or kind of sockets");
	if (spec->mode == CDN_MODE_NONE && spec->has_broker)
		return cdn_err(err, CORDON_E_INVALID,
		    "a broker has nothing to do without a listener; "
		    "choose a mode or no broker");
	if (spec->mode == CDN_MODE_C && !spec->has_broker)
		return cdn_err(err, CORDON_E_INVALID,
		    "nobody would judge reads in mode C without a broker; "
		    "close what may not be read, or run with a broker");
	return 0;
}

static void
turn_round(struct cdn_filter *filter)
{
	for (size_t i = 0, k = filter->n; i + 1 < k; i++) {
		struct cdn_bpf last = filter->code[--k];

		filter->code[k] = filter->code[i];
		filter->code[i] = last;
	}
}

int
cdn_filter_build(const struct cdn_filter_spec *spec, struct cdn_filter *ret,
    struct cordon_error *err)
{
	CDN_UNINITIALIZED struct assembler as;
	int r = check_spec(spec, err);

	if (r < 0)
		return r;
	as.spec = spec;
	as.facts = cdn_filter_facts(spec);
	as.full = false;
	as.n = 0;
	as.code = ret->code;
	memset(as.at, 0xff, sizeof(as.at));
	assemble(&as);
	if (as.full)
		cdn_bug("a filter does not fit");
	ret->n = as.n;
	turn_round(ret);
	return 0;
}

bool
cdn_filter_traps(const struct cdn_filter *filter)
{
	for (size_t i = 0; i < filter->n; i++)
		if (filter->code[i].code == CDN_BPF_RET &&
		    filter->code[i].k == CDN_SECCOMP_NOTIFY)
			return true;
	return false;
}
