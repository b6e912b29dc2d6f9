/*
 * What holds for every authority, tried on random ones.
 */
#include "support/world_chance.h"

static const char *const endpoints[] = { "a.org:1", "127.0.0.1:1", "/o/a",
	"/w/a/b" };

struct tally {
	unsigned long asked;
	unsigned long differ; /* so that the comparison means something */
	unsigned long wrong;
};

/* Prints the first few that are wrong. */
static bool
tell(struct tally *t, const struct draft *d, enum cordon_as as,
    enum cordon_op op, const char *path)
{
	if (t->wrong++ >= 3)
		return false;
	printf("# as %s, %s %s\n", cordon_as_name(as), cordon_op_name(op),
	    path);
	draft_print(d);
	return true;
}

/* A trusted policy: without one, documents alone are not asked. */
static bool
has_trusted(const struct draft *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->documents[i].trusted &&
		    d->documents[i].layer != CORDON_LAYER_WORKER)
			return true;
	return false;
}

/* ----- Never more ------------------------------------------------------------ */

static void
compare_one(struct tally *t, const struct draft *d, const struct world *less,
    const struct world *more, enum cordon_as as, enum cordon_op op,
    const char *path)
{
	bool was = world_allows(more, as, op, path);
	bool is = world_allows(less, as, op, path);

	t->asked++;
	t->differ += was != is;
	if (is && !was)
		tell(t, d, as, op, path);
}

/* `less` must allow nothing that `more` does not.  policy: ask that, too. */
static void
compare(struct tally *t, const struct draft *d, const struct world *less,
    const struct world *more, bool policy)
{
	for (enum cordon_as as = CORDON_AS_PROCESS; as <= CORDON_AS_POLICY;
	    as++) {
		if (as == CORDON_AS_POLICY && !policy)
			continue;
		for (size_t i = 0; i < draft_path_count; i++)
			for (enum cordon_op op = CORDON_READ;
			    op <= CORDON_EXEC; op++) {
				const char *path = draft_paths[i];

				if (as == CORDON_AS_POLICY &&
				    !draft_below(path, "/w"))
					continue;
				if (as == CORDON_AS_POLICY)
					path += path[2] == '/' ? 3 : 2;
				compare_one(t, d, less, more, as, op, path);
			}
		for (size_t i = 0; i < CDN_LEN(endpoints); i++)
			if (as != CORDON_AS_POLICY || i < 2)
				compare_one(t, d, less, more, as,
				    chance(2) == 0 ? CORDON_CONNECT :
						     CORDON_BIND,
				    endpoints[i]);
	}
}

/* A document that may only narrow. */
static void
try_untrusted(struct tally *t)
{
	struct draft before, after;
	struct world more, less;

	draft_make(&before);
	after = before;
	if (after.count == DRAFT_DOCUMENTS)
		after.count--;
	before.count = after.count;
	draft_document(&after.documents[after.count++], CORDON_LAYER_PROJECT,
	    false);
	draft_build(&before, &more);
	draft_build(&after, &less);
	compare(t, &after, &less, &more, has_trusted(&before));
	world_done(&more);
	world_done(&less);
}

/* A worker that another one calls. */
static void
try_called(struct tally *t)
{
	struct draft before, after;
	struct world more, less;

	draft_make(&before);
	after = before;
	if (after.count == DRAFT_DOCUMENTS)
		before.count = --after.count;
	draft_worker(&after.documents[after.count++], true);
	draft_build(&before, &more);
	draft_build(&after, &less);
	compare(t, &after, &less, &more, has_trusted(&before));
	world_done(&more);
	world_done(&less);
}

/* One more deny in one of the documents. */
static void
try_deny(struct tally *t)
{
	struct draft before, after;
	struct world more, less;
	size_t n;
	char *list;

	draft_make(&before);
	if (before.count == 0)
		return;
	after = before;
	list = after.documents[chance((unsigned)after.count)]
	    .deny[chance(CDN_RULE_OPS)];
	n = strlen(list);
	snprintf(list + n, DRAFT_TEXT - n, "%s%s", n > 0 ? " " : "",
	    draft_rules[chance(CDN_LEN(draft_rules))]);
	draft_build(&before, &more);
	draft_build(&after, &less);
	compare(t, &after, &less, &more, true);
	world_done(&more);
	world_done(&less);
}

/* One more place that is closed. */
static void
try_closed(struct tally *t)
{
	struct draft before, after;
	struct world more, less;
	size_t n;

	draft_make(&before);
	after = before;
	n = strlen(after.closed);
	snprintf(after.closed + n, DRAFT_TEXT - n, "%s%s", n > 0 ? " " : "",
	    draft_places[chance(CDN_LEN(draft_places))]);
	draft_build(&before, &more);
	draft_build(&after, &less);
	compare(t, &after, &less, &more, false);
	world_done(&more);
	world_done(&less);
}

/* ----- Within one world ------------------------------------------------------- */

