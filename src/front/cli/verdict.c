#include "front/cli/verdict.h"

#define GAP "  "

/* What one decision looks like and means to the shell. */
static const struct {
	enum cli_colour colour;
	int exit;
} looks[] = {
	[CORDON_DENY] = { CLI_RED, CLI_DENIED },
	[CORDON_ALLOW] = { CLI_GREEN, CLI_YES },
	[CORDON_ASK] = { CLI_YELLOW, CLI_ASK },
};

int
cli_decision_exit(enum cordon_decision decision)
{
	return looks[decision].exit;
}

/* ----- Steps ------------------------------------------------------------ */

void
cli_steps_add(const struct cordon_step *step, void *arg)
{
	struct cli_steps *steps = arg;

	if (steps->n == steps->room) {
		struct cordon_step *v;

		steps->room = steps->room == 0 ? 16 : steps->room * 2;
		v = cli_alloc(steps->room, sizeof(*v));
		if (steps->n > 0)
			memcpy(v, steps->v, steps->n * sizeof(*v));
		free(steps->v);
		steps->v = v;
	}
	steps->v[steps->n++] = *step;
}

void
cli_steps_done(struct cli_steps *steps)
{
	free(steps->v);
	*steps = (struct cli_steps){ 0 };
}

/* ----- Text ------------------------------------------------------------- */

/* "SOURCE:LINE:COL (LAYER)", as much of it as there is */
static void
put_source(const char *source, unsigned line, unsigned column,
    enum cordon_layer layer)
{
	if (source != NULL) {
		cli_put_safe(stdout, cdn_str_of(source));
		if (line > 0)
			printf(":%u:%u", line, column);
		putchar(' ');
	}
	printf("(%s)\n", cordon_layer_name(layer));
}

static void
put_step(const struct cordon_step *step)
{
	printf("    %s" GAP, step->negated ? "deny " : "allow");
	if (step->negated)
		putchar('!');
	cli_put_safe(stdout, cdn_str_of(step->rule));
	fputs(GAP, stdout);
	put_source(step->source, step->line, step->column, step->layer);
}

void
cli_answer_text(const struct cli_answer *answer)
{
	const struct cordon_verdict *v = answer->verdict;

	cli_put_coloured(stdout, looks[v->decision].colour,
	    cordon_decision_name(v->decision));
	printf(GAP "%s" GAP, cordon_op_name(v->operation));
	cli_put_safe(stdout, answer->path);
	fputs(GAP, stdout);
	cli_put_safe(stdout, cdn_str_of(v->matched_rule));
	fputs(GAP, stdout);
	put_source(v->source, v->line, v->column, v->layer);
	for (size_t i = 0; answer->steps != NULL && i < answer->steps->n; i++)
		put_step(&answer->steps->v[i]);
}

void
cli_no_answer_text(cdn_str path, const struct cordon_error *err)
{
	cdn_cleanup_free char *text = cli_copy(path);

	cli_error("%s: %s", path.n > 0 ? text : "''", err->text);
}

/* ----- JSON ------------------------------------------------------------- */

static void
put_bool(struct cli_json *json, const char *key, bool value)
{
	cdn_json_put_key(&json->w, key);
	cdn_json_put_bool(&json->w, value);
}

/* A rule may hold any character a document can: only files can be no UTF-8. */
static void
put_rule_place(struct cli_json *json, const char *source, unsigned line,
    unsigned column)
{
	cli_json_bytes(json, "source", NULL,
	    (cdn_str){ source, source != NULL ? strlen(source) : 0 });
	cli_json_position(json, line, column);
}

static void
put_step_json(struct cli_json *json, const struct cordon_step *step)
{
	cdn_json_open(&json->w, '{');
	cli_json_member(json, "layer", cordon_layer_name(step->layer));
	cli_json_member(json, "rule", step->rule);
	cli_json_member(json, "rule_text", step->text);
	put_bool(json, "negated", step->negated);
	put_rule_place(json, step->source, step->line, step->column);
	cdn_json_close(&json->w);
}

static void
put_steps_json(struct cli_json *json, const struct cli_steps *steps)
{
	cdn_json_put_key(&json->w, "explain");
	cdn_json_open(&json->w, '[');
	for (size_t i = 0; i < steps->n; i++)
		put_step_json(json, &steps->v[i]);
	cdn_json_close(&json->w);
}

void
cli_answer_json(const struct cli_answer *answer)
{
	const struct cordon_verdict *v = answer->verdict;
	cdn_str real = { NULL, 0 };
	struct cli_json json;

	if (answer->real_path[0] != '\0')
		real = cdn_str_of(answer->real_path);
	cli_json_begin(&json);
	cli_json_member(&json, "as", cordon_as_name(v->as));
	cli_json_member(&json, "profile", v->profile);
	cli_json_member(&json, "operation", cordon_op_name(v->operation));
	cli_json_bytes(&json, "path", "path_hex", answer->path);
	cli_json_bytes(&json, "real_path", "real_path_hex", real);
	put_bool(&json, "allowed", v->allowed);
	cli_json_member(&json, "decision", cordon_decision_name(v->decision));
	cli_json_member(&json, "matched_rule", v->matched_rule);
	cli_json_member(&json, "layer", cordon_layer_name(v->layer));
	cli_json_member(&json, "rule_text", v->rule_text);
	put_rule_place(&json, v->source, v->line, v->column);
	cli_json_member(&json, "deny_rule", v->deny_rule);
	if (answer->steps != NULL)
		put_steps_json(&json, answer->steps);
	cli_json_end(&json);
}

/*
 * The names a caller of `check` has to know are four; what is wrong with a
 * document or an argument is invalid input, whatever layer noticed it.
 */
static const char *
error_name(int code)
{
	switch (code) {
	case CORDON_E_NOT_FOUND:
	case CORDON_E_SYSTEM:
		return cordon_code_name(CORDON_E_INVALID);
	default:
		return cordon_code_name(code);
	}
}

void
cli_no_answer_json(cdn_str path, const struct cordon_error *err)
{
	cdn_cleanup_free char *message = NULL;
	struct cli_json json;

	if (err->line > 0)
		message = cli_printf("%s:%u:%u: %s", err->source, err->line,
		    err->column, err->text);
	else
		message = cli_copy(cdn_str_of(err->text));
	cli_json_begin(&json);
	cli_json_bytes(&json, "path", "path_hex", path);
	cli_json_member(&json, "error", error_name(err->code));
	cli_json_member(&json, "message", message);
	cli_json_end(&json);
}
