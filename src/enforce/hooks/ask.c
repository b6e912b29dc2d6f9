#include "enforce/hooks/ask.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "enforce/host/host.h"

/* ----- Refusing --------------------------------------------------------- */

/* The way out that fits whoever refused. */
static void
put_remedy(const struct cdn_hook_ask *j, const struct cordon_refused *refused,
    struct cdn_buf *out)
{
	const struct cordon_verdict *v = &refused->verdict;

	if (refused->has_verdict && v->decision == CORDON_ASK)
		cdn_buf_puts(out, "; a person must do this by hand, or change "
		    "the rule: a hook cannot ask");
	else if (refused->code == CORDON_REFUSAL_OUTSIDE)
		cdn_buf_printf(out, "; use a path below '%s', or have the "
		    "hook installed again with '-- %s DIR'",
		    j->policy.session->workspace, refused->has_verdict &&
		    v->operation == CORDON_MODIFY ? "--write" : "--read");
	else if (refused->code == CORDON_REFUSAL_SECRET)
		cdn_buf_puts(out, "; no policy opens it");
	else if (refused->code == CORDON_REFUSAL_DENIED &&
	    !refused->has_verdict)
		cdn_buf_puts(out, "; write it without expansions, or have the "
		    "agent started with 'cordon run'");
	else if (refused->has_verdict)
		cdn_buf_puts(out, "; only whoever owns that policy can "
		    "change the rule");
}

/* 1, or a negative code. */
static int
refuse(struct cdn_hook_ask *j, const struct cordon_refused *refused,
    const struct cordon_error *why)
{
	struct cdn_hook_verdict *v = j->ret;
	struct cdn_buf text;
	bool failed;
	size_t n;

	v->refused = true;
	v->field = j->field;
	v->has_verdict = refused->has_verdict;
	v->verdict = refused->verdict;
	cdn_buf_init(&text, 64UL * 1024UL);
	cdn_buf_printf(&text, "cordon refused this call: %s", why->text);
	if (refused->has_verdict && refused->verdict.source != NULL &&
	    refused->verdict.line > 0)
		cdn_buf_printf(&text, ", %s:%u", refused->verdict.source,
		    refused->verdict.line);
	put_remedy(j, refused, &text);
	failed = cdn_buf_failed(&text);
	if (!failed) {
		n = text.n < sizeof(v->reason) ? text.n :
						 sizeof(v->reason) - 1;
		memcpy(v->reason, text.p, n);
		while (n > 0 && cdn_utf8_bad((cdn_str){ v->reason, n }) < n)
			n--;
		v->reason[n] = '\0';
	}
	cdn_buf_done(&text);
	return failed ? cdn_err_nomem(j->err) : 1;
}

int
cdn_hook_refuse(struct cdn_hook_ask *j, const char *fmt, ...)
{
	const struct cordon_refused refused = { .code = CORDON_REFUSAL_INVALID };
	struct cordon_error why = { .code = CORDON_E_INVALID };
	va_list ap;

	va_start(ap, fmt);
	(void)cdn_err_line(why.text, sizeof(why.text), fmt, ap);
	va_end(ap);
	return refuse(j, &refused, &why);
}

/* ----- Names ------------------------------------------------------------ */

int
cdn_hook_ask_path(struct cdn_hook_ask *j, enum cordon_op op, cdn_str raw)
{
	struct cordon_refused refused = { 0 };
	struct cordon_error why = { 0 };
	struct cdn_real real;
	int code;

	if (cdn_name_trim(raw).n != raw.n)
		return cdn_hook_refuse(j, "'%s' begins or ends with white space, "
		    "which %s may leave out", j->field,
		    j->call->dialect->name);
	if (cdn_name_is_composed(raw))
		return cdn_hook_refuse(j, "'%s' holds characters that "
		    "%s may compose to another name", j->field,
		    j->call->dialect->name);
	snprintf(j->ret->path, sizeof(j->ret->path), "%.*s", CDN_STR_ARG(raw));
	code = cdn_gate_enforce(&j->policy, j->base.path, op, raw, &real,
	    &refused, &why);
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(j->err);
	if (code != 0)
		return refuse(j, &refused, &why);
	memcpy(j->ret->path, real.path, real.len + 1);
	return 0;
}

