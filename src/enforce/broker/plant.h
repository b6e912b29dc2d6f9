/*
 * plant - a family of calls that the broker fails to judge, for a test to see
 * that it is found.  Only for this room.
 *
 *	CORDON_TEST_PLANT=no-open|no-metadata|no-rename|no-connect
 *
 * Only in programs that are built for tests (CDN_TEST_HOOKS) and never
 * installed.  In the library this is always false and does not look at the
 * variable: no variable may change what is enforced.
 */
#ifndef CDN_BROKER_PLANT_H
#define CDN_BROKER_PLANT_H

#include "enforce/broker/call.h"

/* It goes on as if nobody had looked. */
bool cdn_plant_unjudged(cdn_handler_fn *handler);

#endif
