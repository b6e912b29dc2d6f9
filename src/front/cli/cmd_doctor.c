/*
 * `cordon doctor`: what this machine can enforce, and the floor.
 */
#include "front/cli/cli.h"

/* ----- The floor ---------------------------------------------------------- */

static void
print_entry_json(const struct cordon_floor_entry *entry)
{
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_member(&json, "path", entry->path);
	cdn_json_put_key(&json.w, "read");
	cdn_json_put_bool(&json.w, entry->read);
	cli_json_member(&json, "why", entry->why);
	cli_json_end(&json);
}

static int
print_floor(const struct cli_args *args)
{
	struct cordon_floor_entry entry;
	int width = 0;

	for (size_t i = 0; cordon_floor_entry(i, &entry); i++)
		if ((int)strlen(entry.path) > width)
			width = (int)strlen(entry.path);
	for (size_t i = 0; cordon_floor_entry(i, &entry); i++)
		if (cli_has(args, CLI_JSON))
			print_entry_json(&entry);
		else
			printf("%-*s  %-13s  %s\n", width, entry.path,
			    entry.read ? "read, modify" : "modify", entry.why);
	return CLI_YES;
}

/* ----- The host ----------------------------------------------------------- */

/* A finding begins with its severity, and nothing else does. */
static void
print_line(cdn_str line)
{
	static const struct {
		const char *word;
		enum cli_colour colour;
	} severities[] = {
		{ "error ", CLI_RED },
		{ "warning ", CLI_YELLOW },
		{ "note ", CLI_BOLD },
		{ "ok ", CLI_GREEN },
	};

	for (size_t i = 0; i < CDN_LEN(severities); i++) {
		cdn_str word = cdn_str_of(severities[i].word);

		if (!cdn_str_starts(line, word))
			continue;
		cli_put_coloured(stdout, severities[i].colour,
		    severities[i].word);
		line = cdn_str_from(line, word.n);
		break;
	}
	cli_put_safe(stdout, line);
	putchar('\n');
}

static void
print_text(const char *text)
{
	cdn_str rest = cdn_str_of(text);
	cdn_str line;

	while (cdn_str_next(&rest, '\n', &line))
		if (rest.p != NULL || line.n > 0)
			print_line(line);
}

int
cli_doctor(const struct cli_args *args)
{
	bool json = cli_has(args, CLI_JSON);
	enum cordon_enforces enforces;
	struct cordon_error err = { 0 };
	cdn_cleanup_free char *text = NULL;

	if (cli_has(args, CLI_FLOOR))
		return print_floor(args);
	if (cordon_doctor(json ? CORDON_FORMAT_JSON : CORDON_FORMAT_YAML, &text,
		&enforces, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	if (json)
		cli_put_text(text);
	else
		print_text(text);
	return enforces == CORDON_ENFORCES_REQUIRED ? CLI_YES : CLI_FOUND;
}
