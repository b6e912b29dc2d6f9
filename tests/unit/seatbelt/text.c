/*
 * Names that mean something to Seatbelt, or to an expression, mean themselves;
 * and what the text has besides files.
 */
#include "base/buf.h"
#include "engine/seatbelt/seatbelt.h"
#include "support/sbpl.h"
#include "support/world.h"

/* A policy can have these as rules, and a tree as names. */
static const char *const odd[] = {
	"a\"b", "a\\\\b", "a.b", "[x]", "{y}", "(z)", "a+b", "$d^", "a|b",
	"(?i)", "a;b", "a b", "\xc3\xa9", "a*", "[!q]*", "x?", "**/k.*",
	"a\\tb",
};
static const char *const paths[] = {
	"/w/a\"b", "/w/a\\b", "/w/a.b", "/w/axb", "/w/[x]", "/w/x", "/w/{y}",
	"/w/(z)", "/w/z", "/w/a+b", "/w/aab", "/w/$d^", "/w/a|b", "/w/a",
	"/w/(?i)", "/w/a;b", "/w/a b", "/w/\xc3\xa9", "/w/[!q]r", "/w/xy",
	"/w/x\xc3\xa9", "/w/x\xe2\x82\xac", "/w/xyz", "/w/s/k.key", "/w/k.",
	"/w/a\tb", "/w/ab/c", "/w/x/y", "/w", "/",
};

static struct sbpl *
text_of(const struct world *w, const struct cdn_seatbelt_facts *facts,
    struct cdn_seatbelt *ret, char **text)
{
	struct cdn_buf out;

	cdn_buf_init(&out, SBPL_TEXT);
	need(cdn_seatbelt_build(w->arena, &w->spec, facts, ret, NULL) == 0 &&
	    cdn_seatbelt_format(w->arena, ret, &out, NULL) == 0, "text");
	*text = cdn_buf_take(&out);
	need(*text != NULL, "memory");
	return sbpl_parse(*text);
}

static void
compare(const char *rule, bool denied)
{
	static const char *const operations[] = { "file-read-data",
		"file-write-data" };
	const struct cdn_seatbelt_facts facts = { 0 };
	char spec[256];
	struct cdn_seatbelt seatbelt;
	struct world w;
	struct sbpl *sbpl;
	char *text;
	size_t wrong = 0;

	snprintf(spec, sizeof(spec), denied ?
	    "  denyRead: ['%s']\n  fsProfiles: {dev: {read: ['**'], modify: "
	    "['**']}}\n" :
	    "  fsProfiles: {dev: {read: ['%s'], modify: ['%s']}}\n", rule,
	    rule);
	world_make(&w, &(struct world_spec){ .profile = "dev", .documents = {
	    { CORDON_LAYER_USER, true, spec } } });
	sbpl = text_of(&w, &facts, &seatbelt, &text);
	for (size_t i = 0; sbpl != NULL && i < CDN_LEN(paths); i++)
		for (enum cordon_op op = CORDON_READ; op <= CORDON_MODIFY;
		     op++) {
			struct cdn_question q = { .as = CORDON_AS_PROCESS,
				.op = op, .path = cdn_str_of(paths[i]) };
			struct cordon_verdict v;

			cdn_decide(seatbelt.authority, &q, &v);
			wrong += v.allowed != sbpl_allows(sbpl,
			    operations[op], paths[i]);
		}
	if (!ok_f(sbpl != NULL && wrong == 0, "%s: %s",
		denied ? "denied" : "allowed", rule))
		printf("# %zu paths\n", wrong);
	free(sbpl);
	free(text);
	world_done(&w);
}

/* ----- Everything else ---------------------------------------------------------- */

