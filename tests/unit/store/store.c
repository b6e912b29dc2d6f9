/* Named policies in a directory: list, get, put. */
#include "enforce/store/store.h"

#include <dirent.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define POLICY(name)                                                 \
	"schemaVersion: 2\nkind: Policy\nmetadata:\n  name: \"" name \
	"\"\nspec: {}\n"
#define BROKEN "schemaVersion: 2\nkind: Policy\nspec: [\n"

/* Every name below the fixture, sorted, in one line: has anything changed? */
static void
snapshot_dir(const char *name, char *out, size_t size)
{
	struct dirent **v;
	int n = scandir(tmp_path(name), &v, NULL, alphasort);

	tmp_need(n >= 0, "scandir", name);
	for (int i = 0; i < n; i++) {
		char below[PATH_MAX];
		struct stat st;
		size_t used = strlen(out);

		snprintf(below, sizeof(below), "%s%s%s", name,
		    name[0] ? "/" : "", v[i]->d_name);
		if (strcmp(v[i]->d_name, ".") != 0 &&
		    strcmp(v[i]->d_name, "..") != 0 &&
		    lstat(tmp_path(below), &st) == 0) {
			snprintf(out + used, size - used, "%s %lu %ld;", below,
			    (unsigned long)st.st_ino, (long)st.st_size);
			if (S_ISDIR(st.st_mode))
				snapshot_dir(below, out, size);
		}
		free(v[i]);
	}
	free(v);
}

static const char *
snapshot(int which)
{
	static char texts[2][65536];

	texts[which][0] = '\0';
	snapshot_dir("", texts[which], sizeof(texts[which]));
	return texts[which];
}

/* ----- Listing ------------------------------------------------------------ */

struct seen {
	char text[8192];
	int n;
};

static void
see(const char *name, const char *file, void *arg)
{
	struct seen *seen = arg;
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%s=%s;", name,
	    file + strlen(tmp_root) + 1);
	seen->n++;
}

static bool
lists(const char *dir, const char *want)
{
	struct seen seen = { 0 };
	struct cordon_error err = { .code = 99 };
	int r = cdn_store_list(tmp_path(dir), see, &seen, NULL, &err);

	if (r != 0 || err.code != 99 || strcmp(seen.text, want) != 0) {
		printf("# %d %s: %s\n", r, seen.text, err.text);
		return false;
	}
	return true;
}

static bool
list_fails(const char *dir, int code, const char *text)
{
	struct seen seen = { 0 };
	struct cordon_error err = { 0 };
	int r = cdn_store_list(tmp_path(dir), see, &seen, NULL, &err);

	if (r == code && err.code == code && seen.n == 0 &&
	    strstr(err.text, text) != NULL)
		return true;
	printf("# %d, %d entries: %s\n", r, seen.n, err.text);
	return false;
}

static void
test_list(void)
{
	ok(lists("none", ""), "no directory, no policies");
	tmp_dir("empty");
	ok(lists("empty", ""), "an empty directory");
	tmp_dir("s");
	tmp_file("s/b.yaml", POLICY("b"));
	tmp_file("s/a.yml", POLICY("a"));
	tmp_file("s/c.txt", "ignored");
	ok(lists("s", "a=s/a.yml;b=s/b.yaml;"), "yaml and yml, sorted");
	tmp_file("s/B.yaml", POLICY("B"));
	tmp_file("s/\xc3\xa9.yaml", POLICY("\xc3\xa9"));
	tmp_file("s/two words.yaml", POLICY("two words"));
	tmp_file("s/.hidden.yaml", BROKEN);
	tmp_file("s/.yaml", BROKEN);
	tmp_file("s/x.yaml~", BROKEN);
	tmp_file("s/x.YAML", BROKEN);
	tmp_file("s/yaml", BROKEN);
	tmp_dir("s/dir.yaml");
	tmp_need(mkfifo(tmp_path("s/fifo.yml"), 0600) == 0, "mkfifo", "fifo");
	ok(lists("s",
	       "B=s/B.yaml;a=s/a.yml;b=s/b.yaml;two words=s/two "
	       "words.yaml;\xc3\xa9=s/\xc3\xa9.yaml;"),
	    "byte order; hidden and other names, directories, FIFOs are no "
	    "policies");
	tmp_link("s", "slink");
	ok(lists("slink/",
	       "B=slink/B.yaml;a=slink/a.yml;b=slink/b.yaml;"
	       "two words=slink/two words.yaml;"
	       "\xc3\xa9=slink/\xc3\xa9.yaml;"),
	    "the directory itself may be a link");
}

