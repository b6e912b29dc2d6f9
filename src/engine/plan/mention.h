/*
 * mention - names that rules and places speak of.
 *
 * What holds for a name that is not there is a question for the decision
 * function, but about which name?  Rules and places mention names; where a
 * pattern leaves one open it is CDN_PLAN_NO_NAME.  Rules are read here for the
 * sake of their words, never for what they say.
 */
#ifndef CDN_PLAN_MENTION_H
#define CDN_PLAN_MENTION_H

#include "engine/decide/decide.h"

/* A name nobody has: what holds for it holds for names no rule speaks of. */
#define CDN_PLAN_NO_NAME "\x01no such name\x7f\xff"

struct cdn_plan_mentions {
	const struct cdn_authority *authority;
	const struct cdn_authority_spec *spec;
	/* Of what takes away, too: negated rules, and what is closed. */
	bool denials;
};

/* path is NULL where a name was too long to be told.  True: no more of them. */
typedef bool cdn_plan_mention_fn(const char *path, void *arg);

/*
 * Each name in dir that is spoken of, as a path; some of them twice, and in
 * doubt one too many.  True when mention returned that.
 */
bool cdn_plan_mentioned(const struct cdn_plan_mentions *in, const char *dir,
    cdn_plan_mention_fn *mention, void *arg);

/* DIR/NAME into out; false when it is too long. */
bool cdn_plan_join(const char *dir, cdn_str name, char out[CDN_PATH_MAX + 1]);

#endif