/* What a pattern could lead to besides the directory it begins with. */
static bool
leaves(cdn_str rest)
{
	static const char *const ways[] = { "..", "{/", ",/", "{~", ",~",
		"\\" };

	for (size_t i = 0; i < CDN_LEN(ways); i++) {
		size_t n = strlen(ways[i]);

		for (size_t k = 0; k + n <= rest.n; k++)
			if (memcmp(rest.p + k, ways[i], n) == 0)
				return true;
	}
	return false;
}

int
cdn_hook_ask_pattern(struct cdn_hook_ask *j, cdn_str pattern)
{
	size_t plain = 0, slash = 0;

	while (plain < pattern.n && strchr("*?[{!(\\", pattern.p[plain]) == NULL)
		plain++;
	if (leaves(cdn_str_from(pattern, plain)))
		return cdn_hook_refuse(j, "what the pattern '%s' matches cannot "
		    "be told before it is used", j->field);
	if (plain == pattern.n)
		return cdn_hook_ask_path(j, CORDON_READ, pattern);
	for (size_t i = 0; i < plain; i++)
		if (pattern.p[i] == '/')
			slash = i + 1;
	return cdn_hook_ask_path(j, CORDON_READ, (cdn_str){ pattern.p, slash });
}

/* ----- Patches ---------------------------------------------------------- */

int
cdn_hook_ask_patch(struct cdn_hook_ask *j, cdn_str text)
{
	struct cdn_patch_file file;
	size_t at = 0;
	int code = 0;

	if (!cdn_patch_is(text))
		return cdn_hook_refuse(j, "'%s' is no patch that can be read",
		    j->field);
	while (code == 0 && cdn_patch_next(text, &at, &file))
		code = file.unknown ? cdn_hook_refuse(j, "the patch has a line "
		    "'%.*s', which is not known", CDN_STR_ARG(file.path)) :
		    cdn_hook_ask_path(j, CORDON_MODIFY, file.path);
	return code;
}

/* ----- Commands --------------------------------------------------------- */

#define ASK_VERSION 1U /* LANDLOCK_CREATE_RULESET_VERSION */

/*
 * Is this a cage of cordon's?  Its broker answers for Landlock, and nobody else
 * can listen there.  Then what a command expands to is held by the kernel.
 */
static bool
is_caged(void)
{
	struct cdn_host host;

	cdn_host_probe(&host);
	return host.notify_taken && syscall(SYS_landlock_create_ruleset, NULL,
	    0, ASK_VERSION) < 0 && errno == EOPNOTSUPP;
}

static int
ask_shell(struct cdn_hook_ask *j, cdn_str command, struct cordon_shell_verdict *ret)
{
	struct cordon_shell_query query = {
		.size = sizeof(query),
		.command = command.p,
		.command_len = command.n,
		.cwd = j->base.path,
		.enforced = true,
	};
	int code = cdn_gate_shell(&j->policy, &query, ret, j->err);

	if (code != 0 || !ret->allowed || !ret->dynamic || is_caged())
		return code;
	query.enforced = false;
	return cdn_gate_shell(&j->policy, &query, ret, j->err);
}

/* A patch that a command holds; from where it is the first word of it. */
static int
judge_inner_patch(struct cdn_hook_ask *j, cdn_str command)
{
	static const char *const programs[] = { "apply_patch", "applypatch" };

	if (!cdn_patch_is(command))
		return 0;
	for (size_t i = 0; i < CDN_LEN(programs); i++)
		if (cdn_str_starts(cdn_str_trim(command),
			cdn_str_of(programs[i])))
			return cdn_hook_ask_patch(j, command);
	return cdn_hook_refuse(j, "it holds a patch, and where that would be "
	    "applied cannot be told (begin the command with apply_patch)");
}

