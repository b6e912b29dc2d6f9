/*
 * Plans as people and programs see them, byte for byte:
 * tests/golden/plan/NAME.txt and NAME.json.
 *
 *	golden --show NAME.txt	what the file would hold
 */
#include "tree.h"

#define SYSTEM .runtime_read = "/usr /bin /etc /opt /proc /home/u/.cargo", \
	.runtime_write = "/s/homes/me /s/tmp/me =/dev/null =/dev/ptmx", \
	.hidden = "/s/homes /s/tmp", .own = "/s/homes/me /s/tmp/me", \
	.sealed = "/s", .closed = "+/etc/shadow /etc/ssh/ssh_host_*_key " \
	"/etc/ssh/ssh_host_rsa_key /proc/kcore /home/u/.ssh " \
	"+/home/u/.cargo/credentials"
#define FILES(shadow) "/w/src/a.c /w/README /w/.git/hooks/x @/bin " \
	"/usr/bin/ls /etc/passwd /etc/group /etc/hosts /etc/ssl/x /etc/fstab " \
	shadow "/etc/shadow /etc/ssh/ssh_config " \
	shadow "/etc/ssh/ssh_host_rsa_key #/proc/kcore /proc/1/ /opt/ " \
	"/home/u/.ssh/id /home/u/.cargo/bin/cargo /home/u/.cargo/credentials " \
	"/dev/null /dev/ptmx /s/homes/other/"

static const struct {
	const char *name;
	struct world_spec world;
	const char *tree;
	bool broker;
	int abi;
} cases[] = {
	{ "default", { SYSTEM }, FILES("#"), true, 7 },
	{ "default-root", { SYSTEM }, FILES(""), true, 7 },
	{ "default-no-broker", { SYSTEM }, FILES("#"), false, 7 },
	{ "default-old-kernel", { SYSTEM }, FILES("#"), false, 1 },
	{ "strict-no-broker", { .preset = CORDON_PRESET_STRICT, SYSTEM },
	    FILES("#"), false, 7 },
	{ "implementer", { .profile = "dev", .documents = { {
	    CORDON_LAYER_POLICY, true,
	    "  denyRead: [\"**/*.env\"]\n"
	    "  denyModify: [\".git/hooks/**\"]\n"
	    "  fsProfiles:\n    dev:\n      read: [\"**\"]\n"
	    "      modify: [\"src/**\", \"docs/**\"]\n"
	    "      host: {read: [/data], modify: [/cache]}\n"
	    "      network: [\"10.0.0.1:443\", example.org]\n"
	    "      sockets: [/run/x.sock]\n" } }, SYSTEM },
	    FILES("#") " /data/x /cache/y", true, 7 },
	{ "no-landlock", { .profile = "dev", .documents = { {
	    CORDON_LAYER_USER, true,
	    "  fsProfiles: {dev: {read: [\"**\"]}}\n" } } }, "/w/a", true, 0 },
};

static void
print(size_t i, bool json, struct cdn_buf *out)
{
	struct cdn_host host = tree_host;
	struct world w;
	struct tree t;

	host.landlock_abi = cases[i].abi;
	world_make(&w, &cases[i].world);
	tree_make(&t, cases[i].tree);
	cdn_buf_init(out, 1 << 20);
	need(cdn_plan_format(tree_plan(&t, &w, &host, cases[i].broker),
		 &(struct cdn_plan_words){ "native", "none" },
		 json ? CORDON_FORMAT_JSON : CORDON_FORMAT_YAML, out,
		 NULL) == 0, "format");
	world_done(&w);
}

static void
file_name(size_t i, bool json, char *out, size_t size)
{
	snprintf(out, size, "%s.%s", cases[i].name, json ? "json" : "txt");
}

static void
check(const char *folder, size_t i, bool json)
{
	char name[64], path[4096], text[65536];
	struct cdn_buf out;
	FILE *file;
	size_t n = 0;

	file_name(i, json, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/tests/golden/plan/%s", folder, name);
	file = fopen(path, "rb");
	if (file != NULL) {
		n = fread(text, 1, sizeof(text), file);
		fclose(file);
	}
	print(i, json, &out);
	ok_f(file != NULL && n == out.n && memcmp(text, out.p, n) == 0,
	    "%s (--show %s prints what it is now)", name, name);
	cdn_buf_done(&out);
}

static int
show(const char *want)
{
	for (size_t i = 0; i < 2 * CDN_LEN(cases); i++) {
		char name[64];
		struct cdn_buf out;

		file_name(i / 2, i % 2 != 0, name, sizeof(name));
		if (strcmp(name, want) != 0)
			continue;
		print(i / 2, i % 2 != 0, &out);
		fwrite(out.p, 1, out.n, stdout);
		cdn_buf_done(&out);
		return 0;
	}
	return 1;
}

int
main(int argc, char **argv)
{
	const char *folder = getenv("CORDON_SOURCE");

	if (argc == 3 && strcmp(argv[1], "--show") == 0)
		return show(argv[2]);
	need(folder != NULL, "CORDON_SOURCE");
	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		check(folder, i, false);
		check(folder, i, true);
	}
	return done_testing();
}
