#include "engine/worker/load.h"

#include "engine/policy/digest.h"
#include "engine/policy/schema.h"

/* ----- Mappings with fixed keys --------------------------------------------- */

static struct cdn_worker_slot
slot_of(const struct cdn_worker_slot *parent, cdn_str key,
    const struct cdn_tree *value, void *field)
{
	struct cdn_worker_slot slot = { .value = value, .field = field };

	snprintf(slot.label, sizeof(slot.label), "%s%s%s", parent->label,
	    parent->label[0] != '\0' ? "." : "", cdn_shown(key).text);
	return slot;
}

static const struct cdn_worker_key *
find_key(const struct cdn_worker_object *object, cdn_str name)
{
	for (size_t i = 0; i < object->n; i++)
		if (cdn_str_is(name, object->keys[i].name))
			return &object->keys[i];
	return NULL;
}

static void
report_unknown(struct cdn_worker_load *load,
    const struct cdn_worker_object *object, const struct cdn_tree *entry)
{
	struct cdn_nearest nearest;
	char hint[256] = "keys:";
	size_t n = strlen(hint);

	cdn_nearest_begin(&nearest, entry->key);
	for (size_t i = 0; i < object->n && object->keys[i].shape != CDN_TAKES_OLD; i++) {
		cdn_nearest_try(&nearest, object->keys[i].name);
		if (n < sizeof(hint))
			n += (size_t)snprintf(hint + n, sizeof(hint) - n,
			    " %s", object->keys[i].name);
	}
	if (nearest.word != NULL)
		cdn_report_add(load->report, CDN_FINDING_UNKNOWN,
		    entry->key_pos, hint,
		    "unknown key '%s' (did you mean '%s'?)",
		    cdn_shown(entry->key).text, nearest.word);
	else
		cdn_report_add(load->report, CDN_FINDING_UNKNOWN,
		    entry->key_pos, hint, "unknown key '%s'",
		    cdn_shown(entry->key).text);
}

void
cdn_worker_load_object(struct cdn_worker_load *load,
    const struct cdn_worker_object *object, const struct cdn_worker_slot *slot,
    void *base)
{
	if (!cdn_worker_is(load, slot, CDN_TREE_MAP, SIZE_MAX))
		return;
	for (size_t i = 0; i < object->n; i++) {
		const struct cdn_worker_key *key = &object->keys[i];
		cdn_str name = cdn_str_of(key->name);
		struct cdn_worker_slot child = slot_of(slot, name,
		    cdn_tree_find(slot->value, name),
		    (char *)base + key->offset);

		child.child = key->child;
		if (child.value != NULL)
			cdn_worker_loaders[key->shape](load, &child);
		else if (key->needed != NULL)
			cdn_report_add(load->report, CDN_FINDING_MISSING,
			    slot->value->pos, key->needed, "'%s' is missing",
			    child.label);
	}
	for (const struct cdn_tree *entry = slot->value->first; entry != NULL;
	     entry = entry->next)
		if (find_key(object, entry->key) == NULL)
			report_unknown(load, object, entry);
}

/* ----- Roots -------------------------------------------------------------------- */

static void
load_paths(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	struct cordon_worker *w = load->worker;

	if (!cdn_worker_is(load, slot, CDN_TREE_MAP, CDN_ROOTS_MAX))
		return;
	w->paths = cdn_worker_array(load, slot->value->count,
	    sizeof(*w->paths));
	w->path_count = 0;
	w->has_paths = true;
	for (const struct cdn_tree *entry = slot->value->first;
	     entry != NULL && w->paths != NULL; entry = entry->next) {
		struct cdn_worker_path *path = &w->paths[w->path_count++];
		struct cdn_worker_slot child = slot_of(slot, entry->key, entry,
		    path);

		path->id = entry->key;
		path->pos = entry->key_pos;
		cdn_worker_load_object(load, slot->child, &child, path);
	}
}

static void
load_sandboxes(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	if (load->mode == CDN_WORKER_OLD)
		load_paths(load, slot);
	else
		cdn_report_add(load->report, CDN_FINDING_VERSION,
		    slot->value->pos,
		    "`cordon worker migrate FILE` prints the new form; a "
		    "missing require_os_sandbox now means true",
		    "'sandboxes' is the older form: write sandbox.paths, with "
		    "'root' instead of 'path'");
}

/* ----- Approvals and grants -------------------------------------------------------- */

