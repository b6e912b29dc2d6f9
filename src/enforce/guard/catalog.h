/*
 * catalog - the tools of one server, as they were described first.
 *
 * What was seen first, in this session or in one before (pins.h), is what
 * counts: schemas are taken from it, and a tool that is described otherwise
 * later is stopped.
 */
#ifndef CDN_GUARD_CATALOG_H
#define CDN_GUARD_CATALOG_H

#include "base/json.h"

struct cdn_catalog_tool {
	struct cdn_arena *arena; /* owns all of it */
	cdn_str name;
	struct cdn_json json; /* the description, as bytes of its own */
	const char *stopped;  /* why it may not be used, or NULL */
	char *difference;     /* where that is written, or NULL */
	char other[65];	      /* digest of the description for which that is */
	bool untold;	      /* that it is: nobody has heard of it yet */
};

struct cdn_catalog {
	struct cdn_catalog_tool **v; /* owned */
	size_t n;
	size_t room;
	bool grown; /* since it was loaded or saved */
};

void cdn_catalog_done(struct cdn_catalog *catalog);

/* NULL when it is not known. */
struct cdn_catalog_tool *cdn_catalog_find(const struct cdn_catalog *catalog,
    cdn_str name);

/* A description, from a list or from a file.  A name that is there stays. */
CDN_MUST_USE int cdn_catalog_add(struct cdn_catalog *catalog,
    const struct cdn_json *json, const struct cdn_json_node *tool, cdn_str name,
    struct cordon_error *err);

/*
 * What another guard of the same server has kept meanwhile: its tools are added,
 * and one that it saw described otherwise, before us, is stopped.
 */
CDN_MUST_USE int cdn_catalog_merge(struct cdn_catalog *catalog,
    const struct cdn_catalog *kept, struct cordon_error *err);

/*
 * A list of the server: drop (one bool for each child of tools) says which of
 * them must not be shown, and told hears of each why, one line for people.
 * What drop says before is not looked at: after a merge the same list is seen
 * once more, by what others have kept.
 */
CDN_MUST_USE int cdn_catalog_see(struct cdn_catalog *catalog,
    const struct cdn_json *json, const struct cdn_json_node *tools, bool *drop,
    void (*told)(const char *text, void *arg), void *arg,
    struct cdn_arena *arena, struct cordon_error *err);

#endif
