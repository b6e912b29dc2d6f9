/*
 * redact_words - secrets in the words of a command, told by their place and form.
 *
 *	--password X, --token=X, password=X in any word, 'Authorization: Bearer X',
 *	scheme://user:X@host, ghp_X and other well-known forms, curl -u user:X,
 *	mysql -pX
 *
 * A word that holds a whole command (sh -c TEXT) is read the same way.  Time is
 * linear in the bytes.  Too much is redacted rather than too little.
 */
#ifndef CDN_RUN_REDACT_WORDS_H
#define CDN_RUN_REDACT_WORDS_H

#include "enforce/run/redact.h"

/* What the words before say about the next one; all zero at the beginning. */
struct cdn_redact_words {
	unsigned program; /* of the table in redact_words.c, and one more; 0: none */
	bool next;	  /* it is a secret */
};

/* Adds the word to out, with CDN_REDACTED in place of every secret. */
void cdn_redact_word(struct cdn_redact_words *words, cdn_str word,
    struct cdn_buf *out);

#endif
