/*
 * Workers as layers: what their roots open and close, what called ones may ask.
 */
#include <cordon/cordon.h>

#include <limits.h>

#include "made.h"
#include "support/chaos.h"

#define CHAIN_MAX 12

/* Documents stay until the end: sessions borrow them. */
static struct cordon_worker *kept[128];
static size_t kept_count;

static const struct cordon_worker *
worker(const char *text)
{
	struct cordon_error err;

	need(kept_count < CDN_LEN(kept), "room for a worker");
	if (cordon_worker_parse(text, strlen(text), "w.yaml", NULL,
		&kept[kept_count], &err) != 0) {
		printf("# %s\n", err.text);
		need(false, text);
	}
	return kept[kept_count++];
}

/* The session of a chain, the rest of the options as given. */
static int
open_chain(struct cordon_session_options options, const char *const *texts,
    struct cordon_session **ret, struct cordon_error *err)
{
	const struct cordon_worker *chain[CHAIN_MAX];
	char workspace[PATH_MAX];
	size_t n = 0;

	while (texts[n] != NULL) {
		chain[n] = worker(texts[n]);
		n++;
	}
	options.size = sizeof(options);
	snprintf(workspace, sizeof(workspace), "%s", tmp_path("w"));
	options.workspace = workspace;
	options.workers = chain;
	options.worker_count = n;
	return cordon_session_new(&options, NULL, ret, err);
}

static struct cordon_session *
made_chain(struct cordon_session_options options, const char *const *texts)
{
	struct cordon_session *s = NULL;
	struct cordon_error err;

	if (open_chain(options, texts, &s, &err) != 0) {
		printf("# %s\n", err.text);
		need(false, "session of workers");
	}
	return s;
}

#define CHAIN(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_OPTIONS ((struct cordon_session_options){ 0 })

static bool
asks(const struct cordon_session *s, enum cordon_as as, enum cordon_op op,
    const char *path, struct cordon_verdict *ret)
{
	struct cordon_query query = { .size = sizeof(query), .as = as,
		.op = op, .path = path, .path_len = strlen(path) };

	need(cordon_check(s, &query, ret, NULL) == 0, path);
	return ret->allowed;
}

/* R read, W modify, X execute; of a path below the test's directory. */
static const char *
rights(const struct cordon_session *s, const char *name)
{
	static char out[4];
	struct cordon_verdict v;
	const char *path = tmp_path(name);
	size_t n = 0;

	if (asks(s, CORDON_AS_PROCESS, CORDON_READ, path, &v))
		out[n++] = 'r';
	if (asks(s, CORDON_AS_PROCESS, CORDON_MODIFY, path, &v))
		out[n++] = 'w';
	if (asks(s, CORDON_AS_PROCESS, CORDON_EXEC, path, &v))
		out[n++] = 'x';
	out[n] = '\0';
	return out;
}

static void
has(const struct cordon_session *s, const char *name, const char *want)
{
	const char *got = rights(s, name);

	if (!ok_f(strcmp(got, want) == 0, "%s: %s", name, want))
		printf("# it has '%s'\n", got);
}

static bool
connects(const struct cordon_session *s)
{
	struct cordon_verdict v;

	return asks(s, CORDON_AS_PROCESS, CORDON_CONNECT, "192.0.2.1:80", &v);
}

/* ----- Roots -------------------------------------------------------------------- */

static const char founding[] =
    "name: portfolio_orchestrator\n"
    "sandbox:\n"
    "  paths:\n"
    "    portfolio: {root: ./portfolio, mode: rw, suffixes: [.md, .pdf],"
    " max_file_bytes: 100}\n"
    "    pipeline: {root: pipeline/, mode: ro, suffixes: [.pdf]}\n"
    "  network: false\n";

