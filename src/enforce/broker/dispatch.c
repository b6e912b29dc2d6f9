/*
 * Which handler answers which call.
 */
#include "enforce/broker/call.h"

static const struct {
	int nr;
	const char *name;
	cdn_handler_fn *handler;
} handlers[] = {
#define ROW(name, handler) { SYS_##name, #name, handler }
	ROW(execve, cdn_handle_exec),
	ROW(execveat, cdn_handle_exec),
	ROW(openat, cdn_handle_open),
#ifdef SYS_open
	ROW(open, cdn_handle_open),
	ROW(creat, cdn_handle_open),
#endif
#undef ROW
};

cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	for (size_t i = 0; i < CDN_LEN(handlers); i++)
		if (handlers[i].nr == nr) {
			*ret_name = handlers[i].name;
			return handlers[i].handler;
		}
	return NULL;
}
