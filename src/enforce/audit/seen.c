#include "enforce/audit/seen.h"

#include <errno.h>
#include <sys/random.h>

#define FIRST_ROOM 256

int
cdn_seen_init(struct cdn_seen *seen, struct cordon_error *err)
{
	*seen = (struct cdn_seen){ .n = 0 };
	if (getrandom(&seen->key, sizeof(seen->key), 0) ==
	    (ssize_t)sizeof(seen->key))
		return 0;
	return cdn_err_sys(err, errno, "the kernel gives no random numbers");
}

void
cdn_seen_done(struct cdn_seen *seen)
{
	free(seen->slots);
	seen->slots = NULL;
	seen->room = seen->n = 0;
}

void
cdn_seen_clear(struct cdn_seen *seen)
{
	if (seen->room > 0)
		memset(seen->slots, 0, seen->room * sizeof(*seen->slots));
	seen->n = 0;
}

uint64_t
cdn_seen_hash(const struct cdn_seen *seen, cdn_str text, uint64_t more)
{
	uint64_t words[2] = { cdn_siphash(&seen->key, text), more };
	uint64_t hash = cdn_siphash(&seen->key,
	    (cdn_str){ (const char *)words, sizeof(words) });

	return hash == 0 ? 1 : hash;
}

/* Where it is, or would be; at most half of the slots are taken. */
static size_t
slot_of(const uint64_t *slots, size_t room, uint64_t hash)
{
	size_t i = (size_t)hash & (room - 1);

	while (slots[i] != 0 && slots[i] != hash)
		i = (i + 1) & (room - 1);
	return i;
}

bool
cdn_seen_has(const struct cdn_seen *seen, uint64_t hash)
{
	return seen->room > 0 &&
	    seen->slots[slot_of(seen->slots, seen->room, hash)] == hash;
}

static bool
grow(struct cdn_seen *seen)
{
	size_t room = seen->room == 0 ? FIRST_ROOM : 2 * seen->room;
	uint64_t *slots = calloc(room, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < seen->room; i++)
		if (seen->slots[i] != 0)
			slots[slot_of(slots, room, seen->slots[i])] =
			    seen->slots[i];
	free(seen->slots);
	seen->slots = slots;
	seen->room = room;
	return true;
}

bool
cdn_seen_add(struct cdn_seen *seen, uint64_t hash)
{
	if (2 * (seen->n + 1) > seen->room && !grow(seen))
		return false;
	seen->slots[slot_of(seen->slots, seen->room, hash)] = hash;
	seen->n++;
	return true;
}
