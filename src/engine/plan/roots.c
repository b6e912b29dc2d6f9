/*
 * roots - where the walk starts: every place of the spec that grants something
 * and is there.
 */
#include "engine/plan/build.h"

#include "engine/match/segment.h"

/* ----- Paths ------------------------------------------------------------- */

int
cdn_plan_path_cmp(const char *a, const char *b)
{
	size_t n = cdn_alike(cdn_str_of(a), cdn_str_of(b));

	return cdn_plan_byte_cmp(a[n], b[n]);
}

/* What follows dir in path, or NULL when it lies elsewhere. */
static const char *
rest_below(const char *path, const char *dir)
{
	cdn_str at = cdn_str_of(path), in = cdn_str_of(dir);

	if (in.n == 1 && in.p[0] == '/')
		return *path == '/' ? path + 1 : NULL;
	return at.n >= in.n && (at.n == in.n || path[in.n] == '/') &&
		memcmp(path, dir, in.n) == 0 ? path + in.n : NULL;
}

bool
cdn_plan_at_or_below(const char *path, const char *dir)
{
	return rest_below(path, dir) != NULL;
}

bool
cdn_plan_below(const char *path, const char *dir)
{
	const char *rest = rest_below(path, dir);

	return rest != NULL && *rest != '\0';
}

bool
cdn_plan_in_places(const struct cdn_place_list *places, const char *path)
{
	for (size_t i = 0; i < places->n; i++)
		if (cdn_plan_at_or_below(path, places->v[i].path))
			return true;
	return false;
}

/* Most are told apart by this: up to four bytes of the first name. */
static uint32_t
first_name(const char *path)
{
	uint32_t name = 0;

	for (size_t i = 1; i <= sizeof(name); i++) {
		if (path[i] == '\0' || path[i] == '/')
			break;
		name = name << 8 | (unsigned char)path[i];
	}
	return name;
}

/* ----- Gathering --------------------------------------------------------- */

static size_t
count_places(const struct cdn_authority_spec *spec)
{
	size_t n = 1 + spec->runtime_read.n + spec->runtime_write.n +
	    spec->command_read.n + spec->command_write.n +
	    spec->runtime_write_roots.n;

	for (size_t i = 0; i < spec->document_count; i++)
		n += spec->documents[i].host_read.n +
		    spec->documents[i].host_modify.n;
	return n;
}

/*
 * What is not there grants nothing; the run's own home and tmp will be there.
 * Devices, which are alone, can be among its own, too.
 */
static void
add_root(struct cdn_plan_build *b, const char *path, bool alone)
{
	const struct cdn_plan_reader *reader = b->in->reader;
	bool directory = true;

	if ((alone || !cdn_plan_in_places(&b->in->spec->own, path)) &&
	    !reader->exists(reader->arg, path, &directory))
		return;
	b->roots[b->root_count++] = (struct cdn_plan_root){ .path = path,
		.n = strcmp(path, "/") == 0 ? 0 : strlen(path), .alone = alone,
		.directory = directory, .name = first_name(path) };
}

/* Of names that go on: the directory that holds them, which is mixed then. */
static void
add_starred(struct cdn_plan_build *b, const char *pattern)
{
	const char *slash = strrchr(pattern, '/');
	const char *dir = slash == pattern ? "/" :
	    cdn_arena_dup(b->arena, pattern, (size_t)(slash - pattern));

	if (dir == NULL)
		b->no_memory = true;
	else
		add_root(b, dir, false);
}

static void
add_roots(struct cdn_plan_build *b, const struct cdn_place_list *places)
{
	for (size_t i = 0; i < places->n; i++)
		if (!places->v[i].glob)
			add_root(b, places->v[i].path, places->v[i].alone);
		else
			add_starred(b, places->v[i].path);
}

static int
root_cmp(const void *a, const void *b)
{
	const struct cdn_plan_root *x = a, *y = b;
	int by_path = cdn_plan_path_cmp(x->path, y->path);

	return by_path != 0 ? by_path : (int)x->alone - (int)y->alone;
}

/* One that is also given with all below it stays as that. */
static void
drop_repeated(struct cdn_plan_build *b)
{
	size_t n = 0;

	qsort(b->roots, b->root_count, sizeof(*b->roots), root_cmp);
	for (size_t i = 0; i < b->root_count; i++)
		if (n == 0 ||
		    strcmp(b->roots[n - 1].path, b->roots[i].path) != 0)
			b->roots[n++] = b->roots[i];
	b->root_count = n;
}

/* ----- What lies near them ------------------------------------------------ */

/* Is one of them the other, or below it?  n is 0 for the root of all. */
static bool
is_in_line(cdn_str a, cdn_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;

	return (a.n == b.n || (a.n < b.n ? b.p[n] : a.p[n]) == '/') &&
	    memcmp(a.p, b.p, n) == 0;
}

static bool
is_near(const struct cdn_plan_build *b, const struct cdn_place *place)
{
	uint32_t name = first_name(place->path);
	cdn_str at = cdn_str_of(place->path);

	if (place->glob || at.n == 1)
		return true;
	for (size_t i = 0; i < b->root_count; i++) {
		const struct cdn_plan_root *root = &b->roots[i];

		if ((root->name == name || root->n == 0) &&
		    is_in_line((cdn_str){ root->path, root->n }, at))
			return true;
	}
	return false;
}

static const bool *
find_near(const struct cdn_plan_build *b, const struct cdn_place_list *places)
{
	bool *near = cdn_arena_array(b->arena, places->n, sizeof(*near));

	for (size_t i = 0; near != NULL && i < places->n; i++)
		near[i] = is_near(b, &places->v[i]);
	return near;
}

static int
find_all_near(struct cdn_plan_build *b)
{
	const struct cdn_authority_spec *spec = b->in->spec;

	b->closed_near = find_near(b, &spec->closed);
	b->hidden_near = find_near(b, &spec->hidden);
	b->sealed_near = find_near(b, &spec->sealed);
	return b->closed_near == NULL || b->hidden_near == NULL ||
	    b->sealed_near == NULL ? cdn_err_nomem(b->err) : 0;
}

int
cdn_plan_find_roots(struct cdn_plan_build *b)
{
	const struct cdn_authority_spec *spec = b->in->spec;

	b->roots = cdn_arena_array(b->arena, count_places(spec),
	    sizeof(*b->roots));
	if (b->roots == NULL)
		return cdn_err_nomem(b->err);
	add_root(b, spec->workspace, false);
	add_roots(b, &spec->runtime_read);
	add_roots(b, &spec->runtime_write);
	add_roots(b, &spec->command_read);
	add_roots(b, &spec->command_write);
	add_roots(b, &spec->runtime_write_roots);
	for (size_t i = 0; i < spec->document_count; i++)
		if (spec->documents[i].trusted) {
			add_roots(b, &spec->documents[i].host_read);
			add_roots(b, &spec->documents[i].host_modify);
		}
	if (b->no_memory)
		return cdn_err_nomem(b->err);
	drop_repeated(b);
	return find_all_near(b);
}
