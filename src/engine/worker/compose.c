/*
 * compose - a worker that calls a worker: the child can have less, never more.
 */
#include "engine/worker/worker.h"

/* ----- Roots as texts ------------------------------------------------------- */

/*
 * "./a//b/" -> "a/b", "." -> "".  False when it holds "..": only the file
 * system could tell what that is.
 */
static bool
normal_root(cdn_str root, char out[CDN_PATH_MAX + 2], size_t *ret_len)
{
	cdn_str rest = root, part;
	size_t n = 0;

	if (root.n > 0 && root.p[0] == '/')
		out[n++] = '/';
	while (cdn_str_next(&rest, '/', &part)) {
		if (part.n == 0 || cdn_str_is(part, "."))
			continue;
		if (cdn_str_is(part, ".."))
			return false;
		if (n > 0 && out[n - 1] != '/')
			out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	*ret_len = n;
	return true;
}

static bool
lies_in(cdn_str inner, cdn_str outer)
{
	char a[CDN_PATH_MAX + 2], b[CDN_PATH_MAX + 2];
	size_t a_len, b_len;

	if (!normal_root(inner, a, &a_len) || !normal_root(outer, b, &b_len))
		return false;
	if (b_len == 0) /* the workspace: everything relative to it */
		return a_len == 0 || (a[0] != '/' && a[0] != '~');
	return a_len >= b_len && memcmp(a, b, b_len) == 0 &&
	    (a_len == b_len || b[b_len - 1] == '/' || a[b_len] == '/');
}

static bool
covers_root(const struct cordon_worker *parent, cdn_str root, bool write)
{
	for (size_t i = 0; i < parent->path_count; i++)
		if ((parent->paths[i].write || !write) &&
		    lies_in(root, parent->paths[i].root))
			return true;
	return false;
}

static int
check_paths(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err)
{
	if (!parent->has_paths)
		return 0;
	for (size_t i = 0; i < child->path_count; i++) {
		const struct cdn_worker_path *path = &child->paths[i];

		if (!covers_root(parent, path->root, path->write))
			return cdn_err_at(err, CORDON_E_INVALID, path->pos,
			    "sandbox.paths.%s: the calling worker may not %s "
			    "'%s' itself", path->id.p,
			    path->write ? "write" : "read", path->root.p);
	}
	return 0;
}

/* ----- The rest ---------------------------------------------------------------- */

/* A session without a worker: it grants nothing and requires enforcement. */
static const struct cordon_worker session = { 0 };

static const char *
caller_of(const struct cordon_worker *parent)
{
	return parent == &session ? "session" : "calling worker";
}

static int
too_much(const struct cordon_worker *parent,
    const struct cordon_worker *child, const char *key,
    struct cordon_error *err)
{
	struct cdn_pos pos = { child->source, 0, 0 };

	return cdn_err_at(err, CORDON_E_INVALID, pos,
	    "'%s' is more than the %s has itself", key, caller_of(parent));
}

static bool
is_more(const struct cdn_worker_number *child,
    const struct cdn_worker_number *parent)
{
	return parent->given && child->given && child->value > parent->value;
}

static bool
holds_all(const struct cdn_worker_texts *all,
    const struct cdn_worker_texts *some)
{
	for (size_t i = 0; i < some->n; i++) {
		bool found = false;

		for (size_t k = 0; k < all->n && !found; k++)
			found = cdn_str_eq(some->v[i], all->v[k]);
		if (!found)
			return false;
	}
	return true;
}

static int
check_programs(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err)
{
	if (!parent->programs.given || !child->programs.given)
		return 0;
	return holds_all(&parent->programs, &child->programs) ? 0 :
	    too_much(parent, child, "programs", err);
}

/* A rule of the caller for the same words that grants as much. */
static bool
grants_as_much(const struct cordon_worker *parent,
    const struct cdn_worker_rule *rule)
{
	for (size_t i = 0; i < parent->rule_count; i++) {
		const struct cdn_worker_rule *own = &parent->rules[i];

		if (cdn_str_eq(own->pattern, rule->pattern) &&
		    (own->grants.network == CDN_SAID_YES ||
			rule->grants.network != CDN_SAID_YES) &&
		    holds_all(&own->grants.read, &rule->grants.read) &&
		    holds_all(&own->grants.write, &rule->grants.write) &&
		    holds_all(&own->grants.sockets, &rule->grants.sockets))
			return true;
	}
	return false;
}

static bool
grants_anything(const struct cordon_worker *parent,
    const struct cdn_worker_grants *grants)
{
	return (grants->network == CDN_SAID_YES &&
		   parent->network != CDN_SAID_YES) ||
	    grants->read.n + grants->write.n + grants->sockets.n > 0;
}

/* What a person approves for a called worker the caller could get as well. */
static int
check_grants(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err)
{
	for (size_t i = 0; i < child->rule_count; i++) {
		const struct cdn_worker_rule *rule = &child->rules[i];

		if (grants_anything(parent, &rule->grants) &&
		    !grants_as_much(parent, rule))
			return cdn_err_at(err, CORDON_E_INVALID, rule->pos,
			    "shell_rules: 'grants' of '%s' are more than the "
			    "%s has itself", rule->pattern.p,
			    caller_of(parent));
	}
	return 0;
}

bool
cdn_worker_unrestricted(const struct cordon_worker *worker)
{
	for (size_t i = 0; i < worker->module_count; i++)
		if (worker->modules[i].unrestricted == CDN_SAID_YES)
			return true;
	return false;
}

/* bwrap enforces less than the native backend, and `none` nothing. */
static bool
executor_fits(enum cdn_worker_executor parent, enum cdn_worker_executor child)
{
	static const bool enforces_all[CDN_EXECUTOR_MAX] = {
		[CDN_EXECUTOR_AUTO] = true,
		[CDN_EXECUTOR_LINUX_NATIVE] = true,
	};

	return child == parent || enforces_all[child] ||
	    parent == CDN_EXECUTOR_NONE;
}

int
cdn_worker_fits_session(const struct cordon_worker *child,
    struct cordon_error *err)
{
	return cdn_worker_fits_but_roots(&session, child, err);
}

int
cdn_worker_fits(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err)
{
	int code = check_paths(parent, child, err);

	return code != 0 ? code : cdn_worker_fits_but_roots(parent, child, err);
}

int
cdn_worker_fits_but_roots(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err)
{
	int code = check_programs(parent, child, err);

	if (code == 0)
		code = check_grants(parent, child, err);
	if (code != 0)
		return code;
	/* Without a word there is no network; a session is asked for its own. */
	if (parent != &session && child->network == CDN_SAID_YES &&
	    parent->network != CDN_SAID_YES)
		return too_much(parent, child, "sandbox.network", err);
	if (parent->require_os_sandbox != CDN_SAID_NO &&
	    child->require_os_sandbox == CDN_SAID_NO)
		return too_much(parent, child, "sandbox.require_os_sandbox", err);
	if (parent->allow_fallback != CDN_SAID_YES &&
	    child->allow_fallback == CDN_SAID_YES)
		return too_much(parent, child, "executor.allow_fallback", err);
	if (is_more(&child->max_count, &parent->max_count))
		return too_much(parent, child, "attachment_policy.max_count", err);
	if (is_more(&child->max_total_bytes, &parent->max_total_bytes))
		return too_much(parent, child,
		    "attachment_policy.max_total_bytes", err);
	if (cdn_worker_unrestricted(child) && !cdn_worker_unrestricted(parent))
		return too_much(parent, child, "modules", err);
	if (!executor_fits(parent->executor, child->executor))
		return too_much(parent, child, "executor.sandbox", err);
	return 0;
}
