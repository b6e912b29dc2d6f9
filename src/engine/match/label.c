#include "engine/match/label.h"

static bool
is_star(enum cdn_token_kind kind)
{
	return kind == CDN_TOKEN_STAR || kind == CDN_TOKEN_STARS;
}

void
cdn_label_init(struct cdn_label *label, const struct cdn_token *tokens,
    size_t n, bool open)
{
	*label = (struct cdn_label){ tokens, (uint32_t)n, open, true };
	for (size_t i = 0; i < n; i++)
		if (cdn_utf8_bad(tokens[i].text) < tokens[i].text.n)
			label->clean = false;
}

bool
cdn_label_is_literal(const struct cdn_label *label)
{
	return label->n == 1 && !label->open &&
	    label->tokens[0].kind == CDN_TOKEN_LITERAL;
}

bool
cdn_label_is_star(const struct cdn_label *label)
{
	return label->n == 1 && is_star(label->tokens[0].kind);
}

cdn_str
cdn_label_prefix(const struct cdn_label *label)
{
	if (label->n == 0)
		return (cdn_str){ NULL, 0 };
	return label->tokens[0].text;
}

cdn_str
cdn_label_suffix(const struct cdn_label *label)
{
	if (label->n == 0 || label->open)
		return (cdn_str){ NULL, 0 };
	return label->tokens[label->n - 1].text;
}

/* At most a word at each end and a star: literals never touch each other. */
static bool
is_settled(const struct cdn_label *label, cdn_str prefix, cdn_str suffix)
{
	size_t stars = label->open;

	if (!label->clean || prefix.n > 8 || suffix.n > 8)
		return false;
	for (size_t i = 0; i < label->n; i++) {
		enum cdn_token_kind kind = label->tokens[i].kind;

		if (is_star(kind))
			stars++;
		else if (kind != CDN_TOKEN_LITERAL)
			return false;
	}
	return stars == 1;
}

void
cdn_label_shape(const struct cdn_label *label, struct cdn_shape *ret)
{
	cdn_str prefix = cdn_label_prefix(label);
	cdn_str suffix = cdn_label_suffix(label);

	*ret = (struct cdn_shape){ 0 };
	if (prefix.n > 0) {
		ret->head = cdn_load(prefix.p, prefix.n);
		ret->head_mask = cdn_low_bytes(prefix.n);
	}
	if (suffix.n > 0) {
		ret->tail = cdn_segment_at(suffix.p, suffix.n, suffix.p,
		    suffix.p + suffix.n).tail;
		ret->tail_mask = cdn_high_bytes(suffix.n);
	}
	for (size_t i = 0; i < label->n; i++)
		if (label->tokens[i].kind == CDN_TOKEN_ANY)
			ret->min++;
		else
			ret->min += (uint32_t)label->tokens[i].text.n;
	ret->settled = is_settled(label, prefix, suffix);
}

/* STARS and STAR are the same here. */
static bool
token_eq(const struct cdn_token *a, const struct cdn_token *b)
{
	return (a->kind == b->kind || (is_star(a->kind) && is_star(b->kind))) &&
	    cdn_str_eq(a->text, b->text);
}

bool
cdn_label_eq(const struct cdn_label *a, const struct cdn_label *b)
{
	if (a->n != b->n || a->open != b->open)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!token_eq(&a->tokens[i], &b->tokens[i]))
			return false;
	return true;
}

uint64_t
cdn_label_hash(const struct cdn_label *label, uint64_t seed)
{
	uint64_t hash = cdn_mix(seed + (uint64_t)label->n * 2 +
	    label->open);

	for (size_t i = 0; i < label->n; i++) {
		enum cdn_token_kind kind = label->tokens[i].kind;
		cdn_str text = label->tokens[i].text;

		hash = cdn_mix(hash ^ (is_star(kind) ? CDN_TOKEN_STAR : kind));
		for (size_t at = 0; at < text.n; at += 8)
			hash = cdn_mix((hash ^
			    cdn_load(text.p + at, text.n - at)) + seed);
	}
	return hash;
}

/* ----- Matching ---------------------------------------------------------- */

static const char *
behind(const char *p, const char *end)
{
	return p + ((unsigned char)*p < 0x80 ? 1 : cdn_utf8_len(p, end));
}

/*
 * Where what follows a star may begin, at p or further on; NULL: nowhere.  A
 * literal is looked for in one go: trying it at every place would cost the
 * product of both lengths.
 */
static const char *
next_try(const char *p, const char *end, const struct cdn_token *token,
    const struct cdn_token *stop)
{
	if (token == stop || token->kind != CDN_TOKEN_LITERAL)
		return p;
	return memmem(p, (size_t)(end - p), token->text.p, token->text.n);
}

/*
 * With well-formed literals every place a match can come to is the beginning
 * of a character, wherever it came from.  So a star may take as little as it
 * can, and only the last one met ever has to take more.
 */
static bool
match_clean(const struct cdn_label *label, const char *p, const char *end)
{
	const struct cdn_token *token = label->tokens;
	const struct cdn_token *stop = token + label->n;
	const struct cdn_token *again = NULL; /* behind the last star */
	const char *taken = NULL;	      /* how far that star reaches */

	for (;;) {
		if (token == stop) {
			if (p == end || label->open)
				return true;
		} else if (is_star(token->kind)) {
			again = ++token;
			taken = p;
			continue;
		} else if (token->kind == CDN_TOKEN_DIRS) {
			token++;
			continue;
		} else if (p == end) {
			return false;
		} else if (token->kind == CDN_TOKEN_ANY) {
			p = behind(p, end);
			token++;
			continue;
		} else if ((size_t)(end - p) < token->text.n) {
			return false;
		} else if (memcmp(p, token->text.p, token->text.n) == 0) {
			p += token->text.n;
			token++;
			continue;
		}
		if (again == NULL || taken == end)
			return false;
		p = taken = next_try(behind(taken, end), end, again, stop);
		if (p == NULL)
			return false;
		token = again;
	}
}

bool
cdn_label_match(const struct cdn_label *label, cdn_str segment)
{
	if (label->clean)
		return match_clean(label, segment.p, segment.p + segment.n);
	return cdn_tokens_match(label->tokens, label->n, label->open, segment);
}
