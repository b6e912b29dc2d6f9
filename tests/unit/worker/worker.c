#include "engine/worker/worker.h"

#include "support/chaos.h"
#include "support/tap.h"

/* Every key there is. */
static const char whole[] =
    "name: portfolio_orchestrator\n"
    "description: all of it\n"
    "fsProfile: implementer\n"
    "executor: {sandbox: linux-native, allow_fallback: false}\n"
    "sandbox:\n"
    "  paths:\n"
    "    portfolio:\n"
    "      root: ./portfolio\n"
    "      mode: rw                    # read and write\n"
    "      suffixes: [.md, .pdf]\n"
    "      max_file_bytes: 10000000\n"
    "    pipeline: {root: ./pipeline, mode: ro, suffixes: [.pdf]}\n"
    "    plain: {root: /data}\n"
    "  network: false\n"
    "  require_os_sandbox: false\n"
    "attachment_policy: {max_count: 5, max_total_bytes: 15000000}\n"
    "tool_rules:\n"
    "  shell: {approval_required: true}\n"
    "  write_text: {approval_required: false}\n"
    "shell_rules:\n"
    "  - {pattern: \"git push\", approval_required: true,\n"
    "     grants: {network: true, read: [/a], write: [~/b], sockets: [/s]}}\n"
    "  - {pattern: git status, approval_required: false, grants: {}}\n"
    "shell_default: {approval_required: true}\n"
    "programs: [git, /usr/bin/make]\n"
    "modules:\n"
    "  filesystem: {constraints: {unrestricted: false,\n"
    "     allowed_paths: [\"~/.cache\", /tmp]}}\n";

static struct cordon_worker *
parse(const char *text, struct cordon_error *err)
{
	struct cordon_worker *worker = NULL;

	if (cdn_worker_parse(cdn_str_of(text), "w.yaml", CDN_WORKER_NOW, NULL,
		&worker, err) != 0)
		return NULL;
	return worker;
}

static void
check_whole(void)
{
	struct cordon_error err = { 0 };
	struct cordon_worker *w = parse(whole, &err);

	if (!ok_f(w != NULL, "every key loads %s", err.text))
		return;
	ok(cdn_str_is(w->name, "portfolio_orchestrator") &&
	    cdn_str_is(w->fs_profile, "implementer") &&
	    w->executor == CDN_EXECUTOR_LINUX_NATIVE &&
	    w->allow_fallback == CDN_SAID_NO, "what it is");
	ok(w->has_paths && w->path_count == 3 && w->paths[0].write &&
	    !w->paths[1].write && !w->paths[2].write &&
	    cdn_str_is(w->paths[0].root, "./portfolio") &&
	    w->paths[0].suffixes.n == 2 &&
	    w->paths[0].max_file_bytes.value == 10000000 &&
	    !w->paths[1].max_file_bytes.given &&
	    w->paths[1].pos.line == 12, "its roots");
	ok(w->network == CDN_SAID_NO && w->require_os_sandbox == CDN_SAID_NO &&
	    w->max_count.value == 5 && w->max_total_bytes.value == 15000000,
	    "its limits");
	ok(w->tool_count == 2 && cdn_str_is(w->tools[0].name, "shell") &&
	    w->tools[0].approval_required == CDN_SAID_YES &&
	    w->tools[1].approval_required == CDN_SAID_NO, "its tools");
	ok(w->rule_count == 2 && w->rules[0].built.argc == 2 &&
	    w->rules[0].built.approval_required &&
	    !w->rules[1].built.approval_required &&
	    w->rules[0].grants.network == CDN_SAID_YES &&
	    w->rules[0].grants.read.n == 1 && w->rules[0].grants.write.n == 1 &&
	    w->rules[0].grants.sockets.n == 1 &&
	    w->rules[1].grants.network == CDN_UNSAID &&
	    w->default_approval == CDN_SAID_YES, "its rules");
	ok(w->programs.given && w->programs.n == 2 && w->module_count == 1 &&
	    w->modules[0].unrestricted == CDN_SAID_NO &&
	    w->modules[0].allowed_paths.n == 2, "programs and modules");
	cdn_worker_free(w);
}

/* What is printed loads again, and is then printed the same. */
static void
check_again(const char *text)
{
	struct cordon_error err = { 0 };
	struct cordon_worker *w = parse(text, &err), *again = NULL;
	struct cdn_buf one, two;

	cdn_buf_init(&one, 65536);
	cdn_buf_init(&two, 65536);
	if (w != NULL && cdn_worker_format(w, &one, &err) == 0)
		again = parse(one.p, &err);
	ok_f(again != NULL && cdn_worker_format(again, &two, &err) == 0 &&
		strcmp(one.p, two.p) == 0, "round trip: %s %s",
	    one.p != NULL ? one.p : "", err.text);
	cdn_buf_done(&one);
	cdn_buf_done(&two);
	cdn_worker_free(again);
	cdn_worker_free(w);
}

