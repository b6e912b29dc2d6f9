/*
 * Regions: where the kernel holds the policy by itself, so that a call may go
 * on.  Landlock knows a directory, the plan its path; a directory that was
 * removed, or moved away, through us took Landlock's grant along, and what
 * stands there now is like its surroundings.
 */
#include "enforce/broker/inside.h"

#include "base/str.h"

/* The region of exactly this path. */
static const struct cdn_broker_region *
find_region(const struct cdn_broker_spec *spec, cdn_str path)
{
	size_t lo = 0, hi = spec->region_count;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		int order = cdn_str_cmp(path,
		    cdn_str_of(spec->regions[middle].path));

		if (order == 0)
			return &spec->regions[middle];
		if (order < 0)
			hi = middle;
		else
			lo = middle + 1;
	}
	return NULL;
}

static bool
is_left(const struct cdn_broker *broker,
    const struct cdn_broker_region *region)
{
	return __atomic_load_n(&broker->left[region - broker->spec.regions],
	    __ATOMIC_ACQUIRE);
}

/* The deepest one that holds it and is still there, or NULL. */
static const struct cdn_broker_region *
region_of(const struct cdn_broker *broker, cdn_str at)
{
	for (;;) {
		const struct cdn_broker_region *region =
		    find_region(&broker->spec, at.n == 0 ? CDN_STR("/") : at);

		if (region != NULL && !is_left(broker, region))
			return region;
		if (at.n <= 1)
			return NULL;
		while (at.n > 0 && at.p[at.n - 1] != '/')
			at.n--;
		at.n -= at.n > 0;
	}
}

bool
cdn_broker_is_native(const struct cdn_broker *broker, cdn_str path)
{
	const struct cdn_broker_region *region;

	if (broker->spec.trace || broker->closed)
		return false;
	region = region_of(broker, path);
	return region != NULL && region->native;
}

bool
cdn_call_is_native(const struct cdn_call *call,
    const struct cdn_object *object)
{
	struct cdn_broker *broker = call->broker;
	bool native;

	if (broker->spec.trace || object->unnamed || object->on_proc)
		return false;
	pthread_rwlock_rdlock(&broker->judging);
	native = cdn_broker_is_native(broker, cdn_str_of(object->path));
	pthread_rwlock_unlock(&broker->judging);
	return native;
}

static bool
is_at_or_below(const char *path, const char *directory, size_t n)
{
	return strncmp(path, directory, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

static void
leave_regions(struct cdn_broker *broker, const struct cdn_object *object)
{
	const struct cdn_broker_spec *spec = &broker->spec;
	size_t n = strlen(object->path);

	pthread_rwlock_rdlock(&broker->judging);
	for (size_t i = 0; !broker->closed && i < spec->region_count; i++)
		if (is_at_or_below(spec->regions[i].path, object->path, n))
			__atomic_store_n(&broker->left[i], true,
			    __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&broker->judging);
}

/* Who asks holds the lock around names, so nobody relies on it meanwhile. */
void
cdn_call_left(const struct cdn_call *call, const struct cdn_object *object)
{
	struct cdn_family *family = call->broker->family;

	pthread_mutex_lock(&family->mutex);
	for (struct cdn_broker *b = family->first; b != NULL; b = b->next)
		leave_regions(b, object);
	pthread_mutex_unlock(&family->mutex);
}
