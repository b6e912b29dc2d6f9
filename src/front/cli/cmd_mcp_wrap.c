#include "front/cli/cli.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

struct wrapping {
	const char *file;
	bool json;
	bool keep; /* --dry-run */
	bool changes;
	bool open; /* a server is left that nobody guards */
};

static bool
is_ourselves(const char *file)
{
	struct stat ours, theirs;

	return stat("/proc/self/exe", &ours) == 0 && stat(file, &theirs) == 0 &&
	    ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/*
 * How a client finds us: by name where PATH leads here, so that a project's file
 * is good for others, too; by our place otherwise.
 */
static void
find_name(const char *place, char ret[PATH_MAX])
{
	cdn_str rest = cdn_str_of(getenv("PATH")), part;

	while (cdn_str_next(&rest, ':', &part)) {
		int length = part.n == 0 ? -1 : snprintf(ret, PATH_MAX,
		    "%.*s/cordon", CDN_STR_ARG(part));

		if (length < 0 || length >= PATH_MAX || access(ret, X_OK) != 0)
			continue;
		if (!is_ourselves(ret))
			break; /* by name they would find another */
		snprintf(ret, PATH_MAX, "cordon");
		return;
	}
	snprintf(ret, PATH_MAX, "%s", place);
}

bool
cli_own_place(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	ret[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static void
tell(const char *name, const char *left, bool open, void *arg)
{
	struct wrapping *w = arg;
	struct cli_json json;

	w->open |= open;
	if (!w->json) {
		if (open)
			cli_error("'%s' is left open: %s", name, left);
		else if (left != NULL)
			cli_note("'%s' is left alone: %s", name, left);
		return;
	}
	cli_json_begin(&json);
	cli_json_member(&json, "file", w->file);
	cli_json_member(&json, "server", name);
	cdn_json_put_key(&json.w, "changed");
	cdn_json_put_bool(&json.w, left == NULL);
	cli_json_member(&json, "left", left);
	cdn_json_put_key(&json.w, "open");
	cdn_json_put_bool(&json.w, open);
	cli_json_end(&json);
}

static bool
show(const char *difference, void *arg)
{
	struct wrapping *w = arg;

	w->changes = true;
	if (!w->json)
		cli_put_lines(difference);
	cli_output_flush();
	return !w->keep && !cli_output_broken();
}

static bool
has_file(const struct cli_args *args)
{
	if (args->before_dashes != 1) {
		cli_error(args->before_dashes == 0 ? "which file?" :
			"one file at a time (the guard's options stand "
			"behind '--')");
		return false;
	}
	for (size_t i = 1; i < args->operands.n; i++)
		if (strcmp(args->operands.v[i], "--") == 0) {
			cli_error("'--' is no option of the guard");
			return false;
		}
	return true;
}

int
cli_mcp_wrap(const struct cli_args *args)
{
	char command[PATH_MAX], place[PATH_MAX];
	struct cordon_error err = { 0 };
	struct wrapping w = { .json = cli_has(args, CLI_JSON),
		.keep = cli_has(args, CLI_SHOW_ONLY) };
	struct cordon_mcp_wrap wrap = { .size = sizeof(wrap),
		.command = command, .place = place, .undo = cli_has(args, CLI_UNDO),
		.server = tell, .show = show, .arg = &w };

	if (!has_file(args))
		return cli_usage(cli_command_find("mcp wrap"));
	w.file = wrap.file = args->operands.v[0];
	wrap.options = args->operands.v + 1;
	if (!cli_own_place(place)) {
		cli_error("cannot find out where 'cordon' is");
		return CLI_INVALID;
	}
	find_name(place, command);
	if (cordon_mcp_wrap(&wrap, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	if (!w.changes)
		cli_note("'%s' stays as it is", w.file);
	return w.open ? CLI_FOUND : CLI_YES;
}
