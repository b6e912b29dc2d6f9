/* One event, one line: names, types, hostile bytes, and what is too long. */
#include "audits.h"

#include "enforce/audit/line.h"

static const char *file;

static json_t *
written(const struct cdn_event_field *fields, size_t n)
{
	const struct cdn_event event = { CDN_EVENT_RUN_START, "run-7", fields,
		n };
	struct cordon_error err = { 0 };
	struct cdn_sink *sink;
	json_t *object = NULL;

	if (ok(cdn_audit_open(file, &sink, &err) == 0, "open")) {
		ok_f(cdn_audit_write(sink, &event, &err) == 0, "write %s",
		    err.text);
		cdn_audit_close(sink);
	}
	long count = judge(file);
	ok(count > 0, "the chain holds");
	object = line_json(file, (unsigned)count);
	ok(object != NULL, "the line is JSON");
	return object;
}

static const char *
text_of(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text == NULL ? "(none)" : text;
}

static void
test_types(void)
{
	const char *const list[] = { "a b", "", NULL };
	const struct cdn_event_field fields[] = {
		TEXT("t", "x"),
		{ .name = "n", .type = CDN_FIELD_NUMBER, .number = INT64_MIN },
		{ .name = "b", .type = CDN_FIELD_BOOL, .boolean = true },
		{ .name = "z", .type = CDN_FIELD_NULL },
		{ .name = "j", .type = CDN_FIELD_JSON,
		    .text = CDN_STR("{\"a\":[1,2]}") },
		{ .name = "s", .type = CDN_FIELD_STRINGS, .strings = list },
	};
	json_t *o = written(fields, CDN_LEN(fields));
	json_t *s = json_object_get(o, "s");

	ok(strcmp(text_of(o, "kind"), "run.start") == 0, "kind");
	ok(strcmp(text_of(o, "run"), "run-7") == 0, "run");
	ok(strcmp(text_of(o, "t"), "x") == 0, "a text");
	ok(json_integer_value(json_object_get(o, "n")) == INT64_MIN,
	    "the smallest number");
	ok(json_is_true(json_object_get(o, "b")), "a bool");
	ok(json_is_null(json_object_get(o, "z")), "null");
	ok(json_array_size(json_object_get(json_object_get(o, "j"), "a")) == 2,
	    "JSON as it is");
	ok(json_array_size(s) == 2 && strcmp(json_string_value(
		json_array_get(s, 0)), "a b") == 0, "a list");
	ok(json_object_get(o, "cut") == NULL, "nothing was cut");
	json_decref(o);
}

static void
test_kinds(void)
{
	static const char *const names[] = { "run.start", "run.end",
		"run.refused", "run.left", "sandbox.fallback", "fs.call.request",
		"fs.call.result", "fs.call.denied", "net.denied",
		"exec.denied", "call.denied", "tool.call", "grant.requested",
		"grant.approved", "grant.denied", "grant.expired", "mcp.call",
		"tool_allowlist.harness_delegated", "audit.torn",
		"audit.adopted" };

	ok(CDN_LEN(names) == CDN_EVENT_KIND_MAX, "every kind has a name");
	for (size_t i = 0; i < CDN_LEN(names); i++)
		ok(strcmp(cdn_event_kind_name((enum cdn_event_kind)i),
		    names[i]) == 0, names[i]);
}

static void
test_hostile(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *want; /* NULL: jansson will not have it */
	} cases[] = {
		{ "a\nb", 3, "a\nb" },
		{ "\"},{\"seq\":9", 11, "\"},{\"seq\":9" },
		{ "\\u0000", 6, "\\u0000" },
		{ "\x1b[31m\x7f", 6, "\x1b[31m\x7f" },
		{ "\xff\xfe", 2, "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "a\xc3", 2, "a\xef\xbf\xbd" },
		{ "\xed\xa0\x80", 3,
		    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x80\xa8", 3, "\xe2\x80\xa8" },
		{ "", 0, "" },
	};

	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		const struct cdn_event_field field = { .name = "path",
			.type = CDN_FIELD_TEXT,
			.text = { cases[i].bytes, cases[i].n } };
		json_t *o = written(&field, 1);

		ok_f(strcmp(text_of(o, "path"), cases[i].want) == 0,
		    "hostile bytes %zu", i);
		json_decref(o);
	}
}

