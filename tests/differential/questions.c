/*
 * What is asked about a tree, what the decision function says of it, and what
 * is left on disk when it works.
 */
#include "differential.h"

#include <stdlib.h>

#include "engine/decide/decide.h"

#define R RULE_READ
#define M RULE_MODIFY
#define X RULE_EXEC
#define DATA "file-write-data"
#define MADE "file-write-create"
#define GONE "file-write-unlink"

/* name, op, sbpl, is_new, names, alone, shell */
const struct act_row acts[ACTS] = {
	[ACT_READ] = { "read", R, "file-read-data", .shell = "cat '@'" },
	[ACT_LIST] = { "list", R, "file-read-data", .shell = "ls -a '@'" },
	[ACT_EXEC] = { "execute", X, "process-exec", .shell = "'@'" },
	[ACT_WRITE] = { "write", M, DATA, .shell = "echo x >>'@'" },
	[ACT_TRUNCATE] = { "truncate", M, DATA,
	    .shell = "truncate -s 0 '@'" },
	[ACT_CHMOD] = { "chmod", M, "file-write-mode",
	    .shell = "chmod 700 '@'" },
	[ACT_EXCHANGE] = { "exchange", M, NULL, false, true,
	    .shell = "mv --exchange -T '@' '%'" },
	[ACT_CREATE] = { "create", M, MADE, true, true,
	    .shell = "set -C; echo new >'@'" },
	[ACT_MKDIR] = { "mkdir", M, MADE, true, true,
	    .shell = "mkdir '@'" },
	[ACT_SYMLINK] = { "symlink", M, NULL, true, true,
	    .shell = "ln -s nowhere '@'" },
	[ACT_LINK] = { "link", M, NULL, true, true,
	    .shell = "ln '@' '%'" },
	[ACT_RENAME] = { "rename", M, NULL, true, true,
	    .shell = "mv -T '@' '%'" },
	[ACT_RENAME_DIR] = { "rename the directory", M, NULL, true, true, true,
	    .shell = "mv -T '@' '%'" },
	[ACT_BACK] = { "create, then read", R, "file-read-data", true, true,
	    .shell = "set -C; echo new >'@' && cat '@'" },
	[ACT_BELOW] = { "create in a new directory", M, MADE, true, true,
	    .shell = "mkdir '%' && echo new >'@'" },
	[ACT_LATER_READ] = { "read what came later", R, "file-read-data", true,
	    .shell = "sleep 1; cat '@'" },
	[ACT_LATER_WRITE] = { "write what came later", M, DATA, true,
	    .shell = "sleep 1; echo x >>'@'" },
	[ACT_LATER_LINK] = { "read a name that came later", R, NULL, true,
	    .shell = "sleep 1; cat '%'" },
	[ACT_DELETE] = { "delete", M, GONE, false, true,
	    .shell = "rm -f '@'" },
	[ACT_RMDIR] = { "rmdir", M, GONE, false, true,
	    .shell = "rmdir '@'" },
	[ACT_REMAKE] = { "delete, then create", M, MADE, true, true,
	    .shell = "rm -f '@' && echo new >'@'" },
	[ACT_RENEW] = { "rmdir, mkdir, then create in it", M, MADE, true, true,
	    .shell = "rmdir '%' && mkdir '%' && echo new >'@'" },
	[ACT_REPLACE] = { "rename over", M, NULL, false, true,
	    .shell = "mv -fT '@' '%'" },
};

/* ----- Asking ------------------------------------------------------------- */

static void
add(struct questions *qs, enum act act, const char *path, const char *other)
{
	struct question *q = &qs->v[qs->n];

	if (qs->n == QUESTIONS_MAX)
		return;
	memset(q, 0, sizeof(*q));
	q->act = act;
	q->relative = chance(2) == 0 && strncmp(path, "w/", 2) == 0;
	snprintf(q->path, sizeof(q->path), "%s", path);
	snprintf(q->other, sizeof(q->other), "%s", other);
	qs->n++;
}

static bool
is_replaced(const struct questions *qs, const char *path)
{
	for (size_t i = 0; i < qs->n; i++)
		if (qs->v[i].act == ACT_REPLACE &&
		    (strcmp(qs->v[i].path, path) == 0 ||
			strcmp(qs->v[i].other, path) == 0))
			return true;
	return false;
}

