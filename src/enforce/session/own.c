/*
 * own - the session's own home and tmp: where they are, or would be.
 *
 * Nothing is made here.  What can be made is asked of the directories that are
 * there; whoever makes it later (enforce/home) says so when that was wrong.
 */
#include "enforce/session/own.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/decide/preset.h"

#define ID_BYTES (CDN_ID_DIGITS / 2UL)

static void
to_hex(const uint8_t bytes[ID_BYTES], char out[2 * ID_BYTES + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < ID_BYTES; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * ID_BYTES] = '\0';
}

int
cdn_own_make_id(char out[CDN_ID_DIGITS + 1], struct cordon_error *err)
{
	uint8_t bytes[ID_BYTES];
	ssize_t n;

	do {
		n = getrandom(bytes, sizeof(bytes), 0);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(bytes))
		return cdn_err_sys(err, n < 0 ? errno : EIO,
		    "no random number for an id");
	to_hex(bytes, out);
	return 0;
}

/* Is the directory, or the nearest one above it, there to be written? */
static bool
can_be_made(const struct cdn_found *state)
{
	char dir[CDN_PATH_MAX + sizeof("/.")];

	/* "/.": a file in its place is no directory. */
	snprintf(dir, sizeof(dir), "%.*s/.", (int)state->existing,
	    state->path);
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Who is found under his own name is none; else it is asked what he is. */
static bool
is_link(const char *path, int code, const struct cdn_found *found)
{
	struct stat st;

	return (code != 0 || strcmp(found->path, path) != 0) &&
	    path[0] != '\0' && lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/*
 * STATE is made real, what lies in it is not: a link there would choose what
 * is open.
 */
static int
find_base(struct cordon_session *s, struct cdn_lookup *lookup,
    struct cordon_error *err)
{
	struct cdn_own *own = &s->own;
	struct cdn_found state = { .path = "" };
	int code = CORDON_E_NOT_FOUND;

	if (s->places.state[0] != '\0')
		code = cdn_lookup_find(lookup, s->places.state, &state, NULL);
	if (is_link(s->places.state, code, &state))
		return cdn_err(err, CORDON_E_INVALID, "the state directory "
		    "'%s' is a link, and whoever made it would choose where "
		    "cordon writes (name the real one: XDG_STATE_HOME)",
		    s->places.state);
	if (code == 0 && can_be_made(&state)) {
		own->base = state.path;
		return 0;
	}
	own->substitute = true;
	own->base = code == CORDON_E_NOMEM ? NULL : cdn_arena_printf(s->arena,
	    CDN_OWN_SUBSTITUTE "%s", (unsigned)geteuid(), own->id);
	return own->base == NULL ? cdn_err_nomem(err) : 0;
}

int
cdn_own_find(struct cordon_session *session, struct cdn_lookup *lookup,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	const struct cdn_preset *preset = cdn_preset_get(options->preset);
	struct cdn_own *own = &session->own;
	int code = cdn_own_make_id(own->id, err);

	if (code == 0)
		code = find_base(session, lookup, err);
	if (code != 0)
		return code;
	own->home = own->state = own->unconfined = own->tmp = "";
	if (preset->own_tmp)
		own->tmp = cdn_arena_printf(session->arena, "%s/tmp/%s",
		    own->base, own->id);
	return own->tmp == NULL ? cdn_err_nomem(err) : 0;
}

int
cdn_own_name_home(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	bool own_home = cdn_preset_get(options->preset)->own_home &&
	    !options->host_home;
	struct cdn_own *own = &session->own;
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char id[2 * ID_BYTES + 1];
	int code;

	if (!own_home && session->agent.is == NULL)
		return 0;
	code = cdn_home_class(session, digest, err);
	if (code != 0)
		return code;
	to_hex(digest, id);
	own->state = cdn_arena_printf(session->arena, "%s/homes/%s", own->base,
	    id);
	if (own->state == NULL)
		return cdn_err_nomem(err);
	if (!own_home)
		return 0;
	own->home = own->state;
	own->unconfined = cdn_arena_printf(session->arena, "%s-unconfined",
	    own->home);
	return own->unconfined == NULL ? cdn_err_nomem(err) : 0;
}
