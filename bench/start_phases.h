/*
 * start_phases - where the time of a start goes, seen from inside.
 *
 * Each figure is of a new process that does what `cordon run` does, once: what
 * a start costs is mostly what it does for the first time.
 */
#ifndef CDN_BENCH_START_PHASES_H
#define CDN_BENCH_START_PHASES_H

#include <stddef.h>

/*
 * One process: main() calls it with its arguments when the first is this word.
 * Its exit status.
 */
#define PHASES_WORD "--phases"
int phases_main(int argc, char **argv);

/* Starts `self` that way; policy: NULL = none.  Prints a table, p50. */
void phases_print(const char *self, const char *policy, size_t rounds);

#endif
