/* Which project policies were accepted: trust.json. */
#include "enforce/store/trust.h"

#include <dirent.h>

#include "support/tap.h"
#include "support/tmpdir.h"

#define A	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B	  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FILE_NAME "state/cordon/trust.json"

static const char *
file(void)
{
	static char path[PATH_MAX * 2];

	snprintf(path, sizeof(path), "%s", tmp_path(FILE_NAME));
	return path;
}

/* 1 trusted, 0 not, negative an error (complete, *ret left alone). */
static int
trusted(const char *dir, const char *digest)
{
	struct cordon_error err = { .code = 99 };
	bool yes = false, other = true;
	int r = cdn_trust_check(file(), dir, digest, &yes, &err);

	if (r == 0 && err.code != 99)
		return 2;
	if (r == 0)
		return yes;
	if (cdn_trust_check(file(), dir, digest, &other, NULL) != r || !other ||
	    yes || err.code != r || err.text[0] == '\0')
		return 3;
	return r;
}

static int
add(const char *dir, const char *digest)
{
	struct cordon_error err = { 0 };
	int r = cdn_trust_add(file(), dir, digest, &err);

	return r == err.code ? r : 1;
}

static int
forget(const char *dir)
{
	struct cordon_error err = { 0 };
	int r = cdn_trust_revoke(file(), dir, &err);

	return r == err.code ? r : 1;
}

struct seen {
	char text[16384];
	int n;
};

static void
see(const char *dir, const char *digest, void *arg)
{
	struct seen *seen = arg;
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%s=%c;", dir,
	    digest[0]);
	seen->n++;
}

static int
list(struct seen *seen)
{
	*seen = (struct seen){ 0 };
	return cdn_trust_list(file(), see, seen, NULL);
}

static bool
lists(const char *want)
{
	struct seen seen;

	return list(&seen) == 0 && strcmp(seen.text, want) == 0;
}

