#include "engine/dialect/install.h"

#include "engine/wrap/servers.h"

/* How deep our lines are set in; what stands before them is ours by that. */
#define IN_ROOT	 "\n  "
#define IN_HOOKS "\n    "
#define IN_EVENT "\n      "

struct install {
	const struct cdn_install_spec *spec;
	struct cdn_arena *arena;
	struct cdn_settings settings;
	struct cdn_wrap_result *ret;
	size_t room;
	struct cordon_error *err;
};

static int
open_settings(struct install *in, cdn_str text,
    const struct cdn_install_spec *spec, struct cdn_arena *arena,
    struct cordon_error *err)
{
	*in = (struct install){ .spec = spec, .arena = arena, .err = err };
	return cdn_settings_read(text, arena, &in->settings, err);
}

static int
add_edit(struct install *in, size_t start, size_t end, cdn_str text)
{
	struct cdn_wrap_edit *v = cdn_arena_grow(in->arena, in->ret->edits,
	    in->ret->n, &in->room, sizeof(*v));

	if (v == NULL)
		return cdn_err_nomem(in->err);
	in->ret->edits = v;
	v[in->ret->n++] = (struct cdn_wrap_edit){ start, end, text };
	return 0;
}

static const struct cdn_dialect_event *
event_at(const struct cdn_dialect *dialect, size_t i)
{
	const struct cdn_dialect_event *event = &dialect->events[i];

	return event->name != NULL && event->install ? event : NULL;
}

/* ----- Looking ---------------------------------------------------------- */

/* The first of ours in a list; NULL when there is none. */
static const struct cdn_json_node *
find_ours(const struct install *in, const struct cdn_json_node *list,
    enum cdn_install_level *ret)
{
	const struct cdn_json *json = &in->settings.json;
	const struct cdn_json_node *entry = list == NULL ||
		list->type != CDN_JSON_ARRAY ? NULL :
	    cdn_json_first(json, list);

	while (entry != NULL && !cdn_settings_is_ours(&in->settings,
		in->spec->dialect, entry, in->arena, ret))
		entry = cdn_json_next(json, entry);
	return entry;
}

/* As we would write it: 1, 0, or a negative code. */
static int
is_good(const struct install *in, const struct cdn_json_node *entry,
    enum cdn_install_level level)
{
	struct cdn_json want;
	cdn_str text;
	int code;

	if (!cdn_settings_entry(in->spec, level, in->arena, &text))
		return cdn_err_nomem(in->err);
	code = cdn_json_parse(text, NULL, in->arena, &want, in->err);
	if (code != 0)
		return code;
	return cdn_json_same(&in->settings.json, entry, &want, &want.nodes[0],
	    in->arena);
}

static bool
is_off(const struct install *in)
{
	const struct cdn_dialect *dialect = in->spec->dialect;
	const struct cdn_json *json = &in->settings.json;
	const struct cdn_json_node *around = &json->nodes[0];
	const struct cdn_json_node *node;
	bool value;

	if (dialect->off[0] == NULL)
		return false;
	if (dialect->off[1] != NULL)
		around = cdn_json_find(json, around, dialect->off[1]);
	node = around == NULL ? NULL :
	    cdn_json_find(json, around, dialect->off[0]);
	return node != NULL && cdn_json_bool(json, node, &value) &&
	    value == dialect->off_when;
}

int
cdn_install_look(cdn_str text, const struct cdn_install_spec *spec,
    struct cdn_arena *arena, struct cdn_installed *ret,
    struct cordon_error *err)
{
	struct cdn_installed seen = { 0 };
	const struct cdn_json_node *entry;
	enum cdn_install_level level;
	struct install in;
	int code = open_settings(&in, text, spec, arena, err);

	for (size_t i = 0; code >= 0 && i < CDN_DIALECT_EVENTS; i++) {
		if (event_at(spec->dialect, i) == NULL)
			continue;
		seen.wanted++;
		entry = find_ours(&in, cdn_settings_event(&in.settings,
		    spec->dialect->events[i].name), &level);
		if (entry == NULL)
			continue;
		seen.found++;
		seen.level = level;
		code = is_good(&in, entry, level);
		seen.good += code == 1;
	}
	if (code < 0)
		return code;
	seen.off = is_off(&in);
	*ret = seen;
	return 0;
}

/* ----- Adding ----------------------------------------------------------- */

/* "EVENT": [ ENTRY ], on lines of their own. */
static bool
put_event(const struct install *in, const struct cdn_dialect_event *event,
    enum cdn_install_level level, struct cdn_buf *out)
{
	cdn_str entry;

