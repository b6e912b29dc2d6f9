/*
 * A worker calls a worker that calls a worker, and each of them a shell: what
 * the kernel lets each shell do is less than what it lets the one before it.
 * Only the public header; a prober tries it inside of each cage.
 *
 *	live-library-workers PROBE
 */
#include <cordon/cordon.h>

#include <arpa/inet.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define LEVELS 4 /* the session without a worker is the first */

static char workspace[PATH_MAX];

/* ----- What is tried, and what must come of it --------------------------------- */

/* By level: r read, w write; then what the network must do. */
static const struct {
	const char *file;
	const char *want[LEVELS];
} rows[] = {
	{ "w/f",	{ "rw", "", "", "" } },
	{ "w/a/f",	{ "rw", "rw", "", "" } },
	{ "w/a/x/f",	{ "rw", "rw", "rw", "" } },
	{ "w/a/x/1/f",	{ "rw", "rw", "rw", "r" } },
	{ "w/a/x/2/f",	{ "rw", "rw", "rw", "" } },
	{ "w/b/f",	{ "rw", "r", "r", "" } },
	{ "w/b/y/f",	{ "rw", "r", "r", "r" } },
	{ "w/late/f",	{ "rw", "", "", "" } },
	{ "out/f",	{ "", "rw", "", "" } },
	{ "out/in/f",	{ "", "rw", "r", "" } },
	{ "elsewhere/f", { "", "", "", "" } },
};
static const bool network[LEVELS] = { false, true, true, false };

static const char *const documents[LEVELS - 1] = {
	"name: outer\nsandbox:\n  network: true\n  paths:\n"
	"    a: {root: ./a, mode: rw}\n    b: {root: ./b}\n"
	"    out: {root: ../out, mode: rw}\n    tool: {root: ./tool}\n",
	"name: middle\nsandbox:\n  paths:\n"
	"    x: {root: ./a/x, mode: rw}\n    b: {root: ./b}\n"
	"    out: {root: ../out/in}\n    tool: {root: ./tool}\n",
	"name: inner\nsandbox:\n  network: false\n  paths:\n"
	"    one: {root: ./a/x/1}\n    y: {root: ./b/y}\n"
	"    tool: {root: ./tool}\n",
};

/* ----- The world ------------------------------------------------------------------ */

static void
copy_probe(const char *from)
{
	char command[PATH_MAX * 2];

	tmp_dir("w/tool");
	snprintf(command, sizeof(command), "cp '%s' '%s'", from,
	    tmp_path("w/tool/probe"));
	tmp_need(system(command) == 0, "cp", from);
}

