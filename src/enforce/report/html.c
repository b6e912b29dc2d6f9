#include "enforce/report/html.h"

/* ----- Text ---------------------------------------------------------------- */

static uint32_t
code_point(const char *p, size_t n)
{
	static const unsigned char lead[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)p[0] & lead[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3fU);
	return c;
}

/* What cannot be seen, or makes other letters appear elsewhere. */
static bool
is_hidden(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad },
		{ 0x061c, 0x061c }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < CDN_LEN(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static const char *
entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void
cdn_html_text(struct cdn_buf *out, cdn_str text)
{
	const char *p = text.p;
	const char *end = p + text.n;

	while (text.n > 0 && p < end) {
		size_t n = cdn_utf8_len(p, end);
		bool bad = n == 1 && (unsigned char)*p >= 0x80;
		uint32_t c = bad ? (unsigned char)*p : code_point(p, n);

		if (bad)
			cdn_buf_printf(out, "\\x%02x", (unsigned)c);
		else if (is_hidden(c))
			cdn_buf_printf(out, "\\u{%x}", (unsigned)c);
		else if (n == 1 && entity(*p) != NULL)
			cdn_buf_puts(out, entity(*p));
		else
			cdn_buf_add(out, p, n);
		p += n;
	}
}

void
cdn_html_cstring(struct cdn_buf *out, const char *text)
{
	cdn_html_text(out, cdn_str_of(text));
}

/* ----- The page ------------------------------------------------------------ */

/*
 * Rows, not tables: a narrow screen breaks them into lines, and nothing ever
 * needs more width than there is.
 */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--dim:#5b6570;"
    "--line:#d9dee3;--card:#f5f7f9;--bad:#b3261e;--warn:#8a5300;--good:#1b6e3c;"
    "--badbg:#fdeceb;--warnbg:#fff4e0}"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;"
    "--dim:#9aa5b1;--line:#2c333a;--card:#1c2126;--bad:#ff8a80;--warn:#ffc46b;"
    "--good:#7fd6a2;--badbg:#3a1d1b;--warnbg:#33270f}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--bg);"
    "color:var(--fg);font:16px/1.5 system-ui,sans-serif;"
    "overflow-wrap:anywhere}"
    "h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:2rem 0 .3rem}"
    "h3{font-size:1rem;margin:1rem 0 .2rem}p{margin:.3rem 0}"
    "code{font:.875rem/1.45 ui-monospace,monospace;white-space:pre-wrap;"
    "overflow-wrap:anywhere}"
    ".dim{color:var(--dim);font-size:.875rem}.bad{color:var(--bad)}"
    ".warn{color:var(--warn)}.good{color:var(--good)}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));"
    "gap:.6rem;margin:1rem 0}"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
    "padding:.6rem .8rem}.card b{display:block;font-size:1.5rem;line-height:1.2}"
    "ul{list-style:none;margin:.3rem 0;padding:0}"
    "li{display:grid;grid-template-columns:minmax(4.5rem,max-content) "
    "minmax(0,1fr);gap:0 .8rem;padding:.35rem 0;border-top:1px solid var(--line)}"
    "li>*:first-child{color:var(--dim);font-size:.875rem}"
    "li.deny{background:var(--badbg)}li.deny>*:first-child{padding-left:.4rem}"
    "li b{font-variant-numeric:tabular-nums}"
    ".note{background:var(--warnbg);border-left:4px solid var(--warn);"
    "padding:.5rem .8rem;margin:.6rem 0;border-radius:.25rem}"
    "details{margin:.3rem 0}summary{cursor:pointer;padding:.3rem 0}"
    "@media(max-width:40rem){body{padding:.7rem}"
    "li{grid-template-columns:minmax(0,1fr)}}";

void
cdn_html_begin(struct cdn_buf *out, const char *title)
{
	cdn_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head>"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
	    "form-action 'none'; base-uri 'none'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width,"
	    "initial-scale=1\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<link rel=\"icon\" href=\"data:,\">\n<title>");
	cdn_html_cstring(out, title);
	cdn_buf_puts(out, "</title>\n<style>");
	cdn_buf_puts(out, style);
	cdn_buf_puts(out, "</style></head>\n<body>\n");
}

void
cdn_html_end(struct cdn_buf *out)
{
	cdn_buf_puts(out, "</body></html>\n");
}
