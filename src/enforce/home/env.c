#include "enforce/home/env.h"

#include "enforce/home/env_names.h"

/* ----- The list -------------------------------------------------------------- */

/* Several entries may have one name: the one that was added first counts. */
struct entry {
	cdn_str name;	  /* the start of text */
	char *text;	  /* NAME=VALUE */
	size_t order;
};

struct list {
	struct cdn_arena *arena;
	struct entry *v;
	size_t n, room;
};

static int
add(struct list *list, cdn_str name, cdn_str value, struct cordon_error *err)
{
	struct entry *v;
	char *text;

	if (value.n > CDN_ENV_VALUE_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "the value of '%.*s' is longer than %d bytes",
		    CDN_STR_ARG(name), CDN_ENV_VALUE_MAX);
	if (list->n == CDN_ENV_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "more than %d variables for one run", CDN_ENV_MAX);
	v = cdn_arena_grow(list->arena, list->v, list->n, &list->room,
	    sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(err);
	list->v = v;
	text = cdn_arena_alloc(list->arena, name.n + value.n + 2);
	if (text == NULL)
		return cdn_err_nomem(err);
	memcpy(text, name.p, name.n);
	text[name.n] = '=';
	if (value.n > 0)
		memcpy(text + name.n + 1, value.p, value.n);
	v[list->n] = (struct entry){ { text, name.n }, text, list->n };
	list->n++;
	return 0;
}

/* NAME=VALUE -> its two halves; false when it is none. */
static bool
split(const char *text, cdn_str *ret_name, cdn_str *ret_value)
{
	cdn_str rest = cdn_str_of(text);

	*ret_value = rest;
	return cdn_str_next(&rest, '=', ret_name) && rest.p != NULL &&
	    cdn_env_is_name(*ret_name) &&
	    (*ret_value = rest, true);
}

/* ----- --env ----------------------------------------------------------------- */

static bool
find_caller(const struct cdn_env_spec *spec, cdn_str wanted, cdn_str *ret)
{
	cdn_str name, value;

	for (size_t i = 0; spec->caller != NULL && spec->caller[i] != NULL; i++)
		if (split(spec->caller[i], &name, &value) &&
		    cdn_str_eq(name, wanted)) {
			*ret = value;
			return true;
		}
	return false;
}

static int
add_extra(struct list *list, const struct cdn_env_spec *spec, const char *text,
    struct cordon_error *err)
{
	cdn_str name, rest = cdn_str_of(text), value;

	if (!cdn_str_next(&rest, '=', &name) || !cdn_env_is_name(name))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' is not a variable (write NAME or NAME=VALUE)",
		    CDN_STR_ARG(name));
	if (cdn_env_loads(name))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' cannot be given this way: the loader obeys it "
		    "(let 'env.set' of a policy set it)",
		    CDN_STR_ARG(name));
	if (rest.p != NULL)
		return add(list, name, rest, err);
	if (!find_caller(spec, name, &value))
		return 0;
	return add(list, name, value, err);
}

static int
add_extras(struct list *list, const struct cdn_env_spec *spec,
    struct cordon_error *err)
{
	int r = 0;

	for (size_t i = spec->extra_count; r == 0 && i > 0; i--)
		r = add_extra(list, spec, spec->extra[i - 1], err);
	return r;
}

/* ----- What points to the home and the tmp ------------------------------------ */

static const struct {
	const char *name;
	const char *before;
	const char *behind;
} of_home[] = {
	{ "HOME", "", "" },
	{ "XDG_CONFIG_HOME", "", "/.config" },
	{ "XDG_CACHE_HOME", "", "/.cache" },
	{ "XDG_DATA_HOME", "", "/.local/share" },
	{ "XDG_STATE_HOME", "", "/.local/state" },
	{ "GRADLE_USER_HOME", "", "/.gradle" },
	{ "MAVEN_OPTS", "-Duser.home=", "" },
};

struct below {
	const char *name;
	const char *behind;
};

/* The last is zsh's, which knows no other and reads here-documents there. */
static const struct below of_tmp[] = {
	{ "TMPDIR", "" }, { "TMP", "" }, { "TEMP", "" },
	{ "TMPPREFIX", "/zsh" },
};

/*
 * What rerere keeps makes the host's next `git commit` copy files that are named
 * there, so that a run may not write it (engine/decide/git_rules.c), and git
 * would stop at a conflict.
 */
static const char *const of_git[][2] = {
	{ "GIT_CONFIG_COUNT", "1" },
	{ "GIT_CONFIG_KEY_0", "rerere.enabled" },
	{ "GIT_CONFIG_VALUE_0", "false" },
};

