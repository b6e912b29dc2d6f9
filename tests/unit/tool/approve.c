/*
 * Approvals as a program that links the library gives them, and what the rules
 * of several workers come to.
 */
#include "enforce/tool/approve.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "support/chaos.h"
#include "unit/tool/called.h"

static const char parent[] =
    "name: parent\n"
    "tool_rules: {write_text: {approval_required: true}}\n"
    "attachment_policy: {max_count: 1, max_total_bytes: 4}\n"
    "shell_rules:\n"
    "  - {pattern: \"cat a\", approval_required: true, grants: {network: true}}\n"
    "  - {pattern: cat, approval_required: true}\n"
    "  - {pattern: touch, approval_required: true, grants: {write: [T/extra]}}\n"
    "  - {pattern: true, approval_required: false}\n"
    "  - {pattern: sleep, approval_required: false}\n"
    "  - {pattern: no-such-program, approval_required: false}\n";

static const char child[] =
    "name: child\n"
    "shell_rules:\n"
    "  - {pattern: cat, approval_required: false}\n"
    "  - {pattern: touch, approval_required: false, "
    "grants: {write: [T/extra]}}\n"
    "  - {pattern: rm, approval_required: false}\n";

/* ----- Somebody who answers -------------------------------------------------------- */

struct somebody {
	enum cordon_answer says;
	unsigned long asked;
	char prompt[512];
	char digest[65];
	bool has_argv;
	bool network;
	void (*meanwhile)(void);
};

static enum cordon_answer
answer(const struct cordon_approval *a, void *arg)
{
	struct somebody *s = arg;

	s->asked++;
	snprintf(s->prompt, sizeof(s->prompt), "%s", a->prompt);
	snprintf(s->digest, sizeof(s->digest), "%s", a->digest);
	s->has_argv = a->argv != NULL;
	s->network = a->grants->network;
	if (s->meanwhile != NULL)
		s->meanwhile();
	return s->says;
}

/* ----- Workers and tools -------------------------------------------------- */

struct made {
	char workspace[CDN_PATH_MAX];
	struct cordon_worker *worker[2];
	const struct cordon_worker *workers[2];
	struct cordon_session_options options;
	struct cordon_session *session;
	struct cordon_tools *tools;
};

/* T is the directory of the test. */
static struct cordon_worker *
parse(const char *text)
{
	struct cordon_worker *worker = NULL;
	struct cordon_error err = { 0 };
	struct cdn_buf out;

	cdn_buf_init(&out, CDN_DOCUMENT_MAX);
	for (; *text != '\0'; text++)
		if (text[0] == 'T' && text[1] == '/')
			cdn_buf_puts(&out, tmp_path(""));
		else
			cdn_buf_putc(&out, *text);
	if (cordon_worker_parse(out.p, out.n, "worker.yaml", NULL, &worker,
		&err) != 0) {
		printf("# %s\n", err.text);
		need(false, "worker");
	}
	cdn_buf_done(&out);
	return worker;
}

static void
make(struct made *m, const char *first, const char *second,
    struct somebody *somebody, unsigned long long approve_ms)
{
	*m = (struct made){ .options = { .size = sizeof(m->options) } };
	m->workers[0] = m->worker[0] = parse(first);
	m->workers[1] = m->worker[1] = second != NULL ? parse(second) : NULL;
	snprintf(m->workspace, sizeof(m->workspace), "%s", tmp_path("w"));
	m->options.workspace = m->workspace;
	m->options.worker_count = second != NULL ? 2 : 1;
	m->options.workers = m->workers;
	m->session = made_session(m->options);
	m->tools = called_tools((struct cordon_tools_options){
	    .session = m->session, .session_options = &m->options,
	    .approve = somebody != NULL ? answer : NULL,
	    .approve_arg = somebody, .approve_ms = approve_ms });
}

static void
unmake(struct made *m)
{
	cordon_tools_free(m->tools);
	cordon_session_free(m->session);
	cordon_worker_free(m->worker[0]);
	cordon_worker_free(m->worker[1]);
}

static enum cordon_refusal
call(struct made *m, const char *name, const char *arguments)
{
	enum cordon_refusal code;

	free(called(m->tools, name, arguments, &code));
	return code;
}

