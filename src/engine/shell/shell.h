/*
 * shell - a command line, read as a shell would, without running anything.
 *
 *	git -C /etc log >x; ls "$D"x
 *
 *	git       command     simple command 0
 *	-C        argument
 *	/etc      argument
 *	log       argument
 *	x         redirected, written
 *	ls        command     simple command 1
 *	$Dx        argument, known for 0 bytes
 *
 * Quotes are removed, what a shell would expand is left as it stands and marked.
 * Commands inside $( ), ` ` and <( ) are read, too, and listed like the others.
 * It is a courtesy with good error messages, never the boundary: what cannot be
 * read is refused, what cannot be known is called dynamic.
 *
 * Pure.  Words lie in the arena; the text is borrowed and must live as long.
 */
#ifndef CDN_SHELL_SHELL_H
#define CDN_SHELL_SHELL_H

#include "base/arena.h"
#include "base/err.h"

enum cdn_shell_role {
	CDN_SHELL_COMMAND,    /* the program, or a builtin */
	CDN_SHELL_ARGUMENT,
	CDN_SHELL_ASSIGNMENT, /* NAME=VALUE before the command */
	CDN_SHELL_INPUT,      /* <FILE */
	CDN_SHELL_OUTPUT,     /* >FILE and its like */
	CDN_SHELL_TEXT,	      /* <<<TEXT, the end of a here-document */
	CDN_SHELL_RESERVED    /* if, done, { and so on */
};

/* What its program does with the file that an argument names. */
enum cdn_shell_use {
	CDN_SHELL_USE_READ,  /* or nothing at all: nobody knows */
	CDN_SHELL_USE_WRITE, /* makes, changes or removes it */
	CDN_SHELL_USE_MOVE   /* brings it to where another argument says */
};

struct cdn_shell_word {
	cdn_str text; /* quotes removed; expansions as they were written */
	size_t known; /* bytes of it before the first expansion */
	enum cdn_shell_role role;
	size_t command; /* which simple command, from 0 */
	bool home;	/* an unquoted '~' at the beginning */
	bool home_value; /* ... or behind a '=' or ':' */
	/* Of cdn_shell_operands(), for arguments: */
	enum cdn_shell_use use;
	bool sure;    /* it is a file and nothing else */
	bool into;    /* a directory there gets the other operands */
	bool part;    /* not all of the word is the file: --output=x, of=x */
	bool operand; /* neither an option nor the value of one */
	size_t next;  /* index of the next word of this command, or n */
};

struct cdn_shell {
	struct cdn_shell_word *v;
	size_t n;
	size_t commands; /* simple commands, those inside others too */
	/* One command of plain words and nothing else: its words are argv. */
	bool simple;
	/* Expansions of any kind, or a command that runs text as commands. */
	bool dynamic;
	/* Commands follow each other by ; && or a newline, nothing else. */
	bool sequential;
};

/* CORDON_E_INVALID: it cannot be read, or is too long. */
CDN_MUST_USE int cdn_shell_parse(struct cdn_arena *arena, cdn_str text,
    struct cdn_shell *ret, struct cordon_error *err);

/*
 * Which arguments name files that are written, by a table of programs (tee, cp,
 * sed -i, ...) and of options (--output); fills `use` and what follows it.  What
 * is started behind others (`env sh -c`, `find -exec`) makes it dynamic, too.
 */
CDN_MUST_USE int cdn_shell_operands(struct cdn_arena *arena,
    struct cdn_shell *shell, struct cordon_error *err);

/* ----- Which parts of a word name a file ---------------------------------- */

struct cdn_shell_path {
	cdn_str path;
	bool home;   /* begins with a '~' that would be expanded */
	bool prefix; /* a directory: what follows is not known */
	bool whole;  /* the word itself, not a part of it */
	bool guess;  /* as likely no name at all: only what is there counts */
};

/*
 * The whole word, the value of NAME=VALUE and --option=VALUE with a '/' in it,
 * -C/glued, what follows ':' ',' or '@' with a '/' first, file:// URLs; of an
 * expansion the directory before it.  Other URLs and options are no paths.
 * Guesses: what begins or ends at one of "=:,;@<", and what follows the letters
 * of a short option.  False from each() stops.
 */
void cdn_shell_paths(const struct cdn_shell_word *word,
    bool (*each)(const struct cdn_shell_path *path, void *arg), void *arg);

/* /dev/null, the standard streams and their like: always there, no secret. */
bool cdn_shell_pseudo_path(cdn_str path);

#endif
