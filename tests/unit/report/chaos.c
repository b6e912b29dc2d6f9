/* Memory runs out at every place it can. */
#include "enforce/report/gather.h"

#include "enforce/audit/verify.h"
#include "enforce/report/page.h"
#include "logs.h"
#include "support/chaos.h"

/* With a sanitizer libc's own allocations fail, too: qsort() does without. */
#ifdef __SANITIZE_ADDRESS__
#define SORTS CHAOS_ABSORBS
#else
#define SORTS 0
#endif

static int
run_gather(void *arg)
{
	const struct cdn_gather_options all = { .moments = true };
	struct cdn_gathered *g = NULL;
	int r = cdn_gather(arg, &all, &g, NULL);

	if (r != 0)
		return g == NULL ? r : 1;
	cdn_gathered_free(g);
	return 0;
}

static int
run_verify(void *arg)
{
	struct cordon_audit_verified v;

	return cdn_verify(arg, true, NULL, &v, NULL);
}

static int
run_page(void *arg)
{
	const struct cdn_page_options options = { .look = true };
	struct cdn_buf out;
	int r;

	cdn_buf_init(&out, 1UL << 22);
	r = cdn_page_make(arg, &options, &out, NULL);
	cdn_buf_done(&out);
	return r;
}

/* Through the door: opened, read, exported. */
static int
run_read(void *arg)
{
	struct cordon_audit_event event;
	struct cordon_audit *audit = NULL;
	char *text = NULL;
	int r = cordon_audit_open(arg, &audit, NULL);

	if (r != 0)
		return audit == NULL ? r : 1;
	while ((r = cordon_audit_next(audit, &event, NULL)) == 1) {
		r = cordon_audit_otel(audit, &text, NULL);
		if (r != 0)
			break;
		free(text);
	}
	cordon_audit_free(audit);
	return r;
}

int
main(void)
{
	char file[PATH_MAX * 2];
	int before;

	tmp_begin();
	before = tmp_open_fds();
	snprintf(file, sizeof(file), "%s", tmp_path("log"));
	tmp_dir("ws");
	tmp_file("ws/package.json", "{}");
	make_log(file, tmp_path("ws"));
	chaos_run("gather", run_gather, file, 0);
	chaos_run("verify", run_verify, file, 0);
	chaos_run("page", run_page, file, SORTS);
	chaos_run("read", run_read, file, 0);
	ok(tmp_open_fds() == before, "no descriptor is left");
	tmp_end();
	return done_testing();
}
