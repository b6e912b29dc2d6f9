/*
 * err - filling a struct cordon_error.
 *
 * Each function returns the code, so a caller writes
 *	return cdn_err(err, CORDON_E_INVALID, "empty rule");
 * err may be NULL.  Text is cut, never overrun: see cordon.h for the sizes;
 * what was cut ends in "...".  Control characters become '?', so a text is one
 * line whatever a file is called.  Arguments may point into *err.
 */
#ifndef CDN_BASE_ERR_H
#define CDN_BASE_ERR_H

#include <stdarg.h>

#include "base/str.h"

/* Where something stands.  source is borrowed and outlives the position. */
struct cdn_pos {
	const char *source; /* file name as given, or "<preset x>"; NULL = none */
	unsigned line;	    /* 1-based; 0 = no position */
	unsigned column;    /* 1-based, counted in bytes */
};

int cdn_err(struct cordon_error *err, int code, const char *fmt, ...)
    CDN_PRINTF(3, 4);
int cdn_err_at(struct cordon_error *err, int code, struct cdn_pos pos,
    const char *fmt, ...) CDN_PRINTF(4, 5);

/* CORDON_E_SYSTEM; ": strerror" is appended to the text. */
int cdn_err_sys(struct cordon_error *err, int sys_errno, const char *fmt, ...)
    CDN_PRINTF(3, 4);
int cdn_err_nomem(struct cordon_error *err);

/* The same failure under another code; sys_errno and text stay. */
int cdn_err_recode(struct cordon_error *err, int code);

/*
 * Puts "what we were doing: " in front, on the way up.  Keeps the code; when
 * both do not fit, it is the front that is shortened first.
 */
int cdn_err_context(struct cordon_error *err, int code, const char *fmt, ...)
    CDN_PRINTF(3, 4);

/* One such line into out (size >= 8); the bytes written, NUL not counted. */
size_t cdn_err_line(char *out, size_t size, const char *fmt, va_list ap)
    CDN_PRINTF(3, 0);

/*
 * clang's analyser does not look into err.c, so for it a failure could be 0 and
 * the caller go on with a ret that was never written.  This tells it better.
 */
#if defined(__clang_analyzer__) && !defined(CDN_ERR_HOME)
#define cdn_err(err, code, ...)	((cdn_err)((err), (code), __VA_ARGS__), (code))
#define cdn_err_at(err, code, ...) \
	((cdn_err_at)((err), (code), __VA_ARGS__), (code))
#define cdn_err_context(err, code, ...) \
	((cdn_err_context)((err), (code), __VA_ARGS__), (code))
#define cdn_err_recode(err, code) ((cdn_err_recode)((err), (code)), (code))
#define cdn_err_sys(...)	  ((cdn_err_sys)(__VA_ARGS__), CORDON_E_SYSTEM)
#define cdn_err_nomem(err)	  ((cdn_err_nomem)(err), CORDON_E_NOMEM)
#endif

#endif
