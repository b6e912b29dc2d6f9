/* engine/wrap: texts as clients write them, and what becomes of them. */
#include "engine/wrap/wrap.h"

#include "support/tap.h"

#define G(how) "\"mcp\", \"guard\", \"--wrapped=" how "\", \"--\", "

struct row {
	const char *name;
	const char *text;
	const char *want; /* NULL: it stays; "!": it is refused */
};

/* clang-format off */
static const struct row json[] = {
	{ "arguments", "{\"mcpServers\":{\"a\":{\"command\":\"node\",\"args\":[\"x\"]}}}",
	    "{\"mcpServers\":{\"a\":{\"command\":\"cordon\",\"args\":[" G("args") "\"node\","
	    " \"x\"]}}}" },
	{ "none in the list", "{\"mcpServers\":{\"a\":{\"args\" : [ ] , \"command\":\"node\"}}}",
	    "{\"mcpServers\":{\"a\":{\"args\" : [" G("args") "\"node\" ] , \"command\":\"cor"
	    "don\"}}}" },
	{ "no list", "{\"mcpServers\":{\"a\":{\"command\": \"node\" , \"env\":{}}}}",
	    "{\"mcpServers\":{\"a\":{\"command\": \"cordon\", \"args\": [" G("bare") "\"node"
	    "\"] , \"env\":{}}}}" },
	{ "escapes are kept", "{\"mcpServers\":{\"a\":{\"comm\\u0061nd\":\"n\\u006fde\\/\"}}}",
	    "{\"mcpServers\":{\"a\":{\"comm\\u0061nd\":\"cordon\", \"args\": ["
	    G("bare") "\"n\\u006fde\\/\"]}}}" },
	{ "VS Code, with comments",
	    "{ // servers\n\t\"servers\": { /* \" */ \"a\": {\n\t\t\"type\": \"stdio\",\n\t"
	    "\t\"command\": \"n\", // \"args\": []\n\t\t\"args\": [\n\t\t\t\"-y\", // yes\n"
	    "\t\t],\n\t}, },\n}\n",
	    "{ // servers\n\t\"servers\": { /* \" */ \"a\": {\n\t\t\"type\": \"stdio\",\n\t"
	    "\t\"command\": \"cordon\", // \"args\": []\n\t\t\"args\": [\n\t\t\t"
	    G("args") "\"n\", \"-y\", // yes\n\t\t],\n\t}, },\n}\n" },
	{ "VS Code's settings", "{\"mcp\":{\"servers\":{\"a\":{\"command\":\"n\"}}}}",
	    "{\"mcp\":{\"servers\":{\"a\":{\"command\":\"cordon\", \"args\": ["
	    G("bare") "\"n\"]}}}}" },
	{ "opencode", "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[ \"node\", \"x\"],"
	    "\"environment\":{\"command\":\"y\"}}, \"r\":{\"type\":\"remote\",\"url\":\"h"
	    "ttps://x\"}}}",
	    "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[ \"cordon\", " G("args")
	    "\"node\", \"x\"],\"environment\":{\"command\":\"y\"}}, \"r\":{\"type\":\"remo"
	    "te\",\"url\":\"https://x\"}}}" },
	{ "opencode, one word", "{\"mcp\":{\"a\":{\"command\":[\"n\"],\"type\":\"local\"}}}",
	    "{\"mcp\":{\"a\":{\"command\":[\"cordon\", " G("args") "\"n\"],\"type\":\"lo"
	    "cal\"}}}" },
	{ "opencode, guarded by hand", "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":["
	    "\"cordon\",\"mcp\",\"guard\",\"--\",\"n\"]}}}", NULL },
	{ "opencode, no word", "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[]}}}",
	    "!" },
	{ "opencode, a word that is none", "{\"mcp\":{\"a\":{\"type\":\"local\","
	    "\"command\":[1]}}}", "!" },
	{ "of a project", "{\"projects\":{\"/p\":{\"mcpServers\":{\"a\":{\"command\":\"n\"}}"
	    "},\"/q\":{}}}",
	    "{\"projects\":{\"/p\":{\"mcpServers\":{\"a\":{\"command\":\"cordon\", \"args\":"
	    " [" G("bare") "\"n\"]}}},\"/q\":{}}}" },
	{ "two, one of them remote", "{\"mcpServers\":{\"r\":{\"url\":\"https://x\"},\"a\":{"
	    "\"command\":\"n\"}}}",
	    "{\"mcpServers\":{\"r\":{\"url\":\"https://x\"},\"a\":{\"command\":\"cordon\", "
	    "\"args\": [" G("bare") "\"n\"]}}}" },
	{ "remote", "{\"mcpServers\":{\"r\":{\"url\":\"https://x\"}}}", NULL },
	{ "remote, by httpUrl", "{\"mcpServers\":{\"r\":{\"command\":\"n\",\"httpUrl\":\"htt"
	    "ps://x\"}}}", NULL },
	{ "remote, by type", "{\"mcpServers\":{\"r\":{\"type\":\"http\",\"command\":\"n\"}}}",
	    NULL },
	{ "guarded by hand", "{\"mcpServers\":{\"r\":{\"command\":\"/opt/cordon\",\"args"
	    "\":[\"mcp\",\"guard\",\"--\",\"n\"]}}}", NULL },
	{ "guarded by somebody", "{\"mcpServers\":{\"r\":{\"command\":\"./cordon\",\"args"
	    "\":[\"mcp\",\"guard\",\"--wrapped=args\",\"--\",\"n\"]}}}",
	    "{\"mcpServers\":{\"r\":{\"command\":\"cordon\",\"args\":[" G("args")
	    "\"./cordon\", \"mcp\",\"guard\",\"--wrapped=args\",\"--\",\"n\"]}}}" },
	{ "null is nothing", "{\"mcpServers\":{\"r\":{\"type\":null,\"url\":null,\"command"
	    "\":\"n\"}}}",
	    "{\"mcpServers\":{\"r\":{\"type\":null,\"url\":null,\"command\":\"cordon\", "
	    "\"args\": [" G("bare") "\"n\"]}}}" },
	{ "another command of ours", "{\"mcpServers\":{\"r\":{\"command\":\"cordon\",\"args"
	    "\":[\"mcp\",\"serve\"]}}}",
	    "{\"mcpServers\":{\"r\":{\"command\":\"cordon\",\"args\":[" G("args") "\"cordon"
	    "\", \"mcp\",\"serve\"]}}}" },
	{ "nobody", "{\"mcpServers\":{}}", NULL },
	{ "no place for servers", "{\"a\":1}", "!" },
	{ "an array", "[]", "!" },
	{ "nothing", "", "!" },
	{ "a comment without end", "{\"mcpServers\":{}} /* ", "!" },
	{ "half a comment", "{\"mcpServers\":{}} /", "!" },
	{ "a comma alone", "{\"mcpServers\":{,}}", "!" },
	{ "two commas", "{\"mcpServers\":{\"a\":{\"command\":\"n\",,}}}", "!" },
	{ "a comma for a value", "{\"mcpServers\":{\"a\":,}}", "!" },
	{ "a key twice", "{\"mcpServers\":{\"a\":{\"command\":\"n\",\"comm\\u0061nd\":\"m\"}"
	    "}}", "!" },
	{ "a byte order mark", "\xef\xbb\xbf{\"mcpServers\":{}}", "!" },
	{ "a command that is none", "{\"mcpServers\":{\"a\":{\"command\":7}}}", "!" },
	{ "arguments that are none", "{\"mcpServers\":{\"a\":{\"command\":\"n\",\"args\":\"x"
	    "\"}}}", "!" },
	{ "an argument that is none", "{\"mcpServers\":{\"a\":{\"command\":\"n\",\"args\":[1"
	    "]}}}", "!" },
	{ "a server that is none", "{\"mcpServers\":{\"a\":\"n\"}}", "!" },
	{ "servers that are none", "{\"mcpServers\":[]}", "!" },
};

static const struct row toml[] = {
	{ "a table", "[mcp_servers.a]\ncommand = \"n\"\nargs = [\"x\"]\n",
	    "[mcp_servers.a]\ncommand = \"cordon\"\nargs = [" G("args") "\"n\", \"x\"]\n" },
	{ "no arguments", "x = 1\n[ mcp_servers . \"a.b\" ] # c\n  command = 'n\\' # \"\n",
	    "x = 1\n[ mcp_servers . \"a.b\" ] # c\n  args = [" G("bare") "'n\\']\n  command "
	    "= \"cordon\" # \"\n" },
	{ "ends of lines", "[mcp_servers.a]\r\ncommand = \"n\"\r\n",
	    "[mcp_servers.a]\r\nargs = [" G("bare") "\"n\"]\r\ncommand = \"cordon\"\r\n" },
	{ "dotted", "mcp_servers.a.command = \"n\"",
	    "mcp_servers.a.args = [" G("bare") "\"n\"]\nmcp_servers.a.command = \"cordon\"" },
	{ "below one header", "[mcp_servers]\na.command = \"n\"\na.args=[ ]",
	    "[mcp_servers]\na.command = \"cordon\"\na.args=[" G("args") "\"n\" ]" },
	{ "inline", "mcp_servers = { a = { command = \"n\", env = { A = \"1\" } } }",
	    "mcp_servers = { a = { command = \"cordon\", args = [" G("bare") "\"n\"], env = "
	    "{ A = \"1\" } } }" },
	{ "inline with arguments", "[mcp_servers]\na = { args = ['x'], command = \"n\" }",
	    "[mcp_servers]\na = { args = [" G("args") "\"n\", 'x'], command = \"cordon\" }" },
	{ "over several lines", "[mcp_servers.a]\ncommand = \"\"\"\nn\\\n  m\"\"\"\nargs = ["
	    " # one\n  'x', # two\n]\n",
	    "[mcp_servers.a]\ncommand = \"cordon\"\nargs = [ # one\n  " G("args") "\"\"\"\nn"
	    "\\\n  m\"\"\", 'x', # two\n]\n" },
	{ "after much else",
	    "a = 1979-05-27 07:32:00 # d\nb = [1, [2.5e-3, inf], {c = [{}]}]\n'd' = \"\"\"a"
	    "\"\"b\"\"\"\"\"\ne = '''\\'''\n[[f]]\ng.h = true\n[mcp_servers.a.env]\nX = \"1"
	    "\"\n[mcp_servers.a]\ncommand = \"n\"\nargs = []\n",
	    "a = 1979-05-27 07:32:00 # d\nb = [1, [2.5e-3, inf], {c = [{}]}]\n'd' = \"\"\"a"
	    "\"\"b\"\"\"\"\"\ne = '''\\'''\n[[f]]\ng.h = true\n[mcp_servers.a.env]\nX = \"1"
	    "\"\n[mcp_servers.a]\ncommand = \"cordon\"\nargs = [" G("args") "\"n\"]\n" },
	{ "remote", "[mcp_servers.a]\nurl = \"https://x\"\n", NULL },
	{ "guarded by hand", "[mcp_servers.a]\ncommand = 'cordon'\nargs = ['mcp', 'guard', '"
	    "--', 'n']\n", NULL },
	{ "in a string", "x = \"\"\"\n[mcp_servers.a]\ncommand = 'n'\n\"\"\"\nmcp_servers = "
	    "{}\n", NULL },
	{ "nobody", "[mcp_servers]\n", NULL },
	{ "no place for servers", "x = 1\n", "!" },
	{ "a string without end", "[mcp_servers.a]\ncommand = \"n\n", "!" },
	{ "a list without end", "[mcp_servers.a]\ncommand = \"n\"\nargs = [\n", "!" },
	{ "two on a line", "[mcp_servers.a]\ncommand = \"n\" args = []\n", "!" },
	{ "a command twice", "[mcp_servers.a]\ncommand = \"n\"\ncommand = \"m\"\n", "!" },
	{ "a table twice", "[mcp_servers.a]\n[mcp_servers.a]\ncommand = \"n\"\n", "!" },
	{ "many tables", "[[mcp_servers.a]]\ncommand = \"n\"\n", "!" },
	{ "a server that is none", "mcp_servers.a = 1\n", "!" },
	{ "a command that is none", "mcp_servers.a.command.x = 'n'\n", "!" },
	{ "an escape that is none", "[mcp_servers.a]\ncommand = \"\\q\"\n", "!" },
	{ "half of a pair", "[mcp_servers.a]\ncommand = \"\\ud800\"\n", "!" },
	{ "NUL", "[mcp_servers.a]\ncommand = \"\\u0000\"\n", "!" },
	{ "a value that is none", "[mcp_servers.a]\ncommand = n\n", "!" },
	{ "no value", "[mcp_servers.a]\ncommand =\n", "!" },
	{ "not UTF-8", "[mcp_servers.a]\ncommand = \"\xff\"\n", "!" },
};
/* clang-format on */

/* A copy of its own size, so that a sanitizer sees who reads past it. */
static char *
copy_of(cdn_str text)
{
	char *copy = malloc(text.n + 1);

	if (copy == NULL)
		abort();
	memcpy(copy, text.p, text.n);
	return copy;
}

/* The text that comes of it on out; the code. */
static int
rewrite(cdn_str text, enum cdn_wrap_language language, bool undo,
    struct cdn_buf *out)
{
	const struct cdn_wrap_options options = { .language = language,
		.command = "cordon", .place = "/opt/cordon", .undo = undo };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_wrap_result result;
	struct cordon_error err = { 0 };
	char *copy = copy_of(text);
	int code = cdn_wrap((cdn_str){ copy, text.n }, &options, arena, &result,
	    &err);

	cdn_buf_init(out, 65536);
	if (code == 0)
		cdn_wrap_apply((cdn_str){ copy, text.n }, &result, out);
	else if (err.text[0] == '\0')
		code = 1; /* it must say why */
	free(copy);
	cdn_arena_free(arena);
	return code;
}

static bool
is_text(const struct cdn_buf *got, const char *want)
{
	bool same = cdn_str_is((cdn_str){ got->p, got->n }, want);

	if (!same)
		printf("# got: %.*s\n", (int)got->n, got->p == NULL ? "" : got->p);
	return same;
}

static void
test_row(const struct row *row, enum cdn_wrap_language language)
{
	const char *want = row->want == NULL ? row->text : row->want;
	cdn_str text = cdn_str_of(row->text);
	struct cdn_buf once, twice, back;
	int code = rewrite(text, language, false, &once);

	if (strcmp(want, "!") == 0) {
		ok_f(code == CORDON_E_INVALID && once.n == 0, "%s: refused",
		    row->name);
	} else {
		ok_f(code == 0 && is_text(&once, want), "%s", row->name);
		ok_f(rewrite(cdn_str_of(want), language, false, &twice) == 0 &&
		    is_text(&twice, want), "%s: a second time nothing happens",
		    row->name);
		ok_f(rewrite(cdn_str_of(want), language, true, &back) == 0 &&
		    is_text(&back, row->text), "%s: it is undone", row->name);
		cdn_buf_done(&twice);
		cdn_buf_done(&back);
	}
	cdn_buf_done(&once);
}

/* No beginning of a text makes it read past the end, or ends badly. */
static void
test_beginnings(const struct row *row, enum cdn_wrap_language language)
{
	struct cdn_buf out;
	bool good = true;
	int code;

	for (size_t n = 0; n < strlen(row->text); n++) {
		code = rewrite((cdn_str){ row->text, n }, language, false,
		    &out);
		good &= code == 0 || code == CORDON_E_INVALID;
		cdn_buf_done(&out);
	}
	ok_f(good, "%s: each beginning is read or refused", row->name);
}

/* ----- What people change in between ------------------------------------------- */

static void
test_changed(void)
{
	static const struct row rows[] = {
		{ "an argument more", "{\"servers\":{\"a\":{\"command\":\"cordon\",\"args\":["
		    G("bare") "\"n\", \"x\"]}}}",
		    "{\"servers\":{\"a\":{\"command\":\"n\",\"args\":[\"x\"]}}}" },
		{ "another order", "{\"servers\":{\"a\":{\"args\":[" G("bare")
		    "\"n\"],\"command\":\"cordon\"}}}",
		    "{\"servers\":{\"a\":{\"args\":[],\"command\":\"n\"}}}" },
		{ "lines", "{\"servers\":{\"a\":{\"command\":\"cordon\",\n\"args\":[\n\"mcp\",\n"
		    "\"guard\",\n\"--wrapped=bare\",\n\"--\",\n\"n\"\n]}}}",
		    "{\"servers\":{\"a\":{\"command\":\"n\"}}}" },
		{ "options", "{\"servers\":{\"a\":{\"command\":\"cordon\",\"args\":[\"mcp\","
		    "\"guard\",\"--wrapped=args\",\"--quiet\",\"--\",\"n\",\"--\",\"y\"]}}}",
		    "{\"servers\":{\"a\":{\"command\":\"n\",\"args\":[\"--\",\"y\"]}}}" },
		{ "no command any more", "{\"servers\":{\"a\":{\"command\":\"cordon\",\"args\":["
		    "\"mcp\",\"guard\",\"--wrapped=args\",\"--\"]}}}", NULL },
	};
	struct cdn_buf out;

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		ok_f(rewrite(cdn_str_of(rows[i].text), CDN_WRAP_JSON, true,
		    &out) == 0 && is_text(&out, rows[i].want == NULL ?
			rows[i].text : rows[i].want), "undone with %s",
		    rows[i].name);
		cdn_buf_done(&out);
	}
}

