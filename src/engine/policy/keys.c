#include "engine/policy/schema.h"

#include "engine/policy/policy.h"

/* clang-format off */
const struct cdn_object_info cdn_objects[CDN_OBJECT_MAX] = {
#define CDN_OBJECT(id, name, where, text) \
	[CDN_OBJECT_##id] = { name, where, text },
#include "engine/policy/schema.def"
#undef CDN_OBJECT
};

const struct cdn_type_info cdn_types[CDN_TYPE_MAX] = {
#define CDN_TYPE(id, function, name, text, json) \
	[CDN_TYPE_##id] = { #function, name, text, json },
#include "engine/policy/schema.def"
#undef CDN_TYPE
};

const char *const cdn_words_names[CDN_WORDS_MAX] = {
#define CDN_WORDS(id, name) [CDN_WORDS_##id] = (name),
#include "engine/policy/schema.def"
#undef CDN_WORDS
};

#define NOWHERE	      0 /* nothing is kept */
#define SAME	      0 /* the child lies in the same C struct */
#define IN_POLICY(f)  offsetof(struct cordon_policy, f)
#define IN_PROFILE(f) offsetof(struct cdn_profile_def, f)
#define IN_LIMITS(f)  offsetof(struct cdn_limits, f)
#define IN_ENV(f)     offsetof(struct cdn_env, f)

static const struct cdn_key keys[] = {
#define CDN_KEY(object, key, type, place, absent, since, text)	\
	{ CDN_OBJECT_##object, key, CDN_TYPE_##type, CDN_OBJECT_MAX, place, \
	    absent, since, text },
#define CDN_NEST(object, key, child, place, absent, since, text) \
	{ CDN_OBJECT_##object, key, CDN_TYPE_OBJECT, CDN_OBJECT_##child, \
	    place, absent, since, text },
#include "engine/policy/schema.def"
#undef CDN_KEY
#undef CDN_NEST
};

static const struct {
	enum cdn_object object;
	const char *wrong, *right;
} aliases[] = {
#define CDN_ALIAS(object, wrong, right) { CDN_OBJECT_##object, wrong, right },
#include "engine/policy/schema.def"
#undef CDN_ALIAS
};

static const struct cdn_word words[] = {
#define CDN_WORD(set, word, value) { CDN_WORDS_##set, value, word },
#include "engine/policy/schema.def"
#undef CDN_WORD
};
/* clang-format on */

const struct cdn_key *
cdn_schema_next(enum cdn_object object, const struct cdn_key *previous)
{
	const struct cdn_key *key = previous == NULL ? keys : previous + 1;

	for (; key < keys + CDN_LEN(keys); key++)
		if (key->object == object)
			return key;
	return NULL;
}

const struct cdn_key *
cdn_schema_find(enum cdn_object object, cdn_str name)
{
	const struct cdn_key *key = NULL;

	while ((key = cdn_schema_next(object, key)) != NULL)
		if (cdn_str_is(name, key->name))
			return key;
	return NULL;
}

void
cdn_nearest_begin(struct cdn_nearest *nearest, cdn_str wanted)
{
	unsigned third = wanted.n > CDN_NAME_MAX ? 0 : (unsigned)wanted.n / 3;

	*nearest = (struct cdn_nearest){ .wanted = wanted };
	nearest->distance = third > 2 ? third : 2;
	/* Two slips make almost any word of a short one. */
	if (wanted.n < 5)
		nearest->distance = 1;
}

void
cdn_nearest_try(struct cdn_nearest *nearest, const char *word)
{
	unsigned limit = nearest->distance;
	unsigned d = cdn_str_distance(nearest->wanted, cdn_str_of(word), limit);

	if (d > limit || (nearest->word != NULL && d == limit))
		return;
	nearest->word = word;
	nearest->distance = d;
}

const char *
cdn_schema_suggest(enum cdn_object object, cdn_str wrong)
{
	const struct cdn_key *key = NULL;
	struct cdn_nearest nearest;

	for (size_t i = 0; i < CDN_LEN(aliases); i++)
		if (aliases[i].object == object &&
		    cdn_str_is(wrong, aliases[i].wrong))
			return aliases[i].right;
	cdn_nearest_begin(&nearest, wrong);
	while ((key = cdn_schema_next(object, key)) != NULL)
		cdn_nearest_try(&nearest, key->name);
	return nearest.word;
}

const char *
cdn_schema_elsewhere(cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(keys); i++)
		if (cdn_str_is(name, keys[i].name))
			return cdn_objects[keys[i].object].where;
	return NULL;
}

const struct cdn_word *
cdn_word_next(enum cdn_words set, const struct cdn_word *previous)
{
	const struct cdn_word *word = previous == NULL ? words : previous + 1;

	for (; word < words + CDN_LEN(words); word++)
		if (word->set == set)
			return word;
	return NULL;
}

const struct cdn_word *
cdn_word_find(enum cdn_words set, cdn_str text)
{
	const struct cdn_word *word = NULL;

	while ((word = cdn_word_next(set, word)) != NULL)
		if (cdn_str_is(text, word->text))
			return word;
	return NULL;
}

const char *
cdn_word_of(enum cdn_words set, int value)
{
	const struct cdn_word *word = NULL;

	while ((word = cdn_word_next(set, word)) != NULL)
		if (word->value == value)
			return word->text;
	return NULL;
}
