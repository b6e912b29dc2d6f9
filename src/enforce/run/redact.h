/*
 * redact - which environment variables hold secrets, told by their names.
 *
 * For what people get to see: debug output and records.  Names are compared
 * without regard to case, by the words in them; too much is redacted rather
 * than too little.
 */
#ifndef CDN_RUN_REDACT_H
#define CDN_RUN_REDACT_H

#include "base/buf.h"
#include "base/err.h"

#define CDN_REDACTED "[REDACTED]"

bool cdn_redact_name(cdn_str name);

/* The value to show: itself, or CDN_REDACTED. */
cdn_str cdn_redact_value(cdn_str name, cdn_str value);

/* One line NAME=value for each variable.  envp may be NULL. */
void cdn_redact_env(struct cdn_buf *out, char *const *envp);

/*
 * The values of an environment that must not be shown in other text either.
 * Values with several lines count line by line; short ones (fewer than
 * CDN_SECRET_MIN bytes) are left out, they are in every text.
 */
#define CDN_SECRET_MIN 6

struct cdn_secrets {
	cdn_str *list; /* owned; the texts are those of envp */
	size_t count;
	size_t longest; /* bytes */
};

CDN_MUST_USE int cdn_secrets_build(struct cdn_secrets *ret, char *const *envp,
    struct cordon_error *err);
void cdn_secrets_done(struct cdn_secrets *secrets);

/*
 * text[0..until), with CDN_REDACTED in place of every secret; one that begins
 * there is taken whole.  How many bytes of text that was.
 */
size_t cdn_redact_text(struct cdn_buf *out, const struct cdn_secrets *secrets,
    cdn_str text, size_t until);

#endif