/* ----- What is shown -------------------------------------------------------------- */

static void
test_diff(void)
{
	static const char *const options_given[] = { "--network", "full\"",
		NULL };
	const struct cdn_wrap_options options = { .language = CDN_WRAP_JSON,
		.command = "/opt/our \"own\"", .options = options_given };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_wrap_result result;
	struct cdn_buf out;
	cdn_str text = CDN_STR("{\n\"servers\": {\n\"a\":\n{\"command\":\n"
	    "\"n\"},\n\"r\": {\"url\": 1},\n\"b\":{\"command\":\"m\"}}}");
	int code = cdn_wrap(text, &options, arena, &result, NULL);

	ok(code == 0 && result.n == 2 && result.server_count == 3,
	    "three servers, two of them changed");
	ok(result.servers[0].left == NULL && result.servers[1].left != NULL &&
	    cdn_str_is(result.servers[1].name, "r"), "the other one is named");
	cdn_buf_init(&out, 65536);
	cdn_wrap_diff(text, &result, "f", &out);
	ok(is_text(&out, "--- f\n+++ f\n@@ -5 +5 @@\n-\"n\"},\n"
	    "+\"/opt/our \\\"own\\\"\", \"args\": [\"mcp\", \"guard\", "
	    "\"--wrapped=bare\", \"--network\", \"full\\\"\", \"--\", \"n\"]},\n"
	    "@@ -7 +7 @@\n-\"b\":{\"command\":\"m\"}}}\n"
	    "\\ No newline at end of file\n"
	    "+\"b\":{\"command\":\"/opt/our \\\"own\\\"\", \"args\": [\"mcp\", "
	    "\"guard\", \"--wrapped=bare\", \"--network\", \"full\\\"\", \"--\", "
	    "\"m\"]}}}\n\\ No newline at end of file\n"), "the difference");
	cdn_buf_done(&out);
	cdn_arena_free(arena);
}