static void
test_long(void)
{
	static char text[300000], control[300000];
	struct cdn_event_field fields[2] = {
		{ .name = "a", .type = CDN_FIELD_TEXT,
		    .text = { text, sizeof(text) } },
		TEXT("after", "here"),
	};
	json_t *o;

	for (size_t i = 0; i + 2 <= sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	memset(control, 1, sizeof(control));
	o = written(fields, 2);
	ok(json_is_true(json_object_get(o, "cut")), "a long text is cut");
	ok(strncmp(text_of(o, "a"), "\xc3\xa4\xc3\xa4", 4) == 0 &&
	    strstr(text_of(o, "a"), "\xa4[+") != NULL &&
	    strstr(text_of(o, "a"), " bytes]") != NULL,
	    "between two characters, and says how much is missing");
	ok(strcmp(text_of(o, "after"), "here") == 0, "what follows is there");
	json_decref(o);

	fields[0].text = (cdn_str){ text, 40000 };
	o = written(fields, 2);
	ok(json_object_get(o, "cut") == NULL &&
	    strlen(text_of(o, "a")) == 40000, "one that fits is not cut");
	json_decref(o);

	fields[0].text = (cdn_str){ control, sizeof(control) };
	o = written(fields, 2);
	ok(json_is_true(json_object_get(o, "cut")) &&
	    strncmp(text_of(o, "a"), "\1\1\1\1", 4) == 0, "escapes count");
	json_decref(o);
}

static void
test_long_parts(void)
{
	static const char *list[100001];
	static char word[] = "w", json[200000];
	const struct cdn_event_field fields[] = {
		{ .name = "argv", .type = CDN_FIELD_STRINGS, .strings = list },
		{ .name = "report", .type = CDN_FIELD_JSON,
		    .text = { json, sizeof(json) } },
		TEXT("after", "here"),
	};
	json_t *o, *argv;
	size_t n;

	for (size_t i = 0; i < 100000; i++)
		list[i] = word;
	memset(json, '1', sizeof(json));
	o = written(fields, CDN_LEN(fields));
	argv = json_object_get(o, "argv");
	n = json_array_size(argv);
	ok(n > 1 && strstr(json_string_value(json_array_get(argv, n - 1)),
	    " more]") != NULL, "a list says how many are missing");
	ok(strcmp(text_of(o, "report"), "[200000 bytes]") == 0,
	    "JSON that is too long is not cut in two");
	ok(strcmp(text_of(o, "after"), "here") == 0, "what follows is there");
	json_decref(o);
}

/* The worst of everything, as often as it may be. */
static void
test_worst(void)
{
	static char name[CDN_AUDIT_FIELDS_MAX][16], bytes[70000];
	static const char *list[64];
	struct cdn_event_field fields[CDN_AUDIT_FIELDS_MAX + 1];
	struct cdn_event event = { CDN_EVENT_RUN_END, bytes, fields,
		CDN_AUDIT_FIELDS_MAX + 1 };
	struct cordon_error err;
	struct cdn_sink *sink;
	json_t *o;

	memset(bytes, 2, sizeof(bytes) - 1);
	for (size_t i = 0; i < CDN_LEN(list) - 1; i++)
		list[i] = bytes;
	for (size_t i = 0; i < CDN_AUDIT_FIELDS_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "field%zu", i);
		fields[i] = (struct cdn_event_field){ .name = name[i],
			.type = CDN_FIELD_STRINGS, .strings = list };
	}
	o = written(fields, CDN_AUDIT_FIELDS_MAX);
	ok(json_object_size(o) == CDN_AUDIT_FIELDS_MAX + 7,
	    "64 lists of long texts fit");
	json_decref(o);

	ok(cdn_audit_open(file, &sink, NULL) == 0, "open");
	ok(cdn_audit_write(sink, &event, &err) == CORDON_E_INVALID,
	    "65 fields are refused");
	event.field_count = 1;
	fields[0] = (struct cdn_event_field){ .name = "j",
		.type = CDN_FIELD_JSON, .text = CDN_STR("{\n}") };
	ok(cdn_audit_write(sink, &event, &err) == CORDON_E_INVALID,
	    "JSON on two lines is refused");
	fields[0].text = CDN_STR("{}");
	ok(cdn_audit_write(sink, &event, &err) == 0, "on one line it is not");
	o = line_json(file, (unsigned)judge(file));
	ok(strncmp(text_of(o, "run"), "\2\2\2", 3) == 0 &&
	    json_is_true(json_object_get(o, "cut")), "a long run id is cut");
	json_decref(o);
	cdn_audit_close(sink);
	cdn_audit_close(NULL);
}

/* Does a line of that second say what libc says? */
static bool
is_time(struct cdn_buf *buf, time_t second)
{
	const struct cdn_event event = { CDN_EVENT_RUN_START, "r", NULL, 0 };
	const struct timespec now = { second, 987654321 };
	struct cdn_link link = { .seq = 1 };
	char want[64];
	struct tm tm;

	tmp_need(gmtime_r(&second, &tm) != NULL, "gmtime_r", "second");
	strftime(want, sizeof(want), "\"%Y-%m-%dT%H:%M:%S.987Z\"", &tm);
	cdn_buf_reset(buf);
	if (cdn_line_format(&event, &link, &now, buf, NULL) == 0 &&
	    memmem(buf->p, buf->n, want, strlen(want)) != NULL)
		return true;
	printf("# %lld: %s in %.*s", (long long)second, want, (int)buf->n,
	    buf->p);
	return false;
}

/* Every day from 1970 to 2400, its times in turn. */
static void
test_times(void)
{
	const time_t day = 86400, last = 157054;
	struct cdn_buf buf;
	bool good = true;

	cdn_buf_init(&buf, CDN_AUDIT_LINE_MAX);
	for (time_t i = 0; good && i < last; i++)
		good = is_time(&buf, i * day + (i % 3 == 0 ? 0 :
		    i % 3 == 1 ? day - 1 : i * 7919 % day));
	ok(good, "the time, as libc has it");
	cdn_buf_done(&buf);
}

int
main(void)
{
	int before;

	tmp_begin();
	file = tmp_path("a/b/audit.jsonl");
	file = strdup(file);
	tmp_need(file != NULL, "memory", "file");
	before = tmp_open_fds();
	test_types();
	test_kinds();
	test_hostile();
	test_long();
	test_long_parts();
	test_worst();
	test_times();
	ok(tmp_open_fds() == before, "no descriptor is left");
	tmp_end();
	free((void *)(uintptr_t)file);
	return done_testing();
}
