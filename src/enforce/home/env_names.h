/*
 * env_names - which variables are what: the tables behind env.h.
 *
 * Pure.
 */
#ifndef CDN_HOME_ENV_NAMES_H
#define CDN_HOME_ENV_NAMES_H

#include "base/str.h"

enum cdn_env_kind {
	CDN_ENV_OTHER,	  /* passed only when a document says so */
	CDN_ENV_BASELINE, /* passed when no document has a `pass` list */
	CDN_ENV_ALWAYS,	  /* passed whatever the lists say; `drop` takes it */
	/* Says where the home, or something in it, lies: with a home of its own
	 * as the next kind, else as the baseline. */
	CDN_ENV_OF_HOME,
	/* Makes programs run code of its choosing: passed only when a trusted
	 * document names it without a wildcard. */
	CDN_ENV_EXECUTES,
};

enum cdn_env_kind cdn_env_kind(cdn_str name);

/* The same for many names: by their first letters. */
#define CDN_ENV_NAMES_MAX 256 /* of the table */
#define CDN_ENV_LETTERS	  256 /* what two of them can be, more or less */

struct cdn_env_names {
	unsigned char first[CDN_ENV_LETTERS]; /* 1 + a row; 0: none */
	unsigned char next[CDN_ENV_NAMES_MAX];
	unsigned char kind[CDN_ENV_NAMES_MAX];
};

void cdn_env_names_init(struct cdn_env_names *index);
enum cdn_env_kind cdn_env_names_kind(const struct cdn_env_names *index,
    cdn_str name);

/* Obeyed by the loader itself, before the program has a say. */
bool cdn_env_loads(cdn_str name);

/* [A-Za-z_][A-Za-z0-9_]*, at most CDN_NAME_MAX bytes. */
bool cdn_env_is_name(cdn_str name);

/* '*' stands for any run of characters. */
bool cdn_env_match(cdn_str pattern, cdn_str name);

#endif