static bool
file_is(const char *want)
{
	static char got[65536];
	int fd = open(file(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof(got) - 1);

	if (fd >= 0)
		close(fd);
	got[n < 0 ? 0 : n] = '\0';
	return n == (ssize_t)strlen(want) && strcmp(got, want) == 0;
}

static unsigned
mode_of(const char *name)
{
	struct stat st;

	tmp_need(lstat(tmp_path(name), &st) == 0, "lstat", name);
	return st.st_mode & 07777;
}

/* ----- Life --------------------------------------------------------------- */

static void
test_nothing(void)
{
	ok(trusted("/w", A) == 0, "nothing is trusted at first");
	ok(lists(""), "nothing to list");
	ok(forget("/w") == CORDON_E_NOT_FOUND, "nothing to revoke");
	ok(!tmp_there("state"), "asking makes no directories");
}

static void
test_life(void)
{
	umask(0);
	ok(add("/w", A) == 0 && trusted("/w", A) == 1, "trusted");
	ok(mode_of("state") == 0700 && mode_of("state/cordon") == 0700 &&
		mode_of(FILE_NAME) == 0600,
	    "0600 below 0700");
	ok(file_is("{\"schema\":1,\"trusted\":[{\"dir\":\"/w\",\"sha256\":\"" A
		   "\"}]}\n"),
	    "the file is as written down");
	ok(trusted("/w", B) == 0, "other bytes are not trusted");
	ok(trusted("/w/x", A) == 0 && trusted("/", A) == 0 &&
		trusted("/W", A) == 0,
	    "nor is another directory");
	ok(add("/w", B) == 0 && trusted("/w", B) == 1 && trusted("/w", A) == 0,
	    "the new bytes replace the old");
	ok(add("/a", A) == 0 && add("/z", A) == 0 && lists("/a=a;/w=0;/z=a;"),
	    "more of them, sorted");
	ok(forget("/w") == 0 && trusted("/w", B) == 0 && lists("/a=a;/z=a;"),
	    "revoked");
	ok(forget("/w") == CORDON_E_NOT_FOUND, "revoked already");
	ok(trusted("/a", A) == 1 && trusted("/z", A) == 1, "the others stay");
	ok(forget("/a") == 0 && forget("/z") == 0 &&
		file_is("{\"schema\":1,\"trusted\":[]}\n") && lists(""),
	    "empty again");
}

static void
test_names(void)
{
	static const char *const odd[] = { "/with space", "/\"quoted\"",
		"/back\\slash", "/new\nline", "/tab\t\x01\x7f", "/\xc3\xa9",
		"/\xf0\x9f\x98\x80", "/</script>" };

	for (size_t i = 0; i < CDN_LEN(odd); i++)
		ok_f(add(odd[i], A) == 0 && trusted(odd[i], A) == 1 &&
			forget(odd[i]) == 0 && trusted(odd[i], A) == 0,
		    "'%s' comes back as it went", odd[i]);
	ok(add("/\xff", A) == CORDON_E_INVALID && trusted("/\xff", A) == 0,
	    "what is not UTF-8 cannot be trusted");
	ok(add("rel", A) == CORDON_E_INVALID, "a relative directory");
	ok(add("/w", "abc") == CORDON_E_INVALID, "a short digest");
	ok(add("/w", "A" B) == CORDON_E_INVALID, "a long digest");
	ok(add("/w",
	       "ABCDEF"
	       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	       "aaaaaaaaaaaa") == CORDON_E_INVALID,
	    "a shouted digest");
	ok(lists(""), "none of them was kept");
}

/* ----- Damage ------------------------------------------------------------- */

static void
test_damage(void)
{
#define ONE	"{\"dir\":\"/w\",\"sha256\":\"" A "\"}"
#define LIST(x) "{\"schema\":1,\"trusted\":[" x "]}"
	static const char *const damage[] = {
		"",
		" ",
		"null",
		"[]",
		"{}",
		"{",
		LIST(ONE) "x",
		LIST(ONE) LIST(ONE),
		LIST(ONE ","),
		LIST(ONE "," ONE),
		LIST("{\"dir\":\"/w\"}"),
		LIST("{\"sha256\":\"" A "\"}"),
		LIST("{\"dir\":\"/w\",\"sha256\":\"" A "\",\"x\":1}"),
		LIST("{\"dir\":\"w\",\"sha256\":\"" A "\"}"),
		LIST("{\"dir\":1,\"sha256\":\"" A "\"}"),
		LIST("{\"dir\":\"/w\",\"sha256\":\"x\"}"),
		LIST("{\"dir\":\"/w\",\"dir\":\"/w\",\"sha256\":\"" A "\"}"),
		LIST("{\"dir\":\"/\\u0000\",\"sha256\":\"" A "\"}"),
		LIST("1"),
		LIST("[\"/w\",\"" A "\"]"),
		"{\"schema\":2,\"trusted\":[" ONE "]}",
		"{\"schema\":\"1\",\"trusted\":[" ONE "]}",
		"{\"schema\":1.0,\"trusted\":[" ONE "]}",
		"{\"trusted\":[" ONE "]}",
		"{\"schema\":1,\"trusted\":{}}",
		"{\"schema\":1}",
		"{\"schema\":1,\"trusted\":[" ONE "],\"more\":1}",
	};

	tmp_file(FILE_NAME, LIST(ONE));
	tmp_mode(FILE_NAME, 0600);
	ok(trusted("/w", A) == 1, "control: the file undamaged");
	tmp_file(FILE_NAME,
	    " { \"trusted\" : [ " ONE " ] , \"schema\" : 1 }\n");
	ok(trusted("/w", A) == 1, "control: written otherwise");
	for (size_t i = 0; i < CDN_LEN(damage); i++) {
		struct seen seen;

		tmp_file(FILE_NAME, damage[i]);
		ok_f(trusted("/w", A) == CORDON_E_INVALID &&
			list(&seen) == CORDON_E_INVALID && seen.n == 0 &&
			add("/n", A) == CORDON_E_INVALID &&
			forget("/w") == CORDON_E_INVALID && file_is(damage[i]),
		    "damaged, an error for all, and left as it is: %.50s",
		    damage[i]);
	}
	tmp_need(unlink(file()) == 0, "unlink", FILE_NAME);
}

static void
test_limits(void)
{
	static char text[CDN_JSON_MAX + 4096];
	size_t n = 0;
	char dir[32];

	n += (size_t)snprintf(text, sizeof(text),
	    "{\"schema\":1,\"trusted\":[");
	for (int i = 0; i < CDN_TRUST_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
		    "%s{\"dir\":\"/p%d\",\"sha256\":\"" A "\"}", i ? "," : "",
		    i);
	snprintf(text + n, sizeof(text) - n, "]}");
	tmp_file(FILE_NAME, text);
	tmp_mode(FILE_NAME, 0600);
	snprintf(dir, sizeof(dir), "/p%d", CDN_TRUST_MAX - 1);
	ok(trusted(dir, A) == 1, "as many as the limit");
	ok(add("/more", A) == CORDON_E_INVALID && trusted("/more", A) == 0,
	    "one more is refused");
	ok(add(dir, B) == 0 && trusted(dir, B) == 1, "one of them replaced");
	snprintf(text + n, sizeof(text) - n,
	    ",{\"dir\":\"/x\",\"sha256\":\"" A "\"}]}");
	tmp_file(FILE_NAME, text);
	ok(trusted(dir, A) == CORDON_E_INVALID, "a file with one more");
	memset(text, ' ', sizeof(text) - 1);
	tmp_file(FILE_NAME, text);
	ok(trusted(dir, A) == CORDON_E_INVALID, "a file that is too large");
	tmp_need(unlink(file()) == 0, "unlink", FILE_NAME);
}

/* ----- Whose it is -------------------------------------------------------- */

static void
test_modes(void)
{
	static const unsigned bad[] = { 0620, 0602, 0666, 0777 };

	tmp_file(FILE_NAME, LIST(ONE));
	tmp_mode(FILE_NAME, 0644);
	ok(trusted("/w", A) == 1, "readable by others is no harm");
	for (size_t i = 0; i < CDN_LEN(bad); i++) {
		tmp_mode(FILE_NAME, bad[i]);
		ok_f(trusted("/w", A) == CORDON_E_INVALID &&
			add("/n", A) == CORDON_E_INVALID && file_is(LIST(ONE)),
		    "mode %04o is not believed", bad[i]);
	}
	tmp_mode(FILE_NAME, 0600);
	tmp_mode("state/cordon", 0770);
	ok(trusted("/w", A) == CORDON_E_INVALID, "nor a group's directory");
	tmp_mode("state/cordon", 0703);
	ok(trusted("/w", A) == CORDON_E_INVALID, "nor everybody's");
	tmp_mode("state/cordon", 0755);
	ok(trusted("/w", A) == 1, "control: it is a matter of writing");
	tmp_mode("state/cordon", 0700);
	tmp_need(rename(file(), tmp_path("elsewhere")) == 0, "rename", "");
	tmp_link("../../elsewhere", FILE_NAME);
	ok(trusted("/w", A) == CORDON_E_INVALID &&
		add("/n", A) == CORDON_E_INVALID,
	    "a link is not followed");
	tmp_need(unlink(file()) == 0, "unlink", FILE_NAME);
	ok(rename(tmp_path("elsewhere"), file()) == 0 && trusted("/w", A) == 1,
	    "control: the file itself is");
}

static int
body_not_mine(void *arg)
{
	(void)arg;
	return trusted("/w", A) == CORDON_E_INVALID ? 0 : 1;
}

static int
body_roots(void *arg)
{
	(void)arg;
	return trusted("/w", A) == 1 ? 0 : 1;
}

static void
test_owner(void)
{
	if (geteuid() != 0) {
		skip("giving files away needs root");
		return;
	}
	tmp_mode("state", 0755);
	tmp_mode("state/cordon", 0755);
	tmp_mode(FILE_NAME, 0644);
	ok(tmp_child(body_roots, NULL, true) == 0,
	    "a user believes what root wrote");
	tmp_need(chown(file(), 4321, 4321) == 0, "chown", FILE_NAME);
	ok(trusted("/w", A) == CORDON_E_INVALID,
	    "root does not believe a user's file");
	ok(tmp_child(body_not_mine, NULL, true) == 0,
	    "a user does not believe another's");
	tmp_need(chown(file(), TMP_NOBODY, TMP_NOBODY) == 0, "chown", "");
	ok(tmp_child(body_roots, NULL, true) == 0, "but his own");
	tmp_need(chown(file(), 0, 0) == 0 &&
		chown(tmp_path("state/cordon"), 4321, 4321) == 0,
	    "chown", "");
	ok(trusted("/w", A) == CORDON_E_INVALID &&
		tmp_child(body_not_mine, NULL, true) == 0,
	    "a directory of somebody else is not believed");
	tmp_need(chown(tmp_path("state/cordon"), 0, 0) == 0, "chown", "");
	ok(trusted("/w", A) == 1, "control: given back");
}

/* ----- Many at once ------------------------------------------------------- */

#define PROCESSES 50

static int
body_one_of_many(int i)
{
	char mine[32], passing[32];

	snprintf(mine, sizeof(mine), "/mine/%d", i);
	snprintf(passing, sizeof(passing), "/passing/%d", i);
	if (add(passing, B) != 0 || add(mine, A) != 0)
		return 1;
	return forget(passing) == 0 ? 0 : 2;
}

static void
test_many(void)
{
	pid_t pids[PROCESSES];
	unsigned failed = 0, missing = 0;
	struct seen seen;
	char dir[32];
	DIR *state;
	int left = 0;

	(void)unlink(file());
	fflush(stdout);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		tmp_need(pids[i] >= 0, "fork", "");
		if (pids[i] == 0)
			_exit(body_one_of_many(i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status = 0;

		waitpid(pids[i], &status, 0);
		failed += status != 0;
	}
	for (int i = 0; i < PROCESSES; i++) {
		snprintf(dir, sizeof(dir), "/mine/%d", i);
		missing += trusted(dir, A) != 1;
	}
	if (list(&seen) != 0)
		seen.n = -1;
	ok_f(failed == 0 && missing == 0 && seen.n == PROCESSES,
	    "%d at once: %u failed, %u missing, %d in the list", PROCESSES,
	    failed, missing, seen.n);
	state = opendir(tmp_path("state/cordon"));
	while (state != NULL && readdir(state) != NULL)
		left++;
	closedir(state);
	ok_f(left == 4, "only the file and its lock are there (%d)", left - 2);
}

int
main(void)
{
	int before;

	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	before = tmp_open_fds();
	test_nothing();
	test_life();
	test_names();
	test_damage();
	test_limits();
	test_modes();
	test_owner();
	test_many();
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
