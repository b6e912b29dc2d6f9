/*
 * rules - which commands may run, which need approval, and what they get.
 *
 * A pattern is the beginning of an argv: "git push" is the two words `git` and
 * `push`, and fits `git push origin main`, not `git -C x push` and not
 * `/usr/bin/git push`.  The first rule that fits decides.  Only one simple
 * command can fit: whatever hides behind `;`, `&&`, `$( )`, a redirection, an
 * assignment or a pattern for files never inherits what was granted to the
 * words in front of it.
 *
 * Pure.  Finished lists are immutable.
 */
#ifndef CDN_SHELL_RULES_H
#define CDN_SHELL_RULES_H

#include "engine/shell/shell.h"

struct cdn_shell_rule {
	cdn_str pattern;       /* as authored */
	const cdn_str *argv;   /* its words */
	size_t argc;
	bool approval_required;
};

enum cdn_shell_default {
	CDN_SHELL_DEFAULT_NONE, /* what fits no rule is refused */
	CDN_SHELL_DEFAULT_ALLOW,
	CDN_SHELL_DEFAULT_ASK
};

#define CDN_SHELL_NO_RULE (-1)

/* Fills argv from the pattern, which must be one simple command itself. */
CDN_MUST_USE int cdn_shell_rule_build(struct cdn_arena *arena, cdn_str pattern,
    bool approval_required, struct cdn_shell_rule *ret,
    struct cordon_error *err);

/* The index of the first rule that fits, or CDN_SHELL_NO_RULE. */
int cdn_shell_rule_find(const struct cdn_shell_rule *rules, size_t n,
    const struct cdn_shell *command);

/* What comes of it; rule: the answer of cdn_shell_rule_find(). */
enum cordon_decision cdn_shell_rule_decide(const struct cdn_shell_rule *rules,
    int rule, enum cdn_shell_default fallback);

/*
 * A list of programs that may be started.  `scoped` says that there is a list
 * at all: an empty one then allows nothing.  Names are compared as they are
 * given: what a bare name means on PATH is for the caller to find out.
 */
bool cdn_programs_allow(const char *const *programs, size_t n, bool scoped,
    const char *program);

/* The rule that an audit names: the list, or "<no allowed programs>". */
void cdn_programs_rule(const char *const *programs, size_t n, char *out,
    size_t size);

#endif
