/*
 * A conversation through the relay, and the pins that come of it; then again
 * with every allocation failing once: whatever fails, nothing that was not
 * judged reaches the server.
 */
#include "enforce/guard/relay.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "enforce/guard/pins.h"
#include "enforce/store/store.h"
#include "support/chaos.h"
#include "unit/session/made.h"

static char state[CDN_PATH_MAX + 1];
static struct cordon_session *session;
static const char *const argv[] = { "node", "s.js", NULL };
static const struct cdn_pins_server server = { "/w", "/usr/bin/node", argv };

/* ----- One conversation ---------------------------------------------------------- */

struct line {
	bool client; /* who says it */
	const char *text;
};

#define TOOLS                                                               \
	"{\"tools\":[{\"name\":\"r\",\"description\":\"d\",\"inputSchema\":" \
	"{\"properties\":{\"where\":{\"format\":\"path\"}}}},"              \
	"{\"name\":\"bad name\"}]}"

#define MODERN                                                        \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":"             \
	"{\"elicitation\":{}}"

/* clang-format off */
static const struct line talk[] = {
	{ true,  "{\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":"
		 "{\"elicitation\":{}}}}" },
	{ false, "{\"id\":1,\"result\":{}}" },
	{ true,  "{\"id\":\"l\\u0069st\",\"method\":\"tools/list\"}" },
	{ false, "{\"id\":\"list\",\"result\":" TOOLS "}" },
	{ true,  "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"r\","
		 "\"arguments\":{\"where\":\"inside\",\"q\":[\"a\",{\"b\":1}]}}}" },
	{ true,  "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"r\","
		 "\"arguments\":{\"path\":\"../FORBIDDEN\"}}}" },
	{ true,  "{\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"x\","
		 "\"arguments\":{\"q\":[\"\\u002fetc/FORBIDDEN\"]}}}" },
	{ true,  "{\"id\":5,\"id\":6,\"method\":\"tools/call\",\"x\":\"FORBIDDEN\"}" },
	{ true,  "{\"method\":\"tools/call\",\"params\":{\"name\":\"FORBIDDEN\"}}" },
	{ false, "{\"id\":7,\"method\":\"roots/list\"}" },
	{ true,  "{\"id\":7,\"result\":{\"roots\":[{\"uri\":\"file:///FORBIDDEN\"}]}}" },
	{ true,  "{\"id\":8,\"result\":{\"x\":\"FORBIDDEN\"}}" },
	{ false, "{\"id\":2,\"result\":{\"content\":[]}}" },
	/* A tool that changed: somebody is asked, in both ways, and says no more. */
	{ true,  "{\"id\":9,\"method\":\"tools/list\"}" },
	{ false, "{\"id\":9,\"result\":{\"tools\":[{\"name\":\"r\",\"description\":"
		 "\"other\"}]}}" },
	{ true,  "{\"id\":\"h\\u0065ld\",\"method\":\"tools/call\",\"params\":{\"name\":"
		 "\"r\",\"arguments\":{\"q\":\"ASKED\"}}}" },
	{ true,  "{\"id\":10,\"method\":\"tools/call\",\"params\":{\"name\":\"r\","
		 "\"arguments\":{\"q\":\"ASKED\"},\"_meta\":{" MODERN "}}}" },
	{ true,  "{\"id\":11,\"method\":\"tools/call\",\"params\":{\"name\":\"r\","
		 "\"arguments\":{\"q\":\"ASKED\"},\"requestState\":\"cordon-0\","
		 "\"_meta\":{" MODERN "}}}" },
	{ true,  "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
		 "\"held\"}}" },
};
/* clang-format on */

static int
record(const struct cdn_relay_event *event, void *arg, struct cordon_error *err)
{
	(void)event;
	(void)arg;
	(void)err;
	return 0;
}

static bool
save(void *arg)
{
	(void)arg;
	return true;
}

static void
note(const char *text, void *arg)
{
	(void)text;
	(void)arg;
}

static int
say(struct cdn_relay *relay, const struct line *line)
{
	char text[1024];
	int n = snprintf(text, sizeof(text), "%s\n", line->text);
	cdn_str whole = { text, (size_t)n };

	return line->client ? cdn_relay_from_client(relay, whole, false, NULL) :
			      cdn_relay_from_server(relay, whole, false, NULL);
}

