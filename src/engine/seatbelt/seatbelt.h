/*
 * seatbelt - the boundary as a profile for macOS (SBPL text).
 *
 *	spec + places of macOS ─► authority ─► shapes ─► text
 *
 * What macOS needs besides the policy (directories of the system, scratch
 * directories, the state of the agent that is run) is added to the spec as
 * places like any other; the text says what the decision function says of the
 * result, path by path.  A test reads the text again and compares.
 *
 * Pure: made and tested on every system, executed on macOS only.
 */
#ifndef CDN_SEATBELT_SEATBELT_H
#define CDN_SEATBELT_SEATBELT_H

#include "engine/decide/decide.h"

struct cdn_buf;
struct cdn_plan;
struct cdn_shortfall;

struct cdn_seatbelt_facts {
	const char *home;	  /* the real one; NULL: nothing in it */
	const char *provider;	  /* "claude"; NULL, or one nobody knows */
	const char *provider_dir; /* its state, when it was moved; "" is not */
};

struct cdn_seatbelt {
	struct cdn_authority_spec spec; /* with the places of macOS */
	const struct cdn_authority *authority; /* what the text says */
	struct cdn_place_list secrets; /* of macOS: denied first, ... */
	struct cdn_place_list lent;    /* ... and these given back */
};

/* Everything lies in the arena; spec's lists and the facts are borrowed. */
CDN_MUST_USE int cdn_seatbelt_build(struct cdn_arena *arena,
    const struct cdn_authority_spec *spec,
    const struct cdn_seatbelt_facts *facts, struct cdn_seatbelt *ret,
    struct cordon_error *err);

/*
 * The text; scratch memory comes from the arena.  Under the preset `protect`
 * everything is allowed first, else nothing.  A network that lists hosts is
 * closed: Seatbelt knows no hosts but this one.
 */
CDN_MUST_USE int cdn_seatbelt_format(struct cdn_arena *arena,
    const struct cdn_seatbelt *seatbelt, struct cdn_buf *out,
    struct cordon_error *err);

/*
 * The report of a plan, as it is where the profile holds its rules; network:
 * what the policy says.  In the arena, rules are borrowed.  It is never
 * "enforced": nobody has tried it on macOS, and elsewhere it is not there.
 */
CDN_MUST_USE int cdn_seatbelt_report(struct cdn_arena *arena,
    const struct cdn_plan *plan, enum cdn_network_mode network,
    const struct cdn_plan **ret, struct cordon_error *err);

/* The table behind it, as cdn_plan_shortfall(). */
bool cdn_seatbelt_shortfall(size_t i, struct cdn_shortfall *ret);

#endif