	if (!cdn_settings_entry(in->spec, level, in->arena, &entry))
		return false;
	cdn_buf_printf(out, IN_HOOKS "\"%s\": [" IN_EVENT, event->name);
	cdn_buf_str(out, entry);
	cdn_buf_puts(out, IN_HOOKS "]");
	return true;
}

/* All events that no list is there for, with commas between them. */
static bool
put_events(const struct install *in, enum cdn_install_level level,
    struct cdn_buf *out)
{
	const struct cdn_dialect *dialect = in->spec->dialect;
	bool first = true;

	for (size_t i = 0; i < CDN_DIALECT_EVENTS; i++) {
		const struct cdn_dialect_event *event = event_at(dialect, i);

		if (event == NULL ||
		    cdn_settings_event(&in->settings, event->name) != NULL)
			continue;
		cdn_buf_puts(out, first ? "" : ",");
		first = false;
		if (!put_event(in, event, level, out))
			return false;
	}
	return true;
}

/* Right behind the bracket that opens `around`. */
static int
insert(struct install *in, const struct cdn_json_node *around,
    struct cdn_buf *text)
{
	cdn_str kept;
	bool good;

	if (around->count > 0)
		cdn_buf_putc(text, ',');
	good = !cdn_buf_failed(text) &&
	    cdn_arena_str(in->arena, (cdn_str){ text->p, text->n }, &kept);
	return !good ? cdn_err_nomem(in->err) :
	    add_edit(in, around->start + 1, around->start + 1, kept);
}

static int
add_hooks(struct install *in)
{
	struct cdn_buf text;
	int code;

	cdn_buf_init(&text, CDN_WRAP_MAX);
	cdn_buf_puts(&text, IN_ROOT "\"hooks\": {");
	if (!put_events(in, CDN_INSTALL_HOOKS, &text))
		text.failed = true;
	cdn_buf_puts(&text, IN_ROOT "}");
	code = insert(in, &in->settings.json.nodes[0], &text);
	cdn_buf_done(&text);
	return code;
}

static int
add_lists(struct install *in)
{
	struct cdn_buf text;
	int code = 0;

	cdn_buf_init(&text, CDN_WRAP_MAX);
	if (!put_events(in, CDN_INSTALL_EVENT, &text))
		text.failed = true;
	if (cdn_buf_failed(&text))
		code = cdn_err_nomem(in->err);
	else if (text.n > 0)
		code = insert(in, in->settings.hooks, &text);
	cdn_buf_done(&text);
	return code;
}

/* Into a list that is there, or in the place of one that is not as wanted. */
static int
add_entry(struct install *in, const struct cdn_json_node *list)
{
	enum cdn_install_level level = CDN_INSTALL_ENTRY;
	const struct cdn_json_node *ours = find_ours(in, list, &level);
	int code = ours == NULL ? 0 : is_good(in, ours, level);
	struct cdn_buf text;
	cdn_str entry;

	if (list->type != CDN_JSON_ARRAY)
		return cdn_wrap_bad(in->settings.text, list->start,
		    "a list of hooks is no list", in->err);
	if (code != 0)
		return code < 0 ? code : 0;
	if (!cdn_settings_entry(in->spec, level, in->arena, &entry))
		return cdn_err_nomem(in->err);
	if (ours != NULL)
		return add_edit(in, ours->start, ours->end, entry);
	cdn_buf_init(&text, CDN_WRAP_MAX);
	cdn_buf_puts(&text, IN_EVENT);
	cdn_buf_str(&text, entry);
	code = insert(in, list, &text);
	cdn_buf_done(&text);
	return code;
}