struct both {
	int client; /* what each was told */
	int server;
};

static int
converse(struct cdn_relay *relay, struct cdn_arena *arena)
{
	int code = cdn_guard_judge_init(&relay->judge, session, arena, NULL);

	for (size_t i = 0; code == 0 && i < CDN_LEN(talk); i++)
		code = say(relay, &talk[i]);
	return code;
}

static bool
holds(int fd, const char *text)
{
	char all[16384];
	ssize_t n = pread(fd, all, sizeof(all) - 1, 0);

	all[n < 0 ? 0 : n] = '\0';
	return strstr(all, text) != NULL;
}

static int
one_talk(void *arg)
{
	const struct both *both = arg;
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_outlet to_client, to_server;
	struct cdn_relay relay = { .to_client = &to_client,
		.to_server = &to_server, .record = record, .save = save,
		.note = note, .forget = "forget" };
	int code;

	if (arena == NULL)
		return CORDON_E_NOMEM;
	if (ftruncate(both->client, 0) != 0 || ftruncate(both->server, 0) != 0 ||
	    lseek(both->client, 0, SEEK_SET) != 0 ||
	    lseek(both->server, 0, SEEK_SET) != 0)
		return 1;
	cdn_outlet_init(&to_client, fcntl(both->client, F_DUPFD_CLOEXEC, 3));
	cdn_outlet_init(&to_server, fcntl(both->server, F_DUPFD_CLOEXEC, 3));
	code = converse(&relay, arena);
	cdn_outlet_done(&to_client);
	cdn_outlet_done(&to_server);
	cdn_relay_done(&relay);
	cdn_arena_free(arena);
	return holds(both->server, "FORBIDDEN") ? 1 : code;
}

static void
test_talk(struct both *both)
{
	ok(one_talk(both) == 0, "a conversation");
	ok(holds(both->server, "\"inside\"") &&
	    holds(both->server, "{\"roots\":[]}"), "what is allowed arrives");
	ok(holds(both->client, "isError") && holds(both->client, "\"id\":3") &&
	    holds(both->client, "\"id\":4") &&
	    !holds(both->client, "bad name"), "what is not is answered");
	ok(holds(both->client, "elicitation/create") &&
	    holds(both->client, "input_required") &&
	    holds(both->client, "notifications/cancelled") &&
	    holds(both->client, "forget") && !holds(both->server, "ASKED"),
	    "somebody is asked, if he can be");
	/* A request that finds no room among those in flight is answered. */
	chaos_run("a conversation", one_talk, both, CHAOS_ABSORBS);
}

/* ----- Answers that come too late ----------------------------------------------- */

#define CALL \
	"\"method\":\"tools/call\",\"params\":{\"name\":\"r\",\"arguments\":" \
	"{\"q\":\"LATE\"}"

/* A call that needs approval, and the yes to it; did the server see it? */
static bool
is_made(const struct both *both, bool modern, bool late, bool silent)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_outlet to_client, to_server;
	struct cdn_relay relay = { .to_client = &to_client,
		.to_server = &to_server, .record = record, .save = save,
		.note = note, .forget = "forget" };
	const struct line *lists[] = { &talk[0], &talk[1], &talk[2], &talk[3],
		&talk[13], &talk[14] };
	char yes[1024];

	need(arena != NULL && ftruncate(both->server, 0) == 0 &&
	    lseek(both->server, 0, SEEK_SET) == 0 &&
	    cdn_guard_judge_init(&relay.judge, session, arena, NULL) == 0,
	    "a place to listen");
	cdn_outlet_init(&to_client, fcntl(both->client, F_DUPFD_CLOEXEC, 3));
	cdn_outlet_init(&to_server, fcntl(both->server, F_DUPFD_CLOEXEC, 3));
	for (size_t i = 0; i < CDN_LEN(lists); i++)
		need(say(&relay, lists[i]) == 0, "a tool that changed");
	need(say(&relay, &(struct line){ true, modern ?
		"{\"id\":20," CALL ",\"_meta\":{" MODERN "}}}" :
		"{\"id\":20," CALL "}}" }) == 0 && relay.asks.n == 1,
	    "a question");
	if (late)
		relay.asks.v[0].expires_ms = 1;
	if (silent)
		need(cdn_relay_late(&relay, NULL) == 0, "silence");
	else if (modern)
		snprintf(yes, sizeof(yes), "{\"id\":21," CALL
		    ",\"requestState\":\"%s\",\"inputResponses\":{\"cordon/"
		    "approval\":{\"action\":\"accept\"}},\"_meta\":{" MODERN
		    "}}}", relay.asks.v[0].token);
	else
		snprintf(yes, sizeof(yes), "{\"id\":\"%s\",\"result\":"
		    "{\"action\":\"accept\"}}", relay.asks.v[0].token);
	need((silent || say(&relay, &(struct line){ true, yes }) == 0) &&
	    relay.asks.n == (silent && !late), "an answer");
	cdn_outlet_done(&to_client);
	cdn_outlet_done(&to_server);
	cdn_relay_done(&relay);
	cdn_arena_free(arena);
	return holds(both->server, "LATE");
}

