/*
 * A resolved profile as `policy show` prints it.
 */
#include "engine/profile/profile.h"

#include "base/buf.h"
#include "support/engine.h"

static const char spec[] =
    "  denyRead: [\"**/*.env\"]\n"
    "  fsProfiles:\n"
    "    dev:\n"
    "      read: [\"./**\", \"!say \\\"hi\\\"\"]\n"
    "      modify: [\"src/**\"]\n"
    "      host: {read: [\"~/.cargo\"], modify: [\"/var/cache/x\"]}\n"
    "      network: [\"a.org:443\", \"!b.a.org\"]\n"
    "      sockets: [\"/run/x.sock\"]\n"
    "    none: {}\n";

static const char json[] =
    "{\"schema\":1,\"name\":\"dev\","
    "\"read\":[\"**\",\"!say \\\"hi\\\"\",\"!**/*.env\"],"
    "\"modify\":[\"src/**\"],"
    "\"exec\":[\"**\",\"!say \\\"hi\\\"\",\"!**/*.env\"],"
    "\"network\":[\"a.org:443\",\"!b.a.org:*\"],"
    "\"host\":{\"read\":[\"~/.cargo\"],\"modify\":[\"/var/cache/x\"]},"
    "\"sockets\":[\"/run/x.sock\"]";

static const char yaml[] =
    "name: \"dev\"\n"
    "read:\n"
    "  - \"**\"  # t.yaml:8:14\n"
    "  - \"!say \\\"hi\\\"\"  # t.yaml:8:22\n"
    "  - \"!**/*.env\"  # t.yaml:5:14\n"
    "modify:\n"
    "  - \"src/**\"  # t.yaml:9:16\n"
    "exec:\n"
    "  - \"**\"  # t.yaml:8:14\n"
    "  - \"!say \\\"hi\\\"\"  # t.yaml:8:22\n"
    "  - \"!**/*.env\"  # t.yaml:5:14\n"
    "network:\n"
    "  - \"a.org:443\"  # t.yaml:11:17\n"
    "  - \"!b.a.org:*\"  # t.yaml:11:30\n"
    "host:\n"
    "  read:\n"
    "    - \"~/.cargo\"\n"
    "  modify:\n"
    "    - \"/var/cache/x\"\n"
    "sockets:\n"
    "  - \"/run/x.sock\"\n";

static const char empty_yaml[] =
    "name: \"none\"\n"
    "read:\n"
    "  - \"!**/*.env\"  # t.yaml:5:14\n"
    "modify: []\n"
    "exec:\n"
    "  - \"!**/*.env\"  # t.yaml:5:14\n"
    "network: none\n"
    "host:\n"
    "  read: []\n"
    "  modify: []\n"
    "sockets: []\n";

static void
test_one(const struct cordon_policy *policy, const char *name,
    enum cordon_format format, const char *layer, const char *want,
    const char *what)
{
	struct cordon_profile *profile = NULL;
	struct cdn_buf out;

	need(cdn_profile_resolve(policy, cdn_str_of(name), CDN_RESOLVE_STRICT,
		 &profile, NULL) == 0, "profile");
	cdn_buf_init(&out, 1UL << 20);
	ok_f(cdn_profile_format(profile, format, layer, "p.yaml", &out,
		 NULL) == 0, "%s: printed", what);
	if (!ok_f(strcmp(out.p, want) == 0, "%s: as wanted", what))
		printf("# got %s\n", out.p);
	cdn_buf_done(&out);
	cdn_buf_init(&out, 16);
	ok_f(cdn_profile_format(profile, format, layer, "p.yaml", &out,
		 NULL) == CORDON_E_NOMEM, "%s: no room is an error", what);
	cdn_buf_done(&out);
	cdn_profile_free(profile);
}

int
main(void)
{
	struct cordon_policy *policy = policy_of(spec);
	char want[2048];

	snprintf(want, sizeof(want), "%s}\n", json);
	test_one(policy, "dev", CORDON_FORMAT_JSON, NULL, want, "JSON");
	snprintf(want, sizeof(want),
	    "%s,\"layer\":\"user\",\"source\":\"p.yaml\"}\n", json);
	test_one(policy, "dev", CORDON_FORMAT_JSON, "user", want,
	    "JSON of a layer");
	test_one(policy, "dev", CORDON_FORMAT_YAML, NULL, yaml, "YAML");
	snprintf(want, sizeof(want), "# user: p.yaml\n%s", yaml);
	test_one(policy, "dev", CORDON_FORMAT_YAML, "user", want,
	    "YAML of a layer");
	test_one(policy, "none", CORDON_FORMAT_YAML, NULL, empty_yaml,
	    "YAML of nothing");
	cdn_policy_free(policy);
	return done_testing();
}
