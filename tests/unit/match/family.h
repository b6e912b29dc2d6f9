/*
 * family - every pattern and every path that a few letters can make, and who
 * matches whom according to the oracle.
 */
#ifndef CDN_TESTS_FAMILY_H
#define CDN_TESTS_FAMILY_H

#include "base/str.h"
#include "support/naive_glob.h"

#define FAMILY_WORDS	1024
#define FAMILY_PATTERNS 4096
#define FAMILY_LETTERS	8 /* a word or pattern has fewer */

struct family {
	char words[FAMILY_WORDS][FAMILY_LETTERS]; /* canonical paths */
	char patterns[FAMILY_PATTERNS][FAMILY_LETTERS];
	size_t word_count, pattern_count;
	bool matches[FAMILY_PATTERNS][FAMILY_WORDS];
};

/* No empty, "." or ".." segment. */
static inline bool
family_is_path(const char *word)
{
	cdn_str rest = cdn_str_of(word), segment;

	if (rest.n == 0)
		return true;
	while (cdn_str_next(&rest, '/', &segment))
		if (segment.n == 0 || cdn_str_is(segment, ".") ||
		    cdn_str_is(segment, ".."))
			return false;
	return true;
}

/* All texts of up to `longest` letters; returns how many were kept. */
static inline size_t
family_spell(const char *letters, size_t longest, bool paths_only,
    char (*out)[FAMILY_LETTERS], size_t room)
{
	size_t base = strlen(letters), kept = 0, total = 1;

	for (size_t length = 0; length <= longest; length++, total *= base)
		for (size_t number = 0; number < total; number++) {
			char text[FAMILY_LETTERS] = "";
			size_t rest = number;

			for (size_t i = 0; i < length; i++, rest /= base)
				text[i] = letters[rest % base];
			if (paths_only && !family_is_path(text))
				continue;
			if (kept == room)
				cdn_bug("a family has more members");
			memcpy(out[kept++], text, FAMILY_LETTERS);
		}
	return kept;
}

static inline void
family_init(struct family *family, const char *word_letters, size_t word_max,
    const char *pattern_letters, size_t pattern_max)
{
	family->word_count = family_spell(word_letters, word_max, true,
	    family->words, FAMILY_WORDS);
	family->pattern_count = family_spell(pattern_letters, pattern_max,
	    false, family->patterns, FAMILY_PATTERNS);
	for (size_t i = 0; i < family->pattern_count; i++)
		for (size_t j = 0; j < family->word_count; j++)
			family->matches[i][j] = naive_glob(family->patterns[i],
			    strlen(family->patterns[i]), 0, family->words[j],
			    strlen(family->words[j]));
}

/* The two families of the tests: dots and slashes, and broken UTF-8. */
static inline void
family_plain(struct family *family)
{
	family_init(family, "a./", 7, "a*?/.", 5);
}

static inline void
family_utf8(struct family *family)
{
	family_init(family, "a/\xc3\xa9", 5, "a*?/\xc3\xa9", 4);
}

#endif
