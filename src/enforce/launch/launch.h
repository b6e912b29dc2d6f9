/*
 * launch - from a session and a request to a caged, supervised, recorded run.
 *
 *	session ─► terms ─► plan ─► accept ─► home, environment, cage ─► run
 *	                              │                                    │
 *	                              └────────────► record ◄──────────────┘
 *
 * This room puts the others together and decides nothing about paths: regions
 * come from the plan, verdicts from the session.  What is not enforceable is
 * said, and whether that is fatal is what `enforcement` says.
 */
#ifndef CDN_LAUNCH_LAUNCH_H
#define CDN_LAUNCH_LAUNCH_H

#include "enforce/audit/audit.h"
#include "enforce/backend/backend.h"
#include "enforce/session/session.h"
#include "engine/bwrap/bwrap.h"

/* ----- What holds for the run besides the rules (terms.c) ------------------- */

struct cdn_terms {
	enum cordon_backend backend; /* never AUTO */
	enum cdn_enforcement enforcement; /* never UNSET */
	enum cdn_enforcement host_enforcement; /* of the host policy */
	enum cdn_isolation isolation;
	struct cdn_limits limits; /* the smallest of all layers; 0 = none */
	bool named_none; /* a worker names NONE, and nobody else does */
	bool trace; /* nothing goes on unseen */
	bool audit_warn; /* a broken audit does not stop the run */
};

/*
 * The strictest of the documents; the request replaces what they say but never
 * goes below the host policy.
 */
void cdn_terms_find(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cdn_terms *ret);

/* ----- Plans ------------------------------------------------------------------ */

struct cordon_plan {
	struct cdn_arena *arena; /* owns it all */
	const struct cordon_session *session;
	struct cdn_terms terms;
	struct cdn_host host;
	const struct cdn_plan *plan;
	struct cdn_bwrap_plan bwrap; /* of that backend; its plan is plan */
	/* And what it would run, where that was asked for; else NULL. */
	const char *const *argv;
	char *const *envp;
	const char *cwd;
	bool apart; /* in namespaces of its own */
};

CDN_MUST_USE int cdn_launch_plan(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err);
/* Without a broker: for who stays alone in the cage, with nobody to ask. */
CDN_MUST_USE int cdn_launch_plan_unjudged(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err);
void cdn_launch_plan_free(struct cordon_plan *plan);

CDN_MUST_USE int cdn_launch_plan_format(const struct cordon_plan *plan,
    enum cordon_format format, struct cdn_buf *out, struct cordon_error *err);

/* seatbelt.c: the profile for macOS. */
CDN_MUST_USE int cdn_launch_sbpl(const struct cordon_plan *plan,
    struct cdn_buf *out, struct cordon_error *err);
/* The plan's report as it is under that profile. */
CDN_MUST_USE int cdn_launch_belted_plan(struct cordon_plan *plan,
    struct cordon_error *err);

/* What bwrap leaves of a host, and whether it works. */
void cdn_launch_bwrap_host(struct cdn_host *host,
    enum cdn_enforcement enforcement);
/* bwrap.c: mounts in the place of Landlock; and their command, for a shell. */
CDN_MUST_USE int cdn_launch_bwrap_plan(struct cordon_plan *plan,
    struct cordon_error *err);
CDN_MUST_USE int cdn_launch_bwrap_command(struct cordon_plan *plan,
    const struct cordon_run_options *options, struct cordon_error *err);
CDN_MUST_USE int cdn_launch_bwrap_argv(const struct cordon_plan *plan,
    struct cdn_buf *out, struct cordon_error *err);

/* shortfalls.c: its table, for the page about it; false past the end. */
bool cdn_launch_shortfall(size_t i, struct cdn_shortfall *ret);
/* Adds to the plan's what only the launch knows. */
CDN_MUST_USE int cdn_launch_shortfalls(struct cordon_plan *plan,
    struct cordon_error *err);

/* accept.c: may it start?  CORDON_E_ENFORCE names what is missing. */
CDN_MUST_USE int cdn_launch_accept(const struct cordon_plan *plan,
    struct cordon_error *err);

/*
 * accept.c: cordon's own files must lie outside what the run may change, or it
 * would choose where the next one writes and what it trusts.
 */
CDN_MUST_USE int cdn_launch_check_state(const struct cordon_plan *plan,
    struct cordon_error *err);

/* accept.c: tells, line by line, what an accepted plan does not hold. */
void cdn_launch_tell(const struct cordon_plan *plan,
    const struct cordon_run_options *options);

/* reader.c: the real directories. */
extern const struct cdn_plan_reader cdn_launch_reader;
/* And their symbolic links; see bwrap.h. */
CDN_MUST_USE int cdn_launch_links(void *arg, const char *dir,
    cdn_bwrap_link_fn *link, void *link_arg, struct cordon_error *err);

/* ----- The program (program.c) --------------------------------------------------- */

/*
 * The absolute path of the program, looked up on `path` when it has no slash,
 * and whether the policy lets it be executed.  CORDON_E_NOT_FOUND, or
 * CORDON_E_EXEC with the rule in the text.
 */
CDN_MUST_USE int cdn_launch_program(const struct cordon_session *session,
    const struct cordon_run_options *options, const char *path,
    struct cdn_arena *arena, const char **ret, struct cordon_error *err);

/* ----- The record (record.c) ----------------------------------------------------- */

