/* Denials that were told before: none is lost, and few lines are written. */
#include "enforce/audit/repeats.h"

#include "support/tap.h"

struct tally {
	unsigned long lines, denials;
};

static struct cdn_access
denial(const char *path, const char *rule, pid_t pid, int error)
{
	return (struct cdn_access){ .verdict = { .operation = CORDON_READ,
		.matched_rule = rule }, .call = "openat", .pid = pid,
		.error = error, .path = cdn_str_of(path) };
}

static void
ask(struct cdn_repeats *r, const struct cdn_access *d, struct tally *t)
{
	struct cdn_repeat as;

	if (!cdn_repeats_is_told(r, d, &as))
		return;
	t->lines++;
	t->denials += as.times == 0 ? 1 : as.times;
}

static void
end(struct cdn_repeats *r, struct tally *t)
{
	struct cdn_access d;
	struct cdn_repeat as;

	while (cdn_repeats_next(r, &d, &as)) {
		t->lines++;
		t->denials += as.times;
	}
}

static struct cdn_repeats *
begin(void)
{
	struct cdn_repeats *r = NULL;

	if (cdn_repeats_new(&r, NULL) != 0)
		exit(1);
	return r;
}

static void
test_same(void)
{
	static const unsigned long counts[] = { 1, 2, 3, 16, 17, 18, 1000,
		100000 };

	for (size_t i = 0; i < CDN_LEN(counts); i++) {
		struct cdn_access d = denial("/w/a", "!a", 7, 13);
		struct cdn_repeats *r = begin();
		struct tally t = { 0, 0 };

		for (unsigned long k = 0; k < counts[i]; k++)
			ask(r, &d, &t);
		end(r, &t);
		ok_f(t.denials == counts[i] && t.lines < 20,
		    "%lu of the same: %lu lines", counts[i], t.lines);
		cdn_repeats_free(r);
	}
}

static void
test_different(void)
{
	static const struct {
		const char *path, *rule;
		pid_t pid;
		int error;
	} others[] = {
		{ "/w/b", "!a", 7, 13 },
		{ "/w/a", "!b", 7, 13 },
		{ "/w/a", "!a", 8, 13 },
		{ "/w/a", "!a", 7, 1 },
	};
	struct cdn_access d = denial("/w/a", "!a", 7, 13);
	struct cdn_repeats *r = begin();
	struct cdn_repeat as = { 1, CDN_ALIKE_RUN };

	ok(cdn_repeats_is_told(r, &d, &as) && as.times == 0, "the first one");
	ok(!cdn_repeats_is_told(r, &d, &as), "it again");
	for (size_t i = 0; i < CDN_LEN(others); i++) {
		struct cdn_access other = denial(others[i].path,
		    others[i].rule, others[i].pid, others[i].error);

		ok_f(cdn_repeats_is_told(r, &other, &as) && as.times == 0,
		    "another one: %s %s %d %d", others[i].path, others[i].rule,
		    (int)others[i].pid, others[i].error);
	}
	ok(!cdn_repeats_is_told(r, &d, &as), "it is still known");
	ok(cdn_repeats_next(r, &d, &as) && as.times == 2 &&
	    as.alike == CDN_ALIKE_PATH && cdn_str_is(d.path, "/w/a"),
	    "what is left is told at the end");
	ok(!cdn_repeats_next(r, &d, &as), "once");
	cdn_repeats_free(r);
}

/* Each asks from a process of its own, or about a path of its own. */
static void
test_many(void)
{
	struct cdn_repeats *r = begin();
	struct tally t = { 0, 0 };
	char path[32];

	for (int i = 0; i < 5000; i++) {
		struct cdn_access d = denial("/w/a", "!a", 1000 + i, 13);

		ask(r, &d, &t);
	}
	end(r, &t);
	ok_f(t.denials == 5000 && t.lines < 40, "5000 processes: %lu lines",
	    t.lines);
	t = (struct tally){ 0, 0 };
	for (int i = 0; i < 3 * CDN_REPEATS_MAX; i++)
		for (int k = 0; k < 3; k++) {
			struct cdn_access d;

			snprintf(path, sizeof(path), "/w/%d", i);
			d = denial(path, "!a", 7, 13);
			ask(r, &d, &t);
		}
	end(r, &t);
	ok(t.denials == 9 * CDN_REPEATS_MAX,
	    "more paths than can be remembered: none is lost");
	cdn_repeats_free(r);
}

