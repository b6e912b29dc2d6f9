/*
 * Which values of which messages are asked about.  The judge here writes down
 * what it is asked: "LABEL<DOOR><OP>FORM", and refuses what holds "BAD".
 */
#include "engine/rpc/arguments.h"

#include "support/tap.h"

struct notes {
	char text[1024];
	size_t n;
};

static int
note(const struct cdn_rpc_path *path, void *arg, struct cordon_error *err)
{
	struct notes *notes = arg;
	cdn_str form = path->form->text;

	(void)err;
	if (form.n > 64)
		form.n = 64;
	notes->n += (size_t)snprintf(notes->text + notes->n,
	    sizeof(notes->text) - notes->n, "%s%s%c%c%.*s",
	    notes->n == 0 ? "" : " ", path->label,
	    path->door == CDN_RPC_KNOWN ? '=' : '~',
	    path->op == CORDON_MODIFY ? 'w' : 'r', CDN_STR_ARG(form));
	return form.n >= 3 && memcmp(form.p + form.n - 3, "BAD", 3) == 0;
}

static int
note_undeclared(const char *label, void *arg, struct cordon_error *err)
{
	struct notes *notes = arg;

	(void)err;
	notes->n += (size_t)snprintf(notes->text + notes->n,
	    sizeof(notes->text) - notes->n, "%s%s!", notes->n == 0 ? "" : " ",
	    label);
	return 1;
}

#define TEXT(literal) { literal, sizeof(literal) - 1 }

static const struct cdn_rpc_setting settings[] = {
	{ TEXT("t"), TEXT("body"), false },
	{ TEXT("t"), TEXT("odd"), true },
	{ TEXT("t"), TEXT("edits.what"), true },
	{ TEXT("t"), TEXT("both"), false },
	{ TEXT("t"), TEXT("both"), true },
	{ TEXT("other"), TEXT("q"), false },
};

