#include "base/json.h"

#include "base/json_keys.h"
#include "base/json_text.h"

#define NONE	  UINT32_MAX /* no container is open */
#define KEY_SHOWN 64UL	     /* bytes of a key in an error */

/*
 * The scanner walks the text once.  The open containers form a chain through
 * their `next` fields, which are not needed for siblings before the end of
 * the container: that is the whole stack, and it lies in the nodes.
 */
struct scan {
	cdn_str text;
	const char *p;	 /* where we are */
	const char *end; /* of the text */
	struct cdn_arena *arena;
	struct cdn_json_node *nodes;
	size_t count; /* nodes used */
	size_t room;
	uint32_t open; /* innermost open container, or NONE */
	uint32_t last; /* the value just completed */
	unsigned depth;
	struct cdn_json_node key; /* key fields of the value that is due */
	struct cdn_json_keys keys;
	struct cdn_json_options limits;
	struct cordon_error *err;
};

/* ----- Refusing ---------------------------------------------------------- */

static struct cdn_pos
position(const struct scan *s, const char *at)
{
	struct cdn_pos pos = { .source = s->limits.source };
	const char *line = s->text.p;

	if (pos.source == NULL)
		return pos;
	pos.line = 1;
	for (const char *p = s->text.p; p < at; p++)
		if (*p == '\n') {
			line = p + 1;
			pos.line++;
		}
	pos.column = (unsigned)(at - line) + 1;
	return pos;
}

CDN_PRINTF(3, 4)
static int
refuse(const struct scan *s, const char *at, const char *fmt, ...)
{
	char sentence[256];
	va_list ap;

	va_start(ap, fmt);
	cdn_err_line(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	return cdn_err_at(s->err, CORDON_E_INVALID, position(s, at),
	    "invalid JSON at byte %zu: %s", (size_t)(at - s->text.p),
	    sentence);
}

/* Something else than `wanted` stands at s->p, or nothing. */
static int
expected(const struct scan *s, const char *wanted)
{
	if (s->p == s->end)
		return refuse(s, s->p, "it ends where %s should follow",
		    wanted);
	return refuse(s, s->p, "expected %s", wanted);
}

/* s->p stands on the quote and moves behind the closing one. */
static int
scan_string(struct scan *s, bool *escaped)
{
	struct cdn_json_fault fault;

	if (cdn_json_text_scan(&s->p, s->end, escaped, &fault))
		return 0;
	return refuse(s, fault.at, "%s", fault.what);
}

/* ----- Numbers and words ------------------------------------------------- */

/* At least one digit. */
static bool
skip_digits(struct scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > from;
}

static bool
skip_either(struct scan *s, char a, char b)
{
	if (s->p == s->end || (*s->p != a && *s->p != b))
		return false;
	s->p++;
	return true;
}

static bool
skip_one(struct scan *s, char c)
{
	return skip_either(s, c, c);
}

static int
scan_number(struct scan *s, bool *integer)
{
	*integer = true;
	skip_one(s, '-');
	if (!skip_one(s, '0') && !skip_digits(s))
		return expected(s, "a digit");
	if (skip_one(s, '.')) {
		*integer = false;
		if (!skip_digits(s))
			return expected(s, "a digit");
	}
	if (skip_either(s, 'e', 'E')) {
		*integer = false;
		skip_either(s, '+', '-');
		if (!skip_digits(s))
			return expected(s, "a digit");
	}
	return 0;
}

static int
scan_word(struct scan *s, enum cdn_json_type *type)
{
	static const struct {
		cdn_str word;
		enum cdn_json_type type;
	} words[] = {
		{ { "true", 4 }, CDN_JSON_BOOL },
		{ { "false", 5 }, CDN_JSON_BOOL },
		{ { "null", 4 }, CDN_JSON_NULL },
	};
	cdn_str rest = { s->p, (size_t)(s->end - s->p) };

	for (size_t i = 0; i < CDN_LEN(words); i++)
		if (cdn_str_starts(rest, words[i].word)) {
			*type = words[i].type;
			s->p += words[i].word.n;
			return 0;
		}
	if (cdn_str_starts(rest, CDN_STR("\xef\xbb\xbf")))
		return refuse(s, s->p, "a byte order mark (remove it)");
	return expected(s, "a value");
}

/* ----- Structure --------------------------------------------------------- */

static void
skip_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' ||
	    *s->p == '\r' || *s->p == '\t'))
		s->p++;
}

