/* Memory runs out at every place it can. */
#include "enforce/audit/journal.h"

#include "support/chaos.h"
#include "support/tmpdir.h"

static int
run_audit(void *arg)
{
	const char *const list[] = { "text", NULL };
	const struct cdn_event_field fields[] = {
		{ .name = "s", .type = CDN_FIELD_STRINGS, .strings = list },
	};
	const struct cdn_event event = { CDN_EVENT_RUN_END, "r", fields, 1 };
	struct cdn_sink *sink = NULL;
	int r = cdn_audit_open(arg, &sink, NULL);

	if (r != 0)
		return sink == NULL ? r : 1;
	r = cdn_audit_write(sink, &event, NULL);
	cdn_audit_close(sink);
	return r;
}

static int
drain(struct cdn_sink *sink, const struct cdn_event *event,
    struct cordon_error *err)
{
	(void)sink;
	(void)event;
	(void)err;
	return 0;
}

static int
run_journal(void *arg)
{
	static const struct cdn_sink_ops ops = { .write = drain };
	struct cdn_sink sink = { &ops };
	struct cdn_journal_spec spec = { .sink = &sink, .run = "r" };
	struct cdn_access access = { .verdict = { .matched_rule = "**" },
		.call = "open" };
	struct cdn_journal *journal = NULL;
	struct cdn_journal_sum sum;
	char path[16];
	int r = cdn_journal_new(&spec, &journal, NULL);

	(void)arg;
	if (r != 0)
		return journal == NULL ? r : 1;
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		access.path = cdn_str_of(path);
		cdn_journal_add(journal, &access);
	}
	cdn_journal_close(journal, &sum);
	return sum.allowed == 300 && sum.unrecorded == 0 ? 0 : 1;
}

int
main(void)
{
	char file[PATH_MAX * 2];
	int before;

	tmp_begin();
	before = tmp_open_fds();
	snprintf(file, sizeof(file), "%s", tmp_path("audit.jsonl"));
	chaos_run("open, write, close", run_audit, file, 0);
	chaos_run("what was allowed", run_journal, NULL, CHAOS_ABSORBS);
	ok(tmp_open_fds() == before, "no descriptor is left");
	tmp_end();
	return done_testing();
}