/* Where programs are told what to do; not in a home that others write. */
static const struct below of_grant[] = {
	{ "CURL_HOME", "" },
	{ "GIT_CONFIG_GLOBAL", "/.gitconfig" },
	{ "NPM_CONFIG_USERCONFIG", "/.npmrc" },
	{ "WGETRC", "/.wgetrc" },
	{ "XDG_CONFIG_HOME", "/.config" },
};

static int
add_below(struct list *list, const char *dir, const struct below *v, size_t n,
    struct cordon_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *value = cdn_arena_join(list->arena,
		    cdn_str_of(dir), cdn_str_of(v[i].behind));

		if (value == NULL)
			return cdn_err_nomem(err);
		r = add(list, cdn_str_of(v[i].name), cdn_str_of(value), err);
	}
	return r;
}

static int
add_home(struct list *list, const struct cdn_env_spec *spec,
    struct cordon_error *err)
{
	bool apart = spec->granted && spec->home[0] != '\0' &&
	    spec->tmp[0] != '\0';
	const char *value;
	int r = 0;

	if (apart)
		r = add_below(list, spec->tmp, of_grant, CDN_LEN(of_grant),
		    err);
	for (size_t i = 0; r == 0 && spec->home[0] != '\0' &&
	     i < CDN_LEN(of_home); i++) {
		value = cdn_arena_join(list->arena, cdn_str_of(spec->home),
		    cdn_str_of(of_home[i].behind));
		if (value != NULL && of_home[i].before[0] != '\0')
			value = cdn_arena_join(list->arena,
			    cdn_str_of(of_home[i].before), cdn_str_of(value));
		if (value == NULL)
			return cdn_err_nomem(err);
		r = add(list, cdn_str_of(of_home[i].name), cdn_str_of(value),
		    err);
	}
	for (size_t i = 0; r == 0 && spec->home[0] != '\0' &&
	     i < CDN_LEN(of_git); i++)
		r = add(list, cdn_str_of(of_git[i][0]),
		    cdn_str_of(of_git[i][1]), err);
	if (r == 0 && spec->tmp[0] != '\0')
		r = add_below(list, spec->tmp, of_tmp, CDN_LEN(of_tmp), err);
	return r;
}

/* ----- PATH ------------------------------------------------------------------- */

/*
 * Without empty and relative entries: both mean the current directory, and so
 * whoever writes there.  Nothing is added when nothing is left.
 */
static int
add_path(struct list *list, cdn_str name, cdn_str value,
    struct cordon_error *err)
{
	char *clean = cdn_arena_alloc(list->arena, value.n + 2);
	size_t n = 0;
	cdn_str part;

	if (clean == NULL)
		return cdn_err_nomem(err);
	while (cdn_str_next(&value, ':', &part)) {
		if (part.n == 0 || part.p[0] != '/')
			continue;
		if (n > 0)
			clean[n++] = ':';
		memcpy(clean + n, part.p, part.n);
		n += part.n;
	}
	return n == 0 ? 0 : add(list, name, (cdn_str){ clean, n }, err);
}

static int
add_cleaned(struct list *list, cdn_str name, cdn_str value,
    struct cordon_error *err)
{
	if (cdn_str_is(name, "PATH"))
		return add_path(list, name, value, err);
	return add(list, name, value, err);
}

/* ----- Layers ----------------------------------------------------------------- */

static bool
matches(const struct cdn_texts *patterns, cdn_str name)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (cdn_env_match(patterns->v[i].text, name))
			return true;
	return false;
}

static bool
names_exactly(const struct cdn_texts *patterns, cdn_str name)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (cdn_str_eq(patterns->v[i].text, name))
			return true;
	return false;
}

/* Does a layer other than `but` take it away? */
static bool
is_dropped(const struct cdn_env_spec *spec, cdn_str name, size_t but)
{
	for (size_t i = 0; i < spec->layer_count; i++)
		if (i != but && matches(&spec->layers[i].env->drop, name))
			return true;
	return false;
}

static int
add_sets(struct list *list, const struct cdn_env_spec *spec, size_t layer,
    struct cordon_error *err)
{
	const struct cdn_env *env = spec->layers[layer].env;
	int r = 0;

	/* In one document, the later value of a name holds. */
	for (size_t i = env->set_names.n; r == 0 && i > 0; i--) {
		cdn_str name = env->set_names.v[i - 1].text;

		if (!is_dropped(spec, name, layer))
			r = add_cleaned(list, name,
			    env->set_values.v[i - 1].text, err);
	}
	return r;
}

/* ----- The caller's ----------------------------------------------------------- */

