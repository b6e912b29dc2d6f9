/*
 * The floor: what no policy lifts.
 */
#include "engine/decide/floor.h"

#include "engine/decide/preset.h"
#include "support/world.h"

/* A policy, a command line and a preset that would allow everything. */
#define EVERYTHING                                                            \
	.profile = "dev", .preset = CORDON_PRESET_PROTECT, .read = "/",       \
	.write = "/", .runtime_read = "/", .runtime_write = "/",              \
	.documents = { { CORDON_LAYER_USER, true,                             \
	    "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"], "         \
	    "host: {read: [/], modify: [/]}}}\n" } }

/* clang-format off */
static const struct world_spec everything = { EVERYTHING,
	.workspace = "/home/u/w",
	.closed = "/home/u/.ssh +/home/u/.db /etc/ssh/ssh_host_*_key "
	    "/home/u/w/token",
	.sealed = "/etc/cordon /home/u/w/.cordon/policy.yaml",
	.hidden = "/home/u/state/homes",
	.own = "/home/u/state/homes/me",
};

static const struct {
	const char *path;
	bool read, modify;
	const char *matched; /* of the denial */
} rows[] = {
	/* (c) credentials: nothing at all, everything below them, sidecars */
	{ "/home/u/.ssh",		  false, false, "/home/u/.ssh" },
	{ "/home/u/.ssh/id",		  false, false, "/home/u/.ssh" },
	{ "/home/u/.sshx",		  true,	 true,	NULL },
	{ "/home/u/.db",		  false, false, "/home/u/.db" },
	{ "/home/u/.db-wal",		  false, false, "/home/u/.db" },
	{ "/home/u/.db-shm",		  false, false, "/home/u/.db" },
	{ "/home/u/.db-journal",	  false, false, "/home/u/.db" },
	{ "/home/u/.db-wall",		  true,	 true,	NULL },
	{ "/home/u/.db.bak",		  true,	 true,	NULL },
	{ "/etc/ssh/ssh_host_rsa_key",	  false, false, "/etc/ssh/ssh_host_*_key" },
	{ "/etc/ssh/ssh_host_rsa_key.pub", true, false, "/etc" },
	{ "/home/u/w/token",		  false, false, "/home/u/w/token" },

	/* (a) system directories: read, never written */
	{ "/bin/sh",			  true,	 false, "/bin" },
	{ "/sbin",			  true,	 false, "/sbin" },
	{ "/lib/x",			  true,	 false, "/lib*" },
	{ "/lib64",			  true,	 false, "/lib*" },
	{ "/library",			  true,	 false, "/lib*" },
	{ "/usr",			  true,	 false, "/usr" },
	{ "/usr/share/a",		  true,	 false, "/usr" },
	{ "/usr/local",			  true,	 true,	NULL },
	{ "/usr/local/bin/a",		  true,	 true,	NULL },
	{ "/usr/localx",		  true,	 false, "/usr" },
	{ "/etc/passwd",		  true,	 false, "/etc" },
	{ "/boot/a",			  true,	 false, "/boot" },
	{ "/proc/1/mem",		  true,	 false, "/proc" },
	{ "/sys/a",			  true,	 false, "/sys" },
	{ "/dev/sda",			  true,	 false, "/dev" },
	{ "/dev/null",			  true,	 true,	NULL },
	{ "/dev/tty",			  true,	 true,	NULL },
	{ "/dev/null/x",		  true,	 false, "/dev" },
	{ "/dev/tty1",			  true,	 false, "/dev" },
	{ "/dev/pts/0",			  true,	 false, "/dev" },
	{ "/System/a",			  true,	 false, "/System" },
	{ "/private/etc/a",		  true,	 false, "/private/etc" },
	{ "/private/var/a",		  true,	 true,	NULL },
	{ "/usrx",			  true,	 true,	NULL },
	{ "/opt/a",			  true,	 true,	NULL },
	{ "/home/u/w/usr/a",		  true,	 true,	NULL },

	/* (b) cordon's own */
	{ "/etc/cordon/policy.yaml",	  true,	 false, "/etc/cordon" },
	{ "/home/u/w/.cordon/policy.yaml", true, false,
	  "/home/u/w/.cordon/policy.yaml" },
	{ "/home/u/w/.cordon/other",	  true,	 true,	NULL },
	{ "/home/u/state/homes/you",	  false, false, "/home/u/state/homes" },
	{ "/home/u/state/homes",	  false, false, "/home/u/state/homes" },
	{ "/home/u/state/homes/me",	  true,	 true,	NULL },
	{ "/home/u/state/homes/me/a",	  true,	 true,	NULL },
};

