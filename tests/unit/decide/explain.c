/*
 * Every rule that matches, layer by layer, in order.
 */
#include "engine/decide/decide.h"

#include "support/world.h"

#define PROCESS CORDON_AS_PROCESS
#define AGENT	CORDON_AS_AGENT
#define POLICY	CORDON_AS_POLICY

/* clang-format off */
static const struct world_spec spec = {
	.profile = "dev", .closed = "/w/src/key /run/c", .read = "/w/src",
	.write_roots = "/w/src/out", .runtime_read = "/usr /usr/lib",
	.documents = {
		{ CORDON_LAYER_HOST, true, "  denyModify: [\"**/*.lock\"]\n"
		  "  denyRead: [\"**/*.env\"]\n"
		  "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"], "
		  "network: full, sockets: [/run/a, /run/c, /w/q.lock], "
		  "host: {read: [/opt]}}}\n" },
		{ CORDON_LAYER_USER, true,
		  "  fsProfiles: {dev: {read: [\"src/**\", \"!src/*.x\", "
		  "\"src/a.x\"], modify: [\"src/**\"], "
		  "network: [a.org, \"!a.org:1\"], sockets: [/run/a, /w/q.lock], "
		  "host: {read: [/opt/b]}}}\n" } },
};

static const struct {
	enum cordon_as as;
	enum cordon_op op;
	const char *path;
	const char *want; /* "layer:[!]rule ..." */
} rows[] = {
	{ PROCESS, CORDON_READ, "/w/src/a.x",
	  "host:** user:src/** user:!src/*.x user:src/a.x workdir:/w/src" },
	{ POLICY,  CORDON_READ, "src/a.x",
	  "host:** user:src/** user:!src/*.x user:src/a.x" },
	{ PROCESS, CORDON_MODIFY, "/w/src/a.lock",
	  "host:** host:!**/*.lock user:src/**" },
	{ PROCESS, CORDON_MODIFY, "/w/src/out/a",
	  "host:** user:src/** workdir:/w/src/out" },
	/* What decided was that it cannot be read. */
	{ PROCESS, CORDON_MODIFY, "/w/src/.env",
	  "host:** host:!**/*.env user:src/** workdir:/w/src" },
	{ PROCESS, CORDON_READ, "/w/src/key",
	  "floor:!/w/src/key host:** user:src/** workdir:/w/src" },
	{ PROCESS, CORDON_READ, "/opt/b/c", "host:/opt user:/opt/b" },
	{ AGENT,   CORDON_READ, "/usr/lib/c", "" },
	{ PROCESS, CORDON_EXEC, "/usr/lib/c", "preset:/usr preset:/usr/lib" },
	{ PROCESS, CORDON_MODIFY, "/usr/lib/c", "floor:!/usr" },
	{ PROCESS, CORDON_MODIFY, "/usr/local/c",
	  "floor:!/usr floor:/usr/local" },
	{ PROCESS, CORDON_CONNECT, "a.org:1",
	  "host:full user:a.org:* user:!a.org:1" },
	{ POLICY,  CORDON_CONNECT, "b.org:1", "host:full" },
	{ PROCESS, CORDON_CONNECT, "/run/a", "host:/run/a user:/run/a" },
	{ PROCESS, CORDON_CONNECT, "/run/c", "floor:!/run/c host:/run/c" },
	/* Named, not granted to be read, and a deny of modify decides. */
	{ PROCESS, CORDON_CONNECT, "/w/q.lock",
	  "host:/w/q.lock user:/w/q.lock host:** host:** host:!**/*.lock" },
};
/* clang-format on */

struct told {
	char text[512];
	size_t n;
};

static void
one_told(enum cordon_layer layer, const struct cdn_rule *rule, void *arg)
{
	struct told *told = arg;

	told->n += (size_t)snprintf(told->text + told->n,
	    sizeof(told->text) - told->n, "%s%s:%s%s", told->n > 0 ? " " : "",
	    cordon_layer_name(layer), rule->negated ? "!" : "",
	    rule->pattern.p);
}

static void
test_rows(void)
{
	struct world w;

	world_make(&w, &spec);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_question q = { .as = rows[i].as, .op = rows[i].op,
			.path = cdn_str_of(rows[i].path),
			.is_socket = rows[i].op >= CORDON_CONNECT &&
			    rows[i].path[0] == '/' };
		struct told told = { .n = 0 };

		cdn_decide_explain(w.authority, &q, one_told, &told);
		if (!ok_f(strcmp(told.text, rows[i].want) == 0,
			"as %s, %s %s: %s", cordon_as_name(rows[i].as),
			cordon_op_name(rows[i].op), rows[i].path,
			rows[i].want))
			printf("# got %s\n", told.text);
	}
	world_done(&w);
}

/* Without a document the preset's rules are told, and the network's word. */
static void
test_preset(void)
{
	struct cdn_question q = { .op = CORDON_MODIFY,
		.path = CDN_STR("/w/.git/config") };
	struct told told = { .n = 0 };
	struct world w;

	world_make(&w, &(struct world_spec){ .network = "full" });
	cdn_decide_explain(w.authority, &q, one_told, &told);
	ok(strcmp(told.text, "defaults:!**/.git/** defaults:!**/.git/config "
	    "preset:**") == 0,
	    "the preset's rules");
	q = (struct cdn_question){ .op = CORDON_CONNECT,
		.path = CDN_STR("a.org:1") };
	told = (struct told){ .n = 0 };
	cdn_decide_explain(w.authority, &q, one_told, &told);
	ok(strcmp(told.text, "workdir:full") == 0,
	    "the command line's network");
	world_done(&w);
}

int
main(void)
{
	test_rows();
	test_preset();
	return done_testing();
}
