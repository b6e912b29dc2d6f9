/*
 * The settings of an agent as a tree, and what an entry of ours is.
 */
#include "engine/dialect/install.h"

#include "engine/wrap/jsonc.h"
#include "engine/wrap/servers.h"

#define MARK  " --installed="
/* Codex takes a 2 without a word for a failure, and goes on. */
#define GUARD " || sh -c 'echo blocked by cordon >&2; exit 2'"

static const char *const levels[CDN_INSTALL_LEVELS] = {
	[CDN_INSTALL_ENTRY] = "entry",
	[CDN_INSTALL_EVENT] = "event",
	[CDN_INSTALL_HOOKS] = "hooks",
	[CDN_INSTALL_FILE] = "file",
};

/* ----- Reading ---------------------------------------------------------- */

static const struct cdn_json_node *
root_of(const struct cdn_settings *settings)
{
	return &settings->json.nodes[0];
}

int
cdn_settings_read(cdn_str text, struct cdn_arena *arena,
    struct cdn_settings *ret, struct cordon_error *err)
{
	const struct cdn_json_options options = { .max_bytes = CDN_WRAP_MAX };
	cdn_str blanked;
	int code;

	if (!cdn_jsonc_blank(text, arena, &blanked))
		return cdn_err_nomem(err);
	*ret = (struct cdn_settings){ .text = text };
	code = cdn_json_parse(blanked, &options, arena, &ret->json, err);
	if (code != 0)
		return code;
	if (root_of(ret)->type != CDN_JSON_OBJECT)
		return cdn_err(err, CORDON_E_INVALID, "it is no JSON object");
	ret->hooks = cdn_json_find(&ret->json, root_of(ret), "hooks");
	if (ret->hooks != NULL && ret->hooks->type != CDN_JSON_OBJECT)
		return cdn_wrap_bad(text, ret->hooks->start,
		    "'hooks' is no object", err);
	return 0;
}

const struct cdn_json_node *
cdn_settings_event(const struct cdn_settings *settings, const char *event)
{
	return settings->hooks == NULL ? NULL :
	    cdn_json_find(&settings->json, settings->hooks, event);
}

/* ----- Entries ---------------------------------------------------------- */

/* The one command of an entry; NULL when there is another number of them. */
static const struct cdn_json_node *
command_of(const struct cdn_settings *settings,
    const struct cdn_dialect *dialect, const struct cdn_json_node *entry)
{
	const struct cdn_json *json = &settings->json;
	const struct cdn_json_node *list;

	if (entry->type != CDN_JSON_OBJECT)
		return NULL;
	if (dialect->form == CDN_FORM_CURSOR)
		return cdn_json_find(json, entry, "command");
	list = cdn_json_find(json, entry, "hooks");
	if (list == NULL || list->type != CDN_JSON_ARRAY || list->count != 1)
		return NULL;
	return cdn_json_find(json, cdn_json_first(json, list), "command");
}

/* ".../cordon' hook claude --installed=hooks ... || sh -c ..." */
static bool
read_mark(cdn_str command, const char *agent, enum cdn_install_level *ret)
{
	char mark[64];
	int n = snprintf(mark, sizeof(mark), "' hook %s" MARK, agent);

	if (n < 0 || !cdn_str_ends(command, CDN_STR(GUARD)))
		return false;
	for (size_t i = 0; i + (size_t)n <= command.n; i++) {
		if (memcmp(command.p + i, mark, (size_t)n) != 0)
			continue;
		for (size_t k = 0; k < CDN_LEN(levels); k++)
			if (cdn_str_starts(cdn_str_from(command, i + (size_t)n),
				cdn_str_of(levels[k]))) {
				*ret = (enum cdn_install_level)k;
				return true;
			}
	}
	return false;
}

bool
cdn_settings_is_ours(const struct cdn_settings *settings,
    const struct cdn_dialect *dialect, const struct cdn_json_node *entry,
    struct cdn_arena *arena, enum cdn_install_level *ret)
{
	const struct cdn_json_node *node = command_of(settings, dialect, entry);
	cdn_str command;

	return node != NULL && node->type == CDN_JSON_STRING &&
	    cdn_json_string(&settings->json, node, arena, &command) &&
	    read_mark(command, dialect->name, ret);
}

/* ----- What we write ---------------------------------------------------- */

/* One word for a shell. */
static void
put_quoted(struct cdn_buf *out, const char *word)
{
	cdn_buf_putc(out, '\'');
	for (; *word != '\0'; word++)
		if (*word == '\'')
			cdn_buf_puts(out, "'\\''");
		else
			cdn_buf_putc(out, *word);
	cdn_buf_putc(out, '\'');
}

static void
put_command(const struct cdn_install_spec *spec, enum cdn_install_level level,
    struct cdn_buf *out)
{
	const char *const *option = spec->options;

