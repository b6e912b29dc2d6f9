/*
 * Bind mounts show the floor elsewhere; real ones, in a mount namespace of the
 * test's own.
 */
#include <cordon/cordon.h>

#include <sched.h>
#include <sys/mount.h>

#include "made.h"

/* clang-format off */
static const struct {
	const char *from, *to;
} binds[] = {
	{ "home",	       "w/whole" },   /* contains entries */
	{ "home/.ssh",	       "w/entry" },   /* is one */
	{ "home/.aws/deep",    "w/part" },    /* lies in one */
	{ "home/.npmrc",       "w/file" },    /* is one, a file */
	{ "home/src",	       "w/plain" },   /* has nothing to do with them */
	{ "keep",	       "home/.kube" },/* an entry is itself a mount */
};

static const struct {
	const char *path;
	bool allowed;
} rows[] = {
	{ "w/whole/.ssh",	   false },
	{ "w/whole/.ssh/id",	   false },
	{ "w/whole/.netrc",	   false }, /* not there yet */
	{ "w/whole/.aws/deep/x",   false },
	{ "w/whole/src/a",	   true },
	{ "w/entry/id",		   false },
	{ "w/entry",		   false },
	{ "w/part/x",		   false },
	{ "w/file",		   false },
	{ "w/plain/a",		   true },
	{ "keep/config",	   false },
	{ "home/.kube/config",	   false },
	{ "w/other",		   true },
};
/* clang-format on */

static void
make_files(void)
{
	static const char *const dirs[] = { "home/.ssh", "home/.aws",
		"home/.aws/deep", "home/src", "home/.kube", "keep", "w/whole",
		"w/entry", "w/part", "w/plain" };

	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		tmp_dir(dirs[i]);
	tmp_file("home/.ssh/id", "key");
	tmp_file("home/.npmrc", "token");
	tmp_file("keep/config", "token");
	tmp_file("w/file", "");
}

/* A namespace that goes with this process; false: not allowed to have one. */
static bool
make_mounts(void)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return false;
	for (size_t i = 0; i < CDN_LEN(binds); i++)
		if (mount(tmp_path(binds[i].from), tmp_path(binds[i].to),
			NULL, MS_BIND, NULL) != 0)
			return false;
	return true;
}

static void
unmount(void)
{
	for (size_t i = 0; i < CDN_LEN(binds); i++)
		umount2(tmp_path(binds[i].to), MNT_DETACH);
}

static void
test_rows(struct cordon_session *s)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		for (enum cordon_op op = CORDON_READ; op <= CORDON_MODIFY;
		     op++)
			ok_f(made_allows(s, op, tmp_path(rows[i].path)) ==
			    rows[i].allowed, "%s %s",
			    op == CORDON_READ ? "read" : "modify",
			    rows[i].path);
}

static void
test_shown(struct cordon_session *s)
{
	const char *path = tmp_path("w/entry/id");
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = CORDON_READ, .path = path,
		.path_len = strlen(path) };
	struct cordon_verdict verdict = { 0 };

	need(cordon_check(s, &query, &verdict, NULL) == 0, "check");
	ok(verdict.layer == CORDON_LAYER_FLOOR &&
	    strcmp(verdict.matched_rule, "~/.ssh") == 0,
	    "the entry is named as listed");
}

int
main(void)
{
	const char *roots[] = { NULL };
	struct cordon_session *s;

	made_begin();
	make_files();
	if (make_mounts()) {
		roots[0] = tmp_path("keep");
		s = made_session((struct cordon_session_options){
		    .write = roots, .write_count = 1 });
		ok(!s->mounts_unknown, "the mounts are known");
		test_rows(s);
		test_shown(s);
		cordon_session_free(s);
	} else {
		skip("no mount namespace for this user");
	}
	unmount();
	tmp_end();
	return done_testing();
}
