/*
 * dotfiles - the files of a home, made from those of the real one.
 *
 * The real ones are read with the caller's rights, before there is any cage.
 * They may be links; what is no regular file, or larger than CDN_DOTFILE_MAX,
 * is not copied.
 */
#include "enforce/home/furnish.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/home/gitconfig.h"
#include "enforce/home/nest.h"
#include "enforce/home/rcfile.h"

#define HEAD	 "written by cordon at each start; changes do not last\n"
#define TEXT_MAX (8 * CDN_DOTFILE_MAX) /* what is kept may be escaped */

/* ----- The real ones ------------------------------------------------------------ */

static int
read_all(int fd, size_t size, struct cdn_buf *out)
{
	CDN_UNINITIALIZED char chunk[8192];
	ssize_t n = 1;

	/* One read is enough unless the file grows meanwhile. */
	while (out->n < size && n > 0) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			cdn_buf_add(out, chunk, (size_t)n);
		if (cdn_buf_failed(out))
			return out->n + sizeof(chunk) > out->max ?
			    -EFBIG : -ENOMEM;
	}
	return n < 0 ? -errno : 0;
}

/* Appends the file to out.  0, or -errno. */
static int
read_real(const char *path, struct cdn_buf *out)
{
	cdn_cleanup_fd int fd = open(path,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > out->max)
		return -EFBIG;
	return read_all(fd, (size_t)st.st_size, out);
}

/* Where a file of the real home lies. */
enum origin { OF_HOME, OF_CONFIG };

static bool
real_path(const struct cdn_home_spec *spec, enum origin origin,
    const char *name, char out[CDN_PATH_MAX + 1])
{
	const char *dir = spec->places->home;
	size_t len;
	int n;

	/* CONFIG/cordon is known, and CONFIG wanted. */
	if (origin == OF_CONFIG) {
		dir = spec->places->config;
		len = strlen(dir);
		if (len <= sizeof("/cordon") - 1)
			return false;
		len -= sizeof("/cordon") - 1;
	} else {
		len = strlen(dir);
	}
	if (len == 0 || len > CDN_PATH_MAX)
		return false;
	n = snprintf(out, CDN_PATH_MAX + 1, "%.*s/%s", (int)len, dir, name);
	return n > 0 && n <= CDN_PATH_MAX;
}

/* ----- What becomes of them ----------------------------------------------------- */

static void
filter_git(cdn_str text, struct cdn_buf *out)
{
	(void)!cdn_gitconfig_filter(text, out, NULL);
}

struct source {
	const char *name; /* NULL = none */
	enum origin origin;
};

/* A file is written when anything is kept of its sources, or always. */
static const struct dotfile {
	const char *parent; /* in the home; "" = the home itself */
	const char *name;
	struct source sources[2]; /* what comes later wins */
	void (*filter)(cdn_str text, struct cdn_buf *out);
	bool always;
} dotfiles[] = {
	{ "", ".gitconfig",
	    { { "git/config", OF_CONFIG }, { ".gitconfig", OF_HOME } },
	    filter_git, true },
	{ "", ".npmrc", { { ".npmrc", OF_HOME } }, cdn_rcfile_npm, false },
	{ ".config/pip", "pip.conf", { { "pip/pip.conf", OF_CONFIG } },
	    cdn_rcfile_pip, false },
};

static int
add_source(const struct cdn_home_spec *spec, const struct dotfile *file,
    const struct source *source, struct cdn_buf *out)
{
	CDN_UNINITIALIZED char path[CDN_PATH_MAX + 1];
	struct cdn_buf text;
	int r;

	if (source->name == NULL ||
	    !real_path(spec, source->origin, source->name, path))
		return 0;
	cdn_buf_init(&text, CDN_DOTFILE_MAX);
	r = read_real(path, &text);
	if (r == 0 && text.n > 0)
		file->filter((cdn_str){ text.p, text.n }, out);
	cdn_buf_done(&text);
	return r == -ENOMEM || cdn_buf_failed(out) ? -ENOMEM : 0;
}