static const struct {
	const char *text;
	const char *want; /* in the first message; its line */
	unsigned line;
} bad[] = {
	{ "nam: x", "unknown key 'nam' (did you mean 'name'?)", 1 },
	{ "name: ../x", "'name'", 1 },
	{ "name: [a]", "'name' must be text, found", 1 },
	{ "- a", "a worker must be a mapping", 1 },
	{ "sandbox: {paths: {a: {root: ./a, mode: wx}}}",
	    "'sandbox.paths.a.mode' must be ro or rw, found 'wx'", 1 },
	{ "sandbox:\n  paths:\n    a: {mode: ro}",
	    "'sandbox.paths.a.root' is missing", 3 },
	{ "sandbox: {paths: {a: {root: \"\"}}}", "is empty", 1 },
	{ "sandbox: {paths: {a: {root: a, suffixes: [md]}}}",
	    "'md' is not a suffix", 1 },
	{ "sandbox: {paths: {a: {root: a, max_file_bytes: -1}}}",
	    "'sandbox.paths.a.max_file_bytes': ", 1 },
	{ "sandbox: {network: yes}",
	    "'sandbox.network' must be true or false", 1 },
	{ "sandbox: {network: loopback}", "must be true or false", 1 },
	{ "sandboxes: {a: {path: ./a, mode: rw}}",
	    "write sandbox.paths, with 'root' instead of 'path'", 1 },
	{ "executor: {sandbox: docker}", "'docker' is no sandbox", 1 },
	{ "tool_rules: {sandbox_read_text: {approval_required: true}}",
	    "'sandbox_read_text' is called 'read_text' now", 1 },
	{ "tool_rules: {red_text: {approval_required: true}}",
	    "unknown tool 'red_text'", 1 },
	{ "tool_rules: {read_text: {root: ./a}}", "is missing", 1 },
	{ "shell_rules: [{pattern: \"a; b\", approval_required: true}]",
	    "is not one simple command", 1 },
	{ "shell_rules: [{approval_required: true}]",
	    "'shell_rules.pattern' is missing", 1 },
	{ "shell_rules: [{pattern: a}]",
	    "'shell_rules.approval_required' is missing", 1 },
	{ "shell_rules: [{pattern: a, approval_required: true,"
	  " grants: {net: true}}]", "unknown key 'net'", 1 },
	{ "modules: {shell: {constraints: {unrestricted: 1}}}",
	    "must be true or false", 1 },
	{ "modules: {database: {constraints: {allowed_paths: [/]}}}",
	    "unknown module 'database'", 1 },
	{ "programs: git", "'programs' must be a list", 1 },
	{ "name: a\nname: b", "", 2 },
	{ "name: &x a", "", 1 },
	{ "", "", 1 },
};

static void
check_bad(void)
{
	for (size_t i = 0; i < CDN_LEN(bad); i++) {
		struct cordon_error err = { 0 };
		struct cordon_worker *w = parse(bad[i].text, &err);

		ok_f(w == NULL && err.code == CORDON_E_INVALID &&
			strstr(err.text, bad[i].want) != NULL &&
			err.line == bad[i].line, "%s: %u: %s", bad[i].text,
		    err.line, err.text);
		cdn_worker_free(w);
	}
}

/* Both forms of one document come to the same. */
static void
check_migration(void)
{
	static const char old[] =
	    "sandboxes: {a: {path: ./a, mode: rw}}\n"
	    "tool_rules: {sandbox_list: {approval_required: true}}\n";
	static const char now[] =
	    "sandbox: {paths: {a: {root: ./a, mode: rw}}}\n"
	    "tool_rules: {list_files: {approval_required: true}}\n";
	struct cordon_worker *a = NULL, *b = parse(now, NULL);
	struct cordon_error err = { 0 };
	struct cdn_buf one, two;

	cdn_buf_init(&one, 65536);
	cdn_buf_init(&two, 65536);
	ok_f(cdn_worker_parse(cdn_str_of(old), "o", CDN_WORKER_OLD, NULL, &a,
		 &err) == 0 &&
		cdn_worker_format(a, &one, &err) == 0 &&
		cdn_worker_format(b, &two, &err) == 0 &&
		strcmp(one.p, two.p) == 0,
	    "migrated: %s %s", one.p != NULL ? one.p : "", err.text);
	cdn_buf_done(&one);
	cdn_buf_done(&two);
	cdn_worker_free(a);
	cdn_worker_free(b);
}

