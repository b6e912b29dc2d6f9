#include "engine/decide/floor.h"

#include "engine/decide/agents.h"

/* clang-format off */
/* Those of agents stand in agents.c. */
static const struct cdn_floor_row credentials[] = {
	/* path				 glob	file	why, store */
	{ "~/.ssh",			 false, false, "SSH keys" },
	{ "~/.aws",			 false, false, "cloud credentials" },
	{ "~/.gnupg",			 false, false, "GnuPG keys" },
	{ "~/.netrc",			 false, true,  "passwords" },
	{ "~/.git-credentials",		 false, true,  "passwords" },
	{ "~/.kube",			 false, false, "cluster credentials" },
	{ "~/.docker/config.json",	 false, true,  "registry credentials" },
	{ "~/.config/gh",		 false, false, "GitHub credentials" },
	{ "~/.config/gcloud",		 false, false, "cloud credentials" },
	{ "~/.azure",			 false, false, "cloud credentials" },
	{ "~/.npmrc",			 false, true,  "registry credentials" },
	{ "~/.pypirc",			 false, true,  "registry credentials" },
	{ "~/.cargo/credentials",	 false, true,  "registry credentials" },
	{ "~/.cargo/credentials.toml",	 false, true,  "registry credentials" },
	{ "~/.local/share/uv/credentials", false, false, "registry credentials" },
	{ "~/.config/uv",		 false, false, "registry credentials" },
	{ "~/.config/hub",		 false, true,  "GitHub credentials" },
	{ "~/.config/glab-cli",		 false, false, "GitLab credentials" },
	{ "~/.terraform.d",		 false, false, "cloud credentials" },
	{ "~/.m2/settings.xml",		 false, true,  "registry credentials" },
	{ "~/.gradle/gradle.properties", false, true,  "registry credentials" },
	{ "~/.config/pypoetry/auth.toml", false, true,  "registry credentials" },
	{ "~/.yarnrc.yml",		 false, true,  "registry credentials" },
	{ "~/.bunfig.toml",		 false, true,  "registry credentials" },
	{ "~/.vault-token",		 false, true,  "Vault token" },
	{ "~/.pgpass",			 false, true,  "database passwords" },
	{ "~/.my.cnf",			 false, true,  "database passwords" },
	{ "~/.config/rclone",		 false, false, "cloud credentials" },
	{ "~/.config/doctl",		 false, false, "cloud credentials" },
	{ "~/.config/op",		 false, false, "1Password session" },
	{ "~/.password-store",		 false, false, "passwords" },
	{ "~/.config/sops",		 false, false, "encryption keys" },
	{ "~/.digitorn/jwt.key",	 false, true,  "agent daemon" },
	{ "~/.digitorn/master.key",	 false, true,  "agent daemon" },
	{ "~/.digitorn/server.key",	 false, true,  "agent daemon" },
	{ "~/.digitorn/config.yaml",	 false, true,  "agent daemon" },
	{ "~/.digitorn/digitorn.db",	 false, true,  "agent daemon" },
	{ "~/.digitorn/kv",		 false, false, "agent daemon", true },
	{ "~/.digitorn/sessions",	 false, false, "agent daemon", true },
	{ "~/.digitorn/state",		 false, false, "agent daemon", true },
	{ "~/.digitorn/logs",		 false, false, "agent daemon", true },
	{ "~/.omega/data",		 false, false, "agent daemon", true },
	{ "~/.omega/config.toml",	 false, true,  "agent daemon" },
	{ "~/.mozilla",			 false, false, "browser store", true },
	{ "~/.config/google-chrome",	 false, false, "browser store", true },
	{ "~/.config/chromium",		 false, false, "browser store", true },
	{ "~/.config/BraveSoftware",	 false, false, "browser store", true },
	{ "~/.local/share/keyrings",	 false, false, "keyring" },
	{ "~/.gnome2/keyrings",		 false, false, "keyring" },
	{ "~/.local/share/kwalletd",	 false, false, "keyring" },
	{ "/etc/shadow",		 false, true,  "password hashes" },
	{ "/etc/shadow-",		 false, false, "password hashes" },
	{ "/etc/gshadow",		 false, true,  "password hashes" },
	{ "/etc/gshadow-",		 false, false, "password hashes" },
	{ "/etc/ssh/ssh_host_*_key",	 true,  false, "host keys" },
	{ "/run/secrets",		 false, false, "container secrets" },
	{ "/var/run/secrets",		 false, false, "container secrets" },
	{ "/proc/kcore",		 false, false, "kernel memory" },
};

