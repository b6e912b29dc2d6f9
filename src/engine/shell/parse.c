/*
 * parse - everything between words: commands, operators, redirections,
 * here-documents.  Only as much grammar as is needed to tell a program from
 * its arguments, a file from a text, and one plain command from anything else.
 */
#include "engine/shell/reader.h"

#include <ctype.h>

/* Commands of one level: the whole text, or the inside of $( ). */
struct level {
	size_t command; /* the number of the simple command, once begun */
	bool begun;	/* it has a word */
	bool named;	/* the program's */
	size_t parens;	/* open ( */
	size_t cases;	/* open case: its patterns end in ')' */
	size_t opened;	/* if, do, case and { that are not closed */
};

/* ----- Words of the result ------------------------------------------------ */

static int
add_word(struct cdn_shell_reader *r, const struct cdn_shell_draft *d,
    enum cdn_shell_role role, size_t command)
{
	struct cdn_shell_word word = {
		.known = d->known,
		.role = role,
		.command = command,
		.home = d->home,
		.home_value = d->home_value,
	};
	struct cdn_shell_word *v;

	if (r->out->n >= CDN_SHELL_WORDS_MAX)
		return cdn_err(r->err, CORDON_E_INVALID,
		    "the command has more than %d words", CDN_SHELL_WORDS_MAX);
	v = cdn_arena_grow(r->arena, r->out->v, r->out->n, &r->room,
	    sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(r->err);
	r->out->v = v;
	if (!cdn_arena_str(r->arena, (cdn_str){ d->buf.p, d->buf.n },
		&word.text))
		return cdn_err_nomem(r->err);
	if (role != CDN_SHELL_COMMAND && role != CDN_SHELL_ARGUMENT)
		r->out->simple = false;
	if (d->unknown || d->home || d->home_value) {
		r->out->simple = false;
		r->out->dynamic = true;
	}
	v[r->out->n++] = word;
	return 0;
}

static void
begin(struct cdn_shell_reader *r, struct level *level)
{
	if (level->begun)
		return;
	level->begun = true;
	level->command = r->out->commands++;
}

static void
end_command(struct level *level)
{
	level->begun = level->named = false;
}

/* ----- What words mean where a command begins ------------------------------ */

static const struct {
	const char *word;
	int opens;  /* 1, or -1: closes */
	bool again; /* what follows is where a command begins, too */
} reserved[] = {
	{ "!", 0, true },
	{ "case", 1, false },
	{ "coproc", 0, true },
	{ "do", 1, true },
	{ "done", -1, true },
	{ "elif", 0, true },
	{ "else", 0, true },
	{ "esac", -1, true },
	{ "fi", -1, true },
	{ "for", 0, false },
	{ "function", 0, false },
	{ "if", 1, true },
	{ "select", 0, false },
	{ "then", 0, true },
	{ "time", 0, true },
	{ "until", 0, true },
	{ "while", 0, true },
	{ "{", 1, true },
	{ "}", -1, true },
};

static bool
is_assignment(cdn_str text, size_t known)
{
	size_t i = 0;

	while (i < text.n && (isalnum((unsigned char)text.p[i]) ||
	    text.p[i] == '_'))
		i++;
	if (i > 0 && i < known && text.p[i] == '+')
		i++;
	return i > 0 && i < known && text.p[i] == '=' &&
	    !isdigit((unsigned char)text.p[0]);
}

static int
add_reserved(struct cdn_shell_reader *r, struct level *level,
    const struct cdn_shell_draft *d, size_t i)
{
	cdn_str word = cdn_str_of(reserved[i].word);

	if (reserved[i].opens < 0 && level->opened == 0)
		return cdn_shell_fault(r, "a block ends that was not begun");
	if (reserved[i].opens > 0)
		level->opened++;
	else if (reserved[i].opens < 0)
		level->opened--;
	if (cdn_str_is(word, "case"))
		level->cases++;
	else if (cdn_str_is(word, "esac") && level->cases > 0)
		level->cases--;
	r->out->sequential = false;
	begin(r, level);
	level->named = !reserved[i].again;
	return add_word(r, d, CDN_SHELL_RESERVED, level->command);
}

/* A word that is neither a redirection's nor a number in front of one. */
static int
add_plain(struct cdn_shell_reader *r, struct level *level,
    const struct cdn_shell_draft *d)
{
	cdn_str text = { d->buf.p, d->buf.n };
	enum cdn_shell_role role = CDN_SHELL_ARGUMENT;

	for (size_t i = 0; !level->named && !d->quoted && !d->unknown &&
	     i < CDN_LEN(reserved); i++)
		if (cdn_str_is(text, reserved[i].word))
			return add_reserved(r, level, d, i);
	begin(r, level);
	if (!level->named && is_assignment(text, d->known)) {
		role = CDN_SHELL_ASSIGNMENT;
	} else if (!level->named) {
		role = CDN_SHELL_COMMAND;
		level->named = true;
		r->out->dynamic |= (cdn_shell_starts(text) &
		    CDN_SHELL_STARTS_TEXT) != 0;
	}
	return add_word(r, d, role, level->command);
}

/* ----- Here-documents ------------------------------------------------------- */

static int
add_here(struct cdn_shell_reader *r, const struct cdn_shell_draft *d,
    bool tabs)
{
	struct cdn_shell_here *here = &r->here[r->here_count];

	if (r->here_count == CDN_SHELL_HERE_MAX)
		return cdn_shell_fault(r, "too many here-documents");
	here->tabs = tabs;
	here->plain = d->quoted;
	if (!cdn_arena_str(r->arena, (cdn_str){ d->buf.p, d->buf.n },
		&here->end))
		return cdn_err_nomem(r->err);
	r->here_count++;
	return 0;
}

static cdn_str
next_line(struct cdn_shell_reader *r)
{
	cdn_str line = cdn_str_from(r->text, r->at);
	const char *end = memchr(line.p, '\n', line.n);

	if (end != NULL)
		line.n = (size_t)(end - line.p);
	r->at += line.n + (end != NULL ? 1 : 0);
	return line;
}

/* The lines up to the end that was announced; they are text, not commands. */
static int
read_here(struct cdn_shell_reader *r, const struct cdn_shell_here *here)
{
	while (r->at < r->text.n) {
		cdn_str line = next_line(r);

		while (here->tabs && line.n > 0 && line.p[0] == '\t')
			line = cdn_str_from(line, 1);
		if (cdn_str_eq(line, here->end))
			return 0;
		if (!here->plain && (memchr(line.p, '$', line.n) != NULL ||
		    memchr(line.p, '`', line.n) != NULL))
			r->out->dynamic = true;
	}
	return cdn_shell_fault(r, "a here-document does not end");
}

static int
read_heres(struct cdn_shell_reader *r)
{
	int code = 0;

	for (size_t i = 0; i < r->here_count && code == 0; i++)
		code = read_here(r, &r->here[i]);
	r->here_count = 0;
	return code;
}

/* ----- Redirections ----------------------------------------------------------- */

enum kind { TO_INPUT, TO_OUTPUT, TO_TEXT, TO_HERE, TO_HERE_TABS, TO_EITHER };

/* The longest first. */
static const struct {
	const char *text;
	enum kind kind;
} redirections[] = {
	{ "<<<", TO_TEXT },
	{ "<<-", TO_HERE_TABS },
	{ "&>>", TO_OUTPUT },
	{ "<<", TO_HERE },
	{ "<&", TO_EITHER },
	{ "<>", TO_OUTPUT },
	{ ">>", TO_OUTPUT },
	{ ">&", TO_EITHER },
	{ ">|", TO_OUTPUT },
	{ "&>", TO_OUTPUT },
	{ "<", TO_INPUT },
	{ ">", TO_OUTPUT },
};

/* Its row, or -1 when there is none here. */
static int
find_redirection(const struct cdn_shell_reader *r)
{
	cdn_str rest = cdn_str_from(r->text, r->at);

	for (size_t i = 0; i < CDN_LEN(redirections); i++)
		if (cdn_str_starts(rest, cdn_str_of(redirections[i].text)))
			return (int)i;
	return -1;
}

/* "2", "-", "2-" behind >& is a descriptor, not a file. */
static bool
is_descriptor(const struct cdn_shell_draft *d)
{
	size_t i = 0;

	while (i < d->buf.n && isdigit((unsigned char)d->buf.p[i]))
		i++;
	if (i < d->buf.n && d->buf.p[i] == '-')
		i++;
	return !d->unknown && d->buf.n > 0 && i == d->buf.n;
}

static int
add_target(struct cdn_shell_reader *r, const struct level *level,
    const struct cdn_shell_draft *d, enum kind kind)
{
	static const enum cdn_shell_role roles[] = {
		[TO_INPUT] = CDN_SHELL_INPUT,
		[TO_OUTPUT] = CDN_SHELL_OUTPUT,
		[TO_TEXT] = CDN_SHELL_TEXT,
		[TO_EITHER] = CDN_SHELL_OUTPUT,
	};

	if (d->buf.n == 0 && !d->quoted)
		return cdn_shell_fault(r, "a redirection leads nowhere");
	if (kind == TO_HERE || kind == TO_HERE_TABS)
		return add_here(r, d, kind == TO_HERE_TABS);
	if (kind == TO_EITHER && is_descriptor(d))
		return 0;
	return add_word(r, d, roles[kind], level->command);
}

static void
skip_blanks(struct cdn_shell_reader *r)
{
	for (;;) {
		char c = cdn_shell_peek(r, 0);

		if (c == ' ' || c == '\t')
			r->at++;
		else if (c == '\\' && cdn_shell_peek(r, 1) == '\n')
			r->at += 2;
		else
			return;
	}
}

/* <( ) and >( ): a file that comes from, or goes to, commands. */
static int
read_process(struct cdn_shell_reader *r)
{
	int code;

	r->at += 2;
	r->out->dynamic = true;
	if (r->depth >= CDN_DEPTH_MAX)
		return cdn_shell_fault(r, "too many commands in each other");
	r->depth++;
	code = cdn_shell_read_list(r, ')');
	r->depth--;
	return code;
}

static int
read_redirection(struct cdn_shell_reader *r, struct level *level, int row)
{
	struct cdn_shell_draft d = { 0 };
	const char *text = redirections[row].text;
	int code;

	r->out->simple = false;
	begin(r, level);
	if (text[1] == '\0' && cdn_shell_peek(r, 1) == '(')
		return read_process(r);
	r->at += strlen(text);
	skip_blanks(r);
	cdn_buf_init(&d.buf, CDN_SHELL_MAX);
	code = cdn_shell_read_word(r, &d);
	if (code == 0)
		code = add_target(r, level, &d, redirections[row].kind);
	cdn_buf_done(&d.buf);
	return code;
}

/* ----- Operators ------------------------------------------------------------------ */

/* ')' closes what was opened, or ends a pattern of `case`. */
static int
close_paren(struct cdn_shell_reader *r, struct level *level)
{
	if (level->parens > 0)
		level->parens--;
	else if (level->cases == 0)
		return cdn_shell_fault(r, "')' without '('");
	r->at++;
	return 0;
}

static int
read_operator(struct cdn_shell_reader *r, struct level *level)
{
	char c = r->text.p[r->at], next = cdn_shell_peek(r, 1);

	end_command(level);
	r->out->simple = false;
	if (c != ';' && !(c == '&' && next == '&'))
		r->out->sequential = false;
	if (c == ')')
		return close_paren(r, level);
	if (c == '(')
		level->parens++;
	r->at += c != '(' && (next == c || (c == '|' && next == '&')) ? 2 : 1;
	return 0;
}

static int
read_newline(struct cdn_shell_reader *r, struct level *level)
{
	end_command(level);
	r->out->simple = false;
	r->at++;
	return read_heres(r);
}

static void
skip_comment(struct cdn_shell_reader *r)
{
	while (r->at < r->text.n && r->text.p[r->at] != '\n')
		r->at++;
}

/* ----- Lists ------------------------------------------------------------------------- */

/* "2" right before '<' or '>' says which descriptor. */
static bool
is_number(const struct cdn_shell_reader *r, const struct cdn_shell_draft *d)
{
	char next = cdn_shell_peek(r, 0);

	if (d->quoted || d->buf.n == 0 || (next != '<' && next != '>'))
		return false;
	for (size_t i = 0; i < d->buf.n; i++)
		if (!isdigit((unsigned char)d->buf.p[i]))
			return false;
	return true;
}

static int
read_plain(struct cdn_shell_reader *r, struct level *level)
{
	struct cdn_shell_draft d = { 0 };
	int code;

	cdn_buf_init(&d.buf, CDN_SHELL_MAX);
	code = cdn_shell_read_word(r, &d);
	if (code == 0 && !is_number(r, &d) && (d.buf.n > 0 || d.quoted))
		code = add_plain(r, level, &d);
	cdn_buf_done(&d.buf);
	return code;
}

static int
read_one(struct cdn_shell_reader *r, struct level *level)
{
	char c = r->text.p[r->at];
	int row = find_redirection(r);

	if (row >= 0)
		return read_redirection(r, level, row);
	if (c == '\n')
		return read_newline(r, level);
	if (strchr(";&|()", c) != NULL)
		return read_operator(r, level);
	if (c == '#') {
		skip_comment(r);
		return 0;
	}
	return read_plain(r, level);
}

static bool
closes(const struct cdn_shell_reader *r, const struct level *level, char closer)
{
	return closer != '\0' && r->text.p[r->at] == closer &&
	    level->parens == 0 && level->cases == 0;
}

int
cdn_shell_read_list(struct cdn_shell_reader *r, char closer)
{
	struct level level = { 0 };
	bool closed = closer == '\0';
	int code = 0;

	for (skip_blanks(r); r->at < r->text.n && code == 0; skip_blanks(r)) {
		if (closes(r, &level, closer)) {
			r->at++;
			closed = true;
			break;
		}
		code = read_one(r, &level);
	}
	if (code != 0)
		return code;
	if (!closed || level.parens > 0)
		return cdn_shell_fault(r, "'(' is not closed");
	if (level.opened > 0)
		return cdn_shell_fault(r, "a block is begun and does not end");
	return closer == '\0' ? read_heres(r) : 0;
}

int
cdn_shell_parse(struct cdn_arena *arena, cdn_str text, struct cdn_shell *ret,
    struct cordon_error *err)
{
	struct cdn_shell out = { .simple = true, .sequential = true };
	struct cdn_shell_reader r = {
		.text = cdn_str_trim(text),
		.arena = arena,
		.out = &out,
		.err = err,
	};
	int code;

	if (text.n > CDN_SHELL_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "the command is longer than %lu bytes", CDN_SHELL_MAX);
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "the command holds a NUL byte");
	code = cdn_shell_read_list(&r, '\0');
	if (code == 0 && out.n == 0)
		code = cdn_shell_fault(&r, "there is none");
	if (code != 0)
		return code;
	out.simple = out.simple && out.commands == 1;
	*ret = out;
	return 0;
}
