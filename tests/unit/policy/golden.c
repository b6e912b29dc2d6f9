/*
 * One folder per case: policy.yaml, and either expect.err (everything that is
 * wrong with it, as the command prints it) or expect.yaml (what it says, as
 * the printer writes it).
 *
 *	golden --show FILE	what expect.err or expect.yaml would hold
 */
#include <dirent.h>

#include "base/buf.h"
#include "engine/policy/policy.h"

#include "support/policy_equal.h"
#include "support/tap.h"

#define FILE_MAX (2UL << 20)

static bool
read_file(const char *path, struct cdn_buf *ret)
{
	FILE *file = fopen(path, "rb");
	char chunk[4096];
	size_t n;

	cdn_buf_init(ret, FILE_MAX);
	if (file == NULL)
		return false;
	cdn_buf_add(ret, "", 0);
	while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		cdn_buf_add(ret, chunk, n);
	fclose(file);
	return !cdn_buf_failed(ret);
}

static void
put_findings(struct cdn_buf *out, const struct cordon_diags *diags)
{
	const struct cordon_diag *d;

	for (size_t i = 0; (d = cordon_diags_get(diags, i)) != NULL; i++) {
		cdn_buf_printf(out, "%s:%u:%u: %s: %s\n", d->source, d->line,
		    d->column,
		    d->severity == CORDON_ERROR ? "error" : "warning", d->text);
		if (d->hint != NULL)
			cdn_buf_printf(out, "  hint: %s\n", d->hint);
	}
}

/* The findings, or the policy as YAML; NULL policy when it is invalid. */
static struct cordon_policy *
load(const struct cdn_buf *text, struct cdn_buf *ret)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	int code = cdn_policy_parse((cdn_str){ text->p, text->n },
	    "policy.yaml", diags, &policy, &err);

	cdn_buf_init(ret, FILE_MAX);
	if (code == 0)
		code = cdn_policy_format(policy, CORDON_FORMAT_YAML, ret, &err);
	if (code != 0)
		put_findings(ret, diags);
	cordon_diags_free(diags);
	return policy;
}

static bool
same_text(const struct cdn_buf *a, const struct cdn_buf *b)
{
	return a->n == b->n && (a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
}

/* As comments, so that a failure shows what was there instead. */
static void
show(const char *what, const struct cdn_buf *text)
{
	cdn_str rest = { text->p, text->n }, line;

	printf("# %s:\n", what);
	while (cdn_str_next(&rest, '\n', &line))
		printf("#   %.*s\n", CDN_STR_ARG(line));
}

static void
compare(const char *name, const struct cdn_buf *got, const char *path)
{
	struct cdn_buf want;

	if (!ok_f(read_file(path, &want), "%s: its expectation is there", name))
		return;
	if (!ok_f(same_text(got, &want), "%s", name)) {
		show("got", got);
		show("wanted", &want);
	}
	cdn_buf_done(&want);
}

/* What is printed loads again, says the same and prints the same. */
static void
round_trip(const char *name, const struct cordon_policy *policy,
    const struct cdn_buf *printed)
{
	struct cordon_policy *again;
	struct cdn_buf second;

	again = load(printed, &second);
	if (ok_f(again != NULL, "%s: what is printed loads again", name)) {
		ok_f(same_policy(policy, again), "%s: and says the same", name);
		ok_f(same_text(printed, &second), "%s: and prints the same",
		    name);
	}
	cdn_policy_free(again);
	cdn_buf_done(&second);
}

static void
run_case(const char *folder, const char *name)
{
	struct cdn_buf text, got;
	struct cordon_policy *policy;
	char path[4096];
	bool good;

	snprintf(path, sizeof(path), "%s/%s/policy.yaml", folder, name);
	if (!ok_f(read_file(path, &text), "%s: its policy is there", name))
		return;
	policy = load(&text, &got);
	good = policy != NULL;
	snprintf(path, sizeof(path), "%s/%s/expect.%s", folder, name,
	    good ? "yaml" : "err");
	compare(name, &got, path);
	if (good)
		round_trip(name, policy, &got);
	cdn_policy_free(policy);
	cdn_buf_done(&got);
	cdn_buf_done(&text);
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int
show_file(const char *path)
{
	struct cdn_buf text, got;
	struct cordon_policy *policy;

	if (!read_file(path, &text))
		return 1;
	policy = load(&text, &got);
	printf("%s", got.p == NULL ? "" : got.p);
	cdn_policy_free(policy);
	cdn_buf_done(&got);
	cdn_buf_done(&text);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *source = getenv("CORDON_SOURCE");
	struct dirent **names;
	char folder[2048];
	int n;

	if (argc == 3 && strcmp(argv[1], "--show") == 0)
		return show_file(argv[2]);
	snprintf(folder, sizeof(folder), "%s/tests/golden/policy",
	    source == NULL ? "." : source);
	n = scandir(folder, &names, is_visible, alphasort);
	ok(n >= 50, "there are many cases");
	for (int i = 0; i < n; i++) {
		run_case(folder, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return done_testing();
}
