/*
 * schema - the JSON Schema of policy documents, made from schema.def.
 *
 * It says what a schema can say: keys, types, words, the shape of rules and
 * values.  That a rule is covered, that a sealed profile exists and that
 * nothing is written twice is for the loader.
 */
#include "engine/policy/schema.h"

#include "engine/policy/policy.h"

#include "base/buf.h"

static const struct {
	const char *name;
	const char *json;
} parts[] = {
#define CDN_PART(name, json) { name, json },
#include "engine/policy/schema.def"
#undef CDN_PART
};

/* A fragment of schema.def as JSON: see there. */
static void
put_fragment(struct cdn_buf *out, const char *fragment)
{
	for (const char *p = fragment; *p != '\0'; p++) {
		if (*p == '\'')
			cdn_buf_putc(out, '"');
		else if (*p == '\\')
			cdn_buf_puts(out, "\\\\");
		else
			cdn_buf_putc(out, *p);
	}
}

static void
put_string(struct cdn_buf *out, const char *text)
{
	cdn_buf_putc(out, '"');
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '"' || *p == '\\')
			cdn_buf_putc(out, '\\');
		cdn_buf_putc(out, *p);
	}
	cdn_buf_putc(out, '"');
}

static void
put_required(struct cdn_buf *out, enum cdn_object object)
{
	const struct cdn_key *key = NULL;
	const char *before = "      \"required\": [";
	bool any = false;

	while ((key = cdn_schema_next(object, key)) != NULL) {
		if (key->absent != NULL)
			continue;
		cdn_buf_printf(out, "%s\"%s\"", before, key->name);
		before = ", ";
		any = true;
	}
	if (any)
		cdn_buf_puts(out, "],\n");
}

static void
put_properties(struct cdn_buf *out, enum cdn_object object)
{
	const struct cdn_key *key = NULL;
	const char *before = "";

	cdn_buf_puts(out, "      \"properties\": {");
	while ((key = cdn_schema_next(object, key)) != NULL) {
		cdn_buf_printf(out,
		    "%s\n        \"%s\": {\n"
		    "          \"description\": ",
		    before, key->name);
		put_string(out, key->text);
		cdn_buf_printf(out,
		    ",\n          \"$ref\": \"#/$defs/%s\"\n"
		    "        }",
		    key->type == CDN_TYPE_OBJECT ?
			cdn_objects[key->child].name :
			cdn_types[key->type].id);
		before = ",";
	}
	cdn_buf_puts(out, "\n      }\n");
}

static void
put_object(struct cdn_buf *out, enum cdn_object object)
{
	cdn_buf_printf(out,
	    "    \"%s\": {\n      \"description\": ", cdn_objects[object].name);
	put_string(out, cdn_objects[object].text);
	cdn_buf_puts(out,
	    ",\n      \"type\": \"object\",\n"
	    "      \"additionalProperties\": false,\n");
	put_required(out, object);
	put_properties(out, object);
	cdn_buf_puts(out, "    },\n");
}

static void
put_types(struct cdn_buf *out)
{
	for (size_t i = 0; i < CDN_TYPE_MAX; i++) {
		if (i == CDN_TYPE_OBJECT)
			continue;
		cdn_buf_printf(out, "    \"%s\": ", cdn_types[i].id);
		put_fragment(out, cdn_types[i].json);
		cdn_buf_puts(out, ",\n");
	}
}

static void
put_words(struct cdn_buf *out, enum cdn_words set)
{
	const struct cdn_word *word = NULL;
	const char *before = "";

	cdn_buf_printf(out, "    \"%sWord\": {\"enum\": [",
	    cdn_words_names[set]);
	while ((word = cdn_word_next(set, word)) != NULL) {
		cdn_buf_printf(out, "%s\"%s\"", before, word->text);
		before = ", ";
	}
	cdn_buf_puts(out, "]},\n");
}

static void
put_parts(struct cdn_buf *out)
{
	for (size_t i = 0; i < CDN_LEN(parts); i++) {
		cdn_buf_printf(out, "    \"%s\": ", parts[i].name);
		put_fragment(out, parts[i].json);
		cdn_buf_puts(out, i + 1 < CDN_LEN(parts) ? ",\n" : "\n");
	}
}

int
cdn_policy_schema(struct cdn_buf *out, struct cordon_error *err)
{
	cdn_buf_puts(out,
	    "{\n"
	    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
	    "  \"$id\": \"urn:cordon:schema:policy:2\",\n"
	    "  \"title\": \"cordon policy\",\n"
	    "  \"description\": \"A boundary around programs, schemaVersion 2. "
	    "Made by 'cordon policy schema'.\",\n"
	    "  \"$ref\": \"#/$defs/document\",\n"
	    "  \"$defs\": {\n");
	for (enum cdn_object i = 0; i < CDN_OBJECT_MAX; i++)
		put_object(out, i);
	put_types(out);
	for (enum cdn_words i = 0; i < CDN_WORDS_MAX; i++)
		put_words(out, i);
	put_parts(out);
	cdn_buf_puts(out, "  }\n}\n");
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}