static void
test_roots(void)
{
	struct cordon_session *s = made_chain(NO_OPTIONS, CHAIN(founding));
	struct cordon_verdict v;

	has(s, "w/portfolio", "rwx");
	has(s, "w/portfolio/deep/a.md", "rwx");
	has(s, "w/pipeline/a.pdf", "rx");
	has(s, "w/portfolio2/a.md", "");
	has(s, "w/other", "");
	has(s, "w", "");
	has(s, "out/a", "");
	ok(!connects(s), "no network");
	ok(!asks(s, CORDON_AS_PROCESS, CORDON_READ, tmp_path("w/other"), &v) &&
		v.layer == CORDON_LAYER_WORKER,
	    "the worker is who denies");
	ok(asks(s, CORDON_AS_AGENT, CORDON_READ, tmp_path("w/pipeline/a"), &v) &&
		v.layer == CORDON_LAYER_WORKER &&
		strcmp(v.matched_rule, "pipeline/**") == 0 &&
		strcmp(v.rule_text, "pipeline/") == 0 &&
		strcmp(v.source, "w.yaml") == 0 && v.line == 5,
	    "the entry is what allows");
	ok(asks(s, CORDON_AS_PROCESS, CORDON_READ, "/usr/bin", &v),
	    "a process still has its runtime");
	ok(!asks(s, CORDON_AS_AGENT, CORDON_READ, "/usr/bin", &v),
	    "an agent has not");
	cordon_session_free(s);
}

/* The deeper entry counts; names are no patterns. */
static void
test_nested(void)
{
	struct cordon_session *s = made_chain(NO_OPTIONS, CHAIN(
	    "sandbox: {paths: {all: {root: ., mode: rw},"
	    " fixed: {root: ./a, mode: ro}, again: {root: ./a/b, mode: rw}}}"));

	has(s, "w/x", "rwx");
	has(s, "w/a/x", "rx");
	has(s, "w/a/b/x", "rwx");
	has(s, "w/.git/hooks/x", "rx");
	cordon_session_free(s);
	s = made_chain(NO_OPTIONS, CHAIN(
	    "sandbox: {paths: {a: {root: './st*r', mode: rw}}}"));
	has(s, "w/st*r/x", "rwx");
	has(s, "w/star/x", "");
	cordon_session_free(s);
	s = made_chain((struct cordon_session_options){
		.preset = CORDON_PRESET_STRICT },
	    CHAIN("sandbox: {paths: {a: {root: ./a, mode: rw}}}"));
	has(s, "w/a/x", "rwx");
	cordon_session_free(s);
	s = made_chain(NO_OPTIONS, CHAIN("sandbox: {paths: {}}"));
	has(s, "w/a", "");
	cordon_session_free(s);
}

static void
test_outside(void)
{
	char text[PATH_MAX + 256];
	struct cordon_session *s;

	snprintf(text, sizeof(text), "sandbox: {paths: {a: {root: '%s', mode: "
	    "rw}, b: {root: ../out2}}}", tmp_path("out"));
	s = made_chain(NO_OPTIONS, CHAIN(text));
	has(s, "out/x", "rwx");
	has(s, "out2/x", "rx");
	has(s, "w/x", "");
	cordon_session_free(s);
	s = made_chain(NO_OPTIONS, CHAIN("sandbox: {paths: {a: {root: ~/c, "
	    "mode: rw}, s: {root: ~/.ssh, mode: rw}}}"));
	has(s, "home/c/x", "rwx");
	has(s, "home/.ssh/id", "");
	cordon_session_free(s);
	s = made_chain(NO_OPTIONS, CHAIN("name: w\nmodules: {shell: "
	    "{constraints: {allowed_paths: [../out]}}}"));
	has(s, "out/x", "rwx");
	has(s, "w/x", "rwx");
	cordon_session_free(s);
}

/* ----- With other layers -------------------------------------------------------- */

static const char policy[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: p}\nspec:\n"
    "  denyModify: ['**/fixed']\n"
    "  fsProfiles:\n"
    "    dev: {read: ['./**'], modify: ['src/**'], network: full}\n"
    "    docs: {read: ['./**'], modify: ['src/doc/**', 'doc/**']}\n";

