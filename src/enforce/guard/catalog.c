#include "enforce/guard/catalog.h"

#include <sha2.h>

#include "engine/rpc/key_case.h"
#include "engine/rpc/tools.h"

#define SHOWN	   120 /* bytes of a description in a message */
#define PLAIN	   (4 * SHOWN + 1) /* of one, each byte as an escape */
#define DIFFERENCE (CDN_NAME_MAX + 3 * PLAIN + 128) /* of a whole message */

void
cdn_catalog_done(struct cdn_catalog *catalog)
{
	for (size_t i = 0; i < catalog->n; i++)
		cdn_arena_free(catalog->v[i]->arena);
	free(catalog->v);
	*catalog = (struct cdn_catalog){ .n = 0 };
}

struct cdn_catalog_tool *
cdn_catalog_find(const struct cdn_catalog *catalog, cdn_str name)
{
	for (size_t i = 0; i < catalog->n; i++)
		if (cdn_str_eq(catalog->v[i]->name, name))
			return catalog->v[i];
	return NULL;
}

/* ----- Adding ---------------------------------------------------------------- */

static struct cdn_catalog_tool *
tool_new(cdn_str text, cdn_str name)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_catalog_tool *tool = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*tool));
	const struct cdn_json_options options = {
		.max_bytes = CDN_RPC_LINE_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	cdn_str copy;

	if (tool == NULL || !cdn_arena_str(arena, text, &copy) ||
	    !cdn_arena_str(arena, name, &tool->name) ||
	    cdn_json_parse(copy, &options, arena, &tool->json, NULL) != 0) {
		cdn_arena_free(arena);
		return NULL;
	}
	tool->arena = arena;
	return tool;
}

static bool
make_room(struct cdn_catalog *catalog)
{
	size_t room = catalog->room == 0 ? 16 : 2 * catalog->room;
	struct cdn_catalog_tool **v;

	if (catalog->n < catalog->room)
		return true;
	v = realloc(catalog->v, room * sizeof(void *));
	if (v == NULL)
		return false;
	catalog->v = v;
	catalog->room = room;
	return true;
}

int
cdn_catalog_add(struct cdn_catalog *catalog, const struct cdn_json *json,
    const struct cdn_json_node *node, cdn_str name, struct cordon_error *err)
{
	struct cdn_catalog_tool *tool;

	if (cdn_catalog_find(catalog, name) != NULL)
		return 0;
	if (catalog->n == CDN_RPC_TOOLS_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "the server has more than %d tools", CDN_RPC_TOOLS_MAX);
	tool = make_room(catalog) ?
	    tool_new(cdn_json_raw(json, node), name) : NULL;
	if (tool == NULL)
		return cdn_err_nomem(err);
	catalog->v[catalog->n++] = tool;
	catalog->grown = true;
	return 0;
}

static int
merge_one(struct cdn_catalog *catalog, const struct cdn_catalog_tool *kept,
    struct cordon_error *err)
{
	struct cdn_catalog_tool *ours = cdn_catalog_find(catalog, kept->name);
	const struct cdn_json_node *node = &kept->json.nodes[0];
	struct cdn_catalog_tool *theirs;
	cdn_str member;

	if (ours == NULL)
		return cdn_catalog_add(catalog, &kept->json, node, kept->name,
		    err);
	if (ours->stopped != NULL || cdn_rpc_tool_same(&kept->json, node,
	    &ours->json, &ours->json.nodes[0], &member))
		return 0;
	theirs = tool_new(cdn_json_raw(&kept->json, node), kept->name);
	if (theirs == NULL)
		return cdn_err_nomem(err);
	theirs->stopped = "another guard of this server saw it described "
	    "otherwise";
	theirs->untold = true;
	for (size_t i = 0; i < catalog->n; i++)
		if (catalog->v[i] == ours)
			catalog->v[i] = theirs;
	cdn_arena_free(ours->arena);
	return 0;
}

int
cdn_catalog_merge(struct cdn_catalog *catalog, const struct cdn_catalog *kept,
    struct cordon_error *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < kept->n; i++)
		code = merge_one(catalog, kept->v[i], err);
	return code;
}

/* ----- Looking at a list ------------------------------------------------------ */

struct look {
	struct cdn_catalog *catalog;
	const struct cdn_json *json;
	struct cdn_arena *arena;
	void (*told)(const char *text, void *arg);
	void *arg;
	struct cordon_error *err;
};

static void
tell(const struct look *look, const char *text)
{
	if (look->told != NULL && text != NULL)
		look->told(text, look->arg);
}

/*
 * As much as fits, in plain characters.  The server chose them, and others may
 * look like these, cannot be seen, or turn the line around.
 */
static void
put_plain(cdn_str text, char ret[PLAIN])
{
	size_t n = 0;

	for (size_t i = 0; i < text.n && i < SHOWN; i++)
		n += (size_t)snprintf(ret + n, PLAIN - n,
		    text.p[i] < ' ' || text.p[i] > '~' ? "\\x%02x" : "%c",
		    (unsigned char)text.p[i]);
	ret[n] = '\0';
}

/* The member as it stands; "nothing" where there is none. */
static void
put_member(const struct cdn_json *json, const struct cdn_json_node *tool,
    cdn_str key, char ret[PLAIN])
{
	const struct cdn_json_node *node = cdn_json_first(json, tool);
	cdn_str text = { "nothing", 7 };

	for (; node != NULL; node = cdn_json_next(json, node)) {
		cdn_str name = { json->text.p + node->key_start + 1,
			(size_t)node->key_end - node->key_start - 2 };

		if (cdn_str_eq(name, key))
			text = cdn_json_raw(json, node);
	}
	put_plain(text, ret);
}