static void
add_file(struct questions *qs, const struct node *node)
{
	static const enum act each[] = { ACT_READ, ACT_WRITE, ACT_TRUNCATE,
		ACT_CHMOD };

	for (size_t i = 0; i < CDN_LEN(each); i++)
		add(qs, each[i], node->path, "");
	if (node->mode == 0755)
		add(qs, ACT_EXEC, node->path, "");
	/* One of them: afterwards it is another file. */
	if (!is_replaced(qs, node->path))
		add(qs, chance(4) == 0 ? ACT_REMAKE : ACT_DELETE, node->path,
		    "");
}

/* Some name that this directory does not have, nor any of these questions. */
static const char *
new_name(const struct question *v, size_t n, struct tree *tree,
    const char *dir)
{
	static const char *const names[] = { "new", "new.env", "new.lock",
		"x", "y.env", "secrets", "a", "b", "c", "run.sh", "NEW.ENV",
		".env", "k.new", "n[1]", ".git" };
	static char path[PATH_SIZE];

	for (size_t tries = 0; tries < 20; tries++) {
		bool taken;

		snprintf(path, sizeof(path), "%s/%s", dir,
		    names[chance(CDN_LEN(names))]);
		taken = tree_find(tree, path) != NULL;
		for (size_t i = 0; i < n && !taken; i++)
			taken = strcmp(v[i].other, path) == 0;
		if (!taken)
			return path;
	}
	return NULL;
}

static void
add_new(struct questions *qs, struct tree *tree, const char *dir)
{
	static const enum act each[] = { ACT_CREATE, ACT_MKDIR, ACT_SYMLINK,
		ACT_BACK, ACT_BELOW, ACT_LATER_READ, ACT_LATER_WRITE };
	static const char *const below[] = { "x", "y.env", "b", "z.lock" };

	for (size_t i = 0; i < CDN_LEN(each); i++) {
		const char *name = new_name(NULL, 0, tree, dir);
		char path[PATH_SIZE];

		if (name == NULL || chance(3) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", name,
		    below[chance(CDN_LEN(below))]);
		if (each[i] == ACT_BELOW)
			add(qs, each[i], path, name);
		else
			add(qs, each[i], name, "");
	}
}

static const struct node *
any_node(const struct tree *tree, enum kind kind)
{
	for (;;) {
		const struct node *node = &tree->v[chance(tree->n)];

		if (node->kind == kind)
			return node;
	}
}

/* Each file once, and each new name once: they do not meet. */
static void
add_moves(struct questions *qs, struct tree *tree, enum act act)
{
	size_t begin = qs->n;

	for (size_t i = 0; i < tree->n; i++) {
		const struct node *node = &tree->v[i];
		const char *to;

		if (node->kind != KIND_FILE || chance(3) > 0)
			continue;
		to = new_name(qs->v + begin, qs->n - begin, tree,
		    any_node(tree, KIND_DIR)->path);
		if (to != NULL)
			add(qs, act, node->path, to);
	}
}

/* Some files, each of them once. */
static void
add_replaced(struct questions *qs, const struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct node *node = &tree->v[i], *over;

		if (node->kind != KIND_FILE || chance(4) > 0)
			continue;
		over = any_node(tree, KIND_FILE);
		if (over != node && !is_replaced(qs, node->path) &&
		    !is_replaced(qs, over->path))
			add(qs, ACT_REPLACE, node->path, over->path);
	}
}

/* Not the tops themselves: they are of the test. */
static bool
may_move(const char *path)
{
	return strchr(path, '/') != NULL && strcmp(path, "home/.ssh") != 0 &&
	    strcmp(path, "w/.cordon") != 0;
}

/* Files and directories alike, also one of each. */
static void
add_exchanged(struct questions *qs, const struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct node *node = &tree->v[i], *with;

		if (node->kind == KIND_LINK || chance(4) > 0)
			continue;
		with = any_node(tree, chance(4) > 0 ? node->kind :
			node->kind == KIND_FILE ? KIND_DIR : KIND_FILE);
		if (with != node && may_move(node->path) &&
		    may_move(with->path))
			add(qs, ACT_EXCHANGE, node->path, with->path);
	}
}

static void
add_dir(struct questions *qs, struct tree *tree, const struct node *node)
{
	char path[PATH_SIZE];
	const char *to = new_name(NULL, 0, tree,
	    any_node(tree, KIND_DIR)->path);

	add(qs, ACT_LIST, node->path, "");
	if (strcmp(node->path, "w") != 0)
		add(qs, ACT_CHMOD, node->path, "");
	add_new(qs, tree, node->path);
	if (!may_move(node->path))
		return;
	if (to != NULL && chance(3) == 0 &&
	    strncmp(to, node->path, strlen(node->path)) != 0)
		add(qs, ACT_RENAME_DIR, node->path, to);
	if (tree_has_below(tree, node->path))
		return;
	snprintf(path, sizeof(path), "%s/x", node->path);
	if (chance(2) == 0)
		add(qs, ACT_RMDIR, node->path, "");
	else
		add(qs, ACT_RENEW, path, node->path);
}