static void
test_minute(void)
{
	struct cdn_asks asks = { .n = 0 };
	struct cdn_rpc_message call;
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_ask ask;
	unsigned asked = 0;

	need(arena != NULL && cdn_rpc_read(CDN_STR("{\"id\":20," CALL "}}"),
	    arena, &call, NULL) == 0, "a call");
	/* Each is answered at once: only their number stands against more. */
	while (asked < 1000 && cdn_asks_add(&asks, &call, "", CDN_STR("x")) !=
		NULL && cdn_asks_take_call(&asks, &call.id, &ask)) {
		cdn_ask_done(&ask);
		asked++;
	}
	ok_f(asked >= CDN_APPROVALS_MAX && asked < 1000,
	    "%u questions in a minute", asked);
	asks.minute_ms -= 60000;
	ok(cdn_asks_add(&asks, &call, "", CDN_STR("x")) != NULL,
	    "and then again");
	cdn_asks_done(&asks);
	cdn_arena_free(arena);
}

static void
test_expired(const struct both *both)
{
	for (int modern = 0; modern < 2; modern++) {
		ok_f(is_made(both, modern, false, false), "%s: approved in time",
		    modern ? "newer" : "older");
		ok_f(!is_made(both, modern, true, false), "%s: approved too late",
		    modern ? "newer" : "older");
	}
	need(ftruncate(both->client, 0) == 0 &&
	    lseek(both->client, 0, SEEK_SET) == 0, "a place to listen");
	ok(!is_made(both, false, false, true) &&
	    !holds(both->client, "not approved"), "silence is heard out");
	ok(!is_made(both, false, true, true) &&
	    holds(both->client, "\"id\":20,\"result\"") &&
	    holds(both->client, "not approved") &&
	    holds(both->client, "notifications/cancelled"),
	    "after a while it is a no");
}

/* ----- Pins ----------------------------------------------------------------------- */

static int
add(struct cdn_catalog *catalog, const char *text, const char *name)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_json json;
	int code = arena == NULL ? CORDON_E_NOMEM :
	    cdn_json_parse(cdn_str_of(text), NULL, arena, &json, NULL);

	if (code == 0)
		code = cdn_catalog_add(catalog, &json, &json.nodes[0],
		    cdn_str_of(name), NULL);
	cdn_arena_free(arena);
	return code;
}

/* Saves one tool for somebody who knows nothing of the other. */
static int
save_one(const char *text, const char *name)
{
	struct cdn_catalog catalog = { .n = 0 };
	int code = add(&catalog, text, name);
	bool merged;

	if (code == 0)
		code = cdn_pins_save(state, "0123456789abcdef", &server, &catalog,
		    &merged, NULL);
	cdn_catalog_done(&catalog);
	return code;
}

static int
load_count(size_t *ret, const char **ret_stopped)
{
	struct cdn_catalog catalog = { .n = 0 };
	int code = cdn_pins_load(state, "0123456789abcdef", &catalog, NULL);

	*ret = catalog.n;
	if (ret_stopped != NULL && catalog.n > 0)
		*ret_stopped = catalog.v[0]->stopped;
	cdn_catalog_done(&catalog);
	return code;
}

#define ONE  "{\"name\":\"one\",\"description\":\"1\"}"
#define LIKE "{\"name\":\"one\",\"description\":\"2\"}"
#define TWO  "{\"name\":\"two\",\"description\":\"2\"}"

