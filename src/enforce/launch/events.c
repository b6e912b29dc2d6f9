/*
 * events - what a run leaves in the audit between its start and its end.
 */
#include "enforce/launch/record.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/broker/broker.h"
#include "enforce/run/run.h"

/* ----- Denied ------------------------------------------------------------------- */

/* The parent of a process; 0 when it cannot be told.  shepherd: by its name. */
static long
parent_of(long pid, bool *shepherd)
{
	char name[64], stat[512];
	cdn_cleanup_fd int fd = -1;
	const char *rest;
	ssize_t n;

	*shepherd = false;
	snprintf(name, sizeof(name), "/proc/%ld/stat", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	rest = strchr(stat, '(');
	*shepherd = rest != NULL && strncmp(rest, "(" CDN_SHEPHERD_NAME ")",
	    sizeof("(" CDN_SHEPHERD_NAME ")") - 1) == 0;
	rest = strrchr(stat, ')'); /* "(NAME) S PARENT", and a name is anything */
	return rest == NULL || strlen(rest) < 5 ? 0 :
						  strtol(rest + 4, NULL, 10);
}

/* As a JSON array: who asked, who started him, up to the first of the run. */
static void
put_chain(struct cdn_buf *out, long pid)
{
	long us = (long)getpid();
	bool shepherd;
	long next;

	if (pid == 0) { /* seen after the run: no process is known */
		cdn_buf_puts(out, "[]");
		return;
	}
	next = parent_of(pid, &shepherd);
	cdn_buf_printf(out, "[%ld", pid);
	for (int i = 1; i < CDN_AUDIT_CHAIN_MAX; i++) {
		pid = next;
		if (pid <= 1 || pid == us)
			break;
		/* A program may have that name, but not us for a parent. */
		next = parent_of(pid, &shepherd);
		if (shepherd && next == us)
			break;
		cdn_buf_printf(out, ",%ld", pid);
	}
	cdn_buf_puts(out, "]");
}

/* What nobody judged has neither. */
static void
forget_question(struct cdn_event_field fields[CDN_VERDICT_FIELDS])
{
	fields[1] = cdn_field_text("op", NULL);
	fields[2] = cdn_field_text("path", "<unknown>");
}

/* How many it stands for, and of what; how many fields that is. */
static size_t
put_times(const struct cdn_repeat *as, struct cdn_event_field *fields)
{
	if (as->times == 0)
		return 0;
	fields[0] = cdn_field_number("repeats", (int64_t)as->times);
	if (as->alike == CDN_ALIKE_PATH)
		return 1;
	fields[1] = cdn_field_text("alike", as->alike == CDN_ALIKE_RULE ?
		"rule" : "run");
	return 2;
}

static int
put_denial(struct cdn_record *record, const struct cdn_access *d,
    enum cdn_event_kind kind, const struct cdn_repeat *as,
    struct cordon_error *err)
{
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 6];
	size_t n = CDN_VERDICT_FIELDS;
	struct cdn_buf chain;
	int code;

	cdn_buf_init(&chain, 4096);
	put_chain(&chain, d->pid);
	cdn_fields_verdict(&d->verdict, d->path, fields);
	if (kind == CDN_EVENT_CALL_DENIED)
		forget_question(fields);
	fields[n++] = cdn_field_text("call", d->call);
	fields[n++] = cdn_field_number("pid", d->pid);
	fields[n++] = cdn_field_json("pids", (cdn_str){ chain.p, chain.n });
	fields[n++] = cdn_field_number("errno", d->error);
	n += put_times(as, fields + n);
	code = cdn_buf_failed(&chain) ? cdn_err_nomem(err) :
	    cdn_record_put(record, kind, fields, n, err);
	cdn_buf_done(&chain);
	return code;
}

/* A question without a path was none. */
static enum cdn_event_kind
kind_of(const struct cdn_access *d, bool is_socket)
{
	return d->path.n == 0 ? CDN_EVENT_CALL_DENIED :
				cdn_event_of_verdict(&d->verdict, is_socket);
}

