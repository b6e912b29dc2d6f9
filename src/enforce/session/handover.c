#include "enforce/session/handover.h"

#include "enforce/session/workers.h"
#include "engine/decide/agents.h"

#define FORM_NUMBER 4 /* of what follows; both must mean the same */

/* ----- Places -------------------------------------------------------------------- */

/* "/a/b": absolute, and as short as it can be said. */
static bool
is_canonical(const char *path)
{
	cdn_str rest = cdn_str_of(path), part;

	if (rest.n > CDN_PATTERN_MAX || rest.n == 0 || rest.p[0] != '/')
		return false;
	rest = cdn_str_from(rest, 1);
	if (rest.n == 0)
		return true;
	while (cdn_str_next(&rest, '/', &part))
		if (part.n == 0 || cdn_str_eq(part, CDN_STR(".")) ||
		    cdn_str_eq(part, CDN_STR("..")))
			return false;
	return true;
}

static void
form_path(struct cdn_form *form, const char **path)
{
	cdn_form_string(form, path);
	if (form->reading && !form->bad &&
	    (*path == NULL || !is_canonical(*path)))
		form->bad = true;
}

static void
form_pos(struct cdn_form *form, struct cdn_pos *pos)
{
	cdn_form_string(form, &pos->source);
	cdn_form_number(form, &pos->line, UINT32_MAX);
	cdn_form_number(form, &pos->column, UINT32_MAX);
}

static void
form_place(struct cdn_form *form, struct cdn_place *place)
{
	form_path(form, &place->path);
	cdn_form_string(form, &place->shown);
	form_pos(form, &place->pos);
	cdn_form_bool(form, &place->glob);
	cdn_form_bool(form, &place->sidecars);
	cdn_form_bool(form, &place->alone);
	form->bad |= place->shown == NULL;
}

static void
form_places(struct cdn_form *form, struct cdn_place_list *list)
{
	struct cdn_place *v = cdn_form_array(form, &list->n, CDN_RULES_MAX,
	    sizeof(*v));

	for (size_t i = 0; i < list->n && !form->bad; i++) {
		struct cdn_place place = { 0 };

		if (!form->reading)
			place = list->v[i];
		form_place(form, &place);
		if (form->reading)
			v[i] = place;
	}
	if (form->reading)
		list->v = v;
}

/* ----- Documents ----------------------------------------------------------------- */

/* The bytes that were read; what was merged has none, and is written anew. */
static void
write_policy(struct cdn_form *form, const struct cordon_policy *policy)
{
	struct cdn_buf text;
	cdn_str bytes = policy->text;

	cdn_buf_init(&text, CDN_DOCUMENT_MAX);
	if (bytes.p == NULL) {
		if (cdn_policy_format(policy, CORDON_FORMAT_YAML, &text,
			NULL) != 0)
			form->bad = true;
		bytes = (cdn_str){ text.p, text.n };
	}
	cdn_form_bytes(form, &bytes);
	cdn_buf_done(&text);
}

static void
form_loaded(struct cdn_form *form, struct cdn_loaded *loaded, cdn_str *text)
{
	unsigned layer = loaded->layer;

	cdn_form_number(form, &layer, CORDON_LAYER_POLICY);
	cdn_form_string(form, &loaded->file);
	cdn_form_bool(form, &loaded->trusted);
	cdn_form_bool(form, &loaded->denies_only);
	if (form->reading)
		cdn_form_bytes(form, text);
	else
		write_policy(form, loaded->policy);
	loaded->layer = (enum cordon_layer)layer;
	form->bad |= loaded->file == NULL ||
	    (form->reading && layer < CORDON_LAYER_HOST);
}

/* Of each under each profile. */
static void
form_roots(struct cdn_form *form, struct cdn_document *document)
{
	form_places(form, &document->host_read);
	form_places(form, &document->host_modify);
	form_places(form, &document->sockets);
}

static void
write_documents(struct cdn_form *form, const struct cordon_session *s)
{
	size_t n = s->loaded_count;

	(void)cdn_form_array(form, &n, CDN_LAYERS_MAX, 1);
	for (size_t i = 0; i < n; i++) {
		struct cdn_loaded loaded = s->loaded[i];

		form_loaded(form, &loaded, NULL);
	}
	for (size_t i = 0; i < n * s->profile_count; i++) {
		struct cdn_document document = s->documents[i];

		form_roots(form, &document);
	}
}

