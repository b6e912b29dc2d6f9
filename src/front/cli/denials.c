#include "front/cli/denials.h"

#include <stdlib.h>

#include "base/str.h"

#define KEPT_MAX (1U << 20) /* bytes of JSON after which no more are kept */

void
cli_denials_init(struct cli_denials *denials, bool aloud, bool keep)
{
	*denials = (struct cli_denials){ .aloud = aloud, .keep = keep };
	cdn_buf_init(&denials->kept.buf, (size_t)4 * KEPT_MAX);
	cdn_json_begin(&denials->kept.w, &denials->kept.buf);
	cdn_json_open(&denials->kept.w, '[');
}

void
cli_denials_done(struct cli_denials *denials)
{
	cdn_buf_done(&denials->kept.buf);
}

/* ----- In words ----------------------------------------------------------- */

/* About an address, not about a socket that has a path. */
static bool
is_network(const struct cordon_denial *denial)
{
	return denial->verdict.operation >= CORDON_CONNECT &&
	    denial->path[0] != '/';
}

/* Where the rule stands, or what would lift it. */
static void
put_place(struct cdn_buf *out, const struct cordon_denial *denial)
{
	const struct cordon_verdict *v = &denial->verdict;

	if (v->line != 0)
		cdn_buf_printf(out, "%s:%u", v->source, v->line);
	else if (is_network(denial) && v->layer == CORDON_LAYER_PRESET)
		cdn_buf_puts(out, "--network full allows it");
	else if (is_network(denial) && v->layer == CORDON_LAYER_WORKDIR)
		cdn_buf_puts(out, "--network");
	else
		cdn_buf_puts(out, v->source != NULL ? v->source :
			cordon_layer_name(v->layer));
}

static const char *
rule_of(const struct cordon_denial *denial)
{
	const struct cordon_verdict *v = &denial->verdict;

	if (v->rule_text != NULL)
		return v->rule_text;
	/* No list at all, which for the network has a name. */
	return is_network(denial) && strcmp(v->matched_rule, "[]") == 0 ?
	    "none" : v->matched_rule;
}

static void
describe(const struct cordon_denial *denial, char *text, size_t size)
{
	struct cdn_buf out;

	cdn_buf_init(&out, 8192);
	cdn_buf_printf(&out, "%s %s (", denial->path[0] == '\0' ?
		denial->call : is_network(denial) ? "network" :
		cordon_op_name(denial->verdict.operation), rule_of(denial));
	put_place(&out, denial);
	cdn_buf_puts(&out, ")");
	snprintf(text, size, "%s", cdn_buf_failed(&out) ? "?" : out.p);
	cdn_buf_done(&out);
}

/* ----- What to do about it ------------------------------------------------ */

static bool
is_in_tmp(const struct cordon_denial *denial)
{
	return denial->verdict.operation == CORDON_MODIFY &&
	    denial->verdict.layer == CORDON_LAYER_WORKDIR &&
	    cdn_str_starts(cdn_str_of(denial->path), CDN_STR("/tmp/"));
}

static bool
is_nested_git(const struct cordon_denial *denial)
{
	const struct cordon_verdict *v = &denial->verdict;

	if (v->layer == CORDON_LAYER_FLOOR)
		return strcmp(v->matched_rule, "nested-git") == 0;
	return v->layer == CORDON_LAYER_DEFAULTS && v->rule_text != NULL &&
	    strcmp(v->rule_text, "**/.git") == 0;
}

static bool
is_led(const struct cordon_denial *denial)
{
	return denial->verdict.layer == CORDON_LAYER_FLOOR &&
	    strcmp(denial->verdict.matched_rule, "link-to-private") == 0;
}

/* git writes config.lock, and renames it. */
static bool
is_git_config(const struct cordon_denial *denial)
{
	const struct cordon_verdict *v = &denial->verdict;
	cdn_str path = cdn_str_of(denial->path);

	return v->layer == CORDON_LAYER_DEFAULTS && v->rule_text != NULL &&
	    strncmp(v->rule_text, "**/.git/", 8) == 0 &&
	    (cdn_str_ends(path, CDN_STR("/config")) ||
		cdn_str_ends(path, CDN_STR("/config.lock")) ||
		cdn_str_ends(path, CDN_STR("/config.worktree.lock")) ||
		strstr(denial->path, "/.git/worktrees/") != NULL);
}

static bool
is_git_index(const struct cordon_denial *denial)
{
	return denial->verdict.layer == CORDON_LAYER_FLOOR &&
	    strcmp(denial->verdict.matched_rule, "git-index") == 0;
}

static const struct {
	bool (*applies)(const struct cordon_denial *denial);
	const char *text;
} hints[] = {
	{ is_in_tmp, "use $TMPDIR, or --write /tmp" },
	{ is_git_config, "change the configuration of a repository, its "
			 "worktrees and submodules on the host" },
	{ is_nested_git, "make and move repositories on the host, or pass "
			 "'--allow nested-git'" },
	{ is_git_index, "git replaces the index by renaming index.lock; other "
			"ways to write it, and paths out of the work tree in "
			"it, are refused" },
	{ is_led, "copy what the run has in its private home or $TMPDIR: a "
		  "symlink there would lead the host's git, too" },
};

_Static_assert(CDN_LEN(hints) == CDN_LEN(((struct cli_denials *)0)->hints),
    "room for each");