#define CAT   "{\"command\":\"cat a\"}"
#define CAT_D "{\"command\":\"cat a\",\"cwd\":\"d\"}"
#define CAT_B "{\"command\":\"cat b\"}"
#define WRITE "{\"path\":\"new\",\"content\":\"x\"}"

/* ----- Answers -------------------------------------------------- */

static void
check_answers(void)
{
	static const struct {
		enum cordon_answer says;
		enum cordon_refusal want;
	} rows[] = {
		{ CORDON_ANSWER_NO, CORDON_REFUSAL_APPROVAL },
		{ CORDON_ANSWER_NOBODY, CORDON_REFUSAL_APPROVAL },
		{ (enum cordon_answer)7, CORDON_REFUSAL_APPROVAL },
		{ CORDON_ANSWER_YES, CORDON_REFUSAL_NONE },
	};
	struct somebody s = { 0 };
	struct made m;

	make(&m, parent, NULL, &s, 0);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		s.says = rows[i].says;
		ok_f(call(&m, "shell", CAT) == rows[i].want, "answer %d",
		    rows[i].says);
		ok_f(call(&m, "write_text", WRITE) == rows[i].want &&
			(access(tmp_path("w/new"), F_OK) == 0) ==
			(rows[i].want == 0), "and of another tool");
	}
	unmake(&m);
	make(&m, parent, NULL, NULL, 0);
	ok(call(&m, "shell", CAT) == CORDON_REFUSAL_APPROVAL &&
		call(&m, "shell", "{\"command\":\"true\"}") == 0,
	    "without anybody only what needs nobody runs");
	unmake(&m);
}

static void
check_question(void)
{
	struct somebody s = { .says = CORDON_ANSWER_NO };
	struct made m;
	char first[65];

	make(&m, parent, NULL, &s, 0);
	call(&m, "shell", CAT);
	ok_f(strcmp(s.prompt, "cat a (requires network)") == 0 && s.network &&
		s.has_argv && strlen(s.digest) == 64, "asked: %s", s.prompt);
	snprintf(first, sizeof(first), "%s", s.digest);
	call(&m, "shell", CAT);
	ok(strcmp(first, s.digest) == 0, "the same has the same digest");
	call(&m, "shell", CAT_D);
	ok(strcmp(first, s.digest) != 0, "in another directory another one");
	call(&m, "shell", CAT_B);
	ok(strcmp(first, s.digest) != 0 && !s.network,
	    "other words another one");
	call(&m, "write_text", WRITE);
	ok_f(strcmp(s.prompt, "write_text path=new content=x") == 0 &&
		!s.has_argv, "asked: %s", s.prompt);
	s.asked = 0;
	call(&m, "write_text", "{\"path\":\"/etc/x\",\"content\":\"x\"}");
	call(&m, "shell", "{\"command\":\"cat /etc/shadow\"}");
	call(&m, "shell", "{\"command\":\"cat a; true\"}");
	call(&m, "shell", "{\"command\":\"rm a\"}");
	ok(s.asked == 0, "nobody is asked about what is refused anyway");
	unmake(&m);
}

/* ----- Too late, too often -------------------------------------------------- */

static void
dawdle(void)
{
	struct timespec began, now;

	clock_gettime(CLOCK_MONOTONIC, &began);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - began.tv_sec) * 1000 +
	    (now.tv_nsec - began.tv_nsec) / 1000000 < 20);
}

static void
check_limits(void)
{
	struct somebody s = { .says = CORDON_ANSWER_YES, .meanwhile = dawdle };
	struct made m;

	make(&m, parent, NULL, &s, 1);
	unlink(tmp_path("w/new"));
	ok(call(&m, "write_text", WRITE) == CORDON_REFUSAL_APPROVAL &&
		s.asked == 1 && access(tmp_path("w/new"), F_OK) != 0,
	    "a yes that comes too late is none");
	unmake(&m);
	s = (struct somebody){ .says = CORDON_ANSWER_NO };
	make(&m, parent, NULL, &s, 0);
	for (int i = 0; i < CDN_APPROVALS_MAX + 5; i++)
		call(&m, "write_text", WRITE);
	ok_f(s.asked == CDN_APPROVALS_MAX, "asked %lu times", s.asked);
	unmake(&m);
}

