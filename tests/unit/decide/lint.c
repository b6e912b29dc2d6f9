/*
 * Lint without a workspace: every kind of finding, and silence beside it.
 */
#include "engine/decide/lint.h"

#include "engine/decide/preset.h"
#include "support/engine.h"

#define GIT_NESTED "\"**/.git/**\""

/* clang-format off */
static const struct {
	const char *what;
	const char *spec;  /* its first line is line 5 */
	const char *want;  /* "ID line:column" of all findings, in order */
	const char *says;  /* part of the first text, or NULL */
} rows[] = {
	{ "nothing to say",
	  "  denyRead: [\"**/*.env\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"!a/**\", \"a/b\"], network: none}\n",
	  "", NULL },

	/* Shadowed, by a later rule of the list or by a global deny. */
	{ "a grant inside a later grant",
	  "  fsProfiles:\n"
	  "    p: {read: [\"a/b\", \"a/**\"]}\n",
	  "L001 6:16", "rule 'a/b' never decides: the later 'a/**' (line 6)" },
	{ "a grant inside an earlier grant decides",
	  "  fsProfiles:\n"
	  "    p: {read: [\"a/**\", \"a/b\"]}\n",
	  "", NULL },
	{ "a grant that a later negation takes whole",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"a/b\", \"!a/**\"]}\n",
	  "L001 6:22", "takes all of it away" },
	{ "a grant that a global deny takes whole",
	  "  denyRead: [\"a/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"a/b\"]}\n",
	  "L001 7:22", "the later 'a/**' (line 5)" },
	{ "a deny of another operation is no matter",
	  "  denyExec: [\"a/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"a/b\"]}\n",
	  "", NULL },
	{ "a grant that an exception gives back decides",
	  "  denyModify: [\"a/**\", \"!a/b/**\", " GIT_NESTED "]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"a/b/c\"]}\n",
	  "", NULL },
	{ "the same deny twice",
	  "  denyRead: [\"a\", \"b\", \"a\"]\n",
	  "L001 5:14", "takes away all of it, too" },
	{ "an exception that a later deny takes back",
	  "  denyModify: [\"a/**\", \"!a/b\", \"a/**\"]\n",
	  "L001 5:16|L001 5:24", NULL },
	{ "a rule is reported once, though read is exec as well",
	  "  fsProfiles:\n"
	  "    p: {read: [\"a\", \"a\"]}\n"
	  "    q: {read: [\"**\"], exec: [\"a\", \"a\"]}\n",
	  "L001 6:16|L001 7:30", NULL },

	/* Order. */
	{ "a negation that a later grant undoes",
	  "  fsProfiles:\n"
	  "    p: {read: [\"!a/b\", \"a/**\"]}\n",
	  "L002 6:16", "grants it again" },
	{ "a deny that a later exception undoes",
	  "  denyModify: [\"a/**\", \"a/b/c\", \"!a/b/**\"]\n",
	  "L002 5:24", NULL },

	{ "only negations",
	  "  fsProfiles:\n"
	  "    p: {read: [\"!a\", \"!b\"]}\n",
	  "L003 6:16", "only negated rules" },
	{ "only negations to modify",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"!a\"]}\n",
	  "L003 6:32", NULL },
	{ "reads nothing",
	  "  fsProfiles:\n"
	  "    p: {modify: []}\n",
	  "L004 6:5", "reads nothing" },

	/* Literal here, something else elsewhere. */
	{ "classes and alternatives",
	  "  denyRead: [\"a[b]\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"!x/{a,b}\", \"c]d[\"]}\n",
	  "L005 5:14|L005 7:22", "brackets in rule 'a[b]' are literal" },

	/* Takes away what nobody granted. */
	{ "a negation where nothing is granted",
	  "  fsProfiles:\n"
	  "    p: {read: [\"src/**\", \"!scr/gen/**\", \"!srd\"]}\n",
	  "L006 6:26|L006 6:41", "takes nothing away" },
	{ "one that may meet a grant is left alone",
	  "  fsProfiles:\n"
	  "    p: {read: [\"src/**\", \"**/*.md\", \"!doc/**\", \"!**/a\"]}\n",
	  "", NULL },

	/* Not to be read, but to be modified. */
	{ "a global deny of reading alone",
	  "  denyRead: [\"keys/**\", \"**/*.pem\", \"x\"]\n"
	  "  denyModify: [\"x\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"src/*.txt\", \"keys/a\"]}\n",
	  "L007 5:14", "'keys/**' keeps 'keys/a' from being read" },
	{ "a floating one inside what is granted",
	  "  denyRead: [\"**/*.pem\"]\n"
	  "  denyModify: [" GIT_NESTED "]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"src/**\"]}\n"
	  "    q: {read: [\"**\"], modify: [\"src/**\"]}\n",
	  "L007 5:14", "'src/x.pem'" },
	{ "a fixed one where a floating grant meets it",
	  "  denyRead: [\"keys/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"**/*.md\"], modify: [\"**/*.md\"]}\n",
	  "L007 5:14", "'keys/x.md'" },
	{ "a negation of the profile",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"!src/key\"], modify: [\"src/k*\"]}\n",
	  "L007 6:22", "'!src/key' keeps 'src/key'" },
	{ "denied both ways",
	  "  denyRead: [\"**/*.pem\"]\n"
	  "  denyModify: [\"**/*.pem\", " GIT_NESTED "]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"src/**\"]}\n",
	  "", NULL },

	/* What the host would execute. */
	{ "hooks and the like are the defaults' business",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"**\"]}\n",
	  "", NULL },
	{ "unless they are unprotected",
	  "  unprotect: [\"**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"**\"]}\n",
	  "L008 7:32", "'**/.envrc', '**/.vscode/**', '**/.idea/**' and " },
	{ "those alone",
	  "  unprotect: [\".vscode/**\", \".idea/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"**\"]}\n",
	  "L008 7:32", "execute: '**/.vscode/**', '**/.idea/**'" },
	{ "and only what is granted",
	  "  unprotect: [\".vscode/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"src/**\"]}\n",
	  "", NULL },
	{ "names that cannot be one",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], modify: [\"src/**/*.c\", \"a\"]}\n",
	  "", NULL },
};
/* clang-format on */

/* "ID line:column|..." of everything found. */
static const char *
spell(const struct cordon_diags *diags)
{
	static char out[2048];
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < cordon_diags_count(diags); i++) {
		const struct cordon_diag *d = cordon_diags_get(diags, i);

		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s %u:%u",
		    i > 0 ? "|" : "", d->id, d->line, d->column);
	}
	return out;
}