	put_quoted(out, spec->program);
	cdn_buf_printf(out, " hook %s" MARK "%s", spec->dialect->name,
	    levels[level]);
	for (; option != NULL && *option != NULL; option++) {
		cdn_buf_putc(out, ' ');
		put_quoted(out, *option);
	}
	cdn_buf_puts(out, GUARD);
}

static void
put_entry(const struct cdn_dialect *dialect, cdn_str command,
    struct cdn_buf *out)
{
	bool grouped = dialect->form != CDN_FORM_CURSOR;
	struct cdn_buf text;
	struct cdn_json_writer w;

	cdn_buf_init(&text, CDN_WRAP_MAX);
	cdn_json_begin(&w, &text);
	cdn_json_put_string(&w, command);
	cdn_buf_puts(out, grouped ?
		"{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\"," : "{");
	cdn_buf_puts(out, "\"command\":");
	if (cdn_buf_failed(&text))
		out->failed = true;
	cdn_buf_str(out, (cdn_str){ text.p, text.n });
	cdn_buf_printf(out, ",%s%s", dialect->extra, grouped ? "}]}" : "}");
	cdn_buf_done(&text);
}

bool
cdn_settings_entry(const struct cdn_install_spec *spec,
    enum cdn_install_level level, struct cdn_arena *arena, cdn_str *ret)
{
	struct cdn_buf command, entry;
	bool good;

	cdn_buf_init(&command, CDN_WRAP_MAX);
	cdn_buf_init(&entry, CDN_WRAP_MAX);
	put_command(spec, level, &command);
	put_entry(spec->dialect, (cdn_str){ command.p, command.n }, &entry);
	good = !cdn_buf_failed(&command) && !cdn_buf_failed(&entry) &&
	    cdn_arena_str(arena, (cdn_str){ entry.p, entry.n }, ret);
	cdn_buf_done(&command);
	cdn_buf_done(&entry);
	return good;
}

bool
cdn_install_identity(const struct cdn_install_spec *spec,
    enum cdn_install_level level, struct cdn_buf *out)
{
	struct cdn_json_writer w;
	struct cdn_buf command;
	bool good;

	cdn_buf_init(&command, CDN_WRAP_MAX);
	put_command(spec, level, &command);
	cdn_buf_puts(out, "{\"event_name\":\"pre_tool_use\",\"hooks\":[{"
	    "\"async\":false,\"command\":");
	cdn_json_begin(&w, out);
	cdn_json_put_string(&w, (cdn_str){ command.p, command.n });
	cdn_buf_printf(out, ",%s,\"type\":\"command\"}],\"matcher\":\"*\"}",
	    spec->dialect->extra);
	good = !cdn_buf_failed(&command) && !cdn_buf_failed(out);
	cdn_buf_done(&command);
	return good;
}

/* ----- Comparing -------------------------------------------------------- */

static bool
same_strings(const struct cdn_json *a, const struct cdn_json_node *x,
    const struct cdn_json *b, const struct cdn_json_node *y,
    struct cdn_arena *arena)
{
	cdn_str want;

	return cdn_json_string(a, x, arena, &want) && cdn_json_is(b, y, want);
}

/* The member of the same name, or the item at the same place. */
static const struct cdn_json_node *
partner(const struct cdn_json *a, const struct cdn_json_node *item,
    const struct cdn_json *b, const struct cdn_json_node *around,
    const struct cdn_json_node *next, struct cdn_arena *arena)
{
	const char *name;
	cdn_str key;

	if (around->type == CDN_JSON_ARRAY)
		return next;
	if (!cdn_json_key(a, item, arena, &key))
		return NULL;
	name = cdn_arena_dup(arena, key.p, key.n);
	return name == NULL ? NULL : cdn_json_find(b, around, name);
}

bool
cdn_json_same(const struct cdn_json *a, const struct cdn_json_node *x,
    const struct cdn_json *b, const struct cdn_json_node *y,
    struct cdn_arena *arena)
{
	const struct cdn_json_node *i, *k, *other;

	if (x->type != y->type || x->count != y->count)
		return false;
	if (x->type == CDN_JSON_STRING)
		return same_strings(a, x, b, y, arena);
	if (x->type != CDN_JSON_ARRAY && x->type != CDN_JSON_OBJECT)
		return cdn_str_eq(cdn_json_raw(a, x), cdn_json_raw(b, y));
	k = cdn_json_first(b, y);
	for (i = cdn_json_first(a, x); i != NULL; i = cdn_json_next(a, i)) {
		other = partner(a, i, b, y, k, arena);
		if (other == NULL || !cdn_json_same(a, i, b, other, arena))
			return false;
		k = k == NULL ? NULL : cdn_json_next(b, k);
	}
	return true;
}