/* ----- What changes meanwhile -------------------------------------------------- */

static void
move_away(void)
{
	rename(tmp_path("w/d"), tmp_path("w/was"));
	tmp_dir("w/d");
}

static void
check_directory(void)
{
	struct somebody s = { .says = CORDON_ANSWER_YES,
		.meanwhile = move_away };
	struct made m;
	enum cordon_refusal code;
	char *json;

	make(&m, parent, NULL, &s, 0);
	json = called(m.tools, "shell", CAT_D, &code);
	ok_f(code == CORDON_REFUSAL_OS && s.asked == 1 &&
		strstr(json, "is not the directory") != NULL,
	    "another directory by that name is not what was approved: %s",
	    json);
	free(json);
	unmake(&m);
}

/* ----- What is granted -------------------------------------------------- */

static void
check_grant(void)
{
	struct somebody s = { .says = CORDON_ANSWER_YES };
	struct made m;
	char text[4200];

	make(&m, parent, NULL, &s, 0);
	tmp_dir("extra");
	snprintf(text, sizeof(text), "{\"command\":\"touch %s\"}",
	    tmp_path("extra/x"));
	ok(call(&m, "shell", text) == 0 &&
		access(tmp_path("extra/x"), F_OK) == 0,
	    "an approved command writes where it was granted");
	ok_f(strstr(s.prompt, "(requires writing ") != NULL, "%s", s.prompt);
	snprintf(text, sizeof(text), "{\"path\":\"%s\"}", tmp_path("extra/x"));
	ok(call(&m, "read_text", text) == CORDON_REFUSAL_OUTSIDE,
	    "and nobody else reads it");
	unmake(&m);
	/* No way to make another session: no grants. */
	make(&m, parent, NULL, &s, 0);
	m.tools->options.session_options = NULL;
	ok(call(&m, "shell", CAT) == CORDON_REFUSAL_DENIED &&
		call(&m, "shell", CAT_B) == 0,
	    "without the session's options nothing is granted");
	unmake(&m);
}

static char *
plan(struct made *m, const char *arguments)
{
	struct cordon_tool_call asked = { .size = sizeof(asked),
		.name = "shell", .arguments = arguments,
		.arguments_len = strlen(arguments), .dry_run = true };
	struct cordon_tool_result result = { 0 };

	need(cordon_tools_call(m->tools, &asked, &result, NULL) == 0, "plan");
	return result.json;
}

static void
check_chain(void)
{
	static const struct {
		const char *command, *want;
	} rows[] = {
		{ "cat a", "\"ask\",\"match\":\"cat\",\"grants\":{}" },
		{ "cat b", "\"ask\",\"match\":\"cat\",\"grants\":{}" },
		{ "touch x", "\"ask\",\"match\":\"touch\",\"grants\":{\"write\""
			     ":[\"" },
		{ "rm a", "\"deny\",\"match\":\"rm\",\"grants\":{}" },
		{ "true", "\"deny\",\"match\":null,\"grants\":{}" },
	};
	struct made m;

	make(&m, parent, child, NULL, 0);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		char text[64];
		char *json;

		snprintf(text, sizeof(text), "{\"command\":\"%s\"}",
		    rows[i].command);
		json = plan(&m, text);
		ok_f(strstr(json, rows[i].want) != NULL &&
			strstr(json, "network") == NULL,
		    "both workers agree: %s", json);
		free(json);
	}
	unmake(&m);
}

/* ----- Programs, ends -------------------------------------------------- */

