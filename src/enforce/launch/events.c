/*
 * events - what a run leaves in the audit between its start and its end.
 */
#include "enforce/launch/record.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/broker/broker.h"

/* ----- Denied ------------------------------------------------------------------- */

/* The parent of a process; 0 when it cannot be told. */
static long
parent_of(long pid)
{
	char name[64], stat[512];
	cdn_cleanup_fd int fd = -1;
	const char *rest;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%ld/stat", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	rest = strrchr(stat, ')'); /* "(NAME) S PARENT", and a name is anything */
	return rest == NULL || strlen(rest) < 5 ? 0 :
						  strtol(rest + 4, NULL, 10);
}

/* As a JSON array: who asked, who started him, up to the first of the run. */
static void
put_chain(struct cdn_buf *out, long pid)
{
	long us = (long)getpid();

	cdn_buf_printf(out, "[%ld", pid);
	for (int i = 1; i < CDN_AUDIT_CHAIN_MAX; i++) {
		pid = parent_of(pid);
		if (pid <= 1 || pid == us)
			break;
		cdn_buf_printf(out, ",%ld", pid);
	}
	cdn_buf_puts(out, "]");
}

int
cdn_record_denied(struct cdn_record *record, const struct cdn_denial *denial,
    struct cordon_error *err)
{
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 4];
	struct cdn_buf chain;
	int code;

	if (record == NULL)
		return 0;
	cdn_buf_init(&chain, 4096);
	put_chain(&chain, denial->pid);
	cdn_fields_verdict(denial->verdict, denial->question->path, fields);
	fields[CDN_VERDICT_FIELDS] = cdn_field_text("call", denial->call);
	fields[CDN_VERDICT_FIELDS + 1] = cdn_field_number("pid", denial->pid);
	fields[CDN_VERDICT_FIELDS + 2] = cdn_field_json("pids",
	    (cdn_str){ chain.p, chain.n });
	fields[CDN_VERDICT_FIELDS + 3] = cdn_field_number("errno",
	    denial->error);
	code = cdn_buf_failed(&chain) ? cdn_err_nomem(err) :
	    cdn_record_put(record, cdn_event_of_verdict(denial->verdict,
		denial->question->is_socket), fields, CDN_LEN(fields), err);
	cdn_buf_done(&chain);
	return code;
}

/* ----- Allowed ------------------------------------------------------------------ */

int
cdn_record_watch(struct cdn_record *record,
    void (*failed)(const struct cordon_error *why, void *arg), void *arg,
    struct cordon_error *err)
{
	struct cdn_journal_spec spec = { .failed = failed, .failed_arg = arg };

	if (record == NULL)
		return 0;
	spec.sink = record->sink;
	spec.run = record->run;
	return cdn_journal_new(&spec, &record->journal, err);
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
	cdn_journal_close(record == NULL ? NULL : record->journal, ret);
	if (record != NULL)
		record->journal = NULL;
}

/* ----- The end ------------------------------------------------------------------ */

int
cdn_record_end(struct cdn_record *record,
    const struct cordon_run_result *result, unsigned long lost,
    const struct cdn_journal_sum *sum, struct cordon_error *err)
{
	const struct cdn_event_field fields[] = {
		cdn_field_bool("success", result->success),
		result->has_exit_code ?
		    cdn_field_number("exit_code", result->exit_code) :
		    cdn_field_text("exit_code", NULL),
		cdn_field_number("signal", result->signal),
		cdn_field_bool("timed_out", result->timed_out),
		cdn_field_number("duration_ms", (int64_t)result->duration_ms),
		cdn_field_number("denials", (int64_t)result->denials),
		cdn_field_number("lost", (int64_t)lost),
		cdn_field_number("allowed", (int64_t)sum->allowed),
		cdn_field_number("unrecorded", (int64_t)sum->unrecorded),
	};

	if (record == NULL)
		return 0;
	return cdn_record_put(record, CDN_EVENT_RUN_END, fields, CDN_LEN(fields), err);
}
