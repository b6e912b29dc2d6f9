/*
 * bwrap - plans for that backend, and the command it comes to.
 */
#include "enforce/launch/process.h"

#include "enforce/backend/wrapper.h"
#include "enforce/bubble/helper.h"
#include "enforce/home/env.h"
#include "enforce/host/deep.h"
#include "enforce/launch/plant.h"
#include "enforce/session/survey.h"

#define NO_BROKER_ABI 7 /* with mounts nothing is lacking that it counts */

/*
 * Starting it is what shows whether it works, and a run does that.  Only who
 * goes on without has to know before.
 */
void
cdn_launch_bwrap_host(struct cdn_host *host, enum cdn_enforcement enforcement)
{
	static const char *const places[] = { CDN_WRAPPER_BWRAP };
	const char *found = cdn_wrapper_find(places, CDN_LEN(places));

	host->bwrap = found == NULL ? CDN_BWRAP_MISSING :
	    enforcement != CDN_ENFORCEMENT_BEST_EFFORT ? CDN_BWRAP_USABLE :
							 cdn_deep_bwrap(found);
	host->landlock_abi = host->bwrap == CDN_BWRAP_USABLE ? NO_BROKER_ABI :
							       0;
	host->landlock_errata = 0;
	host->seccomp_notify = false;
	host->yama_scope = 0;
}

/*
 * What is denied by name in a git directory, without the allow list: names that
 * come later cannot be mounted, and a read-only git directory takes no commit.
 */
static int
find_mounted(const struct cordon_plan *plan, const struct cdn_authority **ret,
    struct cordon_error *err)
{
	const struct cordon_session *session = plan->session;
	struct cdn_authority_spec spec = *cdn_plant_spec(session,
	    CDN_FOR_BWRAP, plan->arena);
	int code = cdn_survey_facts(session, &spec.facts, err);

	if (code != 0)
		return code;
	spec.facts.git_denies_only = true;
	code = cdn_authority_build(plan->arena, &spec, ret, err);
	if (code == 0 && session->outer != NULL)
		code = cdn_authority_below(plan->arena, *ret,
		    session->outer->authority, ret, err);
	return code;
}

int
cdn_launch_bwrap_plan(struct cordon_plan *plan, struct cordon_error *err)
{
	const struct cordon_session *session = plan->session;
	struct cdn_bwrap_input input = {
		.plan = plan->plan,
		.authority = cdn_plant_authority(session, CDN_FOR_BWRAP,
		    plan->arena),
		.spec = &session->spec,
		.reader = &cdn_launch_reader,
		.links = cdn_launch_links,
		.tmp = session->own.tmp,
		.unsealed = !cdn_helper_is_possible(&plan->host),
	};
	int code = find_mounted(plan, &input.mounted, err);

	if (code == 0)
		code = cdn_bwrap_build(plan->arena, &input, &plan->bwrap, err);
	if (code == 0)
		plan->plan = plan->bwrap.plan;
	return code;
}

/* ----- For people --------------------------------------------------------- */

static const char *const *
copy_words(struct cdn_arena *arena, const char *program,
    const char *const *argv)
{
	size_t n = 0;
	const char **v;

	while (argv[n] != NULL)
		n++;
	v = cdn_arena_array(arena, n + 1, sizeof(*v));
	if (v == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *word = i == 0 ? program : argv[i];

		v[i] = cdn_arena_dup(arena, word, strlen(word));
		if (v[i] == NULL)
			return NULL;
	}
	return v;
}

int
cdn_launch_bwrap_command(struct cordon_plan *plan,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	struct cordon_process p = { .arena = plan->arena,
		.session = plan->session, .options = options,
		.terms = plan->terms };
	const char *path, *program;
	int code;

	if (options->argv == NULL || options->argv[0] == NULL)
		return 0;
	code = cdn_launch_environment(&p, err);
	if (code == 0)
		code = cdn_launch_cwd(&p, err);
	if (code != 0)
		return code;
	path = cdn_env_find(p.request.envp, "PATH");
	/* What is not there now may be when it is called. */
	if (cdn_launch_program(plan->session, options,
		path == NULL ? CDN_ENV_DEFAULT_PATH : path, plan->arena,
		&program, NULL) != 0)
		program = options->argv[0];
	plan->envp = p.request.envp;
	plan->cwd = p.cwd;
	plan->argv = copy_words(plan->arena, program, options->argv);
	return plan->argv == NULL ? cdn_err_nomem(err) : 0;
}

static bool
is_plain(const char *word)
{
	return word[0] != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%") == strlen(word);
}

/* As a shell takes it for one word. */
static void
put_word(struct cdn_buf *out, const char *word)
{
	if (out->n > 0)
		cdn_buf_putc(out, ' ');
	if (is_plain(word)) {
		cdn_buf_puts(out, word);
		return;
	}
	cdn_buf_putc(out, '\'');
	for (; *word != '\0'; word++)
		if (*word == '\'')
			cdn_buf_puts(out, "'\\''");
		else
			cdn_buf_putc(out, *word);
	cdn_buf_putc(out, '\'');
}

static void
put_words(struct cdn_buf *out, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++)
		put_word(out, words[i]);
}

int
cdn_launch_bwrap_argv(const struct cordon_plan *plan, struct cdn_buf *out,
    struct cordon_error *err)
{
	struct cdn_bwrap_command command = { .cwd = plan->cwd,
		.envp = plan->envp, .seccomp_fd = -1, .status_fd = -1,
		.ready_fd = -1, .alone = true };
	const char *const *words;
	size_t n;
	int code;

	if (plan->terms.backend != CORDON_BACKEND_BWRAP)
		return cdn_err(err, CORDON_E_INVALID,
		    "only the backend bwrap is a command");
	if (plan->argv == NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "a command to be run is missing (behind '--')");
	code = cdn_bwrap_words(plan->arena, &plan->bwrap, &command, &words, &n,
	    err);
	if (code != 0)
		return code;
	put_word(out, CDN_WRAPPER_BWRAP);
	put_words(out, words);
	put_word(out, "--");
	put_words(out, plan->argv);
	cdn_buf_putc(out, '\n');
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}
