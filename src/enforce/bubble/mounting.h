/*
 * mounting - what a sandbox of bwrap is filled with, step by step.
 *
 * The steps are written down outside, with all that takes memory; inside of the
 * namespaces, in a process that shares ours, they are only gone through.
 */
#ifndef CDN_BUBBLE_MOUNTING_H
#define CDN_BUBBLE_MOUNTING_H

#include "base/base.h"

enum cdn_step_kind {
	CDN_STEP_DIR,	 /* of its mode; it may be there if `lax` */
	CDN_STEP_LINK,	 /* to `from` */
	CDN_STEP_BIND,	 /* what the host has at `from` */
	CDN_STEP_TMPFS,	 /* with the mode that `from` says */
	CDN_STEP_CLOSED, /* a directory that has nothing and shows nothing */
	CDN_STEP_PTYS,	 /* of the sandbox's own */
	CDN_STEP_SEAL,	 /* what is mounted there can be changed no more */
};

/* Whether the place of a mount has to be made; never on the host. */
enum cdn_step_point { CDN_POINT_THERE, CDN_POINT_DIR, CDN_POINT_FILE };

struct cdn_step {
	enum cdn_step_kind kind;
	const char *path; /* absolute, in the sandbox */
	const char *from;
	unsigned mode;
	enum cdn_step_point point;
	bool read_only, device, lax;
	bool brief; /* BIND: nothing is done if it is gone */
};

struct cdn_mounting {
	int pidfd; /* of bwrap's process that waits for it */
	const struct cdn_step *steps;
	size_t count;
	size_t at; /* where it failed */
	/* for itself */
	long old_root, new_root, closed;
	long parent; /* where a name was made last, or -1 */
	const char *parent_path; /* it is these bytes of it */
	size_t parent_length;
};

/* In a process that ends then: 0 or -errno.  CDN_BARE. */
int cdn_mounting_main(void *mounting);

/*
 * A mount of that object alone, mounted nowhere, through which it cannot be
 * changed; a device is used through it as ever.  In the caller's namespace,
 * where it takes CAP_SYS_ADMIN.  An O_PATH descriptor, or -errno.  CDN_BARE.
 */
CDN_MUST_USE long cdn_mounting_sealed(long from);

#endif
