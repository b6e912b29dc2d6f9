/*
 * plant - bugs that a test puts into the boundary, to see that they are found.
 * Only for this room.
 *
 *	CORDON_TEST_PLANT=drop-rule	the last rule of modify is forgotten
 *	CORDON_TEST_PLANT=drop-read	the last rule of read is
 *	CORDON_TEST_PLANT=plan-rule	that of modify, by the plan alone
 *	CORDON_TEST_PLANT=broker-rule	by the broker alone
 *	CORDON_TEST_PLANT=bwrap-rule	by the mounts of bwrap
 *	CORDON_TEST_PLANT=sbpl-rule	by the profile for Seatbelt
 *	CORDON_TEST_PLANT=broker-names	the broker does not look for other names
 *	CORDON_TEST_PLANT=plan-names	nor does who plans, for protected files
 *	CORDON_TEST_PLANT=wrong-right	what --read names may be written, too
 *	CORDON_TEST_PLANT=less-right	what --write names may only be read
 *
 * Only in programs that are built for tests (CDN_TEST_HOOKS) and never
 * installed.  In the library these do nothing and do not look at the variable:
 * no variable may change what is enforced.
 */
#ifndef CDN_LAUNCH_PLANT_H
#define CDN_LAUNCH_PLANT_H

#include "enforce/launch/launch.h"

enum cdn_plant_for { CDN_FOR_PLAN, CDN_FOR_BROKER, CDN_FOR_BWRAP,
	CDN_FOR_SBPL };

/* What these are made of: the session's own. */
const struct cdn_authority *cdn_plant_authority(
    const struct cordon_session *session, enum cdn_plant_for purpose,
    struct cdn_arena *arena);
const struct cdn_authority_spec *cdn_plant_spec(
    const struct cordon_session *session, enum cdn_plant_for purpose,
    struct cdn_arena *arena);
/* Are the other names of files forgotten? */
bool cdn_plant_forgets_names(enum cdn_plant_for purpose);
void cdn_plant_plan(const struct cordon_session *session,
    const struct cdn_plan *plan);

#endif
