/*
 * The settings of an agent, whatever they are: refused, or given a hook that is
 * found there, is not put there twice, and goes again to the byte.
 */
#include "engine/dialect/install.h"

#include <assert.h>

static struct cdn_buf
edited(cdn_str text, const struct cdn_wrap_result *edits)
{
	struct cdn_buf out;

	cdn_buf_init(&out, 4 * text.n + 65536);
	cdn_wrap_apply(text, edits, &out);
	assert(!cdn_buf_failed(&out));
	return out;
}

static void
check_added(cdn_str was, cdn_str text, const struct cdn_install_spec *spec,
    struct cdn_arena *arena)
{
	struct cdn_wrap_result edits;
	struct cdn_installed seen;
	struct cdn_buf back;
	bool gone;
	int r = cdn_install_look(text, spec, arena, &seen, NULL);

	assert(r == 0 && seen.good == seen.wanted);
	r = cdn_install_add(text, spec, arena, &edits, NULL);
	assert(r == 0 && edits.n == 0);
	r = cdn_install_remove(text, spec, arena, &edits, &gone, NULL);
	assert(r == 0 && !gone);
	back = edited(text, &edits);
	assert(cdn_str_eq((cdn_str){ back.p, back.n }, was));
	cdn_buf_done(&back);
}

static void
check_one(cdn_str text, const struct cdn_install_spec *spec,
    struct cdn_arena *arena)
{
	struct cdn_wrap_result edits;
	struct cdn_installed seen;
	struct cdn_buf with;
	bool gone;

	(void)!cdn_install_remove(text, spec, arena, &edits, &gone, NULL);
	if (cdn_install_look(text, spec, arena, &seen, NULL) != 0 ||
	    seen.found > 0 ||
	    cdn_install_add(text, spec, arena, &edits, NULL) != 0)
		return;
	with = edited(text, &edits);
	check_added(text, (cdn_str){ with.p, with.n }, spec, arena);
	cdn_buf_done(&with);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[] = { "--profile", "it's", NULL };
	cdn_str text = { (const char *)data, size };

	for (int i = 0; i < CORDON_HOOK_AGENT_MAX; i++) {
		const struct cdn_install_spec spec = {
			.dialect = cdn_dialect((enum cordon_hook_agent)i),
			.program = "/usr/bin/cordon",
			.options = options,
		};
		struct cdn_arena *arena = cdn_arena_new();

		check_one(text, &spec, arena);
		cdn_arena_free(arena);
	}
	return 0;
}
