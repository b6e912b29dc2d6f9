/*
 * sbpl - reads a Seatbelt profile and answers for it, on any system.
 *
 * Shares nothing with the compiler.  What is assumed of Seatbelt, for there is
 * none here to ask: the last rule that matches decides; "NAME*" is every
 * operation that begins so; a regular expression is searched for, '.' is any
 * byte, and a class that says what it is not eats a whole UTF-8 character; who
 * renames is asked for file-write-unlink of the old name and file-write-create
 * of the new one.
 */
#ifndef CDN_TESTS_SBPL_H
#define CDN_TESTS_SBPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SBPL_NODES 65536
#define SBPL_TEXT  (1 << 20)

/* A list has parts, an atom has text; strings are atoms, too. */
struct sbpl_node {
	const char *text; /* NULL: a list */
	struct sbpl_node *first, *next;
};

struct sbpl {
	struct sbpl_node nodes[SBPL_NODES];
	size_t node_count;
	char text[SBPL_TEXT];
	size_t text_n;
	struct sbpl_node *rules; /* the first */
	const char *at;
	bool broken;
};

/* ----- Reading ----------------------------------------------------------------- */

static inline void
sbpl_keep(struct sbpl *s, char c)
{
	if (s->text_n + 1 >= SBPL_TEXT)
		s->broken = true;
	else
		s->text[s->text_n++] = c;
}

