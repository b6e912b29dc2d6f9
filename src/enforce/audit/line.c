#include "enforce/audit/line.h"

#include "base/json.h"

#define HASH_DIGITS (CDN_HASH_SIZE - 1)
#define TEXT_MAX    8192 /* bytes of a text that is cut */
#define MARK_SIZE   48	 /* "[+N bytes]" */

/*
 * How much of a field is kept.  The first row that fits is taken; the last one
 * always does, for CDN_AUDIT_FIELDS_MAX fields of any bytes.
 */
struct room {
	size_t text;	/* bytes of one text */
	size_t strings; /* of one list */
	size_t json;	/* bytes of one finished value */
};

static const struct room rooms[] = {
	{ SIZE_MAX, SIZE_MAX, SIZE_MAX },
	{ TEXT_MAX, 1024, 32768 },
	{ 2048, 128, 16384 },
	{ 256, 32, 8192 },
	{ 32, 3, 64 },
};

/* ----- Writing ---------------------------------------------------------- */

struct writing {
	struct cdn_json_writer json;
	const struct room *room;
	bool cut;
};

/* At most max bytes, and no character is cut in two. */
static size_t
whole_chars(cdn_str s, size_t max)
{
	size_t n = 0;

	while (n < s.n) {
		size_t len = cdn_utf8_len(s.p + n, s.p + s.n);

		if (len > max - n)
			break;
		n += len;
	}
	return n;
}

static void
put_cut_text(struct writing *w, cdn_str s)
{
	CDN_UNINITIALIZED char text[TEXT_MAX + MARK_SIZE];
	size_t n = whole_chars(s, w->room->text);
	int mark;

	memcpy(text, s.p, n);
	mark = snprintf(text + n, MARK_SIZE, "[+%zu bytes]", s.n - n);
	cdn_json_put_string(&w->json, (cdn_str){ text, n + (size_t)mark });
	w->cut = true;
}

static void
put_text(struct writing *w, cdn_str s)
{
	if (s.n <= w->room->text)
		cdn_json_put_string(&w->json, s);
	else
		put_cut_text(w, s);
}

static void
put_json(struct writing *w, cdn_str s)
{
	char mark[MARK_SIZE];

	if (s.n <= w->room->json) {
		cdn_json_put_raw(&w->json, s);
		return;
	}
	snprintf(mark, sizeof(mark), "[%zu bytes]", s.n);
	cdn_json_put_cstring(&w->json, mark);
	w->cut = true;
}

static void
put_strings(struct writing *w, const char *const *strings)
{
	char mark[MARK_SIZE];
	size_t n = 0, more = 0;

	cdn_json_open(&w->json, '[');
	for (; n < w->room->strings && strings[n] != NULL; n++)
		put_text(w, cdn_str_of(strings[n]));
	while (strings[n + more] != NULL)
		more++;
	if (more > 0) {
		snprintf(mark, sizeof(mark), "[+%zu more]", more);
		cdn_json_put_cstring(&w->json, mark);
		w->cut = true;
	}
	cdn_json_close(&w->json);
}

static void
put_field(struct writing *w, const struct cdn_event_field *field)
{
	cdn_json_put_key(&w->json, field->name);
	switch (field->type) {
	case CDN_FIELD_TEXT:
		put_text(w, field->text);
		break;
	case CDN_FIELD_NUMBER:
		cdn_json_put_int(&w->json, field->number);
		break;
	case CDN_FIELD_BOOL:
		cdn_json_put_bool(&w->json, field->boolean);
		break;
	case CDN_FIELD_NULL:
		cdn_json_put_null(&w->json);
		break;
	case CDN_FIELD_JSON:
		put_json(w, field->text);
		break;
	case CDN_FIELD_STRINGS:
		put_strings(w, field->strings);
		break;
	default:
		cdn_bug("no such type of field");
	}
}

#define DAY		86400
#define DAYS_OF_400	146097 /* years, after which all repeats */
#define DAYS_TO_1970	719468 /* from the first of March of year 0 */

/* Exactly so many; returns where they end. */
static char *
put_digits(char *at, int64_t value, int digits)
{
	for (int i = digits; i-- > 0; value /= 10)
		at[i] = (char)('0' + value % 10);
	return at + digits;
}

/*
 * RFC 3339, UTC, milliseconds.  gmtime_r() would read the local time zone from
 * its file first.  Years begin with March here, so that a leap day is the last.
 */
