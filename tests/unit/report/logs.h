/*
 * logs - small logs to be reported on.
 */
#ifndef CDN_TESTS_LOGS_H
#define CDN_TESTS_LOGS_H

#include "enforce/audit/audit.h"

#include "support/tap.h"
#include "support/tmpdir.h"

static inline void
put_event(struct cdn_sink *sink, enum cdn_event_kind kind, const char *run,
    const struct cdn_event_field *fields, size_t n)
{
	const struct cdn_event event = { kind, run, fields, n };

	tmp_need(cdn_audit_write(sink, &event, NULL) == 0, "write", run);
}

static inline void
put_start(struct cdn_sink *sink, const char *run, const char *workspace,
    const char *const *argv)
{
	const struct cdn_event_field fields[] = {
		cdn_field_strings("argv", argv),
		cdn_field_text("profile", "dev"),
		cdn_field_text("workspace", workspace),
		cdn_field_json("grants", CDN_STR("[{\"option\":\"--allow\","
		    "\"value\":\"nested-git\"}]")),
		cdn_field_bool("enforced", true),
		cdn_field_json("report", CDN_STR("{\"unrecorded\":{\"read\":"
		    "[\"/usr\"],\"modify\":[\"/home/own\"]}}")),
	};

	put_event(sink, CDN_EVENT_RUN_START, run, fields, CDN_LEN(fields));
}

static inline void
put_verdict(struct cdn_sink *sink, const char *run, bool allowed,
    const char *path, const char *rule, unsigned line)
{
	struct cordon_verdict verdict = { .allowed = allowed,
		.operation = CORDON_MODIFY, .profile = "dev",
		.layer = CORDON_LAYER_POLICY, .matched_rule = rule,
		.source = "p.yaml", .line = line, .column = 3 };
	struct cdn_event_field fields[CDN_VERDICT_FIELDS];

	cdn_fields_verdict(&verdict, cdn_str_of(path), fields);
	put_event(sink, allowed ? CDN_EVENT_FS_RESULT : CDN_EVENT_FS_DENIED,
	    run, fields, CDN_LEN(fields));
}

/* As the broker has them. */
static inline void
put_result(struct cdn_sink *sink, const char *run, enum cordon_op op,
    const char *path, const char *call, int64_t error)
{
	struct cordon_verdict verdict = { .allowed = true, .operation = op,
		.profile = "dev", .layer = CORDON_LAYER_POLICY,
		.matched_rule = "**", .source = "p.yaml", .line = 1 };
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 2];

	cdn_fields_verdict(&verdict, cdn_str_of(path), fields);
	fields[CDN_VERDICT_FIELDS] = cdn_field_text("call", call);
	fields[CDN_VERDICT_FIELDS + 1] = error < 0 ?
	    cdn_field_text("errno", NULL) : cdn_field_number("errno", error);
	put_event(sink, CDN_EVENT_FS_RESULT, run, fields, CDN_LEN(fields));
}

static inline void
put_end(struct cdn_sink *sink, const char *run, int64_t code, int64_t lost)
{
	const struct cdn_event_field fields[] = {
		cdn_field_number("exit_code", code),
		cdn_field_number("signal", 0),
		cdn_field_bool("timed_out", false),
		cdn_field_number("duration_ms", 1234),
		cdn_field_number("denials", 3),
		cdn_field_number("lost", lost),
		cdn_field_number("allowed", 40),
		cdn_field_number("unrecorded", 5),
	};

	put_event(sink, CDN_EVENT_RUN_END, run, fields, CDN_LEN(fields));
}

/* Two runs, one of which has three denials and no end. */
static inline void
make_log(const char *file, const char *workspace)
{
	static const char *const argv[] = { "make", "it's <b>", NULL };
	struct cdn_sink *sink = NULL;

	tmp_need(cdn_audit_open(file, &sink, NULL) == 0, "open", file);
	put_start(sink, "aaaa1111", workspace, argv);
	put_verdict(sink, "aaaa1111", false, "/w/one", "!a/**", 7);
	put_start(sink, "aaaa2222", workspace, argv);
	put_verdict(sink, "aaaa1111", false, "/w/two", "!a/**", 7);
	put_verdict(sink, "aaaa1111", false, "/w/two", "!b/**", 8);
	put_verdict(sink, "aaaa2222", true, "/w/three", "**", 9);
	put_result(sink, "aaaa2222", CORDON_MODIFY, "/w/three", "rename", 0);
	put_result(sink, "aaaa2222", CORDON_MODIFY, "/w/not", "mkdir", 17);
	put_result(sink, "aaaa2222", CORDON_READ, "/w/four", "openat", 0);
	put_result(sink, "aaaa2222", CORDON_EXEC, "/bin/sh", "execve", -1);
	put_end(sink, "aaaa2222", 3, 2);
	cdn_audit_close(sink);
}

#endif
