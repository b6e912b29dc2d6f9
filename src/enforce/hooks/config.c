#include "enforce/hooks/hooks.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/guard/config.h"
#include "enforce/store/places.h"
#include "enforce/store/store.h"
#include "engine/dialect/install.h"
#include "engine/policy/digest.h"
#include "engine/wrap/toml.h"

#define NEW_FILE_MODE 0600U
#define NEW_DIR_MODE  0700

struct config {
	const struct cordon_hook_install *install;
	struct cdn_install_spec spec;
	struct cdn_arena *arena;
	const char *dir;
	const char *file;
	bool has_dir;
	bool there;
	unsigned mode;
	struct cdn_buf was;
	struct cordon_error *err;
};

static cdn_str
text_of(const struct cdn_buf *buf)
{
	return (cdn_str){ buf->p == NULL ? "" : buf->p, buf->n };
}

/* ----- Where it is ------------------------------------------------------ */

/* A variable that names a directory, as the agent itself takes it. */
static const char *
from_variable(const struct cdn_dialect *dialect)
{
	const char *value = dialect->variable == NULL ? NULL :
	    secure_getenv(dialect->variable);

	return value != NULL && value[0] == '/' ? value : NULL;
}

static int
find_dir(struct config *c)
{
	const struct cdn_dialect *dialect = c->spec.dialect;
	const char *top = c->install->project;
	const char *own = top == NULL ? from_variable(dialect) : NULL;
	struct cdn_places places;
	int code = 0;

	if (own == NULL && top == NULL) {
		code = cdn_places_find(c->arena, &places, c->err);
		if (code == 0 && places.home[0] == '\0')
			code = cdn_err(c->err, CORDON_E_NOT_FOUND,
			    "there is no home directory (set HOME)");
		if (code != 0)
			return code;
		top = places.home;
	}
	c->dir = own != NULL ? own :
	    cdn_arena_printf(c->arena, "%s/%s", top, dialect->dir);
	c->file = c->dir == NULL ? NULL :
	    cdn_arena_printf(c->arena, "%s/%s", c->dir, dialect->file);
	return c->file == NULL ? cdn_err_nomem(c->err) : 0;
}

/* Ours, and not a link to somewhere else.  1: it is there. */
static int
look_at(struct config *c, const char *path, mode_t type)
{
	struct stat st;

	if (path == NULL)
		return cdn_err_nomem(c->err);
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : cdn_err_sys(c->err, errno,
		    "cannot look at '%s'", path);
	if (S_ISLNK(st.st_mode))
		return cdn_err(c->err, CORDON_E_INVALID, "'%s' is a symbolic "
		    "link: what it leads to is not changed from here (put the "
		    "hook there by hand: docs/hooks.md)", path);
	if (st.st_uid != geteuid())
		return cdn_err(c->err, CORDON_E_INVALID,
		    "'%s' belongs to somebody else", path);
	if ((st.st_mode & S_IFMT) != type)
		return cdn_err(c->err, CORDON_E_INVALID, "'%s' is no %s", path,
		    type == S_IFDIR ? "directory" : "file");
	c->mode = st.st_mode & 0777;
	return 1;
}

static int
open_config(struct config *c)
{
	int code = find_dir(c);

	if (code == 0)
		code = look_at(c, c->dir, S_IFDIR);
	if (code <= 0)
		return code;
	c->has_dir = true;
	code = look_at(c, c->file, S_IFREG);
	if (code <= 0)
		return code;
	c->there = true;
	return cdn_store_read(c->file, CDN_WRAP_MAX, false, &c->was, c->err);
}

static int
explain(const struct config *c, int code, const struct cordon_error *why)
{
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(c->err);
	return cdn_err(c->err, code, "%s: %s", c->file, why->text);
}

/* ----- Writing ---------------------------------------------------------- */

static int
show(const struct config *c, const struct cdn_wrap_result *edits, bool *ret)
{
	const struct cdn_config_change change = {
		.was = text_of(&c->was),
		.edits = edits,
		.file = c->file,
		.show = c->install->show,
		.arg = c->install->arg,
	};

	return cdn_config_show(&change, ret, c->err);
}

