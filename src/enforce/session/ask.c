/*
 * ask - a question from outside becomes one the decision function can judge:
 * strings are normalised, names become real paths.
 */
#include "enforce/session/folded.h"

#include <errno.h>

#include "enforce/session/inodes.h"
#include "enforce/session/placelist.h"
#include "enforce/session/survey.h"

#include "engine/decide/block.h"
#include "engine/decide/floor.h"
#include "engine/match/endpoint.h"
#include "engine/match/fold.h"
#include "engine/match/normalize.h"

/* A question and the memory its path lies in. */
struct asked {
	struct cdn_question question;
	struct cdn_real real; /* PROCESS and AGENT */
	bool has_real;
	char text[CDN_PATH_MAX + 1]; /* POLICY, CONNECT, BIND */
};

/* ----- What was asked ------------------------------------------------------------ */

static bool
is_network(enum cordon_op op)
{
	return op == CORDON_CONNECT || op == CORDON_BIND;
}

/* HOST:PORT has no slash; a socket's path has one, or begins with a dot. */
static bool
names_socket(const struct cordon_query *q)
{
	return is_network(q->op) && (q->path_len == 0 || q->path[0] == '.' ||
	    memchr(q->path, '/', q->path_len) != NULL);
}

static int
check_query(const struct cordon_query *q, struct cordon_error *err)
{
	if (q == NULL || q->size < sizeof(*q) || q->path == NULL)
		return cdn_err(err, CORDON_E_INVALID, "incomplete query");
	if ((unsigned)q->op >= CORDON_OP_MAX)
		return cdn_err(err, CORDON_E_INVALID, "unknown operation");
	if ((unsigned)q->as >= CORDON_AS_MAX)
		return cdn_err(err, CORDON_E_INVALID, "unknown question");
	if (q->path_len > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "path is longer than %d bytes", CDN_PATH_MAX);
	if (memchr(q->path, '\0', q->path_len) != NULL)
		return cdn_err(err, CORDON_E_INVALID, "path holds a NUL byte");
	return 0;
}

static int
ask_endpoint(const struct cordon_query *q, struct asked *a,
    struct cordon_error *err)
{
	return cdn_endpoint_normalize((cdn_str){ q->path, q->path_len },
	    CDN_ENDPOINT_QUESTION, a->text, sizeof(a->text),
	    &a->question.path.n, err);
}

/* The string door: the documents alone. */
static int
ask_policy(const struct cordon_session *s, const struct cordon_query *q,
    struct asked *a, struct cordon_error *err)
{
	if (s->loaded_count == 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "no policy document is loaded, and '--as policy' asks the "
		    "documents alone (pass --policy FILE)");
	if (names_socket(q))
		return cdn_err(err, CORDON_E_INVALID,
		    "a socket's path is not judged as policy (use --as "
		    "process or --as agent)");
	a->question.path.p = a->text;
	if (is_network(q->op))
		return ask_endpoint(q, a, err);
	return cdn_path_normalize((cdn_str){ q->path, q->path_len }, a->text,
	    sizeof(a->text), &a->question.path.n, err);
}

/*
 * A descriptor that we do not have, or a process that is gone, may be there
 * for whoever asks: below /proc/PID a missing name has no answer.
 */
static int
check_process(const struct cdn_real *real, struct cordon_error *err)
{
	cdn_str path = { real->path, real->len };
	cdn_str pid = cdn_str_from(path, sizeof("/proc/") - 1);

	if (real->exists || !cdn_str_starts(path, CDN_STR("/proc/")) ||
	    pid.n == 0 || pid.p[0] < '0' || pid.p[0] > '9')
		return 0;
	(void)cdn_err_sys(err, ENOENT,
	    "'%s' depends on the process that asks", real->path);
	return cdn_err_recode(err, CORDON_E_RESOLVE);
}

/* A workspace that has gone since is not the same as a path outside. */
static int
check_workspace(const struct cordon_session *s, const struct cdn_real *real,
    struct cordon_error *err)
{
	struct cdn_real workspace;
	size_t n = strlen(s->workspace);

