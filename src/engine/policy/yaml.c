/*
 * yaml - libyaml's events to a tree.
 *
 * What libyaml accepts and a policy must not hold (anchors, tags, keys twice)
 * becomes a finding, and the reading goes on; where it does go on is marked
 * CDN_TREE_BAD, so that nobody complains a second time.
 */
#include "engine/policy/tree.h"

#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	struct cdn_arena *arena;
	struct cdn_report *report;
	const char *source;
	cdn_str text;
	/* libyaml counts characters; the last place asked for, in bytes: */
	size_t chars;
	size_t bytes;
	size_t line_start;
	unsigned line;
	bool ascii; /* then a character is a byte */
	bool stop; /* there is no sense in reading on */
};

/* ----- Where? ------------------------------------------------------------- */

static void
rewind_place(struct reader *r)
{
	r->chars = 0;
	r->bytes = 0;
	r->line_start = 0;
	r->line = 1;
}

static bool
is_ascii(cdn_str text)
{
	unsigned char all = 0;

	for (size_t i = 0; i < text.n; i++)
		all |= (unsigned char)text.p[i];
	return all < 0x80;
}

/* From one end of a line to the next. */
static void
skip_lines(struct reader *r, size_t to)
{
	const char *p = r->text.p, *end;

	while (r->bytes < to && (end = memchr(p + r->bytes, '\n',
	    to - r->bytes)) != NULL) {
		r->bytes = r->line_start = (size_t)(end - p) + 1;
		r->line++;
	}
	r->bytes = r->chars = to;
}

/* Events come in the order of the text, so this walks over it once. */
static struct cdn_pos
place(struct reader *r, yaml_mark_t mark)
{
	const char *p = r->text.p;
	const char *end = p + r->text.n;

	if (mark.index < r->chars)
		rewind_place(r);
	if (r->ascii)
		skip_lines(r, mark.index < r->text.n ? mark.index : r->text.n);
	while (r->chars < mark.index && r->bytes < r->text.n) {
		bool line_end = p[r->bytes] == '\n';

		r->bytes += (unsigned char)p[r->bytes] < 0x80 ? 1 :
		    cdn_utf8_len(p + r->bytes, end);
		r->chars++;
		if (line_end) {
			r->line++;
			r->line_start = r->bytes;
		}
	}
	return (struct cdn_pos){ r->source, r->line,
		(unsigned)(r->bytes - r->line_start) + 1 };
}

/* ----- libyaml's own complaints ------------------------------------------- */

#define HINT_QUOTE_STAR \
	"quote a pattern that begins with '*', as in \"**/*.env\""
#define HINT_QUOTE_BANG "quote a rule that begins with '!', as in \"!docs/**\""

/* The words of libyaml by which a usual mistake is known. */
/* clang-format off */
static const struct {
	const char *words;
	const char *hint;
} syntax_hints[] = {
	{ "while scanning an alias", HINT_QUOTE_STAR },
	{ "tag", HINT_QUOTE_BANG },
	{ "while scanning an anchor", "quote a value that begins with '&'" },
	{ "cannot start any token",
	    "quote the value, and indent with spaces, not with tabs" },
	{ "mapping values are not allowed",
	    "check the indentation, and quote a value that holds ': '" },
	{ "unexpected end of stream", "close the quotation mark" },
	{ "expected ',' or", "close the bracket, and put commas between entries" },
	{ "expected node content",
	    "a value is missing here: write one, or remove the comma" },
	{ "could not find expected ':'",
	    "put ':' and a space behind the key, and check the indentation" },
	{ "did not find expected", "check the indentation of this line" },
};
/* clang-format on */

static const char *
syntax_hint(const char *context, const char *problem)
{
	for (size_t i = 0; i < CDN_LEN(syntax_hints); i++)
		if (strstr(context, syntax_hints[i].words) != NULL ||
		    strstr(problem, syntax_hints[i].words) != NULL)
			return syntax_hints[i].hint;
	return NULL;
}

