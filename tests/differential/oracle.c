/*
 * The rules once more, as slow as it likes: documents one after the other, in
 * each the last rule that matches; all of them must allow, and what may not be
 * read may not be modified or executed either.  It shares nothing with the
 * library.
 */
#include "differential.h"

#include <ctype.h>

#include "support/naive_glob.h"

/* "./a//b/." is "a/b". */
static void
normalize(const char *rule, char *out)
{
	size_t n = 0;

	while (*rule != '\0') {
		size_t part = strcspn(rule, "/");

		if (part > 0 && !(part == 1 && rule[0] == '.')) {
			if (n > 0)
				out[n++] = '/';
			memcpy(out + n, rule, part);
			n += part;
		}
		rule += part + (rule[part] == '/');
	}
	if (n == 0)
		out[n++] = '.';
	out[n] = '\0';
}

static void
lower(char *text)
{
	for (; *text != '\0'; text++)
		*text = (char)tolower((unsigned char)*text);
}

static bool
matches(const char *rule, const char *path, bool fold)
{
	char pattern[RULE_SIZE], name[PATH_SIZE];

	normalize(rule, pattern);
	snprintf(name, sizeof(name), "%s", path);
	if (fold) {
		lower(pattern);
		lower(name);
	}
	return naive_glob(pattern, strlen(pattern), 0, name, strlen(name));
}

struct walk {
	const char *path;
	bool fold;
	bool positive; /* there was a rule that gives */
	bool matched;
	bool allowed;
};

static void
go_through(struct walk *w, const struct rules *rules, bool denies)
{
	for (size_t i = 0; i < rules->n; i++) {
		const char *rule = rules->v[i];
		bool negated = rule[0] == '!';

		w->positive |= !negated && !denies;
		if (!matches(rule + negated, w->path, w->fold))
			continue;
		w->matched = true;
		w->allowed = !negated && !denies;
	}
}

static struct walk
go_through_document(const struct document *d, size_t op, const char *path,
    bool fold)
{
	struct walk w = { .path = path, .fold = fold };

	if (op == RULE_EXEC && !d->has_exec) {
		go_through(&w, &d->own[RULE_READ], false);
		go_through(&w, &d->deny[RULE_READ], true);
	} else {
		go_through(&w, &d->own[op], false);
	}
	go_through(&w, &d->deny[op], true);
	return w;
}

static bool
document_allows(const struct document *d, size_t op, const char *path,
    bool fold)
{
	struct walk w = go_through_document(d, op, path, fold);

	return w.positive && w.allowed;
}

static bool
documents_allow(const struct draft *draft, size_t op, const char *path,
    bool fold)
{
	for (size_t i = 0; i < draft_documents(draft); i++)
		if (!document_allows(&draft->documents[i], op, path, fold))
			return false;
	return true;
}

static bool
begins(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

/* Its roots alone; of what leads to them, not even the names. */
static bool
worker_allows(const struct draft *draft, size_t op, const char *path,
    bool fold)
{
	char lower[PATH_SIZE];
	size_t n = 0;

	for (; path[n] != '\0' && n < sizeof(lower) - 1; n++)
		lower[n] = (char)(fold ? tolower((unsigned char)path[n]) :
					 path[n]);
	lower[n] = '\0';
	switch (draft->worker) {
	case WORKER_FIXED:
		return op != RULE_MODIFY;
	case WORKER_PARTS:
		return begins(lower, "w/a") ||
		    (begins(lower, "w/b") && op != RULE_MODIFY);
	default:
		return true;
	}
}

/* ----- Outside of the workspace ------------------------------------------- */

static enum oracle
outside(const struct draft *draft, size_t op, const char *path)
{
	const struct document *d = &draft->documents[0];
	bool one = draft_documents(draft) == 1;
	bool read = (begins(path, "in") &&
			(draft->read_in || (one && d->host_in))) ||
	    (begins(path, "home/pub") && one && d->host_in);
	bool write = begins(path, "out") &&
	    (draft->write_out || (one && d->host_out));

	if (begins(path, "home/.ssh"))
		return ORACLE_DENY;
	if (draft->worker != WORKER_NONE)
		return ORACLE_NOT_SURE;
	if (draft->preset == CORDON_PRESET_PROTECT ||
	    draft_documents(draft) == 2)
		return ORACLE_NOT_SURE;
	return write || (read && op != RULE_MODIFY) ? ORACLE_ALLOW :
						      ORACLE_DENY;
}

/* A deny that names a link is about what that leads to, as well. */
static bool
names_link(const struct draft *draft)
{
	for (size_t i = 0; i < draft_documents(draft); i++)
		for (size_t op = 0; op < RULE_KINDS; op++) {
			const struct document *d = &draft->documents[i];

			for (size_t k = 0; k < d->own[op].n; k++)
				if (strstr(d->own[op].v[k], "a/link") != NULL)
					return true;
			for (size_t k = 0; k < d->deny[op].n; k++)
				if (strstr(d->deny[op].v[k], "a/link") != NULL)
					return true;
		}
	return false;
}

enum oracle
oracle_ask(const struct draft *draft, size_t op, const char *path, bool fold)
{
	const char *inside = path[1] == '/' ? path + 2 : "";

	if (!begins(path, "w"))
		return outside(draft, op, path);
	if (draft->source == SOURCE_NONE || (names_link(draft) && !fold))
		return ORACLE_NOT_SURE;
	if (draft->source == SOURCE_PROJECT && op == RULE_MODIFY && !fold &&
	    begins(path, "w/.cordon"))
		return ORACLE_NOT_SURE; /* a document that is in use */
	return worker_allows(draft, op, path, fold) &&
		documents_allow(draft, RULE_READ, inside, fold) &&
		documents_allow(draft, op, inside, fold) ?
	    ORACLE_ALLOW :
	    ORACLE_DENY;
}

/* ----- Several names ------------------------------------------------------ */

/* A rule takes it away, or the floor; that none gives it protects nothing. */
static bool
is_taken(const struct draft *draft, size_t op, const char *path)
{
	if (begins(path, "home/.ssh"))
		return true;
	if (!begins(path, "w"))
		return false;
	for (size_t i = 0; i < draft_documents(draft); i++) {
		struct walk w = go_through_document(&draft->documents[i], op,
		    path + 2, false);

		if (w.matched && !w.allowed)
			return true;
	}
	return false;
}

enum oracle
oracle_ask_file(const struct draft *draft, struct tree *tree, size_t op,
    const char *path)
{
	enum oracle says = oracle_ask(draft, op, path, false);

	for (size_t i = 0; i < tree->n && says == ORACLE_ALLOW; i++) {
		const char *name = tree->v[i].path;

		if (strcmp(name, path) != 0 &&
		    tree_is_same(tree, path, name) &&
		    (is_taken(draft, RULE_READ, name) ||
			is_taken(draft, op, name)))
			says = ORACLE_DENY;
	}
	return says;
}
