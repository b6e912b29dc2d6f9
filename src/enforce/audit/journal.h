/*
 * journal - what one run was allowed, each access once.
 *
 *	add -> seen before? -> a line in the log
 *
 * Who adds writes the line himself, so that it outlives him: he has answered
 * whoever asked, and nobody waits for the disk but him.  It is bounded: beyond
 * CDN_JOURNAL_MAX different accesses, of which not all may be reads, they are
 * only counted.
 */
#ifndef CDN_AUDIT_JOURNAL_H
#define CDN_AUDIT_JOURNAL_H

#include <sys/types.h>

#include "enforce/audit/audit.h"

struct cdn_journal;

/* What the verdict and the call point to must live until the close. */
struct cdn_access {
	struct cordon_verdict verdict;
	const char *call; /* "openat" */
	pid_t pid;
	int error;	  /* errno that it got; 0 done; -1: nobody knows */
	cdn_str path;	  /* borrowed for the call */
};

struct cdn_journal_spec {
	struct cdn_sink *sink; /* borrowed until the close, as all of these */
	const char *run;
	/* A line could not be written; from the thread that added it. */
	void (*failed)(const struct cordon_error *why, void *arg);
	void *failed_arg;
};

struct cdn_journal_sum {
	unsigned long allowed;	  /* all that were added */
	unsigned long unrecorded; /* of them, neither written nor repetitions */
	struct cordon_error error; /* of the first write that failed */
	bool failed;
};

CDN_MUST_USE int cdn_journal_new(const struct cdn_journal_spec *spec,
    struct cdn_journal **ret, struct cordon_error *err);
/* From any thread; when it returns the line is written, or was not to be. */
void cdn_journal_add(struct cdn_journal *journal,
    const struct cdn_access *access);
/* When nobody adds any more.  NULL is fine: a sum of nothing. */
void cdn_journal_close(struct cdn_journal *journal,
    struct cdn_journal_sum *ret);

#endif
