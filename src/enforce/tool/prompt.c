/*
 * prompt - a command as a person reads it before saying yes.
 *
 * Whatever the words hold, the prompt is one line of characters that can be
 * seen and do not move others about: no escape sequence, no second line, no
 * text from right to left, nothing of no width.  Words are set apart as a shell
 * would need it, so that `rm 'a b'` and `rm a b` look different.
 */
#include "enforce/tool/approve.h"

/* ----- Characters -------------------------------------------------------------- */

static uint32_t
decode(const char *p, size_t n)
{
	const unsigned char *b = (const unsigned char *)p;

	switch (n) {
	case 2:
		return (b[0] & 0x1fU) << 6 | (b[1] & 0x3fU);
	case 3:
		return (b[0] & 0x0fU) << 12 | (b[1] & 0x3fU) << 6 |
		    (b[2] & 0x3fU);
	case 4:
		return (b[0] & 0x07U) << 18 | (b[1] & 0x3fU) << 12 |
		    (b[2] & 0x3fU) << 6 | (b[3] & 0x3fU);
	default:
		return b[0];
	}
}

/* Cannot be seen, or changes how others look. */
static bool
is_hidden(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ 0x00, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad },
		{ 0x300, 0x36f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 },
		{ 0x1680, 0x1680 }, { 0x180b, 0x180f }, { 0x2000, 0x200f },
		{ 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x2800, 0x2800 },
		{ 0x3000, 0x3000 }, { 0x3164, 0x3164 }, { 0xe000, 0xf8ff },
		{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0x10ffff },
	};

	for (size_t i = 0; i < CDN_LEN(ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

/* Letters from right to left turn the line around them. */
static bool
is_from_right(uint32_t c)
{
	return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
	    (c >= 0xfe70 && c <= 0xfeff) || (c >= 0x10800 && c <= 0x10fff) ||
	    (c >= 0x1e800 && c <= 0x1efff);
}

static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || (c != '\0' &&
	    strchr("_./:=@%+,-", c) != NULL);
}

/* ----- Words --------------------------------------------------------------------- */

static void
put_character(struct cdn_buf *out, const char *p, size_t n)
{
	uint32_t c = decode(p, n);

	if (n == 1 && (unsigned char)*p >= 0x80)
		cdn_buf_printf(out, "\\x%02x", (unsigned char)*p);
	else if (*p == '\n')
		cdn_buf_puts(out, "\\n");
	else if (*p == '\'' || *p == '\\')
		cdn_buf_printf(out, "\\%c", *p);
	else if (is_hidden(c) || is_from_right(c))
		cdn_buf_printf(out, c < 0x80 ? "\\x%02x" : "\\u{%x}",
		    (unsigned)c);
	else
		cdn_buf_add(out, p, n);
}

static void
put_word(struct cdn_buf *out, const char *word)
{
	const char *end = word + strlen(word);
	bool plain = word < end;

	for (const char *p = word; p < end; p++)
		plain &= is_plain(*p);
	if (plain) {
		cdn_buf_puts(out, word);
		return;
	}
	cdn_buf_putc(out, '\'');
	for (const char *p = word; p < end;) {
		size_t n = cdn_utf8_len(p, end);

		put_character(out, p, n);
		p += n;
	}
	cdn_buf_putc(out, '\'');
}

/* ----- What is granted -------------------------------------------------------------- */

bool
cdn_tool_grants_any(const struct cordon_grants *grants)
{
	return grants->network || grants->read_count > 0 ||
	    grants->write_count > 0 || grants->socket_count > 0;
}

static void
put_list(struct cdn_buf *out, const char *what, const char *const *v, size_t n,
    const char **between)
{
	for (size_t i = 0; i < n; i++) {
		cdn_buf_printf(out, "%s%s ", *between, what);
		put_word(out, v[i]);
		*between = ", ";
	}
}

void
cdn_tool_prompt(const char *const *argv, const struct cordon_grants *grants,
    struct cdn_buf *out)
{
	const char *between = " (requires ";

	for (size_t i = 0; argv[i] != NULL; i++) {
		if (i > 0)
			cdn_buf_putc(out, ' ');
		put_word(out, argv[i]);
	}
	if (!cdn_tool_grants_any(grants))
		return;
	if (grants->network) {
		cdn_buf_printf(out, "%snetwork", between);
		between = ", ";
	}
	put_list(out, "reading", grants->read, grants->read_count, &between);
	put_list(out, "writing", grants->write, grants->write_count, &between);
	put_list(out, "socket", grants->sockets, grants->socket_count,
	    &between);
	cdn_buf_putc(out, ')');
}

static void
put_strings(struct cdn_json_writer *w, const char *key,
    const char *const *v, size_t n)
{
	if (n == 0)
		return;
	cdn_json_put_key(w, key);
	cdn_json_open(w, '[');
	for (size_t i = 0; i < n; i++)
		cdn_json_put_cstring(w, v[i]);
	cdn_json_close(w);
}

void
cdn_tool_put_grants(struct cdn_json_writer *w,
    const struct cordon_grants *grants)
{
	cdn_json_open(w, '{');
	if (grants->network) {
		cdn_json_put_key(w, "network");
		cdn_json_put_bool(w, true);
	}
	put_strings(w, "read", grants->read, grants->read_count);
	put_strings(w, "write", grants->write, grants->write_count);
	put_strings(w, "sockets", grants->sockets, grants->socket_count);
	cdn_json_close(w);
}