int
cdn_record_denied(struct cdn_record *record, const struct cdn_denial *denial,
    struct cordon_error *err)
{
	const struct cdn_access d = { .verdict = *denial->verdict,
		.call = denial->call, .pid = denial->pid,
		.error = denial->error, .path = denial->question->path };
	struct cdn_repeat as = { 0, CDN_ALIKE_PATH };

	if (record == NULL || (record->repeats != NULL &&
		!cdn_repeats_is_told(record->repeats, &d, &as)))
		return 0;
	return put_denial(record, &d, kind_of(&d, denial->question->is_socket),
	    &as, err);
}

/* What is left of denials that were told before. */
static int
put_repeats(struct cdn_record *record, struct cordon_error *err)
{
	struct cdn_access d;
	struct cdn_repeat as;
	int code = 0;

	while (code == 0 && cdn_repeats_next(record->repeats, &d, &as)) {
		/* An endpoint does not begin as the path of a socket does. */
		bool is_path = d.path.n > 0 && d.path.p[0] == '/';

		code = put_denial(record, &d, kind_of(&d, is_path), &as, err);
	}
	return code;
}

/* ----- Allowed ------------------------------------------------------------------ */

int
cdn_record_watch(struct cdn_record *record,
    void (*failed)(const struct cordon_error *why, void *arg), void *arg,
    struct cordon_error *err)
{
	struct cdn_journal_spec spec = { .failed = failed, .failed_arg = arg };
	int code;

	if (record == NULL)
		return 0;
	spec.sink = record->sink;
	spec.run = record->run;
	code = cdn_repeats_new(&record->repeats, err);
	return code != 0 ? code :
			   cdn_journal_new(&spec, &record->journal, err);
}

void
cdn_record_allowed(struct cdn_record *record,
    const struct cdn_allowance *allowance)
{
	const struct cdn_access access = { .verdict = *allowance->verdict,
		.call = allowance->call, .pid = allowance->pid,
		.error = allowance->error, .path = allowance->path };

	if (record != NULL && record->journal != NULL)
		cdn_journal_add(record->journal, &access);
}

void
cdn_record_settle(struct cdn_record *record, struct cdn_journal_sum *ret)
{
	struct cordon_error why = { 0 };

	cdn_journal_close(record == NULL ? NULL : record->journal, ret);
	if (record == NULL)
		return;
	record->journal = NULL;
	if (record->repeats == NULL || put_repeats(record, &why) == 0)
		return;
	if (!ret->failed)
		ret->error = why;
	ret->failed = true;
}

/* ----- The end ------------------------------------------------------------------ */

int
cdn_record_end(struct cdn_record *record,
    const struct cordon_run_result *result, unsigned long lost,
    const struct cdn_journal_sum *sum, struct cordon_error *err)
{
	const struct cdn_repeats *repeats = record == NULL ? NULL :
	    record->repeats;
	const struct cdn_event_field fields[] = {
		cdn_field_bool("success", result->success),
		result->has_exit_code ?
		    cdn_field_number("exit_code", result->exit_code) :
		    cdn_field_text("exit_code", NULL),
		cdn_field_number("signal", result->signal),
		cdn_field_bool("timed_out", result->timed_out),
		cdn_field_number("duration_ms", (int64_t)result->duration_ms),
		cdn_field_number("denials", (int64_t)result->denials),
		cdn_field_number("grouped",
		    (int64_t)cdn_repeats_grouped(repeats)),
		cdn_field_number("lost", (int64_t)lost),
		cdn_field_number("allowed", (int64_t)sum->allowed),
		cdn_field_number("unrecorded", (int64_t)sum->unrecorded),
	};

	if (record == NULL)
		return 0;
	return cdn_record_put(record, CDN_EVENT_RUN_END, fields, CDN_LEN(fields), err);
}
