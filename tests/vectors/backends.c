/*
 * What the compilers of other backends write.
 */
#include "vector.h"

#include "base/buf.h"
#include "../unit/plan/tree.h"
#include "enforce/backend/wrapper.h"
#include "engine/bwrap/bwrap.h"
#include "engine/decide/agents.h"
#include "engine/seatbelt/seatbelt.h"
#include "support/world.h"

#define REPO "/Users/test/repo"

/* ----- Lists of places ------------------------------------------------------------ */

/*
 * Rules with absolute paths: those of the repository become rules of a
 * document, the others roots and what is closed.  A plain path means all below
 * it, as a root does.
 */
struct lists {
	char rules[CDN_RULE_OPS][2048];
	char outside[CDN_RULE_OPS][2048]; /* host.read, host.modify */
	char closed[2048];
};

static void
add_word(char *list, const char *separator, const char *text,
    const char *more)
{
	size_t n = strlen(list);

	snprintf(list + n, 2048 - n, "%s%s%s", n > 0 ? separator : "", text,
	    more);
}

static void
add_rule(struct lists *l, enum cordon_op op, const char *rule)
{
	bool negated = rule[0] == '!', glob = strchr(rule, '*') != NULL;
	const char *path = rule + negated;
	const char *below = glob ? "'" : "/**'";
	char text[1024];

	if (strcmp(path, REPO) == 0) {
		snprintf(text, sizeof(text), "'%s**'", negated ? "!" : "");
		add_word(l->rules[op], ", ", text, "");
	} else if (strncmp(path, REPO "/", strlen(REPO) + 1) == 0) {
		snprintf(text, sizeof(text), "'%s%s", negated ? "!" : "",
		    path + strlen(REPO) + 1);
		add_word(l->rules[op], ", ", text, below);
	} else if (negated) {
		add_word(l->closed, " ", path, "");
	} else {
		snprintf(text, sizeof(text), "%s%s", glob ? "=" : "", path);
		add_word(l->outside[op], " ", text, "");
	}
}

static void
add_rules(struct lists *l, enum cordon_op op, const json_t *list)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(list, i, rule)
		add_rule(l, op, json_string_value(rule));
}

/* ----- What is in a text ------------------------------------------------------------ */

static void
check_text(struct vector *v, const char *text)
{
	const char *at = text;
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(v->line, "expect_contains"), i, one)
		if (strstr(text, json_string_value(one)) == NULL)
			vector_fail(v, "'%s' is not there",
			    json_string_value(one));
	json_array_foreach(json_object_get(v->line, "expect_not_contains"), i,
	    one)
		if (strstr(text, json_string_value(one)) != NULL)
			vector_fail(v, "'%s' is there", json_string_value(one));
	json_array_foreach(json_object_get(v->line, "expect_order"), i, one) {
		at = strstr(at, json_string_value(one));
		if (at == NULL) {
			vector_fail(v, "'%s' is not there in this order",
			    json_string_value(one));
			return;
		}
	}
}

static char *
text_of(const struct world *w, const struct cdn_seatbelt_facts *facts)
{
	struct cdn_seatbelt seatbelt;
	struct cdn_buf out;
	char *text;

	cdn_buf_init(&out, 1 << 20);
	need(cdn_seatbelt_build(w->arena, &w->spec, facts, &seatbelt, NULL) ==
	    0 && cdn_seatbelt_format(w->arena, &seatbelt, &out, NULL) == 0,
	    "text");
	text = cdn_buf_take(&out);
	need(text != NULL, "memory");
	return text;
}

/* ----- Seatbelt ---------------------------------------------------------------------- */

static const char *
provider_dir(const json_t *env, const char *name)
{
	const struct cdn_agent *agent = cdn_agent_find(name);

	return agent == NULL || agent->variable == NULL ? NULL :
	    vector_optional(env, agent->variable);
}

