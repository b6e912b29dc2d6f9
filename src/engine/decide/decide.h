/*
 * decide - the one decision function.
 *
 * An authority is everything that holds for one session, compiled: the floor,
 * the documents' profiles, declared roots, the preset.  A question is asked
 * about a string that enforce/path has already made real; the answer is the
 * intersection of the layers and names the one that decided.  Kernel rules,
 * broker, tools, guard and hooks are compiled from this or ask it; nothing
 * else in the program decides.
 *
 * Pure: no file system, no environment, no clock.  An authority is immutable,
 * may be shared between threads, and asking allocates nothing.
 */
#ifndef CDN_DECIDE_DECIDE_H
#define CDN_DECIDE_DECIDE_H

#include "engine/decide/preset.h"
#include "engine/profile/profile.h"

/* ----- What the outside world contributes --------------------------------- */

/* An absolute real path and everything below it, with its name for people. */
struct cdn_place {
	const char *path;   /* absolute, canonical; outlives the authority */
	const char *shown;  /* as listed: "~/.ssh"; becomes matched_rule */
	struct cdn_pos pos; /* source such as "<floor>" or a file */
	bool glob;	    /* path is a pattern, not a plain path */
	bool sidecars;	    /* PATH-wal, PATH-shm and PATH-journal as well */
	bool alone;	    /* only the path itself, nothing below it */
};

struct cdn_place_list {
	const struct cdn_place *v;
	size_t n;
};

/* One loaded document as a layer. */
struct cdn_document {
	enum cordon_layer layer; /* HOST, USER, PROJECT, POLICY or WORKER */
	struct cordon_profile *profile;
	bool trusted; /* false: it can only narrow */
	/*
	 * Of a worker, whose profile is made of its roots: it has some, so that
	 * these are all there are; and another worker called it, so that not
	 * even the command line gives it a network.
	 */
	bool bounds;
	bool called;
	struct cdn_place_list host_read; /* its declared roots, expanded */
	struct cdn_place_list host_modify;
	struct cdn_place_list sockets;
};

struct cdn_authority_spec {
	const char *profile_name;
	const char *workspace; /* real path */
	enum cordon_preset preset;
	struct cdn_preset_facts facts; /* for the defaults */
	bool no_defaults; /* they do not hold: cordon_unguarded() */
	const struct cdn_document *documents; /* outermost first */
	size_t document_count;

	/* The floor, beside the system directories that decide knows. */
	struct cdn_place_list sealed; /* never written */
	struct cdn_place_list hidden; /* neither read nor written ... */
	struct cdn_place_list own;    /* ... except these, below them */
	struct cdn_place_list closed; /* credentials, protect: nothing at all */
	/* Closed to AGENT alone: what the agent that is run keeps for itself. */
	struct cdn_place_list kept;

	struct cdn_place_list command_read; /* --read */
	struct cdn_place_list command_write; /* --write */
	struct cdn_place_list runtime_write_roots;
	struct cdn_place_list runtime_read; /* what a process sees besides */
	struct cdn_place_list runtime_write;
	struct cdn_place_list command_sockets; /* granted to this command */
	const struct cdn_network_set *network; /* --network, or NULL */
	bool network_granted; /* to this command: called workers hold no more */
	/* An agent's: its network is open where nobody says anything.  Or NULL. */
	const char *network_source;
	bool fold; /* compare without case; profiles were resolved so too */
};

/* ----- Building and asking ------------------------------------------------ */

struct cdn_authority;

/*
 * Everything lies in the arena; documents, places and their strings are
 * borrowed and must outlive the authority.
 */
CDN_MUST_USE int cdn_authority_build(struct cdn_arena *arena,
    const struct cdn_authority_spec *spec, const struct cdn_authority **ret,
    struct cordon_error *err);

/*
 * The same for a spec that differs from that of `like` in `hidden` and `closed`
 * alone: only the list made of these is built, the others are shared.  `like`
 * must live as long.
 */
CDN_MUST_USE int cdn_authority_build_like(struct cdn_arena *arena,
    const struct cdn_authority *like, const struct cdn_authority_spec *spec,
    const struct cdn_authority **ret, struct cordon_error *err);

/*
 * `inner` inside of `outer`: both must allow, and outer is asked first.  outer
 * may be inside of yet another one; one around inner is replaced by outer, which
 * must stand for it, too.  Both must live as long.
 */
CDN_MUST_USE int cdn_authority_below(struct cdn_arena *arena,
    const struct cdn_authority *inner, const struct cdn_authority *outer,
    const struct cdn_authority **ret, struct cordon_error *err);

/* The preset's own rules as a profile, for printing; lives with authority. */
const struct cordon_profile *cdn_authority_preset_profile(
    const struct cdn_authority *authority);

/* Rules inside the workspace that stand in no document. */
struct cdn_builtin {
	enum cordon_layer layer; /* DEFAULTS or PRESET */
	const struct cordon_profile *profile;
};

#define CDN_BUILTINS_MAX 2

/* Those that have a say, outermost first; returns how many. */
size_t cdn_authority_builtins(const struct cdn_authority *authority,
    struct cdn_builtin ret[CDN_BUILTINS_MAX]);

/* Position from the outside: the numbers of the enum are not in order. */
unsigned cdn_layer_rank(enum cordon_layer layer);