static void
add_link(struct questions *qs, const struct node *node)
{
	add(qs, ACT_READ, node->path, "");
	add(qs, ACT_WRITE, node->path, "");
	add(qs, ACT_CHMOD, node->path, "");
	add(qs, ACT_LIST, node->path, "");
	add(qs, ACT_DELETE, node->path, "");
}

void
questions_make(struct questions *qs, struct tree *tree)
{
	qs->n = 0;
	add_replaced(qs, tree);
	for (size_t i = 0; i < tree->n; i++) {
		const struct node *node = &tree->v[i];

		if (node->kind == KIND_FILE)
			add_file(qs, node);
		else if (node->kind == KIND_DIR)
			add_dir(qs, tree, node);
		else
			add_link(qs, node);
	}
	add_moves(qs, tree, ACT_RENAME);
	add_moves(qs, tree, ACT_LINK);
	add_moves(qs, tree, ACT_LATER_LINK);
	add_exchanged(qs, tree);
}

/* ----- Verdicts ----------------------------------------------------------- */

static bool
is_link(const struct tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->n; i++)
		if (strcmp(tree->v[i].path, path) == 0)
			return tree->v[i].kind == KIND_LINK;
	return false;
}

/* The name itself, whatever it leads to. */
static bool
ask_name(const struct cordon_session *session, struct question *q,
    const char *path)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_MODIFY, .path = cdn_str_of(path) };

	cdn_decide(session->authority, &question, &q->verdict);
	snprintf(q->real, sizeof(q->real), "%s", q->path);
	return true;
}

/* Whatever other names the object has. */
static bool
is_name_allowed(const struct cordon_session *session, enum cordon_op op,
    const char *real)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = op, .path = cdn_str_of(real) };
	struct cordon_verdict verdict;

	cdn_decide(session->authority, &question, &verdict);
	return verdict.allowed;
}

static bool
ask_object(const struct cordon_session *session, struct question *q,
    const char *path)
{
	static const enum cordon_op ops[] = { CORDON_READ, CORDON_MODIFY,
		CORDON_EXEC };
	char real[CDN_PATH_MAX + 1];
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = ops[acts[q->act].op],
		.path = path, .path_len = strlen(path), .real_path = real,
		.real_path_size = sizeof(real) };
	size_t n = strlen(stage);

	if (cdn_session_check(session, &query, &q->verdict, NULL) != 0)
		return false;
	q->linked = !q->verdict.allowed &&
	    is_name_allowed(session, query.op, real);
	if (strncmp(real, stage, n) == 0 && real[n] == '/')
		snprintf(q->real, sizeof(q->real), "%s", real + n + 1);
	return true;
}

/* The name is allowed: is the object, under all that it has? */
static void
ask_names(const struct cordon_session *session, struct question *q,
    enum cordon_op op, const char *path)
{
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = op, .path = path,
		.path_len = strlen(path) };
	struct cordon_verdict verdict;

	if (!q->verdict.allowed ||
	    cdn_session_check(session, &query, &verdict, NULL) != 0 ||
	    verdict.allowed || !is_name_allowed(session, op, path))
		return;
	q->verdict = verdict;
	q->linked = true;
}

