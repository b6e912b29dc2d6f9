#include "engine/wrap/servers.h"

#include "base/json.h"
#include "engine/wrap/jsonc.h"

/* What a node was read as. */
enum known { UNKNOWN, LIST, SERVER };

struct reader {
	struct cdn_json json; /* of the text without comments */
	uint8_t *known;	      /* enum known, of each node */
	struct cdn_arena *arena;
	struct cdn_wrap_servers *servers;
	struct cordon_error *err;
};

static int
bad(const struct reader *r, const struct cdn_json_node *at, const char *what)
{
	return cdn_wrap_bad(r->json.text, at->start, what, r->err);
}

static void
know(const struct reader *r, const struct cdn_json_node *node, enum known as)
{
	r->known[node - r->json.nodes] = (uint8_t)as;
}

static struct cdn_wrap_member
member_of(const struct cdn_json_node *node)
{
	return (struct cdn_wrap_member){ .is_there = true,
		.key = node->key_start, .prefix = CDN_STR(""),
		.start = node->start, .end = node->end };
}

static int
read_words(const struct reader *r, const struct cdn_json_node *args,
    struct cdn_wrap_server *server)
{
	const struct cdn_json_node *word = cdn_json_first(&r->json, args);

	if (args->type != CDN_JSON_ARRAY)
		return bad(r, args, "'args' is no list");
	server->args = member_of(args);
	server->words = cdn_arena_array(r->arena, (size_t)args->count + 1,
	    sizeof(*server->words));
	if (server->words == NULL)
		return cdn_err_nomem(r->err);
	for (; word != NULL; word = cdn_json_next(&r->json, word)) {
		struct cdn_wrap_string *to = &server->words[server->n++];

		if (word->type != CDN_JSON_STRING)
			return bad(r, word, "an argument is no string");
		*to = (struct cdn_wrap_string){ .start = word->start,
			.end = word->end };
		if (!cdn_json_string(&r->json, word, r->arena, &to->text))
			return cdn_err_nomem(r->err);
	}
	return 0;
}

static int
read_command(const struct reader *r, const struct cdn_json_node *command,
    struct cdn_wrap_server *server)
{
	if (command->type != CDN_JSON_STRING)
		return bad(r, command, "'command' is no string");
	server->command = member_of(command);
	if (!cdn_json_string(&r->json, command, r->arena, &server->program))
		return cdn_err_nomem(r->err);
	return 0;
}

/* null is as if it were not there. */
static const struct cdn_json_node *
find(const struct reader *r, const struct cdn_json_node *node, const char *key)
{
	const struct cdn_json_node *found = cdn_json_find(&r->json, node, key);

	return found == NULL || found->type == CDN_JSON_NULL ? NULL : found;
}

static int
read_variables(const struct reader *r, const struct cdn_json_node *env,
    struct cdn_wrap_server *server)
{
	const struct cdn_json_node *one = cdn_json_first(&r->json, env);
	cdn_str name;
	int code = 0;

	for (; code == 0 && one != NULL; one = cdn_json_next(&r->json, one)) {
		if (!cdn_json_key(&r->json, one, r->arena, &name))
			return cdn_err_nomem(r->err);
		code = cdn_wrap_variable(server, name, r->arena, r->err);
	}
	return code;
}

static int
read_settings(const struct reader *r, const struct cdn_json_node *node,
    struct cdn_wrap_server *server)
{
	const struct cdn_json_node *one = cdn_json_first(&r->json, node);
	cdn_str key;
	int code = 0;

	for (; code == 0 && one != NULL; one = cdn_json_next(&r->json, one)) {
		bool is_map = one->type == CDN_JSON_OBJECT;

		if (!cdn_json_key(&r->json, one, r->arena, &key))
			return cdn_err_nomem(r->err);
		if (one->type == CDN_JSON_NULL)
			continue;
		code = cdn_wrap_setting(server, key, is_map, r->arena, r->err);
		if (code == 0 && is_map && cdn_wrap_is_env(key))
			code = read_variables(r, one, server);
	}
	return code;
}

