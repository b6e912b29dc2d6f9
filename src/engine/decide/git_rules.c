#include "engine/decide/git_rules.h"

#include "base/limits.h"

/* clang-format off */

/*
 * Not among them: MERGE_AUTOSTASH, whose commit the host's next `git commit`
 * applies; MERGE_RR and rr-cache, by which it copies any file that is named.  The
 * index is only replaced by a copy that was checked (broker/index_file.c).
 *
 * Names in a git directory, and one operation that writes each.  A name without
 * a slash and ** behind it allows one entry, and nothing inside of it.
 */
static const struct {
	const char *name;
	const char *needed_by;
} allowed[] = {
	{ "objects/**",			"add" },
	{ "refs/**",			"commit" },
	{ "logs",			"commit" },
	{ "logs/HEAD.lock",		"reflog expire" },
	{ "logs/refs/**",		"commit" },
	{ "reftable/**",		"commit, with reftables" },
	{ "packed-refs",		"pack-refs" },
	{ "packed-refs.lock",		"pack-refs" },
	{ "packed-refs.new",		"pack-refs" },
	{ "index*",			"add" },
	{ "sharedindex*",		"update-index --split-index" },
	{ "next-index-*",		"commit FILE" },
	{ "HEAD.lock",			"checkout" },
	{ "*_HEAD",			"merge" },
	{ "*_HEAD.lock",		"cherry-pick" },
	{ "*_MSG",			"merge" },
	{ "*_MSG.lock",			"cherry-pick" },
	{ "*_EDITMSG",			"commit" },
	{ "*_MODE",			"merge" },
	{ "AUTO_MERGE",			"merge" },
	{ "AUTO_MERGE.lock",		"merge" },
	{ "BISECT_*",			"bisect" },
	{ "NOTES_MERGE_*",		"notes merge" },
	{ "NOTES_MERGE_WORKTREE/**",	"notes merge" },
	{ "REPLACE_EDITOBJ",		"replace --edit" },
	{ "ADD_EDIT.patch",		"add --edit" },
	{ "addp-hunk-edit.diff",	"add --patch" },
	{ "EDIT_DESCRIPTION",		"branch --edit-description" },
	{ "config.lock",		"branch -m" },
	{ "gc.pid",			"gc" },
	{ "gc.pid.lock",		"gc" },
	{ "gc.log",			"gc --auto" },
	{ "gc.log.lock",		"gc --auto" },
	{ "shallow*",			"fetch --depth" },
	{ "info",			"sparse-checkout" },
	{ "info/exclude",		"ignoring files in one clone" },
	{ "info/refs*",			"update-server-info" },
	{ "info/sparse-checkout",	"sparse-checkout" },
	{ "info/sparse-checkout.lock",	"sparse-checkout" },
	{ "rebase-merge/**",		"rebase" },
	{ "rebase-apply/**",		"am" },
	{ "sequencer/**",		"cherry-pick" },
	{ "lfs/**",			"lfs" },
};

/* HEAD is a part of a repository: it appears where git itself has one only. */
static const struct {
	const char *name;
	const char *needed_by;
} heads[] = {
	{ "HEAD",			"checkout" },
	{ "logs/HEAD",			"commit" },
	{ "logs/refs/remotes/**/HEAD",	"remote set-head" },
	{ "refs/remotes/**/HEAD",	"remote set-head" },
};

/* The git directories inside of one: of worktrees, of submodules, of both. */
static const char *const inner[] = { "", "worktrees/*/", "modules/**/",
	"worktrees/*/modules/**/" };

/*
 * What git executes, reads as configuration, or is led elsewhere by.  The first
 * ones are entries of preset.c for directories called .git.
 */
static const char *const denied[] = { "hooks/**", "config",
	"**/config.worktree", "**/commondir", "modules/**/config",
	"modules/**/hooks/**", "worktrees/*/config", "worktrees/*/hooks/**",
	"worktrees/*/gitdir",
#define IN_PRESET 9
	"worktrees/*/modules/**/config", "worktrees/*/modules/**/hooks/**",
	"**/objects/info/alternates", "**/objects/info/http-alternates",
	"**/.git/**" };
/* clang-format on */

