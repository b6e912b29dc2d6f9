/*
 * schema - the JSON Schema of documents of workers, made from the tables of
 * keys.c.
 *
 * It says what a schema can say; that a pattern is one simple command, or that
 * nothing is written twice, is for the loader.
 */
#include "engine/worker/load.h"

#include "base/json.h"

#define TEXT "{\"type\": \"string\"}"
#define ROOT "{\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096}"

/* Values that have no keys of their own. */
static const char *const plain[CDN_TAKES_KINDS] = {
	[CDN_TAKES_TEXT] = TEXT,
	[CDN_TAKES_NAME] = "{\"type\": \"string\", \"minLength\": 1, "
			   "\"maxLength\": 128}",
	[CDN_TAKES_ROOT] = ROOT,
	[CDN_TAKES_MODE] = "{\"enum\": [\"ro\", \"rw\"]}",
	[CDN_TAKES_BOOLEAN] = "{\"type\": \"boolean\"}",
	[CDN_TAKES_COUNT] = "{\"anyOf\": [{\"type\": \"integer\", "
			    "\"minimum\": 0}, {\"type\": \"string\", "
			    "\"pattern\": \"^[0-9]+[KMG]?$\"}]}",
	[CDN_TAKES_TEXTS] = "{\"type\": \"array\", \"items\": " ROOT "}",
	[CDN_TAKES_SUFFIXES] = "{\"type\": \"array\", \"items\": {\"type\": "
			       "\"string\", \"pattern\": \"^[.][^/]+$\"}}",
	[CDN_TAKES_WORDS] = "{\"type\": \"string\", \"minLength\": 1}",
};

static void put_keys(struct cdn_json_writer *w,
    const struct cdn_worker_object *object);

static void
put_words(struct cdn_json_writer *w, const char *(*word)(size_t i))
{
	const char *text;

	cdn_json_put_key(w, "enum");
	cdn_json_open(w, '[');
	for (size_t i = 0; (text = word(i)) != NULL; i++)
		cdn_json_put_cstring(w, text);
	cdn_json_close(w);
}

static const char *
executor_word(size_t i)
{
	return cdn_executor_name((enum cdn_worker_executor)i);
}

/* An object in which every name, or every tool's or module's, has the keys of the child. */
static void
put_names(struct cdn_json_writer *w, const struct cdn_worker_key *key)
{
	cdn_json_put_key(w, "type");
	cdn_json_put_cstring(w, "object");
	if (key->shape == CDN_TAKES_TOOLS || key->shape == CDN_TAKES_MODULES) {
		cdn_json_put_key(w, "propertyNames");
		cdn_json_open(w, '{');
		put_words(w, key->shape == CDN_TAKES_TOOLS ?
		    cdn_worker_tool_name : cdn_worker_module_name);
		cdn_json_close(w);
	}
	cdn_json_put_key(w, "additionalProperties");
	cdn_json_open(w, '{');
	put_keys(w, key->child);
	cdn_json_close(w);
}

static void
put_list(struct cdn_json_writer *w, const struct cdn_worker_key *key)
{
	cdn_json_put_key(w, "type");
	cdn_json_put_cstring(w, "array");
	cdn_json_put_key(w, "items");
	cdn_json_open(w, '{');
	put_keys(w, key->child);
	cdn_json_close(w);
}

static void
put_key(struct cdn_json_writer *w, const struct cdn_worker_key *key)
{
	cdn_json_put_key(w, key->name);
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "description");
	cdn_json_put_cstring(w, key->text);
	if (plain[key->shape] != NULL) {
		cdn_json_put_key(w, "allOf");
		cdn_json_open(w, '[');
		cdn_json_put_raw(w, cdn_str_of(plain[key->shape]));
		cdn_json_close(w);
	} else if (key->shape == CDN_TAKES_EXECUTOR) {
		put_words(w, executor_word);
	} else if (key->shape == CDN_TAKES_OBJECT) {
		put_keys(w, key->child);
	} else if (key->shape == CDN_TAKES_RULES) {
		put_list(w, key);
	} else {
		put_names(w, key);
	}
	cdn_json_close(w);
}

static void
put_required(struct cdn_json_writer *w, const struct cdn_worker_object *object)
{
	cdn_json_put_key(w, "required");
	cdn_json_open(w, '[');
	for (size_t i = 0; i < object->n; i++)
		if (object->keys[i].needed != NULL)
			cdn_json_put_cstring(w, object->keys[i].name);
	cdn_json_close(w);
}

static void
put_keys(struct cdn_json_writer *w, const struct cdn_worker_object *object)
{
	cdn_json_put_key(w, "type");
	cdn_json_put_cstring(w, "object");
	cdn_json_put_key(w, "additionalProperties");
	cdn_json_put_bool(w, false);
	put_required(w, object);
	cdn_json_put_key(w, "properties");
	cdn_json_open(w, '{');
	for (size_t i = 0; i < object->n; i++)
		if (object->keys[i].shape != CDN_TAKES_OLD)
			put_key(w, &object->keys[i]);
	cdn_json_close(w);
}

int
cdn_worker_schema(struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "$schema");
	cdn_json_put_cstring(&w,
	    "https://json-schema.org/draft/2020-12/schema");
	cdn_json_put_key(&w, "$id");
	cdn_json_put_cstring(&w, "urn:cordon:schema:worker:1");
	cdn_json_put_key(&w, "title");
	cdn_json_put_cstring(&w, "cordon worker");
	cdn_json_put_key(&w, "description");
	cdn_json_put_cstring(&w, "What one activity of an agent may do. Made "
	    "by 'cordon policy schema worker'.");
	put_keys(&w, &cdn_worker_document_keys);
	cdn_json_close(&w);
	if (!cdn_json_end(&w))
		return cdn_err_nomem(err);
	cdn_buf_putc(out, '\n');
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}
