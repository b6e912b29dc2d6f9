#include "vector.h"

#include <stdarg.h>

const char *
vector_optional(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

const char *
vector_string(const json_t *object, const char *key)
{
	const char *text = vector_optional(object, key);

	if (text == NULL) {
		printf("Bail out! a vector without '%s'\n", key);
		exit(1);
	}
	return text;
}

void
vector_fail(struct vector *v, const char *fmt, ...)
{
	va_list ap;

	if (v->why[0] != '\0')
		return;
	va_start(ap, fmt);
	vsnprintf(v->why, sizeof(v->why), fmt, ap);
	va_end(ap);
}

enum cordon_op
vector_op(const char *name)
{
	for (int op = 0; op < CORDON_OP_MAX; op++)
		if (strcmp(cordon_op_name((enum cordon_op)op), name) == 0)
			return (enum cordon_op)op;
	printf("Bail out! unknown operation '%s'\n", name);
	exit(1);
}

/* ----- Errors ----------------------------------------------------------- */

bool
vector_wants_error(const struct vector *v)
{
	return json_object_get(v->expect, "error") != NULL;
}

static void
wants_text(struct vector *v, const char *text, const char *texts)
{
	if (strstr(texts, text) == NULL)
		vector_fail(v, "no '%s' in: %s", text, texts);
}

void
vector_error(struct vector *v, const char *name, const char *texts)
{
	const char *want = vector_optional(v->expect, "error");
	const char *contains = vector_optional(v->expect, "contains");
	const json_t *all = json_object_get(v->expect, "contains_all");

	if (want == NULL) {
		vector_fail(v, "unexpected %s: %s", name, texts);
		return;
	}
	if (strcmp(want, "*") != 0 && strcmp(want, name) != 0)
		vector_fail(v, "%s, wanted %s: %s", name, want, texts);
	if (contains != NULL)
		wants_text(v, contains, texts);
	for (size_t i = 0; i < json_array_size(all); i++)
		wants_text(v, json_string_value(json_array_get(all, i)), texts);
}

void
vector_failure(struct vector *v, const struct cordon_error *err,
    const struct cordon_diags *diags)
{
	size_t count = diags != NULL ? cordon_diags_count(diags) : 0;
	size_t size = 0;
	char *texts = NULL;
	FILE *stream = open_memstream(&texts, &size);

	if (stream == NULL) {
		vector_fail(v, "no memory");
		return;
	}
	fprintf(stream, "%s", err->text);
	for (size_t i = 0; i < count; i++)
		fprintf(stream, " | %s", cordon_diags_get(diags, i)->text);
	fclose(stream);
	vector_error(v, cordon_code_name(err->code), texts);
	free(texts);
}

/* ----- Verdicts --------------------------------------------------------- */

void
vector_verdict(struct vector *v, bool allowed, const char *matched_rule)
{
	const json_t *want = json_object_get(v->expect, "allowed");
	const char *rule = vector_optional(v->expect, "matched_rule");

	if (want == NULL) {
		vector_fail(v, "a verdict where an error was wanted");
		return;
	}
	if (allowed != json_is_true(want))
		vector_fail(v, "%s by '%s'", allowed ? "allowed" : "denied",
		    matched_rule);
	if (rule != NULL && strcmp(rule, matched_rule) != 0)
		vector_fail(v, "matched '%s', wanted '%s'", matched_rule, rule);
}