static int
check_unchanged(const struct config *c)
{
	struct cdn_buf now = { 0 };
	struct stat st;
	int code = 0;

	if (!c->there)
		return lstat(c->file, &st) != 0 && errno == ENOENT ? 0 :
		    cdn_err(c->err, CORDON_E_SYSTEM, "'%s' was made in the "
			"meantime (try again)", c->file);
	code = cdn_store_read(c->file, CDN_WRAP_MAX, false, &now, c->err);
	if (code == 0 && !cdn_str_eq(text_of(&now), text_of(&c->was)))
		code = cdn_err(c->err, CORDON_E_SYSTEM, "'%s' was changed in "
		    "the meantime (try again)", c->file);
	cdn_buf_done(&now);
	return code;
}

static int
write_it(const struct config *c, const struct cdn_wrap_result *edits,
    bool gone)
{
	struct cdn_buf text;
	int code = check_unchanged(c);

	if (code != 0)
		return code;
	if (gone)
		return unlink(c->file) == 0 ? 0 : cdn_err_sys(c->err, errno,
		    "cannot remove '%s'", c->file);
	if (!c->there && mkdir(c->dir, NEW_DIR_MODE) != 0 && errno != EEXIST)
		return cdn_err_sys(c->err, errno, "cannot make '%s'", c->dir);
	cdn_buf_init(&text, 2 * CDN_WRAP_MAX);
	cdn_wrap_apply(text_of(&c->was), edits, &text);
	code = cdn_buf_failed(&text) ? cdn_err_nomem(c->err) :
	    cdn_store_write(c->file, text_of(&text),
		c->there ? c->mode : NEW_FILE_MODE, c->err);
	cdn_buf_done(&text);
	return code;
}

/* ----- Installing ------------------------------------------------------- */

static int
find_edits(const struct config *c, struct cdn_wrap_result *ret, bool *ret_gone,
    struct cordon_error *why)
{
	struct cdn_wrap_edit *edit;
	cdn_str text;

	*ret = (struct cdn_wrap_result){ 0 };
	if (!c->there && c->install->undo)
		return 0;
	if (c->install->undo)
		return cdn_install_remove(text_of(&c->was), &c->spec, c->arena,
		    ret, ret_gone, why);
	if (c->there)
		return cdn_install_add(text_of(&c->was), &c->spec, c->arena,
		    ret, why);
	edit = cdn_arena_alloc(c->arena, sizeof(*edit));
	if (edit == NULL || !cdn_install_new(&c->spec, c->arena, &text))
		return cdn_err_nomem(why);
	*edit = (struct cdn_wrap_edit){ 0, 0, text };
	*ret = (struct cdn_wrap_result){ .edits = edit, .n = 1 };
	return 0;
}

static int
begin(struct config *c, const struct cordon_hook_install *install,
    struct cordon_error *err)
{
	*c = (struct config){
		.install = install,
		.spec = { cdn_dialect(install->agent), install->program,
		    install->options },
		.arena = cdn_arena_new(),
		.err = err,
	};
	return c->arena == NULL ? cdn_err_nomem(err) : open_config(c);
}

static void
end(struct config *c)
{
	cdn_buf_done(&c->was);
	cdn_arena_free(c->arena);
}

int
cdn_hook_install(const struct cordon_hook_install *install,
    struct cordon_error *err)
{
	struct cdn_wrap_result edits;
	struct cordon_error why = { 0 };
	struct config c;
	bool wanted = true, gone = false;
	int code = begin(&c, install, err);

	if (code == 0) {
		code = find_edits(&c, &edits, &gone, &why);
		if (code != 0)
			code = explain(&c, code, &why);
	}
	if (code == 0 && edits.n > 0) {
		code = show(&c, &edits, &wanted);
		if (code == 0 && wanted)
			code = write_it(&c, &edits, gone);
	}
	end(&c);
	return code;
}

/* ----- Looking ---------------------------------------------------------- */

struct trust {
	const char *file;
	const char *hash;
	bool found;
};

