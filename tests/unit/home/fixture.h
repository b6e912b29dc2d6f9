/*
 * fixture - a real home, a state directory, and a session's home in it.
 *
 *	real/		places.home
 *	state/		base; state/homes/w is the home, state/tmp/s the tmp
 */
#ifndef CDN_TESTS_HOME_FIXTURE_H
#define CDN_TESTS_HOME_FIXTURE_H

#include "enforce/home/home.h"

#include "support/tap.h"
#include "support/tmpdir.h"

#define HOME "state/homes/w"
#define TMP  "state/tmp/5e55104000000001"

struct fixture {
	char real[PATH_MAX], config[PATH_MAX], base[PATH_MAX], home[PATH_MAX],
	    tmp[PATH_MAX];
	struct cdn_places places;
	struct cdn_home_spec spec;
};

static inline void
fixture_begin(struct fixture *f)
{
	/* In memory where it can be: much is made and removed. */
	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	tmp_dir("real");
	snprintf(f->real, sizeof(f->real), "%s", tmp_path("real"));
	snprintf(f->config, sizeof(f->config), "%s",
	    tmp_path("real/.config/cordon"));
	snprintf(f->base, sizeof(f->base), "%s", tmp_path("state"));
	snprintf(f->home, sizeof(f->home), "%s", tmp_path(HOME));
	snprintf(f->tmp, sizeof(f->tmp), "%s", tmp_path(TMP));
	f->places = (struct cdn_places){
		.home = f->real,
		.passwd_home = "/nowhere",
		.config = f->config,
		.state = f->base,
	};
	f->spec = (struct cdn_home_spec){
		.places = &f->places,
		.base = f->base,
		.home = f->home,
		.tmp = f->tmp,
		.path = "/usr/bin:/bin",
	};
}

/* 0, or the code; says why on a comment line. */
static inline int
fixture_open(const struct fixture *f, struct cdn_home **ret)
{
	struct cordon_error err = { .code = 99 };
	int r = cdn_home_open(&f->spec, ret, &err);

	if (r != 0)
		printf("# %d: %s\n", r, err.text);
	return r != 0 && err.code != r ? 99 : r;
}

/* Opened and closed again. */
static inline int
fixture_visit(const struct fixture *f)
{
	struct cdn_home *home = NULL;
	int r = fixture_open(f, &home);

	if (r == 0)
		cdn_home_close(home);
	return r;
}

static inline int
body_nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* One test point: body as a user without root's powers. */
static inline void
ok_nobody(int (*body)(void *arg), void *arg, const char *text)
{
	if (tmp_child(body_nothing, NULL, true) != 0)
		skip("there is no second user here");
	else
		ok(tmp_child(body, arg, true) == 0, text);
}

static inline const char *
slurp(const char *name)
{
	static char text[65536];
	int fd = open(tmp_path(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static inline bool
is_link_to(const char *name, const char *target)
{
	char now[PATH_MAX];
	ssize_t n = readlink(tmp_path(name), now, sizeof(now) - 1);

	if (n < 0)
		return false;
	now[n] = '\0';
	if (strcmp(now, target) != 0)
		printf("# %s -> %s, not %s\n", name, now, target);
	return strcmp(now, target) == 0;
}

static inline unsigned
mode_of(const char *name)
{
	struct stat st;

	return lstat(tmp_path(name), &st) == 0 ? st.st_mode & 07777 : 0;
}

#endif
