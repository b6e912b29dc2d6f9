/*
 * Documents of workers: what loads is printed, loads again and is then printed
 * the same; and a worker can call itself, unless nobody can tell what its roots
 * are.
 */
#include <assert.h>

#include "engine/worker/worker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
has_parents(const struct cordon_worker *worker)
{
	for (size_t i = 0; i < worker->path_count; i++)
		if (strstr(worker->paths[i].root.p, "..") != NULL)
			return true;
	return false;
}

static void
check(const struct cordon_worker *worker)
{
	struct cordon_worker *again = NULL;
	struct cdn_buf one, two;
	int fits;

	cdn_buf_init(&one, CDN_DOCUMENT_MAX);
	cdn_buf_init(&two, CDN_DOCUMENT_MAX);
	if (cdn_worker_format(worker, &one, NULL) == 0 &&
	    cdn_worker_parse((cdn_str){ one.p, one.n }, "again",
		CDN_WORKER_NOW, NULL, &again, NULL) == 0) {
		assert(cdn_worker_format(again, &two, NULL) == 0);
		assert(one.n == two.n && memcmp(one.p, two.p, one.n) == 0);
		fits = cdn_worker_fits(worker, again, NULL);
		assert(fits == 0 || has_parents(worker));
	}
	cdn_worker_free(again);
	cdn_buf_done(&one);
	cdn_buf_done(&two);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cdn_str text = { (const char *)data, size };

	for (int mode = CDN_WORKER_NOW; mode <= CDN_WORKER_OLD; mode++) {
		struct cordon_worker *worker = NULL;

		if (cdn_worker_parse(text, "fuzz", (enum cdn_worker_mode)mode,
			NULL, &worker, NULL) == 0)
			check(worker);
		cdn_worker_free(worker);
	}
	return 0;
}