/* ----- Workers ------------------------------------------------------------------- */

/* Its entry by number, counted from 1; 0: a module's. */
static void
form_root(struct cdn_form *form, const struct cordon_worker *worker,
    struct cdn_worker_place *place)
{
	unsigned entry = place->entry == NULL ? 0 :
	    (unsigned)(place->entry - worker->paths) + 1;

	form_path(form, &place->path);
	cdn_form_bool(form, &place->write);
	cdn_form_string(form, &place->shown);
	form_pos(form, &place->pos);
	cdn_form_number(form, &entry, (unsigned)worker->path_count);
	form->bad |= place->shown == NULL;
	if (form->reading && !form->bad && entry > 0)
		place->entry = &worker->paths[entry - 1];
}

static void
form_seat(struct cdn_form *form, struct cdn_seat *seat)
{
	struct cdn_worker_place *v = cdn_form_array(form, &seat->place_count,
	    CDN_RULES_MAX, sizeof(*v));

	for (size_t i = 0; i < seat->place_count && !form->bad; i++) {
		struct cdn_worker_place place = { 0 };

		if (!form->reading)
			place = seat->places[i];
		form_root(form, seat->worker, &place);
		if (form->reading)
			v[i] = place;
	}
	if (form->reading)
		seat->places = v;
}

static void
write_workers(struct cdn_form *form, const struct cordon_session *s)
{
	size_t n = s->worker_count;
	bool called = cdn_workers_called(s, 0);

	cdn_form_bool(form, &called);
	(void)cdn_form_array(form, &n, CDN_WORKERS_MAX, 1);
	for (size_t i = 0; i < n; i++) {
		struct cdn_seat seat = s->workers[i];
		const char *source = seat.worker->source;
		bool is_file = seat.worker->is_file;
		cdn_str text = seat.worker->text;

		cdn_form_string(form, &source);
		cdn_form_bool(form, &is_file);
		cdn_form_bytes(form, &text);
		form_seat(form, &seat);
	}
}

/* ----- The rest ------------------------------------------------------------------ */

/* Which agent, if any: the record names it. */
static void
form_agent(struct cdn_form *form, struct cordon_session *s)
{
	const char *name = s->agent.is == NULL ? NULL : s->agent.is->name;

	cdn_form_string(form, &name);
	cdn_form_string(form, &s->spec.network_source);
	if (!form->reading)
		return;
	s->agent = (struct cdn_agent_here){ .scratch = "",
		.is = name == NULL ? NULL : cdn_agent_find(name) };
	form->bad |= name != NULL && s->agent.is == NULL;
	/* Whose network it is that is open, is known by the very string. */
	if (s->agent.is != NULL && s->spec.network_source != NULL &&
	    strcmp(s->spec.network_source, s->agent.is->source) == 0)
		s->spec.network_source = s->agent.is->source;
}

/* What the defaults protect here beside their table. */
static void
form_executed(struct cdn_form *form, struct cdn_preset_facts *facts)
{
	struct cdn_found_executed *read = cdn_form_array(form,
	    &facts->executed_count, CDN_RULES_MAX, sizeof(*read));

	for (size_t i = 0; i < facts->executed_count && !form->bad; i++) {
		struct cdn_found_executed one = { 0 };

		if (!form->reading)
			one = facts->executed[i];
		cdn_form_string(form, &one.pattern);
		cdn_form_string(form, &one.group);
		cdn_form_string(form, &one.name);
		cdn_form_bool(form, &one.link);
		form->bad |= one.pattern == NULL || one.group == NULL ||
		    !cdn_preset_is_group(one.group);
		if (read != NULL)
			read[i] = one;
	}
	if (form->reading)
		facts->executed = read;
}

