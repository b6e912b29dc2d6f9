/*
 * The intersection of the layers, and which of them a verdict names.
 */
#include "engine/decide/decide.h"

#include "support/world.h"

#define PROCESS CORDON_AS_PROCESS
#define AGENT	CORDON_AS_AGENT
#define POLICY	CORDON_AS_POLICY
#define HOST	CORDON_LAYER_HOST
#define USER	CORDON_LAYER_USER
#define PROJECT CORDON_LAYER_PROJECT
#define NAMED	CORDON_LAYER_POLICY
#define FLOOR	CORDON_LAYER_FLOOR
#define WORKDIR CORDON_LAYER_WORKDIR
#define PRESET	CORDON_LAYER_PRESET
#define DEFAULTS CORDON_LAYER_DEFAULTS

struct row {
	enum cordon_as as;
	enum cordon_op op;
	const char *path;
	bool allowed;
	enum cordon_layer layer;
	const char *matched;
};

/* clang-format off */
static const struct {
	const char *what;
	struct world_spec spec;
	struct row rows[16];
} worlds[] = {
	{ "three documents", {
	    .profile = "dev",
	    .documents = {
		{ HOST, true, "  denyRead: [\"host.key\"]\n"
		  "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"]}}\n" },
		{ USER, true, "  denyRead: [\"user.key\", \"host.key\"]\n"
		  "  denyModify: [\"user.ro\"]\n"
		  "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"]}}\n" },
		{ PROJECT, false,
		  "  fsProfiles: {dev: {read: [\"src/**\", \"user.key\"], "
		  "modify: [\"src/**\", \"user.key\"]}}\n" } } },
	  {
		/* An allow names the innermost document. */
		{ PROCESS, CORDON_READ,   "/w/src/a", true, PROJECT, "src/**" },
		{ AGENT,   CORDON_MODIFY, "/w/src/a", true, PROJECT, "src/**" },
		/* A denial names the outermost one. */
		{ PROCESS, CORDON_READ,   "/w/host.key", false, HOST, "host.key" },
		{ PROCESS, CORDON_READ,   "/w/user.key", false, USER, "user.key" },
		{ PROCESS, CORDON_MODIFY, "/w/user.ro", false, USER, "user.ro" },
		{ PROCESS, CORDON_READ,   "/w/doc", false, PROJECT,
		  "<no matching rule>" },
		/* What may not be read may not be modified or executed. */
		{ PROCESS, CORDON_MODIFY, "/w/host.key", false, HOST, "host.key" },
		{ AGENT,   CORDON_EXEC,   "/w/user.key", false, USER, "user.key" },
		/* The documents alone, on a string. */
		{ POLICY, CORDON_READ,   "src/a", true, PROJECT, "src/**" },
		{ POLICY, CORDON_READ,   "host.key", false, HOST, "host.key" },
		{ POLICY, CORDON_MODIFY, "user.key", true, PROJECT, "user.key" },
		{ POLICY, CORDON_MODIFY, "doc", false, PROJECT,
		  "<no matching rule>" } } },

	{ "a layer without the profile has its denies only", {
	    .profile = "dev",
	    .documents = {
		{ HOST, true, "  denyRead: [\"k\"]\n" },
		{ USER, true,
		  "  fsProfiles: {dev: {read: [\"src/**\", \"k\"]}}\n" } } },
	  {
		{ PROCESS, CORDON_READ, "/w/src/a", true, USER, "src/**" },
		{ PROCESS, CORDON_READ, "/w/k", false, HOST, "k" },
		{ POLICY,  CORDON_READ, "k", false, HOST, "k" },
		{ PROCESS, CORDON_MODIFY, "/w/src/a", false, USER, "[]" } } },

	{ "one that allows by its denies alone is not named", {
	    .profile = "dev",
	    .documents = {
		{ HOST, true,
		  "  fsProfiles: {dev: {read: [\"src/**\"]}}\n" },
		{ USER, true, "  denyRead: [\"k\"]\n" } } },
	  {
		{ PROCESS, CORDON_READ, "/w/src/a", true, HOST, "src/**" },
		{ PROCESS, CORDON_READ, "/w/k", false, HOST,
		  "<no matching rule>" } } },

	{ "unrestricted is named where nobody wrote it", {
	    .documents = { { USER, true, "  denyModify: [\"k\"]\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/a", true, USER, "**" },
		{ PROCESS, CORDON_MODIFY, "/w/k", false, USER, "k" },
		{ PROCESS, CORDON_READ,   "/w", true, USER, "**" } } },

	{ "no document: the preset alone", { .preset = CORDON_PRESET_WORKSPACE },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/a", true, PRESET, "**" },
		{ AGENT,   CORDON_MODIFY, "/w/.git/hooks/x", false, DEFAULTS,
		  "**/.git/hooks/**" },
		{ AGENT,   CORDON_MODIFY, "/w/a/.git/config", false, DEFAULTS,
		  "**/.git/config" },
		{ AGENT,   CORDON_MODIFY, "/w/.git", false, DEFAULTS, "**/.git" },
		{ AGENT,   CORDON_READ,   "/w/.git/hooks/x", true, PRESET, "**" },
		{ AGENT,   CORDON_MODIFY, "/w/.git/index", true, PRESET, "**" },
		{ PROCESS, CORDON_MODIFY, "/w/.git/foo", false, DEFAULTS,
		  "**/.git/**" },
		{ PROCESS, CORDON_MODIFY, "/w/.git/foo/HEAD", false, DEFAULTS,
		  "**/.git/**/HEAD" },
		{ PROCESS, CORDON_MODIFY, "/w/.git/worktrees/new", false,
		  DEFAULTS, "**/.git/**" },
		{ PROCESS, CORDON_MODIFY, "/w/.git/objects/info/alternates",
		  false, DEFAULTS, "**/.git/**/objects/info/alternates" },
		{ PROCESS, CORDON_MODIFY, "/w/.git/refs/heads/main", true,
		  PRESET, "**" },
		{ PROCESS, CORDON_EXEC,   "/w/a", true, PRESET, "**" },
		{ PROCESS, CORDON_READ,   "/x", false, WORKDIR,
		  "<outside workspace>" } } },

	{ "strict without a document reads only", { .preset = CORDON_PRESET_STRICT },
	  {
		{ PROCESS, CORDON_READ,   "/w/a", true, PRESET, "**" },
		{ PROCESS, CORDON_MODIFY, "/w/a", false, PRESET, "[]" } } },

	{ "protect without a document takes nothing away", {
	    .preset = CORDON_PRESET_PROTECT },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/.git/hooks/x", true, PRESET,
		  "**" } } },

	{ "a document: its rules alone decide inside", {
	    .documents = { { NAMED, true, "  denyRead: []\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/.git/hooks/x", true, NAMED, "**" },
		{ PROCESS, CORDON_READ,   "/x", false, WORKDIR,
		  "<outside workspace>" } } },

	{ "but not what the host would execute", { .defaults = true,
	    .profile = "dev",
	    .documents = {
		{ HOST, true, "  denyModify: [\".vscode/**\"]\n" },
		{ USER, true, "  fsProfiles: {dev: {read: [\"**\"], "
		  "modify: [\"**\"]}}\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/.git/hooks/x", false, DEFAULTS,
		  "**/.git/hooks/**" },
		{ AGENT,   CORDON_MODIFY, "/w/a/.mcp.json", false, DEFAULTS,
		  "**/.mcp.json" },
		{ PROCESS, CORDON_MODIFY, "/w/.vscode/x", false, HOST,
		  ".vscode/**" },
		{ PROCESS, CORDON_MODIFY, "/w/node_modules/p/.vscode/x", true,
		  USER, "**" },
		{ PROCESS, CORDON_MODIFY, "/w/target/p/.vscode/x", false,
		  DEFAULTS, "**/.vscode/**" },
		{ PROCESS, CORDON_MODIFY, "/w/.claude/node_modules/p/.claude/x",
		  false, DEFAULTS, ".claude/**" },
		{ PROCESS, CORDON_MODIFY, "/w/node_modules/p/.git/config", false,
		  DEFAULTS, "**/.git/config" },
		{ PROCESS, CORDON_READ, "/w/.claude/x", true, USER, "**" },
		{ POLICY,  CORDON_MODIFY, ".git/hooks/x", true, USER, "**" } } },

	{ "a denial names the defaults before the user", { .defaults = true,
	    .documents = { { USER, true, "  denyRead: [\".envrc\"]\n"
	      "  denyModify: [\".envrc\"]\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/.envrc", false, DEFAULTS,
		  ".envrc" },
		{ PROCESS, CORDON_READ, "/w/.envrc", false, USER, ".envrc" },
		{ POLICY,  CORDON_MODIFY, ".envrc", false, USER, ".envrc" } } },

	{ "not when it is untrusted: then the preset holds as well", {
	    .defaults = true,
	    .documents = { { PROJECT, false, "  denyModify: [\"p\"]\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/.git/hooks/x", false, DEFAULTS,
		  "**/.git/hooks/**" },
		{ PROCESS, CORDON_MODIFY, "/w/p", false, PROJECT, "p" },
		{ PROCESS, CORDON_MODIFY, "/w/a", true, PROJECT, "**" } } },

	{ "declared roots", {
	    .profile = "dev", .read = "/opt/r", .write = "/opt/w",
	    .runtime_read = "/usr", .runtime_write = "/home/own",
	    .documents = {
		{ USER, true, "  fsProfiles: {dev: {read: [\"**\"], "
		  "host: {read: [/d/r], modify: [/d/m]}}}\n" } } },
	  {
		{ AGENT, CORDON_READ,   "/d/r/a", true, USER, "/d/r" },
		{ AGENT, CORDON_MODIFY, "/d/r/a", false, WORKDIR,
		  "<outside workspace>" },
		{ AGENT, CORDON_READ,   "/d/m", true, USER, "/d/m" },
		{ AGENT, CORDON_MODIFY, "/d/m/a", true, USER, "/d/m" },
		{ AGENT, CORDON_READ,   "/d/mm", false, WORKDIR,
		  "<outside workspace>" },
		{ AGENT, CORDON_READ,   "/opt/r/a", true, WORKDIR, "/opt/r" },
		{ AGENT, CORDON_EXEC,   "/opt/r/a", true, WORKDIR, "/opt/r" },
		{ AGENT, CORDON_MODIFY, "/opt/r/a", false, WORKDIR,
		  "<outside workspace>" },
		{ AGENT, CORDON_MODIFY, "/opt/w/a", true, WORKDIR, "/opt/w" },
		/* The runtime view is for processes. */
		{ AGENT,   CORDON_READ,   "/usr/bin/cc", false, WORKDIR,
		  "<outside workspace>" },
		{ PROCESS, CORDON_EXEC,   "/usr/bin/cc", true, PRESET, "/usr" },
		{ PROCESS, CORDON_MODIFY, "/usr/bin/cc", false, FLOOR, "/usr" },
		{ PROCESS, CORDON_MODIFY, "/home/own/a", true, PRESET,
		  "/home/own" },
		{ AGENT,   CORDON_MODIFY, "/home/own/a", false, WORKDIR,
		  "<outside workspace>" } } },

	{ "roots: every document that has the profile must grant them", {
	    .profile = "dev", .read = "/opt",
	    .documents = {
		{ HOST, true, "  fsProfiles: {dev: {read: [\"**\"], "
		  "host: {read: [/a, /b]}}}\n" },
		{ USER, true, "  denyRead: [\"k\"]\n" },
		{ PROJECT, false, "  fsProfiles: {dev: {read: [\"**\"], "
		  "host: {read: [/b, /c]}}}\n" } } },
	  {
		{ AGENT, CORDON_READ, "/a/x", false, WORKDIR,
		  "<outside workspace>" },
		{ AGENT, CORDON_READ, "/b/x", true, HOST, "/b" },
		{ AGENT, CORDON_READ, "/c/x", false, WORKDIR,
		  "<outside workspace>" },
		/* Nor does the command line go beyond the host's. */
		{ AGENT, CORDON_READ, "/opt/x", false, WORKDIR,
		  "<outside workspace>" } } },

	{ "roots of an untrusted document alone open nothing", {
	    .profile = "dev",
	    .documents = {
		{ PROJECT, false, "  fsProfiles: {dev: {read: [\"**\"], "
		  "host: {read: [/c]}}}\n" } } },
	  {
		{ AGENT, CORDON_READ, "/c/x", false, WORKDIR,
		  "<outside workspace>" },
		{ AGENT, CORDON_READ, "/w/x", true, PROJECT, "**" } } },

	{ "the command line inside the workspace", {
	    .profile = "dev", .read = "/w/r", .write = "/w/m /w/no",
	    .documents = {
		{ USER, true, "  denyModify: [\"no/**\"]\n"
		  "  fsProfiles: {dev: {read: [\"src/**\"]}}\n" } } },
	  {
		/* What a layer merely does not mention is added ... */
		{ AGENT, CORDON_READ,   "/w/r/a", true, WORKDIR, "/w/r" },
		{ AGENT, CORDON_MODIFY, "/w/m/a", true, WORKDIR, "/w/m" },
		{ AGENT, CORDON_MODIFY, "/w/r/a", false, USER, "[]" },
		{ AGENT, CORDON_READ,   "/w/x", false, USER,
		  "<no matching rule>" },
		/* ... a deny holds, */
		{ AGENT, CORDON_MODIFY, "/w/no/a", false, USER, "[]" },
		/* and the documents alone know nothing of it. */
		{ POLICY, CORDON_READ,  "r/a", false, USER,
		  "<no matching rule>" } } },

	{ "the host holds against the command line", {
	    .profile = "dev", .write = "/w/m",
	    .documents = {
		{ HOST, true,
		  "  fsProfiles: {dev: {read: [\"src/**\"]}}\n" } } },
	  {
		{ AGENT, CORDON_READ, "/w/m/a", false, HOST,
		  "<no matching rule>" } } },

	{ "runtime_write_roots lift denies of a project", {
	    .profile = "dev", .write_roots = "/w/state /var/run",
	    .documents = {
		{ USER, true, "  denyModify: [\"state/locked\"]\n"
		  "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"]}}\n" },
		{ PROJECT, true, "  denyModify: [\"state/**\", \"x\"]\n"
		  "  fsProfiles: {dev: {read: [\"**\"], "
		  "modify: [\"**\"]}}\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/state/a", true, WORKDIR,
		  "/w/state" },
		{ PROCESS, CORDON_MODIFY, "/w/state/locked", false, USER,
		  "state/locked" },
		{ PROCESS, CORDON_MODIFY, "/w/x", false, PROJECT, "x" },
		{ PROCESS, CORDON_MODIFY, "/var/run/a", false, WORKDIR,
		  "<outside workspace>" } } },
	{ "and not what denies to read", {
	    .profile = "dev", .write_roots = "/w/state",
	    .documents = {
		{ PROJECT, true, "  denyRead: [\"state/key\"]\n"
		  "  fsProfiles: {dev: {read: [\"**\"], "
		  "modify: [\"**\"]}}\n" } } },
	  {
		{ PROCESS, CORDON_READ, "/w/state/key", false, PROJECT,
		  "state/key" },
		{ PROCESS, CORDON_MODIFY, "/w/state/key", false, PROJECT,
		  "state/key" } } },
	{ "a trusted document of denies alone keeps the preset", {
	    .profile = "own", .defaults = true,
	    .documents = {
		{ HOST, true, "  denyModify: [\"x\"]\n" },
		{ PROJECT, false, "  fsProfiles: {own: {read: [\"**\"], "
		  "modify: [\"**\"]}}\n" } } },
	  {
		{ PROCESS, CORDON_MODIFY, "/w/.envrc", false, DEFAULTS,
		  ".envrc" },
		{ PROCESS, CORDON_MODIFY, "/w/a", true, PROJECT, "**" } } },

	{ "the workspace may be the root", {
	    .workspace = "/",
	    .documents = { { USER, true, "  denyRead: [\"a/**\"]\n" } } },
	  {
		{ PROCESS, CORDON_READ,   "/a/b", false, USER, "a/**" },
		{ PROCESS, CORDON_READ,   "/b", true, USER, "**" },
		{ PROCESS, CORDON_READ,   "/", true, USER, "**" },
		{ PROCESS, CORDON_MODIFY, "/usr/b", false, FLOOR, "/usr" } } },

	{ "a name that begins like the workspace is outside", {
	    .workspace = "/home/w" },
	  {
		{ PROCESS, CORDON_READ, "/home/w", true, PRESET, "**" },
		{ PROCESS, CORDON_READ, "/home/ww", false, WORKDIR,
		  "<outside workspace>" },
		{ PROCESS, CORDON_READ, "/home", false, WORKDIR,
		  "<outside workspace>" } } },
};
/* clang-format on */

static void
test_row(const char *what, const struct world *w, const struct row *row)
{
	struct cordon_verdict v = world_ask(w, row->as, row->op, row->path);

	if (!ok_f(v.allowed == row->allowed && v.layer == row->layer &&
		strcmp(v.matched_rule, row->matched) == 0,
		"%s: as %s, %s %s: %s by %s (%s)", what,
		cordon_as_name(row->as), cordon_op_name(row->op), row->path,
		row->allowed ? "allow" : "deny", row->matched,
		cordon_layer_name(row->layer)))
		printf("# got %s by %s (%s)\n", v.allowed ? "allow" : "deny",
		    v.matched_rule, cordon_layer_name(v.layer));
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(worlds); i++) {
		struct world w;

		world_make(&w, &worlds[i].spec);
		for (size_t k = 0; k < CDN_LEN(worlds[i].rows) &&
		    worlds[i].rows[k].path != NULL; k++)
			test_row(worlds[i].what, &w, &worlds[i].rows[k]);
		world_done(&w);
	}
	return done_testing();
}
