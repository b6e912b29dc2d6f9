/*
 * authority - compiles places and profiles into rule sets.
 *
 * Everything becomes an ordered list for the one matcher: the floor is a list
 * that allows everything and then takes away, a set of roots is a list of
 * grants.  So "is this below that directory" is asked in exactly one way.
 */
#include "engine/decide/authority.h"

#include "engine/decide/floor.h"
#include "engine/match/fold.h"

/* ----- Lists over absolute paths ------------------------------------------ */

struct builder {
	struct cdn_arena *arena;
	struct cdn_rules shown;	      /* what a verdict names */
	struct cdn_match_rule *match; /* what is compared; parallel */
	size_t shown_capacity;
	size_t match_capacity;
	bool fold;
	bool failed; /* out of memory; sticky */
};

/* Room for all that will come: a guess that is too low costs only copies. */
static void
reserve(struct builder *b, size_t count)
{
	if (count == 0)
		return;
	b->shown.v = cdn_arena_array(b->arena, count, sizeof(*b->shown.v));
	b->match = cdn_arena_array(b->arena, count, sizeof(*b->match));
	if (b->shown.v == NULL || b->match == NULL)
		b->failed = true;
	else
		b->shown_capacity = b->match_capacity = count;
}

/* How many rules a list becomes. */
static size_t
rules_of(const struct cdn_place_list *list)
{
	size_t n = list->n;

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].sidecars)
			n += CDN_SIDECARS;
	return n;
}

/* Room for one more. */
static bool
grow(struct builder *b)
{
	struct cdn_match_rule *m;
	struct cdn_rule *s;

	if (b->failed)
		return false;
	s = cdn_arena_grow(b->arena, b->shown.v, b->shown.n,
	    &b->shown_capacity, sizeof(*s));
	m = cdn_arena_grow(b->arena, b->match, b->shown.n,
	    &b->match_capacity, sizeof(*m));
	if (s == NULL || m == NULL) {
		b->failed = true;
		return false;
	}
	b->shown.v = s;
	b->match = m;
	return true;
}

static inline void
push(struct builder *b, const struct cdn_rule *shown,
    struct cdn_match_rule match)
{
	if (b->shown.n >= b->shown_capacity && !grow(b))
		return;
	match.negated = shown->negated;
	b->match[b->shown.n] = match;
	b->shown.v[b->shown.n++] = *shown;
}

/* PATH + suffix as a pattern; the path part is literal unless a glob. */
static void
push_text(struct builder *b, const struct cdn_rule *shown, cdn_str path,
    bool glob, cdn_str suffix)
{
	char *pattern = cdn_arena_join(b->arena, path, suffix);
	cdn_str folded = { pattern, path.n + suffix.n };

	if (pattern == NULL || (b->fold && !cdn_fold_str(b->arena, &folded))) {
		b->failed = true;
		return;
	}
	push(b, shown, (struct cdn_match_rule){ .pattern = folded,
	    .literal = glob ? 0 : folded.n - suffix.n });
}

/* The same for all sidecars of a plain path, in one go. */
static void
push_sidecars(struct builder *b, const struct cdn_rule *shown, cdn_str path)
{
	char *text = cdn_arena_array(b->arena, CDN_SIDECARS,
	    path.n + CDN_SIDECARS_MAX);

	if (text == NULL) {
		b->failed = true;
		return;
	}
	for (size_t i = 0; i < CDN_SIDECARS; i++) {
		cdn_str suffix = cdn_floor_sidecars[i];

		memcpy(text, path.p, path.n);
		memcpy(text + path.n, suffix.p, suffix.n);
		push(b, shown, (struct cdn_match_rule){
		    .pattern = { text, path.n + suffix.n },
		    .literal = path.n + suffix.n });
		text += path.n + suffix.n;
	}
}

static void
add_text(struct builder *b, const struct cdn_place *place,
    const struct cdn_rule *shown, cdn_str path)
{
	/* The root itself has no name: "**" alone is below it. */
	cdn_str below = path.n == 0 ? CDN_STR("**") : CDN_STR("/**");

	push_text(b, shown, path, place->glob,
	    place->alone ? CDN_STR("") : below);
	for (size_t i = 0; place->sidecars && i < CDN_SIDECARS; i++)
		push_text(b, shown, path, place->glob, cdn_floor_sidecars[i]);
}

