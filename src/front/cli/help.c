#include "front/cli/cli.h"

/* Where the explanations begin, in columns. */
#define OPTION_COLUMN  22
#define COMMAND_COLUMN 18

static void
put_examples(const char *examples)
{
	cdn_str rest = cdn_str_of(examples);
	cdn_str line;

	if (examples[0] == '\0')
		return;
	puts("\nExamples:");
	while (cdn_str_next(&rest, '\n', &line))
		if (line.n > 0)
			printf("  %.*s\n", CDN_STR_ARG(line));
}

static void
put_option(const struct cli_option_row *row)
{
	int n = printf("  --%s%s%s", row->name, row->value != NULL ? " " : "",
	    row->value != NULL ? row->value : "");

	printf("%*s%s\n", n < OPTION_COLUMN ? OPTION_COLUMN - n : 1, "",
	    row->summary);
}

static void
put_options(unsigned long options)
{
	puts("\nOptions:");
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		if ((options & CLI_BIT(option)) != 0)
			put_option(cli_option_row((enum cli_option)option));
}

static void
put_exits(const char *const *exits, const char *more)
{
	puts("\nExit codes:");
	for (int code = 0; code <= CLI_ASK; code++)
		if (exits[code] != NULL)
			printf("  %d  %s\n", code, exits[code]);
	if (more != NULL)
		fputs(more, stdout);
}

/* The rows below a group ("policy "), or those of one word ("" as prefix). */
static void
put_commands(cdn_str prefix)
{
	const struct cli_command *command;

	puts("\nCommands:");
	for (size_t i = 0; (command = cli_command(i)) != NULL; i++) {
		cdn_str name = cdn_str_of(command->name);

		if (command->hidden || !cdn_str_starts(name, prefix) ||
		    strchr(command->name + prefix.n, ' ') != NULL)
			continue;
		printf("  %-*s%s\n", COMMAND_COLUMN, command->name,
		    command->summary);
	}
}

static void
help_whole(void)
{
	static const char *const exits[CLI_ASK + 1] = {
		"yes",
		"a negative finding, such as what lint found",
		"wrong usage, invalid input, or a document that cannot be used",
		"denied",
		"needs approval",
	};

	puts("Usage: cordon COMMAND [OPTIONS] [ARGUMENT...]\n"
	     "       cordon --version | --help | COMMAND --help\n"
	     "\n"
	     "cordon puts a boundary around an AI agent.  You write it down once, in\n"
	     "YAML; cordon answers every question from it and names the line.");
	put_commands(cdn_str_of(""));
	put_examples("cordon run -- make test\n"
		     "cordon check --op modify src/main.c .git/config\n"
		     "cordon policy init\n");
	put_exits(exits, NULL);
}

static void
help_group(const struct cli_command *group)
{
	cdn_cleanup_free char *prefix = cli_printf("%s ", group->name);

	printf("Usage: cordon %s %s\n\n%s", group->name, group->usage,
	    group->about);
	put_commands(cdn_str_of(prefix));
	put_examples(group->examples);
	put_exits(group->exits, NULL);
}

void
cli_help(const struct cli_command *command)
{
	if (command == NULL) {
		help_whole();
		return;
	}
	if (command->run == NULL) {
		help_group(command);
		return;
	}
	printf("Usage: cordon %s [OPTIONS]%s%s\n\n", command->name,
	    command->usage[0] == '\0' ? "" :
		strstr(command->usage, "-- ") != NULL ? " " : " [--] ",
	    command->usage);
	printf("%c%s.\n", command->summary[0] & ~0x20, command->summary + 1);
	if (command->about[0] != '\0')
		printf("\n%s", command->about);
	put_options(command->options | CLI_BIT(CLI_HELP));
	put_examples(command->examples);
	put_exits(command->exits, command->more_exits);
}

int
cli_help_words(int argc, char **argv)
{
	cdn_cleanup_free char *name = NULL;
	const struct cli_command *command;

	if (argc == 0) {
		cli_help(NULL);
		return CLI_YES;
	}
	name = argc == 1 ? cli_copy(cdn_str_of(argv[0])) :
			   cli_printf("%s %s", argv[0], argv[1]);
	command = cli_command_find(name);
	if (command == NULL || argc > 2) {
		cli_error("there is no help about '%s'", name);
		return cli_usage(NULL);
	}
	cli_help(command);
	return CLI_YES;
}

int
cli_usage(const struct cli_command *command)
{
	if (command == NULL)
		cli_hint("'cordon --help' lists the commands");
	else
		cli_hint("'cordon %s --help' says how to use it",
		    command->name);
	return CLI_INVALID;
}
