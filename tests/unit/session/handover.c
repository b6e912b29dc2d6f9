/*
 * A session that is handed over: the other side decides as both would, and
 * bytes of anybody's can only take away.
 */
#include "enforce/session/handover.h"

#include <cordon/cordon.h>

#include "engine/worker/worker.h"
#include "made.h"
#include "support/chaos.h"

static const char *const names[] = { "w", "w/a", "w/sub", "w/sub/a",
	"w/sub/x.env", "w/secrets/s", "w/.git/hooks/h", "w/x.lock", "elsewhere",
	"elsewhere/a", "home", "home/.ssh/id", "home/.npmrc" };
static const char *const absolute[] = { "/", "/etc", "/etc/passwd",
	"/etc/shadow", "/usr/bin/sh", "/tmp/x", "/proc/self/mem", "/dev/null" };

static const char *
path_of(size_t i)
{
	return i < CDN_LEN(names) ? tmp_path(names[i]) :
				    absolute[i - CDN_LEN(names)];
}
#define PATHS (CDN_LEN(names) + CDN_LEN(absolute))

static bool
allows(const struct cordon_session *s, enum cordon_op op, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	cdn_decide(s->authority, &question, &verdict);
	return verdict.allowed;
}

static void
write_all(const struct cordon_session *s, struct cdn_buf *out)
{
	struct cdn_form form = { .out = out };

	cdn_buf_init(out, CDN_NESTED_BYTES);
	cdn_session_hand_over(s, &form);
	need(cdn_form_is_whole(&form), "written");
}

static struct cordon_session *
take(cdn_str bytes, const struct cordon_session *outer)
{
	struct cdn_form form = { .reading = true, .in = bytes };
	struct cordon_session *s = NULL;

	if (cdn_session_take_over(&form, outer, &s, NULL) != 0)
		return NULL;
	if (cdn_form_is_whole(&form))
		return s;
	cdn_session_free(s);
	return NULL;
}

/* Of a path, for each operation and for all below. */
static unsigned
count_wrong(const struct cordon_session *both, const struct cordon_session *a,
    const struct cordon_session *b)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < PATHS; i++)
		for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
			wrong += allows(both, op, path_of(i)) !=
			    (allows(a, op, path_of(i)) &&
				allows(b, op, path_of(i)));
	return wrong;
}

static bool
is_wider(const struct cordon_session *inner, const struct cordon_session *outer)
{
	for (size_t i = 0; i < PATHS; i++) {
		cdn_str path = cdn_str_of(path_of(i));

		for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
			if ((allows(inner, op, path.p) &&
				!allows(outer, op, path.p)) ||
			    (cdn_decide_subtree(inner->authority,
				CORDON_AS_PROCESS, op, path) ==
				    CDN_SUBTREE_ALLOW &&
				cdn_decide_subtree(outer->authority,
				    CORDON_AS_PROCESS, op, path) !=
				    CDN_SUBTREE_ALLOW))
				return true;
	}
	return cdn_decide_network(outer->authority) == CDN_NETWORK_NONE &&
	    cdn_decide_network(inner->authority) != CDN_NETWORK_NONE;
}

static struct cordon_session *
made_inner(void)
{
	const char *policies[] = { tmp_path("inner.yaml") };
	const char *roots[] = { tmp_path("elsewhere") };

	return made_session((struct cordon_session_options){
		.policies = policies, .policy_count = 1, .profile = "dev",
		.read = roots, .read_count = 1, .network = "full" });
}

static struct cordon_session *
made_outer(void)
{
	const char *policies[] = { tmp_path("outer.yaml") };

	return made_session((struct cordon_session_options){
		.policies = policies, .policy_count = 1, .profile = "all" });
}

static void
test_both(const struct cordon_session *inner,
    const struct cordon_session *outer, cdn_str bytes)
{
	struct cordon_session *both = take(bytes, outer);
	struct cordon_session *plain = made_session(
	    (struct cordon_session_options){ 0 });
	struct cdn_buf other;

	ok(both != NULL, "what was handed over is understood");
	ok(both != NULL && count_wrong(both, inner, outer) == 0,
	    "and allows what both allow");
	ok(both != NULL && !is_wider(both, outer) && !is_wider(both, inner),
	    "no tree, and no network, is wider");
	ok(both != NULL && allows(both, CORDON_MODIFY, tmp_path("w/sub/a")) &&
	    allows(inner, CORDON_READ, tmp_path("elsewhere/a")) &&
	    !allows(both, CORDON_READ, tmp_path("elsewhere/a")) &&
	    !allows(both, CORDON_READ, tmp_path("w/sub/x.env")),
	    "some are allowed, some were by one of them");
	write_all(plain, &other);
	cordon_session_free(plain);
	plain = take((cdn_str){ other.p, other.n }, both);
	ok(plain != NULL && !is_wider(plain, both) &&
	    !allows(plain, CORDON_READ, tmp_path("w/secrets/s")),
	    "a third one is inside of both");
	cdn_session_free(plain);
	cdn_session_free(both);
	cdn_buf_done(&other);
}

/* Two of them, with a profile and roots of their own, and an agent. */
static struct cordon_session *
made_called(struct cordon_worker *const *workers)
{
	const char *policies[] = { tmp_path("inner.yaml") };
	const char *roots[] = { tmp_path("elsewhere") };
	const struct cordon_grants grants = { .network = true, .read = roots,
		.read_count = 1 };

	return made_session((struct cordon_session_options){
		.policies = policies, .policy_count = 1, .profile = "dev",
		.workers = (const struct cordon_worker *const *)workers,
		.worker_count = 2, .grants = &grants,
		.agent = CORDON_AGENT_CLAUDE });
}

struct taking {
	cdn_str bytes;
	const struct cordon_session *outer;
};

