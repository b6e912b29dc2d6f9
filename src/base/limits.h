/*
 * limits - every input has a named maximum, and this is where they live.
 *
 * Past a limit the input is refused with an error that names the limit; it is
 * never cut off silently.
 */
#ifndef CDN_BASE_LIMITS_H
#define CDN_BASE_LIMITS_H

#define CDN_DOCUMENT_MAX     (1024UL * 1024UL) /* bytes of one YAML file */
#define CDN_DEPTH_MAX	     32	    /* levels of nesting in YAML or JSON */
#define CDN_DIAGS_MAX	     100    /* findings kept for one document */
#define CDN_RULE_MAX	     4096   /* bytes of one rule */
#define CDN_RULES_MAX	     65536  /* rules in one list, denies included */
#define CDN_PROFILES_MAX     1024   /* profiles in one policy */
#define CDN_PATH_MAX	     4096   /* bytes of a path, terminating NUL out */
#define CDN_NAME_MAX	     128    /* bytes of a policy, worker, profile name */
#define CDN_LINKS_MAX	     40	    /* symbolic links followed, as the kernel */
#define CDN_LAYERS_MAX	     16	    /* documents in one session */
#define CDN_ROOTS_MAX	     1024   /* declared roots in one session */
#define CDN_ARENA_MAX	     (512UL * 1024UL * 1024UL) /* bytes of one arena */
#define CDN_JSON_MAX	     (1024UL * 1024UL) /* bytes of one JSON text */
#define CDN_TRUST_MAX	     4096   /* entries of trust.json */

#endif
