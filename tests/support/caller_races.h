#ifndef CDN_TESTS_CALLER_RACES_H
#define CDN_TESTS_CALLER_RACES_H

#include <stdbool.h>

/* False: it is none of its words. */
bool caller_races(char (*words)[8192]);

#endif
