#include "enforce/guard/pending.h"

struct cdn_pending_entry {
	struct cdn_pending_entry *next;
	struct cdn_rpc_id id; /* its text lies behind the entry */
	enum cdn_rpc_method method;
};

#define FIRST_BUCKETS 64UL

void
cdn_pending_done(struct cdn_pending *pending)
{
	for (size_t i = 0; i < pending->bucket_count; i++)
		while (pending->buckets[i] != NULL) {
			struct cdn_pending_entry *entry = pending->buckets[i];

			pending->buckets[i] = entry->next;
			free(entry);
		}
	free(pending->buckets);
	*pending = (struct cdn_pending){ .count = 0 };
}

static size_t
hash(const struct cdn_rpc_id *id)
{
	uint64_t h = 14695981039346656037U ^ (uint64_t)id->number; /* FNV-1a */

	for (size_t i = 0; i < id->text.n; i++)
		h = (h ^ (unsigned char)id->text.p[i]) * 1099511628211U;
	return (size_t)(h ^ h >> 32);
}

/* The pointer that leads to the entry, or to NULL. */
static struct cdn_pending_entry **
find(const struct cdn_pending *pending, const struct cdn_rpc_id *id)
{
	struct cdn_pending_entry **at =
	    &pending->buckets[hash(id) & (pending->bucket_count - 1)];

	while (*at != NULL && !cdn_rpc_id_same(&(*at)->id, id))
		at = &(*at)->next;
	return at;
}

/* More of them when they become long; if there is no memory, they do. */
static bool
make_buckets(struct cdn_pending *pending)
{
	size_t n = pending->bucket_count == 0 ? FIRST_BUCKETS :
						2 * pending->bucket_count;
	struct cdn_pending_entry **buckets, **old = pending->buckets;
	size_t old_count = pending->bucket_count;

	if (pending->count < old_count)
		return true;
	buckets = calloc(n, sizeof(void *));
	if (buckets == NULL)
		return old_count > 0;
	for (size_t i = 0; i < old_count; i++)
		while (old[i] != NULL) {
			struct cdn_pending_entry *entry = old[i];
			size_t to = hash(&entry->id) & (n - 1);

			old[i] = entry->next;
			entry->next = buckets[to];
			buckets[to] = entry;
		}
	free(old);
	pending->buckets = buckets;
	pending->bucket_count = n;
	return true;
}

enum cdn_pending_result
cdn_pending_add(struct cdn_pending *pending, const struct cdn_rpc_id *id,
    enum cdn_rpc_method method)
{
	struct cdn_pending_entry *entry, **at;
	char *text;

	if (!make_buckets(pending))
		return CDN_PENDING_FULL;
	at = find(pending, id);
	if (*at != NULL)
		return CDN_PENDING_TWICE;
	if (pending->count == CDN_RPC_PENDING_MAX)
		return CDN_PENDING_FULL;
	entry = malloc(sizeof(*entry) + id->text.n);
	if (entry == NULL)
		return CDN_PENDING_FULL;
	text = (char *)(entry + 1);
	if (id->text.n > 0)
		memcpy(text, id->text.p, id->text.n);
	*entry = (struct cdn_pending_entry){
		.id = { .type = id->type, .number = id->number,
			.text = { text, id->text.n } },
		.method = method,
	};
	*at = entry;
	pending->count++;
	return CDN_PENDING_ADDED;
}

bool
cdn_pending_take(struct cdn_pending *pending, const struct cdn_rpc_id *id,
    enum cdn_rpc_method *ret)
{
	struct cdn_pending_entry *entry, **at;

	if (pending->bucket_count == 0)
		return false;
	at = find(pending, id);
	entry = *at;
	if (entry == NULL)
		return false;
	*at = entry->next;
	if (ret != NULL)
		*ret = entry->method;
	free(entry);
	pending->count--;
	return true;
}

bool
cdn_pending_has(const struct cdn_pending *pending, const struct cdn_rpc_id *id)
{
	return pending->bucket_count > 0 && *find(pending, id) != NULL;
}
