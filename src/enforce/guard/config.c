#include "enforce/guard/config.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/store/store.h"

struct config {
	const struct cordon_mcp_wrap *wrap;
	struct cdn_arena *arena;
	char real[PATH_MAX]; /* without links */
	unsigned mode;
	struct cdn_buf was; /* what it holds */
	struct cdn_wrap_result result;
	struct cordon_error *err;
};

static cdn_str
text_of(const struct cdn_buf *buf)
{
	return (cdn_str){ buf->p == NULL ? "" : buf->p, buf->n };
}

/* A file that we can give back as we found it. */
static int
look(struct config *c)
{
	struct stat st;

	if (realpath(c->wrap->file, c->real) == NULL || stat(c->real, &st) != 0)
		return cdn_err_sys(c->err, errno, "cannot read '%s'",
		    c->wrap->file);
	if (st.st_uid != geteuid())
		return cdn_err(c->err, CORDON_E_INVALID, "'%s' belongs to "
		    "somebody else, who would not own it any more",
		    c->wrap->file);
	c->mode = st.st_mode & 0777;
	return cdn_store_read(c->real, CDN_WRAP_MAX, false, &c->was, c->err);
}

static int
find_edits(struct config *c)
{
	const struct cdn_wrap_options options = {
		.language = cdn_str_ends(cdn_str_of(c->wrap->file),
		    CDN_STR(".toml")) ? CDN_WRAP_TOML : CDN_WRAP_JSON,
		.command = c->wrap->command,
		.place = c->wrap->place,
		.options = c->wrap->options,
		.undo = c->wrap->undo,
	};
	struct cordon_error why = { 0 };
	int code = cdn_wrap(text_of(&c->was), &options, c->arena, &c->result,
	    &why);

	if (code == 0 || code == CORDON_E_NOMEM)
		return code == 0 ? 0 : cdn_err_nomem(c->err);
	return cdn_err(c->err, code, "%s: %s", c->wrap->file, why.text);
}

static int
tell_servers(const struct config *c)
{
	for (size_t i = 0; i < c->result.server_count; i++) {
		const struct cdn_wrap_outcome *one = &c->result.servers[i];
		const char *name = cdn_arena_dup(c->arena, one->name.p,
		    one->name.n);

		if (name == NULL)
			return cdn_err_nomem(c->err);
		if (c->wrap->server != NULL)
			c->wrap->server(name, one->left, one->open,
			    c->wrap->arg);
	}
	return 0;
}

int
cdn_config_show(const struct cdn_config_change *change, bool *ret,
    struct cordon_error *err)
{
	struct cdn_buf text;
	int code = 0;

	*ret = true;
	if (change->show == NULL)
		return 0;
	cdn_buf_init(&text, 8 * CDN_WRAP_MAX);
	cdn_wrap_diff(change->was, change->edits, change->file, &text);
	cdn_buf_putc(&text, '\0');
	if (cdn_buf_failed(&text))
		code = cdn_err_nomem(err);
	else
		*ret = change->show(text.p, change->arg);
	cdn_buf_done(&text);
	return code;
}

static int
show(const struct config *c, bool *ret)
{
	const struct cdn_config_change change = {
		.was = text_of(&c->was),
		.edits = &c->result,
		.file = c->wrap->file,
		.show = c->wrap->show,
		.arg = c->wrap->arg,
	};

	return cdn_config_show(&change, ret, c->err);
}

static int
check_unchanged(const struct config *c)
{
	struct cdn_buf now;
	int code = cdn_store_read(c->real, CDN_WRAP_MAX, false, &now, c->err);

	if (code != 0)
		return code;
	if (!cdn_str_eq(text_of(&now), text_of(&c->was)))
		code = cdn_err(c->err, CORDON_E_SYSTEM, "'%s' was changed in "
		    "the meantime (try again)", c->wrap->file);
	cdn_buf_done(&now);
	return code;
}

static int
write_it(const struct config *c)
{
	struct cdn_buf text;
	int code = check_unchanged(c);

	if (code != 0)
		return code;
	cdn_buf_init(&text, 2 * CDN_WRAP_MAX);
	cdn_wrap_apply(text_of(&c->was), &c->result, &text);
	code = cdn_buf_failed(&text) ? cdn_err_nomem(c->err) :
	    cdn_store_write(c->real, text_of(&text), c->mode, c->err);
	cdn_buf_done(&text);
	return code;
}

int
cdn_config_wrap(const struct cordon_mcp_wrap *wrap, struct cordon_error *err)
{
	struct config c = { .wrap = wrap, .arena = cdn_arena_new(),
		.err = err };
	bool wanted = true;
	int code = c.arena == NULL ? cdn_err_nomem(err) : look(&c);

	if (code == 0)
		code = find_edits(&c);
	if (code == 0)
		code = tell_servers(&c);
	if (code == 0 && c.result.n > 0) {
		code = show(&c, &wanted);
		if (code == 0 && wanted)
			code = write_it(&c);
	}
	cdn_buf_done(&c.was);
	cdn_arena_free(c.arena);
	return code;
}
