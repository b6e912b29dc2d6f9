#include "enforce/bubble/command.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "enforce/backend/backend.h"
#include "enforce/backend/wrapper.h"
#include "enforce/bubble/fds.h"
#include "enforce/sys/raw.h"

#define WORDS_BYTES (64UL * 1024UL * 1024UL) /* of its words at most */

void
cdn_command_init(struct cdn_command *command)
{
	*command = (struct cdn_command){ .words_fd = -1, .filter_fd = -1 };
}

void
cdn_command_close(struct cdn_command *command)
{
	cdn_fds_close(&command->words_fd);
	cdn_fds_close(&command->filter_fd);
}

static int
make_file(const char *name, const void *p, size_t n)
{
	int fd = cdn_fds_high(memfd_create(name, MFD_CLOEXEC));

	for (size_t done = 0; fd >= 0 && done < n;) {
		ssize_t r = write(fd, (const char *)p + done, n - done);

		if (r < 0 && errno != EINTR)
			cdn_fds_close(&fd);
		else if (r > 0)
			done += (size_t)r;
	}
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0)
		cdn_fds_close(&fd);
	return fd;
}

/* ----- The filter ---------------------------------------------------------- */

int
cdn_command_filter(struct cdn_command *command, const struct cdn_plan *plan,
    const struct cdn_host *host, struct cordon_error *err)
{
	struct cdn_plan strict = *plan;
	struct cdn_filter filter;
	int code = cdn_backend_filter(plan, host, &filter, err);

	strict.no_modify = true;
	if (code == 0)
		code = cdn_backend_filter(&strict, host, &command->strict, err);
	if (code != 0)
		return code;
	command->filter_fd = make_file("cordon-filter", filter.code,
	    filter.n * sizeof(filter.code[0]));
	return command->filter_fd >= 0 ? 0 :
	    cdn_err_sys(err, errno, "failed to keep the filter");
}

CDN_BARE long
cdn_command_be_strict(const struct cdn_command *command)
{
	const struct cdn_filter *strict = &command->strict;
	size_t size = strict->n * sizeof(strict->code[0]);
	long r = cdn_raw(SYS_ftruncate, command->filter_fd, size);

	if (r >= 0)
		r = cdn_raw(SYS_pwrite64, command->filter_fd, strict->code,
		    size, 0);
	return r < 0 ? r : (size_t)r == size ? 0 : -EIO;
}

/* ----- The words ----------------------------------------------------------- */

int
cdn_command_words(struct cdn_command *command, struct cdn_arena *arena,
    const struct cdn_bwrap_plan *mounts, struct cdn_bwrap_command how,
    struct cordon_error *err)
{
	const char *const *words;
	struct cdn_buf text;
	size_t n;
	int code;

	how.seccomp_fd = command->filter_fd;
	code = cdn_bwrap_words(arena, mounts, &how, &words, &n, err);
	if (code != 0)
		return code;
	cdn_buf_init(&text, WORDS_BYTES);
	for (size_t i = 0; i < n; i++)
		cdn_buf_add(&text, words[i], strlen(words[i]) + 1);
	if (!cdn_buf_failed(&text))
		command->words_fd = make_file("cordon-words", text.p, text.n);
	code = cdn_buf_failed(&text) ? cdn_err_nomem(err) :
	    command->words_fd >= 0 ? 0 :
	    cdn_err_sys(err, errno, "failed to keep the words for bwrap");
	cdn_buf_done(&text);
	return code;
}

int
cdn_command_argv(const struct cdn_command *command, struct cdn_arena *arena,
    const char *program, char *const *argv, char *const **ret,
    struct cordon_error *err)
{
	const char *head[] = { CDN_WRAPPER_BWRAP, "--args",
		cdn_arena_printf(arena, "%d", command->words_fd), "--",
		program };
	union {
		const char **made;
		char *const *wanted;
	} to;
	size_t n = 1;

	while (argv[n] != NULL)
		n++;
	to.made = cdn_arena_array(arena, CDN_LEN(head) + n, sizeof(*to.made));
	if (to.made == NULL || head[2] == NULL)
		return cdn_err_nomem(err);
	memcpy(to.made, head, sizeof(head));
	memcpy(to.made + CDN_LEN(head), argv + 1, (n - 1) * sizeof(*argv));
	*ret = to.wanted;
	return 0;
}
