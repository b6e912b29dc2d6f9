/*
 * `cordon worker validate | show | migrate`: what can be said about documents of
 * workers without running anything; and `run`, which is `cordon run --worker`.
 */
#include "front/cli/cli.h"

/* NULL after a message. */
static struct cordon_worker *
load(const char *file)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_worker *worker = NULL;
	struct cordon_error err = { 0 };

	if (cordon_worker_load(file, diags, &worker, &err) != 0) {
		cli_failure(diags, &err);
		worker = NULL;
	}
	cordon_diags_free(diags);
	return worker;
}

static bool
validate(const struct cli_args *args, const char *file)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_worker *worker = NULL;
	struct cordon_error err = { 0 };
	int rc = cordon_worker_load(file, diags, &worker, &err);

	if (rc == CORDON_E_NOMEM)
		cli_out_of_memory();
	cli_findings(args, file, rc != 0, diags, &err);
	if (rc == 0)
		cordon_worker_free(worker);
	cordon_diags_free(diags);
	return rc == 0;
}

int
cli_worker_validate(const struct cli_args *args)
{
	int status = CLI_YES;

	for (size_t i = 0; i < args->operands.n; i++)
		if (!validate(args, args->operands.v[i]))
			status = CLI_INVALID;
	return status;
}

int
cli_worker_run(const struct cli_args *args)
{
	struct cli_args run = *args;

	if (args->before_dashes != 1 || args->operands.n < 2) {
		cli_error(args->before_dashes != 1 ?
			"one FILE stands before '--', the command behind it" :
			"which command?");
		cli_hint("cordon worker run FILE [OPTIONS] -- COMMAND "
			 "[ARG...]");
		return CLI_RUN_FAILED;
	}
	run.option[CLI_WORKER] = (struct cli_strings){ args->operands.v, 1 };
	run.operands.v++;
	run.operands.n--;
	run.before_dashes = 0;
	return cli_run(&run);
}

int
cli_worker_show(const struct cli_args *args)
{
	struct cordon_worker *worker = load(args->operands.v[0]);
	struct cordon_error err = { 0 };
	char *text = NULL;
	int rc;

	if (worker == NULL)
		return CLI_INVALID;
	rc = cordon_worker_format(worker, &text, &err);
	if (rc != 0)
		cli_failure(NULL, &err);
	else
		puts(text);
	free(text);
	cordon_worker_free(worker);
	return rc != 0 ? CLI_INVALID : CLI_YES;
}

int
cli_worker_migrate(const struct cli_args *args)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_error err = { 0 };
	char *text = NULL;
	int rc = cordon_worker_migrate(args->operands.v[0], diags, &text, &err);

	if (rc != 0)
		cli_failure(diags, &err);
	else
		puts(text);
	free(text);
	cordon_diags_free(diags);
	return rc != 0 ? CLI_INVALID : CLI_YES;
}