#define PATHS(p) "sandbox: {paths: {x: {" p "}}}"

static const struct {
	const char *parent, *child;
	const char *want; /* NULL: it fits */
} pairs[] = {
	{ PATHS("root: ./a, mode: rw"), "name: x", NULL },
	{ PATHS("root: ./a, mode: rw"), PATHS("root: a/b/, mode: rw"), NULL },
	{ PATHS("root: ./a, mode: rw"), PATHS("root: .//a, mode: ro"), NULL },
	{ PATHS("root: ., mode: rw"), PATHS("root: a, mode: rw"), NULL },
	{ PATHS("root: /, mode: ro"), PATHS("root: /a"), NULL },
	{ "name: x", PATHS("root: /a, mode: rw"), NULL },
	{ PATHS("root: ./a, mode: ro"), PATHS("root: ./a, mode: rw"),
	    "may not write './a'" },
	{ PATHS("root: ./a, mode: rw"), PATHS("root: ./ab"),
	    "may not read './ab'" },
	{ PATHS("root: ./a"), PATHS("root: ."), "may not read '.'" },
	{ PATHS("root: ."), PATHS("root: /a"), "may not read '/a'" },
	{ PATHS("root: ."), PATHS("root: ~/a"), "may not read '~/a'" },
	{ PATHS("root: ./a"), PATHS("root: ./a/../b"), "may not read" },
	{ PATHS("root: /a"), PATHS("root: ./a"), "may not read" },
	{ "sandbox: {paths: {}}", PATHS("root: ./a"), "may not read" },
	{ "sandbox: {network: true}", "sandbox: {network: true}", NULL },
	{ "sandbox: {network: true}", "sandbox: {network: false}", NULL },
	{ "name: x", "sandbox: {network: true}", "sandbox.network" },
	{ "name: x", "sandbox: {require_os_sandbox: false}",
	    "require_os_sandbox" },
	{ "name: x", "executor: {allow_fallback: true}", "allow_fallback" },
	{ "attachment_policy: {max_count: 2}",
	    "attachment_policy: {max_count: 2}", NULL },
	{ "attachment_policy: {max_count: 2}",
	    "attachment_policy: {max_count: 3}", "max_count" },
	{ "attachment_policy: {max_total_bytes: 2}",
	    "attachment_policy: {max_total_bytes: 3}", "max_total_bytes" },
	{ "programs: [a, b]", "programs: [b]", NULL },
	{ "programs: [a]", "programs: [b]", "programs" },
	{ "programs: []", "programs: [b]", "programs" },
	{ "name: x", "modules: {mcp: {constraints: {unrestricted: true}}}",
	    "modules" },
};

static void
check_pairs(void)
{
	for (size_t i = 0; i < CDN_LEN(pairs); i++) {
		struct cordon_error err = { 0 };
		struct cordon_worker *p = parse(pairs[i].parent, &err);
		struct cordon_worker *c = parse(pairs[i].child, &err);
		int code = p == NULL || c == NULL ? 1 :
		    cdn_worker_fits(p, c, &err);

		ok_f(pairs[i].want == NULL ? code == 0 :
		    code == CORDON_E_INVALID &&
			strstr(err.text, pairs[i].want) != NULL,
		    "%s calls %s: %s", pairs[i].parent, pairs[i].child,
		    err.text);
		cdn_worker_free(p);
		cdn_worker_free(c);
	}
}

static int
load_and_print(void *arg)
{
	struct cordon_worker *w = NULL;
	struct cdn_buf buf;
	int code = cdn_worker_parse(cdn_str_of(arg), "w", CDN_WORKER_NOW, NULL,
	    &w, NULL);

	cdn_buf_init(&buf, 65536);
	if (code == 0)
		code = cdn_worker_format(w, &buf, NULL);
	cdn_buf_done(&buf);
	cdn_worker_free(w);
	return code;
}

int
main(void)
{
	char text[sizeof(whole)];

	memcpy(text, whole, sizeof(whole));
	check_whole();
	check_again(whole);
	check_again("name: x");
	check_again("sandbox: {paths: {}}\nprograms: []\nshell_rules: []");
	check_bad();
	check_migration();
	check_pairs();
	chaos_run("a worker", load_and_print, text, 0);
	return done_testing();
}
