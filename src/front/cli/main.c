#include "front/cli/cli.h"

#include <malloc.h>
#include <signal.h>

static const char *
command_name(size_t i, const void *arg)
{
	const struct cli_command *command = cli_command(i);

	(void)arg;
	return command != NULL ? command->name : NULL;
}

static int
unknown(const char *name)
{
	const char *near = cli_nearest(name, command_name, NULL);

	cli_error("unknown command '%s'", name);
	if (near != NULL)
		cli_hint("did you mean 'cordon %s'?", near);
	else
		cli_hint("'cordon --help' lists the commands");
	return CLI_INVALID;
}

static bool
count_fits(const struct cli_command *command, const struct cli_args *args)
{
	size_t n = args->operands.n;

	if (n < command->operands_min)
		cli_error("'cordon %s' needs %s", command->name,
		    command->usage);
	else if (n > command->operands_max)
		cli_error("'%s' is one argument too many for 'cordon %s'",
		    args->operands.v[command->operands_max], command->name);
	else
		return true;
	return false;
}

static int
run(const struct cli_command *command, int argc, char **argv)
{
	int failure = command->failure != 0 ? command->failure : CLI_INVALID;
	struct cli_args args;
	int status;

	cli_output_failure(failure);
	if (!cli_args_parse(argc, argv, command->options, command->name, &args))
		return failure;
	if (cli_has(&args, CLI_QUIET))
		cli_output_quiet();
	if (cli_has(&args, CLI_HELP)) {
		cli_help(command);
		status = CLI_YES;
	} else if (!count_fits(command, &args)) {
		(void)cli_usage(command);
		status = failure;
	} else {
		status = command->run(&args);
	}
	cli_args_done(&args);
	return status;
}

/* `cordon policy ...`: argv begins with the word behind "policy". */
static int
run_group(const struct cli_command *group, int argc, char **argv)
{
	cdn_cleanup_free char *name = NULL;
	const struct cli_command *command;

	if (argc == 0) {
		cli_error("'cordon %s' needs a command", group->name);
		return cli_usage(group);
	}
	if (strcmp(argv[0], "--help") == 0) {
		cli_help(group);
		return CLI_YES;
	}
	name = cli_printf("%s %s", group->name, argv[0]);
	command = cli_command_find(name);
	if (command == NULL)
		return unknown(name);
	return run(command, argc - 1, argv + 1);
}

static int
dispatch(int argc, char **argv)
{
	const struct cli_command *command;

	if (argc == 0) {
		cli_error("which command?");
		return cli_usage(NULL);
	}
	if (strcmp(argv[0], "--version") == 0 && argc == 1) {
		printf("cordon %s\n", cordon_version());
		return CLI_YES;
	}
	if (strcmp(argv[0], CORDON_STAND_IN) == 0 && argc == 1)
		return cli_stand_in();
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "help") == 0)
		return cli_help_words(argc - 1, argv + 1);
	command = cli_command_find(argv[0]);
	if (command == NULL)
		return unknown(argv[0]);
	if (command->run == NULL)
		return run_group(command, argc - 1, argv + 1);
	return run(command, argc - 1, argv + 1);
}

/* A start needs less than this: it is asked for once, and not given back. */
#define HEAP_BYTES (512 * 1024)

static void
keep_heap(void)
{
#ifdef __GLIBC__
	/* NOLINTBEGIN(concurrency-mt-unsafe): there is one thread yet */
	(void)mallopt(M_TOP_PAD, HEAP_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	(void)mallopt(M_MMAP_THRESHOLD, HEAP_BYTES);
	/* NOLINTEND(concurrency-mt-unsafe) */
#endif
}

int
main(int argc, char **argv)
{
	const struct cli_command *command = argc > 1 ?
	    cli_command_find(argv[1]) : NULL;
	int failure = command != NULL && command->failure != 0 ?
	    command->failure : CLI_INVALID;

	keep_heap();
	/* Who ignores it is never told how a child of his ended. */
	signal(SIGCHLD, SIG_DFL);
	cli_output_failure(failure);
	if (!cli_output_init())
		return failure;
	return cli_output_finish(dispatch(argc - 1, argv + 1));
}
