/*
 * load - from a tree to a policy, driven by the tables of schema.def.
 *
 * A loader of a type takes a slot: one value of the document and the place in
 * the policy where it goes.  Loaders report and go on; what is wrong is left
 * out, so that all findings come at once.  Memory that ran out is remembered
 * by the report.
 *
 * Only for load*.c and validate.c.
 */
#ifndef CDN_POLICY_LOAD_H
#define CDN_POLICY_LOAD_H

#include "engine/policy/policy.h"
#include "engine/policy/schema.h"
#include "engine/policy/tree.h"

/*
 * What was left out of a policy.  A check that would only say so again, as
 * "not covered" does of a profile whose read rules are broken, stays silent.
 */
struct cdn_doubt {
	bool deny_modify;
	const bool *profiles; /* by index; NULL: none in doubt */
	/*
	 * Not NULL: a merge follows.  Set where an exception lifts nothing of
	 * this document's own rules, instead of a finding.
	 */
	bool *needs_merge;
};

struct cdn_load {
	struct cordon_policy *policy; /* being filled */
	struct cdn_report *report;
	struct cdn_arena *scratch; /* goes when loading is done */
	size_t passed;		   /* BAD nodes passed over */
	bool foreign; /* another version or kind: read no further */
	struct cdn_doubt doubt;
};

struct cdn_slot {
	const struct cdn_key *key;
	const char *prefix; /* of its label: "spec.fsProfiles.dev", or "" */
	const struct cdn_tree *value;
	void *base;  /* the C struct of its object */
	void *field; /* the key's place in it */
};

/* One loader for each type: cdn_load_rules(), cdn_load_duration(), ... */
#define CDN_TYPE(id, function, name, text, json)        \
	void cdn_load_##function(struct cdn_load *load, \
	    const struct cdn_slot *slot);
#include "engine/policy/schema.def"
#undef CDN_TYPE

/* Everything that looks at a whole policy. */
void cdn_validate(const struct cordon_policy *policy,
    const struct cdn_doubt *doubt, struct cdn_report *report);

/* ----- For loaders -------------------------------------------------------- */

/* "spec.fsProfiles.dev.read"; use as cdn_label(slot).text. */
struct cdn_label {
	char text[200];
};
struct cdn_label cdn_label(const struct cdn_slot *slot);

/* Goes up with everything that is left out. */
size_t cdn_load_faults(const struct cdn_load *load);

/* From the policy's arena; NULL is remembered by the report. */
void *cdn_load_array(struct cdn_load *load, size_t count, size_t size);

/* Is the value of the right shape?  If not, that is reported. */
bool cdn_load_is_list(struct cdn_load *load, const struct cdn_slot *slot,
    size_t max);
bool cdn_load_is_map(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node, size_t max);
/* The value, or an entry of it, as text: not null, not true or false. */
bool cdn_load_is_text(struct cdn_load *load, const struct cdn_slot *slot,
    const struct cdn_tree *node);

/* A finding of the form "policy 'p': spec.denyRead: ..." at a node. */
void cdn_load_complain(struct cdn_load *load, const struct cdn_slot *slot,
    enum cdn_finding_kind finding, const struct cdn_tree *node,
    const char *hint, const char *fmt, ...) CDN_PRINTF(6, 7);

/* A word of a set; NULL after a finding. */
const struct cdn_word *cdn_load_word(struct cdn_load *load,
    const struct cdn_slot *slot, const struct cdn_tree *node,
    enum cdn_words set, enum cdn_finding_kind finding);

/* A name of profiles, tools and fields: not blank, not long, no controls. */
const char *cdn_label_fault(cdn_str name);

#endif