static int
pins(void *arg)
{
	int code = save_one(ONE, "one");
	size_t n = 0;

	(void)arg;
	if (code == 0)
		code = save_one(TWO, "two");
	if (code == 0)
		code = load_count(&n, NULL);
	return code == 0 && n != 2 ? 1 : code;
}

/* Who comes later with another description keeps the first, and is stopped. */
static void
test_merge(void)
{
	struct cdn_catalog catalog = { .n = 0 };
	const struct cdn_catalog_tool *tool;
	bool merged = false;

	ok(pins(NULL) == 0, "two save, and both are kept");
	ok(add(&catalog, LIKE, "one") == 0 && cdn_pins_save(state,
	    "0123456789abcdef", &server, &catalog, &merged, NULL) == 0 &&
	    merged && catalog.n == 2, "who saves hears of the others");
	tool = cdn_catalog_find(&catalog, CDN_STR("one"));
	ok(tool != NULL && tool->stopped != NULL &&
	    cdn_str_is(tool->json.text, ONE), "the first description stays");
	tool = cdn_catalog_find(&catalog, CDN_STR("two"));
	ok(tool != NULL && tool->stopped == NULL, "the other tool is usable");
	cdn_catalog_done(&catalog);
	/* A word that cannot be looked at is kept as redacted. */
	chaos_run("pins", pins, NULL, CHAOS_ABSORBS);
}

static void
collect(const struct cordon_mcp_pin *pin, void *arg)
{
	struct cdn_buf *told = arg;

	cdn_buf_puts(told, pin->command);
	cdn_buf_puts(told, "\n");
}

/* Of all pins, NUL at the end. */
static void
list_commands(struct cdn_buf *told)
{
	cdn_buf_init(told, 4096);
	if (cdn_pins_list(state, collect, told, NULL) != 0)
		told->failed = true;
	cdn_buf_putc(told, '\0');
}

static bool
file_holds(const char *file, const char *text)
{
	struct cdn_buf kept;
	bool holds = cdn_store_read(file, 4096, false, &kept, NULL) == 0 &&
	    memmem(kept.p, kept.n, text, strlen(text)) != NULL;

	cdn_buf_done(&kept);
	return holds;
}

static void
test_secret_words(void)
{
	static const char *const words[] = { "node", "server.js", "--token",
		"hunter2", "--api-key=hunter3", "--port", "8080", NULL };
	static const char old[] = "{\"schema\":2,\"workspace\":\"/w\","
	    "\"program\":\"/x\",\"command\":[\"x\",\"--password\","
	    "\"hunter4\",\"--fast\"],\"tools\":[]}\n";
	struct cdn_pins_server with = server;
	struct cdn_catalog catalog = { .n = 0 };
	char file[CDN_PATH_MAX + 1];
	struct cdn_buf told;
	bool merged;

	with.argv = words;
	ok(add(&catalog, ONE, "one") == 0 && cdn_pins_save(state,
	    "fedcba9876543210", &with, &catalog, &merged, NULL) == 0,
	    "pins of a command with secrets");
	cdn_catalog_done(&catalog);
	snprintf(file, sizeof(file), "%s/mcp/fedcba9876543210.json", state);
	ok(file_holds(file, "8080") && file_holds(file, "server.js") &&
	    !file_holds(file, "hunter"), "are kept without them");
	snprintf(file, sizeof(file), "%s/mcp/aaaabbbbccccdddd.json", state);
	ok(cdn_store_write(file, cdn_str_of(old), 0600, NULL) == 0 &&
	    file_holds(file, "hunter4"), "a file that has one, from before");
	list_commands(&told);
	ok(!cdn_buf_failed(&told) && strstr(told.p,
		"node server.js --token [REDACTED]") != NULL &&
	    strstr(told.p, "--port 8080\n") != NULL &&
	    strstr(told.p, "x --password [REDACTED] --fast\n") != NULL &&
	    strstr(told.p, "hunter") == NULL, "none is listed");
	cdn_buf_done(&told);
	unlink(file);
	snprintf(file, sizeof(file), "%s/mcp/fedcba9876543210.json", state);
	unlink(file);
}

/* ----- A list that another guard saw before, otherwise ---------------------------- */

struct late {
	struct cdn_relay relay;
	const char *keeps; /* the state that it saves to */
	char told[1024];
};