void
run_sbpl(struct vector *v)
{
	const json_t *env = json_object_get(v->line, "env");
	const json_t *profile = json_object_get(v->line, "profile");
	const char *provider = vector_string(v->line, "provider");
	const struct cdn_seatbelt_facts facts = {
		vector_optional(env, "HOME"), provider,
		provider_dir(env, provider) };
	static struct lists lists;
	char spec[8192];
	struct world w;
	char *text;

	memset(&lists, 0, sizeof(lists));
	add_rules(&lists, CORDON_READ, json_object_get(profile, "read"));
	add_rules(&lists, CORDON_MODIFY, json_object_get(profile, "modify"));
	snprintf(spec, sizeof(spec),
	    "  fsProfiles: {dev: {read: [%s], modify: [%s]}}\n",
	    lists.rules[CORDON_READ], lists.rules[CORDON_MODIFY]);
	world_make(&w, &(struct world_spec){ .profile = "dev",
	    .workspace = REPO, .documents = { { CORDON_LAYER_USER, true,
	    spec } }, .closed = lists.closed,
	    .read = lists.outside[CORDON_READ],
	    .write = lists.outside[CORDON_MODIFY], .network = "full" });
	text = text_of(&w, &facts);
	check_text(v, text);
	free(text);
	world_done(&w);
}

/* The preset `protect` around a directory of somebody's data. */
static char *
protect_text(const char *data_dir, struct world *w)
{
	char closed[1024];

	snprintf(closed, sizeof(closed), "%s/data +%s/config.toml", data_dir,
	    data_dir);
	world_make(w, &(struct world_spec){ .preset = CORDON_PRESET_PROTECT,
	    .workspace = "/home/user", .closed = closed,
	    .runtime_read = "/", .runtime_write = "/", .network = "full" });
	return text_of(w, &(struct cdn_seatbelt_facts){ 0 });
}

void
run_omega_sbpl(struct vector *v)
{
	struct world w;
	char *text = protect_text(vector_string(v->line, "data_dir"), &w);

	if (strstr(text, "(allow default)") == NULL)
		vector_fail(v, "it does not begin with everything");
	check_text(v, text);
	free(text);
	world_done(&w);
}

void
run_omega_command(struct vector *v)
{
	const char *program = vector_string(v->line, "program");
	const json_t *wanted = json_object_get(v->expect, "argv_prefix");
	const char *const argv[] = { program, NULL };
	struct world w;
	char *text = protect_text("/home/user/.omega", &w);
	const char *const *made = cdn_wrapper_seatbelt(w.arena, text, false,
	    argv);
	const json_t *one;
	size_t i;

	need(made != NULL, "memory");
	json_array_foreach(wanted, i, one) {
		const char *word = json_string_value(one);

		if (strcmp(word, "<profile>") == 0)
			word = text;
		if (made[i] == NULL || strcmp(made[i], word) != 0)
			vector_fail(v, "word %zu is not '%s'", i, word);
	}
	free(text);
	world_done(&w);
}

/* ----- bwrap ------------------------------------------------------------------------ */

static int
no_links(void *arg, const char *dir, cdn_bwrap_link_fn *link, void *link_arg,
    struct cordon_error *err)
{
	(void)arg, (void)dir, (void)link, (void)link_arg, (void)err;
	return 0;
}

/* With the repository of these tests in the place of $WS. */
static const char *
placed(const char *text, char *out, size_t size)
{
	size_t n = 0;

	while (*text != '\0' && n + 1 < size) {
		bool here = strncmp(text, "$WS", 3) == 0;

		n += (size_t)snprintf(out + n, size - n, "%s%.1s",
		    here ? REPO : "", here ? "" : text);
		text += here ? 3 : 1;
	}
	out[n < size ? n : size - 1] = '\0';
	return out;
}

