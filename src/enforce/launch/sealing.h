/*
 * sealing - what bwrap is given of the host, so that nobody can change it.
 *
 * A descriptor of /dev/null or of a terminal is one on the host's own mount,
 * whatever is mounted in the sandbox: its owner (root; everybody, of his own
 * terminal) could give the device another mode for all.  So it is opened again
 * through a mount of its own that is read-only, which devices do not mind.  The
 * same with the program of bwrap, which its first process shows inside as
 * /proc/1/exe.
 */
#ifndef CDN_LAUNCH_SEALING_H
#define CDN_LAUNCH_SEALING_H

#include <sys/types.h>

#include "base/base.h"

struct cdn_sealing {
	/* The program, to be executed by this name of it; -1: by its own. */
	int program_fd;
	int error; /* 0; or errno: something is still the host's own */
	/* for itself */
	bool is_open;
	bool is_own;  /* the program: of who executes it */
	bool is_lost; /* and it is not what will be in /proc/1/exe */
	struct cdn_given {
		dev_t dev;
		ino_t ino;
		bool is_own; /* of who runs it */
		int error;   /* not sealed yet, and why; 0: it is, or needs not */
	} given[3];
};

/* Before it is done. */
void cdn_sealing_open(struct cdn_sealing *sealing, const char *program);

/*
 * Seals the standard descriptors and the program, in the process that is to
 * execute it; nothing if it was not opened.  What could not be sealed, and could
 * be changed, is told by `error`.  CDN_BARE; since Linux 5.12.
 */
void cdn_sealing_do(struct cdn_sealing *sealing);

#endif
