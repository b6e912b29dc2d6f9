/*
 * appear - names that are not there yet but may come.
 *
 * A directory in which nothing new may be made can be broken up into what is
 * there.  Whether something may be made is asked about every name that a rule
 * or a place mentions.
 */
#include "engine/plan/build.h"

struct asking {
	const struct cdn_plan_build *b;
	cdn_plan_listed_fn *is_listed;
	const void *listed;
};

/* In doubt it may appear. */
static bool
name_appears(const char *path, void *arg)
{
	const struct asking *a = arg;
	const struct cdn_plan_reader *reader = a->b->in->reader;
	bool directory;

	if (path == NULL)
		return true;
	if (a->is_listed(path, a->listed))
		return false;
	if (cdn_decide_subtree(a->b->view, CORDON_AS_PROCESS, CORDON_MODIFY,
		cdn_str_of(path)) == CDN_SUBTREE_DENY)
		return false;
	return !reader->exists(reader->arg, path, &directory);
}

bool
cdn_plan_may_appear(const struct cdn_plan_build *b, const char *dir,
    cdn_plan_listed_fn *is_listed, const void *listed)
{
	const struct cdn_plan_mentions in = { .authority = b->in->authority,
		.spec = b->in->spec };
	struct asking a = { b, is_listed, listed };

	return cdn_plan_mentioned(&in, dir, name_appears, &a);
}
