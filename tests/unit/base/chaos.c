/* base/, with every allocation failing once. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/json.h"

#include "support/chaos.h"

/* ----- Arenas ------------------------------------------------------------ */

static bool
use_arena(struct cdn_arena *arena)
{
	cdn_str copy;
	uint64_t *array = NULL;
	size_t capacity = 0;

	if (cdn_arena_alloc(arena, 100) == NULL ||
	    cdn_arena_alloc(arena, 100000) == NULL ||
	    cdn_arena_array(arena, 5000, 7) == NULL ||
	    cdn_arena_dup(arena, "abc", 3) == NULL ||
	    cdn_arena_printf(arena, "%30000d", 1) == NULL ||
	    !cdn_arena_str(arena, CDN_STR("slice"), &copy))
		return false;
	for (size_t i = 0; i < 10000; i++) {
		uint64_t *grown = cdn_arena_grow(arena, array, i, &capacity,
		    sizeof(*array));

		if (grown == NULL)
			return false;
		array = grown;
		array[i] = i;
	}
	return true;
}

static int
arena(void *arg)
{
	struct cdn_arena *memory = cdn_arena_new();
	bool good = memory != NULL && use_arena(memory);

	(void)arg;
	cdn_arena_free(memory);
	return good ? 0 : CORDON_E_NOMEM;
}

/* ----- Buffers ----------------------------------------------------------- */

static int
buf(void *arg)
{
	struct cdn_buf buf;
	char *text;
	bool failed;

	(void)arg;
	cdn_buf_init(&buf, 1 << 20);
	for (int i = 0; i < 1000; i++) {
		cdn_buf_printf(&buf, "%d,", i);
		cdn_buf_puts(&buf, "text");
	}
	failed = cdn_buf_failed(&buf);
	text = cdn_buf_take(&buf);
	cdn_buf_done(&buf);
	if (failed != (text == NULL))
		return 1;
	if (text != NULL && strstr(text, "998,text999,text") == NULL)
		return 2; /* something is missing, and nobody said so */
	free(text);
	return failed ? CORDON_E_NOMEM : 0;
}

/* ----- Findings ---------------------------------------------------------- */

#define FINDINGS (CDN_DIAGS_MAX + 10UL)

/* Kept or not, every finding is counted. */
static int
diag(void *arg)
{
	struct cordon_diags *diags = cordon_diags_new();
	size_t kept;
	int r = 0;

	(void)arg;
	if (diags == NULL)
		return CORDON_E_NOMEM;
	for (unsigned i = 0; i < FINDINGS; i++) {
		struct cdn_pos pos = { i % 3 == 0 ? "a.yaml" : "b.yaml", i, 1 };

		cdn_diag_add(diags, i % 2 == 0 ? CORDON_ERROR : CORDON_WARNING,
		    "P001", pos, i % 5 == 0 ? "do this" : NULL, "%500u", i);
	}
	kept = cordon_diags_count(diags);
	if (cordon_diags_errors(diags) != FINDINGS / 2 ||
	    kept + cordon_diags_omitted(diags) != FINDINGS)
		r = 1;
	for (size_t i = 0; i < kept; i++) {
		const struct cordon_diag *d = cordon_diags_get(diags, i);

		if (strlen(d->text) != 500 || d->source[1] != '.')
			r = 2;
	}
	cordon_diags_free(diags);
	return r;
}

/* ----- JSON -------------------------------------------------------------- */

static int
json_write(void *arg)
{
	struct cdn_json_writer w;
	struct cdn_buf out;
	bool good;

	(void)arg;
	cdn_buf_init(&out, 1 << 20);
	cdn_json_begin(&w, &out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "list");
	cdn_json_open(&w, '[');
	for (int i = 0; i < 500; i++) {
		cdn_json_put_int(&w, i);
		cdn_json_put_cstring(&w, "a \"text\"\n");
	}
	cdn_json_close(&w);
	cdn_json_close(&w);
	good = cdn_json_end(&w);
	cdn_buf_done(&out);
	return good ? 0 : CORDON_E_NOMEM;
}

static bool
read_all(const struct cdn_json *json, struct cdn_arena *arena)
{
	for (uint32_t i = 0; i < json->count; i++) {
		const struct cdn_json_node *node = &json->nodes[i];
		cdn_str text;

		if (node->type == CDN_JSON_STRING &&
		    !cdn_json_string(json, node, arena, &text))
			return false;
		if (node->key_end > 0 &&
		    !cdn_json_key(json, node, arena, &text))
			return false;
	}
	return true;
}

static int
json_read(void *arg)
{
	struct cdn_arena *arena = cdn_arena_new();
	const char *text = arg;
	struct cdn_json json = { .count = 77 };
	struct cordon_error err;
	int r;

	if (arena == NULL)
		return CORDON_E_NOMEM;
	r = cdn_json_parse(cdn_str_of(text), NULL, arena, &json, &err);
	if (r < 0 && (err.code != r || json.count != 77))
		r = 1;
	if (r == 0 && !read_all(&json, arena))
		r = CORDON_E_NOMEM;
	cdn_arena_free(arena);
	return r;
}

/* Lists, texts with escapes, and two objects with many keys. */
static char *
long_text(void)
{
	struct cdn_buf out;

	cdn_buf_init(&out, 1 << 20);
	cdn_buf_puts(&out, "[[");
	for (int i = 0; i < 3000; i++)
		cdn_buf_puts(&out, "\"a\\ntext with an escape\",");
	cdn_buf_puts(&out, "0]");
	for (int n = 100; n <= 2000; n += 1900) {
		cdn_buf_puts(&out, ",{\"k\":0");
		for (int i = 0; i < n; i++)
			cdn_buf_printf(&out, ",\"k\\u005f%d\":%d", i, i);
		cdn_buf_putc(&out, '}');
	}
	cdn_buf_putc(&out, ']');
	return cdn_buf_take(&out);
}

int
main(void)
{
	char small[] = "{\"a\":[1,\"\\n\"],\"b\":null}";
	char *big = long_text();

	chaos_run("arena", arena, NULL, 0);
	chaos_run("buf", buf, NULL, 0);
	chaos_run("diag", diag, NULL, CHAOS_ABSORBS);
	chaos_run("writing JSON", json_write, NULL, 0);
	chaos_run("reading a little JSON", json_read, small, 0);
	chaos_run("reading much JSON", json_read, big, 0);
	free(big);
	return done_testing();
}
