#include "front/cli/cli.h"

#include <signal.h>
#include <unistd.h>

#include "base/err.h"

#define SHOWN_MAX   200 /* findings told one by one, of each kind */
#define REASONS_MAX 32	/* why something was not tried; the rest together */

struct reason {
	char *text;
	unsigned long count;
};

struct report {
	bool json, verbose, terminal;
	bool drawn; /* a line of progress stands there */
	unsigned long shown[CORDON_OUTCOME_MAX];
	struct reason reasons[REASONS_MAX];
	size_t reason_count;
	unsigned long others;
};

/* ----- Stopping ------------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void
note_signal(int signal)
{
	stopped = signal;
}

static void
heed_signals(void)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = note_signal };

	for (size_t i = 0; i < CDN_LEN(signals); i++)
		(void)sigaction(signals[i], &action, NULL);
}

static bool
is_stopped(void *arg)
{
	(void)arg;
	return stopped != 0;
}

/* ----- Progress --------------------------------------------------------------- */

static void
wipe_progress(struct report *report)
{
	if (report->drawn)
		fputs("\r\033[K", stderr);
	report->drawn = false;
}

static void
progress(size_t done, size_t of, void *arg)
{
	struct report *report = arg;

	wipe_progress(report);
	if (!report->terminal || done == of)
		return;
	fprintf(stderr, "%zu of %zu tried", done, of);
	fflush(stderr);
	report->drawn = true;
}

/* ----- Findings ---------------------------------------------------------------- */

static void
add_reason(struct report *report, const char *why)
{
	for (size_t i = 0; i < report->reason_count; i++)
		if (strcmp(report->reasons[i].text, why) == 0) {
			report->reasons[i].count++;
			return;
		}
	if (report->reason_count == REASONS_MAX) {
		report->others++;
		return;
	}
	report->reasons[report->reason_count++] = (struct reason){
		cli_copy(cdn_str_of(why)), 1 };
}

static void
print_json(const struct cordon_finding *finding)
{
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_bytes(&json, "path", "path_hex", cdn_str_of(finding->path));
	cli_json_member(&json, "operation", finding->operation);
	cli_json_member(&json, "decision",
	    cordon_decision_name(finding->verdict.decision));
	cli_json_member(&json, "kernel",
	    cordon_decision_name(finding->worked ? CORDON_ALLOW :
						   CORDON_DENY));
	cli_json_member(&json, "why", finding->why);
	cli_json_member(&json, "call", finding->call);
	cli_json_member(&json, "outcome",
	    cordon_outcome_name(finding->outcome));
	cli_json_end(&json);
}

static void
print_text(const struct cordon_finding *finding)
{
	static const enum cli_colour colours[CORDON_OUTCOME_MAX] = {
		[CORDON_AGREES] = CLI_GREEN,
		[CORDON_LEAKS] = CLI_RED,
		[CORDON_REFUSES] = CLI_RED,
		[CORDON_KNOWN] = CLI_YELLOW,
		[CORDON_NOT_PROBED] = CLI_PLAIN,
	};

	cli_put_coloured(stdout, colours[finding->outcome],
	    cordon_outcome_name(finding->outcome));
	printf("  %s  ", finding->operation);
	cli_put_safe(stdout, cdn_str_of(finding->path));
	if (strcmp(finding->call, finding->path) != 0)
		printf("  (%s)", finding->call);
	if (finding->why[0] != '\0') {
		fputs("\n       ", stdout);
		cli_put_safe(stdout, cdn_str_of(finding->why));
	}
	putchar('\n');
}

static bool
is_told(const struct report *report, enum cordon_outcome outcome)
{
	if (report->verbose)
		return true;
	return outcome != CORDON_AGREES && outcome != CORDON_NOT_PROBED &&
	    report->shown[outcome] <= SHOWN_MAX;
}

static void
found(const struct cordon_finding *finding, void *arg)
{
	struct report *report = arg;

	if (finding->outcome == CORDON_NOT_PROBED)
		add_reason(report, finding->why);
	report->shown[finding->outcome]++;
	if (!is_told(report, finding->outcome))
		return;
	wipe_progress(report);
	if (report->json)
		print_json(finding);
	else
		print_text(finding);
}

