#include "engine/worker/load.h"

#include "engine/policy/digest.h"
#include "engine/policy/schema.h"

#define OBJECT(keys) { (keys), CDN_LEN(keys) }

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
	for (size_t i = 0; i < object->n && !object->keys[i].old; i++) {
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

		if (child.value != NULL)
			key->load(load, &child);
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

static const struct cdn_worker_key path_keys[] = {
	{ "root", cdn_worker_load_root, offsetof(struct cdn_worker_path, root),
	    "add 'root: ./DIRECTORY'" },
	{ "mode", cdn_worker_load_mode,
	    offsetof(struct cdn_worker_path, write), NULL },
	{ "suffixes", cdn_worker_load_suffixes,
	    offsetof(struct cdn_worker_path, suffixes), NULL },
	{ "max_file_bytes", cdn_worker_load_number,
	    offsetof(struct cdn_worker_path, max_file_bytes), NULL },
};

/* The older form says `path` where `root` is meant. */
static const struct cdn_worker_key old_path_keys[] = {
	{ "path", cdn_worker_load_root, offsetof(struct cdn_worker_path, root),
	    "add 'path: ./DIRECTORY'" },
	{ "mode", cdn_worker_load_mode,
	    offsetof(struct cdn_worker_path, write), NULL },
	{ "suffixes", cdn_worker_load_suffixes,
	    offsetof(struct cdn_worker_path, suffixes), NULL },
	{ "max_file_bytes", cdn_worker_load_number,
	    offsetof(struct cdn_worker_path, max_file_bytes), NULL },
};

static void
load_paths_as(struct cdn_worker_load *load, const struct cdn_worker_slot *slot,
    const struct cdn_worker_object *object)
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
		cdn_worker_load_object(load, object, &child, path);
	}
}

static void
load_paths(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(path_keys);

	load_paths_as(load, slot, &object);
}

static void
load_sandboxes(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(old_path_keys);

	if (load->mode == CDN_WORKER_OLD)
		load_paths_as(load, slot, &object);
	else
		cdn_report_add(load->report, CDN_FINDING_VERSION,
		    slot->value->pos,
		    "`cordon worker migrate FILE` prints the new form; a "
		    "missing require_os_sandbox now means true",
		    "'sandboxes' is the older form: write sandbox.paths, with "
		    "'root' instead of 'path'");
}

/* ----- Approvals and grants -------------------------------------------------------- */

static const struct cdn_worker_key approval_keys[] = {
	{ "approval_required", cdn_worker_load_said, 0,
	    "add 'approval_required: true'" },
};

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
	static const struct cdn_worker_object object = OBJECT(approval_keys);
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
		cdn_worker_load_object(load, &object, &child,
		    &tool->approval_required);
		w->tool_count++;
	}
}

static const struct cdn_worker_key grant_keys[] = {
	{ "network", cdn_worker_load_said,
	    offsetof(struct cdn_worker_grants, network), NULL },
	{ "read", cdn_worker_load_texts,
	    offsetof(struct cdn_worker_grants, read), NULL },
	{ "write", cdn_worker_load_texts,
	    offsetof(struct cdn_worker_grants, write), NULL },
	{ "sockets", cdn_worker_load_texts,
	    offsetof(struct cdn_worker_grants, sockets), NULL },
};

static void
load_grants(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(grant_keys);

	cdn_worker_load_object(load, &object, slot, slot->field);
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

static const struct cdn_worker_key rule_keys[] = {
	{ "pattern", load_pattern, 0, "add 'pattern: \"git push\"'" },
	{ "approval_required", cdn_worker_load_said,
	    offsetof(struct cdn_worker_rule, approval_required),
	    "add 'approval_required: true'" },
	{ "grants", load_grants, offsetof(struct cdn_worker_rule, grants),
	    NULL },
};

static void
load_rules(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(rule_keys);
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
		cdn_worker_load_object(load, &object, &child, rule);
		rule->built.approval_required =
		    rule->approval_required != CDN_SAID_NO;
	}
}

static void
load_default(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(approval_keys);

	cdn_worker_load_object(load, &object, slot, slot->field);
}

/* ----- Modules ------------------------------------------------------------------------ */