static inline void
sbpl_blank(struct sbpl *s)
{
	while (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')
		s->at++;
	if (*s->at != ';')
		return;
	while (*s->at != '\0' && *s->at != '\n')
		s->at++;
	sbpl_blank(s);
}

static inline void
sbpl_string(struct sbpl *s)
{
	for (s->at++; *s->at != '"' && !s->broken; s->at++) {
		char c = *s->at;

		if (c == '\0') {
			s->broken = true;
			return;
		}
		if (c == '\\') {
			c = *++s->at;
			c = (char)(c == 'n' ? '\n' : c == 'r' ? '\r' :
				c == 't' ? '\t' : c);
		}
		sbpl_keep(s, c);
	}
	s->at++;
}

static inline struct sbpl_node *
sbpl_read(struct sbpl *s)
{
	struct sbpl_node *node, **to;

	sbpl_blank(s);
	if (s->broken || *s->at == '\0' || s->node_count == SBPL_NODES) {
		s->broken = true;
		return NULL;
	}
	node = &s->nodes[s->node_count++];
	*node = (struct sbpl_node){ 0 };
	if (*s->at == '(') {
		s->at++;
		to = &node->first;
		for (sbpl_blank(s); *s->at != ')' && !s->broken; sbpl_blank(s)) {
			*to = sbpl_read(s);
			if (*to == NULL)
				return NULL;
			to = &(*to)->next;
		}
		s->at++;
		return node;
	}
	node->text = s->text + s->text_n;
	if (*s->at == '"')
		sbpl_string(s);
	else
		while (*s->at != '\0' && strchr(" \n\t()", *s->at) == NULL)
			sbpl_keep(s, *s->at++);
	sbpl_keep(s, '\0');
	return node;
}

/* free() it; NULL when it is no profile. */
static inline struct sbpl *
sbpl_parse(const char *text)
{
	struct sbpl *s = malloc(sizeof(*s));
	struct sbpl_node **to;

	if (s == NULL)
		return NULL;
	s->node_count = s->text_n = 0;
	s->broken = false;
	s->rules = NULL;
	s->at = text;
	to = &s->rules;
	for (sbpl_blank(s); *s->at != '\0' && !s->broken; sbpl_blank(s)) {
		*to = sbpl_read(s);
		if (*to != NULL)
			to = &(*to)->next;
	}
	if (s->broken || s->rules == NULL) {
		free(s);
		return NULL;
	}
	return s;
}

/* ----- Regular expressions ---------------------------------------------------------- */

/* Where the piece at p ends: a group (they do not nest), a class, a byte. */
static inline const char *
sbpl_piece_end(const char *p)
{
	if (*p == '\\')
		return p + 2;
	if (*p == '[')
		return strchr(p + 1, ']') + 1;
	return *p == '(' ? strchr(p, ')') + 1 : p + 1;
}

static inline size_t
sbpl_character(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[0] & 0xc0) == 0xc0 &&
	    ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* How many bytes of s the single piece takes; 0: it does not match. */
static inline size_t
sbpl_take(const char *p, const char *s)
{
	if (*s == '\0')
		return 0;
	if (*p == '\\')
		return p[1] == *s;
	if (*p == '.')
		return 1;
	if (*p != '[')
		return *p == *s;
	if (p[1] == '^')
		return p[2] == *s ? 0 : sbpl_character(s);
	for (p++; *p != ']'; p++)
		if (*p == *s)
			return 1;
	return 0;
}

static inline bool
sbpl_regex(const char *p, const char *end, const char *s, const char *more,
    const char *more_end)
{
	const char *after;
	char how;

	if (p == end && more != NULL)
		return sbpl_regex(more, more_end, s, NULL, NULL);
	if (p == end)
		return true;
	if (*p == '$' && p + 1 == end)
		return *s == '\0';
	if (*p == '^')
		return sbpl_regex(p + 1, end, s, more, more_end);
	after = sbpl_piece_end(p);
	how = after < end ? *after : '\0';
	if (*p == '(') /* only (?:...)? is known, and not in another one */
		return sbpl_regex(p + 3, after - 1, s, after + 1, end) ||
		    sbpl_regex(after + 1, end, s, more, more_end);
	if (how == '*') {
		for (;; s += sbpl_take(p, s)) {
			if (sbpl_regex(after + 1, end, s, more, more_end))
				return true;
			if (sbpl_take(p, s) == 0)
				return false;
		}
	}
	return sbpl_take(p, s) > 0 &&
	    sbpl_regex(after, end, s + sbpl_take(p, s), more, more_end);
}

/* ----- Asking ------------------------------------------------------------------------ */

static inline bool
sbpl_below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

static inline bool sbpl_matches(const struct sbpl_node *filter,
    const char *path);

static inline bool
sbpl_list(const struct sbpl_node *list, const char *path, bool all)
{
	for (; list != NULL; list = list->next)
		if (sbpl_matches(list, path) != all)
			return !all;
	return all;
}

static inline bool
sbpl_matches(const struct sbpl_node *filter, const char *path)
{
	const struct sbpl_node *word = filter->first, *arg = word->next;

	if (strcmp(word->text, "literal") == 0)
		return strcmp(arg->text, path) == 0;
	if (strcmp(word->text, "subpath") == 0)
		return sbpl_below(path, arg->text);
	if (strcmp(word->text, "regex") == 0)
		return sbpl_regex(arg->text, arg->text + strlen(arg->text),
		    path, NULL, NULL);
	if (strcmp(word->text, "require-not") == 0)
		return !sbpl_matches(arg, path);
	if (strcmp(word->text, "require-all") == 0)
		return sbpl_list(arg, path, true);
	if (strcmp(word->text, "require-any") == 0)
		return sbpl_list(arg, path, false);
	printf("# a filter nobody knows: %s\n", word->text);
	abort();
}

static inline bool
sbpl_names(const char *rule, const char *operation)
{
	size_t n = strlen(rule);

	if (strcmp(rule, "default") == 0)
		return true;
	if (n > 0 && rule[n - 1] == '*')
		return strncmp(rule, operation, n - 1) == 0;
	return strcmp(rule, operation) == 0;
}

static inline bool
sbpl_allows(const struct sbpl *s, const char *operation, const char *path)
{
	bool allowed = false;

	for (const struct sbpl_node *rule = s->rules; rule != NULL;
	     rule = rule->next) {
		const struct sbpl_node *word = rule->first, *op = word->next;

		if ((strcmp(word->text, "allow") == 0 ||
			strcmp(word->text, "deny") == 0) &&
		    sbpl_names(op->text, operation) &&
		    (op->next == NULL || sbpl_list(op->next, path, false)))
			allowed = word->text[0] == 'a';
	}
	return allowed;
}

#endif
