#include "enforce/session/elsewhere.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "enforce/session/links.h"
#include "engine/decide/preset.h"
#include "engine/match/pattern.h"

struct elsewhere {
	struct cordon_session *session;
	struct cdn_gather *g;
	struct cdn_placelist closed, sealed;
	size_t inside_room; /* of session->inside */
};

static struct cordon_verdict
judge(const struct elsewhere *e, enum cordon_op op, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	cdn_decide(e->session->authority, &question, &verdict);
	return verdict;
}

/* The place takes away what the rule does; whoever reads not modifies not. */
static void
add(struct elsewhere *e, enum cordon_op op, const char *path,
    const struct cdn_place *like)
{
	if (judge(e, op, path).allowed)
		cdn_placelist_exact(op == CORDON_READ ? &e->closed : &e->sealed,
		    path, like);
}

/* ----- Rules --------------------------------------------------------------------- */

/* One rule, while its names are looked for. */
struct named {
	struct elsewhere *e;
	const struct cdn_rule *rule;
	enum cordon_op op;
	struct cdn_place like;
};

/* By a rule: that nothing grants a name denies no other one. */
static bool
is_denied(const struct named *named, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = named->op, .path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	return cdn_decide_protects(named->e->session->authority, &question,
	    &verdict);
}

/* With two stars behind its last slash it is about what stands before. */
static cdn_str
without_tail(cdn_str pattern)
{
	static const cdn_str tail = { "/**", 3 };

	if (pattern.n > tail.n && cdn_str_eq(cdn_str_from(pattern,
		pattern.n - tail.n), tail))
		pattern.n -= tail.n;
	return pattern;
}

static void
add_alias(const char *path, void *arg)
{
	const struct named *named = arg;

	add(named->e, named->op, path, &named->like);
}

/* A rule with a wildcard: we can only tell that there is another way. */
static void
note_alias(const char *path, void *arg)
{
	const struct named *named = arg;
	struct cordon_session *s = named->e->session;
	bool floats = cdn_str_starts(named->rule->pattern, CDN_STR("**"));

	if (s->shown_at != NULL ||
	    (floats && cdn_placelist_below(path, s->workspace)) ||
	    cdn_decide_subtree(s->authority, CORDON_AS_PROCESS, named->op,
		cdn_str_of(path)) == CDN_SUBTREE_DENY)
		return;
	s->shown_at = path;
	s->shown_rule = named->rule->text.p;
}

static void
find_mounts(struct named *named, const char *path, cdn_alias_fn *found)
{
	struct cdn_gather *g = named->e->g;

	if (g->mounts.n > 0 && g->code == 0)
		g->code = cdn_mounts_aliases(g->arena, &g->mounts, path, found,
		    named, g->err);
}

/* A symlink on the way: it cannot be replaced, what it leads to may be. */
static void
add_link(const char *link, const char *rest, void *arg)
{
	const struct named *named = arg;
	struct cdn_gather *g = named->e->g;
	struct cdn_place like = named->like;
	const char *kept = cdn_arena_dup(g->arena, link, strlen(link));

	(void)rest;
	like.alone = true;
	if (kept == NULL)
		g->code = cdn_err_nomem(g->err);
	else
		add(named->e, CORDON_MODIFY, kept, &like);
}

/* Where a rule that names one place leads to. */
static void
find_real(struct named *named, const char *path)
{
	struct cdn_gather *g = named->e->g;
	CDN_UNINITIALIZED struct cordon_error why;
	struct cdn_found found;
	int code = cdn_lookup_find(g->lookup, path, &found, &why);
	bool is_link = code == 0 && strcmp(found.path, path) != 0;

	if (code == CORDON_E_NOMEM)
		g->code = cdn_err_nomem(g->err);
	/* Where nobody gets to, or by no other name. */
	if (code != 0 || (!is_link && (!found.exists || g->mounts.n == 0)))
		return;
	if (!is_denied(named, path))
		return; /* something else is said later */
	if (is_link) {
		add(named->e, named->op, found.path, &named->like);
		cdn_links_walk(named->e->session->workspace, cdn_str_of(path +
		    strlen(named->e->session->workspace) + 1), add_link, named);
	} else
		find_mounts(named, path, add_alias);
}

