/*
 * What an inner run hands over, from bytes of anybody's: it is refused, or it
 * is a policy that allows nothing which the outer one denies.
 */
#include <cordon/cordon.h>

#include "enforce/session/handover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = { "/", "/etc/shadow", "/usr/bin/sh", "/w",
	"/w/a", "/w/secrets/s", "/w/a.env", "/tmp/x", "/root/.ssh/id" };

static bool
allows(const struct cordon_session *s, enum cordon_op op, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op,
		.path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	cdn_decide(s->authority, &question, &verdict);
	return verdict.allowed;
}

static struct cordon_session *
make_outer(void)
{
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = "/tmp", .preset = CORDON_PRESET_STRICT };
	struct cordon_session *outer = NULL;

	if (cordon_session_new(&options, NULL, &outer, NULL) != 0)
		abort();
	return outer;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cordon_session *outer;
	struct cdn_form form = { .reading = true,
		.in = { (const char *)data, size } };
	struct cordon_session *s = NULL;

	if (outer == NULL)
		outer = make_outer();
	if (cdn_session_take_over(&form, outer, &s, NULL) != 0)
		return 0;
	for (size_t i = 0; i < CDN_LEN(paths); i++)
		for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
			if (allows(s, op, paths[i]) &&
			    !allows(outer, op, paths[i]))
				abort();
	cdn_session_free(s);
	return 0;
}
