/*
 * holder - the first process of the namespaces; for this room only.
 */
#ifndef CDN_SPACES_HOLDER_H
#define CDN_SPACES_HOLDER_H

#include "enforce/spaces/spaces.h"

#define CDN_HOLDER_CONTROL 0 /* its descriptors: the pair to us, */
#define CDN_HOLDER_SOCKETS 1 /* and NETLINK_SOCK_DIAG */

struct cdn_holder_mount {
	/*
	 * What is there before anything is covered.  NULL: nothing, an empty
	 * place for those that follow, which nobody can change in the end.
	 */
	const char *from;
	const char *to; /* made if it is missing, directories above as well */
	int tree;	/* its own, while it works */
};

/* Two covers, and what is kept. */
#define CDN_HOLDER_MOUNTS 128

/* All it needs, complete before the clone: it has a copy. */
struct cdn_holder_plan {
	char uid_map[32], gid_map[32];
	int control_fd;
	bool network;
	struct cdn_holder_mount mounts[CDN_HOLDER_MOUNTS]; /* in this order */
	size_t mount_count;
	/* For inotify, of the run as a whole; "": the user's own limit. */
	char instances[16], watches[16];
	const char *const *watched;
	size_t watched_count;
	uint64_t marked; /* its own, for the report */
};

/* What it says, once. */
struct cdn_holder_report {
	uint32_t step; /* for cdn_holder_step() */
	int32_t error; /* 0: all is there */
	uint64_t marked; /* of the watched places, as bits */
};

/*
 * Marks the mount at this place, or looks whether the mark is still there and
 * unmounts it then.  0: it was; -EAGAIN: it is now; -EBUSY: it is in use.
 */
int cdn_holder_mark(const char *place); /* CDN_BARE */

int cdn_holder_main(void *arg); /* CDN_BARE; struct cdn_holder_plan */
const char *cdn_holder_step(uint32_t step);

#endif
