/*
 * A line of a client: whatever it is, it is read without harm; what we answer
 * is one line of JSON; and every path of it that is asked about could be one.
 */
#include "engine/rpc/arguments.h"
#include "engine/rpc/reply.h"

#include <assert.h>

static int
check_path(const struct cdn_rpc_path *path, void *arg, struct cordon_error *err)
{
	const struct cdn_rpc_form *form = path->form;

	(void)arg;
	(void)err;
	assert(strlen(path->label) <= CDN_RPC_LABEL_MAX);
	assert((form->why != NULL) == (form->kind == CDN_RPC_FOREIGN));
	assert(form->kind == CDN_RPC_FOREIGN || form->text.n <= CDN_PATH_MAX);
	assert(form->kind == CDN_RPC_FOREIGN || form->text.n == 0 ||
	    memchr(form->text.p, '\0', form->text.n) == NULL);
	return 0;
}

static int
check_undeclared(const char *label, void *arg, struct cordon_error *err)
{
	(void)arg;
	(void)err;
	assert(label[0] != '\0' || label[1] == '\0');
	return 0;
}

static void
check_answer(struct cdn_buf *out, struct cdn_arena *arena)
{
	struct cdn_json json;
	int r;

	assert(!cdn_buf_failed(out) && out->n > 0);
	assert(memchr(out->p, '\n', out->n) == out->p + out->n - 1);
	r = cdn_json_parse((cdn_str){ out->p, out->n }, NULL, arena, &json,
	    NULL);
	assert(r == 0);
}

static void
check_message(const struct cdn_rpc_message *m, struct cdn_arena *arena,
    struct cdn_buf *out)
{
	static const struct cdn_rpc_settings none;
	const struct cdn_rpc_judge judge = { check_path, check_undeclared,
		NULL };
	/* What was sent stands for the description of the tool as well. */
	const struct cdn_rpc_tool tool = { .name = { "t", 1 },
		.json = &m->json, .settings = &none };
	const struct cdn_rpc_denial denial = { .field = "f", .reason = "r",
		.text = m->what };
	int r = 0;

	if (m->kind == CDN_RPC_BAD) {
		assert(m->code != 0 && m->what[0] != '\0');
		cdn_rpc_complain(&m->id, m->code, m->what, out);
		check_answer(out, arena);
	} else if (m->kind != CDN_RPC_BLANK) {
		r = cdn_rpc_walk_message(m, &tool, &judge, arena, NULL);
		cdn_rpc_refuse(m, &denial, out);
		check_answer(out, arena);
	}
	assert(r == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_rpc_message m;
	struct cdn_buf out;
	int r;

	cdn_buf_init(&out, 8 * size + 65536);
	r = cdn_rpc_read((cdn_str){ (const char *)data, size }, arena, &m,
	    NULL);
	assert(r == 0);
	check_message(&m, arena, &out);
	cdn_buf_done(&out);
	cdn_arena_free(arena);
	return 0;
}
