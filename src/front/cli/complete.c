/*
 * complete - completions for bash, zsh and fish.
 *
 * Each is one script that knows nothing but what the tables say.  A command is
 * the first word, or the first two where the first one is a group.
 */
#include "front/cli/manual.h"

static bool
takes(const struct cli_command *command, int option)
{
	return command->run != NULL &&
	    ((command->options | CLI_BIT(CLI_HELP)) & CLI_BIT(option)) != 0;
}

/* Between single quotes; `quote` is how the shell spells one within. */
static void
put_quoted(const char *text, const char *special, const char *quote)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			fputs(quote, stdout);
			continue;
		}
		if (strchr(special, *text) != NULL)
			putchar('\\');
		putchar(*text);
	}
}

static void
put_words(cli_words_fn *words)
{
	const char *word;

	for (int i = 0; (word = words(i)) != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", word);
}

/* The words below a group, or those that begin a line; each with a blank. */
static void
put_below(const struct cli_command *group)
{
	const struct cli_command *command;

	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;)
		if (cli_manual_within(command, group))
			printf("%s ", cli_manual_word(command));
}

/* ----- bash -------------------------------------------------------------- */

/* clang-format off */
static const char bash_head[] =
"# Completions of cordon for bash; made from its own tables.\n"
"\n"
"_cordon_files()\n"
"{\n"
"\tcompopt -o filenames\n"
"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
"}\n"
"\n"
"_cordon_words()\n"
"{\n"
"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
"}\n"
"\n"
"# What stands behind '--' is a command line of its own.\n"
"_cordon_program()\n"
"{\n"
"\tif declare -F _command_offset >/dev/null; then\n"
"\t\t_command_offset \"$1\"\n"
"\telif [ \"$COMP_CWORD\" -eq \"$1\" ]; then\n"
"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$2\")\n"
"\telse\n"
"\t\t_cordon_files -f \"$2\"\n"
"\tfi\n"
"}\n"
"\n"
"_cordon()\n"
"{\n"
"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
"\tlocal command=${COMP_WORDS[1]} first=2 words='' operands='' i\n"
"\n"
"\tCOMPREPLY=()\n"
"\t# '=' is a word of its own here.\n"
"\tif [ \"$cur\" = = ]; then\n"
"\t\tcur=''\n"
"\telif [ \"$prev\" = = ]; then\n"
"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
"\tfi\n"
"\t[ \"$COMP_CWORD\" -gt 1 ] || command=''\n";

static const char bash_values[] =
"\tfor ((i = first; i < COMP_CWORD; i++)); do\n"
"\t\tif [ \"${COMP_WORDS[i]}\" = -- ]; then\n"
"\t\t\tif [ \"$operands\" = program ]; then\n"
"\t\t\t\t_cordon_program $((i + 1)) \"$cur\"\n"
"\t\t\telif [ -n \"$operands\" ]; then\n"
"\t\t\t\t_cordon_files \"$operands\" \"$cur\"\n"
"\t\t\tfi\n"
"\t\t\treturn\n"
"\t\tfi\n"
"\tdone\n"
"\tcase $prev in\n";

static const char bash_tail[] =
"\tesac\n"
"\tcase $cur:$operands in\n"
"\t-* | *: | *:program) _cordon_words \"$words\" \"$cur\" ;;\n"
"\t*) _cordon_files \"$operands\" \"$cur\" ;;\n"
"\tesac\n"
"}\n"
"\n"
"complete -F _cordon cordon\n";
/* clang-format on */

/* The words that compgen takes, by enum cli_complete. */
static const char *const bash_flags[] = {
	[CLI_COMPLETE_NOTHING] = "",
	[CLI_COMPLETE_WORDS] = "",
	[CLI_COMPLETE_FILES] = "-f",
	[CLI_COMPLETE_DIRECTORIES] = "-d",
	[CLI_COMPLETE_PROGRAM] = "program",
};

static void
bash_groups(void)
{
	const struct cli_command *group;

	for (size_t i = 0; (group = cli_manual_next(&i)) != NULL;)
		if (group->run == NULL)
			printf("\tif [ \"$command\" = %s ] && "
			       "[ \"$COMP_CWORD\" -gt 2 ]; then\n"
			       "\t\tcommand=\"%s ${COMP_WORDS[2]}\" first=3\n"
			       "\tfi\n", group->name, group->name);
}