static void
add_hints(struct cli_denials *d, const struct cordon_denial *denial)
{
	for (size_t i = 0; i < CDN_LEN(hints); i++) {
		bool known = false;

		for (size_t k = 0; k < d->hint_count; k++)
			known |= d->hints[k] == hints[i].text;
		if (!known && hints[i].applies(denial))
			d->hints[d->hint_count++] = hints[i].text;
	}
}

/* ----- One ---------------------------------------------------------------- */

static void
keep(struct cli_json *json, const struct cordon_denial *denial)
{
	const struct cordon_verdict *v = &denial->verdict;

	if (json->buf.n > KEPT_MAX)
		return;
	cdn_json_open(&json->w, '{');
	cli_json_member(json, "op", cordon_op_name(v->operation));
	cli_json_bytes(json, "path", "path_hex", cdn_str_of(denial->path));
	cli_json_member(json, "call", denial->call);
	cdn_json_put_key(&json->w, "pid");
	cdn_json_put_int(&json->w, denial->pid);
	cli_json_member(json, "matched_rule", v->matched_rule);
	cli_json_member(json, "layer", cordon_layer_name(v->layer));
	cli_json_member(json, "rule_text", v->rule_text);
	cli_json_member(json, "source", v->source);
	cli_json_position(json, v->line, v->column);
	cdn_json_close(&json->w);
}

static void
count(struct cli_denials *d, const char *text)
{
	for (size_t i = 0; i < d->count; i++)
		if (strcmp(d->rules[i].text, text) == 0) {
			d->rules[i].times++;
			return;
		}
	if (d->count == CLI_DENIED_RULES) {
		d->others++;
		return;
	}
	snprintf(d->rules[d->count].text, sizeof(d->rules[0].text), "%s",
	    text);
	d->rules[d->count++].times = 1;
}

/* What is refused again and again is told when it has doubled. */
static void
say(struct cli_denials *d, const struct cordon_denial *denial,
    const char *text)
{
	char line[sizeof(d->said)];

	snprintf(line, sizeof(line), "%s of '%s': %s", denial->call,
	    denial->path, text);
	if (strcmp(line, d->said) != 0) {
		memcpy(d->said, line, sizeof(line));
		d->again = 0;
	} else {
		d->again++;
		if ((d->again & (d->again - 1)) != 0)
			return;
	}
	if (d->again > 1)
		cli_note("denied: %s of '%s' by %d: %s (%lu times)",
		    denial->call, denial->path, denial->pid, text,
		    d->again + 1);
	else
		cli_note("denied: %s of '%s' by %d: %s", denial->call,
		    denial->path, denial->pid, text);
}

void
cli_denials_add(const struct cordon_denial *denial, void *arg)
{
	struct cli_denials *d = arg;
	char text[sizeof(d->rules[0].text)];

	describe(denial, text, sizeof(text));
	if (d->aloud)
		say(d, denial, text);
	if (d->keep)
		keep(&d->kept, denial);
	count(d, text);
	add_hints(d, denial);
}

/* ----- All of them -------------------------------------------------------- */

void
cli_denials_json(struct cli_denials *denials, struct cli_json *json)
{
	struct cli_json *kept = &denials->kept;

	cdn_json_close(&kept->w);
	if (cdn_json_end(&kept->w))
		cdn_json_put_raw(&json->w,
		    (cdn_str){ kept->buf.p, kept->buf.n });
	else
		cdn_json_put_null(&json->w);
}

/* The command that shows them: a file name as one word of a shell. */
static void
put_file(struct cdn_buf *line, const char *file)
{
	const char *home = getenv("HOME");
	size_t n = home == NULL ? 0 : strlen(home);
	bool below = n > 0 && strncmp(file, home, n) == 0 && file[n] == '/';

	if (file[strspn(file, "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-")] != '\0')
		cdn_buf_printf(line, "\"%s\"", file);
	else
		cdn_buf_printf(line, "%s%s", below ? "~" : "",
		    below ? file + n : file);
}

/* The user's own need not be named. */
static void
put_log(struct cdn_buf *line, const char *file)
{
	cdn_cleanup_free char *own = NULL;

	if (cordon_audit_file(&own, NULL) == 0 && strcmp(own, file) == 0)
		return;
	cdn_buf_putc(line, ' ');
	put_file(line, file);
}

void
cli_denials_sum_up(const struct cli_denials *d,
    const struct cordon_run_result *result)
{
	struct cdn_buf line;

	if (result->denials == 0)
		return;
	cdn_buf_init(&line, 16384);
	for (size_t i = 0; i < d->count; i++) {
		cdn_buf_printf(&line, "%s%s", i > 0 ? ", " : "",
		    d->rules[i].text);
		if (d->rules[i].times > 1)
			cdn_buf_printf(&line, " x%lu", d->rules[i].times);
	}
	if (d->others > 0)
		cdn_buf_printf(&line, ", and %lu more", d->others);
	if (result->audit != NULL && !d->aloud) {
		cdn_buf_printf(&line, "; cordon audit show %s", result->run);
		put_log(&line, result->audit);
	}
	if (!cdn_buf_failed(&line))
		cli_note("%lu denial%s: %s", result->denials,
		    result->denials == 1 ? "" : "s", line.p);
	cdn_buf_done(&line);
	for (size_t i = 0; i < d->hint_count; i++)
		cli_hint("%s", d->hints[i]);
}