/* ----- What is left open ----------------------------------------------------------- */

struct told {
	const char *name;
	enum cdn_wrap_language language;
	const char *text;
	const char *want; /* "NAME: WHY", a line for each that is open */
};

#define S(text) "{\"mcpServers\":{\"a\":{" text "}}}"
#define CAGE	"\"command\":\"cordon\",\"args\":[\"mcp\",\"guard\","
#define SAYS	"a: it says itself guarded, by these options: "
#define VARIABLE(name) "a: its variable '" name "' would be the guard's too, " \
	"and choose for it (write its command as: env NAME=VALUE COMMAND)\n"
#define NOWHERE ": cordon knows of no servers at this place\n"

/* clang-format off */
static const struct told told[] = {
	{ "as we write it", CDN_WRAP_JSON, S(CAGE "\"--wrapped=args\",\"--quiet\",\"--\",\"n\"]"
	    ""), "" },
	{ "by hand, as we would", CDN_WRAP_JSON, S(CAGE "\"--quiet\",\"--\",\"n\"]"), "" },
	{ "by our place", CDN_WRAP_JSON, S("\"command\":\"/opt/cordon\",\"args\":[\"mcp\",\"guar"
	    "d\",\"--quiet\",\"--\",\"n\"]"), "" },
	{ "changed now", CDN_WRAP_JSON, S("\"command\":\"n\""), "" },
	{ "by somebody else's place", CDN_WRAP_JSON, S("\"command\":\"/tmp/cordon\",\"args\":[\""
	    "mcp\",\"guard\",\"--quiet\",\"--\",\"n\"]"), "" },
	{ "remote", CDN_WRAP_JSON, S("\"url\":\"https://x\",\"type\":\"http\""), "" },
	{ "by no options", CDN_WRAP_JSON, S(CAGE "\"--\",\"n\"]"), SAYS "none\n" },
	{ "by others", CDN_WRAP_JSON, S(CAGE "\"--backend\",\"none\",\"--enforcement\",\"best-ef"
	    "fort\",\"--\",\"n\"]"),
	    SAYS "\"--backend\" \"none\" \"--enforcement\" \"best-effort\"\n" },
	{ "by others, with our mark", CDN_WRAP_JSON, S(CAGE "\"--wrapped=args\",\"--backend\",\""
	    "none\",\"--\",\"n\"]"), SAYS "\"--backend\" \"none\"\n" },
	{ "by ours and more", CDN_WRAP_JSON, S(CAGE "\"--wrapped=args\",\"--quiet\",\"--backend\","
	    "\"none\",\"--\",\"n\"]"), SAYS "\"--quiet\" \"--backend\" \"none\"\n" },
	{ "of nobody", CDN_WRAP_JSON, S(CAGE "\"--quiet\",\"--\"]"), SAYS "\"--quiet\"\n" },
	{ "a type", CDN_WRAP_JSON, S("\"type\":\"http\",\"command\":\"n\""),
	    "a: its type is not 'stdio'\n" },
	{ "a url that is none", CDN_WRAP_JSON, S("\"url\":\"\",\"command\":\"n\""),
	    "a: it has both a command and a url\n" },
	{ "no command", CDN_WRAP_JSON, S("\"cmd\":\"n\""), "a: it has no command\n" },
	{ "variables of the server", CDN_WRAP_JSON, S("\"command\":\"n\",\"env\":{\"API_KEY\":\""
	    "x\",\"HOMEPAGE\":\"x\"},\"cwd\":null"), "" },
	{ "a variable of the guard", CDN_WRAP_JSON, S("\"command\":\"n\",\"env\":{\"A\":\"x\",\"X"
	    "DG_CONFIG_HOME\":\"/x\"}"), VARIABLE("XDG_CONFIG_HOME") },
	{ "one in other letters", CDN_WRAP_JSON, S("\"command\":\"n\",\"\\u0045NV\":{\"\\u0048OM"
	    "E\":\"/x\"}"), VARIABLE("HOME") },
	{ "one beside a guard", CDN_WRAP_JSON, S(CAGE "\"--quiet\",\"--\",\"n\"],\"env\":{\"LD_PR"
	    "ELOAD\":\"/x\"}"), VARIABLE("LD_PRELOAD") },
	{ "one of opencode", CDN_WRAP_JSON, "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"n"
	    "\"],\"environment\":{\"ORBIT_ACTIVITY_FS_PROFILE\":\"x\"}}}}",
	    VARIABLE("ORBIT_ACTIVITY_FS_PROFILE") },
	{ "variables in a list", CDN_WRAP_JSON, S("\"command\":\"n\",\"env\":[\"HOME=/x\"]"),
	    "a: its 'env' is not a list of names and values\n" },
	{ "a directory", CDN_WRAP_JSON, S("\"command\":\"n\",\"cwd\":\"/x\""),
	    "a: its 'cwd' would choose the guard's workspace (write its command as: env -C DIR"
	    " COMMAND)\n" },
	{ "a file of variables", CDN_WRAP_JSON, S("\"command\":\"n\",\"envFile\":\"/x\""),
	    "a: its 'envFile' names variables that would be the guard's too, and that cordon c"
	    "annot see\n" },
	{ "variables of the server", CDN_WRAP_TOML, "[mcp_servers.a]\ncommand = 'n'\nenv_vars = "
	    "['X']\nenv.A = '1'\n", "" },
	{ "a variable of the guard", CDN_WRAP_TOML, "[mcp_servers.a]\ncommand = 'n'\n[mcp_server"
	    "s.a.env]\nHOME = '/x'\n", VARIABLE("HOME") },
	{ "one in a table", CDN_WRAP_TOML, "[mcp_servers.a]\ncommand = 'n'\nenv = {A = '1', 'PAT"
	    "H' = '/x'}\n", VARIABLE("PATH") },
	{ "variables in a list", CDN_WRAP_TOML, "[mcp_servers.a]\ncommand = 'n'\nenv = ['HOME=/x"
	    "']\n", "a: its 'env' is not a list of names and values\n" },
	{ "a directory", CDN_WRAP_TOML, "mcp_servers.a = {command = 'n', cwd = '/x'}\n",
	    "a: its 'cwd' would choose the guard's workspace (write its command as: env -C DIR"
	    " COMMAND)\n" },
	{ "another client's places", CDN_WRAP_JSON,
	    "{\"mcpServers\":{},\"mcp\":{\"oc\":{\"command\":[\"npx\"]}},\"context_servers\":{\""
	    "z\":{\"command\":{\"path\":\"n\"}}},\"x\":{\"MCPSERVERS\":[{\"transport\":{\"com"
	    "mand\":\"n\"}}]}}",
	    "mcp.oc" NOWHERE "context_servers.z" NOWHERE "x.MCPSERVERS.[].transport" NOWHERE },
	{ "in a server", CDN_WRAP_JSON, S("\"url\":\"x\",\"env\":{\"command\":\"x\"},\"stdio\":{"
	    "\"command\":\"n\"}"), "mcpServers.a.stdio" NOWHERE },
	{ "what is no server", CDN_WRAP_JSON, "{\"mcpServers\":{\"command\":{\"command\":\"n\"}}"
	    ",\"hooks\":[{\"command\":\"n\"}],\"projects\":{\"/mcp\":{\"hook\":{\"command\":\"n\""
	    "}}},\"mcp\":{\"x\":{\"command\":null}}}", "" },
	{ "a profile's", CDN_WRAP_TOML, "[mcp_servers]\n[profiles.x.mcp_servers.y]\n"
	    "command = 'n'\n", "profiles.x.mcp_servers.y" NOWHERE },
	{ "a profile's, inline and dotted", CDN_WRAP_TOML, "mcp_servers = {}\np.mcp = {y = {comm"
	    "and = 'n'}}\np.mcp.z.command.path = 'n'\np.mcp.z.command.args = []\n",
	    "p.mcp.y" NOWHERE "p.mcp.z" NOWHERE },
	{ "many", CDN_WRAP_TOML, "mcp_servers = {}\nservers = [{command = 'n'}]\n[[mcp]]\n"
	    "command = 'n'\n", "servers" NOWHERE "mcp" NOWHERE },
	{ "in a table of a server", CDN_WRAP_TOML, "[mcp_servers.a]\nurl = 'x'\n[mcp_servers.a.e"
	    "nv]\ncommand = 'n'\n[mcp_servers.a.x]\ncommand = 'n'\n", "mcp_servers.a.x" NOWHERE },
	{ "of the name of another", CDN_WRAP_TOML, "[x.mcp]\ncommand = 'n'\n[mcp_servers.'x.mcp'"
	    "]\ncommand = 'n'\n", "x.mcp" NOWHERE },
	{ "what is no server", CDN_WRAP_TOML, "[hook]\ncommand = 'n'\n[mcp_servers.command]\ncom"
	    "mand = 'n'\n", "" },
};
/* clang-format on */

