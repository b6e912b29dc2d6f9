/*
 * load - the tables of a worker's keys.  Only for load*.c.
 *
 * A loader takes a slot: one value, and the place in a C struct where it goes.
 * Loaders report and go on, so that all findings come at once.
 */
#ifndef CDN_WORKER_LOAD_H
#define CDN_WORKER_LOAD_H

#include "engine/policy/tree.h"
#include "engine/worker/worker.h"

struct cdn_worker_load {
	struct cordon_worker *worker;
	struct cdn_report *report;
	enum cdn_worker_mode mode;
};

struct cdn_worker_slot {
	char label[160]; /* "sandbox.paths.a.root" */
	const struct cdn_tree *value;
	void *field;
};

typedef void cdn_worker_loader(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot);

struct cdn_worker_key {
	const char *name;
	cdn_worker_loader *load;
	size_t offset;
	const char *needed; /* a hint: it must be there; NULL: it need not */
	bool old;	    /* not a key to speak of any more */
};

struct cdn_worker_object {
	const struct cdn_worker_key *keys;
	size_t n;
};

/* A mapping with fixed keys; base is its C struct. */
void cdn_worker_load_object(struct cdn_worker_load *load,
    const struct cdn_worker_object *object, const struct cdn_worker_slot *slot,
    void *base);

/* Is the value of that shape?  If not, that is reported. */
bool cdn_worker_is(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot, enum cdn_tree_kind kind, size_t max);

void *cdn_worker_array(struct cdn_worker_load *load, size_t count,
    size_t size);

cdn_worker_loader cdn_worker_load_text, cdn_worker_load_name,
    cdn_worker_load_root, cdn_worker_load_mode, cdn_worker_load_said,
    cdn_worker_load_number, cdn_worker_load_texts, cdn_worker_load_suffixes,
    cdn_worker_load_executor;

#endif
