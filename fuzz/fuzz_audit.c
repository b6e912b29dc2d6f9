/*
 * Whatever a log is, it can be read.  What verify calls intact is judged a
 * second time, byte by byte; every event can be told, counted and exported, and
 * what is exported is JSON.
 */
#include "enforce/audit/verify.h"

#include <assert.h>
#include <sha2.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "enforce/audit/log.h"
#include "enforce/report/gather.h"
#include "enforce/report/otel.h"
#include "enforce/report/page.h"
#include "enforce/report/story.h"

#define INPUT_MAX (4UL * CDN_AUDIT_LINE_MAX)

/* Each line names the hash of the one before, and numbers go up by one. */
static bool
chained(const char *p, size_t n, unsigned long long lines)
{
	char hash[SHA256_DIGEST_STRING_LENGTH] = "", want[160];
	unsigned long long seq = 0;

	for (; lines > 0; lines--) {
		const char *end = memchr(p, '\n', n);
		size_t len = end == NULL ? 0 : (size_t)(end - p);
		const char *at;

		if (end == NULL)
			return false;
		at = memmem(p, len, "\"seq\":", 6);
		if (at == NULL)
			return false;
		if (hash[0] != '\0') {
			snprintf(want, sizeof(want), "{\"schema\":1,\"seq\":%llu"
			    ",\"prev\":\"%s\"", ++seq, hash);
			if (len < strlen(want) ||
			    memcmp(p, want, strlen(want)) != 0)
				return false;
		} else {
			seq = strtoull(at + 6, NULL, 10);
		}
		SHA256Data((const uint8_t *)p, len, hash);
		p += len + 1;
		n -= len + 1;
	}
	return true;
}

static void
check_verify(const char *file, const char *p, size_t n)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_audit_verified v;
	int r = cdn_verify(file, false, diags, &v, NULL);

	assert(r == 0 && v.intact == (v.findings == 0));
	assert(v.findings == cordon_diags_errors(diags));
	assert(!v.intact || chained(p, n, v.lines));
	cordon_diags_free(diags);
}

static void
check_event(cdn_str text)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_entry entry;
	struct cdn_json json;
	struct cdn_buf out;

	if (cdn_entry_parse(text, arena, &entry, NULL)) {
		int r;

		cdn_buf_init(&out, 64UL * CDN_AUDIT_LINE_MAX);
		r = cdn_otel_format(&entry, arena, &out, NULL);
		assert(r == 0);
		r = cdn_json_parse((cdn_str){ out.p, out.n },
		    &(struct cdn_json_options){ .max_bytes = 1UL << 30,
			.max_depth = 64 }, arena, &json, NULL);
		assert(r == 0);
		assert(cdn_entry_holds(&entry, arena, entry.kind));
		cdn_buf_done(&out);
	}
	cdn_arena_free(arena);
}

static void
check_reading(const char *file)
{
	static const struct cdn_gather_options all = { .moments = true };
	struct cdn_gathered *g;
	struct cdn_log_line line;
	struct cdn_log *log;
	unsigned long lines = 0;
	int r = cdn_log_open(file, &log, NULL);

	assert(r == 0);
	while (cdn_log_next(log, &line, NULL) == 1) {
		assert(!line.too_long || line.text.n == 0);
		check_event(line.text);
		lines++;
	}
	cdn_log_free(log);
	r = cdn_gather(file, &all, &g, NULL);
	assert(r == 0 && g->events + g->no_events == lines);
	cdn_gathered_free(g);
}

/* Whatever it is: no tag, no letter that cannot be seen, comes from the log. */
static void
check_page(const char *file)
{
	static const char *const tags[] = { "!doctype", "html", "head", "meta",
		"link", "title", "style", "body", "h1", "h2", "p", "b", "br",
		"code", "div", "ul", "li", "span", "details", "summary" };
	const struct cdn_page_options options = { 0 };
	struct cdn_buf out;
	const char *at;
	int r;

	cdn_buf_init(&out, 1UL << 26);
	r = cdn_page_make(file, &options, &out, NULL);
	assert(r == 0 && strlen(out.p) == out.n);
	for (at = out.p; (at = strchr(at, '<')) != NULL; at++) {
		size_t i = 0, n = strcspn(at + 1 + (at[1] == '/'), " >");

		while (i < CDN_LEN(tags) && (strlen(tags[i]) != n ||
			   memcmp(at + 1 + (at[1] == '/'), tags[i], n) != 0))
			i++;
		assert(i < CDN_LEN(tags));
	}
	for (size_t i = 0; i < out.n; i++)
		assert((unsigned char)out.p[i] >= ' ' || out.p[i] == '\n');
	assert(cdn_utf8_bad((cdn_str){ out.p, out.n }) == out.n);
	cdn_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char file[64];
	int fd;

	if (size > INPUT_MAX)
		return 0;
	fd = memfd_create("log", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	check_verify(file, (const char *)data, size);
	check_reading(file);
	check_page(file);
	close(fd);
	return 0;
}
