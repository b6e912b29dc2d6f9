/*
 * The block list: everything passes but a few places.
 */
#include "engine/decide/block.h"

#include "support/tap.h"

/* clang-format off */
static const struct {
	const char *path;
	bool read, write;     /* blocked? */
	const char *rule;
} rows[] = {
	/* the daemon's own */
	{ "/d/data",		 true,	true,  "DATA_DIR/data" },
	{ "/d/data/memory.db",	 true,	true,  "DATA_DIR/data" },
	{ "/d/database",	 false, false, NULL },
	{ "/d/config.toml",	 true,	true,  "DATA_DIR/config.toml" },
	{ "/d/config.toml.bak",	 false, false, NULL },
	{ "/x/conf",		 true,	true,  "CONFIG_PATH" },
	{ "/d/stores/a",	 false, false, NULL },
	{ "/d/workspace/a",	 false, false, NULL },
	{ "/d/skills/a",	 false, false, NULL },
	{ "/d/projects/a",	 false, false, NULL },
	{ "/d/prompts/a",	 false, false, NULL },

	/* the system, for writing */
	{ "/System/a",		 false, true,  "/System" },
	{ "/bin",		 false, true,  "/bin" },
	{ "/bin/sh",		 false, true,  "/bin" },
	{ "/sbin/a",		 false, true,  "/sbin" },
	{ "/usr/bin/a",		 false, true,  "/usr/bin" },
	{ "/usr/sbin/a",	 false, true,  "/usr/sbin" },
	{ "/usr/lib/a",		 false, true,  "/usr/lib" },
	{ "/usr/lib64/a",	 false, true,  "/usr/lib64" },
	{ "/usr/libexec/a",	 false, true,  "/usr/libexec" },
	{ "/private/etc/a",	 false, true,  "/private/etc" },
	{ "/Library/a",		 false, true,  "/Library" },
	{ "/etc/passwd",	 false, true,  "/etc" },
	{ "/boot/a",		 false, true,  "/boot" },
	{ "/proc/1/a",		 false, true,  "/proc" },
	{ "/sys/a",		 false, true,  "/sys" },
	{ "/dev/null",		 false, true,  "/dev" },

	/* by component */
	{ "/binaries/a",	 false, false, NULL },
	{ "/etcetera",		 false, false, NULL },
	{ "/usr/libx",		 false, false, NULL },
	{ "/usr/local/bin/a",	 false, false, NULL },
	{ "/home/u/a",		 false, false, NULL },
	{ "/tmp/a",		 false, false, NULL },
	{ "/",			 false, false, NULL },
};
/* clang-format on */

static void
test_one(enum cordon_op op, const char *path, bool blocked, const char *rule)
{
	const struct cdn_block_places places = { CDN_STR("/d/data"),
		CDN_STR("/d/config.toml"), CDN_STR("/x/conf") };
	struct cordon_verdict v;

	cdn_block_judge(&places, op, cdn_str_of(path), &v);
	ok_f(v.allowed == !blocked && v.as == CORDON_AS_BLOCK &&
	    v.layer == CORDON_LAYER_BLOCK && v.operation == op &&
	    strcmp(v.matched_rule, blocked ? rule : "<not blocked>") == 0,
	    "%s %s: %s", cordon_op_name(op), path, blocked ? rule : "passes");
}

int
main(void)
{
	static const struct cdn_block_places none;
	struct cordon_verdict v;

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		test_one(CORDON_READ, rows[i].path, rows[i].read,
		    rows[i].rule);
		test_one(CORDON_EXEC, rows[i].path, rows[i].read,
		    rows[i].rule);
		test_one(CORDON_MODIFY, rows[i].path, rows[i].write,
		    rows[i].rule);
	}
	cdn_block_judge(&none, CORDON_READ, CDN_STR("/a"), &v);
	ok(v.allowed, "an empty place blocks nothing");
	cdn_block_verdict(CORDON_READ, cdn_block_relative, &v);
	ok(!v.allowed && strcmp(v.matched_rule, "<relative path>") == 0,
	    "a relative path is blocked");
	return done_testing();
}
