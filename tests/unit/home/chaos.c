/* Memory runs out at every place it can: nothing leaks, nothing is left. */
#include "fixture.h"

#include "enforce/home/env.h"
#include "support/chaos.h"

static int
run_home(void *arg)
{
	struct cdn_home *home = NULL;
	struct fixture *f = arg;
	int r = cdn_home_open(&f->spec, &home, NULL);

	if (r == 0)
		cdn_home_close(home);
	return r == 0 && !tmp_there(HOME "/.gitconfig") ? 1 :
	    tmp_there(TMP) ? 2 : r;
}

/* With everything to be written anew. */
static int
run_fresh(void *arg)
{
	tmp_clear(tmp_path("state"));
	return run_home(arg);
}

static int
run_substitute(void *arg)
{
	struct cdn_home *home = NULL;
	struct fixture *f = arg;
	int r;

	tmp_clear(tmp_path("state"));
	f->spec.substitute = true;
	r = cdn_home_open(&f->spec, &home, NULL);
	f->spec.substitute = false;
	if (r == 0)
		cdn_home_close(home);
	return tmp_there("state") ? 1 : r;
}

static int
run_env(void *arg)
{
	char lang[] = "LANG=x", path[] = "PATH=/a:b", ci[] = "CI=1";
	char *caller[] = { lang, path, ci, NULL };
	static const char *const extra[] = { "CI", "A=b" };
	static struct cdn_text names[] = { { .text = { "S", 1 } } };
	static struct cdn_text values[] = { { .text = { "v", 1 } } };
	struct cdn_env env = { .set_names = { names, 1 },
		.set_values = { values, 1 } };
	struct cdn_env_layer layer = { &env, true };
	static const char *const set[] = { "SANDBOX=1", NULL };
	static const char *const pass[] = { "X_*", NULL };
	struct cdn_env_spec spec = { .caller = caller, .layers = &layer,
		.layer_count = 1, .home = "/h", .tmp = "/t", .agent_set = set,
		.agent_pass = pass, .extra = extra, .extra_count = 2 };
	struct cdn_arena *arena = cdn_arena_new();
	char **list = NULL;
	int r;

	(void)arg;
	if (arena == NULL)
		return CORDON_E_NOMEM;
	r = cdn_env_compose(arena, &spec, &list, NULL);
	if (r == 0 && (cdn_env_find(list, "S") == NULL ||
	    cdn_env_find(list, "NONE") != NULL ||
	    strcmp(cdn_env_find(list, "PATH"), "/a") != 0))
		r = 1;
	cdn_arena_free(arena);
	return r;
}

int
main(void)
{
	struct fixture f;
	char root[PATH_MAX];
	const char *roots[] = { root };
	int before;

	fixture_begin(&f);
	before = tmp_open_fds();
	tmp_file("real/.gitconfig", "[user]\nname = x\n");
	tmp_file("real/.npmrc", "registry=https://r/\n");
	tmp_dir("real/.rustup");
	snprintf(root, sizeof(root), "%s", tmp_path("real/work"));
	f.spec.roots = roots;
	f.spec.root_count = 1;
	/* What cannot be compared is written again. */
	chaos_run("a home that is there", run_home, &f, CHAOS_ABSORBS);
	chaos_run("a fresh home", run_fresh, &f, CHAOS_ABSORBS);
	chaos_run("a substitute", run_substitute, &f, CHAOS_ABSORBS);
	chaos_run("an environment", run_env, NULL, 0);
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
