/*
 * The audit as a whole: list, verify, show.
 */
#include "front/cli/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const char *
cli_audit_log(const struct cli_args *args, size_t operand)
{
	return args->operands.n > operand ? args->operands.v[operand] : NULL;
}

char *
cli_audit_run(const char *log, const char *beginning)
{
	struct cordon_error err = { 0 };
	char *run = NULL;

	if (cordon_audit_find(log, beginning, &run, &err) == 0)
		return run;
	cli_failure(NULL, &err);
	return NULL;
}

/* ----- list ---------------------------------------------------------------- */

char *
cli_audit_outcome(const struct cordon_audit_run *run)
{
	if (run->refused != NULL)
		return cli_printf("refused");
	if (run->end[0] == '\0')
		return cli_printf(run->itself ? "itself" : "no end");
	if (run->timed_out)
		return cli_printf("timeout");
	if (run->signal > 0)
		return cli_printf("signal %lld", run->signal);
	return cli_printf("exit %lld", run->exit_code);
}

static void
list_text(const struct cordon_audit_run *run)
{
	cdn_cleanup_free char *outcome = cli_audit_outcome(run);
	bool good = run->refused == NULL && run->exit_code == 0 &&
	    run->signal == 0 && !run->timed_out;

	cli_put_safe(stdout, cdn_str_of(run->run));
	fputs("  ", stdout);
	cli_put_safe(stdout, cdn_str_of(run->start[0] != '\0' ? run->start :
								"?"));
	fputs("  ", stdout);
	cli_put_coloured(stdout, good ? CLI_PLAIN : CLI_YELLOW, outcome);
	printf("%*s", (int)(strlen(outcome) < 9 ? 9 - strlen(outcome) : 0), "");
	printf("  %5lu denied  ", run->denials + run->lost);
	cli_put_safe(stdout, cdn_str_of(run->command));
	putchar('\n');
}

static void
put_bool(struct cli_json *json, const char *key, bool value)
{
	cdn_json_put_key(&json->w, key);
	cdn_json_put_bool(&json->w, value);
}

static void
put_int(struct cli_json *json, const char *key, long long value)
{
	cdn_json_put_key(&json->w, key);
	cdn_json_put_int(&json->w, value);
}

static const char *
or_null(const char *text)
{
	return text[0] == '\0' ? NULL : text;
}

static void
list_json(const struct cordon_audit_run *run)
{
	bool ended = run->end[0] != '\0' && run->refused == NULL;
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_member(&json, "run", run->run);
	cli_json_member(&json, "start", or_null(run->start));
	cli_json_member(&json, "end", or_null(run->end));
	cli_json_member(&json, "command", run->command);
	cli_json_member(&json, "workspace", or_null(run->workspace));
	cli_json_member(&json, "profile", or_null(run->profile));
	cli_json_member(&json, "refused", run->refused);
	put_bool(&json, "enforced", run->enforced);
	if (ended && run->has_exit_code)
		put_int(&json, "exit_code", run->exit_code);
	else
		cli_json_member(&json, "exit_code", NULL);
	put_int(&json, "signal", run->signal);
	put_bool(&json, "timed_out", run->timed_out);
	put_int(&json, "duration_ms", run->duration_ms);
	put_int(&json, "denials", (long long)run->denials);
	put_int(&json, "lost", (long long)run->lost);
	put_int(&json, "allowed", (long long)run->allowed);
	put_int(&json, "unrecorded", (long long)run->unrecorded);
	cli_json_end(&json);
}

static void
list_run(const struct cordon_audit_run *run, void *arg)
{
	const struct cli_args *args = arg;

	if (cli_has(args, CLI_JSON))
		list_json(run);
	else
		list_text(run);
}

/* The library only reads through it. */
static void *
as_arg(const struct cli_args *args)
{
	union {
		const struct cli_args *from;
		void *to;
	} u = { args };

	return u.to;
}

/* A user who never ran anything has no log yet: that is no failure. */
static bool
is_no_log(int code, const char *log, const struct cordon_error *err)
{
	if (code != CORDON_E_NOT_FOUND || log != NULL)
		return false;
	cli_note("%s: nothing was recorded yet", err->text);
	return true;
}