	if (real->exists || real->existing >= n)
		return 0;
	return cdn_path_workspace(s->workspace, &workspace, err);
}

int
cdn_session_find(const struct cordon_session *session, const char *base,
    cdn_str raw, struct cdn_real *ret, struct cordon_error *err)
{
	int code;

	if (raw.n > 0 && raw.p[0] == '~')
		return cdn_err(err, CORDON_E_INVALID,
		    "path starts with '~', which only a shell expands (write "
		    "the directory, or './~' for a file of that name)");
	code = cdn_path_resolve(base, raw, ret, err);
	if (code == 0)
		code = check_workspace(session, ret, err);
	if (code == 0)
		code = check_process(ret, err);
	return code;
}

/* The physical door: names become objects first. */
static int
ask_real(const struct cordon_session *s, const struct cordon_query *q,
    struct asked *a, struct cordon_error *err)
{
	int code;

	if (is_network(q->op) && !names_socket(q)) {
		a->question.path.p = a->text;
		return ask_endpoint(q, a, err);
	}
	if (q->path_len == 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "path must not be empty");
	code = cdn_session_find(s, s->cwd, (cdn_str){ q->path, q->path_len },
	    &a->real, err);
	if (code != 0)
		return code;
	a->has_real = true;
	a->question.is_socket = is_network(q->op);
	a->question.path = (cdn_str){ a->real.path, a->real.len };
	return 0;
}

static int
ask(const struct cordon_session *s, const struct cordon_query *q,
    struct asked *a, struct cordon_error *err)
{
	a->question = (struct cdn_question){ .as = q->as, .op = q->op };
	a->has_real = false;
	if (q->as == CORDON_AS_POLICY)
		return ask_policy(s, q, a, err);
	return ask_real(s, q, a, err);
}

/* ----- Beyond the name ------------------------------------------------------------- */

/* Where case does not matter to the file system it does not to a deny. */
static int
judge_folded(const struct cordon_session *s, const struct cdn_question *asked,
    const struct cdn_real *real, struct cordon_verdict *verdict,
    struct cordon_error *err)
{
	struct cdn_question question = *asked;
	const struct cdn_authority *authority;
	struct cordon_verdict folded;
	char text[CDN_PATH_MAX + 1];
	int code;

	if (!verdict->allowed || !cdn_path_folds_case(real))
		return 0;
	code = cdn_folded_authority(s, &authority, err);
	if (code != 0)
		return code;
	question.path = (cdn_str){ text, cdn_fold(asked->path, text) };
	cdn_decide(authority, &question, &folded);
	if (!folded.allowed)
		*verdict = folded;
	return 0;
}

/* Of repositories that were not found when the session began. */
static int
judge_surveyed(const struct cordon_session *s,
    const struct cdn_question *question, struct cordon_verdict *verdict,
    struct cordon_error *err)
{
	const struct cdn_authority *authority;
	struct cordon_verdict surveyed = { 0 };
	int code;

	if (!verdict->allowed || question->op != CORDON_MODIFY ||
	    !cdn_survey_concerns(s, question->path))
		return 0;
	code = cdn_survey_authority(s, &authority, err);
	if (code != 0)
		return code;
	cdn_decide(authority, question, &surveyed);
	if (!surveyed.allowed)
		*verdict = surveyed;
	return 0;
}

/*
 * Threat:    a session that did not look for root's private files is asked about
 *	      one, and allows it.
 * Invariant: it answers only for what none of them can be: a name in a workspace
 *	      that lies apart from them, without a second name.
 * Held by:   asked before the walk is left out, and again at every question, for
 *	      what a name leads to may have changed.  Mounts by which they are
 *	      seen elsewhere are looked at like the directories themselves.
 */
static bool
is_inside(const struct cordon_session *s, const struct cdn_real *real)
{
	return cdn_placelist_below(real->path, s->workspace) &&
	    (!real->exists || real->is_directory || real->nlink < 2);
}