/* Names that tools once had, and what they are called now. */
static const struct {
	const char *was, *is;
} renamed[] = {
	{ "sandbox_read_text", "read_text" },
	{ "sandbox_write_text", "write_text" },
	{ "sandbox_list", "list_files" },
};

static const char *const tools[] = { "read_text", "write_text", "edit_text",
	"list_files", "glob", "grep", "shell", "worker_call" };

const char *
cdn_worker_tool_name(size_t i)
{
	return i < CDN_LEN(tools) ? tools[i] : NULL;
}

/* What the tool is called now; NULL after a finding. */
static const char *
tool_name(struct cdn_worker_load *load, const struct cdn_tree *entry)
{
	for (size_t i = 0; i < CDN_LEN(tools); i++)
		if (cdn_str_is(entry->key, tools[i]))
			return tools[i];
	for (size_t i = 0; i < CDN_LEN(renamed); i++) {
		if (!cdn_str_is(entry->key, renamed[i].was))
			continue;
		if (load->mode == CDN_WORKER_OLD)
			return renamed[i].is;
		cdn_report_add(load->report, CDN_FINDING_VERSION,
		    entry->key_pos, "`cordon worker migrate FILE` renames it",
		    "the tool '%s' is called '%s' now", renamed[i].was,
		    renamed[i].is);
		return NULL;
	}
	cdn_report_add(load->report, CDN_FINDING_UNKNOWN, entry->key_pos,
	    "tools: read_text write_text edit_text list_files glob grep shell "
	    "worker_call", "unknown tool '%s'", cdn_shown(entry->key).text);
	return NULL;
}

static void
load_tools(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	struct cordon_worker *w = load->worker;

	if (!cdn_worker_is(load, slot, CDN_TREE_MAP, CDN_SHELL_RULES_MAX))
		return;
	w->tools = cdn_worker_array(load, slot->value->count,
	    sizeof(*w->tools));
	for (const struct cdn_tree *entry = slot->value->first;
	     entry != NULL && w->tools != NULL; entry = entry->next) {
		struct cdn_worker_tool *tool = &w->tools[w->tool_count];
		struct cdn_worker_slot child = slot_of(slot, entry->key, entry,
		    tool);
		const char *name = tool_name(load, entry);

		if (name == NULL)
			continue;
		tool->name = cdn_str_of(name);
		cdn_worker_load_object(load, slot->child, &child,
		    &tool->approval_required);
		w->tool_count++;
	}
}

static void
load_pattern(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	struct cdn_worker_rule *rule = slot->field;
	struct cordon_error why;
	int code;

	if (!cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		return;
	rule->pattern = slot->value->text;
	code = cdn_shell_rule_build(load->worker->arena, rule->pattern, true,
	    &rule->built, &why);
	if (code == CORDON_E_NOMEM)
		load->report->nomem = true;
	else if (code != 0)
		cdn_report_add(load->report, CDN_FINDING_RULE,
		    slot->value->pos, "the words a command begins with",
		    "'%s': %s", slot->label, why.text);
}

static void
load_rules(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	struct cordon_worker *w = load->worker;

	if (!cdn_worker_is(load, slot, CDN_TREE_LIST, CDN_SHELL_RULES_MAX))
		return;
	w->has_rules = true;
	w->rules = cdn_worker_array(load, slot->value->count,
	    sizeof(*w->rules));
	for (const struct cdn_tree *entry = slot->value->first;
	     entry != NULL && w->rules != NULL; entry = entry->next) {
		struct cdn_worker_rule *rule = &w->rules[w->rule_count++];
		struct cdn_worker_slot child = *slot;

		child.value = entry;
		rule->pos = entry->pos;
		cdn_worker_load_object(load, slot->child, &child, rule);
		rule->built.approval_required =
		    rule->approval_required != CDN_SAID_NO;
	}
}

/* ----- Modules ------------------------------------------------------------------------ */

static const char *const modules[] = { "filesystem", "workspace", "shell",
	"mcp" };

const char *
cdn_worker_module_name(size_t i)
{
	return i < CDN_LEN(modules) ? modules[i] : NULL;
}

bool
cdn_worker_is_module(cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(modules); i++)
		if (cdn_str_is(name, modules[i]))
			return true;
	return false;
}