static void
add_place(struct builder *b, const struct cdn_place *place, bool negated)
{
	cdn_str path = cdn_authority_strip(cdn_str_of(place->path));
	cdn_str name = cdn_str_of(place->shown);
	const struct cdn_rule shown = { .text = name, .pattern = name,
		.negated = negated, .pos = place->pos };

	if (path.n == 0 || place->glob || b->fold) {
		add_text(b, place, &shown, path);
		return;
	}
	push(b, &shown, (struct cdn_match_rule){ .pattern = path,
	    .literal = path.n, .below = !place->alone });
	if (place->sidecars)
		push_sidecars(b, &shown, path);
}

static void
add_places(struct builder *b, const struct cdn_place_list *list, bool negated)
{
	for (size_t i = 0; i < list->n; i++)
		add_place(b, &list->v[i], negated);
}

static int
finish(struct builder *b, struct cdn_rule_set *ret, struct cordon_error *err)
{
	bool any_positive = false;
	int code;

	if (b->failed)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < b->shown.n; i++)
		any_positive |= !b->shown.v[i].negated;
	code = cdn_matcher_build(b->arena, b->match, b->shown.n,
	    &ret->matcher, err);
	if (code != 0)
		return code;
	ret->rules = b->shown;
	ret->any_positive = any_positive;
	return 0;
}

/* ----- The floor ----------------------------------------------------------- */

static const char floor_source[] = "<floor>";

static struct cdn_place
floor_place(const char *path, bool glob)
{
	return (struct cdn_place){ .path = path, .shown = path, .glob = glob,
		.pos = { .source = floor_source } };
}

/* Everything passes unless a later entry takes it away. */
static void
add_all(struct builder *b)
{
	struct cdn_place all = floor_place("/", false);

	add_place(b, &all, false);
}

static void
add_system(struct builder *b, const struct cdn_authority_spec *spec)
{
	struct cdn_place workspace = floor_place(spec->workspace, false);
	const struct cdn_floor_row *row;
	const char *device;

	for (size_t i = 0; (row = cdn_floor_system(i)) != NULL; i++) {
		struct cdn_place place = floor_place(row->path, row->glob);

		add_place(b, &place, true);
	}
	for (size_t i = 0; (row = cdn_floor_exception(i)) != NULL; i++) {
		struct cdn_place place = floor_place(row->path, row->glob);

		add_place(b, &place, false);
	}
	for (size_t i = 0; (device = cdn_floor_device(i)) != NULL; i++) {
		struct cdn_place place = floor_place(device, false);

		place.alone = true;
		add_place(b, &place, false);
	}
	if (cdn_floor_below_system(cdn_str_of(spec->workspace)))
		add_place(b, &workspace, false);
}

#define SYSTEM_RULES 24 /* about as many as add_system() adds */

static int
build_floor_read(struct cdn_arena *arena, const struct cdn_authority_spec *spec,
    struct cdn_authority *a, struct cordon_error *err)
{
	struct builder read = { .arena = arena, .fold = spec->fold };

	reserve(&read, 1 + rules_of(&spec->hidden) + rules_of(&spec->own) +
	    rules_of(&spec->closed));
	add_all(&read);
	add_places(&read, &spec->hidden, true);
	add_places(&read, &spec->own, false);
	add_places(&read, &spec->closed, true);
	return finish(&read, &a->floor.read, err);
}

/*
 * What may not be read may not be modified either, and that is asked first: so
 * the list for modifying need not repeat what is hidden or closed.
 */
static int
build_floor_modify(struct cdn_arena *arena,
    const struct cdn_authority_spec *spec, struct cdn_authority *a,
    struct cordon_error *err)
{
	struct builder modify = { .arena = arena, .fold = spec->fold };

	reserve(&modify, SYSTEM_RULES + rules_of(&spec->sealed) +
	    rules_of(&spec->own));
	add_all(&modify);
	add_system(&modify, spec);
	add_places(&modify, &spec->sealed, true);
	a->floor_shared = modify.shown.n;
	add_places(&modify, &spec->own, false);
	return finish(&modify, &a->floor.modify, err);
}