/* Workspaces in and around system directories. */
static const struct {
	const char *workspace;
	const char *path;
	bool modify;
} places[] = {
	{ "/usr/src/app", "/usr/src/app/a",   true },
	{ "/usr/src/app", "/usr/src/app",     true },
	{ "/usr/src/app", "/usr/src/other",   false },
	{ "/usr/src/app", "/usr/src",	      false },
	{ "/usr",	  "/usr/a",	      false },
	{ "/usr",	  "/usr/local/a",     true },
	{ "/",		  "/usr/a",	      false },
	{ "/",		  "/srv/a",	      true },
	{ "/etc",	  "/etc/a",	      false },
	{ "/etc/app",	  "/etc/app/a",	      true },
	{ "/lib64",	  "/lib64/a",	      false },
	{ "/lib64/app",	  "/lib64/app/a",     true },
	{ "/private/etc", "/private/etc/a",   false },
	{ "/private/etc/app", "/private/etc/app/a", true },
	{ "/private",	  "/private/etc/a",   false },
	{ "/private",	  "/private/a",	      true },
};
/* clang-format on */

static void
test_one(const struct world *w, enum cordon_as as, enum cordon_op op,
    const char *path, bool allowed, const char *matched)
{
	struct cordon_verdict v = world_ask(w, as, op, path);
	bool good = v.allowed == allowed;

	if (!allowed)
		good &= v.layer == CORDON_LAYER_FLOOR &&
		    strcmp(v.matched_rule, matched) == 0 && v.source != NULL;
	if (!ok_f(good, "as %s, %s %s: %s", cordon_as_name(as),
		cordon_op_name(op), path, allowed ? "passes" : matched))
		printf("# got %s by %s (%s)\n", v.allowed ? "allow" : "deny",
		    v.matched_rule, cordon_layer_name(v.layer));
}

static void
test_rows(void)
{
	struct world w;

	world_make(&w, &everything);
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		for (enum cordon_as as = CORDON_AS_PROCESS;
		    as <= CORDON_AS_AGENT; as++) {
			test_one(&w, as, CORDON_READ, rows[i].path,
			    rows[i].read, rows[i].matched);
			test_one(&w, as, CORDON_EXEC, rows[i].path,
			    rows[i].read, rows[i].matched);
			test_one(&w, as, CORDON_MODIFY, rows[i].path,
			    rows[i].modify, rows[i].matched);
		}
	world_done(&w);
}

static void
test_places(void)
{
	for (size_t i = 0; i < CDN_LEN(places); i++) {
		struct world_spec spec = { EVERYTHING,
			.workspace = places[i].workspace };
		struct world w;

		world_make(&w, &spec);
		ok_f(world_allows(&w, CORDON_AS_PROCESS, CORDON_MODIFY,
			 places[i].path) == places[i].modify,
		    "workspace %s: %s is %swritten", places[i].workspace,
		    places[i].path, places[i].modify ? "" : "never ");
		ok_f(world_allows(&w, CORDON_AS_PROCESS, CORDON_READ,
			 places[i].path), "workspace %s: %s is read",
		    places[i].workspace, places[i].path);
		world_done(&w);
	}
}

/* A socket behind the floor is not reached by naming it. */
static void
test_sockets(void)
{
	struct world_spec spec = { .profile = "dev", .closed = "/run/secrets",
		.documents = { { CORDON_LAYER_USER, true,
		    "  fsProfiles: {dev: {read: [\"**\"], "
		    "sockets: [/run/secrets/s, /run/s]}}\n" } } };
	struct world w;

	world_make(&w, &spec);
	ok(!world_allows(&w, CORDON_AS_PROCESS, CORDON_CONNECT,
	       "/run/secrets/s"), "a socket behind the floor is closed");
	ok(world_allows(&w, CORDON_AS_PROCESS, CORDON_CONNECT, "/run/s"),
	    "another one is not");
	world_done(&w);
}

