#include "engine/match/pattern.h"

/* ----- Parsing ----------------------------------------------------------- */

#define TOKENS_FEW 24 /* most patterns have fewer */

/* Where a scan stands.  What has no room in the array is only counted. */
struct scan {
	cdn_str text;		  /* without the final slash and ** */
	size_t literal;		  /* bytes taken as they are */
	size_t at;
	struct cdn_token *tokens;
	size_t room;
	size_t n;
	enum cdn_token_kind last; /* kind of tokens[n - 1], if n > 0 */
};

static void
put(struct scan *scan, enum cdn_token_kind kind, cdn_str text)
{
	if (scan->n < scan->room)
		scan->tokens[scan->n] = (struct cdn_token){ kind, text };
	scan->n++;
	scan->last = kind;
}

/* What a ** swallows, on either side of it. */
static bool
is_within_stars(enum cdn_token_kind kind)
{
	return kind == CDN_TOKEN_STAR || kind == CDN_TOKEN_STARS ||
	    kind == CDN_TOKEN_DIRS || kind == CDN_TOKEN_BELOW;
}

static void
put_wildcard(struct scan *scan, enum cdn_token_kind kind)
{
	if (scan->n > 0) {
		if (scan->last == CDN_TOKEN_STARS && is_within_stars(kind))
			return;
		if (scan->last == CDN_TOKEN_DIRS && kind == CDN_TOKEN_DIRS)
			return;
		if (kind == CDN_TOKEN_STARS && is_within_stars(scan->last))
			scan->n--;
	}
	put(scan, kind, (cdn_str){ NULL, 0 });
}

static bool
is_wild(const struct scan *scan, size_t at)
{
	return at >= scan->literal &&
	    (scan->text.p[at] == '*' || scan->text.p[at] == '?');
}

static void
scan_literal(struct scan *scan)
{
	size_t end = scan->at + 1;

	if (end < scan->literal) {
		/* most of a plain path is of this kind */
		size_t stop = scan->literal < scan->text.n ? scan->literal :
							     scan->text.n;
		const char *slash = memchr(scan->text.p + end, '/',
		    stop - end);

		end = slash == NULL ? stop : (size_t)(slash - scan->text.p);
	}
	while (end < scan->text.n && scan->text.p[end] != '/' &&
	    !is_wild(scan, end))
		end++;
	put(scan, CDN_TOKEN_LITERAL,
	    (cdn_str){ scan->text.p + scan->at, end - scan->at });
	scan->at = end;
}

static void
scan_stars(struct scan *scan)
{
	cdn_str rest = cdn_str_from(scan->text, scan->at);

	if (cdn_str_starts(rest, CDN_STR("**/"))) {
		put_wildcard(scan, CDN_TOKEN_DIRS);
		scan->at += 3;
	} else if (cdn_str_starts(rest, CDN_STR("**"))) {
		put_wildcard(scan, CDN_TOKEN_STARS);
		scan->at += 2;
	} else {
		put_wildcard(scan, CDN_TOKEN_STAR);
		scan->at += 1;
	}
}

/* Takes one final slash and ** off the text. */
static bool
take_below(struct scan *scan)
{
	size_t n = scan->text.n;

	if (!cdn_str_ends(scan->text, CDN_STR("/**")) || n - 2 < scan->literal)
		return false;
	scan->text.n = n - 3;
	return true;
}

static void
scan_one(struct scan *scan)
{
	if (scan->text.p[scan->at] == '/') {
		put(scan, CDN_TOKEN_SLASH, (cdn_str){ NULL, 0 });
		scan->at++;
	} else if (!is_wild(scan, scan->at)) {
		scan_literal(scan);
	} else if (scan->text.p[scan->at] == '?') {
		put(scan, CDN_TOKEN_ANY, (cdn_str){ NULL, 0 });
		scan->at++;
	} else {
		scan_stars(scan);
	}
}

static size_t
scan_all(cdn_str text, size_t literal, struct cdn_token *tokens, size_t room)
{
	struct scan scan = { .text = text, .literal = literal,
		.tokens = tokens, .room = room };
	bool below = false;

	if (cdn_str_is(text, "."))
		return 0;
	while (take_below(&scan))
		below = true;
	while (scan.at < scan.text.n)
		scan_one(&scan);
	if (below)
		put_wildcard(&scan, CDN_TOKEN_BELOW);
	return scan.n;
}

bool
cdn_pattern_below(struct cdn_arena *arena, cdn_str *text)
{
	const cdn_str below = CDN_STR("/**");
	const char *joined = cdn_arena_join(arena, *text, below);

	if (joined == NULL)
		return false;
	*text = (cdn_str){ joined, text->n + below.n };
	return true;
}

int
cdn_pattern_parse(struct cdn_arena *arena, cdn_str text, size_t literal,
    struct cdn_pattern *ret, struct cordon_error *err)
{
	CDN_UNINITIALIZED struct cdn_token few[TOKENS_FEW];
	struct cdn_token *tokens;
	size_t n;

	if (text.n > CDN_PATTERN_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "rule of %zu bytes is too long, at most %d are possible",
		    text.n, CDN_PATTERN_MAX);
	n = scan_all(text, literal, few, TOKENS_FEW);
	tokens = cdn_arena_array(arena, n, sizeof(*tokens));
	if (tokens == NULL)
		return cdn_err_nomem(err);
	if (n > TOKENS_FEW)
		scan_all(text, literal, tokens, n);
	else if (n > 0)
		memcpy(tokens, few, n * sizeof(*tokens));
	*ret = (struct cdn_pattern){ text, tokens, n };
	return 0;
}

/* ----- Texts ------------------------------------------------------------- */

bool
cdn_rule_covers(cdn_str rule, cdn_str covered)
{
	if (cdn_str_eq(rule, covered) || cdn_str_is(rule, "**"))
		return true;
	if (!cdn_str_ends(rule, CDN_STR("/**")))
		return false;
	rule.n -= 3;
	return cdn_str_starts(covered, rule) &&
	    (covered.n == rule.n || covered.p[rule.n] == '/');
}

bool
cdn_rule_is_exact(cdn_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '*' || text.p[i] == '?')
			return false;
	return true;
}
