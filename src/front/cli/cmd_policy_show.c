/*
 * `cordon policy show [NAME]`, `notice` and `list`.
 */
#include "front/cli/cli.h"

static enum cordon_format
format_of(const struct cli_args *args)
{
	return cli_has(args, CLI_JSON) ? CORDON_FORMAT_JSON :
					 CORDON_FORMAT_YAML;
}

static void
print(const struct cli_args *args, const char *text)
{
	if (cli_has(args, CLI_JSON))
		cli_put_text(text);
	else
		cli_put_lines(text);
}

/* ----- What holds here -------------------------------------------------- */

typedef int made_fn(const struct cordon_session *session,
    enum cordon_format format, char **ret, struct cordon_error *err);

static int
show_session(const struct cli_args *args, made_fn *make)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_session *session = NULL;
	cdn_cleanup_free char *text = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (cli_session_new(args, NULL, diags, &session, &err) != 0) {
		cli_failure(diags, &err);
	} else if (make(session, format_of(args), &text, &err) != 0) {
		cli_failure(NULL, &err);
	} else {
		print(args, text);
		status = CLI_YES;
	}
	cordon_session_free(session);
	cordon_diags_free(diags);
	return status;
}

static int
make_notice(const struct cordon_session *session, enum cordon_format format,
    char **ret, struct cordon_error *err)
{
	(void)format;
	return cordon_session_notice(session, ret, err);
}

int
cli_policy_notice(const struct cli_args *args)
{
	return show_session(args, make_notice);
}

/* ----- A named policy --------------------------------------------------- */

static int
show_profile(const struct cli_args *args, const struct cordon_policy *policy,
    const char *name)
{
	struct cordon_profile *profile = NULL;
	cdn_cleanup_free char *text = NULL;
	struct cordon_error err = { 0 };

	if (cordon_profile_resolve(policy, name, &profile, &err) != 0 ||
	    cordon_profile_format(profile, format_of(args), &text, &err) != 0) {
		cli_failure(NULL, &err);
		cordon_profile_free(profile);
		return CLI_INVALID;
	}
	cordon_profile_free(profile);
	print(args, text);
	return CLI_YES;
}

/* All profiles, or what a policy without any says of `unrestricted`. */
static int
show_profiles(const struct cli_args *args, const struct cordon_policy *policy)
{
	const char *name = cli_value(args, CLI_PROFILE);
	size_t n = cordon_policy_profile_count(policy);
	int status = CLI_YES;

	if (name != NULL || n == 0)
		return show_profile(args, policy, name);
	for (size_t i = 0; i < n && status == CLI_YES; i++) {
		if (i > 0 && !cli_has(args, CLI_JSON))
			fputs("---\n", stdout);
		status = show_profile(args, policy,
		    cordon_policy_profile_name(policy, i));
	}
	return status;
}

static int
show_named(const struct cli_args *args, const char *name)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;
	int rc = cordon_store_get(name, diags, &policy, &err);

	if (rc != 0) {
		cli_failure(diags, &err);
		if (rc == CORDON_E_NOT_FOUND)
			cli_hint("'cordon policy list' names those there are");
	} else {
		status = show_profiles(args, policy);
		cordon_policy_free(policy);
	}
	cordon_diags_free(diags);
	return status;
}

/* A named policy is asked by itself: what belongs to a workspace is not. */
static bool
named_fits(const struct cli_args *args)
{
	static const enum cli_option foreign[] = { CLI_POLICY, CLI_PRESET,
		CLI_WORKSPACE, CLI_READ, CLI_WRITE, CLI_NETWORK };

	for (size_t i = 0; i < CDN_LEN(foreign); i++) {
		if (!cli_has(args, foreign[i]))
			continue;
		cli_error("'--%s' does not go with the NAME of a policy",
		    cli_option_row(foreign[i])->name);
		cli_hint("without NAME 'cordon policy show' tells what holds "
			 "here");
		return false;
	}
	return true;
}

int
cli_policy_show(const struct cli_args *args)
{
	if (args->operands.n > 0)
		return named_fits(args) ?
		    show_named(args, args->operands.v[0]) :
		    CLI_INVALID;
	if (!cli_workspace_named(args))
		return CLI_INVALID;
	cli_workspace_hint(args);
	return show_session(args, cordon_session_format);
}

/* ----- list ------------------------------------------------------------- */

static void
print_entry_json(const struct cordon_store_entry *entry)
{
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_member(&json, "name", entry->name);
	cli_json_member(&json, "layer", cordon_layer_name(entry->layer));
	cli_json_bytes(&json, "file", NULL, cdn_str_of(entry->file));
	cli_json_end(&json);
}

static void
print_entry(const struct cordon_store_entry *entry, void *arg)
{
	const struct cli_args *args = arg;

	if (cli_has(args, CLI_JSON)) {
		print_entry_json(entry);
		return;
	}
	cli_put_safe(stdout, cdn_str_of(entry->name));
	printf("  %s  ", cordon_layer_name(entry->layer));
	cli_put_safe(stdout, cdn_str_of(entry->file));
	putchar('\n');
}

int
cli_policy_list(const struct cli_args *args)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_error err = { 0 };
	struct cli_args copy = *args; /* the callback's argument is not const */
	int rc = cordon_store_list(print_entry, &copy, diags, &err);

	if (rc != 0)
		cli_failure(diags, &err);
	cordon_diags_free(diags);
	return rc == 0 ? CLI_YES : CLI_INVALID;
}
