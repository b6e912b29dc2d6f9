/*
 * audit.h - the part of cordon.h that reads and checks the record of runs.
 */
#ifndef CORDON_AUDIT_H
#define CORDON_AUDIT_H

#ifndef CORDON_CORDON_H
#error "include <cordon/cordon.h>, which has this part of it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----- The audit ---------------------------------------------------------- */

/*
 * A log is a file of one JSON object per line, and the parts of it that were
 * put away when it was full (FILE.1, FILE.48211: named by their first line).
 * FILE NULL is the user's own.  Whoever wrote it: to these functions it is
 * input.
 */

/* Where the user's own lies; free() it. */
CORDON_API CORDON_MUST_USE int cordon_audit_file(char **ret,
    struct cordon_error *err);

struct cordon_audit_verified {
	bool intact;		       /* nothing was changed, as far as seen */
	bool has_head;		       /* else a cut end cannot be seen */
	unsigned long findings;	       /* that break the chain */
	unsigned long files;
	unsigned long long lines;
	unsigned long long first, last; /* their numbers; 0 = none */
	size_t unfinished;	       /* bytes of half a line at the end */
};

/*
 * Is the log as it was written?  Findings go to diags (may be NULL): errors
 * break the chain, warnings do not.  0 also when there are some.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_verify(const char *file,
    struct cordon_diags *diags, struct cordon_audit_verified *ret,
    struct cordon_error *err);

/* One run, by its events.  Strings live during the call that tells it. */
struct cordon_audit_run {
	const char *run;       /* its id */
	const char *start;     /* when; "" = its beginning is not in the log */
	const char *end;       /* "" = it goes on, or was killed */
	const char *command;   /* as a shell would be told; redacted */
	const char *workspace;
	const char *profile;
	const char *refused;   /* why it was not started, or NULL */
	bool enforced;	       /* all of what was asked for */
	bool itself;	       /* a process that confined itself: no end */
	bool has_exit_code;
	long long exit_code;
	long long signal;
	bool timed_out;
	long long duration_ms;
	unsigned long denials; /* events of them */
	unsigned long lost;    /* denials that could not be recorded */
	unsigned long allowed; /* accesses that the broker allowed */
	unsigned long unrecorded; /* of them, those that found no room */
};
/* In the order they began. */
CORDON_API CORDON_MUST_USE int cordon_audit_runs(const char *file,
    void (*each)(const struct cordon_audit_run *run, void *arg), void *arg,
    struct cordon_error *err);

/* The whole id of the run that begins so; free() it. */
CORDON_API CORDON_MUST_USE int cordon_audit_find(const char *file,
    const char *beginning, char **ret, struct cordon_error *err);

/* How often something was denied. */
struct cordon_audit_count {
	const char *op;
	const char *path;   /* NULL when counted by rule */
	const char *rule;   /* NULL when counted by path */
	const char *source; /* of the rule; NULL when it has none */
	const char *layer;
	unsigned line;	    /* 0 = none */
	unsigned long count;
};
enum cordon_audit_by { CORDON_AUDIT_BY_RULE, CORDON_AUDIT_BY_PATH };
/* Most often first; run NULL: of all of them, else a whole id. */
CORDON_API CORDON_MUST_USE int cordon_audit_denials(const char *file,
    const char *run, enum cordon_audit_by by,
    void (*each)(const struct cordon_audit_count *count, void *arg), void *arg,
    struct cordon_error *err);

/*
 * One HTML file that needs no network and no script; run NULL: of all runs,
 * else a whole id.  It also looks, now, at the directories that the runs could
 * write to, for files that this machine would execute.  free() it.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_report(const char *file,
    const char *run, char **ret, struct cordon_error *err);

/* ----- Reading it line by line ----- */

struct cordon_audit;

/* Strings live until the next call. */
struct cordon_audit_event {
	const char *line;	   /* as it stands there, no newline */
	size_t len;
	const char *file;	   /* which part */
	unsigned long long number; /* of the line in that file */
	bool is_event; /* false: the line is no event; what follows is "" or 0 */
	unsigned long long seq;
	const char *time;
	const char *run;
	const char *kind;
	const char *story; /* in one line for people; any bytes */
};

CORDON_API CORDON_MUST_USE int cordon_audit_open(const char *file,
    struct cordon_audit **ret, struct cordon_error *err);
CORDON_API void cordon_audit_free(struct cordon_audit *audit);
/*
 * 1, 0 at the end, or a negative code.  After the end it may be asked again,
 * and gives what was added meanwhile, also when the file was put away.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_next(struct cordon_audit *audit,
    struct cordon_audit_event *ret, struct cordon_error *err);
/* Does the event given last hold these bytes in any of its values? */
CORDON_API bool cordon_audit_holds(const struct cordon_audit *audit,
    const char *text, size_t len);
/*
 * The event given last as one OpenTelemetry log record: an object of the
 * OTLP/JSON form that collectors read line by line, no newline; free() it.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_otel(
    const struct cordon_audit *audit, char **ret, struct cordon_error *err);
/* At the end: bytes of half a line.  Somebody writes, or was killed. */
CORDON_API size_t cordon_audit_unfinished(const struct cordon_audit *audit);

#ifdef __cplusplus
}
#endif

#endif
