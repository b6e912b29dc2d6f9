/*
 * story - one event in one line for people.
 *
 * The words are ours; what comes from the log stands between them as it is, any
 * bytes: whoever shows the line makes it safe for where it is shown.
 */
#ifndef CDN_REPORT_STORY_H
#define CDN_REPORT_STORY_H

#include "enforce/audit/log.h"

/* Onto out; failure is the buffer's. */
void cdn_story_put(const struct cdn_entry *entry, struct cdn_arena *arena,
    struct cdn_buf *out);

/* argv as a person would type it; "" when the event has none. */
void cdn_story_command(const struct cdn_entry *entry, struct cdn_arena *arena,
    struct cdn_buf *out);

/* Is it the event of a refusal of the broker, a tool or a guard? */
bool cdn_story_is_denial(const struct cdn_entry *entry);

#endif
