/*
 * git_index - is an index that a run wrote harmless for the host's git?
 *
 * Git uses the paths of an index as they are, since it wrote them itself.  An
 * absolute path, one with "..", or one into a git directory makes the next `git
 * status` of the host enter a directory outside of the work tree (and obey the
 * configuration of a repository there), `git add -u` read any file, `git
 * restore` write any.
 */
#ifndef CDN_DECIDE_GIT_INDEX_H
#define CDN_DECIDE_GIT_INDEX_H

#include "base/str.h"

#define CDN_GIT_INDEX_MAX (256UL << 20) /* bytes of one */

/*
 * Are all names relative, without empty parts, ".", ".." and ".git", however git
 * reads the file (one entry after the other, or in blocks by an offset table)?
 * Anything that is not exactly of the format is refused.  sha256: the object
 * format of the repository.  Allocates; without memory: false.
 */
bool cdn_git_index_is_harmless(cdn_str bytes, bool sha256);

enum cdn_object_format {
	CDN_OBJECT_SHA1,
	CDN_OBJECT_SHA256,
	CDN_OBJECT_UNKNOWN, /* it is named in a way that is not understood */
};

/* By the configuration of a repository, as `git init` writes it. */
enum cdn_object_format cdn_git_object_format(cdn_str config);

#endif
