/*
 * reader - what the two halves of the shell parser share: words.c reads one
 * word with its quotes and expansions, parse.c everything between words.
 */
#ifndef CDN_SHELL_READER_H
#define CDN_SHELL_READER_H

#include "base/buf.h"
#include "engine/shell/shell.h"

struct cdn_shell_here {
	cdn_str end;
	bool tabs;  /* <<-: leading tabs do not count */
	bool plain; /* a quoted end: nothing is expanded */
};

struct cdn_shell_reader {
	cdn_str text;
	size_t at;
	unsigned depth; /* commands inside commands */
	struct cdn_arena *arena;
	struct cdn_shell *out;
	size_t room; /* of out->v */
	struct cdn_shell_here here[CDN_SHELL_HERE_MAX]; /* not yet read */
	size_t here_count;
	struct cordon_error *err;
};

/* One word as it is being put together. */
struct cdn_shell_draft {
	struct cdn_buf buf;
	bool quoted;   /* something of it was: "" is a word, '~' is no home */
	bool unknown;  /* there is an expansion, from `known` on */
	size_t known;
	bool home;
	bool home_value;
};

/* The byte at reader->at + ahead, or 0 at the end. */
char cdn_shell_peek(const struct cdn_shell_reader *r, size_t ahead);

/* Reads to the end of the word.  The caller gives draft->buf back. */
CDN_MUST_USE int cdn_shell_read_word(struct cdn_shell_reader *r,
    struct cdn_shell_draft *draft);

/* Reads commands up to the closing ')' (which is consumed), or the end: 0. */
CDN_MUST_USE int cdn_shell_read_list(struct cdn_shell_reader *r, char closer);

/* What a program starts; 0: nothing that is known.  A table: wrappers.c. */
#define CDN_SHELL_STARTS_TEXT  1U /* sh, eval, su -c: text, as commands */
#define CDN_SHELL_STARTS_WORDS 2U /* sudo, env, timeout: words behind its own */
unsigned cdn_shell_starts(cdn_str program);

CDN_MUST_USE int cdn_shell_fault(const struct cdn_shell_reader *r,
    const char *what);

#endif
