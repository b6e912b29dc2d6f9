#ifndef CDN_TESTS_CALLER_NAMES_H
#define CDN_TESTS_CALLER_NAMES_H

#include <stdbool.h>

/* False: it is none of its words. */
bool caller_names(char (*words)[8192]);

#endif
