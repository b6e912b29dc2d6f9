/*
 * load_scalars - shapes, and values that are one piece of text.
 */
#include "engine/policy/load.h"

#include "engine/policy/values.h"

/* ----- What every loader needs --------------------------------------------- */

struct cdn_label
cdn_label(const struct cdn_slot *slot)
{
	struct cdn_label label;

	snprintf(label.text, sizeof(label.text), "%s%s%s", slot->prefix,
	    *slot->prefix == '\0' ? "" : ".", slot->key->name);
	return label;
}

size_t
cdn_load_faults(const struct cdn_load *load)
{
	return load->report->errors + load->passed;
}

void *
cdn_load_array(struct cdn_load *load, size_t count, size_t size)
{
	void *array = cdn_arena_array(load->policy->arena, count, size);

	if (array == NULL)
		load->report->nomem = true;
	return array;
}

void
cdn_load_complain(struct cdn_load *load, const struct cdn_slot *slot,
    enum cdn_finding_kind finding, const struct cdn_tree *node,
    const char *hint, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cdn_report_add(load->report, finding, node->pos, hint,
	    "policy '%s': %s: %s", cdn_shown(load->policy->name).text,
	    cdn_label(slot).text, text);
}

static bool
refuse_type(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, const char *wanted, const char *hint)
{
	const char *what = node == slot->value ? "" : "an entry of ";

	if (node->kind == CDN_TREE_BAD)
		load->passed++;
	else
		cdn_report_add(load->report, CDN_FINDING_TYPE, node->pos, hint,
		    "%s'%s' must be %s, found %s", what, cdn_label(slot).text,
		    wanted, cdn_tree_describe(node));
	return false;
}

static bool
refuse_count(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, size_t max)
{
	cdn_report_add(load->report, CDN_FINDING_COUNT, node->pos,
	    "a pattern can stand for many paths",
	    "'%s' has %zu entries, more than the maximum of %zu",
	    cdn_label(slot).text, node->count, max);
	return false;
}

bool
cdn_load_is_list(struct cdn_load *load, const struct cdn_slot *slot, size_t max)
{
	const struct cdn_tree *node = slot->value;
	char hint[160];

	if (node->kind == CDN_TREE_LIST)
		return node->count <= max ||
		    refuse_count(load, slot, node, max);
	if (cdn_tree_is_null(node))
		snprintf(hint, sizeof(hint), "write [] for an empty list");
	else if (node->kind == CDN_TREE_SCALAR && !cdn_tree_is_bool(node))
		snprintf(hint, sizeof(hint), "write [\"%s\"]",
		    cdn_shown(node->text).text);
	else
		snprintf(hint, sizeof(hint), "write the entries in [ ]");
	return refuse_type(load, slot, node, "a list", hint);
}

bool
cdn_load_is_map(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, size_t max)
{
	if (node->kind == CDN_TREE_MAP)
		return node->count <= max ||
		    refuse_count(load, slot, node, max);
	return refuse_type(load, slot, node, "a mapping",
	    cdn_tree_is_null(node) ? "write {} for an empty mapping" :
				     "write 'KEY: VALUE' entries");
}

/* What a scalar of this key is called in a sentence. */
static const char *
scalar_name(const struct cdn_slot *slot, const struct cdn_tree *node)
{
	static const char *const names[CDN_TYPE_MAX] = {
		[CDN_TYPE_VERSION] = "a number",
		[CDN_TYPE_COUNT] = "a number",
		[CDN_TYPE_DURATION] = "a duration",
		[CDN_TYPE_SIZE] = "a size",
		[CDN_TYPE_NETWORK] = "a word or a list",
	};
	const char *name = node == slot->value ? names[slot->key->type] : NULL;

	return name == NULL ? "text" : name;
}

bool
cdn_load_is_text(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node)
{
	const char *wanted = scalar_name(slot, node);
	char hint[80];

	if (node->kind != CDN_TREE_SCALAR)
		return refuse_type(load, slot, node, wanted, NULL);
	if (!cdn_tree_is_null(node) && !cdn_tree_is_bool(node))
		return true;
	snprintf(hint, sizeof(hint), "if the text \"%s\" is meant, quote it",
	    node->text.p);
	return refuse_type(load, slot, node, wanted,
	    node->text.n == 0 ? "remove it, or give it a value" : hint);
}

/* ----- Text ---------------------------------------------------------------- */

/* Whether it can name a file is asked of a whole policy, merged ones too. */
void
cdn_load_name(struct cdn_load *load, const struct cdn_slot *slot)
{
	if (!cdn_load_is_text(load, slot, slot->value))
		return;
	load->policy->name = slot->value->text;
	load->policy->name_pos = slot->value->pos;
}