static void
network(const char *word, enum cordon_preset preset, const char *wanted,
    const char *unwanted)
{
	const struct cdn_seatbelt_facts facts = { 0 };
	struct cdn_seatbelt seatbelt;
	struct sbpl *sbpl;
	struct world w;
	char *text;

	world_make(&w, &(struct world_spec){ .network = word,
	    .preset = preset });
	sbpl = text_of(&w, &facts, &seatbelt, &text);
	ok_f(sbpl != NULL && strstr(text, wanted) != NULL &&
	    (unwanted == NULL || strstr(text, unwanted) == NULL),
	    "network %s under %s: %s", word, cordon_preset_name(preset),
	    wanted);
	free(sbpl);
	free(text);
	world_done(&w);
}

/* What an agent obeys it does not write; its keys it alone reads. */
static void
agents(void)
{
	static const struct {
		const char *provider, *dir;
		const char *path;
		bool read, write;
	} rows[] = {
		{ "claude", NULL, "/h/.claude/projects/a", true, true },
		{ "claude", NULL, "/h/.claude/settings.json", true, false },
		{ "claude", NULL, "/h/.claude/hooks/a", true, false },
		{ "claude", NULL, "/h/.claude.json", true, true },
		{ "claude", NULL, "/h/.claude.json.lock", true, true },
		{ "claude", NULL, "/h/.claude.json.tmp.12.34", true, true },
		{ "claude", NULL, "/h/.claude.json.tmp", false, false },
		{ "claude", "/c", "/c/a", true, true },
		{ "claude", "/c", "/h/.claude.json", false, false },
		{ "claude", "/c", "/h/.claude/a", false, false },
		{ "claude", NULL, "/h/Library/Keychains/a", true, false },
		{ "codex", NULL, "/h/Library/Keychains/a", false, false },
		{ "codex", "", "/h/.codex/sessions/a", true, true },
		{ "codex", NULL, "/h/.codex/config.toml", true, false },
		{ "codex", NULL, "/h/.claude/a", false, false },
		{ "gemini", "/c", "/h/.gemini/a", true, true },
		{ "grok", "/c", "/c/a", true, true },
		{ NULL, NULL, "/h/.claude/a", false, false },
		{ NULL, NULL, "/h/Library/Caches/a", true, true },
		{ NULL, NULL, "/h/.orbit/state/logs/a", true, true },
		{ NULL, NULL, "/h/.orbit/a", false, false },
		{ NULL, NULL, "/h/a", false, false },
		{ NULL, NULL, "/usr/lib/a", true, false },
		{ NULL, NULL, "/System/Library/Keychains/a", false, false },
		{ NULL, NULL, "/private/tmp/a", true, true },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const struct cdn_seatbelt_facts facts = { "/h",
			rows[i].provider, rows[i].dir };
		struct cdn_seatbelt seatbelt;
		struct sbpl *sbpl;
		struct world w;
		char *text;

		world_make(&w, &(struct world_spec){
		    .closed = "/h/.claude /h/.claude.json /h/.codex "
		    "/h/.gemini /h/.grok" });
		sbpl = text_of(&w, &facts, &seatbelt, &text);
		ok_f(sbpl != NULL && sbpl_allows(sbpl, "file-read-data",
			rows[i].path) == rows[i].read &&
		    sbpl_allows(sbpl, "file-write-data", rows[i].path) ==
			rows[i].write, "%s: %s%s%s",
		    rows[i].provider != NULL ? rows[i].provider : "no agent",
		    rows[i].path, rows[i].read ? " read" : "",
		    rows[i].write ? " written" : "");
		free(sbpl);
		free(text);
		world_done(&w);
	}
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(odd); i++) {
		compare(odd[i], false);
		compare(odd[i], true);
	}
	network("full", CORDON_PRESET_WORKSPACE, "(allow network*)\n", NULL);
	network("none", CORDON_PRESET_WORKSPACE, "(deny default)", "network");
	network("loopback", CORDON_PRESET_WORKSPACE, "(remote ip \"localhost",
	    "(allow network*)\n");
	network("a.org:1", CORDON_PRESET_WORKSPACE, "(deny default)",
	    "network");
	network("none", CORDON_PRESET_PROTECT, "(deny network*)",
	    "(allow network");
	network("full", CORDON_PRESET_PROTECT, "(allow default)", "network");
	agents();
	return done_testing();
}
