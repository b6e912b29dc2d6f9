/*
 * Policies at random, as data: written down as documents, and made smaller.
 */
#include "differential.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>

/* ----- At random ---------------------------------------------------------- */

static const char *const whole[] = { "a/**", "b/**", "c/**", "secrets/**",
	".git/hooks/**", "a/b/**", "B/**" };
static const char *const any[] = { "a/**", "a", "a/b", "a/b/**", "*/x", "a/*",
	"**/*.env", "**/secrets/**", "b/**", "?/x", "a/**/x", "**/b/**",
	"*.lock", "**/*.lock", "./secrets/**", "**/.env", "b/a/**", "a*/**",
	"**/k.*", "c/new", "new/**", "**/run.sh", "x", "**/*.ENV", "B/**",
	"[ab]/**", "**/n[1]", "**/?", "**", "*", ".", "a/./b", "a//x",
	"**/new.*", "**/link", "a/link", "secrets", "**/\xc3\xa9", "{a,b}/**" };

static const struct {
	const char *first;	/* of read */
	size_t read, modify;	/* more rules at most */
	bool any, denies, exec;
} shapes[DRAFT_SHAPES] = {
	{ "./**", 0, 2, false, false, false },
	{ "./**", 0, 4, true, true, false },
	{ "./**", 3, 3, true, true, false },
	{ NULL, 5, 4, true, true, true },
};

static void
put_rule(struct rules *rules, bool negated, const char *rule)
{
	if (rules->n < RULES_MAX)
		snprintf(rules->v[rules->n++], RULE_SIZE, "%s%s",
		    negated ? "!" : "", rule);
}

static void
draw(struct rules *rules, size_t most, bool from_any, bool negations)
{
	for (size_t n = chance(most + 1); n > 0; n--)
		put_rule(rules, negations && chance(2) == 0,
		    from_any ? any[chance(CDN_LEN(any))] :
			       whole[chance(CDN_LEN(whole))]);
}

static void
draw_document(struct document *d, size_t shape)
{
	bool from_any = shapes[shape].any;

	memset(d, 0, sizeof(*d));
	if (shapes[shape].first != NULL)
		put_rule(&d->own[RULE_READ], false, shapes[shape].first);
	draw(&d->own[RULE_READ], shapes[shape].read, from_any, true);
	if (chance(2) == 0)
		put_rule(&d->own[RULE_MODIFY], false, "./**");
	draw(&d->own[RULE_MODIFY], shapes[shape].modify, from_any, from_any);
	d->has_exec = shapes[shape].exec && chance(2) == 0;
	if (d->has_exec) {
		put_rule(&d->own[RULE_EXEC], false, "**");
		draw(&d->own[RULE_EXEC], 2, true, true);
	}
	for (size_t op = 0; op < RULE_KINDS && shapes[shape].denies; op++)
		if (shape > 1 || op == RULE_MODIFY)
			draw(&d->deny[op], op == RULE_EXEC ? 1 : 2, true,
			    false);
	d->host_in = chance(3) == 0;
	d->host_out = chance(3) == 0;
}

void
draft_make(struct draft *draft, size_t shape)
{
	static const enum sources sources[] = { SOURCE_POLICY, SOURCE_POLICY,
		SOURCE_POLICY, SOURCE_POLICIES, SOURCE_PROJECT, SOURCE_NONE };
	static const enum cordon_preset presets[] = { CORDON_PRESET_WORKSPACE,
		CORDON_PRESET_STRICT, CORDON_PRESET_WORKSPACE,
		CORDON_PRESET_PROTECT };

	do {
		memset(draft, 0, sizeof(*draft));
		draft->source = sources[chance(CDN_LEN(sources))];
		draft->preset = presets[chance(CDN_LEN(presets))];
		draft->read_in = chance(4) == 0;
		draft->write_out = chance(4) == 0;
		for (size_t i = 0; i < CDN_LEN(draft->documents); i++)
			draw_document(&draft->documents[i], shape);
	} while (!draft_valid(draft));
}

