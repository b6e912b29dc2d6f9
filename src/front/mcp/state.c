#include "front/mcp/state.h"

#include <sha2.h>
#include <sys/random.h>

#define BLOCK 64 /* of SHA-256, in bytes */

/* "NUMBER.EXPIRES.QUESTION.SIGNATURE": hex digits of fixed length. */
#define NUMBER	 16
#define EXPIRES	 16
#define HASH	 (MCP_DIGEST - 1)
#define SIGNED	 (NUMBER + 1 + EXPIRES + 1 + HASH)
#define LENGTH	 (SIGNED + 1 + HASH)

/* ----- Digests ------------------------------------------------------------ */

static void
put_hex(const uint8_t *bytes, char ret[MCP_DIGEST])
{
	for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
}

static void
add(SHA2_CTX *ctx, const char *p, size_t n)
{
	SHA256Update(ctx, (const uint8_t *)p, n);
}

void
mcp_call_digest(cdn_str tool, cdn_str arguments, char ret[MCP_DIGEST])
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	add(&ctx, tool.p, tool.n);
	add(&ctx, "", 1); /* no name has a NUL: the two cannot run together */
	add(&ctx, arguments.p, arguments.n);
	SHA256Final(digest, &ctx);
	put_hex(digest, ret);
}

/* RFC 2104; the key is shorter than a block. */
static void
sign(const struct mcp_states *states, cdn_str text, const char *call,
    char ret[MCP_DIGEST])
{
	uint8_t inner[BLOCK], outer[BLOCK], digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX ctx;

	for (size_t i = 0; i < BLOCK; i++) {
		uint8_t k = i < sizeof(states->key) ? states->key[i] : 0;

		inner[i] = k ^ 0x36;
		outer[i] = k ^ 0x5c;
	}
	SHA256Init(&ctx);
	SHA256Update(&ctx, inner, BLOCK);
	add(&ctx, text.p, text.n);
	add(&ctx, call, HASH);
	SHA256Final(digest, &ctx);
	SHA256Init(&ctx);
	SHA256Update(&ctx, outer, BLOCK);
	SHA256Update(&ctx, digest, sizeof(digest));
	SHA256Final(digest, &ctx);
	put_hex(digest, ret);
}

/* How long it takes says nothing of where they differ. */
static bool
is_same(const char *a, const char *b, size_t n)
{
	unsigned char differs = 0;

	for (size_t i = 0; i < n; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return differs == 0;
}

/* ----- States ------------------------------------------------------------- */

bool
mcp_states_init(struct mcp_states *states)
{
	*states = (struct mcp_states){ .next = 1 };
	return getrandom(states->key, sizeof(states->key), 0) ==
	    (ssize_t)sizeof(states->key);
}

void
mcp_states_done(struct mcp_states *states)
{
	free(states->used);
	explicit_bzero(states->key, sizeof(states->key));
}

void
mcp_state_put(struct mcp_states *states, const char *call,
    const char *question, uint64_t expires_ms, struct cdn_buf *out)
{
	char text[SIGNED + 1], signature[MCP_DIGEST];

	snprintf(text, sizeof(text), "%016llx.%016llx.%.64s",
	    (unsigned long long)states->next++,
	    (unsigned long long)expires_ms, question);
	sign(states, (cdn_str){ text, SIGNED }, call, signature);
	cdn_buf_printf(out, "%s.%s", text, signature);
}

static uint64_t
read_hex(const char *p)
{
	uint64_t value = 0;

	for (size_t i = 0; i < NUMBER; i++)
		value = value * 16 + (uint64_t)cdn_hex_value(p[i]);
	return value;
}

/* False when it is used up already, or nobody could remember that it is. */
static bool
use_up(struct mcp_states *states, uint64_t number)
{
	uint64_t *more;

	for (size_t i = 0; i < states->used_count; i++)
		if (states->used[i] == number)
			return false;
	if (states->used_count >= CDN_MCP_APPROVALS_MAX)
		return false;
	more = reallocarray(states->used, states->used_count + 1,
	    sizeof(*more));
	if (more == NULL)
		return false;
	more[states->used_count++] = number;
	states->used = more;
	return true;
}

enum mcp_state
mcp_state_take(struct mcp_states *states, cdn_str text, const char *call,
    uint64_t now_ms, char ret[MCP_DIGEST])
{
	char signature[MCP_DIGEST];

	if (text.n != LENGTH || text.p[SIGNED] != '.')
		return MCP_STATE_FORGED;
	sign(states, (cdn_str){ text.p, SIGNED }, call, signature);
	if (!is_same(signature, text.p + SIGNED + 1, HASH))
		return MCP_STATE_FORGED;
	if (read_hex(text.p + NUMBER + 1) < now_ms ||
	    !use_up(states, read_hex(text.p)))
		return MCP_STATE_EXPIRED;
	memcpy(ret, text.p + NUMBER + 1 + EXPIRES + 1, HASH);
	ret[HASH] = '\0';
	return MCP_STATE_GOOD;
}
