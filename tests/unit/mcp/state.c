/* What a client carries for us is good for one call, one question, once. */
#include "front/mcp/state.h"
#include "support/tap.h"

#define QUESTION "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static struct mcp_states ours, others;
static char call[MCP_DIGEST], other[MCP_DIGEST];

static cdn_str
made(struct mcp_states *states, uint64_t expires, struct cdn_buf *buf)
{
	cdn_buf_init(buf, 4096);
	mcp_state_put(states, call, QUESTION, expires, buf);
	return (cdn_str){ buf->p, buf->n };
}

static enum mcp_state
take(cdn_str text, const char *digest, uint64_t now)
{
	char ret[MCP_DIGEST] = "";
	enum mcp_state found = mcp_state_take(&ours, text, digest, now, ret);

	ok((found == MCP_STATE_GOOD) == (strcmp(ret, QUESTION) == 0),
	    "the question is told when it is good");
	return found;
}

static void
test_good(void)
{
	struct cdn_buf buf;
	cdn_str text = made(&ours, 100, &buf);

	ok(take(text, other, 50) == MCP_STATE_FORGED, "not for another call");
	ok(take(text, call, 101) == MCP_STATE_EXPIRED, "not too late");
	ok(take(text, call, 100) == MCP_STATE_GOOD, "in time");
	ok(take(text, call, 50) == MCP_STATE_EXPIRED, "and once");
	cdn_buf_done(&buf);
}

static void
test_forged(void)
{
	struct cdn_buf buf;
	cdn_str text = made(&others, 100, &buf);
	unsigned wrong = 0;

	ok(take(text, call, 50) == MCP_STATE_FORGED, "not of another process");
	cdn_buf_done(&buf);
	text = made(&ours, 100, &buf);
	for (size_t i = 0; i < text.n; i++) {
		char ret[MCP_DIGEST];

		buf.p[i] ^= 1;
		wrong += mcp_state_take(&ours, text, call, 50, ret) !=
		    MCP_STATE_FORGED;
		buf.p[i] ^= 1;
	}
	ok(wrong == 0, "no character can be changed");
	for (size_t n = 0; n < text.n; n++) {
		char ret[MCP_DIGEST];

		wrong += mcp_state_take(&ours, (cdn_str){ text.p, n }, call,
		    50, ret) != MCP_STATE_FORGED;
	}
	ok(wrong == 0, "nor any be left out");
	ok(take(text, call, 50) == MCP_STATE_GOOD, "as it was it is good");
	cdn_buf_done(&buf);
}

static void
test_digest(void)
{
	char a[MCP_DIGEST], b[MCP_DIGEST];

	mcp_call_digest(CDN_STR("ab"), CDN_STR("c"), a);
	mcp_call_digest(CDN_STR("a"), CDN_STR("bc"), b);
	ok(strcmp(a, b) != 0, "a name and its arguments do not run together");
}

int
main(void)
{
	bool good = mcp_states_init(&ours) && mcp_states_init(&others);

	ok(good && memcmp(ours.key, others.key, sizeof(ours.key)) != 0,
	    "each process has a key of its own");
	mcp_call_digest(CDN_STR("shell"), CDN_STR("{\"command\":\"a\"}"), call);
	mcp_call_digest(CDN_STR("shell"), CDN_STR("{\"command\":\"b\"}"), other);
	test_good();
	test_forged();
	test_digest();
	mcp_states_done(&ours);
	mcp_states_done(&others);
	return done_testing();
}