/* ----- More than are told one by one --------------------------------------- */

struct flood {
	unsigned long by_path, by_rule[3], by_run, lines;
};

/* Which of "!r0", "!r1", ... it was. */
static void
take(struct flood *f, const struct cdn_access *d, const struct cdn_repeat *as)
{
	unsigned long n = as->times == 0 ? 1 : as->times;
	unsigned long rule = strtoul(d->verdict.matched_rule + 2, NULL, 10);

	f->lines++;
	if (as->alike == CDN_ALIKE_PATH)
		f->by_path += n;
	else if (as->alike == CDN_ALIKE_RUN)
		f->by_run += n;
	else if (rule < CDN_LEN(f->by_rule))
		f->by_rule[rule] += n;
}

/* n denials on ever new paths, by so many rules in turn. */
static struct flood
flood(struct cdn_repeats *r, unsigned long n, unsigned rules, size_t length)
{
	static char names[2 * CDN_REPEATS_RULES][8], path[4096];
	static unsigned long next;
	struct flood f = { 0 };
	struct cdn_repeat as;
	struct cdn_access d;

	memset(path, 'x', length);
	path[length] = '\0';
	for (unsigned long i = 0; i < n; i++) {
		char *name = names[i % rules];

		snprintf(name, sizeof(names[0]), "!r%lu", i % rules);
		snprintf(path, 24, "/w/%lu", next++);
		if (length > 24)
			path[strlen(path)] = '.';
		d = denial(path, name, 7, 13);
		if (cdn_repeats_is_told(r, &d, &as))
			take(&f, &d, &as);
	}
	while (cdn_repeats_next(r, &d, &as))
		take(&f, &d, &as);
	return f;
}

static void
test_flood(void)
{
	struct cdn_repeats *r = begin();
	struct flood f = flood(r, CDN_DENIALS_MAX, 3, 24);

	ok(f.by_path == CDN_DENIALS_MAX && f.lines == CDN_DENIALS_MAX &&
	    cdn_repeats_grouped(r) == 0, "so many are told one by one");
	f = flood(r, 60000, 3, 24);
	ok(f.by_path == 0 && f.by_rule[0] == 20000 &&
	    f.by_rule[1] == 20000 && f.by_rule[2] == 20000,
	    "then by their rule, and none is lost");
	ok_f(f.lines < 60 && cdn_repeats_grouped(r) == 60000,
	    "in few lines (%lu)", f.lines);
	cdn_repeats_free(r);

	r = begin();
	f = flood(r, 60000, 3, 4000);
	ok_f(f.by_path < CDN_DENIALS_MAX / 10 && f.lines < 1000 &&
	    f.by_path + f.by_rule[0] + f.by_rule[1] + f.by_rule[2] == 60000,
	    "fewer of long ones (%lu)", f.by_path);
	cdn_repeats_free(r);
}

static void
test_rules(void)
{
	struct cdn_repeats *r = begin();
	const unsigned rules = 2 * CDN_REPEATS_RULES;
	const unsigned long each = 1000, n = CDN_DENIALS_MAX + each * rules;
	struct flood f = flood(r, n, rules, 24);

	ok(f.by_path == CDN_DENIALS_MAX && f.by_rule[0] == each &&
	    f.by_run == (rules - CDN_REPEATS_RULES + 1) * each,
	    "more rules than are counted by themselves");
	ok_f(f.lines < CDN_DENIALS_MAX + 20UL * CDN_REPEATS_RULES,
	    "are bounded, too (%lu lines)", f.lines);
	cdn_repeats_free(r);
}

/* What was told by its path before is known by it for ever. */
static void
test_known(void)
{
	struct cdn_access d = denial("/w/a", "!a", 7, 13);
	struct cdn_repeats *r = begin();
	struct tally t = { 0, 0 };
	struct cdn_repeat as;

	(void)flood(r, CDN_DENIALS_MAX - 1, 3, 24);
	ask(r, &d, &t);
	for (int i = 0; i < 1000; i++)
		ask(r, &d, &t);
	d.pid = 8;
	ask(r, &d, &t);
	ok(t.lines < 20 && cdn_repeats_next(r, &d, &as) &&
	    as.alike == CDN_ALIKE_PATH && t.denials + as.times == 1002,
	    "one that is remembered goes on to be told by its path");
	cdn_repeats_free(r);
}

int
main(void)
{
	test_same();
	test_different();
	test_many();
	test_flood();
	test_rules();
	test_known();
	return done_testing();
}