void
draft_extend(struct draft *draft, bool has_host)
{
	struct draft more = *draft;

	if (draft->source == SOURCE_NONE)
		return;
	more.source = SOURCE_HOST;
	more.documents[0].host_tools = true;
	if (chance(3) == 0 && has_host && draft->source != SOURCE_PROJECT &&
	    draft_valid(&more))
		*draft = more;
	if (chance(3) == 0 && draft->preset != CORDON_PRESET_PROTECT)
		draft->worker = (enum workers)(WORKER_ALL +
		    chance(WORKERS - WORKER_ALL));
}

size_t
draft_documents(const struct draft *draft)
{
	return draft->source == SOURCE_NONE ? 0 :
	    draft->source == SOURCE_POLICY  ? 1 :
					      2;
}

/* ----- As documents ------------------------------------------------------- */

struct text {
	char *p;
	size_t n, size;
};

__attribute__((format(printf, 2, 3))) static void
put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->n += (size_t)vsnprintf(t->p + t->n, t->size - t->n, fmt, ap);
	va_end(ap);
	if (t->n >= t->size)
		errx(2, "a policy too long");
}

static void
put_list(struct text *t, const char *key, const struct rules *rules)
{
	if (rules->n == 0)
		return;
	put(t, "%s: [", key);
	for (size_t i = 0; i < rules->n; i++)
		put(t, "%s\"%s\"", i == 0 ? "" : ", ", rules->v[i]);
	put(t, "]\n");
}

void
draft_format(const struct document *d, const char *name, char *out,
    size_t size)
{
	struct text t = { out, 0, size };

	put(&t, "schemaVersion: 2\nkind: Policy\nmetadata: {name: %s}\nspec:\n"
	    "  unprotect: [\"**\"]\n",
	    name);
	put_list(&t, "  denyRead", &d->deny[RULE_READ]);
	put_list(&t, "  denyModify", &d->deny[RULE_MODIFY]);
	put_list(&t, "  denyExec", &d->deny[RULE_EXEC]);
	put(&t, "  fsProfiles:\n    dev:\n      network: none\n");
	put_list(&t, "      read", &d->own[RULE_READ]);
	put_list(&t, "      modify", &d->own[RULE_MODIFY]);
	if (d->has_exec)
		put_list(&t, "      exec", &d->own[RULE_EXEC]);
	if (d->host_in || d->host_out || d->host_tools)
		put(&t, "      host: {read: [");
	if (d->host_in)
		put(&t, "\"%s/in\", \"~/pub\"%s", stage,
		    d->host_tools ? ", " : "");
	if (d->host_tools)
		put(&t, "\"%s/tools\"", stage);
	if (d->host_in || d->host_out || d->host_tools)
		put(&t, "]");
	if (d->host_out)
		put(&t, ", modify: [\"%s/out\"]", stage);
	if (d->host_in || d->host_out || d->host_tools)
		put(&t, "}\n");
}

bool
draft_valid(const struct draft *draft)
{
	char text[TEXT_SIZE];

	for (size_t i = 0; i < draft_documents(draft); i++) {
		struct cordon_policy *policy;

		draft_format(&draft->documents[i], "valid", text,
		    sizeof(text));
		if (cordon_policy_parse(text, strlen(text), "p.yaml", NULL,
			&policy, NULL) != 0)
			return false;
		cordon_policy_free(policy);
	}
	return true;
}

