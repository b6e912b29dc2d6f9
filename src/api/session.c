#include "api/api.h"

#include <sys/stat.h>

#include "enforce/session/workers.h"
#include "engine/decide/floor.h"
#include "engine/decide/preset.h"

/*
 * What the struct was when it was first published: callers compiled since then
 * give fewer fields than there are now, and the others are not set.
 */
#define OPTIONS_SIZE_FIRST offsetof(struct cordon_session_options, host_home)

/* More than a later version will ever have: the size is not one. */
#define OPTIONS_SIZE_MAX (sizeof(struct cordon_session_options) + 1024)

/* An option that is set and means nothing here could be one that denies. */
static bool
sets_unknown(const struct cordon_session_options *options)
{
	const char *bytes = (const char *)options;

	for (size_t i = sizeof(*options); i < options->size; i++)
		if (bytes[i] != 0)
			return true;
	return false;
}

int
cdn_api_session_options(const struct cordon_session_options *options,
    struct cordon_session_options *ret, struct cordon_error *err)
{
	struct cordon_session_options known = { 0 };

	if (options->size < OPTIONS_SIZE_FIRST ||
	    options->size > OPTIONS_SIZE_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "options: set .size to sizeof(options)");
	if (sets_unknown(options))
		return cdn_err(err, CORDON_E_INVALID, "options: one is set "
		    "that this version of libcordon does not know (use a "
		    "newer one)");
	memcpy(&known, options,
	    options->size < sizeof(known) ? options->size : sizeof(known));
	known.size = sizeof(known);
	*ret = known;
	return 0;
}

int
cordon_session_new(const struct cordon_session_options *options,
    struct cordon_diags *diags, struct cordon_session **ret,
    struct cordon_error *err)
{
	struct cordon_session_options known;
	int code;

	CDN_NEED(options, err);
	CDN_NEED(ret, err);
	code = cdn_api_session_options(options, &known, err);
	if (code != 0)
		return code;
	if ((unsigned)known.preset >= CORDON_PRESET_MAX)
		return cdn_err(err, CORDON_E_INVALID, "unknown preset");
	if ((unsigned)known.agent >= CORDON_AGENT_MAX)
		return cdn_err(err, CORDON_E_INVALID, "unknown agent");
	return cdn_session_new(&known, diags, ret, err);
}

int
cordon_session_call(const struct cordon_session_options *caller,
    const struct cordon_worker *child, struct cordon_diags *diags,
    struct cordon_session **ret, struct cordon_error *err)
{
	const struct cordon_worker *chain[CDN_WORKERS_MAX + 1];
	struct cordon_session_options options;
	int code;

	CDN_NEED(caller, err);
	CDN_NEED(child, err);
	code = cdn_api_session_options(caller, &options, err);
	if (code != 0)
		return code;
	if (options.worker_count >= CDN_WORKERS_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "workers call workers more than %d deep", CDN_WORKERS_MAX);
	for (size_t i = 0; i < options.worker_count; i++)
		chain[i] = options.workers[i];
	options.called |= options.worker_count == 0;
	chain[options.worker_count++] = child;
	options.workers = chain;
	return cordon_session_new(&options, diags, ret, err);
}

void
cordon_session_free(struct cordon_session *session)
{
	cdn_session_free(session);
}

const char *
cordon_session_profile(const struct cordon_session *session)
{
	return session->profile;
}

const char *
cordon_session_workspace(const struct cordon_session *session)
{
	return session->workspace;
}

