#include "engine/policy/tree.h"

/* The core schema of YAML 1.2; "yes" and "off" are text there, and here. */
static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
static const char *const bools[] = { "true", "True", "TRUE", "false", "False",
	"FALSE" };

static bool
is_plain_word(const struct cdn_tree *node, const char *const *words, size_t n)
{
	if (node->kind != CDN_TREE_SCALAR || !node->plain)
		return false;
	for (size_t i = 0; i < n; i++)
		if (cdn_str_is(node->text, words[i]))
			return true;
	return false;
}

bool
cdn_tree_is_null(const struct cdn_tree *node)
{
	return is_plain_word(node, nulls, CDN_LEN(nulls));
}

bool
cdn_tree_is_bool(const struct cdn_tree *node)
{
	return is_plain_word(node, bools, CDN_LEN(bools));
}

const char *
cdn_tree_describe(const struct cdn_tree *node)
{
	if (node->kind == CDN_TREE_LIST)
		return "a list";
	if (node->kind == CDN_TREE_MAP)
		return "a mapping";
	if (cdn_tree_is_null(node))
		return "null";
	return cdn_tree_is_bool(node) ? "a boolean" : "text";
}

const struct cdn_tree *
cdn_tree_find(const struct cdn_tree *map, cdn_str key)
{
	for (const struct cdn_tree *node = map->first; node != NULL;
	     node = node->next)
		if (cdn_str_eq(node->key, key))
			return node;
	return NULL;
}