static int
compose(const struct cdn_home_spec *spec, const struct dotfile *file,
    struct cdn_buf *out)
{
	size_t head;
	int r = 0;

	cdn_buf_puts(out, "# " HEAD);
	head = out->n;
	for (size_t i = 0; r == 0 && i < CDN_LEN(file->sources); i++)
		r = add_source(spec, file, &file->sources[i], out);
	if (r == 0 && out->n == head && !file->always)
		cdn_buf_reset(out);
	return cdn_buf_failed(out) ? -ENOMEM : r;
}

/* ----- .profile ------------------------------------------------------------------ */

/* A login shell reads /etc/profile first, which often sets PATH. */
static void
compose_profile(const char *path, struct cdn_buf *out)
{
	cdn_buf_puts(out, "# " HEAD "PATH='");
	for (; *path != '\0'; path++)
		if (*path == '\'')
			cdn_buf_puts(out, "'\\''");
		else
			cdn_buf_putc(out, *path);
	cdn_buf_puts(out, "'\nexport PATH\n");
}

/* ----- Writing -------------------------------------------------------------------- */

static void
put(int homefd, const char *parent, const char *name, const struct cdn_buf *b)
{
	cdn_str bytes = { b->p, b->n };
	int fd;

	if (parent[0] == '\0') {
		(void)!cdn_nest_file(homefd, name, bytes);
		return;
	}
	fd = cdn_nest_make_dir(homefd, parent);
	if (fd < 0)
		return;
	(void)!cdn_nest_file(fd, name, bytes);
	close(fd);
}

static int
put_dotfile(int homefd, const struct cdn_home_spec *spec,
    const struct dotfile *file)
{
	struct cdn_buf text;
	int r;

	cdn_buf_init(&text, TEXT_MAX);
	r = compose(spec, file, &text);
	if (r == 0 && text.n > 0)
		put(homefd, file->parent, file->name, &text);
	cdn_buf_done(&text);
	return r;
}

static int
put_profile(int homefd, const struct cdn_home_spec *spec)
{
	struct cdn_buf text;
	bool failed;

	if (spec->path == NULL || spec->path[0] == '\0')
		return 0;
	cdn_buf_init(&text, TEXT_MAX);
	compose_profile(spec->path, &text);
	failed = cdn_buf_failed(&text);
	if (!failed)
		put(homefd, "", ".profile", &text);
	cdn_buf_done(&text);
	return failed ? -ENOMEM : 0;
}

int
cdn_furnish_files(int homefd, const struct cdn_home_spec *spec,
    cdn_furnish_covered_fn *covered, const void *arg, struct cordon_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < CDN_LEN(dotfiles); i++) {
		const struct dotfile *file = &dotfiles[i];
		char path[64];

		snprintf(path, sizeof(path), "%s%s%s", file->parent,
		    file->parent[0] != '\0' ? "/" : "", file->name);
		if (!covered(arg, path))
			r = put_dotfile(homefd, spec, file);
	}
	if (r == 0 && !covered(arg, ".profile"))
		r = put_profile(homefd, spec);
	return r == 0 ? 0 : cdn_err_nomem(err);
}

/* ----- In the tmp of a granted session ------------------------------------------------ */

int
cdn_furnish_granted(int tmpfd, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	static const char *const empty[] = { ".curlrc", ".wgetrc" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < CDN_LEN(dotfiles); i++)
		r = put_dotfile(tmpfd, spec, &dotfiles[i]);
	for (size_t i = 0; r == 0 && i < CDN_LEN(empty); i++)
		r = cdn_nest_file(tmpfd, empty[i], CDN_STR("# " HEAD));
	if (r == -ENOMEM)
		return cdn_err_nomem(err);
	return r >= 0 ? 0 : cdn_err_sys(err, -r, "cannot write in '%s'",
	    spec->tmp);
}
