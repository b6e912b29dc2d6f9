/* What lies in a home, and what a cage may have laid there before. */
#include "fixture.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "enforce/home/nest.h"

#define SECRET "ssh-ed25519 AAAA"

static const char *const made[] = { "real/.cargo", "real/.cargo/bin",
	"real/.rustup", "real/.local", "real/.local/bin", "real/go",
	"real/go/pkg", "real/.ssh", "real/.config", "real/.config/git",
	"real/.config/pip", "real/work", "real/work/deep" };

static void
make_real(void)
{
	for (size_t i = 0; i < CDN_LEN(made); i++)
		tmp_dir(made[i]);
	tmp_file("real/.cargo/config.toml", "");
	tmp_file("real/.cargo/credentials.toml", "token");
	tmp_file("real/.ssh/authorized_keys", SECRET);
	tmp_file("real/.gitconfig",
	    "[user]\n\tname = Jo\n[core]\n\tsshCommand = x\n");
	tmp_file("real/.config/git/config",
	    "[user]\n\tname = Old\n\temail = jo@x\n");
	tmp_file("real/.npmrc", "registry=https://r/\n//r/:_authToken=t\n");
	tmp_file("real/.config/pip/pip.conf",
	    "[global]\nindex-url = https://i\nextra-index-url = https://u:p@i\n");
}

/* ----- As it should be ---------------------------------------------------------- */

/* in the home, and the target below real/; NULL = not there */
static const struct {
	const char *name, *target;
} links[] = {
	{ ".cargo/bin", ".cargo/bin" },
	{ ".cargo/config.toml", ".cargo/config.toml" },
	{ ".cargo/env", NULL },
	{ ".cargo/credentials.toml", NULL },
	{ ".cargo/registry", NULL },
	{ ".rustup", ".rustup" },
	{ ".nvm", NULL },
	{ ".pyenv", NULL },
	{ ".local/bin", ".local/bin" },
	{ ".local/lib", NULL },
	{ "go/bin", NULL },
	{ "go/pkg", NULL },
	{ "go", NULL },
	{ ".ssh", NULL },
	{ "work", NULL },
};

#define GITCONFIG                                                          \
	"# written by cordon at each start; changes do not last\n"         \
	"[user]\n\tname = \"Old\"\n\temail = \"jo@x\"\n[user]\n\tname = "  \
	"\"Jo\"\n"
#define NPMRC                                                              \
	"# written by cordon at each start; changes do not last\n"         \
	"registry=https://r/\n"
#define PIP                                                                \
	"# written by cordon at each start; changes do not last\n"         \
	"[global]\nindex-url = https://i\n"
#define PROFILE                                                            \
	"# written by cordon at each start; changes do not last\n"         \
	"PATH='/usr/bin:/bin'\nexport PATH\n"

static const struct {
	const char *name, *text;
} files[] = {
	{ HOME "/.gitconfig", GITCONFIG },
	{ HOME "/.npmrc", NPMRC },
	{ HOME "/.config/pip/pip.conf", PIP },
	{ HOME "/.profile", PROFILE },
};

static bool
links_are_right(const struct fixture *f)
{
	char name[PATH_MAX], target[PATH_MAX * 2];
	bool good = true;

	for (size_t i = 0; i < CDN_LEN(links); i++) {
		snprintf(name, sizeof(name), HOME "/%s", links[i].name);
		snprintf(target, sizeof(target), "%s/%s", f->real,
		    links[i].target != NULL ? links[i].target : "");
		if (links[i].target == NULL ? tmp_there(name) :
					      !is_link_to(name, target)) {
			printf("# %s\n", name);
			good = false;
		}
	}
	return good;
}

static bool
files_are_right(void)
{
	bool good = true;

	for (size_t i = 0; i < CDN_LEN(files); i++)
		if (strcmp(slurp(files[i].name), files[i].text) != 0 ||
		    mode_of(files[i].name) != 0600) {
			printf("# %s: %s\n", files[i].name,
			    slurp(files[i].name));
			good = false;
		}
	return good;
}

static ino_t
inode_of(const char *name)
{
	struct stat st;

	return lstat(tmp_path(name), &st) == 0 ? st.st_ino : 0;
}