static void
report_syntax(struct reader *r)
{
	const char *problem = r->parser.problem;
	const char *context = r->parser.context;
	struct cdn_pos pos = place(r, r->parser.problem_mark);
	struct cdn_pos from;

	if (problem == NULL)
		problem = "not valid YAML";
	if (context == NULL) {
		cdn_report_add(r->report, CDN_FINDING_SYNTAX, pos,
		    syntax_hint("", problem), "%s", problem);
		return;
	}
	from = place(r, r->parser.context_mark);
	cdn_report_add(r->report, CDN_FINDING_SYNTAX, pos,
	    syntax_hint(context, problem), "%s, %s at %u:%u", problem, context,
	    from.line, from.column);
}

/* ----- Events and nodes --------------------------------------------------- */

static bool
out_of_memory(struct reader *r)
{
	r->report->nomem = true;
	r->stop = true;
	return false;
}

/* The next event, to be deleted by the caller; false: stop. */
static bool
next_event(struct reader *r, yaml_event_t *ret)
{
	if (r->stop)
		return false;
	if (yaml_parser_parse(&r->parser, ret))
		return true;
	if (r->parser.error == YAML_MEMORY_ERROR)
		return out_of_memory(r);
	report_syntax(r);
	r->stop = true;
	return false;
}

static struct cdn_tree *
new_node(struct reader *r, enum cdn_tree_kind kind, struct cdn_pos pos)
{
	struct cdn_tree *node = cdn_arena_alloc(r->arena, sizeof(*node));

	if (node == NULL) {
		out_of_memory(r);
		return NULL;
	}
	node->kind = kind;
	node->pos = pos;
	return node;
}

/*
 * Anchors and tags.  The tag "!" alone is visible in the text only: libyaml
 * drops it, and `- ! secret` would lose the very mark that makes it a deny.
 */
static bool
has_properties(struct reader *r, const yaml_char_t *anchor,
    const yaml_char_t *tag, struct cdn_pos pos, bool scalar)
{
	bool bang = r->bytes < r->text.n && r->text.p[r->bytes] == '!';

	if (tag != NULL || (scalar && bang))
		cdn_report_add(r->report, CDN_FINDING_TAG, pos, HINT_QUOTE_BANG,
		    "tags are not supported");
	else if (anchor != NULL)
		cdn_report_add(r->report, CDN_FINDING_ANCHOR, pos,
		    "write the value out where it is used",
		    "anchors and aliases are not supported");
	else
		return false;
	return true;
}

static struct cdn_tree *
read_scalar(struct reader *r, const yaml_event_t *event, struct cdn_pos pos)
{
	cdn_str text = { (const char *)event->data.scalar.value,
		event->data.scalar.length };
	struct cdn_tree *node = new_node(r, CDN_TREE_SCALAR, pos);

	if (node == NULL)
		return NULL;
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (!cdn_arena_str(r->arena, text, &node->text)) {
		out_of_memory(r);
		return NULL;
	}
	if (has_properties(r, event->data.scalar.anchor, event->data.scalar.tag,
		pos, true)) {
		node->kind = CDN_TREE_BAD;
	} else if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL) {
		cdn_report_add(r->report, CDN_FINDING_CHARACTER, pos,
		    "no path and no name can hold it",
		    "character U+0000 is not allowed, not even as an escape");
		node->kind = CDN_TREE_BAD;
	} else if (node->plain &&
	    event->start_mark.line != event->end_mark.line) {
		cdn_report_add(r->report, CDN_FINDING_SYNTAX, pos,
		    "check the indentation of the next line, or put the value "
		    "in quotes",
		    "a value without quotes goes on over several lines");
		node->kind = CDN_TREE_BAD;
	}
	return node;
}

static void
add_child(struct cdn_tree *parent, struct cdn_tree **last,
    struct cdn_tree *child)
{
	if (*last == NULL)
		parent->first = child;
	else
		(*last)->next = child;
	*last = child;
	parent->count++;
}

static struct cdn_tree *read_node(struct reader *r, yaml_event_t *event,
    unsigned depth);

static bool
read_list(struct reader *r, struct cdn_tree *list, unsigned depth)
{
	struct cdn_tree *last = NULL;
	yaml_event_t event;

	while (next_event(r, &event)) {
		struct cdn_tree *child;

		if (event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			return true;
		}
		child = read_node(r, &event, depth);
		if (child == NULL)
			return false;
		add_child(list, &last, child);
	}
	return false;
}

