/* Where things lie, and what "~" means. */
#include "enforce/store/places.h"

#include <pwd.h>

#include "support/tap.h"
#include "support/tmpdir.h"

static void
set(const char *name, const char *value)
{
	if (value == NULL)
		unsetenv(name);
	else
		setenv(name, value, 1);
}

/* ----- Finding ------------------------------------------------------------ */

/* "~" at the start of a wanted path stands for the database's home. */
/* clang-format off */
static const struct {
	const char *home, *xdg_config, *xdg_state;	/* NULL: not set */
	const char *want_home, *config, *state;
} finds[] = {
	{ "/h", NULL, NULL, "/h", "/h/.config/cordon", "/h/.local/state/cordon" },
	{ "/h/", NULL, NULL, "/h/", "/h/.config/cordon", "/h/.local/state/cordon" },
	{ "/", NULL, NULL, "/", "/.config/cordon", "/.local/state/cordon" },
	{ "/h", "/c", "/s", "/h", "/c/cordon", "/s/cordon" },
	{ "/h", "/c//", "/s/", "/h", "/c/cordon", "/s/cordon" },
	{ "/h", "", "", "/h", "/h/.config/cordon", "/h/.local/state/cordon" },
	{ "/h", "c", "./s", "/h", "/h/.config/cordon", "/h/.local/state/cordon" },
	{ "/h", "~/c", "$HOME", "/h", "/h/.config/cordon", "/h/.local/state/cordon" },
	{ NULL, NULL, NULL, "~", "~/.config/cordon", "~/.local/state/cordon" },
	{ "", NULL, NULL, "~", "~/.config/cordon", "~/.local/state/cordon" },
	{ "h", NULL, NULL, "~", "~/.config/cordon", "~/.local/state/cordon" },
	{ "./h", "/c", NULL, "~", "/c/cordon", "~/.local/state/cordon" },
};
/* clang-format on */

static const char *database_home;

static bool
is_path(const char *got, const char *want, const char *tail)
{
	char whole[PATH_MAX * 2];

	if (want[0] == '~')
		snprintf(whole, sizeof(whole), "%s%s%s", database_home,
		    want + 1, tail);
	else
		snprintf(whole, sizeof(whole), "%s%s", want, tail);
	return strcmp(got, whole) == 0;
}

static void
test_finds(void)
{
	for (size_t i = 0; i < CDN_LEN(finds); i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cordon_error err = { .code = 99 };
		struct cdn_places p;
		int r;

		set("HOME", finds[i].home);
		set("XDG_CONFIG_HOME", finds[i].xdg_config);
		set("XDG_STATE_HOME", finds[i].xdg_state);
		r = cdn_places_find(arena, &p, &err);
		ok_f(r == 0 && err.code == 99 &&
			is_path(p.home, finds[i].want_home, "") &&
			strcmp(p.passwd_home, database_home) == 0 &&
			is_path(p.config, finds[i].config, "") &&
			is_path(p.user_policy, finds[i].config,
			    "/policy.yaml") &&
			is_path(p.user_store, finds[i].config, "/policies") &&
			is_path(p.state, finds[i].state, "") &&
			is_path(p.trust, finds[i].state, "/trust.json"),
		    "HOME=%s, XDG_CONFIG_HOME=%s, XDG_STATE_HOME=%s",
		    finds[i].home ? finds[i].home : "(none)",
		    finds[i].xdg_config ? finds[i].xdg_config : "(none)",
		    finds[i].xdg_state ? finds[i].xdg_state : "(none)");
		ok_f(r == 0 &&
			strcmp(p.host_policy, "/etc/cordon/policy.yaml") == 0 &&
			strcmp(p.host_store, "/etc/cordon/policies") == 0,
		    "the host's places are fixed (%zu)", i);
		cdn_arena_free(arena);
	}
}

/* A user whom the database does not know. */
static int
body_unknown(void *arg)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_places p;
	const char *out;

	(void)arg;
	if (setgid(54321) != 0 || setuid(54321) != 0 || getpwuid(54321) != NULL)
		return 99;
	set("HOME", NULL);
	if (cdn_places_find(arena, &p, NULL) != 0)
		return 1;
	if (p.home[0] || p.passwd_home[0] || p.config[0] || p.state[0] ||
	    p.trust[0] || p.user_policy[0] || p.user_store[0])
		return 2;
	if (cdn_places_expand(arena, &p, CDN_STR("~/x"), &out, NULL) !=
	    CORDON_E_INVALID)
		return 3;
	set("XDG_STATE_HOME", "/s");
	if (cdn_places_find(arena, &p, NULL) != 0 ||
	    strcmp(p.trust, "/s/trust.json") == 0 ||
	    strcmp(p.trust, "/s/cordon/trust.json") != 0 || p.config[0])
		return 4;
	set("HOME", "/h");
	if (cdn_places_find(arena, &p, NULL) != 0 ||
	    strcmp(p.home, "/h") != 0 || p.passwd_home[0])
		return 5;
	cdn_arena_free(arena);
	return 0;
}

