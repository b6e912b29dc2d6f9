/*
 * The tools for files: what they do, and what they refuse with which code.
 */
#include "unit/tool/called.h"

#include <fcntl.h>

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
	    "{'schema':1,'ok':true,'result':{'path':'a','text':'inside\\n','size':7,"
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
	    "{'schema':1,'ok':false,'error':{'code':'outside','message':'" },
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
	/* writing; the rows follow each other */
	{ "write_text", "{'path':'new','content':'1\\n'}", 0,
	    "{'path':'new','size':2,'created':true}" },
	{ "write_text", "{'path':'stays/../new','content':''}", 0,
	    "{'path':'new','size':0,'created':false}" },
	{ "write_text", "{'path':'x.env','content':'X'}",
	    CORDON_REFUSAL_DENIED, "'matched_rule':'**/*.env'" },
	{ "write_text", "{'path':'fixed/f','content':'X'}",
	    CORDON_REFUSAL_DENIED, "'matched_rule':'fixed/**'" },
	{ "write_text", "{'path':'fixed/g','content':'X'}",
	    CORDON_REFUSAL_DENIED, "" },
	{ "write_text", "{'path':'leaves/canary','content':'X'}",
	    CORDON_REFUSAL_OUTSIDE, "" },
	{ "write_text", "{'path':'dangles','content':'X'}",
	    CORDON_REFUSAL_OUTSIDE, "" },
	{ "write_text", "{'path':'../home/.ssh/id','content':'X'}",
	    CORDON_REFUSAL_SECRET, "" },
	{ "write_text", "{'path':'/etc/passwd','content':'X'}",
	    CORDON_REFUSAL_OUTSIDE, "" },
	{ "write_text", "{'path':'no/such','content':'X'}",
	    CORDON_REFUSAL_MISSING, "the directory of" },
	{ "write_text", "{'path':'sub','content':'X'}", CORDON_REFUSAL_OS,
	    "Is a directory" },
	{ "write_text", "{'path':'','content':'X'}", CORDON_REFUSAL_OS, "" },
	{ "write_text", "{'path':'pipe','content':'X'}", CORDON_REFUSAL_OS,
	    "" },
	{ "write_text", "{'path':'a'}", CORDON_REFUSAL_INVALID,
	    "needs the argument 'content'" },
	{ "edit_text", "{'path':'sub/b','old':'two','new':'2'}", 0,
	    "{'path':'sub/b','size':12,'created':false,'replaced':1}" },
	{ "edit_text", "{'path':'sub/b','old':'e','new':'EE','all':true}", 0,
	    "'size':15,'created':false,'replaced':3" },
	{ "edit_text", "{'path':'sub/b','old':'E','new':'e'}",
	    CORDON_REFUSAL_INVALID, "occurs 6 times" },
	{ "edit_text", "{'path':'sub/b','old':'none','new':'e'}",
	    CORDON_REFUSAL_INVALID, "does not occur" },
	{ "edit_text", "{'path':'sub/b','old':'','new':'e'}",
	    CORDON_REFUSAL_INVALID, "does not occur" },
	{ "edit_text", "{'path':'fixed/f','old':'fixed','new':'e'}",
	    CORDON_REFUSAL_DENIED, "" },
	{ "edit_text", "{'path':'x.env','old':'X','new':'e'}",
	    CORDON_REFUSAL_DENIED, "" },
	{ "edit_text", "{'path':'sub','old':'X','new':'e'}",
	    CORDON_REFUSAL_INVALID, "" },
	{ "read_text", "{'path':'sub/b'}", 0,
	    "'text':'onEE\\n2\\nthrEEEE\\n'" },
	/* listing */
	{ "list_files", "{'path':'sub'}", 0,
	    "{'entries':[{'path':'sub/b','type':'file','size':15}],"
	    "'next':null}" },
	{ "list_files", "{}", 0,
	    "{'entries':[{'path':'a','type':'file','size':7},"
	    "{'path':'bytes','type':'file','size':3},"
	    "{'path':'dangles','type':'link','size':null},"
	    "{'path':'fixed','type':'directory','size':null},"
	    "{'path':'leaves','type':'link','size':null},"
	    "{'path':'loop','type':'link','size':null},"
	    "{'path':'new','type':'file','size':0},"
	    "{'path':'pipe','type':'other','size':null},"
	    "{'path':'stays','type':'link','size':null},"
	    "{'path':'sub','type':'directory','size':null},"
	    "{'path':'utf','type':'file','size':6}],'next':null}" },
	{ "list_files", "{'pattern':'?'}", 0,
	    "{'entries':[{'path':'a','type':'file','size':7}],'next':null}" },
	{ "list_files", "{'limit':2}", 0, "'next':'bytes'" },
	{ "list_files", "{'limit':2,'after':'bytes'}", 0,
	    "[{'path':'dangles','type':'link','size':null},"
	    "{'path':'fixed','type':'directory','size':null}],"
	    "'next':'fixed'" },
	{ "list_files", "{'path':'leaves'}", CORDON_REFUSAL_OUTSIDE, "" },
	{ "list_files", "{'path':'/etc','pattern':'*'}",
	    CORDON_REFUSAL_OUTSIDE, "" },
	{ "list_files", "{'path':'a'}", CORDON_REFUSAL_INVALID,
	    "is no directory" },
	{ "list_files", "{'pattern':'../*'}", CORDON_REFUSAL_INVALID,
	    "argument 'pattern'" },
	{ "glob", "{'pattern':'**/b'}", 0,
	    "{'entries':[{'path':'sub/b','type':'file','size':15}],"
	    "'next':null}" },
	{ "glob", "{'pattern':'**/f*'}", 0,
	    "{'entries':[{'path':'fixed','type':'directory','size':null},"
	    "{'path':'fixed/f','type':'file','size':5}],'next':null}" },
	{ "glob", "{'pattern':'**/f*','after':'fixed'}", 0,
	    "{'entries':[{'path':'fixed/f','type':'file','size':5}],"
	    "'next':null}" },
	{ "glob", "{'pattern':'**/canary'}", 0,
	    "{'entries':[],'next':null}" },
	{ "glob", "{'pattern':'**/*.env'}", 0, "{'entries':[],'next':null}" },
	{ "glob", "{'pattern':'b','path':'sub'}", 0, "'path':'sub/b'" },
	{ "glob", "{'pattern':'*','path':'..'}", CORDON_REFUSAL_OUTSIDE, "" },
	{ "grep", "{'text':'inside'}", 0,
	    "{'matches':[{'path':'a','line':1,'text':'inside','cut':false}],"
	    "'searched':5,'skipped':0,'next':null}" },
	{ "grep", "{'text':'SECRET'}", 0, "{'matches':[]," },
	{ "grep", "{'text':'EE','path':'sub'}", 0,
	    "{'matches':[{'path':'sub/b','line':1,'text':'onEE','cut':false},"
	    "{'path':'sub/b','line':3,'text':'thrEEEE','cut':false}]" },
	{ "grep", "{'text':'ee','ignore_case':true,'limit':1}", 0,
	    "[{'path':'sub/b','line':1,'text':'onEE','cut':true}],"
	    "'searched':4,'skipped':0,'next':'sub/b'" },
	{ "grep", "{'text':'i','files':'fixed/*'}", 0,
	    "[{'path':'fixed/f','line':1,'text':'fixed','cut':false}],"
	    "'searched':1" },
	{ "grep", "{'text':''}", CORDON_REFUSAL_INVALID, "" },
	{ "grep", "{'text':'a\\nb'}", CORDON_REFUSAL_INVALID, "" },
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