static void
bash_command(const struct cli_command *command)
{
	printf("\t'%s')\n\t\twords='", command->name);
	if (command->run == NULL)
		put_below(command);
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		if (takes(command, option))
			printf("--%s ",
			    cli_option_row((enum cli_option)option)->name);
	printf("%s'\n\t\toperands='%s'\n\t\t;;\n",
	    command->run == NULL ? "--help" : "",
	    bash_flags[cli_operand_completes(command)]);
}

static void
bash_option(const struct cli_option_row *row)
{
	enum cli_complete what = cli_option_completes(row);

	if (row->value == NULL)
		return;
	printf("\t--%s) ", row->name);
	if (what == CLI_COMPLETE_WORDS) {
		fputs("_cordon_words '", stdout);
		put_words(row->words);
		fputs("' \"$cur\"; ", stdout);
	} else if (bash_flags[what][0] != '\0') {
		printf("_cordon_files %s \"$cur\"; ", bash_flags[what]);
	}
	puts("return ;;");
}

void
cli_complete_bash(void)
{
	const struct cli_command *command;

	fputs(bash_head, stdout);
	bash_groups();
	fputs("\tcase $command in\n\t'') words='", stdout);
	put_below(NULL);
	puts("--help --version' ;;");
	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;)
		bash_command(command);
	puts("\t*) return ;;\n\tesac");
	fputs(bash_values, stdout);
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		bash_option(cli_option_row((enum cli_option)option));
	fputs(bash_tail, stdout);
}

/* ----- zsh --------------------------------------------------------------- */

#define ZSH_SPECIAL "[]:\\"
#define ZSH_QUOTE   "'\\''"

/* The action of _arguments, by enum cli_complete. */
static const char *const zsh_actions[] = {
	[CLI_COMPLETE_NOTHING] = " ",
	[CLI_COMPLETE_WORDS] = "",
	[CLI_COMPLETE_FILES] = "_files",
	[CLI_COMPLETE_DIRECTORIES] = "_files -/",
	[CLI_COMPLETE_PROGRAM] = "",
};

static void
zsh_option(const struct cli_option_row *row)
{
	enum cli_complete what = cli_option_completes(row);

	printf(" \\\n\t\t    '%s--%s%s[", row->kind == CLI_MANY ? "*" : "",
	    row->name, row->value != NULL ? "=" : "");
	put_quoted(row->summary, ZSH_SPECIAL, ZSH_QUOTE);
	putchar(']');
	if (row->value != NULL) {
		putchar(':');
		put_quoted(row->value, ZSH_SPECIAL, ZSH_QUOTE);
		putchar(':');
	}
	if (what == CLI_COMPLETE_WORDS) {
		putchar('(');
		put_words(row->words);
		putchar(')');
	} else if (row->value != NULL) {
		fputs(zsh_actions[what], stdout);
	}
	putchar('\'');
}

static void
zsh_command(const struct cli_command *command)
{
	enum cli_complete what = cli_operand_completes(command);

	printf("\t'%s')\n\t\t_arguments -S", command->name);
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		if (takes(command, option))
			zsh_option(cli_option_row((enum cli_option)option));
	if (what == CLI_COMPLETE_PROGRAM)
		fputs(" \\\n\t\t    '(-)1:command:_command_names -e'"
		      " \\\n\t\t    '*::arguments:_normal'", stdout);
	else if (what != CLI_COMPLETE_NOTHING)
		printf(" \\\n\t\t    '*:argument:%s'", zsh_actions[what]);
	puts("\n\t\t;;");
}

/* The words below a group, or those that begin a line, with their summaries. */
static void
zsh_words(const struct cli_command *group)
{
	const struct cli_command *command;

	printf("\t'%s')\n\t\t_words=(", group == NULL ? "" : group->name);
	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;) {
		if (!cli_manual_within(command, group))
			continue;
		printf("\n\t\t    '%s:", cli_manual_word(command));
		put_quoted(command->summary, ZSH_SPECIAL, ZSH_QUOTE);
		putchar('\'');
	}
	printf("%s)\n\t\t_describe command _words\n\t\t;;\n",
	    group == NULL ? "\n\t\t    '--help:the list of commands'"
			    "\n\t\t    '--version:its version'" :
			    "\n\t\t    '--help:the list of commands'");
}

