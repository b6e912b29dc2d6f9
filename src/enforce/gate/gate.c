#include "enforce/gate/gate.h"

/* ----- Why not -------------------------------------------------------------- */

void
cdn_gate_refuse(struct cordon_refused *refused, enum cordon_refusal why)
{
	if (refused != NULL)
		*refused = (struct cordon_refused){ .code = why };
}

/* A question that got no verdict. */
static void
refuse_failure(struct cordon_refused *refused, int code)
{
	static const struct {
		int code;
		enum cordon_refusal why;
	} reasons[] = {
		{ CORDON_E_INVALID, CORDON_REFUSAL_INVALID },
		{ CORDON_E_LINKS, CORDON_REFUSAL_LOOP },
		{ CORDON_E_WORKSPACE, CORDON_REFUSAL_MISSING },
		{ CORDON_E_NOT_FOUND, CORDON_REFUSAL_MISSING },
	};

	for (size_t i = 0; i < CDN_LEN(reasons); i++)
		if (reasons[i].code == code) {
			cdn_gate_refuse(refused, reasons[i].why);
			return;
		}
	cdn_gate_refuse(refused, CORDON_REFUSAL_OS);
}

static enum cordon_refusal
class_of(const struct cordon_verdict *verdict)
{
	if (verdict->layer == CORDON_LAYER_FLOOR)
		return CORDON_REFUSAL_SECRET;
	if (strcmp(verdict->matched_rule, "<outside workspace>") == 0)
		return CORDON_REFUSAL_OUTSIDE;
	/* In none of the worker's roots. */
	if (verdict->layer == CORDON_LAYER_WORKER && verdict->rule_text == NULL)
		return CORDON_REFUSAL_OUTSIDE;
	return CORDON_REFUSAL_DENIED;
}

/*
 * What may not be modified is secret, outside or denied if it may not be read
 * for that reason either: /etc is on the floor for writers only.
 */
static enum cordon_refusal
reason_of(const struct cordon_path_policy *policy, const struct cdn_real *real,
    const struct cordon_verdict *verdict)
{
	bool document = verdict->layer == CORDON_LAYER_DEFAULTS ||
	    (verdict->layer >= CORDON_LAYER_HOST &&
		verdict->layer <= CORDON_LAYER_POLICY);
	struct cordon_verdict reading;

	if (verdict->operation != CORDON_MODIFY || document ||
	    cdn_session_judge(policy->session, CORDON_AS_AGENT, CORDON_READ,
		real, &reading, NULL) != 0)
		return class_of(verdict);
	return reading.allowed ? CORDON_REFUSAL_READONLY : class_of(&reading);
}

static const char *
profile_of(enum cordon_refusal why, const struct cordon_verdict *verdict)
{
	if (why == CORDON_REFUSAL_OUTSIDE)
		return "workdir-sandbox";
	if (why == CORDON_REFUSAL_SECRET)
		return "daemon-secret-denylist";
	return verdict->profile;
}

static const char *const hints[CORDON_REFUSAL_MAX] = {
	[CORDON_REFUSAL_OUTSIDE] =
	    "it is outside the workspace and every declared root",
	[CORDON_REFUSAL_SECRET] = "it is protected from everybody",
	[CORDON_REFUSAL_READONLY] = "it may be read, but not modified",
	[CORDON_REFUSAL_DENIED] = "the policy denies it",
};

static int
refuse_verdict(const struct cordon_path_policy *policy,
    const struct cdn_real *real, const struct cordon_verdict *verdict,
    struct cordon_refused *refused, struct cordon_error *err)
{
	enum cordon_refusal why = reason_of(policy, real, verdict);
	struct cdn_pos pos = { verdict->source, verdict->line,
		verdict->column };

	if (refused != NULL)
		*refused = (struct cordon_refused){
			.code = why,
			.profile = profile_of(why, verdict),
			.has_verdict = true,
			.verdict = *verdict,
		};
	return cdn_err_at(err, CORDON_E_DENIED, pos,
	    "%s of '%s' is refused: %s (%s)",
	    cordon_op_name(verdict->operation), real->path, hints[why],
	    verdict->matched_rule);
}

/* ----- Judging ---------------------------------------------------------------- */

