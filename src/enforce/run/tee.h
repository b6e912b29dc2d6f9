/*
 * tee - captured output shown while it comes, without the secrets in it.
 *
 * Shown line by line, as a secret may come in pieces; a line longer than
 * CDN_TEE_LINE goes in parts that do not cut one.  Best effort: what cannot be
 * shown is dropped, the capture is complete all the same.
 */
#ifndef CDN_RUN_TEE_H
#define CDN_RUN_TEE_H

#include "enforce/run/redact.h"

#define CDN_TEE_LINE 8192

struct cdn_tee {
	int fd;			/* where to; -1 = nowhere */
	struct cdn_buf line;	/* not shown yet */
	struct cdn_buf shown;	/* the same, redacted */
};

/* Zeroed is not usable: fd -1 is the one that does nothing. */
void cdn_tee_init(struct cdn_tee *tee, int fd);
void cdn_tee_add(struct cdn_tee *tee, const struct cdn_secrets *secrets,
    cdn_str text);
/* Shows what is held back. */
void cdn_tee_flush(struct cdn_tee *tee, const struct cdn_secrets *secrets);
void cdn_tee_done(struct cdn_tee *tee);

/*
 * write(2) that raises no SIGPIPE in the calling thread.  Bytes, or -errno.
 */
ssize_t cdn_write_quietly(int fd, const void *p, size_t n);

#endif