static void
make_files(void)
{
	static const char *const dirs[] = { "w", "w/a", "w/a/x", "w/a/x/1",
		"w/a/x/2", "w/b", "w/b/y", "w/late", "out", "out/in",
		"elsewhere", "home" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		tmp_dir(dirs[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tmp_file(rows[i].file, "as it was\n");
}

static int
listen_on(int *ret_port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	tmp_need(fd >= 0 && bind(fd, (struct sockaddr *)&in, size) == 0 &&
	    listen(fd, 16) == 0 &&
	    getsockname(fd, (struct sockaddr *)&in, &size) == 0, "listen",
	    "loopback");
	*ret_port = ntohs(in.sin_port);
	return fd;
}

/* ----- One level -------------------------------------------------------------------- */

/* The shell tries everything; a line for each: WHAT FILE ANSWER. */
static char *
probe(const struct cordon_session *session, int port)
{
	char script[16384] = "P=tool/probe\n";
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct cordon_run_options options = { .size = sizeof(options),
		.argv = argv, .cwd = workspace, .audit = "",
		.stdin_mode = CORDON_STDIN_NULL,
		.output = CORDON_OUTPUT_CAPTURE };
	struct cordon_run_result result = { 0 };
	struct cordon_error err;
	size_t n = strlen(script);
	char *out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		n += (size_t)snprintf(script + n, sizeof(script) - n,
		    "echo \"read %s $($P read '%s')\"\n"
		    "echo \"write %s $($P write '%s')\"\n", rows[i].file,
		    tmp_path(rows[i].file), rows[i].file,
		    tmp_path(rows[i].file));
	snprintf(script + n, sizeof(script) - n,
	    "echo \"tcp net $($P tcp %d)\"\n", port);
	if (cordon_run(session, &options, &result, &err) != 0) {
		printf("# %s\n", err.text);
		return NULL;
	}
	out = result.out;
	result.out = NULL;
	cordon_run_result_done(&result);
	return out;
}

static bool
worked(const char *out, const char *what, const char *file)
{
	char line[PATH_MAX];

	snprintf(line, sizeof(line), "%s %s ok\n", what, file);
	return strstr(out, line) != NULL;
}

/* A line that is not there is no refusal. */
static bool
was_tried(const char *out, const char *what, const char *file)
{
	char line[PATH_MAX];

	snprintf(line, sizeof(line), "%s %s ", what, file);
	return strstr(out, line) != NULL;
}

static bool
is_changed(const char *file)
{
	struct stat st;

	return stat(tmp_path(file), &st) == 0 &&
	    st.st_size != (off_t)strlen("as it was\n");
}

/* The bits of what worked, so that levels can be compared. */
static unsigned
level_is(unsigned level, const char *out)
{
	unsigned set = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *file = rows[i].file, *want = rows[i].want[level];
		bool reads = worked(out, "read", file);
		bool writes = worked(out, "write", file);

		ok_f(was_tried(out, "read", file) &&
			was_tried(out, "write", file) &&
			reads == (strchr(want, 'r') != NULL) &&
			writes == (strchr(want, 'w') != NULL),
		    "level %u: %s is '%s'", level, file, want);
		ok_f(is_changed(file) == writes, "level %u: %s outside", level,
		    file);
		set |= (unsigned)reads << (2 * i);
		set |= (unsigned)writes << (2 * i + 1);
		tmp_file(file, "as it was\n");
	}
	ok_f(was_tried(out, "tcp", "net") &&
		worked(out, "tcp", "net") == network[level],
	    "level %u: %s network", level, network[level] ? "a" : "no");
	return set | (unsigned)worked(out, "tcp", "net") << 30;
}

/* ----- The chain ---------------------------------------------------------------------- */

static struct cordon_session *
open_level(const struct cordon_session_options *options,
    const struct cordon_worker *child)
{
	struct cordon_session *session = NULL;
	struct cordon_error err;
	int code = child == NULL ?
	    cordon_session_new(options, NULL, &session, &err) :
	    cordon_session_call(options, child, NULL, &session, &err);

	if (code != 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	return session;
}

static void
test_levels(void)
{
	struct cordon_worker *workers[LEVELS - 1] = { NULL };
	const struct cordon_worker *chain[LEVELS - 1];
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = workspace, .workers = chain };
	unsigned before = 0;
	int port, listener = listen_on(&port);

	for (unsigned level = 0; level < LEVELS; level++) {
		struct cordon_session *session;
		unsigned set = 0;
		char *out;

		if (level > 0)
			tmp_need(cordon_worker_parse(documents[level - 1],
			    strlen(documents[level - 1]), "worker", NULL,
			    &workers[level - 1], NULL) == 0, "worker", "");
		if (level == 1) /* the user's own: it may open roots */
			chain[options.worker_count++] = workers[0];
		session = open_level(&options,
		    level < 2 ? NULL : workers[level - 1]);
		out = probe(session, port);
		if (ok_f(out != NULL, "level %u: it ran", level))
			set = level_is(level, out);
		if (level > 1)
			ok_f((set & ~before) == 0 && set != before,
			    "level %u: less than before, nothing more", level);
		before = set;
		free(out);
		cordon_session_free(session);
		if (level > 1)
			chain[options.worker_count++] = workers[level - 1];
	}
	close(listener);
	for (size_t i = 0; i < LEVELS - 1; i++)
		cordon_worker_free(workers[i]);
}

/* Who asks for more than his caller has is never started. */
static void
test_more(void)
{
	static const char *const more[][2] = {
		{ "sandbox: {paths: {b: {root: ./b, mode: rw}}}", "./b" },
		{ "sandbox: {paths: {f: {root: ., mode: ro}}}", "'.'" },
		{ "sandbox: {paths: {o: {root: ../elsewhere}}}",
		    "../elsewhere" },
		{ "sandbox: {require_os_sandbox: false}",
		    "require_os_sandbox" },
	};
	struct cordon_worker *outer = NULL, *child = NULL;
	const struct cordon_worker *chain[1];
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = workspace, .workers = chain, .worker_count = 1 };

	tmp_need(cordon_worker_parse(documents[0], strlen(documents[0]),
	    "worker", NULL, &outer, NULL) == 0, "worker", "");
	chain[0] = outer;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		struct cordon_session *session = NULL;
		struct cordon_error err = { 0 };

		tmp_need(cordon_worker_parse(more[i][0], strlen(more[i][0]),
		    "child", NULL, &child, NULL) == 0, "worker", more[i][0]);
		ok_f(cordon_session_call(&options, child, NULL, &session,
		    &err) == CORDON_E_INVALID &&
			strstr(err.text, more[i][1]) != NULL,
		    "no more than the caller: %s", more[i][1]);
		cordon_session_free(session);
		cordon_worker_free(child);
	}
	cordon_worker_free(outer);
}

