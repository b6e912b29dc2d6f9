/*
 * list_files, glob
 */
#include "enforce/tool/walk.h"

#include "engine/match/normalize.h"
#include "engine/match/pattern.h"

enum { LIST_PATH, LIST_PATTERN, LIST_LIMIT, LIST_AFTER };
enum { GLOB_PATTERN, GLOB_PATH, GLOB_LIMIT, GLOB_AFTER };

#define LIMIT_DEFAULT 1000

struct listing {
	bool filtered;
	struct cdn_pattern pattern;
	size_t count;
	size_t limit;
};

int
cdn_tool_pattern(struct cdn_tool_call *call, const char *argument,
    cdn_str text, struct cdn_pattern *ret)
{
	char *normal = cdn_arena_alloc(call->arena, text.n + 1);
	size_t n = 0;
	int code;

	if (normal == NULL)
		return cdn_tool_nomem(call);
	code = cdn_rule_normalize(text, false, normal, text.n + 1, &n,
	    &call->err);
	if (code == 0)
		code = cdn_pattern_parse(call->arena, (cdn_str){ normal, n },
		    0, ret, &call->err);
	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(call);
	return code == 0 ? 0 : cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
	    "argument '%s': %s", argument, call->err.text);
}

static const char *
type_of(const struct cdn_child *child)
{
	return S_ISREG(child->mode) ? "file" :
	    S_ISDIR(child->mode)    ? "directory" :
	    S_ISLNK(child->mode)    ? "link" :
				      "other";
}

static int
put_entry(struct cdn_tool_walk *walk, const struct cdn_tool_entry *entry)
{
	struct cdn_json_writer *w = walk->call->result;
	struct listing *list = walk->arg;

	if (list->filtered && !cdn_pattern_match(&list->pattern,
		entry->relative))
		return 0;
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "path");
	cdn_json_put_string(w, entry->shown);
	cdn_json_put_key(w, "type");
	cdn_json_put_cstring(w, type_of(entry->child));
	cdn_json_put_key(w, "size");
	if (S_ISREG(entry->child->mode))
		cdn_json_put_uint(w, entry->child->size);
	else
		cdn_json_put_null(w);
	cdn_json_close(w);
	return ++list->count < list->limit ? 0 : CDN_TOOL_STOP;
}

static int
list(struct cdn_tool_walk *walk, const struct cdn_tool_value *pattern,
    const struct cdn_tool_value *limit)
{
	struct listing *listing = walk->arg;
	int code = 0;

	listing->filtered = pattern->given;
	listing->limit = limit->given ? (size_t)limit->number : LIMIT_DEFAULT;
	if (pattern->given)
		code = cdn_tool_pattern(walk->call, "pattern", pattern->text,
		    &listing->pattern);
	if (code != 0)
		return code;
	cdn_json_put_key(walk->call->result, "entries");
	cdn_json_open(walk->call->result, '[');
	code = cdn_tool_walk_run(walk);
	if (code != 0)
		return code;
	cdn_json_close(walk->call->result);
	cdn_tool_walk_put_next(walk);
	return 0;
}

int
cdn_tool_list_files(struct cdn_tool_call *call)
{
	struct listing listing = { 0 };
	struct cdn_tool_walk walk = {
		.call = call,
		.each = put_entry,
		.arg = &listing,
		.path = call->v[LIST_PATH].text,
		.has_path = call->v[LIST_PATH].given,
		.after = call->v[LIST_AFTER].text,
	};

	return list(&walk, &call->v[LIST_PATTERN], &call->v[LIST_LIMIT]);
}

int
cdn_tool_glob(struct cdn_tool_call *call)
{
	struct listing listing = { 0 };
	struct cdn_tool_walk walk = {
		.call = call,
		.each = put_entry,
		.arg = &listing,
		.path = call->v[GLOB_PATH].text,
		.has_path = call->v[GLOB_PATH].given,
		.after = call->v[GLOB_AFTER].text,
		.recursive = true,
	};

	return list(&walk, &call->v[GLOB_PATTERN], &call->v[GLOB_LIMIT]);
}