/* A directory that lies apart from the workspace, so far. */
struct apart {
	const char *workspace;
	bool is;
};

static void
compare_place(const char *path, void *arg)
{
	struct apart *apart = arg;

	apart->is &= !cdn_placelist_below(apart->workspace, path) &&
	    !cdn_placelist_below(path, apart->workspace);
}

static bool
is_apart(const struct cordon_session *s, const struct cdn_mounts *mounts,
    const char *dir)
{
	struct apart apart = { s->workspace, true };
	char real[PATH_MAX];

	if (realpath(dir, real) == NULL)
		return errno == ENOENT;
	compare_place(real, &apart);
	return cdn_mounts_aliases(s->arena, mounts, real, compare_place,
		   &apart, NULL) == 0 && apart.is;
}

bool
cdn_session_asks_inside(const struct cordon_session *session,
    const struct cordon_session_options *options,
    const struct cdn_mounts *mounts)
{
	struct cdn_real real;

	if (session->mounts_unknown)
		return false;
	for (size_t i = 0; i < CDN_FLOOR_PRIVATE; i++)
		if (!is_apart(session, mounts, cdn_floor_private(i)->path))
			return false;
	for (size_t i = 0; i < options->asked_count; i++)
		if (cdn_session_find(session, session->cwd,
			cdn_str_of(options->asked[i]), &real, NULL) != 0 ||
		    !is_inside(session, &real))
			return false;
	return true;
}

/* real: NULL where the question is about no object. */
static int
judge(const struct cordon_session *s, const struct cdn_question *question,
    const struct cdn_real *real, struct cordon_verdict *ret,
    struct cordon_error *err)
{
	int code = 0;

	if (s->only_inside && real != NULL && !is_inside(s, real))
		return cdn_err(err, CORDON_E_INVALID, "'%s' is not among the "
		    "paths that the session was made for", real->path);
	cdn_decide(s->authority, question, ret);
	if (real != NULL)
		code = judge_surveyed(s, question, ret, err);
	if (code == 0 && real != NULL)
		code = judge_folded(s, question, real, ret, err);
	if (code == 0 && real != NULL)
		cdn_inodes_judge(s, question, real, ret, NULL);
	return code;
}

int
cdn_session_judge(const struct cordon_session *session, enum cordon_as as,
    enum cordon_op op, const struct cdn_real *real, struct cordon_verdict *ret,
    struct cordon_error *err)
{
	struct cdn_question question = { .as = as, .op = op,
		.path = { real->path, real->len } };
	struct cordon_verdict verdict;
	int code = judge(session, &question, real, &verdict, err);

	if (code == 0)
		*ret = verdict;
	return code;
}

/* ----- The block list --------------------------------------------------------------- */

/* The real path is part of the answer, so a buffer too small is an error. */
static int
give_real(const struct cordon_query *q, const struct cdn_real *real,
    struct cordon_error *err)
{
	size_t len = real == NULL ? 0 : real->len;

	if (q->real_path == NULL)
		return 0;
	if (q->real_path_size <= len)
		return cdn_err(err, CORDON_E_INVALID,
		    "no room for the real path");
	memcpy(q->real_path, real == NULL ? "" : real->path, len);
	q->real_path[len] = '\0';
	return 0;
}

struct block {
	struct cdn_real data;
	struct cdn_real config;
	struct cdn_real extra;
};

static int
resolve_below(const char *dir, const char *name, struct cdn_real *ret,
    struct cordon_error *err)
{
	if (dir[0] != '/')
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' must be an absolute path", dir);
	return cdn_path_resolve(dir, cdn_str_of(name), ret, err);
}

static int
find_block(const struct cordon_query *q, struct block *b,
    struct cordon_error *err)
{
	int code;

	if (q->data_dir == NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "the block list needs a data directory (--data-dir DIR)");
	b->extra.len = 0;
	code = resolve_below(q->data_dir, "data", &b->data, err);
	if (code == 0)
		code = resolve_below(q->data_dir, "config.toml", &b->config,
		    err);
	if (code == 0 && q->config_path != NULL)
		code = resolve_below(q->config_path, "", &b->extra, err);
	return code;
}