struct cdn_question {
	enum cordon_as as; /* not BLOCK: see block.h */
	enum cordon_op op;
	/*
	 * POLICY: canonical workspace-relative path.  PROCESS, AGENT: absolute
	 * real path.  CONNECT and BIND: normal form of endpoint.h, or, when
	 * is_socket, a path as above.
	 */
	cdn_str path;
	bool is_socket;
	bool is_own; /* CONNECT: a process of the run made this socket */
};

void cdn_decide(const struct cdn_authority *authority,
    const struct cdn_question *question, struct cordon_verdict *ret);

/*
 * Does the floor or a rule of any layer take it away?  Then it is denied under
 * every other name that the object has, too; that nothing grants it protects
 * nothing.  What may not be read may not be modified or executed.  A denial may
 * name a layer that is silent about the path, while another one's rule denies
 * it: so this is no question of the verdict.  ret, if true: that denial.
 */
bool cdn_decide_protects(const struct cdn_authority *authority,
    const struct cdn_question *question, struct cordon_verdict *ret);

/* Every rule that matches, layer by layer, outermost first, in order. */
typedef void cdn_explain_fn(enum cordon_layer layer,
    const struct cdn_rule *rule, void *arg);
void cdn_decide_explain(const struct cdn_authority *authority,
    const struct cdn_question *question, cdn_explain_fn *matched, void *arg);

/* ----- The network as a whole ---------------------------------------------- */

/*
 * What holds for every endpoint a process may name: NONE, LOOPBACK, FULL, or
 * LIST when each must be asked.  Never UNSET.
 */
enum cdn_network_mode cdn_decide_network(const struct cdn_authority *authority);

/*
 * Does one of the keys that must all allow name loopback addresses only, as
 * LOOPBACK or as a list?
 */
bool cdn_decide_network_is_local(const struct cdn_authority *authority);

/* Every network key that has a say in it, outermost first; all must allow. */
typedef void cdn_network_fn(enum cordon_layer layer,
    const struct cdn_network_set *network, void *arg);
void cdn_decide_network_keys(const struct cdn_authority *authority,
    cdn_network_fn *key, void *arg);

/* ----- Whole trees and compound operations -------------------------------- */

/*
 * What holds for an absolute path and everything that could lie below it.
 * MIXED when in doubt.  For PROCESS and AGENT, READ, MODIFY and EXEC.
 */
enum cdn_subtree cdn_decide_subtree(const struct cdn_authority *authority,
    enum cordon_as as, enum cordon_op op, cdn_str path);

/* The same for READ, MODIFY and EXEC at once, by their numbers. */
void cdn_decide_subtrees(const struct cdn_authority *authority,
    enum cordon_as as, cdn_str path, enum cdn_subtree ret[CDN_RULE_OPS]);

/*
 * The same for many paths below one of which it is known.  The way to the
 * directory, which is long, is gone once for all of its entries; and what
 * stands on the floor says most often the same of all of them.
 */
struct cdn_above {
	enum cdn_subtree says[CDN_RULE_OPS];
	cdn_str path;		    /* without the leading slash */
	bool stands;		    /* the cursors do, at the path */
	bool apart;		    /* no part of the workspace is near it */
	struct cdn_cursor floor[2]; /* for reading, for modifying */
	enum cdn_subtree grants[2]; /* the same; of what is apart, without the
				     * floor */
};

/* Of the path, which must live as long, of which `says` was said. */
void cdn_decide_above(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str path, const enum cdn_subtree says[CDN_RULE_OPS],
    struct cdn_above *ret);
void cdn_decide_subtrees_in(const struct cdn_authority *authority,
    enum cordon_as as, cdn_str path, const struct cdn_above *above,
    enum cdn_subtree ret[CDN_RULE_OPS]);

/* May it be read, modified, executed?  As three questions of cdn_decide(). */
void cdn_decide_ops(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str path, bool ret[CDN_RULE_OPS]);

/* True only if no path below changes any verdict when p becomes q. */
bool cdn_decide_same(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str p, cdn_str q);

enum cdn_compound {
	CDN_RENAME,	/* a file: read and modify there, modify here, and it
			 * may not be executed here alone */
	CDN_RENAME_DIR, /* the same, and nothing below changes its verdict */
	CDN_EXCHANGE,	/* both ways */
	CDN_LINK,	/* as rename: a second name is a way around a deny */
	/*
	 * Modify at the link (`to`), whatever it leads to; and nothing below
	 * that name may be denied because it lies there.  Asked about links
	 * that are moved or get a second name, too.
	 */
	CDN_SYMLINK,
	CDN_COPY,	/* read there, modify here */
};

enum cdn_compound_result {
	CDN_COMPOUND_ALLOW,
	CDN_COMPOUND_DENY,
	/* Each part is allowed but verdicts below would change: EXDEV, so that
	 * the caller copies and every copy is judged. */
	CDN_COMPOUND_SPLIT,
};

/* ret_verdict names the part that decided. */
enum cdn_compound_result cdn_decide_compound(
    const struct cdn_authority *authority, enum cordon_as as,
    enum cdn_compound what, cdn_str from, cdn_str to,
    struct cordon_verdict *ret_verdict);

#endif