/* Of one git directory: all of it, the lists, HEAD. */
#define RULES_OF_ONE                                                \
	(3 + CDN_LEN(inner) * (CDN_LEN(allowed) + CDN_LEN(heads)) + \
	    CDN_LEN(denied))

struct adding {
	struct cdn_arena *arena;
	const char *source;
	struct cdn_rules *rules;
	bool failed; /* out of memory */
};

const char *
cdn_git_allowed(size_t i, const char **ret_needed_by)
{
	if (i < CDN_LEN(allowed)) {
		*ret_needed_by = allowed[i].needed_by;
		return allowed[i].name;
	}
	i -= CDN_LEN(allowed);
	if (i >= CDN_LEN(heads))
		return NULL;
	*ret_needed_by = heads[i].needed_by;
	return heads[i].name;
}

static void
add(struct adding *a, bool negated, const char *root, const char *below,
    const char *name)
{
	char *text = cdn_arena_printf(a->arena, "%s%s%s", root, below, name);

	if (text == NULL) {
		a->failed = true;
		return;
	}
	a->rules->v[a->rules->n++] = (struct cdn_rule){
		.text = cdn_str_of(text), .pattern = cdn_str_of(text),
		.negated = negated, .pos = { .source = a->source } };
}

/* root: "**" and "/.git/", or a directory with a slash behind it, or "". */
static void
add_allowed(struct adding *a, const char *root)
{
	add(a, true, root, "", "**");
	for (size_t k = 0; k < CDN_LEN(inner); k++)
		for (size_t i = 0; i < CDN_LEN(allowed); i++)
			add(a, false, root, inner[k], allowed[i].name);
	add(a, true, root, "", "**/HEAD");
	for (size_t k = 0; k < CDN_LEN(inner); k++)
		for (size_t i = 0; i < CDN_LEN(heads); i++)
			add(a, false, root, inner[k], heads[i].name);
}

static void
add_denied(struct adding *a, const char *root, size_t first)
{
	for (size_t i = first; i < CDN_LEN(denied); i++)
		add(a, true, root, "", denied[i]);
}

/* Without the list HEAD is allowed as everything else is. */
static void
add_inside(struct adding *a, const struct cdn_preset_facts *facts,
    const char *root)
{
	if (facts->git_denies_only)
		add(a, false, root, "", "**/HEAD");
	else
		add_allowed(a, root);
}

/* A star in the name of a directory would allow in others, too. */
static bool
is_literal(const char *dir)
{
	return strpbrk(dir, "*?") == NULL;
}

/* One for which there is no room for a list of its own is closed. */
static void
add_repository(struct adding *a, const struct cdn_preset_facts *facts,
    const char *dir, bool listed)
{
	const char *root = cdn_arena_printf(a->arena, "%s%s", dir,
	    dir[0] == '\0' ? "" : "/");

	if (root == NULL) {
		a->failed = true;
		return;
	}
	if (!listed || !is_literal(dir))
		add(a, true, root, "", "**");
	else
		add_inside(a, facts, root);
	if (listed)
		add_denied(a, root, 0);
}

size_t
cdn_git_rules_count(const struct cdn_preset_facts *facts)
{
	size_t n = facts->repository_count, most = CDN_REPOSITORIES_MAX;

	return n <= most ? (n + 1) * RULES_OF_ONE :
			   (most + 1) * RULES_OF_ONE + (n - most);
}

/*
 * Directories called .git come last: what lies in one of them is not allowed by
 * the list of a repository around it.
 */
int
cdn_git_rules_add(struct cdn_arena *arena, const char *source,
    const struct cdn_preset_facts *facts, struct cdn_rules *rules,
    struct cordon_error *err)
{
	struct adding a = { arena, source, rules, false };
	const char *named = facts->git == CDN_GIT_FIXED ? "**/.git/" : ".git/";

	if (facts->git == CDN_GIT_FRESH)
		return 0;
	for (size_t i = 0; facts->git == CDN_GIT_FIXED &&
	     i < facts->repository_count; i++)
		add_repository(&a, facts, facts->repositories[i],
		    i < CDN_REPOSITORIES_MAX);
	add_inside(&a, facts, named);
	if (facts->git == CDN_GIT_NESTED)
		add(&a, false, ".git", "", ""); /* it may come and go */
	add_denied(&a, named, IN_PRESET);
	return a.failed ? cdn_err_nomem(err) : 0;
}
