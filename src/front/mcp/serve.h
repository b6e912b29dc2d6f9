/*
 * serve - the tools of libcordon as a server of the Model Context Protocol.
 *
 * One thread reads and answers; each call of a tool has a thread of its own, so
 * that a long command keeps nobody waiting.  Both eras of the protocol are
 * spoken (message.h), and a request of either is answered at any time: what one
 * client asked before is no reason to refuse it another way.
 *
 * At the end of the input calls have a moment to end by themselves; then, and on
 * SIGINT and SIGTERM at once, they are cancelled, and with them everything that
 * they started.
 */
#ifndef CDN_MCP_SERVE_H
#define CDN_MCP_SERVE_H

#include "base/err.h"

struct mcp_serve_options {
	/* All but who approves, which is for the client to say. */
	struct cordon_tools_options tools;
	int in_fd, out_fd; /* stay the caller's */
	const char *tool_command; /* "cordon tool --worker w.yaml": what a
				   * person types who approves a call */
	void (*note)(const char *text); /* for people */
};

/*
 * Until its client is gone.  *ret_signal: the one that ended it, or 0.
 */
CDN_MUST_USE int mcp_serve(const struct mcp_serve_options *options,
    int *ret_signal, struct cordon_error *err);

#endif
