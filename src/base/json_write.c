#include "base/json.h"

#include <inttypes.h>

void
cdn_json_begin(struct cdn_json_writer *w, struct cdn_buf *buf)
{
	*w = (struct cdn_json_writer){ .buf = buf };
}

static uint64_t
level_bit(const struct cdn_json_writer *w)
{
	return UINT64_C(1) << (w->depth - 1);
}

static bool
in_object(const struct cdn_json_writer *w)
{
	return w->depth > 0 && (w->objects & level_bit(w)) != 0;
}

/* A comma, unless it is the first thing of its level. */
static void
separate(struct cdn_json_writer *w)
{
	if ((w->filled & level_bit(w)) != 0)
		cdn_buf_putc(w->buf, ',');
	w->filled |= level_bit(w);
}

/* What stands before every value. */
static void
before_value(struct cdn_json_writer *w)
{
	if (w->depth == 0) {
		if (w->done)
			cdn_bug("a second JSON value at the top");
		w->done = true;
		return;
	}
	if (!in_object(w)) {
		separate(w);
		return;
	}
	if (!w->due)
		cdn_bug("a JSON member without a key");
	w->due = false;
}

void
cdn_json_open(struct cdn_json_writer *w, char bracket)
{
	if (bracket != '{' && bracket != '[')
		cdn_bug("neither a JSON object nor an array");
	if (cdn_buf_failed(w->buf))
		return;
	if (w->depth == CDN_JSON_LEVELS_MAX) {
		/* Levels may come from data, so too many are no bug. */
		w->buf->failed = true;
		return;
	}
	before_value(w);
	cdn_buf_putc(w->buf, bracket);
	w->depth++;
	w->filled &= ~level_bit(w);
	w->objects &= ~level_bit(w);
	if (bracket == '{')
		w->objects |= level_bit(w);
}

void
cdn_json_close(struct cdn_json_writer *w)
{
	if (cdn_buf_failed(w->buf))
		return;
	if (w->depth == 0 || w->due)
		cdn_bug("nothing to close in JSON");
	cdn_buf_putc(w->buf, in_object(w) ? '}' : ']');
	w->depth--;
}

/* One byte that may not stand in a string as it is. */
static void
put_escape(struct cdn_buf *buf, char c)
{
	static const char letters[] = "\"\\\b\f\n\r\t";
	static const char escapes[] = "\"\\bfnrt";
	const char *at = c == '\0' ? NULL : strchr(letters, c);

	if (at == NULL) {
		cdn_buf_printf(buf, "\\u%04x", (unsigned char)c);
		return;
	}
	cdn_buf_putc(buf, '\\');
	cdn_buf_putc(buf, escapes[at - letters]);
}

static bool
must_escape(char c)
{
	return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* Bytes from p on that can be copied; what follows them needs care. */
static size_t
clean_run(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && !must_escape(*p)) {
		size_t len = cdn_utf8_len(p, end);

		if (len == 1 && (unsigned char)*p >= 0x80)
			break;
		p += len;
	}
	return (size_t)(p - start);
}

static void
put_quoted(struct cdn_json_writer *w, cdn_str s)
{
	const char *p = s.p;
	const char *end = s.n == 0 ? p : p + s.n;

	cdn_buf_putc(w->buf, '"');
	while (p < end) {
		size_t n = clean_run(p, end);

		cdn_buf_add(w->buf, p, n);
		p += n;
		if (p == end)
			break;
		if (must_escape(*p)) {
			put_escape(w->buf, *p);
		} else {
			cdn_buf_puts(w->buf, "\xef\xbf\xbd"); /* U+FFFD */
			w->replaced = true;
		}
		p++;
	}
	cdn_buf_putc(w->buf, '"');
}

void
cdn_json_put_key(struct cdn_json_writer *w, const char *key)
{
	if (cdn_buf_failed(w->buf))
		return;
	if (!in_object(w) || w->due)
		cdn_bug("a JSON key out of place");
	separate(w);
	put_quoted(w, cdn_str_of(key));
	cdn_buf_putc(w->buf, ':');
	w->due = true;
}

void
cdn_json_put_string(struct cdn_json_writer *w, cdn_str s)
{
	if (cdn_buf_failed(w->buf))
		return;
	before_value(w);
	put_quoted(w, s);
}

void
cdn_json_put_cstring(struct cdn_json_writer *w, const char *s)
{
	if (s == NULL)
		cdn_json_put_null(w);
	else
		cdn_json_put_string(w, cdn_str_of(s));
}

void
cdn_json_put_raw(struct cdn_json_writer *w, cdn_str json)
{
	if (cdn_buf_failed(w->buf))
		return;
	before_value(w);
	cdn_buf_str(w->buf, json);
}

void
cdn_json_put_int(struct cdn_json_writer *w, int64_t n)
{
	if (cdn_buf_failed(w->buf))
		return;
	before_value(w);
	cdn_buf_printf(w->buf, "%" PRId64, n);
}

void
cdn_json_put_uint(struct cdn_json_writer *w, uint64_t n)
{
	if (cdn_buf_failed(w->buf))
		return;
	before_value(w);
	cdn_buf_printf(w->buf, "%" PRIu64, n);
}

void
cdn_json_put_bool(struct cdn_json_writer *w, bool b)
{
	cdn_json_put_raw(w, b ? CDN_STR("true") : CDN_STR("false"));
}

void
cdn_json_put_null(struct cdn_json_writer *w)
{
	cdn_json_put_raw(w, CDN_STR("null"));
}

void
cdn_json_put_member(struct cdn_json_writer *w, const char *key,
    const char *text)
{
	cdn_json_put_key(w, key);
	cdn_json_put_cstring(w, text);
}

bool
cdn_json_end(const struct cdn_json_writer *w)
{
	if (cdn_buf_failed(w->buf))
		return false;
	if (w->depth > 0 || !w->done)
		cdn_bug("an unfinished JSON value");
	return true;
}

void
cdn_json_end_line(struct cdn_json_writer *w)
{
	cdn_json_close(w);
	if (cdn_json_end(w))
		cdn_buf_putc(w->buf, '\n');
}
