/*
 * Which region holds a path, against a search that only compares strings.
 */
#include "enforce/broker/inside.h"
#include "support/engine.h"

static const struct cdn_broker_region regions[] = {
	{ "/", false },
	{ "/dev/null", true },
	{ "/w", false },
	{ "/w/a", true },
	{ "/w/a-b", false },
	{ "/w/a/b", false },
	{ "/w/a/b/c", true },
	{ "/w/ab", true },
	{ "/x/y", true },
};

static const char *const names[] = { "w", "a", "a-b", "b", "c", "ab", "x", "y",
	"dev", "null", "", "a.b", "a b" };

/* The longest one that is the path, or after which a slash follows. */
static bool
naive(const struct cdn_broker_region *v, size_t n, const char *path)
{
	size_t best = 0;
	bool native = false;

	for (size_t i = 0; i < n; i++) {
		size_t size = strlen(v[i].path);

		if (size == 1 && best == 0)
			native = v[i].native;
		if (size > 1 && size > best &&
		    strncmp(v[i].path, path, size) == 0 &&
		    (path[size] == '\0' || path[size] == '/')) {
			best = size;
			native = v[i].native;
		}
	}
	return native;
}

static bool
ask(struct cdn_broker *broker, const char *path, bool on_proc, bool unnamed)
{
	static struct cdn_object object;
	struct cdn_call call = { .broker = broker };

	snprintf(object.path, sizeof(object.path), "%s", path);
	object.on_proc = on_proc;
	object.unnamed = unnamed;
	return cdn_call_is_native(&call, &object);
}

static void
check_chance(struct cdn_broker *broker)
{
	int wrong = 0, native = 0;

	for (int i = 0; i < 20000; i++) {
		char path[256] = "";
		size_t n = 0;

		for (unsigned k = 1 + chance(5); k > 0; k--)
			n += (size_t)snprintf(path + n, sizeof(path) - n,
			    "/%s", names[chance(CDN_LEN(names))]);
		native += ask(broker, path, false, false);
		if (ask(broker, path, false, false) !=
		    naive(regions, CDN_LEN(regions), path) && wrong++ < 5)
			printf("# %s\n", path);
	}
	ok_f(wrong == 0 && native > 100, "%d of 20000 are native, %d wrong",
	    native, wrong);
}

int
main(void)
{
	bool left[CDN_LEN(regions)] = { false };
	struct cdn_broker broker = { .spec = { .regions = regions,
		.region_count = CDN_LEN(regions) }, .left = left };

	pthread_rwlock_init(&broker.judging, NULL);
	ok(ask(&broker, "/w/a", false, false), "the place itself");
	ok(ask(&broker, "/w/a/x", false, false), "below it");
	ok(!ask(&broker, "/w/a/b/x", false, false), "not in a deeper one");
	ok(ask(&broker, "/w/a/b/c/x", false, false), "a still deeper one");
	ok(!ask(&broker, "/w/a-b", false, false), "not what begins alike");
	ok(!ask(&broker, "/w/abc", false, false), "nor continues it");
	ok(!ask(&broker, "/", false, false), "not the root");
	ok(!ask(&broker, "/w/a/x", true, false), "nothing of /proc");
	ok(!ask(&broker, "pipe:[1]", false, true), "nothing without a name");
	check_chance(&broker);
	broker.spec.trace = true;
	ok(!ask(&broker, "/w/a/x", false, false), "nothing when all is traced");
	broker.spec.trace = false;
	broker.spec.region_count = 0;
	ok(!ask(&broker, "/w/a/x", false, false), "nothing without regions");
	broker.spec.region_count = CDN_LEN(regions);
	broker.closed = true;
	ok(!ask(&broker, "/w/a/x", false, false), "nothing after the close");
	return done_testing();
}
