/*
 * policy - a validated document, as plain data with positions.
 *
 *	bytes -> (libyaml events) -> tree -> policy
 *	          yaml.c             tree.h   load.c, validate.c
 *
 * Everything a policy holds lies in its own arena and is immutable once
 * cdn_policy_parse() has returned it.  Every rule keeps the text as authored
 * and the file:line:column it stands at; both travel to the verdict.
 *
 * The struct has the public name because cordon.h hands it out; its inside is
 * for the engine and for enforce/ only.
 */
#ifndef CDN_POLICY_POLICY_H
#define CDN_POLICY_POLICY_H

#include "base/arena.h"
#include "base/diag.h"

/* The operations that have a list of path rules. */
#define CDN_RULE_OPS 3 /* CORDON_READ, CORDON_MODIFY, CORDON_EXEC */

struct cdn_rule {
	cdn_str text;	    /* as authored, '!' included; NUL-terminated */
	cdn_str pattern;    /* normalised, without '!'; NUL-terminated */
	bool negated;	    /* in a deny list: an exception */
	struct cdn_pos pos; /* source NULL for a rule nobody wrote */
	size_t literal; /* bytes of the pattern that are no wildcards: a name */
};

struct cdn_rules {
	struct cdn_rule *v;
	size_t n;
};

/* A plain path (no glob): absolute, or "~", "~/x", "~user/x", unexpanded. */
struct cdn_root {
	cdn_str text; /* as authored; NUL-terminated */
	struct cdn_pos pos;
};

struct cdn_roots {
	struct cdn_root *v;
	size_t n;
};

enum cdn_network_mode {
	CDN_NETWORK_UNSET,
	CDN_NETWORK_NONE,
	CDN_NETWORK_LOOPBACK,
	CDN_NETWORK_FULL,
	CDN_NETWORK_LIST,
};

struct cdn_network {
	enum cdn_network_mode mode;
	struct cdn_rules rules; /* LIST: patterns of endpoint.h */
	struct cdn_pos pos;
};

/* 0 = not set, which is never a valid value. */
struct cdn_limits {
	uint64_t wall_ms;
	uint64_t cpu_ms;
	uint64_t memory_bytes;
	uint64_t processes;
	uint64_t open_files;
	uint64_t output_bytes;
};

struct cdn_profile_def {
	cdn_str name;
	struct cdn_pos pos;
	struct cdn_rules rules[CDN_RULE_OPS]; /* indexed by enum cordon_op */
	bool has_exec; /* an `exec:` list was written, perhaps empty */
	struct cdn_roots host_read;
	struct cdn_roots host_modify;
	struct cdn_network network;
	struct cdn_roots sockets; /* may also be workspace-relative */
	struct cdn_limits limits;
};

enum cdn_enforcement { /* strictest last, so that max() is the merge */
	CDN_ENFORCEMENT_UNSET,
	CDN_ENFORCEMENT_BEST_EFFORT,
	CDN_ENFORCEMENT_DEGRADED,
	CDN_ENFORCEMENT_REQUIRED,
};

enum cdn_isolation { /* strictest last */
	CDN_ISOLATION_UNSET,
	CDN_ISOLATION_NONE,
	CDN_ISOLATION_AUTO,
	CDN_ISOLATION_NAMESPACES,
};

struct cdn_text {
	cdn_str text; /* NUL-terminated */
	struct cdn_pos pos;
};

struct cdn_texts {
	struct cdn_text *v;
	size_t n;
};

struct cdn_env {
	struct cdn_texts pass; /* names, '*' allowed */
	bool has_pass;	       /* a `pass:` list was written, perhaps empty */
	struct cdn_texts drop;
	struct cdn_texts set_names; /* parallel arrays */
	struct cdn_texts set_values;
};

struct cdn_mcp_field {
	cdn_str tool;
	cdn_str field;
	bool is_path; /* else text */
	struct cdn_pos pos;
};

struct cdn_tree; /* tree.h */

struct cordon_policy {
	struct cdn_arena *arena; /* owns everything below */
	const char *source;	 /* file name as given */
	char digest[65];	 /* SHA-256 of the bytes, hex; "" if merged */
	cdn_str text;		 /* the bytes; .p NULL if merged */

	cdn_str name; /* NUL-terminated */
	struct cdn_pos name_pos;
	cdn_str description; /* .p NULL when absent */
	/* Kept, never interpreted; NULL when absent; printed as they came. */
	const struct cdn_tree *labels;
	const struct cdn_tree *annotations;
	cdn_str created_at; /* .p NULL when absent */
	cdn_str updated_at;

	struct cdn_rules deny[CDN_RULE_OPS]; /* negated = exception */
	/* An exception lifts nothing of its own: valid after a merge only. */
	bool needs_merge;
	struct cdn_profile_def *profiles;    /* in document order */
	size_t profile_count;
	struct cdn_roots protect;
	struct cdn_rules unprotect; /* none is negated */
	struct cdn_env env;
	enum cdn_enforcement enforcement;
	enum cdn_isolation isolation;
	struct cdn_texts sealed;
	struct cdn_roots runtime_write_roots;
	bool audit_warn; /* audit.onFailure: warn */
	bool audit_set;
	struct cdn_mcp_field *mcp;
	size_t mcp_count;

	struct cdn_texts widened; /* after a merge */
};

/*
 * Parses and validates text (any bytes).  source must outlive nothing: it is
 * copied.  All findings go to diags (may be NULL); when there is any error
 * the call fails with CORDON_E_INVALID and err is the first of them.
 */
CDN_MUST_USE int cdn_policy_parse(cdn_str text, const char *source,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);
/*
 * The same for a document that is merged over another one: whether its
 * exceptions lie inside of a denyModify rule is checked after the merge.  One
 * that needs it is not resolved by itself (profile.h).
 */
CDN_MUST_USE int cdn_policy_parse_part(cdn_str text, const char *source,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);
void cdn_policy_free(struct cordon_policy *policy);

/*
 * Everything that looks at a whole policy (coverage,
 * duplicates of global denies, exceptions, sealed names that exist, ...).
 * Used by parse and again after a merge.  Findings to diags, first to err.
 */
CDN_MUST_USE int cdn_policy_validate(const struct cordon_policy *policy,
    struct cordon_diags *diags, struct cordon_error *err);

/* NULL when the policy does not define it. */
const struct cdn_profile_def *
cdn_policy_find_profile(const struct cordon_policy *policy, cdn_str name);

/* The resource-name validator; the text of err is the contract string. */
CDN_MUST_USE int cdn_name_check(cdn_str name, struct cordon_error *err);

/* YAML that loads again, or the JSON object of `policy merge --json`. */
struct cdn_buf;
CDN_MUST_USE int cdn_policy_format(const struct cordon_policy *policy,
    enum cordon_format format, struct cdn_buf *out, struct cordon_error *err);

/* Schema and reference page, from the table of keys (schema.def). */
CDN_MUST_USE int cdn_policy_schema(struct cdn_buf *out,
    struct cordon_error *err);
CDN_MUST_USE int cdn_policy_reference(struct cdn_buf *out,
    struct cordon_error *err);

#endif