/* The directory that all it can match lies in. */
static void
find_wildcard(struct named *named, const char *path)
{
	char top[CDN_PATH_MAX + 1];
	size_t n = strcspn(path, "*?");

	while (n > 0 && path[n] != '/')
		n--;
	snprintf(top, sizeof(top), "%.*s", (int)n, path);
	find_mounts(named, top, note_alias);
}

/* Of the workspace; NULL: out of memory. */
static const char *
below(const struct elsewhere *e, cdn_str name)
{
	cdn_str workspace = cdn_str_of(e->session->workspace);
	char *path = cdn_arena_alloc(e->g->arena, workspace.n + name.n + 2);

	if (path == NULL)
		return NULL;
	memcpy(path, workspace.p, workspace.n);
	path[workspace.n] = '/';
	memcpy(path + workspace.n + 1, name.p, name.n);
	return path;
}

static void
find_rule(struct elsewhere *e, enum cordon_op op, const struct cdn_rule *rule)
{
	struct named named = { e, rule, op, { .shown = rule->text.p,
		.pos = rule->pos } };
	cdn_str plain = without_tail(rule->pattern);
	bool exact = cdn_rule_is_exact(plain);
	const char *path;

	if (!rule->negated || plain.n == 0 || cdn_defaults_is_link(rule) ||
	    (!exact && e->g->mounts.n == 0))
		return;
	path = below(e, plain);
	if (path == NULL)
		e->g->code = cdn_err_nomem(e->g->err);
	else if (exact)
		find_real(&named, path);
	else if (strlen(path) <= CDN_PATH_MAX)
		find_wildcard(&named, path);
}

static void
find_rules(struct elsewhere *e, const struct cordon_profile *profile)
{
	static const enum cordon_op ops[] = { CORDON_READ, CORDON_MODIFY };

	for (size_t k = 0; k < CDN_LEN(ops); k++) {
		const struct cdn_rules *rules = &profile->sets[ops[k]].rules;

		for (size_t i = 0; i < rules->n && e->g->code == 0; i++)
			find_rule(e, ops[k], &rules->v[i]);
	}
}

/* ----- Directories of keys ------------------------------------------------------- */

/* One entry of the floor, and what is still to be looked at of it. */
struct keys {
	struct elsewhere *e;
	bool deep;
	bool below;	   /* not right in it any more */
	unsigned left;	   /* entries */
	const char **dirs; /* to be looked into in turn: outer ones first */
	size_t n, room;
};

/* Out of memory: nothing is added, and the search is over. */
static void
keep(struct elsewhere *e, const char ***list, size_t *n, size_t *room,
    const char *path)
{
	const char **v = cdn_arena_grow(e->g->arena, *list, *n, room,
	    sizeof(*v));

	if (v == NULL) {
		e->g->code = cdn_err_nomem(e->g->err);
		return;
	}
	*list = v;
	v[(*n)++] = path;
}

/* For linked.h: a file in there may have a second name. */
static void
keep_name(struct elsewhere *e, const char *path)
{
	struct cordon_session *s = e->session;

	if (s->inside_count < CDN_NESTED_NAMES)
		keep(e, &s->inside, &s->inside_count, &e->inside_room, path);
}

static void
keep_directory(struct keys *keys, const char *path)
{
	if (keys->deep)
		keep(keys->e, &keys->dirs, &keys->n, &keys->room, path);
}

/*
 * Programs and whole trees that people link into such a directory are no keys:
 * what is the system's, and what holds the workspace or a home.
 */
static bool
is_key(const struct elsewhere *e, const struct cdn_found *found)
{
	const struct cordon_session *s = e->session;
	const char *dir;

	for (size_t i = 0; (dir = cdn_preset_system(i)) != NULL; i++)
		if (cdn_placelist_below(found->path, dir))
			return false;
	return found->exists && !(found->is_directory &&
	    (cdn_placelist_below(s->workspace, found->path) ||
		cdn_placelist_below(s->places.home, found->path) ||
		cdn_placelist_below(s->places.passwd_home, found->path)));
}

/*
 * Closes what a link to a key leads to; or it was no link after all.  Those
 * further down are not followed: they lead to toolchains, too (the python of a
 * tool's own environment).
 */
