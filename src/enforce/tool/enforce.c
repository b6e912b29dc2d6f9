/*
 * enforce - the one way from a name to a file.
 *
 * Whatever a tool wants to open it names here; the gate finds, judges and opens
 * it, and the audit has the verdict before the tool has the descriptor.
 */
#include "enforce/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ----- Into the audit -------------------------------------------------------------- */

#define FIELDS (CDN_VERDICT_FIELDS + 1)

static int
tell(struct cdn_tool_call *call, enum cdn_event_kind kind,
    const struct cordon_verdict *verdict, cdn_str path)
{
	struct cdn_event_field fields[FIELDS];

	cdn_fields_verdict(verdict, path, fields);
	fields[CDN_VERDICT_FIELDS] = cdn_field_text("tool",
	    call->tool->info.name);
	return cdn_tool_event(call, kind, fields, FIELDS);
}

/* A refusal without a verdict is told at the end of the call. */
static int
tell_refused(struct cdn_tool_call *call, cdn_str path)
{
	int code = 0;

	if (call->refused.has_verdict)
		code = tell(call, CDN_EVENT_FS_DENIED, &call->refused.verdict,
		    path);
	return code != 0 ? code : CDN_TOOL_REFUSED;
}

/* ----- Opening ------------------------------------------------------------------------ */

static enum cordon_op
op_of(int flags)
{
	return (flags & O_ACCMODE) == O_RDONLY ? CORDON_READ : CORDON_MODIFY;
}

/* What the descriptor is, and the words of who allowed it. */
static int
look(struct cdn_tool_call *call, int flags, struct cdn_tool_file *file)
{
	struct stat st;
	int code = cdn_session_judge(call->tools->policy.session,
	    CORDON_AS_AGENT, op_of(flags), &file->real, &file->verdict,
	    &call->err);

	if (code != 0)
		return cdn_tool_result_of(call, code);
	if (fstat(file->fd, &st) != 0)
		return cdn_tool_refuse_sys(call, errno, "read",
		    cdn_str_of(file->real.path));
	file->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	file->is_directory = S_ISDIR(st.st_mode);
	file->changed = st.st_mtim;
	return tell(call, CDN_EVENT_FS_REQUEST, &file->verdict,
	    (cdn_str){ file->real.path, file->real.len });
}

int
cdn_tool_open(struct cdn_tool_call *call, cdn_str raw, int flags,
    struct cdn_tool_file *ret)
{
	struct cdn_tool_file file = { .fd = -1 };
	int code = cdn_gate_open(&call->tools->policy, raw, flags, 0666,
	    &file.fd, &file.real, &call->refused, &call->err);

	if (code != 0) {
		code = cdn_tool_result_of(call, code);
		return code != CDN_TOOL_REFUSED ? code :
						  tell_refused(call, raw);
	}
	code = look(call, flags, &file);
	if (code != 0)
		close(file.fd);
	else
		*ret = file;
	return code;
}

int
cdn_tool_replace(struct cdn_tool_call *call, cdn_str raw,
    struct cdn_replacement *ret)
{
	struct cordon_verdict verdict;
	int code = cdn_gate_replace_begin(&call->tools->policy, raw, ret,
	    &call->refused, &call->err);

	if (code != 0) {
		code = cdn_tool_result_of(call, code);
		return code != CDN_TOOL_REFUSED ? code :
						  tell_refused(call, raw);
	}
	code = cdn_session_judge(call->tools->policy.session, CORDON_AS_AGENT,
	    CORDON_MODIFY, &ret->real, &verdict, &call->err);
	if (code != 0)
		return cdn_tool_result_of(call, code);
	return tell(call, CDN_EVENT_FS_REQUEST, &verdict,
	    (cdn_str){ ret->real.path, ret->real.len });
}

/* ----- What is read from it ------------------------------------------------------------ */

int
cdn_tool_read(struct cdn_tool_call *call, const struct cdn_tool_file *file,
    uint64_t offset, size_t max, struct cdn_buf *out)
{
	char piece[16384];

	while (out->n < max) {
		size_t want = max - out->n < sizeof(piece) ? max - out->n :
							     sizeof(piece);
		ssize_t n = pread(file->fd, piece, want,
		    (off_t)(offset + out->n));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cdn_tool_refuse_sys(call, errno, "read",
			    cdn_str_of(file->real.path));
		if (n == 0)
			break;
		cdn_buf_add(out, piece, (size_t)n);
		if (cdn_buf_failed(out))
			return cdn_tool_nomem(call);
	}
	return 0;
}

cdn_str
cdn_tool_shown(const struct cdn_tool_call *call, const struct cdn_real *real)
{
	const char *workspace = call->tools->policy.session->workspace;
	size_t n = strlen(workspace);

	if (real->len == n && memcmp(real->path, workspace, n) == 0)
		return CDN_STR(".");
	if (real->len > n && memcmp(real->path, workspace, n) == 0 &&
	    (real->path[n] == '/' || n == 1))
		return (cdn_str){ real->path + (n == 1 ? 1 : n + 1),
			real->len - (n == 1 ? 1 : n + 1) };
	return (cdn_str){ real->path, real->len };
}
