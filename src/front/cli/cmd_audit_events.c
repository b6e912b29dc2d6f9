/*
 * The audit event by event: show, grep, tail, export.
 */
#include "front/cli/audit.h"

#include <unistd.h>

#define TAIL_LINES 10
#define POLL_NS	   200000000L

/* Which events, and how each is printed. */
struct events {
	const char *log;
	char *run;	  /* owned; NULL: of all */
	const char *kind; /* or its beginning; NULL: all */
	const char *text; /* that it must hold; NULL: any */
	bool lines;	  /* as they are */
	bool otel;
	bool alone;	  /* of one run: its id need not be told */
	bool brief;	  /* allowed accesses, which are many, are counted */
	unsigned long results; /* so many */
	struct cordon_audit *audit;
	unsigned long printed, no_events;
};

/* ----- Choosing ------------------------------------------------------------ */

/* "fs" chooses "fs.call.denied", but not "fsx". */
static bool
is_kind(const char *kind, const char *wanted)
{
	size_t n = strlen(wanted);

	return strncmp(kind, wanted, n) == 0 &&
	    (kind[n] == '\0' || kind[n] == '.');
}

static bool
is_wanted(const struct events *e, const struct cordon_audit_event *event)
{
	return event->is_event &&
	    (e->run == NULL || strcmp(event->run, e->run) == 0) &&
	    (e->kind == NULL || is_kind(event->kind, e->kind)) &&
	    (e->text == NULL || cordon_audit_holds(e->audit, e->text,
		strlen(e->text)));
}

static bool
is_result(const struct cordon_audit_event *event)
{
	return strcmp(event->kind, "fs.call.result") == 0;
}

/* ----- Printing ------------------------------------------------------------ */

static void
put_text(const struct events *e, const struct cordon_audit_event *event)
{
	bool denial = strstr(event->kind, "denied") != NULL;

	cli_put_safe(stdout, cdn_str_of(event->time));
	if (!e->alone) {
		fputs("  ", stdout);
		cli_put_safe(stdout, cdn_str_of(event->run));
	}
	fputs("  ", stdout);
	if (denial)
		cli_put_coloured(stdout, CLI_RED, "* ");
	else
		fputs("  ", stdout);
	cli_put_safe(stdout, cdn_str_of(event->story));
	putchar('\n');
}

/* A line of a log is JSON, which has no bytes that could drive a terminal... */
static void
put_line(const struct cordon_audit_event *event)
{
	/* ... but for DEL and C1, which JSON lets through. */
	if (isatty(STDOUT_FILENO) == 1)
		cli_put_safe(stdout, (cdn_str){ event->line, event->len });
	else
		fwrite(event->line, 1, event->len, stdout);
	putchar('\n');
}

static bool
put_otel(const struct events *e)
{
	struct cordon_error err = { 0 };
	cdn_cleanup_free char *text = NULL;

	if (cordon_audit_otel(e->audit, &text, &err) != 0) {
		cli_failure(NULL, &err);
		return false;
	}
	puts(text);
	return true;
}

static bool
put_event(struct events *e, const struct cordon_audit_event *event)
{
	if (e->brief && is_result(event)) {
		e->results++;
		return true;
	}
	e->printed++;
	if (e->otel)
		return put_otel(e);
	if (e->lines)
		put_line(event);
	else
		put_text(e, event);
	return true;
}

static void
tell_no_event(struct events *e, const struct cordon_audit_event *event)
{
	if (e->no_events++ == 0)
		cli_error("%s:%llu: this line is no event ('cordon audit "
			  "verify' says more)", event->file, event->number);
}

/* ----- Reading ------------------------------------------------------------- */

static bool
events_open(struct events *e, const struct cli_args *args, size_t log,
    const char *beginning)
{
	struct cordon_error err = { 0 };

	e->log = cli_audit_log(args, log);
	e->kind = cli_value(args, CLI_ONLY_KIND);
	e->lines = cli_has(args, CLI_JSON);
	if (beginning == NULL)
		beginning = cli_value(args, CLI_ONLY_RUN);
	if (beginning != NULL) {
		e->run = cli_audit_run(e->log, beginning);
		if (e->run == NULL)
			return false;
	}
	if (cordon_audit_open(e->log, &e->audit, &err) == 0)
		return true;
	cli_failure(NULL, &err);
	free(e->run);
	return false;
}

static void
events_close(struct events *e)
{
	cordon_audit_free(e->audit);
	free(e->run);
}

