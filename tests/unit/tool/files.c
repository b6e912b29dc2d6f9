/*
 * The tools for files: what they do, and what they refuse with which code.
 */
#include "unit/tool/called.h"

#include "support/chaos.h"

static const char document[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: p}\n"
    "spec:\n"
    "  denyRead: [\"**/*.env\"]\n"
    "  denyModify: [\"fixed/**\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"]}\n";

static struct cordon_session *session;
static struct cordon_tools *tools;

static void
make_files(void)
{
	tmp_dir("w/sub");
	tmp_dir("w/fixed");
	tmp_dir("out");
	tmp_dir("home/.ssh");
	tmp_file("home/.ssh/id", "SECRET");
	tmp_file("w/a", "inside\n");
	tmp_file("w/sub/b", "one\ntwo\nthree\n");
	tmp_file("w/utf", "a\xc3\xa4\xe2\x82\xac");
	tmp_file("w/bytes", "x\xffy");
	tmp_file("w/x.env", "SECRET");
	tmp_file("w/fixed/f", "fixed");
	tmp_file("out/canary", "SECRET");
	tmp_file("p.yaml", document);
	tmp_link("../out", "w/leaves");
	tmp_link("../out/new", "w/dangles");
	tmp_link("sub", "w/stays");
	tmp_link("loop", "w/loop");
	tmp_need(mkfifo(tmp_path("w/pipe"), 0600) == 0, "mkfifo", "w/pipe");
}

static void
open_tools(void)
{
	const char *const policies[] = { tmp_path("p.yaml") };

	session = made_session((struct cordon_session_options){
	    .policies = policies, .policy_count = 1, .profile = "dev" });
	tools = called_tools(
	    (struct cordon_tools_options){ .session = session });
}

/* ----- Calls --------------------------------------------------------------------- */

static const struct {
	const char *tool;
	const char *arguments; /* ' stands for " */
	enum cordon_refusal code;
	const char *holds; /* in the answer; the same */
} calls[] = {
	{ "read_text", "{'path':'a'}", 0,
	    "{'ok':true,'result':{'path':'a','text':'inside\\n','size':7,"
	    "'next_offset':null,'lossy':false}}" },
	{ "read_text", "{'path':'stays/b','limit':4}", 0,
	    "'path':'sub/b','text':'one\\n','size':14,'next_offset':4" },
	{ "read_text", "{'path':'sub/b','offset':4,'limit':99}", 0,
	    "'text':'two\\nthree\\n','size':14,'next_offset':null" },
	{ "read_text", "{'path':'sub/b','offset':14}", 0,
	    "'text':'','size':14,'next_offset':null" },
	{ "read_text", "{'path':'utf','limit':2}", 0,
	    "'text':'a','size':6,'next_offset':1" },
	{ "read_text", "{'path':'utf','offset':1,'limit':4}", 0,
	    "'text':'\xc3\xa4','size':6,'next_offset':3" },
	{ "read_text", "{'path':'bytes'}", 0,
	    "'text':'x\xef\xbf\xbdy','size':3,'next_offset':null,"
	    "'lossy':true" },
	{ "read_text", "{'path':'x.env'}", CORDON_REFUSAL_DENIED,
	    "'matched_rule':'**/*.env','layer':'policy'" },
	{ "read_text", "{'path':'../out/canary'}", CORDON_REFUSAL_OUTSIDE,
	    "{'ok':false,'error':{'code':'outside','message':'" },
	{ "read_text", "{'path':'leaves/canary'}", CORDON_REFUSAL_OUTSIDE,
	    "'matched_rule':'<outside workspace>'" },
	{ "read_text", "{'path':'/etc/passwd'}", CORDON_REFUSAL_OUTSIDE, "" },
	{ "read_text", "{'path':'../home/.ssh/id'}", CORDON_REFUSAL_SECRET,
	    "'layer':'floor'" },
	{ "read_text", "{'path':'none'}", CORDON_REFUSAL_MISSING, "" },
	{ "read_text", "{'path':'a/b'}", CORDON_REFUSAL_MISSING, "" },
	{ "read_text", "{'path':'loop'}", CORDON_REFUSAL_LOOP, "" },
	{ "read_text", "{'path':'~/x'}", CORDON_REFUSAL_INVALID, "" },
	{ "read_text", "{'path':'sub'}", CORDON_REFUSAL_INVALID,
	    "list_files" },
	{ "read_text", "{'path':'pipe'}", CORDON_REFUSAL_INVALID, "" },
	{ "read_text", "{'path':''}", CORDON_REFUSAL_INVALID, "" },
	/* arguments */
	{ "read_text", "{}", CORDON_REFUSAL_INVALID,
	    "read_text needs the argument 'path'" },
	{ "read_text", "{'path':1}", CORDON_REFUSAL_INVALID, "a string" },
	{ "read_text", "{'path':'a','limit':0}", CORDON_REFUSAL_INVALID,
	    "from 1 to" },
	{ "read_text", "{'path':'a','offset':-1}", CORDON_REFUSAL_INVALID,
	    "" },
	{ "read_text", "{'path':'a','limit':1.5}", CORDON_REFUSAL_INVALID,
	    "whole number" },
	{ "read_text", "{'path':'a','mode':'x'}", CORDON_REFUSAL_INVALID,
	    "takes no argument 'mode'" },
	{ "read_text", "{'path':'a','path':'sub/b'}", CORDON_REFUSAL_INVALID,
	    "invalid JSON" },
	{ "read_text", "['a']", CORDON_REFUSAL_INVALID, "no JSON object" },
	{ "read_text", "", CORDON_REFUSAL_INVALID, "invalid JSON" },
	/* names */
	{ "sandbox_read_text", "{'path':'a'}", CORDON_REFUSAL_INVALID,
	    "is called 'read_text' now" },
	{ "read_test", "{'path':'a'}", CORDON_REFUSAL_INVALID,
	    "did you mean 'read_text'?" },
	{ "", "{}", CORDON_REFUSAL_INVALID, "there is no tool ''" },
};

