/*
 * The text of a Seatbelt profile says of every path what the decision function
 * says: random worlds, all paths, all operations.  And the test would notice:
 * a text with a difference in it is found, and its world made small.
 */
#include "base/buf.h"
#include "engine/seatbelt/seatbelt.h"
#include "support/random.h"
#include "support/sbpl.h"
#include "support/world_chance.h"

#define WORLDS 700

/* Some of the places that macOS and agents have; the home is /o. */
static const char *const more_paths[] = {
	"/tmp", "/tmp/a", "/usr", "/usr/lib/a", "/usr/local/a", "/dev/null",
	"/dev/sda", "/System/a", "/Library/Keychains/a", "/o/.claude/a",
	"/o/.claude/settings.json", "/o/.claude/hooks/a", "/o/.claude.json",
	"/o/.claude.json.tmp.1.2", "/o/.claude.json.tmp.1", "/o/.codex",
	"/o/.codex/config.toml", "/o/Library/Keychains/a", "/o/.ssh/a",
	"/o/Library/Caches/a", "/p/.grok/a", "/private/var/folders/a/b",
	"/wa", "/w/ab", "/w/a.b/c", "/w/\xc3\xa9", "/w/a/\xe2\x82\xac/c",
	"/w/a\nb", "/oo",
};

static const struct cdn_seatbelt_facts facts[] = {
	{ NULL, NULL, NULL }, { "/o", NULL, NULL }, { "/o", "claude", NULL },
	{ "/o", "codex", "" }, { "/o", "claude", "/p" },
	{ "/o", "grok", "/p/.grok" }, { "/w", "gemini", NULL },
};

/* ----- Differences to be found --------------------------------------------------- */

/* Changes the text; false where there is nothing to change. */
typedef bool plant_fn(char *text);

static bool
cut_line(char *text, const char *begins, bool first)
{
	char *last = NULL, *end;

	for (char *p = strstr(text, begins); p != NULL;
	     p = strstr(p + 1, begins))
		if (strstr(p, " (require-not ") != p + strlen(begins) &&
		    (last == NULL || !first))
			last = p;
	if (last == NULL)
		return false;
	end = strchr(last, '\n') + 1;
	memmove(last, end, strlen(end) + 1);
	return true;
}

static bool
drop_deny(char *text)
{
	return cut_line(text, "(deny file-write*", true);
}

static bool
drop_allow(char *text)
{
	return cut_line(text, "(allow file-write*", false);
}

static bool
drop_bounds(char *text)
{
	char *p = strstr(text, "(deny file-read* (require-not ");
	char *end;

	if (p == NULL)
		return false;
	end = strchr(p, '\n') + 1;
	memmove(p, end, strlen(end) + 1);
	return true;
}

/* A pattern that ends later than it should. */
static bool
widen_regex(char *text)
{
	char *p = strstr(text, "[^/]*$");

	if (p != NULL) {
		memmove(p + 2, p + 5, strlen(p + 5) + 1);
		memcpy(p, ".*", 2);
	}
	return p != NULL;
}

static bool
subpath_for_literal(char *text)
{
	char *p = strstr(text, "(allow file-write* (literal \"/w");

	p = p == NULL ? NULL : strstr(p, "literal");
	if (p != NULL)
		memcpy(p, "subpath", 7);
	return p != NULL;
}

/* ----- Comparing ------------------------------------------------------------------- */

struct difference {
	const char *path;
	enum cordon_op op;
	bool decision;
};

static const char *const operations[] = { "file-read-data", "file-write-data",
	"process-exec" };

static bool
compare_path(const struct sbpl *sbpl, const struct cdn_seatbelt *seatbelt,
    const char *path, struct difference *ret)
{
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		struct cdn_question q = { .as = CORDON_AS_PROCESS, .op = op,
			.path = cdn_str_of(path) };
		struct cordon_verdict verdict;

		cdn_decide(seatbelt->authority, &q, &verdict);
		if (verdict.allowed == sbpl_allows(sbpl, operations[op], path))
			continue;
		*ret = (struct difference){ path, op, verdict.allowed };
		return false;
	}
	return true;
}

static unsigned long asked;

static bool
compare(const struct sbpl *sbpl, const struct cdn_seatbelt *seatbelt,
    struct difference *ret)
{
	asked += 3 * (draft_path_count + CDN_LEN(more_paths));
	for (size_t i = 0; i < draft_path_count; i++)
		if (!compare_path(sbpl, seatbelt, draft_paths[i], ret))
			return false;
	for (size_t i = 0; i < CDN_LEN(more_paths); i++)
		if (!compare_path(sbpl, seatbelt, more_paths[i], ret))
			return false;
	return true;
}

/* Does the text of the draft say the same?  *text: free() it. */
static bool
agrees(const struct draft *d, const struct cdn_seatbelt_facts *f,
    plant_fn *plant, struct difference *ret, char **text)
{
	struct cdn_seatbelt seatbelt;
	struct sbpl *sbpl;
	struct world w;
	struct cdn_buf out;
	bool same;

	draft_build(d, &w);
	cdn_buf_init(&out, SBPL_TEXT);
	need(cdn_seatbelt_build(w.arena, &w.spec, f, &seatbelt, NULL) == 0 &&
	    cdn_seatbelt_format(w.arena, &seatbelt, &out, NULL) == 0, "text");
	cdn_buf_putc(&out, '\0');
	*text = cdn_buf_take(&out);
	need(*text != NULL, "memory");
	if (plant != NULL)
		(void)plant(*text);
	sbpl = sbpl_parse(*text);
	need(sbpl != NULL, "a profile that can be read");
	same = compare(sbpl, &seatbelt, ret);
	free(sbpl);
	world_done(&w);
	return same;
}