static void
test_right(struct fixture *f)
{
	ino_t inodes[CDN_LEN(files)];
	bool same = true;

	ok(fixture_visit(f) == 0 && links_are_right(f),
	    "links to what is there, and to nothing else");
	ok(files_are_right(), "files without secrets");
	for (size_t i = 0; i < CDN_LEN(files); i++)
		inodes[i] = inode_of(files[i].name);
	ok(fixture_visit(f) == 0 && links_are_right(f) && files_are_right(),
	    "the second time too");
	for (size_t i = 0; i < CDN_LEN(files); i++)
		same &= inode_of(files[i].name) == inodes[i];
	ok(same, "without writing anything again");
	tmp_file("real/.gitconfig", "[alias]\nx = y\n");
	ok(fixture_visit(f) == 0 && strstr(slurp(HOME "/.gitconfig"),
	       "[alias]\n\tx = \"y\"\n") != NULL,
	    "what changes in the real home changes here");
	tmp_file("real/.gitconfig",
	    "[user]\n\tname = Jo\n[core]\n\tsshCommand = x\n");
}

/* ----- As a cage may leave it ---------------------------------------------------- */

/* Everything we write or make, as a link to what we must not touch. */
static void
plant_links(void)
{
	const char *keys = tmp_path("real/.ssh/authorized_keys");

	tmp_clear(tmp_path(HOME));
	tmp_dir(HOME);
	tmp_link(keys, HOME "/.gitconfig");
	tmp_link(keys, HOME "/.npmrc");
	tmp_link(keys, HOME "/.profile");
	tmp_link(tmp_path("real/.config"), HOME "/.config");
	tmp_link(tmp_path("real/.ssh"), HOME "/.cargo");
	tmp_link("/", HOME "/.rustup");
	tmp_link("nowhere", HOME "/.local");
}

static bool
real_is_untouched(void)
{
	return strcmp(slurp("real/.ssh/authorized_keys"), SECRET) == 0 &&
	    mode_of("real/.ssh/authorized_keys") == 0644 &&
	    !tmp_there("real/.ssh/bin") &&
	    strstr(slurp("real/.config/pip/pip.conf"), "u:p") != NULL &&
	    inode_of("real/.ssh/authorized_keys") != 0;
}

static void
test_planted_links(struct fixture *f)
{
	plant_links();
	ok(fixture_visit(f) == 0, "a home full of links");
	ok(real_is_untouched(), "nothing is written through them");
	ok(links_are_right(f) && files_are_right(), "and all is right again");
	ok(is_link_to(HOME "/.cargo.cordon-old", tmp_path("real/.ssh")),
	    "what was in the way is moved aside");
	ok(!tmp_there(HOME "/.rustup.cordon-old"), "a link is just replaced");
}

static void
test_planted_things(struct fixture *f)
{
	tmp_clear(tmp_path(HOME));
	tmp_dir(HOME);
	tmp_need(mkfifo(tmp_path(HOME "/.gitconfig"), 0600) == 0, "mkfifo", "");
	tmp_hardlink("real/.ssh/authorized_keys", HOME "/.npmrc");
	tmp_dir(HOME "/.profile");
	tmp_file(HOME "/.profile/x", "");
	tmp_file(HOME "/.rustup", "mine");
	tmp_file(HOME "/.config", "mine");
	tmp_dir(HOME "/.cargo");
	tmp_dir(HOME "/.cargo/bin");
	tmp_need(mkfifo(tmp_path(HOME "/.local"), 0600) == 0, "mkfifo", "");
	ok(fixture_visit(f) == 0 && real_is_untouched(), "other things");
	ok(links_are_right(f) && files_are_right(), "all is right again");
	ok(strcmp(slurp(HOME "/.rustup.cordon-old"), "mine") == 0 &&
		strcmp(slurp(HOME "/.config.cordon-old"), "mine") == 0 &&
		tmp_there(HOME "/.profile.cordon-old/x"),
	    "and nothing is lost");
	unlink(tmp_path(HOME "/.cargo/bin"));
	tmp_dir(HOME "/.cargo/bin");
	tmp_file(HOME "/.cargo/bin/tool", "mine");
	ok(fixture_visit(f) == 0 &&
		strcmp(slurp(HOME "/.cargo/bin/tool"), "mine") == 0,
	    "a directory that holds something is left alone");
	tmp_clear(tmp_path(HOME "/.cargo/bin"));
}

static int
body_closed(void *arg)
{
	struct fixture *f = arg;

	if (fixture_visit(f) != 0)
		return 1;
	unlink(tmp_path(HOME "/.cargo/bin"));
	tmp_mode(HOME "/.cargo", 0);
	tmp_mode(HOME "/.config", 0);
	tmp_mode(HOME "/.gitconfig", 0);
	if (fixture_visit(f) != 0)
		return 2;
	return links_are_right(f) && files_are_right() ? 0 : 3;
}