static void
load_modules(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	struct cordon_worker *w = load->worker;

	if (!cdn_worker_is(load, slot, CDN_TREE_MAP, CDN_NAMES_MAX))
		return;
	w->modules = cdn_worker_array(load, slot->value->count,
	    sizeof(*w->modules));
	for (const struct cdn_tree *entry = slot->value->first;
	     entry != NULL && w->modules != NULL; entry = entry->next) {
		struct cdn_worker_module *m = &w->modules[w->module_count];
		struct cdn_worker_slot child = slot_of(slot, entry->key, entry,
		    m);

		if (!cdn_worker_is_module(entry->key)) {
			cdn_report_add(load->report, CDN_FINDING_UNKNOWN,
			    entry->key_pos, "modules: " CDN_WORKER_MODULES,
			    "unknown module '%s'",
			    cdn_shown(entry->key).text);
			continue;
		}
		w->module_count++;
		m->name = entry->key;
		cdn_worker_load_object(load, slot->child, &child, m);
	}
}

/* ----- The document --------------------------------------------------------------------- */

/* Where the keys of a mapping are fields of what it stands in. */
static void
load_child(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	cdn_worker_load_object(load, slot->child, slot, slot->field);
}

cdn_worker_loader *const cdn_worker_loaders[CDN_TAKES_KINDS] = {
	[CDN_TAKES_TEXT] = cdn_worker_load_text,
	[CDN_TAKES_NAME] = cdn_worker_load_name,
	[CDN_TAKES_ROOT] = cdn_worker_load_root,
	[CDN_TAKES_MODE] = cdn_worker_load_mode,
	[CDN_TAKES_BOOLEAN] = cdn_worker_load_said,
	[CDN_TAKES_COUNT] = cdn_worker_load_number,
	[CDN_TAKES_TEXTS] = cdn_worker_load_texts,
	[CDN_TAKES_SUFFIXES] = cdn_worker_load_suffixes,
	[CDN_TAKES_EXECUTOR] = cdn_worker_load_executor,
	[CDN_TAKES_WORDS] = load_pattern,
	[CDN_TAKES_OBJECT] = load_child,
	[CDN_TAKES_PATHS] = load_paths,
	[CDN_TAKES_MODULES] = load_modules,
	[CDN_TAKES_TOOLS] = load_tools,
	[CDN_TAKES_RULES] = load_rules,
	[CDN_TAKES_OLD] = load_sandboxes,
};

static void
parse_into(struct cordon_worker *worker, cdn_str text,
    enum cdn_worker_mode mode, struct cdn_report *report)
{
	struct cdn_worker_load load = { worker, report, mode };
	struct cdn_worker_slot slot = { .field = worker };

	if (!cdn_bytes_check(text, worker->source, report))
		return;
	slot.value = cdn_tree_parse(worker->arena, text, worker->source,
	    report);
	if (slot.value == NULL)
		return;
	if (slot.value->kind == CDN_TREE_MAP)
		cdn_worker_load_object(&load, &cdn_worker_document_keys, &slot,
		    worker);
	else if (slot.value->kind != CDN_TREE_BAD)
		cdn_report_add(report, CDN_FINDING_TYPE, slot.value->pos,
		    "begin with 'name: NAME'",
		    "a worker must be a mapping, found %s",
		    cdn_tree_describe(slot.value));
}

static struct cordon_worker *
worker_new(const char *source)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_worker *worker = NULL;

	if (arena != NULL)
		worker = cdn_arena_alloc(arena, sizeof(*worker));
	if (worker != NULL) {
		worker->arena = arena;
		worker->name = worker->description = worker->fs_profile =
		    CDN_STR("");
		worker->source = cdn_arena_dup(arena, source, strlen(source));
	}
	if (worker == NULL || worker->source == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	return worker;
}

int
cdn_worker_parse(cdn_str text, const char *source, enum cdn_worker_mode mode,
    struct cordon_diags *diags, struct cordon_worker **ret,
    struct cordon_error *err)
{
	struct cordon_worker *worker = worker_new(source);
	struct cdn_report report;
	int code;

	if (worker == NULL)
		return cdn_err_nomem(err);
	if (text.n == 0)
		text = CDN_STR("");
	cdn_report_init(&report);
	parse_into(worker, text, mode, &report);
	code = cdn_report_tell(&report, true, diags, err);
	cdn_report_done(&report);
	if (code == 0 && !cdn_arena_str(worker->arena, text, &worker->text))
		code = cdn_err_nomem(err);
	if (code != 0) {
		cdn_worker_free(worker);
		return code;
	}
	cdn_digest(text, worker->digest);
	*ret = worker;
	return 0;
}

void
cdn_worker_free(struct cordon_worker *worker)
{
	if (worker != NULL)
		cdn_arena_free(worker->arena);
}