static void
test_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cordon_policy *policy = policy_of(rows[i].spec);
		struct cordon_diags *diags = cordon_diags_new();
		const struct cordon_diag *first;

		need(diags != NULL, "memory");
		ok_f(cdn_lint_policy(policy, diags, NULL) == 0, "%s: linted",
		    rows[i].what);
		first = cordon_diags_get(diags, 0);
		if (!ok_f(strcmp(spell(diags), rows[i].want) == 0,
			"%s: '%s'", rows[i].what, rows[i].want))
			printf("# got '%s' (%s)\n", spell(diags),
			    first != NULL ? first->text : "");
		if (rows[i].says != NULL && !ok_f(first != NULL &&
			strstr(first->text, rows[i].says) != NULL,
			"%s: says it", rows[i].what))
			printf("# got %s\n", first != NULL ? first->text : "");
		for (size_t k = 0; k < cordon_diags_count(diags); k++) {
			first = cordon_diags_get(diags, k);
			ok_f(first->severity == CORDON_WARNING &&
			    first->hint != NULL &&
			    strcmp(first->source, "t.yaml") == 0,
			    "%s: a warning with a hint and a file",
			    rows[i].what);
		}
		cordon_diags_free(diags);
		cdn_policy_free(policy);
	}
}

/* The preset's own list written out leaves nothing that the host executes. */
static void
test_preset_list(void)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy;
	const char *pattern;
	char spec[4096];
	size_t n;

	n = (size_t)snprintf(spec, sizeof(spec), "  denyModify:\n");
	for (size_t i = 0; (pattern = cdn_preset_executed(i)) != NULL; i++)
		n += (size_t)snprintf(spec + n, sizeof(spec) - n,
		    "    - \"%s\"\n", pattern);
	snprintf(spec + n, sizeof(spec) - n, "  fsProfiles:\n"
	    "    p: {read: [\"**\"], modify: [\"**\"]}\n");
	policy = policy_of(spec);
	ok(cdn_lint_policy(policy, diags, NULL) == 0 &&
	    cordon_diags_count(diags) == 0,
	    "with the preset's list nothing is left to find");
	cdn_policy_free(policy);
	cordon_diags_free(diags);
}

