/*
 * The agent's side of the boundary: paths, shell commands, programs.
 */
#include "api/api.h"

#include "enforce/gate/gate.h"
#include "engine/shell/rules.h"

const char *
cordon_refusal_name(enum cordon_refusal refusal)
{
	static const char *const names[CORDON_REFUSAL_MAX] = {
		[CORDON_REFUSAL_NONE] = "none",
		[CORDON_REFUSAL_OUTSIDE] = "outside",
		[CORDON_REFUSAL_SECRET] = "secret",
		[CORDON_REFUSAL_READONLY] = "readonly",
		[CORDON_REFUSAL_DENIED] = "denied",
		[CORDON_REFUSAL_SUFFIX] = "suffix",
		[CORDON_REFUSAL_SIZE] = "size",
		[CORDON_REFUSAL_MISSING] = "missing",
		[CORDON_REFUSAL_LOOP] = "loop",
		[CORDON_REFUSAL_APPROVAL] = "approval",
		[CORDON_REFUSAL_MAX_COUNT] = "max_count",
		[CORDON_REFUSAL_MAX_TOTAL_BYTES] = "max_total_bytes",
		[CORDON_REFUSAL_PROGRAM] = "program",
		[CORDON_REFUSAL_INVALID] = "invalid",
		[CORDON_REFUSAL_OS] = "os",
	};

	return (unsigned)refusal < CORDON_REFUSAL_MAX ? names[refusal] : NULL;
}

/* ----- Paths ------------------------------------------------------------------ */

int
cordon_path_policy_new(const struct cordon_session *session,
    const char *const *private_dirs, size_t private_count,
    struct cordon_path_policy **ret, struct cordon_error *err)
{
	struct cordon_path_policy *policy;
	int code;

	CDN_NEED(session, err);
	CDN_NEED(ret, err);
	code = cdn_gate_apart(session, private_dirs, private_count, err);
	if (code != 0)
		return code;
	policy = malloc(sizeof(*policy));
	if (policy == NULL)
		return cdn_err_nomem(err);
	*policy = (struct cordon_path_policy){ session, session->workspace };
	*ret = policy;
	return 0;
}

void
cordon_path_policy_free(struct cordon_path_policy *policy)
{
	free(policy);
}

static int
check_op(enum cordon_op op, struct cordon_error *err)
{
	if (op == CORDON_READ || op == CORDON_MODIFY || op == CORDON_EXEC)
		return 0;
	return cdn_err(err, CORDON_E_INVALID,
	    "a path is read, modified or executed, nothing else");
}

static int
give_path(const struct cdn_real *real, char *out, size_t size,
    struct cordon_error *err)
{
	if (size <= real->len)
		return cdn_err(err, CORDON_E_INVALID,
		    "no room for the real path");
	memcpy(out, real->path, real->len + 1);
	return 0;
}

int
cordon_path_enforce(const struct cordon_path_policy *policy, enum cordon_op op,
    const char *raw, size_t len, char *out, size_t size,
    struct cordon_refused *refused, struct cordon_error *err)
{
	struct cdn_real real;
	int code;

	CDN_NEED(policy, err);
	CDN_NEED(raw, err);
	CDN_NEED(out, err);
	code = check_op(op, err);
	if (code == 0)
		code = cdn_gate_enforce(policy, policy->base, op,
		    (cdn_str){ raw, len }, &real, refused, err);
	return code != 0 ? code : give_path(&real, out, size, err);
}

bool
cordon_path_is_allowed(const struct cordon_path_policy *policy,
    enum cordon_op op, const char *raw, size_t len)
{
	struct cdn_real real;

	return policy != NULL && raw != NULL && check_op(op, NULL) == 0 &&
	    cdn_gate_enforce(policy, policy->base, op, (cdn_str){ raw, len },
		&real, NULL, NULL) == 0;
}

int
cordon_path_open(const struct cordon_path_policy *policy, const char *raw,
    size_t len, int flags, unsigned mode, int *ret_fd,
    struct cordon_refused *refused, struct cordon_error *err)
{
	struct cdn_real real;

	CDN_NEED(policy, err);
	CDN_NEED(raw, err);
	CDN_NEED(ret_fd, err);
	return cdn_gate_open(policy, (cdn_str){ raw, len }, flags, mode,
	    ret_fd, &real, refused, err);
}

int
cordon_path_join_inside(const struct cordon_path_policy *policy,
    const char *dir, const char *name, size_t len, char *out, size_t size,
    struct cordon_refused *refused, struct cordon_error *err)
{
	struct cdn_real real;
	int code;

	CDN_NEED(policy, err);
	CDN_NEED(dir, err);
	CDN_NEED(name, err);
	CDN_NEED(out, err);
	code = cdn_gate_join(policy, dir, (cdn_str){ name, len }, &real,
	    refused, err);
	return code != 0 ? code : give_path(&real, out, size, err);
}