/* hooks.state."FILE:pre_tool_use:0:0".trusted_hash = "sha256:..." */
static int
see_trust(const struct cdn_toml_entry *entry, void *arg,
    struct cordon_error *err)
{
	struct trust *t = arg;
	const cdn_str *path = entry->path;

	(void)err;
	if (entry->n != 4 || entry->value.type != CDN_TOML_STRING ||
	    !cdn_str_is(path[0], "hooks") || !cdn_str_is(path[1], "state") ||
	    !cdn_str_is(path[3], "trusted_hash"))
		return 0;
	if (cdn_str_starts(path[2], cdn_str_of(t->file)) &&
	    cdn_str_starts(cdn_str_from(path[2], strlen(t->file)),
		CDN_STR(":pre_tool_use:")) &&
	    cdn_str_is(entry->value.text, t->hash))
		t->found = true;
	return 0;
}

/* What is on record when the hook was trusted just as it stands there. */
static int
find_hash(const struct config *c, enum cdn_install_level level,
    const char **ret)
{
	char digest[CDN_DIGEST_SIZE] = "";
	struct cdn_buf text;

	cdn_buf_init(&text, CDN_WRAP_MAX);
	if (cdn_install_identity(&c->spec, level, &text))
		cdn_digest(text_of(&text), digest);
	cdn_buf_done(&text);
	*ret = digest[0] == '\0' ? NULL :
	    cdn_arena_printf(c->arena, "sha256:%s", digest);
	return *ret == NULL ? cdn_err_nomem(c->err) : 0;
}

/* By the record of an agent that asks its user first. */
static int
is_trusted(const struct config *c, enum cdn_install_level level, bool *ret)
{
	const char *file = cdn_arena_printf(c->arena, "%s/config.toml", c->dir);
	struct trust trust = { .file = c->file };
	struct cdn_toml toml = { .arena = c->arena, .visit = see_trust,
		.arg = &trust };
	struct cordon_error why = { 0 };
	struct cdn_buf text = { 0 };
	int code = find_hash(c, level, &trust.hash);

	*ret = false;
	if (code != 0 || file == NULL)
		return cdn_err_nomem(c->err);
	code = cdn_store_read(file, CDN_WRAP_MAX, true, &text, &why);
	if (code == 0) {
		toml.text = text_of(&text);
		code = cdn_toml_read(&toml, &why);
		cdn_buf_done(&text);
	}
	*ret = code == 0 && trust.found;
	return code == CORDON_E_NOMEM ? cdn_err_nomem(c->err) : 0;
}

static int
find_state(const struct config *c, enum cordon_hook_state *ret)
{
	struct cdn_installed seen = { 0 };
	struct cordon_error why = { 0 };
	bool trusted = true;
	int code = !c->there ? 0 : cdn_install_look(text_of(&c->was), &c->spec,
	    c->arena, &seen, &why);

	if (code != 0)
		return explain(c, code, &why);
	if (c->spec.dialect->trusts && seen.good > 0)
		code = is_trusted(c, seen.level, &trusted);
	*ret = seen.found == 0 ? CORDON_HOOK_ABSENT :
	    seen.good < seen.wanted ? CORDON_HOOK_OTHER :
	    seen.off ? CORDON_HOOK_OFF :
	    !trusted ? CORDON_HOOK_UNTRUSTED : CORDON_HOOK_INSTALLED;
	return code;
}

int
cdn_hook_look(const struct cordon_hook_install *install,
    struct cordon_hook_status *ret, bool *there, struct cordon_error *err)
{
	struct config c;
	int code = begin(&c, install, err);

	*there = code != 0 || c.has_dir;
	if (code == 0)
		code = find_state(&c, &ret->state);
	if (code == 0)
		snprintf(ret->file, sizeof(ret->file), "%s", c.file);
	end(&c);
	return code;
}

int
cdn_hook_status(const struct cordon_hook_install *install,
    struct cordon_hook_status *ret, struct cordon_error *err)
{
	bool there;

	return cdn_hook_look(install, ret, &there, err);
}
