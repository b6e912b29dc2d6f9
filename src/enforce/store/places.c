#include "enforce/store/places.h"

#include <unistd.h>

#include "enforce/store/database.h"
#include "enforce/store/passwd.h"

/* ----- Homes ---------------------------------------------------------------- */

/* The file first: asking the library loads its modules. */
static int
own_home(struct cdn_arena *arena, const char **ret, struct cordon_error *err)
{
	switch (cdn_passwd_home(arena, "/etc/passwd", getuid(), ret)) {
	case CDN_PASSWD_FOUND:
		return 0;
	case CDN_PASSWD_NOMEM:
		return cdn_err_nomem(err);
	case CDN_PASSWD_UNKNOWN:
		break;
	}
	return cdn_database_home(arena, NULL, getuid(), ret, err);
}

/* ----- Finding ------------------------------------------------------------ */

/* The value of a variable, or NULL: empty and relative ones do not count. */
static int
directory_from(const char *variable, const char **ret, struct cordon_error *err)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here sets any */
	const char *value = getenv(variable);

	*ret = NULL;
	if (value == NULL || value[0] != '/')
		return 0;
	if (strlen(value) > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "%s is longer than %d bytes", variable, CDN_PATH_MAX);
	*ret = value;
	return 0;
}

/* base + tail without a doubled slash between; "" when base is. */
static const char *
below(struct cdn_arena *arena, const char *base, const char *tail)
{
	size_t n = strlen(base);

	if (n == 0)
		return "";
	while (n > 0 && base[n - 1] == '/')
		n--;
	return cdn_arena_join(arena, (cdn_str){ base, n }, cdn_str_of(tail));
}

/* The value of an XDG variable + "/cordon", or the default below home. */
static int
own_directory(struct cdn_arena *arena, const char *variable, const char *home,
    const char *otherwise, const char **ret, struct cordon_error *err)
{
	const char *base;
	int r = directory_from(variable, &base, err);

	if (r != 0)
		return r;
	*ret = base != NULL ? below(arena, base, "/cordon") :
			      below(arena, home, otherwise);
	return *ret == NULL ? cdn_err_nomem(err) : 0;
}

static int
find_homes(struct cdn_arena *arena, struct cdn_places *p,
    struct cordon_error *err)
{
	const char *home;
	int r = own_home(arena, &p->passwd_home, err);

	if (r == 0)
		r = directory_from("HOME", &home, err);
	if (r != 0)
		return r;
	p->home = home == NULL ? p->passwd_home :
				 cdn_arena_dup(arena, home, strlen(home));
	return p->home == NULL ? cdn_err_nomem(err) : 0;
}

int
cdn_places_find(struct cdn_arena *arena, struct cdn_places *ret,
    struct cordon_error *err)
{
	struct cdn_places p = {
		.host_policy = "/etc/cordon/policy.yaml",
		.host_store = "/etc/cordon/policies",
	};
	int r = find_homes(arena, &p, err);

	if (r == 0)
		r = own_directory(arena, "XDG_CONFIG_HOME", p.home,
		    "/.config/cordon", &p.config, err);
	if (r == 0)
		r = own_directory(arena, "XDG_STATE_HOME", p.home,
		    "/.local/state/cordon", &p.state, err);
	if (r != 0)
		return r;
	p.user_policy = below(arena, p.config, "/policy.yaml");
	p.user_store = below(arena, p.config, "/policies");
	p.trust = below(arena, p.state, "/trust.json");
	if (p.user_policy == NULL || p.user_store == NULL || p.trust == NULL)
		return cdn_err_nomem(err);
	*ret = p;
	return 0;
}

/* ----- Expanding ---------------------------------------------------------- */

/*
 * The home that "~" or "~user" at the start of path means; *rest is what
 * follows.  For an absolute path the home is "".
 */
static int
find_start(struct cdn_arena *arena, const struct cdn_places *places,
    cdn_str path, const char **ret_home, cdn_str *ret_rest,
    struct cordon_error *err)
{
	cdn_str rest = path, first;
	int r = 0;

	*ret_home = "";
	*ret_rest = path;
	if (path.n == 0 || path.p[0] != '~')
		return 0;
	(void)cdn_str_next(&rest, '/', &first);
	*ret_rest = rest;
	if (first.n == 1) {
		*ret_home = places->home;
	} else {
		const char *name = cdn_arena_dup(arena, first.p + 1,
		    first.n - 1);

		if (name == NULL)
			return cdn_err_nomem(err);
		r = cdn_database_home(arena, name, 0, ret_home, err);
	}
	if (r == 0 && (*ret_home)[0] == '\0')
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' has no home: write an absolute path",
		    CDN_STR_ARG(first));
	return r;
}

/* Appends the components of path to out, which has room for all of them. */
static int
append_clean(char *out, size_t *n, cdn_str path, struct cordon_error *err)
{
	cdn_str part;

	while (cdn_str_next(&path, '/', &part)) {
		if (part.n == 0 || cdn_str_is(part, "."))
			continue;
		if (cdn_str_is(part, ".."))
			return cdn_err(err, CORDON_E_INVALID,
			    "'..' is not allowed here: write the path itself");
		out[(*n)++] = '/';
		memcpy(out + *n, part.p, part.n);
		*n += part.n;
	}
	return 0;
}

static int
check_path(cdn_str path, struct cordon_error *err)
{
	if (path.n == 0 || (path.p[0] != '/' && path.p[0] != '~'))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' is neither absolute nor begins with '~'",
		    CDN_STR_ARG(path));
	if (path.n > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "a path of more than %d bytes", CDN_PATH_MAX);
	if (memchr(path.p, '\0', path.n) != NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "path '%.*s' holds a NUL byte", CDN_STR_ARG(path));
	return 0;
}

int
cdn_places_expand(struct cdn_arena *arena, const struct cdn_places *places,
    cdn_str path, const char **ret, struct cordon_error *err)
{
	const char *home;
	size_t home_len, n;
	cdn_str rest;
	char *out;
	int r = check_path(path, err);

	if (r == 0)
		r = find_start(arena, places, path, &home, &rest, err);
	if (r != 0)
		return r;
	home_len = strlen(home);
	while (home_len > 0 && home[home_len - 1] == '/')
		home_len--;
	out = cdn_arena_alloc(arena, home_len + rest.n + 2);
	if (out == NULL)
		return cdn_err_nomem(err);
	memcpy(out, home, home_len);
	n = home_len;
	r = append_clean(out, &n, rest, err);
	if (r != 0)
		return cdn_err_context(err, r, "'%.*s'", CDN_STR_ARG(path));
	if (n == 0)
		out[n++] = '/';
	if (n > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%.*s' is longer than %d bytes when expanded",
		    CDN_STR_ARG(path), CDN_PATH_MAX);
	out[n] = '\0';
	*ret = out;
	return 0;
}