/* ----- A real home that is odd ---------------------------------------------------- */

static void
test_odd_real(struct fixture *f)
{
	char *big = malloc(CDN_DOTFILE_MAX + 2);

	memset(big, '\n', CDN_DOTFILE_MAX + 1);
	memcpy(big, "[user]\nname = big", 17);
	big[CDN_DOTFILE_MAX] = '\0';
	tmp_file("real/.gitconfig", big);
	ok(fixture_visit(f) == 0 &&
		strstr(slurp(HOME "/.gitconfig"), "big") != NULL,
	    "control: as large as may be");
	big[CDN_DOTFILE_MAX] = '\n';
	big[CDN_DOTFILE_MAX + 1] = '\0';
	tmp_file("real/.gitconfig", big);
	ok(fixture_visit(f) == 0 &&
		strstr(slurp(HOME "/.gitconfig"), "big") == NULL &&
		strstr(slurp(HOME "/.gitconfig"), "jo@x") != NULL,
	    "a file that is too large is not copied");
	free(big);
	unlink(tmp_path("real/.gitconfig"));
	tmp_need(mkfifo(tmp_path("real/.gitconfig"), 0600) == 0, "mkfifo", "");
	ok(fixture_visit(f) == 0, "a FIFO does not stop it");
	unlink(tmp_path("real/.gitconfig"));
	tmp_link("/dev/zero", "real/.gitconfig");
	ok(fixture_visit(f) == 0, "nor a device");
	unlink(tmp_path("real/.gitconfig"));
	tmp_file("real/.gitconfig", "[user\n");
	ok(fixture_visit(f) == 0 &&
		strstr(slurp(HOME "/.gitconfig"), "jo@x") != NULL,
	    "nor what git could not read");
	unlink(tmp_path("real/.gitconfig"));
	tmp_file("real/dotfiles", "[user]\nname = linked\n");
	tmp_link("dotfiles", "real/.gitconfig");
	ok(fixture_visit(f) == 0 &&
		strstr(slurp(HOME "/.gitconfig"), "linked") != NULL,
	    "the user's own links are followed");
	f->places.home = "";
	f->places.config = "";
	ok(fixture_visit(f) == 0 &&
		strstr(slurp(HOME "/.gitconfig"), "linked") == NULL,
	    "a user without a home");
	f->places.home = f->real;
	f->places.config = f->config;
}

/* ----- PATH and roots ---------------------------------------------------------------- */

static void
test_profile(struct fixture *f)
{
	static const char path[] = "/a b:/it's:/$(touch x)`y`\n:/\\:/\"";
	char command[PATH_MAX * 2];

	f->spec.path = path;
	ok(fixture_visit(f) == 0, "a PATH of many quotes");
	f->spec.path = "/usr/bin:/bin";
	setenv("WANT", path, 1);
	snprintf(command, sizeof(command),
	    ". '%s/.profile' && [ \"$PATH\" = \"$WANT\" ]", f->home);
	ok(system(command) == 0, "a shell reads it back as it was");
	setenv("WANT", "/a b", 1);
	ok(system(command) != 0, "control: it would notice");
}

static void
test_roots(struct fixture *f)
{
	char roots[8][PATH_MAX];
	const char *list[8];
	static const char *const names[8] = { "real/work/deep", "real/work",
		"real/.gitconfig", "real/.cargo", "real/go/bin/x", "outside",
		"real", "real/new/er" };

	for (size_t i = 0; i < CDN_LEN(names); i++) {
		snprintf(roots[i], sizeof(roots[i]), "%s", tmp_path(names[i]));
		list[i] = roots[i];
	}
	tmp_dir("outside");
	tmp_clear(tmp_path(HOME));
	f->spec.roots = list;
	f->spec.root_count = CDN_LEN(list);
	ok(fixture_visit(f) == 0 && is_link_to(HOME "/work", roots[1]) &&
		!tmp_there("real/work/deep/deep"),
	    "a root below the home has a link; one below that needs none");
	ok(is_link_to(HOME "/.gitconfig", roots[2]) &&
		strstr(slurp("real/.gitconfig"), "cordon") == NULL,
	    "a root that is a file of ours is left to the user");
	ok(is_link_to(HOME "/.cargo", roots[3]) && !tmp_there(HOME "/outside"),
	    "one above a leaf takes its place");
	ok(is_link_to(HOME "/go/bin/x", roots[4]) &&
		is_link_to(HOME "/new/er", roots[7]),
	    "parents are made");
	ok(fixture_visit(f) == 0 && is_link_to(HOME "/.cargo", roots[3]) &&
		!tmp_there(HOME "/.cargo.cordon-old"),
	    "the second time nothing changes");
	f->spec.roots = NULL;
	f->spec.root_count = 0;
}

