/*
 * policy_equal - do two policies say the same?
 *
 * Field by field, without the printer that is under test, and without
 * positions: those move when a policy is printed and read again.
 */
#ifndef CDN_TESTS_POLICY_EQUAL_H
#define CDN_TESTS_POLICY_EQUAL_H

#include "engine/policy/policy.h"
#include "engine/policy/tree.h"

static inline bool
same_rules(const struct cdn_rules *a, const struct cdn_rules *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].negated != b->v[i].negated ||
		    !cdn_str_eq(a->v[i].text, b->v[i].text) ||
		    !cdn_str_eq(a->v[i].pattern, b->v[i].pattern))
			return false;
	return true;
}

static inline bool
same_roots(const struct cdn_roots *a, const struct cdn_roots *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!cdn_str_eq(a->v[i].text, b->v[i].text))
			return false;
	return true;
}

static inline bool
same_texts(const struct cdn_texts *a, const struct cdn_texts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!cdn_str_eq(a->v[i].text, b->v[i].text))
			return false;
	return true;
}

static inline bool
same_maybe(cdn_str a, cdn_str b)
{
	return (a.p == NULL) == (b.p == NULL) && cdn_str_eq(a, b);
}

static inline bool
same_tree(const struct cdn_tree *a, const struct cdn_tree *b)
{
	const struct cdn_tree *x, *y;

	if (a == NULL || b == NULL)
		return a == b;
	if (a->kind != b->kind || a->count != b->count ||
	    !cdn_str_eq(a->key, b->key) || !cdn_str_eq(a->text, b->text) ||
	    cdn_tree_is_null(a) != cdn_tree_is_null(b) ||
	    cdn_tree_is_bool(a) != cdn_tree_is_bool(b))
		return false;
	for (x = a->first, y = b->first; x != NULL && y != NULL;
	     x = x->next, y = y->next)
		if (!same_tree(x, y))
			return false;
	return x == NULL && y == NULL;
}

static inline bool
same_profile(const struct cdn_profile_def *a, const struct cdn_profile_def *b)
{
	for (int op = 0; op < CDN_RULE_OPS; op++)
		if (!same_rules(&a->rules[op], &b->rules[op]))
			return false;
	return cdn_str_eq(a->name, b->name) && a->has_exec == b->has_exec &&
	    same_roots(&a->host_read, &b->host_read) &&
	    same_roots(&a->host_modify, &b->host_modify) &&
	    same_roots(&a->sockets, &b->sockets) &&
	    a->network.mode == b->network.mode &&
	    same_rules(&a->network.rules, &b->network.rules) &&
	    memcmp(&a->limits, &b->limits, sizeof(a->limits)) == 0;
}

static inline bool
same_mcp(const struct cordon_policy *a, const struct cordon_policy *b)
{
	if (a->mcp_count != b->mcp_count)
		return false;
	for (size_t i = 0; i < a->mcp_count; i++)
		if (!cdn_str_eq(a->mcp[i].tool, b->mcp[i].tool) ||
		    !cdn_str_eq(a->mcp[i].field, b->mcp[i].field) ||
		    a->mcp[i].is_path != b->mcp[i].is_path)
			return false;
	return true;
}

static inline bool
same_policy(const struct cordon_policy *a, const struct cordon_policy *b)
{
	for (int op = 0; op < CDN_RULE_OPS; op++)
		if (!same_rules(&a->deny[op], &b->deny[op]))
			return false;
	if (a->profile_count != b->profile_count)
		return false;
	for (size_t i = 0; i < a->profile_count; i++)
		if (!same_profile(&a->profiles[i], &b->profiles[i]))
			return false;
	return cdn_str_eq(a->name, b->name) &&
	    same_maybe(a->description, b->description) &&
	    same_maybe(a->created_at, b->created_at) &&
	    same_maybe(a->updated_at, b->updated_at) &&
	    same_tree(a->labels, b->labels) &&
	    same_tree(a->annotations, b->annotations) &&
	    same_roots(&a->protect, &b->protect) &&
	    same_roots(&a->runtime_write_roots, &b->runtime_write_roots) &&
	    same_texts(&a->env.pass, &b->env.pass) &&
	    a->env.has_pass == b->env.has_pass &&
	    same_texts(&a->env.drop, &b->env.drop) &&
	    same_texts(&a->env.set_names, &b->env.set_names) &&
	    same_texts(&a->env.set_values, &b->env.set_values) &&
	    same_texts(&a->sealed, &b->sealed) &&
	    a->enforcement == b->enforcement && a->isolation == b->isolation &&
	    a->audit_set == b->audit_set && a->audit_warn == b->audit_warn &&
	    same_mcp(a, b);
}

#endif
