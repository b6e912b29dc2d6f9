/*
 * escape - attacks on the boundary, one small function each, a file for each
 * family.
 *
 * A probe is called after its case in cases.tsv: "19", or "83-chmod" where a
 * case has several.  It aims at two directories of its own that the host made
 * for it: what lies in one may not be read, what lies in the other not be
 * modified.  Each holds the file "secret".  Only where the attack works outside
 * does its failure inside mean anything.
 */
#ifndef CDN_TESTS_ESCAPE_H
#define CDN_TESTS_ESCAPE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct probe {
	const char *name;
	/* 0: it got through; -1: it did not, errno; or not_here(). */
	int (*try)(void);
	unsigned flags;
};

/* In the cage it works where it is allowed: only the place makes it fail. */
#define WORKS 1U
/* Outside it needs a mount namespace, or it would change the host's mounts. */
#define MOUNTS 2U

extern const struct probe paths_probes[], links_probes[], proc_probes[],
    privileges_probes[], calls_probes[], metadata_probes[], network_probes[],
    others_probes[]; /* each ends with a NULL name */

/* Of the probe that runs, absolute. */
extern const char *unreadable; /* the directory that may not be read */
extern const char *unwritable; /* ... not be modified */
extern const char *scratch;    /* one that may */

/* A path or another text; the last 16 of them stay. */
const char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What the host wrote down (host.c); never NULL. */
const char *fact(const char *key);
int fact_number(const char *key);
/* 0 when a secret can be read from it, which closes it; else -1. */
int leaks(int fd);
/* It cannot be tried on this host, or by this user. */
int not_here(const char *why);
/* 0 when any of these is: for a family of calls. */
int had(long result);
/* A file of one's own with these bytes; -1 or a descriptor for writing. */
int make(const char *path, const char *bytes);

/* host.c: the other side.  Does not return. */
_Noreturn void host_serve(const char *dir);
_Noreturn void host_session(char **argv);

#endif
