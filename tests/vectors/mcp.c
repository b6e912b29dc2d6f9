/*
 * mcp_guard: does the call of a tool name a path that is not the agent's?
 */
#include "vector.h"

#include <unistd.h>

/* Every string moved below R, where it begins in one of the homes. */
static json_t *
moved(const struct fixture *f, const json_t *value)
{
	json_t *copy = json_is_object(value) ? json_object() : json_array();
	const char *key;
	json_t *part;
	size_t i;

	if (json_is_string(value)) {
		char *text = fixture_path(f, json_string_value(value));

		json_decref(copy);
		copy = json_string(text);
		free(text);
	} else if (json_is_object(value)) {
		/* The macro needs one that it could change, and does not. */
		json_t *object = json_deep_copy(value);

		json_object_foreach(object, key, part)
			json_object_set_new(copy, key, moved(f, part));
		json_decref(object);
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, part)
			json_array_append_new(copy, moved(f, part));
	} else {
		json_decref(copy);
		copy = json_deep_copy(value);
	}
	return copy;
}

static void
compare(struct vector *v, const struct cordon_mcp_refusal *refusal)
{
	const char *field = vector_optional(v->expect, "field");
	const char *reason = vector_optional(v->expect, "reason");
	bool allowed = json_is_true(json_object_get(v->expect, "allowed"));

	if (refusal->refused == allowed)
		vector_fail(v, "refused: %d, %s", refusal->refused,
		    refusal->text);
	else if (field != NULL && strcmp(field, refusal->field) != 0)
		vector_fail(v, "it was '%s'", refusal->field);
	else if (reason != NULL && strcmp(reason, refusal->reason) != 0)
		vector_fail(v, "by %s", refusal->reason);
	else if (refusal->refused && strchr(refusal->text, '\'') == NULL)
		vector_fail(v, "no text");
}

static void
ask(struct vector *v, const struct fixture *f,
    const struct cordon_session *session)
{
	json_t *arguments = moved(f, json_object_get(v->line, "arguments"));
	json_t *tool = json_pack("{s:s, s:O}", "name", "tool", "inputSchema",
	    json_object_get(v->line, "schema"));
	char *text = json_dumps(arguments, 0);
	char *definition = json_dumps(tool, 0);
	struct cordon_mcp_call call = {
		.size = sizeof(call),
		.tool = "tool",
		.definition = definition,
		.definition_len = strlen(definition),
		.arguments = text,
		.arguments_len = strlen(text),
	};
	static struct cordon_mcp_refusal refusal;
	struct cordon_error err = { 0 };

	if (cordon_mcp_check(session, &call, &refusal, &err) != 0)
		vector_failure(v, &err, NULL);
	else
		compare(v, &refusal);
	free(text);
	free(definition);
	json_decref(tool);
	json_decref(arguments);
}

void
vector_mcp_guard(struct vector *v)
{
	static const char *const everything[] = { "/" };
	const json_t *constraints = json_object_get(v->line, "constraints");
	struct cordon_session_options options = { .size = sizeof(options) };
	json_t *list = json_pack("[o]", json_sprintf("dir %s",
	    vector_string(v->line, "workdir")));
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };
	char *home, *workdir;
	struct fixture f;

	fixture_begin(&f, list);
	json_decref(list);
	home = fixture_path(&f, vector_string(v->line, "home"));
	workdir = fixture_path(&f, vector_string(v->line, "workdir"));
	setenv("HOME", home, 1);
	options.workspace = workdir;
	if (json_is_true(json_object_get(constraints, "unrestricted"))) {
		options.write = everything;
		options.write_count = 1;
	}
	if (chdir(workdir) != 0 ||
	    cordon_session_new(&options, NULL, &session, &err) != 0)
		vector_failure(v, &err, NULL);
	else
		ask(v, &f, session);
	cordon_session_free(session);
	if (chdir("/") != 0)
		vector_fail(v, "cannot go back");
	free(workdir);
	free(home);
	fixture_end(&f);
}
