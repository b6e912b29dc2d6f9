/*
 * Memory runs out while a cage is verified, up to where the probes are made: a
 * broker is a few threads, and what fails in one of them is not ours to choose.
 */
#include "enforce/verify/probe.h"

#include "enforce/verify/verify.h"
#include "support/chaos.h"
#include "support/tmpdir.h"

static int fds_before;

struct try {
	struct cdn_arena *arena;
	struct cordon_plan *plan;
	struct cdn_outside outside;
	struct cdn_sample sample;
};

/* As many as can be tried when nothing fails. */
static int
prepare(struct try *t, const struct cordon_session *session)
{
	const struct cordon_run_options run = { .size = sizeof(run) };
	struct cordon_error err = { 0 };
	int code = cdn_launch_plan(session, &run, &t->plan, &err);

	if (code != 0)
		return err.code == code ? code : 1;
	cdn_outside_open(&t->outside, t->arena);
	t->sample = (struct cdn_sample){ .arena = t->arena,
		.session = session, .plan = t->plan->plan,
		.outside = &t->outside, .random = 1, .tag = "chaos" };
	code = cdn_sample_take(&t->sample, &err);
	for (size_t i = 0; code == 0 && i < t->sample.n; i++)
		cdn_expect(session, &t->sample.v[i]);
	cdn_outside_close(&t->outside);
	if (code != 0)
		return err.code == code ? code : 2;
	return t->sample.n > 0 ? 0 : 3;
}

/* Whatever happened, nothing of it may be there afterwards. */
static int
verify(void *arg)
{
	struct try t = { .arena = cdn_arena_new() };
	int code = t.arena == NULL ? CORDON_E_NOMEM : prepare(&t, arg);

	cdn_launch_plan_free(t.plan);
	cdn_arena_free(t.arena);
	if (tmp_open_fds() != fds_before)
		return 4;
	if (t.outside.dir[0] != '\0' && access(t.outside.dir, F_OK) == 0)
		return 5;
	if (waitpid(-1, NULL, WNOHANG | __WALL) != -1)
		return 6;
	return code;
}

static void
try_preset(enum cordon_preset preset, const char *work)
{
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = work, .preset = preset };
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };

	tmp_need(cordon_session_new(&options, NULL, &session, &err) == 0,
	    "session", err.text);
	fds_before = tmp_open_fds();
	chaos_run(cordon_preset_name(preset), verify, session, CHAOS_ABSORBS);
	cordon_session_free(session);
}

int
main(void)
{
	char work[PATH_MAX];

	tmp_begin();
	tmp_dir("home");
	tmp_dir("w");
	tmp_file("w/file", "text");
	setenv("HOME", tmp_path("home"), 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_RUNTIME_DIR");
	snprintf(work, sizeof(work), "%s", tmp_path("w"));
	try_preset(CORDON_PRESET_STRICT, work);
	try_preset(CORDON_PRESET_WORKSPACE, work);
	tmp_end();
	return done_testing();
}
