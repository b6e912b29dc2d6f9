#include "engine/policy/load.h"

#include "engine/policy/digest.h"

/* clang-format off */
static void (*const loaders[CDN_TYPE_MAX])(struct cdn_load *,
    const struct cdn_slot *) = {
#define CDN_TYPE(id, function, name, text, json) \
	[CDN_TYPE_##id] = cdn_load_##function,
#include "engine/policy/schema.def"
#undef CDN_TYPE
};

static const struct {
	const char *key;
	const char *hint;
} missing_hints[] = {
	{ "schemaVersion", "add 'schemaVersion: 2'" },
	{ "kind", "add 'kind: Policy'" },
	{ "metadata", "add 'metadata: {name: NAME}'" },
	{ "name", "add 'name: NAME'; a stored policy is found by it" },
	{ "spec", "add 'spec:'; 'spec: {}' is a policy that denies nothing" },
};
/* clang-format on */

/* ----- Objects: mappings with fixed keys ----------------------------------- */

static void
report_missing(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *map)
{
	const char *hint = NULL;

	for (size_t i = 0; i < CDN_LEN(missing_hints); i++)
		if (strcmp(missing_hints[i].key, slot->key->name) == 0)
			hint = missing_hints[i].hint;
	cdn_report_add(load->report, CDN_FINDING_MISSING, map->pos, hint,
	    "'%s' is missing", cdn_label(slot).text);
}

/* "keys of spec: denyRead denyModify ..." */
static void
list_keys(enum cdn_object object, char *out, size_t size)
{
	static const char *const nouns[CDN_OBJECT_MAX] = {
		[CDN_OBJECT_DOCUMENT] = "a policy",
		[CDN_OBJECT_PROFILE] = "a profile",
	};
	const char *noun = nouns[object];
	const struct cdn_key *key = NULL;
	size_t n;

	n = (size_t)snprintf(out, size,
	    "keys of %s:", noun == NULL ? cdn_objects[object].name : noun);
	while ((key = cdn_schema_next(object, key)) != NULL && n < size)
		if (key->type != CDN_TYPE_NOTE) /* `metadata` lists them */
			n += (size_t)snprintf(out + n, size - n, " %s",
			    key->name);
}

static void
report_unknown(struct cdn_load *load, enum cdn_object object,
    const struct cdn_tree *entry)
{
	struct cdn_shown wrong = cdn_shown(entry->key);
	const char *meant, *elsewhere;
	char hint[256];

	if (cdn_report_full(load->report)) {
		load->report->errors++;
		return;
	}
	list_keys(object, hint, sizeof(hint));
	meant = cdn_schema_suggest(object, entry->key);
	elsewhere = cdn_schema_elsewhere(entry->key);
	if (meant != NULL)
		cdn_report_add(load->report, CDN_FINDING_UNKNOWN,
		    entry->key_pos, hint,
		    "unknown key '%s' (did you mean '%s'?)", wrong.text, meant);
	else if (elsewhere != NULL)
		cdn_report_add(load->report, CDN_FINDING_UNKNOWN,
		    entry->key_pos, hint, "unknown key '%s' (it belongs %s%s)",
		    wrong.text, *elsewhere == '\0' ? "at the top" : "into ",
		    elsewhere);
	else
		cdn_report_add(load->report, CDN_FINDING_UNKNOWN,
		    entry->key_pos, hint, "unknown key '%s'", wrong.text);
}

static void
report_unknowns(struct cdn_load *load, enum cdn_object object,
    const struct cdn_tree *map)
{
	for (const struct cdn_tree *entry = map->first; entry != NULL;
	     entry = entry->next)
		if (cdn_schema_find(object, entry->key) == NULL)
			report_unknown(load, object, entry);
}

static void
load_object(struct cdn_load *load, enum cdn_object object,
    const struct cdn_tree *map, const char *prefix, void *base)
{
	struct cdn_slot slot = { .prefix = prefix, .base = base };

	while ((slot.key = cdn_schema_next(object, slot.key)) != NULL &&
	    !load->foreign) {
		slot.value = cdn_tree_find(map, cdn_str_of(slot.key->name));
		slot.field = (char *)base + slot.key->offset;
		if (slot.value != NULL)
			loaders[slot.key->type](load, &slot);
		else if (slot.key->absent == NULL)
			report_missing(load, &slot, map);
	}
	if (!load->foreign)
		report_unknowns(load, object, map);
}

void
cdn_load_object(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cdn_label label = cdn_label(slot);

	if (cdn_load_is_map(load, slot, slot->value, SIZE_MAX))
		load_object(load, slot->key->child, slot->value, label.text,
		    slot->field);
}

/* ----- What the document says it is ---------------------------------------- */

static void
refuse_version(struct cdn_load *load, const struct cdn_tree *node, bool old)
{
	load->foreign = true;
	cdn_report_add(load->report, CDN_FINDING_VERSION, node->pos,
	    old ? "move the rules, then write 'schemaVersion: 2'" :
		  "this version of cordon reads schemaVersion 2",
	    "unsupported policy schemaVersion %s%s", cdn_shown(node->text).text,
	    old ? ": migrate its rules to spec.denyRead, spec.denyModify and "
		  "spec.fsProfiles" :
		  "");
}

void
cdn_load_version(struct cdn_load *load, const struct cdn_slot *slot)
{
	const struct cdn_tree *node = slot->value;
	uint64_t version;

	if (!cdn_load_is_text(load, slot, node))
		return;
	if (!cdn_str_parse_u64(node->text, &version) ||
	    (node->text.p[0] == '0' && node->text.n > 1))
		cdn_report_add(load->report, CDN_FINDING_VERSION, node->pos,
		    "write 'schemaVersion: 2'",
		    "'schemaVersion' must be a whole number, found '%s'",
		    cdn_shown(node->text).text);
	else if (version != 2)
		refuse_version(load, node, version == 1);
	else if (!node->plain)
		cdn_report_add(load->report, CDN_FINDING_VERSION, node->pos,
		    "remove the quotation marks",
		    "'schemaVersion' must be a number, found text");
}

void
cdn_load_kind(struct cdn_load *load, const struct cdn_slot *slot)
{
	if (!cdn_load_is_text(load, slot, slot->value) ||
	    cdn_str_is(slot->value->text, "Policy"))
		return;
	load->foreign = true;
	cdn_report_add(load->report, CDN_FINDING_KIND, slot->value->pos,
	    "if this is to be a policy, write 'kind: Policy'",
	    "expected kind 'Policy', found '%s'",
	    cdn_shown(slot->value->text).text);
}

/* ----- Profiles ------------------------------------------------------------ */

static void
load_profile(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, struct cdn_profile_def *def)
{
	struct cdn_label label = cdn_label(slot);
	const char *fault = cdn_label_fault(node->key);
	const char *prefix;

	def->name = node->key;
	def->pos = node->key_pos;
	if (fault != NULL)
		cdn_report_add(load->report, CDN_FINDING_PROFILE, node->key_pos,
		    "a name has 1 to 128 printable bytes",
		    "policy '%s': %s fsProfile name",
		    cdn_shown(load->policy->name).text, fault);
	prefix = cdn_arena_printf(load->scratch, "%s.%s", label.text,
	    cdn_shown(node->key).text);
	if (prefix == NULL) {
		load->report->nomem = true;
		return;
	}
	if (cdn_load_is_map(load, slot, node, SIZE_MAX))
		load_object(load, CDN_OBJECT_PROFILE, node, prefix, def);
}

void
cdn_load_profiles(struct cdn_load *load, const struct cdn_slot *slot)
{
	struct cordon_policy *policy = load->policy;
	const struct cdn_tree *node;
	bool *doubt;

	if (!cdn_load_is_map(load, slot, slot->value, CDN_PROFILES_MAX))
		return;
	policy->profiles = cdn_load_array(load, slot->value->count,
	    sizeof(*policy->profiles));
	doubt = cdn_load_array(load, slot->value->count, sizeof(*doubt));
	if (policy->profiles == NULL || doubt == NULL)
		return;
	for (node = slot->value->first; node != NULL; node = node->next) {
		size_t before = cdn_load_faults(load);
		size_t i = policy->profile_count++;

		load_profile(load, slot, node, &policy->profiles[i]);
		doubt[i] = cdn_load_faults(load) != before;
	}
	load->doubt.profiles = doubt;
}

/* ----- The document -------------------------------------------------------- */

static void
load_document(struct cdn_load *load, const struct cdn_tree *root)
{
	struct cdn_report *report = load->report;

	if (root->kind != CDN_TREE_MAP) {
		if (root->kind != CDN_TREE_BAD)
			cdn_report_add(report, CDN_FINDING_TYPE, root->pos,
			    "begin with 'schemaVersion: 2' and 'kind: Policy'",
			    "a policy must be a mapping, found %s",
			    cdn_tree_describe(root));
		return;
	}
	load_object(load, CDN_OBJECT_DOCUMENT, root, "", load->policy);
	if (!load->foreign && !report->nomem)
		cdn_validate(load->policy, &load->doubt, report);
}

static void
parse_into(struct cordon_policy *policy, cdn_str text, bool part,
    struct cdn_report *report)
{
	struct cdn_load load = { .policy = policy, .report = report,
		.doubt.needs_merge = part ? &policy->needs_merge : NULL };
	const struct cdn_tree *root;

	if (!cdn_bytes_check(text, policy->source, report))
		return;
	root = cdn_tree_parse(policy->arena, text, policy->source, report);
	if (root == NULL)
		return;
	load.scratch = cdn_arena_new();
	if (load.scratch == NULL)
		report->nomem = true;
	else
		load_document(&load, root);
	cdn_arena_free(load.scratch);
}

static struct cordon_policy *
policy_new(const char *source)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_policy *policy = NULL;

	if (arena != NULL)
		policy = cdn_arena_alloc(arena, sizeof(*policy));
	if (policy != NULL) {
		policy->arena = arena;
		policy->name = CDN_STR("");
		policy->source = cdn_arena_dup(arena, source, strlen(source));
	}
	if (policy == NULL || policy->source == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	return policy;
}

static int
parse(cdn_str text, const char *source, bool part, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	struct cordon_policy *policy = policy_new(source);
	struct cdn_report report;
	int code;

	if (policy == NULL)
		return cdn_err_nomem(err);
	if (text.n == 0)
		text = CDN_STR(""); /* never NULL from here on */
	cdn_report_init(&report);
	parse_into(policy, text, part, &report);
	code = cdn_report_tell(&report, true, diags, err);
	cdn_report_done(&report);
	if (code != 0) {
		cdn_policy_free(policy);
		return code;
	}
	cdn_digest(text, policy->digest);
	if (!cdn_arena_str(policy->arena, text, &policy->text)) {
		cdn_policy_free(policy);
		return cdn_err_nomem(err);
	}
	*ret = policy;
	return 0;
}

int
cdn_policy_parse(cdn_str text, const char *source, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	return parse(text, source, false, diags, ret, err);
}

int
cdn_policy_parse_part(cdn_str text, const char *source,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	return parse(text, source, true, diags, ret, err);
}

void
cdn_policy_free(struct cordon_policy *policy)
{
	if (policy != NULL)
		cdn_arena_free(policy->arena);
}

const struct cdn_profile_def *
cdn_policy_find_profile(const struct cordon_policy *policy, cdn_str name)
{
	for (size_t i = 0; i < policy->profile_count; i++)
		if (cdn_str_eq(policy->profiles[i].name, name))
			return &policy->profiles[i];
	return NULL;
}