static bool
same_directory(const char *a, const char *b)
{
	struct stat one, other;

	return a[0] == '/' && stat(a, &one) == 0 && stat(b, &other) == 0 &&
	    one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int
cordon_is_home(const char *dir, bool *ret, struct cordon_error *err)
{
	struct cdn_arena *arena;
	struct cdn_places places;
	int code;

	CDN_NEED(dir, err);
	CDN_NEED(ret, err);
	arena = cdn_arena_new();
	if (arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_places_find(arena, &places, err);
	if (code == 0)
		*ret = same_directory(places.home, dir) ||
		    same_directory(places.passwd_home, dir);
	cdn_arena_free(arena);
	return code;
}

bool
cordon_session_is_wide(const struct cordon_session *session)
{
	const char *workspace = session->workspace;

	return strcmp(workspace, "/") == 0 ||
	    same_directory(session->places.home, workspace) ||
	    (strcmp(session->places.home, session->places.passwd_home) != 0 &&
		same_directory(session->places.passwd_home, workspace));
}

void
cordon_session_filter(const struct cordon_session *session, const char *path,
    struct cordon_filter *ret)
{
	cdn_workers_filter(session, cdn_str_of(path), ret);
}

bool
cordon_session_document(const struct cordon_session *session, size_t i,
    struct cordon_document *ret)
{
	if (i >= session->file_count)
		return false;
	*ret = session->files[i];
	return true;
}

int
cordon_check(const struct cordon_session *session,
    const struct cordon_query *query, struct cordon_verdict *ret,
    struct cordon_error *err)
{
	CDN_NEED(session, err);
	CDN_NEED(ret, err);
	return cdn_session_check(session, query, ret, err);
}

struct stepper {
	void (*step)(const struct cordon_step *step, void *arg);
	void *arg;
};

static void
one_step(enum cordon_layer layer, const struct cdn_rule *rule, void *arg)
{
	const struct stepper *s = arg;
	struct cordon_step step = {
		.layer = layer,
		.rule = rule->pattern.p,
		.text = rule->text.p,
		.negated = rule->negated,
		.source = rule->pos.source,
		.line = rule->pos.line,
		.column = rule->pos.column,
	};

	s->step(&step, s->arg);
}

int
cordon_explain(const struct cordon_session *session,
    const struct cordon_query *query,
    void (*step)(const struct cordon_step *step, void *arg), void *arg,
    struct cordon_error *err)
{
	struct stepper s = { step, arg };

	CDN_NEED(session, err);
	CDN_NEED(step, err);
	return cdn_session_explain(session, query, one_step, &s, err);
}

/* What an untrusted document says of the world outside opens nothing. */
static struct cordon_profile
effective(const struct cordon_session *session, size_t i)
{
	struct cordon_profile profile = *session->documents[i].profile;

	if (session->documents[i].trusted)
		return profile;
	profile.host_read.n = profile.host_modify.n = 0;
	profile.sockets.n = 0;
	profile.network.mode = CDN_NETWORK_NONE;
	return profile;
}

static const char *
file_of(const struct cordon_session *session, size_t i)
{
	const struct cdn_loaded *loaded = cdn_session_loaded(session, i);
	size_t workers = session->document_count - session->worker_count;

	return loaded != NULL ? loaded->file :
	    session->workers[i - workers].worker->source;
}

/* Without a document: what the preset allows, less the defaults. */
static int
format_builtins(const struct cordon_session *session,
    enum cordon_format format, struct cdn_buf *buf, struct cordon_error *err)
{
	struct cordon_profile shown =
	    *cdn_authority_preset_profile(session->authority);
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	size_t n = cdn_authority_builtins(session->authority, builtins);

	for (size_t i = 0; i < n; i++)
		if (builtins[i].layer == CORDON_LAYER_DEFAULTS &&
		    shown.sets[CORDON_MODIFY].any_positive)
			shown.sets[CORDON_MODIFY] =
			    builtins[i].profile->sets[CORDON_MODIFY];
	return cdn_profile_format(&shown, format, NULL, NULL, buf, err);
}

static int
format_documents(const struct cordon_session *session,
    enum cordon_format format, struct cdn_buf *buf, struct cordon_error *err)
{
	bool several = session->document_count > 1;

	if (session->document_count == 0)
		return format_builtins(session, format, buf, err);
	for (size_t i = 0; i < session->document_count; i++) {
		const struct cdn_document *document = &session->documents[i];
		struct cordon_profile shown = effective(session, i);
		int code = cdn_profile_format(&shown, format,
		    several ? cordon_layer_name(document->layer) : NULL,
		    file_of(session, i), buf, err);

		if (code != 0)
			return code;
	}
	return 0;
}

int
cordon_session_format(const struct cordon_session *session,
    enum cordon_format format, char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;
	int code;

	CDN_NEED(session, err);
	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	code = format_documents(session, format, &buf, err);
	return cdn_api_give(code, &buf, ret, err);
}

bool
cordon_default_entry(size_t i, struct cordon_default_entry *ret)
{
	const struct cdn_executed *entry = cdn_preset_entry(i);

	if (entry == NULL || ret == NULL)
		return false;
	*ret = (struct cordon_default_entry){ entry->pattern, entry->what,
		entry->program, entry->group };
	return true;
}

const char *
cordon_default_group(size_t i)
{
	const struct cdn_preset_group *group = cdn_preset_group(i);

	return group == NULL ? NULL : group->name;
}

bool
cordon_session_unprotected(const struct cordon_session *session, size_t i,
    struct cordon_unprotected *ret)
{
	const struct cdn_preset_facts *facts;

	if (session == NULL || ret == NULL)
		return false;
	facts = &session->spec.facts;
	if (i < facts->allow_count) {
		*ret = (struct cordon_unprotected){ facts->allow[i],
			"<command line>", 0 };
		return true;
	}
	i -= facts->allow_count;
	if (i < facts->unprotect.n) {
		const struct cdn_rule *rule = &facts->unprotect.v[i];

		*ret = (struct cordon_unprotected){ rule->text.p,
			rule->pos.source, rule->pos.line };
	}
	return i < facts->unprotect.n;
}

bool
cordon_floor_entry(size_t i, struct cordon_floor_entry *ret)
{
	const struct cdn_floor_row *row = cdn_floor_credential(i);
	bool closed = row != NULL;
	size_t before = 0;

	while (cdn_floor_credential(before) != NULL)
		before++;
	if (!closed) {
		row = cdn_floor_private(i - before);
		closed = row != NULL;
	}
	if (!closed)
		row = cdn_floor_system(i - before - CDN_FLOOR_PRIVATE);
	if (row == NULL)
		return false;
	*ret = (struct cordon_floor_entry){ row->path, closed, row->why };
	return true;
}