static bool
late_save(void *arg)
{
	struct late *late = arg;
	bool merged;

	if (cdn_pins_save(late->keeps, "0123456789abcdef", &server,
	    &late->relay.catalog, &merged, NULL) == 0)
		late->relay.catalog.grown = false;
	return merged;
}

static void
late_note(const char *text, void *arg)
{
	struct late *late = arg;
	size_t n = strlen(late->told);

	snprintf(late->told + n, sizeof(late->told) - n, "%s\n", text);
}

/* Asks for the list twice; late->told is what people read. */
static int
late_talk(struct late *late, const struct both *both, const char *tools)
{
	char text[512];
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_outlet to_client, to_server;
	struct cdn_relay *relay = &late->relay;
	int code;

	*relay = (struct cdn_relay){ .to_client = &to_client,
		.to_server = &to_server, .record = record, .save = late_save,
		.note = late_note, .forget = "forget", .arg = late };
	late->told[0] = '\0';
	need(ftruncate(both->client, 0) == 0 && arena != NULL &&
	    lseek(both->client, 0, SEEK_SET) == 0, "a place to listen");
	cdn_outlet_init(&to_client, fcntl(both->client, F_DUPFD_CLOEXEC, 3));
	cdn_outlet_init(&to_server, fcntl(both->server, F_DUPFD_CLOEXEC, 3));
	code = cdn_guard_judge_init(&relay->judge, session, arena, NULL);
	for (int i = 1; code == 0 && i <= 2; i++) {
		snprintf(text, sizeof(text),
		    "{\"id\":%d,\"method\":\"tools/list\"}", i);
		code = say(relay, &(struct line){ true, text });
		snprintf(text, sizeof(text), "{\"id\":%d,\"result\":"
		    "{\"tools\":[%s]}}", i, tools);
		if (code == 0)
			code = say(relay, &(struct line){ false, text });
	}
	cdn_outlet_done(&to_client);
	cdn_outlet_done(&to_server);
	cdn_relay_done(relay);
	cdn_arena_free(arena);
	return code;
}

#define ODD "{\"name\":\"o d d\"}"

static bool
times(const char *text, const char *what, int want)
{
	for (text = strstr(text, what); text != NULL;
	     text = strstr(text + 1, what))
		want--;
	return want == 0;
}

static void
test_late(const struct both *both)
{
	struct late late = { .keeps = state };
	char file[CDN_PATH_MAX + 32];
	int fd;

	ok(save_one(ONE, "one") == 0 && late_talk(&late, both, ONE "," TWO) == 0 &&
	    holds(both->client, ONE "," TWO) && late.told[0] == '\0',
	    "what another guard saw alike is shown");
	ok(late_talk(&late, both, TWO "," LIKE "," ODD) == 0 &&
	    holds(both->client, "{\"tools\":[" TWO "]}") &&
	    !holds(both->client, LIKE) && !holds(both->client, "\"one\""),
	    "what it saw otherwise is not, the first time");
	ok(times(late.told, "description was \"1\", is \"2\"", 1) &&
	    times(late.told, "o d d", 2), "and it is told, once");
	snprintf(file, sizeof(file), "%s/mcp/0123456789abcdef.json", state);
	fd = open(file, O_WRONLY | O_TRUNC);
	need(fd >= 0 && close(fd) == 0, "a damaged file");
	ok(late_talk(&late, both, TWO) == 0 && !holds(both->client, TWO) &&
	    holds(both->client, "cannot compare") &&
	    holds(both->client, "\"id\":2"), "nor what cannot be compared");
	need(unlink(file) == 0, "no file");
	ok(late_talk(&late, both, TWO) == 0 && holds(both->client, TWO),
	    "without it, it is");
}

int
main(void)
{
	struct both both = { memfd_create("c", 0), memfd_create("s", 0) };

	made_begin();
	tmp_dir("state");
	snprintf(state, sizeof(state), "%s", tmp_path("state"));
	need(both.client >= 0 && both.server >= 0 && chdir(tmp_path("w")) == 0,
	    "a place");
	session = made_session((struct cordon_session_options){ 0 });
	test_talk(&both);
	test_expired(&both);
	test_minute();
	test_merge();
	test_secret_words();
	test_late(&both);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