static void
find_target(struct keys *keys, const char *path)
{
	struct elsewhere *e = keys->e;
	struct cdn_place like = { .shown = path,
		.pos = { .source = "<floor>" } };
	CDN_UNINITIALIZED struct cordon_error why;
	struct cdn_found found;
	int code = cdn_lookup_find(e->g->lookup, path, &found, &why);
	bool is_link = code == 0 && strcmp(found.path, path) != 0;

	if (code == CORDON_E_NOMEM)
		e->g->code = cdn_err_nomem(e->g->err);
	if (code != 0 || (is_link && keys->below) || !is_key(e, &found))
		return;
	if (is_link)
		add(e, CORDON_READ, found.path, &like);
	if (found.is_directory && !is_link)
		keep_directory(keys, path);
	else
		keep_name(e, path);
}

static void
find_entry(struct keys *keys, const char *dir, const struct dirent64 *entry)
{
	const char *path;

	if (entry->d_type == DT_DIR && !keys->deep)
		return;
	path = cdn_arena_printf(keys->e->g->arena, "%s/%s", dir,
	    entry->d_name);
	if (path == NULL)
		keys->e->g->code = cdn_err_nomem(keys->e->g->err);
	else if (entry->d_type == DT_DIR)
		keep_directory(keys, path);
	else if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
		find_target(keys, path);
	else
		keep_name(keys->e, path);
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void
find_entries(struct keys *keys, const char *dir)
{
	_Alignas(struct dirent64) CDN_UNINITIALIZED char room[4096];
	cdn_cleanup_fd int fd = open(dir,
	    O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && keys->left > 0 &&
	    (n = getdents64(fd, (void *)room, sizeof(room))) > 0)
		for (ssize_t at = 0; at < n && keys->left > 0;) {
			const struct dirent64 *entry =
			    (const void *)(room + at);

			at += entry->d_reclen;
			if (is_dots(entry->d_name))
				continue;
			keys->left--;
			find_entry(keys, dir, entry);
		}
}

/*
 * Keys lie near the top, and what is large (caches, logs) further down: level
 * by level the bound is spent where it is worth most.
 */
static void
find_keys(struct elsewhere *e, const struct cdn_protected_dir *looked)
{
	bool deep = looked->look == CDN_LOOK_DEEP;
	struct keys keys = { .e = e, .deep = deep,
		.left = deep ? CDN_KEYS_SCAN_MAX : CDN_STORE_SCAN_MAX };

	find_entries(&keys, looked->dir);
	keys.below = true;
	for (size_t i = 0; i < keys.n && keys.left > 0 && e->g->code == 0; i++)
		find_entries(&keys, keys.dirs[i]);
}

/* ----- All of it ------------------------------------------------------------------ */

static void
append(struct elsewhere *e, struct cdn_place_list *list,
    struct cdn_placelist *more)
{
	struct cdn_place *v;

	cdn_placelist_aliases(more);
	if (more->n == 0 || e->g->code != 0)
		return;
	v = cdn_arena_array(e->g->arena, list->n + more->n, sizeof(*v));
	if (v == NULL) {
		e->g->code = cdn_err_nomem(e->g->err);
		return;
	}
	for (size_t i = 0; i < list->n; i++)
		v[i] = list->v[i];
	for (size_t i = 0; i < more->n; i++)
		v[list->n + i] = more->v[i];
	*list = (struct cdn_place_list){ v, list->n + more->n };
}

int
cdn_elsewhere_find(struct cordon_session *session, struct cdn_gather *g,
    bool *ret, struct cordon_error *err)
{
	struct elsewhere e = { .session = session, .g = g,
		.closed = { .g = g }, .sealed = { .g = g } };
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	size_t n = cdn_authority_builtins(session->authority, builtins);

	g->err = err;
	for (size_t i = 0; i < session->document_count; i++)
		find_rules(&e, session->documents[i].profile);
	for (size_t i = 0; i < n; i++)
		find_rules(&e, builtins[i].profile);
	for (size_t i = 0; i < g->looked_count && g->code == 0; i++)
		find_keys(&e, &g->looked[i]);
	append(&e, &session->spec.closed, &e.closed);
	append(&e, &session->spec.sealed, &e.sealed);
	*ret = e.closed.n + e.sealed.n > 0;
	return g->code;
}
