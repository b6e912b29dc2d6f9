/*
 * bytes - the raw text, before any YAML parser sees it.
 *
 * libyaml would take UTF-16, skip a byte order mark, and end a line at a bare
 * CR, at NEL and at U+2028, where editors and reviewers see no end of line:
 * a rule could hide in what looks like a comment.
 */
#include "engine/policy/tree.h"

#define CONTROL	 "a control character"
#define LINE_END "a line end that editors do not show"
#define DIRECTION \
	"it changes the direction of text and can hide what is written"

static const struct {
	unsigned first, last;
	const char *fault;
} faults[] = {
	{ 0x00, 0x08, CONTROL },
	{ 0x0b, 0x0c, CONTROL },
	{ 0x0e, 0x1f, CONTROL },
	{ 0x7f, 0x84, CONTROL },
	{ 0x85, 0x85, LINE_END },
	{ 0x86, 0x9f, CONTROL },
	{ 0x61c, 0x61c, DIRECTION },
	{ 0x200e, 0x200f, DIRECTION },
	{ 0x2028, 0x2029, LINE_END },
	{ 0x202a, 0x202e, DIRECTION },
	{ 0x2066, 0x2069, DIRECTION },
	{ 0xfeff, 0xfeff, "a byte order mark" },
	{ 0xfffe, 0xffff, "not a character" },
};

unsigned
cdn_char_value(const char *p, size_t len)
{
	static const unsigned char lead_bits[] = { 0x7f, 0x7f, 0x1f, 0x0f,
		0x07 };
	unsigned value = (unsigned char)p[0] & lead_bits[len];

	for (size_t i = 1; i < len; i++)
		value = value << 6 | ((unsigned char)p[i] & 0x3f);
	return value;
}

const char *
cdn_char_fault(const char *p, size_t len)
{
	unsigned value;

	if (len == 1 && *p >= ' ' && *p < 0x7f)
		return NULL;
	value = cdn_char_value(p, len);
	for (size_t i = 0; i < CDN_LEN(faults); i++)
		if (value >= faults[i].first && value <= faults[i].last)
			return faults[i].fault;
	return NULL;
}

/* NUL beside ASCII, or a byte order mark of two bytes. */
static bool
looks_utf16(cdn_str text)
{
	const unsigned char *p = (const unsigned char *)text.p;

	if (text.n < 2)
		return false;
	return (p[0] == 0xfe && p[1] == 0xff) ||
	    (p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0) != (p[1] == 0);
}

static bool
check_whole(cdn_str text, struct cdn_pos start, struct cdn_report *report)
{
	static const char bom[] = "\xef\xbb\xbf";

	if (text.n > CDN_DOCUMENT_MAX)
		cdn_report_add(report, CDN_FINDING_SIZE, start,
		    "split the policy, or shorten its lists",
		    "document has %zu bytes, more than the maximum of %lu",
		    text.n, CDN_DOCUMENT_MAX);
	else if (looks_utf16(text))
		cdn_report_add(report, CDN_FINDING_ENCODING, start,
		    "save the file as UTF-8",
		    "document is not UTF-8, it looks "
		    "like UTF-16");
	else if (cdn_str_starts(text, cdn_str_of(bom)))
		cdn_report_add(report, CDN_FINDING_ENCODING, start,
		    "save the file as UTF-8 without a byte order mark",
		    "document begins with a byte order mark");
	else
		return true;
	return false;
}

static void
refuse_char(struct cdn_report *report, struct cdn_pos pos, unsigned value,
    const char *fault)
{
	char hint[80];

	if (value == 0)
		snprintf(hint, sizeof(hint), "is this a text file?");
	else
		snprintf(hint, sizeof(hint),
		    "in a double-quoted string it can "
		    "be written as \\u%04X",
		    value);
	cdn_report_add(report, CDN_FINDING_CHARACTER, pos, hint,
	    "character U+%04X is not allowed: %s", value, fault);
}

/* The character at p; false when there is no sense in looking further. */
static bool
check_char(const char *p, size_t len, const char *end, struct cdn_pos pos,
    struct cdn_report *report)
{
	const char *fault;

	if (len == 1 && (unsigned char)*p >= 0x80) {
		cdn_report_add(report, CDN_FINDING_ENCODING, pos,
		    "save the file as UTF-8", "byte 0x%02X is not UTF-8",
		    (unsigned char)*p);
		return false;
	}
	fault = cdn_char_fault(p, len);
	if (fault != NULL)
		refuse_char(report, pos, cdn_char_value(p, len), fault);
	else if (*p == '\r' && (p + 1 == end || p[1] != '\n'))
		cdn_report_add(report, CDN_FINDING_CHARACTER, pos,
		    "end lines with a line feed",
		    "carriage return without a line feed");
	return *p != '\0';
}

/* libyaml compares each with all before it, and tags are refused anyway. */
static bool
check_directive(const char *line, const char *end, struct cdn_pos pos,
    struct cdn_report *report)
{
	cdn_str rest = { line, (size_t)(end - line) };

	if (!cdn_str_starts(rest, CDN_STR("%TAG")))
		return true;
	pos.column = 1;
	cdn_report_add(report, CDN_FINDING_TAG, pos,
	    "remove the %TAG line", "tag directives are not supported");
	return false;
}

/* How many characters from p on are as most of a document. */
static size_t
plain_run(const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const char *at = p;

	/* eight at once: neither below a blank nor beyond '~' */
	for (uint64_t word; end - at >= 8; at += 8) {
		memcpy(&word, at, sizeof(word));
		if (((word | (word + ones) | (word - ones * ' ')) &
			ones * 0x80) != 0)
			break;
	}
	while (at < end && *at >= ' ' && *at < 0x7f)
		at++;
	return (size_t)(at - p);
}

bool
cdn_bytes_check(cdn_str text, const char *source, struct cdn_report *report)
{
	const char *end = text.p + text.n;
	const char *line = text.p;
	struct cdn_pos pos = { source, 1, 1 };
	size_t before = report->errors;
	size_t len;

	if (!check_whole(text, pos, report))
		return false;
	for (const char *p = text.p; p < end; p += len) {
		if (p == line && !check_directive(p, end, pos, report))
			return false;
		len = plain_run(p, end);
		if (len > 0)
			continue;
		len = cdn_utf8_len(p, end);
		pos.column = (unsigned)(p - line) + 1;
		if (!check_char(p, len, end, pos, report))
			return false;
		if (*p == '\n') {
			line = p + 1;
			pos.line++;
		}
	}
	return report->errors == before;
}