static int
take_again(void *arg)
{
	const struct taking *taking = arg;
	struct cdn_form form = { .reading = true, .in = taking->bytes };
	struct cordon_session *s = NULL;
	int code = cdn_session_take_over(&form, taking->outer, &s, NULL);

	cdn_session_free(code == 0 ? s : NULL);
	return code;
}

static void
test_workers(const struct cordon_session *outer, const char *seed)
{
	static const char *const texts[] = {
		"name: one\nsandbox:\n  network: true\n  paths:\n"
		"    all: {root: ., mode: rw}\n"
		"    there: {root: ../elsewhere, mode: ro}\n",
		"name: two\nfsProfile: less\nsandbox:\n  paths:\n"
		"    sub: {root: sub, mode: rw, suffixes: [.c]}\n",
	};
	struct cordon_worker *workers[2];
	struct cordon_session *inner, *both, *wide;
	struct taking taking = { .outer = outer };
	struct cdn_buf bytes;

	for (size_t i = 0; i < CDN_LEN(texts); i++)
		need(cordon_worker_parse(texts[i], strlen(texts[i]), "w.yaml",
			NULL, &workers[i], NULL) == 0, "worker");
	inner = made_called(workers);
	wide = made_session((struct cordon_session_options){
		.preset = CORDON_PRESET_PROTECT });
	write_all(inner, &bytes);
	if (seed != NULL)
		need(fwrite(bytes.p, 1, bytes.n, fopen(seed, "w")) == bytes.n,
		    seed);
	taking.bytes = (cdn_str){ bytes.p, bytes.n };
	both = take(taking.bytes, outer);
	ok(both != NULL && both->worker_count == 2 &&
	    both->profile_count == 2 && both->agent.is == inner->agent.is,
	    "workers are handed over, their profiles, and the agent");
	ok(both != NULL && count_wrong(both, inner, outer) == 0 &&
	    !is_wider(both, outer) && !is_wider(both, inner),
	    "and both allow, here too");
	ok(both != NULL && allows(both, CORDON_MODIFY, tmp_path("w/sub/a")) &&
	    !allows(both, CORDON_READ, tmp_path("w/a")) &&
	    allows(outer, CORDON_READ, tmp_path("w/a")),
	    "the called one's roots hold");
	ok(both != NULL && strcmp(both->files[2].digest, workers[1]->digest) ==
	    0 && both->file_count == 3, "its document is known by its bytes");
	chaos_run("taking it", take_again, &taking, CHAOS_ABSORBS);
	cdn_session_free(both);
	both = take(taking.bytes, wide);
	ok(both != NULL && count_wrong(both, inner, wide) == 0,
	    "in a wide run it is what it was");
	cdn_session_free(both);
	cdn_buf_done(&bytes);
	cordon_session_free(wide);
	cordon_session_free(inner);
	for (size_t i = 0; i < CDN_LEN(workers); i++)
		cordon_worker_free(workers[i]);
}

/* Each byte as others, and each length. */
static void
test_bytes(const struct cordon_session *outer, cdn_str bytes)
{
	static const unsigned char flips[] = { 0x01, 0x80, 0xff };
	char *copy = malloc(bytes.n);
	size_t step = bytes.n / 1500 + 1;
	unsigned wider = 0, taken = 0, cut = 0;

	need(copy != NULL, "memory");
	for (size_t i = 0; i < bytes.n; i += step)
		for (size_t k = 0; k < CDN_LEN(flips); k++) {
			struct cordon_session *s;

			memcpy(copy, bytes.p, bytes.n);
			copy[i] = (char)(copy[i] ^ flips[k]);
			s = take((cdn_str){ copy, bytes.n }, outer);
			taken += s != NULL;
			wider += s != NULL && is_wider(s, outer);
			cdn_session_free(s);
		}
	ok_f(wider == 0 && taken > 0, "changed bytes open nothing (%u were a "
	    "policy all the same)", taken);
	for (size_t n = 0; n < bytes.n; n += step) {
		struct cordon_session *s;

		memcpy(copy, bytes.p, n);
		s = take((cdn_str){ copy, n }, outer);
		cut += s != NULL;
		cdn_session_free(s);
	}
	ok(cut == 0, "and what is cut off is nothing");
	free(copy);
}

int
main(int argc, char **argv)
{
	struct cordon_session *inner, *outer;
	struct cdn_buf bytes;

	made_begin();
	tmp_dir("elsewhere");
	tmp_dir("w/sub");
	tmp_file("inner.yaml", "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: inner}\nspec:\n  denyRead: [\"secrets/**\"]\n"
	    "  fsProfiles:\n"
	    "    dev: {read: [\"./**\"], modify: [\"sub/**\"]}\n"
	    "    less: {read: [\"sub/**\"], modify: [\"sub/**\"]}\n");
	tmp_file("outer.yaml", "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: outer}\nspec:\n  denyRead: [\"**/*.env\"]\n"
	    "  denyModify: [\"**/*.lock\"]\n  fsProfiles:\n"
	    "    all: {read: [\"./**\"], modify: [\"./**\"]}\n");
	inner = made_inner();
	outer = made_outer();
	write_all(inner, &bytes);
	if (argc == 3) /* seeds for fuzz/corpus/handover */
		need(fwrite(bytes.p, 1, bytes.n, fopen(argv[1], "w")) ==
		    bytes.n, argv[1]);
	test_both(inner, outer, (cdn_str){ bytes.p, bytes.n });
	test_workers(outer, argc == 3 ? argv[2] : NULL);
	test_bytes(outer, (cdn_str){ bytes.p, bytes.n });
	cdn_buf_done(&bytes);
	cordon_session_free(inner);
	cordon_session_free(outer);
	tmp_end();
	return done_testing();
}