static uint32_t
offset(const struct scan *s)
{
	return (uint32_t)(s->p - s->text.p);
}

/* A node for the value that begins at s->p. */
static int
add_node(struct scan *s)
{
	struct cdn_json_node *nodes = s->nodes;

	if (s->count == s->limits.max_nodes)
		return refuse(s, s->p, "more than %zu values",
		    s->limits.max_nodes);
	nodes = cdn_arena_grow(s->arena, nodes, s->count, &s->room,
	    sizeof(*nodes));
	if (nodes == NULL)
		return cdn_err_nomem(s->err);
	s->nodes = nodes;
	s->last = (uint32_t)s->count++;
	nodes[s->last] = s->key;
	nodes[s->last].start = offset(s);
	if (s->open != NONE)
		nodes[s->open].count++;
	return 0;
}

static int
scan_key(struct scan *s)
{
	int r;

	skip_space(s);
	if (s->p == s->end || *s->p != '"')
		return expected(s, "a key in double quotes");
	s->key.key_start = offset(s);
	r = scan_string(s, &s->key.key_escaped);
	if (r < 0)
		return r;
	s->key.key_end = offset(s);
	skip_space(s);
	if (s->p == s->end || *s->p != ':')
		return expected(s, "':' after a key");
	s->p++;
	return 0;
}

/* What precedes the next value in the innermost container. */
static int
before_value(struct scan *s)
{
	s->key = (struct cdn_json_node){ 0 };
	if (s->nodes[s->open].type == CDN_JSON_OBJECT)
		return scan_key(s);
	return 0;
}

static int
refuse_key(const struct scan *s, uint32_t node)
{
	const struct cdn_json_node *found = &s->nodes[node];
	cdn_str key = cdn_json_text_key(s->text, found).raw;
	const char *more = key.n > KEY_SHOWN ? "..." : "";

	if (key.n > KEY_SHOWN)
		key.n = KEY_SHOWN;
	while (key.n > 0 && cdn_utf8_bad(key) < key.n)
		key.n--; /* do not end inside a character */
	return refuse(s, s->text.p + found->key_start,
	    "key '%.*s%s' appears twice (write each key once)",
	    CDN_STR_ARG(key), more);
}

static int
close_container(struct scan *s)
{
	struct cdn_json_node *node = &s->nodes[s->open];
	uint32_t twice = 0;

	s->p++;
	s->depth--;
	s->last = s->open;
	s->open = node->next;
	node->next = 0;
	node->end = offset(s);
	if (node->type != CDN_JSON_OBJECT)
		return 0;
	s->keys.nodes = s->nodes;
	if (!cdn_json_keys_repeated(&s->keys, s->last, &twice))
		return cdn_err_nomem(s->err);
	return twice == 0 ? 0 : refuse_key(s, twice);
}

static char
closing(const struct scan *s)
{
	return s->nodes[s->open].type == CDN_JSON_OBJECT ? '}' : ']';
}

/* An empty container is complete at once; otherwise a value is due. */
static int
open_container(struct scan *s, enum cdn_json_type type, bool *complete)
{
	if (s->depth == s->limits.max_depth)
		return refuse(s, s->p, "nested deeper than %u levels",
		    s->limits.max_depth);
	s->nodes[s->last].type = (uint8_t)type;
	s->nodes[s->last].next = s->open;
	s->open = s->last;
	s->depth++;
	s->p++;
	skip_space(s);
	*complete = s->p < s->end && *s->p == closing(s);
	return *complete ? close_container(s) : before_value(s);
}