static void
test_list_fails(void)
{
	tmp_file("file", "");
	ok(list_fails("file", CORDON_E_SYSTEM, "file"), "a file is no store");
	tmp_link("nowhere", "lost");
	ok(list_fails("lost", CORDON_E_SYSTEM, "lost"),
	    "a link to nothing is no absence");
	tmp_dir("twice");
	tmp_file("twice/a.yaml", POLICY("a"));
	ok(lists("twice", "a=twice/a.yaml;"), "control: one of them");
	tmp_file("twice/a.yml", POLICY("a"));
	ok(list_fails("twice", CORDON_E_INVALID, "'a.yaml' and 'a.yml'"),
	    "two files of one name");
	tmp_dir("linked");
	tmp_file("linked/a.yaml", POLICY("a"));
	tmp_link("../s/b.yaml", "linked/b.yaml");
	ok(list_fails("linked", CORDON_E_INVALID, "linked/b.yaml"),
	    "a symbolic link is refused");
	tmp_dir("unsafe");
	tmp_file("unsafe/x.yaml", POLICY("../x"));
	ok(list_fails("unsafe", CORDON_E_INVALID, "../x"),
	    "an unsafe metadata.name");
	tmp_dir("stem");
	tmp_file("stem/a.b.yaml", POLICY("a"));
	ok(list_fails("stem", CORDON_E_INVALID, "stem/a.b.yaml"),
	    "an unsafe file name");
	tmp_dir("other");
	tmp_file("other/a.yaml", POLICY("b"));
	ok(list_fails("other", CORDON_E_INVALID,
	       "file stem 'a' does not match metadata.name 'b'"),
	    "a file of another name");
}

static void
test_list_findings(void)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_error err = { 0 };
	struct seen seen = { 0 };
	bool first = false, second = false, third = false;

	tmp_dir("bad");
	tmp_file("bad/a.yaml", POLICY("a"));
	tmp_file("bad/b.yaml", BROKEN);
	tmp_file("bad/c.yaml", POLICY("d"));
	tmp_file("bad/d.yaml", "");
	ok(cdn_store_list(tmp_path("bad"), see, &seen, diags, &err) ==
		    CORDON_E_INVALID &&
		seen.n == 0 && strstr(err.source, "bad/b.yaml") != NULL,
	    "the first invalid document is the error");
	for (size_t i = 0; i < cordon_diags_count(diags); i++) {
		const char *source = cordon_diags_get(diags, i)->source;

		first |= strstr(source, "bad/b.yaml") != NULL;
		second |= strstr(source, "bad/c.yaml") != NULL;
		third |= strstr(source, "bad/d.yaml") != NULL;
	}
	ok(first && second && third, "all of them are in the findings");
	cordon_diags_free(diags);
}

static void
test_list_limit(void)
{
	char name[64];

	tmp_dir("many");
	for (int i = 0; i <= CDN_STORE_MAX; i++) {
		snprintf(name, sizeof(name), "many/p%d.yaml", i);
		tmp_file(name, "");
	}
	ok(list_fails("many", CORDON_E_INVALID, "more than 4096"),
	    "too many policies");
}

/* ----- Getting ------------------------------------------------------------ */

static int
get(const char *dir, const char *name, struct cordon_error *err)
{
	struct cordon_policy *policy = NULL;
	int r;

	*err = (struct cordon_error){ .code = 99 };
	r = cdn_store_get(tmp_path(dir), name, false, NULL, &policy, err);
	if (r != 0)
		return policy == NULL && err->code == r ? r : 1;
	r = cdn_str_is(policy->name, name) && err->code == 99 &&
		strlen(policy->digest) == 64 ?
	    0 :
	    2;
	cdn_policy_free(policy);
	return r;
}

static void
test_get(void)
{
	struct cordon_error err;

	ok(get("s", "a", &err) == 0, "a.yml");
	ok(get("s", "b", &err) == 0, "b.yaml");
	ok(get("s", "two words", &err) == 0, "a name with a space");
	ok(get("s", "absent", &err) == CORDON_E_NOT_FOUND, "absent");
	ok(get("none", "a", &err) == CORDON_E_NOT_FOUND, "no directory");
	ok(get("lost", "a", &err) == CORDON_E_SYSTEM, "a lost directory");
	ok(get("twice", "a", &err) == CORDON_E_INVALID, "two files");
	ok(get("linked", "b", &err) == CORDON_E_INVALID &&
		strstr(err.text, "symbolic link"),
	    "a link");
	ok(get("linked", "a", &err) == 0, "control: the file beside it");
	ok(get("other", "a", &err) == CORDON_E_INVALID &&
		strstr(err.text, "does not match") &&
		strstr(err.source, "other/a.yaml") && err.line == 4,
	    "another name inside, with its place");
	ok(get("other", "b", &err) == CORDON_E_NOT_FOUND,
	    "the name inside is not that of the file");
	ok(get("s", "dir", &err) == CORDON_E_INVALID, "a directory");
	ok(get("s", "fifo", &err) == CORDON_E_INVALID, "a FIFO");
	ok(get("bad", "b", &err) == CORDON_E_INVALID &&
		strstr(err.source, "bad/b.yaml"),
	    "an invalid document");
}

/* ----- Names -------------------------------------------------------------- */

