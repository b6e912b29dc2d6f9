/*
 * load_values - values that are one piece of text, or a list of such.
 */
#include "engine/worker/load.h"

#include "engine/policy/policy.h"
#include "engine/policy/values.h"

static const char *
wanted(enum cdn_tree_kind kind)
{
	return kind == CDN_TREE_MAP ? "a mapping" :
	    kind == CDN_TREE_LIST   ? "a list" :
				      "text";
}

bool
cdn_worker_is(struct cdn_worker_load *load, const struct cdn_worker_slot *slot,
    enum cdn_tree_kind kind, size_t max)
{
	const struct cdn_tree *node = slot->value;

	if (node->kind == CDN_TREE_BAD)
		return false;
	if (node->kind != kind ||
	    (kind == CDN_TREE_SCALAR && cdn_tree_is_null(node))) {
		cdn_report_add(load->report, CDN_FINDING_TYPE, node->pos, NULL,
		    "'%s' must be %s, found %s", slot->label, wanted(kind),
		    cdn_tree_describe(node));
		return false;
	}
	if (node->count <= max)
		return true;
	cdn_report_add(load->report, CDN_FINDING_COUNT, node->pos, NULL,
	    "'%s' has %zu entries, more than the maximum of %zu", slot->label,
	    node->count, max);
	return false;
}

void *
cdn_worker_array(struct cdn_worker_load *load, size_t count, size_t size)
{
	void *array = cdn_arena_array(load->worker->arena,
	    count > 0 ? count : 1, size);

	if (array == NULL)
		load->report->nomem = true;
	return array;
}

void
cdn_worker_load_text(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	if (cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		*(cdn_str *)slot->field = slot->value->text;
}

void
cdn_worker_load_name(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	struct cordon_error why;

	if (!cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		return;
	if (cdn_name_check(slot->value->text, &why) != 0)
		cdn_report_add(load->report, CDN_FINDING_NAME,
		    slot->value->pos, NULL, "'%s': %s", slot->label, why.text);
	else
		*(cdn_str *)slot->field = slot->value->text;
}

void
cdn_worker_load_root(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	if (!cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		return;
	if (slot->value->text.n == 0 || slot->value->text.n > CDN_PATH_MAX)
		cdn_report_add(load->report, CDN_FINDING_ROOT,
		    slot->value->pos,
		    "a directory or file: './portfolio', '/data', '~/x'",
		    "'%s' is %s", slot->label,
		    slot->value->text.n == 0 ? "empty" : "too long");
	else
		*(cdn_str *)slot->field = slot->value->text;
}

void
cdn_worker_load_mode(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	const struct cdn_tree *node = slot->value;

	if (!cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		return;
	if (cdn_str_is(node->text, "rw"))
		*(bool *)slot->field = true;
	else if (!cdn_str_is(node->text, "ro"))
		cdn_report_add(load->report, CDN_FINDING_WORD, node->pos,
		    "ro: read only; rw: read and write",
		    "'%s' must be ro or rw, found '%s'", slot->label,
		    cdn_shown(node->text).text);
}

void
cdn_worker_load_said(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	const struct cdn_tree *node = slot->value;

	if (node->kind == CDN_TREE_BAD)
		return;
	if (node->kind != CDN_TREE_SCALAR || !cdn_tree_is_bool(node))
		cdn_report_add(load->report, CDN_FINDING_TYPE, node->pos,
		    "write true or false", "'%s' must be true or false, found %s",
		    slot->label, cdn_tree_describe(node));
	else
		*(enum cdn_said *)slot->field = cdn_str_is(node->text, "true") ?
		    CDN_SAID_YES : CDN_SAID_NO;
}

/* A count of bytes or of files; 0 is one, too. */
void
cdn_worker_load_number(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	struct cdn_worker_number *number = slot->field;
	const struct cdn_tree *node = slot->value;
	struct cordon_error why;

	if (!cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		return;
	number->given = true;
	if (cdn_str_is(node->text, "0"))
		number->value = 0;
	else if (cdn_value_parse(CDN_VALUE_SIZE, node->text, &number->value,
		     &why) != 0)
		cdn_report_add(load->report, CDN_FINDING_VALUE, node->pos,
		    cdn_value_hint(CDN_VALUE_SIZE), "'%s': %s", slot->label,
		    why.text);
}

void
cdn_worker_load_texts(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	struct cdn_worker_texts *texts = slot->field;
	struct cdn_worker_slot entry = *slot;

	if (!cdn_worker_is(load, slot, CDN_TREE_LIST, CDN_SHELL_RULES_MAX))
		return;
	texts->given = true;
	texts->v = cdn_worker_array(load, slot->value->count,
	    sizeof(*texts->v));
	if (texts->v == NULL)
		return;
	for (entry.value = slot->value->first; entry.value != NULL;
	     entry.value = entry.value->next) {
		entry.field = &texts->v[texts->n];
		cdn_worker_load_root(load, &entry);
		if (texts->v[texts->n].n > 0)
			texts->n++;
	}
}

void
cdn_worker_load_suffixes(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	const struct cdn_worker_texts *texts = slot->field;

	cdn_worker_load_texts(load, slot);
	for (size_t i = 0; i < texts->n; i++)
		if (texts->v[i].p[0] != '.' || texts->v[i].n < 2 ||
		    memchr(texts->v[i].p, '/', texts->v[i].n) != NULL)
			cdn_report_add(load->report, CDN_FINDING_VALUE,
			    slot->value->pos, "write '.md'",
			    "'%s': '%s' is not a suffix", slot->label,
			    cdn_shown(texts->v[i]).text);
}

static const char *const executors[CDN_EXECUTOR_MAX] = {
	[CDN_EXECUTOR_AUTO] = "auto",
	[CDN_EXECUTOR_NONE] = "none",
	[CDN_EXECUTOR_LINUX_NATIVE] = "linux-native",
	[CDN_EXECUTOR_LINUX_BWRAP] = "linux-bwrap",
	[CDN_EXECUTOR_MACOS] = "macos-sandbox-exec",
};

const char *
cdn_executor_name(enum cdn_worker_executor executor)
{
	return (unsigned)executor < CDN_EXECUTOR_MAX ? executors[executor] :
						       NULL;
}

void
cdn_worker_load_executor(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot)
{
	const struct cdn_tree *node = slot->value;

	if (!cdn_worker_is(load, slot, CDN_TREE_SCALAR, 0))
		return;
	for (unsigned i = 0; i < CDN_EXECUTOR_MAX; i++)
		if (cdn_str_is(node->text, executors[i])) {
			*(enum cdn_worker_executor *)slot->field =
			    (enum cdn_worker_executor)i;
			return;
		}
	cdn_report_add(load->report, CDN_FINDING_WORD, node->pos,
	    "auto, none, linux-native, linux-bwrap or macos-sandbox-exec",
	    "'%s': '%s' is no sandbox", slot->label,
	    cdn_shown(node->text).text);
}
