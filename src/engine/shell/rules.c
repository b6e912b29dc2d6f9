#include "engine/shell/rules.h"

static int
check_simple(const struct cdn_shell *shell, cdn_str pattern,
    struct cordon_error *err)
{
	if (shell->simple)
		return 0;
	return cdn_err(err, CORDON_E_INVALID,
	    "pattern '%.*s' is not one simple command (the words it begins "
	    "with, without operators, redirections or expansions)",
	    CDN_STR_ARG(pattern));
}

int
cdn_shell_rule_build(struct cdn_arena *arena, cdn_str pattern,
    bool approval_required, struct cdn_shell_rule *ret,
    struct cordon_error *err)
{
	struct cdn_shell shell;
	cdn_str *argv;
	int code = cdn_shell_parse(arena, pattern, &shell, err);

	if (code == 0)
		code = check_simple(&shell, pattern, err);
	if (code != 0)
		return code;
	argv = cdn_arena_array(arena, shell.n, sizeof(*argv));
	if (argv == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < shell.n; i++)
		argv[i] = shell.v[i].text;
	*ret = (struct cdn_shell_rule){ pattern, argv, shell.n,
		approval_required };
	return 0;
}

static bool
fits(const struct cdn_shell_rule *rule, const struct cdn_shell *command)
{
	if (rule->argc > command->n)
		return false;
	for (size_t i = 0; i < rule->argc; i++)
		if (!cdn_str_eq(rule->argv[i], command->v[i].text))
			return false;
	return true;
}

int
cdn_shell_rule_find(const struct cdn_shell_rule *rules, size_t n,
    const struct cdn_shell *command)
{
	if (!command->simple)
		return CDN_SHELL_NO_RULE;
	for (size_t i = 0; i < n && i < CDN_SHELL_RULES_MAX; i++)
		if (fits(&rules[i], command))
			return (int)i;
	return CDN_SHELL_NO_RULE;
}

enum cordon_decision
cdn_shell_rule_decide(const struct cdn_shell_rule *rules, int rule,
    enum cdn_shell_default fallback)
{
	static const enum cordon_decision without[] = {
		[CDN_SHELL_DEFAULT_NONE] = CORDON_DENY,
		[CDN_SHELL_DEFAULT_ALLOW] = CORDON_ALLOW,
		[CDN_SHELL_DEFAULT_ASK] = CORDON_ASK,
	};

	if (rule == CDN_SHELL_NO_RULE)
		return without[fallback];
	return rules[rule].approval_required ? CORDON_ASK : CORDON_ALLOW;
}