static void
check_programs(void)
{
	static const struct {
		const char *list, *command;
		enum cordon_refusal want;
	} rows[] = {
		{ "[true]", "true", 0 },
		{ "[true]", "/usr/bin/true", CORDON_REFUSAL_PROGRAM },
		{ "[/usr/bin/true]", "true", 0 },
		{ "[/usr/bin/true]", "/usr/bin/true", 0 },
		{ "[/nowhere/true]", "true", CORDON_REFUSAL_PROGRAM },
		{ "[]", "true", CORDON_REFUSAL_PROGRAM },
		{ "[true]", "true; true", CORDON_REFUSAL_PROGRAM },
		{ "[true, sh]", "true; true", 0 },
		{ "[true, /bin/sh]", "true && true", 0 },
		{ "[true, sh]", "true; false", CORDON_REFUSAL_PROGRAM },
		{ "[true, sh]", "$X", CORDON_REFUSAL_PROGRAM },
		{ "[true, sh]", "true $(false)", CORDON_REFUSAL_PROGRAM },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		char document[128], text[64];
		struct made m;

		snprintf(document, sizeof(document), "name: p\nprograms: %s\n",
		    rows[i].list);
		snprintf(text, sizeof(text), "{\"command\":\"%s\"}",
		    rows[i].command);
		make(&m, document, NULL, NULL, 0);
		ok_f(call(&m, "shell", text) == rows[i].want, "%s of %s",
		    rows[i].command, rows[i].list);
		unmake(&m);
	}
}

static int cancel[2];

static void
enough(unsigned long long done, void *arg)
{
	(void)done;
	(void)arg;
	tmp_need(write(cancel[1], "x", 1) == 1, "write", "");
}

static void
check_ends(void)
{
	struct made m;
	const char *arguments = "{\"command\":\"sleep 1000\"}";
	struct cordon_tool_call asked = { .size = sizeof(asked),
		.name = "shell", .arguments = arguments,
		.arguments_len = strlen(arguments), .progress = enough };
	struct cordon_tool_result result = { 0 };
	enum cordon_refusal code;
	char *json;

	make(&m, parent, NULL, NULL, 0);
	tmp_need(pipe(cancel) == 0, "pipe", "");
	asked.cancel_fd = cancel[0];
	ok(cordon_tools_call(m.tools, &asked, &result, NULL) == 0 &&
		result.code == CORDON_REFUSAL_OS &&
		strstr(result.json, "cancelled") != NULL,
	    "a command that nobody waits for ends");
	cordon_tool_result_done(&result);
	json = called(m.tools, "shell",
	    "{\"command\":\"sleep 1000\",\"timeout_ms\":50}", &code);
	ok_f(code == 0 &&
		strstr(json, "\"exit_code\":null,\"timed_out\":true") != NULL,
	    "and one that takes too long: %s", json);
	free(json);
	json = called(m.tools, "shell", "{\"command\":\"no-such-program\"}",
	    &code);
	ok_f(code == 0 && strstr(json, "\"exit_code\":127") != NULL,
	    "a program that is not there: %s", json);
	free(json);
	close(cancel[0]);
	close(cancel[1]);
	unmake(&m);
}

/* ----- Workers that are called -------------------------------------------------- */

static void
check_called(void)
{
	static const struct {
		const char *arguments; /* ' is " */
		enum cordon_refusal want;
		const char *holds;
	} rows[] = {
		{ "{'worker':'c.yaml','attachments':['a']}", 0,
		    "'answer':null" },
		{ "{'worker':'c.yaml','attachments':['a','a']}",
		    CORDON_REFUSAL_MAX_COUNT, "" },
		{ "{'worker':'c.yaml','attachments':['five']}",
		    CORDON_REFUSAL_MAX_TOTAL_BYTES, "" },
		{ "{'worker':'c.yaml','attachments':['/etc/passwd']}",
		    CORDON_REFUSAL_OUTSIDE, "" },
		{ "{'worker':'c.yaml','attachments':['d']}",
		    CORDON_REFUSAL_INVALID, "" },
		{ "{'worker':'more.yaml'}", CORDON_REFUSAL_INVALID,
		    "sandbox.network" },
		{ "{'worker':'a'}", CORDON_REFUSAL_INVALID, "" },
		{ "{'worker':'none'}", CORDON_REFUSAL_MISSING, "" },
		{ "{'worker':'c.yaml','tool':'read_text',"
		  "'arguments':{'path':'a'}}", 0, "'text':'abc'" },
		{ "{'worker':'c.yaml','tool':'read_text',"
		  "'arguments':{'path':'c.yaml'}}", 0, "'code':'outside'" },
		{ "{'worker':'c.yaml','tool':'worker_call','arguments':"
		  "{'worker':'a'}}", 0, "'code':'invalid'" },
	};
	struct made m;

	make(&m, parent, NULL, NULL, 0);
	tmp_file("w/five", "12345");
	tmp_file("w/c.yaml",
	    "name: c\nsandbox: {paths: {a: {root: ./a, mode: ro}}}\n");
	tmp_file("w/more.yaml", "name: c\nsandbox: {network: true}\n");
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		char text[256], holds[64];
		enum cordon_refusal code;
		char *json;

		snprintf(text, sizeof(text), "%s", rows[i].arguments);
		snprintf(holds, sizeof(holds), "%s", rows[i].holds);
		for (char *p = text; *p != '\0'; p++)
			*p = *p == '\'' ? '"' : *p;
		for (char *p = holds; *p != '\0'; p++)
			*p = *p == '\'' ? '"' : *p;
		json = called(m.tools, "worker_call", text, &code);
		ok_f(code == rows[i].want && strstr(json, holds) != NULL,
		    "%s: %s", rows[i].arguments, json);
		free(json);
	}
	unmake(&m);
}

