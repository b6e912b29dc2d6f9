/*
 * The vectors `audit`: what the event of a verdict is called and holds, by the
 * line that is written.
 *
 *	unit-audit-vectors FILE.jsonl
 */
#include "audits.h"

/* Keys that would say twice, and perhaps differently, what `allowed` says. */
static const char *const flags[] = { "negated", "negation", "deny", "denied",
	"is_negated" };

static bool
has_fields(json_t *line, json_t *names)
{
	size_t i;
	json_t *name;

	json_array_foreach(names, i, name)
		if (json_object_get(line, json_string_value(name)) == NULL) {
			printf("# it lacks '%s'\n", json_string_value(name));
			return false;
		}
	return json_array_size(names) > 0;
}

static bool
has_flag(json_t *line)
{
	for (size_t i = 0; i < CDN_LEN(flags); i++)
		if (json_object_get(line, flags[i]) != NULL)
			return true;
	return false;
}

/* Writes the event of such a verdict and gives back its line. */
static json_t *
written(const char *file, bool allowed)
{
	struct cordon_verdict verdict = {
		.decision = allowed ? CORDON_ALLOW : CORDON_DENY,
		.allowed = allowed,
		.operation = CORDON_READ,
		.layer = CORDON_LAYER_POLICY,
		.profile = "dev",
		.matched_rule = "src/**",
	};
	struct cdn_event_field fields[CDN_VERDICT_FIELDS];
	const struct cdn_event event = { cdn_event_of_verdict(&verdict, false),
		"r1", fields, CDN_LEN(fields) };
	struct cdn_sink *sink = NULL;

	cdn_fields_verdict(&verdict, CDN_STR("src/a"), fields);
	tmp_need(cdn_audit_open(file, &sink, NULL) == 0 &&
	    cdn_audit_write(sink, &event, NULL) == 0, "write", file);
	cdn_audit_close(sink);
	return line_json(file, 1);
}

static void
run_vector(json_t *vector)
{
	static unsigned number;
	json_t *expect = json_object_get(vector, "expect");
	bool allowed = json_is_true(json_object_get(
	    json_object_get(vector, "decision"), "allowed"));
	char file[PATH_MAX * 2];
	json_t *line;

	snprintf(file, sizeof(file), "%s/%u.jsonl", tmp_root, ++number);
	line = written(file, allowed);
	ok_f(json_equal(json_object_get(line, "kind"),
		json_object_get(expect, "kind")) &&
	    has_fields(line, json_object_get(expect, "fields")) &&
	    has_flag(line) == json_is_true(json_object_get(expect,
		"negation_flag_in_contract")) &&
	    json_is_true(json_object_get(line, "allowed")) == allowed, "%s",
	    json_string_value(json_object_get(vector, "id")));
	json_decref(line);
}

int
main(int argc, char **argv)
{
	FILE *stream = argc == 2 ? fopen(argv[1], "r") : NULL;
	char *text = NULL;
	size_t room = 0;

	tmp_need(stream != NULL, "open", argc == 2 ? argv[1] : "vectors");
	tmp_begin();
	while (getline(&text, &room, stream) > 0) {
		json_t *vector = json_loads(text, 0, NULL);

		tmp_need(vector != NULL, "JSON", text);
		run_vector(vector);
		json_decref(vector);
	}
	free(text);
	fclose(stream);
	tmp_end();
	return done_testing();
}
