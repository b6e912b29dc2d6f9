/*
 * plan - what must be enforced for one launch on this host, as data.
 *
 *	authority + host facts + real directories -> regions, report, shortfall
 *
 * The plan is compiled from the decision function (cdn_decide_subtree), never
 * from the syntax of rules: a region is a directory below which one answer
 * holds.  Backends turn a plan into a cage; `cordon plan` prints it.  The same
 * input gives the same bytes.
 *
 * Pure: directories are listed and facts gathered by the caller (callbacks).
 */
#ifndef CDN_PLAN_PLAN_H
#define CDN_PLAN_PLAN_H

#include "engine/decide/decide.h"

/* ----- Host facts; filled by enforce/host, or by a test ------------------ */

enum cdn_bwrap { CDN_BWRAP_MISSING, CDN_BWRAP_BROKEN, CDN_BWRAP_USABLE };

struct cdn_host {
	int landlock_abi; /* 0 = none */
	unsigned landlock_errata;
	bool seccomp_filter;
	bool seccomp_notify; /* listener, ADDFD and its atomic reply */
	bool notify_wait_killable; /* since 5.19 */
	bool userns;
	int yama_scope; /* 0 when there is no Yama */
	bool cgroup_delegated; /* we may make a cgroup for the run */
	enum cdn_bwrap bwrap;
	unsigned kernel_major;
	unsigned kernel_minor;
	bool privileged; /* uid 0 in the initial user namespace */

	/* What explains the above; known to doctor only, except the first. */
	bool seccomp_filtered; /* a filter of somebody else is on us */
	bool notify_taken;   /* and its listener leaves no room for ours */
	int landlock_error;  /* why there is none: errno */
	int landlock_layers; /* we are in already; the kernel takes 16 */
	int userns_error;    /* why they are not usable: errno */
	bool userns_restricted; /* AppArmor takes their capabilities away */
	bool container;	     /* a hint */
};

/* ----- Regions ----------------------------------------------------------- */

/*
 * What holds for a place and everything below it for which no deeper region
 * speaks; see the table of rights in backend/landlock.h.
 */
enum cdn_region_kind {
	CDN_REGION_CLOSED,	 /* nothing at all */
	CDN_REGION_FIXED,	 /* read and exec everywhere, modify nowhere */
	CDN_REGION_OPEN,	 /* all three everywhere */
	CDN_REGION_MIXED_MODIFY, /* read and exec everywhere, modify mixed */
	CDN_REGION_MIXED_READ,	 /* anything else */
	CDN_REGION_PASSAGE,	 /* may be listed; its entries have regions */
	CDN_REGION_DEVICE,	 /* a device of the list */
	CDN_REGION_KIND_MAX
};

struct cdn_region {
	const char *path; /* absolute, real */
	enum cdn_region_kind kind; /* what the policy says of it */
	/*
	 * What the kernel is to hold it to.  The same as kind when somebody
	 * judges what is mixed; otherwise a mixed region becomes OPEN or FIXED
	 * and its rules are reported as not enforced, or it is broken up
	 * (PASSAGE), or, when it is too large for that, CLOSED.
	 */
	enum cdn_region_kind held;
	enum cdn_subtree says[CDN_RULE_OPS]; /* by operation, as kind */
	bool directory;
};

/* How much the broker has to see; mirrors the table of calls per mode. */
enum cdn_plan_mode {
	CDN_PLAN_MODE_NONE, /* nobody answers: no listener */
	CDN_PLAN_MODE_A,
	CDN_PLAN_MODE_B,
	CDN_PLAN_MODE_C,
};

/* ----- The enforcement report -------------------------------------------- */

enum cdn_by {
	CDN_BY_LANDLOCK,    /* "kernel (landlock)" */
	CDN_BY_SECCOMP,	    /* "kernel (seccomp)" */
	CDN_BY_SEATBELT,    /* "kernel (seatbelt)" */
	CDN_BY_BROKER,	    /* "broker" */
	CDN_BY_EFFORT,	    /* "broker (best effort)", and why */
	CDN_BY_MOUNT,	    /* "mount" */
	CDN_BY_APPLICATION, /* "application only" */
	CDN_BY_NOBODY,	    /* "NOT ENFORCED: why" */
};