/* ----- What is on the disk afterwards ------------------------------------------- */

static bool
file_is(const char *name, const char *text, unsigned mode)
{
	char got[64] = "";
	struct stat st;
	int fd = open(tmp_path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = read(fd, got, sizeof(got) - 1);
	bool good = fd >= 0 && n >= 0 && strcmp(got, text) == 0 &&
	    fstat(fd, &st) == 0 && (mode == 0 || (st.st_mode & 07777) == mode);

	close(fd);
	return good;
}

static void
check_disk(void)
{
	enum cordon_refusal code;

	ok(file_is("out/canary", "SECRET", 0), "what is outside is as it was");
	ok(access(tmp_path("out/new"), F_OK) != 0, "nothing new is outside");
	ok(file_is("home/.ssh/id", "SECRET", 0), "nor is anything of the floor");
	ok(file_is("w/fixed/f", "fixed", 0) &&
		access(tmp_path("w/fixed/g"), F_OK) != 0,
	    "what is denied is as it was");
	tmp_file("w/tool.sh", "old");
	chmod(tmp_path("w/tool.sh"), 0751);
	tmp_link("tool.sh", "w/name");
	free(called(tools, "write_text",
	    "{\"path\":\"name\",\"content\":\"new\"}", &code));
	ok(code == 0 && file_is("w/tool.sh", "new", 0751),
	    "the mode stays, and what a link names is replaced");
}

/* A dry run says what would be, and leaves everything alone. */
static void
check_dry(void)
{
	const char *arguments = "{\"path\":\"dry\",\"content\":\"x\"}";
	struct cordon_tool_call call = { .size = sizeof(call),
		.name = "write_text", .arguments = arguments,
		.arguments_len = strlen(arguments), .dry_run = true };
	struct cordon_tool_result result = { 0 };

	ok(cordon_tools_call(tools, &call, &result, NULL) == 0 &&
		result.code == 0 && access(tmp_path("w/dry"), F_OK) != 0,
	    "a dry run writes nothing");
	cordon_tool_result_done(&result);
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
	const char *const *words = arg;
	struct cordon_tool_call call = { .size = sizeof(call),
		.name = words[0], .arguments = words[1],
		.arguments_len = strlen(words[1]) };
	struct cordon_tool_result result = { 0 };
	struct cordon_tools *t = NULL;
	int code = cordon_tools_new(&options, &t, NULL);

	if (code == 0)
		code = cordon_tools_call(t, &call, &result, NULL);
	cordon_tool_result_done(&result);
	cordon_tools_free(t);
	return code;
}

static void
check_memory(void)
{
	static const char *words[][2] = {
		{ "read_text", "{\"path\":\"\\u0061\"}" },
		{ "read_text", "{\"path\":\"x.env\"}" },
		{ "write_text", "{\"path\":\"c\",\"content\":\"x\"}" },
		{ "edit_text",
		    "{\"path\":\"c\",\"old\":\"x\",\"new\":\"x\"}" },
		{ "list_files", "{\"limit\":2}" },
		{ "glob", "{\"pattern\":\"**/f\"}" },
		{ "grep", "{\"text\":\"f\",\"files\":\"**\"}" },
	};

	for (size_t i = 0; i < CDN_LEN(words); i++)
		chaos_run(words[i][0], use_tools, words[i], CHAOS_ABSORBS);
}

int
main(void)
{
	made_begin();
	make_files();
	open_tools();
	check_table();
	check_calls();
	check_disk();
	check_dry();
	check_memory();
	cordon_tools_free(tools);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
