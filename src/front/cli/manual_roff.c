/*
 * manual_roff - cordon.1, one section for each command.
 */
#include "front/cli/manual.h"

/* Of the pages; they change when the tables do, not when they are built. */
#define DATE "2026-11-16"

/* ----- Roff -------------------------------------------------------------- */

static void
put_char(char c)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {
		{ '\\', "\\e" }, { '-', "\\-" }, { '~', "\\(ti" },
		{ '^', "\\(ha" }, { '`', "\\(ga" }, { '\'', "\\(aq" },
		{ '"', "\\(dq" },
	};

	for (size_t i = 0; i < CDN_LEN(special); i++)
		if (special[i].c == c) {
			fputs(special[i].roff, stdout);
			return;
		}
	putchar(c);
}

void
cli_roff_text(cdn_str text)
{
	if (text.n > 0 && text.p[0] == '.')
		fputs("\\&", stdout);
	for (size_t i = 0; i < text.n; i++)
		put_char(text.p[i]);
}

void
cli_roff_bold(cdn_str text)
{
	fputs("\\fB", stdout);
	cli_roff_text(text);
	fputs("\\fR", stdout);
}

void
cli_roff_head(const char *macro, const char *text)
{
	printf("%s \"", macro);
	cli_roff_text(cdn_str_of(text));
	puts("\"");
}

void
cli_roff_title(const char *name, int section, const char *summary)
{
	printf(".\\\" Made from cordon's own tables.\n.TH ");
	for (const char *c = name; *c != '\0'; c++)
		putchar(*c >= 'a' && *c <= 'z' ? *c & ~0x20 : *c);
	printf(" %d \"" DATE "\" \"cordon %s\"\n", section, cordon_version());
	cli_roff_head(".SH", "NAME");
	cli_roff_text(cdn_str_of(name));
	fputs(" \\- ", stdout);
	cli_roff_text(cdn_str_of(summary));
	putchar('\n');
}

void
cli_roff_verbatim(cdn_str lines)
{
	cdn_str line;

	puts(".PP\n.RS 4\n.nf");
	while (cdn_str_next(&lines, '\n', &line) && (line.n > 0 || lines.n > 0)) {
		if (line.n == 0)
			fputs("\\&", stdout);
		cli_roff_text(line);
		putchar('\n');
	}
	puts(".fi\n.RE");
}

/* ----- One command ------------------------------------------------------- */

/* Lines that begin with two blanks are meant as they stand. */
static void
put_about(const char *about)
{
	cdn_str rest = cdn_str_of(about);
	bool as_is = false, begins = true;
	cdn_str line;

	while (cdn_str_next(&rest, '\n', &line) && (line.n > 0 || rest.n > 0)) {
		bool indented = cdn_str_starts(line, CDN_STR("  "));

		if (line.n == 0) {
			begins = true;
			continue;
		}
		if (as_is && !indented)
			puts(".fi");
		if (begins || indented != as_is)
			puts(".PP");
		if (indented && !as_is)
			puts(".nf");
		as_is = indented;
		begins = false;
		cli_roff_text(line);
		putchar('\n');
	}
	if (as_is)
		puts(".fi");
}

static void
put_option(const struct cli_option_row *row)
{
	puts(".TP");
	fputs("\\fB\\-\\-", stdout);
	cli_roff_text(cdn_str_of(row->name));
	fputs("\\fR", stdout);
	if (row->value != NULL) {
		fputs(" \\fI", stdout);
		cli_roff_text(cdn_str_of(row->value));
		fputs("\\fR", stdout);
	}
	putchar('\n');
	cli_roff_text(cdn_str_of(row->summary));
	putchar('\n');
}

static void
put_exits(const struct cli_command *command)
{
	puts(".PP\nExit status:");
	for (int code = 0; code <= CLI_ASK; code++)
		if (command->exits[code] != NULL) {
			printf(".TP\n%d\n", code);
			cli_roff_text(cdn_str_of(command->exits[code]));
			putchar('\n');
		}
	if (command->more_exits != NULL)
		cli_roff_verbatim(cdn_str_of(command->more_exits));
}

static void
put_command(const struct cli_command *command)
{
	cdn_cleanup_free char *title = cli_printf("cordon %s%s%s%s",
	    command->name, command->run == NULL ? "" : " [OPTIONS]",
	    command->usage[0] == '\0' ? "" : " ", command->usage);

	cli_roff_head(".SS", title);
	printf("%c", command->summary[0] & ~0x20);
	cli_roff_text(cdn_str_of(command->summary + 1));
	puts(".");
	put_about(command->about);
	for (int option = 0; command->run != NULL && option < CLI_OPTION_MAX;
	     option++)
		if (((command->options | CLI_BIT(CLI_HELP)) &
			CLI_BIT(option)) != 0)
			put_option(cli_option_row((enum cli_option)option));
	if (command->examples[0] != '\0')
		cli_roff_verbatim(cdn_str_of(command->examples));
	put_exits(command);
}

/* ----- The page ---------------------------------------------------------- */

/* clang-format off */
static const char synopsis[] =
".SH SYNOPSIS\n"
".B cordon\n"
".I COMMAND\n"
"[\\fIOPTIONS\\fR] [\\fIARGUMENT\\fR...]\n"
".br\n"
".B cordon \\-\\-version\n"
"|\n"
".B \\-\\-help\n"
"|\n"
".I COMMAND\n"
".B \\-\\-help\n"
".SH DESCRIPTION\n"
"cordon puts a boundary around an AI agent: what its commands and tools may\n"
"read, change, execute and connect to.\n"
"You write it down once, in YAML; cordon answers every question from it, names\n"
"the line that gave the answer, and makes the kernel hold it.\n"
".PP\n"
"Options are long, take their value as the next word or behind\n"
".BR = ,\n"
"and are never abbreviated;\n"
".B \\-\\-\n"
"ends them.\n"
"Answers go to standard output, everything else to standard error.\n";

static const char rest[] =
".SH FILES\n"
".TP\n"
".I /etc/cordon/policy.yaml\n"
"the policy of the host\n"
".TP\n"
".I $XDG_CONFIG_HOME/cordon/policy.yaml\n"
"the user's (\\(ti/.config by default)\n"
".TP\n"
".I WORKSPACE/.cordon/policy.yaml\n"
"the project's; it can only take away until\n"
".B cordon trust\n"
".TP\n"
".I $XDG_STATE_HOME/cordon\n"
"the audit, what is trusted, and the homes of runs (\\(ti/.local/state by\n"
"default)\n"
".SH ENVIRONMENT\n"
"HOME, PATH, TERM, COLUMNS, NO_COLOR, XDG_CONFIG_HOME, XDG_STATE_HOME,\n"
"XDG_RUNTIME_DIR and TMPDIR are read, and variables that say where toolchains\n"
"and agents keep their files.\n"
"No variable can weaken a policy.\n"
".SH SEE ALSO\n"
".BR cordon\\-policy (5)\n";
/* clang-format on */

void
cli_manual_command(void)
{
	const struct cli_command *command;

	cli_roff_title("cordon", 1, "a boundary around an AI agent");
	fputs(synopsis, stdout);
	cli_roff_head(".SH", "COMMANDS");
	for (size_t i = 0; (command = cli_manual_next(&i)) != NULL;)
		put_command(command);
	fputs(rest, stdout);
}