void
cli_complete_zsh(void)
{
	const struct cli_command *command;

	fputs("#compdef cordon\n"
	      "# Completions of cordon for zsh; made from its own tables.\n"
	      "\n"
	      "_cordon()\n"
	      "{\n"
	      "\tlocal name='' n=1\n"
	      "\tlocal -a _words\n"
	      "\n"
	      "\t(( CURRENT > 2 )) && name=$words[2] n=2\n", stdout);
	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;)
		if (command->run == NULL)
			printf("\t[[ $name == %s ]] && (( CURRENT > 3 )) && "
			       "name=\"%s $words[3]\" n=3\n", command->name,
			    command->name);
	puts("\t(( CURRENT -= n - 1 ))\n"
	     "\tshift $(( n - 1 )) words\n"
	     "\tcase $name in");
	zsh_words(NULL);
	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;)
		if (command->run == NULL)
			zsh_words(command);
		else
			zsh_command(command);
	puts("\tesac\n"
	     "}\n"
	     "\n"
	     "_cordon \"$@\"");
}

/* ----- fish -------------------------------------------------------------- */

/* clang-format off */
static const char fish_head[] =
"# Completions of cordon for fish; made from its own tables.\n"
"\n"
"# __cordon_in WORD...: the command line begins with these.\n"
"function __cordon_in\n"
"\tset -l words (commandline -opc)\n"
"\tset -e words[1]\n"
"\tfor i in (seq (count $argv))\n"
"\t\ttest \"$words[$i]\" = \"$argv[$i]\"; or return 1\n"
"\tend\n"
"end\n"
"\n"
"# __cordon_at WORD...: and with nothing else.\n"
"function __cordon_at\n"
"\ttest (count (commandline -opc)) -eq (math (count $argv) + 1)\n"
"\tand __cordon_in $argv\n"
"end\n"
"\n"
"function __cordon_behind\n"
"\tcontains -- -- (commandline -opc)\n"
"end\n"
"\n"
"complete -c cordon -f\n"
"complete -c cordon -n __cordon_at -l help -d 'the list of commands'\n"
"complete -c cordon -n __cordon_at -l version -d 'its version'\n";
/* clang-format on */

/* What stands behind the option, by enum cli_complete. */
static const char *const fish_flags[] = {
	[CLI_COMPLETE_NOTHING] = " -x",
	[CLI_COMPLETE_WORDS] = " -x -a '",
	[CLI_COMPLETE_FILES] = " -r -F",
	[CLI_COMPLETE_DIRECTORIES] = " -x -a '(__fish_complete_directories)'",
	[CLI_COMPLETE_PROGRAM] = "",
};

static void
fish_option(const struct cli_command *command, const struct cli_option_row *row)
{
	enum cli_complete what = cli_option_completes(row);

	printf("complete -c cordon -n '__cordon_in %s; and not __cordon_behind'"
	       " -l %s", command->name, row->name);
	if (row->value != NULL)
		fputs(fish_flags[what], stdout);
	if (row->value != NULL && what == CLI_COMPLETE_WORDS) {
		put_words(row->words);
		putchar('\'');
	}
	fputs(" -d '", stdout);
	put_quoted(row->summary, "\\", "\\'");
	puts("'");
}

static void
fish_operands(const struct cli_command *command)
{
	static const char *const actions[] = {
		[CLI_COMPLETE_FILES] = "-F",
		[CLI_COMPLETE_DIRECTORIES] =
		    "-a '(__fish_complete_directories)'",
		[CLI_COMPLETE_PROGRAM] =
		    "-F -a '(__fish_complete_command)'",
	};
	enum cli_complete what = cli_operand_completes(command);

	if (what != CLI_COMPLETE_NOTHING)
		printf("complete -c cordon -n '__cordon_in %s%s' %s\n",
		    command->name, what == CLI_COMPLETE_PROGRAM ?
			"; and __cordon_behind" : "", actions[what]);
}

/* Its word, offered where its group stands alone, or nothing does. */
static void
fish_word(const struct cli_command *command)
{
	const char *word = cli_manual_word(command);

	printf("complete -c cordon -n '__cordon_at %.*s' -a %s -d '",
	    (int)(word - command->name), command->name, word);
	put_quoted(command->summary, "\\", "\\'");
	puts("'");
}

void
cli_complete_fish(void)
{
	const struct cli_command *command;

	fputs(fish_head, stdout);
	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;) {
		fish_word(command);
		if (command->run == NULL)
			printf("complete -c cordon -n '__cordon_at %s' "
			       "-l help -d 'the list of commands'\n",
			    command->name);
		for (int option = 0; option < CLI_OPTION_MAX; option++)
			if (takes(command, option))
				fish_option(command, cli_option_row(
				    (enum cli_option)option));
		fish_operands(command);
	}
}