/* As floor.read: everything passes, and then these do not. */
static int
build_kept(struct cdn_arena *arena, const struct cdn_authority_spec *spec,
    struct cdn_authority *a, struct cordon_error *err)
{
	struct builder kept = { .arena = arena, .fold = spec->fold };

	add_all(&kept);
	add_places(&kept, &spec->kept, true);
	return finish(&kept, &a->kept, err);
}

/* ----- Grants -------------------------------------------------------------- */

/* What may be modified may be read. */
static int
build_scope(const struct builder *like, const struct cdn_place_list *readable,
    const struct cdn_place_list *modifiable, struct cdn_scope *ret,
    struct cordon_error *err)
{
	struct builder read = *like;
	struct builder modify = *like;
	int code;

	reserve(&read, rules_of(readable) + rules_of(modifiable));
	reserve(&modify, rules_of(modifiable));
	add_places(&read, readable, false);
	add_places(&read, modifiable, false);
	add_places(&modify, modifiable, false);
	code = finish(&read, &ret->read, err);
	return code != 0 ? code : finish(&modify, &ret->modify, err);
}

static int
build_list(const struct builder *like, const struct cdn_place_list *places,
    struct cdn_rule_set *ret, struct cordon_error *err)
{
	struct builder b = *like;

	add_places(&b, places, false);
	return finish(&b, ret, err);
}

/* ----- Layers --------------------------------------------------------------- */

/*
 * A document that does not define the profile contributes its denies only.  A
 * worker speaks of what it mentions.
 */
static void
find_say(const struct cdn_document *document,
    const struct cdn_authority_spec *spec, struct cdn_layer *layer)
{
	const struct cordon_profile *profile = document->profile;

	if (document->layer == CORDON_LAYER_DEFAULTS)
		return; /* it takes away, and grants nothing */
	if (document->layer == CORDON_LAYER_WORKER) {
		layer->names = layer->bounds = document->bounds;
		layer->network = profile->network.mode != CDN_NETWORK_UNSET;
		layer->outranks = document->called && !spec->network_granted;
		return;
	}
	layer->names = profile->defined ||
	    strcmp(profile->name, CDN_UNRESTRICTED) == 0;
	layer->bounds = layer->network = profile->defined;
	layer->outranks = document->layer == CORDON_LAYER_HOST;
}

static int
build_layer(const struct builder *like, const struct cdn_document *document,
    const struct cdn_authority_spec *spec, struct cdn_layer *layer,
    struct cordon_error *err)
{
	int code;

	layer->layer = document->layer;
	layer->trusted = document->trusted;
	layer->profile = document->profile;
	find_say(document, spec, layer);
	code = build_scope(like, &document->host_read,
	    &document->host_modify, &layer->roots, err);
	if (code != 0)
		return code;
	return build_list(like, &document->sockets, &layer->sockets, err);
}

/* Who only contributes denies, or roots, does not replace the preset. */
static bool
replaces_preset(const struct cdn_layer *layer)
{
	return layer->trusted && layer->names &&
	    layer->layer != CORDON_LAYER_WORKER;
}

static int
add_layer(const struct builder *like, const struct cdn_document *document,
    const struct cdn_authority_spec *spec, struct cdn_authority *a,
    struct cordon_error *err)
{
	struct cdn_layer *layer = &a->layers[a->layer_count++];
	int code = build_layer(like, document, spec, layer, err);

	if (code == 0 && replaces_preset(layer))
		a->preset_rules = false;
	return code;
}

/* The rules of one operation, as those of a profile. */
typedef int cdn_rules_fn(const struct builder *like,
    const struct cdn_authority_spec *spec, const struct cdn_authority *a,
    enum cordon_op op, struct cdn_rules *ret, struct cordon_error *err);

static int
build_profile(const struct builder *like, const struct cdn_authority_spec *spec,
    const struct cdn_authority *a, cdn_rules_fn *rules_of_op,
    struct cordon_profile *ret, struct cordon_error *err)
{
	ret->name = a->profile_name;
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		struct cdn_rules rules;
		int code = rules_of_op(like, spec, a, op, &rules, err);

