/*
 * shell - every path that can be seen in a command, judged before it runs.
 */
#include "enforce/gate/gate.h"

#include "engine/shell/shell.h"

struct walk {
	const struct cordon_path_policy *policy;
	struct cdn_shell shell;
	const struct cdn_shell_word *word;
	char base[CDN_PATH_MAX + 1]; /* relative words start here */
	struct cordon_shell_verdict *ret;
	struct cordon_error *err;
	int code;
};

/* ----- Refusing ----------------------------------------------------------------- */

static void
keep_token(struct cordon_shell_verdict *ret, cdn_str token)
{
	size_t n = token.n < sizeof(ret->token) ? token.n :
						  sizeof(ret->token) - 1;

	if (n > 0)
		memcpy(ret->token, token.p, n);
	ret->token[n] = '\0';
}

static void
refuse(struct cordon_shell_verdict *ret, cdn_str token, const char *reason)
{
	ret->allowed = false;
	keep_token(ret, token);
	snprintf(ret->reason, sizeof(ret->reason), "%s", reason);
}

static void
refuse_home(struct walk *w, cdn_str token)
{
	cdn_gate_refuse(&w->ret->refused, CORDON_REFUSAL_INVALID);
	refuse(w->ret, token,
	    "'~' is a home that only the shell would find (write the "
	    "directory)");
}

/* ----- One path ------------------------------------------------------------------ */

static bool
is_in_workspace(const struct walk *w, const struct cdn_real *real)
{
	const char *workspace = w->policy->session->workspace;
	size_t n = strlen(workspace);

	return strncmp(real->path, workspace, n) == 0 &&
	    (n == 1 || real->path[n] == '/' || real->path[n] == '\0');
}

/* Did a rule say so that is about this very name? */
static bool
is_named(const struct walk *w)
{
	const struct cordon_verdict *v = &w->ret->refused.verdict;

	return w->ret->refused.has_verdict &&
	    (v->rule_text != NULL || v->deny_rule != NULL);
}

static enum cdn_shell_use
use_of(const struct walk *w, const struct cdn_shell_path *path)
{
	if (w->word->role == CDN_SHELL_OUTPUT)
		return CDN_SHELL_USE_WRITE;
	return w->word->part && path->whole ? CDN_SHELL_USE_READ :
					      w->word->use;
}

/*
 * A relative word may be anything: text, an option's value, an expression for
 * sed.  So rules about names inside decide only about what is there, or would
 * be written; what lies outside or on the floor is refused in any case, and so
 * is what a redirection would open.  Of a guess only what is there counts.
 */
static bool
is_file(const struct walk *w, const struct cdn_real *real,
    const struct cdn_shell_path *path)
{
	bool written = w->word->role == CDN_SHELL_ARGUMENT &&
	    use_of(w, path) == CDN_SHELL_USE_WRITE;

	if (real->exists || (written && (w->word->sure || is_named(w))))
		return true;
	if (path->guess)
		return false;
	return path->path.p[0] == '/' || w->word->role != CDN_SHELL_ARGUMENT ||
	    w->ret->refused.code == CORDON_REFUSAL_SECRET ||
	    !is_in_workspace(w, real);
}

/* The program is started by a process, which sees more than the agent. */
static int
judge_program(struct walk *w, const struct cdn_real *real,
    struct cordon_error *why)
{
	struct cordon_verdict verdict;
	int code = cdn_session_judge(w->policy->session, CORDON_AS_PROCESS,
	    CORDON_EXEC, real, &verdict, why);

	if (code != 0 || verdict.allowed)
		return code;
	return cdn_gate_judge(w->policy, CORDON_EXEC, real, &w->ret->refused,
	    why);
}

/* What comes to lie in a directory: under the last part of its old name. */
static int
judge_landing(struct walk *w, const struct cdn_real *dir,
    const struct cdn_shell_word *moved, struct cordon_error *why)
{
	cdn_str name = moved->text;
	struct cdn_real real;
	size_t from;
	int code;

	while (name.n > 1 && name.p[name.n - 1] == '/')
		name.n--;
	for (from = name.n; from > 0 && name.p[from - 1] != '/'; from--)
		;
	name = cdn_str_from(name, from);
	if (moved->known < moved->text.n || name.n == 0)
		return 0; /* dynamic */
	if (cdn_str_is(name, ".") || cdn_str_is(name, ".."))
		return cdn_gate_judge(w->policy, CORDON_MODIFY, dir,
		    &w->ret->refused, why);
	code = cdn_session_find(w->policy->session, dir->path, name, &real,
	    why);
	return code != 0 ? code : cdn_gate_judge(w->policy, CORDON_MODIFY,
	    &real, &w->ret->refused, why);
}

