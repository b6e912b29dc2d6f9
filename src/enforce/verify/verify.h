/*
 * verify - does the kernel answer as the decision function does?
 *
 *	plan ─► sample ─► expect (decide) ─┐
 *	            │                      ├─► compare ─► findings
 *	            └─► prober, outside ───┤
 *	            └─► prober, in the cage┘
 *
 * The prober is inside the cage of a run, made by the same code (launch), and
 * outside of any as its control: what does not work there, for a reason of
 * modes or mounts, says nothing about the boundary.  Where a broker judges, what
 * is denied is tried a third time without one: calls that it lets go on rest on
 * Landlock alone.  Nothing that is there is changed; names made for a moment
 * are removed by whoever finds them.
 */
#ifndef CDN_VERIFY_VERIFY_H
#define CDN_VERIFY_VERIFY_H

#include "enforce/launch/launch.h"

/* As cordon_verify() says, arguments checked. */
CDN_MUST_USE int cdn_verify_run(const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_verify_options *options,
    struct cordon_verify_result *ret, struct cordon_error *err);

/* ----- compare.c ---------------------------------------------------------------- */

struct cdn_probe;

#define CDN_WHY_SIZE 1024

/* The two sides of one probe; why is filled unless they agree. */
enum cordon_outcome cdn_compare(const struct cordon_plan *plan,
    const struct cdn_probe *probe, char why[CDN_WHY_SIZE]);
/* The same of what Landlock said alone; for native ones. */
enum cordon_outcome cdn_compare_alone(const struct cordon_plan *plan,
    const struct cdn_probe *probe, char why[CDN_WHY_SIZE]);
/* Is it one that Landlock has to refuse although somebody else judges it? */
bool cdn_compare_is_native(const struct cdn_plan *plan,
    const struct cdn_probe *probe);

#endif
