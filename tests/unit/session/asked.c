/*
 * A session that is made for a few questions: what it may leave out as root, and
 * that it can do nothing else.
 */
#include <cordon/cordon.h>

#include <unistd.h>

#include "made.h"

static struct cordon_session *
session_for(const char *path)
{
	struct cordon_session_options options = { .asked = &path,
		.asked_count = 1 };

	return made_session(options);
}

static bool
looks_around(const char *path)
{
	struct cordon_session *s = session_for(path);
	bool looks = !s->only_inside;

	cordon_session_free(s);
	return looks;
}

static int
ask(const struct cordon_session *s, const char *path)
{
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = CORDON_READ, .path = path,
		.path_len = strlen(path) };
	struct cordon_verdict verdict;

	return cordon_check(s, &query, &verdict, NULL);
}

static void
test_nothing_starts(void)
{
	static const char *const argv[] = { "/bin/true", NULL };
	struct cordon_run_options options = { .size = sizeof(options),
		.argv = argv };
	struct cordon_session *s = session_for(tmp_path("w/a"));
	struct cordon_session *any = made_session(
	    (struct cordon_session_options){ 0 });
	struct cordon_plan *plan = NULL;
	struct cordon_error err;

	ok(cordon_plan_new(s, &options, &plan, &err) == CORDON_E_INVALID &&
	    strstr(err.text, "options.asked") != NULL,
	    "nothing is planned with a session for questions");
	ok(cordon_plan_new(any, &options, &plan, &err) == 0,
	    "the control: with any other it is");
	cordon_plan_free(plan);
	cordon_session_free(any);
	cordon_session_free(s);
}

static void
test_inside(void)
{
	struct cordon_session *s = session_for(tmp_path("w/a"));

	if (!s->only_inside) {
		skip("not root, or mounts show more");
		cordon_session_free(s);
		return;
	}
	ok(ask(s, tmp_path("w/a")) == 0 && ask(s, tmp_path("w/new")) == 0,
	    "the workspace has answers");
	ok(ask(s, "/etc/shadow-") == CORDON_E_INVALID &&
	    ask(s, "/etc/hostname") == CORDON_E_INVALID &&
	    ask(s, tmp_path("home/x")) == CORDON_E_INVALID,
	    "what was not looked at has none");
	tmp_hardlink("w/a", "w/two");
	ok(ask(s, tmp_path("w/two")) == CORDON_E_INVALID, "nor has a file with two names");
	unlink(tmp_path("w/two"));
	unlink(tmp_path("w/a"));
	tmp_link("/etc/hostname", "w/a");
	ok(ask(s, tmp_path("w/a")) == CORDON_E_INVALID,
	    "nor a name that leads elsewhere since");
	unlink(tmp_path("w/a"));
	tmp_file("w/a", "");
	cordon_session_free(s);
}

static void
test_outside(void)
{
	struct cordon_session_options at_root = { .workspace = "/" };
	const char *path = tmp_path("w/a");
	struct cordon_session *s;

	at_root.asked = &path;
	at_root.asked_count = 1;
	tmp_hardlink("w/a", "w/two");
	tmp_link("/etc/hostname", "w/out");
	ok(looks_around("/etc/hostname") && looks_around(tmp_path("w/out")) &&
	    looks_around(tmp_path("w/two")) && looks_around(tmp_path("home")),
	    "all is looked at for a path elsewhere, or one with two names");
	s = made_session(at_root);
	ok(!s->only_inside, "and for a workspace that holds /etc");
	ok(ask(s, "/etc/hostname") == 0, "then any path has an answer");
	cordon_session_free(s);
}

int
main(void)
{
	made_begin();
	tmp_file("w/a", "");
	test_nothing_starts();
	test_inside();
	test_outside();
	tmp_end();
	return done_testing();
}