/* Whatever an agent may, a process may. */
static void
try_agent(struct tally *t)
{
	struct draft d;
	struct world w;

	draft_make(&d);
	draft_build(&d, &w);
	for (size_t i = 0; i < draft_path_count; i++)
		for (enum cordon_op op = CORDON_READ; op < CORDON_OP_MAX;
		    op++) {
			bool agent = world_allows(&w, CORDON_AS_AGENT, op,
			    draft_paths[i]);
			bool process = world_allows(&w, CORDON_AS_PROCESS, op,
			    draft_paths[i]);

			t->asked++;
			t->differ += agent != process;
			if (agent && !process)
				tell(t, &d, CORDON_AS_AGENT, op,
				    draft_paths[i]);
		}
	world_done(&w);
}

/* What may not be read may not be modified or executed. */
static void
try_read_first(struct tally *t)
{
	struct draft d;
	struct world w;

	draft_make(&d);
	draft_build(&d, &w);
	for (size_t i = 0; i < draft_path_count; i++)
		for (enum cordon_op op = CORDON_MODIFY; op <= CORDON_EXEC;
		    op++) {
			bool read = world_allows(&w, CORDON_AS_PROCESS,
			    CORDON_READ, draft_paths[i]);
			bool other = world_allows(&w, CORDON_AS_PROCESS, op,
			    draft_paths[i]);

			t->asked++;
			t->differ += read != other;
			if (other && !read)
				tell(t, &d, CORDON_AS_PROCESS, op,
				    draft_paths[i]);
		}
	world_done(&w);
}

/* A place that is closed is closed, with everything below it. */
static void
try_floor(struct tally *t)
{
	struct draft d;
	struct world w;

	draft_make(&d);
	snprintf(d.closed, sizeof(d.closed), "/w/a/b /o/a");
	draft_build(&d, &w);
	for (size_t i = 0; i < draft_path_count; i++)
		for (enum cordon_op op = CORDON_READ; op < CORDON_OP_MAX;
		    op++) {
			bool closed = draft_below(draft_paths[i], "/w/a/b") ||
			    draft_below(draft_paths[i], "/o/a");
			struct cordon_verdict v = world_ask(&w,
			    CORDON_AS_PROCESS, op, draft_paths[i]);

			t->asked++;
			t->differ += v.allowed;
			if (closed && (v.allowed ||
				v.layer != CORDON_LAYER_FLOOR))
				tell(t, &d, CORDON_AS_PROCESS, op,
				    draft_paths[i]);
		}
	world_done(&w);
}

/* ----- What is told ------------------------------------------------------------- */

struct told {
	const char *wanted; /* rule text of the verdict */
	enum cordon_layer layer;
	bool found;
	enum cordon_layer last;
	bool disorder;
	size_t count;
};

static void
one_told(enum cordon_layer layer, const struct cdn_rule *rule, void *arg)
{
	struct told *told = arg;

	told->count++;
	if (rule->text.p == told->wanted && layer == told->layer)
		told->found = true;
	told->disorder |= layer < told->last;
	told->last = layer;
}

/* The rule that decided is among those that are told. */
static void
try_explain(struct tally *t)
{
	struct draft d;
	struct world w;

	draft_make(&d);
	draft_build(&d, &w);
	for (size_t i = 0; i < draft_path_count; i++)
		for (enum cordon_op op = CORDON_READ; op < CORDON_OP_MAX;
		    op++) {
			struct cordon_verdict v = world_ask(&w,
			    CORDON_AS_PROCESS, op, draft_paths[i]);
			struct cdn_question q = { .as = CORDON_AS_PROCESS,
				.op = op, .is_socket = op >= CORDON_CONNECT,
				.path = cdn_str_of(draft_paths[i]) };
			struct told told = { .wanted = v.rule_text,
				.layer = v.layer };

			cdn_decide_explain(w.authority, &q, one_told, &told);
			t->asked++;
			t->differ += told.found;
			if ((v.rule_text != NULL && !told.found))
				tell(t, &d, CORDON_AS_PROCESS, op,
				    draft_paths[i]);
		}
	world_done(&w);
}

static const struct {
	const char *what;
	void (*try)(struct tally *t);
	unsigned long worlds;
} properties[] = {
	{ "an untrusted document never allows more", try_untrusted, 600 },
	{ "a called worker never allows more", try_called, 600 },
	{ "one more deny never allows more", try_deny, 600 },
	{ "one more closed place never allows more", try_closed, 600 },
	{ "what an agent may, a process may", try_agent, 600 },
	{ "what may not be read may not be modified", try_read_first, 600 },
	{ "a closed place is closed", try_floor, 600 },
	{ "the rule that decided is told", try_explain, 600 },
};

int
main(void)
{
	draft_begin();
	for (size_t i = 0; i < CDN_LEN(properties); i++) {
		unsigned long n = tries(properties[i].worlds);
		struct tally t = { 0 };

		for (unsigned long k = 0; k < n && t.wrong < 3; k++)
			properties[i].try(&t);
		ok_f(t.wrong == 0 && t.differ > t.asked / 1000 &&
		    t.differ < t.asked, "%s: %lu questions, %lu tell apart",
		    properties[i].what, t.asked, t.differ);
	}
	return done_testing();
}