static void
test_roots_by_other_names(struct fixture *f)
{
	char link[PATH_MAX], root[PATH_MAX];
	const char *list[] = { root };

	tmp_clear(tmp_path(HOME));
	tmp_link("real", "alias");
	snprintf(link, sizeof(link), "%s", tmp_path("alias"));
	snprintf(root, sizeof(root), "%s", tmp_path("real/work"));
	f->places.home = link;
	f->spec.roots = list;
	f->spec.root_count = 1;
	ok(fixture_visit(f) == 0 && is_link_to(HOME "/work", root),
	    "HOME may be a link to where the root lies");
	tmp_clear(tmp_path(HOME));
	f->places.home = "/nowhere";
	f->places.passwd_home = f->real;
	ok(fixture_visit(f) == 0 && is_link_to(HOME "/work", root),
	    "the home of the password database counts too");
	f->places.home = f->real;
	f->places.passwd_home = "/nowhere";
	f->spec.roots = NULL;
	f->spec.root_count = 0;
}

/* ----- Without openat2 ---------------------------------------------------------------- */

static bool
take_openat2_away(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { CDN_LEN(code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int
body_old(void *arg)
{
	struct fixture *f = arg;
	struct cdn_home *home = NULL;

	if (!take_openat2_away())
		return 99;
	plant_links();
	if (fixture_open(f, &home) != 0)
		return 1;
	if (!real_is_untouched() || !links_are_right(f) || !files_are_right())
		return 2;
	tmp_dir(TMP "/a");
	tmp_dir(TMP "/a/b");
	tmp_link(f->real, TMP "/a/b/l");
	tmp_link("../../../real", TMP "/a/l");
	cdn_home_close(home);
	if (tmp_there(TMP) || !real_is_untouched())
		return 3;
	tmp_clear(tmp_path(HOME));
	tmp_link("../../real", HOME);
	return fixture_open(f, &home) == CORDON_E_SYSTEM ? 0 : 4;
}

/* ----- An agent ------------------------------------------------------------------ */

static bool
says(const char *name, const char *text)
{
	char now[64];
	int fd = open(tmp_path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, now, sizeof(now));

	if (fd >= 0)
		close(fd);
	return n >= 0 && (size_t)n == strlen(text) &&
	    memcmp(now, text, (size_t)n) == 0;
}

static void
test_agent_links(struct fixture *f)
{
	char real[PATH_MAX], missing[PATH_MAX];
	const char *const states[] = { ".agent", ".deep/x/agent" };
	struct cdn_home_link shown[] = { { ".agent/hooks", real } };

	tmp_clear(tmp_path("state"));
	snprintf(real, sizeof(real), "%s/.agent/hooks", f->real);
	snprintf(missing, sizeof(missing), "%s/.agent", f->real);
	f->spec.states = states;
	f->spec.state_count = 2;
	f->spec.links = shown;
	f->spec.link_count = 1;
	ok(cdn_home_make(missing, NULL) == 0 &&
	    cdn_home_make(missing, NULL) == 0 && tmp_there("real/.agent"),
	    "what is missing of its state is made");
	tmp_dir("real/.agent/hooks");
	ok(fixture_visit(f) == 0 && tmp_there(HOME "/.deep/x/agent") &&
	    cdn_nest_is_link(AT_FDCWD, tmp_path(HOME "/.agent/hooks"), real),
	    "directories of its own, and links in them");
	tmp_need(unlink(tmp_path(HOME "/.agent/hooks")) == 0, "unlink", "link");
	tmp_dir(HOME "/.agent/hooks");
	tmp_file(HOME "/.agent/hooks/a", "dear");
	ok(fixture_visit(f) == 0 && cdn_nest_is_link(AT_FDCWD,
	    tmp_path(HOME "/.agent/hooks"), real) &&
	    says(HOME "/.agent/hooks.cordon-old/a", "dear"),
	    "what stood in the way of a link is put aside");
	tmp_file("real/file", "");
	snprintf(missing, sizeof(missing), "%s/file", f->real);
	ok(cdn_home_make(missing, NULL) == CORDON_E_SYSTEM,
	    "a file is no directory");
	f->spec.state_count = f->spec.link_count = 0;
}

/* What becomes of a copy; "-" is a file that is not there. */
static const struct {
	const char *what, *real, *copy; /* after a visit that had both "1" */
	bool returned, typed;
	const char *real_then, *copy_then, *old_then; /* a visit later */
} copies[] = {
	{ "nothing changed", "1", "1", false, false, "1", "1", "-" },
	{ "the run changed it", "1", "2", false, false, "1", "2", "-" },
	{ "the host did", "3", "1", false, false, "3", "3", "-" },
	{ "both did", "3", "2", false, false, "3", "3", "2" },
	{ "a login: the run changed it", "1", "2", true, false, "2", "2",
	    "-" },
	{ "a login: the host did", "3", "1", true, false, "3", "3", "-" },
	{ "a login: both did", "3", "2", true, false, "3", "3", "2" },
	{ "a login: the host left", "-", "2", true, false, "2", "2", "-" },
	{ "of a type: not JSON", "1", "2{", true, true, "1", "2{", "-" },
	{ "of a type: api", "1", "{\"a\":{\"type\":\"api\"}}", true, true,
	    "{\"a\":{\"type\":\"api\"}}", "{\"a\":{\"type\":\"api\"}}", "-" },
	{ "of a type: another", "1", "{\"a\":{\"type\":\"wellknown\"}}", true,
	    true, "1", "{\"a\":{\"type\":\"wellknown\"}}", "-" },
	{ "of a type: none", "1", "{\"a\":1}", true, true, "1", "{\"a\":1}",
	    "-" },
};

static void
put_file(const char *name, const char *text)
{
	if (strcmp(text, "-") != 0)
		tmp_file(name, text);
	else if (tmp_there(name))
		tmp_need(unlink(tmp_path(name)) == 0, "unlink", name);
}

static bool
has(const char *name, const char *text)
{
	return strcmp(text, "-") == 0 ? !tmp_there(name) : says(name, text);
}

static void
test_agent_copies(struct fixture *f)
{
	char real[PATH_MAX];
	struct cdn_home_file file = { .inside = ".agent/f", .real = real };

	snprintf(real, sizeof(real), "%s/f", f->real);
	f->spec.files = &file;
	f->spec.file_count = 1;
	for (size_t i = 0; i < CDN_LEN(copies); i++) {
		tmp_clear(tmp_path("state"));
		file.returned = copies[i].returned;
		file.typed = copies[i].typed;
		put_file("real/f", "1");
		tmp_need(fixture_visit(f) == 0, "visit", "first");
		put_file("real/f", copies[i].real);
		put_file(HOME "/.agent/f", copies[i].copy);
		ok_f(fixture_visit(f) == 0 &&
		    has("real/f", copies[i].real_then) &&
		    has(HOME "/.agent/f", copies[i].copy_then) &&
		    has(HOME "/.agent/f.cordon-old", copies[i].old_then),
		    "a copy: %s", copies[i].what);
	}
	tmp_need(unlink(tmp_path(HOME "/.agent/f")) == 0, "unlink", "copy");
	tmp_link(tmp_path("real/.npmrc"), HOME "/.agent/f");
	file.returned = true;
	put_file("real/f", "4");
	ok(fixture_visit(f) == 0 && says("real/f", "4") &&
	    says(HOME "/.agent/f", "4"), "a planted link is not followed");
	f->spec.file_count = 0;
	unlink(tmp_path("real/f"));
}

int
main(void)
{
	struct fixture f;

	fixture_begin(&f);
	make_real();
	test_right(&f);
	test_planted_links(&f);
	test_planted_things(&f);
	ok(tmp_child(body_closed, &f, false) == 0, "no rights in the home");
	tmp_clear(tmp_path("state"));
	tmp_need(chmod(tmp_root, 0777) == 0, "chmod", tmp_root);
	ok_nobody(body_closed, &f, "the same as nobody");
	tmp_clear(tmp_path("state"));
	ok(fixture_visit(&f) == 0, "control: root again");
	test_profile(&f);
	ok(tmp_child(body_old, &f, false) == 0, "all that without openat2");
	tmp_clear(tmp_path("state"));
	test_odd_real(&f);
	test_roots(&f);
	test_roots_by_other_names(&f);
	test_agent_links(&f);
	test_agent_copies(&f);
	tmp_end();
	return done_testing();
}