/* ----- Callers of another day --------------------------------------------------------- */

static void
test_call_sizes(void)
{
	const char *const policies[] = { tmp_path("policy.yaml") };
	const char text[] = "name: child\n";
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = workspace, .policies = policies,
		.policy_count = 1 };
	size_t first = offsetof(struct cordon_session_options, host_home);
	struct cordon_worker *child = NULL;
	struct cordon_session *session = NULL;
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_AGENT, .op = CORDON_READ, .path = "a/x/1",
		.path_len = 5 };
	struct cordon_verdict verdict = { .allowed = true };
	unsigned wrong = 0;

	tmp_file("policy.yaml", "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: p}\nspec: {denyRead: [a]}\n");
	tmp_need(cordon_worker_parse(text, strlen(text), "child", NULL, &child,
	    NULL) == 0, "worker", "");
	ok(cordon_session_call(&options, child, NULL, &session, NULL) == 0 &&
	    cordon_check(session, &query, &verdict, NULL) == 0 &&
	    !verdict.allowed, "a call has the policies of its caller");
	cordon_session_free(session);
	for (options.size = 0; options.size < first; options.size++) {
		session = NULL;
		wrong += cordon_session_call(&options, child, NULL, &session,
		    NULL) != CORDON_E_INVALID;
		cordon_session_free(session);
	}
	ok_f(wrong == 0, "a size that is too small is refused (%u not)", wrong);
	session = NULL;
	ok(cordon_session_call(&options, child, NULL, &session, NULL) == 0,
	    "the first size is taken");
	cordon_session_free(session);
	cordon_worker_free(child);
}

/* Behind the options a page begins that cannot be read. */
static void
test_tools_sizes(void)
{
	const char call_text[] = "{\"worker\":\"child.yaml\",\"tool\":"
	    "\"read_text\",\"arguments\":{\"path\":\"child.yaml\"}}";
	struct cordon_session_options options = { .workspace = workspace };
	size_t first = offsetof(struct cordon_session_options, host_home);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cordon_tool_call call = { .size = sizeof(call),
		.name = "worker_call", .arguments = call_text,
		.arguments_len = strlen(call_text) };
	struct cordon_tools_options given = { .size = sizeof(given) };
	struct cordon_tool_result result = { 0 };
	struct cordon_session *session = NULL;
	struct cordon_tools *tools = NULL;

	tmp_need(pages != MAP_FAILED &&
	    mprotect(pages + page, page, PROT_NONE) == 0, "mmap", "");
	tmp_file("w/child.yaml", "name: child\n");
	options.size = first;
	memcpy(pages + page - first, &options, first);
	given.session_options = (const void *)(pages + page - first);
	tmp_need(cordon_session_new(given.session_options, NULL, &session,
	    NULL) == 0, "session", "");
	given.session = session;
	ok(cordon_tools_new(&given, &tools, NULL) == 0 &&
	    cordon_tools_call(tools, &call, &result, NULL) == 0 &&
	    strstr(result.json, "\"ok\":true") != NULL,
	    "a worker is called by a caller that knows fewer options");
	cordon_tool_result_done(&result);
	cordon_tools_free(tools);
	options.size = first - 1;
	given.session_options = &options;
	ok(cordon_tools_new(&given, &tools, NULL) == CORDON_E_INVALID,
	    "tools: a size that is too small is refused");
	cordon_session_free(session);
	munmap(pages, 2 * page);
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		printf("Bail out! live-library-workers PROBE\n");
		return 1;
	}
	tmp_begin();
	make_files();
	copy_probe(argv[1]);
	snprintf(workspace, sizeof(workspace), "%s", tmp_path("w"));
	setenv("HOME", tmp_path("home"), 1);
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("ORBIT_ACTIVITY_FS_PROFILE");
	test_levels();
	test_more();
	test_call_sizes();
	test_tools_sizes();
	tmp_end();
	return done_testing();
}
