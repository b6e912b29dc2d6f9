#include "api/api.h"

#include "enforce/session/lint.h"
#include "enforce/session/session.h"
#include "enforce/store/store.h"
#include "engine/match/normalize.h"
#include "engine/match/pattern.h"
#include "engine/policy/policy.h"
#include "engine/profile/profile.h"

int
cdn_api_give(int code, struct cdn_buf *buf, char **ret,
    struct cordon_error *err)
{
	char *text;

	if (code != 0) {
		cdn_buf_done(buf);
		return code;
	}
	text = cdn_buf_take(buf);
	if (text == NULL) {
		cdn_buf_done(buf);
		return cdn_err_nomem(err);
	}
	*ret = text;
	return 0;
}

/* ----- Documents ----------------------------------------------------------- */

int
cordon_policy_load(const char *file, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	CDN_NEED(file, err);
	CDN_NEED(ret, err);
	return cdn_store_load(file, true, diags, ret, err);
}

int
cordon_policy_load_part(const char *file, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	CDN_NEED(file, err);
	CDN_NEED(ret, err);
	return cdn_store_load_part(file, true, diags, ret, err);
}

int
cordon_policy_parse(const char *text, size_t len, const char *source,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	CDN_NEED(text, err);
	CDN_NEED(source, err);
	CDN_NEED(ret, err);
	return cdn_policy_parse((cdn_str){ text, len }, source, diags, ret,
	    err);
}

int
cordon_policy_merge(const struct cordon_policy *global,
    const struct cordon_policy *workspace, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	CDN_NEED(global, err);
	CDN_NEED(workspace, err);
	CDN_NEED(ret, err);
	return cdn_policy_merge(global, workspace, diags, ret, err);
}

void
cordon_policy_free(struct cordon_policy *policy)
{
	cdn_policy_free(policy);
}

const char *
cordon_policy_name(const struct cordon_policy *policy)
{
	return policy->name.p;
}

const char *
cordon_policy_description(const struct cordon_policy *policy)
{
	return policy->description.p;
}

const char *
cordon_policy_digest(const struct cordon_policy *policy)
{
	return policy->digest;
}

size_t
cordon_policy_profile_count(const struct cordon_policy *policy)
{
	return policy->profile_count;
}

const char *
cordon_policy_profile_name(const struct cordon_policy *policy, size_t i)
{
	return i < policy->profile_count ? policy->profiles[i].name.p : NULL;
}

const char *
cordon_policy_widened(const struct cordon_policy *policy, size_t i)
{
	return i < policy->widened.n ? policy->widened.v[i].text.p : NULL;
}

/* ----- What trust opens ------------------------------------------------------- */

struct opener {
	void (*opens)(const char *what, const char *value, void *arg);
	void *arg;
	const char *profile; /* "" outside of one */
};

CDN_PRINTF(3, 4)
static void
tell_open(const struct opener *o, const char *key, const char *fmt, ...)
{
	char what[CDN_NAME_MAX + 64], value[2 * CDN_PATH_MAX];
	va_list ap;

	snprintf(what, sizeof(what), "%s%s%s%s",
	    o->profile[0] == '\0' ? "" : "fsProfiles.", o->profile,
	    o->profile[0] == '\0' ? "" : ".", key);
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	o->opens(what, value, o->arg);
}

static void
tell_roots(const struct opener *o, const char *key,
    const struct cdn_roots *roots)
{
	for (size_t i = 0; i < roots->n; i++)
		tell_open(o, key, "%s", roots->v[i].text.p);
}

static void
tell_rules(const struct opener *o, const char *key,
    const struct cdn_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		tell_open(o, key, "%s", rules->v[i].text.p);
}

static void
tell_texts(const struct opener *o, const char *key,
    const struct cdn_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		tell_open(o, key, "%s", texts->v[i].text.p);
}

static void
tell_profile(const struct opener *o, const struct cdn_profile_def *p)
{
	struct opener in = *o;

	in.profile = p->name.p;
	tell_roots(&in, "host.read", &p->host_read);
	tell_roots(&in, "host.modify", &p->host_modify);
	tell_roots(&in, "sockets", &p->sockets);
	if (p->network.mode == CDN_NETWORK_FULL)
		tell_open(&in, "network", "full");
	if (p->network.mode == CDN_NETWORK_LOOPBACK)
		tell_open(&in, "network", "loopback");
	if (p->network.mode == CDN_NETWORK_LIST)
		tell_rules(&in, "network", &p->network.rules);
}

