/*
 * operands - which words of a command name files that it writes.
 *
 * What a program does with its words only the program knows; here are those
 * that agents write files with.  Of all others words are taken for files that
 * are read.
 */
#include "engine/shell/reader.h"

enum kind {
	NAMED, /* only behind an option, or a key */
	ALL,   /* each operand */
	LAST,  /* the last one, or something in it; the others are read */
	MOVED  /* the same, and the others go away */
};

struct program {
	const char *name;
	enum kind kind;
	const char *values;  /* short options that have a value ... */
	const char *written; /* ... and those of them that name what is written */
	char switches;	     /* without this option nothing is written */
	char each;	     /* with this one each operand is */
	unsigned skip;	     /* operands that are perhaps no files: a mode */
};

static const struct program programs[] = {
	{ "c++", NAMED, "o", "o", 0, 0, 0 },
	{ "cc", NAMED, "o", "o", 0, 0, 0 },
	{ "chgrp", ALL, "", "", 0, 0, 1 },
	{ "chmod", ALL, "", "", 0, 0, 1 },
	{ "chown", ALL, "", "", 0, 0, 1 },
	{ "clang", NAMED, "o", "o", 0, 0, 0 },
	{ "cp", LAST, "St", "t", 0, 0, 0 },
	{ "curl", NAMED, "AbCcDdeEFHKmoQrtTuUwxXyYz", "cDo", 0, 0, 0 },
	{ "dd", NAMED, "", "", 0, 0, 0 },
	{ "ed", ALL, "p", "", 0, 0, 0 },
	{ "ex", ALL, "c", "", 0, 0, 0 },
	{ "g++", NAMED, "o", "o", 0, 0, 0 },
	{ "gcc", NAMED, "o", "o", 0, 0, 0 },
	{ "go", NAMED, "o", "o", 0, 0, 0 },
	{ "iconv", NAMED, "fto", "o", 0, 0, 0 },
	{ "install", LAST, "gmoSt", "t", 0, 'd', 0 },
	{ "ld", NAMED, "o", "o", 0, 0, 0 },
	{ "ln", LAST, "St", "t", 0, 0, 0 },
	{ "mkdir", ALL, "mZ", "", 0, 0, 0 },
	{ "mkfifo", ALL, "mZ", "", 0, 0, 0 },
	{ "mknod", ALL, "mZ", "", 0, 0, 0 },
	{ "mktemp", ALL, "p", "p", 0, 0, 0 },
	{ "mv", MOVED, "St", "t", 0, 0, 0 },
	{ "patch", ALL, "BDdFgioprVxYz", "or", 0, 0, 0 },
	{ "perl", ALL, "CDeEFIMm", "", 'i', 0, 1 },
	{ "rm", ALL, "", "", 0, 0, 0 },
	{ "rmdir", ALL, "", "", 0, 0, 0 },
	{ "rsync", LAST, "BefMT", "", 0, 0, 0 },
	{ "rustc", NAMED, "CLlo", "o", 0, 0, 0 },
	{ "sed", ALL, "efl", "", 'i', 0, 1 },
	{ "shred", ALL, "ns", "", 0, 0, 0 },
	{ "shuf", NAMED, "ino", "o", 0, 0, 0 },
	{ "sort", NAMED, "kotST", "o", 0, 0, 0 },
	{ "sponge", ALL, "", "", 0, 0, 0 },
	{ "strace", NAMED, "abeEIoOpPsSuX", "o", 0, 0, 0 },
	{ "tar", NAMED, "bCfFgHIKLNTVX", "C", 0, 0, 0 },
	{ "tee", ALL, "", "", 0, 0, 0 },
	{ "touch", ALL, "drt", "", 0, 0, 0 },
	{ "truncate", ALL, "rs", "", 0, 0, 0 },
	{ "unlink", ALL, "", "", 0, 0, 0 },
	{ "unzip", NAMED, "dP", "d", 0, 0, 0 },
	{ "wget", NAMED, "aADeiIloOPQRtTUwX", "aoOP", 0, 0, 0 },
};

/* Long ones, of any program. */
static const char *const outputs[] = { "--cookie-jar", "--dest",
	"--destination", "--directory-prefix", "--dump-header", "--out",
	"--out-dir", "--out-file", "--outdir", "--outfile", "--output",
	"--output-dir", "--output-directory", "--output-document",
	"--output-file", "--prefix", "--target", "--target-dir" };

static const char *const keys[] = { "of=" }; /* dd */

/* One simple command of a known program. */
struct reading {
	struct cdn_shell *shell;
	const struct program *row;
	size_t first; /* of its words */
	bool unsure;  /* that it is this program, or that options are known */
	bool ended;   /* by "--" */
	bool on;      /* row->switches was there */
	bool each;    /* row->each was */
	bool target;  /* the directory was named by an option */
	char wants;   /* the next word is the value of this option, or 0 */
	bool awaits;  /* ... of a long one that names what is written */
	bool doubts;  /* ... or perhaps of one that is not known */
};

