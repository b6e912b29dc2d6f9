#include "engine/policy/report.h"

#include "base/buf.h"
#include "engine/policy/tree.h"

#define TEXT_ROOM 1024UL /* of one sentence; names in it are shortened */

struct cdn_report_entry {
	enum cdn_finding_kind finding;
	struct cdn_pos pos;
	const char *text;
	const char *hint;
	size_t order; /* of discovery */
};

static const struct {
	const char *id;
	const char *text;
} findings[] = {
#define CDN_FINDING(id, name, text) [CDN_FINDING_##name] = { id, text },
#include "engine/policy/findings.def"
#undef CDN_FINDING
};

const char *
cdn_finding_id(enum cdn_finding_kind finding)
{
	return findings[finding].id;
}

const char *
cdn_finding_text(enum cdn_finding_kind finding)
{
	return findings[finding].text;
}

void
cdn_report_init(struct cdn_report *report)
{
	*report = (struct cdn_report){ 0 };
}

void
cdn_report_done(struct cdn_report *report)
{
	cdn_arena_free(report->arena);
	cdn_report_init(report);
}

bool
cdn_report_full(const struct cdn_report *report)
{
	return report->count >= CDN_DIAGS_MAX;
}

struct cdn_shown
cdn_shown(cdn_str s)
{
	struct cdn_shown shown = { 0 };
	size_t room = sizeof(shown.text) - 1;
	size_t n = s.n;

	if (n > room) {
		n = room - 3;
		while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
			n--;
	}
	if (n > 0)
		memcpy(shown.text, s.p, n);
	if (n < s.n)
		memcpy(shown.text + n, "...", 3);
	return shown;
}

/*
 * A rule may hold anything an escape can write, and findings are printed on
 * terminals: whatever a document may not hold openly is shown as an escape.
 */
static void
escape(struct cdn_buf *out, cdn_str text)
{
	const char *end = text.p + text.n;
	size_t len;

	for (const char *p = text.p; p < end; p += len) {
		len = cdn_utf8_len(p, end);
		if (len == 1 && (unsigned char)*p >= 0x80)
			cdn_buf_printf(out, "\\x%02X", (unsigned char)*p);
		else if (*p == '\n' || *p == '\t' || *p == '\r')
			cdn_buf_printf(out, "\\x%02X", (unsigned char)*p);
		else if (cdn_char_fault(p, len) != NULL)
			cdn_buf_printf(out, "\\u%04X", cdn_char_value(p, len));
		else
			cdn_buf_add(out, p, len);
	}
}

static const char *keep_text(struct cdn_report *report, const char *fmt,
    va_list ap) CDN_PRINTF(2, 0);

static const char *
keep_text(struct cdn_report *report, const char *fmt, va_list ap)
{
	char raw[TEXT_ROOM];
	struct cdn_buf escaped;
	const char *text = NULL;

	vsnprintf(raw, sizeof(raw), fmt, ap);
	cdn_buf_init(&escaped, 8 * sizeof(raw));
	escape(&escaped, cdn_str_of(raw));
	if (!cdn_buf_failed(&escaped) && escaped.n > 0)
		text = cdn_arena_dup(report->arena, escaped.p, escaped.n);
	cdn_buf_done(&escaped);
	return text;
}

static struct cdn_report_entry *
new_entry(struct cdn_report *report)
{
	void *grown;

	if (report->arena == NULL)
		report->arena = cdn_arena_new();
	if (report->arena == NULL)
		return NULL;
	grown = cdn_arena_grow(report->arena, report->kept, report->count,
	    &report->capacity, sizeof(*report->kept));
	if (grown == NULL)
		return NULL;
	report->kept = grown;
	return &report->kept[report->count];
}

void
cdn_report_add(struct cdn_report *report, enum cdn_finding_kind finding,
    struct cdn_pos pos, const char *hint, const char *fmt, ...)
{
	struct cdn_report_entry *entry;
	va_list ap;

	report->errors++;
	if (cdn_report_full(report) || report->nomem)
		return;
	entry = new_entry(report);
	if (entry == NULL) {
		report->nomem = true;
		return;
	}
	entry->finding = finding;
	entry->pos = pos;
	entry->order = report->errors;
	va_start(ap, fmt);
	entry->text = keep_text(report, fmt, ap);
	va_end(ap);
	if (hint != NULL)
		entry->hint = cdn_arena_dup(report->arena, hint, strlen(hint));
	if (entry->text == NULL || (hint != NULL && entry->hint == NULL))
		report->nomem = true;
	else
		report->count++;
}

static int
by_place(const void *a, const void *b)
{
	const struct cdn_report_entry *x = a, *y = b;

	if (x->pos.line != y->pos.line)
		return x->pos.line < y->pos.line ? -1 : 1;
	if (x->pos.column != y->pos.column)
		return x->pos.column < y->pos.column ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

int
cdn_report_tell(struct cdn_report *report, bool sorted,
    struct cordon_diags *diags, struct cordon_error *err)
{
	const struct cdn_report_entry *e = report->kept;

	if (report->nomem)
		return cdn_err_nomem(err);
	if (report->errors == 0)
		return 0;
	if (sorted)
		qsort(report->kept, report->count, sizeof(*e), by_place);
	for (size_t i = 0; i < report->count; i++)
		cdn_diag_add(diags, CORDON_ERROR, findings[e[i].finding].id,
		    e[i].pos, e[i].hint, "%s", e[i].text);
	/* The list is full now: these are counted there, not kept. */
	for (size_t i = report->count; i < report->errors; i++)
		cdn_diag_add(diags, CORDON_ERROR, "P000", e->pos, NULL, "%s",
		    e->text);
	return cdn_err_at(err, CORDON_E_INVALID, e->pos, "%s", e->text);
}
