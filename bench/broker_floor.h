/*
 * broker_floor - what the kernel alone takes to hand a call over and back.
 *
 * A process whose getppid(2) is trapped, and one that answers each of them
 * without looking: no broker can be faster on this machine.
 */
#ifndef CDN_BENCH_BROKER_FLOOR_H
#define CDN_BENCH_BROKER_FLOOR_H

#include <stdbool.h>

/*
 * Microseconds of one call, or below 0 where it cannot be measured.  descriptor:
 * the answer is one, which is closed again; else the call goes on.
 */
double broker_floor(bool descriptor);

#endif
