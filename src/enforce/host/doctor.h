/*
 * doctor - what the facts of a host mean for people.
 *
 *	facts -> findings -> required, degraded or none
 *
 * Pure.  Each finding is a row of one table: what was seen, how much can be
 * enforced at most where it holds, and what to do about it.  The rows agree
 * with the shortfalls of a plan (engine/plan): what a plan would call lost
 * keeps `enforces` below `required` here.
 */
#ifndef CDN_HOST_DOCTOR_H
#define CDN_HOST_DOCTOR_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/plan/plan.h"

enum cdn_enforces {
	CDN_ENFORCES_NONE,     /* nothing can be confined */
	CDN_ENFORCES_DEGRADED, /* some of it; a plan says what not */
	CDN_ENFORCES_REQUIRED, /* all of it */
	CDN_ENFORCES_MAX
};

enum cdn_host_severity {
	CDN_HOST_OK,
	CDN_HOST_NOTE,    /* costs nothing that is enforced */
	CDN_HOST_WARNING, /* degraded at best */
	CDN_HOST_ERROR,   /* none */
	CDN_HOST_SEVERITY_MAX
};

struct cdn_host_finding {
	const char *id;	    /* stable */
	enum cdn_host_severity severity;
	const char *text;
	const char *remedy; /* NULL when there is nothing to do */
};

#define CDN_HOST_FINDINGS_MAX 64

struct cdn_doctor {
	struct cdn_host host;
	enum cdn_enforces enforces;
	struct cdn_host_finding findings[CDN_HOST_FINDINGS_MAX]; /* worst first */
	size_t count;
};

void cdn_doctor_examine(const struct cdn_host *host, struct cdn_doctor *ret);

/*
 * One more, behind those that are as bad; nothing when there is no room.  It
 * does not change what is enforced.
 */
void cdn_doctor_add(struct cdn_doctor *doctor,
    const struct cdn_host_finding *finding);

/*
 * CORDON_FORMAT_JSON: the object of `cordon doctor --json`; otherwise text in
 * columns for people, in which each finding begins with its severity.
 */
CDN_MUST_USE int cdn_doctor_format(const struct cdn_doctor *doctor,
    enum cordon_format format, struct cdn_buf *out, struct cordon_error *err);

const char *cdn_enforces_name(enum cdn_enforces enforces);
const char *cdn_host_severity_name(enum cdn_host_severity severity);

#endif