void
cordon_policy_opens(const struct cordon_policy *policy,
    void (*opens)(const char *what, const char *value, void *arg), void *arg)
{
	const struct opener o = { opens, arg, "" };

	tell_rules(&o, "unprotect", &policy->unprotect);
	tell_texts(&o, "env.pass", &policy->env.pass);
	for (size_t i = 0; i < policy->env.set_names.n; i++)
		tell_open(&o, "env.set", "%s=%s",
		    policy->env.set_names.v[i].text.p,
		    policy->env.set_values.v[i].text.p);
	tell_roots(&o, "runtime_write_roots", &policy->runtime_write_roots);
	if (policy->audit_warn)
		tell_open(&o, "audit.onFailure", "warn");
	for (size_t i = 0; i < policy->mcp_count; i++)
		if (!policy->mcp[i].is_path)
			tell_open(&o, "mcp", "%.*s: {%.*s: text}",
			    CDN_STR_ARG(policy->mcp[i].tool),
			    CDN_STR_ARG(policy->mcp[i].field));
	for (size_t i = 0; i < policy->profile_count; i++)
		tell_profile(&o, &policy->profiles[i]);
}

int
cordon_policy_format(const struct cordon_policy *policy,
    enum cordon_format format, char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(policy, err);
	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_policy_format(policy, format, &buf, err), &buf,
	    ret, err);
}

int
cordon_policy_lint(const struct cordon_policy *policy, const char *workspace,
    struct cordon_diags *diags, struct cordon_error *err)
{
	CDN_NEED(policy, err);
	CDN_NEED(diags, err);
	return cdn_session_lint(policy, workspace, diags, err);
}

int
cordon_policy_schema(char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_policy_schema(&buf, err), &buf, ret, err);
}

int
cordon_policy_reference(char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_policy_reference(&buf, err), &buf, ret, err);
}

/* ----- Strings ------------------------------------------------------------- */

int
cordon_path_normalize(const char *path, size_t len, char *out, size_t size,
    struct cordon_error *err)
{
	size_t n;

	CDN_NEED(path, err);
	CDN_NEED(out, err);
	return cdn_path_normalize((cdn_str){ path, len }, out, size, &n, err);
}

int
cordon_rule_normalize(const char *rule, size_t len, char *out, size_t size,
    struct cordon_error *err)
{
	cdn_str text = { rule, len };
	bool negated;
	size_t n;

	CDN_NEED(rule, err);
	CDN_NEED(out, err);
	text = cdn_str_trim(text);
	negated = text.n > 0 && text.p[0] == '!';
	if (!negated)
		return cdn_rule_normalize(text, false, out, size, &n, err);
	if (size < 2)
		return cdn_err(err, CORDON_E_INVALID, "no room for the rule");
	out[0] = '!';
	return cdn_rule_normalize(cdn_str_from(text, 1), true, out + 1,
	    size - 1, &n, err);
}

/* Both texts normalised into a scratch arena, then asked. */
static int
glob_match(struct cdn_arena *arena, cdn_str pattern, cdn_str path,
    struct cordon_error *err)
{
	char *rule = cdn_arena_alloc(arena, pattern.n + 2);
	char *name = cdn_arena_alloc(arena, path.n + 1);
	struct cdn_pattern parsed;
	size_t rule_len, name_len = 0;
	int code;

	if (rule == NULL || name == NULL)
		return cdn_err_nomem(err);
	code = cdn_rule_normalize(pattern, false, rule, pattern.n + 2,
	    &rule_len, err);
	if (code == 0 && path.n > 0)
		code = cdn_path_normalize(path, name, path.n + 1, &name_len,
		    err);
	if (code == 0)
		code = cdn_pattern_parse(arena, (cdn_str){ rule, rule_len }, 0,
		    &parsed, err);
	if (code != 0)
		return code;
	return cdn_pattern_match(&parsed, (cdn_str){ name, name_len });
}

int
cordon_glob_match(const char *pattern, const char *path, size_t path_len,
    struct cordon_error *err)
{
	struct cdn_arena *arena;
	int result;

	CDN_NEED(pattern, err);
	CDN_NEED(path, err);
	arena = cdn_arena_new();
	if (arena == NULL)
		return cdn_err_nomem(err);
	result = glob_match(arena, cdn_str_of(pattern),
	    (cdn_str){ path, path_len }, err);
	cdn_arena_free(arena);
	return result;
}

int
cordon_rule_covers(const char *read_rule, const char *modify_rule,
    struct cordon_error *err)
{
	CDN_NEED(read_rule, err);
	CDN_NEED(modify_rule, err);
	return cdn_rule_covers(cdn_str_of(read_rule),
	    cdn_str_of(modify_rule));
}

int
cordon_name_check(const char *name, size_t len, struct cordon_error *err)
{
	CDN_NEED(name, err);
	return cdn_name_check((cdn_str){ name, len }, err);
}

const char *
cordon_profile_default(const char *fs_profile)
{
	return cdn_session_profile_default(fs_profile);
}