/* A key that can be looked up; otherwise a finding, and the entry is lost. */
static bool
usable_key(struct reader *r, const struct cdn_tree *key)
{
	if (key->kind == CDN_TREE_BAD)
		return false;
	if (key->kind != CDN_TREE_SCALAR) {
		cdn_report_add(r->report, CDN_FINDING_KEY, key->pos,
		    "a key is a single word", "key is %s",
		    cdn_tree_describe(key));
		return false;
	}
	if (key->plain && cdn_str_is(key->text, "<<")) {
		cdn_report_add(r->report, CDN_FINDING_KEY, key->pos,
		    "write the entries out where they are used",
		    "merge keys are not supported");
		return false;
	}
	return true;
}

/* One entry; *ret stays NULL when its key was refused. */
static bool
read_entry(struct reader *r, yaml_event_t *event, unsigned depth,
    struct cdn_tree **ret)
{
	struct cdn_tree *key = read_node(r, event, depth);
	struct cdn_tree *value;
	yaml_event_t next;

	if (key == NULL || !next_event(r, &next))
		return false;
	value = read_node(r, &next, depth);
	if (value == NULL)
		return false;
	if (usable_key(r, key)) {
		value->key = key->text;
		value->key_pos = key->pos;
		*ret = value;
	}
	return true;
}

static bool refuse_twins(struct reader *r, struct cdn_tree *map);

static bool
read_map(struct reader *r, struct cdn_tree *map, unsigned depth)
{
	struct cdn_tree *last = NULL;
	yaml_event_t event;

	while (next_event(r, &event)) {
		struct cdn_tree *entry = NULL;

		if (event.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&event);
			return refuse_twins(r, map);
		}
		if (!read_entry(r, &event, depth, &entry))
			return false;
		if (entry != NULL)
			add_child(map, &last, entry);
	}
	return false;
}

static struct cdn_tree *
read_collection(struct reader *r, enum cdn_tree_kind kind, struct cdn_pos pos,
    bool refused, unsigned depth)
{
	struct cdn_tree *node;
	bool whole;

	if (depth >= CDN_DEPTH_MAX) {
		cdn_report_add(r->report, CDN_FINDING_DEPTH, pos,
		    "no key of a policy needs that many",
		    "more than %d levels of nesting", CDN_DEPTH_MAX);
		r->stop = true;
		return NULL;
	}
	node = new_node(r, kind, pos);
	if (node == NULL)
		return NULL;
	whole = kind == CDN_TREE_LIST ? read_list(r, node, depth + 1) :
					read_map(r, node, depth + 1);
	if (refused)
		node->kind = CDN_TREE_BAD;
	return whole ? node : NULL;
}

static struct cdn_tree *
read_alias(struct reader *r, struct cdn_pos pos)
{
	cdn_report_add(r->report, CDN_FINDING_ANCHOR, pos, HINT_QUOTE_STAR,
	    "anchors and aliases are not supported");
	return new_node(r, CDN_TREE_BAD, pos);
}

/* Consumes the event and what belongs to it; NULL: stop. */
static struct cdn_tree *
read_node(struct reader *r, yaml_event_t *event, unsigned depth)
{
	struct cdn_pos pos = place(r, event->start_mark);
	struct cdn_tree *node = NULL;
	bool refused;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		node = read_scalar(r, event, pos);
		break;
	case YAML_ALIAS_EVENT:
		node = read_alias(r, pos);
		break;
	case YAML_SEQUENCE_START_EVENT:
		refused = has_properties(r, event->data.sequence_start.anchor,
		    event->data.sequence_start.tag, pos, false);
		node = read_collection(r, CDN_TREE_LIST, pos, refused, depth);
		break;
	case YAML_MAPPING_START_EVENT:
		refused = has_properties(r, event->data.mapping_start.anchor,
		    event->data.mapping_start.tag, pos, false);
		node = read_collection(r, CDN_TREE_MAP, pos, refused, depth);
		break;
	default:
		cdn_bug("libyaml sent an event that no node begins with");
	}
	yaml_event_delete(event);
	return node;
}

/* ----- No key twice ------------------------------------------------------- */