static const char *const bad_names[] = { "", " ", ".", "..", "../x", "../s/a",
	"a/b", "/etc/x", "a\\b", "a:b", "a.b", ".a", "a..b", "a\n", "\x01",
	" a", "a ", "x/../a", "\xff",
	"n23456789012345678901234567890123456789012345678901234567890"
	"n23456789012345678901234567890123456789012345678901234567890"
	"123456789" };

static void
test_names(void)
{
	char before[65536];
	struct cordon_error err;

	tmp_dir("names");
	tmp_file("x.yaml", POLICY("x"));
	snprintf(before, sizeof(before), "%s", snapshot(0));
	for (size_t i = 0; i < CDN_LEN(bad_names); i++) {
		char text[512];
		int put;

		snprintf(text, sizeof(text), POLICY("%s"), bad_names[i]);
		put = cdn_store_put(tmp_path("names"), bad_names[i],
		    cdn_str_of(text), NULL, &err);
		ok_f(put == CORDON_E_INVALID && err.code == put,
		    "put '%.20s': %.60s", bad_names[i], err.text);
		/* The text is fine, only the name is not. */
		put = cdn_store_put(tmp_path("names"), bad_names[i],
		    CDN_STR(POLICY("x")), NULL, &err);
		ok_f(put == CORDON_E_INVALID, "put x as '%.20s'", bad_names[i]);
		ok_f(get("names", bad_names[i], &err) == CORDON_E_INVALID,
		    "get '%.20s'", bad_names[i]);
	}
	ok(strcmp(before, snapshot(1)) == 0,
	    "nothing was written, inside or outside");
	ok(cdn_store_put(tmp_path("names"), "x", CDN_STR(POLICY("x")), NULL,
	       &err) == 0 &&
		get("names", "x", &err) == 0,
	    "control: a good name is written");
	ok(strcmp(before, snapshot(1)) != 0, "control: and is seen");
}

/* ----- Putting ------------------------------------------------------------ */

static int
put(const char *name, const char *text)
{
	struct cordon_error err = { 0 };
	int r = cdn_store_put(tmp_path("put"), name, cdn_str_of(text), NULL,
	    &err);

	return r == err.code ? r : 1;
}

static bool
is_file(const char *name, const char *text)
{
	char got[4096] = "";
	int fd = open(tmp_path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	ssize_t n = read(fd, got, sizeof(got) - 1);
	bool private = fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0600;

	close(fd);
	return n == (ssize_t)strlen(text) && strcmp(got, text) == 0 && private;
}

static void
test_put(void)
{
	ok(put("a", POLICY("a")) == CORDON_E_NOT_FOUND && !tmp_there("put"),
	    "a store that is not there is not made");
	tmp_dir("put");
	umask(0);
	ok(put("a", POLICY("a")) == 0 && is_file("put/a.yaml", POLICY("a")),
	    "a new policy, 0600");
	ok(put("a", POLICY("a") "# more\n") == 0 &&
		is_file("put/a.yaml", POLICY("a") "# more\n"),
	    "replaced, comments and all");
	ok(put("a", POLICY("b")) == CORDON_E_INVALID, "another name inside");
	ok(put("a", BROKEN) == CORDON_E_INVALID, "an invalid policy");
	ok(put("a", "") == CORDON_E_INVALID, "nothing");
	ok(is_file("put/a.yaml", POLICY("a") "# more\n"),
	    "none of that changed the file");
	ok(!tmp_there("put/b.yaml"), "nor made another");
	tmp_file("put/y.yml", POLICY("y"));
	ok(put("y", POLICY("y")) == CORDON_E_INVALID &&
		!tmp_there("put/y.yaml"),
	    "y.yml is there: no second file");
	tmp_file("victim", "untouched");
	tmp_link("../victim", "put/l.yaml");
	tmp_link("../created", "put/m.yaml");
	ok(put("l", POLICY("l")) == CORDON_E_INVALID &&
		put("m", POLICY("m")) == CORDON_E_INVALID &&
		!tmp_there("created"),
	    "links are not written through");
	tmp_mode("victim", 0600);
	ok(is_file("victim", "untouched"), "their targets are untouched");
	ok(unlink(tmp_path("put/l.yaml")) == 0 && put("l", POLICY("l")) == 0,
	    "control: without the link it is written");
}

static void
test_load(void)
{
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };

	tmp_link("s/b.yaml", "named");
	ok(cdn_store_load(tmp_path("named"), true, NULL, &policy, &err) == 0 &&
		cdn_str_is(policy->name, "b") &&
		strcmp(policy->source, tmp_path("named")) == 0,
	    "a document by a link, under the name that was given");
	cdn_policy_free(policy);
	policy = NULL;
	ok(cdn_store_load(tmp_path("named"), false, NULL, &policy, &err) ==
		    CORDON_E_INVALID &&
		policy == NULL,
	    "not when it may not");
}

int
main(void)
{
	int before;

	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	before = tmp_open_fds();
	test_list();
	test_list_fails();
	test_list_findings();
	test_get();
	test_names();
	test_put();
	test_load();
	test_list_limit();
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