static void
test_policy(void)
{
	char name[PATH_MAX];
	const char *file = name;
	struct cordon_session_options with = {
		.policies = &file, .policy_count = 1 };
	struct cordon_session *s;

	tmp_file("p.yaml", policy);
	snprintf(name, sizeof(name), "%s", tmp_path("p.yaml"));
	s = made_chain(with, CHAIN("fsProfile: dev\nsandbox: {paths: "
	    "{a: {root: ., mode: rw}}}"));
	ok(strcmp(cordon_session_profile(s), "dev") == 0, "its fsProfile");
	has(s, "w/src/a", "rwx");
	has(s, "w/src/fixed", "rx");
	has(s, "w/doc/a", "rx");
	ok(connects(s), "where it says nothing the profile has a network");
	cordon_session_free(s);
	s = made_chain(with, CHAIN("fsProfile: dev\nsandbox: {network: false}"));
	has(s, "w/src/a", "rwx");
	ok(!connects(s), "it takes it away");
	cordon_session_free(s);
	s = made_chain(with, CHAIN("fsProfile: dev",
	    "fsProfile: docs\nsandbox: {paths: {a: {root: ., mode: rw}}}"));
	has(s, "w/src/a", "rx");
	has(s, "w/doc/a", "rx");
	has(s, "w/src/doc/a", "rwx");
	ok(strcmp(cordon_session_profile(s), "docs") == 0,
	    "both profiles hold");
	cordon_session_free(s);
	with.profile = "docs";
	s = made_chain(with, CHAIN("fsProfile: dev"));
	ok(strcmp(cordon_session_profile(s), "docs") == 0,
	    "the command line has its way");
	cordon_session_free(s);
}

static void
test_network(void)
{
	struct cordon_session_options open = { .network = "full" };
	struct cordon_grants grants = { .network = true };
	struct cordon_session_options granted = { .grants = &grants };
	struct cordon_session *s;

	s = made_chain(NO_OPTIONS, CHAIN("sandbox: {network: true}"));
	ok(connects(s), "network: true");
	cordon_session_free(s);
	s = made_chain(open, CHAIN("sandbox: {network: false}"));
	ok(connects(s), "the command line replaces what the worker says");
	cordon_session_free(s);
	s = made_chain(open, CHAIN("sandbox: {network: true}",
	    "sandbox: {network: false}"));
	ok(!connects(s), "not what a called one says");
	cordon_session_free(s);
	s = made_chain(granted, CHAIN("sandbox: {network: true}",
	    "sandbox: {network: false}"));
	ok(connects(s), "unless that is granted");
	cordon_session_free(s);
}

/* ----- Calls ---------------------------------------------------------------------- */

static void
test_calls(void)
{
	struct cordon_session *s = made_chain(NO_OPTIONS, CHAIN(
	    "sandbox: {paths: {a: {root: ./a, mode: rw}, b: {root: ./b}},"
	    " network: true}",
	    "sandbox: {paths: {a: {root: ./a/x, mode: rw}, b: {root: ./b/y}}}",
	    "sandbox: {paths: {a: {root: ./a/x/1}}, network: false}"));

	has(s, "w/a/f", "");
	has(s, "w/a/x/f", "");
	has(s, "w/a/x/1/f", "rx");
	has(s, "w/b/y/f", "");
	ok(!connects(s), "each has what all of them have");
	cordon_session_free(s);
	s = made_chain(NO_OPTIONS, CHAIN(
	    "modules: {shell: {constraints: {allowed_paths: [../out]}}}",
	    "sandbox: {paths: {a: {root: ../out/in, mode: rw}}}"));
	has(s, "out/in/f", "rwx");
	has(s, "out/f", "");
	has(s, "w/f", "");
	cordon_session_free(s);
}

static void
refuses(struct cordon_session_options options, const char *const *texts,
    const char *word)
{
	struct cordon_session *s = NULL;
	struct cordon_error err = { 0 };
	int code = open_chain(options, texts, &s, &err);

	if (!ok_f(code == CORDON_E_INVALID && strstr(err.text, word) != NULL,
		"refused: %s", word))
		printf("# %d: %s\n", code, err.text);
	if (code == 0)
		cordon_session_free(s);
}