static bool
still_differs(const struct draft *d, const struct cdn_seatbelt_facts *f,
    plant_fn *plant)
{
	struct difference found;
	char *text;
	bool same = agrees(d, f, plant, &found, &text);

	free(text);
	return !same;
}

/* ----- Making it small --------------------------------------------------------------- */

#define LISTS 64

/* Every list of words that a draft has. */
static size_t
lists_of(struct draft *d, char *ret[LISTS])
{
	size_t n = 0;
	char *own[] = { d->closed, d->sealed, d->read, d->write,
		d->write_roots, d->runtime_read, d->runtime_write };

	for (size_t i = 0; i < CDN_LEN(own); i++)
		ret[n++] = own[i];
	for (size_t i = 0; i < d->count; i++) {
		struct draft_document *doc = &d->documents[i];

		for (size_t op = 0; op < CDN_RULE_OPS; op++) {
			ret[n++] = doc->own[op];
			ret[n++] = doc->deny[op];
		}
		ret[n++] = doc->host_read;
		ret[n++] = doc->host_modify;
	}
	return n;
}

static size_t
words_in(const char *list)
{
	size_t n = list[0] != '\0';

	for (; *list != '\0'; list++)
		n += *list == ' ';
	return n;
}

static void
cut_word(char *list, size_t which)
{
	char *p = list, *end;

	for (; which > 0; which--)
		p = strchr(p, ' ') + 1;
	end = strchr(p, ' ');
	if (end != NULL)
		memmove(p, end + 1, strlen(end + 1) + 1);
	else if (p > list)
		p[-1] = '\0';
	else
		p[0] = '\0';
}

/* One word less, if it differs without it. */
static bool
shrink_once(struct draft *d, const struct cdn_seatbelt_facts *f,
    plant_fn *plant)
{
	char *lists[LISTS];
	size_t n = lists_of(d, lists);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < words_in(lists[i]); k++) {
			struct draft before = *d;

			cut_word(lists[i], k);
			if (still_differs(d, f, plant))
				return true;
			*d = before;
		}
	if (d->count > 0) {
		d->count--;
		if (still_differs(d, f, plant))
			return true;
		d->count++;
	}
	return false;
}

static size_t
size_of(struct draft *d)
{
	char *lists[LISTS];
	size_t n = lists_of(d, lists), words = d->count;

	for (size_t i = 0; i < n; i++)
		words += words_in(lists[i]);
	return words;
}

static void
shrink(struct draft *d, const struct cdn_seatbelt_facts *f, plant_fn *plant)
{
	while (shrink_once(d, f, plant))
		continue;
}

static void
tell(struct draft *d, const struct cdn_seatbelt_facts *f, plant_fn *plant,
    bool with_text)
{
	struct difference found = { 0 };
	char *text;

	if (agrees(d, f, plant, &found, &text))
		printf("# (it agrees now)\n");
	else
		printf("# smallest: %s %s: the decision %s it; home %s, "
		    "provider %s\n", cordon_op_name(found.op), found.path,
		    found.decision ? "allows" : "denies",
		    f->home ? f->home : "-", f->provider ? f->provider : "-");
	draft_print(d);
	for (char *p = text; with_text && *p != '\0';) {
		size_t n = strcspn(p, "\n");

		printf("# %.*s\n", (int)n, p);
		p += n + (p[n] == '\n');
	}
	free(text);
}

/* ----- The tests ------------------------------------------------------------------------ */

/* A world that differs; false: there is none among so many. */
static bool
look_for(unsigned long worlds, plant_fn *plant, struct draft *d,
    const struct cdn_seatbelt_facts **f)
{
	for (unsigned long i = 0; i < worlds; i++) {
		draft_make(d);
		*f = &facts[chance(CDN_LEN(facts))];
		if (still_differs(d, *f, plant))
			return true;
	}
	return false;
}

static void
test_planted(const char *what, plant_fn *plant)
{
	const struct cdn_seatbelt_facts *f;
	struct draft d;
	size_t before;

	/* The same worlds every time: it is the test that is tested. */
	chance_state = 0x9e3779b97f4a7c15U;
	if (!ok_f(look_for(WORLDS, plant, &d, &f), "found: %s", what))
		return;
	before = size_of(&d);
	shrink(&d, f, plant);
	tell(&d, f, plant, false);
	ok_f(size_of(&d) <= before && size_of(&d) <= 6 &&
	    still_differs(&d, f, plant), "and made small: %zu of %zu words",
	    size_of(&d), before);
}

int
main(void)
{
	const struct cdn_seatbelt_facts *f;
	struct draft d;
	bool differs;

	draft_begin();
	random_start();
	chance_state = random_state | 1;
	differs = look_for(tries(WORLDS), NULL, &d, &f);
	if (differs) {
		shrink(&d, f, NULL);
		tell(&d, f, NULL, true);
	}
	ok_f(!differs, "the text says what the decision says: %lu questions",
	    asked);
	test_planted("a deny is forgotten", drop_deny);
	test_planted("an allow is forgotten", drop_allow);
	test_planted("the bounds of reading are", drop_bounds);
	test_planted("a star that takes slashes", widen_regex);
	test_planted("a path that takes what lies below", subpath_for_literal);
	return done_testing();
}
