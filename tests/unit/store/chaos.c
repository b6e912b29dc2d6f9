/* Memory runs out at every place it can: nothing leaks, nothing half-done. */
#include "enforce/store/places.h"
#include "enforce/store/store.h"
#include "enforce/store/trust.h"

#include "support/chaos.h"
#include "support/tmpdir.h"

#define DIGEST \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POLICY(name)                                                 \
	"schemaVersion: 2\nkind: Policy\nmetadata:\n  name: \"" name \
	"\"\nspec: {}\n"

static int
run_read(void *arg)
{
	struct cdn_buf buf;
	int r = cdn_store_read(arg, 4096, false, &buf, NULL);

	if (r == 0)
		cdn_buf_done(&buf);
	return r;
}

static void
count(const char *name, const char *file, void *arg)
{
	(void)name;
	(void)file;
	++*(int *)arg;
}

static int
run_list(void *arg)
{
	int n = 0;
	int r = cdn_store_list(arg, count, &n, NULL, NULL);

	return (r == 0 && n != 2) || (r < 0 && n != 0) ? 1 : r;
}

static int
run_get(void *arg)
{
	struct cordon_policy *policy;
	int r = cdn_store_get(arg, "a", false, NULL, &policy, NULL);

	if (r == 0)
		cdn_policy_free(policy);
	return r;
}

static int
run_put(void *arg)
{
	return cdn_store_put(arg, "a", CDN_STR(POLICY("a")), NULL, NULL);
}

static int
run_check(void *arg)
{
	bool yes = false;
	int r = cdn_trust_check(arg, "/odd\n", DIGEST, &yes, NULL);

	return r == 0 && !yes ? 1 : r;
}

static int
run_add(void *arg)
{
	return cdn_trust_add(arg, "/odd\n", DIGEST, NULL);
}

static int
run_add_revoke(void *arg)
{
	int r = cdn_trust_add(arg, "/passing", DIGEST, NULL);

	return r < 0 ? r : cdn_trust_revoke(arg, "/passing", NULL);
}

static int
run_trust_list(void *arg)
{
	int n = 0;
	int r = cdn_trust_list(arg, count, &n, NULL);

	return r == 0 && n < 2 ? 1 : r;
}

static int
run_places(void *arg)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_places places;
	const char *path;
	int r;

	(void)arg;
	if (arena == NULL)
		return CORDON_E_NOMEM;
	r = cdn_places_find(arena, &places, NULL);
	if (r == 0)
		r = cdn_places_expand(arena, &places, CDN_STR("~root/x/y"),
		    &path, NULL);
	cdn_arena_free(arena);
	return r;
}

int
main(void)
{
	char store[PATH_MAX], file[PATH_MAX], trust[PATH_MAX];
	int before;

	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	before = tmp_open_fds();
	tmp_dir("s");
	tmp_file("s/a.yaml", POLICY("a"));
	tmp_file("s/b.yml", POLICY("b"));
	snprintf(store, sizeof(store), "%s", tmp_path("s"));
	snprintf(file, sizeof(file), "%s", tmp_path("s/a.yaml"));
	snprintf(trust, sizeof(trust), "%s", tmp_path("state/trust.json"));
	setenv("HOME", "/home/x", 1);

	chaos_run("read", run_read, file, 0);
	chaos_run("list", run_list, store, 0);
	chaos_run("get", run_get, store, 0);
	chaos_run("put", run_put, store, 0);
	chaos_run("trust add", run_add, trust, 0);
	chaos_run("trust add and revoke", run_add_revoke, trust, 0);
	tmp_need(cdn_trust_add(trust, "/w", DIGEST, NULL) == 0, "add", "/w");
	chaos_run("trust check", run_check, trust, 0);
	chaos_run("trust list", run_trust_list, trust, 0);
	chaos_run("places", run_places, NULL, 0);
	ok(run_get(store) == 0, "the store is still whole");
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
