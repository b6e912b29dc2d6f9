/*
 * read_text
 */
#include "enforce/tool/tool.h"

#include <fcntl.h>

enum { PATH, OFFSET, LIMIT };

/* Not in the middle of a character, if another page follows. */
static size_t
whole_characters(cdn_str bytes)
{
	size_t n = bytes.n;

	for (size_t back = 1; back <= 3 && back < n; back++) {
		unsigned char c = (unsigned char)bytes.p[n - back];

		if (c < 0x80)
			break;
		if (c >= 0xc0) {
			size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

			return need > back ? n - back : n;
		}
	}
	return n;
}

static void
put(struct cdn_tool_call *call, const struct cdn_tool_file *file,
    cdn_str bytes, uint64_t offset)
{
	struct cdn_json_writer *w = call->result;
	uint64_t next = offset + bytes.n;
	bool before = w->replaced;

	cdn_json_put_key(w, "path");
	cdn_json_put_string(w, cdn_tool_shown(call, &file->real));
	w->replaced = false;
	cdn_json_put_key(w, "text");
	cdn_json_put_string(w, bytes);
	cdn_json_put_key(w, "size");
	cdn_json_put_uint(w, file->size);
	cdn_json_put_key(w, "next_offset");
	if (next < file->size && bytes.n > 0)
		cdn_json_put_uint(w, next);
	else
		cdn_json_put_null(w);
	cdn_json_put_key(w, "lossy");
	cdn_json_put_bool(w, w->replaced);
	w->replaced |= before;
}

static int
read_part(struct cdn_tool_call *call, const struct cdn_tool_file *file)
{
	uint64_t offset = (uint64_t)call->v[OFFSET].number;
	size_t limit = call->v[LIMIT].given ? (size_t)call->v[LIMIT].number :
					      CDN_TOOL_TEXT_MAX;
	struct cdn_buf bytes;
	int code;

	cdn_buf_init(&bytes, CDN_TOOL_TEXT_MAX);
	code = cdn_tool_read(call, file, offset, limit, &bytes);
	if (code == 0 && offset + bytes.n < file->size)
		bytes.n = whole_characters((cdn_str){ bytes.p, bytes.n });
	if (code == 0)
		put(call, file, (cdn_str){ bytes.p, bytes.n }, offset);
	cdn_buf_done(&bytes);
	return code;
}

int
cdn_tool_read_text(struct cdn_tool_call *call)
{
	struct cdn_tool_file file;
	int code = cdn_tool_open(call, call->v[PATH].text, O_RDONLY, &file);
	cdn_cleanup_fd int fd = code == 0 ? file.fd : -1;

	if (code != 0)
		return code;
	if (file.is_directory)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "'%s' is a directory (list_files shows what is in it)",
		    file.real.path);
	code = cdn_tool_filter(call, &file.real, file.size);
	return code == 0 && fd >= 0 ? read_part(call, &file) : code;
}
