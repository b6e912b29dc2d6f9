#include "engine/wrap/wrap.h"

#include <stdlib.h>
#include <strings.h>

#include "base/json.h"
#include "engine/wrap/servers.h"

#define MARK "--wrapped="
#define BARE "bare" /* there were no arguments */
#define ARGS "args"

struct wrapper {
	cdn_str text;
	const struct cdn_wrap_options *options;
	struct cdn_arena *arena;
	struct cdn_wrap_servers servers;
	struct cdn_wrap_result *ret;
	size_t room;
	struct cordon_error *err;
};

struct cdn_wrap_server *
cdn_wrap_add(struct cdn_wrap_servers *servers, cdn_str name,
    struct cdn_arena *arena)
{
	struct cdn_wrap_server *v = cdn_arena_grow(arena, servers->v,
	    servers->n, &servers->room, sizeof(*v));

	if (v == NULL)
		return NULL;
	servers->v = v;
	v[servers->n] = (struct cdn_wrap_server){ .name = name };
	return &v[servers->n++];
}

int
cdn_wrap_bad(cdn_str text, size_t at, const char *what,
    struct cordon_error *err)
{
	size_t line = 1;

	for (size_t i = 0; i < at && i < text.n; i++)
		line += text.p[i] == '\n';
	return cdn_err(err, CORDON_E_INVALID, "line %zu: %s", line, what);
}

/* ----- At places that are not known ----------------------------------------------- */