static bool
ask_pair(const struct cordon_session *session, struct question *q,
    const char *from, const char *to)
{
	static const enum cdn_compound compounds[ACTS] = {
		[ACT_LINK] = CDN_LINK, [ACT_RENAME] = CDN_RENAME,
		[ACT_RENAME_DIR] = CDN_RENAME_DIR,
		[ACT_REPLACE] = CDN_RENAME, [ACT_EXCHANGE] = CDN_EXCHANGE,
		[ACT_SYMLINK] = CDN_SYMLINK };
	struct cordon_verdict other;
	enum cdn_compound_result r = cdn_decide_compound(session->authority,
	    CORDON_AS_PROCESS, compounds[q->act], cdn_str_of(from),
	    cdn_str_of(to), &q->verdict);

	q->verdict.allowed = r == CDN_COMPOUND_ALLOW;
	q->changes = r == CDN_COMPOUND_SPLIT;
	q->split = q->act != ACT_SYMLINK &&
	    cdn_decide_compound(session->authority, CORDON_AS_PROCESS,
		q->act == ACT_EXCHANGE ? CDN_EXCHANGE : CDN_RENAME_DIR,
		cdn_str_of(from), cdn_str_of(to), &other) !=
		CDN_COMPOUND_ALLOW;
	snprintf(q->real, sizeof(q->real), "%s", q->path);
	if (q->act != ACT_SYMLINK) {
		ask_names(session, q, CORDON_READ, from);
		ask_names(session, q, CORDON_MODIFY, from);
	}
	if (q->act == ACT_EXCHANGE)
		ask_names(session, q, CORDON_READ, to);
	if (q->act == ACT_REPLACE || q->act == ACT_EXCHANGE)
		ask_names(session, q, CORDON_MODIFY, to);
	return true;
}

/* What a rule denies stays denied under a name that comes later. */
static bool
ask_later_name(const struct cordon_session *session, struct tree *tree,
    struct question *q, const char *name)
{
	if (!ask_object(session, q, name))
		return false;
	for (size_t i = 0; i < tree->n && q->verdict.allowed; i++) {
		const struct cdn_question question = {
			.as = CORDON_AS_PROCESS, .op = CORDON_READ,
			.path = cdn_str_of(at("%s", tree->v[i].path)) };

		if (tree_is_same(tree, tree->v[i].path, q->path))
			q->linked = cdn_decide_protects(session->authority,
			    &question, &q->verdict);
	}
	return true;
}

void
question_expect(const struct cordon_session *session, struct tree *tree,
    struct question *q)
{
	const char *path = at("%s", q->path), *other = at("%s", q->other);

	q->real[0] = '\0';
	q->split = q->changes = q->linked = false;
	if (q->act == ACT_LINK || q->act == ACT_RENAME ||
	    q->act == ACT_RENAME_DIR || q->act == ACT_REPLACE ||
	    q->act == ACT_EXCHANGE)
		q->expected = ask_pair(session, q, path, other);
	else if (q->act == ACT_LATER_LINK)
		q->expected = ask_later_name(session, tree, q, other);
	else if (q->act == ACT_SYMLINK)
		q->expected = ask_pair(session, q, path, path);
	else if (q->act == ACT_DELETE && is_link(tree, q->path))
		q->expected = ask_name(session, q, path);
	else
		q->expected = ask_object(session, q, path);
}

/* ----- What is left ------------------------------------------------------- */

void
question_changes(const struct question *q, struct tree *tree,
    struct changes *changes)
{
	bool worked = q->result == 0;

	switch (q->act) {
	case ACT_READ:
	case ACT_LIST:
	case ACT_EXEC:
	case ACT_EXCHANGE:
		return;
	case ACT_WRITE:
	case ACT_TRUNCATE:
	case ACT_CHMOD:
		if (worked)
			changes_add_file(changes, tree, q->real);
		return;
	case ACT_BACK:
		if (q->result != RESULT_NO_SETUP)
			changes_add(changes, '+', q->path);
		return;
	case ACT_BELOW:
		if (q->result != RESULT_NO_SETUP)
			changes_add(changes, '+', q->other);
		return;
	case ACT_LATER_READ:
	case ACT_LATER_WRITE:
		changes_add(changes, '+', q->path);
		return;
	case ACT_LATER_LINK:
		changes_add(changes, '+', q->other);
		return;
	case ACT_LINK:
		if (worked)
			changes_add(changes, '+', q->other);
		return;
	case ACT_REPLACE: /* of one file both names stay */
		if (!worked || tree_is_same(tree, q->path, q->other))
			return;
		changes_add(changes, '-', q->path);
		changes_add(changes, '~', q->other);
		return;
	case ACT_RENAME:
	case ACT_RENAME_DIR:
		if (worked)
			changes_add(changes, '+', q->other);
		__attribute__((fallthrough));
	case ACT_DELETE:
	case ACT_RMDIR:
		if (worked)
			changes_add(changes, '-', q->path);
		return;
	case ACT_REMAKE:
		if (q->result != RESULT_NO_SETUP)
			changes_add(changes, worked ? '~' : '-', q->path);
		return;
	case ACT_RENEW:
		if (q->result == RESULT_HALF)
			changes_add(changes, '-', q->other);
		__attribute__((fallthrough));
	default:
		if (worked)
			changes_add(changes, '+', q->path);
	}
}