static char *
joined(struct cdn_arena *arena, const struct cdn_bwrap_plan *plan)
{
	static char *const nothing[] = { NULL };
	const struct cdn_bwrap_command command = { .cwd = "/", .envp = nothing,
		.seccomp_fd = -1, .status_fd = -1, .ready_fd = -1,
		.alone = true };
	const char *const *words;
	struct cdn_buf out;
	size_t n;

	need(cdn_bwrap_words(arena, plan, &command, &words, &n, NULL) == 0,
	    "words");
	cdn_buf_init(&out, 1 << 20);
	for (size_t i = 0; i < n; i++)
		cdn_buf_printf(&out, "%s ", words[i]);
	return cdn_buf_take(&out);
}

static void
check_words(struct vector *v, const char *text)
{
	const char *at = text;
	char word[1024];
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(v->expect, "contains"), i, one)
		if (strstr(text, placed(json_string_value(one), word,
			sizeof(word))) == NULL)
			vector_fail(v, "'%s' is not there", word);
	json_array_foreach(json_object_get(v->expect, "not_contains"), i, one)
		if (strstr(text, json_string_value(one)) != NULL)
			vector_fail(v, "'%s' is there", json_string_value(one));
	json_array_foreach(json_object_get(v->expect, "order"), i, one) {
		at = strstr(at, placed(json_string_value(one), word,
		    sizeof(word)));
		if (at == NULL) {
			vector_fail(v, "'%s' is not there in this order", word);
			return;
		}
	}
}

static void
check_refused(struct vector *v, const struct cdn_plan *plan)
{
	const char *wanted = vector_string(v->expect, "shortfall_contains");

	if (plan->enforced)
		vector_fail(v, "it is said to be enforced");
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (strstr(plan->shortfalls[i].text, wanted) != NULL)
			return;
	vector_fail(v, "no shortfall speaks of '%s'", wanted);
}

void
run_bwrap_argv(struct vector *v)
{
	static struct lists lists;
	static struct tree tree;
	struct cdn_bwrap_plan plan;
	char spec[8192], rule[1024];
	const json_t *one;
	struct world w;
	size_t i;

	memset(&lists, 0, sizeof(lists));
	json_array_foreach(json_object_get(v->line, "modify"), i, one)
		add_rule(&lists, CORDON_MODIFY, placed(json_string_value(one),
		    rule, sizeof(rule)));
	snprintf(spec, sizeof(spec), "  fsProfiles: {dev: {read: ['**'], "
	    "modify: [%s]}}\n", lists.rules[CORDON_MODIFY]);
	world_make(&w, &(struct world_spec){ .profile = "dev",
	    .workspace = REPO, .documents = { { CORDON_LAYER_USER, true,
	    spec } }, .runtime_read = "/", .network = "full" });
	tree_make(&tree, "/tmp/ " REPO "/.orbit/");
	{
		const struct cdn_plan_reader reader = tree_reader(&tree);
		const struct cdn_bwrap_input input = { .plan = tree_plan(&tree,
		    &w, NULL, false), .authority = w.authority,
			.spec = &w.spec, .reader = &reader,
			.links = no_links, .tmp = "" };

		need(cdn_bwrap_build(w.arena, &input, &plan, NULL) == 0,
		    "build");
	}
	if (json_is_true(json_object_get(v->expect, "refused"))) {
		check_refused(v, plan.plan);
	} else {
		char *text = joined(w.arena, &plan);

		check_words(v, text);
		free(text);
	}
	world_done(&w);
}

/* ----- Trusted programs ----------------------------------------------------------------- */

/* The scenarios are run by tests/cli/backends.bats. */
void
run_trusted_binary(struct vector *v)
{
	const json_t *candidates = json_object_get(v->line, "candidates");
	const char *list[8];
	const json_t *one;
	size_t i;

	json_array_foreach(candidates, i, one)
		list[i] = json_string_value(one);
	if (candidates != NULL &&
	    cdn_wrapper_find(list, json_array_size(candidates)) != NULL)
		vector_fail(v, "one was found");
}