static int
judge_landings(struct walk *w, const struct cdn_real *dir,
    struct cordon_error *why)
{
	int code = 0;

	for (size_t i = 0; i < w->shell.n && code == 0; i++)
		if (w->shell.v[i].command == w->word->command &&
		    w->shell.v[i].operand && &w->shell.v[i] != w->word)
			code = judge_landing(w, dir, &w->shell.v[i], why);
	return code;
}

static int
judge_use(struct walk *w, enum cdn_shell_use use, const struct cdn_real *real,
    struct cordon_error *why)
{
	static const struct {
		enum cordon_op op[2];
		size_t n;
	} uses[] = {
		[CDN_SHELL_USE_READ] = { { CORDON_READ }, 1 },
		[CDN_SHELL_USE_WRITE] = { { CORDON_MODIFY }, 1 },
		[CDN_SHELL_USE_MOVE] = { { CORDON_READ, CORDON_MODIFY }, 2 },
	};
	int code = 0;

	if (w->word->into && real->exists && real->is_directory)
		return judge_landings(w, real, why);
	for (size_t i = 0; i < uses[use].n && code == 0; i++)
		code = cdn_gate_judge(w->policy, uses[use].op[i], real,
		    &w->ret->refused, why);
	return code;
}

static int
judge_path(struct walk *w, const struct cdn_shell_path *path,
    struct cdn_real *real, struct cordon_error *why)
{
	int code = cdn_session_find(w->policy->session, w->base, path->path,
	    real, why);

	if (code != 0) {
		cdn_gate_refuse(&w->ret->refused, code == CORDON_E_LINKS ?
		    CORDON_REFUSAL_LOOP : CORDON_REFUSAL_OS);
		return code;
	}
	if (w->word->role == CDN_SHELL_COMMAND)
		return judge_program(w, real, why);
	return judge_use(w, use_of(w, path), real, why);
}

/* A text that no file could be called. */
static bool
is_no_name(const struct walk *w, const struct cdn_shell_path *path)
{
	return path->guess || (path->path.p[0] != '/' &&
	    w->word->role == CDN_SHELL_ARGUMENT);
}

/* False: it was refused, or could not be judged; no more is looked at. */
static bool
check_path(const struct cdn_shell_path *path, void *arg)
{
	struct walk *w = arg;
	struct cordon_error why = { 0 };
	struct cdn_real real;
	int code;

	if (path->home) {
		refuse_home(w, path->path);
		return false;
	}
	if (cdn_shell_pseudo_path(path->path) || path->path.n > CDN_PATH_MAX)
		return true;
	code = judge_path(w, path, &real, &why);
	if (code == CORDON_E_NOMEM) {
		w->code = cdn_err_nomem(w->err);
		return false;
	}
	if (code == 0 || (code == CORDON_E_DENIED &&
	    !is_file(w, &real, path)))
		return true;
	if (code != CORDON_E_DENIED && is_no_name(w, path))
		return true;
	refuse(w->ret, path->path, why.text);
	return false;
}

/* ----- Words ------------------------------------------------------------------------ */

/* A bare name is looked for on PATH, which is not the agent's to choose. */
static bool
names_path(const struct cdn_shell_word *word)
{
	switch (word->role) {
	case CDN_SHELL_COMMAND:
		return memchr(word->text.p, '/', word->text.n) != NULL ||
		    word->home;
	case CDN_SHELL_TEXT:
	case CDN_SHELL_RESERVED:
		return false;
	default:
		return true;
	}
}

/*
 * `cd DIR` moves those that follow, where it is sure to have come first.  A DIR
 * that is not known leaves the rest unknown.
 */
static void
change_directory(struct walk *w, size_t i)
{
	const struct cdn_shell_word *v = w->shell.v;
	const struct cdn_shell_word *dir = &v[i + 1];
	struct cdn_real real;

	if (!cdn_str_is(v[i].text, "cd") || v[i].role != CDN_SHELL_COMMAND)
		return;
	if (i + 1 >= w->shell.n || dir->command != v[i].command ||
	    dir->role != CDN_SHELL_ARGUMENT || dir->known < dir->text.n ||
	    dir->text.p[0] == '-' || !w->shell.sequential ||
	    cdn_session_find(w->policy->session, w->base, dir->text, &real,
		NULL) != 0 || !real.exists || !real.is_directory) {
		w->ret->dynamic = true;
		return;
	}
	memcpy(w->base, real.path, real.len + 1);
}