static int
read_server(const struct reader *r, const struct cdn_json_node *node,
    cdn_str name)
{
	const struct cdn_json_node *command = cdn_json_find(&r->json, node,
	    "command");
	const struct cdn_json_node *args = cdn_json_find(&r->json, node, "args");
	const struct cdn_json_node *type = find(r, node, "type");
	struct cdn_wrap_server *server;
	int code;

	if (node->type != CDN_JSON_OBJECT)
		return bad(r, node, "this is no server");
	server = cdn_wrap_add(r->servers, name, r->arena);
	if (server == NULL)
		return cdn_err_nomem(r->err);
	know(r, node, SERVER);
	server->remote = find(r, node, "url") != NULL ||
	    find(r, node, "httpUrl") != NULL;
	server->other_type = type != NULL &&
	    !cdn_json_is(&r->json, type, CDN_STR("stdio"));
	code = read_settings(r, node, server);
	if (code == 0 && command != NULL)
		code = read_command(r, command, server);
	if (code == 0 && command != NULL && args != NULL)
		code = read_words(r, args, server);
	return code;
}

/* where: the name of what they are in, or NULL. */
static int
read_servers(const struct reader *r, const struct cdn_json_node *list,
    const cdn_str *where)
{
	const struct cdn_json_node *node;
	cdn_str name;
	char *text;
	int code = 0;

	if (list == NULL)
		return 0;
	if (list->type != CDN_JSON_OBJECT)
		return bad(r, list, "servers stand in an object");
	r->servers->found = true;
	know(r, list, LIST);
	for (node = cdn_json_first(&r->json, list); code == 0 && node != NULL;
	     node = cdn_json_next(&r->json, node)) {
		if (!cdn_json_key(&r->json, node, r->arena, &name))
			return cdn_err_nomem(r->err);
		if (where != NULL) {
			text = cdn_arena_printf(r->arena, "%.*s: %.*s",
			    CDN_STR_ARG(*where), CDN_STR_ARG(name));
			if (text == NULL)
				return cdn_err_nomem(r->err);
			name = cdn_str_of(text);
		}
		code = read_server(r, node, name);
	}
	return code;
}

/* ----- opencode ------------------------------------------------------------ */

/* "command": ["node", "server.js"] */
static int
read_listed(const struct reader *r, const struct cdn_json_node *command,
    struct cdn_wrap_server *server)
{
	int code = read_words(r, command, server);

	if (code != 0)
		return code;
	if (server->n == 0)
		return bad(r, command, "'command' is an empty list");
	server->listed = true;
	server->program = server->words[0].text;
	server->command = (struct cdn_wrap_member){ .is_there = true,
		.prefix = CDN_STR(""), .start = server->words[0].start,
		.end = server->words[0].end };
	server->words++;
	server->n--;
	return 0;
}

/* {"mcp":{"fs":{"type":"local", or remote; others are not looked at here. */
static int
read_typed(const struct reader *r, const struct cdn_json_node *node)
{
	const struct cdn_json_node *type = find(r, node, "type");
	const struct cdn_json_node *command = find(r, node, "command");
	struct cdn_wrap_server *server;
	cdn_str name;
	int code;

	if (node->type != CDN_JSON_OBJECT || type == NULL ||
	    (!cdn_json_is(&r->json, type, CDN_STR("local")) &&
	    !cdn_json_is(&r->json, type, CDN_STR("remote"))) ||
	    (command != NULL && command->type != CDN_JSON_ARRAY))
		return 0;
	if (!cdn_json_key(&r->json, node, r->arena, &name))
		return cdn_err_nomem(r->err);
	server = cdn_wrap_add(r->servers, name, r->arena);
	if (server == NULL)
		return cdn_err_nomem(r->err);
	know(r, node, SERVER);
	r->servers->found = true;
	server->remote = find(r, node, "url") != NULL;
	code = read_settings(r, node, server);
	return code != 0 || command == NULL ? code :
	    read_listed(r, command, server);
}

static int
read_opencode(const struct reader *r, const struct cdn_json_node *mcp)
{
	const struct cdn_json_node *node = cdn_json_first(&r->json, mcp);
	int code = 0;

	if (mcp->type != CDN_JSON_OBJECT)
		return 0;
	for (; node != NULL && code == 0; node = cdn_json_next(&r->json, node))
		code = read_typed(r, node);
	return code;
}

