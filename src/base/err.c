#define CDN_ERR_HOME
#include "base/err.h"

#include <stdarg.h>

static const struct {
	int code;
	const char *name;
} code_names[] = {
	{ CORDON_OK, "Ok" },
	{ CORDON_E_INVALID, "InvalidInput" },
	{ CORDON_E_NOMEM, "OutOfMemory" },
	{ CORDON_E_SYSTEM, "SystemError" },
	{ CORDON_E_NOT_FOUND, "NotFound" },
	{ CORDON_E_WORKSPACE, "WorkspaceMissing" },
	{ CORDON_E_LINKS, "TooManyLinks" },
	{ CORDON_E_RESOLVE, "ResolveFailed" },
	{ CORDON_E_EXEC, "ExecFailed" },
	{ CORDON_E_ENFORCE, "NotEnforceable" },
	{ CORDON_E_DENIED, "PermissionDenied" },
};

const char *
cordon_code_name(int code)
{
	for (size_t i = 0; i < CDN_LEN(code_names); i++)
		if (code_names[i].code == code)
			return code_names[i].name;
	return "UnknownError";
}

static bool
is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Shortens text to at most `keep` bytes, "..." included, between characters. */
static size_t
cut(char *text, size_t keep)
{
	size_t n = keep - 3;

	for (int i = 0; i < 3 && n > 0 && is_continuation(text[n]); i++)
		n--;
	memcpy(text + n, "...", 4);
	return n + 3;
}

/* File names come from anywhere: they must not bring lines or escapes. */
static void
blank_controls(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

size_t
cdn_err_line(char *out, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(out, size, fmt, ap);

	if (n < 0) {
		out[0] = '\0';
		return 0;
	}
	blank_controls(out);
	return (size_t)n < size ? (size_t)n : cut(out, size - 1);
}

/* A name that is too long keeps its tail: that is the part people know. */
static void
set_source(struct cordon_error *err, const char *source)
{
	size_t n = source == NULL ? 0 : strlen(source);

	if (n < sizeof(err->source)) {
		memmove(err->source, source == NULL ? "" : source, n + 1);
		return;
	}
	source += n - (sizeof(err->source) - 4);
	for (int i = 0; i < 3 && is_continuation(*source); i++)
		source++;
	n = strlen(source);
	memmove(err->source + 3, source, n + 1);
	memcpy(err->source, "...", 3);
}

/* Complete before anything is stored: an argument may be part of *err. */
CDN_PRINTF(4, 0)
static void
fill(struct cordon_error *err, int code, struct cdn_pos pos, const char *fmt,
    va_list ap)
{
	char text[sizeof(err->text)];
	size_t n;

	if (err == NULL)
		return;
	n = cdn_err_line(text, sizeof(text), fmt, ap);
	err->code = code;
	err->sys_errno = 0;
	err->line = pos.line;
	err->column = pos.column;
	set_source(err, pos.source);
	memcpy(err->text, text, n + 1);
}

int
cdn_err(struct cordon_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, (struct cdn_pos){ 0 }, fmt, ap);
	va_end(ap);
	return code;
}

int
cdn_err_at(struct cordon_error *err, int code, struct cdn_pos pos,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, pos, fmt, ap);
	va_end(ap);
	return code;
}

/*
 * err->text becomes "before: cause".  Where both do not fit, the cause keeps
 * at least half of the room: a long path must not push the reason out.
 */
static void
join(struct cordon_error *err, char *before, const char *cause)
{
	char both[2 * sizeof(err->text) + 4];
	size_t room = sizeof(err->text) - 3; /* for ": " and NUL */
	size_t half = room / 2;
	size_t n = strlen(before);
	size_t m = strlen(cause);
	size_t most = m < half ? room - m : half;

	if (n + m > room && n > most)
		cut(before, most);
	snprintf(both, sizeof(both), "%s: %s", before, cause);
	if (strlen(both) >= sizeof(err->text))
		cut(both, sizeof(err->text) - 1);
	memcpy(err->text, both, strlen(both) + 1);
}

int
cdn_err_sys(struct cordon_error *err, int sys_errno, const char *fmt, ...)
{
	char before[sizeof(err->text)];
	char reason[96];
	va_list ap;

	if (err == NULL)
		return CORDON_E_SYSTEM;
	va_start(ap, fmt);
	fill(err, CORDON_E_SYSTEM, (struct cdn_pos){ 0 }, fmt, ap);
	va_end(ap);
	err->sys_errno = sys_errno;
	memcpy(before, err->text, sizeof(before));
	join(err, before, strerror_r(sys_errno, reason, sizeof(reason)));
	return CORDON_E_SYSTEM;
}

int
cdn_err_recode(struct cordon_error *err, int code)
{
	if (err != NULL)
		err->code = code;
	return code;
}

int
cdn_err_nomem(struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_NOMEM, "out of memory");
}

int
cdn_err_context(struct cordon_error *err, int code, const char *fmt, ...)
{
	char before[sizeof(err->text)];
	va_list ap;

	if (err == NULL)
		return code;
	va_start(ap, fmt);
	cdn_err_line(before, sizeof(before), fmt, ap);
	va_end(ap);
	join(err, before, err->text);
	return code;
}
