#include "base/diag.h"

#include <stdarg.h>

#include "base/arena.h"

/* A text longer than this ends in "..."; a whole rule still fits. */
#define TEXT_ROOM (CDN_RULE_MAX + 512UL)

/*
 * The array is there from the start, so that keeping a finding needs memory
 * for its texts only, and a pointer from cordon_diags_get() never moves.
 */
struct cordon_diags {
	struct cdn_arena *texts;
	size_t count;  /* findings kept */
	size_t total;  /* findings seen */
	size_t errors; /* of those seen */
	struct cordon_diag kept[CDN_DIAGS_MAX];
};

struct cordon_diags *
cordon_diags_new(void)
{
	struct cordon_diags *diags = calloc(1, sizeof(*diags));

	if (diags == NULL)
		return NULL;
	diags->texts = cdn_arena_new();
	if (diags->texts == NULL) {
		free(diags);
		return NULL;
	}
	return diags;
}

void
cordon_diags_free(struct cordon_diags *diags)
{
	if (diags == NULL)
		return;
	cdn_arena_free(diags->texts);
	free(diags);
}

size_t
cordon_diags_count(const struct cordon_diags *diags)
{
	return diags == NULL ? 0 : diags->count;
}

const struct cordon_diag *
cordon_diags_get(const struct cordon_diags *diags, size_t i)
{
	if (diags == NULL || i >= diags->count)
		return NULL;
	return &diags->kept[i];
}

size_t
cordon_diags_errors(const struct cordon_diags *diags)
{
	return diags == NULL ? 0 : diags->errors;
}

size_t
cordon_diags_omitted(const struct cordon_diags *diags)
{
	return diags == NULL ? 0 : diags->total - diags->count;
}

/* Findings come in runs from one file: its name is kept once per run. */
static const char *
keep_source(struct cordon_diags *diags, const char *source)
{
	const struct cordon_diag *last;

	if (source == NULL)
		return "";
	if (diags->count > 0) {
		last = &diags->kept[diags->count - 1];
		if (strcmp(last->source, source) == 0)
			return last->source;
	}
	return cdn_arena_dup(diags->texts, source, strlen(source));
}

CDN_PRINTF(2, 0)
static const char *
keep_text(struct cordon_diags *diags, const char *fmt, va_list ap)
{
	char text[TEXT_ROOM];
	size_t n = cdn_err_line(text, sizeof(text), fmt, ap);

	return cdn_arena_dup(diags->texts, text, n);
}

void
cdn_diag_add(struct cordon_diags *diags, enum cordon_severity severity,
    const char *id, struct cdn_pos pos, const char *hint, const char *fmt, ...)
{
	struct cordon_diag found = {
		.severity = severity,
		.id = id,
		.line = pos.line,
		.column = pos.column,
	};
	va_list ap;

	if (diags == NULL)
		return;
	diags->total++;
	if (severity == CORDON_ERROR)
		diags->errors++;
	if (diags->count == CDN_DIAGS_MAX)
		return;
	found.source = keep_source(diags, pos.source);
	va_start(ap, fmt);
	found.text = keep_text(diags, fmt, ap);
	va_end(ap);
	if (hint != NULL)
		found.hint = cdn_arena_dup(diags->texts, hint, strlen(hint));
	if (found.source == NULL || found.text == NULL ||
	    (hint != NULL && found.hint == NULL))
		return; /* counted above, so it shows as omitted */
	diags->kept[diags->count++] = found;
}
