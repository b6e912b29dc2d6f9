/*
 * relay - one line comes in; it is passed on, answered, or dropped.
 *
 *	client ──► read ──► judge ──► server        two name spaces of ids:
 *	   ▲                  │                     asked_by_client,
 *	   └──── refusal ◄────┘                     asked_by_server
 *	client ◄── tools cut ◄── read ◄── server
 *
 * A call of a tool that changed, or of which the policy says that somebody is to
 * be asked, waits for the client's user where the client can ask him (ask.h).
 *
 * What is passed on is passed on byte for byte, except a list of tools or roots
 * that something was taken out of.  A line that cannot be read, or whose
 * handling fails, is never passed on.
 */
#ifndef CDN_GUARD_RELAY_H
#define CDN_GUARD_RELAY_H

#include "base/lines.h"
#include "enforce/guard/ask.h"
#include "enforce/guard/catalog.h"
#include "enforce/guard/judge.h"
#include "enforce/guard/pending.h"

/* What a relay tells the outside; strings live during the call. */
struct cdn_relay_event {
	const char *method;
	const char *tool; /* or NULL */
	bool allowed;
	const char *reason; /* of a refusal: "schema", "pin", "message" ... */
	const struct cordon_mcp_refusal *refusal; /* of a path, or NULL */
};

struct cdn_relay {
	struct cdn_guard_judge judge;
	struct cdn_catalog catalog;
	struct cdn_pending asked_by_client;
	struct cdn_pending asked_by_server;
	struct cdn_asks asks;
	bool elicits; /* the client, of the older era, can ask its user */
	struct cdn_outlet *to_client; /* borrowed */
	struct cdn_outlet *to_server;
	/*
	 * Keeps a record; an error (with its text) means that the call must
	 * not go on.
	 */
	int (*record)(const struct cdn_relay_event *event, void *arg,
	    struct cordon_error *err);
	/*
	 * The catalog has grown: takes in what other guards kept, and keeps it.
	 * False when what they kept is not known: nothing new may be shown.
	 */
	bool (*save)(void *arg);
	void (*note)(const char *text, void *arg); /* for people */
	void *arg;
	const char *forget; /* the command that accepts changed tools */
};

void cdn_relay_done(struct cdn_relay *relay);

/*
 * A line as cdn_lines_next() gives it.  An error (out of memory) leaves the
 * conversation with a gap: the guard ends it.
 */
CDN_MUST_USE int cdn_relay_from_client(struct cdn_relay *relay, cdn_str line,
    bool too_long, struct cordon_error *err);
/* Refuses the calls that nobody has approved in time (relay->asks). */
CDN_MUST_USE int cdn_relay_late(struct cdn_relay *relay,
    struct cordon_error *err);
CDN_MUST_USE int cdn_relay_from_server(struct cdn_relay *relay, cdn_str line,
    bool too_long, struct cordon_error *err);

#endif
