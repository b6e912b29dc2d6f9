/*
 * Whole trees and compound operations, by examples.
 */
#include "engine/decide/decide.h"

#include "support/world.h"

#define ALLOW CDN_COMPOUND_ALLOW
#define DENY  CDN_COMPOUND_DENY
#define SPLIT CDN_COMPOUND_SPLIT

static const char *const result_names[] = { "allow", "deny", "split" };
static const char *const what_names[] = { "rename", "rename a directory",
	"exchange", "link", "symlink", "copy" };

struct row {
	enum cdn_compound what;
	const char *from, *to;
	enum cdn_compound_result want;
	const char *matched; /* of a denial */
};

/* clang-format off */
static const struct {
	const char *what;
	struct world_spec spec;
	struct row rows[20];
} worlds[] = {
	{ "floating denies", {
	    .documents = { { CORDON_LAYER_USER, true,
		"  denyRead: [\"**/*.env\"]\n"
		"  denyModify: [\"**/*.lock\"]\n" } } },
	  {
		/* They never stand in the way of a directory ... */
		{ CDN_RENAME_DIR, "/w/src", "/w/lib", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/a/b/c", "/w/d", ALLOW, NULL },
		{ CDN_EXCHANGE,   "/w/src", "/w/lib", ALLOW, NULL },
		/* ... but of what they name. */
		{ CDN_RENAME,	  "/w/a.env", "/w/b.txt", DENY, "**/*.env" },
		{ CDN_RENAME,	  "/w/a.lock", "/w/b.txt", DENY, "**/*.lock" },
		{ CDN_RENAME,	  "/w/a.txt", "/w/b.lock", DENY, "**/*.lock" },
		{ CDN_RENAME,	  "/w/a.txt", "/w/b.env", DENY, "**/*.env" },
		{ CDN_RENAME_DIR, "/w/a.env", "/w/b", DENY, "**/*.env" },
		{ CDN_RENAME,	  "/w/a.txt", "/w/b.txt", ALLOW, NULL },
		{ CDN_LINK,	  "/w/a.lock", "/w/b", DENY, "**/*.lock" },
		{ CDN_LINK,	  "/w/a", "/w/b", ALLOW, NULL },
		{ CDN_COPY,	  "/w/a.lock", "/w/b", ALLOW, NULL },
		{ CDN_COPY,	  "/w/a.env", "/w/b", DENY, "**/*.env" },
		{ CDN_SYMLINK,	  "/w/a.env", "/w/b", ALLOW, NULL },
		{ CDN_SYMLINK,	  "/w/b", "/w/b.lock", DENY, "**/*.lock" },
		{ CDN_EXCHANGE,	  "/w/a", "/w/a.lock", DENY, "**/*.lock" },
		{ CDN_RENAME,	  "/w/a", "/x/a", DENY, "<outside workspace>" },
		{ CDN_RENAME_DIR, "/w/a", "/x/a", DENY, "<outside workspace>" } } },

	{ "a deny in its place", {
	    .documents = { { CORDON_LAYER_USER, true,
		"  denyModify: [\".git/hooks/**\"]\n" } } },
	  {
		{ CDN_RENAME_DIR, "/w/.git", "/w/g2", SPLIT, NULL },
		{ CDN_RENAME_DIR, "/w/g2", "/w/.git", SPLIT, NULL },
		{ CDN_EXCHANGE,   "/w/g2", "/w/.git", SPLIT, NULL },
		{ CDN_RENAME_DIR, "/w/.git/hooks", "/w/h", DENY,
		  ".git/hooks/**" },
		{ CDN_RENAME_DIR, "/w/.git/refs", "/w/r", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/src", "/w/lib", ALLOW, NULL },
		{ CDN_SYMLINK,	  "/w/x", "/w/.git", DENY, ".git/hooks/**" },
		{ CDN_SYMLINK,	  "/w/x", "/w/.git/refs", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w", "/w2", DENY, "<outside workspace>" } } },

	/* A link leads away from what is denied below its name. */
	{ "links", {
	    .write = "/o", .closed = "/o/.config/gh",
	    .documents = { { CORDON_LAYER_USER, true,
		"  denyRead: [\"a/b/key\", \"**/*.env\"]\n"
		"  denyModify: [\"m/*/config\", \"n/**/config\", "
		"\"**/.g/m/**/c\", \"**k\", \"o/**\"]\n"
		"  fsProfiles: {unrestricted: {read: [\"**\"], modify: "
		"[\"p/**\", \"!p/q/x\", \"p/q/**\", \"**\", \"!r/s\"]}}\n" } } },
	  {
		{ CDN_SYMLINK, "", "/w/a", DENY, "a/b/key" },
		{ CDN_SYMLINK, "", "/w/a/b", DENY, "a/b/key" },
		{ CDN_SYMLINK, "", "/w/a/c", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/m", DENY, "m/*/config" },
		{ CDN_SYMLINK, "", "/w/m/lib", DENY, "m/*/config" },
		{ CDN_SYMLINK, "", "/w/m/lib/x", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/n/x/y/z", DENY, "n/**/config" },
		{ CDN_SYMLINK, "", "/w/x/y", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/.g", DENY, "**/.g/m/**/c" },
		{ CDN_SYMLINK, "", "/w/x/.g/m/y/z", DENY, "**/.g/m/**/c" },
		{ CDN_SYMLINK, "", "/w/x/.g/n", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/p/q", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/r", DENY, "r/s" },
		{ CDN_SYMLINK, "", "/w/o", DENY, "o/**" },
		{ CDN_SYMLINK, "", "/o/.config", DENY, "/o/.config/gh" },
		{ CDN_SYMLINK, "", "/o/.local", ALLOW, NULL } } },

	{ "a link where a deny of the project is lifted", {
	    .write_roots = "/w/b",
	    .documents = { { CORDON_LAYER_PROJECT, false,
		"  denyModify: [\"b/*/x\", \"c/*/x\"]\n" } } },
	  {
		{ CDN_SYMLINK, "", "/w/b/a", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/c/a", DENY, "c/*/x" } } },

	{ "the default preset lets ordinary tools work", { .profile = NULL },
	  {
		/* npm, cargo, git, make, python */
		{ CDN_RENAME_DIR, "/w/node_modules/.x-123", "/w/node_modules/x",
		  ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/node_modules/@s/.x-1",
		  "/w/node_modules/@s/x", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/target/debug/incremental/a-s-1-working",
		  "/w/target/debug/incremental/a-s-1-2", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/.git/refs/heads/a",
		  "/w/.git/refs/heads/b", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/.git/objects/tmp_objdir-1",
		  "/w/.git/objects/1", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/.git/rebase-merge", "/w/.git/rebase-apply",
		  ALLOW, NULL },
		{ CDN_RENAME,	  "/w/.git/index.lock", "/w/.git/index",
		  ALLOW, NULL },
		{ CDN_LINK,	  "/w/.git/objects/pack/tmp_1",
		  "/w/.git/objects/pack/p", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/venv.tmp", "/w/venv", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/src", "/w/lib", ALLOW, NULL },
		/* and not what the host would execute */
		{ CDN_RENAME,	  "/w/.git/config.lock", "/w/.git/config", DENY,
		  "**/.git/config" },
		{ CDN_RENAME_DIR, "/w/.git", "/w/g2", DENY, "**/.git" },
		{ CDN_RENAME_DIR, "/w/x", "/w/.git", DENY, "**/.git" },
		{ CDN_RENAME_DIR, "/w/x", "/w/sub/.git", DENY, "**/.git" },
		{ CDN_RENAME_DIR, "/w/x", "/w/.vscode", DENY, ".vscode/**" },
		{ CDN_RENAME_DIR, "/w/.git/modules/a", "/w/b", DENY,
		  "**/.git/**" },
		{ CDN_SYMLINK,	  "/x", "/w/.git", DENY, "**/.git" } } },

	{ "links of ordinary tools, and of others", { .profile = NULL },
	  {
		{ CDN_SYMLINK, "", "/w/node_modules/.bin/tsc", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/node_modules/a", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/v/bin/python", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/.venv", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/sub/modules/x", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/.github", ALLOW, NULL },
		{ CDN_SYMLINK, "", "/w/.git/modules/lib", DENY,
		  "**/.git/**" },
		{ CDN_SYMLINK, "", "/w/.git/worktrees/wt", DENY,
		  "**/.git/**" },
		{ CDN_SYMLINK, "", "/w/.git/logs/HEAD", DENY,
		  "**/.git/**/commondir" },
		{ CDN_SYMLINK, "", "/w/sub/.git/x", DENY,
		  "**/.git/**" } } },

	{ "the workspace below a root of the command line", { .write = "/" },
	  {
		{ CDN_RENAME_DIR, "/w/src", "/w/lib", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/w/x", "/w/.git", DENY, "**/.git" } } },

	{ "what may not be executed", {
	    .documents = { { CORDON_LAYER_USER, true,
		"  denyExec: [\"tools/**\"]\n"
		"  fsProfiles: {unrestricted: {read: [\"**\"], "
		"modify: [\"**\"], exec: [\"**\"]}}\n" } } },
	  {
		{ CDN_RENAME,	  "/w/tools/t", "/w/src/t", SPLIT, NULL },
		{ CDN_LINK,	  "/w/tools/t", "/w/src/t", SPLIT, NULL },
		{ CDN_EXCHANGE,	  "/w/tools/t", "/w/src/t", SPLIT, NULL },
		{ CDN_RENAME,	  "/w/tools/t", "/w/tools/u", ALLOW, NULL },
		{ CDN_LINK,	  "/w/tools/t", "/w/tools/u", ALLOW, NULL },
		{ CDN_RENAME,	  "/w/src/t", "/w/tools/t", ALLOW, NULL },
		{ CDN_RENAME,	  "/w/src/t", "/w/src/u", ALLOW, NULL },
		{ CDN_COPY,	  "/w/tools/t", "/w/src/t", ALLOW, NULL } } },

	{ "roots", {
	    .write = "/o /p", .closed = "/o/key", .runtime_read = "/usr" },
	  {
		{ CDN_RENAME_DIR, "/w/a", "/p/a", SPLIT, NULL },
		{ CDN_RENAME_DIR, "/p/a", "/p/b", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/o/a", "/o/b", ALLOW, NULL },
		{ CDN_RENAME_DIR, "/o", "/p", SPLIT, NULL },
		{ CDN_RENAME_DIR, "/o/key", "/o/b", DENY, "/o/key" },
		{ CDN_RENAME,	  "/o/a", "/w/a", ALLOW, NULL },
		{ CDN_COPY,	  "/usr/a", "/w/a", ALLOW, NULL },
		{ CDN_LINK,	  "/usr/a", "/w/a", DENY, "/usr" } } },
};

static const struct {
	const char *what;
	struct world_spec spec;
	struct {
		enum cordon_op op;
		const char *path;
		enum cdn_subtree want;
	} rows[12];
} trees[] = {
	{ "default preset", { .closed = "/w/k", .runtime_read = "/usr",
	    .runtime_write = "/home/own" },
	  {
		{ CORDON_READ,	 "/w/src", CDN_SUBTREE_ALLOW },
		{ CORDON_READ,	 "/w", CDN_SUBTREE_MIXED },
		{ CORDON_READ,	 "/w/k", CDN_SUBTREE_DENY },
		{ CORDON_READ,	 "/w/k/a", CDN_SUBTREE_DENY },
		{ CORDON_MODIFY, "/w/.vscode", CDN_SUBTREE_DENY },
		{ CORDON_MODIFY, "/w/.git/hooks", CDN_SUBTREE_DENY },
		{ CORDON_MODIFY, "/w/src", CDN_SUBTREE_MIXED },
		{ CORDON_EXEC,	 "/usr", CDN_SUBTREE_ALLOW },
		{ CORDON_MODIFY, "/usr/bin", CDN_SUBTREE_DENY },
		{ CORDON_MODIFY, "/home/own", CDN_SUBTREE_ALLOW },
		{ CORDON_READ,	 "/srv", CDN_SUBTREE_DENY },
		{ CORDON_READ,	 "/", CDN_SUBTREE_MIXED } } },
	{ "a document", {
	    .documents = { { CORDON_LAYER_USER, true,
		"  denyModify: [\"docs/gen/**\"]\n"
		"  fsProfiles: {unrestricted: {read: [\"src/**\", "
		"\"docs/**\"], modify: [\"docs/**\"]}}\n" } } },
	  {
		{ CORDON_READ,	 "/w/src", CDN_SUBTREE_ALLOW },
		{ CORDON_MODIFY, "/w/src", CDN_SUBTREE_DENY },
		{ CORDON_MODIFY, "/w/docs", CDN_SUBTREE_MIXED },
		{ CORDON_MODIFY, "/w/docs/a", CDN_SUBTREE_ALLOW },
		{ CORDON_MODIFY, "/w/docs/gen/a", CDN_SUBTREE_DENY },
		{ CORDON_READ,	 "/w/lib", CDN_SUBTREE_DENY } } },
	{ "roots elsewhere, and here", {
	    .read = "/data", .write = "/w/lib", .write_roots = "/var/x",
	    .documents = { { CORDON_LAYER_USER, true,
		"  fsProfiles: {unrestricted: {read: [\"src/**\"]}}\n" } } },
	  {
		{ CORDON_READ,	 "/w/doc", CDN_SUBTREE_DENY },
		{ CORDON_READ,	 "/w/lib", CDN_SUBTREE_MIXED },
		{ CORDON_READ,	 "/data/x", CDN_SUBTREE_ALLOW },
		{ CORDON_MODIFY, "/data/x", CDN_SUBTREE_DENY },
		{ CORDON_MODIFY, "/var/x", CDN_SUBTREE_DENY } } },
	{ "above the workspace", {
	    .workspace = "/p/w", .write = "/p", .runtime_read = "/" },
	  {
		{ CORDON_READ,	 "/p", CDN_SUBTREE_ALLOW },
		{ CORDON_EXEC,	 "/", CDN_SUBTREE_ALLOW },
		{ CORDON_MODIFY, "/p", CDN_SUBTREE_MIXED },
		{ CORDON_MODIFY, "/p/v", CDN_SUBTREE_ALLOW },
		{ CORDON_MODIFY, "/q", CDN_SUBTREE_DENY } } },
	{ "above a workspace that is less", {
	    .workspace = "/p/w", .runtime_read = "/",
	    .documents = { { CORDON_LAYER_USER, true,
		"  denyRead: [\"key\"]\n" } } },
	  {
		{ CORDON_READ,	 "/p", CDN_SUBTREE_MIXED },
		{ CORDON_READ,	 "/p/w/a", CDN_SUBTREE_ALLOW },
		{ CORDON_READ,	 "/p/v", CDN_SUBTREE_ALLOW } } },
};
/* clang-format on */

static void
test_compound(const char *what, const struct world *w, const struct row *row)
{
	struct cordon_verdict v = { 0 };
	enum cdn_compound_result got = cdn_decide_compound(w->authority,
	    CORDON_AS_PROCESS, row->what, cdn_str_of(row->from),
	    cdn_str_of(row->to), &v);

	if (!ok_f(got == row->want && v.allowed == (got != DENY) &&
		(got != DENY || strcmp(v.matched_rule, row->matched) == 0),
		"%s: %s %s -> %s: %s", what, what_names[row->what], row->from,
		row->to, result_names[row->want]))
		printf("# got %s by %s\n", result_names[got], v.matched_rule);
}

int
main(void)
{
	struct world w;

	for (size_t i = 0; i < CDN_LEN(worlds); i++) {
		world_make(&w, &worlds[i].spec);
		for (size_t k = 0; k < CDN_LEN(worlds[i].rows) &&
		    worlds[i].rows[k].from != NULL; k++)
			test_compound(worlds[i].what, &w, &worlds[i].rows[k]);
		world_done(&w);
	}
	for (size_t i = 0; i < CDN_LEN(trees); i++) {
		world_make(&w, &trees[i].spec);
		for (size_t k = 0; k < CDN_LEN(trees[i].rows) &&
		    trees[i].rows[k].path != NULL; k++)
			ok_f(cdn_decide_subtree(w.authority, CORDON_AS_PROCESS,
				 trees[i].rows[k].op,
				 cdn_str_of(trees[i].rows[k].path)) ==
			    trees[i].rows[k].want, "%s: below %s, %s",
			    trees[i].what, trees[i].rows[k].path,
			    cordon_op_name(trees[i].rows[k].op));
		world_done(&w);
	}
	return done_testing();
}