struct cdn_plan_rule {
	const struct cdn_rule *rule; /* a place of the spec as one, too */
	enum cordon_op op;
	enum cordon_layer layer;
	enum cdn_by by;
	const char *why; /* static; NULL unless EFFORT, NOBODY, APPLICATION */
};

struct cdn_shortfall {
	const char *id;	  /* stable: "broker-modify", "landlock-abi-3", ... */
	const char *text; /* what is lost; static, as the others */
	const char *remedy;
	/* More is refused than the policy asks for: said, but no reason to
	 * refuse a run that requires enforcement. */
	bool stricter;
	/* Less is held, but of something that is no rule: the same. */
	bool accepted;
};

/* What no plan holds, whatever the policy; see limits.c. */
struct cdn_plan_limit {
	const char *id; /* stable: "visible-names", "stdio", ... */
	bool visible;	/* something that can be seen: the plan's text has it */
	bool apart;	/* namespaces of the run's own close it */
	const char *text;
};

/* Sockets with a name in the file system; mirrors the filter's words. */
enum cdn_plan_unix {
	CDN_PLAN_UNIX_JUDGED, /* the broker judges where they connect to */
	CDN_PLAN_UNIX_NONE,   /* there are none: nobody could judge them */
};

struct cdn_plan {
	const char *workspace;
	const struct cdn_authority *view; /* of which the regions were asked */
	enum cdn_plan_mode mode;
	/* Effective: without a broker what only it could judge is NONE. */
	enum cdn_network_mode network;
	enum cdn_plan_unix unix_sockets;
	/*
	 * Nothing may be modified, so no metadata calls either.  Without a
	 * broker it is also set when only the run's own home and tmp may be:
	 * nobody could tell these from the rest.
	 */
	bool no_modify;
	bool strict;	/* no ptrace and its like: the preset, or no Landlock */
	bool agent;	/* one runs, and what it keeps for itself is open to it */
	bool mounted;	/* held by mounts: Landlock is not there */
	bool belted;	/* held by a profile of macOS: Linux is not there */
	bool traced;	/* mode C, and nothing at all goes on unseen */
	bool nests;	/* runs inside of it can be asked for; by who starts it */
	bool caged;	/* false: this host cannot confine anything (no Landlock) */
	struct cdn_region *regions; /* parents before what lies below */
	size_t region_count;
	struct cdn_plan_rule *rules; /* layer by layer, in rule order */
	size_t rule_count;
	struct cdn_shortfall *shortfalls;
	size_t shortfall_count;
	bool enforced; /* every rule by kernel or broker, and no shortfall but
			* those that are stricter */
};

/* ----- Building ---------------------------------------------------------- */

/* One entry of a directory. */
typedef int cdn_plan_entry_fn(const char *name, bool is_directory, void *arg);

struct cdn_plan_reader {
	/*
	 * Calls entry for each name but ".", ".." and symbolic links, which
	 * are no objects of their own; stops when it returns nonzero and
	 * passes that on.  0, or a negative CORDON_E_ code: one that ignores
	 * case is CORDON_E_RESOLVE, and is judged as a whole by the broker,
	 * which knows how to compare there.
	 */
	int (*list)(void *arg, const char *dir, cdn_plan_entry_fn *entry,
	    void *entry_arg, struct cordon_error *err);
	/*
	 * Could a process of the run read it if there were no boundary?  The
	 * caller's uid without capabilities: /proc/kcore is not readable even
	 * for root then.  A floor entry that is not needs no carving out.
	 * Of a pattern: could what comes to match it be read?
	 */
	bool (*readable)(void *arg, const char *path);
	/*
	 * Is it there, and no symbolic link?  Links are never followed.
	 */
	bool (*exists)(void *arg, const char *path, bool *ret_directory);
	void *arg;
};