/* ----- Projects ------------------------------------------------------------ */

/* A person's servers for single projects: {"projects":{"/p":{"mcpServers": */
static int
read_projects(const struct reader *r)
{
	const struct cdn_json_node *project = cdn_json_find(&r->json,
	    &r->json.nodes[0], "projects");
	cdn_str name;
	int code = 0;

	project = project == NULL ? NULL : cdn_json_first(&r->json, project);
	for (; code == 0 && project != NULL;
	     project = cdn_json_next(&r->json, project)) {
		const struct cdn_json_node *list = cdn_json_find(&r->json,
		    project, "mcpServers");

		if (list == NULL)
			continue;
		if (!cdn_json_key(&r->json, project, r->arena, &name))
			return cdn_err_nomem(r->err);
		code = read_servers(r, list, &name);
	}
	return code;
}

/* ----- Elsewhere ---------------------------------------------------------------- */

struct walk {
	const struct reader *r;
	cdn_str path[CDN_RPC_DEPTH_MAX + 1];
	size_t n;
};

static int walk(struct walk *w, const struct cdn_json_node *node, bool place);

static int
walk_child(struct walk *w, const struct cdn_json_node *parent,
    const struct cdn_json_node *node, bool place)
{
	const struct reader *r = w->r;
	cdn_str key = CDN_STR("[]");
	int code = 0;

	if (parent->type == CDN_JSON_OBJECT &&
	    !cdn_json_key(&r->json, node, r->arena, &key))
		return cdn_err_nomem(r->err);
	/* Names and values of its own. */
	if (r->known[parent - r->json.nodes] == SERVER &&
	    (cdn_str_is(key, "env") || cdn_str_is(key, "environment")))
		return 0;
	place |= cdn_wrap_is_place(key);
	w->path[w->n++] = key;
	if (place && r->known[node - r->json.nodes] == UNKNOWN &&
	    find(r, node, "command") != NULL)
		code = cdn_wrap_stray(r->servers, w->path, w->n, r->arena,
		    r->err);
	if (code == 0)
		code = walk(w, node, place);
	w->n--;
	return code;
}

/* What looks like a server and was not read as one; as deep as JSON may be. */
static int
walk(struct walk *w, const struct cdn_json_node *node, bool place)
{
	const struct cdn_json *json = &w->r->json;
	const struct cdn_json_node *child = cdn_json_first(json, node);
	int code = 0;

	for (; code == 0 && child != NULL; child = cdn_json_next(json, child))
		code = walk_child(w, node, child, place);
	return code;
}

/* ----- All of it ---------------------------------------------------------------- */

static int
read_places(const struct reader *r)
{
	const struct cdn_json_node *root = &r->json.nodes[0];
	const struct cdn_json_node *mcp = cdn_json_find(&r->json, root, "mcp");
	struct walk w = { .r = r };
	int code = read_servers(r, cdn_json_find(&r->json, root, "mcpServers"),
	    NULL);

	if (code == 0)
		code = read_servers(r, cdn_json_find(&r->json, root,
		    "servers"), NULL);
	if (code == 0 && mcp != NULL)
		code = read_servers(r, cdn_json_find(&r->json, mcp, "servers"),
		    NULL);
	if (code == 0 && mcp != NULL)
		code = read_opencode(r, mcp);
	if (code == 0)
		code = read_projects(r);
	return code != 0 ? code : walk(&w, root, false);
}

int
cdn_wrap_read_json(cdn_str text, struct cdn_arena *arena,
    struct cdn_wrap_servers *ret, struct cordon_error *err)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_WRAP_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	struct reader r = { .arena = arena, .servers = ret, .err = err };
	cdn_str blank;
	int code;

	if (!cdn_jsonc_blank(text, arena, &blank))
		return cdn_err_nomem(err);
	code = cdn_json_parse(blank, &options, arena, &r.json, err);
	if (code != 0)
		return code;
	r.known = cdn_arena_alloc(arena, r.json.count);
	return r.known == NULL ? cdn_err_nomem(err) : read_places(&r);
}