int
cdn_gate_judge(const struct cordon_path_policy *policy, enum cordon_op op,
    const struct cdn_real *real, struct cordon_refused *refused,
    struct cordon_error *err)
{
	struct cordon_verdict verdict;
	int code = cdn_session_judge(policy->session, CORDON_AS_AGENT, op,
	    real, &verdict, err);

	if (code != 0) {
		refuse_failure(refused, code);
		return code;
	}
	if (!verdict.allowed)
		return refuse_verdict(policy, real, &verdict, refused, err);
	return 0;
}

static int
check_raw(cdn_str raw, struct cordon_error *err)
{
	if (raw.n > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "path is longer than %d bytes", CDN_PATH_MAX);
	if (raw.n > 0 && memchr(raw.p, '\0', raw.n) != NULL)
		return cdn_err(err, CORDON_E_INVALID, "path holds a NUL byte");
	return 0;
}

int
cdn_gate_enforce(const struct cordon_path_policy *policy, const char *base,
    enum cordon_op op, cdn_str raw, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err)
{
	int code = check_raw(raw, err);

	if (code == 0)
		code = cdn_session_find(policy->session, base, raw, real, err);
	if (code != 0) {
		refuse_failure(refused, code);
		return code;
	}
	return cdn_gate_judge(policy, op, real, refused, err);
}

/* ----- Staying inside ----------------------------------------------------------- */

static bool
lies_in(const struct cdn_real *inner, const struct cdn_real *outer)
{
	if (outer->len == 1) /* "/" */
		return true;
	return inner->len >= outer->len &&
	    memcmp(inner->path, outer->path, outer->len) == 0 &&
	    (inner->path[outer->len] == '/' ||
	    inner->path[outer->len] == '\0');
}

static int
refuse_outside(const char *dir, cdn_str name, struct cordon_refused *refused,
    struct cordon_error *err)
{
	cdn_gate_refuse(refused, CORDON_REFUSAL_OUTSIDE);
	if (refused != NULL)
		refused->profile = "workdir-sandbox";
	return cdn_err(err, CORDON_E_DENIED,
	    "'%.*s' does not stay in '%s' (give a name below it)",
	    CDN_STR_ARG(name), dir);
}

int
cdn_gate_join(const struct cordon_path_policy *policy, const char *dir,
    cdn_str name, struct cdn_real *real, struct cordon_refused *refused,
    struct cordon_error *err)
{
	struct cdn_real top;
	int code;

	if (name.n > 0 && name.p[0] == '/')
		return refuse_outside(dir, name, refused, err);
	code = cdn_gate_enforce(policy, policy->base, CORDON_READ,
	    cdn_str_of(dir), &top, refused, err);
	if (code == 0)
		code = cdn_gate_enforce(policy, top.path, CORDON_READ, name,
		    real, refused, err);
	if (code == 0 && !lies_in(real, &top))
		return refuse_outside(dir, name, refused, err);
	return code;
}

/* ----- A workspace apart from what is private ----------------------------------- */

static int
check_apart(const struct cordon_session *session, const char *dir,
    const char *whose, struct cordon_error *err)
{
	struct cdn_real workspace, other;
	int code;

	if (dir[0] != '/')
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' must be an absolute path", dir);
	code = cdn_path_workspace(session->workspace, &workspace, err);
	if (code == 0)
		code = cdn_path_resolve("/", cdn_str_of(dir), &other, err);
	if (code != 0)
		return code;
	if (!lies_in(&workspace, &other) && !lies_in(&other, &workspace))
		return 0;
	return cdn_err(err, CORDON_E_INVALID,
	    "workspace '%s' and %s '%s' overlap (choose a directory apart "
	    "from it)", session->workspace, whose, dir);
}

int
cdn_gate_apart(const struct cordon_session *session,
    const char *const *private_dirs, size_t n, struct cordon_error *err)
{
	int code = 0;

	if (session->places.state[0] != '\0')
		code = check_apart(session, session->places.state,
		    "cordon's state", err);
	for (size_t i = 0; i < n && code == 0; i++)
		code = check_apart(session, private_dirs[i],
		    "the private directory", err);
	return code;
}
