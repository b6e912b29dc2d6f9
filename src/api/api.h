/*
 * api - libcordon: implements cordon.h, checks arguments, nothing clever.
 */
#ifndef CDN_API_API_H
#define CDN_API_API_H

#include "base/buf.h"
#include "base/err.h"

#ifndef CDN_VERSION
#define CDN_VERSION "0.1.0"
#endif

/* A required argument is missing. */
#define CDN_NEED(arg, err)                                            \
	do {                                                          \
		if ((arg) == NULL)                                    \
			return cdn_err((err), CORDON_E_INVALID,       \
			    "%s: missing argument '%s'", __func__, #arg); \
	} while (0)

/* Hands a finished buffer to the caller as a string for free(). */
CDN_MUST_USE int cdn_api_give(int code, struct cdn_buf *buf, char **ret,
    struct cordon_error *err);

/* run.c: is every word of them one that is known? */
CDN_MUST_USE int cdn_api_run_options(const struct cordon_run_options *options,
    struct cordon_error *err);

/* run.c: the same, and that there is a program. */
CDN_MUST_USE int cdn_api_run_command(const struct cordon_run_options *options,
    struct cordon_error *err);

/*
 * session.c: the options as far as they are known here, the others not set.
 * CORDON_E_INVALID when the size is none, or one is set that is not known.
 */
CDN_MUST_USE int cdn_api_session_options(
    const struct cordon_session_options *options,
    struct cordon_session_options *ret, struct cordon_error *err);

#define CDN_TEXT_MAX (64UL * 1024UL * 1024UL) /* bytes of one printed text */

#endif
