/*
 * html - text for a page, and the page around it.
 *
 * Everything that comes from a log or a disk goes through cdn_html_text(): what
 * HTML would understand is escaped, and what a reader could not see, or would
 * see elsewhere than it stands (control characters, directions), is shown as
 * \u{...}.  The page loads nothing and has no script; its policy forbids both.
 */
#ifndef CDN_REPORT_HTML_H
#define CDN_REPORT_HTML_H

#include "base/buf.h"

void cdn_html_text(struct cdn_buf *out, cdn_str text);
void cdn_html_cstring(struct cdn_buf *out, const char *text);

/* Up to <body>; and from </body> on. */
void cdn_html_begin(struct cdn_buf *out, const char *title);
void cdn_html_end(struct cdn_buf *out);

#endif
