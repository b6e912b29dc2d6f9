/*
 * network_option - the value of --network: a word, or HOST[:PORT],...
 */
#include "enforce/session/placelist.h"

#include "engine/match/endpoint.h"

static const char command_source[] = "<command line>";

static const struct {
	const char *word;
	enum cdn_network_mode mode;
} network_words[] = {
	{ "none", CDN_NETWORK_NONE },
	{ "loopback", CDN_NETWORK_LOOPBACK },
	{ "full", CDN_NETWORK_FULL },
};

static int
parse_endpoint(struct cdn_arena *arena, cdn_str part, struct cdn_rule *ret,
    struct cordon_error *err)
{
	char normal[CDN_ENDPOINT_MAX];
	size_t len;
	int code;

	ret->negated = part.n > 0 && part.p[0] == '!';
	code = cdn_endpoint_normalize(cdn_str_from(part, ret->negated),
	    CDN_ENDPOINT_RULE, normal, sizeof(normal), &len, err);
	if (code != 0)
		return cdn_err_context(err, code, "--network");
	if (!cdn_arena_str(arena, part, &ret->text) ||
	    !cdn_arena_str(arena, (cdn_str){ normal, len }, &ret->pattern))
		return cdn_err_nomem(err);
	ret->pos.source = command_source;
	return 0;
}

static int
parse_endpoints(struct cdn_arena *arena, const char *text,
    struct cdn_rules *ret, struct cordon_error *err)
{
	cdn_str rest = cdn_str_of(text), part;
	size_t capacity = 0;

	while (cdn_str_next(&rest, ',', &part)) {
		int code;

		ret->v = cdn_arena_grow(arena, ret->v, ret->n, &capacity,
		    sizeof(*ret->v));
		if (ret->v == NULL)
			return cdn_err_nomem(err);
		code = parse_endpoint(arena, part, &ret->v[ret->n], err);
		if (code != 0)
			return code;
		ret->n++;
	}
	return 0;
}

static enum cdn_network_mode
mode_of(const char *text)
{
	for (size_t i = 0; i < CDN_LEN(network_words); i++)
		if (strcmp(text, network_words[i].word) == 0)
			return network_words[i].mode;
	return CDN_NETWORK_LIST;
}

int
cdn_network_option(struct cdn_arena *arena, const char *text,
    struct cdn_network_set **ret, struct cordon_error *err)
{
	struct cdn_network_set *set = cdn_arena_alloc(arena, sizeof(*set));
	struct cdn_rules rules = { 0 };
	int code;

	if (set == NULL)
		return cdn_err_nomem(err);
	set->mode = mode_of(text);
	set->mode_rule = cdn_network_rule(set->mode,
	    (struct cdn_pos){ .source = command_source });
	if (set->mode != CDN_NETWORK_LIST) {
		*ret = set;
		return 0;
	}
	code = parse_endpoints(arena, text, &rules, err);
	if (code == 0)
		code = cdn_rule_set_build(arena, rules, false, &set->list,
		    err);
	if (code == 0)
		*ret = set;
	return code;
}
