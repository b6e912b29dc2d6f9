#include "front/cli/manual.h"

/* ----- Rows -------------------------------------------------------------- */

const struct cli_command *
cli_manual_next(size_t *i)
{
	const struct cli_command *command;

	while ((command = cli_command(*i)) != NULL) {
		(*i)++;
		if (!command->hidden)
			return command;
	}
	return NULL;
}

const char *
cli_manual_word(const struct cli_command *command)
{
	const char *space = strchr(command->name, ' ');

	return space == NULL ? command->name : space + 1;
}

bool
cli_manual_within(const struct cli_command *command,
    const struct cli_command *group)
{
	size_t n = group == NULL ? 0 : strlen(group->name);

	if (group == NULL)
		return strchr(command->name, ' ') == NULL;
	return strncmp(command->name, group->name, n) == 0 &&
	    command->name[n] == ' ';
}

/* What the help calls a value says what it is. */
static const struct {
	const char *word;
	enum cli_complete completes;
} values[] = {
	{ "-- COMMAND", CLI_COMPLETE_PROGRAM },
	{ "FILE", CLI_COMPLETE_FILES },
	{ "PATH", CLI_COMPLETE_FILES },
	{ "DIR", CLI_COMPLETE_DIRECTORIES },
	{ "GLOBAL", CLI_COMPLETE_FILES },
};

static enum cli_complete
completes(const char *text)
{
	for (size_t i = 0; text != NULL && i < CDN_LEN(values); i++)
		if (strstr(text, values[i].word) != NULL)
			return values[i].completes;
	return CLI_COMPLETE_NOTHING;
}

enum cli_complete
cli_option_completes(const struct cli_option_row *row)
{
	return row->words != NULL ? CLI_COMPLETE_WORDS : completes(row->value);
}

enum cli_complete
cli_operand_completes(const struct cli_command *command)
{
	return completes(command->usage);
}

/* ----- The command ------------------------------------------------------- */

static int
policy_page(void)
{
	cdn_cleanup_free char *text = NULL;
	struct cordon_error err = { 0 };

	if (cordon_policy_reference(&text, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	cli_roff_title("cordon-policy", 5, "what a program may read, change, "
	    "execute and connect to");
	cli_manual_markdown(text);
	cli_roff_head(".SH", "SEE ALSO");
	fputs(".BR cordon (1)\n", stdout);
	return CLI_YES;
}

static const struct {
	const char *name;
	void (*print)(void);
} pages[] = {
	{ "cordon.1", cli_manual_command },
	{ "bash", cli_complete_bash },
	{ "zsh", cli_complete_zsh },
	{ "fish", cli_complete_fish },
};

int
cli_manual(const struct cli_args *args)
{
	const char *name = args->operands.v[0];

	if (strcmp(name, "cordon-policy.5") == 0)
		return policy_page();
	for (size_t i = 0; i < CDN_LEN(pages); i++)
		if (strcmp(pages[i].name, name) == 0) {
			pages[i].print();
			return CLI_YES;
		}
	cli_error("there is no page '%s'", name);
	cli_hint("'cordon manual --help' lists them");
	return CLI_INVALID;
}
