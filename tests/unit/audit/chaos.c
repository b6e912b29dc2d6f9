/* Memory runs out at every place it can. */
#include "enforce/audit/audit.h"

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

int
main(void)
{
	char file[PATH_MAX * 2];
	int before;

	tmp_begin();
	before = tmp_open_fds();
	snprintf(file, sizeof(file), "%s", tmp_path("audit.jsonl"));
	chaos_run("open, write, close", run_audit, file, 0);
	ok(tmp_open_fds() == before, "no descriptor is left");
	tmp_end();
	return done_testing();
}
