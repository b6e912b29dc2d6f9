#include "engine/wrap/servers.h"

#include "engine/wrap/toml.h"

#define TABLE "mcp_servers"

struct list {
	cdn_str text;
	struct cdn_arena *arena;
	struct cdn_wrap_servers *servers;
};

static int
bad(const struct list *list, size_t at, const char *what,
    struct cordon_error *err)
{
	return cdn_wrap_bad(list->text, at, what, err);
}

static struct cdn_wrap_server *
server_of(const struct list *list, cdn_str name)
{
	for (size_t i = 0; i < list->servers->n; i++)
		if (!list->servers->v[i].stray &&
		    cdn_str_eq(list->servers->v[i].name, name))
			return &list->servers->v[i];
	return cdn_wrap_add(list->servers, name, list->arena);
}

static struct cdn_wrap_member
member_of(const struct list *list, const struct cdn_toml_entry *entry)
{
	return (struct cdn_wrap_member){ .is_there = true, .key = entry->key,
		.prefix = { list->text.p + entry->key,
		    entry->last - entry->key },
		.start = entry->value.start, .end = entry->value.end };
}

static int
read_words(const struct list *list, const struct cdn_toml_entry *entry,
    struct cdn_wrap_server *server, struct cordon_error *err)
{
	const struct cdn_toml_value *value = &entry->value;

	if (value->type != CDN_TOML_ARRAY)
		return bad(list, entry->key, "'args' is no list", err);
	server->args = member_of(list, entry);
	server->words = cdn_arena_array(list->arena, value->n + 1,
	    sizeof(*server->words));
	if (server->words == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < value->n; i++) {
		if (value->items[i].type != CDN_TOML_STRING)
			return bad(list, value->items[i].start,
			    "an argument is no string", err);
		server->words[server->n++] = (struct cdn_wrap_string){
			.start = value->items[i].start,
			.end = value->items[i].end,
			.text = value->items[i].text };
	}
	return 0;
}

/* mcp_servers.NAME.cwd, mcp_servers.NAME.env.VARIABLE */
static int
read_setting(const struct list *list, const struct cdn_toml_entry *entry,
    struct cdn_wrap_server *server, struct cordon_error *err)
{
	bool is_map = entry->n > 3 || entry->value.type == CDN_TOML_TABLE;
	int code = cdn_wrap_setting(server, entry->path[2], is_map,
	    list->arena, err);

	if (code == 0 && entry->n > 3 && cdn_wrap_is_env(entry->path[2]))
		code = cdn_wrap_variable(server, entry->path[3], list->arena,
		    err);
	return code;
}

/* mcp_servers.NAME.MEMBER = ... */
static int
read_member(const struct list *list, const struct cdn_toml_entry *entry,
    struct cdn_wrap_server *server, struct cordon_error *err)
{
	bool command = cdn_str_is(entry->path[2], "command");
	bool args = cdn_str_is(entry->path[2], "args");

	if (cdn_str_is(entry->path[2], "url"))
		server->remote = true;
	if (!command && !args)
		return read_setting(list, entry, server, err);
	if (entry->n > 3 || (command ? server->command.is_there :
				       server->args.is_there))
		return bad(list, entry->key, "this stands here twice, or is no "
		    "simple key", err);
	if (args)
		return read_words(list, entry, server, err);
	if (entry->value.type != CDN_TOML_STRING)
		return bad(list, entry->key, "'command' is no string", err);
	server->command = member_of(list, entry);
	server->program = entry->value.text;
	server->on_lines = !entry->inlined;
	return 0;
}

static bool
is_table(const struct cdn_toml_entry *entry)
{
	return entry->value.type == CDN_TOML_HEADER ||
	    entry->value.type == CDN_TOML_TABLE;
}

/* A command that is none of mcp_servers.NAME.command, nor in the env there. */
static int
look_astray(const struct list *list, const struct cdn_toml_entry *entry,
    struct cordon_error *err)
{
	bool ours = cdn_str_is(entry->path[0], TABLE);
	bool place = false;

	if (ours && entry->n > 2 && cdn_str_is(entry->path[2], "env"))
		return 0;
	for (size_t i = 0; i < entry->n; i++) {
		if (place && i >= (ours ? 3 : 1) &&
		    cdn_str_is(entry->path[i], "command"))
			return cdn_wrap_stray(list->servers, entry->path, i,
			    list->arena, err);
		place |= cdn_wrap_is_place(entry->path[i]);
	}
	return 0;
}

static int
visit(const struct cdn_toml_entry *entry, void *arg, struct cordon_error *err)
{
	const struct list *list = arg;
	struct cdn_wrap_server *server;
	int code = look_astray(list, entry, err);

	if (code != 0)
		return code;
	if (entry->in_array || !cdn_str_is(entry->path[0], TABLE))
		return 0;
	list->servers->found = true;
	if (entry->n < 3 && !is_table(entry))
		return bad(list, entry->key, "this is no server", err);
	if (entry->n == 1)
		return 0;
	server = server_of(list, entry->path[1]);
	if (server == NULL)
		return cdn_err_nomem(err);
	if (entry->n > 2 && entry->value.type != CDN_TOML_HEADER &&
	    entry->value.type != CDN_TOML_HEADER_MANY)
		return read_member(list, entry, server, err);
	if (entry->n == 2 && entry->value.type == CDN_TOML_HEADER) {
		if (server->begun)
			return bad(list, entry->key, "this table is here twice",
			    err);
		server->begun = true;
	}
	return 0;
}

int
cdn_wrap_read_toml(cdn_str text, struct cdn_arena *arena,
    struct cdn_wrap_servers *ret, struct cordon_error *err)
{
	struct list list = { .text = text, .arena = arena, .servers = ret };
	const struct cdn_toml toml = { .text = text, .arena = arena,
		.visit = visit, .arg = &list };

	return cdn_toml_read(&toml, err);
}