static void
test_too_much(void)
{
	static const char *const deep[] = { "name: a", "name: a", "name: a",
		"name: a", "name: a", "name: a", "name: a", "name: a",
		"name: a", NULL };
	static const char *const data[] = { "/data" };
	struct cordon_session_options read = { .read = data, .read_count = 1 };
	struct cordon_module module = { .name = "mcp", .allowed_paths = data,
		.allowed_path_count = 1 };
	struct cordon_session_options modules = { .modules = &module,
		.module_count = 1 };
	struct cordon_session_options protect = {
		.preset = CORDON_PRESET_PROTECT };
	const char *a = "sandbox: {paths: {a: {root: ./a, mode: ro}}}";

	refuses(NO_OPTIONS, CHAIN(a,
	    "sandbox: {paths: {a: {root: ./a, mode: rw}}}"), "may not write");
	refuses(NO_OPTIONS, CHAIN(a, "sandbox: {paths: {b: {root: ./b}}}"),
	    "may not read");
	refuses(NO_OPTIONS, CHAIN(a, "sandbox: {paths: {b: {root: ./a/..}}}"),
	    "may not read");
	refuses(NO_OPTIONS, CHAIN("name: x", "sandbox: {paths: {b: {root: "
	    "/data}}}"), "/data");
	refuses(NO_OPTIONS, CHAIN(a, "sandbox: {network: true}"), "network");
	refuses(NO_OPTIONS, CHAIN(a, "name: x",
	    "sandbox: {paths: {b: {root: ./b}}}"), "./b");
	refuses(NO_OPTIONS, CHAIN(a, "modules: {shell: {constraints: "
	    "{allowed_paths: [/data]}}}"), "/data");
	refuses(NO_OPTIONS, CHAIN(a, "executor: {sandbox: none}"),
	    "executor.sandbox");
	refuses(NO_OPTIONS, CHAIN(a, "shell_rules: [{pattern: git push, "
	    "approval_required: true, grants: {network: true}}]"), "git push");
	refuses(NO_OPTIONS, CHAIN("executor: {sandbox: macos-sandbox-exec}"),
	    "another system");
	refuses(NO_OPTIONS, deep, "8 deep");
	refuses(read, CHAIN(a), "sandbox.paths");
	refuses(protect, CHAIN(a), "protect");
	refuses(modules, CHAIN(a), "sandbox.paths");
	module.name = "database";
	refuses(modules, CHAIN("name: a"), "unknown module 'database'");
	module.name = NULL;
	refuses(modules, CHAIN("name: a"), "unknown module");
	refuses(NO_OPTIONS, CHAIN("fsProfile: nowhere"), "nowhere");
}

/*
 * Called from a session without a worker: its caller is the session, which
 * gives no more than it has.
 */
static void
test_called_first(void)
{
	char place[PATH_MAX];
	const char *out = place;
	struct cordon_session_options called = { .called = true };
	struct cordon_session_options open = { .called = true,
		.network = "full", .write = &out, .write_count = 1 };
	static const char *const more[][2] = {
		{ "modules: {mcp: {constraints: {unrestricted: true}}}",
		    "modules" },
		{ "modules: {mcp: {constraints: {allowed_paths: [../out]}}}",
		    "../out" },
		{ "sandbox: {paths: {a: {root: /}}}", "'/'" },
		{ "sandbox: {paths: {a: {root: ..}}}", "'..'" },
		{ "sandbox: {paths: {a: {root: ../out, mode: rw}}}",
		    "../out" },
		{ "sandbox: {network: true}", "sandbox.network" },
		{ "sandbox: {require_os_sandbox: false}",
		    "require_os_sandbox" },
		{ "executor: {allow_fallback: true}", "allow_fallback" },
		{ "executor: {sandbox: none}", "executor.sandbox" },
		{ "executor: {sandbox: linux-bwrap}", "executor.sandbox" },
		{ "shell_rules: [{pattern: a, approval_required: "
		  "true, grants: {network: true}}]",
		    "grants" },
		{ "shell_rules: [{pattern: a, approval_required: "
		  "true, grants: {read: [/x]}}]",
		    "grants" },
		{ "fsProfile: nowhere", "nowhere" },
	};
	struct cordon_document document = { .trusted = true };
	struct cordon_session *s;

	snprintf(place, sizeof(place), "%s", tmp_path("out"));
	for (size_t i = 0; i < CDN_LEN(more); i++)
		refuses(called, CHAIN(more[i][0]), more[i][1]);
	s = made_chain(called, CHAIN("sandbox: {paths: {a: {root: ./a}}}"));
	has(s, "w/a/f", "rx");
	has(s, "w/f", "");
	ok(cordon_session_document(s, 0, &document) && !document.trusted,
	    "a called worker is not trusted");
	cordon_session_free(s);
	s = made_chain(open, CHAIN("sandbox: {network: true, paths: "
	    "{a: {root: ../out/in, mode: rw}}}"));
	has(s, "out/in/f", "rwx");
	has(s, "out/f", "");
	has(s, "w/f", "");
	ok(connects(s), "it may ask for what the session has");
	cordon_session_free(s);
	s = made_chain(open, CHAIN("sandbox: {network: false}"));
	has(s, "out/f", "rwx");
	ok(!connects(s), "and for less, against the command line, too");
	cordon_session_free(s);
}

