/*
 * musl - what our sources take from glibc and musl does not have, or has with
 * other types.  Included before everything else where the command is built with
 * musl (meson.build says why); no source includes it.
 */
#ifndef CDN_COMPAT_MUSL_H
#define CDN_COMPAT_MUSL_H

#include <stdio.h>
#include <string.h>

#define CDN_ARENA_POOL 1 /* see base/arena.c */

/* "EACCES", and what it means; NULL when the number is unknown. */
const char *strerrorname_np(int error);
const char *strerrordesc_np(int error);

/* Returns the text, as glibc's; room need not be used. */
char *cdn_gnu_strerror_r(int error, char *room, size_t size);
#define strerror_r cdn_gnu_strerror_r

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1U
#endif
int cdn_gnu_renameat2(int from_fd, const char *from, int to_fd, const char *to,
    unsigned flags);
#define renameat2 cdn_gnu_renameat2

#endif