struct cdn_plan_input {
	const struct cdn_authority *authority;
	const struct cdn_authority_spec *spec; /* its places are the roots */
	const struct cdn_host *host;
	const struct cdn_plan_reader *reader;
	bool has_broker;
	bool trace; /* mode C for everything */
	/* Of a run inside of another one. */
	bool strict; /* which is so, or lies in one */
	const struct cdn_plan *outer; /* its plan; NULL: there is none */
};

/*
 * Starts at the places of the spec (workspace, runtime view, declared roots,
 * own home and tmp, devices); a root that an earlier region covers with the
 * same rights is no region of its own.  Walks only as far as an answer is mixed
 * and descending can make it less so: where floating rules (such as all *.env)
 * are the reason, the root is mixed at once.  Bounded by CDN_PLAN_REGIONS_MAX,
 * CDN_PLAN_ENTRIES_MAX and CDN_PLAN_DEPTH_MAX; past a bound the directory stays
 * mixed.  Everything lies in the arena; rules and places are borrowed.
 *
 * Without a broker (has_broker false, or the host cannot have one) a mixed
 * region is held to OPEN where anything below may be modified, else to FIXED;
 * but what is closed by the floor is never given away: a directory above a
 * floor entry that is there and readable is broken up (passage, and its
 * entries one by one), however mixed.
 *
 * spec->own places are taken as directories that will be there: they are made
 * after the plan.  spec->fold must be false.
 */
CDN_MUST_USE int cdn_plan_build(struct cdn_arena *arena,
    const struct cdn_plan_input *input, const struct cdn_plan **ret,
    struct cordon_error *err);

/* Words of the caller's that belong to it; NULL where there is none. */
struct cdn_plan_bound {
	const char *name;  /* "processes" */
	const char *unit;  /* " ms", or "" */
	uint64_t value;	   /* 0: not limited, and `from` says why */
	const char *from;  /* "policy", "default" */
};

struct cdn_plan_words {
	const char *backend;   /* "native" */
	const char *isolation; /* "none" */
	const struct cdn_plan_bound *bounds; /* of resources */
	size_t bound_count;
};

/*
 * The tables behind a report, for the page about them: NULL (false) past the
 * end.  Not every row applies to every plan.
 */
const struct cdn_plan_limit *cdn_plan_limit(size_t i);
bool cdn_plan_limit_applies(const struct cdn_plan *plan,
    const struct cdn_plan_words *words, size_t i);
bool cdn_plan_shortfall(size_t i, struct cdn_shortfall *ret);
const char *cdn_plan_why(size_t i);

/* Is path dir itself or below it?  Both absolute and real. */
bool cdn_plan_at_or_below(const char *path, const char *dir);
/* Strictly below it? */
bool cdn_plan_below(const char *path, const char *dir);
/* By component: "/a/b" before "/a.b", and parents first. */
int cdn_plan_path_cmp(const char *a, const char *b);

const char *cdn_region_kind_name(enum cdn_region_kind kind);
const char *cdn_by_name(enum cdn_by by);
const char *cdn_plan_mode_name(enum cdn_plan_mode mode);

/* ----- Printing ---------------------------------------------------------- */

struct cdn_buf;

/*
 * The JSON object of `cordon plan --json` and a newline, or text for people;
 * what is no CORDON_FORMAT_JSON is text.
 */
CDN_MUST_USE int cdn_plan_format(const struct cdn_plan *plan,
    const struct cdn_plan_words *words, enum cordon_format format,
    struct cdn_buf *out, struct cordon_error *err);

/*
 * A short JSON value for the head of a run's record, no newline: mode, network,
 * how many rules are held by whom, the first CDN_PLAN_REPORT_MAX that nobody
 * holds, where the kernel lets things go on unrecorded, the shortfalls.  A few
 * kilobytes, however many rules there are.
 */
CDN_MUST_USE int cdn_plan_report(const struct cdn_plan *plan,
    struct cdn_buf *out, struct cordon_error *err);

#endif