int
cli_audit_list(const struct cli_args *args)
{
	const char *log = cli_audit_log(args, 0);
	struct cordon_error err = { 0 };
	int code = cordon_audit_runs(log, list_run, as_arg(args), &err);

	if (code == 0 || is_no_log(code, log, &err))
		return CLI_YES;
	cli_failure(NULL, &err);
	return CLI_INVALID;
}

/* ----- verify -------------------------------------------------------------- */

static void
verified_text(const struct cordon_audit_verified *v)
{
	cli_put_coloured(stdout, v->intact ? CLI_GREEN : CLI_RED,
	    v->intact ? "intact" : "NOT intact");
	printf(": %llu line%s", v->lines, v->lines == 1 ? "" : "s");
	if (v->lines > 0)
		printf(" (%llu to %llu)", v->first, v->last);
	printf(" in %lu file%s", v->files, v->files == 1 ? "" : "s");
	if (!v->has_head)
		fputs(", no head: checked from the inside only", stdout);
	if (!v->intact)
		printf(", %lu finding%s", v->findings,
		    v->findings == 1 ? "" : "s");
	putchar('\n');
}

static void
verified_json(const struct cordon_audit_verified *v)
{
	struct cli_json json;

	cli_json_begin(&json);
	put_bool(&json, "intact", v->intact);
	put_bool(&json, "has_head", v->has_head);
	put_int(&json, "findings", (long long)v->findings);
	put_int(&json, "files", (long long)v->files);
	put_int(&json, "lines", (long long)v->lines);
	put_int(&json, "first", (long long)v->first);
	put_int(&json, "last", (long long)v->last);
	cli_json_end(&json);
}

int
cli_audit_verify(const struct cli_args *args)
{
	const char *log = cli_audit_log(args, 0);
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_audit_verified v;
	struct cordon_error err = { 0 };
	int code = cordon_audit_verify(log, diags, &v, &err);
	int status = CLI_INVALID;

	if (code != 0) {
		if (is_no_log(code, log, &err))
			status = CLI_YES;
		else
			cli_failure(NULL, &err);
	} else {
		if (cli_has(args, CLI_JSON)) {
			cli_diags_json(diags);
			verified_json(&v);
		} else {
			(void)cli_diags(stdout, diags);
			verified_text(&v);
		}
		status = v.intact ? CLI_YES : CLI_FOUND;
	}
	cordon_diags_free(diags);
	return status;
}

/* ----- report -------------------------------------------------------------- */

/*
 * Beside its name and then renamed: whoever opens the file never sees half of
 * it, and what a link leads to is not overwritten.
 */
static bool
write_file(const char *name, const char *text)
{
	cdn_cleanup_free char *temporary = cli_printf("%s.XXXXXX", name);
	size_t n = strlen(text);
	int fd = mkostemp(temporary, O_CLOEXEC);
	bool good;

	if (fd < 0) {
		cli_error("cannot write '%s': %s", name, strerrordesc_np(errno));
		return false;
	}
	good = true;
	while (good && n > 0) {
		ssize_t done = write(fd, text, n);

		good = done > 0;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	good = good && close(fd) == 0 && rename(temporary, name) == 0;
	if (!good) {
		cli_error("cannot write '%s': %s", name, strerrordesc_np(errno));
		(void)unlink(temporary);
	}
	return good;
}

int
cli_audit_report(const struct cli_args *args)
{
	const char *log = cli_audit_log(args, 0);
	const char *only = cli_value(args, CLI_ONLY_RUN);
	const char *output = cli_value(args, CLI_OUTPUT);
	cdn_cleanup_free char *run = NULL, *html = NULL;
	struct cordon_error err = { 0 };

	if (output == NULL) {
		cli_error("'cordon audit report' needs -o FILE.html");
		return CLI_INVALID;
	}
	if (only != NULL) {
		run = cli_audit_run(log, only);
		if (run == NULL)
			return CLI_INVALID;
	}
	if (cordon_audit_report(log, run, &html, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	return write_file(output, html) ? CLI_YES : CLI_INVALID;
}