/* So many rules that not all is tried: said, and done in a moment. */
static void
test_bound(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_diags *diags = cordon_diags_new();
	struct cdn_profile_def def = { .name = CDN_STR("p") };
	struct cordon_policy policy = { .arena = arena, .source = "t.yaml",
		.name = CDN_STR("t"), .profiles = &def, .profile_count = 1,
		.name_pos = { "t.yaml", 3, 18 } };
	struct cdn_rules *denies = &policy.deny[CORDON_READ];
	struct cdn_rules *modify = &def.rules[CORDON_MODIFY];
	const struct cordon_diag *last;
	const size_t many = 2000;

	need(arena != NULL && diags != NULL, "memory");
	def.rules[CORDON_READ] = rules_of(arena, "**");
	denies->v = cdn_arena_array(arena, many, sizeof(*denies->v));
	modify->v = cdn_arena_array(arena, many, sizeof(*modify->v));
	need(denies->v != NULL && modify->v != NULL, "memory");
	for (size_t i = 0; i < many; i++) {
		char *deny = cdn_arena_printf(arena, "**/%zu", i);
		char *grant = cdn_arena_printf(arena, "d%zu/a*", i);

		need(deny != NULL && grant != NULL, "memory");
		denies->v[denies->n++] = rule_of(deny);
		modify->v[modify->n++] = rule_of(grant);
	}
	ok(cdn_lint_policy(&policy, diags, NULL) == 0, "many rules: linted");
	last = cordon_diags_get(diags, 0);
	ok(cordon_diags_count(diags) == 1 && strcmp(last->id, "L011") == 0,
	    "many rules: says that not all was tried");
	cordon_diags_free(diags);
	cdn_arena_free(arena);
}

/* clang-format off */
static const struct {
	const char *pattern, *anchor;
} anchors[] = {
	{ "a/b/c", "a/b/c" }, { "a/**", "a" }, { "a/b*/c", "a" }, { "*", "" },
	{ "**/a", "" }, { "a*", "" }, { ".", "" }, { "a/b/?", "a/b" },
};
/* clang-format on */

/* Every id has its line in the documentation. */
static void
test_documented(void)
{
	static const char *const ids[] = { CDN_LINT_SHADOWED, CDN_LINT_ORDER,
		CDN_LINT_NEGATIONS, CDN_LINT_EMPTY, CDN_LINT_LITERAL,
		CDN_LINT_POINTLESS, CDN_LINT_MODIFIABLE, CDN_LINT_EXECUTED,
		CDN_LINT_ABSENT, CDN_LINT_LINK, CDN_LINT_BOUND };
	const char *root = getenv("CORDON_SOURCE");
	char text[8192], line[32];
	size_t n;
	FILE *file;

	need(root != NULL, "CORDON_SOURCE");
	snprintf(text, sizeof(text), "%s/docs/lint.md", root);
	file = fopen(text, "r");
	need(file != NULL, text);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	for (size_t i = 0; i < CDN_LEN(ids); i++) {
		snprintf(line, sizeof(line), "\n| %s | ", ids[i]);
		ok_f(strstr(text, line) != NULL, "%s is documented", ids[i]);
	}
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(anchors); i++)
		ok_f(cdn_str_is(cdn_lint_anchor(cdn_str_of(
			 anchors[i].pattern)), anchors[i].anchor),
		    "'%s' is about '%s'", anchors[i].pattern,
		    anchors[i].anchor);
	test_rows();
	test_preset_list();
	test_bound();
	test_documented();
	return done_testing();
}