/* A link that a run could have made does not open what it leads to. */
static void
test_links(void)
{
	struct cordon_session *s;

	tmp_dir("w/real");
	tmp_link("real", "w/link");
	tmp_link("../out", "w/leaves");
	s = made_chain(NO_OPTIONS, CHAIN(
	    "sandbox: {paths: {a: {root: ./link, mode: rw}}}"));
	has(s, "w/real/x", "rwx");
	has(s, "w/other", "");
	cordon_session_free(s);
	refuses(NO_OPTIONS, CHAIN(
	    "sandbox: {paths: {a: {root: ./leaves, mode: rw}}}"), "link");
	tmp_link("../out2", "out/leaves");
	refuses(NO_OPTIONS, CHAIN("sandbox: {paths: {o: {root: ../out, mode: "
	    "rw}, a: {root: ../out/leaves, mode: rw}}}"), "link");
	refuses(NO_OPTIONS, CHAIN("sandbox: {paths: {a: {root: ./real}}}",
	    "sandbox: {paths: {a: {root: ./leaves}}}"), "./leaves");
}

/* ----- Grants and filters ------------------------------------------------------- */

static void
test_grants(void)
{
	static const char *const path[] = { "./b" };
	static const char *const socket[] = { "/run/x.sock" };
	struct cordon_grants grants = { .write = path, .write_count = 1,
		.sockets = socket, .socket_count = 1 };
	struct cordon_session_options with = { .grants = &grants };
	const char *a = "sandbox: {paths: {a: {root: ./a}}}";
	struct cordon_session *s = made_chain(with, CHAIN(a));
	struct cordon_verdict v;

	has(s, "w/b/x", "rwx");
	has(s, "w/c/x", "");
	ok(asks(s, CORDON_AS_PROCESS, CORDON_CONNECT, "/run/x.sock", &v),
	    "a socket that is granted");
	cordon_session_free(s);
	s = made_chain(NO_OPTIONS, CHAIN(a));
	has(s, "w/b/x", "");
	ok(!asks(s, CORDON_AS_PROCESS, CORDON_CONNECT, "/run/x.sock", &v),
	    "not without");
	cordon_session_free(s);
}

static void
test_filter(void)
{
	struct cordon_session *s = made_chain(NO_OPTIONS, CHAIN(founding,
	    "sandbox: {paths: {p: {root: ./portfolio, suffixes: [.md],"
	    " max_file_bytes: 50}}}"));
	struct cordon_filter f;

	cordon_session_filter(s, tmp_path("w/portfolio/a.md"), &f);
	ok(f.suffix_fits && f.max_file_bytes == 50 &&
		strcmp(f.id, "portfolio") == 0, "the smallest size");
	cordon_session_filter(s, tmp_path("w/portfolio/a.pdf"), &f);
	ok(!f.suffix_fits && strcmp(f.id, "p") == 0, "every suffix must fit");
	cordon_session_filter(s, tmp_path("w/pipeline/a.pdf"), &f);
	ok(f.suffix_fits && f.max_file_bytes == ULLONG_MAX, "no size is said");
	cordon_session_filter(s, tmp_path("w/portfolio/md"), &f);
	ok(!f.suffix_fits, "a name is no suffix");
	cordon_session_filter(s, tmp_path("w/other"), &f);
	ok(f.suffix_fits && f.id == NULL, "no entry, no filter");
	cordon_session_free(s);
}