static void
put_open(const struct cdn_wrap_result *result, struct cdn_buf *out)
{
	for (size_t i = 0; i < result->server_count; i++)
		if (result->servers[i].open)
			cdn_buf_printf(out, "%.*s: %s\n",
			    CDN_STR_ARG(result->servers[i].name),
			    result->servers[i].left);
	cdn_buf_puts(out, "");
}

static void
test_open(const struct told *row)
{
	static const char *const given[] = { "--quiet", NULL };
	struct cdn_wrap_options options = { .language = row->language,
		.command = "cordon", .place = "/opt/cordon", .options = given };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_wrap_result result = { .n = 0 };
	struct cdn_buf out;
	int code = cdn_wrap(cdn_str_of(row->text), &options, arena, &result,
	    NULL);

	cdn_buf_init(&out, 65536);
	put_open(&result, &out);
	ok_f(code == 0 && is_text(&out, row->want), "open: %s", row->name);
	cdn_buf_reset(&out);
	options.undo = true;
	code = cdn_wrap(cdn_str_of(row->text), &options, arena, &result, NULL);
	put_open(&result, &out);
	ok_f(code == 0 && out.n == 0, "undone, nothing is: %s", row->name);
	cdn_buf_done(&out);
	cdn_arena_free(arena);
}

