/*
 * What the decision function says of a probe.  The questions are those that the
 * broker asks about the same call; nothing is decided here.
 */
#include "enforce/verify/probe.h"

#include "base/str.h"
#include "enforce/session/folded.h"

static int
ask(const struct cordon_session *session, enum cordon_op op, const char *path,
    struct cordon_verdict *ret)
{
	struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_PROCESS,
		.op = op,
		.path = path,
		.path_len = strlen(path),
	};

	return cdn_session_check(session, &query, ret, NULL);
}

/* A file without a name is judged by the one the kernel shows for it. */
static int
ask_tmpfile(const struct cordon_session *session, const char *dir,
    struct cordon_verdict *ret)
{
	char path[CDN_PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/#0", dir[1] == '\0' ? "" : dir);
	return ask(session, CORDON_MODIFY, path, ret);
}

static enum cdn_compound_result
ask_pair(const struct cordon_session *session, enum cdn_compound what,
    const char *from, const char *to, struct cordon_verdict *ret)
{
	enum cdn_compound_result r = cdn_decide_compound(session->authority,
	    CORDON_AS_PROCESS, what, cdn_str_of(from), cdn_str_of(to), ret);

	if (r == CDN_COMPOUND_ALLOW)
		r = cdn_folded_compound(session, what, cdn_str_of(from),
		    cdn_str_of(to), ret);
	if (r == CDN_COMPOUND_SPLIT) {
		ret->allowed = false;
		ret->decision = CORDON_DENY;
	}
	return r;
}

static bool
ask_compound(const struct cordon_session *session,
    const struct cdn_probe *probe, struct cordon_verdict *ret)
{
	switch (probe->how) {
	case CDN_TRY_SYMLINK:
		(void)ask_pair(session, CDN_SYMLINK, probe->path, probe->path,
		    ret);
		return true;
	case CDN_TRY_RENAME:
		(void)ask_pair(session, CDN_RENAME, probe->path, probe->other,
		    ret);
		return true;
	case CDN_TRY_LINK:
		(void)ask_pair(session, CDN_LINK, probe->path, probe->other,
		    ret);
		return true;
	default:
		return false;
	}
}

/* It has to be made before it can be tried, and removed. */
static bool
can_be_made(const struct cordon_session *session,
    const struct cdn_probe *probe)
{
	struct cordon_verdict verdict;

	switch (probe->how) {
	case CDN_TRY_REREAD:
	case CDN_TRY_CHMOD:
	case CDN_TRY_TRUNCATE:
	case CDN_TRY_RENAME:
	case CDN_TRY_LINK:
		return ask(session, CORDON_MODIFY, probe->path, &verdict) ==
		    0 && verdict.allowed;
	default:
		return true;
	}
}

void
cdn_expect(const struct cordon_session *session, struct cdn_probe *probe)
{
	struct cordon_verdict *verdict = &probe->verdict;
	int code = 0;

	if (probe->how == CDN_TRY_ESCAPE) {
		*verdict = (struct cordon_verdict){ .decision = CORDON_DENY,
			.layer = CORDON_LAYER_FLOOR,
			.matched_rule = cdn_escapes[probe->escape].what };
		probe->expected = true;
		return;
	}
	if (!can_be_made(session, probe))
		return;
	if (probe->how == CDN_TRY_TMPFILE)
		code = ask_tmpfile(session, probe->path, verdict);
	else if (!ask_compound(session, probe, verdict))
		code = ask(session, cdn_tries[probe->how].op, probe->path,
		    verdict);
	probe->expected = code == 0;
}

bool
cdn_expect_split(const struct cordon_session *session,
    const struct cdn_probe *probe)
{
	struct cordon_verdict verdict;

	return (probe->how == CDN_TRY_RENAME || probe->how == CDN_TRY_LINK) &&
	    ask_pair(session, CDN_RENAME_DIR, probe->path, probe->other,
		&verdict) != CDN_COMPOUND_ALLOW;
}