static cdn_str
name_of(cdn_str program)
{
	size_t slash = program.n;

	while (slash > 0 && program.p[slash - 1] != '/')
		slash--;
	return cdn_str_from(program, slash);
}

/* Does it start the command that is named among its words? */
static bool
is_wrapper(cdn_str text)
{
	return (cdn_shell_starts(text) & CDN_SHELL_STARTS_WORDS) != 0;
}

static const struct program *
find_program(cdn_str text)
{
	cdn_str name = name_of(text);

	for (size_t i = 0; i < CDN_LEN(programs); i++)
		if (cdn_str_is(name, programs[i].name))
			return &programs[i];
	return NULL;
}

/* ----- Options ------------------------------------------------------------------ */

static void
write_to(struct cdn_shell_word *word, bool sure, bool into)
{
	word->use = CDN_SHELL_USE_WRITE;
	word->sure = sure;
	word->into = into;
}

static void
write_part(struct cdn_shell_word *word, bool into)
{
	write_to(word, false, into);
	word->part = true;
}

static bool
has(const char *letters, char c)
{
	return c != '\0' && strchr(letters, c) != NULL;
}

static void
read_long(struct reading *r, struct cdn_shell_word *word)
{
	size_t n = 0;
	cdn_str name;
	bool target, output = false;

	while (n < word->text.n && word->text.p[n] != '=')
		n++;
	name = (cdn_str){ word->text.p, n };
	for (size_t i = 0; i < CDN_LEN(outputs); i++)
		output |= cdn_str_is(name, outputs[i]);
	/* Without a value it is a flag of ls and install. */
	output |= n < word->text.n && cdn_str_is(name, "--directory");
	r->on |= r->row != NULL && r->row->switches == 'i' &&
	    cdn_str_is(name, "--in-place");
	r->each |= r->row != NULL && r->row->each == 'd' &&
	    cdn_str_is(name, "--directory");
	target = r->row != NULL && n > 3 && has(r->row->written, 't') &&
	    cdn_str_starts(CDN_STR("--target-directory"), name);
	r->target |= target;
	if (n < word->text.n && (output || target))
		write_part(word, target);
	r->awaits = n == word->text.n && output;
	r->wants = n == word->text.n && target ? 't' : '\0';
	r->doubts = n == word->text.n && !r->awaits && r->wants == '\0';
}

static void
read_short(struct reading *r, struct cdn_shell_word *word)
{
	const struct program *row = r->row;

	for (size_t i = 1; row != NULL && i < word->text.n; i++) {
		char c = word->text.p[i];

		r->on |= c == row->switches;
		r->each |= c == row->each;
		if (c == row->switches) /* what follows is a suffix */
			return;
		if (!has(row->values, c))
			continue;
		r->target |= c == 't' && has(row->written, c);
		if (i + 1 == word->text.n)
			r->wants = c;
		else if (has(row->written, c))
			write_part(word, c == 't');
		return;
	}
}

/* tar -C names where it reads, unless it extracts. */
static bool
is_read_there(const struct reading *r)
{
	bool first = true;

	if (r->wants != 'C' || strcmp(r->row->name, "tar") != 0)
		return false;
	for (size_t i = r->first; i < r->shell->n; i = r->shell->v[i].next) {
		cdn_str text = r->shell->v[i].text;

		if (cdn_str_is(text, "--extract") || cdn_str_is(text, "--get"))
			return false;
		if (text.n > 0 && memchr(text.p, 'x', text.n) != NULL &&
		    (first || text.p[0] == '-') &&
		    !cdn_str_starts(text, CDN_STR("--")))
			return false;
		first = false;
	}
	return true;
}

/* An option, or the value of one; false: it is an operand. */
static bool
read_option(struct reading *r, struct cdn_shell_word *word)
{
	cdn_str text = word->text;

	if (r->wants != '\0' || r->awaits) {
		if (r->awaits || (has(r->row->written, r->wants) &&
		    !is_read_there(r)))
			write_to(word, !r->awaits && !r->unsure,
			    r->wants == 't');
		r->wants = '\0';
		r->awaits = false;
		return true;
	}
	if (r->ended || text.n < 2 || text.p[0] != '-')
		return false;
	r->doubts = false;
	if (cdn_str_is(text, "--"))
		r->ended = true;
	else if (text.p[1] == '-')
		read_long(r, word);
	else
		read_short(r, word);
	return true;
}

/* ----- Operands ------------------------------------------------------------------- */

static void
read_words(struct reading *r, size_t first)
{
	for (size_t i = first; i < r->shell->n; i = r->shell->v[i].next) {
		struct cdn_shell_word *word = &r->shell->v[i];

		if (word->role != CDN_SHELL_ARGUMENT || read_option(r, word))
			continue;
		word->operand = true;
		word->sure = !r->unsure && !r->doubts;
		r->doubts = false;
		for (size_t k = 0; k < CDN_LEN(keys); k++)
			if (cdn_str_starts(word->text, cdn_str_of(keys[k])))
				write_part(word, false);
	}
}

