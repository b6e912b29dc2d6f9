/*
 * floor - what no policy lifts, as tables.
 *
 * (a) system directories, never writable; (b) cordon's own files, which the
 * session knows; (c) credentials, neither readable nor writable.  This room
 * only lists them; the session expands "~" and finds their real paths.
 */
#ifndef CDN_DECIDE_FLOOR_H
#define CDN_DECIDE_FLOOR_H

#include "base/str.h"

struct cdn_floor_row {
	const char *path; /* absolute, or "~/..." */
	bool glob;	  /* '*' in it is a wildcard */
	bool is_file;	  /* databases and key files have sidecars */
	const char *why;
	bool store;	  /* a directory of much besides keys */
};

/* (c): neither readable nor writable.  NULL past the end. */
const struct cdn_floor_row *cdn_floor_credential(size_t i);

/*
 * (c) for root: each file below these that others may not read, and each
 * directory that others may not enter.  NULL past the end.
 */
#define CDN_FLOOR_PRIVATE 2
const struct cdn_floor_row *cdn_floor_private(size_t i);

/*
 * Not looked at there: files of dpkg's database by the names that dpkg gives to
 * what it unpacks from a package, thousands of them.
 *
 * Threat:    a file with such a name holds a secret, and is not closed.
 * Invariant: dpkg alone writes these names, with what stands in an archive that
 *	      everybody can fetch.  Any other name in the directory is looked at.
 * Held by:   the directory is dpkg's own; tests/unit/decide/floor.c has the names.
 */
#define CDN_FLOOR_PACKAGES "/var/lib/dpkg/info"
bool cdn_floor_of_package(cdn_str name);

/* (a): never writable.  NULL past the end. */
const struct cdn_floor_row *cdn_floor_system(size_t i);

/* Does the path lie strictly below one of (a)? */
bool cdn_floor_below_system(cdn_str path);

/* What below (a) may be written all the same.  NULL past the end. */
const struct cdn_floor_row *cdn_floor_exception(size_t i);

/* What a database leaves beside a file: "-wal", ... */
#define CDN_SIDECARS	 3
#define CDN_SIDECARS_MAX 8 /* bytes of the longest */
extern const cdn_str cdn_floor_sidecars[CDN_SIDECARS];

/* The device list: readable and writable for a process.  NULL past the end. */
const char *cdn_floor_device(size_t i);

#endif