/* ----- The sum ------------------------------------------------------------------- */

static void
put_count(struct cli_json *json, const char *key, unsigned long value)
{
	cdn_json_put_key(&json->w, key);
	cdn_json_put_uint(&json->w, value);
}

static void
sum_up_json(const struct cordon_verify_result *result,
    unsigned long long seed)
{
	struct cli_json json;

	cli_json_begin(&json);
	put_count(&json, "agree", result->agree);
	put_count(&json, "disagree", result->leaks + result->refuses);
	put_count(&json, "not_probed", result->not_probed);
	put_count(&json, "known", result->known);
	cdn_json_put_key(&json.w, "seed");
	cdn_json_put_uint(&json.w, seed);
	cli_json_end(&json);
}

static void
sum_up(const struct report *report, const struct cordon_verify_result *result,
    unsigned long long seed)
{
	unsigned long disagree = result->leaks + result->refuses;

	for (size_t i = 0; i < report->reason_count; i++)
		cli_note("%lu not probed: %s", report->reasons[i].count,
		    report->reasons[i].text);
	if (report->others > 0)
		cli_note("%lu not probed for other reasons", report->others);
	printf("%lu agreements, %lu disagreements, %lu not probed",
	    result->agree, disagree, result->not_probed);
	if (result->known > 0)
		printf(", %lu known not to hold", result->known);
	printf(" (seed %llu)\n", seed);
	if (disagree > 0)
		cli_note("'cordon plan' says who holds which rule; the same "
			 "again: --seed %llu", seed);
}

/* ----- The command ----------------------------------------------------------------- */

static bool
read_seed(const struct cli_args *args, unsigned long long *ret)
{
	const char *text = cli_value(args, CLI_SEED);
	uint64_t seed = (uint64_t)time(NULL);

	if (text != NULL && !cdn_str_parse_u64(cdn_str_of(text), &seed)) {
		cli_error("'%s' is no seed", text);
		cli_hint("--seed N: a number, as an earlier run printed it");
		return false;
	}
	*ret = seed;
	return true;
}

static void
notice(const char *text, void *arg)
{
	(void)arg;
	cli_note("%s", text);
}

static int
verify(const struct cli_args *args, const struct cordon_session *session,
    struct cordon_run_options *run, unsigned long long seed)
{
	struct report report = {
		.json = cli_has(args, CLI_JSON),
		.verbose = cli_has(args, CLI_VERBOSE),
		.terminal = isatty(STDERR_FILENO) == 1 &&
		    !cli_has(args, CLI_QUIET),
	};
	struct cordon_verify_options options = {
		.size = sizeof(options),
		.seed = seed,
		.found = found,
		.progress = progress,
		.stop = is_stopped,
		.arg = &report,
	};
	struct cordon_verify_result result;
	struct cordon_error err = { 0 };
	int code;

	run->sole = true;
	run->notice = notice;
	code = cordon_verify(session, run, &options, &result, &err);
	wipe_progress(&report);
	if (code != 0)
		cli_failure(NULL, &err);
	else if (report.json)
		sum_up_json(&result, seed);
	else
		sum_up(&report, &result, seed);
	for (size_t i = 0; i < report.reason_count; i++)
		free(report.reasons[i].text);
	if (code != 0)
		return code == CORDON_E_ENFORCE ? CLI_FOUND : CLI_INVALID;
	return result.leaks + result.refuses > 0 ? CLI_FOUND : CLI_YES;
}

int
cli_verify(const struct cli_args *args)
{
	struct cordon_run_options run;
	struct cordon_session *session;
	unsigned long long seed;
	int status;

	if (!read_seed(args, &seed) || !cli_launch_options(args, &run))
		return CLI_INVALID;
	session = cli_launch_session(args);
	if (session == NULL)
		return CLI_INVALID;
	heed_signals();
	status = verify(args, session, &run, seed);
	cordon_session_free(session);
	return status;
}