static size_t
last_operand(const struct reading *r, size_t first)
{
	size_t last = r->shell->n;

	for (size_t i = first; i < r->shell->n; i = r->shell->v[i].next)
		if (r->shell->v[i].operand)
			last = i;
	return last;
}

static void
use_operands(struct reading *r, size_t first)
{
	const struct program *row = r->row;
	bool one = row->kind == LAST || row->kind == MOVED;
	size_t last = one && !r->target ? last_operand(r, first) :
					  r->shell->n;
	unsigned skip = row->skip;

	if (row->kind == NAMED || (row->switches != '\0' && !r->on))
		return;
	for (size_t i = first; i < r->shell->n; i = r->shell->v[i].next) {
		struct cdn_shell_word *word = &r->shell->v[i];

		if (!word->operand)
			continue;
		if (row->kind == ALL || r->each || i == last)
			write_to(word, word->sure && skip == 0, i == last);
		else if (row->kind == MOVED)
			word->use = CDN_SHELL_USE_MOVE;
		skip -= skip > 0;
	}
}

/* ----- Commands ------------------------------------------------------------------- */

/* The program that another one starts; `at` moves to it. */
static const struct program *
find_inner(const struct cdn_shell *shell, size_t *at)
{
	const struct program *row;

	for (size_t i = shell->v[*at].next; i < shell->n;
	     i = shell->v[i].next) {
		row = shell->v[i].role == CDN_SHELL_ARGUMENT ?
		    find_program(shell->v[i].text) : NULL;
		if (row != NULL) {
			*at = i;
			return row;
		}
	}
	return NULL;
}

static void
read_command(struct cdn_shell *shell, size_t at)
{
	struct reading r = { .shell = shell,
		.row = find_program(shell->v[at].text) };

	if (is_wrapper(shell->v[at].text)) {
		r.unsure = true;
		r.row = find_inner(shell, &at);
	}
	at = shell->v[at].next;
	r.first = at;
	read_words(&r, at);
	if (r.row != NULL)
		use_operands(&r, at);
}

/* find starts commands with, or removes, what it comes across. */
static bool
acts(cdn_str word)
{
	static const char *const words[] = { "-exec", "-execdir", "-ok",
		"-okdir", "-delete" };

	for (size_t i = 0; i < CDN_LEN(words); i++)
		if (cdn_str_is(word, words[i]))
			return true;
	return false;
}

/* env reads a whole command from one word. */
static bool
splits(cdn_str word)
{
	return cdn_str_starts(word, CDN_STR("--split-string")) ||
	    (word.n >= 2 && word.p[0] == '-' && word.p[1] != '-' &&
		memchr(word.p, 'S', word.n) != NULL);
}

/* An option, or a variable: the command of env follows later. */
static bool
is_own(cdn_str word)
{
	return word.n > 0 && (word.p[0] == '-' ||
	    memchr(word.p, '=', word.n) != NULL);
}

/* Does it do with names what nobody can see here?  From the program on. */
static bool
is_dynamic(const struct cdn_shell *shell, size_t at)
{
	bool inner = is_wrapper(shell->v[at].text);
	bool env = cdn_str_is(name_of(shell->v[at].text), "env");
	bool finds = cdn_str_is(name_of(shell->v[at].text), "find");

	for (size_t i = shell->v[at].next; i < shell->n;
	     i = shell->v[i].next) {
		cdn_str text = shell->v[i].text;

		if (shell->v[i].role != CDN_SHELL_ARGUMENT)
			continue;
		if ((finds && acts(text)) || (env && splits(text)) ||
		    (inner && (cdn_shell_starts(text) &
			CDN_SHELL_STARTS_TEXT) != 0))
			return true;
		if (!is_own(text))
			env = inner && cdn_str_is(name_of(text), "env");
		finds |= inner && cdn_str_is(name_of(text), "find");
	}
	return false;
}

/* Words of one command may have those of others between them. */
static int
chain_words(struct cdn_arena *arena, struct cdn_shell *shell,
    struct cordon_error *err)
{
	size_t *first = cdn_arena_array(arena, shell->commands + 1,
	    sizeof(*first));

	if (first == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i <= shell->commands; i++)
		first[i] = shell->n;
	for (size_t i = shell->n; i-- > 0;) {
		shell->v[i].next = first[shell->v[i].command];
		first[shell->v[i].command] = i;
	}
	return 0;
}

int
cdn_shell_operands(struct cdn_arena *arena, struct cdn_shell *shell,
    struct cordon_error *err)
{
	int code = chain_words(arena, shell, err);

	for (size_t i = 0; i < shell->n && code == 0; i++)
		if (shell->v[i].role == CDN_SHELL_COMMAND) {
			shell->dynamic |= is_dynamic(shell, i);
			read_command(shell, i);
		}
	return code;
}