/* Where case does not matter it does not to the floor. */
static void
test_folded(void)
{
	struct world_spec spec = { EVERYTHING, .workspace = "/Home/w",
		.closed = "/Home/u/.SSH", .fold = true };
	struct world w;

	world_make(&w, &spec);
	ok(!world_allows(&w, CORDON_AS_PROCESS, CORDON_READ,
	       "/home/u/.ssh/id"), "folded: an entry in another case");
	ok(world_allows(&w, CORDON_AS_PROCESS, CORDON_READ, "/home/w/a"),
	    "folded: the workspace in another case");
	ok(!world_allows(&w, CORDON_AS_PROCESS, CORDON_MODIFY, "/system/a"),
	    "folded: a system directory in another case");
	world_done(&w);
}

/* Where programs keep credentials: none may get lost. */
static const char *const listed[] = { "~/.ssh", "~/.aws", "~/.gnupg",
	"~/.netrc", "~/.git-credentials", "~/.kube", "~/.docker/config.json",
	"~/.config/gh", "~/.config/gcloud", "~/.azure", "~/.npmrc",
	"~/.pypirc", "~/.cargo/credentials", "~/.cargo/credentials.toml",
	"~/.claude/.credentials.json", "~/.local/share/uv/credentials",
	"~/.config/uv", "~/.config/hub", "~/.config/glab-cli",
	"~/.terraform.d", "~/.m2/settings.xml", "~/.gradle/gradle.properties",
	"~/.config/pypoetry/auth.toml", "~/.yarnrc.yml", "~/.bunfig.toml",
	"~/.vault-token", "~/.pgpass", "~/.my.cnf", "~/.config/rclone",
	"~/.config/doctl", "~/.config/op", "~/.password-store",
	"~/.config/sops", "~/.mozilla", "~/.config/google-chrome",
	"~/.config/chromium", "~/.config/BraveSoftware",
	"~/.local/share/keyrings", "~/.gnome2/keyrings",
	"~/.local/share/kwalletd", "/etc/shadow", "/etc/gshadow",
	"/etc/ssh/ssh_host_*_key", "/run/secrets", "/var/run/secrets",
	"/proc/kcore" };

/* By itself, or by what lies above it. */
static bool
is_listed(const char *path)
{
	const struct cdn_floor_row *row;

	for (size_t i = 0; (row = cdn_floor_credential(i)) != NULL; i++) {
		size_t n = strlen(row->path);

		if (strncmp(row->path, path, n) == 0 &&
		    (path[n] == '\0' || path[n] == '/'))
			return true;
	}
	return false;
}

/* The tables themselves. */
static void
test_tables(void)
{
	const struct cdn_floor_row *row;
	size_t n = 0;

	for (; (row = cdn_floor_credential(n)) != NULL; n++)
		ok_f((row->path[0] == '/' || strncmp(row->path, "~/", 2) == 0) &&
		    row->glob == (strchr(row->path, '*') != NULL) &&
		    row->why != NULL && row->path[strlen(row->path) - 1] != '/',
		    "'%s' is well formed", row->path);
	ok(n > 30 && cdn_floor_credential(n + 1) == NULL, "and it ends");
	for (size_t i = 0; i < CDN_LEN(listed); i++)
		ok_f(is_listed(listed[i]), "'%s' is listed", listed[i]);
	for (n = 0; cdn_floor_private(n) != NULL; n++)
		;
	ok(n == CDN_FLOOR_PRIVATE, "two directories have files of root");
	ok(cdn_floor_of_package(CDN_STR("bash.list")) &&
	    cdn_floor_of_package(CDN_STR("libc6:amd64.postinst")) &&
	    !cdn_floor_of_package(CDN_STR(".list")) &&
	    !cdn_floor_of_package(CDN_STR("secret")) &&
	    !cdn_floor_of_package(CDN_STR("bash.lists")),
	    "files of packages by their names");
}

int
main(void)
{
	test_rows();
	test_places();
	test_sockets();
	test_folded();
	test_tables();
	return done_testing();
}
