#include "front/cli/cli.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

/* ----- Too wide --------------------------------------------------------- */

static bool
is_here(const char *dir)
{
	struct stat here, there;

	return dir != NULL && dir[0] == '/' && stat(".", &here) == 0 &&
	    stat(dir, &there) == 0 && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino;
}

/* What cannot be found out is found out again, and said, by the session. */
static bool
home_is_here(void)
{
	bool home = false;

	return cordon_is_home(".", &home, NULL) == 0 && home;
}

bool
cli_workspace_too_wide(const struct cli_args *args)
{
	return !cli_has(args, CLI_WORKSPACE) && (is_here("/") || home_is_here());
}

bool
cli_workspace_named(const struct cli_args *args)
{
	if (!cli_workspace_too_wide(args))
		return true;
	cli_error("the current directory is %s, which is not a workspace "
		  "unless it is named",
	    is_here("/") ? "'/'" : "a home directory");
	cli_hint("change to the directory of a project, or name it: "
		 "--workspace DIR");
	cli_hint("'--workspace .' opens everything here, all projects and "
		 "documents, to be read and changed (credentials stay closed, "
		 "start files of shells and the desktop read-only)");
	return false;
}

/* ----- The top of the work tree ----------------------------------------- */

/* A directory that git would take for its own, or a file that names one. */
static bool
has_git(const char *dir)
{
	cdn_cleanup_free char *git = cli_printf("%s/.git", dir);
	cdn_cleanup_free char *head = cli_printf("%s/HEAD", git);
	struct stat st;

	if (lstat(git, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return lstat(head, &st) == 0;
	return S_ISREG(st.st_mode);
}

void
cli_workspace_hint(const struct cli_args *args)
{
	cdn_cleanup_free char *dir = NULL;
	char *slash;

	if (cli_has(args, CLI_WORKSPACE) || cli_output_is_quiet())
		return;
	dir = getcwd(NULL, 0);
	if (dir == NULL || has_git(dir))
		return;
	while ((slash = strrchr(dir, '/')) != NULL && slash != dir) {
		*slash = '\0';
		if (has_git(dir)) {
			cli_note("the workspace is the current directory, not "
				 "the whole work tree; for that: --workspace "
				 "'%s'",
			    dir);
			return;
		}
	}
}

/* ----- Opening ---------------------------------------------------------- */

struct cordon_diags *
cli_diags_new(void)
{
	struct cordon_diags *diags = cordon_diags_new();

	if (diags == NULL)
		cli_out_of_memory();
	return diags;
}

static bool
is_word(const struct cli_args *args, enum cli_option option, const char *word)
{
	const char *value = cli_value(args, option);

	return value != NULL && strcmp(value, word) == 0;
}

/* Read once, whatever number of sessions are made of it; it outlives them. */
static int
load_worker(const char *file, struct cordon_diags *diags,
    const struct cordon_worker **ret, struct cordon_error *err)
{
	static struct cordon_worker *worker;
	int code = worker != NULL ? 0 :
	    cordon_worker_load(file, diags, &worker, err);

	if (code == 0)
		*ret = worker;
	return code;
}

/* --agent; without it a command may be one by its name. */
static bool
read_agent(const struct cli_args *args, enum cordon_agent *ret)
{
	const char *word = cli_value(args, CLI_AGENT);
	int found;

	*ret = args->is_agent ? CORDON_AGENT_AUTO : CORDON_AGENT_NONE;
	if (word == NULL)
		return true;
	found = cli_word_find(cli_agent_word, word);
	*ret = (enum cordon_agent)((found + 1) % CORDON_AGENT_MAX);
	return found >= 0;
}

int
cli_session_options(const struct cli_args *args, const char *profile,
    struct cordon_diags *diags, struct cordon_session_options *ret,
    struct cordon_error *err)
{
	static const struct cordon_worker *worker; /* what ret points to */
	const struct cli_strings *option = args->option;
	const char *preset = cli_value(args, CLI_PRESET);
	struct cordon_session_options o = {
		.size = sizeof(o),
		.workspace = cli_value(args, CLI_WORKSPACE),
		.policies = option[CLI_POLICY].v,
		.policy_count = option[CLI_POLICY].n,
		.profile = profile != NULL ? profile :
					     cli_value(args, CLI_PROFILE),
		.read = option[CLI_READ].v,
		.read_count = option[CLI_READ].n,
		.write = option[CLI_WRITE].v,
		.write_count = option[CLI_WRITE].n,
		.network = cli_value(args, CLI_NETWORK),
		.host_home = is_word(args, CLI_HOME, "host"),
		.allow = option[CLI_ALLOW].v,
		.allow_count = option[CLI_ALLOW].n,
		.command = args->command,
	};

	if (preset != NULL) {
		int found = cli_word_find(cli_preset_word, preset);

		if (found < 0)
			return cdn_err(err, CORDON_E_INVALID,
			    "'%s' is no preset (protect, workspace, strict)",
			    preset);
		o.preset = (enum cordon_preset)found;
	}
	if (cli_has(args, CLI_WORKER)) {
		int code = load_worker(cli_value(args, CLI_WORKER), diags,
		    &worker, err);

		if (code != 0)
			return code;
		o.workers = &worker;
		o.worker_count = 1;
	}
	if (!read_agent(args, &o.agent))
		return cdn_err(err, CORDON_E_INVALID, "'%s' is no agent (auto, "
		    "claude, codex, gemini, opencode, none)",
		    cli_value(args, CLI_AGENT));
	*ret = o;
	return 0;
}

int
cli_session_new(const struct cli_args *args, const char *profile,
    struct cordon_diags *diags, struct cordon_session **ret,
    struct cordon_error *err)
{
	struct cordon_session_options options;
	int code = cli_session_options(args, profile, diags, &options, err);

	return code != 0 ? code : cordon_session_new(&options, diags, ret, err);
}

typedef int cli_load_fn(const char *file, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err);

static struct cordon_policy *
policy_load(cli_load_fn *load, const char *file)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };

	if (load(file, diags, &policy, &err) != 0) {
		cli_failure(diags, &err);
		policy = NULL;
	}
	cordon_diags_free(diags);
	return policy;
}

struct cordon_policy *
cli_policy_load(const char *file)
{
	return policy_load(cordon_policy_load, file);
}

struct cordon_policy *
cli_policy_load_part(const char *file)
{
	return policy_load(cordon_policy_load_part, file);
}
