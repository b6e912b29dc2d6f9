/*
 * rcfile - where packages come from: the harmless lines of .npmrc and pip.conf.
 *
 * Registries, proxies and certificates of authorities, as a table of keys has
 * them.  A line whose value could hold a credential (a name before '@' in an
 * address, a query, a ${VARIABLE}) is left out; what is not understood too.
 *
 * Pure.  Memory: see cdn_buf_failed().
 */
#ifndef CDN_HOME_RCFILE_H
#define CDN_HOME_RCFILE_H

#include "base/buf.h"

void cdn_rcfile_npm(cdn_str text, struct cdn_buf *out);
void cdn_rcfile_pip(cdn_str text, struct cdn_buf *out);

#endif
