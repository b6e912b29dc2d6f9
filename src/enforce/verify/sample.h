/*
 * sample - what was met in the workspace; for sample.c and look.c.
 */
#ifndef CDN_VERIFY_SAMPLE_H
#define CDN_VERIFY_SAMPLE_H

#include "enforce/verify/probe.h"

#define CDN_LOOKED_PATHS 1024
#define CDN_LOOKED_DIRS	 16

/* Strings lie in the sample's arena. */
struct cdn_looked {
	const char *paths[CDN_LOOKED_PATHS];
	size_t count;
	const char *dirs[CDN_LOOKED_DIRS];
	size_t dir_count;
};

/*
 * Walks the workspace, CDN_VERIFY_LOOKS_MAX names at most, and keeps a few of
 * each that have the same verdicts for the same reasons, chosen at random.
 */
void cdn_sample_look(struct cdn_sample *sample, struct cdn_looked *ret);
/* A file or directory in that directory, at random; false: there is none. */
bool cdn_sample_below(struct cdn_sample *sample, const char *dir,
    char ret[CDN_PATH_MAX + 1]);
/* Not asked about before. */
bool cdn_sample_is_new(struct cdn_sample *sample, const char *path);

#endif