/* What the `pass` lists say of a name, all of them together. */
struct passed {
	bool by_all;  /* each list has it */
	bool trusted; /* there is a list of a trusted layer */
	bool exactly; /* such a list has it without a wildcard */
};

static struct passed
ask_pass(const struct cdn_env_spec *spec, cdn_str name)
{
	struct passed passed = { .by_all = true };

	for (size_t i = 0; i < spec->layer_count; i++) {
		const struct cdn_env_layer *layer = &spec->layers[i];

		if (!layer->env->has_pass)
			continue;
		passed.by_all &= matches(&layer->env->pass, name);
		if (!layer->trusted)
			continue;
		passed.trusted = true;
		passed.exactly |= names_exactly(&layer->env->pass, name);
	}
	return passed;
}

/* Its own settings and keys. */
static bool
is_agents(const struct cdn_env_spec *spec, cdn_str name)
{
	for (size_t i = 0; spec->agent_pass != NULL &&
	     spec->agent_pass[i] != NULL; i++)
		if (cdn_env_match(cdn_str_of(spec->agent_pass[i]), name))
			return true;
	return false;
}

static bool
is_passed(const struct cdn_env_spec *spec, const struct cdn_env_names *index,
    cdn_str name)
{
	enum cdn_env_kind kind = cdn_env_names_kind(index, name);
	struct passed passed;

	if (is_dropped(spec, name, SIZE_MAX))
		return false;
	if (kind == CDN_ENV_ALWAYS)
		return true;
	if (kind == CDN_ENV_OTHER && is_agents(spec, name))
		kind = CDN_ENV_BASELINE;
	if (kind == CDN_ENV_OF_HOME)
		kind = spec->home[0] == '\0' ? CDN_ENV_BASELINE :
					       CDN_ENV_EXECUTES;
	passed = ask_pass(spec, name);
	if (!passed.by_all)
		return false;
	if (kind == CDN_ENV_EXECUTES)
		return passed.exactly;
	return passed.trusted || kind == CDN_ENV_BASELINE;
}

static int
add_callers(struct list *list, const struct cdn_env_spec *spec,
    struct cordon_error *err)
{
	CDN_UNINITIALIZED struct cdn_env_names index;
	cdn_str name, value;
	int r = 0;

	cdn_env_names_init(&index);
	for (size_t i = 0;
	     r == 0 && spec->caller != NULL && spec->caller[i] != NULL; i++)
		if (split(spec->caller[i], &name, &value) &&
		    is_passed(spec, &index, name))
			r = add_cleaned(list, name, value, err);
	return r;
}

static int
add_agents(struct list *list, const struct cdn_env_spec *spec,
    struct cordon_error *err)
{
	cdn_str name, value;
	int r = 0;

	for (size_t i = 0; r == 0 && spec->agent_set != NULL &&
	     spec->agent_set[i] != NULL; i++)
		if (split(spec->agent_set[i], &name, &value) &&
		    !is_dropped(spec, name, SIZE_MAX))
			r = add(list, name, value, err);
	return r;
}

/* ----- Composing -------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = cdn_str_cmp(x->name, y->name);

	if (order != 0)
		return order;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int
finish(struct list *list, char ***ret, struct cordon_error *err)
{
	char **all = cdn_arena_array(list->arena, list->n + 1, sizeof(*all));
	size_t n = 0;

	if (all == NULL)
		return cdn_err_nomem(err);
	qsort(list->v, list->n, sizeof(list->v[0]), by_name);
	for (size_t i = 0; i < list->n; i++)
		if (i == 0 ||
		    !cdn_str_eq(list->v[i].name, list->v[i - 1].name))
			all[n++] = list->v[i].text;
	*ret = all;
	return 0;
}

int
cdn_env_compose(struct cdn_arena *arena, const struct cdn_env_spec *spec,
    char ***ret, struct cordon_error *err)
{
	struct list list = { .arena = arena };
	int r = add_extras(&list, spec, err);

	if (r == 0)
		r = add_home(&list, spec, err);
	for (size_t i = 0; r == 0 && i < spec->layer_count; i++)
		if (spec->layers[i].trusted)
			r = add_sets(&list, spec, i, err);
	if (r == 0)
		r = add_agents(&list, spec, err);
	if (r == 0)
		r = add_callers(&list, spec, err);
	if (r == 0)
		r = add(&list, CDN_STR("PATH"), CDN_STR(CDN_ENV_DEFAULT_PATH),
		    err);
	if (r != 0)
		return r;
	return finish(&list, ret, err);
}

const char *
cdn_env_find(char *const *list, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; list[i] != NULL; i++)
		if (strncmp(list[i], name, n) == 0 && list[i][n] == '=')
			return list[i] + n + 1;
	return NULL;
}
