/* What a log says, put together. */
#include "logs.h"

#include "enforce/report/gather.h"

static char file[PATH_MAX * 2];

static const struct cordon_audit_run *
run_at(const struct cdn_gathered *g, size_t i)
{
	const struct cdn_gathered_run *run = g->runs.v[i]->more;

	return &run->told;
}

static const struct cdn_gathered_count *
more(const struct cdn_tally *tally, size_t i)
{
	return tally->v[i]->more;
}

static void
test_all(void)
{
	const struct cdn_gather_options all = { .moments = true };
	const struct cordon_audit_run *one, *other;
	struct cdn_gathered *g;

	if (!ok(cdn_gather(file, &all, &g, NULL) == 0, "gather"))
		return;
	ok(g->events == 11 && g->no_events == 0, "every event");
	ok(g->moment_count == 6, "allowed accesses are no moments");
	ok(g->runs.n == 2, "two runs");
	one = run_at(g, 0);
	other = run_at(g, 1);
	ok(strcmp(one->run, "aaaa1111") == 0 && one->denials == 3 &&
	    one->end[0] == '\0' && one->enforced, "one goes on");
	ok(strcmp(one->command, "make 'it'\\''s <b>'") == 0, one->command);
	ok(other->end[0] != '\0' && other->has_exit_code &&
	    other->exit_code == 3 && other->lost == 2 &&
	    other->denials == 0 && other->duration_ms == 1234,
	    "the other has ended");
	ok(g->rules.n == 2 && g->rules.v[0]->count == 2 &&
	    strcmp(more(&g->rules, 0)->rule, "!a/**") == 0 &&
	    more(&g->rules, 0)->line == 7, "denials by rule");
	ok(g->paths.n == 2 && g->paths.v[0]->count == 2 &&
	    strcmp(more(&g->paths, 0)->path, "/w/two") == 0,
	    "denials by path");
	ok(g->touched.n == 1 &&
	    strcmp(more(&g->touched, 0)->path, "/w/three") == 0 &&
	    g->touched.v[0]->count == 2 && more(&g->touched, 0)->moved,
	    "what was modified and recorded, unless it failed");
	ok(g->used.n == 2 &&
	    strcmp(more(&g->used, 0)->path, "/w/four") == 0 &&
	    strcmp(more(&g->used, 1)->path, "/bin/sh") == 0 &&
	    strcmp(more(&g->used, 1)->op, "exec") == 0,
	    "what was read or executed");
	ok(other->allowed == 40 && other->unrecorded == 5,
	    "how much was allowed, and not recorded");
	ok(strstr(g->moments[1].story, "denied modify /w/one by !a/** "
	    "(p.yaml:7)") == g->moments[1].story && g->moments[1].denial,
	    g->moments[1].story);
	cdn_gathered_free(g);
}

static void
test_one(void)
{
	struct cdn_gather_options one = { .run = "aaaa2222" };
	struct cordon_error err = { 0 };
	struct cdn_gathered *g;
	char *name = NULL;

	if (!ok(cdn_gather(file, &one, &g, NULL) == 0, "one run"))
		return;
	ok(g->runs.n == 1 && g->rules.n == 0 && g->events == 7,
	    "nothing of the other");
	cdn_gathered_free(g);
	one.run = "aaaa";
	ok(cdn_gather(file, &one, &g, &err) == CORDON_E_NOT_FOUND,
	    "a run that is not there");
	ok(cdn_gather_name(file, "aaaa2", &name, &err) == 0 &&
	    strcmp(name, "aaaa2222") == 0, "by its beginning");
	free(name);
	ok(cdn_gather_name(file, "aaaa", &name, &err) == CORDON_E_INVALID &&
	    cdn_gather_name(file, "b", &name, &err) == CORDON_E_NOT_FOUND,
	    "which must be that of one");
}

static void
test_times(void)
{
	static const struct {
		const char *text;
		int64_t seconds; /* of date(1); -1: no time */
	} times[] = {
		{ "1970-01-01T00:00:00.000Z", 0 },
		{ "2000-02-29T12:34:56.000Z", 951827696 },
		{ "2026-11-16T09:40:00.000Z", 1794822000 },
		{ "2100-03-01T00:00:00.000Z", 4107542400 },
		{ "2026-11-16T09:40:00Z", -1 },
		{ "2026-11-16 09:40:00.000Z", -1 },
		{ "2026-13-16T09:40:00.000Z", -1 },
		{ "2026-1x-16T09:40:00.000Z", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < CDN_LEN(times); i++) {
		int64_t ns = -1;
		bool good = cdn_entry_time(cdn_str_of(times[i].text), &ns);

		ok_f(good == (times[i].seconds >= 0) &&
		    (!good || ns == times[i].seconds * 1000000000), "'%s'",
		    times[i].text);
	}
}

int
main(void)
{
	tmp_begin();
	snprintf(file, sizeof(file), "%s", tmp_path("log"));
	make_log(file, "/w");
	test_all();
	test_one();
	test_times();
	tmp_end();
	return done_testing();
}