void
draft_format_worker(const struct draft *draft, char *out, size_t size)
{
	static const char *const inside[WORKERS] = {
		[WORKER_ALL] = "    all: {root: ., mode: rw}\n",
		[WORKER_FIXED] = "    all: {root: ., mode: ro}\n",
		[WORKER_PARTS] = "    one: {root: ./a, mode: rw}\n"
				 "    two: {root: ./b, mode: ro}\n",
	};
	struct text t = { out, 0, size };

	put(&t, "name: worker\nfsProfile: dev\nsandbox:\n  paths:\n%s",
	    inside[draft->worker]);
	put(&t, "    tools: {root: %s/tools, mode: ro}\n", stage);
	if (draft->read_in)
		put(&t, "    in: {root: %s/in, mode: ro}\n", stage);
	if (draft->write_out)
		put(&t, "    out: {root: %s/out, mode: rw}\n", stage);
	put(&t, "  network: false\n  require_os_sandbox: false\n");
}

const char *
draft_place(const struct draft *draft, size_t i)
{
	static const char *const places[SOURCES][2] = {
		[SOURCE_POLICY] = { "policy.yaml" },
		[SOURCE_POLICIES] = { "policy.yaml", "policy2.yaml" },
		[SOURCE_PROJECT] = { "config/cordon/policy.yaml",
		    "w/.cordon/policy.yaml" },
		[SOURCE_HOST] = { "etc/cordon/policy.yaml", "policy.yaml" },
	};

	return places[draft->source][i];
}

static void
write_worker(const struct draft *draft, struct tree *tree)
{
	char text[TEXT_SIZE];

	if (draft->worker == WORKER_NONE)
		return;
	draft_format_worker(draft, text, sizeof(text));
	file_write(at("worker.yaml"), text);
	if (draft->worker != WORKER_PARTS)
		return;
	for (const char *const *dir = (const char *const[]){ "w/a", "w/b",
		 NULL }; *dir != NULL; dir++)
		if (tree_find(tree, *dir) == NULL)
			tree_put(tree, KIND_DIR, *dir, "");
}

void
draft_write(const struct draft *draft, struct tree *tree)
{
	char text[TEXT_SIZE];

	tree_remove("config");
	tree_remove("etc/cordon/policy.yaml");
	dir_make(at("config"));
	dir_make(at("config/cordon"));
	tree_cut(tree, "w/.cordon");
	for (size_t i = 0; i < draft_documents(draft); i++) {
		draft_format(&draft->documents[i], i == 0 ? "one" : "two",
		    text, sizeof(text));
		if (strncmp(draft_place(draft, i), "w/", 2) != 0) {
			file_write(at("%s", draft_place(draft, i)), text);
			continue;
		}
		tree_put(tree, KIND_DIR, "w/.cordon", "");
		tree_put(tree, KIND_FILE, draft_place(draft, i), text);
	}
	write_worker(draft, tree);
}

/* ----- As options --------------------------------------------------------- */

size_t
draft_options(const struct draft *draft, const char *ret[OPTIONS_MAX])
{
	static char places[2][256], in[256], out[256], tools[256], worker[256];
	size_t n = 0;

	for (size_t i = 0; i < draft_documents(draft); i++)
		if (strncmp(draft_place(draft, i), "policy", 6) == 0) {
			snprintf(places[i], sizeof(places[i]), "%s/%s", stage,
			    draft_place(draft, i));
			ret[n++] = "--policy";
			ret[n++] = places[i];
		}
	snprintf(worker, sizeof(worker), "%s/worker.yaml", stage);
	if (draft->worker != WORKER_NONE) {
		ret[n++] = "--worker";
		ret[n++] = worker;
	}
	if (draft->source != SOURCE_NONE) {
		ret[n++] = "--profile";
		ret[n++] = "dev";
	}
	ret[n++] = "--preset";
	ret[n++] = cordon_preset_name(draft->preset);
	snprintf(tools, sizeof(tools), "%s/tools", stage);
	ret[n++] = "--read";
	ret[n++] = tools;
	snprintf(in, sizeof(in), "%s/in", stage);
	if (draft->read_in) {
		ret[n++] = "--read";
		ret[n++] = in;
	}
	snprintf(out, sizeof(out), "%s/out", stage);
	if (draft->write_out) {
		ret[n++] = "--write";
		ret[n++] = out;
	}
	return n;
}

