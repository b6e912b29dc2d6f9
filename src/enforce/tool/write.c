/*
 * write_text, edit_text: the new contents are written beside the old ones and
 * take their place at once.
 */
#include "enforce/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { WRITE_PATH, WRITE_CONTENT };
enum { EDIT_PATH, EDIT_OLD, EDIT_NEW, EDIT_ALL };

static void
put(struct cdn_tool_call *call, const struct cdn_replacement *r, cdn_str text)
{
	struct cdn_json_writer *w = call->result;

	cdn_json_put_key(w, "path");
	cdn_json_put_string(w, cdn_tool_shown(call, &r->real));
	cdn_json_put_key(w, "size");
	cdn_json_put_uint(w, text.n);
	cdn_json_put_key(w, "created");
	cdn_json_put_bool(w, !r->existed);
}

static int
write_all(struct cdn_tool_call *call, const struct cdn_replacement *r,
    cdn_str text)
{
	while (text.n > 0) {
		ssize_t n = write(r->fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cdn_tool_refuse_sys(call, errno, "write",
			    cdn_str_of(r->real.path));
		text = cdn_str_from(text, (size_t)n);
	}
	return 0;
}

static bool
is_same(const struct cdn_tool_file *was, const struct cdn_replacement *r)
{
	return r->existed && was->real.dev == r->real.dev &&
	    was->real.ino == r->real.ino &&
	    was->changed.tv_sec == r->changed.tv_sec &&
	    was->changed.tv_nsec == r->changed.tv_nsec;
}

/* `was`: it must be this very file still; NULL: whatever is there. */
static int
replace(struct cdn_tool_call *call, const struct cdn_replacement *r,
    const struct cdn_tool_file *was, cdn_str text)
{
	int code = cdn_tool_filter(call, &r->real, text.n);

	if (code != 0 || call->asked->dry_run)
		return code;
	if (was != NULL && !is_same(was, r))
		return cdn_tool_refuse(call, CORDON_REFUSAL_OS,
		    "'%s' was changed by somebody else meanwhile (read it "
		    "again)", r->real.path);
	return write_all(call, r, text);
}

static int
put_in_place(struct cdn_tool_call *call, cdn_str path,
    const struct cdn_tool_file *was, cdn_str text)
{
	struct cdn_replacement r;
	int code = cdn_tool_replace(call, path, &r);

	if (code == 0)
		code = replace(call, &r, was, text);
	if (code == 0 && !call->asked->dry_run)
		code = cdn_tool_result_of(call, cdn_gate_replace_commit(&r,
		    &call->refused, &call->err));
	if (code == 0)
		put(call, &r, text);
	cdn_gate_replace_done(&r);
	return code;
}

int
cdn_tool_write_text(struct cdn_tool_call *call)
{
	return put_in_place(call, call->v[WRITE_PATH].text, NULL,
	    call->v[WRITE_CONTENT].text);
}

/* ----- Editing ------------------------------------------------------------------------ */

static cdn_str
find(cdn_str text, cdn_str part)
{
	const char *p = part.n == 0 || text.n < part.n ? NULL :
	    memmem(text.p, text.n, part.p, part.n);

	if (p == NULL)
		return (cdn_str){ 0 };
	return cdn_str_from(text, (size_t)(p - text.p));
}

static size_t
count(cdn_str text, cdn_str part)
{
	size_t n = 0;

	for (text = find(text, part); text.n > 0;
	     text = find(cdn_str_from(text, part.n), part))
		n++;
	return n;
}

static void
substitute(cdn_str text, cdn_str old, cdn_str new, struct cdn_buf *out)
{
	for (;;) {
		cdn_str hit = find(text, old);

		if (hit.n == 0)
			break;
		cdn_buf_add(out, text.p, (size_t)(hit.p - text.p));
		cdn_buf_str(out, new);
		text = cdn_str_from(hit, old.n);
	}
	cdn_buf_str(out, text);
}

static int
check_hits(struct cdn_tool_call *call, const struct cdn_tool_file *file,
    size_t hits)
{
	if (hits == 0)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "'old' does not occur in '%s' (read it again)",
		    file->real.path);
	if (hits > 1 && !call->v[EDIT_ALL].flag)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "'old' occurs %zu times in '%s' (give more of the text "
		    "around it, or \"all\": true)", hits, file->real.path);
	return 0;
}

static int
edit(struct cdn_tool_call *call, const struct cdn_tool_file *file,
    cdn_str text, struct cdn_buf *out)
{
	cdn_str old = call->v[EDIT_OLD].text;
	size_t hits = count(text, old);
	int code = check_hits(call, file, hits);

	if (code != 0)
		return code;
	substitute(text, old, call->v[EDIT_NEW].text, out);
	if (cdn_buf_failed(out))
		return out->n + CDN_PATH_MAX > CDN_TOOL_TEXT_MAX ?
		    cdn_tool_refuse(call, CORDON_REFUSAL_SIZE,
			"'%s' would have more than %ld bytes",
			file->real.path, CDN_TOOL_TEXT_MAX) :
		    cdn_tool_nomem(call);
	code = put_in_place(call, call->v[EDIT_PATH].text, file,
	    (cdn_str){ out->p, out->n });
	if (code != 0)
		return code;
	cdn_json_put_key(call->result, "replaced");
	cdn_json_put_uint(call->result, hits);
	return 0;
}

static int
edit_file(struct cdn_tool_call *call, const struct cdn_tool_file *file)
{
	struct cdn_buf text, out;
	int code;

	if (file->is_directory)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "'%s' is a directory", file->real.path);
	/* Before it is looked into: what is found there is an answer, too. */
	code = cdn_tool_filter(call, &file->real, file->size);
	if (code != 0)
		return code;
	if (file->size > CDN_TOOL_TEXT_MAX)
		return cdn_tool_refuse(call, CORDON_REFUSAL_SIZE,
		    "'%s' has more than %ld bytes", file->real.path,
		    CDN_TOOL_TEXT_MAX);
	cdn_buf_init(&text, CDN_TOOL_TEXT_MAX);
	cdn_buf_init(&out, CDN_TOOL_TEXT_MAX);
	code = cdn_tool_read(call, file, 0, CDN_TOOL_TEXT_MAX, &text);
	if (code == 0)
		code = edit(call, file, (cdn_str){ text.p, text.n }, &out);
	cdn_buf_done(&text);
	cdn_buf_done(&out);
	return code;
}

int
cdn_tool_edit_text(struct cdn_tool_call *call)
{
	struct cdn_tool_file file;
	int code = cdn_tool_open(call, call->v[EDIT_PATH].text, O_RDONLY,
	    &file);

	if (code != 0)
		return code;
	code = edit_file(call, &file);
	close(file.fd);
	return code;
}