		if (code == 0)
			code = cdn_rule_set_build(like->arena, rules,
			    like->fold, &ret->sets[op], err);
		if (code != 0)
			return code;
	}
	return 0;
}

static int
default_rules(const struct builder *like, const struct cdn_authority_spec *spec,
    const struct cdn_authority *a, enum cordon_op op, struct cdn_rules *ret,
    struct cordon_error *err)
{
	(void)a;
	return cdn_defaults_rules(like->arena, op, &spec->facts, ret, err);
}

/*
 * Threat:    a document of one's own replaces the rules about what the host
 *            would later execute.
 * Invariant: these are a layer, whatever documents are loaded.
 * Held by:   build_layers(); tests/unit/decide/layers.c.
 */
static int
add_defaults(const struct builder *like, const struct cdn_authority_spec *spec,
    struct cdn_authority *a, struct cordon_error *err)
{
	const struct cdn_document document = {
		.layer = CORDON_LAYER_DEFAULTS,
		.profile = &a->defaults_profile,
	};
	int code;

	a->defaults = a->preset->defaults && !spec->no_defaults;
	if (!a->defaults)
		return 0;
	code = build_profile(like, spec, a, default_rules,
	    &a->defaults_profile, err);
	return code != 0 ? code : add_layer(like, &document, spec, a, err);
}

/* Behind those of the host, before all others. */
static int
build_layers(const struct builder *like, const struct cdn_authority_spec *spec,
    struct cdn_authority *a, struct cordon_error *err)
{
	size_t i = 0;
	int code = 0;

	a->preset_rules = true;
	a->layers = cdn_arena_array(like->arena, spec->document_count + 1,
	    sizeof(*a->layers));
	if (a->layers == NULL)
		return cdn_err_nomem(err);
	for (; i < spec->document_count && code == 0 &&
	    spec->documents[i].layer == CORDON_LAYER_HOST; i++)
		code = add_layer(like, &spec->documents[i], spec, a, err);
	if (code == 0)
		code = add_defaults(like, spec, a, err);
	for (; i < spec->document_count && code == 0; i++)
		code = add_layer(like, &spec->documents[i], spec, a, err);
	return code;
}

/*
 * `strict` modifies nothing unless somebody says what.  A worker's roots do,
 * but not those of one that was called; what the host would execute stays as it
 * is.
 */
static const struct cdn_preset *
inside_preset(const struct cdn_authority *a)
{
	for (size_t i = 0; i < a->layer_count; i++)
		if (a->layers[i].layer == CORDON_LAYER_WORKER &&
		    a->layers[i].trusted && a->layers[i].bounds &&
		    !a->preset->modifies)
			return cdn_preset_get(CORDON_PRESET_WORKSPACE);
	return a->preset;
}

/* An agent without its model is useless. */
static struct cdn_network_set
default_network(const struct cdn_preset *preset, const char *agent)
{
	enum cdn_network_mode mode = agent != NULL ? CDN_NETWORK_FULL :
						     preset->network;

	return (struct cdn_network_set){
		.mode = mode,
		.mode_rule = cdn_network_rule(mode, (struct cdn_pos){
		    .source = agent != NULL ? agent : preset->source }),
	};
}

static int
preset_rules(const struct builder *like, const struct cdn_authority_spec *spec,
    const struct cdn_authority *a, enum cordon_op op, struct cdn_rules *ret,
    struct cordon_error *err)
{
	(void)spec;
	return cdn_preset_rules(like->arena, inside_preset(a), op, ret, err);
}

static int
build_preset(const struct builder *like, const struct cdn_authority_spec *spec,
    struct cdn_authority *a, struct cordon_error *err)
{
	a->preset_profile.network = default_network(a->preset,
	    spec->network_source);
	return build_profile(like, spec, a, preset_rules, &a->preset_profile,
	    err);
}

static int
build_all(struct cdn_arena *arena, const struct cdn_authority_spec *spec,
    struct cdn_authority *a, struct cordon_error *err)
{
	const struct builder like = { .arena = arena, .fold = spec->fold };
	int code = build_floor_read(arena, spec, a, err);

