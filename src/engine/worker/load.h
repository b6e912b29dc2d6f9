/*
 * load - the tables of a worker's keys.  Only for this room.
 *
 * A loader takes a slot: one value, and the place in a C struct where it goes.
 * Loaders report and go on, so that all findings come at once.
 */
#ifndef CDN_WORKER_LOAD_H
#define CDN_WORKER_LOAD_H

#include "engine/policy/tree.h"
#include "engine/worker/worker.h"

struct cdn_worker_object;

struct cdn_worker_load {
	struct cordon_worker *worker;
	struct cdn_report *report;
	enum cdn_worker_mode mode;
};

struct cdn_worker_slot {
	char label[160]; /* "sandbox.paths.a.root" */
	const struct cdn_tree *value;
	void *field;
	const struct cdn_worker_object *child; /* of its key, or NULL */
};

typedef void cdn_worker_loader(struct cdn_worker_load *load,
    const struct cdn_worker_slot *slot);

/* What a value looks like; load.c reads it, schema.c describes it. */
enum cdn_worker_shape {
	CDN_TAKES_TEXT,
	CDN_TAKES_NAME,
	CDN_TAKES_ROOT,
	CDN_TAKES_MODE,
	CDN_TAKES_BOOLEAN,
	CDN_TAKES_COUNT,
	CDN_TAKES_TEXTS,
	CDN_TAKES_SUFFIXES,
	CDN_TAKES_EXECUTOR,
	CDN_TAKES_WORDS,   /* of a command */
	CDN_TAKES_OBJECT,  /* the keys of `child` */
	CDN_TAKES_PATHS,   /* names chosen by the author, each with `child` */
	CDN_TAKES_MODULES, /* the same */
	CDN_TAKES_TOOLS,   /* names of tools, each with `child` */
	CDN_TAKES_RULES,   /* a list, each entry with `child` */
	CDN_TAKES_OLD,	   /* no longer written */
	CDN_TAKES_KINDS
};

struct cdn_worker_key {
	const char *name;
	enum cdn_worker_shape shape;
	size_t offset;
	const char *text;   /* what it says, in a few words */
	const char *needed; /* a hint: it must be there; NULL: it need not */
	const struct cdn_worker_object *child;
};

struct cdn_worker_object {
	const struct cdn_worker_key *keys;
	size_t n;
};

/* keys.c: the document. */
extern const struct cdn_worker_object cdn_worker_document_keys;

/* load.c: how a shape is read. */
extern cdn_worker_loader *const cdn_worker_loaders[CDN_TAKES_KINDS];

/* The names of tools and of modules, in order; NULL past the end. */
const char *cdn_worker_tool_name(size_t i);
const char *cdn_worker_module_name(size_t i);

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
