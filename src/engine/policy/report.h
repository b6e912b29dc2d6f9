/*
 * report - the findings of one document, collected before they are told.
 *
 * They are found stage by stage (bytes, YAML, keys, rules) and told in the
 * order of the file, so they are kept here and handed over at the end.  At
 * most CDN_DIAGS_MAX are kept, the rest is counted.  Never fails: when memory
 * runs out it remembers that, and cdn_report_tell() says so.
 */
#ifndef CDN_POLICY_REPORT_H
#define CDN_POLICY_REPORT_H

#include "base/arena.h"
#include "base/diag.h"

enum cdn_finding_kind {
#define CDN_FINDING(id, name, text) CDN_FINDING_##name,
#include "engine/policy/findings.def"
#undef CDN_FINDING
	CDN_FINDING_MAX
};

struct cdn_report_entry;

struct cdn_report {
	struct cdn_arena *arena; /* of the texts; made with the first one */
	struct cdn_report_entry *kept;
	size_t count;
	size_t capacity;
	size_t errors; /* all, also those that were not kept */
	bool nomem;
};

/* "P014"; and what it means, for the reference page. */
const char *cdn_finding_id(enum cdn_finding_kind finding);
const char *cdn_finding_text(enum cdn_finding_kind finding);

void cdn_report_init(struct cdn_report *report);
void cdn_report_done(struct cdn_report *report); /* zeroed or done is fine */

/*
 * One error.  pos.source is borrowed until the report is told; hint (may be
 * NULL) is copied.  What is not printable in the text is escaped.
 */
void cdn_report_add(struct cdn_report *report, enum cdn_finding_kind finding,
    struct cdn_pos pos, const char *hint, const char *fmt, ...)
    CDN_PRINTF(5, 6);

/* True when a further finding would only be counted. */
bool cdn_report_full(const struct cdn_report *report);

/*
 * Hands everything to diags (may be NULL), in the order of the file when
 * `sorted`, and the first to err.  0, CORDON_E_INVALID or CORDON_E_NOMEM.
 */
CDN_MUST_USE int cdn_report_tell(struct cdn_report *report, bool sorted,
    struct cordon_diags *diags, struct cordon_error *err);

/*
 * Text of the document for use in a sentence: what is too long ends in "...".
 * For use as cdn_shown(s).text, inside one expression.
 */
struct cdn_shown {
	char text[104];
};
struct cdn_shown cdn_shown(cdn_str s);

#endif