/*
 * Says what is different, in the same place each time: a server may change its
 * mind as often as it likes.
 */
static bool
put_difference(const struct look *look, struct cdn_catalog_tool *known,
    const struct cdn_json_node *node, cdn_str member)
{
	char was[PLAIN], is[PLAIN], which[PLAIN];

	put_member(&known->json, &known->json.nodes[0], member, was);
	put_member(look->json, node, member, is);
	put_plain(member, which);
	if (known->difference == NULL)
		known->difference = cdn_arena_alloc(known->arena, DIFFERENCE);
	if (known->difference == NULL)
		return false;
	snprintf(known->difference, DIFFERENCE, "tool '%.*s' is not described "
	    "as it was when it was first seen: %s was %s, is %s",
	    CDN_STR_ARG(known->name), which, was, is);
	known->stopped = known->difference;
	return true;
}

/* Is it another one than that for which it was stopped? */
static bool
is_other(const struct look *look, struct cdn_catalog_tool *known,
    const struct cdn_json_node *node)
{
	cdn_str raw = cdn_json_raw(look->json, node);
	char digest[sizeof(known->other)];
	bool other;

	(void)SHA256Data((const uint8_t *)raw.p, raw.n, digest);
	other = strcmp(digest, known->other) != 0;
	memcpy(known->other, digest, sizeof(digest));
	return other;
}

static int
compare(const struct look *look, struct cdn_catalog_tool *known,
    const struct cdn_json_node *node, bool *drop)
{
	cdn_str member = { "", 0 };
	bool same = cdn_rpc_tool_same(&known->json, &known->json.nodes[0],
	    look->json, node, &member);

	if (known->stopped == NULL && same)
		return 0;
	*drop = true;
	if (known->stopped != NULL && !known->untold &&
	    (same || !is_other(look, known, node)))
		return 0;
	if (same) { /* by now; before, somebody was shown another */
		tell(look, cdn_arena_printf(look->arena, "tool '%.*s' is left "
		    "out: %s", CDN_STR_ARG(known->name), known->stopped));
		known->untold = false;
		return 0;
	}
	if (!put_difference(look, known, node, member))
		return cdn_err_nomem(look->err);
	(void)is_other(look, known, node);
	known->untold = false;
	tell(look, known->stopped);
	return 0;
}

/* Twice in one list: what the client shows and what it calls could differ. */
static bool
is_earlier(const struct look *look, const struct cdn_json_node *tools,
    const struct cdn_json_node *until, cdn_str name)
{
	const struct cdn_json_node *node = cdn_json_first(look->json, tools);

	for (; node != NULL && node != until;
	     node = cdn_json_next(look->json, node)) {
		const struct cdn_json_node *other = cdn_json_find(look->json,
		    node, "name");

		if (other != NULL && cdn_json_is(look->json, other, name))
			return true;
	}
	return false;
}

static const char *const tool_keys[] = { "name", "title", "description",
	"inputSchema", "outputSchema", "annotations", "icons", "execution",
	"_meta", NULL };

/* A client that ignores case would read another tool than the one compared. */
static int
check_keys(const struct look *look, const struct cdn_json_node *node,
    bool *drop)
{
	const char *word;
	cdn_str key;

	if (!cdn_rpc_find_odd_key(look->json, node, tool_keys, look->arena,
		&key, &word))
		return cdn_err_nomem(look->err);
	if (word == NULL)
		return 0;
	*drop = true;
	tell(look, cdn_arena_printf(look->arena, "a tool is left out: its key "
	    "'%.*s' is not '%s', but some clients take it for that",
	    CDN_STR_ARG(key), word));
	return 0;
}

static int
look_at(const struct look *look, const struct cdn_json_node *tools,
    const struct cdn_json_node *node, bool *drop)
{
	const struct cdn_json_node *at = cdn_json_find(look->json, node,
	    "name");
	struct cdn_catalog_tool *known;
	cdn_str name = { "", 0 };
	int code = check_keys(look, node, drop);

	if (code != 0 || *drop)
		return code;
	if (at != NULL && at->type == CDN_JSON_STRING &&
	    !cdn_json_string(look->json, at, look->arena, &name))
		return cdn_err_nomem(look->err);
	if (!cdn_rpc_tool_name(name)) {
		*drop = true;
		tell(look, cdn_arena_printf(look->arena, "tool '%.*s' is left "
		    "out: its name has other characters than [A-Za-z0-9_./-]",
		    CDN_STR_ARG(name)));
		return 0;
	}
	if (is_earlier(look, tools, node, name)) {
		*drop = true;
		tell(look, cdn_arena_printf(look->arena, "tool '%.*s' is in "
		    "the list twice: the second is left out",
		    CDN_STR_ARG(name)));
		return 0;
	}
	known = cdn_catalog_find(look->catalog, name);
	if (known != NULL)
		return compare(look, known, node, drop);
	return cdn_catalog_add(look->catalog, look->json, node, name,
	    look->err);
}

int
cdn_catalog_see(struct cdn_catalog *catalog, const struct cdn_json *json,
    const struct cdn_json_node *tools, bool *drop,
    void (*told)(const char *text, void *arg), void *arg,
    struct cdn_arena *arena, struct cordon_error *err)
{
	const struct look look = { catalog, json, arena, told, arg, err };
	const struct cdn_json_node *node = cdn_json_first(json, tools);
	int code = 0;

	for (size_t i = 0; code == 0 && node != NULL; i++) {
		if (!drop[i])
			code = look_at(&look, tools, node, &drop[i]);
		node = cdn_json_next(json, node);
	}
	return code;
}