static bool
holds(cdn_str text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.n; i++)
		if (strncasecmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

bool
cdn_wrap_is_place(cdn_str key)
{
	/* A project's directory may be called anything. */
	return !holds(key, "/") && (holds(key, "mcp") || holds(key, "server"));
}

/* As much of a key as a name can have, whole characters. */
static cdn_str
shortened(cdn_str key)
{
	size_t n = CDN_NAME_MAX;

	if (key.n <= n)
		return key;
	while (n > 0 && ((unsigned char)key.p[n] & 0xc0) == 0x80)
		n--;
	return (cdn_str){ key.p, n };
}

static bool
join_path(const cdn_str *path, size_t n, struct cdn_arena *arena, cdn_str *ret)
{
	struct cdn_buf out;
	bool good;

	cdn_buf_init(&out, CDN_WRAP_MAX);
	for (size_t i = 0; i < n; i++) {
		cdn_buf_puts(&out, i > 0 ? "." : "");
		cdn_buf_str(&out, shortened(path[i]));
	}
	good = !cdn_buf_failed(&out) &&
	    cdn_arena_str(arena, (cdn_str){ out.p, out.n }, ret);
	cdn_buf_done(&out);
	return good;
}

int
cdn_wrap_stray(struct cdn_wrap_servers *servers, const cdn_str *path, size_t n,
    struct cdn_arena *arena, struct cordon_error *err)
{
	const struct cdn_wrap_server *last = servers->n == 0 ? NULL :
	    &servers->v[servers->n - 1];
	struct cdn_wrap_server *server;
	cdn_str name;

	if (!join_path(path, n, arena, &name))
		return cdn_err_nomem(err);
	if (last != NULL && last->stray && cdn_str_eq(last->name, name))
		return 0;
	if (servers->strays == CDN_WRAP_STRAYS_MAX)
		return cdn_err(err, CORDON_E_INVALID, "more than %d servers "
		    "stand where cordon knows of none", CDN_WRAP_STRAYS_MAX);
	server = cdn_wrap_add(servers, name, arena);
	if (server == NULL)
		return cdn_err_nomem(err);
	server->stray = true;
	servers->strays++;
	return 0;
}

/* ----- Which servers ------------------------------------------------------------ */

static bool
is_word(const struct cdn_wrap_server *server, size_t i, const char *word)
{
	return i < server->n && cdn_str_is(server->words[i].text, word);
}

/* The program that runs us, however it is called. */
static bool
is_here(const struct wrapper *w, cdn_str program)
{
	return cdn_str_is(program, w->options->command) ||
	    (w->options->place != NULL &&
		cdn_str_is(program, w->options->place));
}

/*
 * So it says.  By another path it would be another program, which only calls
 * itself so.
 */
static bool
is_guarded(const struct wrapper *w, const struct cdn_wrap_server *server)
{
	return !server->stray && (cdn_str_is(server->program, "cordon") ||
	    is_here(w, server->program)) &&
	    is_word(server, 0, "mcp") && is_word(server, 1, "guard");
}

static bool
is_marked(const struct cdn_wrap_server *server)
{
	return is_word(server, 2, MARK ARGS) || is_word(server, 2, MARK BARE);
}

static size_t
find_dashes(const struct cdn_wrap_server *server)
{
	size_t i = 2;

	while (i < server->n && !is_word(server, i, "--"))
		i++;
	return i;
}

/* By us: *ret_dashes is the "--", and the command follows it. */
static bool
is_ours(const struct wrapper *w, const struct cdn_wrap_server *server,
    size_t *ret_dashes)
{
	if (!is_guarded(w, server) || !is_marked(server))
		return false;
	*ret_dashes = find_dashes(server);
	return *ret_dashes + 1 < server->n;
}

/*
 * As we would guard it.  Whoever writes a document can write our mark as well:
 * it is the options that count.
 */
static bool
is_as_wanted(const struct wrapper *w, const struct cdn_wrap_server *server)
{
	const char *const *option = w->options->options;
	size_t i = is_marked(server) ? 3 : 2;

	if (!is_guarded(w, server) || !is_here(w, server->program))
		return false;
	for (; option != NULL && *option != NULL; option++)
		if (!is_word(server, i++, *option))
			return false;
	return is_word(server, i, "--") && i + 1 < server->n;
}

static cdn_str
slice(const struct wrapper *w, size_t start, size_t end)
{
	return (cdn_str){ w->text.p + start, end - start };
}

/* With the guard's options as they are written; NULL when memory ran out. */
static const char *
tell_options(const struct wrapper *w, const struct cdn_wrap_server *server)
{
	size_t i = is_marked(server) ? 3 : 2, end = find_dashes(server);
	const char *text = NULL;
	struct cdn_buf out;

	cdn_buf_init(&out, 2 * CDN_WRAP_MAX);
	cdn_buf_puts(&out, "it says itself guarded, by these options:");
	cdn_buf_puts(&out, i < end ? "" : " none");
	for (; i < end; i++) {
		cdn_buf_putc(&out, ' ');
		cdn_buf_str(&out, slice(w, server->words[i].start,
		    server->words[i].end));
	}
	if (!cdn_buf_failed(&out))
		text = cdn_arena_dup(w->arena, out.p, out.n);
	cdn_buf_done(&out);
	return text;
}

static const char *
why_kept(const struct wrapper *w, const struct cdn_wrap_server *server)
{
	size_t dashes;

	if (is_ours(w, server, &dashes))
		return NULL;
	return is_guarded(w, server) ? "somebody else guarded it" :
				       "it is not guarded";
}

/* Why it is left alone, or NULL, and is it open then? */
static int
judge(const struct wrapper *w, const struct cdn_wrap_server *server,
    struct cdn_wrap_outcome *ret)
{
	ret->open = false;
	if (w->options->undo) {
		ret->left = why_kept(w, server);
		return 0;
	}
	ret->left = NULL;
	ret->open = !is_as_wanted(w, server);
	if (server->stray) {
		ret->left = "cordon knows of no servers at this place";
	} else if (server->remote) {
		ret->left = server->command.is_there ?
		    "it has both a command and a url" : "it is remote";
		ret->open &= server->command.is_there;
	} else if (!server->command.is_there) {
		ret->left = "it has no command";
	} else if (server->other_type) {
		ret->left = "its type is not 'stdio'";
	} else if (server->steers != NULL) {
		ret->left = server->steers;
		ret->open = true;
	} else if (!ret->open) {
		ret->left = "it is guarded already";
	} else if (is_guarded(w, server)) {
		ret->left = tell_options(w, server);
		if (ret->left == NULL)
			return cdn_err_nomem(w->err);
	} else {
		ret->open = false; /* any more */
	}
	return 0;
}

/* ----- Edits -------------------------------------------------------------------- */

static int
edit(struct wrapper *w, size_t start, size_t end, cdn_str text)
{
	struct cdn_wrap_result *ret = w->ret;
	struct cdn_wrap_edit *edits = cdn_arena_grow(w->arena, ret->edits,
	    ret->n, &w->room, sizeof(*edits));

	if (edits == NULL)
		return cdn_err_nomem(w->err);
	edits[ret->n++] = (struct cdn_wrap_edit){ start, end, text };
	ret->edits = edits;
	return 0;
}

/* A string in quotes, the same in both languages. */
static void
put_string(struct cdn_buf *out, const char *text)
{
	struct cdn_json_writer writer;

	cdn_json_begin(&writer, out);
	cdn_json_put_cstring(&writer, text);
}

/* "mcp", "guard", "--wrapped=args", "--", "node" */
static void
put_guard(const struct wrapper *w, const struct cdn_wrap_server *server,
    struct cdn_buf *out)
{
	const char *const *option = w->options->options;

	cdn_buf_puts(out, "\"mcp\", \"guard\", \"" MARK);
	cdn_buf_puts(out, server->args.is_there ? ARGS "\", " : BARE "\", ");
	for (; option != NULL && *option != NULL; option++) {
		put_string(out, *option);
		cdn_buf_puts(out, ", ");
	}
	cdn_buf_puts(out, "\"--\", ");
	cdn_buf_str(out, slice(w, server->command.start, server->command.end));
}

/* What was written, as an edit; out is empty afterwards. */
static int
edit_to(struct wrapper *w, size_t start, size_t end, struct cdn_buf *out)
{
	cdn_str text;

	if (cdn_buf_failed(out) ||
	    !cdn_arena_str(w->arena, (cdn_str){ out->p, out->n }, &text))
		return cdn_err_nomem(w->err);
	cdn_buf_reset(out);
	return edit(w, start, end, text);
}

/* As the lines above and below end. */
static const char *
newline(const struct wrapper *w)
{
	const char *end = memchr(w->text.p, '\n', w->text.n);

	return end != NULL && end > w->text.p && end[-1] == '\r' ? "\r\n" : "\n";
}

/* White space between the beginning of the line and the key. */
static cdn_str
indent(const struct wrapper *w, size_t key)
{
	size_t start = key;

	while (start > 0 && (w->text.p[start - 1] == ' ' ||
	    w->text.p[start - 1] == '\t'))
		start--;
	return slice(w, start, key);
}

/* A server without arguments gets some. */
static int
wrap_bare(struct wrapper *w, const struct cdn_wrap_server *server,
    struct cdn_buf *out)
{
	const struct cdn_wrap_member *command = &server->command;
	int code = 0;

	if (server->on_lines) {
		cdn_buf_str(out, command->prefix);
		cdn_buf_puts(out, "args = [");
		put_guard(w, server, out);
		cdn_buf_printf(out, "]%s", newline(w));
		cdn_buf_str(out, indent(w, command->key));
		code = edit_to(w, command->key, command->key, out);
	}
	put_string(out, w->options->command);
	if (!server->on_lines) {
		cdn_buf_puts(out, w->options->language == CDN_WRAP_TOML ?
			", args = [" : ", \"args\": [");
		put_guard(w, server, out);
		cdn_buf_putc(out, ']');
	}
	return code != 0 ? code :
	    edit_to(w, command->start, command->end, out);
}

static int
wrap_server(struct wrapper *w, const struct cdn_wrap_server *server)
{
	struct cdn_buf out;
	size_t at = server->n > 0 ? server->words[0].start :
				    server->args.start + 1;
	int code;

	cdn_buf_init(&out, CDN_WRAP_MAX);
	if (server->listed) {
		put_string(&out, w->options->command);
		cdn_buf_puts(&out, ", ");
		put_guard(w, server, &out);
		code = edit_to(w, server->command.start, server->command.end,
		    &out);
	} else if (!server->args.is_there) {
		code = wrap_bare(w, server, &out);
	} else {
		put_guard(w, server, &out);
		cdn_buf_puts(&out, server->n > 0 ? ", " : "");
		code = edit_to(w, at, at, &out);
		put_string(&out, w->options->command);
		if (code == 0)
			code = edit_to(w, server->command.start,
			    server->command.end, &out);
	}
	cdn_buf_done(&out);
	return code;
}

static bool
only(const struct wrapper *w, size_t start, size_t end, const char *bytes)
{
	for (; start < end; start++)
		if (strchr(bytes, w->text.p[start]) == NULL)
			return false;
	return true;
}

/* The arguments that a bare server was given go with the guard. */
static int
unwrap_bare(struct wrapper *w, const struct cdn_wrap_server *server,
    cdn_str was, bool *ret_done)
{
	const struct cdn_wrap_member *command = &server->command;
	const struct cdn_wrap_member *args = &server->args;
	int code;

	*ret_done = true;
	if (!server->on_lines && command->end < args->key &&
	    only(w, command->end, args->key, " \t\r\n,"))
		return edit(w, command->start, args->end, was);
	if (server->on_lines && args->end < command->key &&
	    only(w, args->end, command->key, " \t\r\n")) {
		code = edit(w, args->key, command->key, CDN_STR(""));
		return code != 0 ? code : edit(w, command->start, command->end,
						  was);
	}
	*ret_done = false;
	return 0;
}

static int
unwrap_server(struct wrapper *w, const struct cdn_wrap_server *server)
{
	const struct cdn_wrap_string *words = server->words;
	size_t dashes = 0, behind;
	bool done = false;
	cdn_str was;
	int code = 0;

	(void)is_ours(w, server, &dashes);
	behind = dashes + 2;
	was = slice(w, words[dashes + 1].start, words[dashes + 1].end);
	if (server->listed)
		return edit(w, server->command.start, words[dashes + 1].end,
		    was);
	if (behind == server->n && is_word(server, 2, MARK BARE))
		code = unwrap_bare(w, server, was, &done);
	if (code != 0 || done)
		return code;
	code = edit(w, words[0].start, behind < server->n ?
	    words[behind].start : words[dashes + 1].end, CDN_STR(""));
	return code != 0 ? code : edit(w, server->command.start,
				       server->command.end, was);
}

/* ----- All of it ---------------------------------------------------------------- */

static int
by_start(const void *a, const void *b)
{
	const struct cdn_wrap_edit *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int
edit_servers(struct wrapper *w)
{
	struct cdn_wrap_result *ret = w->ret;
	int code = 0;

	ret->servers = cdn_arena_array(w->arena, w->servers.n + 1,
	    sizeof(*ret->servers));
	if (ret->servers == NULL)
		return cdn_err_nomem(w->err);
	for (size_t i = 0; code == 0 && i < w->servers.n; i++) {
		const struct cdn_wrap_server *server = &w->servers.v[i];
		struct cdn_wrap_outcome *one =
		    &ret->servers[ret->server_count++];

		one->name = server->name;
		code = judge(w, server, one);
		if (code == 0 && one->left == NULL)
			code = w->options->undo ? unwrap_server(w, server) :
						  wrap_server(w, server);
	}
	if (ret->n > 1)
		qsort(ret->edits, ret->n, sizeof(*ret->edits), by_start);
	return code;
}

static int
wrap(cdn_str text, const struct cdn_wrap_options *options,
    struct cdn_arena *arena, struct cdn_wrap_result *ret,
    struct cordon_error *err)
{
	struct wrapper w = { .text = text, .options = options, .arena = arena,
		.ret = ret, .err = err };
	int code = options->language == CDN_WRAP_TOML ?
	    cdn_wrap_read_toml(text, arena, &w.servers, err) :
	    cdn_wrap_read_json(text, arena, &w.servers, err);

	*ret = (struct cdn_wrap_result){ .n = 0 };
	if (code == 0 && !w.servers.found)
		code = cdn_err(err, CORDON_E_INVALID, "it holds no MCP servers "
		    "('mcpServers', 'servers', 'mcp' of opencode, or in TOML "
		    "'mcp_servers')");
	return code != 0 ? code : edit_servers(&w);
}

void
cdn_wrap_apply(cdn_str text, const struct cdn_wrap_result *result,
    struct cdn_buf *out)
{
	size_t at = 0;

	for (size_t i = 0; i < result->n; i++) {
		cdn_buf_add(out, text.p + at, result->edits[i].start - at);
		cdn_buf_str(out, result->edits[i].text);
		at = result->edits[i].end;
	}
	cdn_buf_str(out, cdn_str_from(text, at));
}

/* The text as it is without any guard of ours. */
static int
unwrapped(cdn_str text, const struct cdn_wrap_options *options,
    struct cdn_arena *arena, struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_wrap_options undo = *options;
	struct cdn_wrap_result result;
	int code;

	undo.undo = true;
	code = wrap(text, &undo, arena, &result, err);
	if (code == 0)
		cdn_wrap_apply(text, &result, out);
	return code == 0 && cdn_buf_failed(out) ? cdn_err_nomem(err) : code;
}

/* What is written must be what undoing takes back, or nothing is. */
static int
check_undo(cdn_str text, const struct cdn_wrap_options *options,
    struct cdn_arena *arena, const struct cdn_wrap_result *result,
    struct cordon_error *err)
{
	struct cdn_buf then, now, before;
	int code;

	cdn_buf_init(&then, 2 * CDN_WRAP_MAX);
	cdn_buf_init(&now, 2 * CDN_WRAP_MAX);
	cdn_buf_init(&before, 2 * CDN_WRAP_MAX);
	cdn_wrap_apply(text, result, &then);
	code = cdn_buf_failed(&then) ? cdn_err_nomem(err) :
	    unwrapped((cdn_str){ then.p, then.n }, options, arena, &now, err);
	if (code == 0)
		code = unwrapped(text, options, arena, &before, err);
	if (code == 0 && !cdn_str_eq((cdn_str){ now.p, now.n },
	    (cdn_str){ before.p, before.n }))
		code = cdn_err(err, CORDON_E_INVALID, "it is written in a way "
		    "that could not be restored: it is left alone");
	cdn_buf_done(&then);
	cdn_buf_done(&now);
	cdn_buf_done(&before);
	return code;
}

int
cdn_wrap(cdn_str text, const struct cdn_wrap_options *options,
    struct cdn_arena *arena, struct cdn_wrap_result *ret,
    struct cordon_error *err)
{
	struct cdn_wrap_result result;
	int code = text.n > CDN_WRAP_MAX ?
	    cdn_err(err, CORDON_E_INVALID, "it has more than %lu bytes",
		CDN_WRAP_MAX) :
	    wrap(text, options, arena, &result, err);

	if (code == 0 && result.n > 0 && !options->undo)
		code = check_undo(text, options, arena, &result, err);
	if (code == 0)
		*ret = result;
	return code;
}