/* For root: what others may not read below these. */
static const struct cdn_floor_row privates[CDN_FLOOR_PRIVATE] = {
	{ "/etc",	  false, false, "for root: what others may not read" },
	{ "/var/lib",	  false, false, "for root: what others may not read" },
};

static const struct cdn_floor_row systems[] = {
	{ "/bin",	  false, false, "system directory" },
	{ "/sbin",	  false, false, "system directory" },
	{ "/lib*",	  true,	 false, "system directory" },
	{ "/usr",	  false, false, "system directory" },
	{ "/etc",	  false, false, "system directory" },
	{ "/boot",	  false, false, "system directory" },
	{ "/proc",	  false, false, "system directory" },
	{ "/sys",	  false, false, "system directory" },
	{ "/dev",	  false, false, "system directory" },
	{ "/System",	  false, false, "system directory" },
	{ "/Library",	  false, false, "system directory" },
	{ "/private/etc", false, false, "system directory" },
};

static const struct cdn_floor_row exceptions[] = {
	{ "/usr/local",	  false, false, "for local software" },
};

static const char *const devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	"/dev/tty", "/dev/ptmx",
};
/* clang-format on */

const cdn_str cdn_floor_sidecars[CDN_SIDECARS] = { { "-wal", 4 },
	{ "-shm", 4 }, { "-journal", CDN_SIDECARS_MAX } };

const struct cdn_floor_row *
cdn_floor_credential(size_t i)
{
	const struct cdn_agent *agent;

	if (i < CDN_LEN(credentials))
		return &credentials[i];
	i -= CDN_LEN(credentials);
	for (size_t k = 0; (agent = cdn_agent(k)) != NULL; k++) {
		if (i < agent->place_count)
			return &agent->places[i].row;
		i -= agent->place_count;
	}
	return NULL;
}

const struct cdn_floor_row *
cdn_floor_private(size_t i)
{
	return i < CDN_LEN(privates) ? &privates[i] : NULL;
}

bool
cdn_floor_of_package(cdn_str name)
{
	static const char *const kinds[] = { ".list", ".md5sums", ".postinst",
		".postrm", ".preinst", ".prerm", ".conffiles", ".triggers",
		".shlibs", ".symbols" };

	for (size_t i = 0; i < CDN_LEN(kinds); i++) {
		cdn_str kind = cdn_str_of(kinds[i]);

		if (name.n > kind.n && memcmp(name.p + name.n - kind.n, kind.p,
			kind.n) == 0)
			return true;
	}
	return false;
}

const struct cdn_floor_row *
cdn_floor_system(size_t i)
{
	return i < CDN_LEN(systems) ? &systems[i] : NULL;
}

/* The star of a glob entry is its last character. */
bool
cdn_floor_below_system(cdn_str path)
{
	for (size_t i = 0; i < CDN_LEN(systems); i++) {
		cdn_str dir, rest;

		/* most are told apart by the first byte behind the slash */
		if (path.n < 2 || path.p[1] != systems[i].path[1])
			continue;
		dir = cdn_str_of(systems[i].path);
		if (systems[i].glob)
			dir.n--;
		rest = cdn_str_from(path, dir.n);
		if (cdn_str_starts(path, dir) && rest.n > 1 &&
		    (systems[i].glob ? memchr(rest.p, '/', rest.n) != NULL :
				       rest.p[0] == '/'))
			return true;
	}
	return false;
}

const struct cdn_floor_row *
cdn_floor_exception(size_t i)
{
	return i < CDN_LEN(exceptions) ? &exceptions[i] : NULL;
}

const char *
cdn_floor_device(size_t i)
{
	return i < CDN_LEN(devices) ? devices[i] : NULL;
}
