/*
 * The JSON Schema and the reference page: complete, and as they lie in the
 * repository.
 *
 *	unit-policy-schema --write DIR	writes both files below DIR anew
 */
#include <jansson.h>

#include "base/buf.h"
#include "engine/policy/policy.h"
#include "engine/policy/schema.h"

#include "support/tap.h"

#define TEXT_MAX (1UL << 20)

static const struct {
	const char *file;
	int (*make)(struct cdn_buf *out, struct cordon_error *err);
} products[] = {
	{ "schema/cordon-policy.schema.json", cdn_policy_schema },
	{ "docs/policy.md", cdn_policy_reference },
};

static bool
make(size_t i, struct cdn_buf *ret)
{
	cdn_buf_init(ret, TEXT_MAX);
	return products[i].make(ret, NULL) == 0;
}

static int
write_all(const char *dir)
{
	struct cdn_buf text;
	char path[4096];
	FILE *file;

	for (size_t i = 0; i < CDN_LEN(products); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, products[i].file);
		file = fopen(path, "wb");
		if (file == NULL || !make(i, &text) ||
		    fwrite(text.p, 1, text.n, file) != text.n ||
		    fclose(file) != 0) {
			perror(path);
			return 1;
		}
		cdn_buf_done(&text);
	}
	return 0;
}

static void
compare(const char *source, size_t i)
{
	static char had[TEXT_MAX];
	struct cdn_buf text;
	char path[4096];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", source, products[i].file);
	file = fopen(path, "rb");
	if (!ok_f(file != NULL, "%s is there", products[i].file))
		return;
	n = fread(had, 1, sizeof(had), file);
	fclose(file);
	ok_f(make(i, &text) && text.n == n && memcmp(text.p, had, n) == 0,
	    "%s is what the tables say", products[i].file);
	cdn_buf_done(&text);
}

/* Every reference leads somewhere. */
static bool
refs_resolve(const json_t *node, const json_t *defs)
{
	static const char prefix[] = "#/$defs/";
	const char *key;
	json_t *child;
	size_t i;

	json_array_foreach(node, i,
	    child) if (!refs_resolve(child, defs)) return false;
	json_object_foreach((json_t *)(uintptr_t)node, key, child)
	{
		const char *ref = json_string_value(child);

		if (strcmp(key, "$ref") == 0 &&
		    (ref == NULL ||
			strncmp(ref, prefix, sizeof(prefix) - 1) != 0 ||
			json_object_get(defs, ref + sizeof(prefix) - 1) ==
			    NULL))
			return false;
		if (!refs_resolve(child, defs))
			return false;
	}
	return true;
}

static bool
is_required(const json_t *object, const char *name)
{
	const json_t *required = json_object_get(object, "required");
	const json_t *item;
	size_t i;

	json_array_foreach(required, i,
	    item) if (strcmp(json_string_value(item), name) == 0) return true;
	return false;
}

static void
check_object(const json_t *defs, enum cdn_object id)
{
	const json_t *object = json_object_get(defs, cdn_objects[id].name);
	const json_t *properties = json_object_get(object, "properties");
	const struct cdn_key *key = NULL;
	size_t n = 0;
	bool all = true;

	while ((key = cdn_schema_next(id, key)) != NULL) {
		n++;
		if (json_object_get(properties, key->name) == NULL ||
		    is_required(object, key->name) != (key->absent == NULL))
			all = false;
	}
	ok_f(json_is_false(json_object_get(object, "additionalProperties")) &&
		n > 0 && all && json_object_size(properties) == n,
	    "'%s' has its %zu keys and no others", cdn_objects[id].name, n);
}

static void
check_schema(void)
{
	struct cdn_buf text;
	json_error_t error;
	json_t *schema, *defs;

	if (!make(0, &text))
		return;
	schema = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, &error);
	ok_f(schema != NULL, "the schema is JSON (%s)",
	    schema == NULL ? error.text : "");
	defs = json_object_get(schema, "$defs");
	ok(refs_resolve(schema, defs), "every reference leads somewhere");
	for (enum cdn_object i = 0; i < CDN_OBJECT_MAX; i++)
		check_object(defs, i);
	json_decref(schema);
	cdn_buf_done(&text);
}

/* Every key and every word is told of. */
static void
check_reference(void)
{
	const struct cdn_key *key;
	struct cdn_buf text;
	char wanted[128];
	bool all = true;

	if (!ok(make(1, &text), "the reference page can be made"))
		return;
	for (enum cdn_object i = 0; i < CDN_OBJECT_MAX; i++)
		for (key = cdn_schema_next(i, NULL); key != NULL;
		     key = cdn_schema_next(i, key)) {
			snprintf(wanted, sizeof(wanted), "| `%s` |", key->name);
			all = all && strstr(text.p, wanted) != NULL;
		}
	ok(all, "every key is on the reference page");
	cdn_buf_done(&text);
}

static void
check_suggestions(void)
{
	static const struct {
		enum cdn_object object;
		const char *wrong, *right;
	} cases[] = {
		{ CDN_OBJECT_SPEC, "denyread", "denyRead" },
		{ CDN_OBJECT_SPEC, "denyWrite", "denyModify" },
		{ CDN_OBJECT_SPEC, "profiles", "fsProfiles" },
		{ CDN_OBJECT_SPEC, "fsProfile", "fsProfiles" },
		{ CDN_OBJECT_SPEC, "envs", "env" },
		{ CDN_OBJECT_PROFILE, "write", "modify" },
		{ CDN_OBJECT_PROFILE, "reads", "read" },
		{ CDN_OBJECT_LIMITS, "openfiles", "open_files" },
		{ CDN_OBJECT_SPEC, "colour", NULL },
		{ CDN_OBJECT_SPEC, "x", NULL },
		{ CDN_OBJECT_SPEC, "", NULL },
	};

	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		const char *got = cdn_schema_suggest(cases[i].object,
		    cdn_str_of(cases[i].wrong));

		ok_f(got == cases[i].right ||
			(got != NULL && cases[i].right != NULL &&
			    strcmp(got, cases[i].right) == 0),
		    "'%s' means '%s'", cases[i].wrong,
		    cases[i].right == NULL ? "nothing" : cases[i].right);
	}
}

int
main(int argc, char **argv)
{
	const char *source = getenv("CORDON_SOURCE");

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return write_all(argv[2]);
	for (size_t i = 0; i < CDN_LEN(products); i++)
		compare(source == NULL ? "." : source, i);
	check_schema();
	check_reference();
	check_suggestions();
	return done_testing();
}