int
cdn_hook_ask_shell(struct cdn_hook_ask *j, cdn_str command)
{
	struct cordon_shell_verdict verdict;
	struct cordon_error why = { .code = CORDON_E_DENIED };
	int code = ask_shell(j, command, &verdict);

	if (code != 0)
		return code;
	if (verdict.allowed)
		return judge_inner_patch(j, command);
	snprintf(j->ret->path, sizeof(j->ret->path), "%s", verdict.token);
	snprintf(why.text, sizeof(why.text), "%s", verdict.reason);
	return refuse(j, &verdict.refused, &why);
}

/* Nothing, or keys such as ^C and Enter: no line was left half typed. */
static bool
is_keys(cdn_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < 1 || text.p[i] >= ' ')
			return false;
	return true;
}

static bool
is_whole_line(cdn_str text)
{
	char last = text.p[text.n - 1];

	return (last == '\n' || last == '\r') && (text.n < 2 ||
	    text.p[text.n - 2] != '\\');
}

/*
 * Threat:    a command is typed in parts, none of which names a file.
 * Invariant: what is typed is judged as whole commands.
 * Held by:   text that ends within a line is refused, but in a sandbox of
 *            cordon's, where the kernel decides.
 */
int
cdn_hook_ask_typed(struct cdn_hook_ask *j, cdn_str text)
{
	bool moves = false;
	int code;

	if (is_keys(text))
		return 0;
	if (!is_whole_line(text) && !is_caged())
		return cdn_hook_refuse(j, "'%s' ends within a line (end it "
		    "with a newline)", j->field);
	code = cdn_gate_shell_moves(text, j->arena, &moves, j->err);
	if (code == 0 && moves && !is_caged())
		return cdn_hook_refuse(j, "'%s' changes the directory of a "
		    "shell that runs, where later lines would mean other "
		    "files (start a command there instead)", j->field);
	return code != 0 ? code : cdn_hook_ask_shell(j, text);
}

/* As a shell writes it, so that it is read as that one word. */
static void
put_quoted(struct cdn_buf *out, cdn_str word)
{
	cdn_buf_puts(out, out->n > 0 ? " '" : "'");
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] == '\'')
			cdn_buf_puts(out, "'\\''");
		else
			cdn_buf_putc(out, word.p[i]);
	cdn_buf_putc(out, '\'');
}

static bool
is_shell_with_text(const cdn_str words[3])
{
	return cdn_str_ends(words[0], CDN_STR("sh")) &&
	    (cdn_str_is(words[1], "-c") || cdn_str_is(words[1], "-lc"));
}

int
cdn_hook_ask_words(struct cdn_hook_ask *j, const struct cdn_json_node *list)
{
	const struct cdn_json *json = j->call->json;
	const struct cdn_json_node *node = cdn_json_first(json, list);
	cdn_str words[3] = { { 0 } }, word = { 0 };
	struct cdn_buf text;
	size_t n = 0;
	int code = 0;

	cdn_buf_init(&text, 8 * CDN_HOOK_EVENT_MAX);
	for (; code == 0 && node != NULL; n++) {
		if (node->type != CDN_JSON_STRING)
			code = cdn_hook_refuse(j, "'%s' is no list of words",
			    j->field);
		else if (!cdn_json_string(json, node, j->arena, &word))
			code = cdn_err_nomem(j->err);
		else if (n < 3)
			words[n] = word;
		if (code == 0)
			put_quoted(&text, word);
		node = cdn_json_next(json, node);
	}
	if (code == 0 && cdn_buf_failed(&text))
		code = cdn_err_nomem(j->err);
	else if (code == 0 && n == 3 && is_shell_with_text(words))
		code = cdn_hook_ask_shell(j, words[2]);
	else if (code == 0)
		code = cdn_hook_ask_shell(j, (cdn_str){ text.p == NULL ? "" :
			text.p, text.n });
	cdn_buf_done(&text);
	return code;
}