	if (code == 0)
		code = build_floor_modify(arena, spec, a, err);
	if (code == 0)
		code = build_kept(arena, spec, a, err);
	if (code == 0)
		code = build_layers(&like, spec, a, err);
	if (code == 0)
		code = build_preset(&like, spec, a, err);
	if (code == 0)
		code = build_scope(&like, &spec->command_read,
		    &spec->command_write, &a->command, err);
	if (code == 0)
		code = build_scope(&like, &spec->runtime_read,
		    &spec->runtime_write, &a->runtime, err);
	if (code == 0)
		code = build_list(&like, &spec->runtime_write_roots,
		    &a->runtime_write_roots, err);
	if (code == 0)
		code = build_list(&like, &spec->command_sockets,
		    &a->command_sockets, err);
	return code;
}

int
cdn_authority_build(struct cdn_arena *arena,
    const struct cdn_authority_spec *spec, const struct cdn_authority **ret,
    struct cordon_error *err)
{
	struct cdn_authority *a = cdn_arena_alloc(arena, sizeof(*a));
	int code;

	if (a == NULL)
		return cdn_err_nomem(err);
	a->profile_name = spec->profile_name;
	a->workspace = cdn_authority_strip(cdn_str_of(spec->workspace));
	if (spec->fold && !cdn_fold_str(arena, &a->workspace))
		return cdn_err_nomem(err);
	a->preset = cdn_preset_get(spec->preset);
	a->command_network = spec->network;
	code = build_all(arena, spec, a, err);
	if (code == 0)
		*ret = a;
	return code;
}

int
cdn_authority_build_like(struct cdn_arena *arena,
    const struct cdn_authority *like, const struct cdn_authority_spec *spec,
    const struct cdn_authority **ret, struct cordon_error *err)
{
	struct cdn_authority *a = cdn_arena_alloc(arena, sizeof(*a));
	int code;

	if (a == NULL)
		return cdn_err_nomem(err);
	*a = *like;
	code = build_floor_read(arena, spec, a, err);
	if (code == 0)
		*ret = a;
	return code;
}

int
cdn_authority_below(struct cdn_arena *arena, const struct cdn_authority *inner,
    const struct cdn_authority *outer, const struct cdn_authority **ret,
    struct cordon_error *err)
{
	struct cdn_authority *a = cdn_arena_alloc(arena, sizeof(*a));

	if (a == NULL)
		return cdn_err_nomem(err);
	*a = *inner;
	a->outer = outer;
	*ret = a;
	return 0;
}

const struct cordon_profile *
cdn_authority_preset_profile(const struct cdn_authority *authority)
{
	return &authority->preset_profile;
}

size_t
cdn_authority_builtins(const struct cdn_authority *authority,
    struct cdn_builtin ret[CDN_BUILTINS_MAX])
{
	size_t n = 0;

	if (authority->defaults)
		ret[n++] = (struct cdn_builtin){ CORDON_LAYER_DEFAULTS,
			&authority->defaults_profile };
	if (authority->preset_rules)
		ret[n++] = (struct cdn_builtin){ CORDON_LAYER_PRESET,
			&authority->preset_profile };
	return n;
}

unsigned
cdn_layer_rank(enum cordon_layer layer)
{
	return layer == CORDON_LAYER_DEFAULTS ?
	    2U * CORDON_LAYER_HOST + 1U : 2U * (unsigned)layer;
}

/* ----- Strings -------------------------------------------------------------- */

cdn_str
cdn_authority_strip(cdn_str absolute)
{
	while (absolute.n > 0 && absolute.p[0] == '/')
		absolute = (cdn_str){ absolute.p + 1, absolute.n - 1 };
	return absolute;
}

bool
cdn_authority_inside(const struct cdn_authority *authority, cdn_str stripped,
    cdn_str *ret_relative)
{
	cdn_str workspace = authority->workspace;

	if (!cdn_str_starts(stripped, workspace))
		return false;
	if (workspace.n == 0 || stripped.n == workspace.n) {
		*ret_relative = cdn_str_from(stripped, workspace.n);
		return true;
	}
	if (stripped.p[workspace.n] != '/')
		return false;
	*ret_relative = cdn_str_from(stripped, workspace.n + 1);
	return true;
}
