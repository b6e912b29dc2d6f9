/*
 * tree - a file system in memory, for plans.
 *
 *	struct tree t = tree_of("/w/src/a.c /w/.git/ #/etc/shadow @/w/link");
 *
 * Paths are separated by blanks; those above them are directories, and so is
 * one that ends in a slash.  '#' before a path: the run could not read it;
 * '@': it is a symbolic link.  Entries are listed in the order of the text,
 * or backwards.
 */
#ifndef CDN_TESTS_PLAN_TREE_H
#define CDN_TESTS_PLAN_TREE_H

#include "base/buf.h"
#include "engine/plan/plan.h"
#include "support/world.h"

#define TREE_MAX  512
#define TREE_PATH 256

struct tree_node {
	char path[TREE_PATH];
	bool directory, unreadable, link;
};

struct tree {
	struct tree_node v[TREE_MAX];
	size_t n;
	bool backwards;
	const char *broken;	/* a directory that cannot be listed */
	unsigned long listed;	/* entries given out */
	unsigned long lists;	/* directories */
	unsigned long looks;	/* exists() */
	unsigned long many;	/* names made up in... */
	const char *many_in;	/* ... this directory */
};

static inline struct tree_node *
tree_find(struct tree *t, const char *path)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->v[i].path, path) == 0)
			return &t->v[i];
	return NULL;
}

static inline struct tree_node *
tree_put(struct tree *t, const char *path, size_t n, bool directory)
{
	char name[TREE_PATH];
	struct tree_node *node;

	need(n < sizeof(name), "path too long");
	memcpy(name, path, n);
	name[n] = '\0';
	node = tree_find(t, n == 0 ? "/" : name);
	if (node != NULL) {
		node->directory |= directory;
		return node;
	}
	need(t->n < TREE_MAX, "tree too large");
	node = &t->v[t->n++];
	snprintf(node->path, sizeof(node->path), "%s", n == 0 ? "/" : name);
	node->directory = directory;
	return node;
}

static inline void
tree_add(struct tree *t, cdn_str word)
{
	bool unreadable = word.p[0] == '#', link = word.p[0] == '@';
	bool directory;
	struct tree_node *node;

	word = cdn_str_from(word, unreadable || link);
	directory = word.p[word.n - 1] == '/';
	word.n -= directory;
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] == '/')
			tree_put(t, word.p, i, true);
	node = tree_put(t, word.p, word.n, directory);
	node->unreadable = unreadable;
	node->link = link;
}

static inline void
tree_make(struct tree *t, const char *text)
{
	cdn_str rest = cdn_str_of(text), word;

	*t = (struct tree){ 0 };
	tree_put(t, "", 0, true);
	while (rest.n > 0 && cdn_str_next(&rest, ' ', &word))
		if (word.n > 0)
			tree_add(t, word);
}

/* The name of path in dir, or NULL when it does not lie right in it. */
static inline const char *
tree_name(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	if (strncmp(path, dir, n) != 0 || path[n] != '/' ||
	    path[n + 1] == '\0' || strchr(path + n + 1, '/') != NULL)
		return NULL;
	return path + n + 1;
}

static inline int
tree_list_many(struct tree *t, cdn_plan_entry_fn *entry, void *entry_arg)
{
	int code = 0;

	for (unsigned long i = 0; i < t->many && code == 0; i++) {
		char name[32];

		snprintf(name, sizeof(name), "many%06lu", i);
		t->listed++;
		code = entry(name, true, entry_arg);
	}
	return code;
}

static inline int
tree_list(void *arg, const char *dir, cdn_plan_entry_fn *entry,
    void *entry_arg, struct cordon_error *err)
{
	struct tree *t = arg;
	int code = 0;

	t->lists++;
	if (t->broken != NULL && strcmp(t->broken, dir) == 0)
		return cdn_err(err, CORDON_E_SYSTEM, "cannot list '%s'", dir);
	if (t->many_in != NULL && strcmp(t->many_in, dir) == 0)
		code = tree_list_many(t, entry, entry_arg);
	for (size_t i = 0; i < t->n && code == 0; i++) {
		const struct tree_node *node =
		    &t->v[t->backwards ? t->n - 1 - i : i];
		const char *name = tree_name(node->path, dir);

		if (name == NULL || node->link)
			continue;
		t->listed++;
		code = entry(name, node->directory, entry_arg);
	}
	return code;
}

static inline bool
tree_exists(void *arg, const char *path, bool *ret_directory)
{
	struct tree *t = arg;
	const struct tree_node *node = tree_find(t, path);

	t->looks++;
	if (node == NULL || node->link)
		return false;
	*ret_directory = node->directory;
	return true;
}

/* Nor can what lies below a directory that the run cannot enter. */
static inline bool
tree_readable(void *arg, const char *path)
{
	char at[TREE_PATH];
	const struct tree_node *node = tree_find(arg, path);

	if (node == NULL)
		return false;
	snprintf(at, sizeof(at), "%s", path);
	for (char *slash; (slash = strrchr(at, '/')) != NULL; *slash = '\0') {
		node = tree_find(arg, at);
		if (node != NULL && node->unreadable)
			return false;
	}
	return true;
}

static inline struct cdn_plan_reader
tree_reader(struct tree *t)
{
	return (struct cdn_plan_reader){ .list = tree_list,
		.readable = tree_readable, .exists = tree_exists, .arg = t };
}

/* ----- Plans ------------------------------------------------------------- */

static const struct cdn_host tree_host = { .landlock_abi = 7,
	.seccomp_filter = true, .seccomp_notify = true,
	.notify_wait_killable = true };

static inline const struct cdn_plan *
tree_plan(struct tree *t, const struct world *w, const struct cdn_host *host,
    bool broker)
{
	const struct cdn_plan_reader reader = tree_reader(t);
	const struct cdn_plan_input input = { .authority = w->authority,
		.spec = &w->spec, .host = host == NULL ? &tree_host : host,
		.reader = &reader, .has_broker = broker };
	const struct cdn_plan *plan = NULL;
	struct cordon_error err = { 0 };

	if (cdn_plan_build(w->arena, &input, &plan, &err) != 0)
		printf("# %s\n", err.text);
	need(plan != NULL, "plan");
	return plan;
}

/* "/w=open /w/a=mixed-read>fixed": kind, and held where it differs. */
static inline const char *
tree_regions(const struct cdn_plan *plan, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < plan->region_count && at < size; i++) {
		const struct cdn_region *r = &plan->regions[i];

		at += (size_t)snprintf(out + at, size - at, "%s%s=%s%s%s",
		    i > 0 ? " " : "", r->path, cdn_region_kind_name(r->kind),
		    r->held != r->kind ? ">" : "",
		    r->held != r->kind ? cdn_region_kind_name(r->held) : "");
	}
	need(at < size, "too many regions");
	return out;
}

#endif
