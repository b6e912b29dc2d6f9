#include "enforce/report/otel.h"

#include "enforce/report/story.h"

#define INFO 9 /* SeverityNumber */
#define WARN 13

static const struct {
	const char *ours, *theirs;
} names[] = {
	{ "path", "file.path" },
	{ "pid", "process.pid" },
	{ "argv", "process.command_args" },
	{ "exit_code", "process.exit.code" },
	{ "workspace", "process.working_directory" },
	{ "message", "exception.message" },
};

/* Of the event, not of the record, or told elsewhere in it. */
static const char *const frame[] = { "schema", "prev", "time", "kind" };

static void
put_name(struct cdn_json_writer *w, struct cdn_arena *arena, cdn_str ours,
    bool network)
{
	char *name;

	for (size_t i = 0; i < CDN_LEN(names); i++)
		if (cdn_str_is(ours, names[i].ours) &&
		    !(network && cdn_str_is(ours, "path"))) {
			cdn_json_put_cstring(w, names[i].theirs);
			return;
		}
	if (network && cdn_str_is(ours, "path")) {
		cdn_json_put_cstring(w, "server.address");
		return;
	}
	name = cdn_arena_join(arena, CDN_STR("cordon."), ours);
	cdn_json_put_cstring(w, name == NULL ? "cordon" : name);
}

static void put_any(struct cdn_json_writer *w, const struct cdn_json *json,
    const struct cdn_json_node *node);

static void
put_array(struct cdn_json_writer *w, const struct cdn_json *json,
    const struct cdn_json_node *node)
{
	cdn_json_put_key(w, "arrayValue");
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "values");
	cdn_json_open(w, '[');
	for (node = cdn_json_first(json, node); node != NULL;
	     node = cdn_json_next(json, node))
		put_any(w, json, node);
	cdn_json_close(w);
	cdn_json_close(w);
}

/* 64-bit integers are texts in this form; an object goes as its text. */
static void
put_any(struct cdn_json_writer *w, const struct cdn_json *json,
    const struct cdn_json_node *node)
{
	cdn_str raw = cdn_json_raw(json, node);
	int64_t number;

	cdn_json_open(w, '{');
	if (node->type == CDN_JSON_STRING) {
		cdn_json_put_key(w, "stringValue");
		cdn_json_put_raw(w, raw);
	} else if (node->type == CDN_JSON_BOOL) {
		cdn_json_put_key(w, "boolValue");
		cdn_json_put_raw(w, raw);
	} else if (cdn_json_int(json, node, &number)) {
		cdn_json_put_key(w, "intValue");
		cdn_json_put_string(w, raw);
	} else if (node->type == CDN_JSON_ARRAY && w->depth < CDN_DEPTH_MAX) {
		put_array(w, json, node);
	} else if (node->type != CDN_JSON_NULL) {
		cdn_json_put_key(w, "stringValue");
		cdn_json_put_string(w, raw);
	}
	cdn_json_close(w);
}

static bool
is_frame(cdn_str key)
{
	for (size_t i = 0; i < CDN_LEN(frame); i++)
		if (cdn_str_is(key, frame[i]))
			return true;
	return false;
}

static bool
put_attributes(struct cdn_json_writer *w, const struct cdn_entry *entry,
    struct cdn_arena *arena)
{
	const struct cdn_json *json = &entry->json;
	const struct cdn_json_node *node = cdn_json_first(json, json->nodes);
	bool network = cdn_str_is(entry->kind, "net.denied");

	cdn_json_put_key(w, "attributes");
	cdn_json_open(w, '[');
	for (; node != NULL; node = cdn_json_next(json, node)) {
		cdn_str key;

		if (!cdn_json_key(json, node, arena, &key))
			return false;
		if (is_frame(key) || node->type == CDN_JSON_NULL)
			continue;
		cdn_json_open(w, '{');
		cdn_json_put_key(w, "key");
		put_name(w, arena, key, network);
		cdn_json_put_key(w, "value");
		put_any(w, json, node);
		cdn_json_close(w);
	}
	cdn_json_close(w);
	return true;
}

static void
put_text(struct cdn_json_writer *w, const char *key, cdn_str text)
{
	cdn_json_put_key(w, key);
	cdn_json_put_string(w, text);
}

static bool
put_record(struct cdn_json_writer *w, const struct cdn_entry *entry,
    struct cdn_arena *arena)
{
	bool denial = cdn_story_is_denial(entry), good;
	struct cdn_buf text;
	int64_t ns = 0;
	char time[32];

	cdn_buf_init(&text, 4UL * CDN_AUDIT_LINE_MAX);
	cdn_story_put(entry, arena, &text);
	(void)!cdn_entry_time(entry->time, &ns);
	snprintf(time, sizeof(time), "%lld", (long long)ns);
	cdn_json_open(w, '{');
	put_text(w, "timeUnixNano", cdn_str_of(time));
	cdn_json_put_key(w, "severityNumber");
	cdn_json_put_int(w, denial ? WARN : INFO);
	put_text(w, "severityText", cdn_str_of(denial ? "WARN" : "INFO"));
	put_text(w, "eventName", entry->kind);
	cdn_json_put_key(w, "body");
	cdn_json_open(w, '{');
	put_text(w, "stringValue", (cdn_str){ text.p, text.n });
	cdn_json_close(w);
	good = put_attributes(w, entry, arena) && !cdn_buf_failed(&text);
	cdn_json_close(w);
	cdn_buf_done(&text);
	return good;
}

static void
put_service(struct cdn_json_writer *w)
{
	cdn_json_put_key(w, "resource");
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "attributes");
	cdn_json_put_raw(w, CDN_STR("[{\"key\":\"service.name\","
	    "\"value\":{\"stringValue\":\"cordon\"}}]"));
	cdn_json_close(w);
}

int
cdn_otel_format(const struct cdn_entry *entry, struct cdn_arena *arena,
    struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_json_writer w;
	bool good;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "resourceLogs");
	cdn_json_open(&w, '[');
	cdn_json_open(&w, '{');
	put_service(&w);
	cdn_json_put_key(&w, "scopeLogs");
	cdn_json_open(&w, '[');
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "scope");
	cdn_json_open(&w, '{');
	put_text(&w, "name", CDN_STR("cordon.audit"));
	cdn_json_close(&w);
	cdn_json_put_key(&w, "logRecords");
	cdn_json_open(&w, '[');
	good = put_record(&w, entry, arena);
	if (!good)
		return cdn_err_nomem(err);
	for (int i = 0; i < 6; i++) /* records, scope, its list, ... */
		cdn_json_close(&w);
	return cdn_json_end(&w) ? 0 : cdn_err_nomem(err);
}
