#include "front/cli/commands.h"

/* In the order in which they are listed. */
static const struct cli_table *const tables[] = {
	&cli_table_run,
	&cli_table_mcp,
	&cli_table_hook,
	&cli_table_policy,
	&cli_table_worker,
	&cli_table_tool,
	&cli_table_host,
	&cli_table_audit,
};

const struct cli_command *
cli_command(size_t i)
{
	for (size_t t = 0; t < CDN_LEN(tables); t++) {
		if (i < tables[t]->n)
			return &tables[t]->v[i];
		i -= tables[t]->n;
	}
	return NULL;
}

const struct cli_command *
cli_command_find(const char *name)
{
	const struct cli_command *command;

	for (size_t i = 0; (command = cli_command(i)) != NULL; i++)
		if (strcmp(command->name, name) == 0)
			return command;
	return NULL;
}
