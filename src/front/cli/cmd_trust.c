/*
 * `cordon trust`: which project policies may do more than narrow.
 *
 * What is being trusted is shown before it is recorded, and what is recorded
 * is the digest that was shown: a file that changes in between is not
 * trusted.
 */
#include "front/cli/cli.h"

#define PROJECT_POLICY ".cordon/policy.yaml"

/* ----- What would change ------------------------------------------------ */

static int
open_there(const char *dir, struct cordon_diags *diags,
    struct cordon_session **ret, struct cordon_error *err)
{
	struct cordon_session_options options = {
		.size = sizeof(options),
		.workspace = dir,
		.profile = "unrestricted", /* which every policy has */
	};

	return cordon_session_new(&options, diags, ret, err);
}

/* ----- Showing ---------------------------------------------------------- */

typedef const char *names_fn(const struct cordon_policy *policy, size_t i);

static void
put_names(const char *label, const struct cordon_policy *policy,
    names_fn *names)
{
	const char *name;

	printf("%s", label);
	for (size_t i = 0;
	     policy != NULL && (name = names(policy, i)) != NULL; i++) {
		fputs(i > 0 ? ", " : "", stdout);
		cli_put_safe(stdout, cdn_str_of(name));
	}
	putchar('\n');
}

static void
put_names_json(struct cli_json *json, const char *key,
    const struct cordon_policy *policy, names_fn *names)
{
	const char *name;

	cdn_json_put_key(&json->w, key);
	cdn_json_open(&json->w, '[');
	for (size_t i = 0; policy != NULL && (name = names(policy, i)) != NULL;
	     i++)
		cdn_json_put_cstring(&json->w, name);
	cdn_json_close(&json->w);
}

static void
put_opened(const char *what, const char *value, void *arg)
{
	(void)arg;
	fputs("opens:     ", stdout);
	cli_put_safe(stdout, cdn_str_of(what));
	fputs(": ", stdout);
	cli_put_safe(stdout, cdn_str_of(value));
	putchar('\n');
}

static void
put_opened_json(const char *what, const char *value, void *arg)
{
	struct cli_json *json = arg;
	cdn_cleanup_free char *text = cli_printf("%s: %s", what, value);

	cdn_json_put_cstring(&json->w, text);
}

/* merged is NULL when the user has no policy of their own. */
static void
show(const struct cli_args *args, const char *file,
    const struct cordon_policy *project, const struct cordon_policy *merged)
{
	struct cli_json json;

	if (cli_has(args, CLI_JSON)) {
		cli_json_begin(&json);
		cli_json_bytes(&json, "file", NULL, cdn_str_of(file));
		cli_json_member(&json, "name", cordon_policy_name(project));
		cli_json_member(&json, "digest", cordon_policy_digest(project));
		put_names_json(&json, "profiles", project,
		    cordon_policy_profile_name);
		put_names_json(&json, "widened", merged, cordon_policy_widened);
		cdn_json_put_key(&json.w, "opens");
		cdn_json_open(&json.w, '[');
		cordon_policy_opens(project, put_opened_json, &json);
		cdn_json_close(&json.w);
		cli_json_end(&json);
		return;
	}
	fputs("file:      ", stdout);
	cli_put_safe(stdout, cdn_str_of(file));
	fputs("\nname:      ", stdout);
	cli_put_safe(stdout, cdn_str_of(cordon_policy_name(project)));
	printf("\nsha256:    %s\n", cordon_policy_digest(project));
	put_names("profiles:  ", project, cordon_policy_profile_name);
	put_names("widened:   ", merged, cordon_policy_widened);
	cordon_policy_opens(project, put_opened, NULL);
}

/* ----- Recording --------------------------------------------------------- */

/* Does everything still fit together, now that this project is trusted? */
static bool
opens(const char *dir)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };
	bool good = open_there(dir, diags, &session, &err) == 0;

	if (!good)
		cli_failure(diags, &err);
	cordon_session_free(session);
	cordon_diags_free(diags);
	return good;
}

/*
 * A trusted project that cannot be loaded would stop every later question in
 * it: better not to trust it at all.
 */
static int
record(const char *dir, const char *digest)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_error err = { 0 };
	int rc = cordon_trust_add(dir, digest, diags, &err);

	if (rc != 0)
		cli_failure(diags, &err);
	cordon_diags_free(diags);
	if (rc != 0)
		return CLI_INVALID;
	if (opens(dir))
		return CLI_YES;
	if (cordon_trust_revoke(dir, &err) != 0)
		cli_failure(NULL, &err);
	return CLI_INVALID;
}

static int
trust(const struct cli_args *args, const char *dir)
{
	cdn_cleanup_free char *file = cli_printf("%s/" PROJECT_POLICY, dir);
	struct cordon_policy *project = NULL, *merged = NULL;
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (cordon_trust_preview(dir, diags, &project, &merged, &err) != 0) {
		cli_failure(diags, &err);
		if (err.code == CORDON_E_NOT_FOUND)
			cli_hint("'cordon policy init' writes one to start "
				 "from");
	} else {
		show(args, file, project, merged);
		status = record(dir, cordon_policy_digest(project));
	}
	cordon_diags_free(diags);
	if (status == CLI_YES && !cli_has(args, CLI_JSON))
		puts("trusted until the file changes");
	cordon_policy_free(merged);
	cordon_policy_free(project);
	return status;
}

static int
revoke(const char *dir)
{
	struct cordon_error err = { 0 };

	if (cordon_trust_revoke(dir, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	fputs("no longer trusted: ", stdout);
	cli_put_safe(stdout, cdn_str_of(dir));
	putchar('\n');
	return CLI_YES;
}

/* ----- Listing ---------------------------------------------------------- */

static void
print_trusted(const struct cordon_trust_entry *entry, void *arg)
{
	const struct cli_args *args = arg;
	struct cli_json json;

	if (cli_has(args, CLI_JSON)) {
		cli_json_begin(&json);
		cli_json_bytes(&json, "dir", "dir_hex", cdn_str_of(entry->dir));
		cli_json_member(&json, "digest", entry->digest);
		cdn_json_put_key(&json.w, "current");
		cdn_json_put_bool(&json.w, entry->current);
		cli_json_end(&json);
		return;
	}
	printf("%s  %s  ", entry->current ? "current" : "changed",
	    entry->digest);
	cli_put_safe(stdout, cdn_str_of(entry->dir));
	putchar('\n');
}

static int
list(const struct cli_args *args)
{
	struct cli_args copy = *args; /* the callback's argument is not const */
	struct cordon_error err = { 0 };

	if (cordon_trust_list(print_trusted, &copy, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	return CLI_YES;
}

/* ----- The command ------------------------------------------------------ */

int
cli_trust(const struct cli_args *args)
{
	const char *dir = cli_value(args, CLI_WORKSPACE);
	size_t named = args->operands.n + (dir != NULL ? 1 : 0);

	if (named + cli_has(args, CLI_LIST) + cli_has(args, CLI_REVOKE) > 1) {
		cli_error("'cordon trust' takes one of DIR, '--list' and "
			  "'--revoke DIR'");
		return cli_usage(cli_command_find("trust"));
	}
	if (cli_has(args, CLI_LIST))
		return list(args);
	if (cli_has(args, CLI_REVOKE))
		return revoke(cli_value(args, CLI_REVOKE));
	if (args->operands.n > 0)
		return trust(args, args->operands.v[0]);
	if (dir != NULL)
		return trust(args, dir);
	if (!cli_workspace_named(args))
		return CLI_INVALID;
	cli_workspace_hint(args);
	return trust(args, ".");
}