static int
compare_edits(const void *a, const void *b)
{
	const struct cdn_wrap_edit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int
find_edits(struct install *in)
{
	const struct cdn_dialect *dialect = in->spec->dialect;
	int code;

	if (in->settings.hooks == NULL)
		return add_hooks(in);
	code = add_lists(in);
	for (size_t i = 0; code == 0 && i < CDN_DIALECT_EVENTS; i++) {
		const struct cdn_json_node *list =
		    event_at(dialect, i) == NULL ? NULL :
		    cdn_settings_event(&in->settings, dialect->events[i].name);

		if (list != NULL)
			code = add_entry(in, list);
	}
	if (in->ret->n > 1)
		qsort(in->ret->edits, in->ret->n, sizeof(in->ret->edits[0]),
		    compare_edits);
	return code;
}

/* The bytes with the edits in them, in the arena. */
static bool
apply(const struct install *in, cdn_str text, cdn_str *ret)
{
	struct cdn_buf out;
	bool good;

	cdn_buf_init(&out, 2 * CDN_WRAP_MAX);
	cdn_wrap_apply(text, in->ret, &out);
	good = !cdn_buf_failed(&out) && cdn_arena_str(in->arena,
	    (cdn_str){ out.p == NULL ? "" : out.p, out.n }, ret);
	cdn_buf_done(&out);
	return good;
}

/* Taken away again, is it what it was?  Not asked of what was there before. */
static int
check_undo(struct install *in, cdn_str text)
{
	struct install back = { .spec = in->spec, .arena = in->arena,
		.ret = &(struct cdn_wrap_result){ 0 }, .err = in->err };
	cdn_str added, was;
	bool gone;
	int code;

	if (!apply(in, text, &added))
		return cdn_err_nomem(in->err);
	code = cdn_install_remove(added, in->spec, in->arena, back.ret, &gone,
	    in->err);
	if (code != 0)
		return code;
	if (!apply(&back, added, &was))
		return cdn_err_nomem(in->err);
	if (gone || !cdn_str_eq(was, text))
		return cdn_err(in->err, CORDON_E_INVALID, "the hook could not "
		    "be taken away again to the byte (put it there by hand: "
		    "docs/hooks.md)");
	return 0;
}

int
cdn_install_add(cdn_str text, const struct cdn_install_spec *spec,
    struct cdn_arena *arena, struct cdn_wrap_result *ret,
    struct cordon_error *err)
{
	struct cdn_installed before;
	struct install in;
	int code = cdn_install_look(text, spec, arena, &before, err);

	if (code == 0)
		code = open_settings(&in, text, spec, arena, err);
	if (code != 0)
		return code;
	*ret = (struct cdn_wrap_result){ 0 };
	in.ret = ret;
	code = find_edits(&in);
	if (code == 0 && before.found == 0)
		code = check_undo(&in, text);
	return code;
}

bool
cdn_install_new(const struct cdn_install_spec *spec, struct cdn_arena *arena,
    cdn_str *ret)
{
	struct install in = { .spec = spec, .arena = arena };
	struct cdn_buf text;
	bool good;

	cdn_buf_init(&text, CDN_WRAP_MAX);
	cdn_buf_printf(&text, "{" IN_ROOT "%s\"hooks\": {",
	    spec->dialect->opening);
	good = put_events(&in, CDN_INSTALL_FILE, &text);
	cdn_buf_puts(&text, IN_ROOT "}\n}\n");
	good = good && !cdn_buf_failed(&text) &&
	    cdn_arena_str(arena, (cdn_str){ text.p, text.n }, ret);
	cdn_buf_done(&text);
	return good;
}

/* ----- Removing --------------------------------------------------------- */

/* What of a container goes. */
typedef bool goes_fn(struct install *in, const struct cdn_json_node *node);

static bool
entry_goes(struct install *in, const struct cdn_json_node *entry)
{
	enum cdn_install_level level;

	return cdn_settings_is_ours(&in->settings, in->spec->dialect, entry,
	    in->arena, &level);
}

/* Is all that is in a list ours, and was the list made by us? */
static bool
list_goes_at(struct install *in, const struct cdn_json_node *list,
    enum cdn_install_level least)
{
	const struct cdn_json *json = &in->settings.json;
	const struct cdn_json_node *entry;
	enum cdn_install_level level;

	if (list->type != CDN_JSON_ARRAY || list->count == 0)
		return false;
	for (entry = cdn_json_first(json, list); entry != NULL;
	     entry = cdn_json_next(json, entry))
		if (!cdn_settings_is_ours(&in->settings, in->spec->dialect,
			entry, in->arena, &level) || level < least)
			return false;
	return true;
}

static bool
list_goes(struct install *in, const struct cdn_json_node *list)
{
	return list_goes_at(in, list, CDN_INSTALL_EVENT);
}

static bool
hooks_go_at(struct install *in, enum cdn_install_level least)
{
	const struct cdn_json *json = &in->settings.json;
	const struct cdn_json_node *hooks = in->settings.hooks, *list;

	if (hooks == NULL || hooks->count == 0)
		return false;
	for (list = cdn_json_first(json, hooks); list != NULL;
	     list = cdn_json_next(json, list))
		if (!list_goes_at(in, list, least))
			return false;
	return true;
}

static bool
hooks_go(struct install *in, const struct cdn_json_node *node)
{
	return node == in->settings.hooks && hooks_go_at(in, CDN_INSTALL_HOOKS);
}

/* Nothing is in it that we did not put there. */
static bool
file_goes(struct install *in)
{
	const struct cdn_json_node *root = &in->settings.json.nodes[0];
	bool has_opening = in->spec->dialect->opening[0] != '\0' &&
	    cdn_json_find(&in->settings.json, root, "version") != NULL;

	return hooks_go_at(in, CDN_INSTALL_FILE) &&
	    root->count == 1U + has_opening;
}

/* Where a member or an item begins. */
static size_t
begin_of(const struct cdn_json_node *node)
{
	return node->key_end > 0 ? node->key_start : node->start;
}

/* Behind what stands at `at`, and behind a comma if one follows. */
static size_t
behind_comma(cdn_str text, size_t at)
{
	size_t i = at;

	while (i < text.n && strchr(" \t\r\n", text.p[i]) != NULL)
		i++;
	return i < text.n && text.p[i] == ',' ? i + 1 : at;
}

/* Those from first to last, one behind the other; before: what stays. */
static int
remove_run(struct install *in, const struct cdn_json_node *around,
    const struct cdn_json_node *before, const struct cdn_json_node *first,
    const struct cdn_json_node *last, const char *indent)
{
	cdn_str text = in->settings.text, blanked = in->settings.json.text;
	size_t start = begin_of(first), end = last->end;

	if (before == NULL) {
		size_t lead = around->start + 1;

		if (cdn_str_is((cdn_str){ text.p + lead, start - lead },
			indent))
			start = lead;
		end = behind_comma(text, end);
	} else {
		while (start > before->end && blanked.p[start] != ',')
			start--;
	}
	return add_edit(in, start, end, CDN_STR(""));
}

static int
remove_from(struct install *in, const struct cdn_json_node *around,
    goes_fn *goes, const char *indent)
{
	const struct cdn_json *json = &in->settings.json;
	const struct cdn_json_node *node, *before = NULL, *first = NULL,
	    *last = NULL;
	int code = 0;

	for (node = cdn_json_first(json, around); node != NULL && code == 0;
	     node = cdn_json_next(json, node)) {
		if (goes(in, node)) {
			first = first == NULL ? node : first;
			last = node;
			continue;
		}
		if (first != NULL)
			code = remove_run(in, around, before, first, last,
			    indent);
		first = NULL;
		before = node;
	}
	if (code == 0 && first != NULL)
		code = remove_run(in, around, before, first, last, indent);
	return code;
}

static int
remove_entries(struct install *in)
{
	const struct cdn_json *json = &in->settings.json;
	const struct cdn_json_node *list;
	int code = remove_from(in, in->settings.hooks, list_goes, IN_HOOKS);

	for (list = cdn_json_first(json, in->settings.hooks);
	     list != NULL && code == 0; list = cdn_json_next(json, list))
		if (list->type == CDN_JSON_ARRAY && !list_goes(in, list))
			code = remove_from(in, list, entry_goes, IN_EVENT);
	if (in->ret->n > 1)
		qsort(in->ret->edits, in->ret->n, sizeof(in->ret->edits[0]),
		    compare_edits);
	return code;
}

/* What is left must still be settings. */
static int
check_rest(struct install *in, cdn_str text)
{
	struct cdn_settings rest;
	cdn_str after;
	int code;

	if (!apply(in, text, &after))
		return cdn_err_nomem(in->err);
	code = cdn_settings_read(after, in->arena, &rest, in->err);
	return code == 0 ? 0 : cdn_err_context(in->err, code,
	    "the hook cannot be taken away cleanly (do it by hand)");
}

int
cdn_install_remove(cdn_str text, const struct cdn_install_spec *spec,
    struct cdn_arena *arena, struct cdn_wrap_result *ret, bool *ret_gone,
    struct cordon_error *err)
{
	struct install in;
	int code = open_settings(&in, text, spec, arena, err);

	if (code != 0)
		return code;
	*ret = (struct cdn_wrap_result){ 0 };
	*ret_gone = false;
	in.ret = ret;
	if (in.settings.hooks == NULL)
		return 0;
	if (file_goes(&in)) {
		*ret_gone = true;
		return add_edit(&in, 0, text.n, CDN_STR(""));
	}
	if (hooks_go_at(&in, CDN_INSTALL_HOOKS))
		code = remove_from(&in, &in.settings.json.nodes[0], hooks_go,
		    IN_ROOT);
	else
		code = remove_entries(&in);
	return code == 0 ? check_rest(&in, text) : code;
}