/* Single quotes, so that the table can be read; free() it. */
static char *
quoted(const char *text)
{
	char *copy = strdup(text);

	need(copy != NULL, "memory");
	for (char *p = copy; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	return copy;
}

static void
check_calls(void)
{
	for (size_t i = 0; i < CDN_LEN(calls); i++) {
		char *arguments = quoted(calls[i].arguments);
		char *holds = quoted(calls[i].holds);
		enum cordon_refusal code;
		char *json = called(tools, calls[i].tool, arguments, &code);
		char *plain = quoted(json);

		ok_f(code == calls[i].code && (strstr(json, holds) != NULL ||
			strstr(json, calls[i].holds) != NULL ||
			strstr(plain, holds) != NULL),
		    "%s %s: %s", calls[i].tool, calls[i].arguments, json);
		free(plain);
		free(json);
		free(holds);
		free(arguments);
	}
}

/* ----- The table ------------------------------------------------------------------ */

static void
check_table(void)
{
	struct cordon_tool_info info;
	size_t n = 0;

	for (; cordon_tool_info(n, &info); n++)
		for (int which = CORDON_TOOL_INPUT;
		     which <= CORDON_TOOL_OUTPUT; which++) {
			char *schema = NULL;

			ok_f(cordon_tool_schema(n,
				(enum cordon_tool_schema)which, &schema,
				NULL) == 0 &&
				strstr(schema, "\"additionalProperties\":false")
				!= NULL, "%s has a schema", info.name);
			free(schema);
		}
	ok(n > 0, "there are tools");
}

/* ----- Memory ------------------------------------------------------------------------ */

static int
use_tools(void *arg)
{
	static const struct cordon_run_options quiet = {
		.size = sizeof(quiet), .audit = "" };
	const struct cordon_tools_options options = { .size = sizeof(options),
		.session = session, .run = &quiet };
	struct cordon_tool_call call = { .size = sizeof(call),
		.name = "read_text", .arguments = arg,
		.arguments_len = strlen(arg) };
	struct cordon_tool_result result = { 0 };
	struct cordon_tools *t = NULL;
	int code = cordon_tools_new(&options, &t, NULL);

	if (code == 0)
		code = cordon_tools_call(t, &call, &result, NULL);
	cordon_tool_result_done(&result);
	cordon_tools_free(t);
	return code;
}

int
main(void)
{
	char good[] = "{\"path\":\"\\u0061\"}", bad[] = "{\"path\":\"x.env\"}";

	made_begin();
	make_files();
	open_tools();
	check_table();
	check_calls();
	chaos_run("a file is read", use_tools, good, 0);
	chaos_run("a file is refused", use_tools, bad, CHAOS_ABSORBS);
	cordon_tools_free(tools);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