static void
test_unusual(void)
{
	char *big = calloc(1, CDN_PATH_MAX + 3);
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_places p = { .home = "kept" };
	struct cordon_error err = { 0 };
	int r = 99;

	set("XDG_CONFIG_HOME", NULL);
	set("XDG_STATE_HOME", NULL);
	if (geteuid() == 0)
		r = tmp_child(body_unknown, NULL, false);
	if (r == 99)
		skip("becoming an unknown user needs root");
	else
		ok_f(r == 0, "a user that the database does not know (%d)", r);
	memset(big, 'h', CDN_PATH_MAX + 1);
	big[0] = '/';
	set("HOME", big);
	ok(cdn_places_find(arena, &p, &err) == CORDON_E_INVALID &&
		strstr(err.text, "HOME") && strcmp(p.home, "kept") == 0,
	    "a HOME that is too long is an error, not ignored");
	free(big);
	cdn_arena_free(arena);
}

/* ----- Expanding ---------------------------------------------------------- */

static const struct {
	const char *path;
	const char *want; /* NULL: refused */
} expands[] = {
	{ "/", "/" },
	{ "/a/b", "/a/b" },
	{ "//a///b//", "/a/b" },
	{ "/./a/./b/.", "/a/b" },
	{ "/.", "/" },
	{ "/...", "/..." },
	{ "/a/..b", "/a/..b" },
	{ "/a\nb\xff", "/a\nb\xff" },
	{ "~", "/h" },
	{ "~/", "/h" },
	{ "~/.", "/h" },
	{ "~//x/./y/", "/h/x/y" },
	{ "~/~", "/h/~" },
	{ "/~", "/~" },
	{ "~root", "ROOT" },
	{ "~root/x", "ROOT/x" },
	{ "/a/../b", NULL },
	{ "/..", NULL },
	{ "~/..", NULL },
	{ "~/x/../..", NULL },
	{ "~root/../x", NULL },
	{ "~no-such-user-here/x", NULL },
	{ "~no-such-user-here", NULL },
	{ "", NULL },
	{ "a", NULL },
	{ "./a", NULL },
	{ "../a", NULL },
	{ " /a", NULL },
};

static void
test_expands(void)
{
	struct cdn_places p = { .home = "/h/" };
	struct cdn_arena *arena = cdn_arena_new();
	const struct passwd *root = getpwnam("root");
	char want[PATH_MAX];

	for (size_t i = 0; i < CDN_LEN(expands); i++) {
		struct cordon_error err = { 0 };
		const char *out = "kept";
		int r = cdn_places_expand(arena, &p,
		    cdn_str_of(expands[i].path), &out, &err);

		if (expands[i].want == NULL) {
			ok_f(r == CORDON_E_INVALID && err.code == r &&
				strcmp(out, "kept") == 0,
			    "'%s' is refused: %s", expands[i].path, err.text);
			continue;
		}
		snprintf(want, sizeof(want), "%s", expands[i].want);
		if (strncmp(want, "ROOT", 4) == 0)
			snprintf(want, sizeof(want), "%s%s",
			    root != NULL ? root->pw_dir : "?",
			    expands[i].want + 4);
		ok_f(r == 0 && strcmp(out, want) == 0, "'%s' is '%s'",
		    expands[i].path, out);
	}
	cdn_arena_free(arena);
}

static void
test_expand_limits(void)
{
	static char big[CDN_PATH_MAX + 2];
	struct cdn_places p = { .home = "/h" };
	struct cdn_arena *arena = cdn_arena_new();
	const char *out;

	memset(big, 'x', sizeof(big));
	big[0] = '/';
	ok(cdn_places_expand(arena, &p, (cdn_str){ big, CDN_PATH_MAX }, &out,
	       NULL) == 0 &&
		strlen(out) == CDN_PATH_MAX,
	    "4096 bytes");
	ok(cdn_places_expand(arena, &p, (cdn_str){ big, CDN_PATH_MAX + 1 },
	       &out, NULL) == CORDON_E_INVALID,
	    "4097 bytes");
	big[0] = '~';
	big[1] = '/';
	ok(cdn_places_expand(arena, &p, (cdn_str){ big, CDN_PATH_MAX - 1 },
	       &out, NULL) == 0 &&
		strlen(out) == CDN_PATH_MAX,
	    "4096 bytes when expanded");
	ok(cdn_places_expand(arena, &p, (cdn_str){ big, CDN_PATH_MAX }, &out,
	       NULL) == CORDON_E_INVALID,
	    "4097 bytes when expanded");
	ok(cdn_places_expand(arena, &p, (cdn_str){ "/a\0b", 4 }, &out, NULL) ==
		CORDON_E_INVALID,
	    "NUL is refused");
	p.home = "/a/../b";
	ok(cdn_places_expand(arena, &p, CDN_STR("~/x"), &out, NULL) == 0 &&
		strcmp(out, "/a/../b/x") == 0,
	    "a home is taken as it is");
	cdn_arena_free(arena);
}

int
main(void)
{
	const struct passwd *me = getpwuid(getuid());

	database_home = strdup(
	    me != NULL && me->pw_dir[0] == '/' ? me->pw_dir : "");
	if (database_home[0] != '\0')
		test_finds();
	else
		skip("this user is not in the password database");
	test_unusual();
	test_expands();
	test_expand_limits();
	free((void *)(uintptr_t)database_home);
	return done_testing();
}
