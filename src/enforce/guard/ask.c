#include "enforce/guard/ask.h"

#include <sha2.h>
#include <sys/random.h>
#include <time.h>

static uint64_t
now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void
cdn_ask_done(struct cdn_ask *ask)
{
	free(ask->line);
	free(ask->id_text);
	*ask = (struct cdn_ask){ .line = NULL };
}

void
cdn_asks_done(struct cdn_asks *asks)
{
	while (asks->n > 0)
		cdn_ask_done(&asks->v[--asks->n]);
}

static void
add_member(SHA2_CTX *ctx, const struct cdn_rpc_message *call, const char *key)
{
	const struct cdn_json_node *node = cdn_json_find(&call->json,
	    call->params, key);
	cdn_str raw = node == NULL ? CDN_STR("") :
				     cdn_json_raw(&call->json, node);

	SHA256Update(ctx, (const uint8_t *)raw.p, raw.n);
	SHA256Update(ctx, (const uint8_t *)"", 1);
}

static void
digest(const struct cdn_rpc_message *call, const char *about, char ret[65])
{
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	add_member(&ctx, call, "name");
	add_member(&ctx, call, "arguments");
	SHA256Update(&ctx, (const uint8_t *)about, strlen(about));
	(void)SHA256End(&ctx, ret);
}

static bool
make_token(char ret[CDN_ASK_TOKEN])
{
	uint8_t random[16];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return false;
	snprintf(ret, CDN_ASK_TOKEN, "cordon-");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(ret + 7 + 2 * i, 3, "%02x", random[i]);
	return true;
}

static void
take_out(struct cdn_asks *asks, size_t i, struct cdn_ask *ret)
{
	*ret = asks->v[i];
	asks->n--;
	memmove(&asks->v[i], &asks->v[i + 1],
	    (asks->n - i) * sizeof(asks->v[0]));
}

/* Questions that nobody answers in time, of calls that nobody waits for. */
static void
forget_old(struct cdn_asks *asks)
{
	struct cdn_ask old;

	for (size_t i = asks->n; i-- > 0;)
		if (asks->v[i].line == NULL &&
		    asks->v[i].expires_ms < now_ms()) {
			take_out(asks, i, &old);
			cdn_ask_done(&old);
		}
}

static bool
keep_call(struct cdn_ask *ask, const struct cdn_rpc_message *call,
    cdn_str line)
{
	if (line.n == 0)
		return true;
	ask->line = malloc(line.n);
	ask->id_text = malloc(call->id.text.n + 1);
	if (ask->line == NULL || ask->id_text == NULL)
		return false;
	memcpy(ask->line, line.p, line.n);
	ask->n = line.n;
	if (call->id.text.n > 0)
		memcpy(ask->id_text, call->id.text.p, call->id.text.n);
	ask->id = (struct cdn_rpc_id){ .type = call->id.type,
		.number = call->id.number,
		.text = { ask->id_text, call->id.text.n } };
	return true;
}

/* A person who is asked without end says yes in the end. */
static bool
may_ask(struct cdn_asks *asks)
{
	uint64_t now = now_ms();

	if (asks->minute_ms == 0 || now - asks->minute_ms >= 60000) {
		asks->minute_ms = now;
		asks->in_minute = 0;
	}
	if (asks->n == CDN_GUARD_ASKS_MAX ||
	    asks->in_minute == CDN_APPROVALS_MAX)
		return false;
	asks->in_minute++;
	return true;
}

const struct cdn_ask *
cdn_asks_add(struct cdn_asks *asks, const struct cdn_rpc_message *call,
    const char *about, cdn_str keep)
{
	struct cdn_ask ask = { .expires_ms = now_ms() + CDN_MCP_APPROVAL_MS };

	forget_old(asks);
	if (!may_ask(asks) || !make_token(ask.token) ||
	    !keep_call(&ask, call, keep)) {
		cdn_ask_done(&ask);
		return NULL;
	}
	digest(call, about, ask.digest);
	asks->v[asks->n] = ask;
	return &asks->v[asks->n++];
}

static size_t
find_token(const struct cdn_asks *asks, cdn_str token)
{
	size_t i = 0;

	while (i < asks->n && !cdn_str_is(token, asks->v[i].token))
		i++;
	return i;
}

bool
cdn_asks_take(struct cdn_asks *asks, cdn_str token, bool kept,
    struct cdn_ask *ret)
{
	size_t i = find_token(asks, token);

	if (i == asks->n || (asks->v[i].line != NULL) != kept)
		return false;
	take_out(asks, i, ret);
	return true;
}

bool
cdn_asks_has(const struct cdn_asks *asks, cdn_str token)
{
	return find_token(asks, token) < asks->n;
}

static size_t
find_call(const struct cdn_asks *asks, const struct cdn_rpc_id *id)
{
	size_t i = 0;

	while (i < asks->n && (asks->v[i].line == NULL ||
		!cdn_rpc_id_same(&asks->v[i].id, id)))
		i++;
	return i;
}

bool
cdn_asks_has_call(const struct cdn_asks *asks, const struct cdn_rpc_id *id)
{
	return find_call(asks, id) < asks->n;
}

bool
cdn_asks_take_call(struct cdn_asks *asks, const struct cdn_rpc_id *id,
    struct cdn_ask *ret)
{
	size_t i = find_call(asks, id);

	if (i == asks->n)
		return false;
	take_out(asks, i, ret);
	return true;
}

/* Of those that are kept the oldest comes first. */
static size_t
find_kept(const struct cdn_asks *asks)
{
	size_t i = 0;

	while (i < asks->n && asks->v[i].line == NULL)
		i++;
	return i;
}

uint64_t
cdn_asks_late_ms(const struct cdn_asks *asks)
{
	size_t i = find_kept(asks);

	return i == asks->n ? 0 : asks->v[i].expires_ms + 1;
}

bool
cdn_asks_take_late(struct cdn_asks *asks, struct cdn_ask *ret)
{
	size_t i = find_kept(asks);

	if (i == asks->n || asks->v[i].expires_ms >= now_ms())
		return false;
	take_out(asks, i, ret);
	return true;
}

bool
cdn_ask_fits(const struct cdn_ask *ask, const struct cdn_rpc_message *call,
    const char *about)
{
	char now[65];

	digest(call, about, now);
	return ask->expires_ms >= now_ms() && strcmp(now, ask->digest) == 0;
}
