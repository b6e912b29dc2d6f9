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
	unsigned long times;

	if (!cdn_repeats_is_told(r, d, &times))
		return;
	t->lines++;
	t->denials += times == 0 ? 1 : times;
}

static void
end(struct cdn_repeats *r, struct tally *t)
{
	struct cdn_access d;
	unsigned long times;

	while (cdn_repeats_next(r, &d, &times)) {
		t->lines++;
		t->denials += times;
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
	unsigned long times = 1;

	ok(cdn_repeats_is_told(r, &d, &times) && times == 0, "the first one");
	ok(!cdn_repeats_is_told(r, &d, &times), "it again");
	for (size_t i = 0; i < CDN_LEN(others); i++) {
		struct cdn_access other = denial(others[i].path,
		    others[i].rule, others[i].pid, others[i].error);

		ok_f(cdn_repeats_is_told(r, &other, &times) && times == 0,
		    "another one: %s %s %d %d", others[i].path, others[i].rule,
		    (int)others[i].pid, others[i].error);
	}
	ok(!cdn_repeats_is_told(r, &d, &times), "it is still known");
	ok(cdn_repeats_next(r, &d, &times) && times == 2 &&
	    cdn_str_is(d.path, "/w/a"), "what is left is told at the end");
	ok(!cdn_repeats_next(r, &d, &times), "once");
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

int
main(void)
{
	test_same();
	test_different();
	test_many();
	return done_testing();
}