static const struct cdn_worker_key constraint_keys[] = {
	{ "unrestricted", cdn_worker_load_said,
	    offsetof(struct cdn_worker_module, unrestricted), NULL },
	{ "allowed_paths", cdn_worker_load_texts,
	    offsetof(struct cdn_worker_module, allowed_paths), NULL },
};

static void
load_constraints(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(constraint_keys);

	cdn_worker_load_object(load, &object, slot, slot->field);
}

static const struct cdn_worker_key module_keys[] = {
	{ "constraints", load_constraints, 0, NULL },
};

static void
load_modules(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(module_keys);
	struct cordon_worker *w = load->worker;

	if (!cdn_worker_is(load, slot, CDN_TREE_MAP, CDN_NAMES_MAX))
		return;
	w->modules = cdn_worker_array(load, slot->value->count,
	    sizeof(*w->modules));
	for (const struct cdn_tree *entry = slot->value->first;
	     entry != NULL && w->modules != NULL; entry = entry->next) {
		struct cdn_worker_module *m = &w->modules[w->module_count++];
		struct cdn_worker_slot child = slot_of(slot, entry->key, entry,
		    m);

		m->name = entry->key;
		cdn_worker_load_object(load, &object, &child, m);
	}
}

/* ----- The document --------------------------------------------------------------------- */

#define IN_WORKER(f) offsetof(struct cordon_worker, f)

static const struct cdn_worker_key sandbox_keys[] = {
	{ "paths", load_paths, 0, NULL },
	{ "network", cdn_worker_load_said, IN_WORKER(network), NULL },
	{ "require_os_sandbox", cdn_worker_load_said,
	    IN_WORKER(require_os_sandbox), NULL },
};

static void
load_sandbox(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(sandbox_keys);

	cdn_worker_load_object(load, &object, slot, load->worker);
}

static const struct cdn_worker_key executor_keys[] = {
	{ "sandbox", cdn_worker_load_executor, IN_WORKER(executor), NULL },
	{ "allow_fallback", cdn_worker_load_said, IN_WORKER(allow_fallback),
	    NULL },
};

static void
load_executor(struct cdn_worker_load *load, const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(executor_keys);

	cdn_worker_load_object(load, &object, slot, load->worker);
}

static const struct cdn_worker_key attachment_keys[] = {
	{ "max_count", cdn_worker_load_number, IN_WORKER(max_count), NULL },
	{ "max_total_bytes", cdn_worker_load_number,
	    IN_WORKER(max_total_bytes), NULL },
};

static void
load_attachments(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	static const struct cdn_worker_object object = OBJECT(attachment_keys);

	cdn_worker_load_object(load, &object, slot, load->worker);
}

static const struct cdn_worker_key worker_keys[] = {
	{ "name", cdn_worker_load_name, IN_WORKER(name), NULL },
	{ "description", cdn_worker_load_text, IN_WORKER(description), NULL },
	{ "fsProfile", cdn_worker_load_text, IN_WORKER(fs_profile), NULL },
	{ "executor", load_executor, 0, NULL },
	{ "sandbox", load_sandbox, 0, NULL },
	{ "attachment_policy", load_attachments, 0, NULL },
	{ "tool_rules", load_tools, 0, NULL },
	{ "shell_rules", load_rules, 0, NULL },
	{ "shell_default", load_default, IN_WORKER(default_approval), NULL },
	{ "programs", cdn_worker_load_texts, IN_WORKER(programs), NULL },
	{ "modules", load_modules, 0, NULL },
	{ "sandboxes", load_sandboxes, 0, NULL, true }, /* last */
};

static void
parse_into(struct cordon_worker *worker, cdn_str text,
    enum cdn_worker_mode mode, struct cdn_report *report)
{
	static const struct cdn_worker_object object = OBJECT(worker_keys);
	struct cdn_worker_load load = { worker, report, mode };
	struct cdn_worker_slot slot = { .field = worker };

	if (!cdn_bytes_check(text, worker->source, report))
		return;
	slot.value = cdn_tree_parse(worker->arena, text, worker->source,
	    report);
	if (slot.value == NULL)
		return;
	if (slot.value->kind == CDN_TREE_MAP)
		cdn_worker_load_object(&load, &object, &slot, worker);
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
