/*
 * digest - SHA-256 of bytes, as people compare it.
 */
#ifndef CDN_POLICY_DIGEST_H
#define CDN_POLICY_DIGEST_H

#include "base/str.h"

#define CDN_DIGEST_SIZE 65 /* 64 hex digits, lower case, and NUL */

void cdn_digest(cdn_str bytes, char ret[CDN_DIGEST_SIZE]);

#endif