static void
put_time(struct writing *w, const struct timespec *now)
{
	int64_t seconds = now->tv_sec < 0 ? 0 : (int64_t)now->tv_sec;
	int64_t days = seconds / DAY + DAYS_TO_1970, of_day = seconds % DAY;
	int64_t of_400 = days % DAYS_OF_400;
	int64_t year = (of_400 - of_400 / 1460 + of_400 / 36524 -
	    of_400 / 146096) / 365;
	int64_t of_year = of_400 - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153; /* 0 is March */
	/* clang-format off */
	const struct { int64_t value; int digits; char behind; } parts[] = {
		{ days / DAYS_OF_400 * 400 + year + (month >= 10), 4, '-' },
		{ month < 10 ? month + 3 : month - 9, 2, '-' },
		{ of_year - (153 * month + 2) / 5 + 1, 2, 'T' },
		{ of_day / 3600, 2, ':' },
		{ of_day / 60 % 60, 2, ':' },
		{ of_day % 60, 2, '.' },
		{ now->tv_nsec / 1000000, 3, 'Z' },
	};
	/* clang-format on */
	char text[sizeof("2026-11-16T09:40:00.123Z")], *at = text;

	for (size_t i = 0; i < CDN_LEN(parts); i++) {
		at = put_digits(at, parts[i].value, parts[i].digits);
		*at++ = parts[i].behind;
	}
	*at = '\0';
	cdn_json_put_cstring(&w->json, text);
}

static void
put_link(struct writing *w, const struct cdn_link *link)
{
	cdn_json_put_key(&w->json, "schema");
	cdn_json_put_int(&w->json, 1);
	cdn_json_put_key(&w->json, "seq");
	cdn_json_put_uint(&w->json, link->seq);
	cdn_json_put_key(&w->json, "prev");
	cdn_json_put_cstring(&w->json, link->hash);
}

static bool
format_within(const struct room *room, const struct cdn_event *event,
    const struct cdn_link *link, const struct timespec *now,
    struct cdn_buf *buf)
{
	struct writing w = { .room = room };

	cdn_buf_reset(buf);
	cdn_json_begin(&w.json, buf);
	cdn_json_open(&w.json, '{');
	put_link(&w, link);
	cdn_json_put_key(&w.json, "time");
	put_time(&w, now);
	cdn_json_put_key(&w.json, "run");
	put_text(&w, cdn_str_of(event->run));
	cdn_json_put_key(&w.json, "kind");
	cdn_json_put_cstring(&w.json, cdn_event_kind_name(event->kind));
	for (size_t i = 0; i < event->field_count; i++)
		put_field(&w, &event->fields[i]);
	if (w.cut) {
		cdn_json_put_key(&w.json, "cut");
		cdn_json_put_bool(&w.json, true);
	}
	cdn_json_close(&w.json);
	cdn_buf_putc(buf, '\n');
	return cdn_json_end(&w.json);
}

/* A finished value that would make two lines of one. */
static bool
breaks_line(const struct cdn_event_field *field)
{
	return field->type == CDN_FIELD_JSON &&
	    (field->text.n == 0 ||
		memchr(field->text.p, '\n', field->text.n) != NULL);
}

int
cdn_line_format(const struct cdn_event *event, const struct cdn_link *link,
    const struct timespec *now, struct cdn_buf *buf, struct cordon_error *err)
{
	if (event->field_count > CDN_AUDIT_FIELDS_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "an event has more than %d fields", CDN_AUDIT_FIELDS_MAX);
	for (size_t i = 0; i < event->field_count; i++)
		if (breaks_line(&event->fields[i]))
			return cdn_err(err, CORDON_E_INVALID,
			    "the field '%s' of an event is not JSON on one "
			    "line", event->fields[i].name);
	for (size_t i = 0; i < CDN_LEN(rooms); i++)
		if (format_within(&rooms[i], event, link, now, buf))
			return 0;
	return cdn_err(err, CORDON_E_INVALID,
	    "an event of kind '%s' does not fit into %d bytes",
	    cdn_event_kind_name(event->kind), CDN_AUDIT_LINE_MAX);
}

/* ----- Reading ---------------------------------------------------------- */

static bool
take(cdn_str *rest, cdn_str literal)
{
	if (!cdn_str_starts(*rest, literal))
		return false;
	*rest = cdn_str_from(*rest, literal.n);
	return true;
}

bool
cdn_line_take_number(cdn_str *rest, uint64_t *ret)
{
	size_t n = 0;

	while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9')
		n++;
	if (n == 0 || rest->p[0] == '0' ||
	    !cdn_str_parse_u64((cdn_str){ rest->p, n }, ret))
		return false;
	*rest = cdn_str_from(*rest, n);
	return true;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool
cdn_line_take_hash(cdn_str *rest, char ret[CDN_HASH_SIZE])
{
	if (rest->n < HASH_DIGITS)
		return false;
	for (size_t i = 0; i < HASH_DIGITS; i++)
		if (!is_hex(rest->p[i]))
			return false;
	memcpy(ret, rest->p, HASH_DIGITS);
	ret[HASH_DIGITS] = '\0';
	*rest = cdn_str_from(*rest, HASH_DIGITS);
	return true;
}

bool
cdn_line_link(cdn_str line, struct cdn_link *ret)
{
	return take(&line, CDN_STR("{\"schema\":1,\"seq\":")) &&
	    cdn_line_take_number(&line, &ret->seq) &&
	    take(&line, CDN_STR(",\"prev\":\"")) &&
	    cdn_line_take_hash(&line, ret->hash) &&
	    take(&line, CDN_STR("\",\"time\":\""));
}