static int
scan_scalar(struct scan *s)
{
	enum cdn_json_type type = CDN_JSON_STRING;
	bool escaped = false;
	bool integer = false;
	int r;

	if (*s->p == '"') {
		r = scan_string(s, &escaped);
	} else if (*s->p == '-' || (*s->p >= '0' && *s->p <= '9')) {
		type = CDN_JSON_NUMBER;
		r = scan_number(s, &integer);
	} else {
		r = scan_word(s, &type);
	}
	s->nodes[s->last].type = (uint8_t)type;
	s->nodes[s->last].escaped = escaped;
	s->nodes[s->last].integer = integer;
	s->nodes[s->last].end = offset(s);
	return r;
}

/* One scalar, one empty container, or the beginning of a fuller one. */
static int
scan_value(struct scan *s, bool *complete)
{
	int r;

	skip_space(s);
	if (s->p == s->end)
		return expected(s, "a value");
	r = add_node(s);
	if (r < 0)
		return r;
	if (*s->p == '{')
		return open_container(s, CDN_JSON_OBJECT, complete);
	if (*s->p == '[')
		return open_container(s, CDN_JSON_ARRAY, complete);
	*complete = true;
	return scan_scalar(s);
}

/* Behind a complete value: a comma, or the end of one or more containers. */
static int
after_value(struct scan *s)
{
	while (s->open != NONE) {
		int r;

		skip_space(s);
		if (s->p < s->end && *s->p == ',') {
			s->p++;
			s->nodes[s->last].next = (uint32_t)s->count;
			return before_value(s);
		}
		if (s->p == s->end || *s->p != closing(s))
			return expected(s, closing(s) == '}' ?
			    "',' or '}'" : "',' or ']'");
		r = close_container(s);
		if (r < 0)
			return r;
	}
	return 0;
}

static int
scan_text(struct scan *s)
{
	do {
		bool complete = false;
		int r = scan_value(s, &complete);

		if (r == 0 && complete)
			r = after_value(s);
		if (r < 0)
			return r;
	} while (s->open != NONE);
	skip_space(s);
	if (s->p < s->end)
		return refuse(s, s->p, "more text after the value");
	return 0;
}

static struct cdn_json_options
complete_options(const struct cdn_json_options *given)
{
	struct cdn_json_options o = { 0 };

	if (given != NULL)
		o = *given;
	if (o.max_bytes == 0)
		o.max_bytes = CDN_JSON_MAX;
	if (o.max_bytes > UINT32_MAX - 1)
		o.max_bytes = UINT32_MAX - 1; /* offsets have 32 bits */
	if (o.max_nodes == 0)
		o.max_nodes = CDN_JSON_NODES_MAX;
	if (o.max_depth == 0)
		o.max_depth = CDN_DEPTH_MAX;
	return o;
}

int
cdn_json_parse(cdn_str text, const struct cdn_json_options *options,
    struct cdn_arena *arena, struct cdn_json *ret, struct cordon_error *err)
{
	struct scan s = {
		.text = text.n == 0 ? CDN_STR("") : text,
		.arena = arena,
		.open = NONE,
		.limits = complete_options(options),
		.err = err,
	};
	int r;

	s.p = s.text.p;
	s.end = s.text.p + s.text.n;
	s.keys = (struct cdn_json_keys){ .text = s.text, .arena = arena };
	if (s.text.n > s.limits.max_bytes)
		return refuse(&s, s.text.p + s.limits.max_bytes,
		    "longer than %zu bytes", s.limits.max_bytes);
	s.nodes = cdn_arena_grow(arena, NULL, 0, &s.room, sizeof(*s.nodes));
	if (s.nodes == NULL)
		return cdn_err_nomem(err);
	r = scan_text(&s);
	if (r < 0)
		return r;
	*ret = (struct cdn_json){ s.text, s.nodes, (uint32_t)s.count };
	return 0;
}
