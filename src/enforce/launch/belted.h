/*
 * belted - a command in a profile of Seatbelt, by /usr/bin/sandbox-exec.
 *
 * The side of the backend seatbelt that starts something.  Plain POSIX, so that
 * it is built and tried everywhere, with a stand-in for sandbox-exec; on macOS
 * it has not been tried.  Nothing calls it on Linux, where there is no
 * sandbox-exec: `cordon run --backend seatbelt` is refused before.
 */
#ifndef CDN_LAUNCH_BELTED_H
#define CDN_LAUNCH_BELTED_H

#include "base/base.h"
#include "base/err.h"

struct cdn_belted {
	const char *wrapper; /* NULL: CDN_WRAPPER_SEATBELT */
	cdn_str profile;     /* SBPL */
	const char *tmp;     /* absolute: where its file lies during the run */
	const char *const *argv; /* ends with NULL */
	char *const *envp;	 /* all there is: nothing is added */
	const char *cwd;	 /* absolute */
};

/*
 * Starts the command in a group of its own and waits for its end; ret_status is
 * that of waitpid().  The profile is a file of ours (0600) as long as the
 * command runs.  CORDON_E_ENFORCE, and nothing was started: the wrapper is not
 * there, or somebody else could have written it.
 */
CDN_MUST_USE int cdn_belted_run(const struct cdn_belted *belted,
    int *ret_status, struct cordon_error *err);

#endif
