/*
 * question - what the user of an MCP client is asked, and what he says.
 *
 * The guard and the server of tools both ask for approval.  It is a form without
 * fields: to accept it is to say yes, and everything else is no.  A buffer is
 * asked whether it failed, at the end.
 */
#ifndef CDN_BASE_QUESTION_H
#define CDN_BASE_QUESTION_H

#include "base/json.h"

/* The older era: a request of our own, and its withdrawal; whole lines. */
void cdn_question_ask(const char *id, const char *text, struct cdn_buf *out);
void cdn_question_withdraw(const char *id, struct cdn_buf *out);

/* The newer: members of a result; key is that of the answer, too. */
void cdn_question_put(struct cdn_json_writer *w, const char *key,
    const char *text, const char *state);

/* answer: the result of the request, or the member of that key; NULL: none. */
bool cdn_question_is_yes(const struct cdn_json *json,
    const struct cdn_json_node *answer);

#endif