/* The same as the command makes of these options. */
struct cordon_session *
draft_session(const struct draft *draft)
{
	const char *words[OPTIONS_MAX], *policies[2], *read[2], *write[1];
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = at("w"), .policies = policies, .read = read,
		.write = write, .preset = draft->preset };
	static struct cordon_worker *worker; /* it outlives the session */
	const struct cordon_worker *workers[1];
	struct cordon_session *session;
	struct cordon_error error = { 0 };
	size_t n = draft_options(draft, words);
	int code = 0;

	cordon_worker_free(worker);
	worker = NULL;
	for (size_t i = 0; i + 1 < n; i += 2)
		if (strcmp(words[i], "--policy") == 0)
			policies[options.policy_count++] = words[i + 1];
		else if (strcmp(words[i], "--read") == 0)
			read[options.read_count++] = words[i + 1];
		else if (strcmp(words[i], "--write") == 0)
			write[options.write_count++] = words[i + 1];
		else if (strcmp(words[i], "--profile") == 0)
			options.profile = words[i + 1];
		else if (strcmp(words[i], "--worker") == 0)
			code = cordon_worker_load(words[i + 1], NULL, &worker,
			    &error);
	workers[0] = worker;
	options.workers = workers;
	options.worker_count = worker != NULL;
	if (code != 0 ||
	    cordon_session_new(&options, NULL, &session, &error) != 0)
		errx(2, "no session: %s", error.text);
	return session;
}

/* ----- Smaller ------------------------------------------------------------ */

size_t
draft_size(const struct draft *draft)
{
	size_t n = draft->read_in + draft->write_out +
	    (size_t)(draft->worker != WORKER_NONE);

	for (size_t i = 0; i < draft_documents(draft); i++) {
		const struct document *d = &draft->documents[i];

		n += d->host_in + d->host_out;
		for (size_t op = 0; op < RULE_KINDS; op++)
			n += d->deny[op].n +
			    (op == RULE_EXEC && !d->has_exec ? 0 :
							       d->own[op].n);
	}
	return n;
}

static bool
less_rules(struct rules *rules, size_t *i)
{
	if (*i >= rules->n) {
		*i -= rules->n;
		return false;
	}
	memmove(rules->v[*i], rules->v[*i + 1],
	    (rules->n - *i - 1) * sizeof(rules->v[0]));
	rules->n--;
	return true;
}

static bool
less_flag(bool *flag, size_t *i)
{
	if (!*flag)
		return false;
	if (*i > 0) {
		--*i;
		return false;
	}
	*flag = false;
	return true;
}

static bool
less_document(struct document *d, size_t *i)
{
	for (size_t op = 0; op < RULE_KINDS; op++)
		if (less_rules(&d->deny[op], i) || less_rules(&d->own[op], i))
			return true;
	return less_flag(&d->has_exec, i) || less_flag(&d->host_in, i) ||
	    less_flag(&d->host_out, i);
}

bool
draft_less(struct draft *draft, size_t i)
{
	size_t n = draft_documents(draft);

	if (draft->worker != WORKER_NONE) {
		if (i == 0) {
			draft->worker = WORKER_NONE;
			return true;
		}
		i--;
	}
	if (n == 2 && i < 2) { /* one document instead of two */
		draft->source = SOURCE_POLICY;
		if (i == 0)
			draft->documents[0] = draft->documents[1];
		return true;
	}
	i -= n == 2 ? 2 : 0;
	if (draft->preset != CORDON_PRESET_WORKSPACE) {
		if (i == 0) {
			draft->preset = CORDON_PRESET_WORKSPACE;
			return true;
		}
		i--;
	}
	if (less_flag(&draft->read_in, &i) || less_flag(&draft->write_out, &i))
		return true;
	for (size_t k = 0; k < n; k++)
		if (less_document(&draft->documents[k], &i))
			return true;
	return false;
}