static void
walk_words(struct walk *w)
{
	size_t moved = SIZE_MAX;

	for (size_t i = 0; i < w->shell.n && w->code == 0 &&
	     w->ret->allowed; i++) {
		w->word = &w->shell.v[i];
		/* the words of `cd` itself start where it starts */
		if (moved != SIZE_MAX &&
		    w->word->command != w->shell.v[moved].command) {
			change_directory(w, moved);
			moved = SIZE_MAX;
		}
		if (w->word->role == CDN_SHELL_COMMAND)
			moved = i;
		if (names_path(w->word))
			cdn_shell_paths(w->word, check_path, w);
	}
}

/* ----- The whole --------------------------------------------------------------------- */

/*
 * Where it starts; relative words start there, too.  The workspace needs no
 * permission: to be there shows nothing of it.
 */
static int
check_cwd(struct walk *w, const char *given)
{
	const char *cwd = given != NULL ? given : w->policy->base;
	struct cordon_error why = { 0 };
	struct cdn_real real;
	int code = given == NULL ?
	    cdn_session_find(w->policy->session, w->policy->base,
		CDN_STR(""), &real, &why) :
	    cdn_gate_enforce(w->policy, w->policy->base, CORDON_READ,
		cdn_str_of(cwd), &real, &w->ret->refused, &why);

	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(w->err);
	if (code == 0 && (!real.exists || !real.is_directory)) {
		cdn_gate_refuse(&w->ret->refused, CORDON_REFUSAL_MISSING);
		code = cdn_err(&why, CORDON_E_NOT_FOUND,
		    "'%s' is no directory", cwd);
	}
	if (code != 0)
		refuse(w->ret, cdn_str_of(cwd), why.text);
	else
		memcpy(w->base, real.path, real.len + 1);
	return 0;
}

static void
check_dynamic(struct cordon_shell_verdict *ret, bool enforced)
{
	if (!ret->allowed || !ret->dynamic || enforced)
		return;
	cdn_gate_refuse(&ret->refused, CORDON_REFUSAL_DENIED);
	refuse(ret, CDN_STR(""),
	    "what it expands to is not known before it runs, and the kernel "
	    "would not hold all of it here (see `cordon plan`)");
}

static int
walk(struct walk *w, const struct cordon_shell_query *query,
    struct cdn_arena *arena)
{
	struct cordon_error why = { 0 };
	int code = check_cwd(w, query->cwd);

	if (code != 0 || !w->ret->allowed)
		return code;
	code = cdn_shell_parse(arena,
	    (cdn_str){ query->command, query->command_len }, &w->shell, &why);
	if (code == 0)
		code = cdn_shell_operands(arena, &w->shell, &why);
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(w->err);
	if (code != 0) {
		cdn_gate_refuse(&w->ret->refused, CORDON_REFUSAL_INVALID);
		refuse(w->ret, CDN_STR(""), why.text);
		return 0;
	}
	w->ret->dynamic = w->shell.dynamic;
	w->ret->simple = w->shell.simple;
	walk_words(w);
	check_dynamic(w->ret, query->enforced);
	if (w->ret->allowed)
		w->ret->refused = (struct cordon_refused){ 0 };
	return w->code;
}

int
cdn_gate_shell(const struct cordon_path_policy *policy,
    const struct cordon_shell_query *query, struct cordon_shell_verdict *ret,
    struct cordon_error *err)
{
	struct cordon_shell_verdict verdict = { .allowed = true };
	struct walk w = { .policy = policy, .ret = &verdict, .err = err };
	struct cdn_arena *arena = cdn_arena_new();
	int code;

	if (arena == NULL)
		return cdn_err_nomem(err);
	code = walk(&w, query, arena);
	cdn_arena_free(arena);
	if (code == 0)
		*ret = verdict;
	return code;
}

int
cdn_gate_shell_moves(cdn_str text, struct cdn_arena *arena, bool *ret,
    struct cordon_error *err)
{
	static const char *const names[] = { "cd", "chdir", "pushd", "popd" };
	struct cdn_shell shell;
	int code = cdn_shell_parse(arena, text, &shell, NULL);

	*ret = false;
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(err);
	for (size_t i = 0; code == 0 && i < shell.n; i++)
		for (size_t k = 0; k < CDN_LEN(names); k++)
			*ret |= (shell.v[i].role == CDN_SHELL_COMMAND ||
			    shell.v[i].role == CDN_SHELL_ARGUMENT) &&
			    cdn_str_is(shell.v[i].text, names[k]);
	return 0;
}