struct cdn_record; /* of one run; NULL where nothing is kept */

/*
 * NULL when options say so.  Where there is no place for it: an error under
 * `required`, or when there was one before; else a notice.
 */
CDN_MUST_USE int cdn_record_open(const struct cordon_session *session,
    const struct cordon_run_options *options,
    const struct cdn_terms *terms, const char *run, struct cdn_record **ret,
    struct cordon_error *err);
/* argv NULL in the options: the caller himself, of whose end nobody tells. */
CDN_MUST_USE int cdn_record_start(struct cdn_record *record,
    const struct cordon_plan *plan, const struct cordon_run_options *options,
    struct cordon_error *err);
CDN_MUST_USE int cdn_record_refused(struct cdn_record *record,
    const struct cordon_run_options *options,
    const struct cordon_error *why, struct cordon_error *err);
/* unguarded.c: that it goes on without a cage, if so. */
CDN_MUST_USE int cdn_record_fallback(struct cdn_record *record,
    const struct cordon_plan *plan, struct cordon_error *err);
struct cdn_denial;
/* From any thread of the broker. */
CDN_MUST_USE int cdn_record_denied(struct cdn_record *record,
    const struct cdn_denial *denial, struct cordon_error *err);
struct cdn_allowance;
struct cdn_journal_sum;
/*
 * From now on what is allowed is recorded, too (journal.h); failed is called by
 * the thread that could not.
 */
CDN_MUST_USE int cdn_record_watch(struct cdn_record *record,
    void (*failed)(const struct cordon_error *why, void *arg), void *arg,
    struct cordon_error *err);
/* From any thread of the broker. */
void cdn_record_allowed(struct cdn_record *record,
    const struct cdn_allowance *allowance);
/* When the broker is closed: denials that were only counted are told. */
void cdn_record_settle(struct cdn_record *record,
    struct cdn_journal_sum *ret);
CDN_MUST_USE int cdn_record_event(struct cdn_record *record,
    enum cdn_event_kind kind, const struct cdn_event_field *fields, size_t n,
    struct cordon_error *err);
/*
 * The words of a command, or any texts, as they are kept: with CDN_REDACTED in
 * place of secrets.  NULL: out of memory.
 */
const char *const *cdn_record_words(struct cdn_arena *arena,
    const char *const *argv);
/* lost: denials that could not be kept. */
CDN_MUST_USE int cdn_record_end(struct cdn_record *record,
    const struct cordon_run_result *result, unsigned long lost,
    const struct cdn_journal_sum *sum, struct cordon_error *err);
/* A broken audit stops the run, unless the policy says otherwise: then 0. */
CDN_MUST_USE int cdn_launch_recorded(const struct cdn_terms *terms,
    const struct cordon_run_options *options, int code,
    const struct cordon_error *why, struct cordon_error *err);
/* Where it lies, as long as it is open; NULL for NULL. */
const char *cdn_record_file(const struct cdn_record *record);
void cdn_record_close(struct cdn_record *record);

/* ----- Runs (launch.c) -------------------------------------------------------------- */

CDN_MUST_USE int cdn_launch_start(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_process **ret,
    struct cordon_error *err);
/* With descriptors of the caller's as its 0, 1 and 2: see run.h. */
CDN_MUST_USE int cdn_launch_start_with(const struct cordon_session *session,
    const struct cordon_run_options *options, const int *stdio,
    struct cordon_process **ret, struct cordon_error *err);
/* The same, in this directory or not at all; it must stay until then. */
struct cdn_run_place;
CDN_MUST_USE int cdn_launch_start_in(const struct cordon_session *session,
    const struct cordon_run_options *options,
    const struct cdn_run_place *cwd_is, struct cordon_process **ret,
    struct cordon_error *err);
/* Something that belongs to the run; any thread, until it is waited for. */
CDN_MUST_USE int cdn_launch_event(const struct cordon_process *process,
    enum cdn_event_kind kind, const struct cdn_event_field *fields, size_t n,
    struct cordon_error *err);
/* Is an event that could not be kept no reason to stop? */
bool cdn_launch_audit_may_fail(const struct cordon_process *process);
CDN_MUST_USE int cdn_launch_wait(struct cordon_process *process,
    struct cordon_run_result *ret, struct cordon_error *err);
struct cdn_running *cdn_launch_running(const struct cordon_process *process);

/*
 * In the stand-in of a run inside of a run (nested.h): to its end.  The exit
 * status of the command, or a code below 0: there was none.
 */
CDN_MUST_USE int cdn_launch_stand_in_main(struct cordon_error *err);

/*
 * Something of ours in the place of a program: it is called in the child when
 * the cage is around it, and the run ends with it.  What holds for enter() of
 * run.h holds for it: CDN_BARE, memory is the caller's, who waits meanwhile.
 * Whatever it may execute, nothing is.
 */
struct cdn_inside {
	void (*run)(void *arg);
	void *arg;
};
CDN_MUST_USE int cdn_launch_inside(const struct cordon_session *session,
    const struct cordon_run_options *options, const struct cdn_inside *inside,
    struct cordon_run_result *ret, struct cordon_error *err);

/* unguarded.c: cordon_unguarded(). */
CDN_MUST_USE int cdn_launch_unguarded(const char *workspace, const char *why,
    struct cordon_session **ret, struct cordon_error *err);

/* restrict.c */
CDN_MUST_USE int cdn_launch_restrict(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_error *err);

#endif