/* Everything that is not a document. */
static void
form_rest(struct cdn_form *form, struct cordon_session *s)
{
	struct cdn_authority_spec *spec = &s->spec;
	struct cdn_place_list *const lists[] = { &spec->sealed, &spec->hidden,
		&spec->own, &spec->closed, &spec->command_read,
		&spec->command_write, &spec->runtime_write_roots,
		&spec->runtime_read, &spec->runtime_write, &spec->kept,
		&spec->command_sockets };
	unsigned preset = s->preset, git = spec->facts.git;
	const char **allow, **linked, **inside, **profiles;
	const char **repositories, **guarded;

	form_path(form, &s->workspace);
	cdn_form_string(form, &s->profile);
	profiles = cdn_form_strings(form, s->profiles, &s->profile_count,
	    CDN_WORKERS_MAX + 1);
	cdn_form_number(form, &preset, CORDON_PRESET_MAX - 1);
	cdn_form_number(form, &git, CDN_GIT_FRESH);
	form_executed(form, &spec->facts);
	allow = cdn_form_strings(form, spec->facts.allow,
	    &spec->facts.allow_count, CDN_ALLOW_MAX);
	repositories = cdn_form_strings(form, spec->facts.repositories,
	    &spec->facts.repository_count, CDN_REPOSITORIES_MAX);
	guarded = cdn_form_strings(form, s->guarded, &s->guarded_count,
	    CDN_NESTED_NAMES);
	cdn_form_bool(form, &spec->no_defaults);
	for (size_t i = 0; i < CDN_LEN(lists); i++)
		form_places(form, lists[i]);
	cdn_form_string(form, &s->network_text);
	form_agent(form, s);
	cdn_form_bool(form, &spec->network_granted);
	cdn_form_bool(form, &s->mounts_unknown);
	linked = cdn_form_strings(form, s->linked, &s->linked_count,
	    CDN_NESTED_NAMES);
	inside = cdn_form_strings(form, s->inside, &s->inside_count,
	    CDN_NESTED_NAMES);
	cdn_form_string(form, &s->shown_at);
	cdn_form_string(form, &s->shown_rule);
	s->preset = (enum cordon_preset)preset;
	spec->facts.git = (enum cdn_preset_git)git;
	if (form->reading) {
		spec->facts.allow = allow;
		spec->facts.repositories = repositories;
		s->guarded = guarded;
		s->profiles = profiles;
		s->linked = linked;
		s->inside = inside;
	}
	form->bad |= s->profile == NULL || s->profile_count == 0 ||
	    (s->shown_at == NULL) != (s->shown_rule == NULL);
}

static void
form_number(struct cdn_form *form)
{
	const char *version = cordon_version();
	unsigned number = FORM_NUMBER;

	cdn_form_number(form, &number, FORM_NUMBER);
	cdn_form_string(form, &version);
	form->bad |= number != FORM_NUMBER || version == NULL ||
	    strcmp(version, cordon_version()) != 0;
}

void
cdn_session_hand_over(const struct cordon_session *session,
    struct cdn_form *form)
{
	struct cordon_session copy = *session;

	form_number(form);
	form_rest(form, &copy);
	write_documents(form, session);
	write_workers(form, session);
}

/* ----- Taking it ----------------------------------------------------------------- */

static int
bad(struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID, "what an inner run handed over "
	    "is not understood (both must be the same version of cordon)");
}

/* The policy is the session's at once, so that it goes with it. */
static int
read_document(struct cdn_form *form, struct cordon_session *s, size_t i,
    struct cordon_error *err)
{
	struct cdn_loaded *loaded = &s->loaded[i];
	cdn_str text = { "", 0 };
	int code;

	form_loaded(form, loaded, &text);
	if (form->bad)
		return bad(err);
	code = cdn_policy_parse(text, loaded->file, NULL, &loaded->policy,
	    err);
	if (code != 0)
		return code;
	s->loaded_count = s->file_count = i + 1;
	s->files[i] = (struct cordon_document){
		.layer = loaded->layer, .file = loaded->file,
		.name = loaded->policy->name.p,
		.digest = loaded->policy->digest, .trusted = loaded->trusted,
	};
	return 0;
}

static int
read_documents(struct cdn_form *form, struct cordon_session *s,
    struct cordon_error *err)
{
	size_t n, all;
	int code = 0;

