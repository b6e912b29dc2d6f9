/*
 * One JSON query per line, one answer per line, in the same order.  Answers
 * are flushed whenever the next line is not there yet, so that a program at
 * the other end of two pipes never waits for what was already decided.
 */
#include "front/cli/check.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "front/cli/verdict.h"

#define NODES_MAX 16U /* values in one query: far more than it has keys */

/* ----- Lines ------------------------------------------------------------ */

struct reader {
	char *buf;	/* CDN_QUERY_MAX + 1 bytes: a line and its newline */
	size_t start;	/* of what was not handed out yet */
	size_t end;
	bool eof;
	bool skipping;	/* inside a line that was too long */
	int read_errno;
};

enum line { LINE_NONE, LINE_GOOD, LINE_TOO_LONG };

static void
fill(struct reader *r)
{
	ssize_t n;

	if (r->start > 0) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	cli_output_flush();
	do
		n = read(STDIN_FILENO, r->buf + r->end,
		    CDN_QUERY_MAX + 1 - r->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		r->read_errno = errno;
	if (n <= 0)
		r->eof = true;
	else
		r->end += (size_t)n;
}

/* The bytes up to the newline or the end of the input. */
static bool
cut(struct reader *r, cdn_str *ret)
{
	char *from = r->buf + r->start;
	size_t have = r->end - r->start;
	char *newline = have > 0 ? memchr(from, '\n', have) : NULL;

	if (newline != NULL) {
		*ret = (cdn_str){ from, (size_t)(newline - from) };
		r->start += ret->n + 1;
		return true;
	}
	if (!r->eof || have == 0)
		return false;
	*ret = (cdn_str){ from, have };
	r->start = r->end;
	return true;
}

/* The line lives until the next call. */
static enum line
next_line(struct reader *r, cdn_str *ret)
{
	for (;;) {
		if (cut(r, ret)) {
			if (!r->skipping)
				return LINE_GOOD;
			r->skipping = false;
			return LINE_TOO_LONG;
		}
		if (r->eof) {
			bool cut_off = r->skipping;

			r->skipping = false;
			return cut_off ? LINE_TOO_LONG : LINE_NONE;
		}
		if (r->end - r->start > CDN_QUERY_MAX) {
			r->skipping = true;
			r->start = r->end;
		}
		fill(r);
	}
}

/* ----- Queries ---------------------------------------------------------- */

enum key { KEY_PATH, KEY_OP, KEY_PROFILE, KEY_AS, KEY_DATA, KEY_CONFIG, KEYS };

static const char *const key_names[KEYS] = {
	[KEY_PATH] = "path",
	[KEY_OP] = "op",
	[KEY_PROFILE] = "profile",
	[KEY_AS] = "as",
	[KEY_DATA] = "data_dir",
	[KEY_CONFIG] = "config_path",
};

static int
find_key(cdn_str name)
{
	for (int key = 0; key < KEYS; key++)
		if (cdn_str_is(name, key_names[key]))
			return key;
	return -1;
}

/* Every value as a string in the arena; NULL where the key was not given. */
static int
read_members(const struct cdn_json *json, struct cdn_arena *arena,
    const char **values, struct cordon_error *err)
{
	const struct cdn_json_node *node = cdn_json_first(json, json->nodes);

	for (; node != NULL; node = cdn_json_next(json, node)) {
		cdn_str name, value;
		int key;

		if (!cdn_json_key(json, node, arena, &name))
			return cdn_err_nomem(err);
		key = find_key(name);
		if (key < 0)
			return cdn_err(err, CORDON_E_INVALID,
			    "unknown key '%.*s' (path, op, profile, as, "
			    "data_dir, config_path)",
			    CDN_STR_ARG(name));
		if (node->type != CDN_JSON_STRING)
			return cdn_err(err, CORDON_E_INVALID,
			    "'%s' must be a string", key_names[key]);
		if (!cdn_json_string(json, node, arena, &value))
			return cdn_err_nomem(err);
		values[key] = cdn_arena_dup(arena, value.p, value.n);
		if (values[key] == NULL)
			return cdn_err_nomem(err);
	}
	return 0;
}

static int
read_word(const char *text, cli_words_fn *words, enum key key, int fallback,
    int *ret, struct cordon_error *err)
{
	*ret = text != NULL ? cli_word_find(words, text) : fallback;
	if (*ret < 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is no value for '%s'", text, key_names[key]);
	return 0;
}

static int
read_query(const struct cli_check *check, cdn_str line,
    struct cdn_arena *arena, struct cli_question *ret,
    struct cordon_error *err)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_QUERY_MAX,
		.max_nodes = NODES_MAX,
	};
	const char *value[KEYS] = { 0 };
	struct cdn_json json;
	int as, op;

	if (cdn_json_parse(line, &options, arena, &json, err) != 0)
		return err->code;
	if (json.nodes[0].type != CDN_JSON_OBJECT)
		return cdn_err(err, CORDON_E_INVALID,
		    "a query is an object: {\"path\":\"src/a\"}");
	if (read_members(&json, arena, value, err) != 0 ||
	    read_word(value[KEY_AS], cli_as_word, KEY_AS, (int)check->as, &as,
		err) != 0 ||
	    read_word(value[KEY_OP], cli_op_word, KEY_OP, (int)check->op, &op,
		err) != 0)
		return err->code;
	if (value[KEY_PATH] == NULL)
		return cdn_err(err, CORDON_E_INVALID, "the key 'path' is missing");
	*ret = (struct cli_question){
		.path = cdn_str_of(value[KEY_PATH]),
		.as = (enum cordon_as)as,
		.op = (enum cordon_op)op,
		.profile = value[KEY_PROFILE],
		.data_dir = value[KEY_DATA] != NULL ?
		    value[KEY_DATA] :
		    cli_value(check->args, CLI_DATA_DIR),
		.config_path = value[KEY_CONFIG] != NULL ?
		    value[KEY_CONFIG] :
		    cli_value(check->args, CLI_CONFIG_PATH),
	};
	return 0;
}

static bool
no_query(const struct cordon_error *err)
{
	if (err->code == CORDON_E_NOMEM)
		cli_out_of_memory();
	cli_no_answer_json((cdn_str){ NULL, 0 }, err);
	return false;
}

/* Was the line a query?  Either way one line of answer. */
static bool
answer_line(struct cli_check *check, enum line kind, cdn_str line)
{
	struct cdn_arena *arena;
	struct cli_question question;
	struct cordon_error err = { 0 };
	bool good;

	if (kind == LINE_TOO_LONG) {
		cdn_err(&err, CORDON_E_INVALID,
		    "the line is longer than %lu bytes",
		    (unsigned long)CDN_QUERY_MAX);
		return no_query(&err);
	}
	arena = cdn_arena_new();
	if (arena == NULL)
		cli_out_of_memory();
	good = read_query(check, line, arena, &question, &err) == 0;
	if (good)
		cli_check_ask(check, &question);
	else
		no_query(&err);
	cdn_arena_free(arena);
	return good;
}

int
cli_check_stdin(struct cli_check *check)
{
	struct reader r = { .buf = cli_alloc(CDN_QUERY_MAX + 1, 1) };
	int status = CLI_YES;
	enum line kind;
	cdn_str line;

	while (!cli_output_broken() &&
	    (kind = next_line(&r, &line)) != LINE_NONE)
		if (!answer_line(check, kind, line))
			status = CLI_INVALID;
	free(r.buf);
	if (r.read_errno != 0) {
		cli_error("cannot read standard input: %s",
		    strerrordesc_np(r.read_errno));
		status = CLI_INVALID;
	}
	return status;
}