/* Where PATH does not lead here, nobody knows whom the name leads to. */
static void
test_by_name(void)
{
	const struct cdn_wrap_options options = { .language = CDN_WRAP_JSON,
		.command = "/opt/cordon", .place = "/opt/cordon" };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_wrap_result result = { .n = 0 };
	int code = cdn_wrap(cdn_str_of(S(CAGE "\"--\",\"n\"]")), &options,
	    arena, &result, NULL);

	ok(code == 0 && result.n == 0 && result.server_count == 1 &&
	    result.servers[0].open, "guarded by a name that is another's");
	cdn_arena_free(arena);
}

/* As many strays as may be, and one more. */
static void
test_many_strays(void)
{
	struct cdn_buf text, out;

	for (int more = 0; more < 2; more++) {
		cdn_buf_init(&text, 65536);
		cdn_buf_puts(&text, "{\"mcpServers\":{},\"mcp\":{");
		for (int i = 0; i < CDN_WRAP_STRAYS_MAX + more; i++)
			cdn_buf_printf(&text, "%s\"%d\":{\"command\":1}",
			    i == 0 ? "" : ",", i);
		cdn_buf_puts(&text, "}}");
		ok_f(rewrite((cdn_str){ text.p, text.n }, CDN_WRAP_JSON, false,
		    &out) == (more ? CORDON_E_INVALID : 0), "%s strays",
		    more ? "too many" : "many");
		cdn_buf_done(&out);
		cdn_buf_done(&text);
	}
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(json); i++) {
		test_row(&json[i], CDN_WRAP_JSON);
		test_beginnings(&json[i], CDN_WRAP_JSON);
	}
	for (size_t i = 0; i < CDN_LEN(toml); i++) {
		test_row(&toml[i], CDN_WRAP_TOML);
		test_beginnings(&toml[i], CDN_WRAP_TOML);
	}
	test_changed();
	test_diff();
	for (size_t i = 0; i < CDN_LEN(told); i++)
		test_open(&told[i]);
	test_by_name();
	test_many_strays();
	return done_testing();
}