/* clang-format off */
static const struct {
	const char *what;
	const char *tool;	/* its definition, or NULL */
	const char *params;	/* of a tools/call of 't' */
	const char *want;	/* what is asked */
	int code;
} calls[] = {
	{ "no arguments", NULL, "{\"name\":\"t\"}", "", 0 },
	{ "names", NULL, "{\"arguments\":{\"path\":\"a\",\"filePath\":\"b\","
	    "\"FILE_PATH\":\"c\",\"cwd\":\"d\",\"name\":\"e\",\"n\":5,\"z\":null}}",
	    "path=ra filePath=rb FILE_PATH=rc cwd=rd", 0 },
	{ "guesses", NULL, "{\"arguments\":{\"q\":\"/x/y\",\"r\":\"x/y\"}}",
	    "q~r/x/y", 0 },
	{ "the first refusal is the last question", NULL,
	    "{\"arguments\":{\"path\":\"a/BAD\",\"cwd\":\"b\"}}",
	    "path=ra/BAD", 1 },
	{ "arrays", NULL, "{\"arguments\":{\"files\":[\"a\",[\"b\"]],"
	    "\"list\":[\"c\",\"/d/e\"]}}",
	    "files[0]=ra files[1][0]=rb list[1]~r/d/e", 0 },
	{ "objects", NULL, "{\"arguments\":{\"edits\":[{\"path\":\"a\","
	    "\"to\":\"b\"}],\"source\":{\"x\":\"c\"}}}",
	    "edits[0].path=ra source.x=rc", 0 },
	{ "keys", NULL, "{\"arguments\":{\"m\":{\"/etc/passwd\":1}}}",
	    "m./etc/passwd~r/etc/passwd", 0 },
	{ "keys below a path", NULL, "{\"arguments\":{\"path\":{\"../../x\":1,"
	    "\"value\":\"a\"},\"q\":{\"../y\":1}}}",
	    "path.../../x=r../../x path.value=ra", 0 },
	{ "escapes", NULL, "{\"arguments\":{\"p\\u0061th\":\"\\/x\"}}",
	    "path=r/x", 0 },
	{ "a string of JSON", NULL, "{\"arguments\":{\"q\":"
	    "\"[\\\"/a/b\\\",{\\\"cwd\\\":\\\"c\\\"}]\"}}",
	    "q[0]~r/a/b q[1].cwd=rc", 0 },
	{ "a string of a string", NULL,
	    "{\"arguments\":{\"q\":\"\\\"\\\\\\\"/a/b\\\\\\\"\\\"\"}}",
	    "q~r\"\\\"/a/b\\\"\" q~r\\\"/a/b\\ q~r\"/a/b\" q~r/a/b "
	    "q~r/a/b", 0 },
	{ "almost JSON: a key twice", NULL, "{\"arguments\":{\"q\":"
	    "\"{\\\"path\\\":\\\"a\\\",\\\"path\\\":\\\"../BAD\\\"}\"}}",
	    "q=r: q=ra q=r, q=rpath q=r: q=r../BAD", 1 },
	{ "a literal of Python", NULL,
	    "{\"arguments\":{\"q\":\"['/a/b']\"}}", "q~r/a/b", 0 },
	{ "prose in brackets", NULL,
	    "{\"arguments\":{\"q\":\"[see /a/b] {it's}\"}}", "", 0 },
	{ "an escape of a terminal", NULL,
	    "{\"arguments\":{\"q\":\"\\u001b[2J\"}}", "", 0 },
	{ "blanks that servers trim", NULL,
	    "{\"arguments\":{\"q\":\"\\u00a0\\ufeff/a/b\"}}",
	    "q~r\xc2\xa0\xef\xbb\xbf/a/b q~r/a/b", 0 },
	{ "one quote", NULL, "{\"arguments\":{\"q\":\"'/a/b\"}}",
	    "q~r'/a/b q~r/a/b q~r/a/b", 0 },
	{ "strings beside the arguments", NULL, "{\"name\":\"/n/n\","
	    "\"args\":[\"/a/b\"],\"path\":\"c\",\"_meta\":{\"x\":\"/d/e\"},"
	    "\"requestState\":\"/f/g\"}",
	    "args[0]~r/a/b path=rc _meta.x~r/d/e", 0 },
	{ "what the user answered", NULL, "{\"arguments\":{\"path\":\"a\"},"
	    "\"inputResponses\":{\"r\":{\"content\":{\"v\":\"/x/y\"}}}}",
	    "path=ra inputResponses.r.content.v~r/x/y", 0 },
	{ "but not roots, which are cut", NULL, "{\"inputResponses\":{\"r\":{"
	    "\"roots\":[{\"uri\":\"file:///x/y\"}]},\"s\":{\"roots\":\"/a/b\","
	    "\"t\":{\"roots\":[\"/c/d\"]}}}}",
	    "inputResponses.s.roots=r/a/b inputResponses.s.t.roots[0]=r/c/d",
	    0 },

	{ "a format", "{\"inputSchema\":{\"properties\":{\"loc\":{\"format\":"
	    "\"path\"}}}}", "{\"arguments\":{\"loc\":\"a\"}}", "loc=ra", 0 },
	{ "a description", "{\"inputSchema\":{\"properties\":{\"loc\":{"
	    "\"description\":\"The Absolute Path of it\"},\"o\":{"
	    "\"description\":\"some path\"}}}}",
	    "{\"arguments\":{\"loc\":\"a\",\"o\":\"b\"}}", "loc=ra", 0 },
	{ "items", "{\"inputSchema\":{\"properties\":{\"l\":{\"items\":{"
	    "\"format\":\"file-path\"}}}}}",
	    "{\"arguments\":{\"l\":[\"a\"]}}", "l[0]=ra", 0 },
	{ "choices", "{\"inputSchema\":{\"properties\":{\"l\":{\"anyOf\":[{"
	    "\"type\":\"null\"},{\"format\":\"path\"}]}}}}",
	    "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "references", "{\"inputSchema\":{\"$defs\":{\"p\":{\"format\":"
	    "\"path\"}},\"properties\":{\"l\":{\"$ref\":\"#/$defs/p\"}}}}",
	    "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "references in a circle", "{\"inputSchema\":{\"$defs\":{\"p\":{"
	    "\"$ref\":\"#/$defs/p\"}},\"properties\":{\"l\":{\"$ref\":"
	    "\"#/$defs/p\"}}}}", "{\"arguments\":{\"l\":\"a\"}}", "", 0 },
	{ "any other member", "{\"inputSchema\":{\"additionalProperties\":{"
	    "\"format\":\"path\"}}}",
	    "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "undeclared ones", "{\"inputSchema\":{\"properties\":{\"a\":{}},"
	    "\"additionalProperties\":false}}",
	    "{\"arguments\":{\"a\":\"1\",\"b\":\"2\"}}", "b!", 1 },
	{ "items by their place", "{\"inputSchema\":{\"properties\":{\"l\":{"
	    "\"prefixItems\":[{},{\"format\":\"path\"}]}}}}",
	    "{\"arguments\":{\"l\":[\"a\",\"b\"]}}", "l[1]=rb", 0 },
	{ "members by pattern", "{\"inputSchema\":{\"patternProperties\":{\"^x\":{"
	    "\"format\":\"path\"}}}}",
	    "{\"arguments\":{\"xl\":\"a\"}}", "xl=ra", 0 },
	{ "conditions", "{\"inputSchema\":{\"if\":{},\"then\":{\"properties\":{"
	    "\"l\":{\"format\":\"path\"}}},\"else\":{\"properties\":{\"m\":{"
	    "\"format\":\"path\"}}}}}",
	    "{\"arguments\":{\"l\":\"a\",\"m\":\"b\"}}", "l=ra m=rb", 0 },
	{ "dependent schemas", "{\"inputSchema\":{\"dependentSchemas\":{\"k\":{"
	    "\"properties\":{\"l\":{\"format\":\"path\"}}}}}}",
	    "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "a member that two parts describe", "{\"inputSchema\":{\"properties\":{"
	    "\"l\":{\"type\":\"string\"}},\"allOf\":[{\"properties\":{\"l\":{"
	    "\"format\":\"path\"}}}]}}",
	    "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "a reference with escaped slashes", "{\"inputSchema\":{\"$defs\":{\"p\":{"
	    "\"format\":\"path\"}},\"properties\":{\"l\":{\"$ref\":"
	    "\"#\\/$defs\\/p\"}}}}", "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "a reference into a list", "{\"inputSchema\":{\"anyOf\":[{},{\"format\":"
	    "\"path\"}],\"properties\":{\"l\":{\"$ref\":\"#/anyOf/1\"}}}}",
	    "{\"arguments\":{\"l\":\"a\"}}", "l=ra", 0 },
	{ "names in another case", "{\"inputSchema\":{\"properties\":{\"loc\":{"
	    "\"format\":\"path\"}}}}", "{\"arguments\":{\"LOC\":\"a\"}}",
	    "LOC=ra", 0 },
	{ "names of members", "{\"inputSchema\":{\"propertyNames\":{\"format\":"
	    "\"path\"}}}", "{\"arguments\":{\"a\":1}}", "a=ra", 0 },
	{ "lines of a field that is a string", "{\"inputSchema\":{\"properties\":{"
	    "\"c\":{\"type\":\"string\"},\"l\":{\"type\":\"array\"}}}}",
	    "{\"arguments\":{\"c\":\"[\\n\\\"/a/b\\\"]\",\"l\":\"[\\n\\\"/c/d"
	    "\\\"]\",\"u\":\"[\\n\\\"/e/f\\\"]\"}}",
	    "l[0]~r/c/d u[0]~r/e/f", 0 },
	{ "a schema that is none", "{\"inputSchema\":[1]}",
	    "{\"arguments\":{\"path\":\"a\"}}", "path=ra", 0 },

	{ "a tool that writes", "{\"annotations\":{\"readOnlyHint\":false}}",
	    "{\"arguments\":{\"path\":\"a\",\"source\":\"b\",\"q\":\"/c/d\"}}",
	    "path=wa source=rb q~w/c/d", 0 },
	{ "a tool that says nothing of it",
	    "{\"annotations\":{\"destructiveHint\":true}}",
	    "{\"arguments\":{\"path\":\"a\"}}", "path=ra", 0 },

	{ "what is settled", NULL, "{\"arguments\":{\"body\":\"/a/b\","
	    "\"odd\":\"c\",\"edits\":[{\"what\":\"d\"}],\"both\":\"e\","
	    "\"q\":\"/f/g\"}}",
	    "odd=rc edits[0].what=rd both=re q~r/f/g", 0 },
	{ "text and all in it", NULL,
	    "{\"arguments\":{\"body\":{\"path\":[\"/a/b\"],\"/c/d\":1}}}",
	    "", 0 },
};

static const struct {
	const char *line;
	const char *want;
} messages[] = {
	{ "{\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
	    "\"file:///x/y\"}}", "uri~r/x/y" },
	{ "{\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
	    "\"test://x\"}}", "" },
	{ "{\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
	    "\"../../x\"}}", "uri=r../../x" },
	{ "{\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
	    "\"file%3A///x/y\"}}",
	    "uri=r/x/y uri=rfile%3A///x/y uri=rfile:///x/y" },
	{ "{\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"/n/n\","
	    "\"arguments\":{\"path\":\"a\",\"b\":\"/c/d\"}}}",
	    "path=ra b~r/c/d" },
	{ "{\"id\":1,\"method\":\"completion/complete\",\"params\":{"
	    "\"ref\":{\"name\":\"/n/n\"},\"argument\":{\"name\":\"path\","
	    "\"value\":\"a\"},\"context\":{\"arguments\":{\"x\":\"/b/c\"}}}}",
	    "path=ra context.arguments.x~r/b/c" },
	{ "{\"id\":1,\"method\":\"completion/complete\",\"params\":{"
	    "\"ref\":{\"uri\":\"file:///a/b\"},\"argument\":{\"name\":\"q\","
	    "\"value\":\"a\"}}}", "ref.uri~r/a/b" },
	{ "{\"id\":1,\"method\":\"tasks/update\",\"params\":{\"inputResponses\":"
	    "{\"a\":\"/b/c\"}}}", "inputResponses.a~r/b/c" },
	{ "{\"id\":1,\"method\":\"x/own\",\"params\":{\"path\":\"/b/c\"}}", "" },
};
/* clang-format on */

static void
parse(const char *text, struct cdn_arena *arena, struct cdn_json *ret)
{
	if (cdn_json_parse(cdn_str_of(text), NULL, arena, ret, NULL) != 0)
		abort();
}

static int
walk(const char *line, const char *definition, struct notes *notes,
    struct cdn_arena *arena)
{
	const struct cdn_rpc_settings all = { settings, CDN_LEN(settings) };
	const struct cdn_rpc_judge judge = { note, note_undeclared, notes };
	struct cdn_rpc_tool tool = { .name = CDN_STR("t"), .settings = &all };
	struct cdn_rpc_message m;
	struct cdn_json json;

	*notes = (struct notes){ .n = 0 };
	if (definition != NULL) {
		parse(definition, arena, &json);
		tool.json = &json;
	}
	if (cdn_rpc_read(cdn_str_of(line), arena, &m, NULL) != 0 ||
	    m.kind != CDN_RPC_REQUEST)
		return -100;
	return cdn_rpc_walk_message(&m, &tool, &judge, arena, NULL);
}

static void
check_calls(struct cdn_arena *arena)
{
	struct notes notes;
	char line[1024];

	for (size_t i = 0; i < CDN_LEN(calls); i++) {
		int code;

		snprintf(line, sizeof(line), "{\"id\":1,\"method\":"
		    "\"tools/call\",\"params\":%s}", calls[i].params);
		code = walk(line, calls[i].tool, &notes, arena);
		ok_f(code == calls[i].code &&
			strcmp(notes.text, calls[i].want) == 0,
		    "%s: '%s' (%d)", calls[i].what, notes.text, code);
	}
}

static void
check_messages(struct cdn_arena *arena)
{
	struct notes notes;

	for (size_t i = 0; i < CDN_LEN(messages); i++) {
		int code = walk(messages[i].line, NULL, &notes, arena);

		ok_f(code == 0 && strcmp(notes.text, messages[i].want) == 0,
		    "%s: '%s'", messages[i].line, notes.text);
	}
}

/* A label that is too long says so, and nothing is written beyond it. */
static void
check_labels(struct cdn_arena *arena)
{
	struct notes notes;
	char line[1024];
	char name[512];

	memset(name, 'k', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line), "{\"id\":1,\"method\":\"tools/call\","
	    "\"params\":{\"arguments\":{\"%s\":{\"path\":\"a\"},\"cwd\":\"b\"}}}",
	    name);
	ok(walk(line, NULL, &notes, arena) == 0 &&
		strstr(notes.text, "k...=ra cwd=rb") != NULL,
	    "a long label is cut");
}

/* However long a path is: it is asked about. */
static void
check_long(struct cdn_arena *arena)
{
	static const size_t sizes[] = { CDN_PATH_MAX / 2, CDN_PATH_MAX + 1,
		8 * CDN_PATH_MAX };
	static char line[9 * CDN_PATH_MAX];
	struct notes notes;

	for (size_t i = 0; i < CDN_LEN(sizes); i++) {
		int n = snprintf(line, sizeof(line), "{\"id\":1,\"method\":"
		    "\"tools/call\",\"params\":{\"arguments\":{\"path\":\"/");

		memset(line + n, 'x', sizes[i]);
		snprintf(line + (size_t)n + sizes[i], 8, "\"}}}");
		ok_f(walk(line, NULL, &notes, arena) == 0 &&
			memcmp(notes.text, "path=r/xx", 9) == 0,
		    "a path of %zu bytes", sizes[i]);
	}
}

/* Long strings of unknown fields: text is passed over, what holds paths is not. */
static void
check_long_text(struct cdn_arena *arena)
{
	static const struct {
		const char *begin, *want;
	} cases[] = {
		{ "(\\\"/etc/a\\\", '", "q~r/etc/a" },
		{ "[\\\"/etc/a\\\", '", "q~r/etc/a" },
		{ "\\u0028'/etc/a', '", "q~r/etc/a" },
		{ " \\n(\\\"/etc/a\\\", '", "q~r/etc/a" },
		{ "/* \\\"/etc/a\\\" ", "" },
		{ "// \\\"/etc/a\\\" ", "" },
		{ "plain \\\"/etc/a\\\" ", "" },
	};
	static char line[9 * CDN_PATH_MAX];
	struct notes notes;

	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		int n = snprintf(line, sizeof(line), "{\"id\":1,\"method\":"
		    "\"tools/call\",\"params\":{\"arguments\":{\"q\":\"%s",
		    cases[i].begin);

		memset(line + n, 'x', 8UL * CDN_PATH_MAX);
		snprintf(line + (size_t)n + 8UL * CDN_PATH_MAX, 8, "\"}}}");
		ok_f(walk(line, NULL, &notes, arena) == 0 &&
			strcmp(notes.text, cases[i].want) == 0,
		    "a long string: %s", cases[i].begin);
		if (strcmp(notes.text, cases[i].want) != 0)
			printf("# %s\n", notes.text);
	}
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();

	if (arena == NULL)
		return 1;
	check_calls(arena);
	check_messages(arena);
	check_labels(arena);
	check_long(arena);
	check_long_text(arena);
	cdn_arena_free(arena);
	return done_testing();
}