	s->loaded = cdn_form_array(form, &n, CDN_LAYERS_MAX,
	    sizeof(*s->loaded));
	all = n * s->profile_count;
	s->files = cdn_arena_array(s->arena, n + CDN_WORKERS_MAX,
	    sizeof(*s->files));
	s->documents = cdn_arena_array(s->arena, all + CDN_WORKERS_MAX,
	    sizeof(*s->documents));
	if (form->bad)
		return bad(err);
	if (s->files == NULL || s->documents == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < n && code == 0; i++)
		code = read_document(form, s, i, err);
	for (size_t i = 0; i < all && code == 0; i++)
		form_roots(form, &s->documents[i]);
	return code == 0 && form->bad ? bad(err) : code;
}

/* So is the worker; its places are those that were found inside. */
static int
read_worker(struct cdn_form *form, struct cordon_session *s, size_t i,
    struct cordon_error *err)
{
	struct cdn_seat *seat = &s->workers[i];
	struct cordon_worker *worker;
	const char *source;
	bool is_file = false;
	cdn_str text;
	int code;

	cdn_form_string(form, &source);
	cdn_form_bool(form, &is_file);
	cdn_form_bytes(form, &text);
	if (form->bad || source == NULL)
		return bad(err);
	code = cdn_worker_parse(text, source, CDN_WORKER_NOW, NULL, &worker,
	    err);
	if (code != 0)
		return code;
	s->handed[s->handed_count++] = worker;
	worker->is_file = is_file;
	seat->worker = worker;
	form_seat(form, seat);
	s->files[s->file_count++] = (struct cordon_document){
		.layer = CORDON_LAYER_WORKER, .file = is_file ? source : "",
		.name = worker->name.p, .digest = worker->digest,
		.trusted = !cdn_workers_called(s, i),
	};
	return form->bad ? bad(err) : 0;
}

static int
read_workers(struct cdn_form *form, struct cordon_session *s,
    struct cordon_error *err)
{
	bool called = true;
	size_t n;
	int code = 0;

	cdn_form_bool(form, &called);
	s->first_called = called ? 0 : 1;
	s->workers = cdn_form_array(form, &n, CDN_WORKERS_MAX,
	    sizeof(*s->workers));
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
	s->handed = cdn_arena_array(s->arena, n + 1, sizeof(*s->handed));
	if (form->bad)
		return bad(err);
	if (s->handed == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < n && code == 0; i++) {
		code = read_worker(form, s, i, err);
		if (code == 0)
			s->worker_count = i + 1;
	}
	return code;
}

static int
read_all(struct cdn_form *form, struct cordon_session *s,
    struct cordon_error *err)
{
	int code;

	form_number(form);
	if (!form->bad)
		form_rest(form, s);
	if (form->bad)
		return bad(err);
	code = read_documents(form, s, err);
	if (code == 0)
		code = read_workers(form, s, err);
	if (code == 0 && s->network_text != NULL)
		code = cdn_network_option(s->arena, s->network_text,
		    &s->network, err);
	return code;
}

static int
compile(struct cordon_session *s, const struct cordon_session *outer,
    struct cordon_error *err)
{
	const struct cdn_authority *own;
	int code = cdn_session_resolve(s, 0, s->documents,
	    &s->document_count, err);

	if (code == 0)
		code = cdn_session_add_workers(s, err);
	if (code == 0)
		code = cdn_session_unprotect(s, err);
	s->spec.profile_name = s->profile;
	s->spec.workspace = s->workspace;
	s->spec.preset = s->preset;
	s->spec.documents = s->documents;
	s->spec.document_count = s->document_count;
	s->spec.network = s->network;
	if (code == 0)
		code = cdn_authority_build(s->arena, &s->spec, &own, err);
	if (code == 0)
		code = cdn_authority_below(s->arena, own, outer->authority,
		    &s->authority, err);
	return code;
}

int
cdn_session_take_over(struct cdn_form *form,
    const struct cordon_session *outer, struct cordon_session **ret,
    struct cordon_error *err)
{
	struct cordon_session *s = cdn_session_alloc();
	int code;

	if (s == NULL)
		return cdn_err_nomem(err);
	form->arena = s->arena;
	s->outer = outer;
	s->places = outer->places;
	s->own = outer->own;
	s->own.home = s->own.state = "";
	s->own.unconfined = s->own.tmp = "";
	code = read_all(form, s, err);
	s->cwd = s->workspace;
	if (code == 0)
		code = compile(s, outer, err);
	if (code != 0) {
		cdn_session_free(s);
		return code;
	}
	*ret = s;
	return 0;
}
