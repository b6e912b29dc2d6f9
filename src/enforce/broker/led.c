/*
 * led - no symlink leads the host from the workspace to where the run is free.
 *
 * Threat:    `cp -r src ~/src; git init ~/src; rm -r src; ln -s ~/src src`, with
 *            the private home as ~, where repositories may be made: the host's
 *            next git in src executes what the configuration there says.
 * Invariant: no symlink that a run makes in a guarded directory leads into the
 *            private home or tmp of a run, or cordon's state directory, nor
 *            to what a process makes of its place in /proc.
 * Held by:   its text is resolved when it gets a name, and a text that names
 *            such a directory by its random name is refused wherever it leads
 *            today: a directory above it may be moved later, or what stands in
 *            the middle of it appear.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <sys/stat.h>

#include "enforce/broker/inside.h"
#include "enforce/broker/names.h"
#include "enforce/path/path.h"

#define ID_DIGITS 16

static const char rule[] = "link-to-private";

static bool
is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

/* Does it end with a number that no other name has? */
static bool
is_random(const char *name)
{
	size_t n = strlen(name);

	return n >= ID_DIGITS && strspn(name + n - ID_DIGITS,
	    "0123456789abcdef") == ID_DIGITS;
}

static bool
has_step(const char *text, const char *step)
{
	cdn_str rest = cdn_str_of(text), name;

	while (cdn_str_next(&rest, '/', &name))
		if (cdn_str_is(name, step))
			return true;
	return false;
}

/* Is it the home or tmp of any run, in the state directory STATE? */
static bool
is_of_run(const char *state, cdn_str step)
{
	static const char *const kinds[] = { "homes", "tmp" };
	char path[2 * CDN_PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < CDN_LEN(kinds); i++) {
		snprintf(path, sizeof(path), "%s/%s/%.*s", state, kinds[i],
		    (int)step.n, step.p);
		if (lstat(path, &st) == 0)
			return true;
	}
	return false;
}

/* A text that names one of another run leads there when a link above it does. */
static bool
names_run(const char *state, const char *text)
{
	cdn_str rest = cdn_str_of(text), step;

	while (cdn_str_next(&rest, '/', &step))
		if (step.n >= ID_DIGITS && step.n < CDN_NAME_BYTES &&
		    is_of_run(state, step))
			return true;
	return false;
}

/* "proc" and the number of a process behind it. */
static bool
names_process(const char *text)
{
	cdn_str rest = cdn_str_of(text), step;
	bool behind = false;

	while (cdn_str_next(&rest, '/', &step)) {
		if (behind && step.n > 0 && step.p[0] >= '1' &&
		    step.p[0] <= '9')
			return true;
		if (step.n > 0 && !cdn_str_is(step, "."))
			behind = cdn_str_is(step, "proc");
	}
	return false;
}

/*
 * By way of /proc: a link there leads to what a process makes of it later, such
 * as its working directory.
 */
static bool
leads_by_process(const char *dir, const char *text)
{
	struct cdn_real real;

	for (size_t n = 1; text[0] != '\0'; n++) {
		bool end = text[n] == '\0';

		if ((end || text[n] == '/') &&
		    cdn_path_resolve(dir, (cdn_str){ text, n }, &real,
			NULL) == 0 && is_below(real.path, "/proc"))
			return true;
		if (end)
			break;
	}
	return names_process(text);
}

static bool
leads(const struct cdn_broker_spec *spec, const struct cdn_object *at,
    const char *text)
{
	char dir[CDN_PATH_MAX + 1];
	const char *slash = strrchr(at->path, '/');
	struct cdn_real real;
	bool known;

	snprintf(dir, sizeof(dir), "%.*s", slash == NULL || slash == at->path ?
	    1 : (int)(slash - at->path), at->path);
	known = cdn_path_resolve(dir, cdn_str_of(text), &real, NULL) == 0;
	for (size_t i = 0; i < spec->private_count; i++) {
		const char *name = strrchr(spec->private[i], '/') + 1;

		if ((known && is_below(real.path, spec->private[i])) ||
		    (is_random(name) && has_step(text, name)) ||
		    names_run(spec->private[i], text))
			return true;
	}
	return leads_by_process(dir, text);
}

int
cdn_call_check_led(struct cdn_call *call, const struct cdn_object *at,
    const char *text)
{
	if (!leads(&call->broker->spec, at, text))
		return 0;
	return cdn_call_refuse(call, CORDON_MODIFY, at, rule, EACCES);
}
