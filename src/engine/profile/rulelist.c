#include "engine/profile/rulelist.h"

bool
cdn_rule_list_stopped(const struct cdn_rule_list *list)
{
	return list->failed || list->rules.n > CDN_RULES_MAX;
}

void
cdn_rule_list_add(struct cdn_rule_list *list, struct cdn_rule rule)
{
	struct cdn_rule *v;

	if (cdn_rule_list_stopped(list))
		return;
	v = cdn_arena_grow(list->arena, list->rules.v, list->rules.n,
	    &list->capacity, sizeof(*v));
	if (v == NULL) {
		list->failed = true;
		return;
	}
	list->rules.v = v;
	list->rules.v[list->rules.n++] = rule;
}

void
cdn_rule_list_add_all(struct cdn_rule_list *list,
    const struct cdn_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		cdn_rule_list_add(list, rules->v[i]);
}