/* By key, then in the order of the file. */
static int
by_key(const void *a, const void *b)
{
	const struct cdn_tree *x = *(struct cdn_tree *const *)a;
	const struct cdn_tree *y = *(struct cdn_tree *const *)b;
	int order = cdn_str_cmp(x->key, y->key);

	if (order != 0)
		return order;
	if (x->key_pos.line != y->key_pos.line)
		return x->key_pos.line < y->key_pos.line ? -1 : 1;
	return x->key_pos.column < y->key_pos.column ? -1 : 1;
}

static void
refuse_twin(struct reader *r, const struct cdn_tree *first,
    const struct cdn_tree *second)
{
	cdn_report_add(r->report, CDN_FINDING_TWICE, second->key_pos,
	    "keep one of the two", "key '%s' is there twice, first at %u:%u",
	    cdn_shown(second->key).text, first->key_pos.line,
	    first->key_pos.column);
}

/* Sorted, because a hostile mapping has a hundred thousand keys. */
static bool
refuse_twins(struct reader *r, struct cdn_tree *map)
{
	struct cdn_tree **sorted;
	size_t n = 0, first = 0;

	if (map->count < 2)
		return true;
	sorted = cdn_arena_array(r->arena, map->count,
	    sizeof(struct cdn_tree *));
	if (sorted == NULL)
		return out_of_memory(r);
	for (struct cdn_tree *e = map->first; e != NULL; e = e->next)
		sorted[n++] = e;
	qsort(sorted, n, sizeof(struct cdn_tree *), by_key);
	for (size_t i = 1; i < n; i++) {
		if (cdn_str_eq(sorted[i]->key, sorted[first]->key))
			refuse_twin(r, sorted[first], sorted[i]);
		else
			first = i;
	}
	return true;
}

/* ----- The document ------------------------------------------------------- */

/* Reads on to an event of the wanted type and drops it; false: another. */
static bool
expect_event(struct reader *r, yaml_event_type_t wanted, yaml_mark_t *ret_mark)
{
	yaml_event_t event;
	bool found;

	if (!next_event(r, &event))
		return false;
	found = event.type == wanted;
	*ret_mark = event.start_mark;
	if (found && wanted == YAML_DOCUMENT_START_EVENT &&
	    event.data.document_start.tag_directives.start !=
		event.data.document_start.tag_directives.end)
		cdn_report_add(r->report, CDN_FINDING_TAG,
		    place(r, event.start_mark), "remove the %TAG line",
		    "tag directives are not supported");
	yaml_event_delete(&event);
	return found;
}

static bool
begin_document(struct reader *r)
{
	yaml_mark_t mark;

	if (!expect_event(r, YAML_STREAM_START_EVENT, &mark))
		return false;
	if (expect_event(r, YAML_DOCUMENT_START_EVENT, &mark))
		return true;
	if (!r->stop)
		cdn_report_add(r->report, CDN_FINDING_EMPTY,
		    (struct cdn_pos){ r->source, 1, 1 },
		    "begin with 'schemaVersion: 2' and 'kind: Policy'",
		    "document is empty");
	return false;
}

static bool
end_document(struct reader *r)
{
	yaml_mark_t mark;

	if (!expect_event(r, YAML_DOCUMENT_END_EVENT, &mark))
		return false;
	if (expect_event(r, YAML_STREAM_END_EVENT, &mark))
		return true;
	if (!r->stop)
		cdn_report_add(r->report, CDN_FINDING_DOCUMENTS, place(r, mark),
		    "put each policy into a file of its own",
		    "more than one document in a file");
	return false;
}

static const struct cdn_tree *
read_document(struct reader *r)
{
	struct cdn_tree *root;
	yaml_event_t event;

	if (!begin_document(r) || !next_event(r, &event))
		return NULL;
	root = read_node(r, &event, 0);
	if (root == NULL || !end_document(r))
		return NULL;
	return root;
}

const struct cdn_tree *
cdn_tree_parse(struct cdn_arena *arena, cdn_str text, const char *source,
    struct cdn_report *report)
{
	struct reader r = { .arena = arena,
		.report = report,
		.source = source,
		.text = text };
	const struct cdn_tree *root;

	rewind_place(&r);
	r.ascii = is_ascii(text);
	if (!yaml_parser_initialize(&r.parser)) {
		report->nomem = true;
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.p,
	    text.n);
	root = read_document(&r);
	yaml_parser_delete(&r.parser);
	return root;
}