/* Other programs write `description: null` when there is none. */
void
cdn_load_text(struct cdn_load *load, const struct cdn_slot *slot)
{
	cdn_str *text = slot->field;

	if (cdn_tree_is_null(slot->value))
		return;
	if (cdn_load_is_text(load, slot, slot->value))
		*text = slot->value->text;
}

/* Orbit writes them into `spec`; `metadata` stands first and was loaded. */
void
cdn_load_note(struct cdn_load *load, const struct cdn_slot *slot)
{
	cdn_str *text = slot->field;

	if (cdn_tree_is_null(slot->value) ||
	    !cdn_load_is_text(load, slot, slot->value))
		return;
	if (text->p != NULL && !cdn_str_eq(*text, slot->value->text))
		cdn_load_complain(load, slot, CDN_FINDING_TWICE, slot->value,
		    "remove one of them", "'metadata.%s' says something else",
		    slot->key->name);
	*text = slot->value->text;
}

void
cdn_load_tree(struct cdn_load *load, const struct cdn_slot *slot)
{
	const struct cdn_tree **tree = slot->field;

	if (cdn_tree_is_null(slot->value))
		return;
	if (cdn_load_is_map(load, slot, slot->value, SIZE_MAX))
		*tree = slot->value;
}

/* ----- Numbers with units -------------------------------------------------- */

static void
load_value(struct cdn_load *load, const struct cdn_slot *slot,
    enum cdn_value_kind kind)
{
	struct cordon_error err;

	if (cdn_load_is_text(load, slot, slot->value) &&
	    cdn_value_parse(kind, slot->value->text, slot->field, &err) != 0)
		cdn_load_complain(load, slot, CDN_FINDING_VALUE, slot->value,
		    cdn_value_hint(kind), "%s", err.text);
}

void
cdn_load_duration(struct cdn_load *load, const struct cdn_slot *slot)
{
	load_value(load, slot, CDN_VALUE_DURATION);
}

void
cdn_load_size(struct cdn_load *load, const struct cdn_slot *slot)
{
	load_value(load, slot, CDN_VALUE_SIZE);
}

void
cdn_load_count(struct cdn_load *load, const struct cdn_slot *slot)
{
	load_value(load, slot, CDN_VALUE_COUNT);
}

/* ----- Words --------------------------------------------------------------- */

static void
refuse_word(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, enum cdn_words set,
    enum cdn_finding_kind finding)
{
	const struct cdn_word *word = NULL;
	struct cdn_nearest nearest;
	char hint[160] = "write one of:";
	size_t n = strlen(hint);

	cdn_nearest_begin(&nearest, node->text);
	while ((word = cdn_word_next(set, word)) != NULL) {
		n += (size_t)snprintf(hint + n, sizeof(hint) - n, " %s",
		    word->text);
		cdn_nearest_try(&nearest, word->text);
	}
	if (nearest.word != NULL)
		cdn_load_complain(load, slot, finding, node, hint,
		    "unknown word '%s' (did you mean '%s'?)",
		    cdn_shown(node->text).text, nearest.word);
	else
		cdn_load_complain(load, slot, finding, node, hint,
		    "unknown word '%s'", cdn_shown(node->text).text);
}

const struct cdn_word *
cdn_load_word(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, enum cdn_words set,
    enum cdn_finding_kind finding)
{
	const struct cdn_word *word;

	if (!cdn_load_is_text(load, slot, node))
		return NULL;
	word = cdn_word_find(set, node->text);
	if (word == NULL)
		refuse_word(load, slot, node, set, finding);
	return word;
}

void
cdn_load_enforcement(struct cdn_load *load, const struct cdn_slot *slot)
{
	const struct cdn_word *word = cdn_load_word(load, slot, slot->value,
	    CDN_WORDS_ENFORCEMENT, CDN_FINDING_WORD);

	if (word != NULL)
		load->policy->enforcement = (enum cdn_enforcement)word->value;
}

void
cdn_load_isolation(struct cdn_load *load, const struct cdn_slot *slot)
{
	const struct cdn_word *word = cdn_load_word(load, slot, slot->value,
	    CDN_WORDS_ISOLATION, CDN_FINDING_WORD);

	if (word != NULL)
		load->policy->isolation = (enum cdn_isolation)word->value;
}

void
cdn_load_failure(struct cdn_load *load, const struct cdn_slot *slot)
{
	const struct cdn_word *word = cdn_load_word(load, slot, slot->value,
	    CDN_WORDS_FAILURE, CDN_FINDING_WORD);

	if (word == NULL)
		return;
	load->policy->audit_set = true;
	load->policy->audit_warn = word->value == CDN_FAILURE_WARN;
}