static bool
is_private_inode(const struct block *b, const struct cdn_real *real)
{
	const struct cdn_real *places[] = { &b->data, &b->config, &b->extra };

	if (!real->exists || real->is_directory || real->nlink < 2)
		return false;
	for (size_t i = 0; i < CDN_LEN(places); i++)
		if (places[i]->len > 0 && cdn_path_holds_inode(places[i]->path,
			real->dev, real->ino) != CDN_HELD_NOT)
			return true;
	return false;
}

static int
judge_block(const struct cordon_query *q, const struct block *b,
    struct cordon_verdict *ret, struct cordon_error *err)
{
	struct cdn_block_places places = {
		.data = { b->data.path, b->data.len },
		.config = { b->config.path, b->config.len },
		.extra = { b->extra.path, b->extra.len },
	};
	struct cdn_real real;
	int code = cdn_path_resolve("/", (cdn_str){ q->path, q->path_len },
	    &real, err);

	if (code == 0)
		code = give_real(q, &real, err);
	if (code != 0)
		return code;
	cdn_block_judge(&places, q->op, (cdn_str){ real.path, real.len }, ret);
	if (ret->allowed && is_private_inode(b, &real))
		cdn_block_verdict(q->op, cdn_block_inode, ret);
	return 0;
}

static int
check_block(const struct cordon_query *q, struct cordon_verdict *ret,
    struct cordon_error *err)
{
	struct block b;
	int code = find_block(q, &b, err);

	if (code != 0)
		return code;
	if (q->path_len > 0 && q->path[0] == '/')
		return judge_block(q, &b, ret, err);
	cdn_block_verdict(q->op, cdn_block_relative, ret);
	return give_real(q, NULL, err);
}

/* ----- Answers ------------------------------------------------------------------------ */

static int
check_question(const struct cordon_session *s, const struct cordon_query *q,
    struct cordon_verdict *ret, struct cordon_error *err)
{
	struct asked a;
	int code = ask(s, q, &a, err);

	if (code == 0)
		code = give_real(q, a.has_real ? &a.real : NULL, err);
	if (code != 0)
		return code;
	return judge(s, &a.question, a.has_real ? &a.real : NULL, ret, err);
}

int
cdn_session_check(const struct cordon_session *session,
    const struct cordon_query *query, struct cordon_verdict *ret,
    struct cordon_error *err)
{
	struct cordon_verdict verdict;
	int code = check_query(query, err);

	if (code == 0)
		code = query->as == CORDON_AS_BLOCK ?
		    check_block(query, &verdict, err) :
		    check_question(session, query, &verdict, err);
	if (code == 0)
		*ret = verdict;
	return code;
}

/* What another name of the same file says comes last: it decides. */
static void
explain_inode(const struct cordon_session *s, const struct asked *a,
    cdn_explain_fn *matched, void *arg)
{
	struct cordon_verdict verdict;
	struct cdn_rule rule = { 0 };

	if (!a->has_real)
		return;
	cdn_decide(s->authority, &a->question, &verdict);
	cdn_inodes_judge(s, &a->question, &a->real, &verdict, &rule);
	if (rule.negated)
		matched(verdict.layer, &rule, arg);
}

int
cdn_session_explain(const struct cordon_session *session,
    const struct cordon_query *query, cdn_explain_fn *matched, void *arg,
    struct cordon_error *err)
{
	struct asked a;
	int code = check_query(query, err);

	if (code != 0 || query->as == CORDON_AS_BLOCK)
		return code;
	code = ask(session, query, &a, err);
	if (code != 0)
		return code;
	if (session->only_inside && a.has_real && !is_inside(session, &a.real))
		return cdn_err(err, CORDON_E_INVALID, "'%s' is not among the "
		    "paths that the session was made for", a.real.path);
	cdn_decide_explain(session->authority, &a.question, matched, arg);
	explain_inode(session, &a, matched, arg);
	return 0;
}