/* ----- Prompts -------------------------------------------------- */

static void
check_prompts(void)
{
	static const struct {
		const char *word, *want;
	} rows[] = {
		{ "a-b/c.d", "a-b/c.d" },
		{ "", "''" },
		{ "a b", "'a b'" },
		{ "it's", "'it\\'s'" },
		{ "a\\b", "'a\\\\b'" },
		{ "a\nb", "'a\\nb'" },
		{ "\x1b[2J", "'\\x1b[2J'" },
		{ "\x7f", "'\\x7f'" },
		{ "\xff", "'\\xff'" },
		{ "\xc2\x9b", "'\\u{9b}'" },
		{ "\xe2\x80\xae", "'\\u{202e}'" },
		{ "\xe2\x80\x8b", "'\\u{200b}'" },
		{ "\xd7\x90", "'\\u{5d0}'" },
		{ "\xf3\xa0\x81\xa1", "'\\u{e0061}'" },
		{ "\xc3\xa4", "'\xc3\xa4'" },
		{ "$(x)", "'$(x)'" },
	};
	static const struct cordon_grants none = { 0 };

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const char *argv[] = { rows[i].word, NULL };
		struct cdn_buf out;

		cdn_buf_init(&out, 4096);
		cdn_tool_prompt(argv, &none, &out);
		ok_f(strcmp(out.p, rows[i].want) == 0, "prompt %s", out.p);
		cdn_buf_done(&out);
	}
}

/* ----- Memory -------------------------------------------------- */

struct memory {
	struct made *made;
	const char *name, *arguments;
	bool dry;
};

static int
call_again(void *arg)
{
	const struct memory *memory = arg;
	struct cordon_tool_call asked = { .size = sizeof(asked),
		.name = memory->name, .arguments = memory->arguments,
		.arguments_len = strlen(memory->arguments),
		.dry_run = memory->dry };
	struct cordon_tool_result result = { 0 };
	int code = cordon_tools_call(memory->made->tools, &asked, &result,
	    NULL);

	cordon_tool_result_done(&result);
	return code;
}

static void
check_memory(void)
{
	struct somebody s = { .says = CORDON_ANSWER_NO };
	struct made m;
	struct memory rows[] = {
		{ &m, "shell", CAT, true },
		{ &m, "shell", "{\"command\":\"true; x\"}", true },
		{ &m, "write_text", WRITE, false },
		{ &m, "worker_call", "{\"worker\":\"c.yaml\",\"attachments\":"
			"[\"a\"],\"tool\":\"read_text\",\"arguments\":"
			"{\"path\":\"a\"}}", false },
	};

	make(&m, parent, child, &s, 0);
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		chaos_run(rows[i].name, call_again, &rows[i],
		    CHAOS_ABSORBS);
	unmake(&m);
}

int
main(void)
{
	made_begin();
	tmp_file("w/a", "abc");
	tmp_file("w/b", "b");
	tmp_dir("w/d");
	tmp_file("w/d/a", "d");
	check_prompts();
	check_answers();
	check_question();
	check_limits();
	check_directory();
	check_grant();
	check_chain();
	check_programs();
	check_ends();
	check_called();
	check_memory();
	tmp_end();
	return done_testing();
}
