/*
 * furnish - what is in a home: links to what the real one has, and a few files.
 *
 *	links	read-only leaves of toolchains (a table), declared roots
 *	files	.gitconfig .npmrc .config/pip/pip.conf .profile
 *
 * Caches beside the leaves (.cargo/registry, go/pkg, ...) are private: tools
 * make them in the home themselves.
 */
#ifndef CDN_HOME_FURNISH_H
#define CDN_HOME_FURNISH_H

#include "enforce/home/home.h"

/* Only running out of memory is an error; see home.h. */
CDN_MUST_USE int cdn_furnish(int homefd, const struct cdn_home_spec *spec,
    struct cordon_error *err);

/*
 * The files alone.  covered() says that a path of the home lies at or below a
 * link to the real one, where nothing may be written.
 */
typedef bool cdn_furnish_covered_fn(const void *arg, const char *path);
CDN_MUST_USE int cdn_furnish_files(int homefd,
    const struct cdn_home_spec *spec, cdn_furnish_covered_fn *covered,
    const void *arg, struct cordon_error *err);

/*
 * The same for the tmp of a granted session: what the environment then names
 * must be there, or a program looks for it in the home.
 */
CDN_MUST_USE int cdn_furnish_granted(int tmpfd,
    const struct cdn_home_spec *spec, struct cordon_error *err);

#endif
