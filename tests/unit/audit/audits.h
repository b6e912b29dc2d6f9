/*
 * audits - writing small events, and a judge of the file that knows nothing
 * of the code that wrote it: jansson reads the lines, libmd hashes them.
 */
#ifndef CDN_TESTS_AUDITS_H
#define CDN_TESTS_AUDITS_H

#include "enforce/audit/audit.h"

#include <jansson.h>
#include <sha2.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define TEXT(key, value) \
	{ .name = (key), .type = CDN_FIELD_TEXT, .text = cdn_str_of(value) }

static inline int
write_text(struct cdn_sink *sink, const char *text, struct cordon_error *err)
{
	const struct cdn_event_field fields[] = { TEXT("path", text) };
	const struct cdn_event event = { CDN_EVENT_FS_DENIED, "r1", fields, 1 };

	return cdn_audit_write(sink, &event, err);
}

/* Opens, writes one event, closes. */
static inline int
write_once(const char *file, const char *text, struct cordon_error *err)
{
	struct cdn_sink *sink;
	int r = cdn_audit_open(file, &sink, err);

	if (r != 0)
		return r;
	r = write_text(sink, text, err);
	cdn_audit_close(sink);
	return r;
}

static inline char *
slurp(const char *file, size_t *ret_n)
{
	FILE *f = fopen(file, "rb");
	char *bytes = NULL;
	size_t n = 0, room = 0;

	tmp_need(f != NULL, "open", file);
	for (;;) {
		if (room - n < 4096) {
			room = room * 2 + 8192;
			bytes = realloc(bytes, room);
			tmp_need(bytes != NULL, "memory", file);
		}
		size_t got = fread(bytes + n, 1, 4096, f);
		if (got == 0)
			break;
		n += got;
	}
	fclose(f);
	bytes[n] = '\0';
	*ret_n = n;
	return bytes;
}

static inline void
spill(const char *file, const char *bytes, size_t n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	tmp_need(fd >= 0 && write(fd, bytes, n) == (ssize_t)n, "write", file);
	close(fd);
}

/* The n-th line as JSON (from 1); NULL when it is none.  json_decref() it. */
static inline json_t *
line_json(const char *file, unsigned number)
{
	size_t n;
	char *bytes = slurp(file, &n), *at = bytes;
	json_t *object = NULL;

	for (unsigned i = 1; at != NULL && *at != '\0'; i++) {
		char *end = strchr(at, '\n');

		if (i == number && end != NULL)
			object = json_loadb(at, (size_t)(end - at),
			    JSON_REJECT_DUPLICATES, NULL);
		at = end == NULL ? NULL : end + 1;
	}
	free(bytes);
	return object;
}

static inline bool
judge_line(const char *line, size_t n, long long seq, const char *prev)
{
	json_t *o = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
	const char *p = json_string_value(json_object_get(o, "prev"));
	const char *time = json_string_value(json_object_get(o, "time"));
	bool good = p != NULL && strcmp(p, prev) == 0 && time != NULL &&
	    strlen(time) == strlen("2026-01-01T00:00:00.000Z") &&
	    time[10] == 'T' && time[19] == '.' && time[23] == 'Z' &&
	    json_integer_value(json_object_get(o, "seq")) == seq &&
	    json_integer_value(json_object_get(o, "schema")) == 1 &&
	    json_is_string(json_object_get(o, "run")) &&
	    json_is_string(json_object_get(o, "kind"));

	if (!good)
		printf("# line %lld is wrong: %.*s\n", seq,
		    n > 200 ? 200 : (int)n, line);
	json_decref(o);
	return good;
}

/* How many lines there are; -1 when the chain or its head is broken. */
static inline long
judge(const char *file)
{
	char prev[SHA256_DIGEST_STRING_LENGTH], head[256], want[256];
	char headname[PATH_MAX * 2];
	size_t n, head_n;
	char *bytes = slurp(file, &n), *at = bytes, *end, *h;
	long count = 0;

	memset(prev, '0', 64);
	prev[64] = '\0';
	while (at < bytes + n) {
		end = memchr(at, '\n', (size_t)(bytes + n - at));
		if (end == NULL || end - at >= CDN_AUDIT_LINE_MAX ||
		    !judge_line(at, (size_t)(end - at), count + 1, prev)) {
			free(bytes);
			return -1;
		}
		SHA256Data((const uint8_t *)at, (size_t)(end - at), prev);
		count++;
		at = end + 1;
	}
	free(bytes);
	snprintf(headname, sizeof(headname), "%s.head", file);
	h = slurp(headname, &head_n);
	snprintf(head, sizeof(head), "%s", h);
	free(h);
	snprintf(want, sizeof(want), "%ld %s\n", count, prev);
	if (count == 0)
		want[0] = '\0';
	if (strcmp(head, want) != 0)
		printf("# head '%s' is not '%s'\n", head, want);
	return strcmp(head, want) == 0 ? count : -1;
}

#endif
