/*
 * schema - the tables of schema.def, and questions about them.
 */
#ifndef CDN_POLICY_SCHEMA_H
#define CDN_POLICY_SCHEMA_H

#include "base/str.h"

enum cdn_object {
#define CDN_OBJECT(id, name, where, text) CDN_OBJECT_##id,
#include "engine/policy/schema.def"
#undef CDN_OBJECT
	CDN_OBJECT_MAX
};

enum cdn_type {
#define CDN_TYPE(id, function, name, text, json) CDN_TYPE_##id,
#include "engine/policy/schema.def"
#undef CDN_TYPE
	CDN_TYPE_MAX
};

enum cdn_words { /* sets of words */
#define CDN_WORDS(id, name) CDN_WORDS_##id,
#include "engine/policy/schema.def"
#undef CDN_WORDS
	CDN_WORDS_MAX
};

enum { CDN_FAILURE_STOP, CDN_FAILURE_WARN }; /* audit.onFailure */
enum { CDN_FIELD_TEXT, CDN_FIELD_PATH };     /* mcp */

struct cdn_object_info {
	const char *name;  /* also of its part of the JSON Schema */
	const char *where; /* "spec.fsProfiles.NAME"; "" for the document */
	const char *text;
};

struct cdn_type_info {
	const char *id;	  /* "rules"; of its part of the JSON Schema */
	const char *name; /* in a table, Markdown */
	const char *text; /* in full, Markdown; NULL: the name says it */
	const char *json; /* in the spelling of schema.def */
};

struct cdn_key {
	enum cdn_object object;
	const char *name;
	enum cdn_type type;
	enum cdn_object child; /* of CDN_TYPE_OBJECT */
	size_t offset;	       /* in the C struct of its object */
	const char *absent;    /* what holds without it; NULL: required */
	const char *since;
	const char *text;
};

struct cdn_word {
	enum cdn_words set;
	int value;
	const char *text;
};

extern const struct cdn_object_info cdn_objects[CDN_OBJECT_MAX];
extern const struct cdn_type_info cdn_types[CDN_TYPE_MAX];
extern const char *const cdn_words_names[CDN_WORDS_MAX];

/* The keys of an object in order: NULL begins, NULL ends. */
const struct cdn_key *cdn_schema_next(enum cdn_object object,
    const struct cdn_key *previous);
const struct cdn_key *cdn_schema_find(enum cdn_object object, cdn_str name);

/* What was probably meant, or NULL. */
const char *cdn_schema_suggest(enum cdn_object object, cdn_str wrong);
/* Where else a key of exactly this name belongs ("spec"), or NULL. */
const char *cdn_schema_elsewhere(cdn_str name);

/* The words of a set in order, the one for a text, the one for a value. */
const struct cdn_word *cdn_word_next(enum cdn_words set,
    const struct cdn_word *previous);
const struct cdn_word *cdn_word_find(enum cdn_words set, cdn_str text);
const char *cdn_word_of(enum cdn_words set, int value); /* NULL: none */

/*
 * The nearest of some words, or NULL when none is near: at most two slips, or
 * one in three characters of a long word.
 */
struct cdn_nearest {
	cdn_str wanted;
	const char *word;
	unsigned distance; /* of `word`; more is not accepted */
};
void cdn_nearest_begin(struct cdn_nearest *nearest, cdn_str wanted);
void cdn_nearest_try(struct cdn_nearest *nearest, const char *word);

#endif
