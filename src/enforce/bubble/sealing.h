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
#ifndef CDN_BUBBLE_SEALING_H
#define CDN_BUBBLE_SEALING_H

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
	int program_error; /* not sealed yet, and why; 0: it is, or needs not */
	struct cdn_given {
		int from;    /* by this number */
		int sealed;  /* what replaces it, or -1 */
		int ours;    /* the same, where we are to close it */
		bool is_taken; /* it was replaced before the process began */
		dev_t dev;
		ino_t ino;
		bool is_own; /* of who runs it */
		int error;   /* as the program's */
	} given[3];
	pid_t parent; /* of who does it, with whose thread he dies */
	int pid; /* of who does it beside us; 0: nobody */
	int is_done; /* by him */
	bool is_settled; /* and we know */
	void *stack; /* his */
};

/*
 * Before all else, once.  Whatever follows is nothing if this was not done, or
 * was closed again.
 */
void cdn_sealing_open(struct cdn_sealing *sealing, const char *program);

/*
 * Begins with it while the caller goes on: the program, and those of fds that
 * are devices.  A process that shares our memory and descriptors does, and ends
 * by itself, or with the calling thread; where it cannot, cdn_sealing_do() has
 * it all to do.
 */
void cdn_sealing_begin(struct cdn_sealing *sealing, const int fds[3]);
void cdn_sealing_await(struct cdn_sealing *sealing);
/*
 * Then: what the process that is to execute it is given as its `which`, instead
 * of fd.  That itself, where it was not sealed yet.
 */
int cdn_sealing_take(struct cdn_sealing *sealing, int which, int fd);

/*
 * Seals the standard descriptors and the program, in the process that is to
 * execute it, as far as that is not done yet.  What could not be sealed, and
 * could be changed, is told by `error`.  CDN_BARE; since Linux 5.12.
 */
void cdn_sealing_do(struct cdn_sealing *sealing);

/* Closes all of it.  The process that executes it has its own by then. */
void cdn_sealing_close(struct cdn_sealing *sealing);

#endif