/* ----- The block list ------------------------------------------------------------ */

/* Without an answer it is blocked. */
static bool
is_blocked(enum cordon_op op, const char *path, const char *data_dir,
    const char *config_path)
{
	struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_BLOCK,
		.op = op,
		.path = path,
		.path_len = path != NULL ? strlen(path) : 0,
		.data_dir = data_dir,
		.config_path = config_path,
	};
	struct cordon_verdict verdict;

	return cdn_session_check(NULL, &query, &verdict, NULL) != 0 ||
	    !verdict.allowed;
}

bool
cordon_is_write_blocked(const char *path, const char *data_dir,
    const char *config_path)
{
	return is_blocked(CORDON_MODIFY, path, data_dir, config_path);
}

bool
cordon_is_read_blocked(const char *path, const char *data_dir,
    const char *config_path)
{
	return is_blocked(CORDON_READ, path, data_dir, config_path);
}

/* ----- Shell commands --------------------------------------------------------------- */

int
cordon_shell_check(const struct cordon_path_policy *policy,
    const struct cordon_shell_query *query, struct cordon_shell_verdict *ret,
    struct cordon_error *err)
{
	CDN_NEED(policy, err);
	CDN_NEED(query, err);
	CDN_NEED(ret, err);
	if (query->size < sizeof(*query) || query->command == NULL)
		return cdn_err(err, CORDON_E_INVALID, "incomplete query");
	return cdn_gate_shell(policy, query, ret, err);
}

static int
match_rules(struct cdn_arena *arena, const struct cordon_shell_rule *rules,
    size_t count, cdn_str command, int *ret, struct cordon_error *err)
{
	struct cdn_shell_rule *built =
	    cdn_arena_array(arena, count + 1, sizeof(*built));
	struct cdn_shell shell;
	int code = cdn_shell_parse(arena, command, &shell, err);

	if (built == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < count && code == 0; i++) {
		if (rules[i].pattern == NULL)
			return cdn_err(err, CORDON_E_INVALID,
			    "rule %zu has no pattern", i);
		code = cdn_shell_rule_build(arena,
		    cdn_str_of(rules[i].pattern), rules[i].approval_required,
		    &built[i], err);
	}
	if (code == 0)
		*ret = cdn_shell_rule_find(built, count, &shell);
	return code;
}

/* By the numbers of the public ones. */
static const enum cdn_shell_default defaults[] = {
	[CORDON_SHELL_DEFAULT_NONE] = CDN_SHELL_DEFAULT_NONE,
	[CORDON_SHELL_DEFAULT_ALLOW] = CDN_SHELL_DEFAULT_ALLOW,
	[CORDON_SHELL_DEFAULT_ASK] = CDN_SHELL_DEFAULT_ASK,
};

int
cordon_shell_rules_match(const struct cordon_shell_rule *rules, size_t count,
    enum cordon_shell_default fallback, const char *command, size_t len,
    struct cordon_shell_decision *ret, struct cordon_error *err)
{
	struct cdn_shell_rule found = { 0 };
	struct cdn_arena *arena;
	int code, rule = CDN_SHELL_NO_RULE;

	CDN_NEED(command, err);
	CDN_NEED(ret, err);
	if ((unsigned)fallback >= CDN_LEN(defaults) ||
	    (count > 0 && rules == NULL))
		return cdn_err(err, CORDON_E_INVALID, "incomplete rules");
	if (count > CDN_SHELL_RULES_MAX)
		return cdn_err(err, CORDON_E_INVALID, "more than %d rules",
		    CDN_SHELL_RULES_MAX);
	arena = cdn_arena_new();
	if (arena == NULL)
		return cdn_err_nomem(err);
	code = match_rules(arena, rules, count, (cdn_str){ command, len },
	    &rule, err);
	cdn_arena_free(arena);
	if (code != 0)
		return code;
	ret->rule = NULL;
	if (rule != CDN_SHELL_NO_RULE) {
		ret->rule = &rules[rule];
		found.approval_required = rules[rule].approval_required;
		rule = 0;
	}
	ret->decision = cdn_shell_rule_decide(&found, rule,
	    defaults[fallback]);
	return 0;
}

int
cordon_program_check(const char *const *programs, size_t count, bool scoped,
    const char *program, struct cordon_program_verdict *ret,
    struct cordon_error *err)
{
	CDN_NEED(program, err);
	CDN_NEED(ret, err);
	if (count > 0 && programs == NULL)
		return cdn_err(err, CORDON_E_INVALID, "incomplete list");
	ret->allowed = cdn_programs_allow(programs, count, scoped, program);
	ret->profile = "proc.allowed_programs";
	cdn_programs_rule(programs, count, ret->matched_rule,
	    sizeof(ret->matched_rule));
	return 0;
}