static void
test_presets(void)
{
	static const struct {
		const char *name, *workspace, *outside;
		bool network;
	} wanted[] = {
		{ "read-only", "rx", "rx", false },
		{ "workspace-write", "rwx", "rx", false },
		{ "full-access", "rwx", "rwx", true },
	};

	for (size_t i = 0; i < CDN_LEN(wanted); i++) {
		const char *text = cordon_worker_preset(wanted[i].name);
		struct cordon_session *s;
		struct cordon_verdict v;

		need(text != NULL, wanted[i].name);
		s = made_chain(NO_OPTIONS, CHAIN(text));
		has(s, "w/x", wanted[i].workspace);
		/* Below /tmp, if there: not a place of its own. */
		ok_f(asks(s, CORDON_AS_AGENT, CORDON_MODIFY, "/var/x", &v) ==
			(strchr(wanted[i].outside, 'w') != NULL),
		    "%s: outside", wanted[i].name);
		ok(asks(s, CORDON_AS_AGENT, CORDON_READ, "/var/x", &v),
		    "the host can be read");
		has(s, "home/.ssh/id", "");
		ok(!asks(s, CORDON_AS_PROCESS, CORDON_READ, "/dev/sda", &v) &&
			asks(s, CORDON_AS_PROCESS, CORDON_READ, "/dev/null",
			    &v),
		    "but not its devices");
		ok_f(connects(s) == wanted[i].network, "%s: network",
		    wanted[i].name);
		cordon_session_free(s);
	}
	ok(cordon_worker_preset("other") == NULL, "there are no others");
}

/* The file is a document of the run: it stays as it was read. */
static void
test_file(void)
{
	const struct cordon_worker *chain[1];
	struct cordon_worker *w = NULL;
	struct cordon_session_options options = { .workers = chain,
		.worker_count = 1 };
	struct cordon_document document = { 0 };
	struct cordon_session *s;

	tmp_file("w/a.yaml", "sandbox: {paths: {a: {root: ., mode: rw}}}");
	need(cordon_worker_load(tmp_path("w/a.yaml"), NULL, &w, NULL) == 0,
	    "a.yaml");
	chain[0] = w;
	s = made_session(options);
	has(s, "w/a.yaml", "rx");
	has(s, "w/b.yaml", "rwx");
	ok(cordon_session_document(s, 0, &document) &&
		document.layer == CORDON_LAYER_WORKER &&
		strcmp(document.digest, cordon_worker_digest(w)) == 0,
	    "it is listed with its digest");
	cordon_session_free(s);
	cordon_worker_free(w);
}

/* ----- Without memory --------------------------------------------------------- */

static int
make_session(void *arg)
{
	struct cordon_session *s = NULL;
	int code = cordon_session_new(arg, NULL, &s, NULL);

	cordon_session_free(s);
	return code;
}

static void
test_memory(void)
{
	static const char *const path[] = { "./c" };
	const struct cordon_worker *chain[] = { worker(founding),
		worker("sandbox: {paths: {p: {root: ./portfolio/x}}}") };
	struct cordon_grants grants = { .read = path, .read_count = 1 };
	char workspace[PATH_MAX];
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = workspace, .workers = chain, .worker_count = 2,
		.grants = &grants };

	snprintf(workspace, sizeof(workspace), "%s", tmp_path("w"));
	chaos_run("workers", make_session, &options, CHAOS_ABSORBS);
}

int
main(void)
{
	made_begin();
	tmp_dir("out");
	tmp_dir("out2");
	test_roots();
	test_nested();
	test_outside();
	test_policy();
	test_network();
	test_calls();
	test_too_much();
	test_called_first();
	test_links();
	test_grants();
	test_filter();
	test_presets();
	test_file();
	test_memory();
	while (kept_count > 0)
		cordon_worker_free(kept[--kept_count]);
	tmp_end();
	return done_testing();
}
