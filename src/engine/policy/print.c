#include "engine/policy/print.h"

#include <strings.h>

/* ----- Scalars --------------------------------------------------------------- */

/* These escapes mean the same in YAML and in JSON. */
static void
put_char(struct cdn_buf *out, const char *c, size_t len)
{
	if (*c == '"' || *c == '\\')
		cdn_buf_printf(out, "\\%c", *c);
	else if (*c == '\n')
		cdn_buf_puts(out, "\\n");
	else if (*c == '\t')
		cdn_buf_puts(out, "\\t");
	else if (*c == '\r' || cdn_char_fault(c, len) != NULL)
		cdn_buf_printf(out, "\\u%04X", cdn_char_value(c, len));
	else
		cdn_buf_add(out, c, len);
}

void
cdn_print_quoted(struct cdn_printer *p, cdn_str text)
{
	const char *end = text.p + text.n;
	size_t len;

	cdn_buf_putc(p->out, '"');
	for (const char *c = text.p; c < end; c += len) {
		len = cdn_utf8_len(c, end);
		put_char(p->out, c, len);
	}
	cdn_buf_putc(p->out, '"');
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Words that some reader of YAML takes for something other than text. */
static bool
is_reserved(cdn_str text)
{
	static const char *const words[] = { "null", "true", "false", "yes",
		"no", "on", "off", "y", "n" };

	for (size_t i = 0; i < CDN_LEN(words); i++)
		if (strlen(words[i]) == text.n &&
		    strncasecmp(words[i], text.p, text.n) == 0)
			return true;
	return false;
}

void
cdn_print_name(struct cdn_printer *p, cdn_str name)
{
	bool plain = name.n > 0 && is_letter(name.p[0]) && !is_reserved(name);

	for (size_t i = 0; i < name.n; i++)
		plain = plain &&
		    (is_letter(name.p[i]) || is_digit(name.p[i]) ||
			name.p[i] == '-');
	if (plain)
		cdn_buf_str(p->out, name);
	else
		cdn_print_quoted(p, name);
}

/* ----- Lines ------------------------------------------------------------------ */

static void
indent(struct cdn_printer *p)
{
	cdn_buf_printf(p->out, "%*s", 2 * (int)p->level, "");
}

void
cdn_print_key(struct cdn_printer *p, cdn_str name)
{
	indent(p);
	cdn_print_name(p, name);
	cdn_buf_putc(p->out, ':');
}

void
cdn_print_text(struct cdn_printer *p, cdn_str name, cdn_str text)
{
	cdn_print_key(p, name);
	cdn_buf_putc(p->out, ' ');
	cdn_print_quoted(p, text);
	cdn_buf_putc(p->out, '\n');
}

void
cdn_print_word(struct cdn_printer *p, cdn_str name, const char *word)
{
	cdn_print_key(p, name);
	cdn_buf_printf(p->out, " %s\n", word);
}

void
cdn_print_list(struct cdn_printer *p, cdn_str name, const void *elements,
    size_t n, size_t size)
{
	const char *element = elements;

	cdn_print_key(p, name);
	cdn_buf_puts(p->out, n == 0 ? " []\n" : "\n");
	p->level++;
	for (size_t i = 0; i < n; i++) {
		cdn_str text;

		memcpy(&text, element + i * size, sizeof(text));
		indent(p);
		cdn_buf_puts(p->out, "- ");
		cdn_print_quoted(p, text);
		cdn_buf_putc(p->out, '\n');
	}
	p->level--;
}

/* ----- Trees -------------------------------------------------------------------- */

/* A letter or digit, or a sign or point that begins a number. */
static bool
begins_plain(cdn_str text)
{
	if (is_letter(text.p[0]) || is_digit(text.p[0]))
		return true;
	return text.n > 1 && strchr("+-.", text.p[0]) != NULL &&
	    is_digit(text.p[1]);
}

/*
 * Numbers, dates, true and null stay what they are only without quotation
 * marks; whatever could be read differently in another place gets them.
 */
static bool
stays_plain(cdn_str text)
{
	if (text.n == 0 || cdn_str_is(text, "~"))
		return true;
	if (!begins_plain(text))
		return false;
	for (size_t i = 1; i < text.n; i++)
		if (!is_letter(text.p[i]) && !is_digit(text.p[i]) &&
		    strchr("+-.", text.p[i]) == NULL &&
		    !(text.p[i] == ':' && i + 1 < text.n &&
			is_digit(text.p[i + 1])))
			return false;
	return true;
}

static void
put_scalar(struct cdn_printer *p, const struct cdn_tree *node)
{
	if (!node->plain || !stays_plain(node->text)) {
		cdn_buf_putc(p->out, ' ');
		cdn_print_quoted(p, node->text);
	} else if (node->text.n > 0) {
		cdn_buf_putc(p->out, ' ');
		cdn_buf_str(p->out, node->text);
	}
	cdn_buf_putc(p->out, '\n');
}

static void put_children(struct cdn_printer *p, const struct cdn_tree *node);

/* What stands behind "key:" or "-". */
static void
put_node(struct cdn_printer *p, const struct cdn_tree *node)
{
	if (node->kind == CDN_TREE_SCALAR) {
		put_scalar(p, node);
	} else if (node->count == 0) {
		cdn_buf_puts(p->out,
		    node->kind == CDN_TREE_LIST ? " []\n" : " {}\n");
	} else {
		cdn_buf_putc(p->out, '\n');
		put_children(p, node);
	}
}

static void
put_children(struct cdn_printer *p, const struct cdn_tree *node)
{
	p->level++;
	for (const struct cdn_tree *child = node->first; child != NULL;
	     child = child->next) {
		if (node->kind == CDN_TREE_MAP) {
			cdn_print_key(p, child->key);
		} else {
			indent(p);
			cdn_buf_putc(p->out, '-');
		}
		put_node(p, child);
	}
	p->level--;
}

void
cdn_print_tree(struct cdn_printer *p, cdn_str name, const struct cdn_tree *tree)
{
	cdn_print_key(p, name);
	put_node(p, tree);
}