/* All that there is, past the first `skip` of those wanted. */
static int
print_all(struct events *e, unsigned long skip)
{
	struct cordon_audit_event event;
	struct cordon_error err = { 0 };
	int more = 0;

	while (!cli_output_broken() &&
	    (more = cordon_audit_next(e->audit, &event, &err)) == 1) {
		if (!event.is_event)
			tell_no_event(e, &event);
		else if (!is_wanted(e, &event))
			continue;
		else if (skip > 0)
			skip--;
		else if (!put_event(e, &event))
			return CLI_INVALID;
	}
	if (more < 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	return CLI_YES;
}

/* ----- show ---------------------------------------------------------------- */

static void
put_count(const struct cordon_audit_count *count, void *arg)
{
	bool *any = arg;

	if (!*any)
		puts(count->rule != NULL ? "\ndenied, by rule:" :
					   "\ndenied, by path:");
	*any = true;
	printf("  %6lu  ", count->count);
	cli_put_safe(stdout, cdn_str_of(count->op));
	putchar(' ');
	cli_put_safe(stdout, cdn_str_of(count->rule != NULL ? count->rule :
							      count->path));
	if (count->rule != NULL && count->source != NULL) {
		fputs("  (", stdout);
		cli_put_safe(stdout, cdn_str_of(count->source));
		if (count->line > 0)
			printf(":%u", count->line);
		putchar(')');
	}
	putchar('\n');
}

static int
show_counts(const struct events *e, enum cordon_audit_by by)
{
	struct cordon_error err = { 0 };
	bool any = false;

	if (cordon_audit_denials(e->log, e->run, by, put_count, &any, &err) == 0)
		return CLI_YES;
	cli_failure(NULL, &err);
	return CLI_INVALID;
}

struct header {
	const char *run;
};

static void
put_header(const struct cordon_audit_run *run, void *arg)
{
	const struct header *header = arg;
	cdn_cleanup_free char *outcome = NULL;

	if (strcmp(run->run, header->run) != 0)
		return;
	outcome = cli_audit_outcome(run);
	printf("run       %s, %s\n", run->run, outcome);
	fputs("command   ", stdout);
	cli_put_safe(stdout, cdn_str_of(run->command));
	fputs("\nworkspace ", stdout);
	cli_put_safe(stdout, cdn_str_of(run->workspace));
	fputs("\nprofile   ", stdout);
	cli_put_safe(stdout, cdn_str_of(run->profile));
	printf("\nenforced  %s\n", run->enforced ? "all of it" :
	    run->refused != NULL ? "it was not started" : "not all of it");
	if (run->lost > 0)
		printf("lost      %lu denials could not be recorded\n",
		    run->lost);
	if (run->allowed > 0)
		printf("allowed   %lu accesses, as far as cordon was asked\n",
		    run->allowed);
	if (run->unrecorded > 0)
		printf("          %lu of them found no room in the record\n",
		    run->unrecorded);
	putchar('\n');
}

static int
show(struct events *e)
{
	struct header header = { e->run };
	struct cordon_error err = { 0 };
	int status;

	if (!e->lines &&
	    cordon_audit_runs(e->log, put_header, &header, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	e->brief = e->kind == NULL && !e->lines;
	status = print_all(e, 0);
	if (status == CLI_YES && e->results > 0)
		printf("\n%lu different accesses were allowed: "
		       "--kind fs.call.result shows them\n", e->results);
	if (status == CLI_YES && !e->lines)
		status = show_counts(e, CORDON_AUDIT_BY_RULE);
	if (status == CLI_YES && !e->lines)
		status = show_counts(e, CORDON_AUDIT_BY_PATH);
	return status;
}

int
cli_audit_show(const struct cli_args *args)
{
	struct events e = { .alone = true };
	int status;

	if (!events_open(&e, args, 1, args->operands.v[0]))
		return CLI_INVALID;
	status = show(&e);
	events_close(&e);
	return status;
}

/* ----- grep ---------------------------------------------------------------- */

int
cli_audit_grep(const struct cli_args *args)
{
	struct events e = { .text = args->operands.v[0] };
	int status;

	if (!events_open(&e, args, 1, NULL))
		return CLI_INVALID;
	status = print_all(&e, 0);
	events_close(&e);
	return status == CLI_YES && e.printed == 0 ? CLI_FOUND : status;
}

/* ----- tail ---------------------------------------------------------------- */

static unsigned long
count_wanted(const struct events *e)
{
	struct events all = *e;
	struct cordon_audit_event event;
	unsigned long n = 0;

	if (cordon_audit_open(e->log, &all.audit, NULL) != 0)
		return 0;
	while (cordon_audit_next(all.audit, &event, NULL) == 1)
		n += is_wanted(&all, &event);
	cordon_audit_free(all.audit);
	return n;
}

static int
follow(struct events *e)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	int status = CLI_YES;

	while (status == CLI_YES) {
		cli_output_flush();
		if (cli_output_broken())
			break; /* nobody reads any more */
		(void)nanosleep(&pause, NULL);
		status = print_all(e, 0);
	}
	return status;
}

int
cli_audit_tail(const struct cli_args *args)
{
	struct events e = { 0 };
	unsigned long n;
	int status;

	if (!events_open(&e, args, 0, NULL))
		return CLI_INVALID;
	n = count_wanted(&e);
	status = print_all(&e, n > TAIL_LINES ? n - TAIL_LINES : 0);
	if (status == CLI_YES && cli_has(args, CLI_FOLLOW))
		status = follow(&e);
	events_close(&e);
	return status;
}

/* ----- export -------------------------------------------------------------- */

int
cli_audit_export(const struct cli_args *args)
{
	const struct cli_option_row *row = cli_option_row(CLI_LOG_FORMAT);
	struct events e = { 0 };
	int format, status;

	if (!cli_word(args, CLI_LOG_FORMAT, row->words, 0, &format) ||
	    !events_open(&e, args, 0, NULL))
		return CLI_INVALID;
	e.lines = true;
	e.otel = format == 1;
	status = print_all(&e, 0);
	if (cordon_audit_unfinished(e.audit) > 0)
		cli_note("the last line is not complete: its writer was "
			 "killed, or is about to go on");
	events_close(&e);
	return status == CLI_YES && e.no_events > 0 ? CLI_FOUND : status;
}
