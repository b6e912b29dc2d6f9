#include "enforce/session/inodes.h"

#include <sys/stat.h>

#include "enforce/session/othernames.h"
#include "engine/match/pattern.h"

/* One object, one question. */
struct look {
	const struct cordon_session *session;
	const struct cdn_question *question;
	const struct cdn_real *real;
	struct cordon_verdict *verdict;
};

/* Takes over what is said of another name, if that is a denial. */
static bool
denied_as(const struct look *look, const char *name)
{
	struct cdn_question question = *look->question;
	struct cordon_verdict there;

	question.path = cdn_str_of(name);
	cdn_decide(look->session->authority, &question, &there);
	if (there.allowed)
		return false;
	*look->verdict = there;
	return true;
}

/* The same for a name of the workspace, which a rule must take away. */
static bool
protected_as(const struct look *look, const char *name)
{
	struct cdn_question question = *look->question;

	question.path = cdn_str_of(name);
	return cdn_decide_protects(look->session->authority, &question,
	    look->verdict);
}

/*
 * The system's own programs have several names often, and nobody's key is one
 * of them: there a doubt (a directory with too much in it) says nothing.
 */
static bool
is_held(const struct look *look, const char *place)
{
	enum cdn_held held = cdn_path_holds_inode(place, look->real->dev,
	    look->real->ino);

	return held == CDN_HELD || (held == CDN_HELD_PERHAPS &&
	    !cdn_other_names_of_system(look->session, look->question->path));
}

static bool
denied_by_places(const struct look *look, const struct cdn_place_list *places)
{
	for (size_t i = 0; i < places->n; i++) {
		const struct cdn_place *place = &places->v[i];

		if (!place->glob && is_held(look, place->path) &&
		    denied_as(look, place->path))
			return true;
	}
	return false;
}

/* One rule that denies exactly one path of the workspace. */
static bool
denied_by_rule(const struct look *look, const struct cdn_rule *rule)
{
	char name[CDN_PATH_MAX + 1];
	struct stat st;
	int n;

	if (!rule->negated || !cdn_rule_is_exact(rule->pattern))
		return false;
	n = snprintf(name, sizeof(name), "%s/%s", look->session->workspace,
	    rule->pattern.p);
	return n > 0 && (size_t)n < sizeof(name) && stat(name, &st) == 0 &&
	    st.st_dev == look->real->dev && st.st_ino == look->real->ino &&
	    protected_as(look, name);
}

static bool
denied_by_set(const struct look *look, const struct cdn_rule_set *set)
{
	for (size_t i = 0; i < set->rules.n; i++)
		if (denied_by_rule(look, &set->rules.v[i]))
			return true;
	return false;
}

/* Whoever may not read it may not modify it either. */
static bool
denied_by_documents(const struct look *look)
{
	const struct cordon_session *s = look->session;
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	size_t n;

	for (size_t i = 0; i < s->document_count; i++)
		for (size_t op = 0; op < CDN_RULE_OPS; op++)
			if (denied_by_set(look,
				&s->documents[i].profile->sets[op]))
				return true;
	n = cdn_authority_builtins(s->authority, builtins);
	for (size_t i = 0; i < n; i++)
		if (denied_by_set(look,
			&builtins[i].profile->sets[CORDON_MODIFY]))
			return true;
	return false;
}

void
cdn_inodes_judge(const struct cordon_session *session,
    const struct cdn_question *question, const struct cdn_real *real,
    struct cordon_verdict *verdict, struct cdn_rule *rule)
{
	struct look look = { session, question, real, verdict };

	if (!verdict->allowed || !real->exists || real->is_directory ||
	    real->nlink < 2)
		return;
	if (!denied_by_places(&look, &session->spec.closed) &&
	    (question->as == CORDON_AS_PROCESS ||
		!denied_by_places(&look, &session->spec.kept)) &&
	    !denied_by_places(&look, &session->inodes) &&
	    !denied_by_documents(&look))
		cdn_other_names_judge(question, real->dev, real->ino, verdict,
		    session->other_names);
	if (verdict->allowed)
		return;
	if (rule != NULL)
		*rule = (struct cdn_rule){
			.text = cdn_str_of(verdict->rule_text),
			.pattern = cdn_str_of(verdict->matched_rule),
			.negated = true,
			.pos = { verdict->source, verdict->line,
			    verdict->column },
		};
}
